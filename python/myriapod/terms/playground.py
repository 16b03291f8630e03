"""Reward terms of MuJoCo Playground's joystick tasks (Zakka et al. 2025; Apache 2.0): _src/locomotion/go1/joystick.py, `_reward_*` and
`_cost_*`, commit 43d180a; and of its G1, what differs (g1/joystick.py).

Arrays are (n, rows). Feet: heights, speeds and contacts as (n, feet)."""
from __future__ import annotations

from typing import Any

import numpy as np


def tracking_lin_vel(commands: Any, local_vel: Any, tracking_sigma: float = 0.25) -> Any:
    """exp(-|command_xy - v_xy|^2 / sigma), base axes"""
    return np.exp(-np.sum(np.square(commands[..., :2] - local_vel[..., :2]), axis=-1) / tracking_sigma)


def tracking_ang_vel(commands: Any, ang_vel: Any, tracking_sigma: float = 0.25) -> Any:
    """exp(-(command_yaw - w_z)^2 / sigma)"""
    return np.exp(-np.square(commands[..., 2] - ang_vel[..., 2]) / tracking_sigma)


def lin_vel_z(global_linvel: Any) -> Any:
    """v_z^2 in the world [m^2/s^2]"""
    return np.square(global_linvel[..., 2])


def ang_vel_xy(global_angvel: Any) -> Any:
    """w_x^2 + w_y^2 in the world [rad^2/s^2]"""
    return np.sum(np.square(global_angvel[..., :2]), axis=-1)


def orientation(torso_zaxis: Any) -> Any:
    """x^2 + y^2 of the torso's z axis in the world"""
    return np.sum(np.square(torso_zaxis[..., :2]), axis=-1)


def torques(torques: Any) -> Any:
    """|tau| + sum of |tau_i| [N m]"""
    return np.linalg.norm(torques, axis=-1) + np.sum(np.abs(torques), axis=-1)


def energy(qvel: Any, qfrc_actuator: Any) -> Any:
    """sum of |qd| |tau| [W]"""
    return np.sum(np.abs(qvel) * np.abs(qfrc_actuator), axis=-1)


def action_rate(act: Any, last_act: Any) -> Any:
    """sum of (a - a before)^2"""
    return np.sum(np.square(act - last_act), axis=-1)


def pose(qpos: Any, default_pose: Any, weight: Any) -> Any:
    """exp(-sum of w (q - home)^2); Go1: w = (1, 1, 0.1) of each leg"""
    return np.exp(-np.sum(np.square(qpos - default_pose) * weight, axis=-1))


def stand_still(commands: Any, qpos: Any, default_pose: Any) -> Any:
    """sum of |q - home| where |command| < 0.01 [rad]"""
    return np.where(np.linalg.norm(commands, axis=-1) < 0.01, np.sum(np.abs(qpos - default_pose), axis=-1), 0.0)


def joint_pos_limits(qpos: Any, soft_lowers: Any, soft_uppers: Any) -> Any:
    """how far joints are beyond their soft limits [rad]"""
    return np.sum(np.maximum(soft_lowers - qpos, 0.0) + np.maximum(qpos - soft_uppers, 0.0), axis=-1)


def _commanded(commands: Any, value: Any) -> Any:
    return np.where(np.linalg.norm(commands, axis=-1) > 0.01, value, 0.0)


def feet_slip(commands: Any, foot_speed: Any, contact: Any) -> Any:
    """sum of speed^2 of feet that touch, along the ground, where something is commanded"""
    return _commanded(commands, np.sum(np.where(contact > 0, np.square(foot_speed), 0.0), axis=-1))


def feet_clearance(foot_height: Any, foot_speed: Any, max_foot_height: float = 0.1) -> Any:
    """sum of |height - wanted| sqrt(horizontal speed)"""
    return np.sum(np.abs(foot_height - max_foot_height) * np.sqrt(foot_speed), axis=-1)


def feet_height(commands: Any, swing_peak: Any, first_contact: Any, max_foot_height: float = 0.1) -> Any:
    """sum over the feet that come down of (peak / wanted - 1)^2, where something is commanded"""
    return _commanded(commands, np.sum(np.where(first_contact > 0, np.square(swing_peak / max_foot_height - 1.0), 0.0), axis=-1))


def feet_air_time(commands: Any, air_time: Any, first_contact: Any) -> Any:
    """sum over the feet that come down of (time in the air - 0.1 s), where something is commanded"""
    return _commanded(commands, np.sum(np.where(first_contact > 0, air_time - 0.1, 0.0), axis=-1))


def feet_phase(foot_height: Any, wanted_height: Any) -> Any:
    """G1: exp(-sum of (height - that of the gait's clock)^2 / 0.01)"""
    return np.exp(-np.sum(np.square(foot_height - wanted_height), axis=-1) / 0.01)


def fallen(upvector: Any) -> Any:
    """the torso is upside down"""
    return upvector[..., 2] < 0.0
