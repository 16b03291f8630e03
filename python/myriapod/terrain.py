"""Ground as a map of heights: from an array, or generated; shared by all robots that stand on it."""
from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays as arrays
from ._library import ArgumentError, ArrayTypeError, FormatError, check, encode, encode_path, ffi, lib, text
from ._names import Strict

BLOCK = 8  # MYR_TERRAIN_BLOCK: cffi sees no macro
_UNIT = 128  # of a factor on friction
_NOTE = 1024  # MYR_TERRAIN_NOTE


@dataclass(frozen=True)
class Patch:
    """A square of a generated map: what lies there, and where an episode begins."""

    kind: str  #: slope, stairs, ...: docs/terrain.md, Kinds
    level: int  #: its row, along x
    column: int  #: along y; all patches of a column are of one kind
    at: tuple[float, float, float]  #: its middle, and the highest sample within 1 m of that [m]: an origin for `Batch.ground_at`
    size: float  #: its side [m]
    difficulty: float  #: 0 .. 1


@dataclass(frozen=True)
class PatchKind:
    """A kind of patch for `Terrain.generate`, with its share of the columns and its measures. What a kind does not use is ignored; docs/terrain.md,
    Kinds, has the list."""

    kind: str  #: flat, slope, rough, waves, stairs, obstacles, boxes, stones, gap or pit
    share: float = 1.0  #: of the columns; shares are divided by their sum
    start: float = 0.0  #: its measure at difficulty 0: a slope, or a height, depth, width or side [m]
    end: float = 0.0  #: at difficulty 1; linear between
    platform: float = 0.0  #: side of the level square in the middle [m]
    border: float = 0.0  #: rim of the patch that stays at 0 [m]
    width: float = 0.0  #: of a step, of a box, between stones [m]
    range: tuple[float, float] = (0.0, 0.0)  #: least and most: of the noise, of the sides of obstacles [m]
    noise_step: float = 0.0  #: between two levels of the noise [m]
    lattice: float = 0.0  #: between two places of the noise [m]
    depth: float = 0.0  #: of what lies between stones, and of the moat [m]
    count: int = 0  #: of obstacles; of waves on a patch's side


#: Names of a kind's measures here and in include/myriapod/terrain.h.
_MEASURES = {"share": "share", "start": "from", "end": "to", "platform": "platform_m", "border": "border_m", "width": "width_m", "noise_step": "noise_step_m",
             "lattice": "lattice_m", "depth": "depth_m"}


def _tell_losses(note: Any) -> None:
    if words := text(note):
        warnings.warn(words, stacklevel=3)


def _put_kinds(plan: Any, kinds: Sequence[PatchKind]) -> None:
    """Into the plan, in place of its own."""
    if not 1 <= len(kinds) <= len(plan.kinds):
        raise ArgumentError(f"kinds has {len(kinds)} items, but must have 1 to {len(plan.kinds)}")
    plan.n_kinds = len(kinds)
    for i, given in enumerate(kinds):
        if not isinstance(given, PatchKind):
            raise ArgumentError(f"kinds[{i}] is {type(given).__name__}, but must be a PatchKind")
        word = encode(given.kind, f"kinds[{i}].kind")
        if len(word) >= len(plan.kinds[i].kind):
            raise ArgumentError(f"kinds[{i}].kind is {given.kind!r}, which is none of the kinds")
        plan.kinds[i] = {"kind": word, "count": arrays.whole(given.count, f"kinds[{i}].count", 0, 2**31 - 1), "range_m": tuple(map(float, given.range)),
                         **{theirs: float(getattr(given, ours)) for ours, theirs in _MEASURES.items()}}


def _plan_named(profile: str) -> Any:
    plan = ffi.new("myr_terrain_plan *")
    check(lib.myr_terrain_plan_named(encode(profile, "profile"), plan))
    return plan


