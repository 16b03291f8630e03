#!/usr/bin/env python3
"""Joint limits side by side with MuJoCo: limp robots fall, swing into their limits and lie on the ground, from the same states in both engines, one
thread each on one core; speed, and how far joints are beyond their limits and shapes below the ground, by one yardstick (yardstick.py, from q alone).

Times are processor time. Needs what mujoco_compare.py needs. One URDF is written for both: without meshes, and with a floating joint where the robot
is to float; each reads it with its own reader. Mass matrix and bias must agree, else nothing is timed. MuJoCo: Newton, elliptic cones, implicitfast, its own defaults else, so
soft limits and contacts; Myriapod: hard ones, solver nsgs unless said, 1e-5 (float) and 1e-6 (double)."""
import pathlib
import random
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure
import mujoco_compare
import mujoco_trails

# who: where its file is, below --models unless it ships; how high its root floats at first [m], None: fixed to the world; how fast joints turn at first
# [rad/s]: ANYmal's limits are one and a half turns away
ROBOTS = {"anymal": (None, 0.9, 25.0), "h1": ("h1/h1.urdf", 1.3, 3.0), "panda": ("panda/panda.urdf", None, 3.0)}
ENGINES = ("elliptic", "f32", "f64")


def draw_states(urdf, height, spin, count):
    """Joints in the middle of their ranges, at most 1 rad from the nearest place to 0; roots upright, turned about the vertical."""
    draw, joints, states = random.Random(5), [(lower, upper) for _, lower, upper, _ in mujoco_trails.joints_of(urdf)], []
    for _ in range(count):
        heading = draw.uniform(0, 3)
        q = [] if height is None else [0.0, 0.0, height, *(lambda h: (h ** 0.5, 0.0, 0.0, (1 - h) ** 0.5))(heading / 3)]
        v = [0.0] * (0 if height is None else 6)
        for lower, upper in joints:
            middle = min(max(0.0, lower + (upper - lower) / 4), upper - (upper - lower) / 4)
            reach = min(1.0, (upper - lower) / 4)
            q.append(middle + draw.uniform(-reach, reach))
            v.append(draw.uniform(-1, 1) * spin * min(1.0, reach / 0.1))
        states.append({"q": q, "v": v, "tau": [0.0] * len(v)})
    return states


def prepare(bench, name, python, folder):
    """Writes what both read; (words of ours, paths by what they are, largest difference of M and bias)."""
    file, height, spin = ROBOTS[name]
    source = bench.args.models / file if file else measure.SOURCE / "robots" / f"{name}.urdf"
    if not source.exists():
        return None
    at = {kind: str(folder / f"{name}.{kind}") for kind in ("urdf", "mjb", "states")}
    mujoco_trails.write_urdf(source, at["urdf"], height is not None)
    mujoco_trails.read_into_mujoco(python, at["urdf"], at["mjb"])
    states = draw_states(at["urdf"], height, spin, mujoco_trails.STATES)
    mujoco_trails.write_rows(at["states"], (state["q"] + state["v"] for state in states))
    differs = mujoco_trails.agree(bench, python, at["urdf"], at["mjb"], states, height is not None, folder)
    return ["root=auto" if height is not None else "root=fixed"], at, differs


def rows_of(bench, robots, timings, seen):
    for name, (_, _, differs) in robots.items():
        peer = bench.summary(timings[name, "elliptic"], "ns_per_step")["ns_per_step"]
        for engine in ENGINES:
            r = bench.summary(timings[name, engine], "ns_per_step")
            yield {"robot": name, "engine": mujoco_trails.label(bench, r, engine), **mujoco_trails.row(r, seen[name, engine], peer), **differs}


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--models", type=pathlib.Path, default=measure.SOURCE.parent / "shared" / "models", help="folder with h1/ and panda/")
    parser.add_argument("--robots", default="anymal,h1,panda", help="comma-separated; those that are not there are left out")
    parser.add_argument("--solver", default="nsgs", help="of ours")
    parser.add_argument("--envs", type=int, default=512, help="robots of ours that are timed together")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another setting of ours")
    bench = measure.Bench(parser.parse_args())
    python, folder, library = mujoco_compare.mujoco_home(bench.args.build)
    program = mujoco_compare.compile_beside(bench.args.build, folder, library, "mujoco_trail")
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        robots = {name: prepared for name in bench.args.robots.split(",") if (prepared := prepare(bench, name, python, place))}
        cases, trails = {}, {}
        for name, (words, at, _) in robots.items():
            for engine in ENGINES:
                out = trails[name, engine] = str(place / f"{name}.{engine}")
                cases[name, engine] = mujoco_trails.theirs(bench, program, at["mjb"], at["states"], out) if engine == "elliptic" else \
                    mujoco_trails.ours(bench, at["urdf"], at["states"], words, engine, out)
        timings = bench.collect(cases)
        seen = {(name, engine): mujoco_trails.look(python, robots[name][1]["urdf"], 0 if ROBOTS[name][1] is None else 7, trail) for (name, engine), trail in trails.items()}
    rows, machine = list(rows_of(bench, robots, timings, seen)), measure.machine(bench)
    print(f"{measure.machine_text(machine)}\nlimp robots, dt 1 ms, {mujoco_trails.steps_of(bench)} steps, one thread each on the same core\n")
    print(measure.table(["robot", *mujoco_trails.HEAD, "timings"], [[r["robot"], *mujoco_trails.cells(r), f"{r['good']}/{r['tried']}"] for r in rows]))
    measure.write_results(bench, "mujoco_limits", {"machine": machine, "rows": rows}, rows)


if __name__ == "__main__":
    try:
        main()
    except measure.Failed as failed:
        sys.exit(str(failed))
