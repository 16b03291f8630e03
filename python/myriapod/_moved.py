"""Modules that had another place in the package: their old names still import them, with a warning."""
from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

from ._names import warn_at_caller

#: Old name -> new name, both within the package.
MOVED = {
    "any_task": "envs.any_task",
    "given": "programs.given",
    "goal": "learn.goal",
    "gym": "envs.gym",
    "gym_parts": "envs.gym_parts",
    "lane_task": "envs.lane_task",
    "lane_training": "learn.lanes",
    "lanes": "policies.lanes",
    "learner": "learn.ppo",
    "locomotion": "envs.locomotion",
    "networks": "policies.networks",
    "numpy_task": "envs.numpy_task",
    "policy": "envs.trained",
    "policy_files": "policies.files",
    "program": "programs.program",
    "recorder": "programs.recorder",
    "rsl_rl": "envs.rsl_rl",
    "sb3": "envs.sb3",
    "symbols": "programs.symbols",
    "task_check": "programs.check",
    "task_errors": "programs.errors",
    "task_recording": "programs.recording",
    "task_settings": "programs.words",
    "tasks": "envs.tasks",
    "term_task": "programs.term_task",
    "training": "learn.rsl_rl",
    "training_log": "learn.log",
}


#: Of old modules whose names went to several: what is not in the new one -> module and name there.
SPLIT = {
    "lanes": {name: ("envs.rollout", name) for name in ("AUTORESET", "Rollout", "rollout", "states_of")},
    "lane_training": {"Events": ("learn.events", "Events"), "SAVE_EVERY": ("learn.loop", "SAVE_EVERY"), "posed_and_trained": ("envs.tasks", "posed_and_trained")},
    "training": {"Trainer": ("learn.rsl_rl", "OldTrainer")},
    "policy": {name: ("policies.networks", name) for name in ("ACTIVATIONS", "ENDED_BY", "FORMAT", "Policy", "TorchPolicy", "Trained")},
}


def _split(old: str) -> ModuleType:
    """The old module: names of the new one, and those that went elsewhere."""
    module = ModuleType(f"{__package__}.{old}", f"Now {__package__}.{MOVED[old]}.")

    def find(name: str) -> Any:
        where, there = SPLIT[old].get(name, (MOVED[old], name))
        return getattr(importlib.import_module(f"{__package__}.{where}"), there)

    module.__dict__["__getattr__"] = find
    return module


class _Moved(MetaPathFinder, Loader):
    """Finds `myriapod.OLD` and what is within it; the module is the one of the new name, but for those of SPLIT."""

    def __init__(self) -> None:
        self._own: dict[str, ModuleSpec | None] = {}

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, name = fullname.partition(".")
        return spec_from_loader(fullname, self) if package == __package__ and name.partition(".")[0] in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        old, dot, rest = spec.name.partition(".")[2].partition(".")
        new = f"{__package__}.{MOVED[old]}{dot}{rest}"
        warn_at_caller(f"the module {spec.name} is called {new} now", DeprecationWarning)
        if old in SPLIT:
            return _split(old)
        module = importlib.import_module(new)
        self._own[new] = module.__spec__  # what imports a module writes the old name into it
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ in self._own:
            module.__spec__ = self._own[module.__name__]


def find_moved() -> None:
    """Old names import from here on."""
    sys.meta_path.insert(0, _Moved())  # before the one that looks into folders, which would load a file within a package a second time
