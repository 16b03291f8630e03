#!/usr/bin/env python3
"""What a robot costs that really stands: a policy of the task `hold` keeps it up, and the step is timed meanwhile.

    python -m myriapod.train hold --robot ROBOT.xml --iterations 1000 --log runs/hold
    python bench/speed/policy_stands.py ROBOT.xml runs/hold/policy.npz [--worlds 128] [--settle 2] [--seconds 1] [--set KEY=VALUE ...]

A line: ns per robot-step of one thread without the policy, by stage, where second solves are part of `integrate`; contacts and iterations per step, solves that
did not converge, who still stands, and how fast joints move, the mean over joints and worlds."""
import argparse
import sys
import warnings

import numpy as np

import myriapod
from myriapod import Policy
from myriapod.envs.trained import trained_task


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot")
    parser.add_argument("policy")
    parser.add_argument("--worlds", type=int, default=128)
    parser.add_argument("--settle", type=float, default=2.0, help="seconds before those that count")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    args = parser.parse_args()
    warnings.simplefilter("ignore", myriapod.ModelWarning)
    settings = {"threads": 1} | {key.replace("-", "_"): value for key, value in (word.split("=", 1) for word in args.set)}
    policy = Policy.load(args.policy)
    env = trained_task(policy, "hold", args.worlds, robot=args.robot, autoreset="disabled", seed=5, **settings)
    seen, stands, speeds = env.reset(seed=5), np.ones(args.worlds, bool), []
    settle = round(args.settle / env.dt)
    for k in range(settle + round(args.seconds / env.dt)):
        if k == settle:
            env.batch.clear_stats()
        out = env.act(policy(seen))
        seen, stands = out.observation, stands & ~out.terminated
        if k >= settle:
            speeds.append(np.abs(np.asarray(env.batch.v)[stands, 6:]).mean())
    stats = env.batch.stats()
    stages = ", ".join(f"{name} {ns:.0f}" for name, ns in stats.stage_ns.items() if ns >= 50)
    print(f"{1e9 * stats.wall_s / stats.robot_steps:.0f} ns ({stages}), {stats.contacts_mean:.1f} contacts, {stats.iterations_mean:.1f} iterations, "
          f"{stats.not_converged} of {stats.active_steps} not converged, {100 * stands.mean():.0f} % stand, joints move at {np.mean(speeds):.2f} rad/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
