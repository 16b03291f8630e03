"""`panda-reach`: Franka's Panda brings its hand to commanded poses.

Rewards, commands, starts and observations are those of Isaac Lab's Isaac-Reach-Franka-v0 (Mittal et al. 2023, BSD 3-Clause: reach_env_cfg.py,
config/franka/joint_pos_env_cfg.py). What differs: gains and home are those of the robot's file, (0, 0, 0, -1.57, 0, 1.57, -0.79) rad; of the fingers
nothing is drawn, seen or paid for; the weights of the action's rate and of speeds do not grow while it trains; the pose is of the point between the fingers,
0.1034 m beyond the hand's origin."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...terms import reach as terms
from ..term_task import TermTask

reach = TermTask("panda-reach", robot="panda", about="Franka Panda (17 kg) brings its hand to commanded poses", needs=("actuators",), actions=7,
                 settings={"solver": "hybrid", "dt": 1 / 120, "decimation": 4, "episode": 12.0, "action_scale": 0.5}, learner={"num_envs": 512, "hidden": (64, 64)})

_ARM = "panda_joint?"


@reach.commands(7, every=4.0)
def pose(s: Any) -> Any:
    """a place before the robot [m], and the hand pointing down, turned anyhow about z: a quaternion w x y z"""
    place = np.array([0.35, -0.2, 0.15]) + np.array([0.3, 0.4, 0.35]) * s.draw("place", 3)
    half = np.pi * (s.draw("yaw") - 0.5)
    nothing = np.zeros_like(half)
    return np.concatenate([place, np.stack([nothing, -np.sin(half), np.cos(half), nothing], axis=-1)], axis=-1)


@reach.start
def start(s: Any) -> Any:
    """each joint of the arm at half to one and a half of its angle at home"""
    drawn = np.concatenate([0.5 + s.draw("angles", 7), np.ones_like(s.home_position[..., :1])], axis=-1)
    return {"actuator_position": s.home_position * drawn}


@reach.act
def targets(s: Any) -> Any:
    """the arm about home [rad]; the gripper stays open"""
    fixed = np.zeros_like(s.action[..., :1])
    return s.home_length + s.setting.action_scale * np.concatenate([s.action, fixed], axis=-1)


@reach.reward(-0.2)
def position(s: Any) -> Any:
    """how far the hand is from its place [m]"""
    return terms.position_command_error(s.sensor.hand_pos, s.command[..., :3])


@reach.reward(0.1, name="position-fine")
def position_fine(s: Any) -> Any:
    """1 - tanh(distance / 0.1 m)"""
    return terms.position_command_error_tanh(s.sensor.hand_pos, s.command[..., :3])


@reach.reward(-0.1)
def orientation(s: Any) -> Any:
    """by how much the hand is turned from what is commanded [rad]"""
    return terms.orientation_command_error(s.sensor.hand_quat, s.command[..., 3:])


@reach.reward(-1e-4, name="action-rate")
def action_rate(s: Any) -> Any:
    """squares of the change of the action"""
    return terms.action_rate_l2(s.action, s.action_before)


@reach.reward(-1e-4, name="joint-speed")
def joint_speed(s: Any) -> Any:
    """squares of the joint velocities [rad^2/s^2]"""
    return terms.joint_vel_l2(s.actuator_velocity[..., s.actuators_of(_ARM)])


@reach.metric
def distance(s: Any) -> Any:
    """how far the hand is from its place [m]"""
    return terms.position_command_error(s.sensor.hand_pos, s.command[..., :3])


@reach.metric
def settled(s: Any) -> Any:
    """how far it is from its place in the second half of the 4 s that it has [m]"""
    cycles = s.clock * s.control_dt / 4.0
    return np.where(cycles - np.floor(cycles) >= 0.5, 2.0 * terms.position_command_error(s.sensor.hand_pos, s.command[..., :3]), 0.0)


@reach.metric
def angle(s: Any) -> Any:
    """by how much the hand is turned from what is commanded [rad]"""
    return terms.orientation_command_error(s.sensor.hand_quat, s.command[..., 3:])


@reach.observe(noise=0.01)
def lengths(s: Any) -> Any:
    """of each joint of the arm its angle less that at home [rad]"""
    return s.encoder[..., s.actuators_of(_ARM)]


@reach.observe(noise=0.01)
def rates(s: Any) -> Any:
    """of each joint of the arm its velocity [rad/s]"""
    return s.actuator_velocity[..., s.actuators_of(_ARM)]


reach.observe("command")
reach.observe("action")
