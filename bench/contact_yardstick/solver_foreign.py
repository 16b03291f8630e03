"""A solver of your own in the leaderboard: `--solver FILE.py:function` or `--solver FILE.so:function`, in a process with a time limit.

Python: `function(G, c, mu, rows)` of NumPy arrays (problem.Problem has the shapes) returns the impulses, (m,), or a pair of them and whether it takes them for
solved. A fifth parameter `accuracy`, where it has one, is what is wanted. Without that word an answer that misses is `not solved`, never `wrong`.
C: foreign_solver.h. `seconds` is the time of the call; of C some 2 us of it are Python's, on the way in and out."""
from __future__ import annotations

import ctypes
import importlib.util
import inspect
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from problem import Problem
from solver import Answer, Failed, Solver, fastest

_clock = time.perf_counter  # held before a foreign file is loaded


def available() -> str:
    return ""


def split(given: str) -> tuple[pathlib.Path, str]:
    """FILE:function. Failed where the word is of another form, or the file is not there."""
    file, colon, function = given.rpartition(":")
    path = pathlib.Path(file)
    if not colon or not file or not function.isidentifier() or path.suffix not in (".py", ".so"):
        raise Failed(f"--solver {given}: must be FILE.py:function or FILE.so:function")
    if not path.is_file():
        raise Failed(f"--solver {given}: there is no file {file}")
    return path.resolve(), function


def row_name(given: str) -> str:
    path, function = split(given)
    return f"{path.name}:{function}"


def _python(path: pathlib.Path, function: str) -> Callable[[Problem, float], Answer]:
    where = f"{path.name}:{function}"
    spec = importlib.util.spec_from_file_location(f"foreign_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # noqa: BLE001 a file may raise what it likes, and leave
        raise Failed(f"{path.name}: its import raises {type(error).__name__}: {error}") from None
    solve = getattr(module, function, None)
    if not callable(solve):
        raise Failed(f"{path.name} has no function {function}")
    wants = "accuracy" in inspect.signature(solve).parameters

    def call(p: Problem, accuracy: float) -> Answer:
        arguments = [np.array(x) for x in (p.G, p.c, p.mu, p.rows)]  # its own: what it writes there changes no problem
        more = {"accuracy": accuracy} if wants else {}
        began = _clock()
        try:
            came = solve(*arguments, **more)
        except BaseException as error:  # noqa: BLE001
            raise Failed(f"{where} raises {type(error).__name__}: {error}") from None
        seconds = _clock() - began
        impulse, said = came if isinstance(came, tuple) and len(came) == 2 else (came, None)
        return Answer(checked(impulse, p, where), seconds, None if said is None else bool(said), tolerance=accuracy if wants else float("nan"))

    return call


def checked(came: Any, p: Problem, where: str) -> np.ndarray:
    """The impulses that came back; Failed with what came, where they cannot be some."""
    try:
        impulse = np.asarray(came, dtype=np.float64)
    except (TypeError, ValueError):
        raise Failed(f"{where} returns {type(came).__name__}, not impulses of shape ({len(p.c)},)") from None
    if impulse.shape != p.c.shape:
        raise Failed(f"{where} returns impulses of shape {impulse.shape}, not ({len(p.c)},)")
    if not np.all(np.isfinite(impulse)):
        bad = int(np.flatnonzero(~np.isfinite(impulse))[0])
        raise Failed(f"{where} returns {impulse[bad]} as impulse {bad} of {len(p.c)}")
    return impulse


def _c(path: pathlib.Path, function: str) -> Callable[[Problem, float], Answer]:
    where = f"{path.name}:{function}"
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise Failed(f"{path.name} cannot be loaded: {error}") from None
    try:
        solve = getattr(library, function)
    except AttributeError:
        raise Failed(f"{path.name} has no function {function}") from None
    solve.restype = ctypes.c_int

    def call(p: Problem, accuracy: float) -> Answer:
        held = [np.array(x, dtype=np.float64, order="C") for x in (p.G, p.c, p.mu, p.rows, np.zeros(len(p.c)))]
        G, c, mu, rows, impulse = (ctypes.c_void_p(x.ctypes.data) for x in held)
        counts, wanted = (ctypes.c_int(p.contacts), ctypes.c_int(len(p.rows))), ctypes.c_double(accuracy)
        began = _clock()
        said = solve(*counts, G, c, mu, rows, wanted, impulse)
        seconds = _clock() - began
        if said < 0:
            raise Failed(f"{where} returns {said}: it has no answer")
        return Answer(checked(held[4], p, where), seconds, said == 0, tolerance=accuracy)

    return call


def solvers(given: str) -> dict[str, Solver]:
    """The one solver of FILE:function. It is loaded when it is first called, in the process that calls it."""
    path, function = split(given)
    loaded: list[Callable[[Problem, float], Answer]] = []

    def solve(problem: Problem, accuracy: float) -> Answer:
        if not loaded:
            loaded.append((_python if path.suffix == ".py" else _c)(path, function))
        return fastest(loaded[0](problem, accuracy), lambda: loaded[0](problem, accuracy))

    name = f"{path.name}:{function}"
    return {name: Solver(name, "yours", "full", True, solve, timed="the call")}
