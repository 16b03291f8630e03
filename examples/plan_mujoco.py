"""MuJoCo is the robot, plans are made here: a Go2 walks as it is told, in MuJoCo's steps and contacts, by Myriapod's samples.

    python3 examples/plan_mujoco.py [--seconds 6] [--samples 320]

A batch of one environment mirrors the robot: it gets MuJoCo's q and v after each control step, and does each action that the robot does, so that what the
task remembers and the contacts' warm start go on. Of a real robot, an estimator gives q and v. Needs mujoco."""
from __future__ import annotations

import argparse
from pathlib import Path

import mujoco
import myriapod
import numpy as np
from myriapod.plan import walk
from myriapod.plan.given import TROT

ROBOT = Path(__file__).parents[1] / "robots" / "go2.xml"
TOLD = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.0, 0.5]])  # forward, to the left [m/s], yaw rate [rad/s], one after the other


def robot_of(file: Path, kp: np.ndarray, kd: np.ndarray, dt: float = 0.002) -> mujoco.MjModel:
    """MuJoCo's model of a file, on a plane, its actuators with these gains."""
    spec = mujoco.MjSpec.from_file(str(file))
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    for actuator, stiff, damp in zip(spec.actuators, kp, kd):
        actuator.gainprm[0], actuator.biasprm[1], actuator.biasprm[2] = stiff, -stiff, -damp
    spec.option.timestep = dt
    return spec.compile()


def places(ours: myriapod.Model, theirs: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number k of our q, v and actuators is this one of MuJoCo's, by the names of joints."""
    q, v, u = [], [], {}
    for joint in ours.joints:
        at = theirs.joint(joint.name)
        q += range(at.qposadr[0], at.qposadr[0] + (7 if joint.type == "free" else 1))
        v += range(at.dofadr[0], at.dofadr[0] + (6 if joint.type == "free" else 1))
        if joint.u >= 0:
            u[joint.u] = int(np.flatnonzero(theirs.actuator_trnid[:, 0] == at.id)[0])
    return np.array(q), np.array(v), np.array([u[k] for k in range(ours.nu)])


def run(seconds: float = 6.0, samples: int = 320, seed: int = 1, threads: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """MuJoCo's q (control steps, nq) in our order, what was commanded (control steps, 3), and seconds of each plan."""
    with myriapod.Planner(walk.go2(), samples, **TROT, seed=seed, threads=threads) as planner, planner.robot(threads=1) as robot:
        model = robot_of(ROBOT, robot.batch.get("kp")[0], robot.batch.get("kd")[0])
        data, (q_of, v_of, u_of), steps = mujoco.MjData(model), places(robot.model, model), round(seconds / planner.dt)
        data.qpos[q_of], way, told, plans = robot.batch.q[0], [], [], []
        for k in range(steps):
            told.append(TOLD[k * len(TOLD) // steps])
            robot.batch.set("command", told[-1][None])
            plans.append(planner.plan(robot).wall_s)
            robot.act(planner.control()[None])
            planner.shift()
            data.ctrl[u_of] = robot.batch.get("target")[0]
            mujoco.mj_step(model, data, round(planner.dt / model.opt.timestep))
            robot.batch.set("q", data.qpos[None, q_of])
            robot.batch.set("v", data.qvel[None, v_of])
            way.append(data.qpos[q_of])
    return np.array(way), np.array(told), np.array(plans)


def main() -> None:
    parser = argparse.ArgumentParser(description="A Go2 in MuJoCo walks by plans that are made here.")
    parser.add_argument("--seconds", type=float, default=6.0, help="simulated time (default: 6)")
    parser.add_argument("--samples", type=int, default=320, help="of each of a plan's two draws (default: 320)")
    parser.add_argument("--threads", type=int, default=0, help="default: 0, one per core")
    given = parser.parse_args()
    way, told, plans = run(given.seconds, given.samples, threads=given.threads)
    rate, angle = len(told) / given.seconds, 2 * np.unwrap(np.arctan2(way[:, 6], way[:, 3]), period=np.pi)
    ahead = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    speed, turn = rate * (np.diff(way[:, :2], axis=0) * ahead[1:]).sum(axis=1), rate * np.diff(angle)
    for command in TOLD:
        part = np.flatnonzero((told[1:] == command).all(axis=1))
        print(f"told {command[0]:.1f} m/s, {command[2]:.1f} rad/s: {speed[part].mean():.2f}, {turn[part].mean():.2f}, lowest {way[part, 2].min():.2f} m")
    print(f"a plan: {1e3 * np.median(plans):.1f} ms in the median")


if __name__ == "__main__":
    main()
