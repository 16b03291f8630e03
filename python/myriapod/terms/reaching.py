"""Terms for arms and hands: reaching a point (Isaac Lab's reach task, BSD 3-Clause), and turning a cube in a hand (Makoviychuk et al. 2021, Isaac
Gym's AllegroHand, BSD 3-Clause)."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rotations import quat_conj, quat_mul


def position_command_error(position: Any, goal: Any) -> Any:
    """|x - goal| [m]"""
    return np.linalg.norm(position - goal, axis=-1)


def position_command_error_tanh(position: Any, goal: Any, std: float = 0.1) -> Any:
    """1 - tanh(|x - goal| / std)"""
    return 1.0 - np.tanh(np.linalg.norm(position - goal, axis=-1) / std)


def orientation_command_error(rotation: Any, goal: Any) -> Any:
    """the angle between them [rad], 2 asin(|vector part|)"""
    apart = quat_mul(goal, quat_conj(rotation))
    return 2.0 * np.arcsin(np.clip(np.linalg.norm(apart[..., 1:], axis=-1), 0.0, 1.0))


def joint_vel_l2(joint_vel: Any) -> Any:
    """sum of qd^2"""
    return np.sum(np.square(joint_vel), axis=-1)


def rotation_reward(rotation: Any, goal: Any, rot_eps: float = 0.1, rot_reward_scale: float = 1.0) -> Any:
    """scale / (angle + eps)"""
    return rot_reward_scale / (np.abs(orientation_command_error(rotation, goal)) + rot_eps)


def goal_distance(object_pos: Any, target_pos: Any) -> Any:
    """|object - target| [m]; its weight there is -10"""
    return np.linalg.norm(object_pos - target_pos, axis=-1)


def action_penalty(action: Any) -> Any:
    """sum of a^2; its weight there is -2e-4"""
    return np.sum(np.square(action), axis=-1)


def goal_reached(rotation: Any, goal: Any, success_tolerance: float = 0.1) -> Any:
    """the angle is within the tolerance; the bonus there is 250"""
    return np.abs(orientation_command_error(rotation, goal)) <= success_tolerance


def fallen(object_pos: Any, target_pos: Any, fall_dist: float = 0.24) -> Any:
    """the object is farther away than that [m]"""
    return np.linalg.norm(object_pos - target_pos, axis=-1) >= fall_dist
