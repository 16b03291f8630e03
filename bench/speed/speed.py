#!/usr/bin/env python3
"""How fast, with what it computed beside it: tasks x precisions x instruction sets on one core, stage costs, two threads.

Every figure is the median of gated timings of `myriapod run anymal`: 4096 environments, dt 1 ms, 1000 steps of warm-up, 2000 timed."""
import os
import pathlib
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure

TASKS = ("stand", "trot", "hang", "drop", "random")
# Goals [ns per robot-step and core] on a core of REFERENCE 512-bit FMA/s; AVX2 may take 1.6 times as long.
TARGETS = {("trot", "f32"): 110, ("hang", "f32"): 140, ("drop", "f32"): 200, ("random", "f32"): 200,
           ("trot", "f64"): 220, ("hang", "f64"): 270, ("drop", "f64"): 400, ("random", "f64"): 400}
AVX2_FACTOR = 1.6
REFERENCE = 6.8e9
TOLERANCE = {"f32": 1e-5, "f64": 1e-6}
NS = "ns_per_robot_step_core"


def run_arguments(args, task, precision, isa, solver=None):
    envs, warmup, steps = (512, 200, 300) if args.quick else (4096, 1000, 2000)
    return ["anymal", "--task", task, "--precision", precision, "--isa", isa, "--solver", solver or args.solver, "--tolerance", TOLERANCE[precision],
            "--envs", envs, "--warmup", warmup, "--steps", steps]


def target(task, precision, isa):
    ns = TARGETS.get((task, precision))
    return ns and ns * (AVX2_FACTOR if isa == "avx2" else 1)


def single_core(bench, tasks, precisions, isas):
    cases = {}
    for isa in isas:
        for precision in precisions:
            for task in tasks:
                arguments = run_arguments(bench.args, task, precision, isa)
                cases[task, precision, isa] = lambda arguments=arguments: bench.run(arguments)
    timings = bench.collect(cases)
    return {name: bench.summary(timings[name], NS) for name in cases}


def scale(bench):
    """How much slower this core is than the one the targets are for; None without a 512-bit probe."""
    return REFERENCE / bench.best["avx512"] if "avx512" in bench.best else None


def rows_of(bench, results):
    factor = scale(bench)
    for (task, precision, isa), r in results.items():
        goal = target(task, precision, isa)
        scaled = goal * factor if goal and factor else None
        yield {"task": task, "precision": precision, "isa": isa, "threads": r["threads"], "solver": r["solver"], "tolerance": r["tolerance"],
               "envs": r["envs"], "ns": r[NS], "target": goal, "target_scaled": scaled, "over_target": r[NS] / scaled if scaled else None,
               **{key: r[key] for key in ("robot_steps_per_s", "contacts_mean", "iterations_mean", "iterations_p99", "iterations_max", "residual_p99",
                                          "residual_max", "residual_ncp_p99", "not_converged", "lane_occupancy", "bytes_per_env", "quarantined",
                                          "fastest", "slowest", "good", "tried", "noisy", "quietness", "state_hash")}}


def print_speed(rows):
    text = lambda value, form: format(value, form) if value is not None else "-"
    print(measure.table(
        ["task", "precision", "isa", "ns", "fastest", "goal", "goal here", "over", "contacts", "sweeps", "p99", "residual p99", "max", "not conv.", "occupancy", "B/env", "timings"],
        [[r["task"], r["precision"], r["isa"], f"{r['ns']:.1f}" + ("?" if r["noisy"] else ""), f"{r['fastest']:.1f}", text(r["target"], ".0f"), text(r["target_scaled"], ".0f"),
          text(r["over_target"], ".2f"), f"{r['contacts_mean']:.2f}", f"{r['iterations_mean']:.2f}", r["iterations_p99"], f"{r['residual_p99']:.1e}",
          f"{r['residual_max']:.1e}", r["not_converged"], f"{r['lane_occupancy']:.2f}", f"{r['bytes_per_env']:.0f}", f"{r['good']}/{r['tried']}"]
         for r in rows]))


