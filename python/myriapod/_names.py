"""Names that are misspelt: the nearest one, and objects that take no attribute they do not have."""
from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable
from typing import Any

from ._library import UnknownAttributeError


def nearest(name: Any, names: Iterable[str]) -> str | None:
    """The name that is most like a misspelt one; None: none is."""
    near = difflib.get_close_matches(str(name).lower(), list(names), 1, 0.5)
    return near[0] if near else None


def warn_at_caller(words: str, category: type[Warning]) -> None:
    """A warning at the line outside of this package that made it necessary."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == __name__.split(".")[0]:
        level, frame = level + 1, frame.f_back
    warnings.warn(words, category, stacklevel=level)


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
