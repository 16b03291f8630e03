"""Terms of arms that reach a pose: Isaac Lab's reach task (Mittal et al. 2023, The Isaac Lab Project Developers; BSD 3-Clause):
isaaclab_tasks/manager_based/manipulation/reach/mdp/rewards.py, commit 0f83bb4.

Weights there: error -0.2, tanh 0.1, rotation -0.1, action rate and joint velocity -1e-4. Quaternions are w x y z; a command is a pose in the base's axes."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rotations import quat_diff, quat_mul, quat_rotate
from .rows import summed_squares


def desired_position(root_pos_w: Any, root_quat_w: Any, des_pos_b: Any) -> Any:
    """a commanded position in world axes [m]"""
    return root_pos_w + quat_rotate(root_quat_w, des_pos_b)


def desired_rotation(root_quat_w: Any, des_quat_b: Any) -> Any:
    """a commanded rotation in world axes"""
    return quat_mul(root_quat_w, des_quat_b)


def position_command_error(curr_pos_w: Any, des_pos_w: Any) -> Any:
    """|x - wanted| [m]"""
    return np.linalg.norm(curr_pos_w - des_pos_w, axis=-1)


def position_command_error_tanh(curr_pos_w: Any, des_pos_w: Any, std: float = 0.1) -> Any:
    """1 - tanh(|x - wanted| / std)"""
    return 1.0 - np.tanh(position_command_error(curr_pos_w, des_pos_w) / std)


def orientation_command_error(curr_quat_w: Any, des_quat_w: Any) -> Any:
    """the angle between the two rotations, the short way [rad]"""
    return np.linalg.norm(quat_diff(curr_quat_w, des_quat_w), axis=-1)


def action_rate_l2(action: Any, prev_action: Any) -> Any:
    """sum of (a - a before)^2"""
    return summed_squares(action - prev_action)


def joint_vel_l2(joint_vel: Any) -> Any:
    """sum of qd^2 [rad^2/s^2]"""
    return summed_squares(joint_vel)
