"""iLQR (Li and Todorov 2004; Tassa et al. 2012) over derivatives by lanes: a cart swings its pole up.

    python3 examples/ilqr.py [--steps 120] [--iterations 60]

One batch in float64 does both: `myriapod.linearize` tells A and B of all control steps of the horizon in one call, a side of a column in each lane, and
`Batch.rollout` tries all lengths of the line search side by side. What is left, the backward pass, is NumPy."""
from __future__ import annotations

import argparse
import time

import myriapod
import numpy as np

DT = 0.02
#: Weights of the cost: place [1/m^2], 1 + cos of the angle from hanging, velocities [s^2/m^2, s^2], control; and what the end counts more.
PLACE, DOWN, SPEED, EFFORT, END = 0.2, 1.0, 0.02, 0.02, 100.0
LENGTHS = 0.6 ** np.arange(12)  # of the line search, the longest first


def cost(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Of states x (.., steps + 1, 4) and controls u (.., steps, 1)."""
    each = PLACE * x[..., 0] ** 2 + DOWN * (1 + np.cos(x[..., 1])) + SPEED * (x[..., 2] ** 2 + x[..., 3] ** 2)
    return each[..., :-1].sum(-1) + END * each[..., -1] + EFFORT * (u**2).sum((-2, -1))


def expand(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slope (steps + 1, 4) and curvature (steps + 1, 4, 4) of the cost by the state; the cosine's curvature is kept above 0."""
    slope = np.stack([2 * PLACE * x[:, 0], -DOWN * np.sin(x[:, 1]), 2 * SPEED * x[:, 2], 2 * SPEED * x[:, 3]], axis=-1)
    bend = np.zeros((len(x), 4, 4))
    bend[:, range(4), range(4)] = np.stack([np.full(len(x), 2 * PLACE), np.maximum(-DOWN * np.cos(x[:, 1]), 0.0), *np.full((2, len(x)), 2 * SPEED)], axis=-1)
    slope[-1], bend[-1] = END * slope[-1], END * bend[-1]
    return slope, bend


def backward(A: np.ndarray, B: np.ndarray, x: np.ndarray, u: np.ndarray, damping: float) -> tuple[np.ndarray, np.ndarray]:
    """Changes k (steps, 1) of the controls, and gains K (steps, 1, 4)."""
    slope, bend = expand(x)
    v, V = slope[-1], bend[-1]
    k, K = np.zeros((len(u), 1)), np.zeros((len(u), 1, 4))
    for t in range(len(u) - 1, -1, -1):
        a, b = A[t], B[t]
        Qu, Quu, Qux = 2 * EFFORT * u[t] + b.T @ v, 2 * EFFORT * np.eye(1) + b.T @ V @ b + damping * np.eye(1), b.T @ V @ a
        k[t], K[t] = -np.linalg.solve(Quu, Qu), -np.linalg.solve(Quu, Qux)
        v = slope[t] + a.T @ v + Qux.T @ k[t]
        V = bend[t] + a.T @ V @ a + Qux.T @ K[t]
        V = 0.5 * (V + V.T)
    return k, K


def forward(batch: myriapod.Batch, x: np.ndarray, u: np.ndarray, k: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All lengths of the line search, one in each environment: states (n, steps + 1, 4) and controls (n, steps, 1)."""
    n, steps = batch.envs, len(u)
    lengths = np.resize(LENGTHS, n)
    states, controls = np.tile(x[:1], (n, 1))[:, None].repeat(steps + 1, axis=1), np.empty((n, steps, 1))
    batch.set("q", np.tile(x[0, :2], (n, 1)))
    batch.set("v", np.tile(x[0, 2:], (n, 1)))
    for t in range(steps):
        controls[:, t] = np.clip(u[t] + lengths[:, None] * k[t] + np.einsum("ij,nj->ni", K[t], states[:, t] - x[t]), -1, 1)
        states[:, t + 1] = batch.rollout(controls[:, t : t + 1], control_field="control")[:, 0]
    return states, controls


def run(steps: int = 120, iterations: int = 60) -> dict:
    """Swing up from hanging; the states and controls that were found, the costs of all iterations, and how long it took."""
    with myriapod.Batch("cart-pole", 256, task="none", dt=DT, precision="f64", threads=1) as batch:
        u = 0.1 * np.sin(0.15 * np.arange(steps))[:, None]  # something that moves: hanging still is a minimum of its own
        x = forward(batch, np.zeros((1, 4)).repeat(steps + 1, axis=0), u, np.zeros((steps, 1)), np.zeros((steps, 1, 4)))[0][0]
        damping, costs, spent = 1.0, [float(cost(x, u))], 0.0
        began = time.perf_counter()
        for _ in range(iterations):
            at = time.perf_counter()
            made = myriapod.linearize(batch, x[:-1, :2], x[:-1, 2:], u, control_field="control")
            spent += time.perf_counter() - at
            while True:
                k, K = backward(made.A, made.B, x, u, damping)
                states, controls = forward(batch, x, u, k, K)
                all_costs = cost(states, controls)
                best = int(np.nanargmin(all_costs))
                if all_costs[best] < costs[-1] or damping > 1e8:
                    break
                damping *= 4
            if damping > 1e8:
                break
            x, u, damping = states[best], controls[best], max(damping / 3, 1e-6)
            costs.append(float(all_costs[best]))
            if costs[-2] - costs[-1] < 1e-6 * costs[-1]:
                break
        wall = time.perf_counter() - began
    return {"x": x, "u": u, "costs": costs, "wall": wall, "linearize": spent}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=120, help="control steps of 20 ms (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=60)
    args = parser.parse_args()
    found = run(args.steps, args.iterations)
    place, angle, speed, rate = found["x"][-1]
    print(f"after {args.steps * DT:.1f} s the pole is {abs(np.degrees(np.arctan2(np.sin(angle), -np.cos(angle)))):.2f} degrees from upright, turning by {rate:.3f} rad/s; "
          f"the cart at {place:.3f} m, {speed:.3f} m/s")
    print(f"{len(found['costs']) - 1} iterations from {found['costs'][0]:.1f} to {found['costs'][-1]:.2f} in {found['wall']:.2f} s, {1e3 * found['linearize'] / max(len(found['costs']) - 1, 1):.1f} ms "
          f"of each for {args.steps} derivatives")


if __name__ == "__main__":
    main()
