"""Rigid-body quantities of given states, without stepping: for checks, control and comparison with peers."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays as arrays
from ._library import ArgumentError, check, ffi, lib
from .model import Model
from .parts import Frame
from .settings import Settings

_F64 = np.dtype(np.float64)


@dataclass(frozen=True)
class Evaluation:
    """M dv/dt + bias = tau and what goes with it, float64; what was not asked for is None. Without the leading n where q had none."""

    M: np.ndarray | None = None  #: (n, nv, nv) mass matrix [kg, kg m, kg m^2]
    bias: np.ndarray | None = None  #: (n, nv) Coriolis and gravity [N, N m]
    acceleration: np.ndarray | None = None  #: (n, nv) M^-1 (tau - bias)
    kinetic: np.ndarray | None = None  #: (n,) [J]
    potential: np.ndarray | None = None  #: (n,) [J], zero at z = 0
    com: np.ndarray | None = None  #: (n, 3) centre of mass [m], world
    frame_position: np.ndarray | None = None  #: (n, n_frames, 3) [m], world; frames in the order of model.frames
    frame_quaternion: np.ndarray | None = None  #: (n, n_frames, 4) frame -> world
    frame_velocity: np.ndarray | None = None  #: (n, n_frames, 6) linear [m/s], angular [rad/s]; world axes
    frame_jacobian: np.ndarray | None = None  #: (n, n_frames, 3, nv) of the position


def _shapes(model: Model) -> dict[str, tuple[int, ...]]:
    nv, frames = model.nv, len(model.frames)
    return {
        "M": (nv, nv), "bias": (nv,), "acceleration": (nv,), "kinetic": (), "potential": (), "com": (3,),
        "frame_position": (frames, 3), "frame_quaternion": (frames, 4), "frame_velocity": (frames, 6), "frame_jacobian": (frames, 3, nv),
    }


def _inputs(model: Model, q: Any, **others: Any) -> tuple[tuple[int, ...], int, dict[str, np.ndarray]]:
    """Leading shape, number of states, and arrays that the library can read: q, and those of nv numbers that are given."""
    q_array = arrays.take(q, "q", _F64)
    single = q_array.ndim == 1
    n = 1 if single else q_array.shape[0] if q_array.ndim else 0
    lead = () if single else (n,)
    arrays.want_shape(q_array, (*lead, model.nq), "q", "(n, nq) or (nq,)")
    inputs = {"q": q_array}
    for name, value in others.items():
        if value is not None:
            inputs[name] = arrays.take(value, name, _F64)
            arrays.want_shape(inputs[name], (*lead, model.nv), name, "q's rows, nv")
    return lead, n, inputs


def _settings(settings: Settings | None, keys: dict[str, Any]) -> Settings:
    used = Settings(precision="f64") if settings is None else settings.copy()
    used.update(**keys)
    return used


def evaluate(model: Model, q: Any, v: Any = None, tau: Any = None, want: Sequence[str] = ("M", "bias", "acceleration"), *,
             settings: Settings | None = None, **settings_keys: Any) -> Evaluation:
    """Evaluate the model at q (n, nq) or (nq,), velocities v and generalized forces tau (n, nv) or (nv,), zero where None.

    want: names of Evaluation's members. Armature and gravity are the model's; damping, limits and fluid are off. `precision` (f64 unless said)
    and `isa` are settings that matter. Raises ArgumentError."""
    used = _settings(settings, settings_keys)
    shapes = _shapes(model)
    lead, n, inputs = _inputs(model, q, v=v, tau=tau)
    outputs: dict[str, np.ndarray] = {}
    for name in (want,) if isinstance(want, str) else want:
        if name not in shapes:
            raise ArgumentError(f"want: {name!r} is none of {', '.join(shapes)}")
        outputs[name] = np.zeros((*lead, *shapes[name]))
    job = ffi.new("myr_evaluation *", {"n": n})
    for name, array in (*inputs.items(), *outputs.items()):
        setattr(job, name, arrays.pointer(array, "double *"))
    check(lib.myr_evaluate(model._c, used._c, job))
    return Evaluation(**outputs)


def inverse_dynamics(model: Model, q: Any, v: Any = None, acceleration: Any = None, *, settings: Settings | None = None,
                     **settings_keys: Any) -> np.ndarray:
    """The generalized forces tau (n, nv) that give the accelerations dv/dt at q (n, nq) and v; all without n for one state, zero where None.

    tau = M dv/dt + bias, the M and bias of `evaluate`, in time linear in bodies: inertias, armature, Coriolis forces and gravity. Damping and dry
    friction of joints, springs, weights that are held, contacts, loops and limits are not in it. Of a free joint: force in world axes and moment
    about the body's origin in body axes. Settings as for `evaluate`. May be called from many threads at once.
    ArgumentError: a shape is wrong, a number is not finite, a quaternion is not a rotation."""
    used = _settings(settings, settings_keys)
    lead, n, inputs = _inputs(model, q, v=v, acceleration=acceleration)
    tau = np.empty((*lead, model.nv))
    given = (arrays.pointer(inputs.get(name), "double *") for name in ("q", "v", "acceleration"))
    check(lib.myr_inverse_dynamics(model._c, used._c, n, *given, arrays.pointer(tau, "double *")))
    return tau


def jacobian(model: Model, frame: str | int | Frame, q: Any, *, settings: Settings | None = None, **settings_keys: Any) -> np.ndarray:
    """The Jacobian (n, 6, nv) of a frame, a name or a number, at q (n, nq); (6, nv) at q (nq,).

    J v = velocity of the frame's origin [m/s], angular velocity [rad/s], both in world axes; J^T takes a force and a moment there, in world axes, to
    generalized forces. Settings, threads and errors as for `inverse_dynamics`; an unknown name is answered with the nearest."""
    used = _settings(settings, settings_keys)
    number = frame.index if isinstance(frame, Frame) else model.frame(frame).index if isinstance(frame, str) else arrays.whole(frame, "frame")
    lead, n, inputs = _inputs(model, q)
    J = np.empty((*lead, 6, model.nv))
    check(lib.myr_frame_jacobian(model._c, used._c, min(number, 2**31 - 1), n, arrays.pointer(inputs["q"], "double *"), arrays.pointer(J, "double *")))
    return J
