"""What the functions of a `TermTask` are given while they are recorded, and the lines that they leave."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from .._arrays import whole
from .._library import ArgumentError, lib
from .symbols import RecordingError, Symbol, _Tape

Function = Callable[[Any], Any]
#: In the order of the text.
MOMENTS = ("start", "command", "act", "step", "judge", "observe")


class _Group:
    """`s.memory.air` for s["memory.air"]; words with '_' stand for the settings' '-'."""

    def __init__(self, state: Any, prefix: str) -> None:
        self._state, self._prefix = state, prefix

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        return self._state[self._prefix + (name.replace("_", "-") if self._prefix == "setting." else name)]


def is_number(name: str) -> bool:
    """Is this input one number, the same for all robots at all times?"""
    return name in ("dt", "control_dt", "actuators") or name.startswith(("setting.", "number."))


class State:
    """What a term's function is given: inputs by name, as attributes or s["name"]. `memory`, `number`, `setting`, `sensor` are groups of them.

    What has one row is (n,), what has more (n, rows); settings and numbers are numbers."""

    def __init__(self, model: Any) -> None:
        #: The robot, for what is chosen when it is recorded: names, counts.
        self.model = model
        self.memory, self.number = _Group(self, "memory."), _Group(self, "number.")
        self.setting, self.sensor = _Group(self, "setting."), _Group(self, "sensor.")

    def __getitem__(self, name: str) -> Any:
        raise NotImplementedError

    def draw(self, name: str, rows: int = 1) -> Any:
        """Numbers in [0, 1) that this robot draws in this control step: of a stream of their own, by this name.

        rows: a whole number that is known when it is recorded: `s.model.nu` of actuators, `x.shape[-1]` of the rows of x."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def actuators_of(self, *patterns: str) -> list[int]:
        """Numbers of the actuators whose names fit one of the patterns ("*_hip_*"), for x[..., numbers]. ArgumentError: none does."""
        return actuators_of(self.model, *patterns)

    def geoms_of(self, *patterns: str) -> list[int]:
        """Numbers of the geoms whose names fit one of the patterns. ArgumentError: none does."""
        return _among([g.name for g in self.model.geoms], patterns, "geom")


def actuators_of(model: Any, *patterns: str) -> list[int]:
    """As `State.actuators_of`, of a model."""
    return _among([a.name for a in model.actuators], patterns, "actuator")


def _among(names: list[str], patterns: tuple[str, ...], what: str) -> list[int]:
    found = [k for k, name in enumerate(names) if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not found:
        raise ArgumentError(f"no {what} is called {' or '.join(map(repr, patterns))}; there are {', '.join(names[:20])}{' ..' if len(names) > 20 else ''}")
    return found


class _Writing(State):
    """While a function is recorded."""

    def __init__(self, model: Any, tape: _Tape, inputs: dict[str, int], rows_of: Callable[[str], int]) -> None:
        super().__init__(model)
        self._tape, self._inputs, self._rows_of = tape, inputs, rows_of

    def __getitem__(self, name: str) -> Any:
        rows = self._rows_of(name)
        self._inputs[name] = rows
        return Symbol(self._tape, name, rows, None if is_number(name) else rows == 1)

    def draw(self, name: str, rows: int = 1) -> Any:
        if not re.fullmatch(r"[A-Za-z_][\w]{0,40}", name, re.ASCII):
            raise ArgumentError(f"{name!r} is not a name of a draw: letters, digits and _")
        if isinstance(rows, Symbol):
            raise RecordingError(f"s.draw({name!r}, rows): {rows._as_count()}")
        word, rows = "draw." + name, whole(rows, "rows", 1, lib.MYR_PROGRAM_ROWS)
        if self._inputs.setdefault(word, rows) != rows:
            raise RecordingError(f"{name!r} is drawn already, with {self._inputs[word]} numbers")
        return Symbol(self._tape, word, rows, rows == 1)


@dataclass(frozen=True)
class Term:
    """A function of a task, and what its table says of it."""

    kind: str  #: reward, metric, end, truncate, memory, observe, critic, start, command, steer, act, step
    name: str
    function: Function
    doc: str
    words: str = ""  #: of its line in the table, behind the name
    input: str = ""  #: the input that it is, where it has no function of its own
    mirror: Any = None  #: how it is mirrored, where it is observed and its input does not say it (mirror.py)

    @property
    def moment(self) -> str:
        """When it runs."""
        return {"critic": "observe"}.get(self.kind, self.kind if self.kind in MOMENTS else "judge")

    @property
    def outputs(self) -> str:
        """What comes before its name among a program's outputs."""
        return "" if self.kind == "observe" else f"{self.kind}."


@dataclass(frozen=True)
class RecordedTerm:
    """A term's lines, for one robot."""

    term: Term
    lines: tuple[str, ...]
    inputs: dict[str, int]
    outputs: dict[str, str]  #: name -> register


def inputs_of(terms: Iterable[RecordedTerm]) -> dict[str, int]:
    """What they read: name -> rows."""
    return {name: rows for term in terms for name, rows in term.inputs.items()}


def moment_lines(moment: str, terms: list[RecordedTerm], inputs: dict[str, int] | None = None) -> list[str]:
    """A moment of a table: what its terms read (or `inputs`), then each behind its name. Nothing where it has none and may be left out."""
    if not terms and moment not in ("judge", "observe"):
        return []
    inputs = inputs_of(terms) if inputs is None else inputs
    lines = [f"\nmoment {moment}", *(f"input {name} {rows}" for name, rows in inputs.items())]
    for t in terms:
        lines.append(f"# {t.term.kind} {t.term.name}{': ' + t.term.doc if t.term.doc else ''}")
        lines += [*t.lines, *(f"output {name} {register}" for name, register in t.outputs.items())]
    nothing = {"judge": ["output end.never 0"], "observe": [*([] if "dt" in inputs else ["input dt 1"]), "output nothing dt"]}
    return lines if terms else [*lines, *nothing[moment]]
