"""Costs of standing on two legs, through pushes: the trunk upright and high, above the feet, and still."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..programs.given.humanoids import G1_FEET
from ..programs.term_task import TermTask
from . import joints


def stander(name: str, about: str, robot: str, *, base: str, feet: tuple[str, ...], sites: tuple[str, ...], gains: Any, reach: float) -> TermTask:
    """base: the body that all others hang on; feet: names of the only shapes that touch; sites: of each foot a site or body, at the middle of its sole; reach: PD
    targets are home + reach times an action, about so many rad."""
    seen = [{"name": f"foot{k}", "kind": "framepos", "of": site} for k, site in enumerate(sites)]
    seen += [{"name": "com", "kind": "subtreecom", "of": base}, {"name": "com_velocity", "kind": "subtreelinvel", "of": base}]
    task = TermTask(name, robot=robot, about=about, feet=feet, needs=("actuators",), gains=gains, sensors=seen,
                    settings={"solver": "hybrid", "dt": 0.005, "decimation": 4, "action_scale": reach, "action_clip": 100.0, "episode": 0.0, "tolerance": 1e-3})

    @task.reward(-20.0)
    def sag(s: Any) -> Any:
        """square of the error of the base's height [m^2]"""
        return np.square(s.base_above - s.home[..., 2])

    @task.reward(-10.0)
    def tilt(s: Any) -> Any:
        """1 - cos of the trunk's tilt"""
        return 1.0 + s.base_down[..., 2]

    @task.reward(-200.0)
    def off(s: Any) -> Any:
        """square of how far the capture point is from the middle of the feet: the centre of mass and 0.28 s of its velocity [m^2]"""
        middle = sum(s[f"sensor.foot{k}"][..., :2] for k in range(len(sites))) / len(sites)
        return np.sum(np.square(s.sensor.com[..., :2] + 0.28 * s.sensor.com_velocity[..., :2] - middle), axis=-1)

    @task.reward(-0.5)
    def sway(s: Any) -> Any:
        """squares of the base's velocity [m^2/s^2, rad^2/s^2]"""
        return np.sum(np.square(s.v[..., :6]), axis=-1)

    task.reward(-2.0, name="posture")(joints.posture)
    task.reward(-0.05, name="change")(joints.change(reach))
    task.reward(-5e-4, name="haste")(joints.haste)

    return task


def g1() -> TermTask:
    """Unitree's G1 stands, waist and arms welded."""
    return stander("g1-stand", "Unitree's G1 stands through pushes", "g1-12dof", base="pelvis", feet=G1_FEET, sites=("left_foot", "right_foot"), reach=1.0,
                   gains={"*_hip_pitch_*": (100.0, 3.5), "*_hip_yaw_*": (100.0, 3.5), "*_hip_roll_*": (150.0, 6.0), "*_knee_*": (150.0, 6.0), "*_ankle_*": (40.0, 2.0)})
