"""A trajectory as a source: any moment of it, back and forth."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..batch import Batch
from ..terrain import Terrain
from ..trajectory import Trajectory
from .frame import Frame, SlotPlaces, world_forces
from .shapes import body_poses


class TrajectorySource:
    """States of a trajectory; options are those of `Trajectory.model`, and what it raises is raised.

    terrain: the map on which it was recorded, and ground_at (frames, envs, 3) [m] where on it; None: a plane. world_at: (frames, envs, 3 n_world) [m]
    where the shapes of its world were; None: where the model has them."""

    def __init__(self, trajectory: Trajectory, name: str = "", terrain: Terrain | None = None, ground_at: np.ndarray | None = None,
                 world_at: np.ndarray | None = None, **options: Any) -> None:
        self.trajectory, self._ground_at, self._world_at = trajectory, ground_at, world_at
        self.model = trajectory.model(**options)
        if terrain is not None:
            self.model = self.model.on(terrain)
        self.envs, self.frames, self.dt = trajectory.envs, trajectory.frames, trajectory.dt
        self.title = f"{name or 'trajectory'}: {self.model.name}, {self.envs} environments, {self.frames} states over {trajectory.duration:.4g} s"
        self.moment = 0
        self._places = SlotPlaces(self.model)
        self._batch: Batch | None = None  # computes body poses; as many environments as are shown

    def frame(self, ids: np.ndarray) -> Frame:
        """The present moment."""
        t, now = self.trajectory, self.moment
        if self._batch is None or self._batch.envs != len(ids):
            if self._batch is not None:
                self._batch.close()
            self._batch = Batch(self.model, len(ids), task="none", threads=1, precision="f64", sense=("bodies",))
        self._batch.set("q", t.q[now, ids])
        poses, at = body_poses(self._batch), None
        if self.model.terrain is not None:
            at = np.zeros((len(ids), 3)) if self._ground_at is None else self._ground_at[now, ids].astype(np.float64)
        world = None if self._world_at is None else self._world_at[now, ids].astype(np.float64).reshape(len(ids), -1, 3)
        if t.impulse is None:
            nothing = np.zeros((len(ids), 0, 3))
            return Frame(now * self.dt, poses, nothing, nothing, at, world)
        points = self._places.points(poses) if t.contact_point is None else t.contact_point[now, ids].astype(np.float64)
        forces = world_forces(t.impulse[now, ids], None, float(t.step or t.dt))
        forces[:, ~self._places.ground] = 0.0  # of pairs, whose normals a trajectory does not have
        return Frame(now * self.dt, poses, points, forces, at, world)

    def advance(self, moments: int) -> None:
        """On to a later state, at most the last."""
        self.seek(self.moment + moments)

    def seek(self, moment: int) -> None:
        """To a state."""
        self.moment = min(max(int(moment), 0), self.frames - 1)

    def about(self, env: int) -> str:
        """The state's number."""
        return f"state {self.moment} of 0..{self.frames - 1}"

    def add_controls(self, gui: Any) -> None:
        """None of its own."""

    def close(self) -> None:
        """Free the memory."""
        if self._batch is not None:
            self._batch.close()
            self._batch = None
