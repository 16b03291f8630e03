"""Recordings: chosen fields of chosen environments over time, in one file."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from . import _arrays as arrays
from ._handle import Handle
from ._library import ArgumentError, StateError, UnknownKeyError, check, encode_path, ffi, lib, text
from .batch import Batch, Ids, field_number

_DTYPES: dict[int, np.dtype] = {lib.MYR_F32: np.dtype(np.float32), lib.MYR_F64: np.dtype(np.float64)}


class Recording:
    """A file of frames: written by `Recording.create` and `append`, read by `Recording.open`.

        with Recording.create(batch, "trot.myr", envs=[0, 1], fields=("q", "impulse"), every=20) as recording:
            for _ in range(1000):
                batch.step(1)
                recording.append()
        recording = Recording.open("trot.myr")
        recording["q"]      # (50, 2, 19)
        recording.time      # (50,) [s]

    What was written before a crash is readable up to the last whole frame; a damaged file is a FormatError with its name and the place.
    Use after `close()` raises StateError; a `with` block closes. Format: docs/batch.md."""

    _handle: Handle
    _batch: Batch | None
    _every: int
    _calls: int

    def __init__(self) -> None:
        raise TypeError("use Recording.create(batch, path, ...) or Recording.open(path)")

    @classmethod
    def _make(cls, pointer: Any, batch: Batch | None, every: int) -> Recording:
        made = object.__new__(cls)
        made._handle = Handle(pointer, lib.myr_recording_close, "recording")
        made._batch, made._every, made._calls = batch, every, 0
        return made

    @classmethod
    def create(cls, batch: Batch, path: str | os.PathLike[str], envs: Ids = 0, fields: Iterable[str] = ("q", "v"), every: int = 1,
               dtype: Any = None) -> Recording:
        """Start a recording in place of what was at `path`; no frame is in it yet.

        envs: numbers of the environments. fields: names of fields that the batch keeps. every: of so many calls of `append` the first
        makes a frame; frames are `every` control steps apart if there is one call per control step, and that is what `time` says.
        dtype: float32 or float64 of the numbers in the file; None: the batch's precision. Raises ArgumentError, StateError, FileError."""
        if isinstance(every, bool) or not isinstance(every, (int, np.integer)) or every < 1:
            raise ArgumentError(f"every is {every!r}, but must be a whole number from 1")
        ids = arrays.numbers(envs, "envs")
        if ids is None:
            ids = np.arange(batch.envs)
        numbers = np.array([field_number(name) for name in ((fields,) if isinstance(fields, str) else fields)], dtype=np.int32)
        out = ffi.new("myr_recording **")
        with batch._open() as c:
            plan = ffi.new("myr_recording_plan *", {
                "ids": arrays.pointer(ids, "int64_t *"), "n": len(ids), "fields": arrays.pointer(numbers, "myr_field *"), "n_fields": len(numbers),
                "type": arrays.myr_type(batch.dtype if dtype is None else arrays.float_type(dtype)),
                "frame_s": every * int(batch.settings["decimation"]) * batch.info.dt_s,
            })
            check(lib.myr_recording_create(c, encode_path(path), plan, out))
        return cls._make(out[0], batch, int(every))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Recording:
        """Open a recording to be read. FileError; FormatError: it is not a recording, or damaged; the message says how."""
        out = ffi.new("myr_recording **")
        check(lib.myr_recording_open(encode_path(path), out))
        return cls._make(out[0], None, 1)

    def _open(self) -> Handle:
        return self._handle

    def append(self) -> None:
        """The batch as it now is, as a frame (of every `every`-th call). FileError: the disk is full; the file is as before."""
        with self._open() as c:
            if self._batch is None:
                raise StateError("the recording was opened to be read")
            if self._calls % self._every == 0:
                with self._batch._open() as batch:
                    check(lib.myr_recording_append(c, batch))
            self._calls += 1

    # ---- reading ------------------------------------------------------------------------------------------------

    @property
    def _info(self) -> Any:
        info = ffi.new("myr_recording_info *")
        with self._open() as c:
            lib.myr_recording_get_info(c, info)
        return info

    @property
    def frames(self) -> int:
        """Number of (whole) frames."""
        return self._info.frames

    @property
    def envs(self) -> np.ndarray:
        """(n,) int64: the environments' numbers in their batch, in the order of the arrays."""
        with self._open():
            info = self._info
            return np.frombuffer(ffi.buffer(info.ids, 8 * info.envs), np.int64).copy()

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(self._sizes())

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64: of the numbers in the file."""
        return _DTYPES[self._info.type]

    @property
    def frame_s(self) -> float:
        """Time from one frame to the next [s]."""
        return self._info.frame_s

    @property
    def time(self) -> np.ndarray:
        """(frames,) float64 [s], from the first frame on. (The field "time" would be that of each environment since its reset.)"""
        return np.arange(self.frames) * self.frame_s

    @property
    def complete(self) -> bool:
        """Was it closed? False: its writer crashed, or has not finished."""
        return bool(self._info.complete)

    @property
    def origin(self) -> dict[str, str]:
        """Where it comes from: `model` (its name), `model_hash`, `library` and `math` (their versions)."""
        with self._open():
            info = self._info
            return {word: text(getattr(info, word)) for word in ("model", "model_hash", "library", "math")}

    def _sizes(self) -> dict[str, int]:
        name, size, sizes = ffi.new("char **"), ffi.new("int *"), {}
        with self._open() as c:
            for i in range(self._info.n_fields):
                check(lib.myr_recording_get_field(c, i, name, size))
                sizes[text(name[0])] = size[0]
        return sizes

    def read(self, field: str, first: int = 0, frames: int | None = None, dtype: Any = None, out: Any = None) -> np.ndarray:
        """Frames first .. first + frames - 1 (None: to the end) of a field, (frames, envs, n) in the file's dtype or float32, float64.

        out: the caller's array. Raises UnknownKeyError; FormatError where a frame is damaged."""
        with self._open() as c:
            sizes = self._sizes()
            if field not in sizes:
                raise UnknownKeyError(f"there is no field {field!r} in the recording; there are: {', '.join(sizes)}")
            info = self._info
            count = info.frames - first if frames is None else frames
            if first < 0 or not 0 <= count <= info.frames - first:
                raise ArgumentError(f"{count} frames from {first} on, but there are {info.frames}")
            wanted = self.dtype if dtype is None else arrays.float_type(dtype)
            array = arrays.output(out, "out", (count, info.envs, sizes[field]), wanted)
            check(lib.myr_recording_read(c, list(sizes).index(field), first, count, arrays.myr_type(wanted), arrays.pointer(array)))
            return array

    def __getitem__(self, field: str) -> np.ndarray:
        return self.read(field)

    def __contains__(self, field: object) -> bool:
        return field in self._sizes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes())

    def __len__(self) -> int:
        return self.frames

    def to_npz(self, path: str | os.PathLike[str]) -> None:
        """Write all as a NumPy archive: each field by its name, `frame_time` [s], `env_ids`, and `origin` as text."""
        everything: dict[str, Any] = {name: self[name] for name in self.fields}
        everything |= {"frame_time": self.time, "env_ids": self.envs, "origin": np.array([f"{k}: {v}" for k, v in self.origin.items()])}
        with open(path, "wb") as file:
            np.savez(file, **everything)

    def to_hdf5(self, path: str | os.PathLike[str]) -> None:
        """Write all as HDF5: a data set per field, `frame_time` [s], `env_ids`; attributes `frame_s`, `complete`, and where it comes from."""
        try:
            import h5py
        except ImportError:
            raise ImportError("to_hdf5 needs h5py: pip install h5py") from None
        with h5py.File(path, "w") as file:
            for name in self.fields:
                file.create_dataset(name, data=self[name])
            file.create_dataset("frame_time", data=self.time)
            file.create_dataset("env_ids", data=self.envs)
            file.attrs.update({"frame_s": self.frame_s, "complete": self.complete, **self.origin})

    # ---- the end ------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Finish the file. FileError: it could not be written to its end. Twice is fine."""
        c, self._batch = self._handle.take(), None
        if c is not None:
            check(lib.myr_recording_close(c))

    def __reduce__(self) -> Any:
        raise TypeError("a Recording, an open file, cannot be pickled: pickle its path, and Recording.open(path) there")

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