def _heights(heights: Any) -> np.ndarray:
    """(nx, ny) int16, whole steps, or float32, metres. The sizes are the library's to check."""
    array = arrays.adopt(heights, "heights")
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # what overflows is beyond 10 km, and refused
            array = array.astype(np.float32, copy=False)
    elif array.dtype != np.int16:
        raise ArrayTypeError(f"heights have dtype {array.dtype}, but must be int16, which are whole steps, or floats, which are metres")
    if array.ndim != 2:
        raise ArgumentError(f"heights have shape {array.shape}, but must be (nx, ny): samples along x and along y")
    return np.require(array, None, ["C", "A"])


def _kinds(columns: Any, blocks: tuple[int, int]) -> np.ndarray | None:
    if columns is None or columns is False:
        return None
    array = arrays.adopt(columns, "columns")
    if array.dtype != np.bool_:
        raise ArrayTypeError(f"columns have dtype {array.dtype}, but must be a bool, or bools by blocks of {BLOCK} x {BLOCK} samples")
    if array.ndim:
        arrays.want_shape(array, blocks, "columns", f"blocks of {BLOCK} x {BLOCK} samples")
    return np.ascontiguousarray(np.broadcast_to(array, blocks)).view(np.uint8)


def _factors(friction: Any, blocks: tuple[int, int]) -> np.ndarray | None:
    if friction is None:
        return None
    array = arrays.take(friction, "friction")
    if array.ndim:
        arrays.want_shape(array, blocks, "friction", f"blocks of {BLOCK} x {BLOCK} samples")
    units = np.rint(np.float64(array) * _UNIT)
    wrong = array[~((units >= 0) & (units <= 255))]
    if wrong.size:
        raise ArgumentError(f"friction is {wrong.flat[0]:g}, but a factor on friction must lie in 0 .. {255 / _UNIT:.4g}")
    return np.ascontiguousarray(np.broadcast_to(units, blocks).astype(np.uint8))