def print_readme(rows, isa):
    """README's table: speed with what it computed beside it, of one instruction set. ? = no quiet timing."""
    found = {(r["task"], r["precision"]): r for r in rows if r["isa"] == isa}
    cells = []
    for task in dict.fromkeys(task for task, _ in found):
        single, double = found.get((task, "f32")), found.get((task, "f64"))
        ns = lambda r: f"{r['ns']:.0f}" + "?" * r["noisy"] if r else "-"
        law = lambda r: f"{r['residual_p99']:.0e}, {r['not_converged']}".replace("e-0", "e-") if r else "-"
        cells.append([task, ns(single), ns(double), law(single)])
    print(measure.table(["task", "ns, float", "ns, double", "float: residual p99, not converged"], cells))


def print_stages(results):
    stages = list(next(iter(results.values()))["stage_ns"])
    print(measure.table(["task", "precision", "isa", *stages],
                        [[*name, *(f"{r['stage_ns'][stage]:.1f}" for stage in stages)] for name, r in results.items()]))


def two_threads(bench, isa):
    """Rate on two cores over twice the rate on one, and the same of the probe: what the machine itself gives. None with one core."""
    cpus = [bench.args.cpu, *(c for c in sorted(os.sched_getaffinity(0)) if c != bench.args.cpu)][:2]
    if len(cpus) < 2:
        return None
    arguments = run_arguments(bench.args, "trot", "f32", isa)
    timings = bench.collect({"one": lambda: bench.run(arguments), "two": (lambda: bench.run(arguments, cpus), cpus)})
    one, two = (bench.summary(timings[name], NS) for name in ("one", "two"))
    probes = {}
    for name, key in (("one", [bench.args.cpu]), ("two", cpus)):
        tried = [bench.quiet_probe(key) for _ in range(5)]
        probes[name] = statistics.median(sum(rates[isa] for rates in cores) for cores in tried)
    scaling, probe_scaling = one[NS] / two[NS], probes["two"] / (2 * probes["one"])
    return {"cpus": cpus, "one": one, "two": two, "scaling": scaling, "probe_scaling": probe_scaling, "efficiency": scaling / probe_scaling,
            "quiet": not (one["noisy"] or two["noisy"]), "same_bits": one["state_hash"] == two["state_hash"]}


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--tasks", default=",".join(TASKS), help="comma-separated")
    parser.add_argument("--precisions", default="f32,f64")
    parser.add_argument("--isas", default="", help="avx512,avx2,portable; default: avx512 and avx2 where present")
    parser.add_argument("--solver", default="hybrid", help="the library's default unless said")
    args = parser.parse_args()
    bench = measure.Bench(args)
    isas = args.isas.split(",") if args.isas else bench.isas or ["portable"]
    results = single_core(bench, args.tasks.split(","), args.precisions.split(","), isas)
    threads = two_threads(bench, isas[0]) if isas[0] in bench.isas else None
    machine = measure.machine(bench)
    rows = list(rows_of(bench, results))

    print(f"{measure.machine_text(machine)}\n")
    envs = rows[0]["envs"]
    print(f"anymal, {envs} environments, dt 1 ms, one thread, solver {args.solver}; ns per robot-step and core (median; ? = no quiet timing)")
    if scale(bench):
        print(f"goals are for a core of {REFERENCE / 1e9:.1f} G 512-bit FMA/s; `goal here` is scaled by the probe ({scale(bench):.2f}), `over` = ns / goal here")
    print_speed(rows)
    print(f"\nREADME's table, {isas[0]}")
    print_readme(rows, isas[0])
    print("\nstages, ns")
    print_stages(results)
    if threads:
        print(f"\ntwo threads (trot f32 {isas[0]}): {threads['one'][NS]:.1f} ns on one core, {threads['two'][NS]:.1f} ns per robot-step and core on two; "
              f"scaling {threads['scaling']:.3f}, two probes {threads['probe_scaling']:.3f}, efficiency {threads['efficiency']:.3f} "
              f"(goal 0.95{'' if threads['quiet'] else '; not quiet'}); same bits: {threads['same_bits']}")
    measure.write_results(bench, "speed", {"machine": machine, "rows": rows, "stages": {" ".join(k): r["stage_ns"] for k, r in results.items()}, "two_threads": threads}, rows)


if __name__ == "__main__":
    try:
        main()
    except measure.Failed as failed:
        sys.exit(str(failed))
