"""The eighteen solvers of Myriapod, through its Python package. Their tolerance is measured nearly as the judge measures: the judge divides the product of
impulse and velocity by the larger of the two. So their ladder begins at the accuracy itself, where others' begins at 1000 times that.

`seconds` is the library's `solve_s`: the solver on a tile that was laid out before, without checks, copies and measures. One at a time: one lane of the
tile is busy. Side by side: a tile's time over the problems that share it, the slowest of them included."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from problem import Problem
from solver import REPEAT, Answer, Solver, dense, ladder, near

#: A set that took longer is not solved again for its time [s].
LONG_SET = 1.0
#: The engine's names of models, and the yardstick's.
MODELS = {"ncp": "full", "ccp": "convex", "box": "box", "diamond": "diamond", "dissipation": "hwangbo"}
#: Solvers whose default of 50 sweeps is for steps that go on from the last one: here they have what others' sweeps have. All other caps are the defaults.
SHORT, SWEEPS = ("nsgs", "bisection"), 20000
SOFT = ("newton-diag", "newton-compliant")
DENSE_MOST = 600  #: numbers of the largest problem for lanes: beyond it dense solvers take seconds; solver_myriapod_large.py has sparse ones


def available() -> str:
    try:
        import myriapod.contact  # noqa: F401
    except Exception as error:  # noqa: BLE001 a library that is not there, or of another version, has many ways to say so
        return f"not installed: myriapod ({error})"
    return ""


def _arguments(p: Problem) -> dict[str, Any]:
    n = 3 * p.contacts
    G = dense(p)
    return {"G": G, "c": p.c[:n], "mu": p.mu, "rows": p.rows, "row_c": p.c[n:], "patches": p.patches}


def _answer(solved: Any, tolerance: float) -> Answer:
    impulse = np.concatenate([solved.impulse.reshape(-1), solved.row_impulse])
    R = np.concatenate([solved.R.reshape(-1), solved.row_R])
    return Answer(impulse, solved.solve_s, solved.converged, solved.iterations, R if np.any(R) else None, tolerance, solved.status)


def _solver(name: str, model: str) -> Solver:
    said = "convex, soft" if name in SOFT else model

    more = {"max_sweeps": SWEEPS} if name in SHORT else {}

    def solve(problem: Problem, accuracy: float) -> Answer:
        from myriapod import contact

        given = _arguments(problem)
        return ladder(problem, accuracy, said, lambda t: _answer(contact.solve(**given, solver=name, tolerance=t, precision="f64", **more), t), first=0)

    def solve_set(problems: Sequence[Problem], accuracy: float, precision: str) -> list[Answer]:
        from myriapod import contact

        given = [_arguments(p) for p in problems]
        lists = {key: [of[key] for of in given] for key in given[0]}

        def call(tolerance: float) -> list[Answer]:
            best: list[Answer] = []
            for _ in range(REPEAT):  # the fastest of three as a whole: tiles end together
                solved = [_answer(s, tolerance) for s in contact.solve(**lists, solver=name, tolerance=tolerance, precision=precision, **more)]
                if not best or sum(a.seconds for a in solved) < sum(a.seconds for a in best):
                    best = solved
                if sum(a.seconds for a in solved) > LONG_SET:
                    break
            return best

        confirmed = lambda answers: sum(near(p, a, said) <= accuracy for p, a in zip(problems, answers, strict=True))
        answers = call(accuracy)
        if confirmed(answers) < len(answers) and precision == "f64":  # the whole set has one tolerance: a tenth where that confirms more
            tighter = call(0.1 * accuracy)
            answers = tighter if confirmed(tighter) > confirmed(answers) else answers
        return answers

    return Solver(name, "Myriapod", said, True, solve, solve_set, "solve_s", most=DENSE_MOST)


def solvers() -> dict[str, Solver]:
    from myriapod._library import ffi, lib

    found: dict[str, Solver] = {}
    index = 0
    while lib.myr_solver_name(index) != ffi.NULL:
        name = ffi.string(lib.myr_solver_name(index)).decode()
        found[name] = _solver(name, MODELS[ffi.string(lib.myr_solver_model(index)).decode()])
        index += 1
    return found
