"""Rewards, ends and observations of Gymnasium's MuJoCo tasks, v5 (Towers et al. 2024, MIT; after Todorov, Erez, Tassa 2012, Schulman et al. 2016):
envs/mujoco/*_v5.py.

x_velocity: distance along x over a control step and its length, as there; q, v: the whole state as in MuJoCo, (n, nq), (n, nv); forces on bodies (`cfrc_ext`)
are six numbers of each body, the world's first in costs, without the world's in observations."""
from __future__ import annotations

from typing import Any

import numpy as np


def control_cost(action: Any, ctrl_cost_weight: float) -> Any:
    """weight times sum of a^2"""
    return ctrl_cost_weight * np.sum(np.square(action), axis=-1)


def contact_cost(external_contact_forces: Any, weight: float = 5e-4, low: float = -1.0, high: float = 1.0) -> Any:
    """ant: weight times sum of the squares of cfrc_ext, cut to [low, high]"""
    return weight * np.sum(np.square(np.clip(external_contact_forces, low, high)), axis=-1)


def humanoid_contact_cost(external_contact_forces: Any, weight: float = 5e-7, high: float = 10.0) -> Any:
    """humanoid: min(weight times sum of the squares of cfrc_ext, high)"""
    return np.minimum(weight * np.sum(np.square(external_contact_forces), axis=-1), high)


def ant_healthy(q: Any, v: Any, low: float = 0.2, high: float = 1.0) -> Any:
    """the state is finite, the torso's z within [low, high]"""
    finite = np.all(np.isfinite(q), axis=-1) & np.all(np.isfinite(v), axis=-1)
    return finite & (q[..., 2] >= low) & (q[..., 2] <= high)


def ant(x_velocity: Any, action: Any, healthy: Any, external_contact_forces: Any, forward: float = 1.0, alive: float = 1.0,
        ctrl_cost_weight: float = 0.5) -> Any:
    """forward x' + alive - 0.5 a^2 - contact cost"""
    return forward * x_velocity + np.where(healthy, alive, 0.0) - control_cost(action, ctrl_cost_weight) - contact_cost(external_contact_forces)


def humanoid_healthy(q: Any, low: float = 1.0, high: float = 2.0) -> Any:
    """the torso's z within (low, high)"""
    return (q[..., 2] > low) & (q[..., 2] < high)


def humanoid(x_velocity: Any, action: Any, healthy: Any, external_contact_forces: Any, forward: float = 1.25, alive: float = 5.0,
             ctrl_cost_weight: float = 0.1) -> Any:
    """1.25 x' + 5 - 0.1 a^2 - contact cost; x' of the centre of mass"""
    return forward * x_velocity + np.where(healthy, alive, 0.0) - control_cost(action, ctrl_cost_weight) - humanoid_contact_cost(external_contact_forces)


def hopper_healthy(q: Any, v: Any, least_z: float = 0.7, angle: float = 0.2, state: float = 100.0) -> Any:
    """all of the state but x, z within +-100, z > 0.7, |angle| < 0.2"""
    within = np.all(np.abs(q[..., 2:]) < state, axis=-1) & np.all(np.abs(v) < state, axis=-1)
    return within & (q[..., 1] > least_z) & (np.abs(q[..., 2]) < angle)


def walker2d_healthy(q: Any, low: float = 0.8, high: float = 2.0, angle: float = 1.0) -> Any:
    """z within (0.8, 2), |angle| < 1"""
    return (q[..., 1] > low) & (q[..., 1] < high) & (np.abs(q[..., 2]) < angle)


def hop(x_velocity: Any, action: Any, healthy: Any, forward: float = 1.0, alive: float = 1.0, ctrl_cost_weight: float = 1e-3) -> Any:
    """hopper, walker2d: x' + 1 - 1e-3 a^2"""
    return forward * x_velocity + np.where(healthy, alive, 0.0) - control_cost(action, ctrl_cost_weight)


def half_cheetah(x_velocity: Any, action: Any, forward: float = 1.0, ctrl_cost_weight: float = 0.1) -> Any:
    """x' - 0.1 a^2"""
    return forward * x_velocity - control_cost(action, ctrl_cost_weight)


def swimmer(x_velocity: Any, action: Any, forward: float = 1.0, ctrl_cost_weight: float = 1e-4) -> Any:
    """x' - 1e-4 a^2"""
    return forward * x_velocity - control_cost(action, ctrl_cost_weight)


