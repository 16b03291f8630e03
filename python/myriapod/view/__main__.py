"""`python -m myriapod.view`: the viewer's command line."""
from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .. import TASKS, __version__
from .._library import Error, FileError
from .._names import Parser, nearest
from ..envs.tasks import get_task, is_file
from ..envs.trained import trained_task, warnings_as_lines
from ..known import PREFIXES
from ..model import Model
from ..policies.networks import Policy
from ..recording import Recording
from ..settings import Settings, from_pairs
from ..terrain import Terrain
from ..trajectory import Trajectory
from . import INSTALL, ViewError, serve
from .frame import Source
from .live import SENSE, PolicySource, batch_source
from .shapes import Look, look_at
from .timeline import TrajectorySource

FEW = 256  #: environments that one thread steps fast enough; the browser has use for the other cores

EPILOG = """\
examples:
  python -m myriapod.view anymal --task trot --envs 16          a live batch, at http://127.0.0.1:8080
  python -m myriapod.view anymal --task drop --shown 9          nine robots side by side
  python -m myriapod.view walk.npz                              a trajectory (myriapod.Trajectory) or a Recording, with a time slider
  python -m myriapod.view anymal-flat --policy policy.npz       a policy, steered by sliders (.npz, or TorchScript .pt)
  python -m myriapod.view hold --robot path/to/robot.urdf       a robot that keeps its pose; MODULE:NAME: a task of your own
  python -m myriapod.view path/to/robot.urdf --set dt=0.002     any robot, any setting
  python -m myriapod.view anymal --task trot --seconds 3 --png trot.png --mp4 trot.mp4

Robots and tasks by name: docs/models.md, docs/tasks.md. The viewer's page: docs/viewer.md.
Exit status: 0 it ended as asked, 1 it could not go on (one line on standard error says why), 2 wrong usage."""


PLAY_EPILOG = """\
examples:
  python -m myriapod.play anymal-flat runs/a/policy.npz                                  at http://127.0.0.1:8080, steered by sliders
  python -m myriapod.play anymal-flat runs/a/policy.npz --seconds 5 --mp4 walk.mp4       a film, without a browser

docs/viewer.md says more."""


def _parser(play: bool = False) -> argparse.ArgumentParser:
    p = Parser(
        prog=f"python -m myriapod.{'play' if play else 'view'}",
        description="Watch a trained policy in the browser. Or make pictures and films of it." if play else
        "Look at robots in the browser: a live batch, a trajectory or a policy. Or make pictures and films.",
        epilog=PLAY_EPILOG if play else EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )
    if play:
        p.add_argument("what", metavar="TASK", help=f"{', '.join(TASKS)}, or MODULE:NAME of one written in Python")
        p.add_argument("policy", metavar="POLICY", help="as training writes it: .npz (myriapod.Policy), or TorchScript .pt (needs torch)")
        p.set_defaults(task=None)
    else:
        p.add_argument("what", metavar="ROBOT|TASK|FILE", help=f"a robot (name, URDF or MJCF), a task ({', '.join(TASKS)}, or MODULE:NAME of one written in Python), or a trajectory (.npz, or what `myriapod run --record` wrote)")
    p.add_argument("--version", action="version", version=f"myriapod {__version__}")
    run = p.add_argument_group("what runs")
    if not play:
        run.add_argument("--task", help="what drives a robot: stand, trot, hang, drop, random, hold or none (default: stand for quadrupeds, else none)")
        run.add_argument("--policy", metavar="FILE", help="drive a task by this policy: .npz (myriapod.Policy), or TorchScript .pt (needs torch)")
    run.add_argument("--envs", type=count, metavar="N", help="environments in the batch (default 16)")
    run.add_argument("--command", type=float, nargs=3, metavar=("VX", "VY", "YAW"), help="command at the start [m/s, m/s, rad/s] (default 0.5 0 0)")
    run.add_argument("--robot", help="the robot of a trajectory, of a task or of a policy, instead of its own")
    run.add_argument("--meshes", choices=("load", "skip"), default="load", help="whether the meshes that a robot's file names as collision shapes are used")
    run.add_argument("--mesh-path", metavar="DIRS", help="where else meshes are looked for, and packages of package://: folders separated by `:'")
    run.add_argument("--profile", help="a profile of settings")
    run.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings", help="any setting (`python -m myriapod docs settings` lists them); repeatable")
    show = p.add_argument_group("what is shown")
    show.add_argument("--env", type=int, default=0, metavar="K", help="the environment to begin with (default 0)")
    show.add_argument("--shown", type=count, metavar="M", help="environments side by side (default 1)")
    show.add_argument("--seconds", type=positive, metavar="S", help="end after so long: real time in the browser; simulated time of pictures and films (default 2)")
    page_arguments(p)
    picture_arguments(p)
    return p


