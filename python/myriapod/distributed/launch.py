"""Processes of a job on this machine."""
from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

from .._library import ArgumentError
from .sockets import KEY_BYTES, VARIABLE

#: What a process that is told to end has before it is killed [s].
_GRACE = 1.0


def launch(command: Sequence[str], processes: int) -> int:
    """Runs `processes` processes of a command until all have ended well, or one of them badly: then the others are ended, too. Its exit code; of one that a signal
    ended 128 and its number; why is told on stderr. Ctrl-C, SIGTERM and SIGHUP go to all of them. ArgumentError: processes is below 1, or there is no such command."""
    if processes < 1:
        raise ArgumentError(f"processes is {processes}, but must be 1 at least")
    started: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, _frame: object) -> None:
        for process in started:
            process.send_signal(number)

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(processes)
        port, key = listening.getsockname()[1], secrets.token_hex(KEY_BYTES)
        before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
        try:
            for rank in range(processes):
                word = f"{rank}/{processes}@{port}:{key}" + (f"+{listening.fileno()}" if rank == 0 else "")
                fds = (listening.fileno(),) if rank == 0 else ()
                started.append(subprocess.Popen(command, env={**os.environ, VARIABLE: word}, pass_fds=fds, start_new_session=True))
            listening.close()
            return _wait(started)
        except OSError as error:
            raise ArgumentError(f"{command[0]}: {error}") from None
        finally:
            _end(started)
            for number, handler in before.items():
                signal.signal(number, handler)


def _wait(started: Sequence[subprocess.Popen[bytes]]) -> int:
    while True:
        codes = [process.poll() for process in started]
        for rank, code in enumerate(codes):
            if code:
                what = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
                print(f"process {rank} of {len(started)} {what}; the others are ended", file=sys.stderr)
                return 128 - code if code < 0 else code
        if None not in codes:
            return 0
        time.sleep(0.02)


def _end(started: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in started:
        if process.poll() is None:
            process.terminate()
    until = time.monotonic() + _GRACE
    for process in started:
        try:
            process.wait(max(until - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
