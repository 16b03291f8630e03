"""The solvers of Myriapod that take sparse problems of up to 100 000 contacts (`contact.solve_large`).
`seconds` is the library's `solve_s`, the factor of a matrix included."""
from __future__ import annotations

from typing import Any

from problem import Problem
from solver import Answer, Solver, ladder
from solver_myriapod import MODELS, SHORT, SWEEPS


def available() -> str:
    try:
        import scipy.sparse  # noqa: F401
        from myriapod.contact import solve_large  # noqa: F401
    except Exception as error:  # noqa: BLE001 a library that is not there, or of another version, has many ways to say so
        return f"not installed: what solve_large needs ({error})"
    return ""


def _solver(name: str, model: str) -> Solver:
    more: dict[str, Any] = {"max_sweeps": SWEEPS} if name in SHORT else {}

    def solve(problem: Problem, accuracy: float) -> Answer:
        from myriapod import contact
        from scipy import sparse

        G = sparse.csr_matrix(problem.G)

        def call(tolerance: float) -> Answer:
            solved = contact.solve_large(G, problem.c, problem.mu, solver=name, tolerance=tolerance, threads=1, **more)
            return Answer(solved.impulse.reshape(-1), solved.solve_s, solved.converged, solved.iterations, None, tolerance, solved.status)

        return ladder(problem, accuracy, model, call, first=0)

    return Solver(f"{name}, sparse", "Myriapod", model, False, solve, timed="solve_s", most=300000)


def solvers() -> dict[str, Solver]:
    from myriapod._library import ffi, lib

    found: dict[str, Solver] = {}
    index = 0
    while lib.myr_solver_name(index) != ffi.NULL:
        name = ffi.string(lib.myr_solver_name(index)).decode()
        if lib.myr_solver_large_refusal(name.encode()) == ffi.NULL:
            solver = _solver(name, MODELS[ffi.string(lib.myr_solver_model(index)).decode()])
            found[solver.name] = solver
        index += 1
    return found
