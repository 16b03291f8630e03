"""Reward terms, ends and observations of mjlab's velocity task (Zakka et al. 2025; Apache 2.0): mjlab 1.6.0, src/mjlab/tasks/velocity/mdp/rewards.py,
terminations.py, observations.py, velocity_env_cfg.py, and src/mjlab/envs/mdp; those of an earlier version say its commit.

Arrays are (n, rows); velocities and down in base axes. Feet: heights, horizontal speeds [m/s], forces, contacts as (n, feet); `rows.lengths` makes them of
vectors. `command` of a term of the feet may be left out: it counts then whatever is commanded."""
from __future__ import annotations

from typing import Any

import numpy as np

from .rows import beyond, summed_squares


def _active(cost: Any, command: Any, command_threshold: float) -> Any:
    """Where |command_xy| + |command_yaw| is above the threshold."""
    if command is None:
        return cost
    return np.where(np.linalg.norm(command[..., :2], axis=-1) + np.abs(command[..., 2]) > command_threshold, cost, 0.0)


def track_linear_velocity(command: Any, root_link_lin_vel_b: Any, std: float = 0.5) -> Any:
    """exp(-(|command_xy - v_xy|^2 + v_z^2) / std^2)"""
    apart = np.sum(np.square(command[..., :2] - root_link_lin_vel_b[..., :2]), axis=-1) + np.square(root_link_lin_vel_b[..., 2])
    return np.exp(-apart / std**2)


def track_angular_velocity(command: Any, root_link_ang_vel_b: Any, std: float = 0.5**0.5) -> Any:
    """exp(-((command_yaw - w_z)^2 + w_x^2 + w_y^2) / std^2)"""
    apart = np.square(command[..., 2] - root_link_ang_vel_b[..., 2]) + np.sum(np.square(root_link_ang_vel_b[..., :2]), axis=-1)
    return np.exp(-apart / std**2)


def upright(projected_gravity_b: Any, std: float = 0.2**0.5) -> Any:
    """exp(-(g_x^2 + g_y^2) / std^2) of the unit vector down, in the axes of the base or the torso"""
    return np.exp(-np.sum(np.square(projected_gravity_b[..., :2]), axis=-1) / std**2)


def posture(joint_pos: Any, default_joint_pos: Any, std: Any) -> Any:
    """exp(-mean of ((q - home) / std)^2); std: a number for each joint"""
    return np.exp(-np.mean(np.square((joint_pos - default_joint_pos) / std), axis=-1))


def variable_posture(command: Any, joint_pos: Any, default_joint_pos: Any, std_standing: Any, std_walking: Any, std_running: Any,
                     walking_threshold: float = 0.05, running_threshold: float = 1.5) -> Any:
    """posture with one std for standing, walking and running each, by the commanded speed"""
    speed = (np.linalg.norm(command[..., :2], axis=-1) + np.abs(command[..., 2]))[..., None]
    error = np.square(joint_pos - default_joint_pos)
    parts = [error / np.square(std) for std in (std_standing, std_walking, std_running)]
    return np.exp(-np.mean(np.where(speed < walking_threshold, parts[0], np.where(speed < running_threshold, parts[1], parts[2])), axis=-1))


def body_angular_velocity_penalty(body_ang_vel: Any) -> Any:
    """w_x^2 + w_y^2 [rad^2/s^2]"""
    return np.sum(np.square(body_ang_vel[..., :2]), axis=-1)


def angular_momentum_penalty(angular_momentum: Any) -> Any:
    """|L|^2 about the centre of mass"""
    return np.sum(np.square(angular_momentum), axis=-1)


def joint_pos_limits(joint_pos: Any, lower: Any, upper: Any) -> Any:
    """how far joints are beyond their soft limits [rad]"""
    return beyond(joint_pos, lower, upper)


def action_rate_l2(action: Any, prev_action: Any) -> Any:
    """sum of (a - a before)^2"""
    return np.sum(np.square(action - prev_action), axis=-1)


def feet_slide(foot_speed: Any, contact: Any) -> Any:
    """sum of the horizontal speeds of feet that touch (0cc4de3)"""
    return np.sum(np.where(contact > 0, foot_speed, 0.0), axis=-1)


def foot_clearance_reward(foot_height: Any, foot_speed: Any, target_height: float, std: float, tanh_mult: float) -> Any:
    """exp(-sum of (height - wanted)^2 tanh(mult speed) / std) (0cc4de3)"""
    return np.exp(-np.sum(np.square(foot_height - target_height) * np.tanh(tanh_mult * foot_speed), axis=-1) / std)


def bad_orientation(projected_gravity_b: Any, limit_angle: float = 1.2217304763960306) -> Any:
    """the base leans by more than 70 deg"""
    return -projected_gravity_b[..., 2] < np.cos(limit_angle)


def root_height_below_minimum(root_z: Any, minimum_height: float) -> Any:
    """the base is lower than that [m]"""
    return root_z < minimum_height


