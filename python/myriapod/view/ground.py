"""The map that robots stand on, as triangles around those that are shown."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..terrain import BLOCK, Terrain

MOST = 200_000  #: samples that are drawn; of more every second or third one
_STEP = 4.0  #: the window's edges are at multiples of this [m], so that it seldom moves
_LOW, _HIGH = np.array([158.0, 160.0, 152.0]), np.array([238.0, 234.0, 224.0])
Window = tuple[int, int, int, int]


@dataclass(frozen=True)
class Piece:
    """Triangles of a part of a map, each with corners of its own."""

    vertices: np.ndarray  #: (3 F, 3) [m] where the map lies
    normals: np.ndarray  #: (3 F, 3)
    colors: np.ndarray  #: (F, 3) 0 .. 255

    @property
    def faces(self) -> np.ndarray:
        """(F, 3)"""
        return np.arange(len(self.vertices)).reshape(-1, 3)


def color_of(terrain: Terrain, height: np.ndarray) -> np.ndarray:
    """(..., 3) the colour of ground at a height [m]: dark below, bright above."""
    share = (height - terrain.lowest) / max(terrain.highest - terrain.lowest, 1e-9)
    return _LOW + (_HIGH - _LOW) * np.clip(share, 0.0, 1.0)[..., None]


def _two(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """(2 n, 3, 3) the triangles a b c and a c d of quadrangles, counterclockwise from where they are seen."""
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def _tops(x: np.ndarray, y: np.ndarray, h: np.ndarray, is_column: np.ndarray, half: float) -> np.ndarray:
    """Of pillars, a rectangle for equal ones side by side along y."""
    same = is_column[:, 1:] & is_column[:, :-1] & (h[:, 1:] == h[:, :-1])
    none = np.zeros((len(x), 1), bool)
    i, first = np.nonzero(is_column & ~np.concatenate([none, same], 1))
    last = np.nonzero(is_column & ~np.concatenate([same, none], 1))[1]
    x0, x1, y0, y1, z = x[i] - half, x[i] + half, y[first] - half, y[last] + half, h[i, first]
    corner = [np.stack(p, -1) for p in ((x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z))]
    return _two(*corner)


def _walls(x: np.ndarray, y: np.ndarray, h: np.ndarray, is_column: np.ndarray, half: float, along_y: bool) -> np.ndarray:
    """Between pillars and their neighbours along x, or along y."""
    if along_y:
        return _walls(y, x, h.T, is_column.T, half, False)[:, ::-1][..., [1, 0, 2]]
    i, k = np.nonzero((is_column[1:] | is_column[:-1]) & (h[1:] != h[:-1]))
    at, y0, y1, here, there = x[i] + half, y[k] - half, y[k] + half, h[i, k], h[i + 1, k]
    low, high, down = np.minimum(here, there), np.maximum(here, there), here > there
    left, right = np.where(down, y0, y1), np.where(down, y1, y0)  # it faces the lower side
    corner = [np.stack(p, -1) for p in ((at, left, low), (at, right, low), (at, right, high), (at, left, high))]
    return _two(*corner)


def piece(terrain: Terrain, window: Window) -> Piece:
    """What lies in a window of samples: i from, k from, i to, k to. Where fields and columns meet, they overlap by half a cell."""
    i0, k0, i1, k1 = window
    every = int(np.ceil(np.sqrt((i1 - i0) * (k1 - k0) / MOST)))
    i, k = np.arange(i0, i1, every), np.arange(k0, k1, every)
    inside = np.clip(i, 0, terrain.nx - 1), np.clip(k, 0, terrain.ny - 1)
    h = terrain.heights[np.ix_(*inside)].astype(float)
    is_column = terrain.kinds[np.ix_(inside[0] // BLOCK, inside[1] // BLOCK)]
    x, y = (i - terrain.origin[0]) * terrain.cell, (k - terrain.origin[1]) * terrain.cell
    half = 0.5 * every * terrain.cell
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), h], -1)
    here = ~(is_column[:-1, :-1] & is_column[1:, :-1] & is_column[:-1, 1:] & is_column[1:, 1:])
    fields = _two(points[:-1, :-1][here], points[1:, :-1][here], points[1:, 1:][here], points[:-1, 1:][here])
    parts = [fields, _tops(x, y, h, is_column, half), *(_walls(x, y, h, is_column, half, along_y) for along_y in (False, True))]
    corners = np.concatenate(parts)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-30)
    return Piece(corners.reshape(-1, 3), np.repeat(normal, 3, 0), color_of(terrain, corners[..., 2].max(1)))


class Ground:
    """Pieces of a map, the last one kept."""

    def __init__(self, terrain: Terrain, margin: float) -> None:
        self.terrain, self._margin = terrain, margin
        self.window: Window | None = None
        self._piece: Piece | None = None

    def around(self, places: np.ndarray) -> Piece:
        """What lies around places (n, 2) on the map [m]."""
        low = np.floor((places.min(0) - self._margin) / _STEP) * _STEP
        high = np.ceil((places.max(0) + self._margin) / _STEP) * _STEP
        (i0, k0), (i1, k1) = ((np.rint(edge / self.terrain.cell).astype(int) + self.terrain.origin).tolist() for edge in (low, high))
        if self._piece is None or self.window != (i0, k0, i1, k1):
            self.window = i0, k0, i1, k1
            self._piece = piece(self.terrain, self.window)
        return self._piece
