"""How well a policy does its task, over whole episodes: of robots that follow velocities, errors and falls under pushes; of others, what their reward
makes of it. `python -m myriapod.score` is the command line."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._library import ArgumentError
from ..distributed.job import Job
from ..envs.lane_task import LaneTask
from ..envs.trained import trained_task
from ..model import Model
from ..policies.lanes import as_lanes


@dataclass(frozen=True)
class Score:
    """Means over environments and time, of robots that have not fallen."""

    linear_error: float  #: |commanded - actual horizontal velocity| in base axes [m/s]
    angular_error: float  #: |commanded - actual yaw rate| [rad/s]
    survived: float  #: part of the episodes without a fall
    episodes: int
    seconds: float  #: length of an episode [s]
    pushes: float  #: pushes per episode (settings push_speed, push_up, push_turn)
    torque: float  #: root mean square of the joint torques [N m]; nan: not measured
    speed: float  #: mean horizontal speed [m/s]


def base_velocity(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(..., 3) linear velocity of the base in its own axes [m/s], from q (..., nq) and v (..., nv) of a floating robot."""
    w, x, y, z = (q[..., k].astype(np.float64) for k in range(3, 7))
    a, b, c = (v[..., k].astype(np.float64) for k in range(3))
    # The transposed rotation, row by row: products and sums alone have the same bits on every processor.
    return np.stack([
        (1 - 2 * (y * y + z * z)) * a + 2 * (x * y + w * z) * b + 2 * (x * z - w * y) * c,
        2 * (x * y - w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z + w * x) * c,
        2 * (x * z + w * y) * a + 2 * (y * z - w * x) * b + (1 - 2 * (x * x + y * y)) * c,
    ], -1)


