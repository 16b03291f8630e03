#!/usr/bin/env python3
"""How much of the MJCF files in some folders loads: in full, with named losses, or not, and what the losses are. Where MuJoCo is there, each
that loads is compared with it: nq, nv; at the home pose the mass matrix; and at random states and controls the forces of the actuators, by the law
and the numbers that `info --json` gives; how many actuators and sensors it has, and how many are here.

    python bench/agree/mjcf_coverage.py FOLDER ... [--meshes load|skip] [--build DIR] [--csv FILE]

Files that are not a whole model (<mujocoinclude>, no body that moves) are left out. With --meshes skip MuJoCo, too, reads the files without their
meshes; a file that it cannot read that way is not compared."""
import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LOSSES = {"attributes that do": "attributes", "MJCF has not": "unknown attributes", "meshes are skipped": "meshes", "weigh by meshes": "masses of meshes", "collision shapes that do not act": "shapes", "planes that": "planes",
          "torsional": "torsional friction", "`margin`": "margin", "actuators that": "actuators", "sensors of these kinds": "sensors", "tendons that": "tendons", "springs of": "springs of balls",
          "equalities that": "equalities", "contact pairs": "contact pairs", "no fluid": "fluid", "limits of ball": "limits of balls", "mocap": "mocap",
          "plugins": "plugins"}


def is_model(path):
    """A whole file that says what moves; what is not XML counts, too."""
    try:
        root = xml.parse(path).getroot()
    except xml.ParseError:
        return b"<mujoco" in path.read_bytes()
    return root.tag == "mujoco" and any(next(root.iter(tag), None) is not None for tag in ("body", "include", "attach"))


def ask(program, path, meshes):
    """(refusal or None, what `info --json` says, losses) of one file."""
    done = subprocess.run([program, "info", path, "--meshes", meshes, "--json"], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1].split(": ", 1)[-1], None, []
    model = json.loads(done.stdout)
    warnings = "\n".join(model["warnings"])
    return None, model, sorted({short for words, short in LOSSES.items() if words in warnings})


def matrix(program, path, meshes, q, nv, folder):
    """The mass matrix at q."""
    states = pathlib.Path(folder) / "states.json"
    states.write_text(json.dumps({"states": [{"q": q, "v": [0.0] * nv, "tau": [0.0] * nv}]}), encoding="utf-8")
    done = subprocess.run([program, "eval", path, "--meshes", meshes, "--states", states], capture_output=True, text=True, check=False, timeout=120)
    return json.loads(done.stdout)["states"][0]["M"] if done.returncode == 0 else None


def read_into_mujoco(mujoco, path, meshes):
    """None: it cannot read it."""
    try:
        if meshes == "load":
            return mujoco.MjModel.from_xml_path(str(path))
        spec = mujoco.MjSpec.from_file(str(path))
        for geom in list(spec.geoms):
            if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
                spec.delete(geom)
        for mesh in list(spec.meshes):
            spec.delete(mesh)
        return spec.compile()
    except (ValueError, RuntimeError):
        return None


def driven(numpy, told, q, v, control):
    """Forces of the actuators on the joints, by the law of docs/models.md."""
    joints, force = {joint["name"]: joint for joint in told["joints"]}, numpy.zeros(told["nv"])
    for actuator, c in zip(told["actuators"], control):
        terms = [(joints[term["joint"]], term["moment"]) for term in actuator["terms"]]
        length, rate = (sum(moment * x[joint[key]] for joint, moment in terms) for x, key in ((q, "q"), (v, "v")))
        least, most = (limit if limit is not None else sign * numpy.inf for limit, sign in zip(actuator["control_range"], (-1, 1)))
        given = actuator["control_scale"] * min(max(c, least), most) + actuator["control_bias"]
        wish = (actuator["kp"] * (given - length) if actuator["controls"] == "target" else given) - actuator["kd"] * rate
        least, most = (limit if limit is not None else sign * numpy.inf for limit, sign in zip(actuator["force"], (-1, 1)))
        if actuator["motor"]["kind"] == "dc":
            stall, speed = (actuator["motor"]["parameters"][word] for word in ("stall", "speed"))
            least, most = max(least, -stall * (1 + rate / speed)), min(most, stall * (1 - rate / speed))
        for joint, moment in terms:
            force[joint["v"]] += moment * min(max(wish, least), most)
    return force