def page_arguments(p: argparse.ArgumentParser) -> None:
    """Where the page is."""
    page = p.add_argument_group("in the browser")
    page.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1: this machine alone)")
    page.add_argument("--port", type=int, default=8080, help="port to listen on, 0: any free one (default 8080)")
    page.add_argument("--open", action="store_true", help="open the page, in the browser of this desktop")


def picture_arguments(p: argparse.ArgumentParser, film: tuple[str, ...] = ("--mp4",)) -> None:
    """Pictures and films; film: what a film is asked for by."""
    off = p.add_argument_group("without a window, drawn on the processor")
    off.add_argument("--png", metavar="OUT.png", help="a picture of the moment after --seconds")
    off.add_argument(*film, metavar="OUT.mp4", dest="mp4", help="a film of --seconds (needs imageio-ffmpeg or ffmpeg)")
    off.add_argument("--size", type=_size, default=(960, 540), metavar="WxH", help="pixels (default 960x540)")
    off.add_argument("--no-shadows", action="store_true", help="in three quarters of the time")
    off.add_argument("--fps", type=positive, default=30.0, metavar="F", help="pictures per second of a film (default 30)")
    off.add_argument("--speed", type=positive, default=1.0, metavar="X", help="speed of a film over real time (default 1)")


def count(word: str) -> int:
    """A whole number of at least 1, of a command line."""
    value = int(word)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{word} is below 1")
    return value


def positive(word: str) -> float:
    """A number above 0, likewise."""
    value = float(word)
    if not 0.0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{word} is not a positive number below 1e9")
    return value


def _size(word: str) -> tuple[int, int]:
    parts = word.lower().split("x")
    if len(parts) != 2 or not all(part.isdigit() and 16 <= int(part) <= 8192 for part in parts):
        raise argparse.ArgumentTypeError(f"{word!r} is not WIDTHxHEIGHT, each 16..8192")
    return int(parts[0]), int(parts[1])


def _options(a: argparse.Namespace) -> dict[str, Any]:
    return {"meshes": a.meshes, "mesh_path": a.mesh_path.split(":") if a.mesh_path else None}


def _terrain(settings: dict[str, Any]) -> Terrain | None:
    """The map of the settings `terrain` and `terrain_seed`, as a batch makes it."""
    checked = Settings(**{name: settings[name] for name in ("terrain", "terrain_seed") if name in settings})
    return None if checked["terrain"] == "plane" else Terrain.generate(str(checked["terrain"]), int(checked["terrain_seed"]))


def _trajectory(path: Path, a: argparse.Namespace, settings: dict[str, Any]) -> Source:
    """A file of `Trajectory.save`, or a `Recording` that has the field q; with its impulses and contact points as arrows when `dt` is given, the
    length of a step [s], which such a file does not tell."""
    dt, terrain, ground_at = settings.get("dt"), _terrain(settings), None
    if path.suffix.lower() == ".npz":
        return TrajectorySource(Trajectory.load(path, a.robot), path.name, terrain, **_options(a))
    try:
        step = float(dt) if dt else None
    except ValueError:
        raise ViewError(f"--set dt={dt}: this is not a number") from None
    with Recording.open(path) as recording:
        if "q" not in recording:
            raise ViewError(f"{path} has the fields {', '.join(recording)}, but q is what can be shown: Recording.create(..., fields=('q', 'impulse'))")
        optional = {}
        for name in ("impulse", "contact_point"):
            if step is not None and name in recording:
                values = recording[name]
                optional[name] = values.reshape(*values.shape[:2], -1, 3)
        if "ground_at" in recording:
            if terrain is None:
                raise ViewError(f"{path} was recorded on a map: say on which, --set terrain=NAME, and --set terrain-seed=N if that was not 1")
            ground_at = recording["ground_at"]
        world_at = recording["world_at"] if "world_at" in recording else None
        name = recording.origin["model"]
        trajectory = Trajectory(a.robot or name, recording["q"], recording.frame_s, step=step, **optional)
    try:
        return TrajectorySource(trajectory, path.name, terrain, ground_at, world_at, **_options(a))
    except FileError as error:
        if a.robot:
            raise
        raise ViewError(f"{path} is of the robot {name!r}, which does not ship: give its file, --robot FILE ({error})") from None


def _is_task(what: str) -> bool:
    """A name of the list, or MODULE:NAME; not a robot of a collection, which has a colon too."""
    module, colon, word = what.partition(":")
    return what in TASKS or is_file(what) or (bool(colon) and module not in PREFIXES and word.isidentifier() and all(part.isidentifier() for part in module.split(".")))


