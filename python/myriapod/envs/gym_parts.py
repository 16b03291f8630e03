"""What the environments of Gymnasium have in common, those of tasks in lanes (gym.py) and of tasks in Python (numpy_task.py)."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from .. import _arrays
from .._library import ArgumentError, ArrayTypeError
from .._report import quarantine_text
from ..batch import Batch


def autoreset_mode(mode: Any) -> AutoresetMode:
    """Gymnasium's mode, from itself or its value, such as "SameStep". ArgumentError for anything else."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        names = ", ".join(repr(m.value) for m in AutoresetMode)
        raise ArgumentError(f"autoreset_mode is {mode!r}, but must be a gymnasium.vector.AutoresetMode or one of {names}") from None


def check_reset(seed: Any, options: Any) -> tuple[int | None, Any]:
    """The seed, a whole number or None, and `options["reset_mask"]` of a reset. ArgumentError: a list of seeds, options that are not a mapping, ..."""
    if isinstance(seed, (list, tuple, np.ndarray)):
        raise ArgumentError(f"seed is {seed!r}, but must be one whole number for all environments: environment i has stream (seed, first_env + i)")
    number = None if seed is None else _arrays.whole(seed, "seed")
    if options is not None and not isinstance(options, Mapping):
        raise ArgumentError(f"options is {options!r}, but must be a dict or None")
    return number, (options or {}).get("reset_mask")


def check_reset_mask(mask: Any, num_envs: int, seed: int | None) -> None:
    """`options["reset_mask"]` must be what Gymnasium says it is: an array of bool, (num_envs,), not all False; and a seed is of all environments."""
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        what = f"dtype {mask.dtype}" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise ArrayTypeError(f"options['reset_mask'] is {what}, but must be a NumPy array of bool")
    if mask.shape != (num_envs,):
        raise ArgumentError(f"options['reset_mask'] has shape {mask.shape}, but must be {(num_envs,)} = (num_envs,)")
    if not mask.any():
        raise ArgumentError("options['reset_mask'] names no environment")
    if seed is not None:
        raise ArgumentError("a seed is of all environments: give reset a seed or a reset_mask, not both")


def name_faults(info: dict[str, Any], fault: np.ndarray, say: Callable[[int], str] = quarantine_text) -> None:
    """Put `fault`, (n,) of str or None, and its mask `_fault` into an info; fault: (n,) reasons, 0 where there is none; say: a reason in words.
    Nothing where all are 0."""
    faulted = np.flatnonzero(fault)
    if len(faulted):
        words = np.full(len(fault), None, object)
        for i in faulted:
            words[i] = say(fault[i])
        info["fault"], info["_fault"] = words, fault != 0


_GUARD = 100.0  #: the setting action-clip where a task does not say: it keeps numbers in bounds, and says nothing of what actions are for


def bound_of(core: Any, asked: float | None, otherwise: float) -> float:
    """Of an action space: what was asked for, else where the task itself cuts its actions (the classics, as Gymnasium's), else `otherwise`."""
    if asked is not None:
        if not float(asked) > 0.0:
            raise ArgumentError(f"action_bound is {asked!r}, but must be above 0")
        return float(asked)
    cut = float(core.settings["action_clip"])
    return cut if 0.0 < cut < _GUARD else otherwise


def check_render_mode(mode: Any) -> tuple[str, ...]:
    """What the steps must also write for this mode. ArgumentError: there is no such mode."""
    if mode not in (None, "rgb_array"):
        raise ArgumentError(f"render_mode is {mode!r}, but must be 'rgb_array' or None; in the browser: `python -m myriapod.view`")
    return () if mode is None else ("bodies", "contacts")


class Renderer:
    """Pictures of the environments of a batch, which was made with `sense=check_render_mode("rgb_array")`."""

    def __init__(self, batch: Batch, width: int, height: int) -> None:
        self._batch, self._size = batch, (_arrays.whole(width, "width", 16, 8192), _arrays.whole(height, "height", 16, 8192))
        self._studio: Any = None

    def pictures(self) -> Sequence[np.ndarray]:
        """Images (height, width, 3) uint8 of the present moment, one of each environment; painted when they are asked for."""
        if self._studio is None:  # without pictures nothing is loaded for them
            from ..view.live import BatchSource
            from ..view.offscreen import Studio

            self._studio = Studio(BatchSource(self._batch), np.array([0]), *self._size)
        return self._studio.of_each(np.arange(self._batch.envs))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_studio": None}
