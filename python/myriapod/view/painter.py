"""A stage as a picture: drawn on the processor with NumPy alone, without a window, a browser or a graphics card."""
from __future__ import annotations

import math

import numpy as np

from . import panel, primitives, raster, turns
from .frame import Lines
from .ground import color_of
from .stage import ARROW_COLOR, FIELD_OF_VIEW, SIGHT_COLOR, THICK, THIN, Placed, Stage

FINE = 2  #: points per pixel, along x and y
_LIGHT = np.array([0.35, -0.45, 0.82]) / np.linalg.norm([0.35, -0.45, 0.82])  #: towards the sun
_FILL = np.array([-0.7, -0.5, 0.5]) / np.linalg.norm([-0.7, -0.5, 0.5])
_SKY = np.array([246.0, 248.0, 251.0], np.float32)
_PLANE = np.array([236.0, 238.0, 241.0], np.float32)
_LINE, _DARK = np.array([31.0, 29.0, 27.0], np.float32), 2.4  # what a line takes from the plane's colour, and how much more every other one
_SHADOW = 0.35


def _normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(V, 3) unit normals, those of the faces around a vertex by their areas."""
    corner = vertices[faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    total = np.stack([sum(np.bincount(faces[:, c], normal[:, k], len(vertices)) for c in range(3)) for k in range(3)], -1)
    return total / np.maximum(np.linalg.norm(total, axis=-1, keepdims=True), 1e-30)


def _faces_us(corners: np.ndarray) -> np.ndarray:
    """(n,) of triangles (n, 3, 2) [pixels, y down]: their outsides are seen. Of closed bodies no others need be drawn."""
    (x1, y1), (x2, y2) = (corners[:, k].T - corners[:, 0].T for k in (1, 2))
    return x1 * y2 < x2 * y1


def _copies(vertices: np.ndarray, faces: np.ndarray, normals: np.ndarray, color: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
    """Of a mesh many copies (n, V, 3) as one part of the world; normals broadcast to them."""
    n, each = vertices.shape[:2]
    return (vertices.reshape(-1, 3), (faces + each * np.arange(n)[:, None, None]).reshape(-1, 3),
            np.broadcast_to(normals, vertices.shape).reshape(-1, 3), color, False)


def _bars(pieces: np.ndarray, half: float, color: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
    """Pieces (n, 2, 3) of lines as bars, a part of the world; half of their width [m]; color: (3,), or (n, 3)."""
    start, end = pieces.astype(float)[:, 0], pieces.astype(float)[:, 1]
    length = np.linalg.norm(end - start, axis=-1)
    turn = turns.from_z_to((end - start) / length[:, None])[:, None]
    vertices, faces = primitives.box([half, half, 0.5])
    bars = (vertices + [0, 0, 0.5])[None] * np.stack([np.ones_like(length), np.ones_like(length), length], -1)[:, None]
    each = color if color.ndim == 1 else np.repeat(color, len(faces), 0)
    return _copies(start[:, None] + turns.rotate(turn, bars), faces, turns.rotate(turn, _normals(vertices, faces)[None]), each)


def _rotation(q: np.ndarray) -> np.ndarray:
    return turns.rotate(q, np.eye(3)).T


class Painter:
    """Draws frames of a stage as images of `width` x `height` [pixels], with what `camera` of the stage sees of `count` robots."""

    def __init__(self, stage: Stage, count: int, width: int, height: int, shadows: bool = True) -> None:
        self.stage, self.width, self.height, self.shadows = stage, width, height, shadows
        self._position, target = stage.frame_camera(count)
        ahead = (target - self._position) / np.linalg.norm(target - self._position)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        self._view = np.stack([right, np.cross(ahead, right), ahead])  # rows: x to the right, y down, z ahead
        self._focus = 0.5 * FINE * height / math.tan(0.5 * FIELD_OF_VIEW)
        self._shapes = []
        for shape in stage.look.shapes:
            if shape.color[3] > 0.0:
                vertices, faces = shape.vertices, shape.faces
                if shape.flat:
                    vertices, faces = vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3)
                self._shapes.append((shape.body, shape.geom, vertices, faces, _normals(vertices, faces), 255.0 * np.array(shape.color[:3]), shape.flat))
        self._look_down()

    def _look_down(self) -> None:
        """What each pixel has of the ground, which the robots do not change."""
        focus, size = self._focus / FINE, self.stage.size
        x, y = np.meshgrid(np.arange(self.width) + 0.5, np.arange(self.height) + 0.5)
        rays = np.stack([(x - self.width / 2) / focus, (y - self.height / 2) / focus, np.ones_like(x)], -1) @ self._view
        slant = -rays[..., 2] / np.linalg.norm(rays, axis=-1)
        below = slant > 1e-4
        reach = np.where(below, (self.stage.look.floor - self._position[2]) / np.where(below, rays[..., 2], 1.0), 1e9)
        self._floor = ((self._position[:2] + reach[..., None] * rays[..., :2]) / self.stage.cell).astype(np.float32)  # where it meets the ground [cells]
        fade = np.where(below, np.exp(-np.square(np.minimum(reach, 1e9) / (30.0 * size))), 0.0).astype(np.float32)
        width = reach / focus / np.where(below, slant, 1.0) / self.stage.cell  # of the ground in a pixel [cells]
        self._sharp = (1.0 / (0.006 + 0.5 * width)).astype(np.float32)
        self._ink = (fade * np.clip(0.02 / width, 0.25, 1.0)).astype(np.float32)
        self._plane = _SKY + (_PLANE - _SKY) * fade[..., None]
        self._shade = _SHADOW * fade / FINE**2

    def _ground(self, begin: np.ndarray) -> np.ndarray:
        """(height, width, 3) float32: plane, lines and sky. Every other line is dark."""
        dark = np.zeros((self.height, self.width), np.float32)
        for axis in range(2):
            place = self._floor[..., axis] - np.float32(begin[axis] / self.stage.cell)
            line = np.rint(place)
            place -= line
            np.abs(place, out=place)
            place *= -self._sharp
            place += 1.0
            line *= 0.5
            place *= np.where(line == np.floor(line), np.float32(_DARK), np.float32(1.0))
            np.maximum(dark, place, out=dark)
        dark *= self._ink
        return self._plane - dark[..., None] * _LINE

    def _world(self, placed: Placed) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """All triangles: vertices (V, 3), faces (F, 3), normals (V, 3), colours (F, 3), flat (F,)."""
        parts = []
        for body, geom, vertices, faces, normals, color, flat in self._shapes:
            for k in range(len(placed.shift)):
                if body < 0:
                    moved, turned = vertices + placed.world[k, geom], normals
                else:
                    r = _rotation(placed.poses[k, body, 3:])
                    moved, turned = vertices @ r.T + (placed.poses[k, body, :3] + placed.shift[k]), normals @ r.T
                parts.append((moved, faces, turned, color, flat))
        for start, tip in placed.arrows.astype(float):
            length = float(np.linalg.norm(tip - start))
            vertices, faces = self.stage.arrow(length)
            r = _rotation(turns.from_z_to((tip - start) / length))
            parts.append((vertices @ r.T + start, faces, _normals(vertices, faces) @ r.T, np.array(ARROW_COLOR, float), False))
        if placed.piece is not None and self.shadows:
            parts += [self._shadow_on_map(placed, *part) for part in parts]
        parts += self._sight(placed)
        if placed.piece is not None:
            parts.append((placed.piece.vertices + placed.still, placed.piece.faces, placed.piece.normals, placed.piece.colors, False))
        first = np.cumsum([0, *(len(p[0]) for p in parts)])
        return (np.concatenate([p[0] for p in parts]), np.concatenate([p[1] + n for p, n in zip(parts, first)]), np.concatenate([p[2] for p in parts]),
                np.concatenate([np.broadcast_to(p[3], (len(p[1]), 3)) for p in parts]), np.concatenate([np.full(len(p[1]), p[4]) for p in parts]))

    def _sight(self, placed: Placed) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]]:
        """What sensors see: dots, and beams as bars, each kind one part."""
        parts, color = [], np.array(SIGHT_COLOR, float)
        if len(placed.dots):
            vertices, faces = primitives.octahedron(self.stage.dot)
            parts.append(_copies(placed.dots.astype(float)[:, None] + vertices, faces, vertices / self.stage.dot, color))
        if len(placed.beams):
            parts.append(_bars(placed.beams, 0.2 * self.stage.dot, color))
        return parts

    def _paint_lines(self, image: np.ndarray, lines: Lines) -> None:
        """Ways, as bars from point to point, over all else: what is in a robot is seen."""
        pieces, colors, wide = lines.pieces()
        for which, half in ((~wide, THIN), (wide, THICK)):
            if which.any():
                vertices, faces, _, ink, flat = _bars(pieces[which], half * self.stage.dot, colors[which])
                points, near = self._seen(vertices)
                seen = self._in_front(near[faces]) & _faces_us(points[faces])
                self._paint_triangles(image, vertices, np.tile(_LIGHT, (len(vertices), 1)), points, near, faces[seen], ink[seen], np.full(int(seen.sum()), flat))

    def _shadow_on_map(self, placed: Placed, vertices: np.ndarray, faces: np.ndarray, normals: np.ndarray, _: np.ndarray,
                       flat: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
        """What lies in the light before the map, laid onto it along the light: a part of the world, just above the ground."""
        assert self.stage.ground is not None  # there is a map
        terrain = self.stage.ground.terrain
        if not flat:
            faces = faces[(normals[faces[:, 0]] @ _LIGHT) > 0]
        used = np.unique(faces)
        number = np.zeros(len(vertices), int)
        number[used] = np.arange(len(used))
        lit = vertices[used] - placed.still
        spot = lit
        for _pass in range(3):  # where a ray meets ground that is not level
            spot = lit - np.maximum(lit[:, 2] - terrain.height(spot[:, :2]), 0.0)[:, None] * (_LIGHT / _LIGHT[2])
        height = terrain.height(spot[:, :2])
        spot = np.column_stack([spot[:, :2], height + 0.004 * self.stage.size])
        up = np.tile(np.array([0.0, 0.0, 1.0]), (len(used), 1))
        colors = (1.0 - _SHADOW) * color_of(terrain, height)[number[faces[:, 0]]] if len(used) else np.zeros((0, 3))
        return spot + placed.still, number[faces], up, colors, True

    def _seen(self, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(V, 2) fine pixels and (V,) closeness; below zero behind the camera."""
        x, y, z = ((vertices - self._position) @ self._view.T).T
        near = 1.0 / np.where(np.abs(z) < 1e-6, 1e-6, z)
        return np.stack([self._focus * x * near + FINE * self.width / 2, self._focus * y * near + FINE * self.height / 2], -1), near

    def _window(self, points: np.ndarray) -> tuple[slice, slice]:
        """Rows and columns of pixels around fine points (n, 3, 2)."""
        low, high = points.reshape(-1, 2).min(0) / FINE, points.reshape(-1, 2).max(0) / FINE
        (x0, y0), (x1, y1) = (np.clip(edge, 0, (self.width, self.height)).astype(int) for edge in (np.floor(low), np.ceil(high)))
        return slice(y0, y1), slice(x0, x1)

    def paint(self, placed: Placed) -> np.ndarray:
        """(height, width, 3) uint8."""
        on_map = placed.piece is not None
        image = np.tile(_SKY, (self.height, self.width, 1)) if on_map else self._ground(placed.ground)
        if self._shapes or len(placed.arrows) or len(placed.dots) or on_map:
            vertices, faces, normals, colors, flat = self._world(placed)
            if self.shadows and not on_map:
                self._paint_shadows(image, vertices, faces, flat)
            points, near = self._seen(vertices)
            seen = self._in_front(near[faces]) & (flat | _faces_us(points[faces]))
            self._paint_triangles(image, vertices, normals, points, near, faces[seen], colors[seen], flat[seen])
        if placed.lines is not None:
            self._paint_lines(image, placed.lines)
        painted = np.clip(image, 0.0, 255.0).astype(np.uint8)
        return painted if placed.panel is None else panel.paint(painted, placed.panel)

    def _in_front(self, near: np.ndarray) -> np.ndarray:
        """(F,) triangles that are before the camera: not nearer than a twentieth of the robot's size."""
        return np.asarray(((near > 0) & (near < 20.0 / self.stage.size)).all(1))

    def _paint_shadows(self, image: np.ndarray, vertices: np.ndarray, faces: np.ndarray, flat: np.ndarray) -> None:
        height = vertices[:, 2:] - self.stage.look.floor
        points, near = self._seen(vertices - height * (_LIGHT / _LIGHT[2]))
        corners = points[faces]
        corners = corners[(flat | _faces_us(corners)) & (height[faces, 0] > 0).any(1) & self._in_front(near[faces])]
        if not len(corners):
            return
        rows, columns = self._window(corners)
        h, w = rows.stop - rows.start, columns.stop - columns.start
        mask = raster.covered(corners - [FINE * columns.start, FINE * rows.start], FINE * w, FINE * h).view(np.uint8)
        depth = sum(mask[i::FINE, j::FINE] for i in range(FINE) for j in range(FINE))
        image[rows, columns] *= (1.0 - depth * self._shade[rows, columns])[..., None]

    def _paint_triangles(self, image: np.ndarray, vertices: np.ndarray, normals: np.ndarray, points: np.ndarray, near: np.ndarray, faces: np.ndarray,
                         colors: np.ndarray, flat: np.ndarray) -> None:
        if not len(faces):
            return
        rows, columns = self._window(points[faces])
        h, w = rows.stop - rows.start, columns.stop - columns.start
        points = points - [FINE * columns.start, FINE * rows.start]
        pixels, triangle = raster.nearest(points[faces], near[faces], FINE * w, FINE * h)
        used = np.zeros(len(faces), bool)
        used[triangle] = True
        which = (np.cumsum(used) - 1)[triangle]
        faces, colors, flat = faces[used], colors[used].astype(np.float32), flat[used]
        away = (normals[faces[:, 0]] * (vertices[faces[:, 0]] - self._position)).sum(-1) > 0
        side = np.where(flat & away, -1.0, 1.0)[:, None]  # of meshes of files both sides are seen
        brightness = 0.38 + 0.52 * np.maximum(side * (normals @ _LIGHT)[faces], 0.0) + 0.18 * np.maximum(side * (normals @ _FILL)[faces], 0.0)
        plane = raster.planes(points[faces], brightness).astype(np.float32)
        y, x = np.divmod(pixels.astype(np.int32), np.int32(FINE * w))
        tone = plane[which, 0] * (x + np.float32(0.5)) + plane[which, 1] * (y + np.float32(0.5)) + plane[which, 2]
        tone = np.clip(tone, 0.3, 1.1)  # of a triangle that is seen from its edge the plane is steep
        pixel, share = (y // FINE) * w + x // FINE, 1.0 / FINE**2
        part = image[rows, columns]
        part *= (1.0 - share * np.bincount(pixel, minlength=w * h)).reshape(h, w, 1)
        for k in range(3):
            part[..., k] += share * np.bincount(pixel, np.minimum(colors[which, k] * tone, 255.0), w * h).reshape(h, w)
