"""Robots that people know, from where they are published: MuJoCo Menagerie, the packages `robot_descriptions` and `example-robot-data`.

Nothing of them is copied: a name becomes the path of a file that is there already, or that those packages fetch. docs/known-robots.md has examples.

    myriapod.load("menagerie:unitree_g1")
    myriapod.load("robot_descriptions:go2_mj_description")
    myriapod.load("example-robot-data:panda")

For the program, which takes paths: myriapod info "$(python3 -m myriapod.where menagerie:unitree_g1)" """
from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from ._library import ArgumentError, FileError
from ._names import nearest
from ._sources import find_file, is_path, robots

#: What stands before the colon.
PREFIXES = ("menagerie", "robot_descriptions", "example-robot-data")
_MENAGERIE = "https://github.com/google-deepmind/mujoco_menagerie"
_import_lock = threading.Lock()
# os.path asks whether a file is there, and not Path: of a name that no file can have, too long or with a NUL, Path may raise an error that is not one of ours.


def find(name: str | os.PathLike[str], *, menagerie: str | os.PathLike[str] | None = None) -> str:
    """The path that a name stands for; a path and the name of a robot that ships are what they were.

    - "menagerie:FOLDER" or "menagerie:FOLDER/FILE": of a checkout of MuJoCo Menagerie, which is `menagerie`, or $MENAGERIE_PATH, or $MENAGERIE_ROOT, or
      what `robot_descriptions` has cached; else of the package `mujoco-menagerie`, which downloads it. Without FILE: the one that scene.xml includes.
    - "robot_descriptions:NAME", with or without _description, which makes it one without the prefix: that package clones it on first use.
    - "example-robot-data:NAME" or "example-robot-data:FOLDER/FILE": of that package."""
    if not isinstance(name, str):
        return os.fspath(name) if os.sep in os.fspath(name) else os.path.join(os.curdir, os.fspath(name))
    prefix, colon, rest = name.partition(":")
    if not colon or (prefix not in PREFIXES and is_path(name)):
        if is_path(name) or _ships(name):
            return name
        if name.endswith("_description"):
            return _description(name)
        raise _unknown(name, menagerie)
    if prefix not in PREFIXES:
        near = nearest(prefix, PREFIXES)
        raise ArgumentError(f"{name!r}: there is no collection {prefix!r}{f', but {near!r}' if near else ''}. There are: {', '.join(PREFIXES)}")
    if not rest or rest.startswith("/") or ".." in rest.split("/"):
        raise ArgumentError(f"{name!r}: after {prefix}: must stand a name")
    if prefix == "menagerie":
        return _menagerie(rest, menagerie)
    return _description(rest) if prefix == "robot_descriptions" else _example(rest)


def names(menagerie: str | os.PathLike[str] | None = None) -> list[str]:
    """What `find` would take of the collections that are here, with their prefixes; those that would have to be fetched first too."""
    found = [f"menagerie:{n}" for n in _menagerie_names(menagerie)]
    found += [f"robot_descriptions:{n}" for n in _description_names()]
    return found + [f"example-robot-data:{n}" for n in _example_names()]


def _ships(name: str) -> bool:
    return find_file(name) is not None or name in robots() or name.startswith(("chain-", "stack-"))


def _near(wrong: str, there: Iterable[str], first: str | None = None, most: int = 6) -> str:
    """"; did you mean a, b?", by the letters and by what holds the word, `first` before them; else what there is."""
    known = list(there)
    parts = [n for n in known if wrong.lower() in n.lower()]
    near = [n for n in (first, *(parts[:most] or (None if first else nearest(wrong, known),))) if n]
    if near:
        return f"; did you mean {', '.join(repr(n) for n in near)}?"
    more = f" and {len(known) - 24} more" if len(known) > 24 else ""
    return f"; there are: {', '.join(known[:24])}{more}" if known else ""


def elsewhere(name: str) -> str:
    """What to write for a name that does not ship: those of collections that are like it, else how such names look."""
    try:
        there = names()
    except FileError:  # what $MENAGERIE_PATH says is not there
        there = []
    like = [n for n in there if name.lower() in n.lower()][:6]
    return f"did you mean {', '.join(repr(n) for n in like)}?" if like else "their names have a prefix, such as 'menagerie:unitree_go2' (docs/known-robots.md)"


def _unknown(name: str, menagerie: Any) -> FileError:
    there = names(menagerie)
    hint = _near(name, there, nearest(name, robots())) or "; of the collections none is here: their names have a prefix, such as 'menagerie:unitree_go2' (docs/known-robots.md)."
    return FileError(f"there is no shipped robot {name!r}{hint} A file is given as a path with a '/' or by its name ending in .urdf or .xml")


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


# ---- MuJoCo Menagerie ------------------------------------------------------------------------------


