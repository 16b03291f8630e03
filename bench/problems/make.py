#!/usr/bin/env python3
"""The problem set myriapod-problems-1: makes its files and bench/problems/manifest.json out of runs of robots that ship (recipes.py).

Robots begin where --seed says, the engine is bit-reproducible, and nothing else is drawn: the same version of the engine makes the same bytes.
Standard library alone. `--large FOLDER` makes many more of the same, which are not part of the repository."""
import argparse
import hashlib
import json
import math
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import recipes

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = "bench/problems"
SET = "myriapod-problems-1"
#: sweeps of nsgs from zero to 1e-6: what a problem is called by how many it needs
CLASSES = (("easy", 10), ("middling", 100), ("hard", 1000), ("very hard", 10000))
OPEN = "open"  # more than that
STILL = 1e-9  #: of the free velocity [m/s]: below, a problem is made of rounding alone
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)  # bins of contacts, by their upper ends
SOLVED = ["--solver", "nsgs", "--precision", "f64", "--tolerance", "1e-6", "--max-sweeps", str(CLASSES[-1][1]), "--cold"]


def program(args, *words):
    command = [str(word) for word in (args.program, *words)]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}\n{done.stderr}")
    return done.stdout


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


# ---- where robots begin ----------------------------------------------------------------------------


def any_turn(dice):
    """A unit quaternion."""
    while True:
        q = [dice.uniform(-1, 1) for _ in range(4)]
        length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        if 0.1 < length <= 1:
            return [x / length for x in q]


def begin(case, model, dice):
    """q of the first robot: its home, changed as the case says."""
    q, tree = list(model["home"]), -1
    for joint in model["joints"]:
        at = joint["q"]
        if joint["type"] == "free":
            tree += 1
            if case.start == "toss":
                q[at:at + 2] = [q[at] + dice.uniform(-case.spread, case.spread), q[at + 1] + dice.uniform(-case.spread, case.spread)]
                q[at + 2] += case.height + dice.uniform(0, 0.1)
                q[at + 3:at + 7] = any_turn(dice)
            elif case.start == "nudge":  # a little higher than what is below it, aside, and turned about the vertical
                q[at:at + 2] = [q[at] + dice.uniform(-0.03, 0.03), q[at + 1] + dice.uniform(-0.03, 0.03)]
                q[at + 2] += 0.02 * (tree + 1) + dice.uniform(0, 0.01)
                turn = dice.uniform(-0.15, 0.15)
                q[at + 3:at + 7] = [math.sqrt(1 - turn * turn), 0.0, 0.0, turn]
        elif joint["nq"] == 1 and case.start in ("toss", "bend"):
            least, most = joint["range"] or (-math.inf, math.inf)
            q[at] = min(max(q[at] + dice.uniform(-case.angle, case.angle), least), most)
    return q


def objects(case, heights, dice):
    """Robots beside the first: above it, turned any way about their roots, which stand `heights` over their origins at home."""
    words = []
    for k, (name, height) in enumerate(zip(case.robots[1:], heights), 1):
        w, x, y, z = (round(number, 4) for number in any_turn(dice))
        up = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
        at = [dice.uniform(-case.spread, case.spread), dice.uniform(-case.spread, case.spread), height + case.height + case.layer * k + dice.uniform(0, 0.1)]
        place = [f"{a - height * u:.4f}" for a, u in zip(at, up)] + [f"{number:.4f}" for number in (w, x, y, z)]
        words += ["--object", f"{word(name)}@{','.join(place)}"]
    return words


# ---- runs --------------------------------------------------------------------------------------------


def word(name):
    """What `run` and `info` know a robot by."""
    return recipes.ROBOTS[name][0]


def info(args, model):
    return json.loads(program(args, "info", model, "--json=-"))


