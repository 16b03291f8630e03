"""The locomotion task: robots follow commanded velocities. What it has in common with other tasks is in `myriapod.envs.lane_task`."""
from __future__ import annotations

from typing import Any

import numpy as np

from .._library import ArgumentError
from .lane_task import LaneTask, reward_terms
from .protocol import Final, Outcome, fault_text
from .rollout import AUTORESET

__all__ = ["AUTORESET", "Final", "Locomotion", "Outcome", "REWARD_DOCS", "REWARD_TERMS", "fault_text"]

#: Name of a reward term -> what it measures, with its unit.
REWARD_DOCS: dict[str, str] = reward_terms("locomotion")
#: Names of the reward terms, in the order of every `terms` array.
REWARD_TERMS: tuple[str, ...] = tuple(REWARD_DOCS)


class Locomotion(LaneTask):
    """N robots that follow commanded velocities. Arguments as `LaneTask`'s."""

    def __init__(self, task: str = "anymal-flat", num_envs: int = 4096, **keys: Any) -> None:
        super().__init__(task, num_envs, **keys)
        if "command" not in self.batch.fields:
            self.close()
            raise ArgumentError(f"task {task!r} has no commands: it is one for LaneTask, not for {type(self).__name__}")

    @property
    def command(self) -> np.ndarray:
        """(num_envs, 3) commanded velocity forward and to the left [m/s], yaw rate [rad/s]; base axes; a read-only copy. Assign to steer;
        `command_hold` says when a new one is drawn."""
        return self.batch.command

    @command.setter
    def command(self, value: Any) -> None:
        self.batch.set("command", value)
