#!/usr/bin/env python3
"""How solves end where contacts are many: humanoids, a biped, hands, stacks and quadrupeds that stand, sway, lie limp or fall (hard_scenes.py), joint
limits on. Of each the share of solves that did not converge, the residual of the full law, and what a step takes, for one solver or several.

Robots that are not there are left out. Times are processor time of one thread; take ratios within a run."""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import hard_scenes
import measure

HEAD = ["robot", "scene", "dt ms", "precision", "solver", "solves", "not converged", "contacts", "sweeps", "law p99", "law max", "ns/step"]


def run(bench, words, options):
    command = [bench.args.build / "bench" / "scenes", *words, *options]
    done = subprocess.run(bench.command(command, [bench.args.cpu]), capture_output=True, text=True)
    if done.returncode:
        raise measure.Failed(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--models", action="append", default=[], metavar="DIR", help="where robots that do not ship are (hard_scenes.py); may be given again")
    parser.add_argument("--robots", default=",".join(hard_scenes.ROBOTS), help="comma-separated")
    parser.add_argument("--solvers", default="nsgs,hybrid", help="comma-separated")
    parser.add_argument("--precisions", default="f32,f64", help="comma-separated")
    parser.add_argument("--dts", default="0.001,0.002", help="comma-separated [s]")
    parser.add_argument("--envs", type=int, default=256, help="robots of a scene")
    parser.add_argument("--seconds", type=float, default=4.0, help="of simulated time")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another setting")
    bench = measure.Bench(parser.parse_args())
    args, rows = bench.args, []
    envs, seconds = (16, 0.1) if args.quick else (args.envs, args.seconds)
    folders = args.models or [measure.SOURCE.parent / "shared" / "models"]
    with tempfile.TemporaryDirectory() as place:
        scenes = list(hard_scenes.cases(args.robots.split(","), folders, place))
        for (name, scene, words), precision, dt in itertools.product(scenes, args.precisions.split(","), args.dts.split(",")):
            for solver in args.solvers.split(","):
                r = run(bench, words, [f"envs={envs}", f"seconds={seconds}", f"precision={precision}", f"dt={dt}", f"solver={solver}", *args.set])
                rows.append({"robot": name, **{key: r[key] for key in r if key != "model"}})
                print(f"{name} {scene} {dt} {precision} {solver}: {r['share']:.1e}", file=sys.stderr, flush=True)
    machine = measure.machine(bench)
    print(f"{measure.machine_text(machine)}\n{envs} robots, {seconds:g} s, tolerance 1e-5 unless set, joint limits on\n")
    print(measure.table(HEAD, [[r["robot"], r["scene"], f"{1e3 * r['dt']:g}", r["precision"], r["solver"], r["solves"], f"{r['share']:.1e}", f"{r['contacts']:.2f}",
                                f"{r['sweeps']:.2f}", f"{r['law_p99']:.1e}", f"{r['law_max']:.1e}", f"{r['ns_per_step']:.0f}"] for r in rows]))
    measure.write_results(bench, "hard_solves", {"machine": machine, "rows": rows}, rows)


if __name__ == "__main__":
    try:
        main()
    except measure.Failed as failed:
        sys.exit(str(failed))
