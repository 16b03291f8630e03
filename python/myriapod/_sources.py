"""Where a model comes from: a file's path, or the name of a robot that ships."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ._library import ArgumentError


def is_path(path_or_name: str) -> bool:
    """Is it a file's path, and not the name of a robot that ships?"""
    return "/" in path_or_name or path_or_name.endswith((".urdf", ".xml"))


def folders() -> list[Path]:
    """Where what ships is looked for, in this order."""
    return [*(Path(folder) for folder in os.environ.get("MYRIAPOD_ROBOTS", "").split(":") if folder), Path(__file__).parent / "robots"]


def robots() -> list[str]:
    """Names of the robots that ship, and of those in the folders of $MYRIAPOD_ROBOTS: what `Model` and `Batch` take. docs/models.md tells what they are, and of
    scenes that are made of a number (chain-3, stack-4) and have no file."""
    return sorted({file.stem for folder in folders() for kind in ("xml", "urdf") for file in folder.glob(f"*.{kind}")} | {"hand-ball"})


def find_file(path_or_name: str) -> Path | None:
    """The file of a robot, absolute: the library's search (docs/models.md) once more. None: there is none, as for chain-N."""
    if is_path(path_or_name):
        return Path(path_or_name).absolute()
    files = (folder.absolute() / f"{path_or_name}.{kind}" for folder in folders() for kind in ("xml", "urdf"))
    return next((file for file in files if os.path.exists(file)), None)  # Path.exists raises where a name is too long


def refuse_others(given: Any) -> None:
    """ArgumentError where a model is given as something else whose intention is plain: what to write instead."""
    if type(given).__module__.partition(".")[0] == "mujoco":
        word = type(given).__name__
        raise ArgumentError(f"the model is a mujoco.{word}, " + ("which has its XML: Model.from_text(spec.to_xml())" if word == "MjSpec" else
                            "which keeps no description: give the path of its XML file, or Model.from_text(xml) of the text"))
    if isinstance(given, str) and given.lstrip().startswith("<"):
        raise ArgumentError(f"the model is given as the text of a file, {given.lstrip()[:24]!r}...: write Model.from_text(text), or load(text)")
