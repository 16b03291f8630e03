#!/usr/bin/env python3
"""The leaderboard of contact solvers: who solves which problems to which accuracy, who says so and does not, and in what time. Judged by judge.py alone.

    leaderboard.py --sets hard,siconos --solver examples/pgs_numpy.py:pgs --csv runs.csv
"""
from __future__ import annotations

import argparse
import csv
import dataclasses
import importlib
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import failures
import json_problems
from judge import WRONG, Verdict, figures, one_at_a_time, profiles, side_by_side
from problem import Problem
from solver import Failed, Solver
from worker import Worker

HERE = pathlib.Path(__file__).resolve().parent
ADAPTERS = ("solver_myriapod", "solver_myriapod_large", "solver_siconos", "solver_pinocchio", "solver_mujoco", "solver_drake")
ACCURACIES = (1e-4, 1e-8)
#: In float a tolerance below this is a matter of rounding: the lanes' float column is for accuracies from here on.
FLOAT_FROM = 1e-4
LARGER = 3.0  #: times as much time for problems of more than `most_contacts`, which are a set by themselves
QUICK_PROBLEMS = 8  #: of each set with `quick`
QUICK_CONTACTS = 24  #: the most of such a problem


@dataclass(frozen=True)
class Entrant:
    """A solver and the process that can run it."""

    solver: Solver
    module: str
    arguments: tuple[str, ...] = ()


def entrants(foreign: Sequence[str] = (), adapters: Sequence[str] = ADAPTERS, limit: float = 30.0) -> tuple[list[Entrant], list[str]]:
    """All solvers that can be had here, and why others cannot. A foreign solver that cannot be one is a Failed, not a row; limit: for
    its import and one problem of a ball that lands [s]."""
    found, missing = [], []
    for module in adapters:
        if not (HERE / f"{module}.py").exists():
            continue
        adapter = importlib.import_module(module)
        why = adapter.available()
        if why:
            missing.append(why)
        else:
            found += [Entrant(solver, module) for solver in adapter.solvers().values()]
    for given in foreign:
        adapter = importlib.import_module("solver_foreign")
        mine = [Entrant(solver, "solver_foreign", (given,)) for solver in adapter.solvers(given).values()]
        with Worker("solver_foreign", [_ball()], [given]) as worker:  # its import, its function and its answer's shape, before hours are spent
            try:
                worker.solve(mine[0].solver.name, 0, 1e-4, limit)
            except Failed as failed:
                name = mine[0].solver.name
                raise Failed(str(failed) if str(failed).startswith(name.split(":")[0]) else f"{name}: {failed}") from None
        found += mine
    return found, missing


def _ball() -> Problem:
    return Problem("a ball that lands", "0", np.diag([3.5, 3.5, 1.0]), np.array([0.1, 0.0, -1.0]), np.array([0.5]), np.zeros((0, 3)))


def present(build: pathlib.Path, log: Callable[[str], None]) -> tuple[list[str], list[str]]:
    """Sets that are here, after those of others were fetched into the build directory; and why others are not."""
    os.environ.setdefault("MYRIAPOD_PROBLEM_SETS", str(build / "problem_sets"))
    os.environ.setdefault("MYRIAPOD_PROGRAM", str(build / "myriapod"))
    sets = importlib.import_module("sets")
    if not sets.there("siconos"):
        log("fetching Siconos' and FCLib's problems from Debian's source packages")
        done = subprocess.run([HERE / "fetch_siconos.sh", os.environ["MYRIAPOD_PROBLEM_SETS"]], capture_output=True, text=True)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return [name for name in sets.sets() if sets.there(name)], [f"the sets siconos and fclib: {last}"]
    return [name for name in sets.sets() if sets.there(name)], [f"the set {name}: not in {sets.FETCHED}" for name in sets.sets() if not sets.there(name)]


def load_sets(names: Sequence[str], log: Callable[[str], None]) -> dict[str, list[Problem]]:
    """Sets by name: of sets.py, or JSON files and folders of them. G is made symmetric where rounding left it otherwise: every
    solver and the judge see the same."""
    found: dict[str, list[Problem]] = {}
    module = importlib.import_module("sets")
    for name in names:
        path = pathlib.Path(name)
        of_file = name not in module.sets() and path.exists()
        if of_file:
            problems = []
            for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
                some, left = json_problems.read(file, path.stem)
                problems += some
                for why in left:
                    log(f"left out: {why}")
        else:
            try:
                problems = module.load(name)
            except module.NotThere as missing:
                log(f"left out: {missing}")
                continue
        found[path.stem if of_file else name] = symmetric(problems, log)
    return found


