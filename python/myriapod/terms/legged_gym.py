"""Reward terms, end and observation of legged_gym (Rudin, Hoeller, Reist, Hutter 2022; BSD 3-Clause): legged_gym/envs/base/legged_robot.py, `_reward_*`,
commits 0548121 and 8fa29ac.

Arrays are (n, rows): velocities and gravity in base axes, forces in world axes. Feet and bodies are told apart by the caller, by the rows that are given."""
from __future__ import annotations

from typing import Any

import numpy as np

from .rows import beyond, lengths, vertical


def lin_vel_z(base_lin_vel: Any) -> Any:
    """v_z^2 [m^2/s^2]"""
    return np.square(base_lin_vel[..., 2])


def ang_vel_xy(base_ang_vel: Any) -> Any:
    """w_x^2 + w_y^2 [rad^2/s^2]"""
    return np.sum(np.square(base_ang_vel[..., :2]), axis=-1)


def orientation(projected_gravity: Any) -> Any:
    """g_x^2 + g_y^2 of the unit vector down"""
    return np.sum(np.square(projected_gravity[..., :2]), axis=-1)


def base_height(height: Any, base_height_target: float) -> Any:
    """(height above the ground - target)^2 [m^2]; height: (n,), or above each point of a scan, whose mean counts"""
    mean = height if height.ndim == 1 else np.mean(height, axis=-1)
    return np.square(mean - base_height_target)


def torques(torques: Any) -> Any:
    """sum of tau^2 [N^2 m^2]"""
    return np.sum(np.square(torques), axis=-1)


def dof_vel(dof_vel: Any) -> Any:
    """sum of qd^2 [rad^2/s^2]"""
    return np.sum(np.square(dof_vel), axis=-1)


def dof_acc(dof_vel: Any, last_dof_vel: Any, dt: Any) -> Any:
    """sum of ((qd - qd of the control step before) / dt)^2 [rad^2/s^4]"""
    return np.sum(np.square((last_dof_vel - dof_vel) / dt), axis=-1)


def action_rate(actions: Any, last_actions: Any) -> Any:
    """sum of (a - a of the control step before)^2"""
    return np.sum(np.square(last_actions - actions), axis=-1)


def collision(force: Any) -> Any:
    """how many penalised bodies touch: |force| > 0.1 N; force: (n, bodies)"""
    return np.sum(force > 0.1, axis=-1)


def dof_pos_limits(dof_pos: Any, lower: Any, upper: Any) -> Any:
    """how far joints are beyond their (soft) limits [rad]"""
    return beyond(dof_pos, lower, upper)


def dof_vel_limits(dof_vel: Any, dof_vel_limits: Any, soft_dof_vel_limit: float = 1.0) -> Any:
    """|qd| beyond the soft limit, at most 1 rad/s of each joint [rad/s]"""
    return np.sum(np.clip(np.abs(dof_vel) - dof_vel_limits * soft_dof_vel_limit, 0.0, 1.0), axis=-1)


def torque_limits(torques: Any, torque_limits: Any, soft_torque_limit: float = 1.0) -> Any:
    """|tau| beyond the soft limit [N m]"""
    return np.sum(np.maximum(np.abs(torques) - torque_limits * soft_torque_limit, 0.0), axis=-1)


def tracking_lin_vel(commands: Any, base_lin_vel: Any, tracking_sigma: float = 0.25) -> Any:
    """exp(-|command_xy - v_xy|^2 / sigma)"""
    return np.exp(-np.sum(np.square(commands[..., :2] - base_lin_vel[..., :2]), axis=-1) / tracking_sigma)


def tracking_ang_vel(commands: Any, base_ang_vel: Any, tracking_sigma: float = 0.25) -> Any:
    """exp(-(command_yaw - w_z)^2 / sigma)"""
    return np.exp(-np.square(commands[..., 2] - base_ang_vel[..., 2]) / tracking_sigma)


def contact_filtered(foot_force: Any, last_contacts: Any) -> Any:
    """which feet count as down: more than 1 N now, or in the control step before"""
    return (foot_force > 1.0) | (last_contacts > 0)


def feet_air_time(commands: Any, foot_force: Any, last_contacts: Any, air_time: Any, dt: Any) -> Any:
    """sum over feet that come down of (air_time + dt - 0.5 s), where |command_xy| > 0.1"""
    first = (air_time > 0) & contact_filtered(foot_force, last_contacts)
    landed = np.sum(np.where(first, air_time + dt - 0.5, 0.0), axis=-1)
    return np.where(np.linalg.norm(commands[..., :2], axis=-1) > 0.1, landed, 0.0)


def next_air_time(foot_force: Any, last_contacts: Any, air_time: Any, dt: Any) -> Any:
    """what air_time is from the next control step on: a memory's function [s]"""
    return np.where(contact_filtered(foot_force, last_contacts), 0.0, air_time + dt)


def stand_still(commands: Any, dof_pos: Any, default_dof_pos: Any) -> Any:
    """sum of |q - home| while standing is commanded [rad]"""
    return np.where(np.linalg.norm(commands[..., :2], axis=-1) < 0.1, np.sum(np.abs(dof_pos - default_dof_pos), axis=-1), 0.0)


def feet_contact_forces(foot_force: Any, max_contact_force: float = 100.0) -> Any:
    """sum of |force| above the limit [N]; foot_force: (n, feet)"""
    return np.sum(np.maximum(foot_force - max_contact_force, 0.0), axis=-1)


def stumble(foot_force: Any, ratio: float = 5.0) -> Any:
    """1 where a foot is pushed sideways by more than 5 times |its vertical force|; foot_force: (n, 3 feet)"""
    return np.where(np.any(lengths(foot_force, 2) > ratio * np.abs(vertical(foot_force)), axis=-1), 1.0, 0.0)


def termination(reset: Any, time_out: Any) -> Any:
    """1 where the episode ends, but not by time"""
    return np.where((reset > 0) & ~(time_out > 0), 1.0, 0.0)


def check_termination(force: Any, threshold: float = 1.0) -> Any:
    """a body that must not touch does: |force| > 1 N; force: (n, bodies)"""
    return np.any(force > threshold, axis=-1)


def time_out(episode_length: Any, max_episode_length: Any) -> Any:
    """the episode has more control steps than it may have; a truncation"""
    return episode_length > max_episode_length


def compute_observations(base_lin_vel: Any, base_ang_vel: Any, projected_gravity: Any, commands: Any, dof_pos: Any, default_dof_pos: Any, dof_vel: Any,
                         actions: Any, lin_vel: float = 2.0, ang_vel: float = 0.25, dof_pos_scale: float = 1.0, dof_vel_scale: float = 0.05) -> Any:
    """v, w, gravity, command, q - home, qd, action behind each other, by their factors"""
    scale = np.array([lin_vel, lin_vel, ang_vel])
    return np.concatenate([base_lin_vel * lin_vel, base_ang_vel * ang_vel, projected_gravity, commands[..., :3] * scale,
                           (dof_pos - default_dof_pos) * dof_pos_scale, dof_vel * dof_vel_scale, actions], axis=-1)


def heights(base_z: Any, measured_heights: Any, height_measurements: float = 5.0) -> Any:
    """5 clip(z - 0.5 - ground, -1, 1) of each point of a scan; base_z: (n,)"""
    return np.clip(base_z[..., None] - 0.5 - measured_heights, -1.0, 1.0) * height_measurements