def met(args, recipe, case, place):
    """Problems that the runs of a case meet, and the command lines."""
    problems, lines = [], []
    first = case.model or word(case.robots[0])
    model, heights = info(args, first), [info(args, word(name))["home"][2] for name in case.robots[1:]]
    one = case.runs == 1  # many environments in one run: --times asks for more of their problems
    for run in range(1 if one else case.runs * args.times):
        out, start = place / "met.json", place / "start.json"
        dice = random.Random(f"{SET} {args.seed} {recipe.file} {case.name} {case.start} {run}")
        options = ["--precision", "f64", "--tolerance", "1e-8", "--threads", 1, "--dt", f"{case.dt:g}", "--seed", args.seed + run,
                   "--warmup", round(case.warmup / case.dt), "--steps", round(case.seconds / case.dt), *case.options.split()]
        options += [] if "--task" in case.options else ["--task", "none"]
        options += [] if "--envs" in case.options else ["--envs", 1]
        if case.start != "home":
            start.write_text(json.dumps({"q": begin(case, model, dice)}), encoding="utf-8")
            options += ["--home", start]
        words = [first, *objects(case, heights, dice), *options]
        program(args, "run", *words, *args.isa, "--dump-problems", out, "--dump-count", case.dump * (args.times if one else 1))
        lines.append(shlex.join(["myriapod", "run", *("START.json" if x is start else str(x) for x in words)]))
        for k, problem in enumerate(read(out)["problems"]):
            nc = len(problem["mu"])
            if recipe.least <= nc <= SIZES[-1] and max(map(abs, problem["c"])) > STILL:
                problems.append({"id": f"{recipe.file}-{case.name}-{case.start}-{run}-{k}", "case": f"{case.name} {case.start}", **tidy(problem)})
    return problems, lines


def tidy(problem):
    """Without what a solver does not need; G its lower triangle, averaged as the reader does."""
    G = problem["G"]
    for i, row in enumerate(G):
        for k in range(i):
            row[k] = row[k] if row[k] == G[k][i] else 0.5 * row[k] + 0.5 * G[k][i]
    kept = {key: problem[key] for key in ("mu", "c", "start", "rows") if key in problem}
    return {**kept, "patches": first_seen(problem["patches"]), "G": [row[:i + 1] for i, row in enumerate(G)]}


def first_seen(numbers):
    """Patches numbered in the order in which they come: 0, 0, 1, .."""
    order = {}
    return [order.setdefault(number, len(order)) for number in numbers]


# ---- which are kept ----------------------------------------------------------------------------------


def alike(a, b):
    """Nearly the same problem: what lies still is met again and again."""
    largest = max(map(abs, a["c"]), default=0)
    diagonal = max((a["G"][i][i] for i in range(len(a["c"]))), default=0)
    return (all(abs(x - y) <= 1e-2 * largest for x, y in zip(a["c"], b["c"])) and
            all(abs(x[-1] - y[-1]) <= 1e-2 * diagonal for x, y in zip(a["G"], b["G"])))


def distinct(problems):
    kept, by_shape = [], {}
    for problem in problems:
        others = by_shape.setdefault((len(problem["mu"]), len(problem["c"]), tuple(problem["patches"])), [])
        if not any(alike(problem, other) for other in others):
            others.append(problem)
            kept.append(problem)
    return kept


def sweeps(args, problems, place):
    """The class of each problem."""
    file, answers = place / "pool.json", place / "answers.json"
    write(file, problems)
    program(args, "solve", file, *SOLVED, *args.isa, "--json", answers)
    for problem, answer in zip(problems, read(answers)["problems"]):
        done = answer["status"] == "converged"
        problem["class"] = next((name for name, most in CLASSES if done and answer["iterations"] <= most), OPEN)


def choose(recipe, problems):
    """As many as the recipe wants, in turn from every kind: case, size, class. Within a kind evenly over the runs."""
    kinds = {}
    for problem in problems:
        size = next(k for k, most in enumerate(SIZES) if len(problem["mu"]) <= most)
        kinds.setdefault((problem["case"], size, problem["class"]), []).append(problem)
    queues = [spread(kinds[key]) for key in sorted(kinds)]
    chosen, room = [], 1000 * recipe.kilobytes
    while any(queues) and len(chosen) < recipe.keep:
        for queue in queues:
            if queue and len(chosen) < recipe.keep:
                problem = queue.pop(0)
                size = len(line(problem)) + 2
                if size <= room:
                    room -= size
                    chosen.append(problem)
    order = {id(problem): k for k, problem in enumerate(problems)}
    return sorted(chosen, key=lambda problem: order[id(problem)])


def spread(problems):
    """The first, one from the middle, from the quarters, ..: any beginning of the list is spread over all of it."""
    n, out = len(problems), []
    bits = max(1, (n - 1).bit_length())
    for k in range(1 << bits):
        at = int(f"{k:0{bits}b}"[::-1], 2)
        if at < n:
            out.append(problems[at])
    return out


# ---- files -------------------------------------------------------------------------------------------


