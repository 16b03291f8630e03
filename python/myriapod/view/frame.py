"""What is drawn at one moment, and where it comes from: the words that sources, scene and player share."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..model import Model
from ..parts import Geom
from . import turns
from .panel import Panel


@dataclass
class Lines:
    """Ways of n things, of m points each. A point that is not finite ends its line there."""

    points: np.ndarray  #: (n, m, 3) [m]
    colors: np.ndarray  #: (n, 3) 0 to 255
    wide: np.ndarray  #: (n,) bool: drawn thicker

    def pieces(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """From point to point: (k, 2, 3) [m], colours (k, 3), thick (k,)."""
        each = max(self.points.shape[1] - 1, 0)
        points = self.points.astype(np.float32)
        pieces = np.stack([points[:, :-1], points[:, 1:]], 2).reshape(-1, 2, 3)
        drawn = np.isfinite(pieces).all((1, 2)) & (pieces[:, 0] != pieces[:, 1]).any(1)
        return pieces[drawn], np.repeat(self.colors, each, 0)[drawn], np.repeat(self.wide, each)[drawn]


@dataclass
class Frame:
    """The chosen environments at one moment; world axes, each environment in its own world."""

    time: float  #: [s]
    poses: np.ndarray  #: (k, n_bodies, 7) position [m], quaternion
    points: np.ndarray  #: (k, n_slots, 3) [m] where contacts are
    forces: np.ndarray  #: (k, n_slots, 3) [N] from the ground on the robot; zero where nothing touches
    ground_at: np.ndarray | None = None  #: (k, 3) [m] on a map: where on it each environment's origin lies
    world_at: np.ndarray | None = None  #: (k, n_world, 3) [m] where geoms fixed to the world are; None: where the model has them
    sight: np.ndarray | None = None  #: (k, n, 2, 3) [m] of what sensors see: from where, where; not finite where nothing is seen
    lines: Lines | None = None  #: ways in the world of the first environment
    panel: Panel | None = None  #: figures on it, in pictures


def one_of(frame: Frame, i: int) -> Frame:
    """Environment i of a frame by itself."""
    at, world, sight = (None if part is None else part[i : i + 1] for part in (frame.ground_at, frame.world_at, frame.sight))
    one = slice(i, i + 1)
    own = (frame.lines, frame.panel) if i == 0 else (None, None)
    return Frame(frame.time, frame.poses[one], frame.points[one], frame.forces[one], at, world, sight, *own)


class Source(Protocol):
    """Something to look at: `envs` environments of one model, at moments that are `dt` [s] apart."""

    model: Model
    envs: int
    dt: float
    title: str  #: one line: what it is
    @property
    def frames(self) -> int | None:
        """Moments there are; None: it is live and goes on."""


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
    z = np.where(length > 0.5, normal / np.maximum(length, 1e-12), np.array([0.0, 0.0, 1.0]))
    along = np.where(np.abs(z[..., :1]) > 0.9, np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))  # x of the frame: this, along the plane
    x = along - z * (along * z).sum(-1, keepdims=True)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return force[..., :1] * x + force[..., 1:2] * np.cross(z, x) + force[..., 2:] * z


def _rim_points(pose: np.ndarray, geom: Geom) -> np.ndarray:
    """(k, 4, 3) [m] lowest points of a cylinder's caps, and a third of a turn either way from there on the lower one."""
    (radius, half), local = geom.size, np.array(geom.quaternion)
    middle = pose[:, :3] + turns.rotate(pose[:, 3:], np.array(geom.position))
    axis, side = (turns.rotate(pose[:, 3:], turns.rotate(local, np.array(v))) for v in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
    across = np.array([0.0, 0.0, 1.0]) - axis * axis[:, 2:]
    lean = np.linalg.norm(across, axis=-1, keepdims=True)
    down = np.where(lean > 1e-4, -across / np.maximum(lean, 1e-12), side)
    lower, aside = np.where(axis[:, 2:] > 0, -half, half), np.sqrt(0.75) * np.cross(axis, down)
    return np.stack([middle + half * axis + radius * down, middle - half * axis + radius * down,
                     middle + lower * axis + radius * (aside - down / 2), middle + lower * axis - radius * (aside + down / 2)], axis=1)


class SlotPlaces:
    """Where the contact slots of a robot touch the ground, from body poses alone (docs/models.md, Slots); of pairs, the first geom's centre."""

    def __init__(self, model: Model) -> None:
        self._body = np.zeros(model.n_slots, dtype=int)
        self._centre = np.zeros((model.n_slots, 3))
        self._radius = np.zeros(model.n_slots)
        self._rims: list[tuple[int, Geom]] = []  #: first slots of cylinders
        geoms, slots_of = model.geoms, model.slots
        self.ground = np.array([slot.other < 0 for slot in slots_of], dtype=bool)  #: slots against the ground
        for number, slot in enumerate(slots_of):
            if slot.other >= 0:
                self._body[number], self._centre[number] = slot.body, geoms[slot.geom].position
        for geom in geoms:
            if not geom.n_slots:
                continue
            slots = range(geom.slot, geom.slot + geom.n_slots)
            self._body[slots], self._centre[slots] = geom.body, geom.position  # of slots that are not at one place of the shape
            if geom.type == "cylinder":
                self._rims.append((geom.slot, geom))
                continue
            radius = geom.size[0] if geom.type in ("sphere", "capsule") else 0.0
            local = np.zeros((1, 3))
            if geom.type == "hull" and len(geom.points) <= 8:
                local = np.array(geom.points)
            elif geom.type == "box":
                local = np.array([[1 if k >> axis & 1 else -1 for axis in range(3)] for k in range(8)]) * np.array(geom.size)
            elif geom.type == "capsule":
                local = np.array([[0, 0, geom.size[1]], [0, 0, -geom.size[1]]])
            local = turns.rotate(np.array(geom.quaternion), local) + np.array(geom.position)
            for number in slots:
                self._radius[number] = radius
                if slots_of[number].feature < len(local):  # on a map a shape has more
                    self._centre[number] = local[slots_of[number].feature]

    def points(self, poses: np.ndarray) -> np.ndarray:
        """(k, n_slots, 3) [m] lowest points of the slots, of poses (k, n_bodies, 7)."""
        carrier = poses[:, self._body]
        drop = np.where(self.ground, self._radius, 0.0)[:, None] * np.array([0.0, 0.0, 1.0])
        points = carrier[..., :3] + turns.rotate(carrier[..., 3:], self._centre) - drop
        for slot, geom in self._rims:
            points[:, slot : slot + 4] = _rim_points(poses[:, geom.body], geom)
        return points
