#!/usr/bin/env python3
"""Every solver of `myriapod solve` on every problem of the contact oracle, against the truth of its own model.
ctest: heavy timeout=900

A table of how many are solved to a scaled residual of 1e-8 (double); the rest one by one, with residual and cause. The residual is measured
again here from G, c and the impulses alone. Where the oracle says that the velocity of a model is unique, a solved problem must have it;
where several solutions are true the residual decides. The Newton solvers are judged by `admm-ccp` on G + R with the R that they chose.
`admm-ncp`, `admm-ccp` and `ipm-cone` must solve every problem with several contacts, singular ones and mass ratios of 1e6 included; every solver whose single
contacts are exact, and Newton's, every problem with one contact and all of our own oracle."""
import json
import math
import pathlib
import re
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import oracle
from check_oracle_contact import as_lists, cone_distance, measure

TOLERANCE = 1e-8
LAWS = {"bisection": "hwangbo", "bisection-paper": "hwangbo", "golden": "hwangbo", "quartic": "hwangbo", "pgs": "ncp", "nsgs": "ncp", "hybrid": "ncp", "pgs-lelidec": "ncp", "pgs-lcp": "box",
        "pgs-ccp": "ccp", "admm-ccp": "ccp", "admm-ncp": "ncp", "newton-diag": "soft", "newton-compliant": "soft", "staggered": "ncp", "prox": "ncp", "ipm-diamond": "diamond", "ipm-cone": "ncp"}
MUST_SOLVE_ALL = ("admm-ccp", "admm-ncp", "hybrid", "ipm-cone")
MUST_SOLVE_OWN = MUST_SOLVE_ALL + ("bisection", "bisection-paper", "golden", "quartic", "nsgs", "newton-diag", "newton-compliant")
MOST_SWEEPS = 20000  # or the solver's own cap, where that is more


def own_caps():
    """Solver -> the cap on sweeps that its file gives it."""
    lines = "\n".join(path.read_text(encoding="utf-8") for path in sorted((oracle.SOURCE / "kernels" / "contact").glob("*.lane.h")))
    return {name: int(cap) for name, cap in re.findall(r'^MYR_SOLVER\(\w+, "([\w-]+)", \w+, \w+, (\d+),', lines, re.MULTILINE)}


def scaled(G, c, impulse):
    """Impulse and velocity as triples, scale-free."""
    m = len(c)
    w = [c[i] + math.fsum(G[i][k] * impulse[k] for k in range(m)) for i in range(m)]
    vs = max(map(abs, c), default=0.0) or 1.0
    mobility = max(sum(G[i + k][i + k] for k in range(3)) / 3 for i in range(0, m, 3))
    ls = max(max(map(abs, impulse)), vs / mobility if mobility > 0 else 1.0)
    return [([x / ls for x in impulse[i:i + 3]], [x / vs for x in w[i:i + 3]]) for i in range(0, m, 3)]


def convex(G, c, mu, impulse):
    worst = 0.0
    for (l, w), f in zip(scaled(G, c, impulse), mu):
        slip = math.hypot(w[0], w[1])
        under = f * slip - w[2]
        dual = 0.0 if under <= 0 else math.hypot(slip, w[2]) if slip <= -f * w[2] else under / math.hypot(1, f)
        worst = max(worst, cone_distance(math.hypot(l[0], l[1]), l[2], f), dual, abs(sum(a * b for a, b in zip(l, w))))
    return worst


def box(G, c, mu, impulse):
    worst = 0.0
    for (l, w), f in zip(scaled(G, c, impulse), mu):
        side = f * max(l[2], 0.0)
        worst = max([worst, abs(min(l[2], w[2]))] + [abs(a - min(side, max(-side, a - b))) for a, b in zip(l[:2], w[:2])])
    return worst


def with_R(G, R):
    return [[x + (R[i] if i == k else 0.0) for k, x in enumerate(row)] for i, row in enumerate(G)]


def own_residual(law, G, c, mu, impulse, R):
    if law == "hwangbo":
        return measure(G, c, mu, impulse)[1]
    if law == "ncp":
        return measure(G, c, mu, impulse)[2]
    if law == "diamond":
        return measure(G, c, mu, impulse)[5]
    if law == "box":
        return box(G, c, mu, impulse)
    return convex(with_R(G, R) if law == "soft" else G, c, mu, impulse)


def rounding(G, c, mu, impulse):
    """How far a scale-free residual may move with the rounding of the sums G impulse + c, whose terms cancel where impulses are large: a sum of
    m + 1 terms is off by at most (m + 1) u of the sum of their sizes, and a residual takes three components, the normal one with mu times the slip."""
    size = max(map(abs, c), default=0.0) or 1.0
    terms = max((math.fsum(abs(g * x) for g, x in zip(row, impulse)) for row in G), default=0.0)
    return 3 * (1 + max(mu)) * (len(c) + 1) * 2.0**-53 * terms / size


def solve(problems, solver, cap, tolerance=TOLERANCE):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "problems.json"
        path.write_text(json.dumps({"problems": problems}), encoding="utf-8")
        return oracle.answers_of(oracle.run(["solve", path, "--solver", solver, "--tolerance", tolerance, "--precision", "f64", "--max-sweeps", cap]))


