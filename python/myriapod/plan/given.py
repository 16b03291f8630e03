"""The plans that ship, by name: a cost, and the samples and options that do with it."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .._library import UnknownKeyError
from .._names import nearest
from ..envs.tasks import TASKS, is_file
from ..task_table import WrittenTask
from . import get_up, reach, stand, swing_up, turn, walk


@dataclass(frozen=True)
class Given:
    """task: what `Planner` takes; options: likewise; of: names of the parts whose ways are looked at, (): the base; command: what the robot is told at first; away: how far the camera is, 1: as the robot at home needs."""

    task: Callable[[], str | WrittenTask]
    samples: int = 512
    options: dict[str, Any] = field(default_factory=dict)
    of: tuple[str, ...] = ()
    command: tuple[float, ...] | None = None
    away: float = 1.0


TROT: dict[str, Any] = {"iterations": 2, "sigma": 0.2, "temperature": 0.3, "self_collision": "off"}
STAND: dict[str, Any] = {"iterations": 3, "sigma": 0.15, "temperature": 0.5, "steps": 15, "knots": 5, "self_collision": "off"}
RISE: dict[str, Any] = {"steps": 30, "knots": 6, "iterations": 3, "fade_iteration": 0.4, "sigma": 1.0}
REACH: dict[str, Any] = {"steps": 6, "knots": 3, "iterations": 3, "fade_iteration": 0.3, "sigma": 1.0, "lower": -1.0, "upper": 1.0}
TURNS: dict[str, Any] = {"steps": 16, "knots": 6, "spline": "cubic", "sigma": 0.3}
GIVEN: dict[str, Given] = {
    "anymal-walk": Given(walk.anymal, 320, TROT, ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"), (0.5, 0.0, 0.0)),
    "go2-walk": Given(walk.go2, 320, TROT, ("FL_foot", "FR_foot", "RL_foot", "RR_foot"), (0.5, 0.0, 0.0)),
    "g1-stand": Given(stand.g1, 128, STAND, ("left_palm", "right_palm"), away=0.7),
    "anymal-get-up": Given(get_up.anymal, 320, RISE, away=0.8),
    "go2-get-up": Given(get_up.go2, 320, RISE, away=0.8),
    "panda-reach-over": Given(reach.panda, 128, REACH, ("hand",), (0.5, -0.3, 0.2)),
    "allegro-turn": Given(turn.allegro, 64, TURNS, ("ff_tip", "mf_tip", "rf_tip", "th_tip"), (1.57,)),
    "cart-pole-swing-up": Given(swing_up.cart_pole, 128, {"iterations": 2, "sigma": 0.6, "steps": 50, "spline": "cubic", "lower": -1.0, "upper": 1.0}, ("tip",), away=1.7),
}


def find(name: str) -> Given:
    """The plan of this name, or one of any other task with the planner's own options. UnknownKeyError: there is no such task; the message has the nearest name."""
    if name in GIVEN:
        return GIVEN[name]
    if name in TASKS or is_file(name) or ":" in name:
        return Given(lambda: name)
    near = nearest(name, [*GIVEN, *TASKS])
    known = f"did you mean {near!r}?" if near else f"there are: {', '.join(GIVEN)}; the tasks of docs/tasks.md; FILE.task, MODULE:NAME"
    raise UnknownKeyError(f"there is no task {name!r}; {known}")
