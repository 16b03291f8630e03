"""Gymnasium's classics, v5 (Towers et al. 2024, MIT): rewards, ends, starts and observations by their published code, in this engine's physics.

`gym-hopper`, `gym-walker2d`, `gym-half-cheetah`, `gym-ant`, `gym-swimmer`, `gym-inverted-pendulum`. Actions are torques over their gear, within +-1 (the pendulum: +-3). What
differs: the ant has neither the contact cost nor the contact forces of its observation (cfrc_ext is MuJoCo's own); steps are this engine's, not RK4 or MuJoCo's
soft contacts; the first step of an episode has the speed that the state has, not that over a control step, as the place before is not known."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..term_task import TermTask
from ..terms import gymnasium as gym


def _uniform(s: Any, name: str, rows: int, most: float) -> Any:
    return most * (2.0 * s.draw(name, rows) - 1.0)


def _normal(s: Any, name: str, rows: int, deviation: float) -> Any:
    """Box and Muller."""
    radius = np.sqrt(-2.0 * np.log(1.0 - s.draw(f"{name}_radius", rows)))
    return deviation * radius * np.cos(6.283185307179586 * s.draw(f"{name}_turn", rows))


def _task(name: str, about: str, dt: float, frame_skip: int, seconds: float, *, hidden: int = 0, clip: float = 10.0, action: float = 1.0) -> TermTask:
    """A task with Gymnasium's control step, the place before for x', and what is observed: q without its first `hidden`, v within +-clip."""
    task = TermTask(name, robot=name, about=about, needs=("actuators",), actions="controls",
                    settings={"dt": dt, "decimation": frame_skip, "episode": seconds, "action_scale": 1.0, "action_clip": action},
                    learner={"num_envs": 512, "hidden": (64, 64)})

    @task.memory(name="x")
    def x(s: Any) -> Any:
        """where it was [m]"""
        return s.q[..., 0]

    @task.observe()
    def position(s: Any) -> Any:
        """q without what Gymnasium leaves out [m, rad]"""
        return s.q[..., hidden:]

    @task.observe()
    def velocity(s: Any) -> Any:
        """v [m/s, rad/s]"""
        return np.clip(s.v, -clip, clip)

    return task


def _speed(s: Any) -> Any:
    """Along x over the control step [m/s]."""
    return (s.q[..., 0] - s.memory.x) / s.control_dt


def _starts(task: TermTask, q: float, v: float, normal: bool = False) -> None:
    @task.start
    def start(s: Any) -> Any:
        """home, all of q and v off by Gymnasium's noise"""
        place = s.q + _uniform(s, "q", s.model.nq, q)
        return {"q": place, "v": _normal(s, "v", s.model.nv, v) if normal else _uniform(s, "v", s.model.nv, v), "memory.x": place[..., 0]}


def _hop(task: TermTask, healthy: Any, control_s: float) -> None:
    """Gymnasium adds a step's reward as it is, this library times the control step: weights are over it."""
    @task.reward(1.0 / control_s)
    def forward(s: Any) -> Any:
        """x' [m/s]"""
        return _speed(s)

    @task.reward(1.0 / control_s)
    def alive(s: Any) -> Any:
        """1 where it is healthy"""
        return np.where(healthy(s), 1.0, 0.0)

    @task.reward(-1.0 / control_s)
    def control(s: Any) -> Any:
        """1e-3 a^2"""
        return gym.control_cost(s.action, 1e-3)

    @task.end
    def unhealthy(s: Any) -> Any:
        """it is not healthy"""
        return ~healthy(s)

    _starts(task, 5e-3, 5e-3)


def _run(task: TermTask, cost: float, control_s: float) -> None:
    @task.reward(1.0 / control_s)
    def forward(s: Any) -> Any:
        """x' [m/s]"""
        return _speed(s)

    @task.reward(-1.0 / control_s)
    def control(s: Any) -> Any:
        """what actions cost"""
        return gym.control_cost(s.action, cost)


hopper = _task("gym-hopper", "Gymnasium's Hopper-v5: a leg hops forward", 0.002, 4, 8.0, hidden=1)
_hop(hopper, lambda s: gym.hopper_healthy(s.q, s.v), 0.008)

walker2d = _task("gym-walker2d", "Gymnasium's Walker2d-v5: two legs walk forward", 0.002, 4, 8.0, hidden=1)
_hop(walker2d, lambda s: gym.walker2d_healthy(s.q), 0.008)

half_cheetah = _task("gym-half-cheetah", "Gymnasium's HalfCheetah-v5: half a cheetah runs forward", 0.01, 5, 50.0, hidden=1, clip=1e6)
_run(half_cheetah, 0.1, 0.05)
_starts(half_cheetah, 0.1, 0.1, normal=True)

swimmer = _task("gym-swimmer", "Gymnasium's Swimmer-v5: three links swim forward", 0.01, 4, 40.0, hidden=2, clip=1e6)
_run(swimmer, 1e-4, 0.04)
_starts(swimmer, 0.1, 0.1)

ant = _task("gym-ant", "Gymnasium's Ant-v5: four legs run forward", 0.01, 5, 50.0, hidden=2, clip=1e6)
_run(ant, 0.5, 0.05)


@ant.reward(1.0 / 0.05)
def alive(s: Any) -> Any:
    """1 where it is healthy"""
    return np.where(gym.ant_healthy(s.q, s.v), 1.0, 0.0)


@ant.end
def unhealthy(s: Any) -> Any:
    """the torso's z beyond [0.2, 1]"""
    return ~gym.ant_healthy(s.q, s.v)


@ant.start
def start(s: Any) -> Any:
    """home, all of q but its quaternion within 0.1, v normal with 0.1"""
    place = np.concatenate([s.q[..., :3] + _uniform(s, "place", 3, 0.1), s.q[..., 3:7], s.q[..., 7:] + _uniform(s, "joints", 8, 0.1)], axis=-1)
    return {"q": place, "v": _normal(s, "v", 14, 0.1), "memory.x": place[..., 0]}


inverted_pendulum = _task("gym-inverted-pendulum", "Gymnasium's InvertedPendulum-v5: a cart keeps a pole up", 0.02, 2, 40.0, clip=1e6, action=3.0)
_starts(inverted_pendulum, 0.01, 0.01)


@inverted_pendulum.reward(1.0 / 0.04)
def up(s: Any) -> Any:
    """1 while |angle| <= 0.2"""
    return np.where(gym.pendulum_upright(s.q), 1.0, 0.0)


@inverted_pendulum.end
def fell(s: Any) -> Any:
    """|angle| > 0.2"""
    return ~gym.pendulum_upright(s.q)
