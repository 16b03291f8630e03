"""Arrays that are used again once no variable holds them: fresh memory for every step costs more in page faults than the numbers in it."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np


class Pool:
    """Output arrays of one shape and dtype. `get` gives one that nothing else refers to, of the few that it keeps, or a new one.

    A caller that still holds an array, a view of it, a tensor over its memory, or an iterator keeps it from being used again: all of them hold a
    reference to the array that owns the memory. Where references are not counted at once (interpreters without the GIL) every array is new."""

    KEPT = 4

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._kept: list[np.ndarray] = []
        self._counts = getattr(sys, "_is_gil_enabled", lambda: True)() and sys.implementation.name == "cpython"

    def __reduce__(self) -> Any:
        return type(self), (self._shape, self._dtype)

    def get(self) -> np.ndarray:
        """(shape) of dtype, contents undefined."""
        for k in range(len(self._kept)):
            if sys.getrefcount(self._kept[k]) <= _ALONE:
                return self._kept[k]
        array = np.empty(self._shape, self._dtype)
        if self._counts and len(self._kept) < self.KEPT:
            self._kept.append(array)
        return array


def _references_when_alone() -> int:
    kept = [np.empty(1)]
    return sys.getrefcount(kept[0])


_ALONE = _references_when_alone()
