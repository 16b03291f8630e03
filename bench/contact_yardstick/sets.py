#!/usr/bin/env python3
"""Sets of contact problems: ours, and those of others, all read by `myriapod solve --problems`, so that every solver is given the same numbers.

As a program: what each set holds, and what of it is left out and why."""
from __future__ import annotations

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import numpy as np

from problem import Problem

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
#: where fetch_siconos.sh puts what it brings
FETCHED = pathlib.Path(os.environ.get("MYRIAPOD_PROBLEM_SETS", SOURCE / "build" / "problem_sets"))
FETCH = "bench/contact_yardstick/fetch_siconos.sh"
MOST_CONTACTS = 1000  #: what --max-contacts allows
SPARSE_FROM = 600  #: rows of G; larger ones that are mostly zero are kept sparse, where scipy is there


@dataclass(frozen=True)
class Set:
    title: str
    why: str  #: it is there
    licence: str
    source: str
    folder: pathlib.Path


def sets() -> dict[str, Set]:
    """The sets by name. Some may not be there: there(name)."""
    debian = f"Debian's source package siconos; {FETCH} brings it"
    return {
        "myriapod-problems-1": Set(
            "Robots, hands, stacks, heaps",
            "what a robot's simulation meets: few contacts, redundant ones, joint limits, dry friction, closed loops",
            "Apache-2.0; the descriptions of robots under the licences that bench/problems/README.md names",
            "bench/problems, this repository",
            SOURCE / "bench" / "problems" / "myriapod-problems-1"),
        "siconos": Set(
            "Siconos' own tests",
            "made by others: what a solver of the full law is tested with by its authors",
            "Apache-2.0, INRIA",
            debian,
            FETCHED / "siconos"),
        "fclib": Set(
            "FCLib's problems in Siconos' tests",
            "made by others: of the collection that papers on frictional contact quote, the few that a package brings",
            "Apache-2.0, INRIA",
            debian + ", and fclib",
            FETCHED / "fclib"),
    }


def there(name: str) -> bool:
    return sets()[name].folder.is_dir()


class NotThere(Exception):
    """A set or the program is not on this machine; the message says how to get it."""


@dataclass(frozen=True)
class LeftOut:
    file: str
    why: str  #: one of REASONS' words
    message: str  #: the reader's own


#: What the reader's messages mean, the first that fits.
REASONS = (
    ("two-dimensional", "two-dimensional"),
    ("its dimension is 5", "rolling friction"),
    ("rolling friction", "rolling friction"),
    ("bilateral constraints", "bilateral"),
    ("is not symmetric", "asymmetric"),
    ("not positive definite", "singular masses"),
    ("contacts; at most", "too large"),
    ("columns; at most", "too large"),
    ("matrices are more than", "too large"),
)


@dataclass
class Contents:
    problems: list[Problem] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def counted(left_out: list[LeftOut]) -> dict[str, int]:
    """How many files are left out, by reason."""
    return dict(sorted(collections.Counter(entry.why for entry in left_out).items()))


def load(name: str | os.PathLike, program: str | os.PathLike | None = None) -> list[Problem]:
    """The problems of a set, or of a file or folder of any kind that docs/problems.md describes."""
    return contents(name, program).problems


def contents(name: str | os.PathLike, program: str | os.PathLike | None = None) -> Contents:
    """The same with what is left out."""
    known = sets().get(str(name))
    path = known.folder if known else pathlib.Path(name)
    label = str(name) if known else path.name
    if not path.exists():
        if known and known.folder.parent == FETCHED:
            raise NotThere(f"the set {name} is not there: run {FETCH} (or set MYRIAPOD_PROBLEM_SETS to the folder that it filled)")
        raise NotThere(f"{path}: there is neither a set nor a file or folder of this name; sets: {', '.join(sets())}")
    reader = find_program(program)
    out = Contents()
    for file in sorted(x for x in path.iterdir() if x.is_file() and not x.name.startswith(".")) if path.is_dir() else [path]:
        _read(reader, label, file, out)
    return out


