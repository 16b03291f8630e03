"""A batch as it is now, for one picture: whatever it was made with, and nothing of it changes."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..batch import Batch
from .frame import Frame, SlotPlaces, world_forces
from .offscreen import Studio, write_png
from .shapes import body_poses, look_at
from .sight import Sight


class StillSource:
    """Environments of a batch at this moment. Poses are computed from q by a batch of its own, so that the caller's needs no sense=("bodies",)."""

    frames = None

    def __init__(self, batch: Batch) -> None:
        settings = batch.settings
        self.batch, self.model, self.envs, self.title = batch, batch.model, batch.envs, repr(batch)
        self._step = float(settings["dt"])
        self.dt = self._step * int(settings["decimation"])
        self._places, self._sight = SlotPlaces(self.model), Sight(self.model.sensors)

    def frame(self, ids: np.ndarray) -> Frame:
        """The present moment."""
        batch, model = self.batch, self.model
        with Batch(batch._robot, len(ids), task="none", threads=1, precision="f64", sense=("bodies",)) as posed:
            posed.set("q", batch.get("q", ids, dtype=np.float64))
            poses = body_poses(posed)
        time = float(batch.get("time", ids[:1], dtype=np.float64).reshape(-1)[0])
        at = None if model.terrain is None else batch.get("ground_at", ids, dtype=np.float64)
        world = batch.get("world_at", ids, dtype=np.float64) if model.n_world else None
        sight = self._sight.of(batch, ids, poses)
        if not model.n_slots:
            nothing = np.zeros((len(ids), 0, 3))
            return Frame(time, poses, nothing, nothing, at, world, sight)
        known = "contact_point" in batch.fields
        points = batch.get("contact_point", ids, dtype=np.float64) if known else self._places.points(poses)
        forces = world_forces(batch.get("impulse", ids, dtype=np.float64), batch.get("contact_normal", ids) if known else None, self._step)
        if not known:
            forces[:, ~self._places.ground] = 0.0  # of pairs, whose normals were not kept
        return Frame(time, poses, points, forces, at, world, sight)

    def advance(self, moments: int) -> None:
        """It stands still."""

    def seek(self, moment: int) -> None:
        """Likewise."""

    def about(self, env: int) -> str:
        """Nothing more."""
        return ""

    def add_controls(self, gui: Any) -> None:
        """None."""

    def close(self) -> None:
        """The batch is the caller's."""


def picture(batch: Any, path: str | os.PathLike[str] | None, ids: np.ndarray, width: int, height: int, shadows: bool) -> np.ndarray:
    """What `Batch.picture` gives."""
    image = Studio(StillSource(batch), ids, width, height, shadows, look_at(batch.model)).picture()
    if path is not None:
        write_png(path, image)
    return image
