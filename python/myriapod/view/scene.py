"""A robot's copies on the ground, in viser: shapes, shadows, contact forces as arrows, names of environments."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..model import Model
from . import turns
from .frame import Frame
from .shapes import Look, Shape, look_at

ARROW_COLOR = (255, 150, 20)
FIELD_OF_VIEW = math.radians(40)  #: upright
LONGEST = 1.5  #: arrow, in heights of the robot: the force of an impact is its impulse over one short step, and large
_FAR_DOWN = -1e3  # where robots are put whose numbers are not finite


class Scene:
    """Draws frames of one model on a viser server (or one client's scene).

    Robots side by side stand on a grid of places `spacing` [m] apart; with `in_place` each is drawn on its own place, wherever it went, else
    where it is relative to it. The ground moves below the robots so that the camera, which belongs to the user, keeps them in sight."""

    def __init__(self, server: Any, model: Model, look: Look | None = None) -> None:
        self._server, self.model = server, model
        self.look = look_at(model) if look is None else look
        self.spacing = math.ceil(2.0 * 2.3 * self.look.radius) / 2.0
        self.in_place, self.follow = False, True
        self.show_forces, self.show_collision = True, False
        #: Length of a contact arrow per force [m/N]: the robot's weight is as long as the robot is high.
        self.arrow_scale = self.look.height / max(9.81 * model.mass, 1e-6)
        self._handles: list[tuple[Shape, Any, bool]] = []
        self._labels: list[Any] = []
        self._ids: tuple[int, ...] = ()
        self._arrows: Any = None
        self._stage()

    def _stage(self) -> None:
        """Ground, lights, camera."""
        scene, size = self._server.scene, max(self.look.height, self.look.radius)
        scene.set_up_direction("+z")
        scene.configure_environment_map("studio", environment_intensity=0.2)
        self._server.initial_camera.fov = FIELD_OF_VIEW
        self.cell = 10.0 ** round(math.log10(size)) / 2.0
        self._ground = scene.add_grid(
            "/ground", width=200 * self.cell, height=200 * self.cell, plane="xy", cell_size=self.cell, section_size=2 * self.cell,
            cell_color=(205, 209, 214), section_color=(160, 166, 174), cell_thickness=0.8, section_thickness=1.2, infinite_grid=False,
            fade_distance=60 * size, fade_strength=1.5, plane_color=(236, 238, 241), plane_opacity=1.0, shadow_opacity=0.35,
        )

    def offsets(self, count: int) -> np.ndarray:
        """(count, 2) [m] places side by side, nearly square, centred on the origin; the first one nearest to the camera."""
        columns = math.ceil(math.sqrt(count))
        k = np.arange(count)
        places = np.stack([k % columns, k // columns], axis=-1).astype(float)
        return (places - (places.min(0) + places.max(0)) / 2) * self.spacing

    def frame_camera(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Where a camera sees `count` robots side by side: its position and what it looks at [m]."""
        size = max(self.look.height, self.look.radius)
        half = float(np.abs(self.offsets(count)).max(initial=0.0))
        target = np.array([0.0, 0.0, self.look.floor + 0.42 * self.look.height * (1.0 if count == 1 else 0.6)])
        return target + np.array([1.5, -2.0, 0.8 if count == 1 else 1.2]) * (size + 1.4 * half), target

    def _place(self, count: int) -> None:
        """Make the things of `count` robots anew."""
        for _, handle, _ in self._handles:
            handle.remove()
        for label in self._labels:
            label.remove()
        self._handles.clear()
        scene = self._server.scene
        for kind, shapes in (("look", self.look.shapes), ("collision", self.look.collision)):
            for number, shape in enumerate(shapes):
                still = shape.body < 0
                n = 1 if still else count
                handle = scene.add_batched_meshes_simple(
                    f"/{kind}/{number}", shape.vertices, shape.faces, np.tile(turns.IDENTITY, (n, 1)), np.zeros((n, 3)),
                    batched_colors=tuple(round(255 * c) for c in shape.color[:3]), opacity=None if shape.color[3] >= 1 else shape.color[3],
                    flat_shading=shape.flat, side="double" if shape.flat else "front", lod="off", cast_shadow=kind == "look",
                    visible=kind == "look" or self.show_collision,
                )
                self._handles.append((shape, handle, kind == "collision"))
        self._labels = [scene.add_label(f"/names/{k}", "") for k in range(count)] if 1 < count <= 64 else []

    def draw(self, frame: Frame, ids: np.ndarray) -> None:
        """Show a frame of the environments `ids`. Those with poses that are not finite are not to be seen."""
        chosen = tuple(int(i) for i in ids)
        with self._server.atomic():
            if len(chosen) != len(self._ids):
                self._place(len(chosen))
            if chosen != self._ids:
                for label, env in zip(self._labels, chosen):
                    label.text = f"env {env}"
                self._ids = chosen
            finite = np.isfinite(frame.poses).all((1, 2))
            poses = np.where(finite[:, None, None], frame.poses, np.array([0, 0, _FAR_DOWN, 1, 0, 0, 0]))
            base = np.where(finite[:, None], poses[:, 0, :2], 0.0) if poses.shape[1] else np.zeros((len(chosen), 2))
            shift = np.zeros((len(chosen), 3))
            shift[:, :2] = self.offsets(len(chosen)) - (base if self.in_place else 0.0)
            seen = np.zeros(3)
            if self.follow and finite.any():
                seen[:2] = (base + shift[:, :2])[finite].mean(0)
            for shape, handle, collision in self._handles:
                if collision and not self.show_collision:
                    if handle.visible:
                        handle.visible = False
                    continue
                if not handle.visible:
                    handle.visible = True
                if shape.body < 0:
                    handle.batched_positions = -seen[None].astype(np.float32)
                    continue
                handle.batched_positions = (poses[:, shape.body, :3] + shift - seen).astype(np.float32)
                handle.batched_wxyzs = poses[:, shape.body, 3:].astype(np.float32)
            for label, place in zip(self._labels, base + shift[:, :2] - seen[:2]):
                label.position = (*place, self.look.floor + 1.12 * self.look.height)
            period = 2 * self.cell
            moved = base[0] if self.in_place and len(chosen) == 1 else seen[:2]
            self._ground.position = (*(-np.mod(moved, period)), self.look.floor)
            self._draw_forces(frame, shift - seen, finite)

    def _draw_forces(self, frame: Frame, shift: np.ndarray, finite: np.ndarray) -> None:
        """Arrows from the contacts. What is shorter than its own head is left out; impacts are cut at LONGEST robots' heights."""
        size = max(self.look.height, self.look.radius)
        head = 0.09 * size
        tips = frame.forces * self.arrow_scale
        length = np.linalg.norm(tips, axis=-1, keepdims=True)
        tips = tips * np.minimum(1.0, LONGEST * self.look.height / np.maximum(length, 1e-9))
        points = np.stack([frame.points, frame.points + tips], axis=-2) + shift[:, None, None, :]
        wanted = (length[..., 0] > 0.5 * head) & finite[:, None] & np.isfinite(points).all((2, 3))
        points = points[wanted].astype(np.float32)
        if self._arrows is not None and (not self.show_forces or len(points) == 0):
            self._arrows.visible = False
            return
        if len(points) == 0 or not self.show_forces:
            return
        if self._arrows is None:
            self._arrows = self._server.scene.add_arrows(
                "/forces", points, ARROW_COLOR, shaft_radius=0.012 * size, head_radius=0.03 * size, head_length=head
            )
            return
        self._arrows.points = points
        if not self._arrows.visible:
            self._arrows.visible = True
