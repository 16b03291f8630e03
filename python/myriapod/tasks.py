"""The reinforcement-learning tasks that ship: a robot and a profile of settings each (profiles/NAME.json)."""
from __future__ import annotations

from dataclasses import dataclass

from ._library import UnknownKeyError
from ._names import nearest


@dataclass(frozen=True)
class Task:
    """A task by name. `robot` is what `Model` loads, `profile` what `Settings` reads, `about` one line for a reader."""

    name: str
    robot: str
    profile: str
    about: str


#: The tasks that ship, by name.
TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("anymal-flat", "anymal", "anymal-flat", "ANYmal (30 kg) on flat ground follows commanded velocities"),
        Task("solo12-flat", "solo12", "solo12-flat", "Solo 12 (2.5 kg) on flat ground follows commanded velocities"),
    )
}


def get_task(name: str) -> Task:
    """The task of this name. UnknownKeyError: there is none; the message has the nearest name, or all."""
    if name in TASKS:
        return TASKS[name]
    near = nearest(name, TASKS)
    raise UnknownKeyError(f"there is no task {name!r}" + (f"; did you mean {near!r}?" if near else f"; there are: {', '.join(TASKS)}"))
