"""Commanded headings, as legged_gym has them: the yaw rate that is commanded follows from the heading, so that robots go somewhere and do not walk in
circles."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..term_task import TermTask


def command_headings(task: TermTask, speeds: Callable[[Any], Any]) -> None:
    """Gives the task a command of three numbers: speeds forward and to the left, which the function draws, (n, 2), and the yaw rate towards a heading that is
    drawn with them: half of the angle to it per second, at most 1 rad/s."""
    @task.commands(3, every="setting.command-hold")
    def command(s: Any) -> Any:
        """speed forward, to the left [m/s], yaw rate [rad/s]: towards a heading that is drawn with them"""
        heading = s.draw("heading")
        return {"command": np.concatenate([speeds(s), 0.0 * heading[..., None]], axis=-1), "memory.heading": np.pi * (2.0 * heading - 1.0)}

    task.memory(1, name="heading")(lambda s: s.memory.heading)

    @task.steer
    def towards_the_heading(s: Any) -> Any:
        w, x, y, z = (s.base_turn[..., k] for k in range(4))
        off = s.memory.heading - np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        off = off - 2.0 * np.pi * np.floor(off / (2.0 * np.pi) + 0.5)
        return np.concatenate([s.command[..., :2], np.clip(0.5 * off, -1.0, 1.0)[..., None]], axis=-1)
