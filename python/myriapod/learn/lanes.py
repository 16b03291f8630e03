"""The learner in lanes (`myriapod.learn.ppo`) as the trainer has it. Two runs with the same seed and the same options have the same weights, on every
machine."""
from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._library import ArgumentError, FileError, FormatError, LimitError
from .._names import warn_at_caller
from .._whole import whole
from ..envs.lane_task import LaneTask
from ..envs.protocol import RunningTask
from ..policies.networks import Policy
from ..trajectory import read_npz
from .backend import Iteration
from .log import checkpoints
from .loop import Trainer
from .ppo import KNOWN, Learner, Report, renamed
from .together import Together


class Lanes:
    """core: a task as `myriapod.envs.any_task.open_task` gives it. options: `Learner`'s. The policy that is scored and exported has the running mean of the
    weights, unless the option `average` is 0. together: processes that learn together; the core has this one's robots."""

    name, ending = "lanes", "npz"

    def __init__(self, core: RunningTask, options: Mapping[str, Any] | None = None, together: Together | None = None) -> None:
        self.core = core
        self.together = Together(None, core.num_envs) if together is None else together
        asked = {"critic_observations": core.num_critic_observations, **(options or {})}
        self.learner = Learner(self.together.envs, core.num_observations, core.num_actions, exchange=self.together.job, **_encoded(core, asked))
        mirror = core.mirror if isinstance(core, LaneTask) else None
        if mirror is not None:
            self.learner.set_mirror(*mirror)
        elif self.learner.options["mirror_loss_coef"] > 0:
            raise ArgumentError(f"mirror_loss_coef is {self.learner.options['mirror_loss_coef']:g}, but the task {core.task!r} does not say how it looks in a mirror")
        self.options, self.steps, self.seed = self.learner.options, self.learner.steps, int(self.learner.options["seed"])
        self.done = 0
        self._observation = core.observe()

    def set_option(self, name: str, value: float) -> None:
        """One of `Learner.set_option`."""
        self.learner.set_option(name, value)

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

    def begin_from(self, path: Path) -> Path:
        """Begin with what another training has learnt, in a task that observes and acts alike: the newest checkpoint of a directory or its policy.npz, or
        one of these files. A checkpoint brings policy and value, a policy itself alone; deviations, step size and Adam's means begin anew. The file that
        was read. FileError: there is none; FormatError: it is of other sizes."""
        found = path
        if path.is_dir():
            kept = checkpoints(path, "npz")[0]
            found = kept[-1] if kept else path / "policy.npz"
        if not found.is_file():
            raise FileError(f"{path}: no checkpoint model_N.npz and no policy.npz to begin from")
        if found.stem.startswith("model_"):
            self._take_checkpoint(found, read_npz(found))
        else:
            policy = Policy.load(found)
            if not isinstance(policy, Policy):
                raise FormatError(f"{found}: TorchScript does not say its layers: begin from the policy.npz beside it")
            self._take_policy(found, policy)
        return found

    def _take_checkpoint(self, path: Path, arrays: Mapping[str, np.ndarray]) -> None:
        weights = arrays.get("weights", np.zeros(0, np.float32))
        count, first = len(self.learner.get()), self._policy_numbers()
        if weights.shape != (count,):
            raise FormatError(f"{path}: it holds {weights.size} weights, and this learner has {count}: layers, observations and actions must be the same")
        weights = weights.astype(np.float32)
        weights[first : first + self.core.num_actions] = self.options["deviation"]
        if "seen_mean" in arrays and self.options["obs_normalization"]:
            self.learner.normalization = (arrays["seen_mean"], arrays["seen_variance"], float(arrays["seen_count"]))
        self._take(path, weights)

    def _take_policy(self, path: Path, policy: Policy) -> None:
        mine = (self.core.num_observations, *self.learner.hidden, self.core.num_actions)
        theirs = (policy.n_obs, *(len(b) for b in policy.biases))
        if theirs != mine or (len(mine) > 2 and policy.activation != self.learner.activation):
            raise FormatError(f"{path}: its layers are {theirs} ({policy.activation}), and this learner's {mine} ({self.learner.activation})")
        if (policy.mean.any() or (policy.std != 1).any()) and not self.options["obs_normalization"]:
            raise FormatError(f"{path}: its observations are normalized, and this training's are not: --learn obs_normalization=1")
        weights = self.learner.get()
        numbers = np.concatenate([part for w, b in zip(policy.weights, policy.biases) for part in (w.reshape(-1), b)])
        weights[: len(numbers)] = numbers
        if self.options["obs_normalization"]:
            mean, variance, _ = self.learner.normalization
            mean[: policy.n_obs], variance[: policy.n_obs] = policy.mean, np.square(np.maximum(policy.std - 0.01, 0.0))
            self.learner.normalization = (mean, variance, float(self.together.envs))
        self._take(path, weights)

    def _policy_numbers(self) -> int:
        """How many numbers the policy's layers have; the deviations follow."""
        widths = (self.core.num_observations, *self.learner.hidden, self.core.num_actions)
        return sum((n_in + 1) * n_out for n_in, n_out in zip(widths, widths[1:]))

    def _take(self, path: Path, weights: np.ndarray) -> None:
        try:
            for what in ("weights", "average"):
                self.learner.set(what, weights)
        except ArgumentError as error:
            raise FormatError(f"{path}: {error}") from None

    def save(self, path: Path, training: Mapping[str, Any]) -> None:
        """The learner and, of a task in lanes, all environments. It is whole or absent."""
        arrays: dict[str, Any] = {**self.learner.state, "options": np.array(json.dumps(self.options)), "model_hash": np.array(self.core.model.hash),
                                  "training": np.array(json.dumps(training))}
        if isinstance(self.core, LaneTask):
            for r, saved in enumerate(self.together.blobs(self.core.batch._saved())):
                arrays[f"batch_{r}" if r else "batch"] = np.frombuffer(saved, np.uint8)
            arrays["shards"] = np.array(self.together.shards)
        if not self.together.writes:
            return
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
        for name in ("hidden", "activation", "steps", "epochs", "minibatches", "seed", "encoder", "encoder_from", "encoder_inputs"):
            has = theirs.get(name, 0 if name.startswith("encoder") else None)  # older ones have no encoder
            if has != mine[name]:
                raise FormatError(f"{path}: its {name} is {has}, this training's {mine[name]}")
        training = _object(path, arrays, "training") if "training" in arrays else {}  # older ones have none
        try:
            self.learner.state = arrays
            before(training)
            if in_lanes:
                self._restore(arrays)
        except (ArgumentError, FormatError, LimitError) as error:
            raise FormatError(f"{path}: {error}") from None
        self._observation = self.core.observe()
        self.done = int(arrays["iterations"])
        return training

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Of the environments of all processes that saved, those of this one."""
        mine = self.together
        shards = arrays.get("shards", np.array([[0, mine.envs]]))  # older ones are of one process
        if shards.ndim != 2 or shards.shape[1] != 2 or shards.dtype.kind not in "iu":
            raise FormatError("its `shards` are not pairs of whole numbers")
        end = 0
        for r, (first, count) in enumerate(shards.tolist()):
            name = f"batch_{r}" if r else "batch"
            if first != end or count < 1 or name not in arrays:
                raise FormatError(f"its part {r} of {len(shards)} is damaged or not there")
            end += count
            if first < mine.first + mine.count and end > mine.first:
                self.core.batch._restore_saved(arrays[name].tobytes(), part=len(shards) > 1)
        if end != mine.envs:
            raise FormatError(f"it has {end} environments, this training {mine.envs}")

    def policy(self, **origin: Any) -> Policy:
        """Of the running mean of the weights, or of the last ones."""
        return self.learner.policy("average" if self.options["average"] > 0 else "weights", **origin)


def _encoded(core: RunningTask, options: dict[str, Any]) -> dict[str, Any]:
    """What an encoder sees that was not told so: the widest part of the observation, a scan say."""
    if not options.get("encoder"):
        return options
    told = [name for name in ("encoder_from", "encoder_inputs") if name in options]
    if len(told) == 1:
        raise ArgumentError(f"{told[0]} is told alone: encoder_from and encoder_inputs say together what the encoder sees")
    if told:
        return options
    parts = [part.columns for part in core.observed.values() if not part.critic] if isinstance(core, LaneTask) else []
    if not parts:
        raise ArgumentError(f"encoder is {options['encoder']}, but the task {core.task!r} does not say the parts of its observation: tell encoder_from and encoder_inputs")
    widest = max(parts, key=lambda columns: columns.stop - columns.start)
    return {**options, "encoder_from": widest.start, "encoder_inputs": widest.stop - widest.start}


def _losses(report: Report) -> dict[str, float]:
    return {"Loss/surrogate": report.surrogate, "Loss/value": report.value_loss, "Loss/entropy": report.entropy, "Loss/divergence": report.divergence, "Loss/mirror": report.mirror_loss}


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
