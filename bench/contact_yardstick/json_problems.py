"""Contact problems of JSON files (docs/problems.md). What the yardstick's Problem cannot say is left out, and named: bilateral rows, compliance."""
from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np

from problem import Problem
from solver import dense


def read(path: pathlib.Path, name: str | None = None) -> tuple[list[Problem], list[str]]:
    """The problems of a file, and why others of it are left out. ValueError names the file and the problem."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["problems"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: no file of problems ({type(error).__name__}: {error})") from None
    problems, left = [], []
    for i, entry in enumerate(entries):
        label = str(entry.get("id", i)) if isinstance(entry, dict) else str(i)
        try:
            why = _left_out(entry)
            if why:
                left.append(f"{path.name}, {label}: {why}")
            else:
                problems.append(_problem(entry, name or path.stem, label))
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}: problem {label}: {error}") from None
    return problems, left


def _left_out(entry: dict[str, Any]) -> str:
    if entry.get("bilateral"):
        return "bilateral rows"
    return "compliance" if np.any(np.array(entry.get("R", 0.0), dtype=float)) else ""


def _problem(entry: dict[str, Any], name: str, label: str) -> Problem:
    c = np.array(entry["c"] if "c" in entry else entry["g"], dtype=float).reshape(-1)
    ends = (0.0, -np.inf, np.inf)
    rows = np.array([[end if x is None else x for x, end in zip(row, ends, strict=True)] for row in entry.get("rows") or []], dtype=float).reshape(-1, 3)
    contacts = (len(c) - len(rows)) // 3
    mu = np.array(entry["mu"], dtype=float)
    mu = np.full(contacts, float(mu)) if mu.ndim == 0 else mu
    G = _matrix(entry["G"])
    if len(c) != 3 * contacts + len(rows) or mu.shape != (contacts,) or G.shape != (len(c), len(c)):
        raise ValueError(f"G {G.shape}, c {c.shape}, mu {mu.shape} and rows {rows.shape} do not fit")
    if not all(np.all(np.isfinite(x)) for x in (G, c, mu)):
        raise ValueError("numbers that are not finite")
    if entry.get("order", "normal-last") == "normal-first":
        place = np.concatenate([(3 * np.arange(contacts)[:, None] + np.array([1, 2, 0])).reshape(-1), np.arange(3 * contacts, len(c))]).astype(int)
        G, c = G[np.ix_(place, place)], c[place]
    patches = np.array(entry["patches"], dtype=np.int64) if entry.get("patches") is not None else None
    return Problem(name, label, G, c, mu, rows, patches)


def _matrix(rows: list[list[float]]) -> np.ndarray:
    """All of it, or from its lower triangle: rows of 1, 2, .. numbers."""
    if len(rows) > 1 and [len(row) for row in rows] == list(range(1, len(rows) + 1)):
        G = np.zeros((len(rows), len(rows)))
        for i, row in enumerate(rows):
            G[i, : i + 1] = G[: i + 1, i] = row
        return G
    return np.array(rows, dtype=float)


def write(path: pathlib.Path, problems: list[Problem], words: list[dict[str, Any]]) -> None:
    """Problems as a file that `myriapod solve` reads, each with more words of its own."""
    number: Any = lambda x: float(x) if np.isfinite(x) else None
    entries = []
    for p, more in zip(problems, words, strict=True):
        G = dense(p)
        patches = {} if p.patches is None else {"patches": [int(x) for x in p.patches]}
        rows = [[number(x) for x in row] for row in p.rows]
        entries.append({"id": p.id, "set": p.set, "mu": p.mu.tolist(), "c": p.c.tolist(), "rows": rows, **patches, **more, "G": G.tolist()})
    path.write_text('{"problems":[\n' + ",\n".join(json.dumps(entry) for entry in entries) + "\n]}\n", encoding="utf-8")
