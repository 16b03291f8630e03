"""Processes that learn together: what moves bytes between them, as the learner asks for it."""
from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .. import _arrays
from .._library import ArgumentError, StateError, check, ffi, lib


class Job(Protocol):
    """What a learner needs of a job; `myriapod.distributed.init()` gives one."""

    @property
    def rank(self) -> int:
        """This process, from 0."""

    @property
    def ranks(self) -> int:
        """How many there are."""

    def gather(self, data: np.ndarray, begin: Any) -> None:
        """data: bytes, (begin[-1],) uint8, of which process r has filled begin[r]..begin[r + 1] - 1; on return all are filled everywhere. Whatever it raises, the
        learner's call raises StateError from it."""


def shard(num_envs: int, rank: int, ranks: int) -> tuple[int, int]:
    """Which robots of a job a process learns from: the first one, and how many. ArgumentError: so many processes cannot learn from them."""
    first, count = ffi.new("int64_t *"), ffi.new("int64_t *")
    check(lib.myr_learn_shard(_arrays.whole(num_envs, "num_envs"), _arrays.whole(rank, "rank", 0, 2**31 - 1), _arrays.whole(ranks, "ranks", 0, 2**31 - 1), first, count))
    return int(first[0]), int(count[0])


class Exchange:
    """A job as the library calls it. `struct` is for myr_learner_create_shared, and this object is to outlive the learner."""

    def __init__(self, job: Job) -> None:
        if not 0 <= job.rank < job.ranks:
            raise ArgumentError(f"exchange: there is no process {job.rank} of {job.ranks}")
        self._job = job
        self._failure: BaseException | None = None
        self._gather = ffi.callback("int(void *, void *, int64_t *)", self._call)
        self.struct = ffi.new("myr_exchange *", {"rank": job.rank, "ranks": job.ranks})
        self.struct.gather = ffi.cast("int(*)(void *, void *, const int64_t *)", self._gather)

    def _call(self, _context: Any, data: Any, begin: Any) -> int:
        try:
            begins = [int(begin[r]) for r in range(self._job.ranks + 1)]
            self._job.gather(np.frombuffer(ffi.buffer(data, begins[-1]), np.uint8), begins)
        except BaseException as error:  # it must not be lost, and C knows no exceptions
            self._failure = error
            return 1
        return 0

    def check(self, status: int) -> None:
        """As `_library.check`; with what the job raised as the cause. Ctrl-C stays what it is."""
        failure, self._failure = self._failure, None
        if isinstance(failure, Exception):
            try:
                check(status)
            except StateError as error:
                raise StateError(f"{error}: {failure}") from failure
        elif failure is not None:
            raise failure
        check(status)
