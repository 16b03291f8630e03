#!/usr/bin/env python3
"""Humanoids side by side with MuJoCo: they stand and walk in place by PD, and fall limp from 1 m, turned any way, from the same states in both engines,
one thread each on one core: speed, and by one yardstick (yardstick.py, from q and the URDF alone) how far joints are beyond their limits, shapes
below the ground, and how feet that touch it creep.

The biped ships. h1 and g1 are files of others (hard_scenes.py names the sources), given by --models, and left out where they are not there. Both engines
read the same URDF, without meshes. PD: kp is 20 times the robot's mass [N m/rad], kd a tenth of kp, torques clamped at the effort limits, kd implicit in
both. Walking is only a swing of hips, knees and ankles, left against right, without balance: the table says how many stay upright. MuJoCo: Newton,
implicitfast, its own defaults else, so soft limits and contacts; Myriapod: hard ones, solver hybrid unless said, 1e-5 (float) and 1e-6 (double).
Needs what mujoco_compare.py needs; times are processor time."""
import pathlib
import random
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import hard_scenes
import measure
import mujoco_compare
import mujoco_trails

GAIN, DAMPING, HZ, SEED = 20.0, 0.1, 2.0, 11
# who: what the pitch joints of hip, knee and ankle are called after their side; how far hips and ankles bend at home and how far they swing [rad], the
# other way round; knees twice as far, so that feet stay level. h1 has no ankle to roll: by 0.03 its legs walk MuJoCo's soft contacts into a fall
ROBOTS = {"h1": ("hip_pitch_joint", "knee_joint", "ankle_joint", 0.2, 0.02), "g1": ("hip_pitch_joint", "knee_joint", "ankle_pitch_joint", 0.2, 0.05),
          "biped": ("hip_pitch", "knee", "ankle_pitch", 0.2, 0.05)}
SCENES = ("stand", "walk", "fall")  # by PD but the last, which is limp
ENGINES = ("elliptic", "pyramidal", "f32", "f64")
HEAD = ["slip p50 mm/s", "p99", "drift p50 mm", "max", "root m", "upright", "timings"]


def bends(name):
    """{joint: (home, amplitude, turns)} of the legs."""
    *joints, bend, swing = ROBOTS[name]
    return {f"{side}_{joint}": (times * bend, times * swing, turns) for side, turns in (("left", 0.0), ("right", 0.5)) for joint, times in zip(joints, (-1, 2, -1), strict=True)}


def moves(name, joints, urdf, scene, swing=1.0):
    """A row of moves.h for each joint; swing: times as far as ROBOTS says."""
    kp = GAIN * sum(float(mass.get("value")) for mass in xml.parse(urdf).iter("mass"))
    for joint, *_ in joints:
        home, amplitude, turns = bends(name).get(joint, (0.0, 0.0, 0.0))
        yield [kp, DAMPING * kp, home, swing * amplitude if scene == "walk" else 0.0, HZ, turns]


def draw_states(name, joints, scene):
    """Roots at the origin: upright and turned about the vertical, joints at home and at up to 0.1 rad/s; or turned any way, joints near home."""
    draw, states = random.Random(SEED), []
    for _ in range(mujoco_trails.STATES):
        turned = [draw.gauss(0, 1), *(draw.gauss(0, 1) if scene == "fall" else 0.0 for _ in range(2)), draw.gauss(0, 1)]
        q = [0.0, 0.0, 0.0, *(x / sum(y * y for y in turned) ** 0.5 for x in turned)]
        v = [0.0] * 6
        for joint, lower, upper, _ in joints:
            home = bends(name).get(joint, (0.0,))[0]
            q.append(min(max(home + (draw.uniform(-0.3, 0.3) if scene == "fall" else 0.0), lower), upper))
            v.append(draw.uniform(-1, 1) * (1.0 if scene == "fall" else 0.1))
        states.append({"q": q, "v": v, "tau": [0.0] * len(v)})
    return states


def prepare(bench, name, scene, python, folder):
    """Writes what both read; None where the robot is not there, else paths by what they are, root height below which none stands, differences of M, bias."""
    source = hard_scenes.find(name, bench.args.models)
    if source is None:
        return None
    at = {kind: str(folder / f"{name}.{scene}.{kind}") for kind in ("urdf", "elliptic.mjb", "pyramidal.mjb", "states", "moves", "q")}
    mujoco_trails.write_urdf(measure.SOURCE / "robots" / f"{name}.urdf" if source == name else source, at["urdf"], True)
    joints, limp = mujoco_trails.joints_of(at["urdf"]), scene == "fall"
    for cone in ("elliptic", "pyramidal"):
        mujoco_trails.read_into_mujoco(python, at["urdf"], at[f"{cone}.mjb"], cone, [] if limp else joints, bench.args.solref)
    states = draw_states(name, joints, scene)
    mujoco_trails.write_rows(at["q"], (state["q"] for state in states))
    lowest = mujoco_trails.look(python, at["urdf"], 7, at["q"], "--lowest")
    for state, height in zip(states, lowest, strict=True):
        state["q"][2] = (1.0 if limp else 0.0) - height
    mujoco_trails.write_rows(at["states"], (state["q"] + state["v"] for state in states))
    mujoco_trails.write_rows(at["moves"], [] if limp else moves(name, joints, at["urdf"], scene, bench.args.swing))
    differs = mujoco_trails.agree(bench, python, at["urdf"], at["elliptic.mjb"], states, True, folder)
    return at, 0.6 * states[0]["q"][2], differs


