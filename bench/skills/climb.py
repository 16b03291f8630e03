"""Up ten steps: how many robots of a rough task's policy reach the top of a flight of stairs, in Myriapod and in MuJoCo on the exported map.

    python bench/skills/climb.py RUN/policy.npz [--risers 0.10,0.14,0.18] [--robots 50] [--engine myriapod,mujoco] [--speed 0.6]

Ten steps of --tread (0.3 m) behind 2 m of level ground, 3 m level on top. Robots start 1 to 1.5 m before the first step, up to 0.3 m to the side, up to 0.2 rad
off the heading, and are commanded --speed ahead and to keep the heading. Reached: the base is 0.5 m beyond the last riser within 25 s, and the robot has not fallen.
Friction is that of the file, nothing differs from robot to robot; noise is the task's, there are no pushes."""
import argparse
import json
import pathlib
import sys

import numpy as np

from myriapod import Model, Policy, Terrain
from myriapod.envs.tasks import get_task

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

STEPS, BEFORE, ABOVE, HALF, CELL = 10, 2.0, 3.0, 2.0, 0.1
SECONDS = 25  # to the top


def flight(riser, tread):
    """The map: x from -BEFORE on, the first riser at x = 0."""
    x = np.arange(-BEFORE, STEPS * tread + ABOVE + 1e-9, CELL)
    across = round(2 * HALF / CELL) + 1
    height = np.clip(np.floor((x + 0.5 * CELL) / tread + 1e-9) + 1, 0, STEPS) * riser
    return Terrain(np.repeat(height[:, None], across, axis=1), CELL, 0.001, (round(BEFORE / CELL), across // 2), columns=True)


def climb(policy, riser, engine, args):
    from mujoco_plant import Plant

    robot = get_task(policy.task).model().on(flight(riser, args.tread))
    plant = Plant(policy, policy.task, args.robots, dt=args.dt, solref=args.solref, cone=args.cone, engine=engine, robot=robot, terrain="plane", curriculum=0, seed=args.seed)
    random, home = np.random.default_rng(args.seed), np.array(plant.core.model.home)
    q, turn = np.tile(home, (args.robots, 1)), random.uniform(-0.2, 0.2, args.robots)
    q[:, 0], q[:, 1] = random.uniform(-1.5, -1.0, args.robots), random.uniform(-0.3, 0.3, args.robots)
    q[:, 2] += 0.02
    q[:, 3:7] = np.stack([np.cos(turn / 2), 0 * turn, 0 * turn, np.sin(turn / 2)], -1)
    plant.place(np.arange(args.robots), q, np.zeros((args.robots, plant.core.model.nv)))
    top = np.zeros(args.robots, bool)
    for _ in range(round(SECONDS / plant.core.dt)):
        w, x, y, z = plant.q[:, 3:7].T
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        plant.core.batch.set("command", np.stack([np.full(args.robots, args.speed), 0 * yaw, np.clip(-0.5 * yaw, -1, 1)], -1).astype(np.float32))
        plant.step(policy)
        top |= ~plant.fallen & (plant.q[:, 0] > (STEPS - 1) * args.tread + 0.5)
        if (top | plant.fallen).all():
            break
    return float(top.mean()), float((plant.fallen & ~top).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy")
    parser.add_argument("--risers", default="0.10,0.14,0.18", help="comma-separated [m]")
    parser.add_argument("--tread", type=float, default=0.3)
    parser.add_argument("--speed", type=float, default=0.6, help="commanded [m/s]")
    parser.add_argument("--robots", type=int, default=50)
    parser.add_argument("--engine", default="myriapod,mujoco")
    parser.add_argument("--dt", type=float, default=0.0025, help="of MuJoCo [s]")
    parser.add_argument("--solref", type=float, default=None)
    parser.add_argument("--cone", default="elliptic", choices=("elliptic", "pyramidal"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    policy, rows = Policy.load(args.policy), []
    print("| riser [m] | engine | reached the top | fell |\n| --- | --- | --- | --- |")
    for riser in map(float, args.risers.split(",")):
        for engine in args.engine.split(","):
            top, fell = climb(policy, riser, engine, args)
            rows.append({"riser": riser, "engine": engine, "top": top, "fell": fell})
            print(f"| {riser:.2f} | {engine} | {100 * top:.0f} % | {100 * fell:.0f} % |", flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
