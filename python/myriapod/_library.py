"""The shared library, and its statuses as exceptions."""
from __future__ import annotations

import builtins
import os
import re
import sys
from pathlib import Path
from typing import Any

from ._myriapod_ffi import ffi

_PATH = Path(__file__).parent / "lib" / "libmyriapod.so"
if not _PATH.exists():
    raise ImportError(f"{_PATH} is missing: this is the source of the package, not an installed one; run `pip install .` in the project")

#: The library's functions and constants as include/myriapod/*.h declare them. Not part of the public interface.
lib: Any = ffi.dlopen(str(_PATH))


class Error(Exception):
    """A call failed, and nothing was changed. `status` is the library's number for it (myr_status), the text its message."""

    status: int = 0

    def __str__(self) -> str:  # not KeyError's, which puts quotes around it
        return str(self.args[0]) if self.args else ""


class ArgumentError(Error, ValueError):
    """An argument, an array, a setting or a key is wrong; the message names it, what was given and what is wanted."""

    status = lib.MYR_E_ARG


class ArrayTypeError(ArgumentError, TypeError):
    """An array of the wrong type (dtype), or something that is not an array of numbers."""


class ReadOnlyError(ArgumentError):
    """What a property gave is a copy, and was written to: the batch would not have heard of it."""


class UnknownKeyError(ArgumentError, KeyError):
    """There is no setting or field of this name."""


class UnknownAttributeError(ArgumentError, AttributeError):
    """An object has no attribute of the name that was assigned to."""


class MemoryError(Error, builtins.MemoryError):
    """Out of memory."""

    status = lib.MYR_E_MEMORY


class IsaError(Error, RuntimeError):
    """This processor or system lacks the instruction set that was asked for."""

    status = lib.MYR_E_ISA


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""

    status = lib.MYR_E_FILE


class FormatError(Error, ValueError):
    """What a file says is wrong; the message names file, line and element."""

    status = lib.MYR_E_FORMAT


class LimitError(Error, ValueError):
    """More than this build can hold; the message says how much that is."""

    status = lib.MYR_E_LIMIT


class ForkError(Error, RuntimeError):
    """The batch belongs to another process: its threads did not follow the fork. Make batches after forking."""

    status = lib.MYR_E_FORK


class ModelWarning(UserWarning):
    """Something of a model that is read and has no effect, or is odd: `Model.warnings` has all of them."""


class StateError(Error, RuntimeError):
    """The object is not in a state in which this call makes sense: closed, or not made to keep what is asked for."""

    status = lib.MYR_E_STATE


_CLASSES: dict[int, type[Error]] = {
    c.status: c for c in (ArgumentError, MemoryError, IsaError, FileError, FormatError, LimitError, ForkError, StateError)
}
_SENSE_SETTING = re.compile(r"sense-(\w+) 1")
#: Where the calls of the library are in Python: module and class.
_OBJECTS = {"batch": ("batch", "Batch"), "builder": ("builder", "ModelBuilder"), "learner": ("learn.ppo", "Learner"), "model": ("model", "Model"),
            "motor_net": ("motor_nets", "MotorNet"), "planner": ("plan.planner", "Planner"), "policy": ("policies.networks", "Policy"),
            "program": ("programs.program", "Program"), "recording": ("recording", "Recording"), "settings": ("settings", "Settings"),
            "task_table": ("task_table", "TaskTable"), "terrain": ("terrain", "Terrain")}
_CALL = re.compile(rf"\bmyr_({'|'.join(_OBJECTS)})_(\w+)(?:\(\))?")
_MAKES = ("create", "create_for", "create_shared", "compile", "default", "load", "open", "open_text")


def text(pointer: Any) -> str:
    """A C string; bytes that are not UTF-8 are shown escaped."""
    return ffi.string(pointer).decode("utf-8", "backslashreplace") if pointer != ffi.NULL else ""


def _call(found: re.Match[str]) -> str:
    """A call of the library by its name in Python, "" where Python has none of this name."""
    module, name = _OBJECTS[found.group(1)]
    made = getattr(sys.modules.get(f"{__package__}.{module}"), name, None)
    if found.group(2) in _MAKES:
        return name
    return f"{name}.{found.group(2)}" if hasattr(made, found.group(2)) else ""


def spoken(message: str) -> str:
    """A message of the library as Python says it: calls by their names here, or none before what went wrong."""
    lead, colon, rest = message.partition(": ")
    if colon and re.fullmatch(r"myr_\w+", lead):
        message = f"{name}: {rest}" if (found := _CALL.fullmatch(lead)) and (name := _call(found)) else rest
    message = _CALL.sub(lambda found: _call(found) or found.group(2), message)
    return _SENSE_SETTING.sub(lambda m: f'sense=("{m.group(1)}",)', message)


def check(status: int) -> None:
    """Raise what the last call's status stands for; `MYR_OK` is nothing."""
    if status == lib.MYR_OK:
        return
    message = spoken(text(lib.myr_message()))
    error = _CLASSES.get(status, Error)(message or text(lib.myr_status_text(status)))
    error.status = int(status)
    raise error


def encode_path(path: str | os.PathLike[str]) -> bytes:
    """A path as the library wants it. ArgumentError where it has a zero byte."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ArgumentError(f"a path holds a zero byte: {path!r}")
    return encoded


def encode(word: str, what: str) -> bytes:
    """A name or a value as the library wants it; `what` names it in the message."""
    if not isinstance(word, str):
        raise ArrayTypeError(f"{what} is {type(word).__name__}, but must be a str")
    if "\0" in word:
        raise ArgumentError(f"{what} holds a zero byte: {word!r}")
    return word.encode("utf-8", "surrogateescape")


#: Version of the library, "major.minor.patch".
__version__: str = text(lib.myr_version())
#: Version of the math library it computes with. The same bits are promised for the same pair of versions.
math_version: str = text(lib.myr_math_version())
