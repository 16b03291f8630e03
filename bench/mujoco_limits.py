#!/usr/bin/env python3
"""Joint limits side by side with MuJoCo: limp robots fall, swing into their limits and lie on the ground, from the same states in both engines, one
thread each on one core; speed, and how far joints are beyond their limits and shapes below the ground, by one yardstick (yardstick.py, from q alone).

Times are processor time. Needs what mujoco_compare.py needs. One URDF is written for both: without meshes, and with a floating joint where the robot
is to float; each reads it with its own reader. Mass matrix and bias must agree, else nothing is timed. MuJoCo: Newton, elliptic cones, implicitfast, its own defaults else, so
soft limits and contacts; Myriapod: hard ones, solver nsgs unless said, 1e-5 (float) and 1e-6 (double)."""
import array
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import measure
import mujoco_compare

DT, STEPS, EVERY, STATES = 1e-3, 3000, 10, 32
# who: where its file is, below --models unless it ships; how high its root floats at first [m], None: fixed to the world; how fast joints turn at first
# [rad/s]: ANYmal's limits are one and a half turns away
ROBOTS = {"anymal": (None, 0.9, 25.0), "h1": ("h1/h1.urdf", 1.3, 3.0), "panda": ("panda/panda.urdf", None, 3.0)}
READ = r"""
import mujoco, sys
spec = mujoco.MjSpec.from_file(sys.argv[1])
spec.option.timestep, spec.option.integrator = float(sys.argv[3]), mujoco.mjtIntegrator.mjINT_IMPLICITFAST
spec.option.solver, spec.option.cone = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtCone.mjCONE_ELLIPTIC
for geom in spec.geoms:  # the robot touches the plane, never itself
    geom.contype, geom.conaffinity, geom.condim, geom.friction = 0, 1, 3, [0.8, 0.005, 0.0001]
    geom.density = 0  # a link without <inertial> weighs nothing
plane = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=1, conaffinity=0, condim=3, friction=[0.8, 0.005, 0.0001])
model = spec.compile()
mujoco.mj_saveModel(model, sys.argv[2], None)
"""


def write_urdf(source, target, floats):
    """Without what one of the two would read another way: meshes, what is for eyes, what is for others."""
    robot = xml.parse(source).getroot()
    for child in list(robot):
        if child.tag not in ("link", "joint"):
            robot.remove(child)
    for link in robot.findall("link"):
        for part in list(link):
            if part.tag == "visual" or (part.tag == "collision" and part.find("geometry")[0].tag == "mesh"):
                link.remove(part)
    for joint in robot.findall("joint"):
        for part in list(joint):
            if part.tag not in ("origin", "parent", "child", "axis", "limit", "dynamics"):
                joint.remove(part)
    if floats:
        children = {joint.find("child").get("link") for joint in robot.findall("joint")}
        root = next(link.get("name") for link in robot.findall("link") if link.get("name") not in children)
        xml.SubElement(robot, "link", name="world")
        joint = xml.SubElement(robot, "joint", name="root", type="floating")
        xml.SubElement(joint, "parent", link="world"), xml.SubElement(joint, "child", link=root)
    xml.ElementTree(robot).write(target)


def in_order(urdf):
    """Limits of the joints of one degree of freedom, depth first, as both readers count them; `continuous`: none."""
    robot = xml.parse(urdf).getroot()
    children = {joint.find("child").get("link") for joint in robot.findall("joint")}
    found = []

    def walk(name):
        for joint in robot.findall("joint"):
            if joint.find("parent").get("link") == name:
                if joint.get("type") in ("revolute", "prismatic"):
                    found.append(tuple(float(joint.find("limit").get(key, 0)) for key in ("lower", "upper")))
                elif joint.get("type") == "continuous":
                    found.append((-10.0, 10.0))
                walk(joint.find("child").get("link"))

    walk(next(link.get("name") for link in robot.findall("link") if link.get("name") not in children))
    return found


def draw_states(urdf, height, spin, count):
    """Joints in the middle of their ranges, at most 1 rad from the nearest place to 0; roots upright, turned about the vertical."""
    draw, joints, states = random.Random(5), in_order(urdf), []
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
    at = {kind: str(folder / f"{name}{end}") for kind, end in
          {"urdf": ".urdf", "mjb": ".mjb", "states": ".states", "json": ".json", "ours": "_ours.json"}.items()}
    write_urdf(source, at["urdf"], height is not None)
    subprocess.run([python, "-c", READ, at["urdf"], at["mjb"], repr(DT)], check=True)
    states = draw_states(at["urdf"], height, spin, STATES)
    with open(at["states"], "wb") as out:
        for state in states:
            array.array("d", state["q"] + state["v"]).tofile(out)
    with open(at["json"], "w", encoding="utf-8") as out:
        json.dump({"floating": height is not None, "states": states}, out)
    subprocess.run([bench.program, "eval", at["urdf"], "--states", at["json"], "--json", at["ours"]], check=True, capture_output=True)
    differs = mujoco_compare.differences(python, at["mjb"], at["json"], at["ours"])
    return ["root=auto" if height is not None else "root=fixed"], at, differs


