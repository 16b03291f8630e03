"""What is drawn at one moment, and where it comes from: the words that sources, scene and player share."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..model import Model
from . import turns


@dataclass
class Frame:
    """The chosen environments at one moment; world axes, each environment in its own world."""

    time: float  #: [s]
    poses: np.ndarray  #: (k, n_bodies, 7) position [m], quaternion
    points: np.ndarray  #: (k, n_slots, 3) [m] where contacts are
    forces: np.ndarray  #: (k, n_slots, 3) [N] from the ground on the robot; zero where nothing touches


class Source(Protocol):
    """Something to look at: `envs` environments of one model, at moments that are `dt` [s] apart."""

    model: Model
    envs: int
    dt: float
    title: str  #: one line: what it is
    frames: int | None  #: moments there are; None: it is live and goes on

    def frame(self, ids: np.ndarray) -> Frame:
        """The present moment of the environments `ids`."""

    def advance(self, moments: int) -> None:
        """Go on by so many moments; a recording stays at its last."""

    def seek(self, moment: int) -> None:
        """Go to a moment 0..frames-1 of a recording; live sources know 0 only: begin anew."""

    def about(self, env: int) -> str:
        """A line or two on one environment now, for the panel; Markdown."""

    def add_controls(self, gui: object) -> None:
        """Put own controls into viser's panel."""

    def close(self) -> None:
        """Give memory back."""


def world_forces(impulse: np.ndarray, normal: np.ndarray | None, step: float) -> np.ndarray:
    """Forces (k, n_slots, 3) [N] in world axes, of impulses [N s] in contact frames (z: the normal) over one step [s]."""
    force = np.nan_to_num(np.asarray(impulse, dtype=np.float64)) / step
    if normal is None:
        return force
    normal = np.nan_to_num(np.asarray(normal, dtype=np.float64))
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    unit = np.where(length > 0.5, normal / np.maximum(length, 1e-12), np.array([0.0, 0.0, 1.0]))
    return turns.rotate(turns.from_z_to(unit), force)


class SlotPlaces:
    """Where the contact slots of a robot touch the ground, from body poses alone (docs/models.md, Order)."""

    def __init__(self, model: Model) -> None:
        self._body = np.zeros(model.n_slots, dtype=int)
        self._centre = np.zeros((model.n_slots, 3))
        self._radius = np.zeros(model.n_slots)
        for geom in model.geoms:
            if geom.type == "box":
                signs = np.array([[1 if k >> axis & 1 else -1 for axis in range(3)] for k in range(8)])
                local, radius = signs * np.array(geom.size), 0.0
            elif geom.type == "capsule":
                local, radius = np.array([[0, 0, geom.size[1]], [0, 0, -geom.size[1]]]), geom.size[0]
            else:
                local, radius = np.zeros((1, 3)), geom.size[0]
            slots = slice(geom.slot, geom.slot + geom.n_slots)
            if geom.n_slots:
                self._body[slots], self._radius[slots] = geom.body, radius
                self._centre[slots] = turns.rotate(np.array(geom.quaternion), local) + np.array(geom.position)

    def points(self, poses: np.ndarray) -> np.ndarray:
        """(k, n_slots, 3) [m] lowest points of the slots, of poses (k, n_bodies, 7)."""
        carrier = poses[:, self._body]
        return carrier[..., :3] + turns.rotate(carrier[..., 3:], self._centre) - self._radius[:, None] * np.array([0.0, 0.0, 1.0])
