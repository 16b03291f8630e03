#!/usr/bin/env python3
"""Robots that people know, from files of their owners: they hold their pose for a minute, and fall limp from half a metre or more, turned any way.

    python bench/agree/known_robots.py FILE ... [--meshes skip] [--envs 64] [--seconds 60] [--dt 0.002] [--set KEY=VALUE ...] [--json FILE]

FILE: MJCF or URDF. Runs where `myriapod` is installed. A line for each robot and scene:
- quarantined robots; share of contact solves that did not converge; ns per robot-step and core;
- depth p99 and most: how deep contacts overlap [mm], every 20 ms; how far below the ground the centre of any body ever was [mm];
- force/weight: mean vertical force of the ground over the last third of the time, by the robot's weight, the worst robot's; fixed robots have none;
- upright: robots whose base leans less than 45 degrees from its attitude at home, at the end.
`hold` is the task of that name, without noise at the start; `fall` is limp: no gains, joints near home."""
import argparse
import json
import pathlib
import sys
import warnings

import numpy as np

import myriapod


def open_batch(model, task, args, **more):
    settings = dict(word.split("=", 1) for word in args.set)
    return myriapod.Batch(model, args.envs, **{"task": task, "dt": args.dt, "decimation": 1, "threads": args.threads, "sense": ("contacts", "bodies"), **settings, **more})


def throw(model, batch, draw):
    """Half a metre up, turned any way, joints off home by up to 0.3 rad."""
    q = np.tile(model.home, (batch.envs, 1))
    for joint in model.joints:
        if joint.type == "free":
            turn = draw.normal(size=(batch.envs, 4))
            q[:, joint.q + 2] += 0.5
            q[:, joint.q + 3:joint.q + 7] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
        elif joint.nq == 1 and not model.n_loops:
            off = q[:, joint.q] + draw.uniform(-0.3, 0.3, batch.envs)
            q[:, joint.q] = np.clip(off, joint.lower, joint.upper) if joint.lower <= joint.upper else off
    # nothing may begin in the ground: below no frame by more than the farthest that a geom reaches from its link's origin
    far = max((np.linalg.norm(g.position) + (np.linalg.norm(g.points, axis=1).max() if g.points else np.linalg.norm(g.size)) for g in model.geoms), default=0.0)
    low = myriapod.evaluate(model, q, want="frame_position").frame_position[:, :, 2].min(axis=1) - far
    for joint in model.joints:
        if joint.type == "free":
            q[:, joint.q + 2] += np.maximum(0.0, -low)
    batch.q = q
    batch.kp, batch.kd = 0.0, 0.0


def watch(model, batch, seconds, dt):
    frame = max(1, round(0.02 / dt))
    frames, depths, forces, lowest = round(seconds / (dt * frame)), [], [], np.inf
    ground = [i for i, slot in enumerate(model.slots) if slot.other < 0]
    for k in range(frames):
        batch.step(frame)
        depths.append(np.asarray(batch.contact_depth).max(axis=1, initial=0.0))
        lowest = min(lowest, float(np.asarray(batch.body_pose).reshape(batch.envs, -1, 7)[:, :, 2].min()))
        if 3 * k >= 2 * frames:
            forces.append(np.asarray(batch.impulse).reshape(batch.envs, -1, 3)[:, ground, 2].sum(axis=1) / dt)
    return np.concatenate(depths), np.mean(forces, axis=0), lowest


def lean(model, q):
    """Cosine between the base's z now and at home."""
    if model.joints[0].type != "free":
        return np.ones(len(q))

    def up(a):
        w, x, y, z = np.moveaxis(a, -1, 0)
        return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z], axis=-1)

    return up(q[:, 3:7]) @ up(model.home[3:7])


def measure(path, scene, args):
    model = myriapod.Model(path, meshes=args.meshes)
    batch = open_batch(model, "hold", args, **{"start-angle": 0, "start-height": 0, "start-speed": 0}) if scene == "hold" else open_batch(model, "none", args)
    if scene == "fall":
        throw(model, batch, np.random.default_rng(1))
    depths, forces, lowest = watch(model, batch, args.seconds if scene == "hold" else args.seconds / 6, args.dt)
    stats, weight = batch.stats(), 9.81 * model.mass
    worst = float(forces[np.argmax(np.abs(forces - weight))]) / weight
    free = any(joint.type == "free" for joint in model.joints)
    return {"robot": model.name, "scene": scene, "nv": model.nv, "nu": model.nu, "slots": model.n_slots, "kg": model.mass, "quarantined": stats.quarantined,
            "not_converged": stats.not_converged / max(1, stats.active_steps), "ns": 1e9 * stats.wall_s * stats.threads / stats.robot_steps,
            "contacts": stats.contacts_mean, "depth_p99_mm": 1e3 * float(np.quantile(depths, 0.99)), "depth_max_mm": 1e3 * float(depths.max()),
            "below_mm": 1e3 * max(0.0, -lowest), "force_by_weight": worst if free else None,
            "upright": float(np.mean(lean(model, np.asarray(batch.q)) > np.sqrt(0.5))), "warnings": model.warnings}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--scenes", default="hold,fall", help="comma-separated")
    parser.add_argument("--meshes", default="load", choices=("load", "skip"))
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0, help="of hold; a sixth of it of fall")
    parser.add_argument("--dt", type=float, default=0.002)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another setting")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore", myriapod.ModelWarning)
    rows = []
    print(f"{args.envs} robots, dt {1e3 * args.dt:g} ms, {args.threads} thread(s)")
    print(f"{'robot':24} {'scene':5} {'nv':>3} {'nu':>3} {'slots':>5} {'quarantined':>11} {'not conv.':>9} {'contacts':>8} {'depth p99':>9} {'most':>8} {'below':>8}"
          f" {'force/weight':>12} {'upright':>7} {'ns/step':>8}")
    for path in args.files:
        for scene in args.scenes.split(","):
            try:
                row = measure(path, scene, args)
            except myriapod.Error as error:
                print(f"{path.stem:24} {scene:5} {error}")
                rows.append({"robot": path.stem, "scene": scene, "error": str(error)})
                continue
            rows.append(row)
            force = "-" if row["force_by_weight"] is None else f"{row['force_by_weight']:.4f}"
            print(f"{row['robot']:24} {scene:5} {row['nv']:3} {row['nu']:3} {row['slots']:5} {row['quarantined']:11} {100 * row['not_converged']:7.3f} % {row['contacts']:8.2f}"
                  f" {row['depth_p99_mm']:6.2f} mm {row['depth_max_mm']:5.1f} mm {row['below_mm']:5.1f} mm {force:>12} {100 * row['upright']:5.0f} % {row['ns']:8.0f}", flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
