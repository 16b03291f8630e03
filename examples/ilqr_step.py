"""A quadruped takes one step, by iLQR through its contacts: ANYmal lifts its left front foot, sets it down 0.15 m further and stands on four feet again.

    python3 examples/ilqr_step.py [--forward 0.15] [--seconds 0.8] [--iterations 60] [--compliance 1e-5]

The cost says where the feet are to be at which time, and that the trunk stays level. How the other legs carry the robot meanwhile is found. A contact that
gives way has derivatives (docs/planning.md), so the plan is made with a `compliance`. The robot that it is for has hard contacts: it is tried there, the
controls as they are, and with the gains that iLQR has found along with them; and once more where it is pushed. The loop is that of `ilqr.py`."""
from __future__ import annotations

import argparse
from typing import Any

import ilqr
import myriapod
import numpy as np
from myriapod.rotations import quat_diff

FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
STEPS = {"task": "none", "kp": 80.0, "kd": 2.0, "dt": 0.005, "decimation": 4, "precision": "f64", "threads": 1, "tolerance": 1e-9}
LIFT = 0.08  # of the foot [m]
PUSH = 0.2  # of the robot that is tried, to the left, when it begins [m/s]
EPS = 1e-3  # of the differences: gains of finer ones are huge at times, where a foot is about to touch
SWING = (0.3, 0.7)  # from when to when it is in the air, of the whole time
#: Weights: a foot's place [1/m^2]; the trunk's place [1/m^2] and turn [1/rad^2], joints [1/rad^2], velocities of trunk and joints, targets [1/rad^2]; and what
#: the end counts more.
FOOT, PLACE, TURN, JOINT, SPEED, RATE, EFFORT, END = 300.0, 5.0, 10.0, 0.1, 0.1, 1e-3, 0.2, 10.0


