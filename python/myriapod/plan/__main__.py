"""`python -m myriapod.plan`: a robot that does what is planned, in the browser, or in a film."""
from __future__ import annotations

import argparse
import sys

from .._library import ArgumentError, UnknownKeyError
from .._names import Parser, nearest
from ..settings import Settings, from_pairs
from ..view.__main__ import count, page_arguments, picture_arguments, positive, run
from ..view.panel import need_pillow
from .given import GIVEN, find
from .planner import OPTIONS, OWN, Planner
from .watch import PlanSource, plant

EPILOG = """\
examples:
  python -m myriapod.plan anymal-walk --command 0.5 0 0                 at http://127.0.0.1:8080
  python -m myriapod.plan g1-stand --push 0.3 --seconds 8 --film g1.mp4
  python -m myriapod.plan cart-pole-swing-up --set steps=60 --set update=cem
  python -m myriapod.plan mine:task --samples 1024 --threads 4          a task of one's own (docs/tables.md)

docs/planning.md says more. Exit status: 0 it ended as asked, 1 it could not go on (one line on standard error says why), 2 wrong usage."""


def parser() -> argparse.ArgumentParser:
    """Of the command line."""
    p = Parser(prog="python -m myriapod.plan", description="Watch a robot that does what is planned, and what is planned.", epilog=EPILOG,
                                formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    p.add_argument("what", metavar="TASK", help=f"{', '.join(GIVEN)}, a task of docs/tasks.md, FILE.task, or MODULE:NAME")
    own = p.add_argument_group("what is planned")
    own.add_argument("--samples", type=count, metavar="N", help="of a draw (default: as the task has it, else 512)")
    own.add_argument("--threads", type=int, default=1, metavar="N", help="that the samples have (default 1)")
    own.add_argument("--seed", type=int, default=1, metavar="N", help="of the noise (default 1)")
    own.add_argument("--command", type=float, nargs="+", metavar="X", help="that the robot is told: of a walk forward, left [m/s], yaw rate [rad/s]")
    own.add_argument("--push", type=float, default=0.0, metavar="V", help="a push of so many m/s every 3 s, in a random direction")
    own.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings",
                     help="an option of the planner (steps, knots, sigma, iterations, update, ..), a setting of robot and samples, or number.NAME; repeatable")
    show = p.add_argument_group("what is shown")
    show.add_argument("--lines", type=int, default=8, metavar="N", help="samples whose ways are drawn, the plan among them (default 8; 0: none)")
    show.add_argument("--of", nargs="+", metavar="NAME", help="bodies, frames or collision shapes whose ways are drawn (default: as the task has it, else the base)")
    show.add_argument("--away", type=positive, metavar="X", help="how far the camera is (default: as the task has it, else 1)")
    show.add_argument("--seconds", type=positive, metavar="S", help="end after so long: real time in the browser; simulated time of pictures and films (default 2)")
    page_arguments(p)
    picture_arguments(p, ("--film", "--mp4"))
    p.set_defaults(env=0, shown=1)
    return p


def _value(word: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def make_source(a: argparse.Namespace) -> PlanSource:
    """What the command line asks for."""
    if a.png or a.mp4:
        need_pillow()
    if a.lines < 0:
        raise ArgumentError(f"--lines {a.lines} is below 0")
    given = find(a.what)
    settings = from_pairs(a.settings, ("threads", "seed", "samples", "envs", "task"))
    known = {*OPTIONS, *Settings()} - {"samples", "terminal", "sense", "profile"}
    if not isinstance(settings.get("numbers", {}), dict):
        raise ArgumentError("--set numbers: a number of the task is --set number.NAME=VALUE")
    for key in set(settings) - known:
        near = nearest(key, known)
        raise UnknownKeyError(f"--set {key}: this is neither an option of the planner nor a setting" + (f"; did you mean {near!r}?" if near else ""))
    planned = {key: _value(value) if key in OWN | {"sigma", "lower", "upper"} else value for key, value in settings.items()}
    planner = Planner(given.task(), a.samples or given.samples, **{"threads": a.threads, "seed": a.seed, "pin": 0, **given.options, **planned})
    try:
        robot = plant(planner)
        try:
            return PlanSource(planner, robot, of=given.of if a.of is None else a.of, ghosts=a.lines, command=given.command if a.command is None else a.command, push=a.push,
                              away=a.away or given.away)
        except BaseException:
            robot.close()
            raise
    except BaseException:
        planner.close()
        raise


def main(words: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    return run("myriapod.plan", make_source, parser().parse_args(words))


if __name__ == "__main__":
    sys.exit(main())
