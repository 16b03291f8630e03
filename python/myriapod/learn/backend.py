"""What a learner is to the trainer: it gathers control steps, learns from them, and says how the policy stands. `lanes.py` and `rsl_rl.py` are two."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..envs.protocol import RunningTask
from ..policies.networks import Policy
from .together import Together


@dataclass(frozen=True)
class Iteration:
    """What an iteration brought: the episodes that ended in it, and how the learner stands after it."""

    episodes: int  #: that ended
    failed: int  #: of these, by failing
    returns: float  #: sum of their returns
    control_steps: float  #: sum of their lengths
    terms: Mapping[str, float]  #: Reward/NAME, Metric/NAME: sum over them, as far as it is known
    learning_s: float  #: wall clock of the gradient steps [s]
    action_std: float  #: standard deviation of the actions, mean of the joints
    learning_rate: float
    value_loss: float
    losses: Mapping[str, float] = field(default_factory=dict)  #: more curves for TensorBoard, by their tags


class Backend(Protocol):
    """A learner and the task that it learns."""

    name: str  #: what `--learner` calls it
    ending: str  #: of its checkpoints model_N.ENDING
    core: RunningTask
    seed: int
    steps: int  #: control steps of each environment in an iteration
    done: int  #: iterations that are behind it
    together: Together  #: processes that learn together

    @property
    def options(self) -> Mapping[str, Any]:
        """All of the learner's, for config.json."""

    def set_option(self, name: str, value: float) -> None:
        """Another value for an option, by its name. ArgumentError: it cannot change while it learns, or is out of range."""

    def begin(self) -> None:
        """What there is to do before the first iteration of a call."""

    def iterate(self) -> Iteration:
        """One iteration more."""

    def save(self, path: Path, training: Mapping[str, Any]) -> None:
        """A checkpoint, with what the trainer keeps in it (of what JSON has)."""

    def load(self, path: Path, before: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Go on from a checkpoint; what the trainer kept in it, with which `before` is called before environments are restored. FormatError: it is damaged, or
        of another training."""

    def policy(self, **origin: Any) -> Policy:
        """The policy as it is scored and exported. origin: what its file says of the training."""
