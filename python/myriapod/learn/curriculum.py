"""Curricula: numbers of a task that change in the course of a training, by samples (`task.stage`) or by what was reached (`@task.curriculum`).

They change between iterations alone, and by what the learner knows to the bit: with the same seed they change at the same sample on every machine."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .._library import ArgumentError, LimitError, StateError
from ..batch import Batch
from ..task_table import Stage, merged


#: Before the name of an option of the learner, among numbers of the task.
_LEARN = "learn."


class Progress(NamedTuple):
    """How a training stands: what a function of `TermTask.curriculum` is given."""

    samples: int  #: control steps so far, those of all environments
    iteration: int  #: so many are behind
    reward: float  #: return of an episode, mean of the last 100 that ended; nan: none has
    length: float  #: of an episode, mean of these, as a part of the longest; nan
    fell: float  #: part of them that failed; nan
    terms: dict[str, float]  #: of each reward term what it paid per second, of each metric its mean, in the episodes that ended last; nan
    numbers: dict[str, float]  #: what stages and curricula have set


class CurriculumError(ArgumentError):
    """A function of a curriculum raised, or gave what is not a number of the task."""


class Curriculum:
    """Stages and functions of a task, for its batch. What it has set is gone on with after a stop (`numbers`). ArgumentError: a stage has a name that the task
    does not, or a value out of range."""

    def __init__(self, batch: Batch, stages: Sequence[Stage], functions: Sequence[Callable[[Progress], Any]] = (),
                 set_option: Callable[[str, float], None] | None = None) -> None:
        self._batch, self._functions, self._set_option = batch, tuple(functions), set_option
        self._stages = merged(stages)
        if self and batch.info.task == "none":
            raise ArgumentError("stages and curricula change numbers of a task in lanes, and this one runs on NumPy arrays")
        self.numbers: dict[str, float] = {}
        self._staged: dict[str, float] = {}  # what stages said last
        if self._stages:
            own, settings = batch.task_numbers, batch.settings
            before = {name: own.get(name, settings.get(name.replace("-", "_"))) for stage in self._stages for name in stage.numbers}
            try:
                for stage in self._stages:  # tried, so that what is wrong is told before the training
                    batch.set_numbers({name: value for name, value in stage.numbers.items() if not name.startswith(_LEARN)})
            finally:
                batch.set_numbers({name: float(value) for name, value in before.items() if isinstance(value, (int, float))})

    def __bool__(self) -> bool:
        return bool(self._stages or self._functions)

    def _set(self, numbers: Mapping[str, float]) -> None:
        changed = {name: value for name, value in numbers.items() if name not in self.numbers or self.numbers[name] != value}
        options = {name: value for name, value in changed.items() if name.startswith(_LEARN)}
        if changed:
            self._batch.set_numbers({name: value for name, value in changed.items() if name not in options})
            for name, value in options.items():
                if self._set_option is None:
                    raise ArgumentError(f"{name}: this learner has no options that change while it learns")
                self._set_option(name[len(_LEARN):].replace("-", "_"), value)
            self.numbers |= {name: float(value) for name, value in changed.items()}

    @property
    def state(self) -> dict[str, dict[str, float]]:
        """What a checkpoint keeps; settable, which sets the numbers. Environments are restored after it: a batch of other numbers refuses their file."""
        return {"numbers": self.numbers, "staged": self._staged}

    @state.setter
    def state(self, state: Mapping[str, Mapping[str, float]]) -> None:
        numbers, self._staged = ({str(name): float(value) for name, value in state.get(key, {}).items()} for key in ("numbers", "staged"))
        self._set(numbers)

    def step(self, at: Progress) -> None:
        """Before an iteration. Functions come after stages, in the order in which the task has them."""
        by_stage: dict[str, float] = {}
        for stage in self._stages:
            if stage.samples <= at.samples:
                by_stage |= stage.numbers
        new = {name: value for name, value in by_stage.items() if self._staged.get(name) != value}
        self._staged = by_stage
        self._set(new)
        for function in self._functions:
            name = getattr(function, "__name__", repr(function))
            try:
                given = function(at._replace(numbers=dict(self.numbers)))
            except Exception as error:  # it is the user's
                raise CurriculumError(f"the curriculum {name!r} failed after {at.samples} samples: {type(error).__name__}: {error}") from error
            if given is not None and not isinstance(given, Mapping):
                raise CurriculumError(f"the curriculum {name!r} gave {type(given).__name__}, but must give a dict of numbers, or nothing")
            try:
                self._set(given or {})
            except (ArgumentError, LimitError, StateError) as error:
                raise CurriculumError(f"the curriculum {name!r}: {error}") from None
