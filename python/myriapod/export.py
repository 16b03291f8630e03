"""`python -m myriapod.export POLICY --c walk.c --onnx walk.onnx --torchscript walk.pt`: a policy as files of other programs, for the robot.

The C file needs nothing but `fmaf`, and has the bits that the library gives. Where the policy says in which task it was trained, its header tells what is
observed, and its functions make targets of actuators of the actions."""
from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from ._library import ArgumentError, Error
from ._names import Parser
from .envs.lane_task import LaneTask
from .envs.tasks import get_task
from .envs.trained import trained_task, warnings_as_lines
from .policies.export import save_onnx, save_torchscript
from .policies.export_c import Targets, save_c
from .policies.networks import Policy
from .settings import alike

__all__ = ["Targets", "about_task", "main", "save_c", "save_onnx", "save_torchscript", "words_of"]

def words_of(core: LaneTask) -> list[str]:
    """What is observed, a line a part, and how often an action is asked for."""
    lines = [f"Robot {core.model.name}, an action every {1e3 * core.dt:g} ms. The observation, without noise:"]
    for part in core.observed.values():
        if not part.critic:
            first, last = part.columns.start, part.columns.stop - 1
            several = f", {part.frames} control steps, the oldest first" if part.frames > 1 else ""
            place = f"  [{first}]" + (f" .. [{last}]" if last > first else "")
            lines.append(f"{place}  {part.name}: {part.doc}" + (f", times {part.scale:g}" if part.scale != 1 else "") + several)
    when = getattr(get_task(core.task).table, "mirrored_while", "")
    if when:
        lines += [f"While `{when}` says so, the policy sees and moves the robot's mirror image: give it that of the observation, and take", "that of its action."]
    elif core.mirror is not None and not hasattr(get_task(core.task).table, "mirrored_while"):
        lines += ["The task has a mirror, and its text does not say whether the policy looks into it at times: see who wrote it."]
    return lines


def _targets(core: LaneTask, given: np.ndarray) -> np.ndarray:
    """What actions become where standing is commanded, as some tasks act in a mirror while a robot walks."""
    if "command" in core.batch.fields:
        core.batch.set("command", np.zeros_like(core.batch.get("command")))
    core.act(given)
    return np.asarray(core.batch.target, np.float64).copy()


#: Places in a cycle of a clock at which a task is asked what that adds to targets.
_PLACES = 512


def _march(policy: Policy, robot: Any) -> np.ndarray | None:
    """What the clock of a walker, its memory `phase`, adds to targets while it is commanded to walk, (_PLACES, actuators); None: nothing, or there is none."""
    with trained_task(policy, policy.task, _PLACES, robot=robot, threads=1, **alike()) as core:
        if not isinstance(core, LaneTask) or "phase" not in core.memories or "command" not in core.batch.fields:
            return None
        standing = _targets(core, np.zeros((_PLACES, policy.n_act), np.float32))
        core.reset()
        memory, command = core.batch.get("memory"), core.batch.get("command")
        memory[:, core.memories["phase"]], command[:], command[:, 0] = np.arange(_PLACES)[:, None] / _PLACES, 0.0, 0.5
        core.batch.set("memory", memory)
        core.batch.set("command", command)
        core.act(np.zeros((_PLACES, policy.n_act), np.float32))
        march = np.asarray(core.batch.target, np.float64) - standing
    return march if np.abs(march).max() > 1e-6 else None


def about_task(policy: Policy, robot: Any = None) -> tuple[list[str], Targets | None, tuple[np.ndarray, np.ndarray] | None]:
    """`words_of` the task of the policy, what it makes of actions, None: not home and a factor for each actuator, and how it looks in a mirror, as
    `LaneTask.mirror`. What it makes of them is asked of the task itself: of one robot that does nothing, and two for each action, with half of it and a
    quarter back."""
    n = policy.n_act
    core = trained_task(policy, policy.task, 2 * n + 1, robot=robot, threads=1, **alike())  # a push moves no target
    try:
        if not isinstance(core, LaneTask):
            return [], None, None
        given = np.zeros((2 * n + 1, n), np.float32)
        given[1 : n + 1], given[n + 1 :] = 0.5 * np.eye(n), -0.25 * np.eye(n)
        target = _targets(core, given)
        home = target[0]
        slopes, back = (target[1 : n + 1] - home) / 0.5, (home - target[n + 1 :]) / 0.25
        moved = np.abs(slopes) > 1e-6
        straight = np.allclose(slopes, back, rtol=1e-4, atol=1e-5) and (moved.sum(0) <= 1).all() and (moved.sum(1) == 1).all() and bool(np.isfinite(target).all())
        straight = straight and np.allclose(_targets(core, given), target, atol=1e-5)  # it does not depend on what was
        of = np.where(moved.any(0), moved.argmax(0), -1)
        scale = np.where(of >= 0, slopes[of, np.arange(slopes.shape[1])], 0.0)
        names = [actuator.name for actuator in core.model.actuators]
        targets = Targets(names, home.tolist(), scale.tolist(), of.tolist(), core.batch.get("kp")[0].tolist(), core.batch.get("kd")[0].tolist(),
                          float(core.settings["action_clip"]), _march(policy, robot))
        return words_of(core), targets if straight else None, core.mirror
    finally:
        core.close()


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = Parser(prog="python -m myriapod.export", description=__doc__)
    parser.add_argument("policy", help="policy.npz as `python -m myriapod.train` writes it, or another one that `Policy.load` reads as layers")
    parser.add_argument("--c", metavar="NAME.c", help="C99, and beside it NAME.h; its function is called NAME")
    parser.add_argument("--onnx", metavar="FILE", help="needs onnx")
    parser.add_argument("--torchscript", metavar="FILE", help="needs torch")
    parser.add_argument("--robot", default=None, help="another robot than the one that the policy was trained with")
    args = parser.parse_args(arguments)
    try:
        with warnings_as_lines("export"):
            if not (args.c or args.onnx or args.torchscript):
                raise ArgumentError("say into what: --c NAME.c, --onnx FILE, --torchscript FILE")
            policy = Policy.load(args.policy)
            if not isinstance(policy, Policy):
                raise ArgumentError(f"{args.policy}: TorchScript does not say its layers: export the policy.npz beside it")
            if args.c:
                words, targets, mirror = about_task(policy, args.robot) if policy.task else ([], None, None)
                header = save_c(policy, args.c, words=words, targets=targets, mirror=mirror)
                print(f"{args.c}, {header}: {policy.n_obs} observations, {policy.n_act} actions"
                      + (f", targets of {len(targets.names)} actuators" if targets else ""))
            for path, save in ((args.onnx, save_onnx), (args.torchscript, save_torchscript)):
                if path:
                    save(policy, path)
                    print(f"{path}: {policy.n_obs} observations, {policy.n_act} actions")
    except ImportError as missing:
        print(f"export: {missing.name} is not installed: pip install {missing.name}", file=sys.stderr)
        return 2
    except (Error, OSError, ValueError) as error:
        print(f"export: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
