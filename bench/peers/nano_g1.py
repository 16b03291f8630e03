#!/usr/bin/env python3
"""nanoG1's benchmark on processor cores: the G1 on two boxes, with five pairs that may touch, beside MuJoCo on the same model and in the same phase.

    python bench/peers/nano_g1.py unitree_g1_mjlab.xml [--build build] [--phases hold,noise] [--friction hard,implicit] [--threads 1,2] [--worlds 1024]

The file is benchmarks/unitree_g1/unitree_g1_mjlab.xml of google-deepmind/mujoco_warp: bodies, joints and armatures of nanoG1's model, which is
G1JoystickFlatTerrain of MuJoCo Playground. `nano_g1` gives it the rest: a box for a foot, four corners on the floor (friction 0.6); hand and thigh of
each side, and the two feet, without friction (nanoG1's own engine leaves the feet's pair out: `boxbox_flag`); dry friction of 0.1 N m and damping at
all 29 joints; three Newton iterations with five line searches. Needs `mujoco`, and either `myriapod` or, with --build, a build of it and cffi.

Phases, after nanoG1's scripts:

- hold: of what nanoG1's own rates are (`profile envspeed`, no network: every action is 0). Legs have Unitree's gains, targets are the home pose, joints
  start up to 0.05 rad off. A control step is five steps. A robot that falls starts again; all do, again and again, since that pose does not balance.
- noise: of what the rates of mujoco_warp and MJX beside it are. The file's gains, targets up to 0.1 rad off the home pose for good, 1000 steps, no new
  starts. Robots fall, and through the floor: feet alone touch it.

A line for each engine: robot-steps/s by the clock (steps of 2 ms, not control steps; a `?` says that the process had its cores for less than 90 % of the
time), ns of processor time per robot-step, of which the ratio to MuJoCo is, contacts per robot-step, starts again per world, the root's median height at
the end. Myriapod solves to its tolerance, MuJoCo does its three iterations. `hard` has dry friction as rows of each solve, as in MuJoCo; with `implicit`
it is a damper, which is less than the model asks for."""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import time
import warnings
import xml.etree.ElementTree as xml

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import build_package

DT, EVERY, CORES = 0.002, 5, 16
STEPS, LOOK = {"hold": 2500, "noise": 1000}, 25  # of a run; between two looks at which robots fell
MUJOCO_WORLDS = 32  # a thread: it is slower, and the rate per world does not depend on their number
FLOOR_FRICTION, DRY_FRICTION = "0.6", "0.1"
FALLEN_HEIGHT, FALLEN_UP = 0.35, 0.6  # a robot whose root is lower, or whose z leans further, starts again in `hold`
#: kp of the file, damping: by how a joint's name goes on after its side; the rest has 75 and 2.
SOFT = {"ankle_pitch": ("20", "1"), "ankle_roll": ("2", "0.2"), "wrist_roll": ("2", "0.2"), "wrist_pitch": ("2", "0.2"), "wrist_yaw": ("2", "0.2")}
#: kp and kd of the legs in `hold`, on top of the joints' damping.
UNITREE = {"hip_pitch": ("100", "2"), "hip_roll": ("100", "2"), "hip_yaw": ("100", "2"), "knee": ("150", "4"), "ankle_pitch": ("40", "2"),
           "ankle_roll": ("40", "2")}
HOME = {"hip_pitch": -0.1, "knee": 0.3, "ankle_pitch": -0.2, "shoulder_pitch": 0.2, "elbow": 1.28}
HOME_HEIGHT, SHOULDER_ROLL = 0.785, 0.2  # of the left shoulder; the right one mirrors it
HIP_ROLL_RANGE = "-0.5236 2.9671"  # of both hips in nanoG1's constants (web/g1_model_const.h), though FILE mirrors the right one
#: Steps of dt per second on one RTX PRO 6000, as published: kingjulio8238/nanoG1, RESULTS.md at 6dee587 (17 June 2026). nanoG1 counts control steps
#: (1.45 M/s and 1.70 M/s, rewards and observations included) and multiplies by five; the others count calls of their step. Each is the best of several
#: numbers of worlds: 4096 to 32768 (nanoG1), 1024 to 16384 (mujoco_warp, MJX). Contacts are not published. Genesis reads another file of the G1, has no
#: self-contact and targets about 0.
PUBLISHED = {"hold": (("nanoG1, dt 2 ms, Newton 3/5 (\"matched\")", 7.25e6), ("nanoG1, dt 4 ms, Newton 2/3, five to a control step (\"production\")", 8.5e6)),
             "noise": (("mujoco_warp, dt 2 ms, Newton 3/5", 4.0e6), ("Genesis, its own solver and contacts", 2.28e6), ("MJX, dt 2 ms, Newton 3/5", 1.12e6))}


