"""`go2-flat`, `go1-flat`: Unitree's Go2 and Go1 follow commanded velocities on flat ground.

Terms and weights are legged_gym's (Rudin et al. 2022, BSD 3-Clause: legged_robot.py, `_reward_*`) as the task locomotion has them, without
those of weight 0. Gains are stiffer than those of the robot's file (kp 70, kd 2, targets home + 0.3 action, for 35, 0.5, 0.5): docs/tables.md says
what these taught."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..term_task import TermTask

def _walker(name: str, robot: str, about: str, learner: dict[str, Any]) -> TermTask:
    task = TermTask(
        name, robot=robot, about=about, needs=("quadruped",), uses=("vary", "pushes"), floor=1, gains=(70.0, 2.0),
        settings={"solver": "bisection", "dt": 0.005, "decimation": 4, "action_scale": 0.3, "push_speed": 0.5, "vary_friction_low": 0.6, "vary_friction_high": 1.4},
        training={"push_interval": 3.0}, learner=learner)

    @task.commands(3, every=10.0)
    def command(s: Any) -> Any:
        """speed forward, to the left [m/s], yaw rate [rad/s]; a tenth of them to stand, slow ones too"""
        wanted = (2 * s.draw("command", 3) - 1) * np.array([1.0, 0.5, 1.0])
        slow = np.linalg.norm(wanted[..., :2], axis=-1) < 0.2
        moved = np.concatenate([np.where(slow[..., None], 0.0, wanted[..., :2]), wanted[..., 2:]], axis=-1)
        return np.where(s.draw("still")[..., None] < 0.1, 0.0, moved)

    @task.start
    def start(s: Any) -> Any:
        """any heading, angles within 0.15 rad of home, velocities within 0.5"""
        return {"base_position": s.base_position + np.array([0.0, 0.0, 0.02]), "base_turn": s.episode_turn, "base_velocity": s.draw("velocity", 6) - 0.5,
                "actuator_position": s.home_position + 0.15 * (2 * s.draw("angles", s.model.nu) - 1)}

    @task.reward(1.0, name="tracking-linear")
    def tracking_linear(s: Any) -> Any:
        """exp(-|commanded - actual horizontal velocity|^2 / 0.25), base axes"""
        return np.exp(-4 * np.sum(np.square(s.command[..., :2] - s.base_linear[..., :2]), axis=-1))

    @task.reward(0.5, name="tracking-angular")
    def tracking_angular(s: Any) -> Any:
        """exp(-(commanded - actual yaw rate)^2 / 0.25)"""
        return np.exp(-4 * np.square(s.command[..., 2] - s.base_angular[..., 2]))

    @task.reward(-2.0, name="linear-z")
    def linear_z(s: Any) -> Any:
        """square of the base's velocity along its own z [m^2/s^2]"""
        return np.square(s.base_linear[..., 2])

    @task.reward(-0.05, name="angular-xy")
    def angular_xy(s: Any) -> Any:
        """squares of the roll and pitch rates [rad^2/s^2]"""
        return np.sum(np.square(s.base_angular[..., :2]), axis=-1)

    @task.reward(-5.0)
    def orientation(s: Any) -> Any:
        """squares of gravity's direction along the base's x and y"""
        return np.sum(np.square(s.base_down[..., :2]), axis=-1)

    @task.reward(-2e-4)
    def torque(s: Any) -> Any:
        """squares of the joint torques [N^2 m^2]"""
        return np.sum(np.square(s.actuator_force), axis=-1)

    @task.reward(-2.5e-7, name="joint-acceleration")
    def joint_acceleration(s: Any) -> Any:
        """squares of the change of the joint velocities over the control step [rad^2/s^4]"""
        return np.sum(np.square((s.actuator_velocity - s.actuator_velocity_before) / s.control_dt), axis=-1)

    @task.reward(-0.01, name="action-rate")
    def action_rate(s: Any) -> Any:
        """squares of the change of the action"""
        return np.sum(np.square(s.action - s.action_before), axis=-1)

    @task.reward(-1.0)
    def collision(s: Any) -> Any:
        """shapes other than feet and trunk that touch the ground"""
        return s.others_touch

    @task.reward(2.0, name="air-time")
    def air_time(s: Any) -> Any:
        """time in the air of each foot that touches down, less 0.4 [s]; not while standing is commanded"""
        lands = ((s.foot_force > 1) | (s.memory.touched > 0)) & (s.memory.air > 0)
        landed = np.sum(np.where(lands, s.memory.air + s.control_dt - 0.4, 0.0), axis=-1)
        return np.where(np.sum(np.square(s.command), axis=-1) > 0.01, landed, 0.0)

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
        """the trunk on the ground, or leaning by more than 1 rad"""
        return (s.torso_force > 1) | (s.base_down[..., 2] > -np.cos(1.0))

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

    return task


_LEARNER = {"num_envs": 512, "desired_kl": 0.02, "hidden": (64, 32)}

flat = _walker("go2-flat", "go2", "Unitree Go2 (15 kg) on flat ground follows commanded velocities", _LEARNER)
go1_flat = _walker("go1-flat", "go1", "Unitree Go1 (13 kg) on flat ground follows commanded velocities", _LEARNER)
