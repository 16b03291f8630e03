"""iLQR (Li and Todorov 2004; Tassa et al. 2012) over derivatives by lanes: a cart swings its pole up. `ilqr_step.py` has a quadruped step by the same loop.

    python3 examples/ilqr.py [--steps 120] [--iterations 60]

One batch in float64 does both: `myriapod.linearize` tells A and B of all control steps of the horizon in one call, a side of a column in each lane, and
`Batch.rollout` tries all lengths of the line search side by side. What is left, the backward pass, is NumPy."""
from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import myriapod
import numpy as np

DT = 0.02
#: Weights of the cost: place [1/m^2], 1 + cos of the angle from hanging, velocities [s^2/m^2, s^2], control; and what the end counts more.
PLACE, DOWN, SPEED, EFFORT, END = 0.2, 1.0, 0.02, 0.02, 100.0
LENGTHS = 0.6 ** np.arange(12)  # of the line search, the longest first


@dataclass(frozen=True)
class Problem:
    """Of states x (.., steps + 1, nq + nv) and controls u (.., steps, nu)."""

    cost: Callable[[np.ndarray, np.ndarray], np.ndarray]  #: of trajectories (..)
    #: Of one trajectory slope (steps + 1, 2 nv) and curvature (steps + 1, 2 nv, 2 nv) by the state, (steps, nu) and (steps, nu, nu) by the control.
    expand: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]
    #: By what a state is apart from another one, in the coordinates of v (.., 2 nv).
    apart: Callable[[np.ndarray, np.ndarray], np.ndarray]
    control_field: str = "target"
    bounds: tuple[float, float] = (-np.inf, np.inf)
    eps: float = 1e-6  #: of the differences
    gains_damping: float = 1e-6  #: of the gains that are handed out: the more, the milder


def backward(problem: Problem, A: np.ndarray, B: np.ndarray, x: np.ndarray, u: np.ndarray, damping: float) -> tuple[np.ndarray, np.ndarray]:
    """Changes k (steps, nu) of the controls, and gains K (steps, nu, 2 nv)."""
    slope, bend, slope_u, bend_u = problem.expand(x, u)
    v, V = slope[-1], bend[-1]
    k, K = np.zeros(u.shape), np.zeros((*u.shape, len(v)))
    for t in range(len(u) - 1, -1, -1):
        a, b = A[t], B[t]
        Qu, Quu, Qux = slope_u[t] + b.T @ v, bend_u[t] + b.T @ V @ b + damping * np.eye(u.shape[1]), b.T @ V @ a
        k[t], K[t] = -np.linalg.solve(Quu, Qu), -np.linalg.solve(Quu, Qux)
        v = slope[t] + a.T @ v + Qux.T @ k[t]
        V = bend[t] + a.T @ V @ a + Qux.T @ K[t]
        V = 0.5 * (V + V.T)
    return k, K