def pendulum_upright(q: Any, most: float = 0.2, v: Any = None) -> Any:
    """inverted pendulum: |angle| <= 0.2; the reward is 1 while it is; with v: and the state is finite"""
    upright = np.abs(q[..., 1]) <= most
    return upright if v is None else upright & np.all(np.isfinite(q), axis=-1) & np.all(np.isfinite(v), axis=-1)


def double_pendulum(tip_x: Any, tip_z: Any, v: Any, healthy: Any, alive: float = 10.0) -> Any:
    """10 - 0.01 x^2 - (z - 2)^2 - 1e-3 w1^2 - 5e-3 w2^2; x, z: of the tip [m]"""
    return np.where(healthy, alive, 0.0) - (0.01 * np.square(tip_x) + np.square(tip_z - 2.0)) - (1e-3 * np.square(v[..., 1]) + 5e-3 * np.square(v[..., 2]))


def double_pendulum_up(tip_z: Any) -> Any:
    """the tip is above 1 m"""
    return tip_z > 1.0


def forward_reward(x_velocity: Any, forward_reward_weight: float = 1.0) -> Any:
    """weight times x' [m/s]; humanoid: 1.25, of the centre of mass"""
    return forward_reward_weight * x_velocity


def healthy_reward(healthy: Any, healthy_reward: float = 1.0) -> Any:
    """the number where the robot is healthy, else 0; humanoid: 5, double pendulum: 10"""
    return np.where(healthy, healthy_reward, 0.0)


def distance_penalty(tip_x: Any, tip_z: Any) -> Any:
    """double pendulum: -(0.01 x^2 + (z - 2)^2) of the tip [m^2]"""
    return -(0.01 * np.square(tip_x) + np.square(tip_z - 2.0))


def velocity_penalty(v: Any) -> Any:
    """double pendulum: -(1e-3 w1^2 + 5e-3 w2^2)"""
    return -(1e-3 * np.square(v[..., 1]) + 5e-3 * np.square(v[..., 2]))


def reward_dist(fingertip: Any, target: Any, reward_dist_weight: float = 1.0) -> Any:
    """reacher: -|fingertip - target| [m]"""
    return -np.linalg.norm(fingertip - target, axis=-1) * reward_dist_weight


def reacher(fingertip: Any, target: Any, action: Any, reward_dist_weight: float = 1.0, reward_control_weight: float = 1.0) -> Any:
    """-|fingertip - target| - a^2"""
    return reward_dist(fingertip, target, reward_dist_weight) - control_cost(action, reward_control_weight)


def ant_obs(q: Any, v: Any, cfrc_ext: Any, low: float = -1.0, high: float = 1.0) -> Any:
    """q without x and y, v, forces on the bodies cut to [-1, 1]"""
    return np.concatenate([q[..., 2:], v, np.clip(cfrc_ext, low, high)], axis=-1)


def humanoid_obs(q: Any, v: Any, cinert: Any, cvel: Any, qfrc_actuator: Any, cfrc_ext: Any) -> Any:
    """q without x and y, v, cinert and cvel of the bodies, qfrc_actuator without the root's six, cfrc_ext"""
    return np.concatenate([q[..., 2:], v, cinert, cvel, qfrc_actuator[..., 6:], cfrc_ext], axis=-1)


def hop_obs(q: Any, v: Any) -> Any:
    """hopper, walker2d: q without x, v cut to [-10, 10]"""
    return np.concatenate([q[..., 1:], np.clip(v, -10.0, 10.0)], axis=-1)


def half_cheetah_obs(q: Any, v: Any) -> Any:
    """q without x, v"""
    return np.concatenate([q[..., 1:], v], axis=-1)


def swimmer_obs(q: Any, v: Any) -> Any:
    """q without x and y, v"""
    return np.concatenate([q[..., 2:], v], axis=-1)


def pendulum_obs(q: Any, v: Any) -> Any:
    """inverted pendulum: q, v"""
    return np.concatenate([q, v], axis=-1)


def double_pendulum_obs(q: Any, v: Any, qfrc_constraint: Any) -> Any:
    """cart's x, sines and cosines of the angles, v and the constraint's force on the cart cut to [-10, 10]"""
    angles = q[..., 1:]
    return np.concatenate([q[..., :1], np.sin(angles), np.cos(angles), np.clip(v, -10.0, 10.0), np.clip(qfrc_constraint[..., :1], -10.0, 10.0)], axis=-1)


def reacher_obs(q: Any, v: Any, fingertip: Any, target: Any) -> Any:
    """cosines and sines of the angles, target's x and y, angular velocities, x and y of fingertip - target"""
    angles = q[..., :2]
    return np.concatenate([np.cos(angles), np.sin(angles), q[..., 2:], v[..., :2], (fingertip - target)[..., :2]], axis=-1)
