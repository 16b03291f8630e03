"""`record`: from a function written for NumPy to a program."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _arrays as arrays
from .._library import ArgumentError
from .program import Program
from .symbols import RecordingError, Symbol, _Tape


_TAKEN = ("self", "isa", "precision", "n", "seed", "function")


class Recorded(Program):
    """The program of a function, and the function."""

    def __init__(self, words: str, label: str, function: Callable[..., Any]) -> None:
        super().__init__(words, label)
        self.function = function

    def __reduce__(self) -> Any:
        return Program, (str(self),)

    def check(self, n: int = 256, seed: int = 0, **inputs: Any) -> dict[str, float]:
        """How far function and program are apart, in doubles, of each output: of its largest number. Inputs that are not given are
        random, as many as there are of those that are; rows that are a quaternion should be given.

        A NaN of one alone is infinitely far. ArgumentError: the function gives other outputs, or of other shapes, than it did when it was recorded."""
        if set(inputs) - set(self.inputs):
            raise ArgumentError(f"the inputs are {', '.join(self.inputs)}; there is no {', '.join(set(inputs) - set(self.inputs))}")
        n = len(next(iter(inputs.values()))) if inputs else n
        if n < 1:
            raise ArgumentError("nothing is compared: there are 0 robots")
        rng = np.random.default_rng(seed)
        given: dict[str, Any] = {name: np.asarray(inputs.get(name, rng.normal(size=(n, rows))), float) for name, rows in self.inputs.items()}
        with np.errstate(all="ignore"):
            made, want = self(**given, precision="f64"), self.function(**given)
        if set(want) != set(made):
            raise ArgumentError(f"on arrays the function gives {', '.join(want)}; recorded it gave {', '.join(made)}")
        apart = {}
        for name, ours in made.items():
            theirs = np.asarray(want[name], float)
            if theirs.ndim and theirs.size == ours.size:
                theirs = theirs.reshape(ours.shape)
            elif theirs.size not in (1, ours.shape[1]):
                raise ArgumentError(f"{name}: on arrays the function gives shape {theirs.shape}, but recorded {ours.shape}")
            theirs = np.broadcast_to(theirs, ours.shape)
            with np.errstate(invalid="ignore"):
                largest = np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0) or 1.0
                off = np.where((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)), 0.0, np.abs(ours - theirs) / largest)
            apart[name] = float(np.where(np.isnan(off), np.inf, off).max(initial=0.0))
        return apart


def record(function: Callable[..., Any], **rows: int) -> Recorded:
    """The program of a function that takes arrays (n, rows) by name and gives a dict of arrays, (n,) or (n, k); or one array, the output `out`.

    rows: of each argument. The function is called once, with what stands for the arrays: NumPy's functions and operators on it are written down, loops over
    rows are unrolled, and whatever depends on a robot's numbers otherwise is a RecordingError, whose traceback has the line. docs/programs.md says what can
    be recorded."""
    tape = _Tape()
    symbols = {}
    for name, count in rows.items():
        if name in _TAKEN:
            raise ArgumentError(f"an argument may not be called {name}: that is a word of calls")
        tape.lines.append(f"input {name} {arrays.whole(count, name, 1, 8192)}")
        symbols[name] = Symbol(tape, name, int(count), False)
    made = function(**symbols)
    outputs = made if isinstance(made, dict) else {"out": made}
    if not outputs or isinstance(made, (list, tuple)):
        raise RecordingError("the function gives no output: it must give an array, or a dict of arrays by name")
    for output in outputs:
        if not isinstance(output, str) or not re.fullmatch(r"[A-Za-z_][\w.\[\]/-]{0,62}", output, re.ASCII):
            raise ArgumentError(f"{output!r} is not a name of an output: letters, digits and _ . - / [ ], not a digit first, below 64")
    words = [f"output {name} {tape.operand(value)[0]}" for name, value in outputs.items()]  # constants may come in between
    name = getattr(function, "__name__", "")
    head = [tape.lines[0], *([f"name {name}"] if name.isidentifier() else [])]
    return Recorded("\n".join([*head, *tape.lines[1:], *words]) + "\n", name or "function", function if isinstance(made, dict) else lambda **x: {"out": function(**x)})
