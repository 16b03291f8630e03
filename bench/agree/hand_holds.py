#!/usr/bin/env python3
"""A hand that holds an object while gravity pulls at it from all sides, here and in MuJoCo on the same file.

    python bench/agree/hand_holds.py FOLDER/allegro_cube.xml FOLDER/allegro_ball.xml [--envs 256] [--seconds 10] [--mujoco 16] [--json FILE]

The files are those of examples/hands, beside the hand that they include. From the keyframe `open` under gravity that points into the palm the controls go
to those of the keyframe `home` within a second; from the second second on gravity points anywhere, another way in every environment (the first six: along
the axes), for `--seconds`. A line for each engine:
- held: environments whose object is within 2 cm of where it was when gravity turned, at the end and every 20 ms until then;
- moved: how far it came from there, the worst of those that are held [mm];
- creep: how fast it still moved over the last second, the worst of those that are held [mm/s];
- depth p99 and most: how deep the object and the hand overlap in the last second [mm], by mj_collision on the states of either engine;
- not converged, ns per robot-step and core; contacts per robot-step.
MuJoCo steps `--mujoco` environments, one after the other, with its file's solver. Needs the packages myriapod, mujoco, numpy."""
import argparse
import json
import pathlib
import sys
import time
import warnings

import mujoco
import numpy as np

import myriapod

FRAME, CLOSING, WAIT = 10, 1.0, 2.0


def gravities(n):
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    drawn = np.random.default_rng(1).normal(size=(n, 3))
    return 9.81 * np.concatenate([axes, drawn / np.linalg.norm(drawn, axis=1, keepdims=True)])[:n]


def schedule(seconds, dt):
    """(gravity is turned, share of the way of the controls) of every frame."""
    frames = round((WAIT + seconds) / (dt * FRAME))
    at = np.arange(1, frames + 1) * dt * FRAME
    return [(t > WAIT + 1e-9, min(1.0, t / CLOSING)) for t in at]


def run_here(path, args):
    model = myriapod.Model(path)
    dt = args.dt
    batch = myriapod.Batch(model, args.envs, task="none", dt=dt, threads=1, **dict(word.split("=", 1) for word in args.set))
    start, target = keyframe_controls(path)
    q = np.tile(model.keyframes["open"], (args.envs, 1))
    batch.q = q
    pull, states = gravities(args.envs), []
    batch.gravity = np.tile((0, 0, -9.81), (args.envs, 1))
    turned_before = False
    for turned, share in schedule(args.seconds, dt):
        if turned and not turned_before:
            batch.gravity = pull
            batch.clear_stats()
        turned_before = turned
        batch.control = np.tile(start + share * (target - start), (args.envs, 1))
        batch.step(FRAME)
        states.append(np.array(batch.q, dtype=float))
    stats = batch.stats()
    cost = {"ns": 1e9 * stats.wall_s * stats.threads / stats.robot_steps, "contacts": stats.contacts_mean,
            "not_converged": stats.not_converged / max(1, stats.active_steps), "quarantined": stats.quarantined, "slots": model.n_slots}
    return np.array(states), cost


def keyframe_controls(path):
    m = mujoco.MjModel.from_xml_path(str(path))
    return m.key_ctrl[m.key("open").id].copy(), m.key_ctrl[m.key("home").id].copy()


def run_mujoco(path, args):
    m = mujoco.MjModel.from_xml_path(str(path))
    m.opt.timestep = args.dt
    d = mujoco.MjData(m)
    start, target = keyframe_controls(path)
    pull, all_states, spent, steps, contacts = gravities(args.mujoco), [], 0.0, 0, 0
    for env in range(args.mujoco):
        mujoco.mj_resetDataKeyframe(m, d, m.key("open").id)
        m.opt.gravity[:] = 0, 0, -9.81
        states = []
        for turned, share in schedule(args.seconds, args.dt):
            if turned:
                m.opt.gravity[:] = pull[env]
            d.ctrl[:] = start + share * (target - start)
            began = time.perf_counter()
            mujoco.mj_step(m, d, FRAME)
            if turned:
                spent += time.perf_counter() - began
                steps += FRAME
                contacts += d.ncon
            states.append(d.qpos.copy())
        all_states.append(states)
    return np.array(all_states).swapaxes(0, 1), {"ns": 1e9 * spent / steps, "contacts": contacts * FRAME / steps, "not_converged": None, "quarantined": 0, "slots": None}


def depths(path, states):
    """Deepest overlap of the object with the hand in every state."""
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    body, deepest = m.body("object").id, []
    for q in states:
        d.qpos[:] = q
        mujoco.mj_kinematics(m, d)
        mujoco.mj_collision(m, d)
        own = [c.dist for c in d.contact if (m.geom_bodyid[c.geom1] == body) != (m.geom_bodyid[c.geom2] == body)]
        deepest.append(max(0.0, -min(own, default=0.0)))
    return np.array(deepest)


def judge(path, states, seconds, dt):
    """states: (frames, envs, nq); the object is the last free body."""
    frame, n = dt * FRAME, round(seconds / (dt * FRAME))
    place = states[:, :, 16:19]
    away = np.linalg.norm(place[-n:] - place[-n - 1], axis=2).max(axis=0)
    held = away < 0.02
    last = round(1 / frame)
    creep = np.linalg.norm(place[-1] - place[-1 - last], axis=1)
    few = states[-last::5].reshape(-1, states.shape[2])[np.tile(held, len(states[-last::5]))]
    deep = depths(path, few)
    worst = lambda values: 1e3 * float(values[held].max(initial=0.0))
    return {"envs": len(held), "held": int(held.sum()), "moved_mm": worst(away), "creep_mm_s": worst(creep),
            "depth_p99_mm": 1e3 * float(np.quantile(deep, 0.99)) if len(deep) else None, "depth_max_mm": 1e3 * float(deep.max(initial=0.0))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--mujoco", type=int, default=16, help="environments of MuJoCo")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--dt", type=float, default=0.002)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another setting")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore", myriapod.ModelWarning)
    print(f"{'scene':16} {'engine':9} {'held':>9} {'moved':>9} {'creep':>13} {'depth p99':>10} {'most':>9} {'contacts':>8} {'not conv.':>9} {'ns/step':>8}")
    rows = []
    for path in args.files:
        for engine, run in (("myriapod", run_here), ("mujoco", run_mujoco)):
            if engine == "mujoco" and not args.mujoco:
                continue
            states, cost = run(path, args)
            row = {"scene": path.stem, "engine": engine, **judge(path, states, args.seconds, args.dt), **cost}
            rows.append(row)
            left = "-" if row["not_converged"] is None else f"{100 * row['not_converged']:.4f} %"
            print(f"{row['scene']:16} {engine:9} {row['held']:4}/{row['envs']:<4} {row['moved_mm']:6.2f} mm {row['creep_mm_s']:8.4f} mm/s {row['depth_p99_mm'] or 0:7.3f} mm {row['depth_max_mm']:6.3f} mm"
                  f" {row['contacts']:8.2f} {left:>9} {row['ns']:8.0f}", flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
