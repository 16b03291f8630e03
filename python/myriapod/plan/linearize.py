"""Derivatives by lanes (include/myriapod/linearize.h): how a control step's end depends on its begin and on the control."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _arrays
from .._library import ArgumentError, check, ffi, lib
from ..batch import Batch
from ..envs.lane_task import LaneTask

_FIELDS = {"target": lib.MYR_TARGET, "torque": lib.MYR_TORQUE, "control": lib.MYR_CONTROL}


@dataclass(frozen=True)
class Linearization:
    """Of n states. Coordinates are those of v: of a free joint the position in world axes and a small turn in body axes."""

    A: np.ndarray  #: (n, 2 nv, 2 nv) the state behind a control step by the one before it
    B: np.ndarray  #: (n, 2 nv, nu) by the controls
    next: np.ndarray  #: (n, nq + nv) the state behind the step itself
    kinked: np.ndarray  #: (n, 2 nv + nu) bool: contacts or joint rows act on one side alone, or the sides' derivatives differ by more than a hundredth


def linearize(batch: Batch | LaneTask, q: Any, v: Any, u: Any = None, *, control_field: str = "target", eps: float = 1e-6, tolerance: float = 1e-12) -> Linearization:
    """Centred differences of a control step at states q (n, nq), v (n, nv) with controls u (n, nu); None: zero. One row is one state.

    The batch, one in float64, computes: its environments stand side by side. Parameters, and what else there is, are those of environment 0, which ends as it
    began, outputs aside; the others end anywhere. eps: of the differences; tolerance: of contact solves meanwhile, as the 1e-5 that batches have ruins differences. A hard contact has
    one-sided derivatives where it opens or closes: give the batch a `compliance` where that must be smooth. ArgumentError: a shape, a number that is not finite, a batch in float32."""
    core = batch.batch if isinstance(batch, LaneTask) else batch
    model = core.model
    if control_field not in _FIELDS:
        raise ArgumentError(f"control_field is {control_field!r}, but must be one of {', '.join(_FIELDS)}")
    states = [np.atleast_2d(_arrays.take(a, name, np.dtype(np.float64))) for a, name in ((q, "q"), (v, "v"), (np.zeros((len(np.atleast_2d(q)), model.nu)) if u is None else u, "u"))]
    n = len(states[0])
    for array, wide, name in zip(states, (model.nq, model.nv, model.nu), "qvu"):
        _arrays.want_shape(array, (n, wide), name)
    made = Linearization(np.empty((n, 2 * model.nv, 2 * model.nv)), np.empty((n, 2 * model.nv, model.nu)), np.empty((n, model.nq + model.nv)),
                         np.zeros((n, 2 * model.nv + model.nu), bool))
    of = ffi.new("myr_linearization *")
    of.n, of.control_field, of.eps, of.tolerance = n, _FIELDS[control_field], eps, tolerance
    of.q, of.v, of.u = (_arrays.pointer(np.ascontiguousarray(a), "double *") for a in states)
    of.A, of.B, of.next = (_arrays.pointer(a, "double *") for a in (made.A, made.B, made.next))
    of.kinked = _arrays.pointer(made.kinked, "uint8_t *")
    with core._open() as c:
        check(lib.myr_linearize(c, of))
    return made
