"""What a batch takes from parts that stand on it: its picture, and the names of tasks for learning. A batch imports nothing that imports it, so the package's
`__init__`, which knows all, hands them in."""
from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from . import _arrays
from ._library import ArgumentError


class _Above:
    picture: Callable[..., np.ndarray]  #: view.still.picture
    learnt: Collection[str] = ()  #: names of tasks that robots learn


above = _Above()


class Pictured:
    """The method `picture` of a batch."""

    def picture(self, path: str | os.PathLike[str] | None = None, ids: Any = 0, *, width: int = 960, height: int = 540, shadows: bool = True) -> np.ndarray:
        """The environments `ids` (one number, or several side by side) as they are now: an image (height, width, 3) uint8, and a PNG file at `path`.

            batch.step(500)
            batch.picture("now.png", ids=[0, 1, 2])

        Drawn on the processor: it needs no display, no GPU and no further package. Nothing of the batch changes. Contact forces of the last step are arrows,
        those between a robot's parts only in a batch with sense=("contacts",). On a map robots
        stand where they are on it, which may be far apart. Films, and the browser: docs/viewer.md. FileError; ArgumentError."""
        size = _arrays.whole(width, "width", 16, 8192), _arrays.whole(height, "height", 16, 8192)
        shown = _arrays.numbers(ids)
        if shown is None or not len(shown):
            raise ArgumentError(f"ids is {ids!r}, but must be one environment number or several")
        return above.picture(self, path, shown, *size, shadows)


def want_engines(task: str) -> None:
    """ArgumentError for a task that robots learn: the setting `task` is of the engine's own, which need no actions."""
    if task in above.learnt and task != "hold":
        raise ArgumentError(f"{task!r} is a task for learning, with actions and rewards: LaneTask({task!r}, envs); the task of a Batch is a TermTask, a "
                            "TaskTable, or one of the setting `task` (python -m myriapod docs settings)")
