"""Costs of getting up: a robot on four legs that lies on its belly, side or back turns over and comes to its feet."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..programs.term_task import TermTask
from . import joints


def riser(name: str, about: str, robot: str, *, gains: Any, height: float, speed: float, reach: float) -> TermTask:
    """height: of the base's origin where it stands [m]; speed: that joints should not exceed [rad/s]; reach: PD targets are home + reach times an action, about
    so many rad. All shapes touch. Height and joints cost no more than a bound while the robot lies: else staying down would
    be cheaper than turning over, on the way of which joints are far from home."""
    task = TermTask(name, robot=robot, about=about, needs=("actuators",), gains=gains,
                    settings={"solver": "hybrid", "tolerance": 1e-3, "dt": 0.01, "decimation": 2, "action_scale": reach, "action_clip": 100.0, "episode": 0.0})
    task.number("height", height, 0.0, 10.0, "of the base's origin above the ground [m]")
    task.number("speed", speed, 0.0, 1000.0, "that joints should not exceed [rad/s]")

    def upright(s: Any) -> Any:
        """1 where the trunk is upright, 0 where it lies on its side or back"""
        return np.maximum(0.0, -s.base_down[..., 2])

    @task.reward(-10.0)
    def tilt(s: Any) -> Any:
        """1 - cos of the trunk's tilt: 2 on its back"""
        return 1.0 + s.base_down[..., 2]

    @task.reward(-4.0)
    def low(s: Any) -> Any:
        """how far the base is from its height, of that height and at most 1, as far as the trunk is upright; else 1"""
        return 1.0 - upright(s) * np.maximum(0.0, 1.0 - np.abs(s.base_above / s.number.height - 1.0))

    @task.reward(-3.0)
    def sprawl(s: Any) -> Any:
        """how far the joints are from home, at most 1, as far as the trunk is upright; else 1"""
        return 1.0 - upright(s) * np.exp(-0.15 * np.sum(np.square(s.actuator_length - s.home_length), axis=-1))

    task.reward(-0.05, name="posture")(joints.posture)

    @task.reward(-0.05)
    def sway(s: Any) -> Any:
        """squares of the base's velocity [m^2/s^2, rad^2/s^2]"""
        return np.sum(np.square(s.v[..., :6]), axis=-1)

    task.reward(-0.02, name="change")(joints.change(reach))
    task.reward(-1e-4, name="haste")(joints.haste)

    @task.reward(-0.2)
    def rush(s: Any) -> Any:
        """squares of what joints' velocities exceed their limit by, which nothing else holds [rad^2/s^2]"""
        return np.sum(np.square(np.maximum(0.0, np.abs(s.actuator_velocity) - s.number.speed)), axis=-1)

    return task


def anymal() -> TermTask:
    """ANYmal gets up; its joints turn all around, and of its legs the feet alone touch."""
    return riser("anymal-get-up", "ANYmal gets up from anyhow", "anymal", gains=(80.0, 2.0), height=0.53, speed=15.0, reach=1.0)


def go2() -> TermTask:
    """Go2 gets up; trunk, thighs, calves and feet touch."""
    return riser("go2-get-up", "Unitree's Go2 gets up from anyhow", "go2", gains=(40.0, 1.0), height=0.29, speed=30.0, reach=1.0)
