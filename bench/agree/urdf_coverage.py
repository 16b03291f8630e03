#!/usr/bin/env python3
"""How much of the URDF files in some folders loads, meshes included: in full, with named losses, or not, and why. Also how many float without a
place that can touch the ground.

    python bench/agree/urdf_coverage.py FOLDER ... [--build DIR] [--csv FILE] [--mesh-path DIRS]"""
import argparse
import collections
import csv
import pathlib
import re
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LOSSES = {"collision shapes that do not act": "shapes", "neither OBJ nor STL": "meshes of other formats"}


def ask(program, path, extra):
    """(refusal or None, slots, losses, falls, seconds) of one file."""
    begin = time.perf_counter()
    done = subprocess.run([program, "info", path, *extra], capture_output=True, text=True, check=False, timeout=600)
    seconds = time.perf_counter() - begin
    if done.returncode:
        return done.stderr.strip().splitlines()[-1].split(": ", 1)[-1], 0, [], False, seconds
    warnings = done.stdout[done.stdout.find("  warnings "):]
    slots = int(re.search(r"geoms, (\d+) slots", done.stdout)[1])
    return None, slots, sorted({short for words, short in LOSSES.items() if words in warnings}), "can touch" in warnings, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory")
    parser.add_argument("--csv", type=pathlib.Path, help="write a line for each file")
    parser.add_argument("--mesh-path", help="where else meshes are looked for")
    args = parser.parse_args()
    rows = []
    for path in sorted({path for folder in args.folders for path in folder.rglob("*.urdf")}):
        extra = ["--mesh-path", args.mesh_path] if args.mesh_path else []
        refused, slots, lost, falls, seconds = ask(args.build / "myriapod", path, extra)
        skipped = ask(args.build / "myriapod", path, ["--meshes", "skip"])
        rows.append([path, "refused" if refused else "with losses" if lost else "in full", "; ".join(lost) or refused or "", slots, falls,
                     skipped[3], f"{seconds:.2f}"])
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["file", "loads", "why", "slots", "falls", "falls without meshes", "seconds"], *rows])
    counts = collections.Counter(row[1] for row in rows)
    print(f"{len(rows)} models: {counts['in full']} in full, {counts['with losses']} with named losses, {counts['refused']} refused")
    print(f"fall through the floor: {sum(row[4] for row in rows)}, without meshes {sum(row[5] for row in rows)}")
    reasons = collections.Counter(re.sub(r"^\S+:\d+: |`[^`]*`|\d[\d.e+-]*", "", row[2])[:100] for row in rows if row[1] == "refused")
    for why, n in reasons.most_common():
        print(f"  {n:4} {why.strip()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
