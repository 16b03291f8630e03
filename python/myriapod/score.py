"""`python -m myriapod.score TASK POLICY`: how well a policy follows commands and how often it falls, over whole episodes with pushes."""
from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .model import Model
from .policy import trained_task


@dataclass(frozen=True)
class Score:
    """Means over environments and time, of robots that have not fallen."""

    linear_error: float  #: |commanded - actual horizontal velocity| in base axes [m/s]
    angular_error: float  #: |commanded - actual yaw rate| [rad/s]
    survived: float  #: part of the episodes without a fall
    episodes: int
    seconds: float  #: length of an episode [s]
    pushes: float  #: pushes per episode, each up to push_speed along x and y
    torque: float  #: root mean square of the joint torques [N m]
    speed: float  #: mean horizontal speed [m/s]


def base_velocity(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(n, 3) linear velocity of the base in its own axes [m/s], from q (n, nq) and v (n, nv) of a floating robot."""
    w, x, y, z = q[:, 3:7].astype(np.float64).T
    rotation = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])
    return np.einsum("ijn,ni->nj", rotation, v[:, :3].astype(np.float64))


def score(policy: Callable[[np.ndarray], np.ndarray], task: str | None = None, *, episodes: int = 1000, seed: int = 1000, robot: str | Model | None = None,
          **settings: Any) -> Score:
    """Run `episodes` environments of the task for one whole episode each. policy: observation (n, n_obs) -> action (n, nu). Robot, commands,
    pushes and noise are those that the policy was trained with, where it is of a file that says so (`myriapod.policy.trained_task`), else the
    task's; robot and settings change them. task: None: the policy's, else "anymal-flat"."""
    env = trained_task(policy, task, episodes, robot=robot, autoreset="disabled", seed=seed, **settings)
    observation, alive = env.observe(), np.ones(episodes, bool)
    kp, kd, effort = env.batch.get("kp"), env.batch.get("kd"), np.array([j.effort_limit for j in env.model.joints if j.u >= 0])
    joints_q = [j.q for j in env.model.joints if j.u >= 0]
    joints_v = [j.v for j in env.model.joints if j.u >= 0]
    linear = angular = squares = speed = 0.0
    counted = 0
    for _ in range(env.max_episode_length):
        out = env.act(policy(observation))
        observation = out.observation
        alive &= ~out.terminated
        q, v, command = env.batch.q, env.batch.v, env.command.astype(np.float64)
        body = base_velocity(q, v)
        torque = np.clip(kp * (env.batch.target - q[:, joints_q]) - kd * v[:, joints_v], -effort, effort)
        linear += np.hypot(*(body[:, :2] - command[:, :2]).T)[alive].sum()
        angular += np.abs(v[:, 5] - command[:, 2])[alive].sum()
        squares += np.square(torque)[alive].mean(1).sum()
        speed += np.hypot(*body[:, :2].T)[alive].sum()
        counted += int(alive.sum())
    seconds = env.max_episode_length * env.dt
    interval = float(env.settings["push_interval"]) if float(env.settings["push_speed"]) > 0 else 0.0
    env.close()
    n = max(counted, 1)
    return Score(float(linear / n), float(angular / n), float(alive.mean()), episodes, seconds, seconds / interval if interval else 0.0, float(np.sqrt(squares / n)),
                 float(speed / n))


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m myriapod.score", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("policy", help="policy.npz or policy.pt as `python -m myriapod.train` writes them")
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1000, help="of the environments")
    parser.add_argument("--robot", default=None, help="another robot than the one that the policy was trained with")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting other than those of the training, e.g. --set push-speed=1")
    parser.add_argument("--json", help="also write the figures to this file")
    args = parser.parse_args(arguments)
    from . import Error
    from .policy import Policy, warnings_as_lines
    from .settings import from_pairs

    try:
        with warnings_as_lines("score"):
            result = score(Policy.load(args.policy), args.task, episodes=args.episodes, seed=args.seed, robot=args.robot,
                           **from_pairs(args.set, ("task", "seed", "robot", "episodes")))
    except (Error, OSError, ValueError) as error:
        print(f"score: {error}", file=sys.stderr)
        return 2
    print(f"velocity error {result.linear_error:.3f} m/s, yaw rate error {result.angular_error:.3f} rad/s, "
          f"{100 * result.survived:.1f} % of {result.episodes} episodes of {result.seconds:.0f} s survived with {result.pushes:.0f} pushes each; "
          f"rms torque {result.torque:.1f} N m, mean speed {result.speed:.2f} m/s")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(asdict(result), file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
