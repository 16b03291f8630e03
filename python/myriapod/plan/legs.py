"""Legs of a robot at home: where its feet are, and how its actuators move them."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._library import ArgumentError
from ..batch import Batch
from ..model import Model

_EPS = 1e-4  # of the differences [rad]


@dataclass(frozen=True)
class Legs:
    base: str  #: the body that floats
    places: np.ndarray  #: (feet, 3) of the feet from the base's origin, in its axes [m]
    inverse: np.ndarray  #: (3 feet, nu) how far actuators go where feet move along x, all of them, then y, then z [rad/m]; small ways are nearly linear


def find_legs(robot: str, feet: Sequence[str]) -> Legs:
    """robot: as `Model` loads it, on a base that floats; feet: frames. ArgumentError: a foot that three joints of its leg cannot move in all directions."""
    model = Model(robot)
    base = model.bodies[0].name
    model = model.with_sensors(*({"name": f"leg{k}", "kind": "framepos", "of": foot, "ref": base} for k, foot in enumerate(feet)))
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
        if np.linalg.matrix_rank(moved[:, own], tol=1e-3) < 3:
            raise ArgumentError(f"foot {foot!r} of {model.name!r}: its leg has {len(own)} joints, which do not move it in all directions at home")
        inverse[:, k, [driven[j].u for j in own]] = np.linalg.pinv(moved[:, own]).T
    return Legs(base, at[0], inverse.reshape(-1, model.nu))