def truths(problem, law):
    """Velocities that are true under the law, or none where only the residual decides."""
    compare = problem.get("compare", {})
    if law == "ncp":
        if "ncp" in problem and ("compare" not in problem or compare["ncp_velocity"]):
            return [s["v"] for s in problem["ncp"]["solutions"]]
    elif law == "ccp" and "ccp" in problem:
        if compare.get("ccp_velocity", True):
            return [problem["ccp"]["v"]]
    elif law == "hwangbo" and "hwangbo" in problem:
        return [problem["hwangbo"]["v"]]
    return []


def load(folder):
    """name -> (problems as the program reads them, entries of the oracle); the last two are in the shared oracle alone"""
    sets = {}
    for name in ("single", "multi", "siconos_small", "contactbench"):
        if name not in ("single", "multi") and not (folder / f"{name}.json").exists():
            continue
        entries = oracle.load(folder / f"{name}.json")["problems"]
        problems = []
        for k, entry in enumerate(entries):
            G, c, mu = as_lists(entry)
            if name == "siconos_small":  # slightly asymmetric as their files are
                G = [[0.5 * (G[i][j] + G[j][i]) for j in range(len(G))] for i in range(len(G))]
            problems.append({"id": entry.get("id", entry.get("file", k)), "G": G, "c": c, "mu": mu})
        sets[name] = problems, entries
    return sets


def check(solver, law, name, own_oracle, problems, entries, caps, failures):
    answers = solve(problems, solver, caps[solver])
    solved, compared, worst, rest = 0, 0, 0.0, []
    soft = {}
    if law == "soft":
        stiff = [{**p, "R": a["R"]} for p, a in zip(problems, answers)]
        soft = {s["id"]: s for s in solve(stiff, "admm-ccp", caps["admm-ccp"], 1e-10)}
    for problem, entry, answer in zip(problems, entries, answers):
        G, c, mu = as_lists(problem)
        own = own_residual(law, G, c, mu, answer["impulse"], answer.get("R", []))
        where = f"{name} {problem['id']}, {solver}"
        if answer["status"] == "not finite":  # no answer, and no figure of one
            rest.append(f"{problem['id']}: not finite")
            continue
        if not abs(own - answer["residual"]) <= 1e-6 * own + 1e-11 + rounding(with_R(G, answer["R"]) if law == "soft" else G, c, mu, answer["impulse"]):
            failures.append(f"{where}: residual is {answer['residual']:.3g}, measured {own:.3g}")
        if (answer["status"] == "converged") != (answer["residual"] <= TOLERANCE):
            failures.append(f"{where}: {answer['status']} at {answer['residual']:.3g}")
        if answer["status"] != "converged":
            rest.append(f"{problem['id']}: {answer['status']}, {answer['residual']:.1e}")
            continue
        solved += 1
        expected = [soft[problem["id"]]["velocity"]] if law == "soft" and soft[problem["id"]]["status"] == "converged" else truths(entry, law)
        if not expected:
            continue
        scale = max(map(abs, c))
        error = min(oracle.relative(answer["velocity"], v, scale) for v in expected)
        condition = entry.get("cond_G_nonzero", entry.get("cond_G", 1.0))
        # a residual of 1e-8 lets the velocity be off by the square root of it where complementarity is what is left
        allowed = max(10 * math.sqrt(TOLERANCE), 10 * TOLERANCE * condition)
        compared, worst = compared + 1, max(worst, error)
        if not error <= allowed:
            failures.append(f"{where}: velocity is off by {error:.3g} of max|c|, allowed {allowed:.3g}")
    print(f"{solver:17} {name:14} {solved:4} of {len(problems):4} solved; {compared:4} velocities compared, worst {worst:.1e}" + ("; not: " + "; ".join(rest) if rest else ""), flush=True)
    if name == "multi" and solver in MUST_SOLVE_ALL and rest:
        failures.append(f"{solver} must solve every problem with several contacts: {'; '.join(rest)}")
    elif (name == "single" or own_oracle) and solver in MUST_SOLVE_OWN and rest:
        failures.append(f"{solver} must solve every problem of {name}: {'; '.join(rest)}")


def main():
    folders = oracle.begin("contact")
    failures = []
    caps = {name: max(cap, MOST_SWEEPS) for name, cap in own_caps().items()}
    if caps.keys() != LAWS.keys():
        failures.append(f"solvers of kernels/contact and of this table differ: {', '.join(sorted(caps.keys() ^ LAWS.keys()))}")
    for folder, _ in folders:
        print(folder)
        sets = load(folder)
        for solver, law in LAWS.items():
            for name, (problems, entries) in sets.items():
                try:
                    check(solver, law, name, folder.is_relative_to(oracle.OWN), problems, entries, caps, failures)
                except oracle.Refused as refused:
                    failures.append(f"{solver}, {name}: {refused}")
    print(f"{len(failures)} failures")
    for failure in failures[:60]:
        print("  " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