def illegal_contact(force: Any, force_threshold: float = 10.0) -> Any:
    """a force is above the threshold [N]; force: (n, bodies), or (n, bodies and steps of dt)"""
    return np.any(force > force_threshold, axis=-1)


def time_out(episode_length: Any, max_episode_length: Any) -> Any:
    """the episode has as many control steps as it may have; a truncation"""
    return episode_length >= max_episode_length


def out_of_terrain_bounds(root_xy: Any, limit_x: float, limit_y: float) -> Any:
    """the base has left the ground's map, less a margin of 0.3 m: |x|, |y| above the limits; a truncation"""
    return (np.abs(root_xy[..., 0]) > limit_x) | (np.abs(root_xy[..., 1]) > limit_y)


def feet_air_time(current_air_time: Any, command: Any = None, threshold_min: float = 0.05, threshold_max: float = 0.5, command_threshold: float = 0.5) -> Any:
    """how many feet have been in the air for between 0.05 and 0.5 s"""
    within = (current_air_time > threshold_min) & (current_air_time < threshold_max)
    return _active(np.sum(np.where(within, 1.0, 0.0), axis=-1), command, command_threshold)


def feet_clearance(foot_height: Any, foot_speed: Any, command: Any = None, target_height: float = 0.1, command_threshold: float = 0.05) -> Any:
    """sum of |height - wanted| horizontal speed"""
    return _active(np.sum(np.abs(foot_height - target_height) * foot_speed, axis=-1), command, command_threshold)


def first_contact(current_contact_time: Any, dt: Any, abs_tol: float = 1e-6) -> Any:
    """which feet have come down within the control step: time down in (0, dt + 1e-6)"""
    return (current_contact_time > 0) & (current_contact_time < dt + abs_tol)


def next_peak_height(peak_height: Any, foot_height: Any, contact: Any, first_contact: Any) -> Any:
    """peak_height from the next control step on, 0 where a foot has come down: a memory's function [m]"""
    return np.where(first_contact > 0, 0.0, np.where(contact > 0, peak_height, np.maximum(peak_height, foot_height)))


def feet_swing_height(peak_height: Any, first_contact: Any, command: Any = None, target_height: float = 0.1, command_threshold: float = 0.05) -> Any:
    """sum over the feet that come down of (peak / wanted - 1)^2"""
    cost = np.sum(np.where(first_contact > 0, np.square(peak_height / target_height - 1.0), 0.0), axis=-1)
    return _active(cost, command, command_threshold)


def feet_slip(foot_speed: Any, contact: Any, command: Any = None, command_threshold: float = 0.05) -> Any:
    """sum of the squares of the horizontal speeds of feet that touch"""
    return _active(np.sum(np.where(contact > 0, np.square(foot_speed), 0.0), axis=-1), command, command_threshold)


def soft_landing(foot_force: Any, first_contact: Any, command: Any = None, command_threshold: float = 0.05) -> Any:
    """sum of the forces on feet that come down [N]"""
    return _active(np.sum(np.where(first_contact > 0, foot_force, 0.0), axis=-1), command, command_threshold)


def self_collision_cost(force: Any, force_threshold: float = 10.0) -> Any:
    """in how many steps of dt a part of the robot presses another by more than 10 N; force: (n, steps), the largest of each"""
    return np.sum(np.where(force > force_threshold, 1.0, 0.0), axis=-1)


def is_alive(terminated: Any) -> Any:
    """1 where the episode has not ended by failing"""
    return np.where(terminated > 0, 0.0, 1.0)


def is_terminated(terminated: Any) -> Any:
    """1 where the episode has ended by failing"""
    return np.where(terminated > 0, 1.0, 0.0)


def joint_torques_l2(actuator_force: Any) -> Any:
    """sum of tau^2 [N^2 m^2]"""
    return summed_squares(actuator_force)


def joint_vel_l2(joint_vel: Any) -> Any:
    """sum of qd^2 [rad^2/s^2]"""
    return summed_squares(joint_vel)


def joint_acc_l2(joint_acc: Any) -> Any:
    """sum of qdd^2 [rad^2/s^4]"""
    return summed_squares(joint_acc)


def action_acc_l2(action: Any, prev_action: Any, prev_prev_action: Any) -> Any:
    """sum of (a - 2 a before + a two before)^2"""
    return summed_squares(action - 2.0 * prev_action + prev_prev_action)


def electrical_power_cost(qfrc_actuator: Any, joint_vel: Any) -> Any:
    """sum of max(0, tau qd) [W]"""
    return np.sum(np.maximum(qfrc_actuator * joint_vel, 0.0), axis=-1)


def flat_orientation_l2(projected_gravity_b: Any) -> Any:
    """g_x^2 + g_y^2 of the unit vector down"""
    return summed_squares(projected_gravity_b[..., :2])


def foot_contact(contact: Any) -> Any:
    """observation: 1 of a foot that touches"""
    return np.where(contact > 0, 1.0, 0.0)


def foot_contact_forces(force: Any) -> Any:
    """observation: sign(f) log(1 + |f|) of each number, f in N"""
    return np.sign(force) * np.log1p(np.abs(force))
