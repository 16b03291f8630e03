"""A job of one machine by sockets of its own: each process sends its part to the first one, which sends all parts back. What
`python -m myriapod.distributed` starts has them; nothing else is needed."""
from __future__ import annotations

import hmac
import os
import selectors
import socket
import struct
import time
from collections.abc import Sequence

import numpy as np

from .._library import ArgumentError
from .errors import JobError

#: `RANK/RANKS@PORT:KEY`, and of the first process `+FD`: the socket that listens there. The key tells processes of the job from other programs.
VARIABLE = "MYRIAPOD_JOB"
KEY_BYTES = 16
#: Before what is sent: which call of the job it is of, and how many bytes follow.
_HEAD = struct.Struct("<QQ")
#: What a process says first: the key and its rank.
_HELLO = struct.Struct(f"<{KEY_BYTES}sQ")
#: In place of a call's number: what follows is a text, why the first process gave the job up.
_GIVEN_UP = (1 << 64) - 1
#: What the others wait longer than the first process, as a part of the timeout [s] and at most [s]: it knows who is late, and tells them.
_LONGER, _LONGER_MOST = 0.25, 2.0


def told() -> tuple[int, int, int, bytes, int | None]:
    """Rank, ranks, port, key and the listening socket, from the environment, where they stand no longer then: processes that this one starts are not of
    the job. ArgumentError: it is not as `launch` writes it."""
    word = os.environ.pop(VARIABLE)
    try:
        who, where = word.split("@")
        rank, ranks = (int(n) for n in who.split("/"))
        where, _, fd = where.partition("+")
        port, key = where.split(":")
        return rank, ranks, int(port), bytes.fromhex(key), int(fd) if fd else None
    except ValueError:
        raise ArgumentError(f"{VARIABLE} is {word!r}, but must be RANK/RANKS@PORT:KEY: `python -m myriapod.distributed --processes N ..` sets it") from None