def part(joint):
    """left_hip_roll_joint: hip_roll."""
    return joint.removesuffix("_joint").removeprefix("left_").removeprefix("right_")


def home_of(joint):
    if part(joint) == "shoulder_roll":
        return SHOULDER_ROLL if joint.startswith("left") else -SHOULDER_ROLL
    return HOME.get(part(joint), 0.0)


def nano_g1(path, phase):
    """nanoG1's model as MJCF."""
    root = xml.parse(path).getroot()
    efforts = {act.get("joint"): act.get("forcerange") for act in root.iter("position")}
    for body in list(root.iter("body")):
        for child in list(body):
            if child.tag in ("geom", "light", "camera"):
                body.remove(child)
    for tag in ("asset", "contact", "sensor", "actuator", "option", "keyframe"):
        for child in root.findall(tag):
            root.remove(child)
    xml.SubElement(xml.SubElement(root, "option", timestep=str(DT), iterations="3", ls_iterations="5", integrator="Euler"), "flag", eulerdamp="disable")
    bodies = {body.get("name"): body for body in root.iter("body")}
    silent = {"contype": "0", "conaffinity": "0"}
    for side in ("left", "right"):
        for name, link, shape in ((f"{side}_foot", "ankle_roll_link", {"type": "box", "pos": "0.04 0 -0.029", "size": "0.09 0.03 0.008"}),
                                  (f"{side}_thigh", "hip_roll_link", {"type": "capsule", "fromto": "0.02 0 0 0.02 0 -0.2", "size": "0.06"}),
                                  (f"{side}_hand", "wrist_yaw_link", {"type": "capsule", "fromto": "0.05 0 0 0.1 0 0", "size": "0.05"})):
            xml.SubElement(bodies[f"{side}_{link}"], "geom", name=name, **shape, **silent)
    xml.SubElement(root.find("worldbody"), "geom", name="floor", type="plane", size="0 0 0.01", **silent)
    contact, drives, joints = xml.SubElement(root, "contact"), xml.SubElement(root, "actuator"), list(root.iter("joint"))
    for side in ("left", "right"):
        xml.SubElement(contact, "pair", geom1=f"{side}_foot", geom2="floor", condim="3", friction=f"{FLOOR_FRICTION} {FLOOR_FRICTION}")
        xml.SubElement(contact, "pair", geom1=f"{side}_hand", geom2=f"{side}_thigh", condim="1")
    xml.SubElement(contact, "pair", geom1="left_foot", geom2="right_foot", condim="1")
    for joint in joints:
        name = joint.get("name")
        kp, damping = SOFT.get(part(name), ("75", "2"))
        kp, kd = UNITREE.get(part(name), (kp, "0")) if phase == "hold" else (kp, "0")
        if part(name) == "hip_roll":
            joint.set("range", HIP_ROLL_RANGE)
        joint.attrib |= {"frictionloss": DRY_FRICTION, "damping": damping, "actuatorfrcrange": efforts[name]}
        xml.SubElement(drives, "position", name=name, joint=name, kp=kp, kv=kd, inheritrange="1")
    home = [0, 0, HOME_HEIGHT, 1, 0, 0, 0] + [home_of(joint.get("name")) for joint in joints]
    xml.SubElement(xml.SubElement(root, "keyframe"), "key", name="home", qpos=" ".join(map(str, home)), ctrl=" ".join(map(str, home[7:])))
    return xml.tostring(root, encoding="unicode")


