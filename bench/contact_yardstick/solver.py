"""The face that every contact solver of the leaderboard shows, ours and others': an adapter is a file `solver_NAME.py` with

    available() -> str                     "" or why its solvers cannot run here
    solvers() -> dict[str, Solver]         by the name of their row

Adapters run in processes of their own (worker.py); what they answer is judged in another (judge.py)."""
from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from law_models import distance
from problem import Problem


class Failed(Exception):
    """No answer came, or none that could be one; `str` says why, by file and function where those are a user's."""


class TooLate(Failed):
    """The process was ended at its time limit."""


def dense(problem: Problem) -> np.ndarray:
    """G as an array, where it is sparse too."""
    return problem.G.toarray() if hasattr(problem.G, "toarray") else problem.G


@dataclass
class Answer:
    """What a solver says. It is not believed: judge.py measures the impulse."""

    impulse: np.ndarray  #: (m,) [N s]
    seconds: float  #: in the solver alone
    converged: bool | None  #: as the solver says; None: it says nothing of it
    iterations: int = -1  #: -1: it does not say
    R: np.ndarray | None = None  #: (m,) compliance that it worked with [1/kg]
    tolerance: float = float("nan")  #: the tolerance that it was called with, in its own measure
    word: str = ""  #: its status, in its words


@dataclass(frozen=True)
class Solver:
    name: str
    engine: str
    model: str  #: one of law_models.MODELS
    rows: bool  #: takes scalar rows
    solve: Callable[[Problem, float], Answer]  #: of a problem and the accuracy wanted
    solve_set: Callable[[Sequence[Problem], float, str], list[Answer]] | None = None  #: problems side by side in lanes, in a precision "f64" or "f32"
    timed: str = ""  #: what `seconds` is the time of
    most: int = 3000  #: numbers m of the largest problem that it takes


#: A call that took longer than this is not made again for its time [s].
LONG = 0.05
#: Times that a shorter call is made; the fastest counts.
REPEAT = 3
#: No further call of a ladder starts after this [s]; worker.py makes it a part of the time limit.
LADDER_S = 4.0


def ladder(problem: Problem, accuracy: float, model: str, call: Callable[[float], Answer], first: int = 3, last: float = 1e-15) -> Answer:
    """The benefit of the doubt, for solvers whose tolerance is measured in another way than ours: called with 10^first, ..., 10, 1, 1/10, ... times the
    accuracy, down to `last`, until law_models.distance confirms the answer; the time is that of this one call, the fastest of three. If none is confirmed: the
    answer of the tightest call that the solver says to have converged, or else of the last. A word of convergence counts from a tolerance of
    the accuracy on."""
    began, power = time.perf_counter(), first
    said: Answer | None = None
    answer: Answer | None = None
    while (tolerance := accuracy * 10.0**power) >= last and (answer is None or time.perf_counter() - began < LADDER_S):
        answer = call(tolerance)
        answer.tolerance = tolerance
        if near(problem, answer, model) <= accuracy:
            return fastest(answer, lambda t=tolerance: call(t))
        if answer.converged:
            said = answer
        elif said is not None or tolerance <= accuracy:
            break  # it gave up: a tighter call walks the same way to the same end
        power -= 1
    assert answer is not None
    if said is not None and said.tolerance <= accuracy:
        return said
    if answer.converged:
        answer.converged, answer.word = False, f"{answer.word}, but not asked for the accuracy in time"
    return answer


def near(problem: Problem, answer: Answer, model: str) -> float:
    """How far an answer is from the model that its solver is for, scale-free; of another shape: infinite."""
    if np.shape(answer.impulse) != np.shape(problem.c):
        return float("inf")
    return distance(problem, answer.impulse, model, answer.R)


def fastest(answer: Answer, call: Callable[[], Answer]) -> Answer:
    """The same call again while it is short: what it takes when nothing else does."""
    for _ in range(REPEAT - 1):
        if answer.seconds > LONG:
            break
        answer.seconds = min(answer.seconds, call().seconds)
    return answer
