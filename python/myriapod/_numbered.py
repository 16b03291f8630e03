"""The part of a batch that knows the numbers of its task."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._library import ArgumentError, check, encode, ffi, lib
from .settings import Settings, task_numbers
from .task_table import TaskTable


class Numbered:
    """Numbers of the task of a `Batch`."""

    _settings: Settings
    _table: TaskTable | None

    def _open(self) -> Any:
        raise NotImplementedError

    @property
    def task_numbers(self) -> dict[str, float]:
        """Numbers of its task, of a table, as they are now."""
        with self._open() as c:
            return task_numbers(c)

    @property
    def acts_by(self) -> dict[str, Any]:
        """What decides what a policy sees and what its actions do, as it is now and as a policy's file tells it: settings by their name, and as `number.NAME`
        numbers of its task that are other ones now than in the table. Stages may have set them."""
        own = self._table.acts_by if self._table else frozenset()
        now, told = self.task_numbers if self._table else {}, {name: self._settings[name] for name in ("action_scale", "action_clip")}
        for word in sorted(own):
            kind, _, name = word.partition(".")
            if kind == "setting":
                told[name.replace("-", "_")] = self._settings[name.replace("-", "_")]
            elif self._table and now[name] != self._table.numbers[name]:
                told[word] = now[name]
        return told

    def set_numbers(self, numbers: Mapping[str, float]) -> None:
        """Other numbers for its task from now on: those of a table by name, and settings of its episodes that are numbers (`push_speed`; not `episode`), as if
        it had been made with them. All of them, or on an error none. Environments stay as they are: a weight counts from the next control step on, what an
        episode begins with, drawn parameters too, from the next episode on. `settings` has them then; a file of `save` wants the same ones.
        ArgumentError: an unknown name, a value out of range. StateError: the task is not a table, or the number is a gain. LimitError: more than 64 numbers
        are other ones than in the table."""
        own = self.task_numbers
        named: dict[str, float] = {}
        for name, value in numbers.items():
            if not isinstance(name, str):
                raise ArgumentError(f"the name of a number is {name!r}, but must be a text")
            try:
                named[name if name in own else name.replace("_", "-")] = float(value)
            except (TypeError, ValueError, OverflowError):
                raise ArgumentError(f"the number {name!r} is {value!r}, but must be a finite number") from None
        names = [ffi.new("char[]", encode(name, "a name")) for name in named]
        with self._open() as c:
            check(lib.myr_batch_set_numbers(c, len(named), ffi.new("char *[]", names), ffi.new("double[]", list(named.values()))))
        for name, value in named.items():
            if name in own:
                self._settings._put_number(name, value)
            else:
                self._settings[name] = int(value) if isinstance(self._settings[name], int) else value
