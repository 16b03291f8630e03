"""A hand turns a cube round and round, by a plan of its future made anew at 25 Hz (docs/planning.md), here or with MuJoCo as the hand; how far, time of a plan.

    python bench/skills/plan_turn.py [--engine myriapod,mujoco] [--seeds 1 2 3 4 5] [--turns 1] [--rate 0.4] [--samples 64] [--iterations 1] [--at-once]

The commanded angle about the vertical grows by --rate until so many turns (below 0: the other way), and stays for 2 s. Plans act a control step (40 ms) after their
state was read, and begin where the model says hand and cube are then; --at-once: without delay. "turned": the cube's angle at the end, counted through; "left": to
the commanded orientation; dropped: 0.1 m from its place. Needs myriapod and, for MuJoCo, mujoco."""
import argparse
import time

import numpy as np

from myriapod import Planner, StateError
from myriapod.plan import given, turn
from plan_walk import Robot, want_engines

CUBE = slice(16, 23)


def run(engine, seed, args):
    options = {**given.TURNS, "iterations": args.iterations}
    with Planner(turn.allegro(), args.samples, seed=seed, threads=args.threads, **options) as planner:
        hand, ahead = Robot(planner, engine, own=True), planner.robot(threads=1)
        place = np.array(hand.mirror.model.home)[CUBE]
        goal, action, plans, turned, before, dropped = 2 * np.pi * args.turns, planner.control(), [], 0.0, 0.0, None
        x = y = 0.0
        for k in range(round((abs(goal) / args.rate + 2) / planner.dt)):
            told = np.sign(goal) * min(abs(goal), args.rate * k * planner.dt)
            hand.mirror.batch.set("command", np.array([[told]]))
            begin, cpu = hand.mirror, time.process_time()
            if not args.at_once:
                begin = hand.lead(ahead, action)
            try:
                planner.plan(begin)
            except StateError:  # a control step ahead it has fallen: the task is over there
                dropped = k * planner.dt
                break
            plans.append(time.process_time() - cpu)
            if args.at_once:
                action = planner.control()
            hand.act(action)
            if not args.at_once:
                action = planner.control()
            planner.shift(1.0)
            q = hand.state[0][CUBE]
            w, x, y, z = q[3:]
            now = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
            turned += (now - before + np.pi) % (2 * np.pi) - np.pi
            before = now
            if not np.linalg.norm(q[:3] - place[:3]) < 0.1:
                dropped = k * planner.dt
                break
        tilt = np.arccos(np.clip(1 - 2 * (x * x + y * y), -1, 1))
        return turned, abs(goal - turned), tilt, dropped, 1e3 * np.median(plans or np.nan), 1e3 * np.quantile(plans or np.nan, 0.9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="myriapod,mujoco")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--turns", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=0.4, help="[rad/s]")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--iterations", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--at-once", action="store_true", help="a plan acts at once")
    args = parser.parse_args()
    want_engines(parser, args.engine)
    print("| engine | seed | dropped after | turned, left [rad] | tilt [rad] | a plan: median, 90 % [ms of a core] |\n| --- | --- | --- | --- | --- | --- |")
    for engine in args.engine.split(","):
        for seed in args.seeds:
            turned, left, tilt, dropped, median, most = run(engine, seed, args)
            fell = "never" if dropped is None else f"{dropped:.1f} s"
            print(f"| {engine} | {seed} | {fell} | {turned:.2f}, {left:.2f} | {tilt:.2f} | {median:.0f}, {most:.0f} |", flush=True)


if __name__ == "__main__":
    main()
