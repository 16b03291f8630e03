"""Where robots stand beside each other, from where they are seen, and how long their contact forces are drawn: the same in the browser and in pictures."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ..model import Model
from . import primitives
from .frame import Frame, Lines
from .ground import Ground, Piece
from .panel import Panel
from .primitives import Mesh
from .shapes import Look, look_at

ARROW_COLOR, SIGHT_COLOR = (255, 150, 20), (20, 130, 235)
THIN, THICK = 0.15, 0.45  #: half of a line's width, in radii of a dot
FIELD_OF_VIEW = math.radians(40)  #: upright
FEW_BEAMS = 128  #: rays of a robot that are drawn as lines; of more the ends alone
LONGEST = 1.5  #: arrow, in heights of the robot: the force of an impact is its impulse over one short step, and large
_FAR_DOWN = -1e3  # where robots are put whose numbers are not finite


@dataclass
class Placed:
    """A frame of k robots as it is drawn; the camera is where the user left it."""

    poses: np.ndarray  #: (k, n_bodies, 7) in the world of each robot
    shift: np.ndarray  #: (k, 3) [m] what is added to the positions of each robot
    world: np.ndarray  #: (k, n_world + 1, 3) [m] what is added to shapes of the world: of each geom that is fixed to it; the last is of all else
    still: np.ndarray  #: (3,) [m] what is added to the map
    ground: np.ndarray  #: (3,) [m] where the ground's pattern begins
    arrows: np.ndarray  #: (n, 2, 3) [m] beginnings and tips of contact forces
    labels: np.ndarray  #: (k, 3) [m] above the robots
    piece: Piece | None = None  #: of the map, in place of a plane; drawn with `still` added
    dots: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), np.float32))  #: (n, 3) [m] where sensors see something
    beams: np.ndarray = field(default_factory=lambda: np.zeros((0, 2, 3), np.float32))  #: (n, 2, 3) [m] rays to there, of robots with few of them
    lines: Lines | None = None  #: ways, where they are drawn
    panel: Panel | None = None


class Stage:
    """Places frames of one model.

    Robots side by side stand on a grid of places `spacing` [m] apart; with `in_place` each is drawn on its own place, wherever it went, else
    where it is relative to it. The ground moves below the robots so that the camera, which belongs to the user, keeps them in sight.
    away: how far the camera is, 1: as the robot at home needs. On a map each robot is where it is on the map, and `spacing` and `in_place` mean nothing."""

    def __init__(self, model: Model, look: Look | None = None, away: float = 1.0) -> None:
        self.model, self.away = model, away
        self.look = look_at(model) if look is None else look
        self.size = max(self.look.height, self.look.radius)
        self.spacing = math.ceil(2.0 * 2.3 * self.look.span) / 2.0
        self.in_place, self.follow = False, True
        self.ground = None if model.terrain is None else Ground(model.terrain, max(3.0, 4.0 * self.look.radius))
        self._anchor, self._half = np.zeros(3), 0.0  # of a map: what the camera was first before, and half of what it sees
        #: Length of a contact arrow per force [m/N]: the robot's weight is as long as the robot is high.
        self.arrow_scale = self.look.height / max(9.81 * model.mass, 1e-6)
        self.cell = 10.0 ** round(math.log10(self.size)) / 2.0  #: between lines of the ground [m]

    def offsets(self, count: int) -> np.ndarray:
        """(count, 2) [m] places side by side, nearly square, centred on the origin; the first one nearest to the camera."""
        columns = math.ceil(math.sqrt(count))
        k = np.arange(count)
        places = np.stack([k % columns, k // columns], axis=-1).astype(float)
        return (places - (places.min(0) + places.max(0)) / 2) * self.spacing

    def frame_camera(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Where a camera sees `count` robots side by side: its position and what it looks at [m]."""
        half = 0.75 * self._half if self.ground is not None else float(np.abs(self.offsets(count)).max(initial=0.0))
        target = np.array([0.0, 0.0, self.look.floor + 0.42 * self.look.height * (1.0 if count == 1 else 0.6)])
        return target + np.array([1.5, -2.0, 0.8 if half == 0.0 else 1.2]) * self.away * (self.size + 1.4 * half), target

    def settle(self, frame: Frame) -> None:
        """Of a map: the camera that `frame_camera` tells of sees all robots of this frame."""
        places = self._on_map(frame, np.isfinite(frame.poses).all((1, 2)))
        self._anchor = (places.min(0) + places.max(0)) / 2
        self._half = float(np.abs(places - self._anchor)[:, :2].max(initial=0.0))

    @staticmethod
    def _on_map(frame: Frame, finite: np.ndarray) -> np.ndarray:
        """(k, 3) where robots are on the map: of the height that is their 0."""
        at = np.array(frame.ground_at)
        if frame.poses.shape[1]:
            at[:, :2] += np.where(finite[:, None], frame.poses[:, 0, :2], 0.0)
        return at

    def _place_on_map(self, frame: Frame, poses: np.ndarray, finite: np.ndarray) -> Placed:
        assert self.ground is not None  # there is a map
        places = self._on_map(frame, finite)
        seen = places[finite].mean(0) if self.follow and finite.any() else self._anchor
        shift = np.array(frame.ground_at) - seen
        labels = places - seen + np.array([0.0, 0.0, 1.12 * self.look.height])
        return Placed(poses, shift, self._world(frame, shift), -seen, -seen, self._arrows(frame, shift, finite), labels,
                      self.ground.around(places[:, :2]), *self._sight(frame, shift, finite))

    def place(self, frame: Frame) -> Placed:
        """Where everything of a frame is drawn. Robots with poses that are not finite are not to be seen."""
        placed = self._place(frame)
        placed.panel = frame.panel
        if frame.lines is not None and len(placed.shift):
            placed.lines = Lines(frame.lines.points + placed.shift[0], frame.lines.colors, frame.lines.wide)
        return placed

    def _place(self, frame: Frame) -> Placed:
        count = len(frame.poses)
        finite = np.isfinite(frame.poses).all((1, 2))
        poses = np.where(finite[:, None, None], frame.poses, np.array([0, 0, _FAR_DOWN, 1, 0, 0, 0]))
        if self.ground is not None:
            return self._place_on_map(frame, poses, finite)
        base = np.where(finite[:, None], poses[:, 0, :2], 0.0) if poses.shape[1] else np.zeros((count, 2))
        shift = np.zeros((count, 3))
        shift[:, :2] = self.offsets(count) - (base if self.in_place else 0.0)
        seen = np.zeros(3)
        if self.follow and finite.any():
            seen[:2] = (base + shift[:, :2])[finite].mean(0)
        moved = base[0] if self.in_place and count == 1 else seen[:2]
        above = np.full((count, 1), self.look.floor + 1.12 * self.look.height)
        shift -= seen
        return Placed(poses, shift, self._world(frame, shift), -seen, np.array([*(-np.mod(moved, 2 * self.cell)), self.look.floor]),
                      self._arrows(frame, shift, finite), np.concatenate([base + shift[:, :2], above], 1), None, *self._sight(frame, shift, finite))

    def _world(self, frame: Frame, shift: np.ndarray) -> np.ndarray:
        """Each robot's own world, which is where the robot is drawn. A geom at a place that is not finite is not to be seen."""
        moved = np.zeros((len(shift), len(self.look.places) + 1, 3))
        if frame.world_at is not None:
            moved[:, :-1] = frame.world_at - self.look.places
            moved[~np.isfinite(moved).all(2)] = [0, 0, _FAR_DOWN]
        return moved + shift[:, None]

    def _arrows(self, frame: Frame, shift: np.ndarray, finite: np.ndarray) -> np.ndarray:
        """What is shorter than its own head is left out; impacts are cut at LONGEST robots' heights."""
        tips = frame.forces * self.arrow_scale
        length = np.linalg.norm(tips, axis=-1, keepdims=True)
        tips = tips * np.minimum(1.0, LONGEST * self.look.height / np.maximum(length, 1e-9))
        points = np.stack([frame.points, frame.points + tips], axis=-2) + shift[:, None, None, :]
        return points[(length[..., 0] > 0.5 * self.head) & finite[:, None] & np.isfinite(points).all((2, 3))].astype(np.float32)

    @staticmethod
    def _sight(frame: Frame, shift: np.ndarray, finite: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Dots where sensors see something, and beams to there."""
        if frame.sight is None:
            return np.zeros((0, 3), np.float32), np.zeros((0, 2, 3), np.float32)
        seen = (frame.sight + shift[:, None, None])[np.isfinite(frame.sight).all((2, 3)) & finite[:, None]].astype(np.float32)
        rays = (frame.sight[:, :, 0] != frame.sight[:, :, 1]).any(2).sum(1).max(initial=0)  # of a scan both are one point
        return seen[:, 1], seen[(seen[:, 0] != seen[:, 1]).any(1) & (rays <= FEW_BEAMS)]

    @property
    def dot(self) -> float:
        """Radius of a dot [m]."""
        return 0.018 * self.size

    @property
    def head(self) -> float:
        """Length of an arrow's head [m]."""
        return 0.09 * self.size

    def arrow(self, length: float) -> Mesh:
        """An arrow from the origin along z."""
        shaft, head = max(length - self.head, 0.0), primitives.cone(0.03 * self.size, min(self.head, length))
        vertices, faces = primitives.cylinder(0.012 * self.size, shaft / 2)
        return primitives.join([(vertices + [0.0, 0.0, shaft / 2], faces), (head[0] + [0.0, 0.0, shaft], head[1])])
