"""The reinforcement-learning tasks that ship: a robot, or any, and a profile of settings each (profiles/NAME.json)."""
from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._library import ArgumentError, UnknownKeyError
from .._names import nearest
from ..model import Model
from ..settings import Settings
from ..task_table import TaskTable, WrittenTask


@dataclass(frozen=True)
class Task:
    """A task by name. `robot` is what `Model` loads, "" where the task is for any, `profile` what `Settings` reads, `about` one line for a reader."""

    name: str
    robot: str
    profile: str
    about: str
    commands: bool = True  #: its robots follow commanded velocities (`myriapod.Locomotion`)
    training: dict[str, Any] = field(default_factory=dict)  #: settings in which it is trained otherwise than it is scored
    learner: dict[str, Any] = field(default_factory=dict)  #: options of `myriapod.learn.ppo.Learner`, and `num_envs`, other than the learner's own
    table: WrittenTask | None = None  #: of one's own, with settings instead of a profile
    feet: tuple[str, ...] = ()  #: names of the only shapes of the robot that touch, as `Model` takes them; (): all
    sensors: tuple[dict[str, Any], ...] = ()  #: which the robot gets where it does not have them
    written: str = ""  #: MODULE:NAME of the table, of a task that ships

    def posed(self) -> Settings:
        """The settings in which it is scored."""
        return Settings(self.profile or None) if self.table is None else self.table.settings()

    def robot_or(self, named: Any) -> Any:
        """The robot that is named, else the task's own. ArgumentError: it has none."""
        if not (named or self.robot):
            raise ArgumentError(f"task {self.name!r} is for any robot: name one as `robot` (--robot), a name, a URDF or MJCF")
        return named or self.robot

    def model(self, named: Any = None, root: str = "auto") -> Model:
        """The model that it is done with, with its sensors: that of the robot that is named, as it is if it is a Model, else the task's own."""
        model = named if isinstance(named, Model) else Model(self.robot_or(named), root, feet=self.feet or None)
        has = {sensor.name for sensor in model.sensors}
        more = [sensor for sensor in self.sensors if sensor["name"] not in has]
        return model.with_sensors(*more) if more else model


#: Pushed more often than it is scored: survival under pushes is what takes long to learn (docs/learning.md).
_PUSHED: dict[str, Any] = {"push_interval": 3.0}
#: Networks of a third of the usual products learn from as many samples, and walk as well (docs/learning.md).
_WALKER: dict[str, Any] = {"num_envs": 512, "desired_kl": 0.02, "hidden": (64, 32)}


def _classic(name: str, word: str, about: str) -> Task:
    """One of Gymnasium's, whose robot is called as it is."""
    return Task(name, name, "", about, commands=False, written=f"myriapod.programs.given.classics:{word}")


def _humanoid(name: str, robot: str, about: str) -> Task:
    return Task(name, robot, "", about, written=f"myriapod.programs.given.humanoids:{name.replace('-', '_')}")


