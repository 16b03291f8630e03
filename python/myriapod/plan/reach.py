"""Costs of an arm that brings its hand to places, around what stands in its way."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..programs.term_task import TermTask
from ..terms.reach import position_command_error


def panda() -> TermTask:
    """Franka's Panda brings its hand to places on both sides of a wall (robots/panda-wall.xml), over the wall; the gripper stays open. What the hand is
    judged by is the length of its way over the wall, so that to go up and over is always nearer: with the straight distance it stays before the wall."""
    task = TermTask("panda-reach-over", robot="panda-wall", about="Franka Panda brings its hand over a wall", needs=("actuators",), actions=7,
                    sensors=[{"name": "wall_touch", "kind": "touch", "of": "wall"}],
                    settings={"solver": "hybrid", "tolerance": 1e-4, "dt": 0.01, "decimation": 4, "action_scale": 2.0, "action_clip": 1.0, "episode": 0.0})
    task.number("top", 0.55, 0.0, 10.0, "height in which the hand passes the wall, which is 0.45 m high and stands on y = 0 [m]")
    arm = "panda_joint?"

    @task.commands(3)
    def place(s: Any) -> Any:
        """where the hand is to be, world axes [m]; the caller sets the field `command` of the robot"""
        return np.array([0.55, 0.3, 0.3])

    task.memory(7, name="aim")(lambda s: s.memory.aim)

    @task.act
    def targets(s: Any) -> Any:
        """an action is how fast the targets of the arm move within its limits, +-1 for +-2 rad/s: noise that adds up makes long ways, and zeros hold"""
        arms = s.actuators_of(arm)
        home = s.home_length[..., arms]
        aim = s.memory.aim + s.setting.action_scale * s.control_dt * s.action
        aim = np.clip(home + aim, s.position_lower[..., arms], s.position_upper[..., arms]) - home
        return {"target": s.home_length + np.concatenate([aim, np.zeros_like(aim[..., :1])], axis=-1), "memory.aim": aim}

    @task.reward(-5.0)
    def way(s: Any) -> Any:
        """how long the shortest way of the hand to its place is, over the wall where the straight one crosses it below its top [m]"""
        hand, goal = s.sensor.hand_pos, s.command
        here, there = hand[..., 1], goal[..., 1]
        across = here * there < 0.0
        part = np.where(across, here / np.where(across, here - there, 1.0), 0.0)[..., None]
        crossing = hand + part * (goal - hand)
        over = np.concatenate([crossing[..., :2], np.maximum(crossing[..., 2:], s.number.top)], axis=-1)
        return np.where(across, np.linalg.norm(over - hand, axis=-1) + np.linalg.norm(goal - over, axis=-1), position_command_error(hand, goal))

    @task.reward(-2.0)
    def bump(s: Any) -> Any:
        """the arm's force on the wall in 50 N, at most 1"""
        return np.minimum(1.0, s.sensor.wall_touch / 50.0)

    @task.reward(-0.05)
    def posture(s: Any) -> Any:
        """squares of the arm's angles about home [rad^2]"""
        return np.sum(np.square((s.actuator_length - s.home_length)[..., s.actuators_of(arm)]), axis=-1)

    @task.reward(-0.02)
    def haste(s: Any) -> Any:
        """squares of the joints' velocities [rad^2/s^2]"""
        return np.sum(np.square(s.actuator_velocity[..., s.actuators_of(arm)]), axis=-1)

    @task.reward(-0.05)
    def change(s: Any) -> Any:
        """squares of the change of the action"""
        return np.sum(np.square(s.action - s.action_before), axis=-1)

    return task
