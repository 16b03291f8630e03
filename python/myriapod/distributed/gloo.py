"""A job that torchrun has started, by torch.distributed's gloo."""
from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._library import ArgumentError
from .errors import JobError


class Gloo:
    """timeout [s]: as `Sockets` has it. A process group that is there already is taken, with the timeout that it has."""

    name = "gloo"

    def __init__(self, timeout: float) -> None:
        try:
            import torch
            import torch.distributed as distributed
        except ImportError as error:
            raise ArgumentError(f"torchrun has started this process, but torch cannot be imported ({error}): pip install torch") from None
        self._torch: Any = torch
        self._distributed: Any = distributed
        wait = datetime.timedelta(seconds=timeout)
        try:
            self._own = not distributed.is_initialized()
            if self._own:
                distributed.init_process_group("gloo", timeout=wait)
            self._group = distributed.new_group(backend="gloo", timeout=wait)
        except RuntimeError as error:
            raise JobError(f"torch's processes do not find each other: {error}") from None
        self.rank, self.ranks = int(distributed.get_rank()), int(distributed.get_world_size())

    def gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
        """As `Transport` has it."""
        all_bytes = self._torch.from_numpy(data)
        for r, (first, end) in enumerate(zip(begin, begin[1:])):
            if first == end:
                continue
            try:
                self._distributed.broadcast(all_bytes[first:end], src=r, group=self._group)
            except RuntimeError as error:
                other = f"process {1 - self.rank}" if self.ranks == 2 else "another process"  # bytes go by way of others: gloo does not tell whom it misses
                raise JobError(f"{other} of {self.ranks} is gone, or let process {self.rank} wait too long, when bytes of process {r} were sent: "
                               f"{str(error).splitlines()[0]}") from None

    def close(self) -> None:
        """The process group ends, where it was made here."""
        if self._own and self._distributed.is_initialized():
            self._distributed.destroy_process_group()

    def abort(self, code: int) -> None:
        """torchrun ends the others when this process has ended."""
