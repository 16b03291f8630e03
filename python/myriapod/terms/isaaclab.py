"""Reward terms and ends of Isaac Lab (Mittal et al. 2023, The Isaac Lab Project Developers; BSD 3-Clause): isaaclab/envs/mdp/rewards.py and terminations.py,
isaaclab_tasks/manager_based/locomotion/velocity/mdp/rewards.py, commits 00b36b7, 032b686, 05d1723.

Arrays are (n, rows); `_b`: base axes, `_w`: world. Forces of bodies are (n, bodies): the largest over the steps of dt, as there. `rows.lengths` makes
lengths and horizontal speeds of vectors."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rotations import quat_rotate_back, quat_yaw, wrap
from .rows import beyond, lengths, summed_squares


def is_alive(terminated: Any) -> Any:
    """1 where the episode has not ended by failing"""
    return np.where(terminated > 0, 0.0, 1.0)


def is_terminated(terminated: Any) -> Any:
    """1 where the episode has ended by failing"""
    return np.where(terminated > 0, 1.0, 0.0)


def lin_vel_z_l2(root_lin_vel_b: Any) -> Any:
    """v_z^2 [m^2/s^2]"""
    return np.square(root_lin_vel_b[..., 2])


def ang_vel_xy_l2(root_ang_vel_b: Any) -> Any:
    """w_x^2 + w_y^2 [rad^2/s^2]"""
    return summed_squares(root_ang_vel_b[..., :2])


def flat_orientation_l2(projected_gravity_b: Any) -> Any:
    """g_x^2 + g_y^2 of the unit vector down"""
    return summed_squares(projected_gravity_b[..., :2])


def base_height_l2(root_z: Any, target_height: Any) -> Any:
    """(z - wanted)^2 [m^2]; on rough ground the target has the mean of a scan in it"""
    return np.square(root_z - target_height)


def body_lin_acc_l2(body_lin_acc_w: Any) -> Any:
    """sum of the lengths of the bodies' accelerations [m/s^2]; (n, 3 bodies)"""
    return np.sum(lengths(body_lin_acc_w), axis=-1)


def joint_torques_l2(applied_torque: Any) -> Any:
    """sum of tau^2 [N^2 m^2]"""
    return summed_squares(applied_torque)


def joint_vel_l1(joint_vel: Any) -> Any:
    """sum of |qd| [rad/s]"""
    return np.sum(np.abs(joint_vel), axis=-1)


def joint_vel_l2(joint_vel: Any) -> Any:
    """sum of qd^2 [rad^2/s^2]"""
    return summed_squares(joint_vel)


def joint_acc_l2(joint_acc: Any) -> Any:
    """sum of qdd^2 [rad^2/s^4]"""
    return summed_squares(joint_acc)


def joint_deviation_l1(joint_pos: Any, default_joint_pos: Any) -> Any:
    """sum of |q - home| [rad]"""
    return np.sum(np.abs(joint_pos - default_joint_pos), axis=-1)


def joint_pos_target_l2(joint_pos: Any, target: Any) -> Any:
    """sum of (q less whole turns - wanted)^2 [rad^2]"""
    return summed_squares(wrap(joint_pos) - target)


def joint_pos_limits(joint_pos: Any, lower: Any, upper: Any) -> Any:
    """how far joints are beyond their soft limits [rad]"""
    return beyond(joint_pos, lower, upper)


def joint_vel_limits(joint_vel: Any, soft_joint_vel_limits: Any, soft_ratio: float = 1.0) -> Any:
    """|qd| beyond the soft limit, at most 1 rad/s of each joint [rad/s]"""
    return np.sum(np.clip(np.abs(joint_vel) - soft_joint_vel_limits * soft_ratio, 0.0, 1.0), axis=-1)


def applied_torque_limits(applied_torque: Any, computed_torque: Any) -> Any:
    """sum of |torque applied - torque asked for| [N m]"""
    return np.sum(np.abs(applied_torque - computed_torque), axis=-1)


def action_rate_l2(action: Any, prev_action: Any) -> Any:
    """sum of (a - a before)^2"""
    return summed_squares(action - prev_action)


def action_l2(action: Any) -> Any:
    """sum of a^2"""
    return summed_squares(action)


def undesired_contacts(force: Any, threshold: float = 1.0) -> Any:
    """how many bodies are pushed by more than the threshold [N]"""
    return np.sum(np.where(force > threshold, 1.0, 0.0), axis=-1)


