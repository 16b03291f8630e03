"""`go2-flat`, `go1-flat`: Unitree's Go2 and Go1 follow commanded velocities on flat ground.

Terms and weights are legged_gym's (Rudin et al. 2022, BSD 3-Clause: legged_robot.py, `_reward_*`) as the task locomotion has them, without
those of weight 0. Gains are stiffer than those of the robot's file (kp 70, kd 2, targets home + 0.3 action, for 35, 0.5, 0.5): docs/tables.md says
what these taught."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..term_task import TermTask
from .four_legs import walk_on_four_legs


def _walker(name: str, robot: str, about: str, learner: dict[str, Any]) -> TermTask:
    task = TermTask(
        name, robot=robot, about=about, needs=("quadruped",), uses=("vary", "pushes"), floor=1, gains=(70.0, 2.0),
        settings={"solver": "bisection", "dt": 0.005, "decimation": 4, "action_scale": 0.3, "push_speed": 0.5, "vary_friction_low": 0.6, "vary_friction_high": 1.4},
        training={"push_interval": 3.0}, learner=learner)

    @task.commands(3, every="setting.command-hold")
    def command(s: Any) -> Any:
        """speed forward, to the left [m/s], yaw rate [rad/s]; a tenth of them to stand, slow ones too"""
        wanted = (2 * s.draw("command", 3) - 1) * np.array([1.0, 0.5, 1.0])
        slow = np.linalg.norm(wanted[..., :2], axis=-1) < 0.2
        moved = np.concatenate([np.where(slow[..., None], 0.0, wanted[..., :2]), wanted[..., 2:]], axis=-1)
        return np.where(s.draw("still")[..., None] < 0.1, 0.0, moved)

    walk_on_four_legs(task, torque=-2e-4, air_time=2.0, flight=0.4, lean=1.0, orientation=-5.0)
    return task


_LEARNER = {"num_envs": 512, "desired_kl": 0.02, "hidden": (64, 32), "gamma": 0.97}

flat = _walker("go2-flat", "go2", "Unitree Go2 (15 kg) on flat ground follows commanded velocities", _LEARNER)
go1_flat = _walker("go1-flat", "go1", "Unitree Go1 (13 kg) on flat ground follows commanded velocities", _LEARNER)
