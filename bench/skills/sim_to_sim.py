"""Sim-to-sim: a policy that was trained here walks in MuJoCo, on the same robot (bench/tools/mujoco_plant.py). Figures as `python -m myriapod.score` prints them.

    python bench/skills/sim_to_sim.py RUN/policy.npz [--robots 1000] [--dt 0.0025] [--solref 0.01] [--cone elliptic] [--iterations 100] [--push 0.5]

Commands, noise and starts are the task's. MuJoCo's robots are alike: friction, masses, gains and delays are not varied there; --here scores the policy in
Myriapod likewise. A task on a generated map: robots begin on patches of all its levels and stay at theirs; MuJoCo has the exported map, whose risers lean by a cell
of 0.1 m. Needs myriapod and mujoco."""
import argparse
import json
import pathlib
import sys

import mujoco
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from mujoco_plant import Plant
from myriapod import Policy
from myriapod.envs.tasks import get_task
from myriapod.learn.score import base_velocity, look
from myriapod.settings import alike


def ground(policy, task):
    """On a generated map robots stay on their patches, which are of all levels."""
    settings = policy.settings if task == policy.task else get_task(task).posed()
    return {} if settings["terrain"] == "plane" else {"curriculum": 0}


def there(policy, task, args):
    """One episode of all robots in MuJoCo."""
    plant = Plant(policy, task, args.robots, dt=args.dt, solref=args.solref, cone=args.cone, iterations=args.iterations, push=args.push, seed=args.seed,
                  threads=args.threads, push_interval=float(policy.settings["push_interval"]), **ground(policy, task))
    linear = angular = counted = 0.0
    for _ in range(round(args.seconds / plant.core.dt)):
        plant.step(policy)
        up, body = ~plant.fallen, base_velocity(plant.q, plant.v)
        linear += np.hypot(*(body[up, :2] - plant.command[up, :2]).T).sum()
        angular += np.abs(plant.v[up, 5] - plant.command[up, 2]).sum()
        counted += up.sum()
    return linear / counted, angular / counted, 1 - plant.fallen.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy")
    parser.add_argument("--task", default=None, help="another than the policy's")
    parser.add_argument("--robots", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--dt", type=float, default=0.0025, help="MuJoCo's step [s] (default: %(default)s)")
    parser.add_argument("--solref", type=float, default=None, help="time constant of contacts [s]; else the file's")
    parser.add_argument("--cone", default="elliptic", choices=("elliptic", "pyramidal"))
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--push", type=float, default=0.5, help="up to so many m/s along x and y, every push-interval")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--here", action="store_true", help="in Myriapod, too")
    parser.add_argument("--json")
    args = parser.parse_args()
    policy = Policy.load(args.policy)
    task = args.task or policy.task
    if not get_task(task).commands:
        parser.error(f"the task {task!r} does not follow commanded velocities")
    linear, angular, survived = there(policy, task, args)
    result = {"mujoco": mujoco.__version__, "dt": args.dt, "solref": args.solref, "cone": args.cone, "iterations": args.iterations, "robots": args.robots,
              "seconds": args.seconds, "push": args.push, "linear_error": linear, "angular_error": angular, "survived": survived}
    solref = f"solref {1e3 * args.solref:g} ms" if args.solref else "the file's solref"
    print(f"{task} in MuJoCo {mujoco.__version__}, dt {1e3 * args.dt:g} ms, {solref}, {args.cone}, {args.iterations} iterations: velocity error {linear:.3f} m/s, yaw rate error "
          f"{angular:.3f} rad/s, {100 * survived:.1f} % of {args.robots} stayed up for {args.seconds:.0f} s with pushes up to {args.push:g} m/s")
    if args.here:
        own = look(policy, task, episodes=args.robots, seed=args.seed, threads=args.threads, push_speed=args.push, episode=args.seconds, **alike(), **ground(policy, task))
        result |= {"here_linear_error": own.linear_error, "here_angular_error": own.angular_error, "here_survived": own.survived}
        print(f"{task} in Myriapod: velocity error {own.linear_error:.3f} m/s, yaw rate error {own.angular_error:.3f} rad/s, {100 * own.survived:.1f} %")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