def desired_contacts(force: Any, threshold: float = 1.0) -> Any:
    """1 where all bodies are pushed by at most the threshold [N]"""
    return np.where(np.any(force > threshold, axis=-1), 0.0, 1.0)


def contact_forces(force: Any, threshold: float) -> Any:
    """sum of the forces above the threshold [N]"""
    return np.sum(np.maximum(force - threshold, 0.0), axis=-1)


def track_lin_vel_xy_exp(command: Any, root_lin_vel_b: Any, std: float = 0.5) -> Any:
    """exp(-|command_xy - v_xy|^2 / std^2), base axes"""
    return np.exp(-summed_squares(command[..., :2] - root_lin_vel_b[..., :2]) / std**2)


def track_ang_vel_z_exp(command: Any, root_ang_vel_b: Any, std: float = 0.5) -> Any:
    """exp(-(command_yaw - w_z)^2 / std^2), base axes"""
    return np.exp(-np.square(command[..., 2] - root_ang_vel_b[..., 2]) / std**2)


def track_lin_vel_xy_yaw_frame_exp(command: Any, root_lin_vel_w: Any, root_quat_w: Any, std: float = 0.5) -> Any:
    """exp(-|command_xy - v_xy|^2 / std^2), v in the axes of the base's heading"""
    return np.exp(-summed_squares(command[..., :2] - quat_rotate_back(quat_yaw(root_quat_w), root_lin_vel_w)[..., :2]) / std**2)


def track_ang_vel_z_world_exp(command: Any, root_ang_vel_w: Any, std: float = 0.5) -> Any:
    """exp(-(command_yaw - w_z)^2 / std^2), w in the world"""
    return np.exp(-np.square(command[..., 2] - root_ang_vel_w[..., 2]) / std**2)


def feet_air_time(command: Any, last_air_time: Any, first_contact: Any, threshold: float = 0.5) -> Any:
    """sum over the feet that come down of (time in the air - 0.5 s), where |command_xy| > 0.1"""
    landed = np.sum(np.where(first_contact > 0, last_air_time - threshold, 0.0), axis=-1)
    return np.where(np.linalg.norm(command[..., :2], axis=-1) > 0.1, landed, 0.0)


def feet_air_time_positive_biped(command: Any, current_air_time: Any, current_contact_time: Any, threshold: float = 0.4) -> Any:
    """one foot down: min(its time, the other's in the air, 0.4 s), where |command_xy| > 0.1"""
    down = current_contact_time > 0
    one = np.sum(np.where(down, 1.0, 0.0), axis=-1) == 1.0
    mode = np.min(np.where(down, current_contact_time, current_air_time), axis=-1)
    return np.where(one & (np.linalg.norm(command[..., :2], axis=-1) > 0.1), np.minimum(mode, threshold), 0.0)


def feet_slide(foot_speed: Any, force: Any, threshold: float = 1.0) -> Any:
    """sum of the horizontal speeds of feet that are pushed by more than 1 N [m/s]"""
    return np.sum(np.where(force > threshold, foot_speed, 0.0), axis=-1)


def stand_still_joint_deviation_l1(command: Any, joint_pos: Any, default_joint_pos: Any, command_threshold: float = 0.06) -> Any:
    """sum of |q - home| where |command_xy| < 0.06 [rad]"""
    return np.where(np.linalg.norm(command[..., :2], axis=-1) < command_threshold, joint_deviation_l1(joint_pos, default_joint_pos), 0.0)


def time_out(episode_length: Any, max_episode_length: Any) -> Any:
    """the episode has as many control steps as it may have; a truncation"""
    return episode_length >= max_episode_length


def bad_orientation(projected_gravity_b: Any, limit_angle: float) -> Any:
    """the base leans by more than the angle [rad]"""
    return -projected_gravity_b[..., 2] < np.cos(limit_angle)


def root_height_below_minimum(root_z: Any, minimum_height: float) -> Any:
    """the base is lower than that [m]"""
    return root_z < minimum_height


def joint_pos_out_of_limit(joint_pos: Any, lower: Any, upper: Any) -> Any:
    """a joint is beyond its soft limits"""
    return np.any((joint_pos > upper) | (joint_pos < lower), axis=-1)


def joint_vel_out_of_limit(joint_vel: Any, soft_joint_vel_limits: Any) -> Any:
    """a joint is faster than its soft limit"""
    return np.any(np.abs(joint_vel) > soft_joint_vel_limits, axis=-1)


def illegal_contact(force: Any, threshold: float = 1.0) -> Any:
    """a body is pushed by more than the threshold [N]"""
    return np.any(force > threshold, axis=-1)