def ours(bench, at, words, precision, out):
    steps, envs = (200, 64) if bench.args.quick else (STEPS, bench.args.envs)
    command = [bench.args.build / "bench" / "trail", at["urdf"], at["states"], out, steps, EVERY, *words, f"envs={envs}", f"precision={precision}", f"dt={DT}",
               f"tolerance={'1e-5' if precision == 'f32' else '1e-6'}", f"solver={bench.args.solver}", *bench.args.set]
    return timed(bench, command)


def theirs(bench, program, at, out):
    return timed(bench, [program, at["mjb"], at["states"], out, 200 if bench.args.quick else STEPS, EVERY])


def timed(bench, command):
    def measured():
        out, share, _ = bench.timed_process(command, [bench.args.cpu])
        return {**json.loads(out), "cpu_share": share}
    return measured


def rows_of(bench, robots, timings, seen):
    for name, (_, _, differs) in robots.items():
        peer = bench.summary(timings[name, "mujoco"], "ns_per_step")["ns_per_step"]
        for engine in ("mujoco", "f32", "f64"):
            r, y = bench.summary(timings[name, engine], "ns_per_step"), seen[name, engine]
            label = f"MuJoCo {r['version']} Newton elliptic" if engine == "mujoco" else f"Myriapod {r['isa']} {bench.args.solver} {engine}"
            yield {"robot": name, "engine": label, "ns": r["ns_per_step"], "ratio": peer / r["ns_per_step"], "contacts": r["contacts_mean"],
                   "iterations": r["iterations_mean"], "solves": r.get("solves"), "not_converged": r.get("not_converged"), "at_limits": y["at_limits"],
                   **{f"limits_{key}": y["limits"][key] for key in ("p50", "p99", "max")}, **{f"depth_{key}": y["depth"][key] for key in ("p50", "p99", "max")},
                   "M": differs["M"], "bias": differs["bias"], "noisy": r["noisy"], "good": r["good"], "tried": r["tried"]}


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
            for engine in ("mujoco", "f32", "f64"):
                out = trails[name, engine] = str(place / f"{name}.{engine}")
                cases[name, engine] = theirs(bench, program, at, out) if engine == "mujoco" else ours(bench, at, words, engine, out)
        timings, seen = bench.collect(cases), {}
        for (name, engine), trail in trails.items():
            first = 0 if ROBOTS[name][1] is None else 7
            seen[name, engine] = json.loads(subprocess.run([python, measure.SOURCE / "bench" / "yardstick.py", robots[name][1]["urdf"], str(first), trail],
                                                           capture_output=True, text=True, check=True).stdout)
    rows, machine = list(rows_of(bench, robots, timings, seen)), measure.machine(bench)
    print(f"{measure.machine_text(machine)}\nlimp robots, dt 1 ms, {STEPS} steps, one thread each on the same core\n")
    print(measure.table(["robot", "engine", "ns/step", "x MuJoCo", "contacts", "iterations", "not converged", "at limits", "beyond p50 rad", "p99", "max",
                         "depth p50 mm", "p99", "max", "timings"],
                        [[r["robot"], r["engine"], f"{r['ns']:.0f}" + ("?" if r["noisy"] else ""), f"{r['ratio']:.1f}", f"{r['contacts']:.2f}", f"{r['iterations']:.1f}",
                          f"{100 * r['not_converged'] / r['solves']:.1f} %" if r["solves"] else "-", f"{100 * r['at_limits']:.0f} %",
                          *(f"{r[f'limits_{key}']:.1e}" for key in ("p50", "p99", "max")), *(f"{1e3 * r[f'depth_{key}']:.3f}" for key in ("p50", "p99", "max")),
                          f"{r['good']}/{r['tried']}"] for r in rows]))
    measure.write_results(bench, "mujoco_limits", {"machine": machine, "rows": rows}, rows)


if __name__ == "__main__":
    try:
        main()
    except measure.Failed as failed:
        sys.exit(str(failed))
