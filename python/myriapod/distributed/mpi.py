"""A job that MPI has started, by mpi4py."""
from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._library import ArgumentError
from .errors import JobError

#: Bytes of one call of MPI: counts are 32 bits in most of them.
_PIECE = 1 << 30
#: Between looks whether a call is done [s]: first without a pause, as most take microseconds.
_SPIN, _PAUSE = 0.002, 0.0002


class Mpi:
    """timeout [s]: as `Sockets` has it. A process that is gone ends the job by MPI's launcher, mostly before the timeout. launcher: who is named where
    something is wrong. ranks: how many processes it has started, 0: it did not say."""

    name = "mpi"

    def __init__(self, timeout: float, launcher: str, ranks: int = 0) -> None:
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:  # RuntimeError: it finds no MPI
            why = str(error).splitlines()[0]
            raise ArgumentError(f"{launcher} has started this process, but mpi4py cannot be imported ({why}): pip install mpi4py, for the MPI that starts "
                                "it") from None
        self._mpi: Any = MPI
        if ranks and ranks != MPI.COMM_WORLD.size:
            srun = "srun gives it no PMI that it knows: try srun --mpi=pmix; srun --mpi=list says what there is"
            why = srun if launcher == "srun" else "it is built for another MPI"
            raise ArgumentError(f"{launcher} has started {ranks} processes, but mpi4py sees {MPI.COMM_WORLD.size}: {why} "
                                f"(mpi4py's is {MPI.Get_library_version().split(',')[0].strip()})")
        self._comm = MPI.COMM_WORLD.Dup()
        self._unfinished: list[Any] = []  # requests that MPI still holds, with their arrays: it may yet write there
        self._timeout = timeout
        self.rank, self.ranks = int(self._comm.rank), int(self._comm.size)

    def gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
        """As `Transport` has it. In memory of its own: after a timeout MPI may yet write there, and the caller's may be gone by then."""
        own = data.copy()
        self._gather(own, begin)
        data[:] = own

    def _gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
        mpi = self._mpi
        most = max(end - first for first, end in zip(begin, begin[1:]))
        for at in range(0, most, _PIECE):
            firsts = [min(first + at, end) for first, end in zip(begin, begin[1:])]
            counts = [min(_PIECE, end - first) for first, end in zip(firsts, begin[1:])]
            try:
                if begin[-1] <= _PIECE:
                    self._wait(self._comm.Iallgatherv(mpi.IN_PLACE, [data, counts, firsts, mpi.BYTE]), data)
                    continue
                for r, (first, count) in enumerate(zip(firsts, counts)):  # places need more than 32 bits, too
                    self._wait(self._comm.Ibcast([data[first : first + count], mpi.BYTE], root=r), data)
            except mpi.Exception as error:
                raise JobError(f"process {self.rank} of {self.ranks}: MPI fails: {error}") from None

    def _wait(self, request: Any, data: np.ndarray) -> None:
        began = time.monotonic()
        while not request.Test():
            waited = time.monotonic() - began
            if waited > self._timeout:
                self._unfinished += [request, data]
                raise JobError(f"another process let process {self.rank} of {self.ranks} wait for longer than {self._timeout:g} s")
            if waited > _SPIN:
                time.sleep(_PAUSE)

    def close(self) -> None:
        """MPI ends with the process."""

    def abort(self, code: int) -> None:
        """MPI's launcher ends all processes."""
        self._mpi.COMM_WORLD.Abort(code)
