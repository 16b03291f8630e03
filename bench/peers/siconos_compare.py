#!/usr/bin/env python3
"""Side by side with Siconos: the same contact problems to the same residual of the full law, one core each, in one process.

Needs Siconos (Debian: libsiconos-numerics-dev; `make deps-bench`) when the build is configured: bench/peers/siconos_side.c is the program, and says
how both sides are judged and timed. The problems are those that ANYmal meets in the tasks, dumped by `myriapod run --dump-problems`, or the
files given. Siconos computes in double; ours in double, and where the residual allows it in float too."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure

TASKS = ("trot", "hang", "drop", "random")


def dump(bench, task, count, folder):
    path = pathlib.Path(folder) / f"{task}.json"
    bench.timed_process([bench.program, "run", "anymal", "--task", task, "--envs", 256, "--steps", 1000, "--warmup", 500, "--precision", "f64", "--tolerance", 1e-9,
                         "--max-sweeps", 2000, "--threads", 1, "--dump-problems", path, "--dump-count", count], [bench.args.cpu])
    return path


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("problems", nargs="*", type=pathlib.Path, help="JSON files of problems; none: dumped from the tasks")
    parser.add_argument("--count", type=int, default=1600, help="problems dumped per task")
    parser.add_argument("--tolerance", default="1e-8", help="scale-free residual of the full law that both sides must reach")
    args = parser.parse_args()
    bench = measure.Bench(args)
    side = args.build / "bench" / "siconos_side"
    if not side.exists():
        sys.exit(f"{side} is not there: install Siconos (make deps-bench) and configure the build again")
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        sets = args.problems or [dump(bench, task, 160 if args.quick else args.count, folder) for task in TASKS]
        for path in sets:
            out = subprocess.run(bench.command([side, path, args.tolerance, 1 if args.quick else 3], [args.cpu]), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            if out.returncode != 0:
                sys.exit(f"{side} {path}: exit {out.returncode}")
            rows += [{"set": path.stem, **json.loads(line)} for line in out.stdout.splitlines()]
    machine = measure.machine(bench)
    print(f"{measure.machine_text(machine)}\nproblems per second and core, residual of the full law at most {args.tolerance}; solved by both, from zero\n")
    best = []
    for name in dict.fromkeys(row["set"] for row in rows):
        mine = [row for row in rows if row["set"] == name]
        most = max(row["solved_theirs"] for row in mine)
        theirs = max((row for row in mine if row["solved_theirs"] >= 0.99 * most), key=lambda row: row["theirs_per_s"])["theirs"]  # fastest of those that solve them
        best += [{**row, "best": row["theirs"] == theirs} for row in mine]
    print(measure.table(["set", "Siconos", "solved", "per s", "Myriapod", "solved", "per s", "ratio", "with copies", "worst residuals"],
                        [[row["set"] + (" *" if row["best"] else ""), row["theirs"], f"{row['solved_theirs']}/{row['problems']}", f"{row['theirs_per_s']:.0f}", f"{row['ours']} {row['precision']}",
                          f"{row['solved_ours']}/{row['problems']}", f"{row['ours_per_s']:.0f}", f"{row['ratio']:.1f}", f"{row['ratio_call']:.1f}", f"{row['worst_theirs']:.0e}, {row['worst_ours']:.0e}"] for row in best]))
    print("\n*: the fastest of Siconos' methods among those that solve the most")
    measure.write_results(bench, "siconos", {"machine": machine, "tolerance": float(args.tolerance), "rows": best}, best)


if __name__ == "__main__":
    try:
        main()
    except measure.Failed as failed:
        sys.exit(str(failed))
