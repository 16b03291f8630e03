"""Reward terms, ends and observations of MuJoCo Playground's joystick tasks (Zakka et al. 2025; Apache 2.0): _src/locomotion/go1/joystick.py, `_reward_*` and
`_cost_*`, commits 43d180a and d5e6b47; and of its G1, what differs (g1/joystick.py): the functions `g1_*`. Clocks of gaits: _src/gait.py.

Arrays are (n, rows). Feet: heights, speeds and contacts as (n, feet). What is called air_time and swing_peak here has this control step in it."""
from __future__ import annotations

from typing import Any

import numpy as np

from .rows import beyond, summed_squares


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
    return beyond(qpos, soft_lowers, soft_uppers)


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


def termination(done: Any) -> Any:
    """1 where the episode has ended by failing"""
    return np.where(done > 0, 1.0, 0.0)


def first_contact(air_time: Any, contact: Any, last_contact: Any) -> Any:
    """which feet come down: air_time before this control step > 0, and they touch now or did before"""
    return (air_time > 0) & ((contact > 0) | (last_contact > 0))


def next_air_time(air_time: Any, contact: Any, dt: Any) -> Any:
    """air_time from the next control step on, 0 of feet that touch: a memory's function [s]"""
    return np.where(contact > 0, 0.0, air_time + dt)


def next_swing_peak(swing_peak: Any, foot_height: Any, contact: Any) -> Any:
    """swing_peak from the next control step on, 0 of feet that touch: a memory's function [m]"""
    return np.where(contact > 0, 0.0, np.maximum(swing_peak, foot_height))


def state(linvel: Any, gyro: Any, gravity: Any, joint_angles: Any, default_pose: Any, joint_vel: Any, last_act: Any, command: Any) -> Any:
    """observation: v, w, gravity, q - home, qd, action before, command"""
    return np.concatenate([linvel, gyro, gravity, joint_angles - default_pose, joint_vel, last_act, command], axis=-1)


def get_rz(phi: Any, swing_height: Any = 0.08) -> Any:
    """the height that a clock wants of a foot [m]: up and down again by cubic curves, highest at phi = 0, 0 at +- pi"""
    x = (phi + np.pi) / (2.0 * np.pi)
    t = np.where(x <= 0.5, 2.0 * x, 2.0 * x - 1.0)
    curve = t * t * t + 3.0 * (t * t * (1.0 - t))
    return np.where(x <= 0.5, swing_height * curve, swing_height - swing_height * curve)


def next_phase(phase: Any, phase_dt: Any) -> Any:
    """a clock from the next control step on, in [-pi, pi): a memory's function; phase_dt = 2 pi dt frequency [rad]"""
    return (phase + phase_dt + np.pi) % (2.0 * np.pi) - np.pi


def g1_lin_vel_z(global_linvel_torso: Any, global_linvel_pelvis: Any) -> Any:
    """v_z^2 of the torso + v_z^2 of the pelvis [m^2/s^2]"""
    return np.square(global_linvel_torso[..., 2]) + np.square(global_linvel_pelvis[..., 2])


def g1_orientation(torso_zaxis: Any) -> Any:
    """|z axis of the torso - (0.073, 0, 1)|^2"""
    return summed_squares(torso_zaxis - np.array([0.073, 0.0, 1.0]))


def base_height(base_height: Any, base_height_target: float = 0.5) -> Any:
    """(z - wanted)^2 [m^2]"""
    return np.square(base_height - base_height_target)


def g1_torques(torques: Any) -> Any:
    """sum of |tau| [N m]"""
    return np.sum(np.abs(torques), axis=-1)


def dof_acc(qacc: Any) -> Any:
    """sum of qdd^2 [rad^2/s^4]"""
    return summed_squares(qacc)


def g1_pose(qpos: Any, default_pose: Any) -> Any:
    """sum of (q - home)^2 [rad^2]"""
    return summed_squares(qpos - default_pose)


def g1_joint_deviation_hip(cmd: Any, hips: Any, default_hips: Any) -> Any:
    """sum of |q - home| of left roll, yaw, right roll, yaw [rad]; no rolls where command_y > 0.1 m/s"""
    error = np.abs(hips - default_hips)
    return np.where(cmd[..., 1] > 0.1, np.sum(error[..., 1::2], axis=-1), np.sum(error, axis=-1))


def g1_joint_deviation_knee(knees: Any, default_knees: Any) -> Any:
    """sum of |q - home| of the knees [rad]"""
    return np.sum(np.abs(knees - default_knees), axis=-1)


def g1_feet_slip(body_linvel: Any, contact: Any) -> Any:
    """horizontal speed of the pelvis times how many feet touch [m/s]"""
    return np.linalg.norm(body_linvel[..., :2], axis=-1) * np.sum(np.where(contact > 0, 1.0, 0.0), axis=-1)


def g1_feet_height(swing_peak: Any, first_contact: Any, max_foot_height: float = 0.15) -> Any:
    """sum over the feet that come down of (peak / wanted - 1)^2"""
    return np.sum(np.where(first_contact > 0, np.square(swing_peak / max_foot_height - 1.0), 0.0), axis=-1)


def g1_feet_air_time(air_time: Any, first_contact: Any, threshold_min: float = 0.2, threshold_max: float = 0.5) -> Any:
    """sum over the feet that come down of min(time in the air - 0.2 s, 0.3 s)"""
    return np.sum(np.where(first_contact > 0, np.minimum(air_time - threshold_min, threshold_max - threshold_min), 0.0), axis=-1)


def g1_feet_phase(foot_height: Any, phase: Any, command: Any, body_linvel: Any, body_angvel: Any, swing_height: float = 0.15) -> Any:
    """exp(-sum of (height - get_rz(phase))^2 / 0.01), where |v_xy| or |w_z| is above 0.1 or something is commanded"""
    mask = (np.linalg.norm(body_linvel[..., :2], axis=-1) > 0.1) | (np.abs(body_angvel[..., 2]) > 0.1) | (np.linalg.norm(command, axis=-1) > 0.01)
    return np.where(mask, feet_phase(foot_height, get_rz(phase, swing_height)), 0.0)


def g1_collision(contact: Any) -> Any:
    """1 where a hand touches a thigh; contact: (n, pairs)"""
    return np.where(np.any(contact > 0, axis=-1), 1.0, 0.0)


def g1_contact_force(foot_force_z: Any, max_contact_force: float = 500.0) -> Any:
    """sum of |vertical force of a foot| above 500 N [N]"""
    return np.sum(np.maximum(np.abs(foot_force_z) - max_contact_force, 0.0), axis=-1)


def g1_fallen(torso_zaxis: Any, contact: Any) -> Any:
    """the torso is upside down, or a foot touches the other foot or shin; contact: (n, pairs)"""
    return (torso_zaxis[..., 2] < 0.0) | np.any(contact > 0, axis=-1)


def g1_state(linvel: Any, gyro: Any, gravity: Any, command: Any, joint_angles: Any, default_pose: Any, joint_vel: Any, last_act: Any, phase: Any) -> Any:
    """observation: v, w, gravity, command, q - home, qd, action before, cos and sin of the feet's clocks"""
    return np.concatenate([linvel, gyro, gravity, command, joint_angles - default_pose, joint_vel, last_act, np.cos(phase), np.sin(phase)], axis=-1)
