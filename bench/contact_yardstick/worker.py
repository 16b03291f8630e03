"""Solvers run in processes of their own, with a time limit for each problem: one that hangs, crashes or scribbles takes nothing with it.

A request is JSON, an answer is JSON and bytes of doubles: nothing that a foreign solver sends is executed. The time that Python and the pipe take is charged
to no solver: its `seconds` are measured around its own call, by its adapter."""
from __future__ import annotations

import importlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import solver as solver_module
from problem import Problem
from solver import Answer, Failed, Solver, TooLate

#: What a process may take to start and import [s].
START_S = 60.0
_ARRAYS = ("G", "c", "mu", "rows", "patches")
_SAID = ("seconds", "converged", "iterations", "tolerance", "word")


def pack(problems: Sequence[Problem]) -> bytes:
    """A set of problems as the bytes of an npz."""
    arrays: dict[str, np.ndarray] = {}
    for i, p in enumerate(problems):
        for name in _ARRAYS:
            value = getattr(p, name)
            if value is not None:
                arrays[f"{i}/{name}"] = value.toarray() if hasattr(value, "toarray") else value
        arrays[f"{i}/id"] = np.array(f"{p.set}\n{p.id}")
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def unpack(data: bytes) -> list[Problem]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        count = sum(name.endswith("/id") for name in file.files)
        return [Problem(*str(file[f"{i}/id"]).split("\n", 1), *(file[f"{i}/{name}"] for name in _ARRAYS[:4]),
                        file[f"{i}/patches"] if f"{i}/patches" in file.files else None) for i in range(count)]


class Worker:
    """A process that runs one adapter's solvers on one set. `with Worker("solver_siconos", problems) as w: w.solve("NSGS", 3, 1e-8, limit=10)`.

    module: of the adapter; arguments: what its solvers() is given (a foreign solver's FILE:function). It starts when it is first asked, and again after it
    was ended."""

    def __init__(self, module: str, problems: Sequence[Problem], arguments: Sequence[str] = ()) -> None:
        self.module, self.problems, self.arguments = module, problems, list(arguments)
        self._packed: bytes | None = None
        self._errors = tempfile.TemporaryFile()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._errors.close()

    def solve(self, name: str, index: int, accuracy: float, limit: float) -> Answer:
        """Solve problem `index`. Failed: no answer; TooLate: none within `limit` seconds, and the process is ended."""
        return self._answers({"name": name, "index": index, "accuracy": accuracy, "limit": limit}, limit, 1)[0]

    def solve_set(self, name: str, indices: Sequence[int], accuracy: float, precision: str, limit: float) -> list[Answer]:
        """Solve these problems side by side, by a solver that has lanes."""
        return self._answers({"name": name, "indices": list(indices), "accuracy": accuracy, "precision": precision}, limit, len(indices))

    def end(self) -> None:
        if self._process is not None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)  # and what it started
            except ProcessLookupError:
                pass
            self._process.wait()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _start(self) -> None:
        ours, theirs = os.pipe(), os.pipe()  # requests, answers
        self._errors.seek(0)  # where the process writes, too
        self._errors.truncate(0)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        command = [sys.executable, "-B", str(pathlib.Path(__file__).resolve()), str(ours[0]), str(theirs[1]), self.module, *self.arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors, pass_fds=(ours[0], theirs[1]),
                                         env=environment, start_new_session=True)
        os.close(ours[0])
        os.close(theirs[1])
        self._pipe = _Pair(theirs[0], ours[1])  # type: ignore[assignment]
        if self._packed is None:
            self._packed = pack(self.problems)
        self._ask(self._packed, START_S)

    def _ask(self, data: bytes, limit: float) -> bytes:
        assert self._pipe is not None and self._process is not None
        try:
            self._pipe.send_bytes(data)
            if not self._pipe.poll(limit):
                self.end()
                raise TooLate(f"no answer within {limit:g} s: its process was ended")
            head = json.loads(self._pipe.recv_bytes())
            if "error" in head:
                raise Failed(head["error"])
            return self._pipe.recv_bytes() if head.get("more") else b""
        except (EOFError, OSError, ValueError):  # ValueError: what came is not an answer
            try:
                code = self._process.wait(1)
            except subprocess.TimeoutExpired:
                code = None
            self.end()
            raise Failed(_death(code) + self._last_words()) from None

    def _last_words(self) -> str:
        """The last line that it wrote on its standard error."""
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 1000))
        lines = self._errors.read().decode(errors="replace").split("\n")
        return next((f": {line.strip()[-200:]}" for line in reversed(lines) if line.strip()), "")

    def _answers(self, request: dict[str, Any], limit: float, count: int) -> list[Answer]:
        if self._process is None:
            self._start()
        body = self._ask(json.dumps(request).encode(), limit)
        said, numbers = body.split(b"\n", 1)
        flat = np.frombuffer(numbers)
        answers, at = [], 0
        for head in json.loads(said):
            shape, has_R = head.pop("shape"), head.pop("R")
            size = int(np.prod(shape))
            impulse, at = flat[at:at + size].reshape(shape), at + size
            R, at = (flat[at:at + size], at + size) if has_R else (None, at)
            answers.append(Answer(impulse, R=R, **head))
        if len(answers) != count:
            raise Failed(f"{len(answers)} answers came to {count} problems")
        return answers


