"""Sensors: what a robot feels. docs/sensors.md defines each kind, with its unit, frame and time."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import rays
from ._library import ArgumentError, check, encode, ffi, lib, text

KINDS: tuple[str, ...] = tuple(text(lib.myr_sensor_kind_name(k)) for k in range(lib.MYR_SENSOR_KINDS))
_READS, _VALUES = ("exact", "bilinear", "min3", "nearest"), ("height", "clearance")
_AXES, _EXCLUDE = ("frame", "heading"), (None, "body", "tree")
_DATA, _REDUCE = ("found", "force", "torque", "dist", "pos", "normal", "tangent"), ("none", "mindist", "maxforce", "netforce")
_SHOWN, _NOISES = ("all", "mean", "max"), ("uniform", "normal")
_FROM = {"ground": lib.MYR_FROM_GROUND, "self": lib.MYR_FROM_SELF, "other": lib.MYR_FROM_OTHER}


@dataclass(frozen=True, eq=False)
class Look:
    """Of a sensor that looks (rays, rangefinder, height_scan): from where, and where to."""

    body: int  #: that carries the frame; -1: the world
    position: tuple[float, ...]  #: [m] of the frame in the body's
    quaternion: tuple[float, ...]  #: frame -> body axes
    rays: np.ndarray  #: (n, 6) origin [m] and unit direction in the frame; of a height_scan (n, 2) x, y along its heading [m]
    axes: str  #: of rays: "frame", or "heading": z is up
    range: float  #: of rays: what is farther away is not seen [m]
    depth: bool  #: the reading is along -z of the frame, not along the ray
    value: str  #: of a height_scan: "height", or "clearance" below the frame
    least: bool  #: of a height_scan: the least of all points alone


@dataclass(frozen=True)
class Sensor:
    """A sensor of a model. Its numbers are `Batch.sensor(name)`; in `Batch.sensors` columns row .. row + size - 1."""

    name: str
    kind: str  #: one of myriapod.sensors.KINDS
    row: int
    size: int  #: how many numbers it reads
    unit: str
    index: int
    every: int = 1  #: control steps between two measurements; 0: after each step of dt
    history: int = 1  #: readings, the newest first, that are shown, or of which the mean or the largest is
    shown: str = "all"  #: "all", "mean", "max"
    noise: float = 0.0  #: of each measurement: +-, or the deviation
    noise_kind: str = "uniform"  #: or "normal"
    bias: float = 0.0  #: +-, drawn for an episode
    delay: tuple[int, int] = (0, 0)  #: least and most measurements, drawn for an episode
    hold: float = 0.0  #: probability that a measurement is missed
    look: Look | None = field(default=None, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of what one environment shows: (size,), or (history, size)."""
        return (self.history, self.size) if self.shown == "all" and self.history > 1 else (self.size,)

    @property
    def columns(self) -> slice:
        """Of the field `sensors`."""
        return slice(self.row, self.row + int(np.prod(self.shape)))


def add(builder: Any, name: str, kind: str, of: str | None, ref: str | None, touched_by: str | Sequence[str], vector: Sequence[float],
        threshold: float, cutoff: float, contact: dict[str, Any], look: dict[str, Any], **signal: Any) -> None:
    """Into a C builder. contact, look: the words of single contacts, of rays and scans; signal: fields of `Sensor` from `every` on."""
    if kind not in KINDS:
        raise ArgumentError(f"sensor {name!r}: kind is {kind!r}, but must be one of {', '.join(KINDS)}")
    sources = (touched_by,) if isinstance(touched_by, str) else tuple(touched_by)
    bits = 0
    for source in sources:
        if source != "all" and source not in _FROM:
            raise ArgumentError(f"sensor {name!r}: touched_by has {source!r}, but it is of all, {', '.join(_FROM)}")
        bits |= lib.MYR_FROM_ALL if source == "all" else _FROM[source]
    if len(vector) != 3:
        raise ArgumentError(f"sensor {name!r}: vector has {len(vector)} numbers, but must have 3")
    keep = [ffi.new("char[]", encode(word, what)) for word, what in ((name, "name"), (of or "", "of"), (ref or "", "ref"))]
    c = ffi.new("myr_sensor_def *", lib.myr_sensor_def_default())
    c.name, c.kind = keep[0], KINDS.index(kind)
    c.of = ffi.NULL if of is None else keep[1]
    c.ref = ffi.NULL if ref is None else keep[2]
    c.vector, c.threshold, c.cutoff = list(map(float, vector)), threshold, cutoff
    setattr(c, "from", bits)
    _fill(c.signal, name, **signal)
    _look(c.look, name, **look)
    keep.append(_contact(c, name, **contact))
    check(lib.myr_builder_sensor(builder, c))


def _one_of(name: str, what: str, word: Any, words: tuple[Any, ...]) -> int:
    if word not in words:
        raise ArgumentError(f"sensor {name!r}: {what} is {word!r}, but must be one of {', '.join(map(str, words))}")
    return words.index(word)