def _length(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sqrt(x * x + y * y)


#: Control steps of one call in lanes: threads that wait for each other after each of them would wait most of the time where other work is beside.
_AT_ONCE = 50


def score(policy: Callable[[np.ndarray], np.ndarray], task: str | None = None, *, episodes: int = 1000, seed: int = 1000, robot: str | Model | None = None,
          give_up: float = 0.0, job: Job | None = None, **settings: Any) -> Score:
    """Run `episodes` environments of the task for one whole episode each. policy: observation (n, n_obs) -> action (n, nu). Robot, commands,
    pushes and noise are those that the policy was trained with, where it is of a file that says so (`myriapod.envs.trained.trained_task`), else the
    task's; robot and settings change them. task: None: the policy's, else "anymal-flat". Of a `Policy` the score is the same on every machine.
    give_up: stop once fewer than this part have survived; the means are then of the time until that. job: its processes share the episodes, and all have
    the score of one process."""
    part = _Part.of(episodes, job)
    env = trained_task(policy, task, part.robots, robot=robot, autoreset="disabled", seed=seed, **{**part.settings, **settings})
    try:
        return _follow(env, policy, part, give_up, 1)
    finally:
        env.close()


def look(policy: Callable[[np.ndarray], np.ndarray], task: str, *, episodes: int, seed: int, robot: str | Model | None = None, give_up: float = 0.0,
         job: Job | None = None, **settings: Any) -> Score:
    """As `score`, sooner: many control steps in one call. Torques are not measured, nan: targets are known between two calls alone."""
    part = _Part.of(episodes, job)
    env = trained_task(policy, task, part.robots, robot=robot, autoreset="disabled", seed=seed, **{**part.settings, **settings})
    try:
        return _follow(env, policy, part, give_up, _AT_ONCE)
    finally:
        env.close()


class _Part(NamedTuple):
    """The episodes that this process of a job has."""

    job: Job | None
    episodes: int  #: of all processes
    first: int
    own: int  #: how many this process has

    @staticmethod
    def of(episodes: int, job: Job | None) -> _Part:
        if job is None or job.ranks == 1 or episodes < 1:
            return _Part(None, episodes, 0, episodes)
        return _Part(job, episodes, *job.shard(episodes))

    @property
    def robots(self) -> int:
        """Where there are more processes than episodes one steps a robot that does not count."""
        return self.own if self.job is None else max(self.own, 1)

    @property
    def settings(self) -> dict[str, Any]:
        return {} if self.job is None else {"first_env": self.first if self.own else 0, "threads": self.job.threads}

    def sum(self, values: np.ndarray) -> np.ndarray:
        """(count, ...) of these episodes -> (...), added up over all of them: as a number of their whole, not of the processes' parts."""
        return self.rows(values).sum(0)

    def rows(self, values: np.ndarray) -> np.ndarray:
        """(robots, ...) -> (episodes, ...)."""
        return values if self.job is None else self.job.rows(values[: self.own], self.episodes)

    def total(self, values: np.ndarray) -> np.ndarray:
        """(robots, n) of whole numbers -> (n,)."""
        own = values[: self.own].sum(0, dtype=np.int64)
        return own if self.job is None else self.job.sum(own)


def _follow(env: Any, policy: Callable[[np.ndarray], np.ndarray], part: _Part, give_up: float, at_once: int) -> Score:
    """An episode of all environments. at_once: control steps in one call; 1: torques, too."""
    alive = np.ones(env.num_envs, bool)
    joints = [env.model.joints[a.joints[0]] for a in env.model.actuators]  # in the order of targets; a quadruped has one for each joint
    kp, kd, effort = env.batch.get("kp"), env.batch.get("kd"), np.array([j.effort_limit for j in joints])
    joints_q, joints_v = [j.q for j in joints], [j.v for j in joints]
    command_s = env.batch.info.command_s
    hold = max(1, math.floor(command_s / env.dt + 0.5)) if command_s > 0 else 0
    sums = np.zeros((env.num_envs, 5))  # while a robot stands: errors, speed, squares of torques, control steps
    done = 0
    given_up = False
    while done < env.max_episode_length and not given_up:
        count = min(at_once, env.max_episode_length - done)
        if hold:  # a new command begins a call, so that one is that of all its steps
            count = min(count, hold - (done + 1) % hold)
        out = env.rollout(policy, count, state=True)
        done += count
        up = alive[:, None] & ~np.logical_or.accumulate(out.terminated, axis=1)
        lost = np.flatnonzero(part.total(up) / part.episodes < give_up)
        given_up = bool(lost.size)
        count = int(lost[0]) + 1 if given_up else count
        q, v, command = out.state[:, :count, : env.model.nq], out.state[:, :count, env.model.nq :], env.command.astype(np.float64)[:, None]
        body = base_velocity(q, v)
        measured = [_length(body[..., 0] - command[..., 0], body[..., 1] - command[..., 1]), np.abs(v[..., 5] - command[..., 2]), _length(body[..., 0], body[..., 1])]
        if at_once == 1:
            torque = np.clip(kp * (env.batch.target - q[:, 0, joints_q]) - kd * v[:, 0, joints_v], -effort, effort)
            measured.append(np.square(torque).mean(1)[:, None])
        for step in range(count):  # one by one: sums do not depend on how many come at once
            for k, values in enumerate(measured):
                sums[:, k] += np.where(up[:, step], values[:, step], 0.0)
        sums[:, 4] += up[:, :count].sum(1)
        alive = up[:, count - 1]
    seconds = env.max_episode_length * env.dt
    pushed = any(float(env.settings[key]) > 0 for key in ("push_speed", "push_up", "push_turn"))
    interval = float(env.settings["push_interval"]) if pushed else 0.0
    linear, angular, speed, squares, counted, survived = part.sum(np.column_stack([sums, alive])).tolist()
    n = max(counted, 1.0)
    return Score(linear / n, angular / n, survived / part.episodes, part.episodes, seconds, seconds / interval if interval else 0.0,
                 math.sqrt(squares / n) if at_once == 1 else float("nan"), speed / n)


@dataclass(frozen=True)
class TaskScore:
    """Means over the first episodes of as many environments, of a task without commands."""

    episode_return: float  #: sum of the rewards of an episode
    survived: float  #: part of the episodes that ended by their time alone
    episodes: int
    seconds: float  #: length of an episode that nothing ends [s]
    length: float  #: mean length [s]
    terms: dict[str, float]  #: reward term -> its part of the episode's return
    metrics: dict[str, float]  #: metric -> its mean over all control steps


def score_task(policy: Callable[[np.ndarray], np.ndarray], task: str | None = None, *, episodes: int = 1000, seed: int = 1000, robot: str | Model | None = None,
               job: Job | None = None, **settings: Any) -> TaskScore:
    """As `score`, for any task, of the library or MODULE:NAME: what its own reward makes of the policy."""
    part = _Part.of(episodes, job)
    env = trained_task(policy, task, part.robots, robot=robot, seed=seed, **{**part.settings, **settings})
    try:
        return _first_episodes(env, policy, part)
    finally:
        env.close()


def _steps(env: Any, policy: Callable[[np.ndarray], np.ndarray], most: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Rewards, what terminated, what was truncated and the reward terms of one control step after the other, of a task in lanes many in one call."""
    if isinstance(env, LaneTask):
        for done in range(0, most, _AT_ONCE):
            out = env.rollout(policy, min(_AT_ONCE, most - done), terms=True)
            assert out.terms is not None  # they were asked for
            for k in range(out.reward.shape[1]):
                yield out.reward[:, k], out.terminated[:, k], out.truncated[:, k], out.terms[:, k]
        return
    policy, observation = as_lanes(policy, env), env.observe()
    for _ in range(most):
        brought = env.act(policy(observation))
        observation = brought.observation
        yield brought.reward, brought.terminated, brought.truncated, brought.terms


def _first_episodes(env: Any, policy: Callable[[np.ndarray], np.ndarray], part: _Part) -> TaskScore:
    names, n, most = env.reward_terms, env.num_envs, env.max_episode_length
    first = np.ones(n, bool)
    returns, lengths, survived, sums = np.zeros(n), np.zeros(n), np.zeros(n, bool), np.zeros((n, len(names)))
    if most < 1:
        raise ArgumentError("the episodes have no end: the setting `episode` is 0")
    for step, (reward, terminated, truncated, terms) in enumerate(_steps(env, policy, most), 1):
        returns[first] += reward[first]
        lengths[first] += 1
        sums[first] += terms[first]
        over = first & (terminated | truncated)
        survived |= over & truncated
        first &= ~over
        if step % _AT_ONCE == 0 and not part.total(first[:, None])[0]:  # the processes of a job wait for each other here, and not for whole episodes
            break
    total, steps, stood, *terms = part.sum(np.column_stack([returns, lengths, survived | first, sums])).tolist()
    each = {name: (terms[k], bool(env.rewards[name].metric)) for k, name in enumerate(names)}
    return TaskScore(total / part.episodes, stood / part.episodes, part.episodes, most * env.dt, steps / part.episodes * env.dt,
                     {name: value / part.episodes for name, (value, metric) in each.items() if not metric},
                     {name: value / (steps * env.dt) for name, (value, metric) in each.items() if metric})
