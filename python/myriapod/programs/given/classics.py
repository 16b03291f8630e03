"""Gymnasium's classics, v5 (Towers et al. 2024, MIT): rewards, ends, starts and observations by their published code, in this engine's physics.

`gym-hopper`, `gym-walker2d`, `gym-half-cheetah`, `gym-ant`, `gym-humanoid`, `gym-swimmer`, `gym-inverted-pendulum`, `gym-inverted-double-pendulum`. Actions are
torques over their gear, within +-1 (humanoid: +-0.4, pendulum: +-3). What differs: ant and humanoid have no contact cost, and their observations end before the
numbers that are MuJoCo's own (cinert, cvel, qfrc_actuator, cfrc_ext), the double pendulum's before qfrc_constraint; steps are this engine's, not RK4 or
MuJoCo's soft contacts; quaternions begin without noise; the humanoid's first step has the speed its centre of mass has, not that over a control step."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...terms import gymnasium as gym
from ..term_task import TermTask


def _uniform(s: Any, name: str, rows: int, most: float) -> Any:
    return most * (2.0 * s.draw(name, rows) - 1.0)


def _normal(s: Any, name: str, rows: int, deviation: float) -> Any:
    """Box and Muller."""
    radius = np.sqrt(-2.0 * np.log(1.0 - s.draw(f"{name}_radius", rows)))
    return deviation * radius * np.cos(6.283185307179586 * s.draw(f"{name}_turn", rows))


def _task(name: str, about: str, dt: float, frame_skip: int, seconds: float, *, hidden: int = 0, clip: float = 1e6, action: float = 1.0,
          turns: bool = False) -> TermTask:
    """A task with Gymnasium's control step, and what is observed: q without its first `hidden`, or of `turns` the first and the others' sines and
    cosines, and v within +-clip."""
    task = TermTask(name, robot=name, about=about, needs=("actuators",), actions="controls",
                    settings={"dt": dt, "decimation": frame_skip, "episode": seconds, "action_scale": 1.0, "action_clip": action},
                    learner={"num_envs": 512, "hidden": (64, 64)})

    @task.observe()
    def position(s: Any) -> Any:
        """q as Gymnasium shows it [m, rad, 1]"""
        return np.concatenate([s.q[..., :1], np.sin(s.q[..., 1:]), np.cos(s.q[..., 1:])], axis=-1) if turns else s.q[..., hidden:]

    @task.observe()
    def velocity(s: Any) -> Any:
        """v [m/s, rad/s]"""
        return np.clip(s.v, -clip, clip)

    return task


def _starts(task: TermTask, q: float, v: float, *, normal: bool = False, floats: bool = False, moves: bool = True) -> None:
    """normal: v is; floats: the base's quaternion stays as it is; moves: the task remembers x."""
    @task.start
    def start(s: Any) -> Any:
        """home, all of q and v off by Gymnasium's noise"""
        if floats:
            place = np.concatenate([s.q[..., :3] + _uniform(s, "place", 3, q), s.q[..., 3:7], s.q[..., 7:] + _uniform(s, "joints", s.model.nq - 7, q)], axis=-1)
        else:
            place = s.q + _uniform(s, "q", s.model.nq, q)
        speed = _normal(s, "v", s.model.nv, v) if normal else _uniform(s, "v", s.model.nv, v)
        return {"q": place, "v": speed} | ({"memory.x": place[..., 0]} if moves else {})


def _forward(task: TermTask, control_s: float) -> None:
    """Gymnasium adds a step's reward as it is, this library times the control step: weights are over it."""
    @task.memory(name="x")
    def x(s: Any) -> Any:
        """where it was [m]"""
        return s.q[..., 0]

    @task.reward(1.0 / control_s)
    def forward(s: Any) -> Any:
        """x' over the control step [m/s]"""
        return (s.q[..., 0] - s.memory.x) / s.control_dt


def _alive(task: TermTask, healthy: Any, control_s: float, reward: float = 1.0) -> None:
    @task.reward(1.0 / control_s)
    def alive(s: Any) -> Any:
        """a number where it is healthy"""
        return gym.healthy_reward(healthy(s), reward)

    @task.end
    def unhealthy(s: Any) -> Any:
        """it is not healthy"""
        return ~healthy(s)