def start(q, targets, worlds, phase):
    """States (worlds, nq) and targets (worlds, nu) that both engines begin with."""
    draw = np.random.default_rng(0)
    q, targets = np.tile(q, (worlds, 1)), np.tile(targets, (worlds, 1))
    q[:, 7:] += draw.uniform(-0.05, 0.05, q[:, 7:].shape)
    if phase == "noise":
        targets += draw.uniform(-0.1, 0.1, targets.shape)
    return q, targets


def fallen(q):
    """Lower than FALLEN_HEIGHT, or the root's z points up by less than FALLEN_UP."""
    return (q[:, 2] < FALLEN_HEIGHT) | (1 - 2 * (q[:, 4] ** 2 + q[:, 5] ** 2) < FALLEN_UP)


class Watch:
    """Wall and processor time of what is done with it."""

    def __init__(self):
        self.wall = self.processor = 0.0

    def __enter__(self):
        self.began = time.perf_counter(), time.process_time()

    def __exit__(self, *_):
        self.wall += time.perf_counter() - self.began[0]
        self.processor += time.process_time() - self.began[1]

    def share(self, threads):
        """The part of the wall time for which the threads had cores."""
        return self.processor / (threads * self.wall)


def ours(myriapod, path, home, phase, worlds, steps, threads, settings):
    model = myriapod.Model(path)
    batch = myriapod.Batch(model, worlds, task="none", dt=DT, decimation=EVERY, threads=threads, **settings)
    first, targets = start(*home, worlds, phase)
    batch.q, batch.v, batch.control = first, np.zeros((worlds, model.nv)), targets
    watch, again = Watch(), 0
    for _ in range(steps // LOOK):
        with watch:
            batch.step(LOOK // EVERY)
        if phase == "hold":
            q, v = np.array(batch.q), np.array(batch.v)
            down = fallen(q)
            again += int(down.sum())
            q[down], v[down] = first[down], 0
            batch.q, batch.v = q, v
    stats = batch.stats()
    return {"engine": f"myriapod {batch.info.isa} f{8 * batch.info.precision} {batch.settings['solver']}",
            "rate": stats.robot_steps / watch.wall, "ns": 1e9 * watch.processor / stats.robot_steps, "share": watch.share(threads),
            "contacts": stats.contacts_mean, "again": again / worlds, "height": float(np.median(np.asarray(batch.q)[:, 2])), "stages": stats.stage_ns,
            "not_converged": stats.not_converged / max(1, stats.active_steps), "iterations": stats.iterations_mean, "residual_p99": stats.residual_p99,
            "ncp_p99": stats.residual_ncp_p99, "quarantined": stats.quarantined}


def theirs(mujoco, path, home, phase, steps, threads):
    model = mujoco.MjModel.from_xml_path(str(path))
    worlds, kind = MUJOCO_WORLDS * threads, mujoco.mjtState.mjSTATE_FULLPHYSICS
    first, targets = start(*home, worlds, phase)
    states, at_first = np.zeros((worlds, mujoco.mj_stateSize(model, kind))), slice(1, 1 + model.nq)
    states[:, at_first] = first  # the state is time, q, v
    begins, controls = states.copy(), np.repeat(targets[:, None], LOOK, axis=1)
    datas, data, watch, again, contacts = [mujoco.MjData(model) for _ in range(threads)], mujoco.MjData(model), Watch(), 0, []
    with mujoco.rollout.Rollout(nthread=threads) as roll:
        roll.rollout(model, datas, states, controls)  # wakes the threads
        for look in range(steps // LOOK):
            with watch:
                out, _ = roll.rollout(model, datas, states, controls)
            states = out[:, -1].copy()
            for i in range(look % 8, worlds, 8):  # contacts, of some worlds
                mujoco.mj_setState(model, data, states[i], kind)
                mujoco.mj_fwdPosition(model, data)
                contacts.append(data.ncon)
            if phase == "hold":
                down = fallen(states[:, at_first])
                again += int(down.sum())
                states[down] = begins[down]
    return {"engine": f"mujoco {mujoco.__version__} f64, Newton 3/5", "rate": worlds * steps / watch.wall,
            "ns": 1e9 * watch.processor / (worlds * steps), "share": watch.share(threads),
            "contacts": float(np.mean(contacts)), "again": again / worlds, "height": float(np.median(states[:, 3]))}


def print_row(row):
    own = "residual_p99" in row
    more = f"{100 * row['not_converged']:11.4f} %  {row['residual_p99']:12.1e}  {row['ncp_p99']:8.1e}" if own else " " * 37
    quiet = " " if row["share"] >= 0.9 else "?"
    print(f"  {row['threads']:7}  {1e-6 * row['rate']:11.4f} M{quiet} {row['ns']:7.0f}  {row['ratio']:9.1f}  {row['contacts']:8.2f}"
          f"  {row['again']:6.1f}  {row['height']:6.2f} m  {more}  {row['engine']}", flush=True)


def print_estimate(rows):
    """What CORES cores would make if they scaled as two threads do here."""
    if len(os.sched_getaffinity(0)) < 2:
        return print(f"  no estimate for {CORES} cores: this process has one alone")
    for engine in dict.fromkeys(row["engine"] for row in rows):
        rate = {row["threads"]: row["rate"] for row in rows if row["engine"] == engine}
        if {1, 2} <= rate.keys():
            share = rate[2] / (2 * rate[1])
            print(f"  ESTIMATE, not a measurement: {CORES} such cores, {1e-6 * CORES * share * rate[1]:.2f} M steps/s "
                  f"(one thread x {CORES} x {100 * share:.0f} %, the efficiency of two threads), {engine}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path, help="unitree_g1_mjlab.xml")
    parser.add_argument("--build", type=pathlib.Path, help="a build directory, where `myriapod` is not installed")
    parser.add_argument("--phases", default="hold,noise", help="comma-separated")
    parser.add_argument("--friction", default="hard,implicit", help="comma-separated: how ours has the joints' dry friction")
    parser.add_argument("--worlds", type=int, default=1024, help="of ours")
    parser.add_argument("--steps", type=int, help=f"of each world; {STEPS['hold']} in hold, {STEPS['noise']} in noise")
    parser.add_argument("--threads", default="1,2", help="comma-separated")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of ours")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    if args.build:
        build_package.put_on_path(args.build)
    import mujoco  # here, since --build decides which myriapod there is
    import mujoco.rollout
    import myriapod
    warnings.simplefilter("ignore", myriapod.ModelWarning)  # iterations and eulerdamp do not act here
    settings, all_rows = dict(word.split("=", 1) for word in args.set), []
    with tempfile.TemporaryDirectory() as folder:
        for phase in args.phases.split(","):
            steps, path, rows = args.steps or STEPS[phase], pathlib.Path(folder) / f"{phase}.xml", []
            path.write_text(nano_g1(args.file, phase), encoding="utf-8")
            key = mujoco.MjModel.from_xml_path(str(path))
            home = key.key_qpos[0].copy(), key.key_ctrl[0].copy()
            print(f"{phase}: {args.worlds} worlds (MuJoCo {MUJOCO_WORLDS} a thread), {steps} steps of {1e3 * DT:g} ms each"
                  + "".join(f", {word}" for word in args.set))
            print(f"  {'threads':7}  {'robot-steps/s':>13}  {'ns':>7}  {'to MuJoCo':>9}  contacts  starts  height    not converged  residual p99"
                  "  law p99   engine")
            for threads in map(int, args.threads.split(",")):
                peer = theirs(mujoco, path, home, phase, steps, threads)
                for word in args.friction.split(","):
                    row = ours(myriapod, path, home, phase, args.worlds, steps, threads, settings | {"joint_friction": word})
                    rows.append(row | {"engine": f"{row['engine']}, joint friction {word}"})
                rows.append(peer)
                for row in rows[-1 - len(args.friction.split(",")):]:
                    row |= {"phase": phase, "threads": threads, "ratio": peer["ns"] / row["ns"], "settings": settings}
                    print_row(row)
            print_estimate(rows)
            for name, rate in PUBLISHED[phase]:
                print(f"  published, one RTX PRO 6000: {1e-6 * rate:.2f} M steps/s, {name}")
            all_rows += rows
    if args.json:
        args.json.write_text(json.dumps(all_rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
