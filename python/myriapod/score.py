"""`python -m myriapod.score TASK POLICY`: how well a policy follows commands and how often it falls, over whole episodes with pushes.

Of tasks without commands: what their reward makes of it."""
from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ._library import ArgumentError
from .lanes import as_lanes
from .model import Model
from .policy import trained_task
from .tasks import TASKS


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
          give_up: float = 0.0, **settings: Any) -> Score:
    """Run `episodes` environments of the task for one whole episode each. policy: observation (n, n_obs) -> action (n, nu). Robot, commands,
    pushes and noise are those that the policy was trained with, where it is of a file that says so (`myriapod.policy.trained_task`), else the
    task's; robot and settings change them. task: None: the policy's, else "anymal-flat". Of a `Policy` the score is the same on every machine.
    give_up: stop once fewer than this part have survived; the means are then of the time until that."""
    env = trained_task(policy, task, episodes, robot=robot, autoreset="disabled", seed=seed, **settings)
    policy = as_lanes(policy, env)
    observation, alive = env.observe(), np.ones(episodes, bool)
    joints = [env.model.joints[a.joints[0]] for a in env.model.actuators]  # in the order of targets; a quadruped has one for each joint
    kp, kd, effort = env.batch.get("kp"), env.batch.get("kd"), np.array([j.effort_limit for j in joints])
    joints_q, joints_v = [j.q for j in joints], [j.v for j in joints]
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
        if alive.mean() < give_up:
            break
    seconds = env.max_episode_length * env.dt
    interval = float(env.settings["push_interval"]) if float(env.settings["push_speed"]) > 0 else 0.0
    env.close()
    n = max(counted, 1)
    return Score(float(linear / n), float(angular / n), float(alive.mean()), episodes, seconds, seconds / interval if interval else 0.0, float(np.sqrt(squares / n)),
                 float(speed / n))


@dataclass(frozen=True)
class TaskScore:
    """Means over the first episodes of as many environments, of a task without commands."""

    episode_return: float  #: sum of the rewards of an episode
    survived: float  #: part of the episodes that ended by their time alone
    episodes: int
    seconds: float  #: length of an episode that nothing ends [s]
    length: float  #: mean length [s]
    terms: dict[str, float]  #: reward term -> its part of the episode's return


def score_task(policy: Callable[[np.ndarray], np.ndarray], task: str | None = None, *, episodes: int = 1000, seed: int = 1000, robot: str | Model | None = None,
               **settings: Any) -> TaskScore:
    """As `score`, for any task, of the library or MODULE:CLASS: what its own reward makes of the policy."""
    env = trained_task(policy, task, episodes, robot=robot, seed=seed, **settings)
    policy = as_lanes(policy, env)
    names = env.reward_terms
    observation, first = env.observe(), np.ones(episodes, bool)
    returns, lengths, survived, sums = np.zeros(episodes), np.zeros(episodes), np.zeros(episodes, bool), np.zeros((episodes, len(names)))
    most = env.max_episode_length
    if most < 1:
        env.close()
        raise ArgumentError("the episodes have no end: the setting `episode` is 0")
    for _ in range(most):
        out = env.act(policy(observation))
        observation = out.observation
        returns[first] += out.reward[first]
        lengths[first] += 1
        sums[first] += out.terms[first]
        over = first & (out.terminated | out.truncated)
        survived |= over & out.truncated
        first &= ~over
        if not first.any():
            break
    dt = env.dt
    env.close()
    return TaskScore(float(returns.mean()), float((survived | first).mean()), episodes, most * dt, float(lengths.mean() * dt),
                     {name: float(sums[:, k].mean()) for k, name in enumerate(names)})


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m myriapod.score", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("task", help="a name, or MODULE:CLASS of a task written in Python")
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
            judge: Callable[..., Any] = score if args.task in TASKS and TASKS[args.task].commands else score_task
            result = judge(Policy.load(args.policy), args.task, episodes=args.episodes, seed=args.seed, robot=args.robot,
                           **from_pairs(args.set, ("task", "seed", "robot", "episodes")))
    except (Error, OSError, ValueError) as error:
        print(f"score: {error}", file=sys.stderr)
        return 2
    if isinstance(result, TaskScore):
        terms = ", ".join(f"{name} {value:.3g}" for name, value in result.terms.items() if value)
        print(f"return {result.episode_return:.3f}{f' ({terms})' if terms else ''}, {100 * result.survived:.1f} % of {result.episodes} episodes of "
              f"{result.seconds:.3g} s survived, mean length {result.length:.3g} s")
    else:
        print(f"velocity error {result.linear_error:.3f} m/s, yaw rate error {result.angular_error:.3f} rad/s, "
              f"{100 * result.survived:.1f} % of {result.episodes} episodes of {result.seconds:.0f} s survived with {result.pushes:.0f} pushes each; "
              f"rms torque {result.torque:.1f} N m, mean speed {result.speed:.2f} m/s")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(asdict(result), file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
