"""Sim-to-sim: a policy trained here walks in MuJoCo, on the same robot (bench/mujoco_model.py), with none of this project's code but the policy's
layers. Figures as `python -m myriapod.score` prints them, from the same commands.

    python bench/sim_to_sim.py RUN/policy.npz [--robots 50] [--seconds 20] [--cone elliptic] [--push 0.5]      in an environment with myriapod and mujoco"""
import argparse
import json
import os
import sys

import mujoco
import numpy as np

import mujoco_model
import myriapod
from myriapod import Policy
from myriapod.score import base_velocity


def build(model, settings, cone):
    """MuJoCo's model of the robot with the PD of the task, at the task's dt."""
    with myriapod.Batch(model, 1, settings) as one:
        facts = {"home": model.home, "kp": one.kp[0].tolist(), "kd": one.kd[0].tolist(), "effort": [j.effort_limit for j in model.joints if j.u >= 0]}
    urdf = os.path.join(os.path.dirname(__file__), "..", "robots", f"{model.name}.urdf")
    return mujoco.MjModel.from_xml_string(mujoco_model.mjcf(urdf, facts, float(settings["dt"]), cone, True, True))


def observe(settings, q, v, command, action, home):
    """What include/myriapod/act.h says an observation is, without noise."""
    w, x, y, z = q[3:7]
    down = -np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    linear, angular = float(settings["scale_linear"]), float(settings["scale_angular"])
    return np.concatenate([
        linear * base_velocity(q[None], v[None])[0], angular * v[3:6], down, command * [linear, linear, angular],
        float(settings["scale_angle"]) * (q[7:] - home), float(settings["scale_speed"]) * v[6:], action,
    ]).astype(np.float32)


def walk(peer, policy, settings, args, draw):
    """One robot for one episode: errors over time, and whether it stayed up."""
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    home, decimation, action = data.qpos[7:].copy(), int(settings["decimation"]), np.zeros(peer.nu)
    period = decimation * peer.opt.timestep
    torso = [g for g in range(peer.ngeom) if peer.geom_type[g] == mujoco.mjtGeom.mjGEOM_BOX]
    linear, angular, command = [], [], np.zeros(3)
    for k in range(round(args.seconds / period)):
        if k % round(float(settings["command_hold"]) / period) == 0:
            low, high = (np.array([float(settings[f"command_{c}_{end}"]) for c in ("x", "y", "yaw")]) for end in ("low", "high"))
            command = draw.uniform(low, high) * (draw.uniform() >= float(settings["command_still"]))
            if np.hypot(*command[:2]) < float(settings["command_least"]):
                command[:2] = 0
        if args.push > 0 and k % round(float(settings["push_interval"]) / period) == round(5 / period):
            data.qvel[:2] += draw.uniform(-args.push, args.push, 2)
        action = policy(observe(settings, data.qpos, data.qvel, command, action, home)[None])[0]
        data.ctrl[:] = home + float(settings["action_scale"]) * action
        for _ in range(decimation):
            mujoco.mj_step(peer, data)
        touching = any(g in torso for c in data.contact[: data.ncon] for g in (c.geom1, c.geom2))
        w, x, y, z = data.qpos[3:7]
        if touching or 1 - 2 * (x * x + y * y) < np.cos(float(settings["fall_tilt"])):
            return linear, angular, False
        linear.append(np.hypot(*(base_velocity(data.qpos[None], data.qvel[None])[0, :2] - command[:2])))
        angular.append(abs(data.qvel[5] - command[2]))
    return linear, angular, True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy")
    parser.add_argument("--task", default="anymal-flat")
    parser.add_argument("--robots", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--cone", default="elliptic", choices=("elliptic", "pyramidal"))
    parser.add_argument("--push", type=float, default=0.5, help="up to so many m/s along x and y, every push-interval")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json")
    args = parser.parse_args()
    task = myriapod.TASKS[args.task]
    settings, model = myriapod.Settings(task.profile), myriapod.Model(task.robot)
    peer, policy, draw = build(model, settings, args.cone), Policy.load(args.policy), np.random.default_rng(args.seed)
    linear, angular, up = [], [], 0
    for _ in range(args.robots):
        a, b, stood = walk(peer, policy, settings, args, draw)
        linear += a
        angular += b
        up += stood
    result = {"mujoco": mujoco.__version__, "cone": args.cone, "robots": args.robots, "seconds": args.seconds, "push": args.push,
              "linear_error": float(np.mean(linear)), "angular_error": float(np.mean(angular)), "survived": up / args.robots}
    print(f"MuJoCo {result['mujoco']}, {args.cone}: velocity error {result['linear_error']:.3f} m/s, yaw rate error {result['angular_error']:.3f} rad/s, "
          f"{up} of {args.robots} stayed up for {args.seconds:.0f} s with pushes up to {args.push:g} m/s")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
