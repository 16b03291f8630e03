"""Names that are misspelt: the nearest one, and objects that take no attribute they do not have."""
from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import warnings
from collections.abc import Iterable
from typing import Any, NoReturn

from ._library import UnknownAttributeError


def _pieces(name: str) -> list[str]:
    """What stands between dashes, dots and other marks, in small letters, without what counts versions, as v5 does."""
    return [piece for piece in re.split(r"[^a-z0-9\u0080-\U0010ffff]+", name.lower()) if piece and not re.fullmatch(r"v[0-9]+", piece)]


def _surplus(a: list[str], b: list[str]) -> int | None:
    """Letters that the longer of two names has more, where all of one is in the other; None: it is not (base/nearest.c has the same law)."""
    small, large = sorted(("".join(pieces) for pieces in (a, b)), key=len)
    inside = set(a) <= set(b) or set(b) <= set(a) or (len(small) > 2 and 2 * len(small) >= len(large) and small in large)
    return len(large) - len(small) if inside and len(small) > 1 else None


def _unmatched(a: str, b: str) -> int:
    return len(a) + len(b) - 2 * sum(block.size for block in difflib.SequenceMatcher(None, a, b).get_matching_blocks())


def nearest(name: Any, names: Iterable[str]) -> str | None:
    """The name that was meant: one but for a slip, else one that holds the other, as unitree_go2 holds go2, else one that is like it; None: none is."""
    known, wrong = list(names), str(name).lower().replace("_", "-")
    plain = {word.lower().replace("_", "-"): word for word in reversed(known)}
    like = difflib.get_close_matches(wrong, list(plain), 1, 0.5)
    if like and _unmatched(wrong, like[0]) <= 2:  # a letter changed, missing or too many, or two that changed places
        return plain[like[0]]
    pieces = _pieces(wrong)
    inside = [(more, k) for k, word in enumerate(known) if (more := _surplus(pieces, _pieces(word))) is not None]
    return known[min(inside)[1]] if inside else plain[like[0]] if like else None


def near_file(path: str | os.PathLike[str]) -> str:
    """"; did you mean FOLDER/NAME?" for a file that is not there, or "": the nearest of its folder; of a folder itself what a training leaves in it."""
    folder, name = os.path.split(os.fspath(path))
    if os.path.isfile(left := os.path.join(os.fspath(path), "policy.npz")):
        return f"; did you mean {left!r}?"
    try:
        near = nearest(name, sorted(f for f in os.listdir(folder or os.curdir) if os.path.splitext(f)[1] == (os.path.splitext(name)[1] or ".npz")))
    except (OSError, ValueError):  # of a name that no file can have, too
        return ""
    return f"; did you mean {os.path.join(folder, near)!r}?" if near else ""


def warn_at_caller(words: str, category: type[Warning]) -> None:
    """A warning at the line outside of this package that made it necessary."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == __name__.split(".")[0]:
        level, frame = level + 1, frame.f_back
    warnings.warn(words, category, stacklevel=level)


class Parser(argparse.ArgumentParser):
    """A command line that says which option was meant."""

    def error(self, message: str) -> NoReturn:
        """Usage and what is wrong, and exit status 2."""
        wrong = re.search(r"unrecognized arguments: --([\w-]+)", message)
        near = nearest(wrong[1], (word[2:] for word in self._option_string_actions if word.startswith("--"))) if wrong else None
        super().error(f"{message}; did you mean --{near}?" if near else message)


class Strict:
    """Refuses attributes that its class does not know: `batch.tagret = x` would otherwise be an attribute that nothing reads.

    A class derived from one of these declares its own as class attributes; names that begin with `_` are free."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            raise UnknownAttributeError(self._no_attribute(name))
        object.__setattr__(self, name, value)

    def _no_attribute(self, name: str) -> str:
        cls = type(self)
        settable = [word for word in dir(cls) if isinstance(getattr(cls, word), property) and getattr(cls, word).fset is not None]
        text = f"a {cls.__name__} has no attribute {name!r}"
        if not settable:
            return f"{text}, and none can be set"
        near = nearest(name, settable)
        return f"{text}; did you mean {near!r}?" if near else f"{text}; there are: {', '.join(settable)}"
