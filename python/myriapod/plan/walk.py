"""Costs of walking on four legs: what a planner is asked for is a velocity, and a trot by its clock."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..programs.term_task import TermTask
from . import joints


def walker(name: str, about: str, robot: str, *, feet: tuple[str, ...], radius: float, gains: Any, height: float, reach: float, lift: float = 0.08,
           pace: float = 2.5, posture: float = 0.4, touching: tuple[str, ...] = ()) -> TermTask:
    """feet: the frame of each foot's centre, left front, right front, left hind, right hind; radius: of a foot [m]; height: of the base's origin [m]; reach:
    PD targets are home + reach times an action, about so many rad; lift [m], pace [1/s]: of the trot's steps; posture: weight of
    joints' angles about home; touching: names of the only shapes that touch,
    (): all do. The ground may be a map."""
    sensors = [{"name": f"foot{k}", "kind": "height", "of": foot} for k, foot in enumerate(feet)]
    task = TermTask(name, robot=robot, about=about, feet=touching, needs=("actuators",), gains=gains, sensors=sensors,
                    settings={"solver": "bisection", "dt": 0.02, "decimation": 1, "action_scale": reach, "action_clip": 100.0, "episode": 0.0})
    task.number("lift", lift, 0.0, 1.0, "height of the trot's steps [m]")
    task.number("above", 1.0, 0.0, 1.0, "how much a foot counts that swings higher than that; 0: on stairs")
    task.number("pace", pace, 0.1, 10.0, "steps of each foot a second [1/s]")
    task.number("height", height, 0.0, 10.0, "of the base's origin above the ground [m]")

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

    @task.reward(-2.0)
    def tilt(s: Any) -> Any:
        """1 - cos of the trunk's tilt"""
        return 1.0 + s.base_down[..., 2]

    @task.reward(-5.0)
    def sag(s: Any) -> Any:
        """square of the error of the base's height [m^2]"""
        return np.square(s.base_above - s.number.height)

    @task.reward(-150.0)
    def gait(s: Any) -> Any:
        """squares of the errors of the feet's heights above the ground, beside a trot that steps where moving is commanded [m^2]"""
        cycle = 2.0 * np.pi * (s.memory.phase[..., None] + np.array([0.0, 0.5, 0.5, 0.0]))
        moves = np.sum(np.abs(s.command), axis=-1) > 0.05
        wanted = np.where(moves[..., None], s.number.lift * np.maximum(0.0, np.sin(cycle)), 0.0)
        height = np.stack([s[f"sensor.foot{k}"] for k in range(4)], axis=-1) - radius
        off = height - wanted
        high = np.where((off > 0) & (wanted > 0), s.number.above, 1.0)  # over what lies in the way
        return np.sum(high * np.square(off), axis=-1)

    @task.reward(-0.15)
    def bobbing(s: Any) -> Any:
        """square of the base's vertical velocity, and of roll and pitch rates [m^2/s^2, rad^2/s^2]"""
        return np.square(s.v[..., 2]) + np.sum(np.square(s.v[..., 3:5]), axis=-1)

    task.reward(-0.05, name="change")(joints.change(reach))
    task.reward(-posture, name="posture")(joints.posture)
    task.reward(-1.5e-4, name="haste")(joints.haste)

    return task


def anymal() -> TermTask:
    """ANYmal walks."""
    return walker("anymal-walk", "ANYmal walks as it is told, step by step", "anymal", feet=("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"), radius=0.03,
                  gains=(80.0, 2.0), height=0.54, reach=1.0)


def go2() -> TermTask:
    """Go2 walks."""
    return walker("go2-walk", "Unitree's Go2 walks as it is told, step by step", "go2", feet=("FL_foot", "FR_foot", "RL_foot", "RR_foot"), radius=0.022,
                  gains=(40.0, 1.0), height=0.29, reach=1.0, lift=0.06, posture=0.8, touching=("*_foot",))  # its hips have limits, which legs astray lean on