#: The tasks that ship, by name.
TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("anymal-flat", "anymal", "anymal-flat", "ANYmal (30 kg) on flat ground follows commanded velocities", training=_PUSHED, learner=_WALKER),
        Task("anymal-rough", "anymal", "", "ANYmal (30 kg) follows commanded velocities over stairs, slopes and stones", written="myriapod.programs.given.rough:anymal_rough"),
        Task("go2-rough", "go2", "", "Unitree Go2 (15 kg) follows commanded velocities over stairs, slopes and stones", written="myriapod.programs.given.rough:go2_rough"),
        Task("solo12-flat", "solo12", "solo12-flat", "Solo 12 (2.5 kg) on flat ground follows commanded velocities", training=_PUSHED, learner=_WALKER),
        Task("go2-flat", "go2", "", "Unitree Go2 (15 kg) on flat ground follows commanded velocities", written="myriapod.programs.given.go2:flat"),
        Task("go1-flat", "go1", "", "Unitree Go1 (13 kg) on flat ground follows commanded velocities", written="myriapod.programs.given.go2:go1_flat"),
        _humanoid("g1-flat", "g1", "Unitree G1 (33 kg), all 29 joints, follows commanded velocities on flat ground"),
        _humanoid("g1-smooth", "g1", "Unitree G1 (33 kg), all 29 joints, alike and not pushed, follows commanded velocities smoothly"),
        _humanoid("g1-legs", "g1-12dof", "Unitree G1 (33 kg), 12 joints of its legs, follows commanded velocities on flat ground"),
        _humanoid("h1-flat", "h1", "Unitree H1 (52 kg), 10 joints of its legs, follows commanded velocities on flat ground"),
        _humanoid("g1-rough", "g1-12dof", "Unitree G1 (33 kg), 12 joints of its legs, follows commanded velocities over stairs, slopes and stones"),
        Task("g1-tracking", "g1", "", "Unitree G1 (33 kg), all 29 joints, follows a clip: squats, stands on each leg, turns, bows", commands=False,
             written="myriapod.programs.given.follow:g1_tracking"),
        Task("panda-reach", "panda", "", "Franka Panda (17 kg) brings its hand to commanded poses", commands=False, written="myriapod.programs.given.panda:reach"),
        Task("allegro-cube", "allegro-cube", "", "Allegro hand turns a cube of 65 mm to one orientation after the other", commands=False,
             written="myriapod.programs.given.allegro:cube"),
        _classic("gym-hopper", "hopper", "Gymnasium's Hopper-v5: a leg hops forward"),
        _classic("gym-walker2d", "walker2d", "Gymnasium's Walker2d-v5: two legs walk forward"),
        _classic("gym-half-cheetah", "half_cheetah", "Gymnasium's HalfCheetah-v5: half a cheetah runs forward"),
        _classic("gym-ant", "ant", "Gymnasium's Ant-v5: four legs run forward"),
        _classic("gym-swimmer", "swimmer", "Gymnasium's Swimmer-v5: three links swim forward"),
        _classic("gym-humanoid", "humanoid", "Gymnasium's Humanoid-v5: two legs and arms walk forward"),
        _classic("gym-inverted-pendulum", "inverted_pendulum", "Gymnasium's InvertedPendulum-v5: a cart keeps a pole up"),
        _classic("gym-inverted-double-pendulum", "double_pendulum", "Gymnasium's InvertedDoublePendulum-v5: a cart keeps two poles up"),
        Task("hold", "", "hold", "any robot, named by --robot, keeps its home pose", commands=False),
    )
}


def _of_table(name: str, table: WrittenTask) -> Task:
    return Task(name, table.robot, "", table.about, table.command == 3, table.training, table.learner, table, table.feet, table.sensors)


def is_file(task: str) -> bool:
    """Is this word a file of a table?"""
    return task.endswith(".task")


def _written(task: str) -> Any:
    """What MODULE:NAME is. ArgumentError: there is no such thing."""
    module, _, word = task.partition(":")
    try:
        found = importlib.import_module(module) if module else None
    except ImportError as error:
        raise ArgumentError(f"task {task!r}: cannot import {module!r}: {error}") from None
    if not hasattr(found, word):  # what goes wrong in the module itself is told as it is
        raise ArgumentError(f"task {task!r}: the module {module!r} has no {word!r}")
    return getattr(found, word)


def get_task(task: str | WrittenTask) -> Task:
    """The task of this name, a table's FILE.task, MODULE:NAME of one, or the task itself. UnknownKeyError: there is none; the message has the nearest name, or
    all. A MODULE:NAME that is a class has no table: it is a `NumpyTask`."""
    if isinstance(task, WrittenTask):
        return _of_table(task.name, task)
    if isinstance(task, str) and is_file(task):
        return _of_table(task, TaskTable.read(task))
    if isinstance(task, str) and ":" in task:
        found = _written(task)
        return _of_table(task, found) if isinstance(found, WrittenTask) else Task(task, "", "", "", commands=False)
    if task in TASKS:
        ships = TASKS[task]
        return _of_table(task, _written(ships.written)) if ships.written else ships
    near = nearest(task, TASKS)
    raise UnknownKeyError(f"there is no task {task!r}" + (f"; did you mean {near!r}?" if near else f"; there are: {', '.join(TASKS)}, FILE.task, MODULE:NAME"))


def posed_and_trained(task: str, asked: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings of the training in which the task has others unless asked for, and what the task itself has for them."""
    own = dict(get_task(task).training)
    trained = {name: value for name, value in own.items() if name not in asked}
    posed = get_task(task).posed() if trained else {}
    return {**trained, **asked}, {name: posed[name] for name in trained}


def overview() -> str:
    """The tasks in lines, for who named none."""
    known = {task.name: task.about for task in TASKS.values()}
    known |= {"MODULE:NAME": "one of your own: a TermTask, which runs in lanes, or a NumpyTask", "FILE.task": "one of your own, as a text"}
    wide = max(map(len, known)) + 2
    return "\n".join(["the tasks are", *(f"  {name:{wide}}{about}" for name, about in known.items())])
