"""Settings and options that a `TermTask` is given: those that do not exist are refused, those that nothing of it reads are warned of."""
from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .._library import ArgumentError, UnknownKeyError
from .._names import nearest
from ..learn.ppo import OPTIONS, RENAMED
from ..settings import Settings

#: Settings that act in tasks that say `uses`, and those that act where a term reads what there is with them.
_BY_USES = {"push_interval": "pushes", "push_speed": "pushes", "push_up": "pushes", "push_turn": "pushes", "curriculum": "patches", "start_levels": "patches",
            "start_spread": "patches"}
_BY_INPUT = {"scan": "heights"}
#: Settings of the library's own tasks: others have what a term reads.
_READ = re.compile(r"(start|command|reward|hold|noise|scale)_.*|fall_tilt|tracking_width|air_time_wanted|base_height|foot_force_limit|soft_limit")


def check_given(settings: Mapping[str, Any], training: Mapping[str, Any], learner: Mapping[str, Any]) -> None:
    """ArgumentError, with the nearest name: a setting, or an option of the learner, does not exist or cannot be so."""
    for what, keys in (("settings", settings), ("training", training)):
        try:
            Settings(**keys)
        except ArgumentError as error:
            raise type(error)(f"{what}: {error}") from None
    known = {*OPTIONS, "num_envs"}
    for name in learner:
        if name not in known and name not in RENAMED:
            near = nearest(name, known)
            raise UnknownKeyError(f"learner: there is no option {name!r}" + (f"; did you mean {near!r}?" if near else f"; there are: {', '.join(sorted(known))}"))


def _why(name: str, uses: Collection[str], read: Collection[str]) -> str:
    """Why a setting has no effect, and what would make it act; "": it has one."""
    if name in _BY_USES:
        use = _BY_USES[name]
        return "" if use in uses or f"setting.{name}" in read else f"the task does not use {use}: TermTask(.., uses=({use!r},)) does"
    if name in _BY_INPUT:
        return "" if _BY_INPUT[name] in read else f"no term reads s.{_BY_INPUT[name]}"
    if not _READ.fullmatch(name) or f"setting.{name}" in read:
        return ""
    return f"no term reads s.setting.{name}, and no weight, factor or noise is 'setting.{name.replace('_', '-')}'"


def idle(names: Iterable[str], uses: Collection[str], inputs: Iterable[str], words: str) -> dict[str, str]:
    """Of these settings those that nothing reads, and why. inputs: what terms read; words: lines that may say setting.KEY."""
    own = [f"setting.{name}" for name in re.findall(r"^number (\S+)", words, re.M)]  # a setting of this name overrides it
    read = {name.replace("-", "_") for name in (*inputs, *re.findall(r"\bsetting\.[\w-]+", words), *own)}
    told = {name: _why(name, uses, read) for name in (name.replace("-", "_") for name in names)}
    return {name: why for name, why in told.items() if why}
