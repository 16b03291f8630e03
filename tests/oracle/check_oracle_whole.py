#!/usr/bin/env python3
"""`myriapod solve` with the solvers that take all contacts at once, against the contact oracle, on every instruction set present.
ctest: heavy timeout=600

multi.json, and of the shared oracle contactbench.json, siconos_small.json: `admm-ccp` and `admm-ncp` solve every problem to a scaled residual of 1e-8, measured again
here from G and c; where the file says that the velocity is unique, it is the file's. `newton-diag` and `newton-compliant`, with both line
searches, solve every problem to the same, on G + R with the R that they choose, and end where `admm-ccp` ends on that system."""
import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import oracle
from check_oracle_contact import cone_distance, solve

BOUND = 1e-8  # what every answer is held to
TOLERANCE = 5e-9  # what the solvers are asked for: the measure here rounds otherwise, and stacks of 1 : 1e6 have impulses of 1e6 times max|g|
CLOSE = 1e-12  # where Newton and ADMM are compared
FILES = ("multi.json", "contactbench.json", "siconos_small.json")  # the last two are in the shared oracle alone


def symmetric(G):
    return [[0.5 * (G[i][k] + G[k][i]) for k in range(len(G))] for i in range(len(G))]


def load(folder):
    """Problems, and the stored truths beside them."""
    problems, truths = [], []
    for name in FILES:
        if name != "multi.json" and not (folder / name).exists():
            continue
        for entry in oracle.load(folder / name)["problems"]:
            label = f"{pathlib.Path(name).stem} {entry.get('id', entry.get('file'))}"
            problems.append({"id": label, "mu": entry["mu"], "G": symmetric(entry["G"]), "c": oracle.flat(entry["g"])})
            truths.append(entry if name == "multi.json" else None)
    return problems, truths


def residual(problem, impulse, R, full):
    """Scale-free violation of the convex model (`full`: of the full law) by `impulse` on G + R."""
    G, c, mu, m = problem["G"], problem["c"], problem["mu"], len(problem["c"])
    w = [c[i] + R[i] * impulse[i] + math.fsum(G[i][k] * impulse[k] for k in range(m)) for i in range(m)]
    vs = max(map(abs, c))
    ls = max(max(map(abs, impulse)), vs / max(sum(G[i + k][i + k] for k in range(3)) / 3 for i in range(0, m, 3)))
    worst = 0.0
    for i in range(0, m, 3):
        l, u, f = [x / ls for x in impulse[i:i + 3]], [x / vs for x in w[i:i + 3]], mu[i // 3]
        slip = math.hypot(u[0], u[1])
        s = u[2] + f * slip if full else u[2]
        dual = 0.0 if f * slip <= s else math.hypot(slip, s) if slip <= -f * s else (f * slip - s) / math.hypot(1, f)
        worst = max(worst, cone_distance(math.hypot(l[0], l[1]), l[2], f), dual, abs(l[0] * u[0] + l[1] * u[1] + l[2] * s))
    return worst


def everywhere(problems, solver, isas, failures, *more):
    first = solve(problems, solver, isas[0], "--tolerance", TOLERANCE, "--max-sweeps", 50000, *more)
    for isa in isas[1:]:
        if solve(problems, solver, isa, "--tolerance", TOLERANCE, "--max-sweeps", 50000, *more) != first:
            failures.append(f"{solver}: {isa} does not give the numbers of {isas[0]}")
    return first


def check_solved(problems, answers, Rs, solver, failures):
    for problem, answer, R in zip(problems, answers, Rs):
        measured = residual(problem, answer["impulse"], R, solver == "admm-ncp")
        if answer["status"] != "converged" or not measured <= BOUND:
            failures.append(f"{problem['id']}, {solver}: {answer['status']}, residual {answer['residual']:.3g}, measured {measured:.3g}")
    sweeps = sorted(a["iterations"] for a in answers)
    print(f"{solver:17} {sum(a['status'] == 'converged' for a in answers)} of {len(answers)} converged, iterations: median {sweeps[len(sweeps) // 2]}, most {sweeps[-1]}")


def check_admm(problems, truths, isas, failures):
    for solver, key in (("admm-ccp", "ccp_velocity"), ("admm-ncp", "ncp_velocity")):
        answers = everywhere(problems, solver, isas, failures)
        check_solved(problems, answers, [[0.0] * len(p["c"]) for p in problems], solver, failures)
        compared, worst = 0, 0.0
        for problem, answer, truth in zip(problems, answers, truths):
            if truth is None or not truth["compare"][key]:
                continue
            scale = max(map(abs, problem["c"]))
            stored = [truth["ccp"]] if solver == "admm-ccp" else truth["ncp"]["solutions"]
            error = min(oracle.relative(answer["velocity"], s["v"], scale) for s in stored)
            # to what a residual of 1e-8 leaves open where G is ill-conditioned
            allowed = max(truth["compare"]["tolerance_velocity_rel"], math.sqrt(BOUND), 10 * BOUND * truth["cond_G_nonzero"])
            if not error <= allowed:
                failures.append(f"{problem['id']}, {solver}: velocity is off by {error:.3g}, allowed {allowed:.3g}")
            compared, worst = compared + 1, max(worst, error)
        print(f"{'':17} {compared} velocities compared, worst difference {worst:.1e} of max|g|")


def check_newton(problems, isas, failures):
    for solver in ("newton-diag", "newton-compliant"):
        for search in ("exact", "armijo"):
            answers = everywhere(problems, solver, isas, failures, "--line-search", search)
            Rs = [answer["R"] for answer in answers]
            check_solved(problems, answers, Rs, solver, failures)
            soft = [dict(problem, R=R) for problem, R in zip(problems, Rs)]
            ours = solve(problems, solver, isas[0], "--tolerance", CLOSE, "--max-sweeps", 200, "--line-search", search)
            truths = solve(soft, "admm-ccp", isas[0], "--tolerance", CLOSE, "--max-sweeps", 50000)
            worst, compared = 0.0, 0
            for problem, answer, truth in zip(problems, ours, truths):
                if not max(answer["residual"], truth["residual"]) <= BOUND:
                    failures.append(f"{problem['id']}, {solver}: residual {answer['residual']:.3g}, of admm-ccp on G + R {truth['residual']:.3g}")
                error = oracle.relative(answer["velocity"], truth["velocity"], max(map(abs, problem["c"])))
                compared += answer["status"] == truth["status"] == "converged"
                if error > worst:
                    worst, where = error, problem["id"]
                if answer["status"] == truth["status"] == "converged" and not error <= BOUND:
                    failures.append(f"{problem['id']}, {solver}, {search}: velocity is {error:.3g} of max|g| away from that of admm-ccp on G + R")
            print(f"{'':17} {compared} to {CLOSE:g}; velocities within {worst:.1e} of max|g| of admm-ccp's on G + R ({search}; the farthest {where})")


def main():
    folders = oracle.begin("contact")
    isas = oracle.instruction_sets()
    failures = []
    for folder, _ in folders:
        print(folder)
        problems, truths = load(folder)
        try:
            check_admm(problems, truths, isas, failures)
            check_newton(problems, isas, failures)
        except oracle.Refused as refused:
            failures.append(str(refused))
    print(f"{len(failures)} failures")
    for failure in failures[:50]:
        print("  " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