def symmetric(problems: Sequence[Problem], log: Callable[[str], None] = lambda text: None) -> list[Problem]:
    made, most, count = [], 0.0, 0
    for p in problems:
        off = float(abs(p.G - p.G.T).max()) / (float(abs(p.G).max()) or 1.0) if len(p.c) else 0.0
        most, count = max(most, off), count + (off > 1e-13)
        made.append(dataclasses.replace(p, G=0.5 * (p.G + p.G.T)) if off > 0 else p)
    if count:
        log(f"{problems[0].set}: G of {count} problems is asymmetric, by up to {most:.0e} of its largest entry; the symmetric part is used by all")
    return made


def split(name: str, problems: Sequence[Problem]) -> list[tuple[str, Sequence[Problem]]]:
    """Problems with joint rows are a set by themselves where others have none: solvers that know no rows are then compared on
    the same problems as the others."""
    bare = [p for p in problems if not len(p.rows)]
    rest = [p for p in problems if len(p.rows)]
    return [(f"{name}, contacts alone", bare), (f"{name}, with joint rows", rest)] if bare and rest else [(name, problems)]


def sizes(name: str, problems: Sequence[Problem], limit: int, quick: bool, missing: list[str]) -> list[tuple[str, Sequence[Problem], float]]:
    """Problems of more than `limit` contacts are a set by themselves, with LARGER times the time; `quick` leaves them out and says so."""
    small = [p for p in problems if p.contacts <= limit]
    large = [p for p in problems if p.contacts > limit]
    if large and quick:
        missing.append(f"{name}: {len(large)} of {len(problems)} problems, of more than {limit} contacts")
    return [(name, small, 1.0)] * bool(small) + [(f"{name}, more than {limit} contacts", large, LARGER)] * bool(large and not quick)


def _takes(solver: Solver, p: Problem) -> bool:
    return (solver.rows or not len(p.rows)) and len(p.c) <= solver.most


def _compete(name: str, worker: Worker, entrant: Entrant, accuracy: float, limit: float, budget: float) -> tuple[dict[str, Any], list[Verdict | None]]:
    """One row of the table, and a verdict for each problem, None where the solver cannot take it."""
    solver = entrant.solver
    problems = worker.problems
    chosen = [i for i, p in enumerate(problems) if _takes(solver, p)]
    row: dict[str, Any] = {"set": name, "accuracy": accuracy, "solver": solver.name, "engine": solver.engine, "model": solver.model, "timed": solver.timed,
                           "left out": len(problems) - len(chosen)}
    verdicts: list[Verdict | None] = [None] * len(problems)
    singles = one_at_a_time(solver, worker, accuracy, limit, budget, chosen)
    row.update(figures(singles, accuracy))
    for i, verdict in zip(chosen, singles, strict=True):
        verdicts[i] = verdict
    if solver.solve_set is not None and chosen:
        for precision in ("f64", "f32")[: 2 if accuracy >= FLOAT_FROM else 1]:
            many = side_by_side(solver, worker, accuracy, precision, budget, chosen)
            of = figures(many, accuracy)
            row[f"lanes {precision}"] = {"solved": of["solved"], "wrong": of["wrong"], "failed": of["failed"],
                                         "mean_s": float(np.mean([v.seconds for v in many])) if not of["failed"] else float("inf")}
    return row, verdicts


