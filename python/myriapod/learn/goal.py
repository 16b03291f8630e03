"""A goal of a training, `--until survived=0.95,error=0.25`: scored as it goes, on episodes with the noise and the pushes of the task."""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._library import ArgumentError
from ..envs.tasks import get_task
from .score import Score, TaskScore, look, score_task

#: What a goal may ask for, and of which scores: at least (True) or at most (False).
WORDS = {"survived": True, "error": False, "linear": False, "angular": False, "return": True}

#: Episodes of a first look, and of the second one that confirms it.
LOOK, CONFIRM = 500, 2000


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

    def missed(self, result: Score | TaskScore) -> list[str]:
        """What is not reached yet, by the goal's words."""
        values: dict[str, float] = {"survived": result.survived}
        if isinstance(result, Score):
            values.update(error=max(result.linear_error, result.angular_error), linear=result.linear_error, angular=result.angular_error)
        else:
            values["return"] = result.episode_return
            missed = [name for name, (sign, number) in self.measured.items() if not (result.metrics[name] < number if sign == "<" else result.metrics[name] > number)]
            return [*missed, *(word for word, wanted in self.wanted.items() if not values[word] >= wanted)]
        return [word for word, wanted in self.wanted.items() if not (values[word] >= wanted if WORDS[word] else values[word] <= wanted)]

    def is_near(self, row: Mapping[str, float]) -> bool:
        """Is it worth a look? By the last row of progress.csv: robots that do not follow yet, or half of whose episodes end in a fall, though they
        are trained with more pushes than they are scored with, do not reach a goal of errors or of survival."""
        if "error" in self.wanted or "linear" in self.wanted:
            if not row["tracking_linear"] > 0.6:
                return False
        for name, (sign, number) in self.measured.items():  # a policy is better than with the noise of learning on it
            now = row.get(f"Metric/{name}", number)
            slack = 0.5 * abs(number)
            if not (now < number + slack if sign == "<" else now > number - slack):
                return False
        return not ("survived" in self.wanted and row["fell"] > 0.5)

    def look(self, policy: Any, task: str, episodes: int, seed: int, **keys: Any) -> tuple[list[str], str]:
        """Score a policy: what is missed, and the score in words."""
        if get_task(task).commands:
            result = look(policy, task, episodes=episodes, seed=seed, give_up=self.wanted.get("survived", 0.0), **keys)
            words = f"errors {result.linear_error:.3f} m/s {result.angular_error:.3f} rad/s, {100 * result.survived:.1f} % of {episodes} survived"
            return self.missed(result), words
        other = score_task(policy, task, episodes=episodes, seed=seed, **keys)
        return self.missed(other), "".join(f"{name} {other.metrics[name]:.4g}, " for name in self.measured) + f"return {other.episode_return:.2f}, {100 * other.survived:.1f} % of {episodes} survived"
