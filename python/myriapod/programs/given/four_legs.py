"""What walkers on four legs share: legged_gym's terms, starts and observations (Rudin et al. 2022, BSD 3-Clause: legged_robot.py, `_reward_*`)."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...terms import legged_gym
from ..term_task import TermTask


def walk_on_four_legs(task: TermTask, *, torque: float, air_time: float, flight: float, lean: float, orientation: float = 0.0, turning_walks: bool = True) -> None:
    """Gives the task, which has its command, all but that. torque, air_time, orientation: weights; flight: time in the air that is wanted [s]; lean: at which
    an episode ends [rad]; turning_walks: steps are paid where a yaw rate alone is commanded, too."""
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

    if orientation:
        @task.reward(orientation, name="orientation")
        def level(s: Any) -> Any:
            """squares of gravity's direction along the base's x and y"""
            return legged_gym.orientation(s.base_down)

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

    def flown(s: Any) -> Any:
        lands = ((s.foot_force > 1) | (s.memory.touched > 0)) & (s.memory.air > 0)
        landed = np.sum(np.where(lands, s.memory.air + s.control_dt - flight, 0.0), axis=-1)
        asked = s.command if turning_walks else s.command[..., :2]
        return np.where(np.sum(np.square(asked), axis=-1) > 0.01, landed, 0.0)

    flown.__doc__ = f"time in the air of each foot that touches down, less {flight:g} [s]; not while standing is commanded"
    task.reward(air_time, name="air-time")(flown)

    @task.memory(4)
    def air(s: Any) -> Any:
        """of each foot its time in the air [s]"""
        return np.where((s.foot_force > 1) | (s.memory.touched > 0), 0.0, s.memory.air + s.control_dt)

    @task.memory(4)
    def touched(s: Any) -> Any:
        """of each foot whether it touched in the last control step: contacts of hard feet chatter"""
        return (s.foot_force > 1).astype(float)

    def fallen(s: Any) -> Any:
        return (s.torso_force > 1) | (s.base_down[..., 2] > -np.cos(lean))

    fallen.__doc__ = f"the trunk on the ground, or leaning by more than {lean:g} rad"
    task.end(fallen)

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
