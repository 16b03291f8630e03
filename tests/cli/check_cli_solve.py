# `solve` from outside: closed forms, contact problems refused by id and key, and the names of the solvers wherever they are told.
# ctest: timeout=300
import glob
import json
import os
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from cli_scene import INPUT, OK, QUICK, SOURCE, USAGE, check, dot, finish, near, path, problems, read, run, solver_names, terminal, write

def check_solver_names():
    """Help and pages name the solvers that there are, all of them and no others."""
    names = solver_names()
    with open(os.path.join(SOURCE, "kernels/contact/solvers.def"), encoding="utf-8") as file:
        lines = len(re.findall("^#include", file.read(), re.M))
    check(len(names) == lines > 10, f"{len(names)} solvers are named, solvers.def has {lines}")
    run("compare", path("none.json"), "--solvers", names[1][:-1], status=USAGE, says=["did you mean", f'"{names[1]}"', *names])
    for command, words in (("run", "contact solver"), ("solve", "contact solver"), ("compare", "names with commas between them, or all (default)")):
        text = " ".join(run(command, "--help").stdout.split())
        told = re.search(re.escape(words) + r": ([a-z0-9, -]+?)(?: \(default| --)", text)
        check(told and told.group(1).split(", ") == names, f"{command} --help names {told and told.group(1)}, not {names}")
    pages = {
        "docs/settings.md": r"^`solver` is one of ([^.]*)\.$",
        "docs/choosing-a-solver.md": r"^\| (`[a-z0-9-]+`) \| (?:Hwangbo 2018|full|box|convex|diamond) \|",
    }
    for page, row in pages.items():
        with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
            told = re.findall(r"`([a-z0-9-]+)`", " ".join(re.findall(row, file.read(), re.M)))
        check(sorted(told) == sorted(names), f"{page} has the solvers {told}, the table {names}")


