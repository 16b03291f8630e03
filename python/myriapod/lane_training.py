"""Training with the learner in lanes (`myriapod.learner`): a clock, a goal, checkpoints, a table of the learning curve and exports.
`python -m myriapod.train` is its command line. Two runs with the same seed and the same options have the same weights, on every machine, and stop at
the same sample where a goal stops them: only a training that the wall clock ends, or Ctrl-C, ends elsewhere on another machine."""
from __future__ import annotations

import contextlib
import json
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._library import ArgumentError, FormatError, LimitError, StateError
from ._whole import whole
from .any_task import NumpyCore
from .goal import CONFIRM, LOOK, Goal
from .lane_task import LaneTask
from .learner import KNOWN, Learner, Report, renamed
from .policy import ENDED_BY, Policy, origin
from .tasks import get_task
from .training_log import TrainingLog, checkpoints
from .trajectory import read_npz

#: Iterations between checkpoints.
SAVE_EVERY = 50


class Events:
    """TensorBoard's events, where tensorboard is installed; torch is not needed."""

    def __init__(self, directory: Path) -> None:
        self._writer: Any = None
        with contextlib.suppress(ImportError):
            from tensorboard.summary.writer.event_file_writer import EventFileWriter

            self._writer = EventFileWriter(str(directory))

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """One point of each curve."""
        if self._writer is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        points = [Summary.Value(tag=tag, simple_value=float(value)) for tag, value in values.items() if value == value]
        self._writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=points)))

    def close(self) -> None:
        """Write what is left."""
        if self._writer is not None:
            self._writer.close()


