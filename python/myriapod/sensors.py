"""Sensors: what a robot feels. docs/sensors.md defines each kind, with its unit, frame and time."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._library import ArgumentError, check, encode, ffi, lib, text

KINDS: tuple[str, ...] = tuple(text(lib.myr_sensor_kind_name(k)) for k in range(lib.MYR_SENSOR_KINDS))
_FROM = {"ground": lib.MYR_FROM_GROUND, "self": lib.MYR_FROM_SELF, "other": lib.MYR_FROM_OTHER}


@dataclass(frozen=True)
class Sensor:
    """A sensor of a model. Its numbers are `Batch.sensor(name)`; in `Batch.sensors` columns row .. row + size - 1."""

    name: str
    kind: str  #: one of myriapod.sensors.KINDS
    row: int
    size: int  #: how many numbers it reads
    unit: str
    index: int

    @property
    def columns(self) -> slice:
        """Of the field `sensors`."""
        return slice(self.row, self.row + self.size)


def add(builder: Any, name: str, kind: str, of: str | None, ref: str | None, touched_by: str | Sequence[str], vector: Sequence[float],
        threshold: float, cutoff: float) -> None:
    """Into a C builder."""
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
    check(lib.myr_builder_sensor(builder, c))


def read(model: Any, i: int) -> Sensor:
    """Of a C model."""
    info = ffi.new("myr_sensor_info *")
    check(lib.myr_model_get_sensor(model, i, info))
    return Sensor(text(info.name), KINDS[info.kind], info.row, info.n_rows, text(info.unit), i)


def of_batch(batch: Any, name: str) -> np.ndarray:
    """(envs, n), read-only: what a sensor reads."""
    columns = batch.model.sensor(name).columns
    read = batch.view("sensors")[..., columns].reshape(-1, columns.stop - columns.start)[: batch.envs]
    read.flags.writeable = False
    return read
