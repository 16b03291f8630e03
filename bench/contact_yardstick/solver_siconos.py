"""Siconos' solvers, by its C library (Debian: libsiconos-numerics-dev): siconos_solver.c is compiled when it is first needed, and loaded in the
worker's process. They know no scalar rows.

For their benefit: impulses and velocities are given to them in the problem's own units (largest |c| 1, largest mobility 1), as their error is a sum of both;
and they are called with looser and tighter tolerances until the law confirms (solver.ladder). `seconds` is the time of fc3d_driver alone, in C. Not in this
table: IPM, which Siconos 4.4 has for the convex law of global problems only; PATH and GAMS, which Debian does not build."""
from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

from problem import Problem
from solver import Answer, Failed, Solver, dense, ladder

SOURCE = pathlib.Path(__file__).resolve().with_name("siconos_solver.c")
#: SOCLCP is of the second-order cone problem without the lift of sliding contacts; the others are of the full law.
CONVEX = ("SOCLCP",)
INCLUDE = pathlib.Path(os.environ.get("SICONOS_INCLUDE", "/usr/include/siconos"))


def available() -> str:
    if not any((INCLUDE / "numerics").glob("FrictionContactProblem.h")):
        return f"not installed: Siconos (Debian: libsiconos-numerics-dev), no {INCLUDE}/numerics/FrictionContactProblem.h"
    if shutil.which("cc") is None:
        return "not installed: a C compiler `cc`, for siconos_solver.c"
    try:
        _library()
    except Failed as failed:
        return str(failed)
    return ""


@functools.cache
def _library() -> ctypes.CDLL:
    """Compiled once for each text of the source, into a folder of the user's alone."""
    mark = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "myriapod-yardstick"
    library = folder / f"siconos_solver-{mark}.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as made:
            new = pathlib.Path(made) / "new.so"
            command = ["cc", "-O2", "-shared", "-fPIC", f"-I{INCLUDE}", f"-I{INCLUDE / 'numerics'}", "-o", str(new), str(SOURCE), "-lsiconos_numerics"]
            said = subprocess.run(command, capture_output=True, text=True)
            if said.returncode != 0:
                raise Failed(f"{SOURCE.name} does not compile: {' '.join(said.stderr.split())[:300]}")
            new.rename(library)
    try:
        loaded = ctypes.CDLL(str(library))
    except OSError as error:
        raise Failed(f"Siconos cannot be loaded: {error}") from None
    loaded.yardstick_name.restype = ctypes.c_char_p
    return loaded


def _turned(contacts: int) -> np.ndarray:
    """Where (N, T1, T2) of each contact are among (x, y, z)."""
    return (3 * np.arange(contacts)[:, None] + np.array([2, 0, 1])).reshape(-1)


def _solver(number: int, name: str) -> Solver:
    def solve(problem: Problem, accuracy: float) -> Answer:
        if len(problem.rows):
            raise Failed("Siconos knows no scalar rows")
        place = _turned(problem.contacts)
        G = dense(problem)
        vs, mobility = float(np.max(np.abs(problem.c), initial=0.0)) or 1.0, float(np.max(G.diagonal().reshape(-1, 3).mean(axis=1), initial=0.0)) or 1.0
        M, q, mu = (np.ascontiguousarray(x) for x in (G[np.ix_(place, place)] / mobility, problem.c[place] / vs, problem.mu))

        def call(tolerance: float) -> Answer:
            reaction, seconds, iterations = np.zeros(len(q)), ctypes.c_double(), ctypes.c_int()
            given = [ctypes.c_void_p(x.ctypes.data) for x in (M, q, mu)]
            said = _library().yardstick_solve(number, problem.contacts, *given, ctypes.c_double(tolerance), ctypes.c_void_p(reaction.ctypes.data),
                                              ctypes.byref(seconds), ctypes.byref(iterations))
            impulse = np.empty(len(q))
            impulse[place] = reaction * (vs / mobility)
            return Answer(impulse, seconds.value, said == 0, iterations.value, word="converged" if said == 0 else f"info {said}")

        return ladder(problem, accuracy, model, call)

    model = "convex" if name in CONVEX else "full"
    return Solver(f"Siconos {name}", "Siconos", model, False, solve, timed="fc3d_driver")


def solvers() -> dict[str, Solver]:
    found: dict[str, Solver] = {}
    number = 0
    while (name := _library().yardstick_name(number)) is not None:
        solver = _solver(number, name.decode())
        found[solver.name] = solver
        number += 1
    return found
