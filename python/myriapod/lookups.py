"""Tables for functions that are recorded (`myriapod.record`, terms of a task): a motion clip, a gait, weights. On arrays NumPy, on what is recorded a few
instructions. A table is a constant array (N, columns), the same for all robots; indices are one number per robot.

`numpy.searchsorted(numbers, x, side="right")` and `numpy.interp(x, places, numbers)` can be recorded, too: a draw by weights is
`np.searchsorted(np.cumsum(weights) / np.sum(weights), s.draw("which"), side="right")`."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._library import ArgumentError
from .programs.symbols import Symbol
from .rotations import quat_diff, quat_mul


def _table(table: Any) -> np.ndarray:
    made = np.asarray(table, float)
    if made.ndim != 2 or not made.size or not np.isfinite(made).all():
        raise ArgumentError(f"a table is a constant array (N, columns) of finite numbers; this one has shape {made.shape}")
    return made


def row(table: Any, index: Any) -> Any:
    """The row `index` of a table, (n, columns): rounded towards 0; beyond the ends the first or last one, for NaN the first."""
    made = _table(table)
    if isinstance(index, Symbol):
        if index._scalar is False:
            raise ArgumentError("an index is one number per robot: take x[..., 0]")
        word, _, _ = index._tape.operand(made.ravel())
        return index._tape.new(f"row {word} {index._name} {made.shape[1]}", made.shape[1], False)
    at = np.nan_to_num(np.asarray(index, float), nan=0.0, posinf=len(made), neginf=0.0)
    return made[np.clip(at, 0, len(made) - 1).astype(int)]


def _between(table: np.ndarray, place: Any) -> tuple[Any, Any, Any]:
    """The two rows about a place, and how far from the first to the second it is."""
    at = np.clip(place, 0.0, float(len(table) - 1))
    first = np.floor(at)
    return row(table, first), row(table, first + 1.0), (at - first)[..., None]


def lerp(table: Any, place: Any) -> Any:
    """A table between its rows, (n, columns): at 2.25 three quarters of row 2 and a quarter of row 3. Beyond the ends the first or last row."""
    a, b, part = _between(_table(table), place)
    return a + part * (b - a)


def slerp(table: Any, place: Any) -> Any:
    """A table (N, 4) of unit quaternions between its rows, (n, 4): the short turn from one to the next at an even rate."""
    made = _table(table)
    if made.shape[1] != 4:
        raise ArgumentError(f"a table of quaternions has 4 columns, this one {made.shape[1]}")
    a, b, part = _between(made, place)
    vector = part * quat_diff(a, b)
    angle = np.linalg.norm(vector, axis=-1)[..., None]
    sine = np.where(angle > 1e-3, np.sin(0.5 * angle) / np.maximum(angle, 1e-3), 0.5 - angle * angle * (1.0 / 48.0))
    return quat_mul(a, np.concatenate([np.cos(0.5 * angle), sine * vector], axis=-1))