def _cache() -> Path:
    """Where robot_descriptions keeps what it cloned."""
    return Path(os.path.expanduser(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")))


def _holds(folder: Path) -> bool:
    """Is there more than what a clone that failed leaves?"""
    return os.path.isdir(folder) and any(f.name != ".git" for f in folder.iterdir())


def _checkout(menagerie: str | os.PathLike[str] | None) -> Path | None:
    """The checkout. FileError: the one that was named is not there. None: none was named, and none is cached."""
    for what, folder in (("menagerie", menagerie), *((f"${v}", os.environ.get(v)) for v in ("MENAGERIE_PATH", "MENAGERIE_ROOT"))):
        if folder:
            path = Path(os.path.expanduser(folder))
            if not os.path.isdir(path):
                raise FileError(f"{what} is {str(path)!r}, which is not a folder; it is to be a checkout of {_MENAGERIE}")
            return path
    cached = _cache() / "mujoco_menagerie"
    return cached if _holds(cached) else None


def _robots_of(root: Path) -> list[str]:
    return sorted(f.name for f in root.iterdir() if f.is_dir() and any(f.glob("*.xml")))


def _menagerie_names(menagerie: Any) -> list[str]:
    root = _checkout(menagerie)
    if root is not None:
        return _robots_of(root)
    return importlib.import_module("mujoco_menagerie").names() if _installed("mujoco_menagerie") else []


def _main_file(folder: Path) -> Path:
    """The robot of a folder: what its scene includes, else the one file that is not a scene."""
    scene = folder / "scene.xml"
    if os.path.isfile(scene):
        try:
            included = [e.get("file", "") for e in ElementTree.parse(scene).getroot().iter("include")]
        except ElementTree.ParseError as error:
            raise FileError(f"{scene}: {error}") from None
        if len(included) == 1 and os.path.isfile(folder / included[0]):
            return folder / included[0]
    files = [f for f in sorted(folder.glob("*.xml")) if "scene" not in f.stem and "mjx" not in f.stem.split("_") and not f.stem.startswith("keyframes")]
    if len(files) == 1:
        return files[0]
    every = ", ".join(f"menagerie:{folder.name}/{f.stem}" for f in files or sorted(folder.glob("*.xml")))
    raise FileError(f"menagerie:{folder.name} has several robots: say which of {every}")


def _menagerie(rest: str, menagerie: Any) -> str:
    robot, _, file = rest.partition("/")
    root = _checkout(menagerie)
    if root is None:
        return _packaged(robot, file)
    folder = root / robot
    if not os.path.isdir(folder) or not any(folder.glob("*.xml")):
        raise FileError(f"{root} has no robot {robot!r}{_near(robot, _robots_of(root))}")
    if not file:
        return str(_main_file(folder))
    path = folder / (file if file.endswith(".xml") else f"{file}.xml")
    if not os.path.isfile(path):
        raise FileError(f"{folder} has no {path.name!r}{_near(path.stem, sorted(f.stem for f in folder.glob('*.xml')))}")
    return str(path)


def _packaged(robot: str, file: str) -> str:
    """From the package mujoco-menagerie, which downloads a robot on first use."""
    if not _installed("mujoco_menagerie"):
        raise FileError(f"menagerie:{robot} needs MuJoCo Menagerie: `git clone {_MENAGERIE}`, then set MENAGERIE_PATH to it or give `menagerie=`; "
                        "or `pip install mujoco-menagerie`, which downloads what is asked for")
    package = importlib.import_module("mujoco_menagerie")
    if robot not in package.names():
        raise FileError(f"the package mujoco-menagerie has no robot {robot!r}{_near(robot, package.names())}")
    one = package.get(robot)
    try:
        return str(one.xml(file.removesuffix(".xml") or one.default_model))
    except Exception as error:  # whatever its network and cache raise
        raise FileError(f"menagerie:{robot}{'/' + file if file else ''}: the package mujoco-menagerie says: {error}") from error


# ---- robot_descriptions -----------------------------------------------------------------------------


def _description_names() -> list[str]:
    spec = importlib.util.find_spec("robot_descriptions")
    folders = spec.submodule_search_locations if spec else None
    return sorted({f.stem for folder in folders or [] for f in Path(folder).glob("*_description.py") if not f.stem.startswith("_")})


def _description(name: str) -> str:
    if not _installed("robot_descriptions"):
        raise FileError(f"{name} is a name of the package robot_descriptions, which is not installed: `pip install robot_descriptions`")
    stem, there = name.removesuffix("_description"), _description_names()
    name = f"{stem}_description"
    if name not in there:
        raise FileError(f"the package robot_descriptions has no {name!r}{_near(stem, (n.removesuffix('_description') for n in there))}")
    module = _import_description(name)
    for kind in ("MJCF_PATH", "URDF_PATH"):
        path = getattr(module, kind, None)
        if path is None:
            continue
        if not os.path.isfile(path):
            raise FileError(f"robot_descriptions:{name}: {path} is not there; what is cached may be of another version: remove it, and it is cloned anew")
        return str(path)
    raise FileError(f"robot_descriptions:{name} has neither MJCF nor URDF: myriapod reads no other format; make a URDF of it first")


def _import_description(name: str) -> ModuleType:
    """Importing a description clones its repository. Without a network what is cached, of whatever version, is taken."""
    full = f"robot_descriptions.{name}"
    with _import_lock:
        try:
            return importlib.import_module(full)
        except Exception as error:  # git's, the network's, or of a package that is missing
            sys.modules.pop(full, None)
            reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        try:
            own: Any = importlib.import_module("robot_descriptions._cache")
        except ImportError as error:
            raise FileError(f"robot_descriptions:{name}: {error}; `pip install robot_descriptions` brings what it needs") from None
        repositories, wanted = importlib.import_module("robot_descriptions._repositories").REPOSITORIES, []

        def cached(repository: str, commit: str | None = None) -> str:
            wanted.append((repository, _cache() / repositories[repository].cache_path))
            if not _holds(wanted[-1][1]):
                raise FileNotFoundError(wanted[-1][1])
            return str(wanted[-1][1])

        clone, own.clone_to_cache = own.clone_to_cache, cached
        try:
            return importlib.import_module(full)
        except Exception:
            sys.modules.pop(full, None)
            repository, folder = wanted[-1] if wanted else (name, _cache())
            url = repositories[repository].url if repository in repositories else "its repository"
            raise FileError(f"robot_descriptions:{name} cannot be cloned ({reason}) and is not cached: where there is a network, "
                            f"`git clone {url} {folder}`, or set ROBOT_DESCRIPTIONS_CACHE to a folder that has it") from None
        finally:
            own.clone_to_cache = clone


# ---- example-robot-data -----------------------------------------------------------------------------


def _example_roots() -> list[Path]:
    """Folders that hold its robots: of the pip package (cmeel), of the system, of a robotpkg."""
    below = ("cmeel.prefix/share", "../../../share", "../../../../share")
    places = [Path(p or os.curdir, share) for p in sys.path for share in below]
    places += [Path(p) for p in ("/usr/share", "/usr/local/share", "/opt/openrobots/share")]
    given = os.environ.get("EXAMPLE_ROBOT_DATA_MODEL_DIR")
    roots = ([Path(given)] if given else []) + [place / "example-robot-data" / "robots" for place in places]
    return list(dict.fromkeys(root.resolve() for root in roots if os.path.isdir(root)))


def _example_files(folder: Path) -> list[Path]:
    return sorted(f for sub in ("urdf", "robots", ".") for f in (folder / sub).glob("*.urdf"))


def _loaders() -> dict[str, Any]:
    """Its own names, where its loaders can be imported: they need Pinocchio."""
    try:
        return dict(importlib.import_module("example_robot_data").ROBOTS) if _installed("example_robot_data") else {}
    except Exception:
        return {}


def _example_names() -> list[str]:
    folders = {f.name.removesuffix("_description") for root in _example_roots() for f in root.iterdir() if f.is_dir() and _example_files(f)}
    return sorted(folders | set(_loaders()))


def _example(rest: str) -> str:
    roots = _example_roots()
    if not roots:
        raise FileError(f"example-robot-data:{rest} needs the package of that name: `pip install example-robot-data`, or set "
                        "EXAMPLE_ROBOT_DATA_MODEL_DIR to the folder `robots` of https://github.com/Gepetto/example-robot-data")
    name, _, file = rest.partition("/")
    own: Any = _loaders().get(name)
    if own is not None and not file and bool(getattr(own, "urdf_filename", "")):
        for root in roots:
            if os.path.isfile(path := root / own.path / own.urdf_subpath / own.urdf_filename):
                return str(path)
    if not file:
        same = [f for root in roots for folder in root.iterdir() if folder.is_dir() for f in _example_files(folder) if f.stem in (name, f"{name}_robot")]
        if len(same) == 1:
            return str(same[0])
    folder = next((f for root in roots for f in (root / name, root / f"{name}_description") if os.path.isdir(f) and _example_files(f)), None)
    if folder is None:
        raise FileError(f"example-robot-data has no robot {name!r}{_near(name, _example_names())}")
    files, stem = _example_files(folder), file.removesuffix(".urdf") or name.removesuffix("_description")
    chosen = [f for f in files if f.stem == stem] or (files if not file and len(files) == 1 else [])
    if chosen:
        return str(chosen[0])
    if file:
        raise FileError(f"{folder} has no {stem + '.urdf'!r}{_near(stem, [f.stem for f in files])}")
    raise FileError(f"example-robot-data:{name} has several robots: say which of {', '.join(f'example-robot-data:{name}/{f.stem}' for f in files)}")
