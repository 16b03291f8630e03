#!/usr/bin/env python3
"""Keep a measurement: append its rows to bench/results/PROCESSOR/QUESTION.csv, which the site draws over time and docs/benchmarks.md quotes.

    python bench/tools/keep.py speed PROCESSOR bench/results/CPU_DATE_speed.json          what bench/speed/speed.py has written
    python bench/tools/keep.py learn_to_walk PROCESSOR FILE.json [--commit HASH --date D]  what bench/skills/learn_to_walk.py --json has written
    python bench/tools/keep.py learn_humanoids PROCESSOR FILE.json                         the same of a humanoid, by --task

A row says date and commit; a measurement of a commit (and task) that is there already is refused. Timings that were not quiet (`?`) are not kept."""
import argparse
import csv
import datetime
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
PRECISIONS = {"f32": "float", "f64": "double"}


def speed(document, date, commit):
    for row in document["rows"]:
        if row["noisy"]:
            sys.exit(f"{row['task']}, {row['precision']}, {row['isa']}: no timing was quiet; nothing is kept")
        yield {"date": date or document["machine"]["date"], "commit": commit or document["machine"]["commit"], "task": row["task"],
               "precision": PRECISIONS[row["precision"]], "isa": row["isa"], "solver": row["solver"], "ns": f"{row['ns']:.0f}",
               "contacts": f"{row['contacts_mean']:.2f}",
               "sweeps_mean": f"{row['iterations_mean']:.2f}", "sweeps_p99": row["iterations_p99"], "residual_p99": f"{row['residual_p99']:.1e}",
               "residual_max": f"{row['residual_max']:.1e}", "not_converged": row["not_converged"]}


def learn_to_walk(document, date, commit):
    commit = commit or subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    for row in document:
        yield {"date": date or datetime.date.today().isoformat(), "commit": commit, "seed": row["seed"], "seconds": f"{row['seconds']:.1f}",
               "samples": f"{row['samples'] / 1e6:.2f}", "velocity_error": f"{row['linear']:.3f}", "yaw_rate_error": f"{row['angular']:.3f}",
               "survived": f"{100 * row['survived']:.1f}", "probe": f"{row['probe'] / 1e9:.2f}"}


def learn_humanoids(document, date, commit):
    for trained, row in zip(document, learn_to_walk(document, date, commit)):
        yield {"date": row["date"], "commit": row["commit"], "task": trained["task"], **row}


QUESTIONS = {"speed": speed, "learn_to_walk": learn_to_walk, "learn_humanoids": learn_humanoids}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=QUESTIONS)
    parser.add_argument("processor", help="folder below bench/results, epyc-zen5 say; a new one needs a machine.txt, which says what it is")
    parser.add_argument("file", type=Path)
    parser.add_argument("--commit", help="what was measured; default: what the file says, else the present commit")
    parser.add_argument("--date", help="YYYY-MM-DD; default: what the file says, else today")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="default: %(default)s")
    args = parser.parse_args()
    folder = args.results / args.processor
    if not (folder / "machine.txt").is_file():
        sys.exit(f"{folder / 'machine.txt'}: there is no such file; it says in a sentence what the processor is")
    try:
        rows = [{key: str(value) for key, value in row.items()} for row in QUESTIONS[args.question](json.loads(args.file.read_text()), args.date, args.commit)]
    except (KeyError, TypeError, ValueError) as error:
        sys.exit(f"{args.file}: not what bench/{args.question}.py writes: {error!r}")
    if not rows:
        sys.exit(f"{args.file}: there is no row")
    path = folder / f"{args.question}.csv"
    old = list(csv.DictReader(path.open(newline=""))) if path.exists() else []
    if any((row["date"], row["commit"], row.get("task")) == (new["date"], new["commit"], new.get("task")) for row in old for new in rows):
        sys.exit(f"{path}: a measurement of {rows[0]['date']}, {rows[0]['commit']} is there already")
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows([*old, *rows])
    print(f"{path}: {len(rows)} rows more, {len(old) + len(rows)} now")


if __name__ == "__main__":
    main()
