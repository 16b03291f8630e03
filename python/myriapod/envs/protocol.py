"""What every running task offers to those who train, score and show it, whether it runs in lanes (`LaneTask`) or on NumPy arrays (`NumpyCore`)."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._report import quarantine_text
from ..batch import Batch
from ..model import Model
from ..settings import Settings
from ..task_table import Stage


class Outcome(NamedTuple):
    """What one control step brought, for all environments. An array is not written again while you hold it, or a view or tensor of it."""

    observation: np.ndarray  #: (num_envs, num_observations) after the step, and after a reset in mode `same-step`
    reward: np.ndarray  #: (num_envs,)
    terminated: np.ndarray  #: (num_envs,) bool: fell or faulted
    truncated: np.ndarray  #: (num_envs,) bool: the episode's time was up
    terms: np.ndarray  #: (num_envs, number of terms) weighted reward terms, see `RunningTask.reward_terms`
    fault: np.ndarray  #: (num_envs,) uint8: 0, or why the engine stopped this environment (`fault_text`)
    critic: np.ndarray  #: (num_envs, num_critic_observations) what a critic alone observes


class Final(NamedTuple):
    """The episodes that ended in the last control step, one row each."""

    ids: np.ndarray  #: (n,) environment numbers
    observation: np.ndarray  #: (n, num_observations) the last one of the episode
    terms: np.ndarray  #: (n, number of terms) sums of the weighted reward terms over the episode
    episode_return: np.ndarray  #: (n,) sum of the rewards
    episode_length: np.ndarray  #: (n,) int64, control steps
    critic: np.ndarray  #: (n, num_critic_observations) the last one of the episode


def fault_text(fault: int) -> str:
    """A fault in words, e.g. "action not finite": `myriapod.quarantine_text`."""
    return quarantine_text(fault)


@dataclass(frozen=True)
class Observed:
    """A part of an observation."""

    name: str
    columns: slice  #: of an observation, or of a critic's
    unit: str  #: before the factor
    scale: float  #: the factor
    noise: float  #: +- that much is added before the factor
    doc: str
    critic: bool = False  #: a critic alone observes it
    frames: int = 1  #: the columns are those of so many control steps, the oldest first


@dataclass(frozen=True)
class Reward:
    """A term of the reward, or a metric, which is named and measured beside it."""

    name: str
    weight: float
    doc: str
    metric: bool = False  #: it does not count in the reward


class RunningTask(Protocol):
    """N environments of a task. Actions go in; observations, rewards and ends of episodes come out. What trains, scores or shows a task needs no more of it."""

    task: str  #: its name, FILE.task or MODULE:NAME
    model: Model
    batch: Batch  #: where the robots are
    settings: Settings  #: those that it was made with, read-only
    numbers: dict[str, float]  #: its own that are other ones than it was written with
    stages: tuple[Stage, ...]  #: what its numbers are in the course of a training
    curricula: tuple[Callable[[Any], Any], ...]  #: functions that say so between iterations (`myriapod.learn.curriculum`)
    num_envs: int
    num_observations: int
    num_critic_observations: int  #: what a critic alone observes; 0: nothing
    num_actions: int
    dtype: Any  #: of all real arrays, float32 or float64
    dt: float  #: length of a control step [s]
    max_episode_length: int  #: control steps after which an episode is truncated; 0: never
    reward_terms: tuple[str, ...]  #: names of the reward terms and metrics, in the order of every `terms` array
    term_columns: tuple[str, ...]  #: their columns in logs: Reward/NAME, Metric/NAME

    @property
    def acts_by(self) -> Mapping[str, Any]:
        """What decides what a policy sees and what its actions do, as it is now (`Batch.acts_by`)."""

    @property
    def rewards(self) -> Mapping[str, Reward]:
        """The reward terms and metrics by name."""

    @property
    def clock(self) -> np.ndarray:
        """(num_envs,) control steps since each episode began. Writable as a whole."""

    @clock.setter
    def clock(self, value: Any) -> None: ...

    def observe(self) -> np.ndarray:
        """The observation (num_envs, num_observations) of the present state."""

    def observe_critic(self) -> np.ndarray:
        """What a critic alone observes of it, (num_envs, num_critic_observations)."""

    def act(self, actions: Any) -> Outcome:
        """One control step. actions: (num_envs, num_actions)."""

    def final(self) -> Final:
        """The episodes that ended in the last `act`; empty arrays if none did."""

    def reset(self, mask: Any = None, *, seed: int | None = None) -> np.ndarray:
        """New episodes for the environments of `mask`, None: all; with a seed, all begin anew at episode 0 of it. The observation."""

    def close(self) -> None:
        """Give the memory back."""
