"""Rays: how far away something is along given directions, and patterns of them as sensors have: grid, ring, lidar, pinhole.

    origin, direction = myriapod.rays.pinhole(32, 24, fovy=1.0)
    seen = batch.rays(origin, direction, frame="camera", exclude="body")
    depth = seen.distance * -direction[:, 2]          # along the axis of the camera; seen.distance is along the rays"""
from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from . import _arrays as arrays
from ._library import ArgumentError, check, ffi, lib

GROUND, NOTHING = -1, -2  #: what `Hits.geom` is where no geom is met
_AXES = {"frame": lib.MYR_RAYS_FRAME_AXES, "heading": lib.MYR_RAYS_HEADING_AXES, "world": lib.MYR_RAYS_WORLD_AXES}
_EXCLUDE = {None: lib.MYR_RAYS_EXCLUDE_NONE, "body": lib.MYR_RAYS_EXCLUDE_BODY, "tree": lib.MYR_RAYS_EXCLUDE_TREE}
_WORLD = -1  # MYR_RAYS_WORLD: cffi sees no macro
_WANTED = ("distance", "normal", "geom")


class _Rays(NamedTuple):
    origin: np.ndarray  #: (rays, 3) [m]
    direction: np.ndarray  #: (rays, 3), unit vectors


class Pattern(_Rays):
    """Rays in a frame: origin, direction. For `Batch.rays(*pattern, frame=...)`, and for sensors that have rays."""

    kind: int = -1  # of the pattern in C, and its numbers
    keys: dict[str, Any] = {}


class Hits(NamedTuple):
    """What rays met. What was not asked for is None."""

    distance: np.ndarray  #: (n, rays) [m], infinity where nothing is met
    normal: np.ndarray | None  #: (n, rays, 3) world axes, out of the shape; 0 where nothing is met
    geom: np.ndarray | None  #: (n, rays) int32: number of the geom in `Model.geoms`, GROUND or NOTHING


def in_c(kind: int, keys: dict[str, Any]) -> Any:
    """The pattern in C, a `myr_ray_pattern *`."""
    pattern = ffi.new("myr_ray_pattern *", lib.myr_ray_pattern_default(kind))
    for name, value in keys.items():
        setattr(pattern, name, value)
    return pattern


def _pattern(kind: int, **keys: Any) -> Pattern:
    pattern = in_c(kind, keys)
    rays = lib.myr_ray_pattern_count(pattern)
    made = Pattern(np.zeros((rays, 3)), np.zeros((rays, 3)))
    check(lib.myr_ray_pattern_rays(pattern, arrays.pointer(made.origin, "double *"), arrays.pointer(made.direction, "double *")))
    made.kind, made.keys = kind, keys
    return made


def _count(value: Any, name: str) -> int:
    return arrays.whole(value, name, -(2**31), 2**31 - 1)


def grid(nx: int = 17, ny: int = 11, cell: float = 0.1, middle: tuple[float, float] = (0.0, 0.0)) -> Pattern:
    """nx x ny parallel rays along -z, `cell` apart [m] about `middle`: x slow, y fast, both rising. ArgumentError: out of range, as of all patterns."""
    x, y = middle
    return _pattern(lib.MYR_RAYS_GRID, nx=_count(nx, "nx"), ny=_count(ny, "ny"), cell_m=float(cell), x_m=float(x), y_m=float(y))


def ring(n: int = 6, radius: float = 0.03) -> Pattern:
    """n parallel rays along -z on a circle [m]: the first one at +x, then to the left."""
    return _pattern(lib.MYR_RAYS_RING, n=_count(n, "n"), radius_m=float(radius))


def lidar(rows: int = 16, columns: int = 360, elevation: tuple[float, float] = (-math.pi / 12, math.pi / 12),
          azimuth: tuple[float, float] = (-math.pi, math.pi)) -> Pattern:
    """rows x columns of angles [rad] from the origin: row by row of elevation above the xy plane, first to last; in each the azimuth from x to the left.

    The columns divide the azimuth evenly, and its end is not one of them: a full turn has no direction twice."""
    return _pattern(lib.MYR_RAYS_LIDAR, rows=_count(rows, "rows"), columns=_count(columns, "columns"), elevation=tuple(map(float, elevation)),
                    azimuth=tuple(map(float, azimuth)))


