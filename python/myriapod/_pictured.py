"""What a batch takes from parts that need a batch themselves, and are loaded when they are asked for: its picture, and the names of tasks for learning."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _arrays
from ._library import ArgumentError


class Pictured:
    """The method `picture` of a batch."""

    def picture(self, path: str | os.PathLike[str] | None = None, ids: Any = 0, *, width: int = 960, height: int = 540, shadows: bool = True) -> np.ndarray:
        """The environments `ids` (one number, or several side by side) as they are now: an image (height, width, 3) uint8, and a PNG file at `path`.

            batch.step(500)
            batch.picture("now.png", ids=[0, 1, 2])

        Drawn on the processor: it needs no display, no GPU and no further package. Nothing of the batch changes. Contact forces of the last step are arrows,
        those between a robot's parts only in a batch with sense=("contacts",). On a map robots
        stand where they are on it, which may be far apart. Films, and the browser: docs/viewer.md. FileError; ArgumentError."""
        from .view.still import picture

        size = _arrays.whole(width, "width", 16, 8192), _arrays.whole(height, "height", 16, 8192)
        shown = _arrays.numbers(ids)
        if shown is None or not len(shown):
            raise ArgumentError(f"ids is {ids!r}, but must be one environment number or several")
        return picture(self, path, shown, *size, shadows)


def want_engines(task: str) -> None:
    """ArgumentError for a task that robots learn: the setting `task` is of the engine's own, which need no actions."""
    from .envs.tasks import TASKS

    if task in TASKS and task != "hold":
        raise ArgumentError(f"{task!r} is a task for learning, with actions and rewards: LaneTask({task!r}, envs); the task of a Batch is a TermTask, a "
                            "TaskTable, or one of the setting `task` (python -m myriapod docs settings)")