def apart(x: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Of states of a robot on a free joint, in the coordinates of v: place, small turn in its own axes, joints, velocities."""
    turn = quat_diff(np.broadcast_to(other[..., 3:7], x[..., 3:7].shape), x[..., 3:7])
    return np.concatenate([x[..., :3] - other[..., :3], turn, x[..., 7:] - other[..., 7:]], axis=-1)


def soft(compliance: float, dissipation_time: float) -> dict[str, float]:
    """Settings of contacts that are springs of 1 / compliance [N/m], damped: without `baumgarte` they would only damp, and the robot sink (docs/contact.md)."""
    return {"compliance": compliance, "dissipation_time": dissipation_time, "baumgarte": STEPS["dt"] / (STEPS["dt"] + dissipation_time)}


class Step:
    """begin: the state that the robot stands in; u: (steps, nu) targets that keep it there; forward: length of the step [m]."""

    def __init__(self, model: myriapod.Model, begin: np.ndarray, u: np.ndarray, forward: float) -> None:
        self.model, self.begin, self.stand = model, begin, u[0]
        self.frames = [model.frame(foot).index for foot in FEET]
        steps, nv = len(u), model.nv
        feet = self.feet(begin[None])[0]
        swing = np.clip((np.arange(steps + 1) / steps - SWING[0]) / (SWING[1] - SWING[0]), 0.0, 1.0)
        self.places = np.tile(feet, (steps + 1, 1, 1))
        self.places[:, 0, 0] += forward * swing**2 * (3 - 2 * swing)
        self.places[:, 0, 2] += LIFT * np.sin(np.pi * swing) ** 2
        self.wanted = begin.copy()
        self.wanted[0] += forward / 4  # the middle of the feet
        self.weight = np.concatenate([np.full(3, PLACE), np.full(3, TURN), np.full(nv - 6, JOINT), np.full(6, SPEED), np.full(nv - 6, RATE)])
        self.times = np.append(np.ones(steps), END)

    def feet(self, x: np.ndarray) -> np.ndarray:
        """Where they are, (.., 4, 3)."""
        q = x[..., : self.model.nq]
        places = myriapod.evaluate(self.model, np.ascontiguousarray(q.reshape(-1, q.shape[-1])), want=("frame_position",)).frame_position
        return places[:, self.frames].reshape(*q.shape[:-1], 4, 3)

    def cost(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        each = (self.weight * apart(x, self.wanted) ** 2).sum(-1) + FOOT * ((self.feet(x) - self.places) ** 2).sum((-2, -1))
        return (self.times * each).sum(-1) + EFFORT * ((u - self.stand) ** 2).sum((-2, -1))

    def expand(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Gauss and Newton's: the curvature of squares by the slopes of what is squared."""
        nv, n = self.model.nv, len(x)
        slope, bend = 2 * self.weight * apart(x, self.wanted), np.tile(2 * np.diag(self.weight), (n, 1, 1))
        off = self.feet(x) - self.places
        q = np.ascontiguousarray(x[:, : self.model.nq])
        for k, foot in enumerate(FEET):
            J = myriapod.jacobian(self.model, foot, q)[:, :3]
            slope[:, :nv] += 2 * FOOT * np.einsum("tij,ti->tj", J, off[:, k])
            bend[:, :nv, :nv] += 2 * FOOT * np.einsum("tij,tik->tjk", J, J)
        bend_u = np.tile(2 * EFFORT * np.eye(u.shape[1]), (len(u), 1, 1))
        return self.times[:, None] * slope, self.times[:, None, None] * bend, 2 * EFFORT * (u - self.stand), bend_u


def outcome(step: Step, x: np.ndarray) -> dict[str, float]:
    """Of states (steps + 1, nq + nv): how far each foot ends from its place, how high the first was, and how the trunk ends."""
    off = np.linalg.norm(step.feet(x[-1:])[0] - step.places[-1], axis=-1)
    w, a, b, _ = x[-1, 3:7]
    return {"foot": float(off[0]), "others": float(off[1:].max()), "lift": float((step.feet(x)[:, 0, 2] - step.places[0, 0, 2]).max()),
            "tilt": float(np.degrees(np.arccos(np.clip(1 - 2 * (a * a + b * b), -1, 1)))),
            "speed": float(np.linalg.norm(x[-1, step.model.nq : step.model.nq + 3]))}


def run(forward: float = 0.15, seconds: float = 0.8, iterations: int = 60, compliance: float = 1e-5, dissipation_time: float = 0.01) -> dict[str, Any]:
    """What iLQR has found, and the outcome by name: "planned", where contacts give way; "hard" and "hard, with gains"."""
    with myriapod.Batch("anymal", 48, **soft(compliance, dissipation_time), **STEPS) as batch, myriapod.Batch("anymal", 1, **STEPS) as hard:
        model = batch.model
        u = np.tile(model.home[7:], (round(seconds / 0.02), 1))
        stand, stand_hard = (each.rollout(np.tile(u[0], (each.envs, 100, 1)))[0, -1] for each in (batch, hard))
        step = Step(model, stand, u, forward)
        problem = ilqr.Problem(step.cost, step.expand, apart, eps=EPS, gains_damping=3.0)
        found = ilqr.solve(problem, batch, stand, u, iterations, damping=1e-3, enough=1e-3)
        x, u, K = found["x"], found["u"], found["K"]
        pushed = stand_hard.copy()
        pushed[model.nq + 1] += PUSH
        tried = {"planned": x, "hard": ilqr.follow(problem, hard, stand_hard, u), "hard, with gains": ilqr.follow(problem, hard, stand_hard, u, x, K),
                 "hard, pushed": ilqr.follow(problem, hard, pushed, u), "hard, pushed, with gains": ilqr.follow(problem, hard, pushed, u, x, K)}
        return found | {"outcomes": {name: outcome(step, each) for name, each in tried.items()}, "step": step}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forward", type=float, default=0.15, help="length of the step [m] (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0.8, help="of it (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=60, help="at most (default: %(default)s)")
    parser.add_argument("--compliance", type=float, default=1e-5, help="of contacts while it is planned [m/N] (default: %(default)s)")
    args = parser.parse_args()
    found = run(args.forward, args.seconds, args.iterations, args.compliance)
    for name, got in found["outcomes"].items():
        print(f"{name}: the foot ends {1e3 * got['foot']:.1f} mm from its place after a lift of {1e3 * got['lift']:.0f} mm, the others at most "
              f"{1e3 * got['others']:.1f} mm; the trunk leans by {got['tilt']:.2f} degrees and moves by {got['speed']:.3f} m/s")
    print(ilqr.told(found))


if __name__ == "__main__":
    main()
