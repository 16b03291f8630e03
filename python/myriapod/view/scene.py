"""A robot's copies on the ground, in viser: shapes, shadows, contact forces as arrows, names of environments."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..model import Model
from . import turns
from .frame import Frame, Lines
from .ground import Piece
from .shapes import Look, Shape
from .stage import ARROW_COLOR, FIELD_OF_VIEW, SIGHT_COLOR, THICK, THIN, Placed, Stage


class Scene(Stage):
    """Draws frames of one model on a viser server (or one client's scene)."""

    def __init__(self, server: Any, model: Model, look: Look | None = None, away: float = 1.0) -> None:
        super().__init__(model, look, away)
        self._server = server
        self.show_forces, self.show_collision, self.show_sight = True, False, True
        self._handles: list[tuple[Shape, Any, bool]] = []
        self._labels: list[Any] = []
        self._ids: tuple[int, ...] = ()
        self._arrow_handle: Any = None
        self._map_handle: Any = None
        self._dots: Any = None
        self._beams: Any = None
        self._lines: dict[bool, Any] = {}
        self._piece: Piece | None = None
        self._stage()

    def _stage(self) -> None:
        """Ground, lights, camera."""
        scene = self._server.scene
        scene.set_up_direction("+z")
        scene.configure_environment_map("studio", environment_intensity=0.2)
        self._server.initial_camera.fov = FIELD_OF_VIEW
        self._ground = scene.add_grid(
            "/ground", width=200 * self.cell, height=200 * self.cell, plane="xy", cell_size=self.cell, section_size=2 * self.cell,
            cell_color=(205, 209, 214), section_color=(160, 166, 174), cell_thickness=0.8, section_thickness=1.2, infinite_grid=False,
            fade_distance=60 * self.size, fade_strength=1.5, plane_color=(236, 238, 241), plane_opacity=1.0, shadow_opacity=0.35,
        )

    def _make(self, count: int) -> None:
        """Make the things of `count` robots anew."""
        for _, handle, _ in self._handles:
            handle.remove()
        for label in self._labels:
            label.remove()
        self._handles.clear()
        scene = self._server.scene
        for kind, shapes in (("look", self.look.shapes), ("collision", self.look.collision)):
            for number, shape in enumerate(shapes):
                handle = scene.add_batched_meshes_simple(
                    f"/{kind}/{number}", shape.vertices, shape.faces, np.tile(turns.IDENTITY, (count, 1)), np.zeros((count, 3)),
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
                self._make(len(chosen))
            if chosen != self._ids:
                for label, env in zip(self._labels, chosen):
                    label.text = f"env {env}"
                self._ids = chosen
            placed = self.place(frame)
            for shape, handle, collision in self._handles:
                if collision and not self.show_collision:
                    if handle.visible:
                        handle.visible = False
                    continue
                if not handle.visible:
                    handle.visible = True
                if shape.body < 0:
                    handle.batched_positions = placed.world[:, shape.geom].astype(np.float32)
                    continue
                handle.batched_positions = (placed.poses[:, shape.body, :3] + placed.shift).astype(np.float32)
                handle.batched_wxyzs = placed.poses[:, shape.body, 3:].astype(np.float32)
            for label, position in zip(self._labels, placed.labels):
                label.position = tuple(position)
            self._draw_ground(placed)
            self._draw_arrows(placed.arrows)
            self._draw_sight(placed)
            self._draw_lines(placed)

    def _draw_ground(self, placed: Placed) -> None:
        """The plane, or the piece of the map, which is sent anew where another one is to be seen."""
        if placed.piece is None:
            self._ground.position = tuple(placed.ground)
            return
        if placed.piece is not self._piece:
            if self._map_handle is not None:
                self._map_handle.remove()
            self._ground.visible = False
            self._piece = placed.piece
            self._map_handle = self._server.scene.add_mesh_simple(
                "/map", placed.piece.vertices.astype(np.float32), placed.piece.faces, color=(214, 211, 203), flat_shading=True, cast_shadow=False)
        self._map_handle.position = tuple(placed.still)

    def _draw_sight(self, placed: Placed) -> None:
        """Dots where sensors see something, and beams to there."""
        scene = self._server.scene
        if self._dots is None and len(placed.dots):
            self._dots = scene.add_point_cloud("/sight/dots", placed.dots, SIGHT_COLOR, point_size=2 * self.dot, point_shape="circle", precision="float32")
        elif self._dots is not None and self.show_sight:
            self._dots.points = placed.dots
        if self._beams is None and len(placed.beams):
            self._beams = scene.add_line_segments("/sight/beams", placed.beams, SIGHT_COLOR, thickness=0.4 * self.dot)
        elif self._beams is not None and self.show_sight:
            self._beams.points = placed.beams
        for handle in (self._dots, self._beams):
            if handle is not None and handle.visible != self.show_sight:
                handle.visible = self.show_sight

    def _draw_lines(self, placed: Placed) -> None:
        """Ways: thin ones, and thick ones."""
        if placed.lines is None and not self._lines:
            return
        pieces, colors, wide = (Lines(np.zeros((0, 0, 3)), np.zeros((0, 3)), np.zeros(0, bool)) if placed.lines is None else placed.lines).pieces()
        for thick, width in ((False, THIN), (True, THICK)):
            points = pieces[wide == thick]
            ink = np.repeat(colors[wide == thick].astype(np.uint8)[:, None], 2, 1)
            if thick not in self._lines and len(points):
                self._lines[thick] = self._server.scene.add_line_segments(f"/lines/{'thick' if thick else 'thin'}", points, ink, thickness=2 * width * self.dot)
            elif thick in self._lines:
                self._lines[thick].points, self._lines[thick].colors = points, ink

    def _draw_arrows(self, points: np.ndarray) -> None:
        if self._arrow_handle is not None and (not self.show_forces or len(points) == 0):
            self._arrow_handle.visible = False
            return
        if len(points) == 0 or not self.show_forces:
            return
        if self._arrow_handle is None:
            self._arrow_handle = self._server.scene.add_arrows(
                "/forces", points, ARROW_COLOR, shaft_radius=0.012 * self.size, head_radius=0.03 * self.size, head_length=self.head
            )
            return
        self._arrow_handle.points = points
        if not self._arrow_handle.visible:
            self._arrow_handle.visible = True
