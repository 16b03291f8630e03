"""Rotations for functions that are recorded (`myriapod.record`): on arrays NumPy, on what is recorded one instruction each. Quaternions are w x y z.

Arrays are (n, 4), (n, 3); a constant (4,) or (3,) goes with all."""
from __future__ import annotations

from typing import Any

import numpy as np

from .programs.symbols import Symbol, _tape_of


def _sized(op: str, rows: int, *values: tuple[Any, int]) -> Any:
    symbols = [value for value, _ in values if isinstance(value, Symbol)]
    return _tape_of(*symbols).sized(op, rows, *values) if symbols else None


def _parts(q: Any) -> tuple[np.ndarray, np.ndarray]:
    q = np.asarray(q)
    return q[..., :1], q[..., 1:]


def quat_mul(a: Any, b: Any) -> Any:
    """The turn b, then the turn a."""
    made = _sized("quat_mul", 4, (a, 4), (b, 4))
    if made is not None:
        return made
    (aw, au), (bw, bu) = _parts(a), _parts(b)
    return np.concatenate([aw * bw - np.sum(au * bu, axis=-1, keepdims=True), aw * bu + bw * au + np.cross(au, bu)], axis=-1)


def quat_conj(q: Any) -> Any:
    """The turn back."""
    made = _sized("quat_conj", 4, (q, 4))
    return made if made is not None else np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0])


def quat_rotate(q: Any, x: Any) -> Any:
    """Vectors turned."""
    made = _sized("quat_rotate", 3, (q, 4), (x, 3))
    if made is not None:
        return made
    w, u = _parts(q)
    t = 2.0 * np.cross(u, x)
    return x + w * t + np.cross(u, t)


def quat_rotate_back(q: Any, x: Any) -> Any:
    """Vectors turned back: from world axes into those of a body of this attitude."""
    made = _sized("quat_rotate_back", 3, (q, 4), (x, 3))
    return made if made is not None else quat_rotate(quat_conj(q), x)


def quat_axes(q: Any) -> Any:
    """(n, 9) rotation matrices, row by row."""
    made = _sized("quat_axes", 9, (q, 4))
    if made is not None:
        return made
    w, x, y, z = np.moveaxis(np.asarray(q), -1, 0)
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1)


def quat_yaw(q: Any) -> Any:
    """The turns about z to where the x axes point, seen from above."""
    made = _sized("quat_yaw", 4, (q, 4))
    if made is not None:
        return made
    w, x, y, z = np.moveaxis(np.asarray(q), -1, 0)
    half = 0.5 * np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))
    return np.stack([np.cos(half), np.zeros_like(half), np.zeros_like(half), np.sin(half)], axis=-1)


def quat_diff(a: Any, b: Any) -> Any:
    """Rotation vectors from a to b, in the axes of a [rad], the short way."""
    made = _sized("quat_diff", 3, (a, 4), (b, 4))
    if made is not None:
        return made
    w, u = _parts(quat_mul(quat_conj(a), b))
    length, sign = np.linalg.norm(u, axis=-1, keepdims=True), np.where(w < 0, -1.0, 1.0)
    return sign * u * np.where(length < 1e-12, 2.0, 2.0 * np.arctan2(length, np.abs(w)) / np.maximum(length, 1e-300))


def wrap(angle: Any) -> Any:
    """Angles less whole turns, in +- pi [rad]."""
    if isinstance(angle, Symbol):
        return angle._tape.apply("wrap", angle)
    return angle - 2 * np.pi * np.round(np.asarray(angle) / (2 * np.pi))
