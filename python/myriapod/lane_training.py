"""Training with the learner in lanes (`myriapod.learner`): a clock, a goal, checkpoints, a table of the learning curve and exports.
`python -m myriapod.train` is its command line. Two runs with the same seed and the same options have the same weights, on every machine."""
from __future__ import annotations

import contextlib
import json
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._library import ArgumentError, FormatError, StateError
from ._whole import whole
from .any_task import NumpyCore
from .goal import CONFIRM, LOOK, Goal
from .lane_task import LaneTask
from .learner import KNOWN, Learner, Report
from .policy import Policy, origin
from .settings import Settings
from .tasks import TASKS
from .training_log import TrainingLog
from .trajectory import read_npz

#: Iterations between checkpoints, and seconds of training between looks at the goal.
SAVE_EVERY, LOOK_EVERY_S = 50, 2.0


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
        self._looked_s, self._scoring_s, self._looks = 0.0, 0.0, 0
        self.reached: tuple[float, int, str] | None = None  #: seconds, samples and score at which the goal was confirmed
        record = {"learner": "lanes", "task": core.task, "robot": core.model.source or core.model.name, "model_hash": core.model.hash, "num_envs": core.num_envs,
                  "options": self.learner.options, "settings": dict(core.settings), "settings_of_the_task": self._of_the_task}
        with whole(directory / "config.json") as partial:
            partial.write_text(json.dumps(record, indent=1, default=str) + "\n")
        self._observation = core.observe()

    # ---- checkpoints --------------------------------------------------------------------------------------------------

    def save(self) -> Path:
        """model_N.npz: the learner and, of a task in lanes, all environments. It is whole or absent."""
        path = self.directory / f"model_{self._iteration - 1}.npz"
        arrays = {**self.learner.state, "options": np.array(json.dumps(self.learner.options)), "model_hash": np.array(self.core.model.hash)}
        if isinstance(self.core, LaneTask):
            arrays["batch"] = np.frombuffer(self.core.batch._saved(), np.uint8)
        with whole(path) as partial, open(partial, "wb") as file:
            np.savez(file, **arrays)
        return path

    def resume(self) -> int:
        """Go on from the newest checkpoint of the directory; the number of iterations it has behind it. FileNotFoundError: there is none.
        FormatError: it is damaged, or of another training."""
        found = sorted(self.directory.glob("model_*.npz"), key=lambda p: int(p.stem.split("_")[1]))
        if not found:
            other = "; it was trained with --learner rsl_rl" if any(self.directory.glob("model_*.pt")) else ""
            raise FileNotFoundError(f"{self.directory} has no checkpoint model_N.npz to resume from{other}")
        path, arrays = found[-1], read_npz(found[-1])
        for name in (*KNOWN, "iterations", "gradient_steps", "rate", "options"):
            if name not in arrays:
                raise FormatError(f"{path}: no checkpoint: it has no `{name}`")
        theirs, mine = json.loads(str(arrays["options"])), self.learner.options
        for name in ("hidden", "activation", "steps", "epochs", "minibatches", "seed"):
            if theirs.get(name) != mine[name]:
                raise FormatError(f"{path}: its {name} is {theirs.get(name)}, this training's {mine[name]}")
        try:
            self.learner.state = arrays
            if isinstance(self.core, LaneTask) and "batch" in arrays:
                self.core.batch._restore_saved(arrays["batch"].tobytes())
        except (ArgumentError, FormatError) as error:
            raise FormatError(f"{path}: {error}") from None
        self._observation = self.core.observe()
        self._iteration = int(arrays["iterations"])
        self.read_table(self._iteration)
        return self._iteration

    # ---- learning -----------------------------------------------------------------------------------------------------

    def learn(self, iterations: int, minutes: float = float("inf"), goal: Goal | None = None) -> None:
        """Up to so many iterations more, or until the wall clock of this call is used up or the goal is reached; then checkpoint, curve and
        policy are written, after Ctrl-C too. StateError: the training has diverged; what was learnt before is written all the same."""
        self.begin(self._iteration, iterations, minutes)
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
            self.say("\ninterrupted; what was learnt is kept")
        except StateError as error:
            trouble = error
        self.say("\n")
        events.close()
        if self._iteration:
            if trouble is None:
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
        return {f"Reward/{name}": float(report.episode_terms[k]) / seconds for k, name in enumerate(self.core.reward_terms)}

    def _row(self, report: Report) -> dict[str, float]:
        if report.episodes:
            n = report.episodes
            self._episodes.append((n, n * report.episode_return, n * report.episode_length, report.failed))
        while len(self._episodes) > 1 and sum(e[0] for e in self._episodes) - self._episodes[0][0] >= 100:
            self._episodes.popleft()
        n, returns, lengths, falls = (sum(column) for column in zip(*self._episodes)) if self._episodes else (0, 0.0, 0.0, 0)
        n = n or float("nan")
        terms, last = self._terms(report), self.rows[-1] if self.rows else {}
        return {
            "iteration": report.iteration - 1,
            "samples": report.samples,
            "time_s": self.spent_s,
            "simulation_s": self._simulation_s,
            "learning_s": self._learning_s,
            "reward": returns / n,
            "length_s": lengths * self.core.dt / n,
            "tracking_linear": terms.get("Reward/tracking-linear", last.get("tracking_linear", float("nan"))),
            "tracking_angular": terms.get("Reward/tracking-angular", last.get("tracking_angular", float("nan"))),
            "fell": falls / n,
            "action_std": report.deviation,
            "learning_rate": report.rate,
            "value_loss": report.value_loss,
        }

    # ---- the goal -----------------------------------------------------------------------------------------------------

    def _look(self, goal: Goal) -> bool:
        """Is the goal reached? Now and then a few episodes, and where these reach it, many others that confirm it."""
        if time.monotonic() - self._start - self._looked_s < LOOK_EVERY_S or not goal.is_near(self.rows[-1]):
            return False
        start = time.monotonic()
        keys = {"seed": 1_000_000 + 2 * self._looks, "robot": self.core.model, "threads": int(self.core.settings["threads"])}
        self._looks += 1
        policy = self.policy()
        missed, words = goal.look(policy, self.core.task, LOOK, **keys)
        if not missed:
            keys["seed"] += 1
            missed, words = goal.look(policy, self.core.task, CONFIRM, **keys)
            if not missed:
                self.reached = (self.spent_s, int(self.rows[-1]["samples"]), words)
                self.say(f"\ngoal reached after {self.reached[0]:.1f} s: {words}")
        self._looked_s = time.monotonic() - self._start
        self._scoring_s += time.monotonic() - start
        return not missed

    # ---- what is left behind --------------------------------------------------------------------------------------------

    def _write_result(self) -> None:
        """result.json: how long it took, what the time went to, and when the goal was reached."""
        goal = dict(zip(("seconds", "samples", "score"), self.reached)) if self.reached else None
        result = {"iterations": self._iteration, "samples": self.rows[-1]["samples"], "seconds": self.time_split(), "goal": goal}
        with whole(self.directory / "result.json") as partial:
            partial.write_text(json.dumps(result, indent=1) + "\n")

    def policy(self) -> Policy:
        """The policy as it is scored and exported, with what it was trained for: the task as it is posed, not as it was trained in."""
        told = origin(self.core)
        told["settings"].update(self._of_the_task)
        return self.learner.policy("average" if self.learner.options["average"] > 0 else "weights", **told)

    def time_split(self) -> dict[str, float]:
        """Seconds of the run by what they went to. Policy and value act in the simulation's own parallel region: what it takes beside physics
        and task."""
        stats = self.core.batch.stats()
        total, simulation = self.spent_s, self.rows[-1]["simulation_s"]
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
                self.say(f"no {name}: {missing}\n")


def posed_and_trained(task: str, asked: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings of the training in which the task has others unless asked for, and what the task itself has for them."""
    own = dict(TASKS[task].training) if task in TASKS else {}
    trained = {name: value for name, value in own.items() if name not in asked}
    posed = Settings(TASKS[task].profile) if trained else {}
    return {**trained, **asked}, {name: posed[name] for name in trained}
