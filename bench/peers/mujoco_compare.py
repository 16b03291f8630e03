#!/usr/bin/env python3
"""Side by side with MuJoCo: the same ANYmal, the same tasks, one thread each, timed back to back on one core, accuracy beside speed.

Needs MuJoCo in build/bench/venv (bench/setup_venv.sh) and a C compiler. First the two must agree on the robot: mass matrix and bias at random
states, else nothing is timed. MuJoCo: Newton, elliptic and pyramidal cones, implicitfast (kd implicit), its own defaults else; Myriapod: solver
hybrid, the default, to 1e-5 (float) and 1e-6 (double)."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "speed"))
import measure
import mujoco_model
import speed

DT = 1e-3
AGREE = 1e-9  # of the largest entry
DRIVEN = {"stand": True, "trot": True, "hang": False, "drop": False, "random": True}
GOAL = {("trot", "elliptic"): 50, ("random", "elliptic"): 50}  # float, AVX-512
IN_VENV = r"""
import json, sys, mujoco, numpy
model = getattr(mujoco.MjModel, "from_binary_path" if sys.argv[1].endswith(".mjb") else "from_xml_path")(sys.argv[1])
data = mujoco.MjData(model)
out = []
for state in json.load(open(sys.argv[2]))["states"]:
    data.qpos[:], data.qvel[:] = state["q"], state["v"]
    mujoco.mj_forward(model, data)
    M = numpy.array([[0.0] * model.nv] * model.nv)
    for k in range(model.nv):
        unit, column = numpy.zeros(model.nv), numpy.zeros(model.nv)
        unit[k] = 1
        mujoco.mj_mulM(model, data, column, unit)
        M[:, k] = column
    out.append({"M": M.tolist(), "bias": data.qfrc_bias.tolist(), "mass": float(model.body_subtreemass[0])})
json.dump(out, sys.stdout)
"""


def mujoco_home(build):
    """(python of the environment, folder of the MuJoCo package, its library); ends the script when it is not there."""
    python = build / "bench" / "venv" / "bin" / "python"
    try:
        folder = subprocess.run([python, "-c", "import mujoco, os; print(os.path.dirname(mujoco.__file__))"], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"no MuJoCo in {build / 'bench' / 'venv'}: run bench/setup_venv.sh {build}")
    library = next(name for name in sorted(os.listdir(folder)) if name.startswith("libmujoco.so"))
    return python, folder, os.path.join(folder, library)


def compile_beside(build, folder, library, name):
    """bench/NAME.c with MuJoCo's headers and library; the program."""
    program = build / "bench" / name
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-std=gnu11", "-include", measure.SOURCE / "tasks" / "hwangbo.h", "-isystem", os.path.join(folder, "include"),
                    measure.SOURCE / "bench" / "peers" / f"{name}.c", "-o", program, library, f"-Wl,-rpath,{folder}", "-lm"], check=True)
    return program


def facts(bench, task, **settings):
    command = [bench.args.build / "bench" / "penetration", "anymal", f"task={task}", *(f"{k}={v}" for k, v in settings.items())]
    return json.loads(subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout)


def random_states(home, count):
    draw = random.Random(7)
    states = []
    for _ in range(count):
        quaternion = [draw.gauss(0, 1) for _ in range(4)]
        norm = sum(x * x for x in quaternion) ** 0.5
        q = [draw.gauss(0, 1) for _ in range(3)] + [x / norm for x in quaternion] + [h + draw.uniform(-1.5, 1.5) for h in home[7:]]
        states.append({"q": q, "v": [draw.gauss(0, 2) for _ in range(len(q) - 1)], "tau": [0.0] * (len(q) - 1)})
    return states


def differences(python, model_path, states, ours):
    """Largest difference of M and bias relative to their largest entry, over the states of a file that `eval` has answered in the file `ours`;
    ends the script above AGREE."""
    theirs = json.loads(subprocess.run([python, "-c", IN_VENV, model_path, states], capture_output=True, text=True, check=True).stdout)
    with open(ours, encoding="utf-8") as file:
        ours = json.load(file)["states"]
    worst = {"M": 0.0, "bias": 0.0}
    for a, b in zip(ours, theirs, strict=True):
        flat = {"M": [[x for row in s["M"] for x in row] for s in (a, b)], "bias": [a["bias"], b["bias"]]}
        for key, (x, y) in flat.items():
            worst[key] = max(worst[key], max(abs(p - q) for p, q in zip(x, y, strict=True)) / max(map(abs, y)))
    if max(worst.values()) > AGREE:
        sys.exit(f"the two robots differ: {worst} (relative; allowed {AGREE})")
    return worst


def check_agreement(bench, python, model_path, home):
    """The differences at 50 random states."""
    with tempfile.TemporaryDirectory() as folder:
        states, ours = os.path.join(folder, "states.json"), os.path.join(folder, "ours.json")
        with open(states, "w", encoding="utf-8") as file:
            json.dump({"floating": True, "states": random_states(home, 50)}, file)
        subprocess.run([bench.program, "eval", "anymal", "--states", states, "--json", ours], check=True)
        return differences(python, model_path, states, ours)


def mujoco_case(bench, program, model_path, task):
    envs, warmup, steps = (4, 200, 300) if bench.args.quick else (bench.args.mujoco_envs, 1000, 2000)

    def measured():
        out, share, _ = bench.timed_process([program, model_path, task, envs, warmup, steps, 1], [bench.args.cpu])
        return {**json.loads(out), "cpu_share": share}
    return measured


