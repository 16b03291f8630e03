"""Terms that follow a motion: exp(-error^2 / std^2) (Liao et al. 2025, BeyondMimic; mjlab's tracking task, Apache 2.0), and Isaac Lab's for walking on two legs
(Mittal et al. 2023, BSD 3-Clause: mdp/rewards.py).

Positions and velocities of k bodies are (n, 3 k), rotations (n, 4 k), w x y z."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rotations import quat_diff, quat_rotate_back, quat_yaw


def _bodies(rows: int, each: int) -> list[slice]:
    return [slice(each * k, each * (k + 1)) for k in range(rows // each)]


def position_error_exp(position: Any, wanted: Any, std: float) -> Any:
    """exp(-mean over the bodies of |x - wanted|^2 / std^2); of velocities, too"""
    return np.exp(-np.sum(np.square(position - wanted), axis=-1) / (position.shape[-1] // 3) / std**2)


def rotation_error_exp(rotation: Any, wanted: Any, std: float) -> Any:
    """exp(-mean over the bodies of angle^2 / std^2)"""
    parts = _bodies(rotation.shape[-1], 4)
    total = sum(np.sum(np.square(quat_diff(rotation[..., k], wanted[..., k])), axis=-1) for k in parts)
    return np.exp(-total / len(parts) / std**2)


def bad_anchor_position(z: Any, wanted_z: Any, threshold: float = 0.25) -> Any:
    """the anchor's height is off by more [m]"""
    return np.abs(z - wanted_z) > threshold


def bad_anchor_rotation(down: Any, wanted_down: Any, threshold: float = 0.8) -> Any:
    """z of down in the anchor's axes is off by more"""
    return np.abs(down[..., 2] - wanted_down[..., 2]) > threshold


def track_lin_vel_xy_yaw_frame_exp(command: Any, lin_vel_w: Any, quaternion: Any, std: float = 0.5) -> Any:
    """exp(-|command_xy - v_xy|^2 / std^2), v in the axes of the base's heading"""
    seen = quat_rotate_back(quat_yaw(quaternion), lin_vel_w)
    return np.exp(-np.sum(np.square(command[..., :2] - seen[..., :2]), axis=-1) / std**2)


def track_ang_vel_z_world_exp(command: Any, ang_vel_w: Any, std: float = 0.5) -> Any:
    """exp(-(command_yaw - w_z)^2 / std^2), w in the world"""
    return np.exp(-np.square(command[..., 2] - ang_vel_w[..., 2]) / std**2)


def feet_air_time_positive_biped(command: Any, air_time: Any, contact_time: Any, threshold: float = 0.4) -> Any:
    """while one foot stands: min(its time down, the other's in the air, threshold), |command_xy| > 0.1"""
    down = contact_time > 0
    one = np.sum(down.astype(float), axis=-1) == 1
    mode = np.min(np.where(down, contact_time, air_time), axis=-1)
    return np.where(one & (np.linalg.norm(command[..., :2], axis=-1) > 0.1), np.minimum(mode, threshold), 0.0)


def joint_deviation_l1(joint_pos: Any, default_joint_pos: Any) -> Any:
    """sum of |q - home| [rad]"""
    return np.sum(np.abs(joint_pos - default_joint_pos), axis=-1)


def flat_orientation_l2(projected_gravity_b: Any) -> Any:
    """g_x^2 + g_y^2 of the unit vector down"""
    return np.sum(np.square(projected_gravity_b[..., :2]), axis=-1)
