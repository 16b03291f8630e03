"""Costs of walking on four legs. What a planner is asked for is a velocity. Targets trot by themselves; an action is what is added to them."""
from __future__ import annotations

from typing import Any

import numpy as np

from .._library import ArgumentError
from ..programs.term_task import TermTask
from . import joints
from .legs import find_legs


def _ground(frame: str, radius: float) -> dict[str, Any]:
    """A sensor's words: how far a frame is above the ground at six points about it."""
    return {"kind": "height_scan", "of": frame, "pattern": {"kind": "ring", "n": 6, "radius": radius}, "value": "clearance"}


def walker(name: str, about: str, robot: str, *, feet: tuple[str, ...], radius: float, gains: Any, height: float, look: float, lift: float = 0.08,
           pace: float = 2.5, touching: tuple[str, ...] = ()) -> TermTask:
    """feet: the frame of each foot's centre, left front, right front, left hind, right hind; radius: of a foot [m]; height: of the base's origin above the
    ground where it stands [m]; look: how far from a foot the six points are where the ground is looked at [m]; lift [m], pace [1/s]: of the trot's steps;
    touching: names of the only shapes that touch, (): all do. There must be ground, a plane or a map. A light robot, whose torques are at their limits, wants
    steps shorter than 20 ms: `Planner(.., dt=0.005, decimation=4)`. ArgumentError: not four feet in this order, or a leg that cannot move its foot in all
    directions."""
    if len(feet) != 4:
        raise ArgumentError(f"{name}: a walker trots on 4 feet, not on {len(feet)}")
    legs = find_legs(robot, feet)
    if (np.sign(legs.places[:, :2]) != [[1, 1], [1, -1], [-1, 1], [-1, -1]]).any():
        raise ArgumentError(f"{name}: feet are to be the left front, right front, left hind and right hind one, but {', '.join(feet)} are not, at home")
    sensors: list[dict[str, Any]] = [{"name": f"walk_foot{k}", "kind": "height", "of": foot} for k, foot in enumerate(feet)]
    sensors += [{"name": f"walk_edge{k}", **_ground(foot, look), "least": True} for k, foot in enumerate(feet)]
    sensors += [{"name": "walk_below", **_ground(legs.base, float(np.hypot(*legs.places[0, :2])))}]
    task = TermTask(name, robot=robot, about=about, feet=touching, needs=("actuators",), gains=gains, sensors=sensors, actions=legs.inverse.shape[1],
                    settings={"solver": "bisection", "dt": 0.02, "decimation": 1, "action_clip": 100.0, "episode": 0.0})
    task.number("trot", 1.0, 0.0, 1.0, "how much of the trot the targets have where the actions are 0; 0: samples find all of it")
    task.number("lift", lift, 0.0, 1.0, "how high a foot swings above what lies in its way [m]")
    task.number("pace", pace, 0.1, 10.0, "steps of each foot a second [1/s]")
    task.number("height", height, 0.0, 10.0, "of the base's origin above the ground [m]")
    task.number("climb", round(0.4 * height, 3), 0.0, 10.0, "the highest step that a foot rises for; what is higher is a wall [m]")

    @task.commands(3)
    def command(s: Any) -> Any:
        """velocity forward and to the left [m/s], yaw rate [rad/s]; the caller sets the field `command` of the robot"""
        return np.zeros(3)

    @task.memory(1)
    def phase(s: Any) -> Any:
        """of the clock, in cycles: left front and right hind swing in its first half"""
        later = s.memory.phase + s.number.pace * s.control_dt
        return later - np.floor(later)

    @task.memory(1)
    def course(s: Any) -> Any:
        """the heading that follows from the commanded yaw rates [rad]"""
        return s.memory.course + s.command[..., 2] * s.control_dt

    def feet_of(s: Any, sensor: str) -> Any:
        return np.stack([s[f"sensor.walk_{sensor}{k}"] for k in range(len(feet))], axis=-1)

    def beat(s: Any) -> tuple[Any, Any]:
        """Of each foot: 0 where it stands, up to 1 in the middle of its swing; and how far it is ahead of home, -1 to 1."""
        cycle = s.memory.phase[..., None] + np.array([0.0, 0.5, 0.5, 0.0])
        cycle = cycle - np.floor(cycle)
        moves = np.sum(np.abs(s.command), axis=-1) > 0.05
        swing, ahead = np.maximum(0.0, 8.0 * cycle * (1.0 - 2.0 * cycle)), np.where(cycle < 0.5, 4.0 * cycle - 1.0, 3.0 - 4.0 * cycle)
        return np.where(moves[..., None], swing, 0.0), np.where(moves[..., None], ahead, 0.0)

    def rise(s: Any) -> Any:
        """How much higher the highest ground near each foot is than that below it [m]."""
        return np.clip(feet_of(s, "foot") - feet_of(s, "edge"), 0.0, s.number.climb)

    def stride(s: Any, ahead: Any) -> tuple[Any, Any]:
        """How far from home each foot is by the command, forward and to the left [m]."""
        far = ahead * (0.25 / s.number.pace)
        turn = s.command[..., 2:3]
        return far * (s.command[..., 0:1] - turn * legs.places[:, 1]), far * (s.command[..., 1:2] + turn * legs.places[:, 0])

    @task.memory(len(feet))
    def swing(s: Any) -> Any:
        """of each foot, 0 where it stands, up to 1 in the middle of its swing; `act` writes it"""
        return s.memory.swing

    @task.memory(legs.inverse.shape[1])
    def trot_joints(s: Any) -> Any:
        """where the trot has joints [rad]; `act` writes it"""
        return s.memory.trot_joints

    @task.act
    def act(s: Any) -> Any:
        """targets [rad]: the trot's, and the action"""
        swing, ahead = beat(s)
        moved = np.concatenate([*stride(s, ahead), swing * (s.number.lift + rise(s))], axis=-1)
        there = s.home_length + s.number.trot * (moved @ legs.inverse)
        return {"target": there + s.action, "memory.trot_joints": there, "memory.swing": swing}

    def heading(s: Any) -> tuple[Any, Any]:
        w, x, y, z = (s.q[..., k] for k in range(3, 7))
        ahead, left = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
        size = np.sqrt(ahead * ahead + left * left + 1e-9)
        return ahead / size, left / size

    @task.reward(-16.0)
    def velocity(s: Any) -> Any:
        """square of the error of the horizontal velocity, axes of the heading [m^2/s^2]"""
        c, t = heading(s)
        ahead, left = c * s.v[..., 0] + t * s.v[..., 1], c * s.v[..., 1] - t * s.v[..., 0]
        return np.square(ahead - s.command[..., 0]) + np.square(left - s.command[..., 1])

    @task.reward(-0.25)
    def turning(s: Any) -> Any:
        """square of the error of the yaw rate [rad^2/s^2]"""
        return np.square(s.v[..., 5] - s.command[..., 2])

    @task.reward(-2.0)
    def astray(s: Any) -> Any:
        """1 - cos of the angle between heading and course"""
        c, t = heading(s)
        return 1.0 - c * np.cos(s.memory.course) - t * np.sin(s.memory.course)

    @task.reward(-5.0)
    def tilt(s: Any) -> Any:
        """1 - cos of the trunk's tilt"""
        return 1.0 + s.base_down[..., 2]

    @task.reward(-5.0)
    def sag(s: Any) -> Any:
        """square of the error of the base's mean height above six points of the ground about it [m^2]"""
        return np.square(np.mean(s["sensor.walk_below"], axis=-1) - s.number.height)

    @task.reward(-150.0)
    def gait(s: Any) -> Any:
        """squares: of a standing foot's height above the ground; of what a swinging foot lacks of its height. It may swing higher [m^2]"""
        swing = s.memory.swing
        early = np.minimum(1.0, 2.0 * swing)  # what lies in the way comes before the middle of a swing
        off = feet_of(s, "foot") - radius - swing * s.number.lift - early * rise(s)
        return np.sum(np.square(np.where(swing > 0.0, np.minimum(off, 0.0), off)), axis=-1)

    @task.reward(-0.15)
    def bobbing(s: Any) -> Any:
        """square of the base's vertical velocity, and of roll and pitch rates [m^2/s^2, rad^2/s^2]"""
        return np.square(s.v[..., 2]) + np.sum(np.square(s.v[..., 3:5]), axis=-1)

    @task.reward(-0.05)
    def change(s: Any) -> Any:
        """squares of the change of what is added to the trot's targets [rad^2]"""
        return np.sum(np.square(s.action - s.action_before), axis=-1)

    @task.reward(-2.0)
    def posture(s: Any) -> Any:
        """squares of the joints' angles about the trot's [rad^2]"""
        return np.sum(np.square(s.actuator_length - s.memory.trot_joints), axis=-1)

    task.reward(-1.5e-4, name="haste")(joints.haste)

    return task


def anymal() -> TermTask:
    """ANYmal walks."""
    return walker("anymal-walk", "ANYmal walks as it is told, step by step", "anymal", feet=("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"), radius=0.03,
                  gains=(80.0, 2.0), height=0.54, look=0.15)


def go2() -> TermTask:
    """Go2 walks."""
    return walker("go2-walk", "Unitree's Go2 walks as it is told, step by step", "go2", feet=("FL_foot", "FR_foot", "RL_foot", "RR_foot"), radius=0.022,
                  gains=(40.0, 1.0), height=0.29, look=0.08, touching=("*_foot",))
