#!/usr/bin/env python3
"""Contact problems that sweeps leave open, out of the scenes of hard_scenes.py: how bench/speed/hard/*.json were made, or a set of your own robots.

Of each scene `--dump` problems are written as the robots meet them, `nsgs` has --sweeps sweeps at each, in double, and of those that it leaves open
--keep are kept, evenly. Files go by robot."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import hard_scenes

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def left_open(args, problems, place):
    """Of the problems those that the sweeps do not solve."""
    file = place / "met.json"
    file.write_text(json.dumps({"problems": problems}), encoding="utf-8")
    done = subprocess.run([args.build / "myriapod", "solve", file, "--solver", "nsgs", "--precision", "f64", "--tolerance", "1e-6", "--max-sweeps", str(args.sweeps)],
                          capture_output=True, text=True, check=True)
    return [problem for problem, result in zip(problems, json.loads(done.stdout)["problems"]) if result["status"] != "converged"]


def rounded(problem):
    """Twelve digits: rounding G to less makes it indefinite, and a redundant problem then has no answer below that."""
    short = lambda x: [short(y) for y in x] if isinstance(x, list) else x if x is None else float(f"{x:.12g}")
    return {key: short(value) if key in ("G", "c", "mu", "start", "rows") else value for key, value in problem.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory with `myriapod` and `bench/scenes`")
    parser.add_argument("--models", action="append", default=[], metavar="DIR", help="where robots that do not ship are; may be given again")
    parser.add_argument("--robots", default="h1,biped,anymal,stack-3,stack-5", help="comma-separated")
    parser.add_argument("--dump", type=int, default=120, help="problems of each scene that are looked at")
    parser.add_argument("--keep", type=int, default=3, help="of those, and of each scene and dt, at most")
    parser.add_argument("--sweeps", type=int, default=50, help="that may not be enough")
    parser.add_argument("--target", type=pathlib.Path, default=SOURCE / "bench" / "speed" / "hard", help="folder for the files")
    args = parser.parse_args()
    args.target.mkdir(parents=True, exist_ok=True)
    kept = {}
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        for name, scene, words in hard_scenes.cases(args.robots.split(","), args.models or [SOURCE.parent / "shared" / "models"], place):
            for dt in ("0.001", "0.002"):
                file = place / "dump.json"
                subprocess.run([args.build / "bench" / "scenes", *words, "envs=64", "precision=f64", f"dt={dt}", f"dump={file}", f"count={args.dump}"], capture_output=True, check=True)
                found = left_open(args, read(file)["problems"], place)
                step = max(1, len(found) // args.keep)
                chosen = found[::step][: args.keep]
                kept.setdefault(name, []).extend({**rounded(problem), "id": f"{name}-{scene}-{1e3 * float(dt):g}ms-{k}"} for k, problem in enumerate(chosen))
                print(f"{name} {scene} dt {dt}: {len(found)} of {args.dump} left open, {len(chosen)} kept")
    for name, problems in kept.items():
        if problems:
            lines = ",\n".join(json.dumps(problem, separators=(",", ":")) for problem in problems)
            (args.target / f"{name}.json").write_text(f'{{"problems":[\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