class _Pair:
    """Two ends of two pipes as one connection."""

    def __init__(self, reads: int, writes: int) -> None:
        self._in, self._out = Connection(reads, writable=False), Connection(writes, readable=False)
        self.poll, self.recv_bytes, self.send_bytes = self._in.poll, self._in.recv_bytes, self._out.send_bytes

    def close(self) -> None:
        self._in.close()
        self._out.close()


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        return f"its process died of {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}" if code is not None else "its process sent what is not an answer"


def _reply(pipe: _Pair, answers: Sequence[Answer]) -> None:
    heads, numbers = [], []
    for a in answers:
        impulse = np.ascontiguousarray(a.impulse, dtype=np.float64)
        head = {name: getattr(a, name) for name in _SAID}
        head["converged"] = None if a.converged is None else bool(a.converged)
        head["seconds"], head["iterations"], head["tolerance"] = float(a.seconds), int(a.iterations), float(a.tolerance)
        heads.append({**head, "shape": list(impulse.shape), "R": a.R is not None})
        numbers.append(impulse.tobytes() + (b"" if a.R is None else np.ascontiguousarray(a.R, dtype=np.float64).tobytes()))
    pipe.send_bytes(b'{"more": true}')
    pipe.send_bytes(json.dumps(heads).encode() + b"\n" + b"".join(numbers))


def main(reads: str, writes: str, module: str, *arguments: str) -> None:
    """The process: the set first, then requests until none comes any more."""
    pipe = _Pair(int(reads), int(writes))
    problems = unpack(pipe.recv_bytes())
    solvers: dict[str, Solver] | None = None
    pipe.send_bytes(b"{}")
    while True:
        try:
            request = json.loads(pipe.recv_bytes())
        except EOFError:
            return
        try:
            if solvers is None:
                solvers = importlib.import_module(module).solvers(*arguments)
            solver = solvers[request["name"]]
            if "index" in request:
                solver_module.LADDER_S = 0.4 * request["limit"]
                answers = [solver.solve(problems[request["index"]], request["accuracy"])]
            else:
                assert solver.solve_set is not None
                answers = solver.solve_set([problems[i] for i in request["indices"]], request["accuracy"], request["precision"])
            _reply(pipe, answers)
        except Failed as failed:
            pipe.send_bytes(json.dumps({"error": str(failed)}).encode())
        except BaseException as error:  # noqa: BLE001 whatever a solver does is an answer, too: sys.exit as well
            where = traceback.extract_tb(error.__traceback__)[-1]
            pipe.send_bytes(json.dumps({"error": f"{type(error).__name__}: {error} ({pathlib.Path(where.filename).name}, line {where.lineno})"}).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