def find_program(program: str | os.PathLike | None = None) -> str:
    """The program `myriapod`: the one given, $MYRIAPOD_PROGRAM, the build's, the path's."""
    for candidate in (program, os.environ.get("MYRIAPOD_PROGRAM"), SOURCE / "build" / "myriapod", shutil.which("myriapod")):
        if candidate and pathlib.Path(candidate).is_file():
            return str(candidate)
    raise NotThere("the program myriapod is not there, which reads the problems: build the project, or set MYRIAPOD_PROGRAM")


def _read(reader: str, label: str, file: pathlib.Path, out: Contents) -> None:
    with tempfile.TemporaryDirectory() as place:
        target = pathlib.Path(place) / "read.json"
        words = [reader, "solve", str(file), "--problems", str(target), "--max-contacts", str(MOST_CONTACTS)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            message = done.stderr.strip().removeprefix("myriapod solve: ")
            out.left_out.append(LeftOut(file.name, next((why for words, why in REASONS if words in message), "not read"), message))
            return
        problems = json.loads(target.read_text(encoding="utf-8"))["problems"]
    for problem in problems:
        name = str(problem["id"]) if str(problem["id"]).startswith(file.stem) else f"{file.name}:{problem['id']}"
        why = ("bilateral" if problem.get("bilateral") else "compliant" if any(problem.get("R", ())) else "empty" if not problem["c"] else None)
        if why:
            out.left_out.append(LeftOut(name, why, f"{name}: problems that are {why} have no place in the comparison"))
            continue
        stairs = [[f, -np.inf if lo is None else lo, np.inf if hi is None else hi] for f, lo, hi in problem.get("rows", [])]
        patches = np.array(problem["patches"], dtype=int) if "patches" in problem else None
        G = _matrix(problem["G"]) if "G" in problem else _blocks(problem["blocks"], len(problem["c"]))
        if G is None:
            out.left_out.append(LeftOut(name, "too large", f"{name}: {len(problem['mu'])} contacts need scipy, which is not here"))
            continue
        out.problems.append(Problem(set=label, id=name, G=G, c=np.array(problem["c"], dtype=float), mu=np.array(problem["mu"], dtype=float),
                                    rows=np.array(stairs, dtype=float).reshape(-1, 3), patches=patches))


def _matrix(triangle: list[list[float]]) -> np.ndarray:
    """G from its lower triangle."""
    m = len(triangle)
    G = np.zeros((m, m))
    G[np.tril_indices(m)] = np.concatenate([np.asarray(row, dtype=float) for row in triangle])
    G += np.tril(G, -1).T
    if m >= SPARSE_FROM and np.count_nonzero(G) < 0.2 * m * m:
        try:
            from scipy import sparse
        except ImportError:
            return G
        return sparse.csr_matrix(G)
    return G


def _blocks(blocks: list[list], m: int):
    """G of [row, column, nine numbers] of each block, sparse; None where scipy is not there."""
    try:
        from scipy import sparse
    except ImportError:
        return None
    row, column = (np.array([block[k] for block in blocks]) for k in (0, 1))
    order = np.lexsort((column, row))
    numbers = np.array([block[2] for block in blocks], dtype=float).reshape(-1, 3, 3)[order]
    first = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=m // 3))])
    return sparse.bsr_matrix((numbers, column[order], first), shape=(m, m)).tocsr()


def main() -> None:
    for name in sys.argv[1:] or sets():
        try:
            found = contents(name)
        except NotThere as missing:
            print(f"{name}: not there. {missing}")
            continue
        sizes = sorted(problem.contacts for problem in found.problems)
        spread = f", {sizes[0]} to {sizes[-1]} contacts, median {sizes[len(sizes) // 2]}, {sum(size <= 64 for size in sizes)} of at most 64" if sizes else ""
        print(f"{name}: {len(found.problems)} problems{spread}; {len(found.left_out)} left out")
        for why, n in counted(found.left_out).items():
            print(f"  {n} {why}: {', '.join(entry.file for entry in found.left_out if entry.why == why)}")


if __name__ == "__main__":
    main()
