"""An object of the library that is closed by hand: one call at a time, and none after the end."""
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ._library import StateError, ffi


class Handle:
    """`with handle as c:` gives the library's pointer and keeps other threads out meanwhile; StateError once it is closed.

    The same thread may enter again. The memory goes with the last holder of `memory`; the pointer itself holds nothing, so that an
    exception's traceback, with the pointer in its frames, does not keep a closed batch."""

    def __init__(self, pointer: Any, free: Callable[[Any], Any], what: str) -> None:
        self.memory = ffi.gc(pointer, free)
        self._pointer, self._what = pointer, what
        self._lock = threading.RLock()
        self._in_use: list[Any] = []  # of the calls going on in one thread: a signal handler may close between two lines of one

    def __enter__(self) -> Any:
        self._lock.acquire()
        if self.memory is None:
            self._lock.release()
            raise StateError(f"the {self._what} is closed")
        self._in_use.append(self.memory)
        return self._pointer

    def __exit__(self, *_: object) -> None:
        self._in_use.pop()
        self._lock.release()

    def close(self) -> None:
        """Give the memory up, when the call of another thread has ended. Twice is fine."""
        with self._lock:
            self.memory = None

    def take(self) -> Any:
        """The pointer, for a caller who frees it now; None: it is closed. The handle is closed then. StateError: a call is going on."""
        with self._lock:
            if self.memory is None:
                return None
            if self._in_use:
                raise StateError(f"the {self._what} is in use")
            ffi.gc(self.memory, None)
            self.memory = None
            return self._pointer
