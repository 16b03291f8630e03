#!/usr/bin/env python3
"""Rows against truth that none of the project's code computed, ../shared/oracles/worlds: 120 problems of limits, dry friction, contacts and
closures, solved by every solver, and closed forms of one and two rows. What is measured here is measured in this file. Without the oracle the
C tests of rows (test_contact_rows, test_joint_rows) stand alone, and this one says so.
ctest: later timeout=600
may skip: the oracle lies beside the project, not in it"""
import json
import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cli_scene

worlds = pathlib.Path(cli_scene.SOURCE).resolve().parent / "shared" / "oracles" / "worlds"
if not (worlds / "rows.json").exists():
    print(f"{worlds} is not there")
    sys.exit(77)
# Of each solver: the part of the problems that it must solve to 1e-8 by its own law, and whether that is the full law.
SURE = {"hybrid": 1, "nsgs": 1, "pgs": 1, "bisection": 1, "admm-ncp": 1, "admm-ccp": 1, "ipm-diamond": 1, "ipm-cone": 1, "staggered": 0.95}
FULL = {"hybrid", "nsgs", "pgs", "admm-ncp", "staggered", "prox", "pgs-lelidec", "ipm-cone"}
INF = math.inf


def stairs_distance(l, w, f, lo, hi):
    out = max(lo - w, w - hi, 0)
    pieces = [max(abs(w - lo), (f if lo < 0 else -f) - l), max(abs(w - hi), l - (-f if hi > 0 else f))]
    if lo < 0:
        pieces.append(max(out, w, abs(l - f)))
    if hi > 0:
        pieces.append(max(out, -w, abs(l + f)))
    if lo <= 0 <= hi:
        pieces.append(max(abs(w), abs(l) - f))
    return min(pieces)


def cone_distance(t, n, mu):
    return 0 if t <= mu * n else math.hypot(t, n) if mu * t <= -n else (t - mu * n) / math.hypot(1, mu)


def dense(p):
    n = len(p["c"])
    G, k = [[0.0] * n for _ in range(n)], 0
    for i in range(n):
        for j in range(i + 1):
            G[i][j] = G[j][i] = p["G_lower"][k]
            k += 1
    return G


def limits(row):
    return row[0], -INF if row[1] is None else row[1], INF if row[2] is None else row[2]


def violation(p, G, l):
    """Of the full law and of the rows, scale-free; closures by their whole velocity where G has an inverse on them."""
    n, first, last = len(p["c"]), 3 * p["n_contacts"], 3 * p["n_contacts"] + len(p["rows"])
    w = [p["c"][i] + math.fsum(G[i][k] * l[k] for k in range(n)) for i in range(n)]
    mobility = max([sum(G[i + k][i + k] for k in range(3)) / 3 for i in range(0, first, 3)] + [G[i][i] for i in range(first, n)])
    vs = max(map(abs, p["c"])) or 1
    ls = max(max(map(abs, l)), vs / mobility)
    worst = 0
    for k, mu in enumerate(p["mu"]):
        a, v = [x / ls for x in l[3 * k : 3 * k + 3]], [x / vs for x in w[3 * k : 3 * k + 3]]
        slip = math.hypot(v[0], v[1])
        s = v[2] + mu * slip
        dual = 0 if v[2] >= 0 else math.hypot(slip, s) if slip <= -mu * s else -v[2] / math.hypot(1, mu)
        worst = max(worst, cone_distance(math.hypot(a[0], a[1]), a[2], mu), dual, abs(a[0] * v[0] + a[1] * v[1] + a[2] * s))
    for k, row in enumerate(p["rows"]):
        f, lo, hi = limits(row)
        worst = max(worst, stairs_distance(l[first + k] / ls, w[first + k] / vs, f / ls, lo / vs, hi / vs))
    return worst, w, max([abs(x) / vs for x in w[last:]], default=0)