def drives_off(mujoco, numpy, model, told):
    """How far the actuators' forces are from MuJoCo's, of the largest; None: it has others than we. Rotors do nothing here, a state that lags has
    caught up with its control, and `actuatorgravcomp` is taken out: a warning names it."""
    if model.nu != told["nu"]:
        return None
    if model.jnt_actgravcomp.any():
        model.body_gravcomp[:] = 0.0
    data, draw, worst = mujoco.MjData(model), numpy.random.default_rng(1), 0.0
    for trial in range(20):
        q, v, control = numpy.array(told["home"]), draw.normal(0, 1, told["nv"]), draw.normal(0, 3 if trial % 2 else 0.3, told["nu"])
        for joint in told["joints"]:
            if joint["nq"] == 1:
                q[joint["q"]] += draw.normal(0, 0.3)
        control[[not actuator["terms"] for actuator in told["actuators"]]] = 0.0
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, control
        for u in numpy.flatnonzero(model.actuator_actadr >= 0):
            least, most = model.actuator_ctrlrange[u] if model.actuator_ctrllimited[u] else (-numpy.inf, numpy.inf)
            data.act[model.actuator_actadr[u]] = min(max(control[u], least), most)
        mujoco.mj_forward(model, data)
        theirs = data.qfrc_actuator
        worst = max(worst, abs(driven(numpy, told, q, v, control) - theirs).max() / max(1.0, abs(theirs).max()))
    return worst


def beside(mujoco, numpy, program, path, meshes, told, folder, found):
    """What MuJoCo says otherwise; None: it cannot read the file either. found: what it has, and what is here, is added."""
    model = read_into_mujoco(mujoco, path, meshes)
    if model is None:
        return None
    found.update({"actuators": model.nactuator, "actuators here": told["nu"], "sensors": model.nsensor, "sensors here": len(told.get("sensors", []))})
    if (model.nq, model.nv) != (told["nq"], told["nv"]):
        return f"nq, nv are {model.nq}, {model.nv} there"
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = numpy.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, full, data.qM)
    except (TypeError, AttributeError):
        mujoco.mj_fullM(model, data, full)
    ours = matrix(program, path, meshes, list(data.qpos), model.nv, folder)
    if ours is None:
        return "eval fails"
    off = abs(numpy.array(ours) - full).max() / abs(full).max()
    if off > 1e-7 if meshes == "load" else off > 1e-10:  # MuJoCo keeps the corners of meshes as floats
        return f"M is off by {off:.1e}"
    off = drives_off(mujoco, numpy, model, told) if told["nu"] else 0.0
    return f"actuators are off by {off:.1e}" if off is not None and off > 1e-9 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--meshes", default="load", choices=("load", "skip"))
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory")
    parser.add_argument("--csv", type=pathlib.Path, help="write a line for each file")
    args = parser.parse_args()
    try:
        import mujoco
        import numpy
    except ImportError:
        mujoco = numpy = None
    rows, losses, refusals, found = [], collections.Counter(), collections.Counter(), collections.Counter()
    files = sorted({path for folder in args.folders for path in folder.rglob("*.xml") if is_model(path)})
    with tempfile.TemporaryDirectory() as scratch:
        for path in files:
            refused, told, lost = ask(args.build / "myriapod", path, args.meshes)
            peer = beside(mujoco, numpy, args.build / "myriapod", path, args.meshes, told, scratch, found) if mujoco and told else None
            losses.update(lost)
            refusals.update([re.sub(r"^\S+:\d+: |`[^`]*`|\d[\d.e+-]*", "", refused)] if refused else [])
            rows.append([path, "refused" if refused else "with losses" if lost else "in full", "; ".join(lost) or refused or "",
                         "" if peer is None else peer or "agrees"])
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["file", "loads", "why", "MuJoCo"], *rows])
    counts = collections.Counter(row[1] for row in rows)
    print(f"{len(rows)} models: {counts['in full']} in full, {counts['with losses']} with named losses, {counts['refused']} refused")
    for title, counter in (("losses", losses), ("refused because", refusals)):
        print(f"{title}:", *(f"\n  {count:4} {what.strip()}" for what, count in counter.most_common()))
    peers = [row for row in rows if row[3]]
    print(f"beside MuJoCo: {sum(row[3] == 'agrees' for row in peers)} of {len(peers)} agree", *(f"\n  {row[0]}: {row[3]}" for row in peers if row[3] != "agrees"))
    for what in ("actuators", "sensors"):
        print(f"{what} of these files: {found[what]}, here {found[f'{what} here']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