ONE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def check_solve():
    # Closed forms with G = 1: a contact that opens, one that sticks, one that slides.
    good = [
        {"id": "opens", "mu": 0.5, "G": ONE, "c": [0.3, 0, 1], "comment": [float("nan")]},
        {"id": 7, "mu": [0.5], "G": ONE, "g": [0.1, -0.2, -1]},
        {"id": -1, "mu": 0.5, "G": ONE, "c": [2, 0, -1]},
        {"mu": 0, "G": [[2, 0, 0], [0, 2, 0], [0, 0, 2]], "c": [0, 3, -1]},
        {"id": "none", "mu": [], "G": [], "c": []},
    ]
    expected = [
        ("opens", [0, 0, 0], [0.3, 0, 1], "o"),
        (7, [-0.1, 0.2, 1], [0, 0, 0], "s"),
        (-1, [-0.5, 0, 1], [1.5, 0, 0], "d"),
        (3, [0, 0, 0.5], [0, 3, 0], "d"),
        ("none", [], [], ""),
    ]
    for solver in ("bisection", "bisection-paper"):
        run("solve", write("p.json", {"problems": good}), "--solver", solver, "--tolerance", "1e-9", "--json", path("o.json"))
        answers = read("o.json")["problems"]
        check(list(read("o.json")) == ["problems"] and len(answers) == len(good), f"{solver}: shape of the answer")
        for answer, (name, impulse, velocity, modes) in zip(answers, expected):
            check(list(answer) == "id impulse velocity modes residual residual_ncp iterations status".split(), f"{solver}: keys {list(answer)}")
            check(answer["id"] == name and answer["modes"] == modes and answer["status"] == "converged", f"{solver}: {answer}")
            check((answer["residual"] is None) == (answer["residual_ncp"] is None) == (not modes), f"{solver}: a residual where nothing was solved: {answer}")
            exact = zip(answer["impulse"] + answer["velocity"], impulse + velocity)
            check(all(abs(x - y) <= 1e-9 for x, y in exact), f"{solver}: {answer} is not {impulse}, {velocity}")
    check(json.loads(run("solve", path("p.json")).stdout)["problems"][1]["id"] == 7, "without --json the answers are not on standard output")
    # Every solver there is: words of status, velocity = G impulse + c.
    for solver in solver_names():
        run("solve", path("p.json"), "--solver", solver, "--precision", "f32", "--json", path("o.json"))
        for problem, answer in zip(good, read("o.json")["problems"]):
            check(answer["status"] in ("converged", "stalled", "iteration limit", "not finite"), f"{solver}: status {answer['status']}")
            free = problem.get("c") or problem.get("g") or []
            exact = [dot(row, answer["impulse"]) + c for row, c in zip(problem["G"], free)]
            check(all(abs(x - y) < 1e-5 for x, y in zip(exact, answer["velocity"])), f"{solver}: velocity is not G impulse + c in {answer}")

    # The name that a solver had before: the same answers, and a word about it.
    renamed = "warning: solver pgs-004 is now called pgs-lelidec"
    for solver in ("pgs-lelidec", "pgs-004"):
        done = run("solve", path("p.json"), "--solver", solver, "--json", path(f"{solver}.json"))
        check(done.stderr.count(renamed) == (solver == "pgs-004"), f"--solver {solver}: {done.stderr}")
    check(read("pgs-004.json") == read("pgs-lelidec.json"), "the old name solves otherwise")
    done = run("compare", path("p.json"), "--solvers", "pgs-004,nsgs", says=[renamed])
    check("pgs-lelidec" in done.stdout and "pgs-004" not in done.stdout, "compare does not use the new name")
    run("compare", path("p.json"), "--solvers", "pgs-004,pgs-lelidec", status=USAGE, says=["twice"])
    run("run", "chain-2", *QUICK, "--profile", write("old.json", {"solver": "pgs-004"}), says=["old.json: solver pgs-004 is now called pgs-lelidec"])

    # The solver that became a scheme of steps: no problem is solved by it, a run is stepped so, and none of its problems are dumped.
    moved = "warning: solver ipm-tree is now called dynamics maximal-tree"
    run("solve", path("p.json"), "--solver", "ipm-tree", status=INPUT, says=[moved, "'solver' is 'ipm-tree', which is now 'dynamics' = 'maximal-tree'"])
    run("compare", path("p.json"), "--solvers", "ipm-tree", status=USAGE, says=[moved, 'no solver "ipm-tree"'])
    for flags in (["--solver", "ipm-tree"], ["--solver", "ipm-tree", "--dynamics", "maximal"], ["--dynamics", "maximal-tree"]):
        done = run("run", "chain-2", *QUICK, *flags, "--json", path("tree.json"))
        told = read("tree.json")
        check(done.stderr.count(moved) == (flags[0] == "--solver"), f"{flags}: {done.stderr}")
        check((told["dynamics"], told["solver"], told["not_converged"]) == ("maximal-tree", "hybrid", 0), f"{flags}: {told}")
    run("run", "chain-2", *QUICK, *flags, "--dump-problems", path("none.json"), status=INPUT, says=["solve no problem", "'maximal-tree'"])

    # Nearly symmetric: as if symmetrised, and said.
    skew = [[2, 1e-4, 0], [0, 2, 0.3], [0, 0.3, 2]]
    even = [[2, 5e-5, 0], [5e-5, 2, 0.3], [0, 0.3, 2]]
    two = [{"id": name, "mu": 0.4, "G": G, "c": [1, 0.5, -2]} for name, G in (("skew", skew), ("even", even))]
    done = run("solve", write("p.json", {"problems": two}), "--json", path("o.json"), says=['"skew"', "symmetri"])
    check('"even"' not in done.stderr, "a symmetric matrix is warned of")
    many = [{**two[0], "id": i} for i in range(50)]
    done = run("solve", write("p50.json", {"problems": many}), "--json", path("o50.json"), says=["50 problems", "symmetri"])
    check(done.stderr.count("was symmetrised") == 1, "a warning per problem floods the terminal")
    skew, even = read("o.json")["problems"]
    check(skew["impulse"] == even["impulse"], "G is not symmetrised")

    def refused(says, **change):
        problem = {"id": "bad one", "mu": 0.5, "G": ONE, "c": [0, 0, -1], **change}
        problem = {key: value for key, value in problem.items() if value is not None}
        run("solve", write("p.json", {"problems": [good[0], problem]}), "--json", path("absent.json"), status=INPUT, says=['"bad one"', *says])
        check(not os.path.exists(path("absent.json")), "refused problems leave an output")

    refused(['"G"', "2"], G=[[1, 0, 0], [0, 1], [0, 0, 1]])
    refused(['"G"', "2 rows"], G=ONE[:2])
    refused(['"G"', "rows"], G=ONE + ONE)
    refused(['"G"'], G=[1, 0, 0, 0, 1, 0, 0, 0, 1])
    refused(['"G"[2][2]', "NaN"], G=ONE[:2] + [[0, 0, float("nan")]])
    refused(['"G"', "symmetric"], G=[[1, 0.01, 0], [0, 1, 0], [0, 0, 1]])
    refused(['"G"', "missing"], G=None)
    refused(['"G"[0][0]', "-1", "negative"], G=[[-1, 0, 0], [0, 1, 0], [0, 0, 1]])
    refused(['"G"[2][2]', "-1e-09", "negative"], G=[[1, 0, 0], [0, 1, 0], [0, 0, -1e-9]])
    refused(['"G"[2][2]', '"c"[2]', "is 0"], G=[[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    refused(['"G"[2][2]', '"c"[2]', "is 0"], G=[[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    refused(['"G"[1][1] is 0', "[1][2]", "0.3"], G=[[1, 0, 0], [0, 0, 0.3], [0, 0.3, 1]])
    refused(['"G"[0][0]', "a normal", '"c"[0]'], G=[[0, 0, 0], [0, 1, 0], [0, 0, 1]], c=[-1, 0, 0], order="normal-first")
    refused(['"mu"', "-0.1"], mu=-0.1)
    refused(['"mu"[0]', "-0.1"], mu=[-0.1])
    refused(['"mu"', "2"], mu=[0.1, 0.2])
    refused(['"mu"', "Infinity"], mu=float("inf"))
    refused(['"mu"', '"Mu"'], mu=None, Mu=0.5)
    refused(['"c"', "4"], c=[0, 0, 0, 1])
    refused(['"c"[1]', '"x"'], c=[0, "x", 1])
    refused(['"c"', '"g"'], g=[0, 0, 1])
    refused(['"c"', '"g"', "missing"], c=None)
    over = '{"problems": [{"id": 31, "mu": 0.5, "G": [[1,0,0],[0,1,0],[0,0,1e999]], "c": [0,0,-1]}]}'
    run("solve", write("p.json", over), status=INPUT, says=["31", '"G"[2][2]', "1e999"])

    # A rail: nothing moves along the tangents, and that is lawful. So is a normal that cannot move where nothing closes, or that gives way.
    rail = [[0, 0, 0], [0, 0, 0], [0, 0, 2]]
    lawful = [{"mu": 0.5, "G": rail, "c": [0, 0, -1]}, {"mu": 0.5, "G": [[1, 0, 0], [0, 1, 0], [0, 0, 0]], "c": [0, 0, 0]},
              {"mu": 0.5, "G": [[1, 0, 0], [0, 1, 0], [0, 0, 0]], "c": [0, 0, -1], "R": [0, 0, 0.5]}]
    run("solve", write("p.json", {"problems": lawful}), "--json", path("o.json"))
    answers = read("o.json")["problems"]
    check([a["status"] for a in answers] == ["converged"] * 3 and all(near(a["impulse"][2], x, 1e5) for a, x in zip(answers, [0.5, 0, 2])), f"a rail: {answers}")

    # No answer has no figure: steps that are too long overflow.
    wild = [{"mu": 10, "G": [[100, 0, 0], [0, 1, 0], [0, 0, 1]], "c": [1, 0.5, -1]}, {"mu": 0.5, "G": ONE, "c": [0, 0, -1]}]
    done = run("solve", write("p.json", {"problems": wild}), "--solver", "pgs-ccp", "--relaxation", "1.9", "--json", path("o.json"))
    bad, fine = read("o.json")["problems"]
    check(bad["status"] == "not finite" and bad["residual"] is None and bad["residual_ncp"] is None, f"not finite, with a figure: {bad}")
    check(bad["impulse"] == [0, 0, 0] and bad["velocity"] == [1, 0.5, -1] and fine["status"] == "converged" and fine["residual"] < 1e-5, f"not finite: {bad}, {fine}")
    check("1 not finite (largest residual" in done.stdout and "nan" not in done.stdout and "inf" not in done.stdout, f"the summary of no answer: {done.stdout}")
    run("solve", write("p.json", {"problems": good[4:]}), "--json", path("o.json"), "--trace", path("t.json"))
    check(all(row["residual"] is None for row in read("t.json")["trace"]), "a trace of nothing has a residual")

    # What the fuzzer kept: good_* is solved, bad_* is refused, and nothing dies.
    seeds = sorted(glob.glob(os.path.join(SOURCE, "tests/fuzz/solve/*")))
    check(len(seeds) >= 10, f"{len(seeds)} seeds in tests/fuzz/solve")
    for seed in seeds:
        good = os.path.basename(seed).startswith("good_")
        run("solve", seed, "--max-sweeps", "1000", "--json", path("o.json"), status=OK if good else INPUT, says=() if good else [os.path.basename(seed)])


finish(check_solver_names, check_solve)
