"""Tasks that are tables: a file of terms, whose programs run in lanes; docs/programs.md has the text."""
from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ._library import ArgumentError, Error, FormatError, UnknownKeyError, check, encode, ffi, lib, text
from ._names import nearest
from ._whole import read_text
from .settings import NUMBERS, Settings

#: Inputs of programs beside sensors, memories, draws, numbers and settings: name -> what it is, with its unit.
INPUTS: dict[str, str] = {}
while lib.myr_task_input_name(len(INPUTS)) != ffi.NULL:
    INPUTS[text(lib.myr_task_input_name(len(INPUTS)))] = text(lib.myr_task_input_doc(len(INPUTS)))


def number(word: str) -> Any:
    """A word of the text as a whole number, a number, several (`64,32`) or as it is."""
    if "," in word:
        return tuple(number(part) for part in word.split(","))
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def _sensor(line: str, place: str) -> dict[str, Any]:
    """A line `sensor {"name": .., "kind": .., "of": ..}`."""
    try:
        made = json.loads(line.split(None, 1)[1])
        if isinstance(made, dict) and isinstance(made.get("name"), str):
            return made
    except (ValueError, IndexError):
        pass
    raise FormatError(f'{place}: `{line.strip()[:80]}`: a sensor is JSON, {{"name": "foot", "kind": "framepos", "of": "FL_foot"}}')


class Stage(NamedTuple):
    """From so many samples of a training on numbers of a task, or settings of its episodes, are others."""

    samples: float
    numbers: dict[str, float]


