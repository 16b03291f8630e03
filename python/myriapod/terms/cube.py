"""Terms of a hand that turns a cube: Isaac Gym's AllegroHand and ShadowHand (Makoviychuk et al. 2021; BSD 3-Clause) as Isaac Lab has them
(isaaclab_tasks/direct/inhand_manipulation/inhand_manipulation_env.py, commit 032e26b, and manager_based/manipulation/inhand/mdp/rewards.py, commit 1cc006c).

`compute_rewards` is the sum of the direct task: the pieces by themselves are above it. Rotations are quaternions w x y z, positions in world axes."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rotations import quat_conj, quat_diff, quat_mul
from .rows import summed_squares


def rotation_distance(object_rot: Any, target_rot: Any) -> Any:
    """the angle between the two rotations [rad], 2 asin(|vector part|)"""
    apart = quat_mul(object_rot, quat_conj(target_rot))
    return 2.0 * np.arcsin(np.minimum(np.linalg.norm(apart[..., 1:], axis=-1), 1.0))


def goal_dist(object_pos: Any, target_pos: Any) -> Any:
    """|object - target| [m]"""
    return np.linalg.norm(object_pos - target_pos, axis=-1)


def dist_rew(object_pos: Any, target_pos: Any, dist_reward_scale: float = -10.0) -> Any:
    """-10 |object - target|"""
    return goal_dist(object_pos, target_pos) * dist_reward_scale


def rot_rew(object_rot: Any, target_rot: Any, rot_reward_scale: float = 1.0, rot_eps: float = 0.1) -> Any:
    """1 / (angle + 0.1)"""
    return 1.0 / (np.abs(rotation_distance(object_rot, target_rot)) + rot_eps) * rot_reward_scale


def action_penalty(actions: Any, action_penalty_scale: float = -2e-4) -> Any:
    """-2e-4 times sum of a^2"""
    return summed_squares(actions) * action_penalty_scale


def goal_resets(object_rot: Any, target_rot: Any, success_tolerance: float = 0.1) -> Any:
    """the goal is reached: angle <= 0.1 rad; then there is a new one"""
    return np.abs(rotation_distance(object_rot, target_rot)) <= success_tolerance


def out_of_reach(object_pos: Any, target_pos: Any, fall_dist: float = 0.24) -> Any:
    """the object is 0.24 m away or farther"""
    return goal_dist(object_pos, target_pos) >= fall_dist


def compute_rewards(object_pos: Any, object_rot: Any, target_pos: Any, target_rot: Any, actions: Any, success_tolerance: float = 0.1,
                    reach_goal_bonus: float = 250.0, fall_dist: float = 0.24, fall_penalty: float = 0.0) -> Any:
    """dist_rew + rot_rew + action_penalty + 250 where the goal is reached; of a control step, without dt"""
    bonus = np.where(goal_resets(object_rot, target_rot, success_tolerance), reach_goal_bonus, 0.0)
    fallen = np.where(out_of_reach(object_pos, target_pos, fall_dist), fall_penalty, 0.0)
    return dist_rew(object_pos, target_pos) + rot_rew(object_rot, target_rot) + action_penalty(actions) + bonus + fallen


def success_bonus(root_quat_w: Any, goal_quat_w: Any, threshold: float = 0.1) -> Any:
    """1 where the angle is at most the threshold"""
    return np.where(np.linalg.norm(quat_diff(root_quat_w, goal_quat_w), axis=-1) <= threshold, 1.0, 0.0)


def track_pos_l2(object_pos_e: Any, goal_pos_e: Any) -> Any:
    """|object - goal| [m]"""
    return np.linalg.norm(goal_pos_e - object_pos_e, axis=-1)


def track_orientation_inv_l2(root_quat_w: Any, goal_quat_w: Any, rot_eps: float = 1e-3) -> Any:
    """1 / (angle + 1e-3)"""
    return 1.0 / (np.linalg.norm(quat_diff(root_quat_w, goal_quat_w), axis=-1) + rot_eps)


def unscale(x: Any, lower: Any, upper: Any) -> Any:
    """observation: joints within their limits, from -1 to 1"""
    return (2.0 * x - upper - lower) / (upper - lower)


def reduced_observations(fingertip_pos: Any, object_pos: Any, object_rot: Any, goal_rot: Any, actions: Any) -> Any:
    """observation: fingertips, object's place, the turn that is left, action"""
    return np.concatenate([fingertip_pos, object_pos, quat_mul(object_rot, quat_conj(goal_rot)), actions], axis=-1)
