"""`python -m myriapod.train TASK`: teach a robot a task, such as to walk, on this machine's cores, by PPO: the library's own in lanes, or rsl_rl's."""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import textwrap
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import ArgumentError, Error, StateError
from ._names import Parser
from .envs.any_task import check_task, open_task
from .envs.tasks import TASKS, get_task, overview, posed_and_trained
from .learn.log import checkpoints
from .settings import OF_THE_RUN
from .task_table import Stage

if TYPE_CHECKING:
    from .distributed import Job
    from .learn.backend import Backend
    from .learn.loop import Trainer

#: After a failure the first process of a job has so long to write what was learnt [s].
_GRACE = 5.0

#: What the words of the progress line say.
PROGRESS = {
    "it": "iterations so far; each is 24 control steps of every robot, then learning",
    "s": "wall clock since the training began",
    "s left": "by the iterations and the minutes that were asked for",
    "M samples": "millions of control steps, those of all robots together",
    "reward": "sum of an episode's rewards, mean of the last 100 episodes that ended; 15 to 20 when they walk",
    "episode": "mean episode length; 20 s means no falls",
    "tracking": "the terms tracking-linear and tracking-angular per second; at most 1.0 and 0.5, when they walk 0.85 and 0.38; not of other tasks",
    "std": "standard deviation of the noise on the actions, mean of the joints; it begins at 0.5 (rsl_rl: 1)",
}

EXPECT = """What to expect of robots that walk: for the first 1 to 2 M samples they stand. At first the penalties outweigh what tracking earns, and a
step's reward is never below zero (the setting reward-floor). Then the tracking shows that they learn to follow, at 2 to 4 M samples. Whole
episodes in spite of pushes come last, at 3 to 6 M samples. --until stops there."""


def _epilog() -> str:
    lines = (textwrap.fill(f"{word:11}{meaning}", 100, initial_indent="  ", subsequent_indent=" " * 13) for word, meaning in PROGRESS.items())
    return "The progress line:\n" + "\n".join(lines) + "\n\n" + textwrap.fill(EXPECT, 100, break_on_hyphens=False)  # names of settings stay whole


def _minutes(word: str) -> float:
    try:
        minutes = float(word)
    except ValueError:
        minutes = float("nan")
    if not minutes > 0:
        raise argparse.ArgumentTypeError(f"must be > 0 (inf: no limit), got {word}")
    return minutes


_NO_ITERATIONS = "{} is not a number of iterations: it must be 1 or more, or with --resume 0"


