"""Policies from files, and the tasks that they were trained in: `Policy`, `TorchPolicy`, `trained_task`."""
from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from .._library import ArgumentError, Error, __version__
from ..model import Model
from ..policies.networks import ACTIVATIONS, ENDED_BY, FORMAT, Policy, TorchPolicy, Trained
from ..settings import DOCS, OF_THE_RUN
from ..task_table import WrittenTask
from .any_task import open_task
from .protocol import RunningTask
from .tasks import get_task

__all__ = ["ACTIVATIONS", "ENDED_BY", "FORMAT", "Policy", "TorchPolicy", "Trained", "origin", "trained_task", "warnings_as_lines"]


def origin(core: RunningTask) -> dict[str, Any]:
    """What a policy's file says of the task that it was trained in: `Policy(weights, biases, **origin(core))`. The task is open. What
    decides what the policy sees and does is told as it is now, stages behind it; all else as the task was made."""
    settings = {name: value for name, value in core.settings.items() if name not in OF_THE_RUN and name != "task"}
    settings |= {f"number.{name}": value for name, value in core.numbers.items()} | dict(core.acts_by)
    return {"task": core.task, "robot": core.model.made_of or core.model.name, "model_hash": core.model.hash, "settings": settings, "version": __version__}


def _is(task: str | WrittenTask, known: str | None) -> bool:
    """Is it the task of this name? A policy of MODULE:NAME is judged in the object, too."""
    if isinstance(task, str) or not known:
        return task == known
    if ":" not in known:
        return task.name == known
    with contextlib.suppress(Error):
        return get_task(known).table is task
    return False


def trained_task(policy: Any, task: str | WrittenTask | None = None, num_envs: int = 1, *, robot: str | Model | None = None, profile: str | None = None,
                 **keys: Any) -> Any:
    """The task in which a policy is judged or shown: with the robot and the settings that it was trained with, unless other ones are named.

    policy: a Policy or TorchPolicy; of anything else that is called the robot and the settings are the task's. task: None: the policy's, else
    "anymal-flat"; another task than the policy's has its own robot and settings. robot, profile, keys: as LaneTask's; keys come over the
    policy's settings, a profile replaces them. ArgumentError: the robot has become another one than that of the training (its hash differs);
    one that was named as `robot`, or comes with another task, is warned of."""
    known = policy if isinstance(policy, Trained) else Trained()
    task = task or known.task or "anymal-flat"
    own = _is(task, known.task)
    settings = dict(known.settings) if own and profile is None and known.settings is not None else {}
    settings.pop(ENDED_BY, None)
    numbers = {name.partition(".")[2]: settings.pop(name) for name in [*settings] if name.startswith("number.")} | dict(keys.pop("numbers", None) or {})
    gone = [name for name in settings if name not in DOCS]
    if gone:
        warnings.warn(f"the policy was trained with version {known.version}; its settings {', '.join(gone)} do not exist in version {__version__}, "
                      "and left out", stacklevel=2)
    settings = {name: value for name, value in settings.items() if name not in gone}
    settings.update({key.replace("-", "_"): value for key, value in keys.items()})
    chosen = robot
    if chosen is None and own and known.model_hash:
        try:
            chosen = get_task(task).model(known.robot, str(settings.get("root", "auto")))
        except Error as error:
            words = f"the policy was trained with robot {known.robot!r}, which cannot be loaded here; name it as `robot` (--robot)"
            raise type(error)(f"{words}: {error}") from None
    core = open_task(task, num_envs, robot=chosen, profile=profile, **settings, **({"numbers": numbers} if numbers else {}))
    if known.model_hash and core.model.hash != known.model_hash:
        words = (f"the policy was trained with robot {known.robot!r} (task {known.task}, model hash {known.model_hash}), but is used with "
                 f"{core.model.made_of or core.model.name!r} (hash {core.model.hash})")
        if robot is None and own:
            core.close()
            raise ArgumentError(f"{words}: the file has changed; name a robot as `robot` (--robot) to use it all the same")
        warnings.warn(words, stacklevel=2)
    return core


@contextlib.contextmanager
def warnings_as_lines(program: str) -> Iterator[None]:
    """Of a command line: what the package warns of is a line on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_: print(f"{program}: warning: {message}", file=sys.stderr)
        yield