def run(sets: Mapping[str, Sequence[Problem]], accuracies: Sequence[float] = ACCURACIES, solvers: Sequence[Entrant] | None = None, time_limit: float = 10.0,
        quick: bool = False, log: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True), budget: float = 60.0,
        most: int = 1000, most_contacts: int = 128) -> dict[str, Any]:
    """The whole leaderboard as plain data. time_limit: for one problem [s]; budget: for a solver on a set at one accuracy [s];
    most: problems taken of a set, evenly; most_contacts: those that have more are a set by themselves; quick: a few, small ones.

    rows, records (one for each problem, accuracy and solver), profiles, failures, and what is missing."""
    found, missing = entrants() if solvers is None else (list(solvers), [])
    data: dict[str, Any] = {"accuracies": list(accuracies), "wrong factor": WRONG, "time_limit_s": time_limit, "budget_s": budget, "most": most, "quick": quick,
                            "missing": missing, "sets": [], "rows": [], "records": [], "profiles": [], "failures": []}
    unsolved: list[tuple[Problem, float]] = []
    limit = QUICK_CONTACTS if quick else most_contacts
    bare = [part for whole in sets.items() for part in split(*whole)]
    for name, given, longer in [part for whole in bare for part in sizes(*whole, limit, quick, data["missing"])]:
        problems = given
        wanted = min(most, QUICK_PROBLEMS) if quick else most
        if len(problems) > wanted:
            problems = [problems[round(i)] for i in np.linspace(0, len(problems) - 1, wanted)]
        workers = {(entrant.module, entrant.arguments): Worker(entrant.module, problems, entrant.arguments) for entrant in found}
        data["sets"].append({"set": name, "problems": len(problems), "with rows": sum(len(p.rows) > 0 for p in problems),
                             "contacts": max((p.contacts for p in problems), default=0), "of": len(given)})
        for accuracy in accuracies:
            table: dict[str, list[Verdict | None]] = {}
            for entrant in found:
                if not any(_takes(entrant.solver, p) for p in problems):
                    continue
                began = time.monotonic()
                row, verdicts = _compete(name, workers[entrant.module, entrant.arguments], entrant, accuracy, longer * time_limit, longer * budget)
                data["rows"].append(row)
                data["records"] += [_record(name, p, accuracy, entrant.solver, v) for p, v in zip(problems, verdicts, strict=True) if v is not None]
                counts = f"{row['solved']} of {row['problems']} solved, {row['wrong']} wrong, {row['failed']} failed"
                log(f"{name}, {accuracy:.0e}, {entrant.solver.name}: {counts}, {time.monotonic() - began:.1f} s")
                if entrant.solver.model == "full":
                    table[entrant.solver.name] = verdicts
            data["profiles"] += _profiles(name, problems, accuracy, table)
            if accuracy == min(accuracies):
                for i, p in enumerate(problems):
                    seen = [v for verdicts in table.values() if (v := verdicts[i]) is not None]
                    seen = [v for v in seen if not v.late]  # whom the set's time did not reach says nothing
                    if seen and all(v.verdict != "solved" for v in seen):
                        unsolved.append((p, min(v.full for v in seen)))
        for worker in workers.values():
            worker.end()
    data["failures"] = failures.examine(unsolved, min(accuracies), log) if accuracies else []
    data["unsolved"] = [p for p, _ in unsolved]
    return data


def _record(name: str, p: Problem, accuracy: float, solver: Solver, v: Verdict) -> dict[str, Any]:
    return {"set": name, "id": p.id, "contacts": p.contacts, "rows": len(p.rows), "accuracy": accuracy, "solver": solver.name, "engine": solver.engine,
            "model": solver.model, "verdict": v.verdict, "distance": v.distance, "full_law": v.full, "seconds": v.seconds, "iterations": v.iterations,
            "tolerance": v.tolerance, "word": v.word}


def _profiles(name: str, problems: Sequence[Problem], accuracy: float, table: Mapping[str, Sequence[Verdict | None]]) -> list[dict[str, Any]]:
    """Of the solvers of the full law: on the problems that all of them take, and where some cannot take all, on all problems for the others."""
    cost = lambda v: v.seconds if v is not None and v.verdict == "solved" else float("inf")
    if not table:
        return []
    common = [i for i in range(len(problems)) if all(of[i] is not None for of in table.values())]
    whole = {solver: of for solver, of in table.items() if all(v is not None for v in of)}
    made = []
    for which, chosen, names in (("problems that every solver takes", common, list(table)), ("all problems", list(range(len(problems))), list(whole))):
        if not chosen or not names or (which == "all problems" and len(common) == len(problems)):
            continue
        curves = profiles({solver: [cost(table[solver][i]) for i in chosen] for solver in names})
        made.append({"set": name, "accuracy": accuracy, "which": which, "problems": len(chosen), "curves": curves})
    return made


def micro(seconds: float) -> str:
    return "-" if not np.isfinite(seconds) else f"{1e6 * seconds:.3g}"


