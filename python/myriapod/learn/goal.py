"""A goal of a training, `--until survived=0.95,error=0.25`: scored as it goes, on episodes with the noise and the pushes of the task."""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._library import ArgumentError
from ..envs.protocol import RunningTask
from ..envs.tasks import get_task
from .score import Score, TaskScore, look, score_task

#: What a goal may ask for, and of which scores: at least (True) or at most (False).
WORDS = {"survived": True, "error": False, "linear": False, "angular": False, "return": True, "level": True}

#: A look scores so many episodes, then more where these reach the goal, then those that confirm it. The first ones are few, so that one costs an eighth of
#: the control steps between two looks, and may miss the goal by a little: SLACK of survival, a tenth of errors and returns.
STAGES = (64, 256, 2000)
SLACK = 0.04
#: Control steps of the training between two looks, in episodes.
BETWEEN = 500


@dataclass(frozen=True)
class Look:
    """A policy's score by a goal."""

    missed: list[str]  #: what it does not reach, by the goal's words; []: it is reached
    words: str  #: the score of the last stage, for a reader
    episodes: int  #: of that stage
    score: dict[str, float]  #: likewise: survived, and linear and angular, or return and metrics; where survival was given up, until then


@dataclass(frozen=True)
class Goal:
    """survived: part of the episodes without a fall, at least; error: velocity [m/s] and yaw rate [rad/s] errors, both at most; linear, angular:
    one of them; return: of an episode, at least (tasks without commands). METRIC<NUMBER, METRIC>NUMBER: the mean of a metric of the task (tasks without
    commands)."""

    wanted: dict[str, float]
    measured: dict[str, tuple[str, float]] = field(default_factory=dict)  #: metric -> "<" or ">", and the number

    @staticmethod
    def parse(text: str) -> Goal:
        """WORD=NUMBER, METRIC<NUMBER, METRIC>NUMBER, .. ArgumentError: a word is unknown, or what follows it no number."""
        wanted: dict[str, float] = {}
        measured: dict[str, tuple[str, float]] = {}
        for part in text.split(","):
            metric = re.fullmatch(r"([A-Za-z_][\w-]*)([<>])([-+.eE\d]+)", part.strip(), re.ASCII)
            if metric and metric[1] not in WORDS:
                try:
                    measured[metric[1]] = (metric[2], float(metric[3]))
                except ValueError:
                    raise ArgumentError(f"a goal of a metric is METRIC<NUMBER or METRIC>NUMBER; in {part!r} the number is {metric[3]!r}") from None
                continue
            word, _, number = part.partition("=")
            if word not in WORDS:
                raise ArgumentError(f"a goal is WORD=NUMBER,... of {', '.join(WORDS)}; {part!r} is not one")
            try:
                wanted[word] = float(number)
            except ValueError:
                wanted[word] = float("nan")
            if not wanted[word] == wanted[word]:
                raise ArgumentError(f"a goal is WORD=NUMBER,...; in {part!r} the number is {number!r}")
            if word != "return" and wanted[word] < 0 or word == "survived" and wanted[word] > 1:
                raise ArgumentError(f"a goal of {word} is a number {'from 0 to 1, a part of the episodes' if word == 'survived' else 'from 0 on'}; "
                                    f"{part!r} is not")
        return Goal(wanted, measured)

    @property
    def told(self) -> dict[str, Any]:
        """All that it asks for, as a file keeps it."""
        return self.wanted | {f"{name}{sign}": number for name, (sign, number) in self.measured.items()}

    @property
    def is_scored(self) -> bool:
        """Does it ask for more than a level, which the training itself shows?"""
        return bool(self.measured or set(self.wanted) - {"level"})

    def check(self, task: str) -> None:
        """ArgumentError where the task has no such score."""
        asked = get_task(task)
        commands, rows = asked.commands, asked.table.command if asked.table else 0
        for name in self.measured:
            if commands:
                raise ArgumentError(f"the task {task!r} is scored by survived, error, linear and angular, not by the metric {name!r}")
            if not asked.table or name not in asked.table.metrics:
                has = ", ".join(asked.table.metrics) if asked.table else ""
                raise ArgumentError(f"the task {task!r} has no metric {name!r}" + (f"; there are: {has}" if has else ""))
        for word in self.wanted:
            if word in ("error", "linear", "angular") and not commands:
                why = f"commands of {rows} numbers, and {word!r} is of three: forward, left, yaw rate" if rows else f"no commands, so no {word!r}"
                raise ArgumentError(f"the task {task!r} has {why}; its goals are survived and return")
            if word == "return" and commands:
                raise ArgumentError(f"the task {task!r} is scored by survived, error, linear and angular, not by {word!r}")

    def eased(self) -> Goal:
        """What a first look, of few episodes, is held to."""
        def by_a_tenth(at_least: bool, number: float) -> float:
            return number - 0.1 * abs(number) if at_least else number + 0.1 * abs(number)
        return Goal({word: number - SLACK if word == "survived" else by_a_tenth(WORDS[word], number) for word, number in self.wanted.items()},
                    {name: (sign, by_a_tenth(sign == ">", number)) for name, (sign, number) in self.measured.items()})

    def check_ground(self, core: RunningTask) -> None:
        """ArgumentError where a level is asked for, and these environments have none."""
        if "level" in self.wanted and "patch" not in core.batch.fields:
            raise ArgumentError(f"a goal of level: the task {core.task!r} is not on a map with levels here")

    def missed(self, result: Score | TaskScore) -> list[str]:
        """What is not reached yet, by the goal's words."""
        values: dict[str, float] = {"survived": result.survived}
        if isinstance(result, Score):
            values.update(error=max(result.linear_error, result.angular_error), linear=result.linear_error, angular=result.angular_error)
        else:
            values["return"] = result.episode_return
            missed = [name for name, (sign, number) in self.measured.items() if not (result.metrics[name] < number if sign == "<" else result.metrics[name] > number)]
            return [*missed, *(word for word, wanted in self.wanted.items() if word in values and not values[word] >= wanted)]
        return [word for word, wanted in self.wanted.items() if word in values and not (values[word] >= wanted if WORDS[word] else values[word] <= wanted)]

    def is_near(self, row: Mapping[str, float]) -> bool:
        """Is it worth a look? By the last row of progress.csv: robots that do not follow yet, or half of whose episodes end in a fall, though they
        are trained with more pushes than they are scored with, do not reach a goal of errors or of survival."""
        if "error" in self.wanted or "linear" in self.wanted:
            if not row["tracking_linear"] > 0.6:
                return False
        if not row.get("level", 0.0) >= self.wanted.get("level", 0.0):
            return False
        for name, (sign, number) in self.measured.items():  # a policy is better than with the noise of learning on it
            now = row.get(f"Metric/{name}", number)
            slack = 0.5 * abs(number)
            if not (now < number + slack if sign == "<" else now > number - slack):
                return False
        return not ("survived" in self.wanted and row["fell"] > 0.5)

    def look(self, policy: Any, task: str, seed: int, **keys: Any) -> Look:
        """Score a policy on episodes of its own seeds, in stages."""
        goal = self.eased()
        for stage, episodes in enumerate(STAGES):
            found = goal._score(policy, task, episodes, seed + stage, keys)
            if found.missed:
                break
            goal = self
        return found

    def _score(self, policy: Any, task: str, episodes: int, seed: int, keys: Mapping[str, Any]) -> Look:
        if get_task(task).commands:
            result = look(policy, task, episodes=episodes, seed=seed, give_up=self.wanted.get("survived", 0.0), **keys)
            words = f"errors {result.linear_error:.3f} m/s {result.angular_error:.3f} rad/s, {100 * result.survived:.1f} % of {episodes} survived"
            numbers = {"linear": result.linear_error, "angular": result.angular_error, "survived": result.survived}
            return Look(self.missed(result), words, episodes, numbers)
        other = score_task(policy, task, episodes=episodes, seed=seed, **keys)
        measured = {name: other.metrics[name] for name in self.measured}
        words = "".join(f"{name} {value:.4g}, " for name, value in measured.items()) + f"return {other.episode_return:.2f}, {100 * other.survived:.1f} % of {episodes} survived"
        return Look(self.missed(other), words, episodes, {**measured, "return": other.episode_return, "survived": other.survived})
