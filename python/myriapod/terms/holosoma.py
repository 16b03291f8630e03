"""Reward terms and ends of holosoma's walking humanoids (Amazon FAR 2025; Apache 2.0): src/holosoma/holosoma/managers/reward/terms/locomotion.py and
termination/terms/locomotion.py, config_values/loco/g1/reward.py, commit fc600e7.

Arrays are (n, rows). Two feet, left and right: heights above the ground and phases of their clocks, in [-pi, pi), as (n, 2). Quaternions are w x y z."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rotations import quat_rotate, quat_rotate_back
from .rows import beyond, lengths, summed_squares, vertical

_DOWN = np.array([0.0, 0.0, -1.0])
_AHEAD = np.array([1.0, 0.0, 0.0])


def expected_foot_height(phi: Any, swing_height: float = 0.09) -> Any:
    """the height that a clock wants of a foot [m]: up and down again by cubic curves, highest at phi = 0, 0 at +- pi"""
    x = (phi + np.pi) / (2.0 * np.pi)
    t = np.where(x <= 0.5, 2.0 * x, 2.0 * x - 1.0)
    curve = t * t * t + 3.0 * (t * t * (1.0 - t))
    return np.where(x <= 0.5, swing_height * curve, swing_height - swing_height * curve)


def feet_phase(feet_heights: Any, phase: Any, swing_height: float = 0.09, tracking_sigma: float = 0.008) -> Any:
    """exp(-sum of (height - expected_foot_height(phase))^2 / 0.008)"""
    return np.exp(-summed_squares(feet_heights - expected_foot_height(phase, swing_height)) / tracking_sigma)


def pose(dof_pos: Any, default_dof_pos: Any, pose_weights: Any) -> Any:
    """sum of w (q - home)^2; w by joint: 0.01 pitch and knee, 1 hip roll, 5 other joints of legs, 50 arms and waist"""
    return np.sum(np.square(dof_pos - default_dof_pos) * pose_weights, axis=-1)


def penalty_close_feet_xy(base_quat: Any, left_foot_pos: Any, right_foot_pos: Any, close_feet_threshold: float = 0.15) -> Any:
    """1 where the feet are nearer to each other than 0.15 m, across the base's heading"""
    ahead = quat_rotate(base_quat, _AHEAD)
    yaw = np.arctan2(ahead[..., 1], ahead[..., 0])
    apart = left_foot_pos - right_foot_pos
    distance = np.abs(np.cos(yaw) * apart[..., 1] - np.sin(yaw) * apart[..., 0])
    return np.where(distance < close_feet_threshold, 1.0, 0.0)


def penalty_feet_ori(left_quat: Any, right_quat: Any) -> Any:
    """sum of the sines of the angles by which the two soles lean"""
    left, right = quat_rotate_back(left_quat, _DOWN), quat_rotate_back(right_quat, _DOWN)
    return np.linalg.norm(left[..., :2], axis=-1) + np.linalg.norm(right[..., :2], axis=-1)


def alive(like: Any) -> Any:
    """1; like: any one number per robot"""
    return np.ones_like(like)


def termination(reset: Any, time_out: Any) -> Any:
    """1 where the episode ends, but not by time"""
    return np.where((reset > 0) & ~(time_out > 0), 1.0, 0.0)


def tracking_lin_vel(commands: Any, base_lin_vel: Any, tracking_sigma: float = 0.25) -> Any:
    """exp(-|command_xy - v_xy|^2 / 0.25), base axes"""
    return np.exp(-summed_squares(commands[..., :2] - base_lin_vel[..., :2]) / tracking_sigma)


def tracking_ang_vel(commands: Any, base_ang_vel: Any, tracking_sigma: float = 0.25) -> Any:
    """exp(-(command_yaw - w_z)^2 / 0.25), base axes"""
    return np.exp(-np.square(commands[..., 2] - base_ang_vel[..., 2]) / tracking_sigma)


def penalty_ang_vel_xy(base_ang_vel: Any) -> Any:
    """w_x^2 + w_y^2 [rad^2/s^2]"""
    return summed_squares(base_ang_vel[..., :2])


def penalty_orientation(projected_gravity: Any) -> Any:
    """g_x^2 + g_y^2 of the unit vector down"""
    return summed_squares(projected_gravity[..., :2])


def penalty_action_rate(actions: Any, prev_actions: Any) -> Any:
    """sum of (a - a before)^2"""
    return summed_squares(prev_actions - actions)


def penalty_stumble(foot_force: Any, ratio: float = 4.0) -> Any:
    """1 where a foot is pushed sideways by more than 4 times |its vertical force|; foot_force: (n, 3 feet)"""
    return np.where(np.any(lengths(foot_force, 2) > ratio * np.abs(vertical(foot_force)), axis=-1), 1.0, 0.0)


def limits_dof_pos(dof_pos: Any, lower: Any, upper: Any, soft_dof_pos_limit: float = 0.95) -> Any:
    """how far joints are beyond 0.95 of their range about its middle [rad]"""
    middle, half = (lower + upper) / 2.0, 0.5 * (upper - lower) * soft_dof_pos_limit
    return beyond(dof_pos, middle - half, middle + half)


def base_height(base_heights: Any, commands: Any = None, desired_base_height: float = 0.89, zero_vel_penalty_scale: float = 1.0) -> Any:
    """(height above the ground - wanted)^2 [m^2]; times the scale where |command_xy| < 0.1"""
    cost = np.square(base_heights - desired_base_height)
    if commands is None:
        return cost
    return np.where(np.linalg.norm(commands[..., :2], axis=-1) < 0.1, cost * zero_vel_penalty_scale, cost)


def contact_forces_exceeded(force: Any, force_threshold: float = 1.0) -> Any:
    """a body that must not touch does: |force| > 1 N; force: (n, bodies)"""
    return np.any(force > force_threshold, axis=-1)


def gravity_tilt_exceeded(projected_gravity: Any, threshold_x: float, threshold_y: float) -> Any:
    """|g_x| or |g_y| of the unit vector down is above its threshold"""
    return (np.abs(projected_gravity[..., 0]) > threshold_x) | (np.abs(projected_gravity[..., 1]) > threshold_y)


def base_height_below_threshold(base_z: Any, min_height: float) -> Any:
    """the base is lower than that [m]"""
    return base_z < min_height


def timeout_exceeded(episode_length: Any, max_episode_length: Any) -> Any:
    """the episode has more control steps than it may have; a truncation"""
    return episode_length > max_episode_length


def sin_phase(phase: Any) -> Any:
    """observation: sine of each foot's clock"""
    return np.sin(phase)


def cos_phase(phase: Any) -> Any:
    """observation: cosine of each foot's clock"""
    return np.cos(phase)