def number(x):
    return "null" if x is None else "0" if x == 0 else repr(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def text(value):
    return f"[{','.join(map(text, value))}]" if isinstance(value, list) else number(value)


def line(problem):
    keys = [key for key in ("mu", "c", "start", "rows", "patches", "G") if key in problem]
    return f'{{"id":"{problem["id"]}",' + ",".join(f'"{key}":{text(problem[key])}' for key in keys) + "}"


def write(path, problems):
    path.write_text('{"problems":[\n' + ",\n".join(map(line, problems)) + "\n]}\n", encoding="utf-8")


def quantiles(numbers):
    ordered = sorted(numbers)
    return {"min": ordered[0], "median": ordered[(len(ordered) - 1) // 2], "max": ordered[-1]}


def make(args, recipe, place):
    problems, lines = [], []
    for case in recipe.cases:
        found, ran = met(args, recipe, case, place)
        problems += found
        lines += ran
    pool = distinct(problems)
    sweeps(args, pool, place)
    chosen = pool if args.large else choose(recipe, pool)
    path = args.target / SET / f"{recipe.file}.json"
    write(path, chosen)
    robots = sorted({robot for case in recipe.cases for robot in case.robots})
    classes = [name for name, _ in CLASSES] + [OPEN]
    entry = {
        "name": f"{SET}/{recipe.file}.json", "family": recipe.family, "what": recipe.what, "problems": len(chosen),
        "contacts": quantiles([len(p["mu"]) for p in chosen]), "rows": quantiles([len(p.get("rows", [])) for p in chosen]),
        "sweeps": {name: sum(p["class"] == name for p in chosen) for name in classes},
        "robots": robots, "licence": sorted({recipes.ROBOTS[robot][1] for robot in robots}),
        "made": f"{HERE}/make.py --seed {args.seed} --only {recipe.file}" + (f" --large FOLDER --times {args.times}" if args.large else ""),
        "runs": lines if not args.large else len(lines), "bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    print(f"{recipe.file}: {len(problems)} met, {len(pool)} distinct, {len(chosen)} kept, {entry['contacts']} contacts, {entry['sweeps']}, "
          f"{entry['bytes'] / 1e3:.0f} kB", flush=True)
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=SOURCE / "build" / "myriapod", help="the program `myriapod`")
    parser.add_argument("--seed", type=int, default=1, help="of where robots begin")
    parser.add_argument("--only", default="", help="of the files these, separated by commas; the manifest keeps its other entries")
    parser.add_argument("--isa", type=lambda word: ["--isa", word], default=[], help="another instruction set; the bytes are the same")
    parser.add_argument("--target", type=pathlib.Path, default=SOURCE / HERE, help="folder for the manifest, and for the folder of the files")
    parser.add_argument("--large", type=pathlib.Path, metavar="FOLDER", help="write everything that is met and distinct into FOLDER, of --times as many runs")
    parser.add_argument("--times", type=int, default=10, help="with --large: so many times the runs")
    args = parser.parse_args()
    wanted = args.only.split(",") if args.only else [recipe.file for recipe in recipes.RECIPES]
    unknown = set(wanted) - {recipe.file for recipe in recipes.RECIPES}
    if unknown:
        sys.exit(f"--only: no such file: {', '.join(sorted(unknown))}; there are {', '.join(recipe.file for recipe in recipes.RECIPES)}")
    if not args.program.is_file():
        sys.exit(f"--program: {args.program} is not there; build the project first")
    args.program = args.program.resolve()
    args.target, args.times = (args.large, args.times) if args.large else (args.target, 1)
    (args.target / SET).mkdir(parents=True, exist_ok=True)
    manifest = args.target / "manifest.json"
    entries = {entry["name"]: entry for entry in read(manifest)["files"]} if args.only and manifest.exists() else {}
    with tempfile.TemporaryDirectory() as place:
        for recipe in recipes.RECIPES:
            if recipe.file in wanted:
                entries[f"{SET}/{recipe.file}.json"] = make(args, recipe, pathlib.Path(place))
    names = [f"{SET}/{recipe.file}.json" for recipe in recipes.RECIPES]
    files = [entries[name] for name in names if name in entries]
    version = program(args, "--version").split(" (")[0]
    head = {"set": SET + (" (large)" if args.large else ""), "version": 1, "seed": args.seed, "engine": version,
            "classes": {**{name: f"nsgs from zero, double, 1e-6: at most {most} sweeps" for name, most in CLASSES}, OPEN: "more"},
            "problems": sum(entry["problems"] for entry in files), "bytes": sum(entry["bytes"] for entry in files), "files": files}
    manifest.write_text(json.dumps(head, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{head['problems']} problems in {len(files)} files, {head['bytes'] / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
