"""`anymal-rough`, `go2-rough`: four legs follow commanded velocities over legged_gym's generated map, stairs up and down among it.

Terms, weights, commands, map and curriculum are those of legged_gym's rough ANYmal C (Rudin et al. 2022, BSD 3-Clause: legged_robot.py,
anymal_c_rough_config.py): a heading is commanded, and the yaw rate follows from it; levels rise with the distance walked. What differs: a PD in the place of
its network of actuators, joints that start within 0.15 rad of home, the end by leaning; Go2 has a larger weight of torques, and gains and action scale of its
own."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...terms import legged_gym
from ..term_task import TermTask
from .heading import command_headings


def _walker(name: str, about: str, robot: str, *, gains: tuple[float, float], torque: float, mass: float, speeds: tuple[float, float], learner: dict[str, Any]) -> TermTask:
    """torque: weight of their squares; mass: what a base may be heavier or lighter [kg]; speeds: commanded at most, forward and to the left [m/s]."""
    task = TermTask(
        name, robot=robot, about=about, needs=("quadruped",), uses=("vary", "pushes", "patches"), floor=1, gains=gains, learner=learner,
        settings={"solver": "bisection", "dt": 0.005, "decimation": 4, "terrain": "legged-gym", "scan": "min3", "push_interval": 15, "push_speed": 1.0,
                  "vary_friction_low": 0.625, "vary_friction_high": 1.5625, "vary_mass": mass, "action_scale": 0.5 if robot == "anymal" else 0.3})

    def speed(s: Any) -> Any:
        wanted = (2.0 * s.draw("speed", 2) - 1.0) * np.array(speeds)
        return np.where(np.linalg.norm(wanted, axis=-1)[..., None] > 0.2, wanted, 0.0)

    command_headings(task, speed)

    @task.start
    def start(s: Any) -> Any:
        """any heading, angles within 0.15 rad of home, velocities within 0.5"""
        return {"base_position": s.base_position + np.array([0.0, 0.0, 0.02]), "base_turn": s.episode_turn, "base_velocity": s.draw("velocity", 6) - 0.5,
                "actuator_position": s.home_position + 0.15 * (2.0 * s.draw("angles", s.model.nu) - 1.0)}

    @task.reward(1.0, name="tracking-linear")
    def tracking_linear(s: Any) -> Any:
        """exp(-|commanded - actual horizontal velocity|^2 / 0.25), base axes"""
        return legged_gym.tracking_lin_vel(s.command, s.base_linear)

    @task.reward(0.5, name="tracking-angular")
    def tracking_angular(s: Any) -> Any:
        """exp(-(commanded - actual yaw rate)^2 / 0.25)"""
        return legged_gym.tracking_ang_vel(s.command, s.base_angular)

    @task.reward(-2.0, name="linear-z")
    def linear_z(s: Any) -> Any:
        """square of the base's velocity along its own z [m^2/s^2]"""
        return legged_gym.lin_vel_z(s.base_linear)

    @task.reward(-0.05, name="angular-xy")
    def angular_xy(s: Any) -> Any:
        """squares of the roll and pitch rates [rad^2/s^2]"""
        return legged_gym.ang_vel_xy(s.base_angular)

    @task.reward(torque, name="torque")
    def torques(s: Any) -> Any:
        """squares of the joint torques [N^2 m^2]"""
        return legged_gym.torques(s.actuator_force)

    @task.reward(-2.5e-7, name="joint-acceleration")
    def joint_acceleration(s: Any) -> Any:
        """squares of the change of the joint velocities over the control step [rad^2/s^4]"""
        return legged_gym.dof_acc(s.actuator_velocity, s.actuator_velocity_before, s.control_dt)

    @task.reward(-0.01, name="action-rate")
    def action_rate(s: Any) -> Any:
        """squares of the change of the action"""
        return legged_gym.action_rate(s.action, s.action_before)

    @task.reward(-1.0)
    def collision(s: Any) -> Any:
        """shapes other than feet and trunk that touch the ground"""
        return s.others_touch

    @task.reward(1.0, name="air-time")
    def air_time(s: Any) -> Any:
        """time in the air of each foot that touches down, less 0.5 [s]; not while standing is commanded"""
        lands = ((s.foot_force > 1) | (s.memory.touched > 0)) & (s.memory.air > 0)
        landed = np.sum(np.where(lands, s.memory.air + s.control_dt - 0.5, 0.0), axis=-1)
        return np.where(np.sum(np.square(s.command[..., :2]), axis=-1) > 0.01, landed, 0.0)

    @task.memory(4)
    def air(s: Any) -> Any:
        """of each foot its time in the air [s]"""
        return np.where((s.foot_force > 1) | (s.memory.touched > 0), 0.0, s.memory.air + s.control_dt)

    @task.memory(4)
    def touched(s: Any) -> Any:
        """of each foot whether it touched in the last control step: contacts of hard feet chatter"""
        return (s.foot_force > 1).astype(float)

    @task.end
    def fallen(s: Any) -> Any:
        """the trunk on the ground, or leaning by more than 1.2 rad"""
        return (s.torso_force > 1) | (s.base_down[..., 2] > -np.cos(1.2))

    task.observe("base_linear", scale=2.0, noise=0.1)
    task.observe("base_angular", scale=0.25, noise=0.2)
    task.observe("base_down", noise=0.05)

    @task.observe(name="command")
    def commanded(s: Any) -> Any:
        """what is commanded; times 2, 2, 0.25"""
        return s.command * np.array([2.0, 2.0, 0.25])

    task.observe("encoder", noise=0.01)
    task.observe("actuator_velocity", scale=0.05, noise=1.5)
    task.observe("action")
    task.observe("heights", scale=5.0, noise=0.1)
    return task


_LEARNER = {"num_envs": 1024, "desired_kl": 0.02, "hidden": (64, 32)}

anymal_rough = _walker("anymal-rough", "ANYmal (30 kg) follows commanded velocities over stairs, slopes and stones", "anymal", gains=(80.0, 2.0), torque=-1e-5, mass=5.0,
                       speeds=(1.0, 1.0), learner=_LEARNER)
go2_rough = _walker("go2-rough", "Unitree Go2 (15 kg) follows commanded velocities over stairs, slopes and stones", "go2", gains=(70.0, 2.0), torque=-1e-4, mass=2.0,
                    speeds=(1.0, 0.5), learner=_LEARNER)
