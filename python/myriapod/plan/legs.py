"""Legs of a robot at home: where its feet are, and how its actuators move them."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._library import ArgumentError
from ..batch import Batch
from ..model import Model

_EPS = 1e-4  # of the differences [rad]
_MOST = 50.0  # a leg that needs more is nearly straight [rad/m]


@dataclass(frozen=True)
class Legs:
    base: str  #: the body that floats
    places: np.ndarray  #: (feet, 3) of the feet from the base's origin, in its axes [m]
    inverse: np.ndarray  #: (3 feet, nu) rad of each actuator per metre of a foot; rows: x of all feet, then y, then z. Good for small ways


def find_legs(robot: str, feet: Sequence[str]) -> Legs:
    """robot: as `Model` loads it, on a base that floats; feet: frames. ArgumentError: the base does not float; joints of a leg
    cannot move its foot in all directions, as they are too few, or the leg is nearly straight at home."""
    model = Model(robot)
    if model.joints[0].type != "free":
        raise ArgumentError(f"{model.name!r} does not float: {model.bodies[0].name!r} is on a joint of type {model.joints[0].type!r}")
    base = model.bodies[0].name
    model = model.with_sensors(*({"name": f"walk_leg{k}", "kind": "framepos", "of": foot, "ref": base} for k, foot in enumerate(feet)))
    driven = [joint for joint in model.joints if joint.u >= 0]
    with Batch(model, 1 + len(driven), task="none", precision="f64", threads=1) as batch:
        q = batch.q.copy()
        for side, joint in enumerate(driven):
            q[1 + side, joint.q] += _EPS
        batch.set("q", q)
        batch.refresh()
        at = batch.get("sensors")[:, -3 * len(feet) :].reshape(1 + len(driven), len(feet), 3)
    inverse = np.zeros((3, len(feet), model.nu))
    for k, foot in enumerate(feet):
        moved = (at[1:, k] - at[0, k]).T / _EPS  # (3, driven)
        own = np.flatnonzero(abs(moved).max(axis=0) > 1e-6)
        if np.linalg.matrix_rank(moved[:, own], tol=1 / _MOST) < 3:
            straight = "; is it straight?" if len(own) > 2 else ""
            raise ArgumentError(f"foot {foot!r} of {model.name!r}: its leg has {len(own)} joints, which do not move it in all directions at home{straight}")
        inverse[:, k, [driven[j].u for j in own]] = np.linalg.pinv(moved[:, own]).T
    return Legs(base, at[0], inverse.reshape(-1, model.nu))
