#!/usr/bin/env python3
"""Robots that touch themselves: they fall and flail for a minute, and MuJoCo's own distances say how deep their links are in each other.

    python bench/agree/flail.py FILE.xml ... [--envs 64] [--seconds 60] [--dt 0.002] [--strength 0.3] [--set KEY=VALUE ...] [--json FILE]

Runs where `myriapod` and `mujoco` are installed; MuJoCo reads the same MJCF. Robots start half a metre up, turned any way (fixed ones at home), and every
0.25 s each actuator gets another control, drawn evenly from --strength of its range about the middle (position servos: of the whole range). A line each:
- pairs that MuJoCo's filters let through, and those kept;
- quarantined; share of contact solves not converged; ns per robot-step and core; contacts per robot-step;
- self: pairs of links in each other by more than 1 mm, in a look on the mean; then the depths of those overlaps [mm], p50, p99, most; all pairs
  that the filters let through are looked at, pruned or not, every --look seconds in --sample robots, by mj_geomDistance, which knows nothing of ours;
- grown: the most by which any overlap grew beyond the deepest one of its pair in the starting poses.
The shapes are MuJoCo's: meshes are whole there, and here hulls of at most 32 corners, so a touch here is up to some millimetres there."""
import argparse
import json
import pathlib
import sys
import warnings

import mujoco
import numpy as np

import known_robots
import myriapod
import self_contact

HOLD_S = 0.25


def controls(m, strength, envs, draw):
    """Controls for each robot, from the ranges of the file."""
    low, high = m.actuator_ctrlrange.T.copy()
    free = m.actuator_ctrllimited == 0
    low[free], high[free] = -1.0, 1.0
    servo = m.actuator_biastype == mujoco.mjtBias.mjBIAS_AFFINE
    share = np.where(servo, 1.0, strength)
    return (low + high) / 2 + (high - low) / 2 * share * draw.uniform(-1, 1, (envs, m.nu))


def run(path, args):
    draw = np.random.default_rng(3)
    model, m = myriapod.Model(path), self_contact.read(path)
    d, pairs = mujoco.MjData(m), sorted(set.union(*self_contact.rules(m)))
    settings = dict(word.split("=", 1) for word in args.set)
    batch = myriapod.Batch(model, args.envs, **{"task": "none", "dt": args.dt, "decimation": 1, "threads": args.threads, **settings})
    if model.nq != m.nq:
        raise ValueError(f"{path}: {model.nq} coordinates, and {m.nq} in MuJoCo")
    kp, kd = np.array(batch.kp), np.array(batch.kd)
    if any(joint.type == "free" for joint in model.joints):
        known_robots.throw(model, batch, draw)
        batch.kp, batch.kd = kp, kd
    some = draw.choice(args.envs, min(args.sample, args.envs), replace=False)
    start = np.min([self_contact.distances(m, d, q, pairs) for q in np.asarray(batch.q)[some]], axis=0, initial=0.0)
    steps, looks = round(HOLD_S / args.dt), max(1, round(args.look / HOLD_S))
    seen, grown = [], 0.0
    for k in range(round(args.seconds / HOLD_S)):
        batch.control = controls(m, args.strength, args.envs, draw)
        batch.step(steps)
        if k % looks == looks - 1:
            well = np.asarray(batch.quarantined)[some] == 0
            for q in np.asarray(batch.q, dtype=np.float64)[some[well]]:
                seen.append(self_contact.distances(m, d, q, pairs))
                grown = max(grown, float((start - seen[-1]).max(initial=0.0)))
    stats, seen = batch.stats(), np.concatenate(seen) if pairs else np.zeros(0)
    deep = -1e3 * seen[seen < -1e-3]
    return {"robot": pathlib.Path(path).parent.name, "candidates": len(pairs), "kept": len(model.pairs), "quarantined": stats.quarantined,
            "not_converged": stats.not_converged / max(1, stats.active_steps), "ns": 1e9 * stats.wall_s * stats.threads / max(1, stats.robot_steps),
            "contacts": stats.contacts_mean, "looks": int(len(seen) / max(1, len(pairs))),
            "overlaps": len(deep) / max(1, len(seen) / max(1, len(pairs))), "p50": float(np.median(deep)) if len(deep) else 0.0,
            "p99": float(np.quantile(deep, 0.99)) if len(deep) else 0.0, "most": float(deep.max(initial=0.0)), "grown": 1e3 * grown}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--sample", type=int, default=8, help="robots whose links are looked at")
    parser.add_argument("--look", type=float, default=1.0, help="seconds between looks")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--dt", type=float, default=0.002)
    parser.add_argument("--strength", type=float, default=0.3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--json")
    args = parser.parse_args()
    print(f"{'robot':18} {'pairs':>6} {'kept':>5} {'quar.':>5} {'open':>8} {'ns':>8} {'contacts':>8} {'self':>6} {'p50':>6} {'p99':>7} {'most':>7} {'grown':>7} [mm]")
    rows = []
    for path in args.files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                r = run(path, args)
            except ValueError as error:
                print(error, flush=True)
                continue
        rows.append(r)
        print(f"{r['robot']:18} {r['candidates']:6} {r['kept']:5} {r['quarantined']:5} {r['not_converged']:8.3%} {r['ns']:8.0f} {r['contacts']:8.2f} "
              f"{r['overlaps']:6.2f} {r['p50']:6.2f} {r['p99']:7.2f} {r['most']:7.2f} {r['grown']:7.2f}", flush=True)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    sys.exit(main())