def make_source(a: argparse.Namespace) -> Source:
    """What the command line asks to look at."""
    settings = from_pairs(a.settings, ("envs", "task") if _is_task(a.what) else ("envs",))
    if Path(a.what).suffix.lower() == ".npz" or (Path(a.what).suffix.lower() not in (".urdf", ".xml", ".task") and os.path.isfile(a.what)):
        unfit = [flag for flag, value in (("--policy", a.policy), ("--task", a.task), ("--envs", a.envs)) if value is not None]
        if unfit:
            raise ViewError(f"{unfit[0]} does not go with a trajectory")
        return _trajectory(Path(a.what), a, settings)
    envs = a.envs or 16
    settings.setdefault("pin", "0")  # a worker that is pinned waits for its core while the browser has it
    if envs <= FEW:
        settings.setdefault("threads", "1")
    if _is_task(a.what):
        if a.task not in (None, "locomotion"):
            robot = get_task(a.what).robot
            raise ViewError(f"--task {a.task} does not go with {a.what}, which is a task itself; name the robot{f': {robot}' if robot else ''}")
        policy = Policy.load(a.policy) if a.policy else None
        core = trained_task(policy, a.what, envs, robot=a.robot, sense=SENSE, profile=a.profile, **settings)
        source = PolicySource(core, policy, Path(a.policy).name if a.policy else "")
        if a.command and not source.has_commands:
            raise ViewError(f"--command goes with a task that has commands, and {a.what} has none")
        if a.command:
            source.command = np.array(a.command)
        return source
    if a.policy or a.command:
        near = nearest(a.what, TASKS)
        which = f"; did you mean {near!r}?" if near else f"; there are: {', '.join(TASKS)}"
        raise ViewError(f"a {'policy' if a.policy else 'command'} goes with a task, which {a.what!r} is not{which}")
    if a.robot:
        raise ViewError(f"--robot goes with a trajectory or a task; {a.what!r} is the robot here")
    if a.task:
        settings["task"] = a.task
    return batch_source(Model(a.what, **_options(a)), envs, profile=a.profile, **settings)


def _warn(look: Look) -> None:
    for line in look.warnings:
        print(f"myriapod.view: warning: {line}", file=sys.stderr)


def _in_browser(source: Source, a: argparse.Namespace) -> None:
    from .player import Player

    server = serve(a.host, a.port)
    try:
        player = Player(server, source, a.shown or 1, a.env)
        _warn(player.scene.look)
        address = f"http://{'127.0.0.1' if a.host in ('0.0.0.0', '') else a.host}:{server.get_port()}"
        print(f"{source.title}\n{address}   (Ctrl-C ends)", flush=True)
        if a.open:
            webbrowser.open(address)
        player.run(a.seconds)
    finally:
        with contextlib.redirect_stdout(None):  # viser says that it stopped
            server.stop()


def _offscreen(source: Source, a: argparse.Namespace) -> None:
    from .offscreen import shoot

    ids = (a.env + np.arange(min(a.shown or 1, source.envs))) % source.envs
    width, height = a.size
    look = look_at(source.model)
    _warn(look)
    shoot(source, ids, png=a.png, mp4=a.mp4, seconds=a.seconds or 2.0, rate=a.fps, speed=a.speed, width=width, height=height,
          shadows=not a.no_shadows, look=look, tell=print, progress=_Progress())


class _Progress:
    """How far a film is, on standard error: one line that changes on a terminal, else a line every ten seconds."""

    def __init__(self) -> None:
        self._start = self._told = time.monotonic()
        self._terminal = sys.stderr.isatty()

    def __call__(self, done: int, wanted: int) -> None:
        now = time.monotonic()
        if done < wanted and now - self._told < (0.2 if self._terminal else 10.0):
            return
        self._told = now
        if self._terminal:
            left = (now - self._start) * (wanted - done) / done
            print(f"\r{done} of {wanted} pictures, {left:.0f} s left " if done < wanted else "\r\033[K", end="", file=sys.stderr, flush=True)
        elif done < wanted:
            print(f"{done} of {wanted} pictures", file=sys.stderr, flush=True)


def main(words: list[str] | None = None, play: bool = False) -> int:
    """The command, play: of `myriapod.play`; returns its exit status."""
    return run("myriapod.play" if play else "myriapod.view", make_source, _parser(play).parse_args(words))


def run(program: str, make: Callable[[argparse.Namespace], Source], arguments: argparse.Namespace) -> int:
    """Show what `make` makes of the arguments, or draw it; returns an exit status."""
    source: Any = None
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if not (arguments.png or arguments.mp4):
            try:
                import viser  # noqa: F401: before a batch is made for nothing
            except ImportError:
                raise ViewError(INSTALL) from None
        with warnings_as_lines(program):
            source = make(arguments)
        if not 0 <= arguments.env < source.envs:
            raise ViewError(f"--env {arguments.env}: there are environments 0..{source.envs - 1}")
        (_offscreen if arguments.png or arguments.mp4 else _in_browser)(source, arguments)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    except (Error, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    finally:
        if source is not None:
            source.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
