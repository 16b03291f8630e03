"""A job of one machine by sockets of its own: each process sends its part to the first one, which sends all parts back. What
`python -m myriapod.distributed` starts has them; nothing else is needed."""
from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Sequence

import numpy as np

from .._library import ArgumentError
from .errors import JobError

#: `RANK/RANKS@PORT`, and of the first process `+FD`: the socket that listens there.
VARIABLE = "MYRIAPOD_JOB"
#: Before what is sent: which call of the job it is of, and how many bytes follow.
_HEAD = struct.Struct("<QQ")


def told() -> tuple[int, int, int, int | None]:
    """Rank, ranks, port and the listening socket, from the environment. ArgumentError: it is not as `launch` writes it."""
    word = os.environ[VARIABLE]
    try:
        who, where = word.split("@")
        rank, ranks = (int(n) for n in who.split("/"))
        port, _, fd = where.partition("+")
        return rank, ranks, int(port), int(fd) if fd else None
    except ValueError:
        raise ArgumentError(f"{VARIABLE} is {word!r}, but must be RANK/RANKS@PORT: `python -m myriapod.distributed --processes N ..` sets it") from None


class Sockets:
    """timeout [s]: most that another process may let this one wait."""

    name = "sockets"

    def __init__(self, timeout: float) -> None:
        self.rank, self.ranks, port, fd = told()
        self._timeout, self._calls = timeout, 0
        self._others: dict[int, socket.socket] = {}
        if self.rank == 0:
            if fd is None:
                raise ArgumentError(f"{VARIABLE} of process 0 has no listening socket: `python -m myriapod.distributed --processes N ..` sets it")
            self._accept(fd)
        else:
            try:
                self._others[0] = socket.create_connection(("127.0.0.1", port), timeout)
            except OSError as error:
                raise JobError(f"process {self.rank} of {self.ranks}: process 0 cannot be reached: {error}") from None
            self._others[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._send(0, struct.pack("<Q", self.rank), time.monotonic() + timeout)

    def _accept(self, fd: int) -> None:
        until = time.monotonic() + self._timeout
        with socket.socket(fileno=fd) as listening:
            while len(self._others) < self.ranks - 1:
                listening.settimeout(max(until - time.monotonic(), 0.001))
                try:
                    other, _ = listening.accept()
                except TimeoutError:
                    missing = sorted(set(range(1, self.ranks)) - set(self._others))
                    raise JobError(f"process {missing[0]} of {self.ranks} did not come within {self._timeout:g} s") from None
                other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                word = bytearray(8)
                self._others[-1] = other
                self._receive(-1, memoryview(word), until)
                self._others[struct.unpack("<Q", word)[0]] = self._others.pop(-1)

    def gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
        """As `Transport` has it."""
        until, view = time.monotonic() + self._timeout, data.data
        total, call = begin[self.ranks], self._calls
        self._calls += 1
        own = view[begin[self.rank] : begin[self.rank + 1]]
        if self.rank:
            self._send(0, _HEAD.pack(call, total), until)
            self._send(0, own, until)
            self._expect(0, call, total, until)
            for part in (view[: begin[self.rank]], view[begin[self.rank + 1] : total]):
                self._receive(0, part, until)
            return
        for r in range(1, self.ranks):
            self._expect(r, call, total, until)
            self._receive(r, view[begin[r] : begin[r + 1]], until)
        for r in range(1, self.ranks):
            self._send(r, _HEAD.pack(call, total), until)
            for part in (view[: begin[r]], view[begin[r + 1] : total]):
                self._send(r, part, until)

    def _expect(self, other: int, call: int, total: int, until: float) -> None:
        head = bytearray(_HEAD.size)
        self._receive(other, memoryview(head), until)
        if _HEAD.unpack(head) != (call, total):
            theirs, many = _HEAD.unpack(head)
            raise JobError(f"process {other} of {self.ranks} exchanges {many} bytes in call {theirs}, process {self.rank} {total} bytes in call {call}: "
                           "they do not do the same")

    def _left(self, other: int, until: float) -> float:
        left = until - time.monotonic()
        if left <= 0:
            raise JobError(f"process {max(other, 0)} of {self.ranks} let process {self.rank} wait for longer than {self._timeout:g} s")
        return left

    def _lost(self, other: int, error: OSError | None) -> JobError:
        return JobError(f"process {max(other, 0)} of {self.ranks} is gone{f': {error}' if error else ''}")

    def _send(self, other: int, data: bytes | memoryview, until: float) -> None:
        to, view = self._others[other], memoryview(data)
        while len(view):
            to.settimeout(self._left(other, until))
            try:
                view = view[to.send(view) :]
            except TimeoutError:
                continue
            except OSError as error:
                raise self._lost(other, error) from None

    def _receive(self, other: int, view: memoryview, until: float) -> None:
        of = self._others[other]
        while len(view):
            of.settimeout(self._left(other, until))
            try:
                got = of.recv_into(view)
            except TimeoutError:
                continue
            except OSError as error:
                raise self._lost(other, error) from None
            if got == 0:
                raise self._lost(other, None)
            view = view[got:]

    def close(self) -> None:
        """The others see that this process is gone, in the next call that needs it."""
        for other in self._others.values():
            other.close()
        self._others.clear()
