"""How long it takes to teach a robot to walk. Each seed is a training in a process of its own, until its goal is met. Its policy is then scored on
fresh episodes. The FMA probe runs before each training.

    python bench/skills/learn_to_walk.py [--task anymal-flat] [--seeds 1 2 3 4 5 6 7 8 9 10] [--into runs/walk] [--build build] [--json FILE]

`seconds` is the wall clock from the first control step until 2000 episodes of 20 s (two pushes of up to 1 m/s along x and y, commands up to 1 m/s and
1 rad/s) confirmed the goal: at least 95 % without a fall, errors below 0.25 m/s and 0.25 rad/s. Looks at the goal on the way are in it; loading the
package and writing the files are not. `fresh` is the score of the policy that was written, on 2000 further episodes. Needs the package myriapod, but
not torch."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure
from myriapod import Policy
from myriapod.score import score

GOAL = "survived=0.95,error=0.25"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="anymal-flat")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1, 11)))
    parser.add_argument("--iterations", type=int, default=2000, help="a training that has not reached the goal by then has failed; 2000 are 25 M samples of 512 robots (default: %(default)s)")
    parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path("runs/walk"))
    parser.add_argument("--build", type=pathlib.Path, default=measure.SOURCE / "build", help="build directory with bench/fma_probe")
    parser.add_argument("--json", help="also write the figures to this file")
    parser.add_argument("--set", action="append", default=[], help="as of python -m myriapod.train")
    parser.add_argument("--learn", action="append", default=[], help="as of python -m myriapod.train")
    args = parser.parse_args()
    rows = []
    print("| seed | seconds | samples | physics, task, policy, learning, scoring, rest [s] | fresh: errors, survived | probe [G FMA/s] |\n| --- | --- | --- | --- | --- | --- |")
    for seed in args.seeds:
        into, rate = args.into / str(seed), measure.fma_rate(args.build)[0]
        command = [sys.executable, "-m", "myriapod.train", args.task, "--seed", str(seed), "--until", GOAL, "--iterations", str(args.iterations), "--log", into, "--overwrite", "--quiet"]
        subprocess.run([*command, *(word for pair in args.learn for word in ("--learn", pair)), *(word for pair in args.set for word in ("--set", pair))], env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}, check=False)
        result = json.loads((into / "result.json").read_text())
        fresh = score(Policy.load(into / "policy.npz"), args.task, episodes=2000, seed=77000 + seed)
        split = [result["seconds"][name] for name in ("physics", "task", "policy", "learning", "scoring", "rest")]
        goal = result["goal"] or {"seconds": float("inf"), "samples": result["samples"]}
        row = {"task": args.task, "seed": seed, "seconds": goal["seconds"], "samples": goal["samples"], "split": split, "linear": fresh.linear_error,
               "angular": fresh.angular_error, "survived": fresh.survived, "probe": rate}
        rows.append(row)
        print(f"| {seed} | {row['seconds']:.1f} | {row['samples'] / 1e6:.2f} M | {', '.join(f'{s:.1f}' for s in split)} | {fresh.linear_error:.3f} m/s, "
              f"{fresh.angular_error:.3f} rad/s, {100 * fresh.survived:.1f} % | {rate / 1e9:.2f} |", flush=True)
    times = sorted(row["seconds"] for row in rows)
    print(f"median {statistics.median(times):.1f} s, worst {times[-1]:.1f} s, of {len(times)} seeds; {len(os.sched_getaffinity(0))} cores")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
