"""The trainer: a learner's iterations with a clock, a goal, checkpoints, a table of the learning curve and exports. `python -m myriapod.train` is its
command line.

    trainer = Trainer(Lanes(open_task("anymal-flat", 512), {"seed": 1}), Path("runs/a"))
    trainer.learn(1000, goal=Goal.parse("survived=0.95,error=0.25"))

What it stops at is counted in samples, so that it is the same on every machine; only a training that the wall clock ends, or Ctrl-C, ends elsewhere on
another one."""
from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._library import FormatError, StateError
from .._whole import whole
from ..envs.trained import origin
from ..policies.export import save_onnx, save_torchscript
from ..policies.networks import ENDED_BY, Policy
from ..task_table import Stage
from .backend import Backend, Iteration
from .curriculum import Curriculum, CurriculumError, Progress
from .events import Curves, Events
from .goal import BETWEEN, Goal, Look
from .log import TrainingLog, checkpoints

#: Iterations between checkpoints.
SAVE_EVERY = 50


class Trainer(TrainingLog):
    """One training run in a directory: progress.csv, curve.png, TensorBoard's events, checkpoints model_N.npz (rsl_rl: .pt), config.json, and at its end
    result.json, policy.npz, policy.pt (TorchScript, needs torch) and policy.onnx (needs onnx).

    of_the_task: settings of the task as it is scored where the training has others (more pushes, say); the policy's file says these. stages: of numbers of the
    task in place of its own."""

    def __init__(self, backend: Backend, directory: Path, *, of_the_task: Mapping[str, Any] | None = None, stages: Sequence[Stage] | None = None,
                 quiet: bool = False) -> None:
        core = backend.core
        super().__init__(core, directory, backend.together, quiet=quiet)
        self.backend = backend
        self._of_the_task = dict(of_the_task or {})
        self.curriculum = Curriculum(core.batch, core.stages if stages is None else stages, core.curricula, backend.set_option)
        self._episodes: deque[tuple[int, float, float, int]] = deque()  # of an iteration: number, sums of return and length, falls
        self._scoring_s = 0.0
        self.curves: list[Curves] = []  #: where curves go beside TensorBoard, such as `myriapod.frontends.wandb.Wandb`
        self.looks: list[dict[str, Any]] = []  #: what looks at the goal found: samples, episodes, and the score
        self.reached: tuple[float, int, str] | None = None  #: seconds, samples and score at which the goal was confirmed
        self._reached_goal: dict[str, Any] = {}  # which one it was
        self.config: dict[str, Any] = {  #: what config.json says
            "learner": backend.name, "task": core.task, "robot": core.model.made_of or core.model.name, "model_hash": core.model.hash,
            "num_envs": self.together.envs, "options": backend.options, "settings": dict(core.settings), "settings_of_the_task": self._of_the_task}
        if core.numbers:
            self.config["numbers"] = core.numbers
        if core.stages or stages:
            self.config["stages"] = [[stage.samples, stage.numbers] for stage in (core.stages if stages is None else stages)]

    # ---- checkpoints --------------------------------------------------------------------------------------------------

    def save(self) -> Path:
        """model_N of what was learnt so far. The table is written before it, so that it has all rows of what is gone on from."""
        self.write_table()
        path = self.directory / f"model_{self.backend.done - 1}.{self.backend.ending}"
        self.backend.save(path, {"episodes": list(self._episodes), "ended_by": self.ended_by, "reached": self.reached, "goal": self._reached_goal, "looks": self.looks,
                                 "curriculum": self.curriculum.state})
        return path

    def resume(self) -> int:
        """Go on from the newest checkpoint of the directory; the number of iterations it has behind it. FileNotFoundError: there is none.
        FormatError: it is damaged, or of another training."""
        mine, others = self.backend.ending, {"npz": ("pt", "rsl_rl"), "pt": ("npz", "lanes")}[self.backend.ending]
        found, self.strays = checkpoints(self.directory, mine)
        if not found:
            other = f"; it was trained with --learner {others[1]}" if checkpoints(self.directory, others[0])[0] else ""
            beside = f" ({self.strays[0].name} is not one)" if self.strays else ""
            raise FileNotFoundError(f"{self.directory} has no checkpoint model_N.{mine} to resume from{beside}{other}")
        training = self.backend.load(found[-1], self._restore_numbers)
        try:
            self._episodes = deque((int(n), float(a), float(b), int(m)) for n, a, b, m in training.get("episodes", []))
            self.ended_by = str(training.get("ended_by", ""))
            self.looks = [dict(found) for found in training.get("looks", [])]
            if training.get("reached"):
                seconds, samples, words = training["reached"]
                self.reached, self._reached_goal = (float(seconds), int(samples), str(words)), dict(training["goal"])
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError) as error:
            raise FormatError(f"{found[-1]}: its `training` is damaged: {type(error).__name__}: {error}") from None
        self.read_table(self.backend.done)
        return self.backend.done

    def _restore_numbers(self, training: Mapping[str, Any]) -> None:
        """Before the environments are restored: their file is refused by a batch of other numbers."""
        try:
            self.curriculum.state = dict(training.get("curriculum", {}))
        except (TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"its `training` is damaged: {error}") from None

    # ---- learning -----------------------------------------------------------------------------------------------------

    def learn(self, iterations: int, minutes: float = float("inf"), goal: Goal | None = None) -> None:
        """Up to so many iterations more, or until the wall clock of this call is used up or the goal is reached; then checkpoint, curve and
        policy are written, after Ctrl-C too. 0 iterations, or a goal that the newest checkpoint has reached: curve and policy of that are written.
        StateError: the training has diverged; CurriculumError: a function of the task's curriculum failed. What was learnt before is written all the
        same."""
        first = self.backend.done
        if goal is not None:
            goal.check_ground(self.core)
        if self.writes:  # not before: a training that was refused leaves the file of the one that is there
            with whole(self.directory / "config.json") as partial:
                partial.write_text(json.dumps(self.config, indent=1, default=str) + "\n")
        if goal is not None and self.reached and self._reached_goal == goal.told:
            iterations = 0
        elif goal is not None or iterations:
            self.reached, self._reached_goal = None, {}
        self.begin(first, iterations, minutes)
        if first == 0 and self.core.max_episode_length > 1:  # or all episodes would end at once
            mine = slice(self.together.first, self.together.first + self.together.count)
            self.core.clock = np.random.default_rng(self.backend.seed).integers(0, self.core.max_episode_length, self.together.envs).astype(np.float32)[mine]
        self.backend.begin()
        curves = [Events(self.directory if self.writes else None), *self.curves]
        trouble: Exception | None = None
        try:
            with self.together:
                for _ in range(iterations):
                    self._iterate(curves)
                    if goal is not None and self._look(goal):
                        break
                    interrupted, up = self.together.is_over(self.is_time_up())
                    if interrupted:
                        raise KeyboardInterrupt
                    if up:
                        self.ended_by = "clock"
                        break
                    if self.backend.done % SAVE_EVERY == 0:
                        self.save()
        except KeyboardInterrupt:
            self.ended_by = "Ctrl-C"
            self.say("\ninterrupted; what was learnt is kept")
        except (StateError, CurriculumError) as error:
            trouble = error
        self.say("\n")
        for each in curves:
            each.close()
        if self.backend.done:
            if not isinstance(trouble, StateError) and self.backend.done > first:
                self.save()
            self.write_table()
            if self.writes:
                self._write_result()
                self.plot(self.core.task)
                self.export()
        if trouble is not None:
            raise trouble

    @property
    def _samples(self) -> int:
        """Control steps so far, those of all environments."""
        return self.backend.done * self.backend.steps * self.together.envs

    def _progress_now(self) -> Progress:
        row = self.rows[-1] if self.rows else {}
        nan = float("nan")
        longest = self.core.max_episode_length * self.core.dt
        return Progress(self._samples, self.backend.done, row.get("reward", nan), row.get("length_s", nan) / longest if longest else nan, row.get("fell", nan),
                        {name: row.get(column, nan) for name, column in zip(self.core.reward_terms, self.core.term_columns)}, {})

    def _change_numbers(self) -> None:
        """As the curriculum says. Each process asks its functions: what they say, and that they fail, is so in all."""
        failed: CurriculumError | None = None
        try:
            self.curriculum.step(self._progress_now())
        except CurriculumError as error:
            failed = error
        if self.together.job:
            self.together.job.agree(**{"numbers of the curriculum": str(failed) if failed else self.curriculum.numbers})
        if failed:
            raise failed

    def _iterate(self, curves: Sequence[Curves]) -> None:
        if self.curriculum:
            self._change_numbers()
        report = self.backend.iterate()
        self._learning_s += report.learning_s
        row = self._row(report)
        self.add_row(row)
        point = {"Train/samples": row["samples"], "Train/mean_reward": row["reward"], "Train/mean_episode_length_s": row["length_s"], "Episode/fell": row["fell"],
                 "Loss/learning_rate": report.learning_rate, "Policy/mean_std": report.action_std, **report.losses, **self._per_second(report),
                 **{f"Curriculum/{name}": row[name] for name in self.more}, **{f"Number/{name}": value for name, value in self.curriculum.numbers.items()}}
        for each in curves:
            each.add(self.backend.done, point)

    def _per_second(self, report: Iteration) -> dict[str, float]:
        """Reward terms per second of the episodes that ended."""
        seconds = report.control_steps * self.core.dt
        return {column: paid / seconds for column, paid in report.terms.items()} if report.episodes and seconds > 0 else {}

    def _row(self, report: Iteration) -> dict[str, float]:
        if report.episodes:
            self._episodes.append((report.episodes, report.returns, report.control_steps, report.failed))
        while len(self._episodes) > 1 and sum(e[0] for e in self._episodes) - self._episodes[0][0] >= 100:
            self._episodes.popleft()
        ended, returns, lengths, falls = (sum(column) for column in zip(*self._episodes)) if self._episodes else (0, 0.0, 0.0, 0)
        n = float(ended) or float("nan")
        terms = self.row_of_terms(self._per_second(report))
        return {
            "iteration": self.backend.done - 1,
            "samples": self._samples,
            "time_s": self.spent_s,
            "simulation_s": self._earlier_simulation_s + self.core.batch.stats().wall_s,
            "learning_s": self._learning_s,
            "reward": returns / n,
            "length_s": lengths * self.core.dt / n,
            "tracking_linear": terms.get("Reward/tracking-linear", float("nan")),
            "tracking_angular": terms.get("Reward/tracking-angular", float("nan")),
            "fell": falls / n,
            "action_std": report.action_std,
            "learning_rate": report.learning_rate,
            "value_loss": report.value_loss,
            **({"level": float(self.together.rows(self.core.batch.get("patch")[:, 0].copy()).mean())} if self.more else {}),
            **terms,
        }

    # ---- the goal -----------------------------------------------------------------------------------------------------

    @property
    def look_every(self) -> int:
        """Samples between looks at the goal, 0.5 M for episodes of 1000 control steps. The wall clock has no say: when it looks, and so when it stops, is the
        same on every machine, busy or idle."""
        return BETWEEN * max(self.core.max_episode_length, 1)

    def _look(self, goal: Goal) -> bool:
        """Is the goal reached? Now and then a few episodes, and where these reach it, many others that confirm it."""
        samples = self._samples
        looks, before = (n // self.look_every for n in (samples, samples - self.backend.steps * self.together.envs))
        if looks == before or not goal.is_near(self.rows[-1]):
            return False
        if goal.is_scored:
            start = time.monotonic()
            found = goal.look(self.policy(), self.core.task, 1_000_000 + 10 * looks, robot=self.core.model, job=self.together.job,
                              threads=int(self.core.settings["threads"]))
            self._scoring_s += time.monotonic() - start
            self.looks.append({"samples": samples, "episodes": found.episodes, **found.score})
        else:
            found = Look([], f"mean level {self.rows[-1]['level']:.2f}", 0, {})
        if not found.missed:
            self.reached, self._reached_goal = (self.spent_s, samples, found.words), goal.told
            self.say(f"\ngoal reached after {samples / 1e6:.2f} M samples, {self.reached[0]:.1f} s: {found.words}")
        return not found.missed

    # ---- what is left behind --------------------------------------------------------------------------------------------

    def _write_result(self) -> None:
        """result.json: how long it took, what the time went to, and when the goal was reached."""
        goal = dict(zip(("seconds", "samples", "score"), self.reached)) if self.reached else None
        result = {"iterations": self.backend.done, "samples": self._samples, "seconds": self.time_split(), "goal": goal, "looks": self.looks,
                  "ended_by": self.ended_by or None}
        with whole(self.directory / "result.json") as partial:
            partial.write_text(json.dumps(result, indent=1) + "\n")

    def policy(self) -> Policy:
        """The policy as it is scored and exported, with what it was trained for: the task as it is posed, not as it was trained in."""
        told = origin(self.core)
        told["settings"].update(self._of_the_task)
        if self.ended_by:
            told["settings"][ENDED_BY] = self.ended_by
        return self.backend.policy(**told)

    def time_split(self) -> dict[str, float]:
        """Seconds of the run by what they went to. Physics and task are the library's own count, as if its threads had shared them evenly; policy is what
        the parallel call takes beside them: of the learner in lanes policy and value act in it, of another one they are in the rest."""
        stats = self.core.batch.stats()
        total, simulation = self.spent_s, self.rows[-1]["simulation_s"] if self.rows else 0.0
        share = stats.robot_steps / max(stats.threads, 1) * 1e-9 / max(stats.wall_s, 1e-12)
        physics, task = simulation * share * sum(stats.stage_ns.values()), simulation * share * stats.task_ns
        return {"physics": physics, "task": task, "policy": max(simulation - physics - task, 0.0), "learning": self._learning_s, "scoring": self._scoring_s,
                "rest": total - simulation - self._learning_s - self._scoring_s, "total": total}

    def export(self) -> None:
        """policy.npz (layers, for `myriapod.Policy` without torch), policy.pt (TorchScript) and policy.onnx, all with the robot and the settings."""
        policy = self.policy()
        policy.save(self.directory / "policy.npz")
        for name, write in (("policy.pt", save_torchscript), ("policy.onnx", save_onnx)):
            try:
                write(policy, self.directory / name)
            except ImportError as missing:  # both are a choice
                self.say(f"{name} is not written, as {missing.name} is not installed; nothing else needs it\n")
