"""The learner in lanes (`myriapod.learn.ppo`) as the trainer has it. Two runs with the same seed and the same options have the same weights, on every
machine."""
from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._library import ArgumentError, FormatError, LimitError
from .._names import warn_at_caller
from .._whole import whole
from ..envs.lane_task import LaneTask
from ..envs.protocol import RunningTask
from ..policies.networks import Policy
from ..trajectory import read_npz
from .backend import Iteration
from .loop import Trainer
from .ppo import KNOWN, Learner, Report, renamed


class Lanes:
    """core: a task as `myriapod.envs.any_task.open_task` gives it. options: `Learner`'s. The policy that is scored and exported has the running mean of the
    weights, unless the option `average` is 0."""

    name, ending = "lanes", "npz"

    def __init__(self, core: RunningTask, options: Mapping[str, Any] | None = None) -> None:
        self.core = core
        self.learner = Learner(core.num_envs, core.num_observations, core.num_actions, **(options or {}))
        self.options, self.steps, self.seed = self.learner.options, self.learner.steps, int(self.learner.options["seed"])
        self.done = 0
        self._observation = core.observe()

    def begin(self) -> None:
        """The environments stand where they were left."""

    def iterate(self) -> Iteration:
        """Control steps of a task in lanes run within the library, those of another one are asked for one by one."""
        if isinstance(self.core, LaneTask):
            self.learner.collect(self.core)
            report = self.learner.update()
        else:
            for _ in range(self.steps):
                outcome = self.core.act(self.learner.act(self._observation))
                self.learner.reward(outcome.reward, outcome.terminated, outcome.truncated)
                self._observation = outcome.observation
            report = self.learner.update(self._observation)
        self.done = report.iteration
        many = report.episodes
        return Iteration(
            episodes=many,
            failed=report.failed,
            returns=many * report.episode_return if many else 0.0,
            control_steps=many * report.episode_length if many else 0.0,
            terms={column: float(report.episode_terms[k]) for k, column in enumerate(self.core.term_columns)},
            learning_s=report.update_s,
            action_std=report.deviation,
            learning_rate=report.rate,
            value_loss=report.value_loss,
            losses=_losses(report),
        )

    def save(self, path: Path, training: Mapping[str, Any]) -> None:
        """The learner and, of a task in lanes, all environments. It is whole or absent."""
        arrays: dict[str, Any] = {**self.learner.state, "options": np.array(json.dumps(self.options)), "model_hash": np.array(self.core.model.hash),
                                  "training": np.array(json.dumps(training))}
        if isinstance(self.core, LaneTask):
            arrays["batch"] = np.frombuffer(self.core.batch._saved(), np.uint8)
        with whole(path) as partial, open(partial, "wb") as file:
            np.savez(file, **arrays)

    def load(self, path: Path, before: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """As `save` left it. FormatError: it is damaged, or of other options."""
        arrays = read_npz(path)
        in_lanes = isinstance(self.core, LaneTask)
        for name in (*KNOWN, "iterations", "gradient_steps", "rate", "options", *(["batch"] if in_lanes else [])):
            if name not in arrays:
                raise FormatError(f"{path}: no checkpoint: it has no `{name}`")
        theirs, mine = renamed(_object(path, arrays, "options"), warn=False), self.options
        for name in ("hidden", "activation", "steps", "epochs", "minibatches", "seed"):
            if theirs.get(name) != mine[name]:
                raise FormatError(f"{path}: its {name} is {theirs.get(name)}, this training's {mine[name]}")
        training = _object(path, arrays, "training") if "training" in arrays else {}  # older ones have none
        try:
            self.learner.state = arrays
            before(training)
            if in_lanes:
                self.core.batch._restore_saved(arrays["batch"].tobytes())
        except (ArgumentError, FormatError, LimitError) as error:
            raise FormatError(f"{path}: {error}") from None
        self._observation = self.core.observe()
        self.done = int(arrays["iterations"])
        return training

    def policy(self, **origin: Any) -> Policy:
        """Of the running mean of the weights, or of the last ones."""
        return self.learner.policy("average" if self.options["average"] > 0 else "weights", **origin)


def _losses(report: Report) -> dict[str, float]:
    return {"Loss/surrogate": report.surrogate, "Loss/value": report.value_loss, "Loss/entropy": report.entropy, "Loss/divergence": report.divergence}


def _object(path: Path, arrays: Mapping[str, np.ndarray], name: str) -> dict[str, Any]:
    """What a checkpoint's entry says in JSON."""
    try:
        read = json.loads(str(arrays[name]))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: its `{name}` are not JSON: {error}") from None
    if not isinstance(read, dict):
        raise FormatError(f"{path}: its `{name}` are {str(read)[:40]}, but must be a JSON object")
    return read


def LaneTrainer(core: RunningTask, directory: Path, *, options: Mapping[str, Any] | None = None, of_the_task: Mapping[str, Any] | None = None,
                quiet: bool = False) -> Trainer:
    """Old name of `Trainer(Lanes(core, options), directory, ..)`."""
    warn_at_caller("LaneTrainer(core, ..) is Trainer(Lanes(core, options), ..) of myriapod.learn", DeprecationWarning)
    return Trainer(Lanes(core, options), directory, of_the_task=of_the_task, quiet=quiet)
