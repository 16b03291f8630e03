"""`python -m myriapod.train TASK`: teach a robot a task, such as to walk, on this machine's cores, with rsl_rl's PPO."""
from __future__ import annotations

import argparse
import os
import sys
import textwrap
import time
from pathlib import Path

from ._library import ArgumentError, Error
from .any_task import check_task
from .tasks import TASKS

#: What the words of the progress line say.
PROGRESS = {
    "it": "iterations so far; each is 24 control steps of every robot, then learning",
    "s": "wall clock since the training began",
    "M samples": "millions of control steps, those of all robots together",
    "reward": "sum of an episode's rewards, mean of the last 100 episodes that ended; 22 to 23 at the end",
    "episode": "their length; nobody fell in one of 20 s",
    "tracking": "the terms tracking-linear and tracking-angular per second; at most 1.0 and 0.5, at the end 0.93 and 0.44; not of other tasks",
    "std": "standard deviation of the noise on the actions, mean of the joints; it begins at 1",
}

EXPECT = """What to expect of robots that walk: the reward stays at 0 for about the first 3 M samples. At first the penalties outweigh what tracking earns, and a step's
reward is never below zero (the setting reward-floor). The episodes and the tracking show sooner that it learns. Whole episodes come at about 7
M samples. The policies of docs/benchmarks.md had 15 to 17 M samples, which are 8 minutes on two fast cores. A slower machine needs more than 8
minutes: raise --minutes, or go on with --resume."""


class _Help(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Defaults, and the lines of the epilog as they are."""


def _epilog() -> str:
    lines = (textwrap.fill(f"{word:11}{meaning}", 100, initial_indent="  ", subsequent_indent=" " * 13) for word, meaning in PROGRESS.items())
    return "The progress line:\n" + "\n".join(lines) + "\n\n" + textwrap.fill(EXPECT, 100)


def _minutes(word: str) -> float:
    try:
        minutes = float(word)
    except ValueError:
        minutes = float("nan")
    if not minutes > 0:
        raise argparse.ArgumentTypeError(f"{word} is no time: it must be above 0, and inf is as long as the iterations take")
    return minutes


def _iterations(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word} is no number of iterations: it must be 1 or more")
    return int(word)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m myriapod.train", description=__doc__, epilog=_epilog(), formatter_class=_Help)
    parser.add_argument("task", nargs="?", default="anymal-flat", help="; ".join(f"{t.name}: {t.about}" for t in TASKS.values()) + "; MODULE:CLASS: one written in Python (myriapod.numpy_task)")
    parser.add_argument("--envs", type=int, default=2048, help="robots at once")
    parser.add_argument("--iterations", type=_iterations, default=1000, help="PPO iterations of 24 control steps, at most")
    parser.add_argument("--minutes", type=_minutes, default=8.0, help="wall clock, at most; inf: as long as the iterations take")
    parser.add_argument("--seed", type=int, default=1, help="of the environments and of torch")
    parser.add_argument("--threads", type=int, default=0, help="of the simulation and of torch; 0: one per core")
    parser.add_argument("--log", type=Path, default=None, metavar="DIR", help="where everything is written (default: runs/TASK/DATE)")
    parser.add_argument("--overwrite", action="store_true", help="begin anew in a DIR that holds a training, whose files are removed")
    parser.add_argument("--resume", type=Path, default=None, metavar="DIR", help="go on from the newest checkpoint in DIR, in DIR")
    parser.add_argument("--robot", default=None, help="another robot for the task: a name, a URDF or MJCF; of a quadruped where robots walk")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the task, e.g. --set push-speed=1; `myriapod run --help` lists them")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    args = parser.parse_args(arguments)
    if args.resume and args.log:
        parser.error("--resume DIR writes into DIR: leave --log out")
    if args.resume and args.overwrite:
        parser.error("--overwrite begins anew, --resume goes on: leave one of them out")
    return args


def earlier_training(directory: Path) -> list[Path]:
    """Files of a training that has left a checkpoint or a policy in a directory; none: there is no such training."""
    learnt = [*directory.glob("model_*.pt"), *directory.glob("policy.npz")]
    if not learnt:
        return []
    others = ("policy.pt", "policy.onnx", "progress.csv", "curve.png", "config.json", "events.out.tfevents*")
    return [*learnt, *(path for name in others for path in directory.glob(name))]


def _want_room(directory: Path) -> None:
    """ArgumentError where a new training would mix its files with those of an earlier one."""
    earlier = earlier_training(directory)
    if earlier:
        raise ArgumentError(f"{directory} holds a training already ({earlier[0].name}): go on with it by --resume {directory} in place of --log, begin "
                            "anew in another directory by --log, or in this one by --overwrite, which removes it")


def sleep_when_idle() -> None:
    """Start again with threads that sleep when they have nothing to do. OpenMP reads its environment when it is loaded, which is before this line;
    torch has a pool of its own, and on few cores two pools that wait by spinning take each other's time."""
    if "OMP_WAIT_POLICY" not in os.environ and sys.argv[0] and Path(sys.argv[0]).stem == "train":
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def main(arguments: list[str] | None = None) -> int:
    """Train; 0, or 2 with a message for what was asked wrongly."""
    args = parse(arguments)
    from .settings import from_pairs

    directory = args.resume or args.log or Path("runs") / args.task.replace(":", ".") / time.strftime("%Y-%m-%d_%H-%M-%S")
    try:  # before torch is loaded, which takes seconds
        check_task(args.task)
        settings = from_pairs(args.set, ("task", "envs", "seed", "threads", "robot"))
        if not args.resume and not args.overwrite:
            _want_room(directory)
    except Error as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    try:
        import torch

        from .rsl_rl import TaskVecEnv
        from .training import Trainer, ppo_config
    except ModuleNotFoundError as missing:
        print(f"training needs {missing.name}: pip install 'myriapod-sim[rl]'", file=sys.stderr)
        return 2
    try:
        if args.threads:
            torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        env = TaskVecEnv(args.task, args.envs, robot=args.robot, seed=args.seed, threads=args.threads, **settings)
        for path in earlier_training(directory) if args.overwrite else ():
            path.unlink()
        trainer = Trainer(env, directory, ppo_config(args.seed), quiet=args.quiet)
        if args.resume:
            print(f"resuming after iteration {trainer.resume() - 1}", file=sys.stderr)
    except (Error, FileNotFoundError) as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    trainer.learn(args.iterations, args.minutes)
    if not args.quiet:
        last, split = trainer.rows[-1], trainer.time_split()
        parts = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in split.items())
        print(f"{last['samples'] / 1e6:.1f} M samples; {parts}")
        print(f"return {last['reward']:.2f}, episodes of {last['length_s']:.1f} s. Written: {directory}/curve.png, progress.csv, policy.npz, policy.pt, policy.onnx")
        print(f"next: python -m myriapod.play {args.task} {directory}/policy.npz        python -m myriapod.score {args.task} {directory}/policy.npz")
    return 0


if __name__ == "__main__":
    sleep_when_idle()
    sys.exit(main())
