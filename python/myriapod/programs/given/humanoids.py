"""`g1-flat`, `g1-legs`, `h1-flat`: Unitree's humanoids follow commanded velocities on flat ground.

Rewards are holosoma's (Amazon FAR 2025, Apache 2.0: a foot follows a clock, soles are level, feet stay apart) and legged_gym's (Rudin et al. 2022), with
weights and widths that taught both robots to walk with this learner. Left and right are one problem (Abdolhosseini et al. 2019): while the second foot
swings, the policy sees and moves the robot's mirror image. Gains are stiffer than those of the robots' files, which do not hold their poses."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...terms import holosoma, legged_gym
from ...terms.rows import beyond, summed_squares
from ..term_task import TermTask

_HEADING = np.array([1.0, -1.0, 1.0])  #: mirror image of a vector
_TURNING = np.array([-1.0, 1.0, -1.0])  #: of a turn
_AGAIN = np.array([1.0, -1.0, -1.0])  #: of a command: forward, left, yaw rate


def _mirror(names: list[str]) -> tuple[list[int], np.ndarray]:
    """Of joints, by their names: the joint on the other side, and the sign of its angle there."""
    other = {"left": "right", "right": "left"}
    across = [names.index("_".join(other.get(word, word) for word in name.split("_"))) for name in names]
    return across, np.array([-1.0 if "roll" in name or "yaw" in name else 1.0 for name in names])


def _walker(name: str, about: str, robot: str, *, feet: tuple[str, ...], soles: str, below: float, gains: dict[str, tuple[float, float]], act: tuple[str, ...], acts: int,
            weak: tuple[str, ...] = (), weak_by: float = 0.3, stray: dict[str, float], hz: float, lift: float, width: float, weights: dict[str, float],
            learner: dict[str, Any]) -> TermTask:
    """soles: names of the shapes of both feet; below: how far the sites of the feet are below the soles [m]. act: the actuators that move, `acts` of them, `weak` ones by
    `weak_by` of the others' part of effort over stiffness; stray: what it costs that a joint is not at home, by name. hz, lift, width: of the clock's steps."""
    task = TermTask(name, robot=robot, about=about, feet=feet, needs=("actuators",), uses=("vary", "pushes"), gains=gains, actions=acts,
                    settings={"solver": "hybrid", "dt": 0.005, "decimation": 4, "push_speed": 0.2}, training={},
                    learner={"num_envs": 512, "desired_kl": 0.02, "hidden": (64, 32), "deviation": 0.5, "average": 0.9, **learner})

    def moves(s: Any) -> Any:
        return np.linalg.norm(s.command, axis=-1) > 0.1

    def swapped(s: Any) -> Any:
        return ((s.memory.phase >= 0.5) & moves(s))[..., None]

    def seen(s: Any, x: Any, sign: np.ndarray) -> Any:
        return np.where(swapped(s), x * sign, x)

    def joints(s: Any, x: Any, of: list[int]) -> Any:
        across, sign = _mirror([s.model.actuators[k].name for k in of])
        return np.where(swapped(s), x[..., across] * sign, x)

    def driven(s: Any) -> list[int]:
        return list(s.actuators_of(*act))

    @task.commands(3, every=10.0)
    def command(s: Any) -> Any:
        """0 to 1 m/s forward, +-1 rad/s; a tenth of them to stand"""
        wanted = np.concatenate([s.draw("forward")[..., None], 0.0 * s.draw("left")[..., None], 2.0 * s.draw("yaw")[..., None] - 1.0], axis=-1)
        return np.where(s.draw("still")[..., None] < 0.1, 0.0, wanted)

    @task.start
    def start(s: Any) -> Any:
        """any heading, anywhere in a step, angles within 0.05 rad of home, velocities within 0.1"""
        return {"base_turn": s.episode_turn, "base_velocity": 0.2 * s.draw("velocity", 6) - 0.1, "memory.phase": s.draw("phase"),
                "actuator_position": s.home_position + 0.05 * (2.0 * s.draw("angles", s.model.nu) - 1.0)}

    @task.act
    def targets(s: Any) -> Any:
        """home and 0.4 of effort over stiffness; what does not act stays at home"""
        of, names = driven(s), [a.name for a in s.model.actuators]
        size = np.full(len(names), 0.4)
        size[s.actuators_of(*weak) if weak else []] *= weak_by
        place = np.full(len(names), len(of))
        place[of] = np.arange(len(of))
        asked = joints(s, s.action, of)
        spread = np.concatenate([asked, 0.0 * asked[..., :1]], axis=-1)[..., place]
        return {"target": s.home_length + size * s.effort / s.stiffness * spread, "memory.asked": asked, "memory.before": s.memory.asked}

    task.memory(acts, name="asked")(lambda s: s.memory.asked)
    task.memory(acts, name="before")(lambda s: s.memory.before)

    @task.memory(1)
    def phase(s: Any) -> Any:
        """of the clock, in cycles: the left foot swings in its first half"""
        later = s.memory.phase + hz * s.control_dt
        return later - np.floor(later)

    def heights(s: Any) -> Any:
        return np.stack([s.sensor.left_foot_pos[..., 2], s.sensor.right_foot_pos[..., 2]], axis=-1) + below

    def wanted_heights(s: Any) -> Any:
        swing = np.sin(2.0 * np.pi * np.stack([s.memory.phase, s.memory.phase + 0.5], axis=-1))
        return np.where(moves(s)[..., None], lift * np.maximum(0.0, (swing - 0.15) / 0.85), 0.0)

    @task.reward(3.0, name="tracking-linear")
    def tracking_linear(s: Any) -> Any:
        """exp(-|commanded - actual horizontal velocity|^2 / 0.25), base axes"""
        return holosoma.tracking_lin_vel(s.command, s.base_linear)

    @task.reward(2.0, name="tracking-angular")
    def tracking_angular(s: Any) -> Any:
        """exp(-(commanded - actual yaw rate)^2 / 0.25)"""
        return holosoma.tracking_ang_vel(s.command, s.base_angular)

    @task.reward(weights["feet-phase"], name="feet-phase")
    def feet_phase(s: Any) -> Any:
        return np.exp(-summed_squares(heights(s) - wanted_heights(s)) / width)

    feet_phase.__doc__ = f"exp(-sum of both feet (height - that of the clock, up to {lift:g} m)^2 / {width:g})"

    task.reward(weights["alive"], name="alive")(lambda s: np.ones_like(s.base_above))
    task.termination(-100.0)

    @task.reward(weights["orientation"])
    def orientation(s: Any) -> Any:
        """squares of gravity's direction along the base's x and y"""
        return holosoma.penalty_orientation(s.base_down)

    @task.reward(-0.1, name="angular-xy")
    def angular_xy(s: Any) -> Any:
        """squares of the roll and pitch rates [rad^2/s^2]"""
        return holosoma.penalty_ang_vel_xy(s.base_angular)

    @task.reward(weights["feet-tilt"], name="feet-tilt")
    def feet_tilt(s: Any) -> Any:
        """squares of the sines by which the soles lean"""
        return summed_squares(s.sensor.left_foot_up[..., :2]) + summed_squares(s.sensor.right_foot_up[..., :2])

    @task.reward(-3.0, name="close-feet")
    def close_feet(s: Any) -> Any:
        """1 where the feet are nearer to each other than 0.15 m, across the heading"""
        return holosoma.penalty_close_feet_xy(s.base_turn, s.sensor.left_foot_pos, s.sensor.right_foot_pos)

    @task.reward(-0.02, name="action-rate")
    def action_rate(s: Any) -> Any:
        """squares of the change of the action"""
        return legged_gym.action_rate(s.memory.asked, s.memory.before)

    @task.reward(-0.5)
    def pose(s: Any) -> Any:
        """squares of how far joints are from home, by how little each should be [rad^2]"""
        cost = np.zeros(s.model.nu)
        for pattern, weight in stray.items():
            cost[s.actuators_of(pattern)] = weight
        return holosoma.pose(s.actuator_length, s.home_length, cost)

    @task.reward(-0.25)
    def slip(s: Any) -> Any:
        """squares of the horizontal velocities of feet that carry more than 1 N [m^2/s^2]"""
        shapes = s.geoms_of(soles)
        half = len(shapes) // 2  # left ones first
        loads = [np.sum(s.geom_force[..., shapes[:half]], axis=-1), np.sum(s.geom_force[..., shapes[half:]], axis=-1)]
        speeds = [summed_squares(s.sensor.left_foot_vel[..., :2]), summed_squares(s.sensor.right_foot_vel[..., :2])]
        return sum(np.where(load > 1.0, speed, 0.0) for load, speed in zip(loads, speeds))

    @task.reward(-1.0, name="joint-limit")
    def joint_limit(s: Any) -> Any:
        """how far joints are beyond 0.9 of their range about its middle [rad]"""
        middle, half = (s.position_lower + s.position_upper) / 2.0, 0.45 * (s.position_upper - s.position_lower)
        return beyond(s.actuator_length, middle - half, middle + half)

    @task.end
    def leans(s: Any) -> Any:
        """by more than 0.8 rad"""
        return s.base_down[..., 2] > -np.cos(0.8)

    @task.end
    def low(s: Any) -> Any:
        """the base is lower than 0.6 of its height at home"""
        return s.base_above < 0.6 * s.home[..., 2]

    def looks(name: str, words: str, rows: Any, scale: float | None = None, noise: float | None = None) -> None:
        def part(s: Any) -> Any:
            return rows(s)

        part.__doc__ = words
        task.observe(name=name, scale=scale, noise=noise)(part)

    looks("base_linear", "linear velocity of the base's origin, base axes, x forward [m/s]", lambda s: seen(s, s.base_linear, _HEADING), noise=0.05)
    looks("base_angular", "angular velocity of the base, base axes, x forward [rad/s]", lambda s: seen(s, s.base_angular, _TURNING), 0.5, 0.1)
    looks("base_down", "direction of down, base axes, x forward [1]", lambda s: seen(s, s.base_down, _HEADING), noise=0.02)
    looks("command", "commanded speed forward, to the left, yaw rate; times 1, 1, 0.5 [m/s, m/s, rad/s]",
          lambda s: seen(s, s.command, _AGAIN) * np.array([1.0, 1.0, 0.5]))
    looks("lengths", "of each actuator that acts its length less that at home, as its encoder has it [rad]",
          lambda s: joints(s, s.encoder[..., driven(s)], driven(s)), noise=0.01)
    looks("rates", "of each actuator that acts how fast its length grows [rad/s]",
          lambda s: joints(s, s.actuator_velocity[..., driven(s)], driven(s)), 0.05, 0.5)
    looks("asked", "the last action", lambda s: joints(s, s.memory.asked, driven(s)))

    @task.observe()
    def clock(s: Any) -> Any:
        """sine and cosine of the clock of the foot that swings; 0 where standing is commanded"""
        turn = 2.0 * np.pi * s.memory.phase
        both = np.stack([np.sin(turn), np.cos(turn)], axis=-1)
        return np.where(moves(s)[..., None], np.where(swapped(s), -both, both), 0.0)

    return task


_LEGS = ("*_hip_*", "*_knee_*", "*_ankle_*")
_G1_GAINS = {"*": (40.0, 1.5), "waist_*": (200.0, 6.0), "*_hip_pitch_*": (100.0, 3.5), "*_hip_yaw_*": (100.0, 3.5), "*_hip_roll_*": (150.0, 6.0),
             "*_knee_*": (150.0, 6.0), "*_ankle_*": (60.0, 2.5)}
_G1_FEET = ("*_foot2_collision", "*_foot6_collision")
_STRAY = {"*": 5.0, "*_hip_pitch_*": 0.01, "*_knee_*": 0.01, "*_hip_roll_*": 1.0}
_G1_STRAY = {**_STRAY, "*_ankle_pitch_*": 0.01}
_H1_STRAY = {**_STRAY, "*_ankle_*": 0.01}
_SHARP = {"feet-phase": 5.0, "alive": 0.5, "orientation": -3.0, "feet-tilt": -1.0}

g1_flat = _walker(
    "g1-flat", "Unitree G1 (33 kg), all 29 joints, follows commanded velocities on flat ground", "g1", feet=_G1_FEET, soles="*_foot?_collision", below=0.002,
    gains=_G1_GAINS, act=("*",), acts=29, weak=("waist_*", "*_shoulder_*", "*_elbow_*", "*_wrist_*"), stray=_G1_STRAY, hz=1.25, lift=0.09, width=0.004,
    weights={"feet-phase": 4.0, "alive": 1.0, "orientation": -5.0, "feet-tilt": -2.0}, learner={"entropy_coef": 0.002})
g1_legs = _walker(
    "g1-legs", "Unitree G1 (33 kg), 12 joints of its legs, follows commanded velocities on flat ground", "g1", feet=_G1_FEET, soles="*_foot?_collision", below=0.002,
    gains=_G1_GAINS, act=_LEGS, acts=12, stray=_G1_STRAY, hz=1.5, lift=0.08, width=0.003, weights=_SHARP, learner={"entropy_coef": 0.005})
h1_flat = _walker(
    "h1-flat", "Unitree H1 (52 kg), 10 joints of its legs, follows commanded velocities on flat ground", "h1", feet=("left_ankle", "right_ankle"), soles="*_ankle",
    below=0.0, gains={"*": (100.0, 3.0), "torso*": (300.0, 6.0), "*_hip_*": (200.0, 5.0), "*_knee_*": (300.0, 6.0), "*_ankle_*": (60.0, 2.0)}, act=_LEGS, acts=10,
    stray=_H1_STRAY, hz=1.5, lift=0.08, width=0.003, weights=_SHARP, learner={"entropy_coef": 0.008})