def tables(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For pages: one for each set and accuracy, {title, head, rows} of texts; solvers of the full law first, those that solve most on
    top, the quicker ones before."""
    made = []
    for of in data["sets"]:
        for accuracy in data["accuracies"]:
            rows = [row for row in data["rows"] if row["set"] == of["set"] and row["accuracy"] == accuracy]
            rows.sort(key=lambda row: (row["model"] != "full", -row["solved"], row["median_s"]))
            float_too = any("lanes f32" in row for row in rows)
            head = ["solver", "engine", "law", "problems", "solved", "wrong", "not solved", "failed", "full law", "median us", "p95 us", "mean us",
                    "side by side, mean us", "solved so"]
            head += ["float, side by side, mean us", "solved so"] if float_too else []
            lines = []
            for row in rows:
                counts = [str(row[key]) for key in ("problems", "solved", "wrong", "not solved", "failed", "full law")]
                line = [row["solver"], row["engine"], row["model"], *counts,
                        micro(row["median_s"]), micro(row["p95_s"]), micro(row["mean_s"])]
                for precision in ("f64", "f32")[: 2 if float_too else 1]:
                    lanes = row.get(f"lanes {precision}")
                    line += [micro(lanes["mean_s"]), str(lanes["solved"])] if lanes else ["-", "-"]
                lines.append(line)
            made.append({"title": f"{of['set']}, accuracy {accuracy:.0e}: {of['problems']} problems, up to {of['contacts']} contacts",
                         "head": head, "rows": lines})
    return made


def markdown(table: Mapping[str, Any]) -> str:
    line = lambda cells: "| " + " | ".join(cells) + " |"
    return "\n".join([f"### {table['title']}", "", line(table["head"]), line(["---"] * len(table["head"])), *(line(row) for row in table["rows"]), ""])


def save(data: dict[str, Any], folder: pathlib.Path) -> None:
    """leaderboard.json, leaderboard.csv with a line for each problem, and failures.json: problems that no solver closes, which
    `myriapod solve` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = {key: value for key, value in data.items() if key != "unsolved"}
    (folder / "leaderboard.json").write_text(json.dumps(_finite(plain), default=float, allow_nan=False), encoding="utf-8")
    if data["records"]:
        with (folder / "leaderboard.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(data["records"][0]))
            writer.writeheader()
            writer.writerows(data["records"])
    if data["unsolved"]:
        json_problems.write(folder / "failures.json", data["unsolved"], [{"failure": _finite(of)} for of in data["failures"]])


def _finite(value: Any) -> Any:
    """JSON has no infinity: what never ended is null."""
    if isinstance(value, Mapping):
        return {key: _finite(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(x) for x in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=str(HERE.parent / "speed" / "hard"), help="names of sets, files or folders of problems, by commas")
    parser.add_argument("--solver", action="append", default=[], metavar="FILE:FUNCTION",
                        help="a solver of yours, FILE.py or FILE.so (foreign_solver.h); again for more")
    parser.add_argument("--only", default="", help="solvers and engines by commas; the rest is left out")
    parser.add_argument("--accuracies", default="1e-4,1e-8")
    parser.add_argument("--time-limit", type=float, default=10.0, help="for a problem [s]")
    parser.add_argument("--budget", type=float, default=60.0, help="for a solver on a set at one accuracy [s]")
    parser.add_argument("--most", type=int, default=1000, help="problems taken of each set, evenly")
    parser.add_argument("--most-contacts", type=int, default=128, help="problems that have more are a set by themselves")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_PROBLEMS} problems of each set")
    parser.add_argument("--out", type=pathlib.Path, help="folder for leaderboard.json, .csv and failures.json")
    args = parser.parse_args()
    log = lambda text: print(text, file=sys.stderr, flush=True)
    try:
        found, missing = entrants(args.solver)
        wanted = set(args.only.split(",")) if args.only else set()
        found = [e for e in found if not wanted or e.solver.name in wanted or e.solver.engine in wanted or e.solver.engine == "yours"]
        accuracies = [float(x) for x in args.accuracies.split(",")]
        data = run(load_sets(args.sets.split(","), log), accuracies, found, args.time_limit, args.quick, log, args.budget, args.most, args.most_contacts)
    except Failed as failed:
        print(f"refused: {failed}", file=sys.stderr)
        return 1
    except (ValueError, ModuleNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    data["missing"] = missing
    for table in tables(data):
        print(markdown(table))
    for text in missing:
        print(text)
    if args.out:
        save(data, args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
