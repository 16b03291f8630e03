"""Clips: a motion that a robot is to follow, frame by frame, of a file or an array; what a task of following needs of it (docs/tables.md)."""
from __future__ import annotations

import numbers
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._library import ArgumentError, FileError, FormatError, encode_path
from ._sources import folders
from .batch import Batch
from .model import Model


@dataclass(frozen=True)
class Bodies:
    """Of k bodies in each frame, one behind the other, world axes: places (frames, 3 k) [m], turns (frames, 4 k) w x y z, speeds (frames, 3 k) of their
    origins [m/s], spins (frames, 3 k) [rad/s]."""

    places: np.ndarray
    turns: np.ndarray
    speeds: np.ndarray
    spins: np.ndarray


class Clip:
    """A motion of a robot whose base floats and whose other joints have an angle each: q (frames, nq) as `Batch.q` has it, `fps` frames a second. Immutable.

    v (frames, nv) is made of q, by what lies between the frames before and behind. ArgumentError: q or fps cannot be that."""

    def __init__(self, q: Any, fps: float = 30.0, label: str = "clip") -> None:
        try:
            self.q = np.array(q, float)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(f"{label}: q must be numbers, (frames, nq)") from None
        if self.q.ndim != 2 or len(self.q) < 2 or self.q.shape[1] < 8 or not np.isfinite(self.q).all():
            raise ArgumentError(f"{label}: q must be finite numbers, (frames, nq), of two frames or more and a base that floats; its shape is {self.q.shape}")
        _check_rate(fps)
        sizes = np.linalg.norm(self.q[:, 3:7], axis=1)
        if (np.abs(sizes - 1) > 1e-2).any():
            at = int(np.argmax(np.abs(sizes - 1)))
            raise ArgumentError(f"{label}: the quaternion of frame {at} (counted from 0) has the length {sizes[at]:.3g}, but must have 1")
        self.q[:, 3:7] /= sizes[:, None]
        self.fps, self.label = float(fps), label
        self.q.flags.writeable = False

    @staticmethod
    def read(path: str | os.PathLike[str], fps: float = 30.0) -> Clip:
        """Of a file as Unitree's retargeted motions: rows of numbers between commas, a frame each: base x y z [m], its quaternion x y z w, the joints in the order of
        the robot [rad]. A name without "/" and ".csv" is a clip that ships (robots/clips). FileError, FormatError with the line: it cannot be read."""
        _check_rate(fps)
        file = os.fsdecode(encode_path(path))
        if "/" not in file and not file.endswith(".csv"):
            found = (folder / "clips" / f"{file}.csv" for folder in folders())
            file = next((str(one) for one in found if os.path.exists(one)), f"{file}.csv")  # Path.exists raises where a name is too long
        rows: list[list[float]] = []
        try:
            with open(file, encoding="utf-8") as lines:
                for at, line in enumerate(lines, 1):
                    if not line.strip():
                        continue
                    try:
                        rows.append([float(word) for word in line.split(",")])
                    except ValueError:
                        raise FormatError(f"{file}:{at}: a frame is numbers between commas") from None
                    if len(rows[-1]) != len(rows[0]):
                        raise FormatError(f"{file}:{at}: {len(rows[-1])} numbers, where the first frame has {len(rows[0])}")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{file}: {error.strerror if isinstance(error, OSError) else 'it is not a text'}") from None
        q = np.array(rows)
        if q.ndim != 2 or q.shape[1] < 8:
            raise FormatError(f"{file}: a frame is base x y z, its quaternion x y z w, and an angle for each joint")
        try:
            return Clip(np.concatenate([q[:, :3], q[:, [6, 3, 4, 5]], q[:, 7:]], axis=1), fps, file)
        except ArgumentError as error:
            raise FormatError(str(error)) from None

    @property
    def seconds(self) -> float:
        """From its first frame to its last."""
        return (len(self.q) - 1) / self.fps

    @property
    def v(self) -> np.ndarray:
        """(frames, nv) as `Batch.v` has it: base in world axes [m/s], its angular velocity in base axes [rad/s], rates of the joints."""
        before, behind = self.q[np.maximum(np.arange(len(self.q)) - 1, 0)], self.q[np.minimum(np.arange(len(self.q)) + 1, len(self.q) - 1)]
        time = np.full(len(self.q), 2.0 / self.fps)
        time[[0, -1]] = 1.0 / self.fps
        (aw, au), (bw, bu) = ((q[:, 3:4], q[:, 4:7]) for q in (before, behind))
        w, u = aw * bw + np.sum(au * bu, axis=1, keepdims=True), aw * bu - bw * au - np.cross(au, bu)  # the turn between them, in the axes of the first
        u, w = np.where(w < 0, -u, u), np.abs(w)
        size = np.linalg.norm(u, axis=1, keepdims=True)
        spin = u * np.where(size > 1e-9, 2.0 * np.arctan2(size, w) / np.maximum(size, 1e-9), 2.0)
        made: np.ndarray = np.concatenate([behind[:, :3] - before[:, :3], spin, behind[:, 7:] - before[:, 7:]], axis=1) / time[:, None]
        return made

    def check(self, model: Model) -> None:
        """ArgumentError: it is not of this robot."""
        if model.nq != self.q.shape[1]:
            raise ArgumentError(f"{self.label}: a frame has {self.q.shape[1]} numbers, and the robot {model.name!r} {model.nq}")
        for k, joint in enumerate(model.joints):
            if joint.type != "free" if k == 0 else (joint.nq, joint.nv) != (1, 1):
                raise ArgumentError(f"{self.label}: a clip is of a base that floats and joints of an angle each; of the robot {model.name!r} {joint.name!r} is {joint.type!r}")

    def bodies(self, model: Model, names: tuple[str, ...] | list[str]) -> Bodies:
        """Where bodies of the robot are in each frame. ArgumentError: the clip is not of this robot, or it has no such body."""
        self.check(model)
        at = body_numbers(model, names)
        with Batch(model, len(self.q), precision="f64", sense=("bodies",)) as batch:
            batch.set("q", self.q)
            batch.set("v", self.v)
            batch.refresh()
            poses, rates = batch.get("body_pose")[:, at], batch.get("body_velocity")[:, at]
        turns = poses[..., 3:]
        for k in range(1, len(turns)):  # of q and -q the one nearer to the frame before, so that what lies between two frames may be read
            turns[k] *= np.where(np.sum(turns[k] * turns[k - 1], axis=-1, keepdims=True) < 0, -1.0, 1.0)
        n = len(self.q)
        return Bodies(poses[..., :3].reshape(n, -1), turns.reshape(n, -1), rates[..., :3].reshape(n, -1), rates[..., 3:].reshape(n, -1))

    def __repr__(self) -> str:
        return f"<Clip {self.label}: {len(self.q)} frames, {self.seconds:.1f} s>"


def _check_rate(fps: Any) -> None:
    if isinstance(fps, bool) or not isinstance(fps, numbers.Real) or not 0 < float(fps) < float("inf"):
        raise ArgumentError(f"fps is {fps!r}, but must be a number above 0")


def body_numbers(model: Model, names: tuple[str, ...] | list[str]) -> list[int]:
    """Of bodies by name which they are. ArgumentError: there is none."""
    known = [body.name for body in model.bodies]
    for name in names:
        if name not in known:
            raise ArgumentError(f"the robot {model.name!r} has no moving body {name!r}; there are: {', '.join(known)}")
    return [known.index(name) for name in names]