def _contact(c: Any, name: str, *, touching: str | None, contacts: int, data: str | Sequence[str], reduce: str) -> Any:
    words = (data,) if isinstance(data, str) else tuple(data)
    c.data = sum({1 << _one_of(name, "data", word, _DATA) for word in words})
    c.reduce = _one_of(name, "reduce", reduce, _REDUCE)
    c.contacts = max(-1, min(int(contacts), 2**30))
    kept = ffi.NULL if touching is None else ffi.new("char[]", encode(touching, "touching"))
    c.touching = kept
    return kept


#: Patterns by the word that a task's text, which is JSON, says: {"kind": "ring", "n": 6, "radius": 0.03}.
_PATTERNS: dict[str, Callable[..., rays.Pattern]] = {"grid": rays.grid, "ring": rays.ring, "lidar": rays.lidar, "pinhole": rays.pinhole}


def _told(name: str, pattern: Mapping[str, Any]) -> rays.Pattern:
    """A pattern that was told in words."""
    keys = dict(pattern)
    try:
        return _PATTERNS[str(keys.pop("kind", ""))](**keys)
    except KeyError:
        raise ArgumentError(f"sensor {name!r}: a pattern in words has a kind, {', '.join(_PATTERNS)}, and what its function takes; it is {pattern!r}") from None
    except (TypeError, ArgumentError) as error:
        raise ArgumentError(f"sensor {name!r}: pattern {pattern!r}: {error}") from None


def _look(c: Any, name: str, *, pattern: rays.Pattern | Mapping[str, Any] | None, axes: str, exclude: str | None, ground: bool, shapes: bool, range: float, depth: bool,
          reads: str, value: str, least: bool) -> None:
    if isinstance(pattern, Mapping):
        pattern = _told(name, pattern)
    if pattern is not None:
        if not isinstance(pattern, rays.Pattern) or pattern.kind < 0:
            raise ArgumentError(f"sensor {name!r}: pattern is {pattern!r}, but must be one of myriapod.rays: grid(), ring(), lidar(), pinhole()")
        c.pattern = rays.in_c(pattern.kind, pattern.keys)[0]
    c.axes, c.exclude = _one_of(name, "axes", axes, _AXES), _one_of(name, "exclude", exclude, _EXCLUDE)
    c.ground, c.shapes, c.depth, c.least, c.range_m = bool(ground), bool(shapes), bool(depth), bool(least), float(range)
    c.scan, c.value = _one_of(name, "reads", reads, _READS), _one_of(name, "value", value, _VALUES)


def _fill(c: Any, name: str, *, every: int = 1, history: int = 1, shown: str = "all", noise: float = 0.0, noise_kind: str = "uniform",
          bias: float = 0.0, delay: int | Sequence[int] = 0, hold: float = 0.0) -> None:
    delays = [delay, delay] if isinstance(delay, (int, np.integer)) else list(delay)
    if len(delays) != 2:
        raise ArgumentError(f"sensor {name!r}: delay has {len(delays)} numbers, but must be one, or the least and the most")
    try:
        c.every, c.history, c.delay = int(every), int(history), list(map(int, delays))
    except OverflowError as error:
        raise ArgumentError(f"sensor {name!r}: {error}") from None
    c.shown, c.noise_kind = _one_of(name, "shown", shown, _SHOWN), _one_of(name, "noise_kind", noise_kind, _NOISES)
    c.noise, c.bias, c.hold = noise, bias, hold


def read(model: Any, i: int) -> Sensor:
    """Of a C model."""
    info = ffi.new("myr_sensor_info *")
    check(lib.myr_model_get_sensor(model, i, info))
    s, look = info.signal, None
    if info.n_rays:
        each = 2 if info.kind == lib.MYR_SENSOR_HEIGHT_SCAN else 6
        numbers = np.frombuffer(ffi.buffer(info.rays, 8 * each * info.n_rays)).reshape(-1, each).copy()
        numbers.flags.writeable = False
        c = info.look
        look = Look(info.body, tuple(info.position_m), tuple(info.quaternion), numbers, _AXES[c.axes], c.range_m, bool(c.depth), _VALUES[c.value], bool(c.least))
    return Sensor(text(info.name), KINDS[info.kind], info.row, info.size, text(info.unit), i, s.every, s.history, _SHOWN[s.shown], s.noise,
                  _NOISES[s.noise_kind], s.bias, (s.delay[0], s.delay[1]), s.hold, look)


def of_batch(batch: Any, name: str) -> np.ndarray:
    """(envs, size) or (envs, history, size), read-only: what a sensor shows."""
    sensor = batch.model.sensor(name)
    read = batch.view("sensors")[..., sensor.columns].reshape(-1, *sensor.shape)[: batch.envs]
    read.flags.writeable = False
    return read
