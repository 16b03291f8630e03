"""A robot that fell gets up by a plan of its future, made anew at 50 Hz (docs/planning.md), here or with MuJoCo as the robot: which stand, and when.

    python bench/skills/plan_get_up.py [--robot anymal] [--engine myriapod] [--seeds 1 2 3 4 5 6 7 8 9 10] [--seconds 6]

A seed is a fall: the robot is dropped limp (no stiffness) in a turn that is drawn from all, its joints within 0.5 rad of home, and falls and lies for two
seconds. It stands when it leans by less than 0.2 rad and is higher than 0.85 of its height, for the half second before the end. Plans act a control
step after their state was read, as in plan_walk.py. Needs myriapod and, for MuJoCo, mujoco."""
import argparse
import json
import time

import numpy as np
from plan_walk import Robot, want_engines

from myriapod import Planner
from myriapod.plan import get_up, given

CHANGED = {"steps": int, "knots": int, "iterations": int, "sigma": float, "temperature": float, "fade_iteration": float}
#: Of each robot: its task, its height [m], and the plan's samples and options.
ROBOTS = {"anymal": (get_up.anymal, 0.53, 320, given.RISE), "go2": (get_up.go2, 0.29, 320, given.RISE)}


def lean(q):
    """[rad]"""
    return float(np.arccos(np.clip(1 - 2 * (q[4] ** 2 + q[5] ** 2), -1, 1)))


def fall(real, random):
    """Drop it limp, and let it lie."""
    batch = real.mirror.batch
    q, stiffness = batch.q[0].astype(float).copy(), batch.get("kp")
    turn = random.standard_normal(4)
    q[2], q[3:7], q[7:] = 0.7, turn / np.linalg.norm(turn), q[7:] + random.uniform(-0.5, 0.5, len(q) - 7)
    batch.set("q", q[None])
    batch.set("kp", np.zeros_like(stiffness))
    for _ in range(round(2.0 / real.mirror.dt)):
        real.mirror.act(np.zeros((1, real.mirror.num_actions)))
    batch.set("kp", stiffness)
    real.put(*real.state)


def run(robot, engine, seed, args):
    task, height, samples, options = ROBOTS[robot]
    options = options | {name: getattr(args, name) for name in CHANGED if getattr(args, name) is not None}
    with Planner(task(), args.samples or samples, seed=seed, threads=args.threads, **options) as planner:
        real, ahead = Robot(planner, engine), planner.robot(threads=1)
        fall(real, np.random.default_rng(seed))
        lay, plans, up, fast, action = lean(real.state[0]), [], [], [], planner.control()
        for _ in range(round(args.seconds / planner.dt)):
            cpu = time.process_time()
            planner.plan(real.lead(ahead, action))
            plans.append(time.process_time() - cpu)
            real.act(action)
            action = planner.control()
            planner.shift(1.0)
            q, v = real.state
            fast.append(np.abs(v[6:]).max())
            up.append(lean(q) < 0.2 and q[2] > 0.85 * height)
    still = round(0.5 / planner.dt)
    stands = len(up) >= still and all(up[-still:])
    first = max((k + 1 for k, each in enumerate(up) if not each), default=0)  # the control step from which on it stood
    return {"robot": robot, "engine": engine, "seed": seed, "lay": lay, "stands": stands, "after_s": first * planner.dt if stands else None,
            "height": float(q[2]), "lean": lean(q), "fastest": float(max(fast)),
            "plan_ms": float(1e3 * np.median(plans)), "plan_p90_ms": float(1e3 * np.quantile(plans, 0.9))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="anymal", choices=ROBOTS)
    parser.add_argument("--engine", default="myriapod")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1, 11)))
    parser.add_argument("--seconds", type=float, default=6)
    for name, kind in (("samples", int), *CHANGED.items()):
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", help="also write the figures to this file")
    args = parser.parse_args()
    want_engines(parser, args.engine)
    rows = []
    print("| engine | seed | lay, from upright [degrees] | stands after [s] | height [m] | leans [degrees] | fastest joint [rad/s] "
          "| a plan: median, 90 % [ms of a core] |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for engine in args.engine.split(","):
        for seed in args.seeds:
            r = run(args.robot, engine, seed, args)
            rows.append(r)
            after = f"{r['after_s']:.2f}" if r["stands"] else "no"
            print(f"| {engine} | {seed} | {np.degrees(r['lay']):.0f} | {after} | {r['height']:.2f} | {np.degrees(r['lean']):.0f} | {r['fastest']:.0f} | "
                  f"{r['plan_ms']:.1f}, {r['plan_p90_ms']:.1f} |", flush=True)
        print(f"{sum(r['stands'] for r in rows if r['engine'] == engine)} of {len(args.seeds)} stand")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
