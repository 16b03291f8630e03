"""An arm reaches places on both sides of a wall by a plan of its future (docs/planning.md): how near, how soon, how hard it touches the wall.

    python bench/skills/plan_reach.py [--seeds 1 2 3 4 5] [--goals 6] [--way plan,blind,ahead,straight]

A seed draws places to the left and right of the wall by turns, all lower than its top; each has --seconds. A crossing is one where the hand begins on
the other side, lower than the top. Ways: `plan`, whose cost is the way over the wall; `blind`, the same planner with the straight distance as cost; `ahead`,
likewise, which looks 1.6 s ahead; `straight`, no planner: inverse kinematics from where the arm is, and its servos go there. Distances are means over the last
second. Needs myriapod."""
import argparse
import json
import time

import myriapod
import numpy as np

from myriapod import Planner
from myriapod.plan import given, reach

BLIND = {"top": 0.0}  # a wall without height: the straight distance
WAYS = {"plan": {}, "blind": {"numbers": BLIND}, "ahead": {"numbers": BLIND, "steps": 40, "knots": 6}, "straight": {}}
NEAR, WALL = 0.02, 0.45  # [m]


def places(seed, goals):
    random = np.random.default_rng(seed)
    side = 1 - 2 * (np.arange(goals) % 2)
    return np.stack([random.uniform(0.4, 0.65, goals), side * random.uniform(0.25, 0.4, goals), random.uniform(0.12, 0.3, goals)], axis=-1)


def pose(model, q, goal, steps=200):
    """Angles of the arm with the hand there, from q on, by damped least squares."""
    hand, q = model.frame("hand"), q.astype(float).copy()
    lower, upper = (np.array([getattr(joint, side) for joint in model.joints]) for side in ("lower", "upper"))
    for _ in range(steps):
        off = goal - myriapod.evaluate(model, q[None], want=("frame_position",)).frame_position[0, hand.index]
        J = myriapod.jacobian(model, hand, q)[:3, :7]
        q[:7] = np.clip(q[:7] + 0.5 * J.T @ np.linalg.solve(J @ J.T + 1e-4 * np.eye(3), off), lower[:7], upper[:7])
    return q[:7], float(np.linalg.norm(off))


def run(way, seed, args):
    rows = []
    with Planner(reach.panda(), args.samples, seed=seed, threads=args.threads, **given.REACH | WAYS[way]) as planner, \
            planner.robot(dt=0.001, decimation=40, precision="f64", threads=1, sense_contacts=1) as robot:
        model, batch = robot.model, robot.batch
        for goal in places(seed, args.goals):
            begin = batch.sensor("hand_pos")[0].copy()
            batch.set("command", goal[None])
            way_q = pose(model, batch.q[0], goal)[0] if way == "straight" else None
            off, force, depth, plans = [], [], [], []
            for _ in range(round(args.seconds / robot.dt)):
                cpu = time.process_time()
                if way == "straight":  # targets go there as fast as actions may
                    aim = batch.get("memory")[0] + model.home[:7]
                    action = np.clip((way_q - aim) / (robot.settings["action_scale"] * robot.dt), -1, 1)
                else:
                    planner.plan(robot)
                    action = planner.control()
                    planner.shift(1.0)
                plans.append(time.process_time() - cpu)
                robot.act(action[None])
                off.append(float(np.linalg.norm(batch.sensor("hand_pos")[0] - goal)))
                force.append(float(batch.sensor("wall_touch")[0, 0]))
                depth.append(float(batch.get("contact_depth")[0].max()))
            last = round(1.0 / robot.dt)
            there = np.array(off) < NEAR
            rows.append({"way": way, "seed": seed, "goal": goal.tolist(), "crosses": bool(begin[1] * goal[1] < 0 and begin[2] < WALL),
                         "distance": float(np.mean(off[-last:])), "first_s": float((there.argmax() + 1) * robot.dt) if there.any() else None,
                         "force": max(force), "depth": max(depth),
                         "plan_ms": float(1e3 * np.median(plans)), "plan_p90_ms": float(1e3 * np.quantile(plans, 0.9))})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--goals", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each place (default: %(default)s)")
    parser.add_argument("--way", default="plan,blind,ahead,straight")
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", help="also write the figures to this file")
    args = parser.parse_args()
    if unknown := set(args.way.split(",")) - set(WAYS):
        parser.error(f"ways are {', '.join(WAYS)}, not {', '.join(sorted(unknown))}")
    rows = []
    print(f"| way | seed | crossings within {1e3 * NEAR:.0f} mm | first there after: median, most [s] | distance: median, most [mm] "
          "| force on the wall, most [N] | depth, most [mm] | a plan: median, 90 % [ms of a core] |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for way in args.way.split(","):
        for seed in args.seeds:
            made = run(way, seed, args)
            rows += made
            r = [row for row in made if row["crosses"]]
            first, off = [row["first_s"] for row in r if row["first_s"]], [1e3 * row["distance"] for row in r]
            if not r:
                continue
            soon = f"{np.median(first):.2f}, {max(first):.2f}" if first else "never"
            near = sum(d < 1e3 * NEAR for d in off)
            print(f"| {way} | {seed} | {near} of {len(off)} | {soon} | {np.median(off):.0f}, {max(off):.0f} | "
                  f"{max(row['force'] for row in r):.0f} | {1e3 * max(row['depth'] for row in r):.1f} | "
                  f"{np.median([row['plan_ms'] for row in r]):.0f}, {max(row['plan_p90_ms'] for row in r):.0f} |", flush=True)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