def solve(problems, solver, tolerance, precision="f64", sweeps=50000):
    given = cli_scene.write("rows.json", {"problems": problems})
    cli_scene.run("solve", given, "--solver", solver, "--precision", precision, "--tolerance", str(tolerance), "--max-sweeps", str(sweeps), "--json", cli_scene.path("answers.json"))
    return cli_scene.read("answers.json")["problems"]


def check_problems():
    problems = json.loads((worlds / "rows.json").read_text(encoding="utf-8"))["problems"]
    matrices = [dense(p) for p in problems]
    given = [{"id": p["id"], "G": G, "c": p["c"], "mu": p["mu"], "rows": p["rows"], "bilateral": p["n_bilateral"]} for p, G in zip(problems, matrices)]
    for solver in cli_scene.solver_names():
        answers, solved, worst, off = solve(given, solver, 1e-8), 0, 0, 0
        for p, G, a in zip(problems, matrices, answers):
            seen, w, closures = violation(p, G, a["impulse"])
            if seen > a["residual_ncp"] * (1 + 1e-6) + 1e-12:
                cli_scene.problems.append(f"{solver}, problem {p['id']}: violated by {seen:.3g}, and residual_ncp is {a['residual_ncp']:.3g}")
            if a["status"] != "converged":
                continue
            solved += 1
            if solver in FULL and seen > 1.001e-8:
                cli_scene.problems.append(f"{solver}, problem {p['id']}: converged, and violated by {seen:.3g}")
            if solver in FULL and p.get("unique", "").startswith("yes"):
                off = max(off, max(abs(x - y) for x, y in zip(w, p["velocity"])) / max(map(abs, p["c"])))
            worst = max(worst, closures)
        print(f"{solver:17} {solved} of {len(problems)} solved; closures move by {worst:.1e}; velocities differ from the truth by {off:.1e} of max|c|")
        if solved < SURE.get(solver, 0.7) * len(problems):
            cli_scene.problems.append(f"{solver}: {solved} of {len(problems)} solved")
        if off > 1e-5:
            cli_scene.problems.append(f"{solver}: a unique velocity is off by {off:.3g}")


def check_closed_forms():
    cases = json.loads((worlds / "analytic_rows.json").read_text(encoding="utf-8"))["cases"]
    given, wanted = [], []
    for case in cases:
        s, e = case["setup"], case["expected"]
        if not (case["name"].startswith("row_") or case["name"] == "two_limits"):
            continue
        one = not isinstance(s["G"], list)
        lists = {key: [s[key]] if one else s[key] for key in ("c", "f", "lo", "hi")}
        rows = [[f, None if lo is None or math.isinf(lo) else lo, None if hi is None or math.isinf(hi) else hi] for f, lo, hi in zip(lists["f"], lists["lo"], lists["hi"])]
        given.append({"id": case["id"], "G": [[s["G"]]] if one else s["G"], "c": lists["c"], "mu": [], "rows": rows})
        wanted.append(([e["impulse"]], [e["velocity"]]) if one else (e["impulse"], e["velocity"]))
    for solver in ("hybrid", "nsgs", "bisection", "pgs", "admm-ncp", "staggered", "prox", "ipm-diamond", "ipm-cone"):
        for precision, tolerance, near in (("f64", 1e-13, 1e-12), ("f32", 1e-6, 1e-5)):
            worst = 0
            for a, (impulse, velocity) in zip(solve(given, solver, tolerance, precision), wanted):
                scale = max(1, *map(abs, impulse), *map(abs, velocity))
                worst = max([worst] + [abs(x - y) / scale for x, y in zip(a["impulse"] + a["velocity"], impulse + velocity)])
            print(f"{solver:17} {precision}: {len(given)} closed forms to {worst:.1e}")
            if worst > near:
                cli_scene.problems.append(f"{solver}, {precision}: a closed form is missed by {worst:.3g}")
    if len(given) < 40:
        cli_scene.problems.append(f"only {len(given)} closed forms of rows")


cli_scene.finish(check_problems, check_closed_forms)
