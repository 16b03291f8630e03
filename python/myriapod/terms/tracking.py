"""Terms that follow a motion: BeyondMimic (Liao et al. 2025; MIT): whole_body_tracking, tasks/tracking/mdp/rewards.py, terminations.py, observations.py,
commit cd65172; mjlab's tracking task (mjlab 1.6.0, Apache 2.0) has the same.

Positions and velocities of k bodies are (n, 3 k), rotations (n, 4 k), w x y z, all in world axes. `body_pos_relative_w`, `body_quat_relative_w` move the
motion's bodies to where the robot's anchor stands and heads; without them a robot that has drifted is asked to come back."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rotations import quat_axes, quat_conj, quat_diff, quat_mul, quat_rotate, quat_rotate_back, quat_yaw
from .rows import lengths, summed_squares, vertical

_DOWN = np.array([0.0, 0.0, -1.0])


def _each(x: Any, rows: int) -> list[Any]:
    """Of bodies one behind the other each."""
    return [x[..., rows * k:rows * (k + 1)] for k in range(x.shape[-1] // rows)]


def _vectors(x: Any, wanted: Any, std: float) -> Any:
    """exp(-mean over the bodies of |x - wanted|^2 / std^2)"""
    return np.exp(-summed_squares(x - wanted) / (x.shape[-1] // 3) / std**2)


def _rotations(x: Any, wanted: Any, std: float) -> Any:
    """exp(-mean over the bodies of angle^2 / std^2)"""
    apart = np.concatenate([quat_diff(a, b) for a, b in zip(_each(x, 4), _each(wanted, 4))], axis=-1)
    return np.exp(-summed_squares(apart) / (x.shape[-1] // 4) / std**2)


def motion_global_anchor_position_error_exp(robot_anchor_pos_w: Any, anchor_pos_w: Any, std: float = 0.3) -> Any:
    """exp(-|x - wanted|^2 / (0.3 m)^2) of the anchor"""
    return _vectors(robot_anchor_pos_w, anchor_pos_w, std)


def motion_global_anchor_orientation_error_exp(robot_anchor_quat_w: Any, anchor_quat_w: Any, std: float = 0.4) -> Any:
    """exp(-angle^2 / (0.4 rad)^2) of the anchor"""
    return _rotations(robot_anchor_quat_w, anchor_quat_w, std)


def motion_relative_body_position_error_exp(robot_body_pos_w: Any, body_pos_relative_w: Any, std: float = 0.3) -> Any:
    """exp(-mean over the bodies of |x - wanted|^2 / (0.3 m)^2)"""
    return _vectors(robot_body_pos_w, body_pos_relative_w, std)


def motion_relative_body_orientation_error_exp(robot_body_quat_w: Any, body_quat_relative_w: Any, std: float = 0.4) -> Any:
    """exp(-mean over the bodies of angle^2 / (0.4 rad)^2)"""
    return _rotations(robot_body_quat_w, body_quat_relative_w, std)


def motion_global_body_linear_velocity_error_exp(robot_body_lin_vel_w: Any, body_lin_vel_w: Any, std: float = 1.0) -> Any:
    """exp(-mean over the bodies of |v - wanted|^2 / (1 m/s)^2)"""
    return _vectors(robot_body_lin_vel_w, body_lin_vel_w, std)


def motion_global_body_angular_velocity_error_exp(robot_body_ang_vel_w: Any, body_ang_vel_w: Any, std: float = 3.14) -> Any:
    """exp(-mean over the bodies of |w - wanted|^2 / (3.14 rad/s)^2)"""
    return _vectors(robot_body_ang_vel_w, body_ang_vel_w, std)


def feet_contact_time(last_contact_time: Any, first_air: Any, threshold: float) -> Any:
    """how many feet leave the ground after less than the threshold [s]"""
    return np.sum(np.where((last_contact_time < threshold) & (first_air > 0), 1.0, 0.0), axis=-1)


def _delta_ori_w(robot_anchor_quat_w: Any, anchor_quat_w: Any) -> Any:
    return quat_yaw(quat_mul(robot_anchor_quat_w, quat_conj(anchor_quat_w)))


def body_quat_relative_w(body_quat_w: Any, robot_anchor_quat_w: Any, anchor_quat_w: Any) -> Any:
    """the motion's rotations, turned about z to the robot's heading"""
    delta = _delta_ori_w(robot_anchor_quat_w, anchor_quat_w)
    return np.concatenate([quat_mul(delta, q) for q in _each(body_quat_w, 4)], axis=-1)


def body_pos_relative_w(body_pos_w: Any, robot_anchor_pos_w: Any, robot_anchor_quat_w: Any, anchor_pos_w: Any, anchor_quat_w: Any) -> Any:
    """the motion's positions, turned so, and moved to the robot's x and y [m]"""
    delta = _delta_ori_w(robot_anchor_quat_w, anchor_quat_w)
    place = np.concatenate([robot_anchor_pos_w[..., :2], anchor_pos_w[..., 2:3]], axis=-1)
    return np.concatenate([place + quat_rotate(delta, x - anchor_pos_w) for x in _each(body_pos_w, 3)], axis=-1)


def bad_anchor_pos(robot_anchor_pos_w: Any, anchor_pos_w: Any, threshold: float = 0.25) -> Any:
    """the anchor is off by more [m]"""
    return np.linalg.norm(anchor_pos_w - robot_anchor_pos_w, axis=-1) > threshold


def bad_anchor_pos_z_only(robot_anchor_pos_w: Any, anchor_pos_w: Any, threshold: float = 0.25) -> Any:
    """the anchor's height is off by more [m]"""
    return np.abs(anchor_pos_w[..., 2] - robot_anchor_pos_w[..., 2]) > threshold


