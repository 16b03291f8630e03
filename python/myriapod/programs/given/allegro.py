"""`allegro-cube`: Wonik's Allegro hand turns a cube to orientations, one after the other.

Rewards, goals, ends and observations are those of Isaac Lab's Isaac-Repose-Cube-Allegro-Direct-v0 (Makoviychuk et al. 2021, Mittal et al. 2023; BSD
3-Clause: inhand_manipulation_env.py, allegro_hand_env_cfg.py), the whole reward times 0.01, as its learner takes it. What differs: hand and cube are
ours (docs/models.md), tips are seen from where the cube shall be, and forces at the tips are not seen."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rotations import quat_conj, quat_mul
from ...terms import cube as terms
from ..term_task import TermTask

cube = TermTask("allegro-cube", robot="allegro-cube", about="Allegro hand turns a cube of 65 mm to one orientation after the other", needs=("actuators",), actions=16,
                settings={"solver": "hybrid", "dt": 1 / 120, "decimation": 4, "episode": 10.0, "action_clip": 1.0}, learner={"num_envs": 512, "hidden": (128, 64)})
_CUBE = slice(16, 23)  #: of q: place and quaternion
_REWARD = 0.01 * 30.0  #: of a control step, not of a second
_TIPS = ("ff", "mf", "rf", "th")


def _turned(a: Any, b: Any) -> Any:
    """By +-pi about x, and about y: what the source calls a random rotation; a, b: in [0, 1)."""
    x, y = np.pi * (a - 0.5), np.pi * (b - 0.5)
    none = np.zeros_like(x)
    return quat_mul(np.stack([np.cos(x), np.sin(x), none, none], axis=-1), np.stack([np.cos(y), none, np.sin(y), none], axis=-1))


def _goal(s: Any) -> Any:
    """Where the cube shall be [m]: 4 cm below where it lies at home."""
    return s.home[..., 16:19] - np.array([0.0, 0.0, 0.04])


def _there(s: Any) -> Any:
    return terms.goal_resets(s.sensor.cube_quat, s.memory.goal, 0.2)


@cube.start
def start(s: Any) -> Any:
    """the cube 25 mm above the palm, turned anyhow, within 1 cm; joints within a fifth of their range about home"""
    apart = 2.0 * s.draw("joints", 16) - 1.0
    reach = np.where(apart > 0, s.position_upper - s.home_position, s.home_position - s.position_lower)
    place = s.home[..., 16:19] + 0.01 * (2.0 * s.draw("place", 3) - 1.0) + np.array([0.0, 0.0, 0.025])
    q = np.concatenate([s.home_position + 0.2 * np.abs(apart) * reach * np.sign(apart), place, _turned(s.draw("x"), s.draw("y"))], axis=-1)
    return {"q": q, "memory.goal": _turned(s.draw("goal_x"), s.draw("goal_y"))}


@cube.act
def targets(s: Any) -> Any:
    """from one limit of each joint to the other"""
    return s.position_lower + 0.5 * (s.action + 1.0) * (s.position_upper - s.position_lower)


@cube.memory(4)
def goal(s: Any) -> Any:
    """the orientation that is wanted; another one once it is reached to 0.2 rad"""
    return np.where(_there(s)[..., None], _turned(s.draw("next_x"), s.draw("next_y")), s.memory.goal)


@cube.memory()
def reached(s: Any) -> Any:
    """how many goals of this episode"""
    return s.memory.reached + np.where(_there(s), 1.0, 0.0)


@cube.reward(_REWARD)
def near(s: Any) -> Any:
    """-10 times how far the cube is from its place [m]"""
    return terms.dist_rew(s.sensor.cube_pos, _goal(s))


@cube.reward(_REWARD)
def turned(s: Any) -> Any:
    """1 / (the angle that is left + 0.1 rad)"""
    return terms.rot_rew(s.sensor.cube_quat, s.memory.goal)


@cube.reward(_REWARD)
def effort(s: Any) -> Any:
    """-2e-4 times squares of the action"""
    return terms.action_penalty(s.action)


@cube.reward(250.0 * _REWARD)
def goals(s: Any) -> Any:
    """1 where a goal is reached"""
    return np.where(_there(s), 1.0, 0.0)


@cube.metric
def rate(s: Any) -> Any:
    """goals reached per second"""
    return np.where(_there(s), 1.0, 0.0) / s.control_dt


@cube.end
def lost(s: Any) -> Any:
    """the cube is 0.24 m from its place"""
    return terms.out_of_reach(s.sensor.cube_pos, _goal(s))


@cube.observe()
def lengths(s: Any) -> Any:
    """joints within their limits, from -1 to 1"""
    return terms.unscale(s.actuator_length, s.position_lower, s.position_upper)


cube.observe("actuator_velocity", scale=0.2)


@cube.observe()
def place(s: Any) -> Any:
    """where the cube is, from where it shall be [m]"""
    return s.sensor.cube_pos - _goal(s)


cube.observe("sensor.cube_quat", name="rotation")
cube.observe("sensor.cube_linvel", name="velocity")
cube.observe("sensor.cube_angvel", name="spin", scale=0.2)
cube.observe("memory.goal", name="goal")


@cube.observe()
def left(s: Any) -> Any:
    """the turn that is left, a quaternion"""
    return quat_mul(s.sensor.cube_quat, quat_conj(s.memory.goal))


@cube.observe()
def tips(s: Any) -> Any:
    """where the four finger tips are, from where the cube shall be [m]"""
    return np.concatenate([s.sensor[f"{tip}_tip_pos"] - _goal(s) for tip in _TIPS], axis=-1)


cube.observe("action")
