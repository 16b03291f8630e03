"""Myriapod's solvers with caps of their own on iterations, and once: for problems that no solver closes (failures.py)."""
from __future__ import annotations

from problem import Problem
from solver import Answer, Solver
from solver_myriapod import _answer, _arguments, available  # noqa: F401


def solvers(max_sweeps: str) -> dict[str, Solver]:
    from myriapod import contact

    def of(name: str) -> Solver:
        def solve(problem: Problem, accuracy: float) -> Answer:
            return _answer(contact.solve(**_arguments(problem), solver=name, tolerance=0.1 * accuracy, precision="f64", max_sweeps=int(max_sweeps)), accuracy)

        return Solver(name, "Myriapod", "full", True, solve)

    return {name: of(name) for name in ("hybrid", "admm-ncp", "ipm-cone", "nsgs", "staggered")}
