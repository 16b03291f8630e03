"""`python -m myriapod.score TASK POLICY`: how well a policy follows commands and how often it falls, over whole episodes with pushes.

Of tasks without commands: what their reward makes of it. The measures are in `myriapod.learn.score`. Processes that mpiexec, srun, torchrun or
`python -m myriapod.distributed` has started share the episodes; the first one says the score, which is that of one process."""
from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from ._library import Error
from ._names import Parser
from .distributed import init
from .envs.tasks import get_task
from .envs.trained import warnings_as_lines
from .learn.score import Score, TaskScore, base_velocity, look, score, score_task
from .policies.networks import Policy
from .settings import from_pairs

__all__ = ["Score", "TaskScore", "base_velocity", "look", "main", "score", "score_task"]


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = Parser(prog="python -m myriapod.score", description=__doc__)
    parser.add_argument("task", help="a name, FILE.task or MODULE:NAME of a task of your own")
    parser.add_argument("policy", help="policy.npz or policy.pt as `python -m myriapod.train` writes them")
    parser.add_argument("--episodes", type=int, default=1000, help="each is a robot's first (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1000, help="of the environments (default: %(default)s)")
    parser.add_argument("--robot", default=None, help="another robot than the one that the policy was trained with")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting other than those of the training, e.g. --set push-speed=1; or a number of a task of your own, --set number.NAME=0.3")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help="of a job: most that another process may let this one wait [s] (default: %(default)g)")
    parser.add_argument("--json", help="also write the figures to this file")
    args = parser.parse_args(arguments)
    job = None
    try:
        with warnings_as_lines("score"):
            job = init(args.timeout)
            judge: Callable[..., Any] = score if get_task(args.task).commands else score_task
            result = judge(Policy.load(args.policy), args.task, episodes=args.episodes, seed=args.seed, robot=args.robot, job=job,
                           **from_pairs(args.set, ("task", "seed", "robot", "episodes")))
    except (Error, OSError, ValueError) as error:
        print(f"score: {error}", file=sys.stderr)
        if job is not None and job.ranks > 1:
            job.abort(2)
        return 2
    job.close()
    if job.rank:
        return 0
    if isinstance(result, TaskScore):
        terms = ", ".join(f"{name} {value:.3g}" for name, value in result.terms.items() if value)
        print(f"return {result.episode_return:.3f}{f' ({terms})' if terms else ''}, {100 * result.survived:.1f} % of {result.episodes} episodes of "
              f"{result.seconds:.3g} s survived, mean length {result.length:.3g} s" + "".join(f"; {name} {value:.3g}" for name, value in result.metrics.items()))
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
