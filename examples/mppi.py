"""Model predictive path integral control (Williams et al. 2017): a quadruped trots along a figure of eight, planned by sampling.

    python3 examples/mppi.py --seconds 30 --plot eight.png

One batch holds everything: environment 0 is the real robot, the others are its copies. Every 0.08 s all copies take over the robot's full
state, each tries other parameters of a trot for a second, and the robot goes on with their mean, weighted by exp(-cost / temperature).
NumPy does the sampling and the costs, `Batch.rollout` the physics."""
from __future__ import annotations

import argparse
import time
from pathlib import Path

import myriapod
import numpy as np

# Time. A control step is DECIMATION steps of dt: PD targets at 50 Hz.
DT, DECIMATION = 0.004, 5
CONTROL = DT * DECIMATION  # [s]
HORIZON = 50  # control steps that a sample looks ahead: 1 s, two and a half gait cycles
EVERY = 4  # control steps from one plan to the next
KNOTS = 5  # a plan is so many values of each parameter over the horizon, linear in between

# The trot: diagonal pairs half a cycle apart, as in docs/tasks.md, but slower and steered. Legs are LF RF LH RH.
PERIOD = 0.4  # [s]
LIFT = 0.9  # how far the knee folds in the middle of the swing [rad]
PHASE = np.array([0, np.pi, np.pi, 0])
FRONT, LEFT = np.array([1, 1, -1, -1]), np.array([1, -1, 1, -1])

# What is sampled, per knot: amplitudes [rad] of stride (forward), side step (to the left) and turn (to the left).
LIMIT = np.array([0.45, 0.25, 0.25])
# Standard deviation of the samples about the present plan. Larger finds a way back from farther off; smaller wastes fewer samples. A fifth
# to a quarter of the limit is a good start.
NOISE = np.array([0.10, 0.05, 0.06])
# Temperature, in units of the cost's standard deviation over the samples. Near 0 the best sample is taken as it is, and the plan jumps from
# one lucky draw to the next; at 1 and above the mean hardly moves. In between a few dozen samples have a say.
TEMPERATURE = 0.3

SPEED = 0.5  # of the point to be followed [m/s]
# Weights of the cost per control step: position [1/m^2], heading, upright, height [1/m^2], effort [1/(N m)^2].
W_POSITION, W_HEADING, W_UPRIGHT, W_HEIGHT, W_EFFORT = 20.0, 4.0, 10.0, 40.0, 2e-5


