#!/usr/bin/env python3
"""Fig. 7 of Hwangbo 2018: how deep the feet of hanging robots sink in 200 s, with its bisection at 1e-6 and PGS at 1e-8 and 1e-6, beside what the
scheme itself does (bisection at 1e-12) and with half the time step.

The paper shows one robot. A hanging robot is chaotic, and how far it sinks depends on how long it swings far more than on the last digits of the
solver; so these are means over many robots, with their standard errors. tests/laws/test_laws_drift.c compares the solvers on the same motions.
Prints a table and writes results/DATE_fig7.json."""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FROM_S = 2  # "except the first two seconds when the robot falls"
# name: solver, tolerance, dt [s]. PGS takes 20 to 100 times as long, so it gets fewer robots.
CURVES = {
    "bisection 1e-6": ("bisection", 1e-6, 1e-3),
    "pgs 1e-8": ("pgs", 1e-8, 1e-3),
    "pgs 1e-6": ("pgs", 1e-6, 1e-3),
    "the scheme's own": ("bisection", 1e-12, 1e-3),
    "bisection 1e-6, dt/2": ("bisection", 1e-6, 5e-4),
    "the scheme's own, dt/2": ("bisection", 1e-12, 5e-4),
}


def curve(program, name, seconds, envs, every=2):
    """foot_drift's object, with `drift_m`, `drift_error_m`: how much deeper than after FROM_S seconds."""
    solver, tolerance, dt = CURVES[name]
    words = {"task": "hang", "precision": "f64", "threads": 1, "max-sweeps": 20000, "spin-damping": 0, "landing": 0, "envs": envs, "solver": solver, "tolerance": tolerance, "dt": dt,
             "seconds": seconds, "every": every}
    done = subprocess.run([program, "anymal", *(f"{k}={v}" for k, v in words.items())], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program}: {done.stderr}")
    result = json.loads(done.stdout)
    first = next(row for row in result["rows"] if row["t_s"] >= FROM_S - 1e-9)
    for row in result["rows"]:
        row["drift_m"] = row["depth_m"] - first["depth_m"]
        row["drift_error_m"] = (row["error_m"] ** 2 + first["error_m"] ** 2) ** 0.5
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory with `bench/foot_drift`")
    parser.add_argument("--seconds", type=float, default=200, help="simulated time")
    parser.add_argument("--envs", type=int, default=128, help="robots of the bisection curves")
    parser.add_argument("--envs-pgs", type=int, default=32, help="robots of the PGS curves")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="date in the name of the result file")
    parser.add_argument("--results", type=pathlib.Path, default=SOURCE / "bench" / "results", help="folder for the JSON")
    args = parser.parse_args()
    curves = {}
    for name, (solver, _, _) in CURVES.items():
        curves[name] = curve(args.build / "bench" / "foot_drift", name, args.seconds, args.envs_pgs if solver == "pgs" else args.envs)
        rows = curves[name]["rows"]
        picked = [rows[round(k * (len(rows) - 1) / 8)] for k in range(1, 9)]
        print(f"{name:24}", " ".join(f"{r['t_s']:.0f}s {1e3 * r['drift_m']:.1f}±{1e3 * r['drift_error_m']:.1f}" for r in picked),
              f"mm; {curves[name]['iterations_mean']:.1f} sweeps, {curves[name]['not_converged']} of {curves[name]['solves']} not converged", flush=True)
    end = {name: c["rows"][-1]["drift_m"] for name, c in curves.items()}
    ratio = end["bisection 1e-6"] / end["the scheme's own"]
    print(f"bisection / the scheme's own: {ratio:.3f}")
    args.results.mkdir(parents=True, exist_ok=True)
    path = args.results / f"{args.date}_fig7.json"
    path.write_text(json.dumps(curves, indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
