"""A robot of one's own: an arm of three joints pushes a puck to where it is told, by plans.

    python3 examples/push.py [--goals 0.5,0.2 0.35,-0.25 0.6,0.0] [--samples 256]

The arm, its sensors, what it costs, the loop: all that a plan needs. Places are x, y on the table [m]."""
from __future__ import annotations

import argparse

import myriapod
import numpy as np

ARM = """
<mujoco model="pusher">
  <compiler angle="radian"/>
  <default>
    <joint axis="0 0 1" damping="0.3" armature="0.01"/>
    <geom type="capsule" size="0.025" friction="0.4"/>
    <position kp="60" kv="6" forcerange="-20 20"/>
  </default>
  <worldbody>
    <geom name="table" type="plane" size="2 2 0.1"/>
    <body name="upper" pos="0 0 0.15">
      <joint name="j1" range="-3 3"/> <geom fromto="0 0 0 0.3 0 0" mass="1"/>
      <body name="fore" pos="0.3 0 0">
        <joint name="j2" range="-2.6 2.6"/> <geom fromto="0 0 0 0.25 0 0" mass="0.7"/>
        <body name="hand" pos="0.25 0 0">
          <joint name="j3" range="-2.6 2.6"/> <geom fromto="0 0 0 0.15 0 0" mass="0.4"/>
          <geom name="finger" fromto="0.15 0 -0.02 0.15 0 -0.125" size="0.015" mass="0.1"/>
          <site name="tip" pos="0.15 0 -0.125"/>
        </body>
      </body>
    </body>
    <body name="puck" pos="0.45 0 0.02"> <freejoint/> <geom type="cylinder" size="0.05 0.02" mass="0.2"/> </body>
  </worldbody>
  <actuator> <position joint="j1"/> <position joint="j2"/> <position joint="j3"/> </actuator>
  <sensor>
    <framepos name="tip" objtype="site" objname="tip"/>
    <framepos name="puck" objtype="body" objname="puck"/>
  </sensor>
  <keyframe> <key name="home" qpos="1.2 -1.8 -0.6  0.45 0 0.02 1 0 0 0" ctrl="1.2 -1.8 -0.6"/> </keyframe>
</mujoco>"""

task = myriapod.TermTask("push", about="an arm pushes a puck", needs=("actuators",), settings={"dt": 0.01, "decimation": 4, "action_scale": 1.0})


@task.commands(2)
def goal(s):
    """where the puck shall be, x and y [m]; the caller sets the field `command` of the robot"""
    return np.zeros(2)


@task.reward(-40.0)
def astray(s):
    """how far the puck is from its goal [m]"""
    return np.linalg.norm(s.sensor.puck[..., :2] - s.command, axis=-1)


@task.reward(-2.0)
def behind(s):
    """how far the finger is from the puck [m], and half of 1 - cos of the angle between its push and the way; until the puck is there"""
    way, push = s.command - s.sensor.puck[..., :2], s.sensor.puck[..., :2] - s.sensor.tip[..., :2]
    far, near = np.linalg.norm(way, axis=-1), np.linalg.norm(push, axis=-1)
    turn = 1.0 - np.sum(way * push, axis=-1) / (far * near + 1e-4)
    return np.minimum(1.0, far / 0.02) * (near + 0.5 * turn)


@task.reward(-0.02)
def haste(s):
    """squares of the joints' velocities [rad^2/s^2]"""
    return np.sum(np.square(s.actuator_velocity), axis=-1)


def run(goals: np.ndarray, samples: int = 256, seconds: float = 4.0, threads: int = 1, seed: int = 1) -> list[tuple[float, float, float]]:
    """Of each goal: when the puck is within 2 cm of it for good [s], infinite where it is not, how far it is at the end [m], a plan's median wall clock [s]."""
    arm, found = myriapod.Model.from_text(ARM), []
    limits = np.array([[joint.lower, joint.upper] for joint in arm.joints if joint.u >= 0]).T
    low, high = limits - np.asarray(arm.home)[:3]  # an action is a target about home, as action_scale is 1
    options = {"steps": 20, "knots": 5, "iterations": 2, "sigma": 0.4, "lower": low, "upper": high, "terminal": {"astray": 0.5}, "seed": seed}
    with myriapod.Planner(task, samples, robot=arm, threads=threads, **options) as planner, planner.robot(dt=0.002, decimation=20, precision="f64") as robot:
        for place in goals:
            robot.batch.set("command", place[None])
            plans, off = [], []
            for _ in range(round(seconds / planner.dt)):
                plans.append(planner.plan(robot).wall_s)
                robot.act(planner.control()[None])
                planner.shift(1.0)
                off.append(float(np.linalg.norm(robot.batch.sensor("puck")[0, :2] - place)))
            late = np.flatnonzero(np.array(off) > 0.02)
            when = planner.dt * (late[-1] + 2 if len(late) else 1) if off[-1] <= 0.02 else np.inf
            found.append((when, off[-1], float(np.median(plans))))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="An arm pushes a puck to where it is told, by plans.")
    parser.add_argument("--goals", nargs="+", default=["0.5,0.2", "0.35,-0.25", "0.6,0.0"], metavar="X,Y", help="[m]")
    parser.add_argument("--samples", type=int, default=256, help="of each of a plan's two draws (default: 256)")
    parser.add_argument("--threads", type=int, default=1, help="0: one per core (default: 1)")
    given = parser.parse_args()
    goals = np.array([[float(x) for x in word.split(",")] for word in given.goals])
    for place, (when, off, plan) in zip(goals, run(goals, given.samples, threads=given.threads)):
        there = f"within 2 cm after {when:.2f} s" if np.isfinite(when) else "not within 2 cm"
        print(f"to {place[0]:.2f}, {place[1]:.2f} m: {there}, {1e3 * off:.1f} mm off at the end; a plan {1e3 * plan:.1f} ms")


if __name__ == "__main__":
    main()
