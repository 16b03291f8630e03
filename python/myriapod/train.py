"""`python -m myriapod.train TASK`: teach a robot to walk on this machine's cores, with rsl_rl's PPO."""
from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from .tasks import TASKS, get_task


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m myriapod.train", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("task", nargs="?", default="anymal-flat", help="; ".join(f"{t.name}: {t.about}" for t in TASKS.values()))
    parser.add_argument("--envs", type=int, default=2048, help="robots at once")
    parser.add_argument("--iterations", type=int, default=1000, help="PPO iterations of 24 control steps, at most")
    parser.add_argument("--minutes", type=float, default=8.0, help="wall clock, at most; 0: as long as the iterations take")
    parser.add_argument("--seed", type=int, default=1, help="of the environments and of torch")
    parser.add_argument("--threads", type=int, default=0, help="of the simulation and of torch; 0: one per core")
    parser.add_argument("--log", type=Path, default=None, metavar="DIR", help="where everything is written (default: runs/TASK/DATE)")
    parser.add_argument("--resume", type=Path, default=None, metavar="DIR", help="go on from the newest checkpoint in DIR, in DIR")
    parser.add_argument("--robot", default=None, help="another robot for the task: a name or a URDF of a quadruped")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the task, e.g. --set push-speed=1; `myriapod run --help` lists them")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    args = parser.parse_args(arguments)
    if args.resume and args.log:
        parser.error("--resume DIR writes into DIR: leave --log out")
    return args


def sleep_when_idle() -> None:
    """Start again with threads that sleep when they have nothing to do. OpenMP reads its environment when it is loaded, which is before this line;
    torch has a pool of its own, and on few cores two pools that wait by spinning take each other's time."""
    if "OMP_WAIT_POLICY" not in os.environ and sys.argv[0] and Path(sys.argv[0]).stem == "train":
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def main(arguments: list[str] | None = None) -> int:
    """Train; 0, or 2 with a message for what was asked wrongly."""
    args = parse(arguments)
    from . import Error
    from .settings import from_pairs

    try:  # before torch is loaded, which takes seconds
        get_task(args.task)
        settings = from_pairs(args.set, ("task", "envs", "seed", "threads", "robot"))
    except Error as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    try:
        import torch

        from .rsl_rl import LocomotionVecEnv
        from .training import Trainer, ppo_config
    except ModuleNotFoundError as missing:
        print(f"training needs {missing.name}: pip install 'myriapod-sim[rl]'", file=sys.stderr)
        return 2
    try:
        if args.threads:
            torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        directory = args.resume or args.log or Path("runs") / args.task / time.strftime("%Y-%m-%d_%H-%M-%S")
        env = LocomotionVecEnv(args.task, args.envs, robot=args.robot, seed=args.seed, threads=args.threads, **settings)
        trainer = Trainer(env, directory, ppo_config(args.seed), quiet=args.quiet)
        if args.resume:
            print(f"resuming after iteration {trainer.resume() - 1}", file=sys.stderr)
    except (Error, FileNotFoundError) as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    trainer.learn(args.iterations, args.minutes or float("inf"))
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