def case(bench, program, scene, at, engine, out):
    driven = scene != "fall"
    if engine in mujoco_trails.TOLERANCE:
        return mujoco_trails.ours(bench, at["urdf"], at["states"], ["root=auto", *([f"moves={at['moves']}"] if driven else [])], engine, out)
    return mujoco_trails.theirs(bench, program, at[f"{engine}.mjb"], at["states"], out, *([at["moves"]] if driven else []))


def rows_of(bench, prepared, timings, seen):
    for (name, scene), (_, _, differs) in prepared.items():
        peer = bench.summary(timings[name, scene, "elliptic"], "ns_per_step")["ns_per_step"]
        for engine in ENGINES:
            r, y = bench.summary(timings[name, scene, engine], "ns_per_step"), seen[name, scene, engine]
            yield {"robot": name, "scene": scene, "engine": mujoco_trails.label(bench, r, engine), **mujoco_trails.row(r, y, peer), "slip_p50": y["slip"]["p50"],
                   "slip_p99": y["slip"]["p99"], "drift_p50": y["drift"]["p50"], "drift_max": y["drift"]["max"], "drift_count": y["drift"]["count"],
                   "height": y["height"], "upright": y["upright"], **differs}


def cells(r):
    drift = [f"{1e3 * r[key]:.4f}" if r["drift_count"] else "-" for key in ("drift_p50", "drift_max")]
    return [r["robot"], r["scene"], *mujoco_trails.cells(r), f"{1e3 * r['slip_p50']:.4f}", f"{1e3 * r['slip_p99']:.3f}", *drift, f"{r['height']:.2f}",
            f"{100 * r['upright']:.0f} %", f"{r['good']}/{r['tried']}"]


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--models", type=pathlib.Path, action="append", default=[], metavar="DIR", help="where robots that do not ship are; may be given again")
    parser.add_argument("--robots", default=",".join(ROBOTS), help="comma-separated")
    parser.add_argument("--scenes", default=",".join(SCENES), help="comma-separated")
    parser.add_argument("--swing", type=float, default=1.0, help="times as far as legs swing in `walk`")
    parser.add_argument("--solref", type=float, default=mujoco_trails.SOLREF, help="time constant of MuJoCo's contacts [s]")
    parser.add_argument("--solver", default="hybrid", help="of ours")
    parser.add_argument("--envs", type=int, default=512, help="robots of ours that are timed together")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another setting of ours")
    bench = measure.Bench(parser.parse_args())
    bench.args.models = bench.args.models or [measure.SOURCE.parent / "shared" / "models"]
    python, folder, library = mujoco_compare.mujoco_home(bench.args.build)
    program = mujoco_compare.compile_beside(bench.args.build, folder, library, "mujoco_trail")
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        prepared = {(name, scene): done for name in bench.args.robots.split(",") for scene in bench.args.scenes.split(",")
                    if (done := prepare(bench, name, scene, python, place))}
        trails = {(*who, engine): str(place / ".".join((*who, engine, "trail"))) for who in prepared for engine in ENGINES}
        timings = bench.collect({key: case(bench, program, key[1], prepared[key[:2]][0], key[2], out) for key, out in trails.items()})
        seen = {}
        for key, trail in trails.items():
            at, standing, _ = prepared[key[:2]]
            seen[key] = mujoco_trails.look(python, at["urdf"], 7, trail, "--robots", mujoco_trails.STATES, "--standing", standing, "--every",
                                           mujoco_trails.EVERY * mujoco_trails.DT)
    rows, machine = list(rows_of(bench, prepared, timings, seen)), measure.machine(bench)
    print(f"{measure.machine_text(machine)}\nhumanoids, dt 1 ms, {mujoco_trails.steps_of(bench)} steps, one thread each on the same core; M and bias agree to "
          f"{max(max(r['M'], r['bias']) for r in rows):.1e}; robots given up {sum(r['given_up'] for r in rows)}\n")
    print(measure.table(["robot", "scene", *mujoco_trails.HEAD, *HEAD], [cells(r) for r in rows]))
    measure.write_results(bench, "mujoco_humanoids", {"machine": machine, "rows": rows}, rows)


if __name__ == "__main__":
    try:
        main()
    except measure.Failed as failed:
        sys.exit(str(failed))
