"""Costs of a hand that turns what lies in it."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..programs.term_task import TermTask
from ..terms import cube
from . import joints

_CUBE = slice(16, 19)  #: of q: its place


def allegro() -> TermTask:
    """The Allegro hand turns a cube of 65 mm about the vertical; an action is a PD target of each of its 16 joints, about where they are at home [rad]."""
    task = TermTask("allegro-turn", robot="allegro-cube", about="Allegro hand turns a cube as it is told", needs=("actuators",),
                    settings={"solver": "hybrid", "dt": 0.01, "decimation": 4, "action_scale": 1.0, "action_clip": 100.0, "episode": 0.0, "tolerance": 1e-3})

    @task.commands(1)
    def command(s: Any) -> Any:
        """angle about the vertical that the cube shall have [rad]; the caller sets the field `command` of the robot, and it may go round and round"""
        return np.zeros(1)

    @task.reward(-10.0)
    def left(s: Any) -> Any:
        """square of the angle to the commanded orientation, upright and turned [rad^2]"""
        none = np.zeros_like(s.command)
        goal = np.stack([np.cos(0.5 * s.command), none, none, np.sin(0.5 * s.command)], axis=-1)
        return np.square(cube.rotation_distance(s.sensor.cube_quat, goal))

    @task.reward(-2000.0)
    def astray(s: Any) -> Any:
        """square of how far the cube is from where it lies at home [m^2]"""
        return np.sum(np.square(s.sensor.cube_pos - s.home[..., _CUBE]), axis=-1)

    @task.reward(-0.05)
    def spin(s: Any) -> Any:
        """square of the cube's angular velocity [rad^2/s^2]"""
        return np.sum(np.square(s.sensor.cube_angvel), axis=-1)

    task.reward(-0.1, name="posture")(joints.posture)

    @task.reward(-0.02)
    def change(s: Any) -> Any:
        """squares of the change of the targets [rad^2]"""
        return np.sum(np.square(s.action - s.action_before), axis=-1)

    @task.end
    def lost(s: Any) -> Any:
        """the cube is 0.1 m from its place"""
        return cube.out_of_reach(s.sensor.cube_pos, s.home[..., _CUBE], 0.1)

    return task
