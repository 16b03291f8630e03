#!/usr/bin/env python3
"""How many robots fit: one million ANYmals (float) in one process, stepped; bytes per environment and the process's peak."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure

GOAL = 2048  # bytes per environment


def main():
    parser = measure.arguments(__doc__, repeats=1)
    parser.add_argument("--envs", type=int, default=1_000_000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--precision", default="f32")
    args = parser.parse_args()
    bench = measure.Bench(args)
    envs = args.envs // 100 if args.quick else args.envs
    arguments = ["anymal", "--task", "trot", "--precision", args.precision, "--envs", envs, "--warmup", 2, "--steps", args.steps]
    r = bench.run(arguments)
    row = {key: r[key] for key in ("envs", "steps", "precision", "isa", "threads", "bytes_per_env", "peak_rss_bytes", "ns_per_robot_step_core", "contacts_mean", "residual_p99", "residual_max",
                                   "not_converged", "quarantined", "state_hash")}
    machine = measure.machine(bench)
    print(f"{measure.machine_text(machine)}\n")
    print(f"{envs} ANYmals ({r['precision']}) in one process made {r['steps']} timed steps: {r['bytes_per_env']:.0f} bytes each (goal below {GOAL}), "
          f"peak of the process {r['peak_rss_bytes'] / 1e9:.2f} GB = {r['peak_rss_bytes'] / envs:.0f} bytes each")
    print(f"{r['ns_per_robot_step_core']:.0f} ns per robot-step and core ({r['threads']} thread, not gated), {r['contacts_mean']:.2f} contacts, residual p99 {r['residual_p99']:.1e}, "
          f"quarantined {r['quarantined']}")
    measure.write_results(bench, "memory", {"machine": machine, "rows": [row]}, [row])


if __name__ == "__main__":
    try:
        main()
    except measure.Failed as failed:
        sys.exit(str(failed))
