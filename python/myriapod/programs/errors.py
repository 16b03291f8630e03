"""Mistakes in a `TermTask`, by what its writer wrote: a term and its place in a file in place of a line of a text that is in no file, and decorators
without parentheses."""
from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from .._library import ArgumentError, Error
from .recording import Term

_HERE = str(Path(__file__).parent)


def place(function: Any) -> str:
    """" (FILE:LINE)" of a function of the user's; "": it has no file, or is the package's own."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or code.co_filename.startswith("<") or code.co_filename == str(Path(_HERE) / "term_task.py"):
        return ""
    return f" ({code.co_filename}:{code.co_firstlineno})"


def _term_of(lines: list[str], at: int, words: str, terms: Sequence[Term]) -> Term | None:
    """The term that a message about line `at` is about: the one whose output it names, else the one of the line."""
    line, output = lines[at].split(), re.search(r"output `([^`]+)`", words)
    named: list[str] | None
    if line[:1] in (["reward"], ["metric"], ["observe"], ["memory"]):
        named = ["critic", *line[1:2]] if line[2:4] == ["group", "critic"] else line[:2]
    else:
        first = next((k for k in range(at, -1, -1) if lines[k].startswith("moment ")), at)
        if output:
            inside = takewhile(lambda k: not lines[k].startswith("moment "), range(first + 1, len(lines)))
            at = next((k for k in inside if lines[k].startswith(f"output {output[1]} ")), at)
        named = next((lines[k].split()[1:3] for k in range(at, first, -1) if lines[k].startswith("# ")), None)
    return next((t for t in terms if named and [t.kind, t.name] == [named[0], named[1].rstrip(":")]), None)


def by_term(error: Error, label: str, text: str, terms: Sequence[Term]) -> Error:
    """The same error: the term and its place, or the words of the line, stand where label and line of the text were."""
    found, lines = re.match(re.escape(label) + r":(\d+): (.*)", str(error), re.S), text.splitlines()
    if not found or not 0 < int(found[1]) <= len(lines):
        return error
    at, words = int(found[1]) - 1, found[2]
    term = _term_of(lines, at, words, terms)
    if words.endswith(" rows, but must have 1"):
        words += ": one number per robot is x[..., 0], or np.sum(x, axis=-1)"
    line = lines[at].split("#")[0].strip()
    head = f"{term.kind} {term.name}" if term else f"`{line}`" if line else f"line {at + 1} of its text"
    made = type(error)(f"{label}: {head}: {words}{place(term.function) if term else ''}")
    made.status = error.status
    return made


def want_call(given: Any, usage: str) -> None:
    """ArgumentError where a decorator that has arguments stands without its parentheses, and so is given the function."""
    if callable(given):
        raise ArgumentError(f"@task.{usage.partition('(')[0]} stands without its parentheses: write @task.{usage} above {getattr(given, '__name__', 'the function')!r}")