class Terrain(Strict):
    """A map of heights. Immutable: any number of models, batches and threads share one.

    heights: (nx, ny), x along rows. int16: whole steps of `step`; floats: metres, kept as float32.
    cell: between two samples [m]. step: of whole heights [m].
    origin: (i, k), the sample that lies at x = y = 0; None: the middle one, (nx - 1) // 2 and (ny - 1) // 2.
    columns: True where samples are pillars with vertical walls, the squares of side `cell` around them: stairs, stones; False where the ground is
    triangles between samples. One bool, or bools (blocks of x, blocks of y) by blocks of 8 x 8 samples.
    friction: a factor on the friction coefficient, 0 .. 1.992 in 128ths, one or by blocks; None: 1.

        terrain = Terrain(0.05 * np.random.default_rng(1).random((400, 400)), cell=0.1)
        terrain = Terrain.generate("legged-gym", seed=1)
        model = Model("anymal").on(terrain)

    Beyond the border the height of the nearest sample of the border goes on. The ground is solid below its surface.
    It can be pickled, with its samples, or by its profile and seed where it was generated. Raises ArgumentError, LimitError."""

    _made: tuple[str, tuple[Any, ...]]  # what makes it again: a function's name below, and its arguments

    def __init__(self, heights: Any, cell: float = 0.1, step: float = 0.005, origin: Sequence[int] | None = None,
                 columns: bool | Sequence[Sequence[bool]] | np.ndarray | None = None, friction: float | Sequence[Sequence[float]] | np.ndarray | None = None) -> None:
        array = _heights(heights)
        nx, ny = array.shape
        blocks = -(-nx // BLOCK), -(-ny // BLOCK)
        kinds, factors = _kinds(columns, blocks), _factors(friction, blocks)
        definition = ffi.new("myr_terrain_def *", lib.myr_terrain_def_default())
        definition.nx, definition.ny = (min(n, 2**31 - 1) for n in (nx, ny))
        definition.cell_m, definition.step_m = float(cell), float(step)
        if array.dtype == np.int16:
            definition.steps = arrays.pointer(array, "int16_t *")
        else:
            definition.heights_m = arrays.pointer(array, "float *")
        if origin is not None:
            if len(origin) != 2:
                raise ArgumentError(f"origin has {len(origin)} items, but must be (i, k), a sample")
            definition.origin_i, definition.origin_k = (arrays.whole(o, "origin", 0, n - 1) for o, n in zip(origin, array.shape))
        definition.columns, definition.friction = arrays.pointer(kinds, "uint8_t *"), arrays.pointer(factors, "uint8_t *")
        out = ffi.new("myr_terrain **")
        check(lib.myr_terrain_create(definition, out))
        self._take(out[0])
        self._made = "array", (None if factors is None else factors / _UNIT,)

    @classmethod
    def generate(cls, profile: str = "legged-gym", seed: int = 1, *, levels: int | None = None, columns: int | None = None, patch: float | None = None,
                 cell: float | None = None, step: float | None = None, border: float | None = None, spread: float | None = None,
                 kinds: Sequence[PatchKind] | None = None) -> Terrain:
        """Square patches, `levels` rows of them along x, from easy to hard, and `columns` along y, all of a column of one kind, with a level border.

        profile: one of `profiles()`; docs/terrain.md has their numbers. None of what follows: the profile's.
        patch: side of a patch, a multiple of 8 cells [m]. cell, step: as of a map from an array [m]. border: around all patches [m].
        spread: 0 .. 1: level i of n has the difficulty (i + spread U) / n, U uniform in 0 .. 1 by patch. kinds: what patches there are.

        The same arguments give the same map on every machine. ArgumentError names what is out of range, and the nearest profile."""
        plan = _plan_named(profile)
        for name, given in (("levels", levels), ("columns", columns)):
            if given is not None:
                setattr(plan, name, arrays.whole(given, name, -(2**31), 2**31 - 1))
        for name, theirs, size in (("patch", "patch_m", patch), ("cell", "cell_m", cell), ("step", "step_m", step), ("border", "border_m", border),
                                   ("spread", "spread", spread)):
            if size is not None:
                setattr(plan, theirs, float(size))
        if kinds is not None:
            kinds = tuple(kinds)
            _put_kinds(plan, kinds)
        out = ffi.new("myr_terrain **")
        check(lib.myr_terrain_generate(plan, arrays.whole(seed, "seed", 0, 2**64 - 1), out))
        sizes = {"levels": levels, "columns": columns, "patch": patch, "cell": cell, "step": step, "border": border, "spread": spread, "kinds": kinds}
        return cls._from_pointer(out[0], ("generate", (profile, int(seed), {name: size for name, size in sizes.items() if size is not None})))

    @staticmethod
    def profiles() -> tuple[str, ...]:
        """Names that `generate` knows."""
        names: list[str] = []
        while (name := lib.myr_terrain_profile_name(len(names))) != ffi.NULL:
            names.append(text(name))
        return tuple(names)

    @staticmethod
    def profile_kinds(profile: str) -> list[PatchKind]:
        """The kinds of patches of a profile, to be changed and given to `generate`."""
        plan = _plan_named(profile)
        return [PatchKind(text(kind.kind), range=tuple(kind.range_m), count=kind.count, **{ours: getattr(kind, theirs) for ours, theirs in _MEASURES.items()})
                for kind in plan.kinds[0 : plan.n_kinds]]

    # ---- files (docs/terrain-files.md) --------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, cell: float = 0.0, step: float = 0.005, low: float = 0.0, high: float = 0.0,
             origin: Sequence[int] | None = None, columns: bool = False) -> Terrain:
        """A map from a file: .npz of `save`, .npy, .png, .bin of MuJoCo, or a mesh, .obj and .stl. What the file does not say of itself is said here:
        cell [m]; step: of whole numbers [m]; low, high: heights of a picture's least and largest value [m]. Patches are not in files."""
        options = ffi.new("myr_terrain_read_options *", lib.myr_terrain_read_options_default())
        options.cell_m, options.step_m, options.low_m, options.high_m, options.columns = float(cell), float(step), float(low), float(high), bool(columns)
        if origin is not None:
            options.origin_i, options.origin_k = (arrays.whole(x, "origin", -1, 2**31 - 1) for x in origin)
        out = ffi.new("myr_terrain **")
        check(lib.myr_terrain_read(encode_path(path), options, out))
        return cls._from_pointer(out[0], ("array", (None,)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """All of the map but its patches into one .npz, which `numpy.load` reads, too; read again it has the same hash."""
        check(lib.myr_terrain_save(self._c, encode_path(path)))

    @classmethod
    def from_mjcf(cls, path: str | os.PathLike[str]) -> Terrain:
        """The first height field of an MJCF's world. What of it is lost or moved is warned about."""
        out, note = ffi.new("myr_terrain **"), ffi.new("char[]", _NOTE)
        check(lib.myr_terrain_from_mjcf(encode_path(path), note, out))
        _tell_losses(note)
        return cls._from_pointer(out[0], ("array", (None,)))

    def export_mjcf(self, path: str | os.PathLike[str]) -> None:
        """The same ground for MuJoCo, an MJCF to `<include>` beside a robot: boxes, or an `<hfield>` whose data lie beside it. What differs is warned
        about: on an `<hfield>` walls are slopes."""
        note = ffi.new("char[]", _NOTE)
        check(lib.myr_terrain_export_mjcf(self._c, encode_path(path), note))
        _tell_losses(note)

    @classmethod
    def _from_pointer(cls, pointer: Any, made: tuple[str, tuple[Any, ...]]) -> Terrain:
        terrain = object.__new__(cls)
        terrain._take(pointer)
        terrain._made = made
        return terrain

    def _take(self, pointer: Any) -> None:
        self._c = ffi.gc(pointer, lib.myr_terrain_free)
        self._tell()

    def _tell(self) -> None:
        info = ffi.new("myr_terrain_info *")
        lib.myr_terrain_get_info(self._c, info)
        self._info = info

    # ---- what it is ---------------------------------------------------------------------------------------------

    @property
    def nx(self) -> int:
        """Samples along x."""
        return self._info.nx

    @property
    def ny(self) -> int:
        """Samples along y."""
        return self._info.ny

    @property
    def cell(self) -> float:
        """Between two samples [m]."""
        return self._info.cell_m

    @property
    def step(self) -> float:
        """Of whole heights [m]; 0: heights are floats."""
        return self._info.step_m

    @property
    def origin(self) -> tuple[int, int]:
        """(i, k), the sample at x = y = 0: sample (a, b) lies at x = (a - i) cell, y = (b - k) cell."""
        return self._info.origin_i, self._info.origin_k

    @property
    def lowest(self) -> float:
        """Of all samples [m]."""
        return self._info.lowest_m

    @property
    def highest(self) -> float:
        """Of all samples [m]."""
        return self._info.highest_m

    @property
    def hash(self) -> str:
        """Of all that a robot may feel, 16 hexadecimal digits: maps of one hash are one ground. It is part of `Model.hash` of a model on it."""
        return f"{self._info.hash:016x}"

    @property
    def bytes(self) -> int:
        """Memory that it takes."""
        return self._info.bytes

    @property
    def heights(self) -> np.ndarray:
        """(nx, ny) float32 [m], a new array."""
        out = np.empty((self.nx, self.ny), np.float32)
        check(lib.myr_terrain_samples(self._c, arrays.pointer(out, "float *")))
        return out

    @property
    def kinds(self) -> np.ndarray:
        """(blocks of x, blocks of y) bool, a new array, by blocks of 8 x 8 samples: True where they are columns."""
        out = np.empty((self._info.blocks_x, self._info.blocks_y), np.uint8)
        check(lib.myr_terrain_kinds(self._c, arrays.pointer(out, "uint8_t *")))
        return out.view(np.bool_)

    @property
    def patch_levels(self) -> int:
        """Rows of patches along x; 0: it was not generated."""
        return self._info.patch_levels

    @property
    def patch_columns(self) -> int:
        """Patches of a row, along y; 0: it was not generated."""
        return self._info.patch_columns

    @property
    def patches(self) -> list[Patch]:
        """What lies where, level by level; empty where the map was not generated. That at a level and column is number level * patch_columns + column."""
        return [self.patch(level, column) for level in range(self.patch_levels) for column in range(self.patch_columns)]

    def patch(self, level: int, column: int) -> Patch:
        """What lies at a level and column. ArgumentError: the map was not generated, or has fewer."""
        out = ffi.new("myr_terrain_patch *")
        least, most = -(2**31), 2**31 - 1
        check(lib.myr_terrain_get_patch(self._c, arrays.whole(level, "level", least, most), arrays.whole(column, "column", least, most), out))
        return Patch(text(out.kind), out.level, out.column, tuple(out.at_m), out.size_m, out.difficulty)

    # ---- asking -------------------------------------------------------------------------------------------------

    def _ask(self, xy: Any, with_normal: bool) -> tuple[np.ndarray, np.ndarray | None]:
        places = arrays.take(xy, "xy", np.dtype(np.float64))
        if places.ndim < 1 or places.shape[-1] != 2:
            raise ArgumentError(f"xy has shape {places.shape}, but must be (..., 2): x and y")
        height = np.empty(places.shape[:-1])
        normal = np.empty((*places.shape[:-1], 3)) if with_normal else None
        check(lib.myr_terrain_height(self._c, height.size, arrays.pointer(places, "double *"), arrays.pointer(height, "double *"),
                                     arrays.pointer(normal, "double *")))
        return height, normal

    def height(self, xy: Any) -> np.ndarray:
        """(...) float64 [m]: how high the ground is at places xy (..., 2) [m], of the triangle or pillar there."""
        return self._ask(xy, False)[0]

    def normal(self, xy: Any) -> np.ndarray:
        """(..., 3) float64: the unit normal of the triangle there, upwards; of a pillar's top where there are columns."""
        normal = self._ask(xy, True)[1]
        assert normal is not None
        return normal

    # ---- the same again -----------------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        how, given = self._made
        if how == "array":
            heights = self.heights
            if self.step:
                heights = np.rint(heights / self.step).astype(np.int16)
            given = heights, self.cell, self.step or 0.005, self.origin, self.kinds, *given
        return _again, (how, given, self.hash)

    def __copy__(self) -> Terrain:
        return self

    def __deepcopy__(self, _: Any) -> Terrain:
        return self

    def __repr__(self) -> str:
        patches = f", {self.patch_levels} x {self.patch_columns} patches" if self.patch_levels else ""
        return f"<Terrain {self.nx} x {self.ny}, cell {self.cell:g} m, {self.lowest:.4g} .. {self.highest:.4g} m{patches}>"


def on_same(robot: Any, other: Any, made: tuple[str, tuple[Any, ...]]) -> Any:
    """A Model on the map of one of the library, without a second copy of it. made: what makes that map."""
    terrain = object.__new__(Terrain)
    terrain._c, terrain._made = lib.myr_model_terrain(other), made
    terrain._tell()
    model = robot.on(terrain)
    terrain._keep = model._c  # which holds the map
    return model


def _again(how: str, given: tuple[Any, ...], wanted: str) -> Terrain:
    """What was pickled. FormatError: this version of the library makes another map of that."""
    made = Terrain.generate(*given[:2], **given[2]) if how == "generate" else Terrain(*given)
    if made.hash != wanted:
        raise FormatError(f"the map is not the one that was pickled: its hash is {made.hash}, not {wanted}")
    return made