def _iterations(word: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", word):
        raise argparse.ArgumentTypeError(_NO_ITERATIONS.format(word))
    return int(word)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = Parser(prog="python -m myriapod.train", description=__doc__, epilog=_epilog(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", nargs="?", default=argparse.SUPPRESS, help="; ".join(f"{t.name}: {t.about}" for t in TASKS.values()) + "; FILE.task or MODULE:NAME: one of your own (docs/tables.md)")
    parser.add_argument("--learner", choices=("lanes", "rsl_rl"), default="lanes", help="lanes: the library's own, with the same weights on every machine; rsl_rl: needs torch (default: %(default)s)")
    parser.add_argument("--until", default=None, metavar="GOAL", help="score as it goes, and stop at WORD=NUMBER,...: survived, error, linear, angular [m/s, rad/s]; of other tasks survived, return; on generated maps level. Such as survived=0.95,error=0.25")
    parser.add_argument("--envs", type=int, default=None, help="robots at once (default: 512 of robots that walk, else 1024; rsl_rl 2048)")
    parser.add_argument("--iterations", type=_iterations, default=1000, help="PPO iterations of 24 control steps, at most; 0 with --resume: only write what the newest checkpoint holds (default: %(default)s)")
    parser.add_argument("--minutes", type=_minutes, default=None, help="wall clock, at most; inf: as long as the iterations take (default: 8, with --until inf)")
    parser.add_argument("--seed", type=int, default=1, help="of the environments and of the learner (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=0, help="of the simulation and of the learner; 0: one per core (default: %(default)s)")
    parser.add_argument("--log", type=Path, default=None, metavar="DIR", help="where everything is written (default: runs/TASK/DATE)")
    parser.add_argument("--overwrite", action="store_true", help="begin anew in a DIR that holds a training, whose files are removed")
    parser.add_argument("--resume", type=Path, default=None, metavar="DIR", help="go on from the newest checkpoint in DIR, in DIR, with its task and as many robots unless told otherwise")
    parser.add_argument("--from", dest="start", type=Path, default=None, metavar="PATH", help="begin with what another training has learnt, under other rewards say: its directory, a checkpoint model_N.npz or a policy.npz of the same sizes")
    parser.add_argument("--robot", default=None, help="another robot for the task: a name, a URDF or MJCF; of a quadruped where robots walk")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the task, e.g. --set push-speed=1; `python -m myriapod docs settings` lists them; or a number of a task of your own, --set number.NAME=0.3")
    parser.add_argument("--stage", action="append", default=[], metavar="SAMPLES:KEY=VALUE", help="from so many samples on a number of the task, or a setting of its episodes, is another, e.g. --stage 2e6:push-speed=0.5; beside those that the task has")
    parser.add_argument("--learn", action="append", default=[], metavar="KEY=VALUE", help="an option of the learner in lanes (myriapod.learn.ppo), e.g. --learn hidden=256,128 --learn epochs=5")
    parser.add_argument("--processes", type=int, default=1, help="so many processes of this machine learn together, with the weights of one; mpiexec, srun and torchrun start them elsewhere (docs/distributed.md)")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help="of a job: most that another process may let this one wait [s] (default: %(default)g)")
    parser.add_argument("--wandb", default=None, metavar="PROJECT", help="curves also to this project of Weights & Biases (needs wandb; WANDB_MODE=offline keeps them in DIR)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    args = parser.parse_args(arguments)
    if args.resume:
        _take_earlier(args, parser)
    if "task" not in args:
        parser.exit(2, f"train: a task is missing; {overview()}\n")
    if args.processes < 1:
        parser.error(f"argument --processes: {args.processes} is below 1")
    if args.minutes is None:
        args.minutes = float("inf") if args.until else 8.0
    if args.iterations < 1 and not args.resume:
        parser.error(f"argument --iterations: {_NO_ITERATIONS.format(args.iterations)}")
    if args.resume and args.log:
        parser.error("--resume DIR writes into DIR: leave --log out")
    if args.resume and args.overwrite:
        parser.error("--overwrite begins anew, --resume goes on: leave one of them out")
    if args.learner == "rsl_rl" and (args.learn or args.start):
        parser.error(f"{'--learn' if args.learn else '--from'} is of the learner in lanes: leave --learner rsl_rl out")
    if args.resume and args.start:
        parser.error("--resume goes on, --from begins anew: leave one of them out")
    return args


def _take_earlier(args: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """What a training that is gone on with has been told, where it is not told anew: its task, how many robots."""
    try:
        told = json.loads((args.resume / "config.json").read_text(encoding="utf-8"))
        task, envs = str(told["task"]), int(told["num_envs"])
    except (OSError, ValueError, KeyError, TypeError):
        task, envs = "anymal-flat", None  # a training of before 0.1, or none: what follows says so
    if "task" not in args:
        if task not in TASKS:
            parser.exit(2, f"train: say which task {args.resume} is a training of: it was called {task}\n")
        args.task = task
    if args.envs is None:
        args.envs = envs


def earlier_training(directory: Path) -> list[Path]:
    """Files of a training that has left a checkpoint or a policy in a directory; none: there is no such training."""
    learnt = [*checkpoints(directory, "pt")[0], *checkpoints(directory, "npz")[0], *directory.glob("policy.npz")]
    if not learnt:
        return []
    others = ("policy.pt", "policy.onnx", "progress.csv", "curve.png", "config.json", "result.json", "wandb.json", "events.out.tfevents*")
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


def learner_options(pairs: list[str]) -> dict[str, object]:
    """Of a command line: `--learn KEY=VALUE`, several times; widths are hidden=128,64. ArgumentError: another form."""
    options: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        name = key.replace("-", "_")
        if not equals or name in ("seed", "threads", "envs"):
            raise ArgumentError(f"--learn {pair}: " + (f"--{name} says that" if equals else "KEY=VALUE is wanted"))
        try:
            if name == "hidden":
                options[name] = tuple(int(width) for width in value.split(",") if width)
            elif name in ("activation", "isa"):
                options[name] = value
            else:
                options[name] = int(value) if value.lstrip("-").isdecimal() else float(value)
        except ValueError:
            raise ArgumentError(f"--learn {pair}: {value!r} is not a number") from None
    return options


def stages(words: list[str]) -> list[Stage]:
    """Of a command line: `--stage SAMPLES:KEY=VALUE`, several times. ArgumentError: another form."""
    made = []
    for word in words:
        found = re.fullmatch(r"([^:=]+):(?:number\.)?([^:=]+)=([^:=]+)", word)
        try:
            samples, value = (float(found[1]), float(found[3])) if found else (-1.0, 0.0)
        except ValueError:
            samples = -1.0
        if not found or not 0 <= samples < float("inf"):
            raise ArgumentError(f"--stage {word}: SAMPLES:KEY=VALUE is wanted, such as 2e6:push-speed=0.5")
        made.append(Stage(samples, {found[2]: value}))
    return made


def _left(own: Sequence[Stage], asked: set[str] | None) -> list[Stage]:
    """Stages of a task without options of the learner that were asked for otherwise; None: all of them, which are of the learner in lanes."""
    def stays(name: str) -> bool:
        return not name.startswith("learn.") or asked is not None and name.removeprefix("learn.").replace("-", "_") not in asked

    left = [Stage(stage.samples, {name: value for name, value in stage.numbers.items() if stays(name)}) for stage in own]
    return [stage for stage in left if stage.numbers]


def _lanes(args: argparse.Namespace, settings: dict[str, Any], job: Job) -> tuple[Backend, dict[str, Any]]:
    """The learner in lanes, and settings in which the task is scored otherwise than it is trained."""
    from .learn.lanes import Lanes
    from .learn.ppo import renamed
    from .learn.together import Together

    own = dict(get_task(args.task).learner)
    envs, asked = own.pop("num_envs", 1024), renamed(learner_options(args.learn))
    if "hidden" in asked:  # a task's encoder is part of the layers that the task has
        own.pop("encoder", None)
    threads = args.threads or (job.threads if job.ranks > 1 else 0)
    options = {**own, **asked, "seed": args.seed, "threads": threads}
    trained, posed = posed_and_trained(args.task, settings)
    together = Together(job, envs if args.envs is None else args.envs)
    if together.job:
        trained = {**trained, "first_env": together.first}
    core = open_task(args.task, together.count, robot=args.robot, autoreset="same-step", dtype="float32", seed=args.seed, threads=threads, **trained)
    if together.job:
        together.job.agree(task=core.task, model=core.model.hash, settings={name: value for name, value in core.settings.items() if name not in OF_THE_RUN},
                           rewards={name: reward.weight for name, reward in core.rewards.items()}, **{"control steps": _tried(args, trained)})
    backend = Lanes(core, options, together)
    if args.start:
        begun = backend.begin_from(args.start)
        if together.writes:
            print(f"beginning with {begun}", file=sys.stderr)
    return backend, posed


def _tried(args: argparse.Namespace, settings: dict[str, Any]) -> str:
    """A hash of what a few robots see and are paid in a second, the same ones in all processes: do their machines step alike, and is it one task?"""
    core = open_task(args.task, 16, robot=args.robot, autoreset="same-step", dtype="float32", seed=args.seed, threads=1, **{**settings, "first_env": 0})
    seen = hashlib.sha256()
    try:
        for _ in range(50):
            out = core.act(np.zeros((16, core.num_actions), np.float32))
            seen.update(np.ascontiguousarray(out.observation).tobytes() + np.ascontiguousarray(out.reward).tobytes())
        return f"{seen.hexdigest()[:16]} after 50"
    finally:
        core.close()


def _rsl_rl(args: argparse.Namespace, settings: dict[str, Any], job: Job) -> tuple[Backend, dict[str, Any]]:
    """rsl_rl's PPO, which trains in the task as it is scored."""
    import torch

    from .envs.rsl_rl import TaskVecEnv
    from .learn.rsl_rl import RslRl, ppo_config
    from .learn.together import Together

    threads = args.threads or (job.threads if job.ranks > 1 else 0)
    if threads:
        torch.set_num_threads(threads)
    torch.manual_seed(args.seed + job.rank)
    together = Together(job, args.envs or 2048)
    if together.job:
        settings = {**settings, "first_env": together.first}
        if together.writes:
            print("rsl_rl's sums are torch's: the processes have the same weights, but not those of one process", file=sys.stderr)
    return RslRl(TaskVecEnv(args.task, together.count, robot=args.robot, seed=args.seed, threads=threads, **settings), ppo_config(args.seed), together), {}


def _train(args: argparse.Namespace, directory: Path, settings: dict[str, Any], job: Job) -> int:
    """Train; 1 where the goal was not reached."""
    from .learn.goal import Goal
    from .learn.loop import Trainer

    goal = Goal.parse(args.until) if args.until else None
    if goal:
        goal.check(args.task)
    job.agree(**{f"--{name}": getattr(args, name) for name in ("learner", "until", "iterations", "envs", "seed", "set", "stage", "learn")})
    backend, posed = (_lanes if args.learner == "lanes" else _rsl_rl)(args, settings, job)
    if goal:
        goal.check_ground(backend.core)
    old = earlier_training(directory) if args.overwrite and job.rank == 0 else []
    asked = None if args.learner == "rsl_rl" else set(learner_options(args.learn))
    trainer = Trainer(backend, directory, of_the_task=posed, stages=[*_left(backend.core.stages, asked), *stages(args.stage)], quiet=args.quiet)
    _begin(args, trainer, old)
    if args.wandb and trainer.writes:
        from .frontends.wandb import Wandb

        trainer.curves.append(Wandb(args.wandb, directory, trainer.config, quiet=args.quiet))
    trainer.learn(args.iterations, args.minutes, goal)
    if job.rank:
        return 0  # the first process says how it ended, when it has written what was learnt
    _tell(args, trainer, directory)
    reached = not goal or trainer.reached is not None
    _tell_end(trainer, "" if reached else f"the goal {args.until} was not reached")
    return 0 if reached else 1


def _begin(args: argparse.Namespace, trainer: Trainer, old: list[Path]) -> None:
    """Nothing was refused: files of a training that is begun anew go, or its newest checkpoint is gone on from."""
    for path in old:
        if path.name != "config.json":  # written anew
            path.unlink(missing_ok=True)
    if args.resume:
        done = trainer.resume()
        if not trainer.writes:
            return
        print(f"resuming after iteration {done - 1}", file=sys.stderr)
        for path in trainer.strays:
            print(f"train: {path} is not a checkpoint model_N{path.suffix}, and left out", file=sys.stderr)


def _tell(args: argparse.Namespace, trainer: Trainer, directory: Path) -> None:
    if args.quiet or not trainer.rows:
        return
    last, split = trainer.rows[-1], trainer.time_split()
    parts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in split.items())
    written = ", ".join(name for name in ("curve.png", "progress.csv", "policy.npz", "policy.pt", "policy.onnx") if (directory / name).exists())
    print(f"{last['samples'] / 1e6:.1f} M samples; {parts}")
    print(f"return {last['reward']:.2f}, episodes of {last['length_s']:.1f} s. Written: {directory}/{written}")
    print(f"next: python -m myriapod.play {args.task} {directory}/policy.npz        python -m myriapod.score {args.task} {directory}/policy.npz")


def _tell_end(trainer: Trainer, words: str) -> None:
    """The last line, where the goal was missed or the end depends on the machine."""
    if trainer.ended_by:
        samples = f" after {trainer.rows[-1]['samples'] / 1e6:.2f} M samples" if trainer.rows else ""
        who = "the clock (--minutes)" if trainer.ended_by == "clock" else trainer.ended_by
        words = f"{words}: {who}" if words else who
        words += f" ended the training{samples}; on another machine it ends elsewhere"
    if words:
        sys.stdout.flush()  # or what was told before would come behind it in a file
        print(words, file=sys.stderr)


def main(arguments: list[str] | None = None) -> int:
    """Train; 0, 2 with a message for what was asked wrongly, 1 where the goal was not reached or the training diverged."""
    args = parse(arguments)
    from .distributed import init, launch
    from .distributed.job import launched
    from .distributed.sockets import VARIABLE
    from .learn.curriculum import CurriculumError
    from .settings import from_pairs

    if args.processes > 1 and VARIABLE not in os.environ:
        if launcher := launched()[0]:
            print(f"train: {launcher} has started this process: it says how many there are, leave --processes out", file=sys.stderr)
            return 2
        return launch([sys.executable, "-m", "myriapod.train", *(sys.argv[1:] if arguments is None else arguments)], args.processes)
    directory = args.resume or args.log or Path("runs") / args.task.replace(":", ".") / time.strftime("%Y-%m-%d_%H-%M-%S")
    job: Job | None = None

    def refused(words: object, code: int, learnt: bool = False) -> int:
        """Tells why nothing more is learnt, and ends the other processes of the job, which may not know yet. learnt: the first one has something to write before."""
        if job is None or job.ranks == 1:
            print(f"train: {words}", file=sys.stderr)
            return code
        print(f"train: process {job.rank} of {job.ranks}: {words}", file=sys.stderr, flush=True)
        if learnt and job.rank:
            time.sleep(_GRACE)
        job.abort(code)

    try:  # before torch is loaded, which takes seconds
        check_task(args.task)
        settings = from_pairs(args.set, ("task", "envs", "seed", "threads", "robot"))
        job = init(args.timeout)
        directory = Path(job.strings(str(directory))[0])
        if not args.resume and not args.overwrite and job.rank == 0:
            _want_room(directory)
        if find_spec("matplotlib") is None:  # said before the training, not behind it
            print("train: curve.png is left out: pip install matplotlib", file=sys.stderr)
        if args.wandb and find_spec("wandb") is None:
            raise ModuleNotFoundError(name="wandb")
        code = _train(args, directory, settings, job)
        job.close()
        return code
    except StateError as error:
        left = [path.name for path in [*checkpoints(directory, "npz")[0][-1:], *checkpoints(directory, "pt")[0][-1:], directory / "policy.npz"] if path.exists()]
        what = f"{' and '.join(left)} in {directory} {'are' if len(left) > 1 else 'is'} of before" if left else "nothing was learnt before"
        return refused(error if job is not None and job.rank else f"{error}; {what}", 1, learnt=True)
    except (Error, OSError) as error:
        return refused(error, 2, learnt=isinstance(error, CurriculumError))
    except ModuleNotFoundError as missing:
        if missing.name == "wandb":
            return refused("--wandb needs wandb: pip install wandb", 2)
        return refused(f"the learner {args.learner} needs {missing.name}: pip install torch rsl-rl-lib tensordict tensorboard", 2)


if __name__ == "__main__":
    sleep_when_idle()
    sys.exit(main())