class LaneTrainer(TrainingLog):
    """One training run in a directory: progress.csv, curve.png, TensorBoard's events, checkpoints model_N.npz, config.json, and at its end
    result.json, policy.npz, policy.pt (TorchScript, needs torch) and policy.onnx (needs onnx).

    core: a task as `myriapod.any_task.open_task` gives it. options: `Learner`'s. of_the_task: settings of the task as it is scored where the
    training has others (more pushes, say); the policy's file says these. The policy that is scored and exported has the running mean of the
    weights, unless the option `average` is 0."""

    def __init__(self, core: LaneTask | NumpyCore, directory: Path, *, options: Mapping[str, Any] | None = None, of_the_task: Mapping[str, Any] | None = None,
                 quiet: bool = False) -> None:
        self.learner = Learner(core.num_envs, core.num_observations, core.num_actions, **(options or {}))
        super().__init__(core, directory, quiet=quiet)
        self._of_the_task = dict(of_the_task or {})
        self._seed = int(self.learner.options["seed"])
        self._episodes: deque[tuple[int, float, float, int]] = deque()  # of an iteration: number, sums of return and length, falls
        self._iteration = 0
        self._scoring_s = 0.0
        self.reached: tuple[float, int, str] | None = None  #: seconds, samples and score at which the goal was confirmed
        self._reached_goal: dict[str, Any] = {}  # which one it was
        record = {"learner": "lanes", "task": core.task, "robot": core.model.source or core.model.name, "model_hash": core.model.hash, "num_envs": core.num_envs,
                  "options": self.learner.options, "settings": dict(core.settings), "settings_of_the_task": self._of_the_task}
        if core.numbers:
            record["numbers"] = core.numbers
        with whole(directory / "config.json") as partial:
            partial.write_text(json.dumps(record, indent=1, default=str) + "\n")
        self._observation = core.observe()

    # ---- checkpoints --------------------------------------------------------------------------------------------------

    def save(self) -> Path:
        """model_N.npz: the learner and, of a task in lanes, all environments. It is whole or absent. The table is written before it, so that it has
        all rows of what is gone on from."""
        self.write_table()
        path = self.directory / f"model_{self._iteration - 1}.npz"
        training = {"episodes": list(self._episodes), "ended_by": self.ended_by, "reached": self.reached, "goal": self._reached_goal}
        arrays: dict[str, Any] = {**self.learner.state, "options": np.array(json.dumps(self.learner.options)), "model_hash": np.array(self.core.model.hash),
                  "training": np.array(json.dumps(training))}
        if isinstance(self.core, LaneTask):
            arrays["batch"] = np.frombuffer(self.core.batch._saved(), np.uint8)
        with whole(path) as partial, open(partial, "wb") as file:
            np.savez(file, **arrays)
        return path

    def resume(self) -> int:
        """Go on from the newest checkpoint of the directory; the number of iterations it has behind it. FileNotFoundError: there is none.
        FormatError: it is damaged, or of another training."""
        found, self.strays = checkpoints(self.directory, "npz")
        if not found:
            other = "; it was trained with --learner rsl_rl" if checkpoints(self.directory, "pt")[0] else ""
            beside = f" ({self.strays[0].name} is not one)" if self.strays else ""
            raise FileNotFoundError(f"{self.directory} has no checkpoint model_N.npz to resume from{beside}{other}")
        path, arrays = found[-1], read_npz(found[-1])
        in_lanes = isinstance(self.core, LaneTask)
        for name in (*KNOWN, "iterations", "gradient_steps", "rate", "options", *(["batch"] if in_lanes else [])):
            if name not in arrays:
                raise FormatError(f"{path}: no checkpoint: it has no `{name}`")
        theirs, mine = renamed(_object(path, arrays, "options"), warn=False), self.learner.options
        for name in ("hidden", "activation", "steps", "epochs", "minibatches", "seed"):
            if theirs.get(name) != mine[name]:
                raise FormatError(f"{path}: its {name} is {theirs.get(name)}, this training's {mine[name]}")
        training = _object(path, arrays, "training") if "training" in arrays else {}  # older ones have none
        try:
            self.learner.state = arrays
            if in_lanes:
                self.core.batch._restore_saved(arrays["batch"].tobytes())
        except (ArgumentError, FormatError, LimitError) as error:
            raise FormatError(f"{path}: {error}") from None
        try:
            self._episodes = deque((int(n), float(a), float(b), int(m)) for n, a, b, m in training.get("episodes", []))
            self.ended_by = str(training.get("ended_by", ""))
            if training.get("reached"):
                seconds, samples, words = training["reached"]
                self.reached, self._reached_goal = (float(seconds), int(samples), str(words)), dict(training["goal"])
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            raise FormatError(f"{path}: its `training` is damaged: {type(error).__name__}: {error}") from None
        self._observation = self.core.observe()
        self._iteration = int(arrays["iterations"])
        self.read_table(self._iteration)
        return self._iteration

    # ---- learning -----------------------------------------------------------------------------------------------------

    def learn(self, iterations: int, minutes: float = float("inf"), goal: Goal | None = None) -> None:
        """Up to so many iterations more, or until the wall clock of this call is used up or the goal is reached; then checkpoint, curve and
        policy are written, after Ctrl-C too. 0 iterations, or a goal that the newest checkpoint has reached: curve and policy of that are written.
        StateError: the training has diverged; what was learnt before is written all the same."""
        first = self._iteration
        if goal is not None and self.reached and self._reached_goal == goal.told:
            iterations = 0
        elif goal is not None or iterations:
            self.reached, self._reached_goal = None, {}
        self.begin(first, iterations, minutes)
        if self._iteration == 0 and self.core.max_episode_length > 1:  # or all episodes would end at once
            self.core.clock = np.random.default_rng(self._seed).integers(0, self.core.max_episode_length, self.core.num_envs).astype(np.float32)
        events, trouble = Events(self.directory), None
        try:
            for _ in range(iterations):
                self._iterate(events)
                if goal is not None and self._look(goal):
                    break
                if self.is_time_up():
                    break
                if self._iteration % SAVE_EVERY == 0:
                    self.save()
        except KeyboardInterrupt:
            self.ended_by = "Ctrl-C"
            self.say("\ninterrupted; what was learnt is kept")
        except StateError as error:
            trouble = error
        self.say("\n")
        events.close()
        if self._iteration:
            if trouble is None and self._iteration > first:
                self.save()
            self.write_table()
            self._write_result()
            self.plot(self.core.task)
            self.export()
        if trouble is not None:
            raise trouble

    def _iterate(self, events: Events) -> None:
        if isinstance(self.core, LaneTask):
            self.learner.collect(self.core)
            report = self.learner.update()
        else:
            for _ in range(self.learner.steps):
                outcome = self.core.act(self.learner.act(self._observation))
                self.learner.reward(outcome.reward, outcome.terminated, outcome.truncated)
                self._observation = outcome.observation
            report = self.learner.update(self._observation)
        self._iteration = report.iteration
        self._learning_s += report.update_s
        row = self._row(report)
        self.add_row(row)
        events.add(report.iteration, {"Train/mean_reward": row["reward"], "Train/mean_episode_length_s": row["length_s"], "Episode/fell": row["fell"],
                                      "Loss/surrogate": report.surrogate, "Loss/value": report.value_loss, "Loss/entropy": report.entropy,
                                      "Loss/divergence": report.divergence, "Loss/learning_rate": report.rate, "Policy/mean_std": report.deviation,
                                      **self._terms(report)})

    @property
    def _simulation_s(self) -> float:
        return self._earlier_simulation_s + self.core.batch.stats().wall_s

    def _terms(self, report: Report) -> dict[str, float]:
        """Reward terms per second of the episodes that ended."""
        seconds = report.episodes * report.episode_length * self.core.dt
        if not report.episodes or not seconds > 0:
            return {}
        return {column: float(report.episode_terms[k]) / seconds for k, column in enumerate(self.core.term_columns)}

    def _row(self, report: Report) -> dict[str, float]:
        if report.episodes:
            many = report.episodes
            self._episodes.append((many, many * report.episode_return, many * report.episode_length, report.failed))
        while len(self._episodes) > 1 and sum(e[0] for e in self._episodes) - self._episodes[0][0] >= 100:
            self._episodes.popleft()
        ended, returns, lengths, falls = (sum(column) for column in zip(*self._episodes)) if self._episodes else (0, 0.0, 0.0, 0)
        n = float(ended) or float("nan")
        terms = self.row_of_terms(self._terms(report))
        return {
            "iteration": report.iteration - 1,
            "samples": report.samples,
            "time_s": self.spent_s,
            "simulation_s": self._simulation_s,
            "learning_s": self._learning_s,
            "reward": returns / n,
            "length_s": lengths * self.core.dt / n,
            "tracking_linear": terms.get("Reward/tracking-linear", float("nan")),
            "tracking_angular": terms.get("Reward/tracking-angular", float("nan")),
            "fell": falls / n,
            "action_std": report.deviation,
            "learning_rate": report.rate,
            "value_loss": report.value_loss,
            **terms,
        }

    # ---- the goal -----------------------------------------------------------------------------------------------------

    @property
    def look_every(self) -> int:
        """Samples between looks at the goal: as many control steps as a look takes, so that looks take no more than the training. The wall clock
        has no say: when it looks, and so when it stops, is the same on every machine, busy or idle."""
        return LOOK * max(self.core.max_episode_length, 1)

    def _look(self, goal: Goal) -> bool:
        """Is the goal reached? Now and then a few episodes, and where these reach it, many others that confirm it."""
        samples = int(self.rows[-1]["samples"])
        looks, before = (n // self.look_every for n in (samples, samples - self.learner.steps * self.learner.num_envs))
        if looks == before or not goal.is_near(self.rows[-1]):
            return False
        start = time.monotonic()
        keys = {"robot": self.core.model, "threads": int(self.core.settings["threads"])}
        policy, seed = self.policy(), 1_000_000 + 2 * looks
        missed, words = goal.look(policy, self.core.task, LOOK, seed, **keys)
        if not missed:
            missed, words = goal.look(policy, self.core.task, CONFIRM, seed + 1, **keys)
            if not missed:
                self.reached, self._reached_goal = (self.spent_s, samples, words), goal.told
                self.say(f"\ngoal reached after {samples / 1e6:.2f} M samples, {self.reached[0]:.1f} s: {words}")
        self._scoring_s += time.monotonic() - start
        return not missed

    # ---- what is left behind --------------------------------------------------------------------------------------------

    def _write_result(self) -> None:
        """result.json: how long it took, what the time went to, and when the goal was reached."""
        goal = dict(zip(("seconds", "samples", "score"), self.reached)) if self.reached else None
        result = {"iterations": self._iteration, "samples": self._iteration * self.learner.steps * self.learner.num_envs, "seconds": self.time_split(),
                  "goal": goal, "ended_by": self.ended_by or None}
        with whole(self.directory / "result.json") as partial:
            partial.write_text(json.dumps(result, indent=1) + "\n")

    def policy(self) -> Policy:
        """The policy as it is scored and exported, with what it was trained for: the task as it is posed, not as it was trained in."""
        told = origin(self.core)
        told["settings"].update(self._of_the_task)
        if self.ended_by:
            told["settings"][ENDED_BY] = self.ended_by
        return self.learner.policy("average" if self.learner.options["average"] > 0 else "weights", **told)

    def time_split(self) -> dict[str, float]:
        """Seconds of the run by what they went to. Policy and value act in the simulation's own parallel region: what it takes beside physics
        and task."""
        stats = self.core.batch.stats()
        total, simulation = self.spent_s, self.rows[-1]["simulation_s"] if self.rows else 0.0
        share = stats.robot_steps / max(stats.threads, 1) * 1e-9 / max(stats.wall_s, 1e-12)
        physics, task = simulation * share * sum(stats.stage_ns.values()), simulation * share * stats.task_ns
        return {"physics": physics, "task": task, "policy": max(simulation - physics - task, 0.0), "learning": self._learning_s, "scoring": self._scoring_s,
                "rest": total - simulation - self._learning_s - self._scoring_s, "total": total}

    def export(self) -> None:
        """policy.npz (layers, for `myriapod.policy` without torch), policy.pt (TorchScript) and policy.onnx, all with the robot and the settings."""
        from .export import save_onnx, save_torchscript

        policy = self.policy()
        policy.save(self.directory / "policy.npz")
        for name, write in (("policy.pt", save_torchscript), ("policy.onnx", save_onnx)):
            try:
                write(policy, self.directory / name)
            except ImportError as missing:  # both are a choice
                self.say(f"{name} is not written, as {missing.name} is not installed; nothing else needs it\n")


def _object(path: Path, arrays: Mapping[str, np.ndarray], name: str) -> dict[str, Any]:
    """What a checkpoint's entry says in JSON."""
    try:
        read = json.loads(str(arrays[name]))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: its `{name}` are not JSON: {error}") from None
    if not isinstance(read, dict):
        raise FormatError(f"{path}: its `{name}` are {str(read)[:40]}, but must be a JSON object")
    return read


def posed_and_trained(task: str, asked: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings of the training in which the task has others unless asked for, and what the task itself has for them."""
    own = dict(get_task(task).training)
    trained = {name: value for name, value in own.items() if name not in asked}
    posed = get_task(task).posed() if trained else {}
    return {**trained, **asked}, {name: posed[name] for name in trained}
