"""Reward terms of mjlab's velocity task (mjlab developers 2025; Apache 2.0): src/mjlab/tasks/velocity/mdp/rewards.py, velocity_env_cfg.py,
commits 0cc4de3 and 008c69c.

Arrays are (n, rows); velocities and down in base axes. Feet: heights, horizontal speeds [m/s], contacts as (n, feet)."""
from __future__ import annotations

from typing import Any

import numpy as np


def track_lin_vel_exp(command: Any, root_link_lin_vel_b: Any, std: float = 0.5) -> Any:
    """exp(-(|command_xy - v_xy|^2 + v_z^2) / std^2)"""
    apart = np.sum(np.square(command[..., :2] - root_link_lin_vel_b[..., :2]), axis=-1) + np.square(root_link_lin_vel_b[..., 2])
    return np.exp(-apart / std**2)


def track_ang_vel_exp(command: Any, root_link_ang_vel_b: Any, std: float = 0.5**0.5) -> Any:
    """exp(-((command_yaw - w_z)^2 + w_x^2 + w_y^2) / std^2)"""
    apart = np.square(command[..., 2] - root_link_ang_vel_b[..., 2]) + np.sum(np.square(root_link_ang_vel_b[..., :2]), axis=-1)
    return np.exp(-apart / std**2)


def flat_orientation(projected_gravity_b: Any, std: float = 0.2**0.5) -> Any:
    """exp(-(g_x^2 + g_y^2) / std^2) of the unit vector down"""
    return np.exp(-np.sum(np.square(projected_gravity_b[..., :2]), axis=-1) / std**2)


def posture(joint_pos: Any, default_joint_pos: Any, std: Any) -> Any:
    """exp(-mean of ((q - home) / std)^2); std: a number for each joint"""
    return np.exp(-np.mean(np.square((joint_pos - default_joint_pos) / std), axis=-1))


def variable_posture(command: Any, joint_pos: Any, default_joint_pos: Any, std_standing: Any, std_walking: Any, std_running: Any,
                     walking_threshold: float = 0.05, running_threshold: float = 1.5) -> Any:
    """posture with one std for standing, walking and running each, by the commanded speed"""
    speed = (np.linalg.norm(command[..., :2], axis=-1) + np.abs(command[..., 2]))[..., None]
    error = np.square(joint_pos - default_joint_pos)
    parts = [error / np.square(np.asarray(std)) for std in (std_standing, std_walking, std_running)]
    return np.exp(-np.mean(np.where(speed < walking_threshold, parts[0], np.where(speed < running_threshold, parts[1], parts[2])), axis=-1))


def body_angular_velocity_penalty(body_ang_vel: Any) -> Any:
    """w_x^2 + w_y^2 [rad^2/s^2]"""
    return np.sum(np.square(body_ang_vel[..., :2]), axis=-1)


def angular_momentum_penalty(angular_momentum: Any) -> Any:
    """|L|^2 about the centre of mass"""
    return np.sum(np.square(angular_momentum), axis=-1)


def joint_pos_limits(joint_pos: Any, lower: Any, upper: Any) -> Any:
    """how far joints are beyond their soft limits [rad]"""
    return np.sum(np.maximum(lower - joint_pos, 0.0) + np.maximum(joint_pos - upper, 0.0), axis=-1)


def action_rate_l2(action: Any, prev_action: Any) -> Any:
    """sum of (a - a before)^2"""
    return np.sum(np.square(action - prev_action), axis=-1)


def feet_clearance(foot_height: Any, foot_speed: Any, target_height: float = 0.1) -> Any:
    """sum of |height - wanted| horizontal speed"""
    return np.sum(np.abs(foot_height - target_height) * foot_speed, axis=-1)


def feet_swing_height(peak_height: Any, first_contact: Any, target_height: float = 0.1) -> Any:
    """sum over the feet that come down of (peak / wanted - 1)^2"""
    return np.sum(np.where(first_contact > 0, np.square(peak_height / target_height - 1.0), 0.0), axis=-1)


def feet_slip(foot_speed: Any, contact: Any) -> Any:
    """sum of the squares of the horizontal speeds of feet that touch"""
    return np.sum(np.where(contact > 0, np.square(foot_speed), 0.0), axis=-1)


def feet_slide(foot_speed: Any, contact: Any) -> Any:
    """sum of the horizontal speeds of feet that touch (0cc4de3)"""
    return np.sum(np.where(contact > 0, foot_speed, 0.0), axis=-1)


def foot_clearance_reward(foot_height: Any, foot_speed: Any, target_height: float, std: float, tanh_mult: float) -> Any:
    """exp(-sum of (height - wanted)^2 tanh(mult speed) / std) (0cc4de3)"""
    return np.exp(-np.sum(np.square(foot_height - target_height) * np.tanh(tanh_mult * foot_speed), axis=-1) / std)


def soft_landing(foot_force: Any, first_contact: Any) -> Any:
    """sum of the forces on feet that come down [N]"""
    return np.sum(np.where(first_contact > 0, foot_force, 0.0), axis=-1)


def bad_orientation(projected_gravity_b: Any, limit_angle: float = 1.2217304763960306) -> Any:
    """the base leans by more than 70 deg"""
    return -projected_gravity_b[..., 2] < np.cos(limit_angle)