def rows_of(bench, tasks, precisions, isa, timings, depths):
    for task in tasks:
        peers = {cone: bench.summary(timings[task, cone], "ns_per_step") for cone in ("elliptic", "pyramidal")}
        for cone, r in peers.items():
            yield {"task": task, "engine": f"MuJoCo {r['version']} Newton {cone}", "precision": "f64", "ns": r["ns_per_step"], "contacts": r["contacts_mean"],
                   "iterations": r["iterations_mean"], "iterations_max": r["iterations"]["max"], "ncp_p50": r["residual_ncp"]["p50"], "ncp_p99": r["residual_ncp"]["p99"],
                   "depth_p50": r["depth_m"]["p50"], "depth_max": r["depth_m"]["max"], "over_elliptic": None, "over_pyramidal": None, "goal": None,
                   "creep_p50": r["creep_m_per_s"]["p50"], "warnings": r["warnings"], "noisy": r["noisy"], "good": r["good"], "tried": r["tried"], "residual_p99": None}
        for precision in precisions:
            r = bench.summary(timings[task, precision], speed.NS)
            ratio = {cone: peers[cone]["ns_per_step"] / r[speed.NS] for cone in peers}
            yield {"task": task, "engine": f"Myriapod {isa} {r['solver']}" + " maximal" * (bench.args.dynamics == "maximal"), "precision": precision, "ns": r[speed.NS], "contacts": r["contacts_mean"],
                   "iterations": r["iterations_mean"], "iterations_max": r["iterations_max"], "ncp_p50": r["residual_ncp_p50"], "ncp_p99": r["residual_ncp_p99"],
                   "depth_p50": depths[task]["p50"], "depth_max": depths[task]["max"], "over_elliptic": ratio["elliptic"], "over_pyramidal": ratio["pyramidal"],
                   "goal": GOAL.get((task, "elliptic")) if precision == "f32" and bench.args.dynamics == "generalized" else None, "creep_p50": None, "warnings": r["quarantined"], "noisy": r["noisy"],
                   "good": r["good"], "tried": r["tried"], "residual_p99": r["residual_p99"]}


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--tasks", default="stand,trot,hang,drop,random", help="comma-separated")
    parser.add_argument("--precisions", default="f32,f64")
    parser.add_argument("--isa", default="", help="default: the widest here")
    parser.add_argument("--solver", default="hybrid", help="of ours")
    parser.add_argument("--dynamics", default="generalized", choices=("generalized", "maximal"), help="of ours")
    parser.add_argument("--mujoco-envs", type=int, default=32, help="robots that MuJoCo steps, one after the other")
    args = parser.parse_args()
    bench = measure.Bench(args)
    python, folder, library = mujoco_home(args.build)
    program = compile_beside(args.build, folder, library, "mujoco_steps")
    isa = args.isa or (bench.isas or ["portable"])[0]
    tasks, precisions = args.tasks.split(","), args.precisions.split(",")
    urdf = measure.SOURCE / "robots" / "anymal.urdf"
    cases, depths, agreement = {}, {}, None
    for task in tasks:
        envs, warmup, steps = (64, 200, 300) if args.quick else (256, 1000, 2000)
        robot = facts(bench, task, envs=envs, warmup=warmup, steps=steps, isa=isa, dynamics=args.dynamics)
        depths[task] = robot["depth_m"]
        for cone in ("elliptic", "pyramidal"):
            path = args.build / "bench" / f"anymal_{task}_{cone}.xml"
            path.write_text(mujoco_model.mjcf(urdf, robot, DT, cone, DRIVEN[task], task != "hang"), encoding="utf-8")
            agreement = agreement or check_agreement(bench, python, path, robot["home"])
            cases[task, cone] = mujoco_case(bench, program, path, task)
        for precision in precisions:
            arguments = [*speed.run_arguments(args, task, precision, isa), "--dynamics", args.dynamics]
            cases[task, precision] = lambda arguments=arguments: bench.run(arguments)
    timings = bench.collect(cases)
    rows = list(rows_of(bench, tasks, precisions, isa, timings, depths))
    machine = measure.machine(bench)
    text = lambda value, form, scale=1: format(scale * value, form) if value is not None else "-"
    print(f"{measure.machine_text(machine)}\nanymal, dt 1 ms, one thread each on the same core; M agrees to {agreement['M']:.1e}, bias to {agreement['bias']:.1e}\n")
    print(measure.table(["task", "engine", "prec.", "ns/step", "x elliptic", "x pyramidal", "goal", "contacts", "iterations", "max", "law p50", "law p99", "residual p99",
                         "depth p50 mm", "max mm", "timings"],
                        [[r["task"], r["engine"], r["precision"], f"{r['ns']:.1f}" + ("?" if r["noisy"] else ""), text(r["over_elliptic"], ".1f"), text(r["over_pyramidal"], ".1f"),
                          text(r["goal"], ".0f"), f"{r['contacts']:.2f}", f"{r['iterations']:.2f}", f"{r['iterations_max']:.0f}", f"{r['ncp_p50']:.1e}", f"{r['ncp_p99']:.1e}",
                          text(r["residual_p99"], ".1e"), text(r["depth_p50"], ".3f", 1e3), text(r["depth_max"], ".2f", 1e3), f"{r['good']}/{r['tried']}"] for r in rows]))
    measure.write_results(bench, "mujoco", {"machine": machine, "agreement": agreement, "rows": rows}, rows)


if __name__ == "__main__":
    try:
        main()
    except (measure.Failed, mujoco_model.Unsupported) as failed:
        sys.exit(str(failed))
