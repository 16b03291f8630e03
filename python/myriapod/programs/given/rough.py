"""`anymal-rough`, `go2-rough`: four legs follow commanded velocities over legged_gym's generated map, stairs up and down among it.

Terms, weights, commands, map and curriculum are those of legged_gym's rough ANYmal C (Rudin et al. 2022, BSD 3-Clause: legged_robot.py,
anymal_c_rough_config.py): a heading is commanded, and the yaw rate follows from it; levels rise with the distance walked. What differs: a PD in the place of
its network of actuators, joints that start within 0.15 rad of home, the end by leaning; Go2 has a larger weight of torques, and gains and action scale of its
own."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..term_task import TermTask
from .four_legs import walk_on_four_legs
from .heading import command_headings

#: What differs from robot to robot in training beside masses and friction. Without it a policy climbs more here, and falls in MuJoCo (docs/learning.md).
_VARIED = {"vary_gains": 0.1, "vary_strength": 0.1, "vary_delay": 0.01, "vary_encoder": 0.015, "vary_com": 0.025, "vary_links": 0.1}


def _walker(name: str, about: str, robot: str, *, gains: tuple[float, float], torque: float, mass: float, speeds: tuple[float, float],
            climbs: float, learner: dict[str, Any]) -> TermTask:
    """torque: weight of their squares; mass: what a base may be heavier or lighter [kg]; speeds: commanded at most, forward and to the left [m/s]; climbs:
    after so many samples, and learns with smaller steps and less noise from then on."""
    task = TermTask(
        name, robot=robot, about=about, needs=("quadruped",), uses=("vary", "pushes", "patches"), floor=1, gains=gains, learner=learner, training=_VARIED,
        settings={"solver": "bisection", "dt": 0.005, "decimation": 4, "terrain": "legged-gym", "scan": "min3", "push_interval": 15, "push_speed": 1.0,
                  "vary_friction_low": 0.625, "vary_friction_high": 1.5625, "vary_mass": mass, "action_scale": 0.5 if robot == "anymal" else 0.3})

    def speed(s: Any) -> Any:
        wanted = (2.0 * s.draw("speed", 2) - 1.0) * np.array(speeds)
        return np.where(np.linalg.norm(wanted, axis=-1)[..., None] > 0.2, wanted, 0.0)

    command_headings(task, speed)

    walk_on_four_legs(task, torque=torque, air_time=1.0, flight=0.5, lean=1.2, turning_walks=False)
    task.observe("heights", scale=5.0, noise=0.1)
    # without it how many reach the top wanders between 40 and 100 % from one checkpoint to the next
    task.stage(climbs, **{"learn.desired_kl": 0.01, "learn.entropy_coef": 0.003})
    task.stage(1.75 * climbs, **{"learn.desired_kl": 0.005})
    return task


#: Of the 64 first outputs 16 see the heights alone: learning costs three fifths, and needs no more samples (docs/learning.md).
_LEARNER = {"num_envs": 1024, "desired_kl": 0.02, "hidden": (64, 32), "encoder": 16}

anymal_rough = _walker("anymal-rough", "ANYmal (30 kg) follows commanded velocities over stairs, slopes and stones", "anymal", gains=(80.0, 2.0),
                       torque=-1e-5, mass=5.0, speeds=(1.0, 1.0), climbs=4e7, learner=_LEARNER)
go2_rough = _walker("go2-rough", "Unitree Go2 (15 kg) follows commanded velocities over stairs, slopes and stones", "go2", gains=(70.0, 2.0), torque=-1e-4,
                    mass=2.0, speeds=(1.0, 0.5), climbs=1e8, learner=_LEARNER)
