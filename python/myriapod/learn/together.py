"""What the processes of a training know of each other; alone there is nothing to ask."""
from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np

from ..distributed.job import Job
from .exchange import shard


class Together:
    """job: None or of one process: alone. envs: robots of all. first, count: those of this process. writes: it is the one that says and writes what there is."""

    def __init__(self, job: Job | None, envs: int) -> None:
        self.job = job if job is not None and job.ranks > 1 else None
        self.rank, self.ranks = (self.job.rank, self.job.ranks) if self.job else (0, 1)
        self.envs, self.writes = envs, self.rank == 0
        self.first, self.count = shard(envs, self.rank, self.ranks)
        self._interrupted = False

    @property
    def shards(self) -> list[tuple[int, int]]:
        """First robot and how many, of each process."""
        return [shard(self.envs, r, self.ranks) for r in range(self.ranks)]

    def rows(self, own: np.ndarray) -> np.ndarray:
        """(count, ...) of this process' robots -> (envs, ...) of all."""
        if self.job is None:
            return own
        all_of = np.zeros((self.envs, *own.shape[1:]), own.dtype)
        all_of[self.first : self.first + self.count] = own
        each = all_of.nbytes // self.envs
        self.job.gather(all_of, [*(first * each for first, _ in self.shards), all_of.nbytes])
        return all_of

    def blobs(self, own: bytes) -> list[bytes]:
        """Bytes of each process."""
        return [own] if self.job is None else self.job.blobs(own)

    def any(self, *own: bool) -> list[bool]:
        """Of each question: is it so in any process?"""
        if self.job is None:
            return list(own)
        return [bool(column.any()) for column in self.job.each(np.array(own, np.uint8)).T]

    # ---- Ctrl-C --------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Together:
        """From here on Ctrl-C is known between iterations alone, where all processes stop after the same one; alone it is as before."""
        self._interrupted = False
        self._before: Any = None
        if self.job is not None and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, _number: int, _frame: Any) -> None:
        self._interrupted = True

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def is_over(self, time_is_up: bool) -> tuple[bool, bool]:
        """Was Ctrl-C pressed, and is the time up, in any process?"""
        interrupted, up = self.any(self._interrupted, time_is_up)
        return interrupted, up
