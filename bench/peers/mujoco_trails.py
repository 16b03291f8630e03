"""What mujoco_limits.py and mujoco_humanoids.py share: one URDF for both engines, the same states, times beside each other, trails under one yardstick.

Each engine reads the URDF with its own reader. Mass matrix and bias must agree, else nothing is timed. MuJoCo: Newton, implicitfast, its own
defaults else; times are processor time. Standard library only."""
import array
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure
import mujoco_compare

DT, STEPS, EVERY, STATES = 1e-3, 3000, 10, 32
TOLERANCE = {"f32": "1e-5", "f64": "1e-6"}
SOLREF = 0.02  # MuJoCo's own time constant of contacts [s]
# URDF, binary of the model, dt, cones, time constant of contacts; with a list of effort limits: a position actuator for each joint, its gains yet to be set
READ = r"""
import json, mujoco, sys
spec = mujoco.MjSpec.from_file(sys.argv[1])
spec.option.timestep, spec.option.integrator = float(sys.argv[3]), mujoco.mjtIntegrator.mjINT_IMPLICITFAST
spec.option.solver, spec.option.cone = mujoco.mjtSolver.mjSOL_NEWTON, getattr(mujoco.mjtCone, "mjCONE_" + sys.argv[4].upper())
for geom in spec.geoms:  # the robot touches the plane, never itself
    geom.contype, geom.conaffinity, geom.condim, geom.friction = 0, 1, 3, [0.8, 0.005, 0.0001]
    geom.density = 0  # a link without <inertial> weighs nothing
plane = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=1, conaffinity=0, condim=3, friction=[0.8, 0.005, 0.0001])
for geom in spec.geoms:
    geom.solref = [float(sys.argv[5]), 1]
for name, effort in json.loads(sys.argv[6]):
    actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_position(kp=1, kv=1)
    if effort:
        actuator.forcelimited, actuator.forcerange = True, [-effort, effort]
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


def joints_of(urdf):
    """(name, lower, upper, effort limit) of the joints of one degree of freedom, depth first, as both readers count them; `continuous`: no limits."""
    robot = xml.parse(urdf).getroot()
    children = {joint.find("child").get("link") for joint in robot.findall("joint")}
    found = []

    def walk(name):
        for joint in robot.findall("joint"):
            if joint.find("parent").get("link") == name:
                if joint.get("type") in ("revolute", "prismatic", "continuous"):
                    limit = joint.find("limit")
                    value = lambda key, limit=limit: float(limit.get(key, 0)) if limit is not None else 0.0
                    lower, upper = (-10.0, 10.0) if joint.get("type") == "continuous" else (value("lower"), value("upper"))
                    found.append((joint.get("name"), lower, upper, value("effort")))
                walk(joint.find("child").get("link"))

    walk(next(link.get("name") for link in robot.findall("link") if link.get("name") not in children))
    return found


def write_rows(path, rows):
    with open(path, "wb") as out:
        for row in rows:
            array.array("d", row).tofile(out)


def read_into_mujoco(python, urdf, target, cone="elliptic", actuated=(), solref=SOLREF):
    subprocess.run([python, "-c", READ, urdf, target, repr(DT), cone, repr(solref), json.dumps([[name, effort] for name, _, _, effort in actuated])], check=True)


def agree(bench, python, urdf, mjb, states, floats, folder):
    """Largest difference of M and bias at `states`; ends the script where the two robots differ."""
    asked, answered = pathlib.Path(folder) / "asked.json", pathlib.Path(folder) / "answered.json"
    with open(asked, "w", encoding="utf-8") as out:
        json.dump({"floating": floats, "states": states}, out)
    subprocess.run([bench.program, "eval", urdf, "--states", asked, "--json", answered], check=True, capture_output=True)
    return mujoco_compare.differences(python, mjb, asked, answered)


def steps_of(bench):
    return 200 if bench.args.quick else STEPS


def ours(bench, urdf, states, words, precision, out):
    """How our trail is left and timed. words: settings."""
    envs = 64 if bench.args.quick else bench.args.envs
    return timed(bench, [bench.args.build / "bench" / "trail", urdf, states, out, steps_of(bench), EVERY, *words, f"envs={envs}", f"precision={precision}", f"dt={DT}",
                         f"tolerance={TOLERANCE[precision]}", f"solver={bench.args.solver}", *bench.args.set])


def theirs(bench, program, mjb, states, out, *moves):
    return timed(bench, [program, mjb, states, out, steps_of(bench), EVERY, *moves])


def timed(bench, command):
    def measured():
        out, share, _ = bench.timed_process(command, [bench.args.cpu])
        return {**json.loads(out), "cpu_share": share}
    return measured


def look(python, urdf, first, trail, *options):
    """The yardstick's word on a trail."""
    command = [python, measure.SOURCE / "bench" / "peers" / "yardstick.py", urdf, str(first), trail, *map(str, options)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def label(bench, r, engine):
    return f"Myriapod {r['isa']} {bench.args.solver} {engine}" if engine in TOLERANCE else f"MuJoCo {r['version']} Newton {engine}"


def row(r, y, peer_ns):
    """What a timing and the yardstick say, for tables and files."""
    return {"ns": r["ns_per_step"], "ratio": peer_ns / r["ns_per_step"], "contacts": r["contacts_mean"], "iterations": r["iterations_mean"], "solves": r.get("solves"),
            "not_converged": r.get("not_converged"), "at_limits": y["at_limits"], **{f"limits_{key}": y["limits"][key] for key in ("p50", "p99", "max")},
            **{f"depth_{key}": y["depth"][key] for key in ("p50", "p99", "max")}, "given_up": r["quarantined"] if "quarantined" in r else r["warnings"], "noisy": r["noisy"],
            "good": r["good"], "tried": r["tried"]}


HEAD = ["engine", "ns/step", "x MuJoCo", "contacts", "iterations", "not converged", "at limits", "beyond p50 rad", "p99", "max", "depth p50 mm", "p99", "max"]


def cells(r):
    """One row below HEAD."""
    return [r["engine"], f"{r['ns']:.0f}" + ("?" if r["noisy"] else ""), f"{r['ratio']:.1f}", f"{r['contacts']:.2f}", f"{r['iterations']:.1f}",
            f"{100 * r['not_converged'] / r['solves']:.2f} %" if r["solves"] else "-", f"{100 * r['at_limits']:.0f} %",
            *(f"{r[f'limits_{key}']:.1e}" for key in ("p50", "p99", "max")), *(f"{1e3 * r[f'depth_{key}']:.3f}" for key in ("p50", "p99", "max"))]