def pinhole(width: int = 32, height: int = 24, fovy: float = math.pi / 3) -> Pattern:
    """height x width rays through the centres of a camera's pixels, the upper left one first, row by row: along -z, +x to the right, +y up, as MuJoCo's
    cameras look. fovy: angle of view from the lower to the upper edge [rad]."""
    return _pattern(lib.MYR_RAYS_PINHOLE, width=_count(width, "width"), height=_count(height, "height"), fovy=float(fovy))


def _word(value: Any, name: str, words: dict[Any, int]) -> int:
    if value not in words:
        raise ArgumentError(f"{name} is {value!r}, but must be one of {', '.join(map(repr, words))}")
    return words[value]


class _RayCasting:
    """`Batch.rays`."""

    _model: Any
    _envs: int
    _dtype: np.dtype

    def _open(self) -> Any:
        raise NotImplementedError

    def rays(self, origin: Any, direction: Any, frame: str | None = None, *, axes: str = "frame", ids: Any = None, ground: bool = True,
             shapes: bool = True, exclude: str | None = None, body: str | None = None, range: float = 100.0,
             want: tuple[str, ...] = _WANTED, dtype: Any = None) -> Hits:
        """How far away something is along rays, as the environments `ids` (None: all) are now; docs/rays.md.

        origin, direction: (rays, 3), the same for all environments, or (n, rays, 3), each its own; directions of any length. origin None: the
        frame's. frame: the name of the frame in which they are given; None: the world's. axes: along which axes of it: "frame", its own;
        "heading", z up and x where its x axis points to, seen from above; "world".
        ground, shapes: which of the two is looked for. exclude: "body" leaves out the geoms of one body, "tree" those of all bodies of its
        tree; body: its name; None: that which carries the frame (the world's things, where the frame is the world's). range: what is farther
        away is not seen [m]. want: what of "distance", "normal", "geom" is wanted; distance always is. dtype: float32 or float64; None: the
        batch's precision.
        Closed shapes are seen from both sides, the ground from above alone. ArgumentError: an origin or a direction is not finite, a direction
        is zero, an option out of range."""
        unknown = [word for word in want if word not in _WANTED]
        if unknown or isinstance(want, str):
            raise ArgumentError(f"want is {want!r}, but must be a tuple of words of {', '.join(_WANTED)}")
        along = arrays.take(direction, "direction", arrays.FLOATS[1])
        if along.ndim not in (2, 3) or along.shape[-1] != 3:
            raise ArgumentError(f"direction has shape {along.shape}, but must be (rays, 3) for all environments, or (n, rays, 3)")
        start = None if origin is None else arrays.take(origin, "origin", arrays.FLOATS[1])
        if start is not None:
            arrays.want_shape(start, along.shape, "origin", "that of direction")
        chosen = arrays.numbers(ids)
        n, rays = self._envs if chosen is None else len(chosen), along.shape[-2]
        if along.ndim == 3:
            arrays.want_shape(along, (n, rays, 3), "direction", "(n, rays, 3)")
        wanted = self._dtype if dtype is None else arrays.float_type(dtype)
        of = None if frame is None else self._model.frame(frame)
        options = ffi.new("myr_rays_options *", lib.myr_rays_options_default())
        options.frame, options.axes = _WORLD if of is None else of.index, _word(axes, "axes", _AXES)
        options.ground, options.shapes, options.own_rays = bool(ground), bool(shapes), along.ndim == 3
        options.exclude, options.range_m, options.type = _word(exclude, "exclude", _EXCLUDE), float(range), arrays.myr_type(wanted)
        options.body = self._model.body(body).index if body is not None else -1 if of is None else of.body
        hits = Hits(np.empty((n, rays), wanted), np.empty((n, rays, 3), wanted) if "normal" in want else None,
                    np.empty((n, rays), np.int32) if "geom" in want else None)
        with self._open() as c:
            check(lib.myr_batch_rays(c, arrays.pointer(chosen, "int64_t *"), n, rays, arrays.pointer(start, "double *"), arrays.pointer(along, "double *"),
                                     options, arrays.pointer(hits.distance), arrays.pointer(hits.normal), arrays.pointer(hits.geom, "int32_t *")))
        return hits