def forward(problem: Problem, batch: myriapod.Batch, x: np.ndarray, u: np.ndarray, k: np.ndarray, K: np.ndarray,
            begin: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """All lengths of the line search, one in each environment, from `begin` on (None: x[0]): states (n, steps + 1, nq + nv), controls (n, steps, nu)."""
    n, nq = batch.envs, batch.model.nq
    length = np.resize(LENGTHS, n)[:, None]
    states, controls = np.tile(x[0] if begin is None else begin, (n, len(u) + 1, 1)), np.empty((n, *u.shape))
    batch.reset()
    batch.set("q", states[:, 0, :nq])
    batch.set("v", states[:, 0, nq:])
    for t in range(len(u)):
        controls[:, t] = np.clip(u[t] + length * k[t] + problem.apart(states[:, t], x[t]) @ K[t].T, *problem.bounds)
        states[:, t + 1] = batch.rollout(controls[:, t : t + 1], control_field=problem.control_field)[:, 0]
    return states, controls


def follow(problem: Problem, batch: myriapod.Batch, begin: np.ndarray, u: np.ndarray, x: np.ndarray | None = None,
           K: np.ndarray | None = None) -> np.ndarray:
    """States (steps + 1, nq + nv) of the batch's robot by these controls, from `begin` on: as they are, or with gains K about states x."""
    nv = batch.model.nv
    x, K = np.tile(begin, (len(u) + 1, 1)) if x is None else x, np.zeros((*u.shape, 2 * nv)) if K is None else K
    return forward(problem, batch, x, u, np.zeros(u.shape), K, begin)[0][0]


def solve(problem: Problem, batch: myriapod.Batch, begin: np.ndarray, u: np.ndarray, iterations: int, damping: float = 1.0,
          enough: float = 1e-6) -> dict[str, Any]:
    """Controls that are better than u, from the state `begin` on, until an iteration betters the cost by less than a share `enough`: states, controls, gains,
    the costs of all iterations, and how long it took."""
    nq = batch.model.nq
    x = follow(problem, batch, begin, u)
    costs, spent, began = [float(problem.cost(x, u))], 0.0, time.perf_counter()
    for _ in range(iterations):
        at = time.perf_counter()
        made = myriapod.linearize(batch, x[:-1, :nq], x[:-1, nq:], u, control_field=problem.control_field, eps=problem.eps)
        spent += time.perf_counter() - at
        while True:
            k, gains = backward(problem, made.A, made.B, x, u, damping)
            states, controls = forward(problem, batch, x, u, k, gains)
            all_costs = problem.cost(states, controls)
            best = int(np.nanargmin(all_costs))
            if all_costs[best] < costs[-1] or damping > 1e8:
                break
            damping *= 4
        if damping > 1e8:
            break
        short = LENGTHS[best % len(LENGTHS)] < 0.1  # the model holds near by only: smaller changes in the next iteration
        x, u, damping = states[best], controls[best], damping * 4 if short else max(damping / 3, 1e-6)
        costs.append(float(all_costs[best]))
        if costs[-2] - costs[-1] < enough * costs[-1] and not short:
            break
    made = myriapod.linearize(batch, x[:-1, :nq], x[:-1, nq:], u, control_field=problem.control_field, eps=problem.eps)
    K = backward(problem, made.A, made.B, x, u, problem.gains_damping)[1]  # about the states that were found, not about those before them
    return {"x": x, "u": u, "K": K, "costs": costs, "wall": time.perf_counter() - began, "linearize": spent}


def told(found: dict[str, Any]) -> str:
    """What a solution cost, in words."""
    n = len(found["costs"]) - 1
    return (f"{n} iterations from {found['costs'][0]:.1f} to {found['costs'][-1]:.2f} in {found['wall']:.2f} s, {1e3 * found['linearize'] / max(n, 1):.1f} ms "
            f"of each for {len(found['u'])} derivatives")


def cost(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Of a cart and its pole."""
    each = PLACE * x[..., 0] ** 2 + DOWN * (1 + np.cos(x[..., 1])) + SPEED * (x[..., 2] ** 2 + x[..., 3] ** 2)
    return each[..., :-1].sum(-1) + END * each[..., -1] + EFFORT * (u**2).sum((-2, -1))


def expand(x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The cosine's curvature is kept above 0."""
    slope = np.stack([2 * PLACE * x[:, 0], -DOWN * np.sin(x[:, 1]), 2 * SPEED * x[:, 2], 2 * SPEED * x[:, 3]], axis=-1)
    bend = np.zeros((len(x), 4, 4))
    bend[:, range(4), range(4)] = np.stack([np.full(len(x), 2 * PLACE), np.maximum(-DOWN * np.cos(x[:, 1]), 0.0), *np.full((2, len(x)), 2 * SPEED)], axis=-1)
    slope[-1], bend[-1] = END * slope[-1], END * bend[-1]
    return slope, bend, 2 * EFFORT * u, np.full((len(u), 1, 1), 2 * EFFORT)


def run(steps: int = 120, iterations: int = 60) -> dict[str, Any]:
    """Swing up from hanging."""
    problem = Problem(cost, expand, np.subtract, "control", (-1.0, 1.0))
    u = 0.1 * np.sin(0.15 * np.arange(steps))[:, None]  # something that moves: hanging still is a minimum of its own
    with myriapod.Batch("cart-pole", 256, task="none", dt=DT, precision="f64", threads=1) as batch:
        return solve(problem, batch, np.zeros(4), u, iterations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=120, help="control steps of 20 ms (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=60)
    args = parser.parse_args()
    found = run(args.steps, args.iterations)
    place, angle, speed, rate = found["x"][-1]
    off = abs(np.degrees(np.arctan2(np.sin(angle), -np.cos(angle))))
    print(f"after {args.steps * DT:.1f} s the pole is {off:.2f} degrees from upright, turning by {rate:.3f} rad/s; "
          f"the cart at {place:.3f} m, {speed:.3f} m/s")
    print(told(found))


if __name__ == "__main__":
    main()