def _pays(task: TermTask, cost: float, control_s: float) -> None:
    @task.reward(-1.0 / control_s)
    def control(s: Any) -> Any:
        """what actions cost"""
        return gym.control_cost(s.action, cost)


hopper = _task("gym-hopper", "Gymnasium's Hopper-v5: a leg hops forward", 0.002, 4, 8.0, hidden=1, clip=10.0)
_forward(hopper, 0.008)
_alive(hopper, lambda s: gym.hopper_healthy(s.q, s.v), 0.008)
_pays(hopper, 1e-3, 0.008)
_starts(hopper, 5e-3, 5e-3)

walker2d = _task("gym-walker2d", "Gymnasium's Walker2d-v5: two legs walk forward", 0.002, 4, 8.0, hidden=1, clip=10.0)
_forward(walker2d, 0.008)
_alive(walker2d, lambda s: gym.walker2d_healthy(s.q), 0.008)
_pays(walker2d, 1e-3, 0.008)
_starts(walker2d, 5e-3, 5e-3)

half_cheetah = _task("gym-half-cheetah", "Gymnasium's HalfCheetah-v5: half a cheetah runs forward", 0.01, 5, 50.0, hidden=1)
_forward(half_cheetah, 0.05)
_pays(half_cheetah, 0.1, 0.05)
_starts(half_cheetah, 0.1, 0.1, normal=True)

swimmer = _task("gym-swimmer", "Gymnasium's Swimmer-v5: three links swim forward", 0.01, 4, 40.0, hidden=2)
_forward(swimmer, 0.04)
_pays(swimmer, 1e-4, 0.04)
_starts(swimmer, 0.1, 0.1)

ant = _task("gym-ant", "Gymnasium's Ant-v5: four legs run forward", 0.01, 5, 50.0, hidden=2)
_forward(ant, 0.05)
_pays(ant, 0.5, 0.05)
_alive(ant, lambda s: gym.ant_healthy(s.q, s.v), 0.05)
_starts(ant, 0.1, 0.1, normal=True, floats=True)

humanoid = _task("gym-humanoid", "Gymnasium's Humanoid-v5: two legs and arms walk forward", 0.003, 5, 15.0, hidden=2, action=0.4)


@humanoid.memory(name="x")
def x(s: Any) -> Any:
    """where the centre of mass was [m]"""
    return s.sensor["com"][..., 0]


@humanoid.memory(name="known")
def known(s: Any) -> Any:
    """1: that is known; 0 in an episode's first control step, as `start` does not sense"""
    return np.ones_like(s.clock)


@humanoid.reward(1.0 / 0.015)
def forward(s: Any) -> Any:
    """1.25 x' of the centre of mass over the control step [m/s]"""
    speed = (s.sensor["com"][..., 0] - s.memory.x) / s.control_dt
    return gym.forward_reward(np.where(s.memory.known > 0, speed, s.sensor["com_velocity"][..., 0]), 1.25)


_pays(humanoid, 0.1, 0.015)
_alive(humanoid, lambda s: gym.humanoid_healthy(s.q), 0.015, 5.0)
_starts(humanoid, 0.01, 0.01, floats=True, moves=False)

inverted_pendulum = _task("gym-inverted-pendulum", "Gymnasium's InvertedPendulum-v5: a cart keeps a pole up", 0.02, 2, 40.0, action=3.0)
_alive(inverted_pendulum, lambda s: gym.pendulum_upright(s.q), 0.04)
_starts(inverted_pendulum, 0.01, 0.01, moves=False)

double_pendulum = _task("gym-inverted-double-pendulum", "Gymnasium's InvertedDoublePendulum-v5: a cart keeps two poles up", 0.01, 5, 50.0, clip=10.0, turns=True)
_alive(double_pendulum, lambda s: gym.double_pendulum_up(s.sensor["tip"][..., 2]), 0.05, 10.0)
_starts(double_pendulum, 0.1, 0.1, normal=True, moves=False)


@double_pendulum.reward(1.0 / 0.05)
def distance(s: Any) -> Any:
    """how far the tip is from 2 m above the rail's middle"""
    return gym.distance_penalty(s.sensor["tip"][..., 0], s.sensor["tip"][..., 2])


@double_pendulum.reward(1.0 / 0.05)
def speed(s: Any) -> Any:
    """how fast the poles turn"""
    return gym.velocity_penalty(s.v)
