"""Trajectories: states of several environments over time, as arrays and as .npz files, for looking at (`python -m myriapod.view FILE`)."""
from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._library import ArgumentError, FileError, FormatError
from ._names import near_file
from ._whole import whole
from .batch import Batch, Ids
from .model import Model

FORMAT = "myriapod-trajectory-1"
_OPTIONAL = ("impulse", "contact_point")


@dataclass
class Trajectory:
    """States of `envs` environments at times 0, dt, 2 dt, ...

    robot: what `Model` takes: a name or a path. q: (T, envs, nq), or (T, nq) for one environment; frames and units as in
    include/myriapod/model.h. dt: time between two states [s]. impulse: (T, envs, n_slots, 3) [N s] of the last step before each state, in
    contact frames, or None; that step's length is `step` [s]. contact_point: (T, envs, n_slots, 3) [m], world, or None.
    ArgumentError where the shapes or numbers do not fit each other. Values that are not finite are data: a quarantined robot has them."""

    robot: str
    q: np.ndarray
    dt: float
    impulse: np.ndarray | None = None
    contact_point: np.ndarray | None = None
    step: float | None = None  #: None: dt

    def __post_init__(self) -> None:
        self.robot = str(self.robot)
        self.q = _real(self.q, "q")
        if self.q.ndim == 2:
            self.q = self.q[:, None]
        if self.q.ndim != 3 or 0 in self.q.shape:
            raise ArgumentError(f"q has shape {self.q.shape}, but must be (T, envs, nq) or (T, nq), none of them 0")
        self.dt = _positive(self.dt, "dt")
        self.step = self.dt if self.step is None else _positive(self.step, "step")
        for name in _OPTIONAL:
            value = getattr(self, name)
            if value is None:
                continue
            value = _real(value, name)
            value = value[:, None] if value.ndim == 3 else value
            if value.ndim != 4 or value.shape[:2] != self.q.shape[:2] or value.shape[3] != 3:
                raise ArgumentError(f"{name} has shape {value.shape}, but must be {self.q.shape[:2] + ('n_slots', 3)}, as q has (T, envs)")
            setattr(self, name, value)

    @property
    def frames(self) -> int:
        """Number of states of each environment."""
        return self.q.shape[0]

    @property
    def envs(self) -> int:
        """Number of environments."""
        return self.q.shape[1]

    @property
    def duration(self) -> float:
        """From the first state to the last [s]."""
        return (self.frames - 1) * self.dt

    def model(self, **options: Any) -> Model:
        """The robot; options are `Model`'s. Raises what `Model` raises, and ArgumentError where it has another number of positions or contact slots."""
        model = Model(self.robot, **options)
        if model.nq != self.q.shape[2]:
            raise ArgumentError(f"q has {self.q.shape[2]} positions per state, but robot {self.robot!r} has {model.nq}")
        for name in _OPTIONAL:
            value = getattr(self, name)
            if value is not None and value.shape[2] != model.n_slots:
                raise ArgumentError(f"{name} has {value.shape[2]} contact slots, but robot {self.robot!r} has {model.n_slots}")
        return model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .npz file, which is whole or absent. FileError."""
        arrays: Any = {name: getattr(self, name) for name in _OPTIONAL if getattr(self, name) is not None}
        arrays.update(format=FORMAT, robot=self.robot, q=self.q, dt=self.dt, step=self.step)
        with whole(path) as partial, open(partial, "wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], robot: str | None = None) -> Trajectory:
        """Read a .npz file: `q` and `dt`, and where it has them `robot`, `impulse`, `contact_point`, `step`. robot: instead of the file's.

        FileError: it cannot be read. FormatError: it is damaged, or not a trajectory; the message names the file and says why."""
        arrays: dict[str, Any] = dict(read_npz(path))
        for name in ("q", "dt") if robot is not None else ("q", "dt", "robot"):
            if name not in arrays:
                raise FormatError(f"{path}: no trajectory: it has no `{name}`{'; name the robot by hand' if name == 'robot' else ''}")
        known = {name: arrays[name] for name in _OPTIONAL if name in arrays}
        try:
            step = arrays["step"] if "step" in arrays else None
            return cls(robot if robot is not None else str(arrays["robot"]), arrays["q"], arrays["dt"], step=step, **known)
        except ArgumentError as error:
            raise FormatError(f"{path}: {error}") from None

    @classmethod
    def record(cls, batch: Batch, steps: int, ids: Ids = None) -> Trajectory:
        """Step a batch and keep the state before and after each control step, of the environments `ids` (None: all).

        Contact points are kept where the batch senses "contacts"."""
        settings = batch.settings
        step = float(settings["dt"])
        fields = ["q", "impulse", *(["contact_point"] if "contact_point" in batch.fields else [])]
        rows: dict[str, list[np.ndarray]] = {name: [batch.get(name, ids)] for name in fields}
        for _ in range(int(steps)):
            batch.step(1)
            for name in fields:
                rows[name].append(batch.get(name, ids))
        file = batch.model.file
        robot = str(file) if file and file.parent != Path(__file__).parent / "robots" else batch.model.name
        return cls(robot, dt=step * int(settings["decimation"]), step=step, **{name: np.stack(values) for name, values in rows.items()})


def read_npz(path: str | os.PathLike[str], wanted: Callable[[str], bool] = lambda name: True, most: int | None = None) -> dict[str, np.ndarray]:
    """Arrays of a .npz file, those whose name is `wanted`; no pickled objects. most: bytes that these may unpack to, None: any number.
    FileError and FormatError name the file, and the array where it is one."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise FormatError(f"{path}: it holds a single array, but must be a .npz file")
            names = [name for name in file.files if wanted(name)]
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise FormatError(f"{path}: it holds `{twice}` twice")
            assert file.zip is not None  # it is open
            unpacked = sum(int(member.file_size) for member in file.zip.infolist() if wanted(member.filename.removesuffix(".npy")))
            if most is not None and unpacked > most:
                raise FormatError(f"{path}: its arrays unpack to {unpacked} bytes, but at most {most} are read")
            arrays = {name: file[name] for name in names}
        for name, array in arrays.items():
            if not isinstance(array, np.ndarray):  # bytes, where the member does not begin as an array does
                raise FormatError(f"{path}: `{name}` is damaged: it does not begin as an array does")
            if array.dtype.kind == "U":
                letters = np.frombuffer(array.tobytes(), np.dtype("u4").newbyteorder(array.dtype.byteorder))
                if letters.max(initial=0) > sys.maxunicode:  # Python's own checks miss some, and raise a SystemError for others
                    raise FormatError(f"{path}: `{name}` is damaged: it is not text")
        return arrays
    except FormatError:
        raise
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError) as error:
        raise FormatError(f"{path}: no .npz file, or a damaged one: {error}") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}{near_file(path) if isinstance(error, (FileNotFoundError, IsADirectoryError)) else ''}") from None
    except Exception as error:  # zlib.error and what else a damaged file may stir up
        raise FormatError(f"{path}: damaged: {type(error).__name__}: {error}") from None


def _real(value: Any, name: str) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind != "f":
        raise ArgumentError(f"{name} has dtype {array.dtype}, but must be float32 or float64")
    return array


def _positive(value: Any, name: str) -> float:
    array = np.asarray(value)
    if array.shape != () or array.dtype.kind not in "fiu" or not 0.0 < float(array) < np.inf:
        raise ArgumentError(f"{name} is {value!r}, but must be a number above 0")
    return float(array)
