"""Answers of contact solvers, judged from outside: by impulses alone, in a process that no solver runs in. A solver's own word decides one thing only:
whether an answer that misses the law is `wrong` (it said converged) or `not solved` (it said so itself, or said nothing)."""
from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from law_models import distance
from problem import Problem, violation
from solver import Answer, Failed, Solver, TooLate
from worker import Worker

#: An answer said to be converged is wrong beyond this many times the accuracy. Between once and ten times it is `not solved`: norms (largest or Euclidean,
#: product divided or not, units) differ from solver to solver by such factors, and that is a matter of definition. A whole digit beyond them is not.
WRONG = 10.0
VERDICTS = ("solved", "wrong", "not solved", "failed")


@dataclass
class Verdict:
    verdict: str  #: one of VERDICTS
    distance: float = float("inf")  #: from the solver's own model, scale-free
    full: float = float("inf")  #: from the full law
    seconds: float = float("inf")  #: in the solver
    iterations: int = -1
    tolerance: float = float("nan")  #: that it was called with, in its own measure
    word: str = ""  #: the solver's status, or why there is no answer
    late: bool = False  #: no answer in time


def judge(problem: Problem, answer: Answer, accuracy: float, model: str) -> Verdict:
    """Measure one answer. Not finite, or of another shape: failed."""
    impulse = np.asarray(answer.impulse)
    if impulse.shape != problem.c.shape:
        return Verdict("failed", word=f"impulses of shape {impulse.shape}, not {problem.c.shape}")
    if not np.all(np.isfinite(impulse)):
        return Verdict("failed", word="impulses that are not finite")
    far, full = distance(problem, impulse, model, answer.R), violation(problem, impulse)
    verdict = "solved" if far <= accuracy else "wrong" if answer.converged and not far <= WRONG * accuracy else "not solved"
    return Verdict(verdict, far, full, answer.seconds, answer.iterations, answer.tolerance, answer.word)


def one_at_a_time(solver: Solver, worker: Worker, accuracy: float, limit: float, budget: float, chosen: Sequence[int]) -> list[Verdict]:
    """Judge a solver on problems `chosen` of the worker's set. limit: for one problem, its ladder and repeats included [s]; budget: for all of them; what is
    not reached within it has failed, too late."""
    began, verdicts = time.monotonic(), []
    for i in chosen:
        if time.monotonic() - began > budget:
            verdicts.append(Verdict("failed", word=f"too late: the set's {budget:g} s were over", late=True))
            continue
        try:
            verdicts.append(judge(worker.problems[i], worker.solve(solver.name, i, accuracy, limit), accuracy, solver.model))
        except Failed as failed:
            verdicts.append(Verdict("failed", word=str(failed), late=isinstance(failed, TooLate)))
    return verdicts


def side_by_side(solver: Solver, worker: Worker, accuracy: float, precision: str, limit: float, chosen: Sequence[int]) -> list[Verdict]:
    """The same with all of them in one call; the seconds of each are its share of its tile."""
    try:
        answers = worker.solve_set(solver.name, chosen, accuracy, precision, limit)
    except Failed as failed:
        return [Verdict("failed", word=str(failed), late=isinstance(failed, TooLate)) for _ in chosen]
    return [judge(worker.problems[i], a, accuracy, solver.model) for i, a in zip(chosen, answers, strict=True)]


def profiles(seconds: Mapping[str, Sequence[float]]) -> dict[str, list[tuple[float, float]]]:
    """Performance profiles (Dolan and Moré 2002): for each solver where the share of problems that it solves within tau times the fastest's time rises, as
    (tau, share). seconds: of each solver per problem, infinite where it did not solve it. A problem without a solver counts in every denominator."""
    names = list(seconds)
    table = np.array([seconds[name] for name in names], dtype=float)
    if table.size == 0:
        return {name: [] for name in names}
    best = table.min(axis=0)
    solved = np.isfinite(best)
    ratio = np.full(table.shape, np.inf)
    ratio[:, solved] = np.where(best[solved] > 0, table[:, solved] / np.where(best[solved] > 0, best[solved], 1), np.where(table[:, solved] > 0, np.inf, 1))
    curves = {}
    for name, row in zip(names, ratio, strict=True):
        steps = np.unique(row[np.isfinite(row)])
        curves[name] = [(float(tau), float(np.sum(row <= tau)) / table.shape[1]) for tau in steps]
    return curves


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie, infinite ones too."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(np.ceil(share * len(ordered))) - 1 if share > 0 else 0)] if ordered else float("nan")


def figures(verdicts: Sequence[Verdict], accuracy: float) -> dict[str, float]:
    """What a row of the table shows. Median and 95th percentile are over all problems, one that is not solved costing more
    than any; the mean is of the time spent, solved or not."""
    seconds = [v.seconds if v.verdict == "solved" else float("inf") for v in verdicts]
    finite = [s for s in seconds if np.isfinite(s)]
    count: Callable[[str], int] = lambda which: sum(v.verdict == which for v in verdicts)
    return {"problems": len(verdicts), "solved": count("solved"), "wrong": count("wrong"), "not solved": count("not solved"), "failed": count("failed"),
            "late": sum(v.late for v in verdicts), "near": sum(v.verdict == "not solved" and v.distance <= WRONG * accuracy for v in verdicts),
            "full law": sum(v.verdict != "failed" and v.full <= accuracy for v in verdicts),
            "mean_s": float(np.mean(spent)) if (spent := [v.seconds for v in verdicts if np.isfinite(v.seconds)]) else float("inf"),
            "median_s": quantile(seconds, 0.5), "p95_s": quantile(seconds, 0.95), "total_solved_s": float(sum(finite)),
            "worst wrong": max((v.distance for v in verdicts if v.verdict == "wrong"), default=0.0),
            "first call": sum(v.verdict == "solved" and v.tolerance == accuracy for v in verdicts)}