class Eight:
    """A figure of eight through the origin, 2 `size` long and `size` wide [m], by the length along it."""

    def __init__(self, size: float = 2.0) -> None:
        phi = np.linspace(0, 2 * np.pi, 2001)
        self.points = np.stack([size * np.sin(phi), size * np.sin(phi) * np.cos(phi)], axis=-1)
        steps = np.diff(self.points, axis=0)
        self.s = np.concatenate([[0], np.cumsum(np.linalg.norm(steps, axis=1))])
        angle = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
        self.angle = np.append(angle, angle[0] + 2 * np.pi * np.round((angle[-1] - angle[0]) / (2 * np.pi)))

    def at(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points (..., 2) [m] and headings (...) [rad] at lengths s [m]."""
        s = np.asarray(s) % self.s[-1]
        return np.stack([np.interp(s, self.s, self.points[:, k]) for k in (0, 1)], axis=-1), np.interp(s, self.s, self.angle)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Of points (n, 2) from the path [m]."""
        return np.linalg.norm(points[:, None] - self.points, axis=-1).min(axis=1)


def targets(parameters: np.ndarray, first: int, home: np.ndarray) -> np.ndarray:
    """PD targets (..., steps, 12) [rad] of parameters (..., steps, 3) for control steps from `first` on."""
    phase = 2 * np.pi * CONTROL / PERIOD * (first + 1 + np.arange(parameters.shape[-2]))[:, None] + PHASE
    stride, side, turn = (parameters[..., k, None] for k in range(3))
    out = np.empty((*parameters.shape[:-1], 4, 3), np.float32)
    # A foot leaves the ground where its leg is farthest back (phase 0) and comes down where it is farthest ahead (pi). To turn left, the
    # right legs stride farther than the left ones, and the front feet step to the left, the hind ones to the right.
    out[..., 0] = home[:, 0] - (side + turn * FRONT) * np.cos(phase)
    out[..., 1] = home[:, 1] + (stride - turn * LEFT) * np.cos(phase)
    out[..., 2] = home[:, 2] + np.sign(home[:, 2]) * LIFT * np.maximum(0, np.sin(phase))
    return out.reshape(*parameters.shape[:-1], 12)


def costs(states: np.ndarray, target: np.ndarray, point: np.ndarray, heading: np.ndarray, height: float) -> np.ndarray:
    """Cost (n,) of the states (n, steps, nq + nv) that the targets led to: mean over the steps."""
    w, x, y, z = np.moveaxis(states[..., 3:7], -1, 0)
    ahead = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    cost = W_POSITION * ((states[..., :2] - point) ** 2).sum(-1) + W_HEADING * (1 - np.cos(ahead - heading))
    cost += W_UPRIGHT * 2 * (x * x + y * y)  # 1 - cos(tilt)
    cost += W_HEIGHT * (states[..., 2] - height) ** 2
    cost += W_EFFORT * ((80 * (target - states[..., 7:19])) ** 2).sum(-1)  # the spring's torque
    cost = cost.mean(axis=1)
    return np.where(np.isfinite(cost), cost, 1e6).astype(np.float64)


def run(seconds: float = 30.0, samples: int = 256, seed: int = 1, **settings: object) -> dict:
    """Follow the path for so long; where the robot was, and what it took."""
    random, path = np.random.default_rng(seed), Eight()
    # Linear interpolation from knots to control steps, (HORIZON, KNOTS), and from knots to knots EVERY control steps later.
    knot_at = np.linspace(0, HORIZON, KNOTS)
    spread = np.stack([np.interp(np.arange(HORIZON), knot_at, row) for row in np.eye(KNOTS)], axis=-1)
    shift = np.stack([np.interp(knot_at + EVERY, knot_at, row) for row in np.eye(KNOTS)], axis=-1)
    plan = np.zeros((KNOTS, 3))
    with myriapod.Batch("anymal", 1 + samples, task="stand", dt=DT, decimation=DECIMATION, **settings) as batch:
        home = batch.model.home[7:].reshape(4, 3)
        start = batch.get("q")[0]
        angle = path.at(0.0)[1]
        start[:2], start[3:7] = 0, [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
        batch.set("q", start, ids=[0])
        copies, height = np.arange(1, 1 + samples), float(start[2])
        trace, began, worked = [start[None, :2]], time.perf_counter(), time.process_time()
        for now in range(0, round(seconds / CONTROL), EVERY):
            # Environment 0 keeps the plan as it is: its sample says what happens if nothing changes.
            knots = plan + NOISE * random.standard_normal((1 + samples, KNOTS, 3))
            knots[0] = plan
            knots = np.clip(knots, -LIMIT, LIMIT)
            control = targets(spread @ knots, now, home)
            point, heading = path.at(SPEED * CONTROL * (now + 1 + np.arange(HORIZON)))
            real = batch.get_state([0])
            batch.copy(0, copies)
            states = batch.rollout(control)
            cost = costs(states, control, point, heading, height)
            # The mean of the samples by weight. (The paper's term in u' Sigma^-1 noise is left out: effort has its own weight here.)
            weight = np.exp(-(cost - cost.min()) / (TEMPERATURE * cost.std() + 1e-12))
            plan = np.tensordot(weight / weight.sum(), knots, axes=1)
            # The real robot is put back and goes on with the new plan; the copies come along, which costs a little and is simple.
            batch.set_state(real, [0])
            control[:] = targets(spread @ plan, now, home)
            trace.append(batch.rollout(control[:, :EVERY])[0, :, :2])
            plan = shift @ plan
        wall, worked = time.perf_counter() - began, time.process_time() - worked
        stats, trace = batch.stats(), np.concatenate(trace)
    times = CONTROL * np.arange(len(trace))
    distance = path.distance(trace)
    behind = np.linalg.norm(trace - path.at(SPEED * times)[0], axis=1)
    return {"time": times, "trace": trace, "path": path, "distance": distance, "behind": behind, "wall": wall, "processor": worked, "stats": stats}


def plot(result: dict, file: Path) -> None:
    """The path, the robot's, and how far they are apart."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4), width_ratios=[3, 2], layout="constrained")
    left.plot(*result["path"].points.T, color="0.7", linewidth=4, label="path")
    left.plot(*result["trace"].T, color="tab:blue", linewidth=1, label="robot")
    left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    left.legend(loc="lower center")
    right.plot(result["time"], result["distance"], label="from the path")
    right.plot(result["time"], result["behind"], label="from the moving point")
    right.set(xlabel="time [s]", ylabel="distance [m]", ylim=(0, None))
    right.legend()
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description="A quadruped follows a figure of eight by model predictive path integral control.")
    parser.add_argument("--seconds", type=float, default=30.0, help="simulated time (default: 30)")
    parser.add_argument("--samples", type=int, default=256, help="copies of the robot per plan (default: 256)")
    parser.add_argument("--seed", type=int, default=1, help="of the samples (default: 1)")
    parser.add_argument("--threads", type=int, default=0, help="default: 0, one per core")
    parser.add_argument("--plot", type=Path, metavar="FILE.png")
    given = parser.parse_args()
    result = run(given.seconds, given.samples, given.seed, threads=given.threads)
    stats, simulated = result["stats"], result["time"][-1]
    print(f"distance from the path: mean {result['distance'].mean():.3f} m, largest {result['distance'].max():.3f} m")
    print(f"distance from the moving point: mean {result['behind'].mean():.3f} m, at the end {result['behind'][-1]:.3f} m")
    print(f"{simulated:.1f} s simulated in {result['wall']:.1f} s, real-time factor {simulated / result['wall']:.2f}; {result['processor']:.1f} s of processor time")
    print(f"{stats.robot_steps / stats.wall_s:.2e} robot-steps/s in the library on {stats.threads} threads, {stats.wall_s / result['wall']:.0%} of the time")
    if given.plot:
        plot(result, given.plot)


if __name__ == "__main__":
    main()
