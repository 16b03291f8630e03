"""Costs of a cart that swings a pole up and keeps it there."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..programs.term_task import TermTask


def cart_pole() -> TermTask:
    """The cart-pole of DeepMind's control suite (Tassa et al. 2018), whose pole hangs at home; an action is the force on the cart, +-1 for +-10 N."""
    task = TermTask("cart-pole-swing-up", robot="cart-pole", about="a cart swings its pole up", actions="controls",
                    settings={"solver": "bisection", "dt": 0.02, "decimation": 1, "action_scale": 1.0, "action_clip": 1.0, "episode": 0.0})

    @task.reward(-10.0)
    def down(s: Any) -> Any:
        """1 + cos of the angle from hanging: 0 where it stands"""
        return 1.0 + np.cos(s.q[..., 1])

    @task.reward(-1.0)
    def astray(s: Any) -> Any:
        """square of the cart's place [m^2]"""
        return np.square(s.q[..., 0])

    @task.reward(-0.1)
    def haste(s: Any) -> Any:
        """squares of the velocities [m^2/s^2, rad^2/s^2]"""
        return np.sum(np.square(s.v), axis=-1)

    @task.reward(-0.01)
    def effort(s: Any) -> Any:
        """square of the action"""
        return np.square(s.action)

    return task
