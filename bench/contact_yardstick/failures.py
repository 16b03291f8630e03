"""Problems that no solver closes: which have no solution, which are degenerate, which are only slow. Each claim has its evidence in numbers."""
from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from problem import Problem, violation
from solver import Failed, dense
from worker import Worker

#: Solvers of the full law that are given a long run, and how many times their own cap it is long.
LONG_RUNS = {"hybrid": 200000, "admm-ncp": 1000000, "ipm-cone": 3000, "nsgs": 200000, "staggered": 20000}
#: Least distance, in max |c|, that a certificate must leave: a linear program is right to 1e-7.
CERTAIN = 1e-5
EXAMINED_MOST = 400  #: numbers of the largest problem that is examined
SIDES = 32  #: of the pyramid around the cone: 0.5 % wider than it at most


def escape(problem: Problem) -> float:
    """The least velocity, in max |c|, by which some contact or row must break its limits under any impulses at all that the cones allow. Above CERTAIN it
    proves that there is no solution. By a linear program with pyramids around the cones: what it cannot do, cones cannot."""
    from scipy.optimize import linprog

    vs = float(np.max(np.abs(problem.c), initial=0.0))
    if vs == 0:
        return 0.0
    n, m = 3 * problem.contacts, len(problem.c)
    diagonal = problem.G.diagonal()
    ls = vs / max(float(np.max(diagonal)), 1e-300)
    G, c = dense(problem) * (ls / vs), problem.c / vs
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    cones = np.zeros((SIDES * problem.contacts, m + 1))
    for i, mu in enumerate(problem.mu):
        part = slice(SIDES * i, SIDES * (i + 1))
        cones[part, 3 * i], cones[part, 3 * i + 1], cones[part, 3 * i + 2] = np.cos(angle), np.sin(angle), -mu
    slack = -np.ones((1, 1))
    blocks, limits = [cones], [np.zeros(len(cones))]
    for i in range(2, n, 3):  # w_N >= -t
        blocks.append(np.hstack([-G[i:i + 1], slack]))
        limits.append(c[i:i + 1])
    for k, (_, lo, hi) in enumerate(problem.rows / np.array([ls, vs, vs])):
        i = n + k
        if np.isfinite(lo):
            blocks.append(np.hstack([-G[i:i + 1], slack]))
            limits.append(c[i:i + 1] - lo)
        if np.isfinite(hi):
            blocks.append(np.hstack([G[i:i + 1], slack]))
            limits.append(hi - c[i:i + 1])
    bounds: list[tuple[float | None, float | None]] = [(0, None) if i < n and i % 3 == 2 else (None, None) for i in range(m)]
    for k, (f, lo, hi) in enumerate(problem.rows / np.array([ls, vs, vs])):  # without a limit above, its impulse is not below -f; and so on
        bounds[n + k] = (None if np.isfinite(hi) else -f, None if np.isfinite(lo) else f)
    best = linprog(np.append(np.zeros(m), 1.0), A_ub=np.vstack(blocks), b_ub=np.concatenate(limits), bounds=[*bounds, (0, None)], method="highs")
    return float(best.fun) if best.status == 0 else float("nan")


def spectrum(problem: Problem) -> tuple[int, float, float]:
    """Rank of G at 1e-10 of its largest eigenvalue, the ratio of the largest to the least above that, and the least eigenvalue over the largest."""
    G = dense(problem)
    values = np.linalg.eigvalsh(0.5 * (G + G.T))
    if values[-1] <= 0:
        return 0, float("nan"), 0.0
    kept = values[values > 1e-10 * values[-1]]
    return len(kept), float(values[-1] / kept[0]), float(values[0] / values[-1])


def classify(problem: Problem, accuracy: float, nearest: float, limit: float = 60.0) -> dict[str, Any]:
    """Why no solver closed this problem to `accuracy`: kind, and the evidence for it. nearest: how near the best answer came.

    inconsistent  no impulses keep all contacts and rows within their limits (escape), or `hybrid` says that it has proof
    slow          a run with some 100 times the iterations closes it
    degenerate    G with 1e-9 of its mobility on its diagonal has a solution to `accuracy`; or it closes to 100 times the accuracy and its G is of no full rank
    open          none of these, and not known"""
    rank, condition, least = spectrum(problem)
    found: dict[str, Any] = {"set": problem.set, "id": problem.id, "contacts": problem.contacts, "rows": len(problem.rows), "nearest": nearest, "rank": rank,
                             "numbers": len(problem.c), "condition": condition, "least eigenvalue": least}
    proof = escape(problem)
    if proof > CERTAIN:
        return {**found, "kind": "inconsistent", "why": f"any impulses leave some contact or row {proof:.1e} max|c| beyond its limit"}
    ridge = dataclasses.replace(problem, G=dense(problem) + 1e-9 * float(np.max(problem.G.diagonal())) * np.eye(len(problem.c)))
    words = []
    for of, kind, why in ((problem, "slow", "{name} closes it in {iterations} iterations"),
                          (ridge, "degenerate", "{name} closes it with 1e-9 on the diagonal of G")):
        for name, sweeps in LONG_RUNS.items():
            with Worker("solver_long", [of], [str(sweeps)]) as worker:
                try:
                    answer = worker.solve(name, 0, accuracy, limit)
                except Failed as failed:
                    words.append(f"{name}: {failed}")
                    continue
            far = violation(of, answer.impulse)
            found["nearest"] = min(found["nearest"], violation(problem, answer.impulse))
            words.append(f"{name}: {answer.word}, {far:.1e}")
            if answer.word == "no solution" and of is problem:
                return {**found, "kind": "inconsistent", "why": "hybrid has proof: no solution"}
            if far <= accuracy:
                return {**found, "kind": kind, "why": why.format(name=name, iterations=answer.iterations)}
    if found["nearest"] <= 100 * accuracy and rank < len(problem.c):
        return {**found, "kind": "degenerate", "why": f"closes to {found['nearest']:.0e}; G has rank {rank} of {len(problem.c)}"}
    return {**found, "kind": "open", "why": "; ".join(words)}


def examine(problems: list[tuple[Problem, float]], accuracy: float, log: Callable[[str], None], limit: float = 60.0,
            budget: float = 240.0) -> list[dict[str, Any]]:
    """classify() of each (problem, distance of its best answer), the small ones first. What `budget` [s] does not reach, and what is too large for the dense
    solvers that have the long runs, is of the kind `not examined`."""
    found: dict[int, dict[str, Any]] = {}
    began = time.monotonic()
    for i in sorted(range(len(problems)), key=lambda i: len(problems[i][0].c)):
        problem, nearest = problems[i]
        small, left = len(problem.c) <= EXAMINED_MOST, time.monotonic() - began < budget
        if small and left:
            found[i] = classify(problem, accuracy, nearest, limit)
        else:
            found[i] = {"set": problem.set, "id": problem.id, "contacts": problem.contacts, "rows": len(problem.rows), "nearest": nearest,
                        "kind": "not examined", "why": "no time was left" if small else f"more than {EXAMINED_MOST} numbers"}
        log(f"no solver closes {problem.set} {problem.id}: {found[i]['kind']}, {found[i]['why']}")
    return [found[i] for i in range(len(problems))]
