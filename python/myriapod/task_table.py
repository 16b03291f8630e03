"""Tasks that are tables: a file of terms, whose programs run in lanes; docs/programs.md has the text."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from ._library import Error, check, encode, ffi, lib, text
from ._whole import read_text
from .settings import Settings

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


@runtime_checkable
class WrittenTask(Protocol):
    """A task of one's own: `TaskTable`, `TermTask`. Whatever takes a task by name takes one."""

    name: str
    robot: str  #: what `Model` loads; "": for any
    about: str
    command: int  #: how many numbers its command has
    training: dict[str, Any]  #: settings in which it is trained otherwise than it is scored
    learner: dict[str, Any]  #: options of the learner

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
        lines = [line.split("#")[0].split() for line in words.split("\nmoment ")[0].splitlines()]
        #: Settings in which it is trained otherwise than it is scored, and options of the learner: the lines `train` and `learner`.
        self.training: dict[str, Any] = {line[1].replace("-", "_"): number(line[2]) for line in lines if line[:1] == ["train"] and len(line) > 2}
        self.learner: dict[str, Any] = {line[1].replace("-", "_"): number(line[2]) for line in lines if line[:1] == ["learner"] and len(line) > 2}
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
