"""A task by its name, of the library or written in Python: what trains, scores and shows takes either."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _arrays
from .._library import ArgumentError
from ..task_table import Stage
from .lane_task import LaneTask
from .locomotion import Locomotion
from .protocol import Final, Outcome, Reward, RunningTask
from .tasks import _written, get_task


def check_task(task: Any) -> None:
    """Is this a task? UnknownKeyError, or ArgumentError where a MODULE:NAME is not one."""
    if get_task(task).table is None and ":" in task:
        _find(task)


def open_task(task: Any, num_envs: int, **keys: Any) -> RunningTask:
    """The task of this name, `myriapod.envs.tasks.TASKS`, FILE.task or MODULE:NAME, or a TermTask itself; other arguments as `LaneTask`'s."""
    chosen = get_task(task)
    if chosen.table is None and ":" in task:
        if keys.pop("numbers", None):
            raise ArgumentError(f"the task {task!r} has no numbers of its own: those of a NumpyTask are attributes of its class")
        return NumpyCore(task, num_envs, **keys)
    return (Locomotion if chosen.commands else LaneTask)(task, num_envs, **keys)


def _find(name: str) -> Any:
    """The class of MODULE:NAME, which derives from `NumpyTask`."""
    from .numpy_task import NumpyTask

    found, word = _written(name), name.partition(":")[2]
    if not (isinstance(found, type) and issubclass(found, NumpyTask)):
        raise ArgumentError(f"task {name!r}: {word} is neither a myriapod.TermTask nor a class that derives from myriapod.envs.numpy_task.NumpyTask")
    return found


class NumpyCore:
    """A task written in Python (`NumpyTask`), with what `LaneTask` offers to those who train, score and show it. Episodes that end begin anew at once."""

    reward_terms: tuple[str, ...] = ()  #: `NumpyTask.reward` is one number
    num_critic_observations = 0
    rewards: dict[str, Reward] = {}
    term_columns: tuple[str, ...] = ()
    numbers: dict[str, float] = {}  #: it has none of its own
    acts_by: dict[str, Any] = {}
    stages: tuple[Stage, ...] = ()
    curricula: tuple[Callable[[Any], Any], ...] = ()

    def __init__(self, task: str, num_envs: int = 1, *, robot: Any = None, autoreset: str = "same-step", dtype: Any = np.float32,
                 sense: tuple[str, ...] = (), profile: str | None = None, **settings: Any) -> None:
        written = _find(task)
        if autoreset != "same-step":
            raise ArgumentError(f"autoreset is {autoreset!r}, but must be 'same-step' for the task {task!r}, which is written in Python")
        if profile is not None:
            raise ArgumentError(f"profile is {profile!r}, but the task {task!r} has settings of its own; change single ones")
        own: dict[str, Any] = {"sense": tuple(dict.fromkeys((*written.sense, *sense)))}
        if robot is not None:
            own["robot"] = robot
        self.env = type(written.__name__, (written,), own)(num_envs, autoreset_mode="SameStep", **settings)
        self.task, self.autoreset, self.dtype = task, autoreset, _arrays.float_type(dtype)
        self.batch, self.model, self.settings, self.dt = self.env.batch, self.env.model, self.env.batch.settings, self.env.dt
        self.num_envs, self.max_episode_length = num_envs, self.env.max_episode_length
        self.num_observations, self.num_actions = self.env.observation_size, int(self.env.single_action_space.shape[0])
        self._seen, _ = self.env.reset()
        self._final = self._nothing()

    def _nothing(self) -> Final:
        none = np.zeros(0, np.int64)
        return Final(none, np.zeros((0, self.num_observations), self.dtype), np.zeros((0, 0), self.dtype), np.zeros(0, self.dtype), none, np.zeros((0, 0), self.dtype))

    def observe_critic(self) -> np.ndarray:
        """(num_envs, 0): a critic has nothing of its own."""
        return np.zeros((self.num_envs, 0), self.dtype)

    def act(self, actions: Any) -> Outcome:
        """One control step. actions: (num_envs, num_actions)."""
        self._seen, reward, terminated, truncated, info = self.env.step(_arrays.take(actions, "actions"))
        self._final = self._nothing()
        if "final_info" in info:
            ids, told = np.flatnonzero(info["_final_info"]), info["final_info"]
            self._final = Final(ids, np.stack(info["final_obs"][ids]).astype(self.dtype), np.zeros((len(ids), 0), self.dtype),
                                told["episode_return"][ids].astype(self.dtype), told["episode_length"][ids].astype(np.int64), np.zeros((len(ids), 0), self.dtype))
        return Outcome(self._seen.astype(self.dtype), reward.astype(self.dtype), terminated, truncated, np.zeros((self.num_envs, 0), self.dtype), self.env.fault,
                       np.zeros((self.num_envs, 0), self.dtype))

    def final(self) -> Final:
        """The episodes that ended in the last `act`; empty arrays if none did."""
        return self._final

    def observe(self) -> np.ndarray:
        """The observation (num_envs, num_observations) of the present state."""
        return self._seen.astype(self.dtype)

    def reset(self, mask: Any = None, *, seed: int | None = None) -> np.ndarray:
        """New episodes for the environments of `mask` ((num_envs,) bool, or their numbers; None: all); with a seed, all begin anew at episode 0 of it."""
        self._seen, _ = self.env.reset(seed=seed, options=None if mask is None else {"reset_mask": _arrays.chosen(mask, "mask", self.num_envs).view(bool)})
        return self.observe()

    @property
    def clock(self) -> np.ndarray:
        """(num_envs,) control steps since each episode began. Writable as a whole."""
        return self.env.clock

    @clock.setter
    def clock(self, value: Any) -> None:
        self.env.clock[:] = np.asarray(value, np.int64)

    def close(self) -> None:
        """Give the batch's memory back; further calls raise StateError."""
        self.batch.close()