def merged(stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """In the order of their samples, those of the same samples as one: ends of a range change together."""
    made: dict[float, dict[str, float]] = {}
    for stage in stages:
        made.setdefault(float(stage.samples), {}).update(stage.numbers)
    return tuple(Stage(samples, made[samples]) for samples in sorted(made))


def stages_of(lines: list[list[str]], label: str) -> tuple[Stage, ...]:
    """Of the words of lines those of `stage SAMPLES NAME VALUE`. FormatError: a line is another."""
    made = []
    for line in (line for line in lines if line[:1] == ["stage"]):
        try:
            samples, value = float(line[1]), float(line[3])
        except (ValueError, IndexError):
            samples = value = -1.0
        if len(line) != 4 or not 0 <= samples < float("inf"):
            raise FormatError(f"{label}: `{' '.join(line)}`: a stage is `stage SAMPLES NAME VALUE`, such as `stage 2e6 push-speed 0.5`")
        made.append(Stage(samples, {line[2]: value}))
    return merged(made)


def acts_by(words: str) -> frozenset[str]:
    """`number.NAME` and `setting.KEY` of a text that decide what a policy sees, what its actions do and what is remembered. A policy that was taught by one
    clock does not walk by another's. Rewards, ends, starts, commands, noise and what a critic alone observes are left out: a policy is judged by the task's."""
    found: set[str] = set()
    moment, of = "", dict[str, frozenset[str]]()

    def read(word: str) -> frozenset[str]:
        return of.get(word, frozenset([word] if word.startswith(("number.", "setting.")) else []))

    for line in (line.split("#")[0].split() for line in words.splitlines()):
        if line[:1] == ["moment"]:
            moment, of = " ".join(line[1:]), {}
        elif not moment and line[:1] == ["observe"] and "scale" in line[:-1] and line[2:4] != ["group", "critic"]:
            found |= read(line[line.index("scale") + 1])
        elif line[1:2] == ["="]:
            of[line[0]] = frozenset().union(*map(read, line[3:]))
        elif line[:1] == ["output"] and len(line) > 2:
            decides = moment in ("act", "step", "observe") and not line[1].startswith("critic.") or moment == "judge" and line[1].startswith("memory.")
            found |= frozenset().union(*map(read, line[2:])) if decides else frozenset()
    return frozenset(found)


@runtime_checkable
class WrittenTask(Protocol):
    """A task of one's own: `TaskTable`, `TermTask`. Whatever takes a task by name takes one."""

    name: str
    robot: str  #: what `Model` loads; "": for any
    about: str
    command: int  #: how many numbers its command has
    feet: tuple[str, ...]  #: names of the only shapes of its robot that touch, as `Model` takes them; (): all
    sensors: tuple[dict[str, Any], ...]  #: which its robot gets where it does not have them, as `Model.with_sensors` takes them
    training: dict[str, Any]  #: settings in which it is trained otherwise than it is scored
    learner: dict[str, Any]  #: options of the learner
    numbers: dict[str, float]  #: numbers of its own

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What its numbers are in the course of a training."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of what is measured beside the reward."""

    def settings(self, **keys: Any) -> Settings:
        """The settings that it asks for, and over them `keys`."""

    def table(self, model: Any, settings: Settings) -> TaskTable:
        """The table for a robot."""


class TaskTable:
    """A task, of its text; `label` stands for its file in messages. Immutable; `Batch` and everything that takes a task by name take it.

    What its programs ask of a robot is read when a batch is made. Raises FormatError, LimitError: what is wrong, with label and line."""

    _tell: Callable[[Error], Error] | None = None  # a mistake in it as its writer knows it

    def __init__(self, words: str, label: str = "task") -> None:
        data, out = encode(words, "words"), ffi.new("myr_task_table **")
        check(lib.myr_task_table_read(data, len(data), encode(label, "label"), out))
        self._c, self._words, self._label = ffi.gc(out[0], lib.myr_task_table_free), words, label
        #: Its name, the robot that it is for ("": any), and what it is in a line.
        self.name, self.robot, self.about = text(lib.myr_task_table_name(self._c)), text(lib.myr_task_table_robot(self._c)), text(lib.myr_task_table_about(self._c))
        whole = words.splitlines()
        whole = whole[: next((at for at, line in enumerate(whole) if line.split()[:1] == ["moment"]), len(whole))]
        lines = [line.split("#")[0].split() for line in whole]
        #: Names of what is measured beside the reward.
        self.metrics: tuple[str, ...] = tuple(line[1] for line in lines if line[:1] == ["metric"] and len(line) > 1)
        #: Names of the only shapes of its robot that touch; (): all.
        self.feet: tuple[str, ...] = next((tuple(line[1].split(",")) for line in lines if line[:1] == ["feet"] and len(line) > 1), ())
        #: Sensors that its robot gets where it does not have them.
        self.sensors: tuple[dict[str, Any], ...] = tuple(
            _sensor(line, f"{label}:{at}") for at, line in enumerate(whole, 1) if line.split()[:1] == ["sensor"])
        #: Settings in which it is trained otherwise than it is scored, and options of the learner: the lines `train` and `learner`.
        self.training: dict[str, Any] = {line[1].replace("-", "_"): number(line[2]) for line in lines if line[:1] == ["train"] and len(line) > 2}
        self.learner: dict[str, Any] = {line[1].replace("-", "_"): number(line[2]) for line in lines if line[:1] == ["learner"] and len(line) > 2}
        #: Numbers of its own, as the lines `number` have them.
        self.numbers: dict[str, float] = {line[1]: float(line[2]) for line in lines if line[:1] == ["number"]}
        #: `number.NAME` and `setting.KEY` that decide what a policy sees and what its actions do.
        self.acts_by = frozenset(word for word in acts_by(words) if word.startswith("setting.") or word.removeprefix("number.") in self.numbers)
        #: What its numbers are in the course of a training: the lines `stage`.
        self.stages: tuple[Stage, ...] = stages_of(lines, label)
        #: How many numbers its command has; 0: it has none.
        self.command = next((int(line[1]) for line in lines if line[:1] == ["command"]), 0)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> TaskTable:
        """From a file. FileError: it cannot be read."""
        return cls(read_text(path), os.fspath(path))

    def settings(self, **keys: Any) -> Settings:
        """The settings that it asks for, and over them `keys`."""
        made = Settings()
        check(lib.myr_task_table_apply(self._c, made._c))
        made.update(**keys)
        return made

    def table(self, model: Any, settings: Settings) -> TaskTable:
        """Itself: a text is of one robot, or of any with the same rows."""
        return self

    def with_numbers(self, numbers: Mapping[str, Any]) -> TaskTable:
        """The same task with other numbers of its own. ArgumentError: it has none of this name, or it cannot be one."""
        wanted = _numbers(self.name, self.numbers, numbers)
        lines, words = self._words.splitlines(), self._words.splitlines()
        for k, line in enumerate(lines[:next((k for k, line in enumerate(lines) if line.split()[:1] == ["moment"]), None)]):
            if line.split()[:1] == ["number"] and line.split()[1] in wanted:
                behind = "".join(f" {word}" for word in line.split("#")[0].split(None, 3)[3:])  # its range and words
                words[k] = f"number {line.split()[1]} {wanted[line.split()[1]]!r}{behind}"
        try:
            made = TaskTable("\n".join(words) + "\n", self._label)
        except FormatError as error:  # the rest has been read before
            raise ArgumentError(str(error)) from None
        made._tell = self._tell
        return made

    def _told(self, error: Error) -> Error:
        """An error about its text, for who wrote what it was made of."""
        return self._tell(error) if self._tell else error

    def __str__(self) -> str:
        """Its text."""
        return self._words

    def __repr__(self) -> str:
        return f"<TaskTable {self.name}{f' of {self.robot}' if self.robot else ''}>"

    def __reduce__(self) -> Any:
        return TaskTable, (self._words, self._label)


def _numbers(task: str, known: Mapping[str, float], given: Mapping[str, Any]) -> dict[str, float]:
    """Numbers for a task that has those that are known. ArgumentError, with the nearest name."""
    made: dict[str, float] = {}
    for name, value in given.items():
        if name not in known:
            near = nearest(name, known)
            there = f"; did you mean {near!r}?" if near else f"; there are: {', '.join(known)}" if known else ", and none at all: task.number(name, value) makes one"
            raise UnknownKeyError(f"the task {task!r} has no number {name!r}{there}")
        try:
            made[name] = float(value)
        except (TypeError, ValueError):
            made[name] = float("nan")
        if not abs(made[name]) < float("inf"):
            raise ArgumentError(f"the number {name!r} of the task {task!r} is {value!r}, but must be a finite number")
    return made


def numbers_as_settings(task: str, table: WrittenTask | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a task's numbers that are settings, too: all of a task of the library (table: None). UnknownKeyError, with the nearest name: its tasks do not
    have it."""
    numbers = _numbers(task, NUMBERS, given) if table is None else given
    return {name.replace("-", "_"): value for name, value in numbers.items() if name in NUMBERS}


class Renumbered:
    """A task with other numbers of its own than it was written with."""

    def __init__(self, of: WrittenTask, numbers: Mapping[str, Any]) -> None:
        self._of, self._changed = of, _numbers(of.name, of.numbers, numbers)
        self.name, self.robot, self.about, self.command = of.name, of.robot, of.about, of.command
        self.feet, self.metrics, self.sensors, self.stages = of.feet, of.metrics, of.sensors, of.stages
        self.training, self.learner, self.numbers = of.training, of.learner, {**of.numbers, **self._changed}

    def settings(self, **keys: Any) -> Settings:
        """Those of the task."""
        return self._of.settings(**keys)

    def table(self, model: Any, settings: Settings) -> TaskTable:
        """The table for a robot."""
        return self._of.table(model, settings).with_numbers(self._changed)
