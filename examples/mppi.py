"""Model predictive path integral control (Williams et al. 2017) by `myriapod.Planner`: a quadruped trots along a figure of eight.

    python3 examples/mppi.py --seconds 30 --plot eight.png

The task says what three numbers do to twelve joints, how gait and course go on by themselves, and what costs. The planner does the rest in
lanes: every 0.08 s it tries other strides, side steps and turns for a second from where the robot is, and takes their mean by weights."""
from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from myriapod import Planner, TermTask
from myriapod.lookups import lerp
from myriapod.rotations import quat_axes

EVERY = 4  # control steps, of 20 ms, from one plan to the next
SPEED = 0.5  # of the point to be followed [m/s]
PERIOD, LIFT = 0.4, 0.9  # of the trot: a cycle [s], how far a knee folds in the middle of the swing [rad]
# Legs are LF RF LH RH; diagonal pairs are half a cycle apart.
PHASE, FRONT, LEFT = np.array([0.0, 0.5, 0.5, 0.0]), np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])
JOINTS = np.arange(12).reshape(3, 4).T.ravel()  # of each joint, where it is among all hips, thighs and knees
# What is sampled: amplitudes of stride, side step and turn [rad]. Noise of a fifth to a quarter of the limits is a good start.
LIMIT, NOISE = np.array([0.45, 0.25, 0.25]), np.array([0.10, 0.05, 0.06])


def eight(size: float = 2.0, rows: int = 2001) -> tuple[np.ndarray, float]:
    """A figure of eight through the origin, 2 `size` long and `size` wide [m]: (rows, 4) places [m] and directions, and how far a row is from the next [m]."""
    phi = np.linspace(0.0, 2.0 * np.pi, 20001)
    along = np.cumsum(np.hypot(np.cos(phi), np.cos(2.0 * phi))) * size * phi[1]
    phi = np.interp(np.linspace(along[0], along[-1], rows), along, phi)
    ahead = np.stack([np.cos(phi), np.cos(2.0 * phi)], axis=-1)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    return np.column_stack([size * np.sin(phi), 0.5 * size * np.sin(2.0 * phi), ahead]), (along[-1] - along[0]) / (rows - 1)


PATH, STEP = eight()
task = TermTask("eight", robot="anymal", about="ANYmal trots along a figure of eight", actions=3, gains=(80.0, 2.0),
                settings={"solver": "bisection", "dt": 0.01, "decimation": 2, "episode": 0.0})


@task.memory(1)
def phase(s: Any) -> Any:
    """of the gait, in cycles"""
    return (s.memory.phase + s.control_dt / PERIOD) % 1.0


@task.memory(1)
def course(s: Any) -> Any:
    """how far along the path the point is [m]"""
    return (s.memory.course + s.control_dt * SPEED) % (STEP * (len(PATH) - 1))


@task.act
def trot(s: Any) -> Any:
    """A foot leaves the ground where its leg is farthest back (phase 0) and comes down where it is farthest ahead (a half). To turn left the right legs stride
    farther than the left ones, and the front feet step to the left, the hind ones to the right."""
    cycle = 2.0 * np.pi * (s.memory.phase[..., None] + PHASE)
    stride, side, turn = (s.action[..., k : k + 1] for k in range(3))
    hips, thighs, knees = -(side + turn * FRONT) * np.cos(cycle), (stride - turn * LEFT) * np.cos(cycle), -LIFT * FRONT * np.maximum(0.0, np.sin(cycle))
    return s.home_length + np.concatenate([hips, thighs, knees], axis=-1)[..., JOINTS]


@task.reward(-20.0)
def astray(s: Any) -> Any:
    """square of the distance from the point [m^2]"""
    return np.sum(np.square(s.q[..., :2] - lerp(PATH, s.memory.course / STEP)[..., :2]), axis=-1)


@task.reward(-4.0)
def heading(s: Any) -> Any:
    """1 - cos of the angle between the base's x axis and the path"""
    return 1.0 - np.sum(quat_axes(s.q[..., 3:7])[..., [0, 3]] * lerp(PATH, s.memory.course / STEP)[..., 2:], axis=-1)


@task.reward(-10.0)
def tilt(s: Any) -> Any:
    """1 - cos of the tilt"""
    return 1.0 + s.base_down[..., 2]


@task.reward(-40.0)
def sag(s: Any) -> Any:
    """square of the error of the base's height [m^2]"""
    return np.square(s.q[..., 2] - s.home[..., 2])


@task.reward(-2e-5)
def effort(s: Any) -> Any:
    """squares of the torques [(N m)^2]"""
    return np.sum(np.square(s.actuator_force), axis=-1)


def run(seconds: float = 30.0, samples: int = 256, seed: int = 1, threads: int = 0) -> dict[str, Any]:
    """Follow the path for so long; where the robot was, and what it took. The robot has finer steps than the samples."""
    with Planner(task, samples, steps=50, knots=5, sigma=NOISE, lower=-LIMIT, upper=LIMIT, temperature=0.3, seed=seed, threads=threads) as planner, \
            planner.robot(dt=0.004, decimation=5, threads=1) as robot:
        q, angle = robot.batch.q.copy(), np.arctan2(PATH[0, 3], PATH[0, 2])
        q[0, 3:7] = np.cos(angle / 2), 0, 0, np.sin(angle / 2)
        robot.batch.set("q", q)
        trace, plans, began = [q[0, :2]], [], time.perf_counter()
        for _ in range(0, round(seconds / planner.dt), EVERY):
            plans.append(planner.plan(robot).wall_s)
            for action in planner.control(np.arange(EVERY)):
                robot.act(action[None])
                trace.append(robot.batch.q[0, :2].copy())
            planner.shift(EVERY)
        wall, dt = time.perf_counter() - began, planner.dt
    times, trace = dt * np.arange(len(trace)), np.array(trace)
    point = lerp(PATH, SPEED * times / STEP % (len(PATH) - 1))[:, :2]
    distance = np.linalg.norm(trace[:, None] - PATH[:, :2], axis=-1).min(axis=1)
    return {"time": times, "trace": trace, "distance": distance, "behind": np.linalg.norm(trace - point, axis=1), "wall": wall, "plan": np.array(plans)}


def plot(result: dict[str, Any], file: Path) -> None:
    """The path, the robot's, and how far they are apart."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4), width_ratios=[3, 2], layout="constrained")
    left.plot(*PATH[:, :2].T, color="0.7", linewidth=4, label="path")
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
    parser.add_argument("--samples", type=int, default=256, help="of a plan (default: 256)")
    parser.add_argument("--seed", type=int, default=1, help="of the samples (default: 1)")
    parser.add_argument("--threads", type=int, default=0, help="default: 0, one per core")
    parser.add_argument("--plot", type=Path, metavar="FILE.png")
    given = parser.parse_args()
    result = run(given.seconds, given.samples, given.seed, given.threads)
    simulated = result["time"][-1]
    print(f"distance from the path: mean {result['distance'].mean():.3f} m, largest {result['distance'].max():.3f} m")
    print(f"distance from the moving point: mean {result['behind'].mean():.3f} m, at the end {result['behind'][-1]:.3f} m")
    plan = 1e3 * np.median(result["plan"])
    print(f"{simulated:.1f} s simulated in {result['wall']:.1f} s, real-time factor {simulated / result['wall']:.1f}; a plan: {plan:.1f} ms in the median")
    if given.plot:
        plot(result, given.plot)


if __name__ == "__main__":
    main()
