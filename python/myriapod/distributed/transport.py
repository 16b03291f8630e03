"""What moves the bytes of a job."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Transport(Protocol):
    """rank, ranks: as the launcher has it. name: "alone", "sockets", "mpi" or "gloo"."""

    name: str
    rank: int
    ranks: int

    def gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
        """data: (begin[ranks],) uint8, C-contiguous; process r has filled begin[r]..begin[r + 1] - 1, and on return all are filled everywhere. JobError."""

    def close(self) -> None:
        """Nothing is to come any more."""

    def abort(self, code: int) -> None:
        """Ends the other processes, where the end of this one would not."""


class Alone:
    """One process."""

    name, rank, ranks = "alone", 0, 1

    def gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
        """Nothing is missing."""

    def close(self) -> None:
        """Nothing is open."""

    def abort(self, code: int) -> None:
        """There are no others."""