class Sockets:
    """timeout [s]: most that another process may let this one wait."""

    name = "sockets"

    def __init__(self, timeout: float) -> None:
        self.rank, self.ranks, port, key, fd = told()
        self._timeout, self._calls = timeout, 0
        self._others: dict[int, socket.socket] = {}
        if self.rank == 0:
            if fd is None:
                raise ArgumentError(f"{VARIABLE} of process 0 has no listening socket: `python -m myriapod.distributed --processes N ..` sets it")
            self._accept(fd, key)
            return
        try:
            self._others[0] = socket.create_connection(("127.0.0.1", port), timeout)
        except OSError as error:
            raise JobError(f"process {self.rank} of {self.ranks}: process 0 cannot be reached: {error}") from None
        self._others[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._send(0, _HELLO.pack(key, self.rank), time.monotonic() + timeout)

    def _accept(self, fd: int, key: bytes) -> None:
        """All others come, in any order, and say who they are; who else comes, or says nothing, is not waited for."""
        until, said = time.monotonic() + self._timeout, {}
        with socket.socket(fileno=fd) as listening, selectors.DefaultSelector() as waiting:
            listening.setblocking(False)
            waiting.register(listening, selectors.EVENT_READ)
            while len(self._others) < self.ranks - 1:
                ready = waiting.select(max(until - time.monotonic(), 0.0))
                if not ready and time.monotonic() >= until:
                    missing = sorted(set(range(1, self.ranks)) - set(self._others))
                    raise JobError(f"process {', '.join(map(str, missing))} of {self.ranks} did not come within {self._timeout:g} s")
                for at, _ in ready:
                    if at.fileobj is listening:
                        other, _ = listening.accept()
                        other.setblocking(False)
                        waiting.register(other, selectors.EVENT_READ)
                        said[other] = b""
                        continue
                    assert isinstance(at.fileobj, socket.socket)
                    self._hear(at.fileobj, said, key, waiting)
            for other in said:
                other.close()

    def _hear(self, other: socket.socket, said: dict[socket.socket, bytes], key: bytes, waiting: selectors.BaseSelector) -> None:
        try:
            word = other.recv(_HELLO.size - len(said[other]))
        except OSError:
            word = b""
        said[other] += word
        if word and len(said[other]) < _HELLO.size:
            return
        waiting.unregister(other)
        theirs, rank = _HELLO.unpack(said.pop(other).ljust(_HELLO.size, b"\0"))
        if hmac.compare_digest(theirs, key) and 0 < rank < self.ranks and rank not in self._others:
            other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._others[rank] = other
        else:
            other.close()

    def gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
        """As `Transport` has it."""
        until, view = time.monotonic() + self._timeout, data.data
        total, call = begin[self.ranks], self._calls
        self._calls += 1
        if self.rank:
            until += min(_LONGER * self._timeout, _LONGER_MOST)
            try:
                self._send(0, _HEAD.pack(call, total), until)
                self._send(0, view[begin[self.rank] : begin[self.rank + 1]], until)
            except JobError:
                self._expect(0, call, total, time.monotonic() + 0.1)  # does it tell why it is gone?
                raise
            self._expect(0, call, total, until)
            for part in (view[: begin[self.rank]], view[begin[self.rank + 1] : total]):
                self._receive(0, part, until)
            return
        busy = 0  # who is in the middle of a parcel understands nothing else
        try:
            self._collect(view, begin, call, until)
            for r in self._others:
                busy = r
                self._send(r, _HEAD.pack(call, total), until)
                for part in (view[: begin[r]], view[begin[r + 1] : total]):
                    self._send(r, part, until)
        except JobError as error:
            self._give_up([r for r in self._others if r != busy], str(error))
            raise

    def _collect(self, view: memoryview, begin: Sequence[int], call: int, until: float) -> None:
        """The parts of all others, in the order in which they come. Who has sent its part says nothing more: what is read from it then is its end."""
        heads = {r: bytearray(_HEAD.size) for r in self._others}
        wanted = {r: memoryview(head) for r, head in heads.items()}
        with selectors.DefaultSelector() as waiting:
            for r, other in self._others.items():
                waiting.register(other, selectors.EVENT_READ, r)
            while wanted:
                ready = waiting.select(max(until - time.monotonic(), 0.0))
                if not ready and time.monotonic() >= until:
                    raise JobError(f"process {', '.join(map(str, sorted(wanted)))} of {self.ranks} let process 0 wait for longer than {self._timeout:g} s")
                for at, _ in ready:
                    r = at.data
                    if r not in wanted:
                        raise self._lost(r, None)
                    wanted[r] = wanted[r][self._some(r, wanted[r]) :]
                    if not wanted[r] and r in heads:
                        self._check(r, heads.pop(r), call, begin[-1])
                        wanted[r] = view[begin[r] : begin[r + 1]]
                    if not wanted[r]:
                        del wanted[r]

    def _some(self, other: int, view: memoryview) -> int:
        """Receives what is there, at least a byte; the socket's own timeout holds, if it has one."""
        try:
            got = self._others[other].recv_into(view)
        except (TimeoutError, BlockingIOError):
            return 0
        except OSError as error:
            raise self._lost(other, error) from None
        if got == 0:
            raise self._lost(other, None)
        return got

    def _give_up(self, others: Sequence[int], why: str) -> None:
        """Tells others, as far as they can be told without waiting."""
        text = why.encode()
        for r in others:
            try:
                self._others[r].setblocking(False)
                self._others[r].send(_HEAD.pack(_GIVEN_UP, len(text)) + text)
            except OSError:
                pass

    def _expect(self, other: int, call: int, total: int, until: float) -> None:
        head = bytearray(_HEAD.size)
        self._receive(other, memoryview(head), until)
        self._check(other, head, call, total, until)

    def _check(self, other: int, head: bytearray, call: int, total: int, until: float = 0.0) -> None:
        theirs, many = _HEAD.unpack(head)
        if theirs == _GIVEN_UP and other == 0:
            text = bytearray(many)
            self._receive(other, memoryview(text), until)
            raise JobError(text.decode())
        if (theirs, many) != (call, total):
            raise JobError(f"process {other} of {self.ranks} exchanges {many} bytes in call {theirs}, process {self.rank} {total} bytes in call {call}: "
                           "they do not do the same")

    def _left(self, other: int, until: float) -> float:
        left = until - time.monotonic()
        if left <= 0:
            raise JobError(f"process {other} of {self.ranks} let process {self.rank} wait for longer than {self._timeout:g} s")
        return left

    def _lost(self, other: int, error: OSError | None) -> JobError:
        return JobError(f"process {other} of {self.ranks} is gone{f': {error}' if error else ''}")

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
        while len(view):
            self._others[other].settimeout(self._left(other, until))
            view = view[self._some(other, view) :]

    def close(self) -> None:
        """The others see that this process is gone, in the next call that needs it."""
        for other in self._others.values():
            other.close()
        self._others.clear()

    def abort(self, code: int) -> None:
        """The launcher ends the others when this process has ended."""
