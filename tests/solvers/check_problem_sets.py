#!/usr/bin/env python3
"""The problem set bench/problems: its files are those of the manifest, byte for byte, and hold what it says; the program reads every one to the bit; the
page and CITATION.cff agree with it; the recipes still make problems, and twice the same. Where NumPy is, sets.py loads what the files say."""
# ctest: later timeout=300
import hashlib
import json
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from cli_scene import PROGRAM, SOURCE, check, finish, path, run

HERE = pathlib.Path(SOURCE) / "bench" / "problems"
SET = "myriapod-problems-1"
MANIFEST = json.loads((HERE / "manifest.json").read_text(encoding="utf-8"))
MOST_BYTES = 6_000_000
CLASSES = ["easy", "middling", "hard", "very hard", "open"]


def problems_of(entry):
    return json.loads((HERE / entry["name"]).read_text(encoding="utf-8"))["problems"]


def quantiles(numbers):
    ordered = sorted(numbers)
    return {"min": ordered[0], "median": ordered[(len(ordered) - 1) // 2], "max": ordered[-1]}


def check_manifest():
    files = MANIFEST["files"]
    names = [entry["name"] for entry in files]
    there = sorted(f"{SET}/{file.name}" for file in (HERE / SET).iterdir())
    check(sorted(names) == there, f"the manifest names {sorted(names)}, there are {there}")
    ids = set()
    for entry in files:
        name, content = entry["name"], (HERE / entry["name"]).read_bytes()
        check(hashlib.sha256(content).hexdigest() == entry["sha256"], f"{name}: the SHA-256 is another")
        problems = json.loads(content)["problems"]
        check(len(content) == entry["bytes"] and len(problems) == entry["problems"], f"{name}: {len(content)} bytes, {len(problems)} problems")
        check(quantiles([len(p["mu"]) for p in problems]) == entry["contacts"], f"{name}: contacts {entry['contacts']}")
        check(quantiles([len(p.get("rows", [])) for p in problems]) == entry["rows"], f"{name}: rows {entry['rows']}")
        check(list(entry["sweeps"]) == CLASSES and sum(entry["sweeps"].values()) == len(problems), f"{name}: classes {entry['sweeps']}")
        check(entry["robots"] and entry["licence"] and entry["runs"] and entry["made"].startswith("bench/problems/make.py"), f"{name}: how it was made")
        for problem in problems:
            m = 3 * len(problem["mu"]) + len(problem.get("rows", []))
            shaped = len(problem["c"]) == len(problem["start"]) == m and [len(row) for row in problem["G"]] == list(range(1, m + 1))
            check(shaped and len(problem["patches"]) == len(problem["mu"]) <= 64, f"{problem['id']}: its arrays do not fit each other")
        ids |= {problem["id"] for problem in problems}
    check(MANIFEST["set"] == SET and MANIFEST["problems"] == len(ids) == sum(entry["problems"] for entry in files), f"{len(ids)} ids of {MANIFEST['problems']}")
    check(MANIFEST["bytes"] == sum(entry["bytes"] for entry in files) <= MOST_BYTES, f"{MANIFEST['bytes']} bytes")


def check_unclosed():
    """The problems that no solver closes: read to the bit, each with its kind, as many of each as the page says."""
    file = HERE / "unclosed.json"
    problems, page = json.loads(file.read_text(encoding="utf-8"))["problems"], (HERE / "README.md").read_text(encoding="utf-8")
    for kind in ("inconsistent", "slow", "degenerate"):
        count = sum(problem["failure"]["kind"] == kind for problem in problems)
        check(f"| {kind} | {count} |" in page, f"unclosed.json: {count} are {kind}, the page has another number")
    check(f"`unclosed.json`: {len(problems)} of" in page, f"unclosed.json: {len(problems)} problems")
    check(run("solve", str(file), "--problems", path("unclosed.json")).stderr == "", "solve unclosed.json: it warns")
    again = json.loads(pathlib.Path(path("unclosed.json")).read_text(encoding="utf-8"))["problems"]
    check([(p["id"], p["c"]) for p in again] == [(p["id"], p["c"]) for p in problems], "solve --problems: other numbers than unclosed.json has")


def check_read():
    """Solved from the files and from what --problems makes of them: the same answers, and nothing to warn of."""
    names = [str(HERE / entry["name"]) for entry in MANIFEST["files"]]
    options = ["--solver", "hybrid", "--precision", "f64", "--tolerance", "1e-6", "--max-sweeps", "500", "--cold", "--json"]
    read = [str(HERE / SET), "--problems", path("read.json")]
    for words in ([*names, *options, path("files.json")], read, [path("read.json"), *options, path("again.json")]):
        check(run("solve", *words).stderr == "", f"solve {words[-1]}: it warns")
    by_id = lambda name: {a["id"]: {**a, "file": 0} for a in json.loads(pathlib.Path(path(name)).read_text(encoding="utf-8"))["problems"]}
    answers, again = by_id("files.json"), by_id("again.json")
    ids = [problem["id"] for entry in MANIFEST["files"] for problem in problems_of(entry)]
    check(list(answers) == ids, f"{len(answers)} answers to {len(ids)} problems")
    check(again == answers, "what --problems writes has other answers")
    open_ = [i for i in ids if answers[i]["status"] != "converged"]
    check(len(open_) <= 0.02 * len(ids), f"hybrid leaves {len(open_)} of {len(ids)}: {open_[:20]}")
    check(len(open_) < sum(entry["sweeps"]["open"] for entry in MANIFEST["files"]), "the set is not hard: sweeps leave no more than hybrid")


def check_page():
    page = (HERE / "README.md").read_text(encoding="utf-8")
    for family in {entry["family"] for entry in MANIFEST["files"]}:
        of = [entry for entry in MANIFEST["files"] if entry["family"] == family]
        least, most = min(e["contacts"]["min"] for e in of), max(e["contacts"]["max"] for e in of)
        figures = [sum(e["problems"] for e in of), f"{least} to {most}", max(e["rows"]["max"] for e in of), sum(e["sweeps"]["open"] for e in of)]
        row = f"| {family} | " + " | ".join(map(str, figures)) + " | " + ", ".join(f"`{pathlib.Path(e['name']).stem}`" for e in of) + " |"
        check(row in page, f"bench/problems/README.md lacks: {row}")
    sizes = [len(problem["mu"]) for entry in MANIFEST["files"] for problem in problems_of(entry)]
    bins = [sum(low < size <= high for size in sizes) for low, high in ((0, 1), (1, 2), (2, 4), (4, 8), (8, 16), (16, 32), (32, 64))]
    check(min(bins) > 0 and "| problems | " + " | ".join(map(str, bins)) + " |" in page, f"bench/problems/README.md: problems by contacts are {bins}")
    for entry in MANIFEST["files"]:
        for robot in entry["robots"]:
            named = [line for line in page.splitlines() if f"`{robot}`" in line]
            check(any(licence in line for line in named for licence in entry["licence"]), f"README.md lacks {robot}'s licence")
    counted = f"{MANIFEST['problems']} problems"
    check(counted in page and f"{MANIFEST['problems']} contact problems" in (pathlib.Path(SOURCE) / "CHANGELOG.md").read_text(encoding="utf-8"), counted)
    citation = (pathlib.Path(SOURCE) / "CITATION.cff").read_text(encoding="utf-8")
    check(re.search(rf'- type: data\n    title: "{SET}: ', citation), f"CITATION.cff has no data set {SET}")


def check_recipes():
    """make.py, of one file, twice: the same bytes. Not those of the set: other versions of the engine may step other bits."""
    made = []
    for name in ("one", "two"):
        words = [sys.executable, "-B", HERE / "make.py", "--program", PROGRAM, "--only", "gym-ant", "--target", path(name)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=250)
        if not check(done.returncode == 0, f"make.py: {done.stderr}{done.stdout}"):
            return
        made.append([(pathlib.Path(path(name)) / file).read_bytes() for file in ("manifest.json", f"{SET}/gym-ant.json")])
    check(made[0] == made[1], "make.py makes other bytes the second time")
    check(len(json.loads(made[0][1])["problems"]) == json.loads(made[0][0])["problems"] >= 20, "make.py: too few problems")
    for words, says in ((["--only", "unicorn"], "unicorn"), (["--program", path("none")], "none")):
        done = subprocess.run([sys.executable, "-B", HERE / "make.py", "--program", PROGRAM, *words], capture_output=True, text=True)
        check(done.returncode == 1 and says in done.stderr and "Traceback" not in done.stderr, f"make.py {words}: {done.stderr}")


def check_sets():
    """sets.py: the arrays are the files', what is left out is named, what is not there is said."""
    try:
        import numpy as np
    except ImportError:
        return "NumPy is not installed: left out"
    sys.path.insert(0, str(HERE.parent / "contact_yardstick"))
    import sets
    loaded = {problem.id: problem for problem in sets.load(SET, PROGRAM)}
    check(len(loaded) == MANIFEST["problems"], f"sets.py loads {len(loaded)}")
    for problem in problems_of(MANIFEST["files"][-1]):
        mine = loaded[problem["id"]]
        check(np.array_equal(mine.G, mine.G.T) and all(list(mine.G[i, : i + 1]) == row for i, row in enumerate(problem["G"])), f"{mine.id}: G")
        check(list(mine.c) == problem["c"] and list(mine.mu) == problem["mu"] and len(mine.rows) == len(problem.get("rows", [])), f"{mine.id}: c, mu, rows")
    seeds = sets.contents(pathlib.Path(SOURCE) / "tests" / "fuzz" / "siconos", PROGRAM)
    why = {entry.file: entry.why for entry in seeds.left_out}
    check(why.get("bad_plane.dat") == "two-dimensional" and why.get("bad_nan.dat") == "not read" and seeds.problems, f"left out: {why}")
    check(sets.counted(seeds.left_out)["two-dimensional"] == list(why.values()).count("two-dimensional"), "counts of what is left out")
    for name in ("no-such-set", str(pathlib.Path(path("")) / "nowhere")):
        try:
            sets.load(name, PROGRAM)
            check(False, f"sets.py loads {name}")
        except sets.NotThere as missing:
            check(name in str(missing), f"{name}: {missing}")
    sets.FETCHED = pathlib.Path(path("nothing-fetched"))
    try:
        sets.load("siconos", PROGRAM)
        check(False, "sets.py loads what was not fetched")
    except sets.NotThere as missing:
        check("fetch_siconos.sh" in str(missing), f"siconos: {missing}")
    return None


finish(check_manifest, check_unclosed, check_read, check_page, check_recipes, check_sets)
