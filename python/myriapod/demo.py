"""`python -m myriapod.demo`: a robot learns to walk in this terminal, in a minute or two, and then walks in the browser, steered by sliders."""
from __future__ import annotations

import argparse
import sys
import tempfile
import webbrowser
from importlib.util import find_spec
from pathlib import Path

from ._names import Parser

TASK = "anymal-flat"
GOAL = "survived=0.95,error=0.25"  #: whole episodes in spite of pushes, and 0.25 m/s from the commanded velocity

TELL = """\
512 ANYmals learn to walk: flat ground, commanded velocities, pushes. It ends where 95 % of them last an episode and are within 0.25 m/s of the command,
in a minute or two; the bar shows how much of the longest training is over. What its words say: python -m myriapod.train --help"""

KEPT = """\
The policy is {policy}{where}.
  once more:  python -m myriapod.play {task} {policy}
  learn on:   python -m myriapod.train {task} --resume {log}"""

NO_VIEWER = """\
A picture of it: {picture}
The page on which it walks, steered by sliders, needs viser: pip install viser trimesh, then `once more`."""


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = Parser(prog="python -m myriapod.demo", description=__doc__)
    parser.add_argument("--log", type=Path, default=None, metavar="DIR", help="where what was learnt is written (default: a new folder for temporary files)")
    parser.add_argument("--iterations", type=int, default=1000, metavar="N", help="of the training, at most; it ends where they walk (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=None, metavar="S", help="close the page after so long (default: Ctrl-C closes it)")
    parser.add_argument("--port", type=int, default=0, help="of the page; 0: any free one (default: %(default)s)")
    parser.add_argument("--no-browser", action="store_true", help="tell the page's address, and open nothing")
    return parser.parse_args(arguments)


def _tell_kept(log: Path, temporary: bool) -> None:
    """Of the checkpoints the newest stays, to go on from: a demo is not gone on with from the middle."""
    from .learn.log import checkpoints

    for path in checkpoints(log, "npz")[0][:-1]:
        path.unlink(missing_ok=True)
    where = ", in a folder for temporary files: --log DIR puts it elsewhere" if temporary else ""
    print(KEPT.format(policy=log / "policy.npz", where=where, task=TASK, log=log), flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Train, then show; 0, or the training's status where it was refused."""
    from . import train
    from .view import __main__ as view

    args = parse(arguments)
    log = args.log or Path(tempfile.mkdtemp(prefix="myriapod-demo-"))
    print(TELL, flush=True)
    status = train.main([TASK, "--until", GOAL, "--iterations", str(args.iterations), "--log", str(log)])
    policy = log / "policy.npz"
    if status == 2 or not policy.exists():  # refused, and said why
        return status
    if status:
        print("It does not walk well yet; here is what it does.")
    _tell_kept(log, args.log is None)
    shown = [TASK, str(policy), "--shown", "4"]
    if find_spec("viser"):
        page = [] if args.no_browser else ["--open"]
        page += ["--seconds", str(args.seconds)] if args.seconds else []
        return view.main([*shown, "--port", str(args.port), *page], play=True)
    picture = log / "walk.png"
    if view.main([*shown, "--seconds", "3", "--png", str(picture)], play=True):
        return 1
    print(NO_VIEWER.format(picture=picture))
    if not args.no_browser:
        webbrowser.open(picture.resolve().as_uri())
    return 0


if __name__ == "__main__":
    sys.exit(main())
