"""Costs of joints that walking, standing, getting up and turning have in common. A weight and a name make a term of one: `task.reward(-0.4, name="posture")(joints.posture)`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def posture(s: Any) -> Any:
    """squares of the joints' angles about home [rad^2]"""
    return np.sum(np.square(s.actuator_length - s.home_length), axis=-1)


def haste(s: Any) -> Any:
    """squares of the joints' velocities [rad^2/s^2]"""
    return np.sum(np.square(s.actuator_velocity), axis=-1)


def change(reach: float) -> Callable[[Any], Any]:
    """Of targets that are home + reach times an action."""

    def change(s: Any) -> Any:
        """squares of the change of the targets [rad^2]"""
        return reach * reach * np.sum(np.square(s.action - s.action_before), axis=-1)

    return change
