#!/usr/bin/env python3
"""Table II, Fig. 4 and Fig. 5 of Hwangbo, Lee, Hutter 2018 beside ours: seconds per 100 000 steps of one ANYmal, its split into
dynamics, Delassus matrix and solve, and the sweeps per solve, for the paper's solvers and our fast one.

Profile `paper`: double precision, law held to 1e-6 N s or m/s, dt 1 ms. Hwangbo's figures are one robot at a time on a Xeon E5-1620
(3.6 GHz, 2012); ours are per robot of a batch on one core, and one robot alone, which pays for the unused lanes beside it."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure

PAPER = {"trot": {"bisection": 1.98, "pgs": 1.81}, "hang": {"bisection": 2.57, "pgs": 5.92},  # s per 100k steps
         "drop": {"bisection": 2.62, "pgs": 4.35}, "random": {"bisection": 1.90, "pgs": 2.88}}
SOLVERS = ("bisection-paper", "pgs", "bisection")
SPLIT = {"dynamics": ("actuate", "kinematics", "dynamics", "free", "integrate", "sense"), "delassus": ("collide", "delassus"), "solve": ("solve",)}
NS = "ns_per_robot_step_core"


def run_arguments(args, task, solver, envs):
    warmup, steps = (200, 300) if args.quick else (1000, 2000)
    return ["anymal", "--profile", "paper", "--task", task, "--solver", solver, "--isa", args.isa, "--envs", envs, "--warmup", warmup, "--steps", steps]


def row(task, solver, together, alone):
    split = {part: sum(together["stage_ns"][stage] for stage in stages) for part, stages in SPLIT.items()}
    return {"task": task, "solver": solver, "seconds_per_100k": 1e-4 * together[NS], "seconds_per_100k_alone": 1e-4 * alone[NS],
            "paper_seconds_per_100k": PAPER[task]["pgs" if solver == "pgs" else "bisection"], **{f"{part}_ns": ns for part, ns in split.items()},
            **{key: together[key] for key in ("contacts_mean", "iterations_mean", "iterations_p99", "iterations_max", "residual_p99", "residual_max",
                                              "residual_ncp_p99", "not_converged", "lane_occupancy", "isa", "envs", "good", "tried", "noisy")}}


def print_tables(rows, solvers):
    by = {(r["task"], r["solver"]): r for r in rows}
    print("seconds per 100k steps (? = no quiet timing)")
    print(measure.table(["task", "Hwangbo 2018 bisection", "Hwangbo 2018 pgs", "Hwangbo 2018 pgs/bis.", *(f"{s}{w}" for s in solvers for w in ("", " alone")), "pgs/bisection-paper"],
                        [[task, f"{p['bisection']:.2f}", f"{p['pgs']:.2f}", f"{p['pgs'] / p['bisection']:.2f}",
                          *(f"{by[task, s][k]:.4f}" + ("?" if by[task, s]["noisy"] else "") for s in solvers for k in ("seconds_per_100k", "seconds_per_100k_alone")),
                          f"{by[task, 'pgs']['seconds_per_100k'] / by[task, 'bisection-paper']['seconds_per_100k']:.2f}" if "pgs" in solvers else "-"]
                         for task, p in PAPER.items() if (task, solvers[0]) in by]))
    print("\nwhere the time goes (Fig. 5), ns per robot-step, and how exactly")
    print(measure.table(["task", "solver", "dynamics", "Delassus", "solve", "solve share", "contacts", "residual p99", "max", "ncp p99", "not conv."],
                        [[r["task"], r["solver"], f"{r['dynamics_ns']:.0f}", f"{r['delassus_ns']:.0f}", f"{r['solve_ns']:.0f}",
                          f"{100 * r['solve_ns'] / (r['dynamics_ns'] + r['delassus_ns'] + r['solve_ns']):.0f} %", f"{r['contacts_mean']:.2f}",
                          f"{r['residual_p99']:.1e}", f"{r['residual_max']:.1e}", f"{r['residual_ncp_p99']:.1e}", r["not_converged"]] for r in rows]))
    print("\nsweeps per solve (Fig. 4)")
    print(measure.table(["task", "solver", "mean", "p99", "max", "occupancy"],
                        [[r["task"], r["solver"], f"{r['iterations_mean']:.2f}", r["iterations_p99"], r["iterations_max"], f"{r['lane_occupancy']:.2f}"] for r in rows]))


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--isa", default="auto")
    parser.add_argument("--tasks", default=",".join(PAPER), help="comma-separated")
    args = parser.parse_args()
    bench = measure.Bench(args)
    solvers = []
    for solver in SOLVERS:
        why = measure.has_solver(bench, solver)
        if why:
            print(f"{solver} is left out: {why}\n")
        else:
            solvers.append(solver)
    cases = {(task, solver, envs): lambda a=run_arguments(args, task, solver, envs): bench.run(a)
             for task in args.tasks.split(",") for solver in solvers for envs in (args.envs, 1)}
    timings = bench.collect(cases)
    rows = [row(task, solver, *(bench.summary(timings[task, solver, envs], NS) for envs in (args.envs, 1)))
            for task in args.tasks.split(",") for solver in solvers]
    machine = measure.machine(bench)
    print(f"{measure.machine_text(machine)}\nanymal, profile paper (f64, 1e-6), {rows[0]['isa']}, one thread, {args.envs} environments together, or one alone\n")
    print_tables(rows, solvers)
    measure.write_results(bench, "table2", {"machine": machine, "rows": rows, "paper_seconds_per_100k": PAPER}, rows)


if __name__ == "__main__":
    try:
        main()
    except measure.Failed as failed:
        sys.exit(str(failed))