def bad_anchor_ori(robot_anchor_quat_w: Any, anchor_quat_w: Any, threshold: float = 0.8) -> Any:
    """z of down in the anchor's axes is off by more"""
    return np.abs(quat_rotate_back(anchor_quat_w, _DOWN)[..., 2] - quat_rotate_back(robot_anchor_quat_w, _DOWN)[..., 2]) > threshold


def bad_motion_body_pos(robot_body_pos_w: Any, body_pos_relative_w: Any, threshold: float = 0.25) -> Any:
    """a body is off by more [m]"""
    return np.any(lengths(body_pos_relative_w - robot_body_pos_w) > threshold, axis=-1)


def bad_motion_body_pos_z_only(robot_body_pos_w: Any, body_pos_relative_w: Any, threshold: float = 0.25) -> Any:
    """the height of a body is off by more [m]"""
    return np.any(np.abs(vertical(body_pos_relative_w) - vertical(robot_body_pos_w)) > threshold, axis=-1)


def motion_anchor_pos_b(robot_anchor_pos_w: Any, robot_anchor_quat_w: Any, anchor_pos_w: Any) -> Any:
    """observation: the motion's anchor in the robot's anchor's axes [m]"""
    return quat_rotate_back(robot_anchor_quat_w, anchor_pos_w - robot_anchor_pos_w)


def motion_anchor_ori_b(robot_anchor_quat_w: Any, anchor_quat_w: Any) -> Any:
    """observation: two columns of the rotation from the robot's anchor to the motion's, row by row"""
    return quat_axes(quat_mul(quat_conj(robot_anchor_quat_w), anchor_quat_w))[..., [0, 1, 3, 4, 6, 7]]


def robot_body_pos_b(robot_anchor_pos_w: Any, robot_anchor_quat_w: Any, robot_body_pos_w: Any) -> Any:
    """observation: the bodies in the anchor's axes [m]"""
    return np.concatenate([quat_rotate_back(robot_anchor_quat_w, x - robot_anchor_pos_w) for x in _each(robot_body_pos_w, 3)], axis=-1)


def robot_body_ori_b(robot_anchor_quat_w: Any, robot_body_quat_w: Any) -> Any:
    """observation: two columns of the rotation from the anchor to each body, row by row"""
    return np.concatenate([motion_anchor_ori_b(robot_anchor_quat_w, q) for q in _each(robot_body_quat_w, 4)], axis=-1)
