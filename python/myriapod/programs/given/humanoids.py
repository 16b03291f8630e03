"""`g1-flat`, `g1-smooth`, `g1-legs`, `h1-flat`, `g1-rough`: Unitree's humanoids follow commanded velocities, on flat ground and over legged_gym's map.

Rewards are holosoma's (Amazon FAR 2025, Apache 2.0: a foot follows a clock, soles are level, feet stay apart) and legged_gym's (Rudin et al. 2022), with
weights and widths that taught both robots to walk with this learner. Left and right are one problem (Abdolhosseini et al. 2019): while the second foot
swings, the policy sees and moves the robot's mirror image. Gains are stiffer than those of the robots' files, which do not hold their poses. Targets march
before anything is learnt (`swing`), and who is told to stand and is pushed steps until it stands again: nearly all that fell had stood."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..._library import ArgumentError
from ...settings import alike
from ...terms import holosoma, legged_gym
from ...terms.rows import beyond, summed_squares
from ..mirror import Sides, Signed
from ..recording import actuators_of
from ..term_task import TermTask
from .heading import command_headings

#: What differs from robot to robot, in training and score: friction 0.3 to 1.2, as mjlab has it, gains, masses, encoders, delays of up to half a control step.
VARIED = {"vary_friction_low": 0.5, "vary_friction_high": 2.0, "vary_gains": 0.1, "vary_strength": 0.1, "vary_mass": 1.0, "vary_com": 0.025, "vary_links": 0.1,
          "vary_encoder": 0.015, "vary_delay": 0.01}
#: Where the ground below a foot is looked at, about its site.
_SOLE = {"kind": "ring", "n": 6, "radius": 0.08}
_FOOT = {"pos": "framepos", "vel": "framelinvel", "up": "framezaxis"}
_MAP = {"terrain": "legged-gym", "scan": "min3", "start_levels": 2}
#: Trained more often with what is hard in the score: pushes, new commands, standing. And to a solver's tolerance of 1e-3, which costs a fifth less.
TRAINED = {"push_interval": 2.0, "push_speed": 0.8, "command_hold": 2.0, "command_keep": 0.5, "command_still": 0.2, "tolerance": 1e-3}


#: Rewards by name: what all joints are trained with, and legs alone, which learn sooner with smoother motions.
SHARP = {"feet-phase": 5.0, "alive": 0.5, "orientation": -3.0, "feet-tilt": -1.0, "angular-xy": -0.1, "action-rate": -0.02, "termination": -400.0}
LEGS_ALONE = {**SHARP, "angular-xy": -0.5, "action-rate": -0.05}
#: What it costs that a joint is not at home, by its actuator's name: hips and knees swing freely.
STRAY = {"*": 5.0, "*_hip_pitch_*": 0.01, "*_knee_*": 0.01, "*_hip_roll_*": 1.0}
#: What is added to the targets of a leg at the height of its swing, by its actuators' names [rad]: so the robot marches from the first iteration on.
SWING = {"*_hip_pitch_*": -0.4, "*_knee_*": 0.8, "*_ankle_pitch_*": -0.4}
LEGS = ("*_hip_*", "*_knee_*", "*_ankle_*")
WEAK = ("waist_*", "*_shoulder_*", "*_elbow_*", "*_wrist_*")


def joint_limit(s: Any) -> Any:
    """how far joints are beyond 0.9 of their range about its middle [rad]"""
    middle, half = (s.position_lower + s.position_upper) / 2.0, 0.45 * (s.position_upper - s.position_lower)
    return beyond(s.actuator_length, middle - half, middle + half)


def walker(name: str, about: str, robot: str, *, feet: tuple[str, ...], soles: str, gains: dict[str, tuple[float, float]], acts: int,
           act: tuple[str, ...] = ("*",), sites: tuple[str, str] = ("left_foot", "right_foot"), below: float = 0.0, weak: tuple[str, ...] = (),
           weak_by: float = 0.3, stray: dict[str, float] = STRAY, swing: dict[str, float] = SWING, weights: dict[str, float] = SHARP,
           learner: dict[str, Any] | None = None, settings: dict[str, Any] | None = None, training: dict[str, Any] | None = None, rough: bool = False, hz: float = 2.0, lift: float = 0.08,
           width: float = 0.003) -> TermTask:
    """The task of a robot on two feet; docs/tutorials/humanoid.md makes one of a robot of one's own.

    robot: as `Model` takes it. feet: names of the only shapes that touch; soles: those of both feet, left ones first in the file. sites: of each foot a site
    or a body whose z is up where the sole is level; below: how far the sole is above it [m]. gains: (kp, kd) by names of actuators. act: the actuators that
    move, `acts` of them, in pairs of left and right; `weak` ones by `weak_by` of the others' part of effort over stiffness. stray: what it costs that a joint
    is not at home, by name. swing: what is added to the targets of the leg that swings, by names of actuators, left ones first in the file [rad]. weights: of
    the rewards, as SHARP. learner: options over those that walkers have; settings: over those of VARIED; training: over TRAINED, in which it is trained otherwise than it is scored.
    rough: over a generated map, which it sees. hz, lift [m]: of the clock's steps; width [m^2]: of the reward for following it."""
    unknown = [term for term in weights if term not in (*SHARP, "joint-speed")]
    if unknown:
        raise ArgumentError(f"{name}: weights: there is no reward {unknown[0]!r}; there are {', '.join((*SHARP, 'joint-speed'))}")
    trained = {k: v for k, v in TRAINED.items() if not (rough and k.startswith("command"))}
    seen: list[dict[str, Any]] = [{"name": f"{side}_foot_{what}", "kind": kind, "of": site} for side, site in zip(("left", "right"), sites)
                                  for what, kind in _FOOT.items()]
    if rough:
        seen += [{"name": f"{side}_foot_above", "kind": "height_scan", "of": site, "pattern": _SOLE, "value": "clearance", "least": True}
                 for side, site in zip(("left", "right"), sites)]
    task = TermTask(name, robot=robot, about=about, feet=feet, needs=("actuators",), uses=("vary", "pushes", *(["patches"] if rough else [])), gains=gains,
                    actions=acts, sensors=seen, mirror=lambda model: across(model), training={**trained, **(training or {})},
                    settings={"solver": "hybrid", "dt": 0.005, "decimation": 4, "push_speed": 0.5, **VARIED, **(_MAP if rough else {}), **(settings or {})},
                    learner={"num_envs": 512, "desired_kl": 0.02, "hidden": (64, 32), "deviation": 0.5, "average": 0.9, "gamma": 0.97, **(learner or {})})

    task.number("lift", lift, 0.0, 1.0, "height of the clock's steps [m]")
    task.number("march", 1.0, 0.0, 1.0, "part of `swing` that is added to targets")
    task.number("pace", hz, 0.1, 10.0, "steps of each foot a second [1/s]")

    def moves(s: Any) -> Any:
        """it is to walk, or was pushed and steps until it stands again: most robots that fell were to stand, and had no step to catch themselves with"""
        return (np.linalg.norm(s.command, axis=-1) > 0.1) | (np.linalg.norm(s.base_linear[..., :2], axis=-1) > 0.25)

    def swings(s: Any) -> Any:
        """of each foot, left and right: from 0 on the ground to 1 where it is highest"""
        height = np.sin(2.0 * np.pi * np.stack([s.memory.phase, s.memory.phase + 0.5], axis=-1))
        return np.where(moves(s)[..., None], np.maximum(0.0, (height - 0.15) / 0.85), 0.0)

    @task.mirror_when
    def second_foot_swings(s: Any) -> Any:
        return (s.memory.phase >= 0.5) & moves(s)

    def driven(model: Any) -> list[int]:
        return actuators_of(model, *act)

    def across(model: Any) -> Signed:
        return Sides(model).actuators.among(driven(model))

    if rough:
        command_headings(task, lambda s: np.where(s.draw("still")[..., None] < s.setting.command_still, 0.0,
                                                  np.concatenate([s.draw("forward")[..., None], 0.4 * s.draw("left")[..., None] - 0.2], axis=-1)))
    else:
        @task.commands(3, every="setting.command-hold")
        def command(s: Any) -> Any:
            """0.5 m/s backward to 1 forward, +-0.4 m/s to the side, +-1 rad/s; some of them to stand"""
            wanted = np.stack([1.5 * s.draw("forward") - 0.5, 0.8 * s.draw("left") - 0.4, 2.0 * s.draw("yaw") - 1.0], axis=-1)
            return np.where(s.draw("still")[..., None] < s.setting.command_still, 0.0, wanted)

    @task.start
    def start(s: Any) -> Any:
        """any heading, anywhere in a step, angles within 0.05 rad of home, velocities within 0.1"""
        return {"base_turn": s.episode_turn, "base_velocity": 0.2 * s.draw("velocity", 6) - 0.1, "memory.phase": s.draw("phase"),
                "actuator_position": s.home_position + 0.05 * (2.0 * s.draw("angles", s.model.nu) - 1.0)}

    @task.act
    def targets(s: Any) -> Any:
        """home, what the leg that swings adds, and 0.4 of effort over stiffness; what does not act stays at home"""
        of, names = driven(s.model), [a.name for a in s.model.actuators]
        size = np.full(len(names), 0.4)
        size[s.actuators_of(*weak) if weak else []] *= weak_by
        place = np.full(len(names), len(of))
        place[of] = np.arange(len(of))
        spread = np.concatenate([s.action, 0.0 * s.action[..., :1]], axis=-1)[..., place]
        legs, leg, turn = swings(s), np.zeros(len(names), int), np.zeros(len(names))
        for pattern, angle in swing.items():
            pair = s.actuators_of(pattern)
            leg[pair[len(pair) // 2 :]], turn[pair] = 1, angle
        target = s.home_length + s.number.march * turn * legs[..., leg] + size * s.effort / s.stiffness * spread
        return {"target": target, "memory.asked": s.action, "memory.before": s.memory.asked}

    task.memory(acts, name="asked")(lambda s: s.memory.asked)
    task.memory(acts, name="before")(lambda s: s.memory.before)

    @task.memory(1)
    def phase(s: Any) -> Any:
        """of the clock, in cycles: the left foot swings in its first half"""
        later = s.memory.phase + s.number.pace * s.control_dt
        return later - np.floor(later)

    def heights(s: Any) -> Any:
        """of the soles, on a map above the highest ground below them"""
        left, right = (s.sensor.left_foot_above, s.sensor.right_foot_above) if rough else (s.sensor.left_foot_pos[..., 2], s.sensor.right_foot_pos[..., 2])
        return np.stack([left, right], axis=-1) + below

    def wanted_heights(s: Any) -> Any:
        return s.number.lift * swings(s)

    @task.reward(3.0, name="tracking-linear")
    def tracking_linear(s: Any) -> Any:
        """exp(-|commanded - actual horizontal velocity|^2 / 0.25), base axes"""
        return holosoma.tracking_lin_vel(s.command, s.base_linear)

    @task.reward(4.0, name="tracking-angular")
    def tracking_angular(s: Any) -> Any:
        """exp(-(commanded - actual yaw rate)^2 / 0.25)"""
        return holosoma.tracking_ang_vel(s.command, s.base_angular)

    def feet_phase(s: Any) -> Any:
        return np.exp(-summed_squares(heights(s) - wanted_heights(s)) / width)

    feet_phase.__doc__ = f"exp(-sum of both feet (height - that of the clock, up to `lift`)^2 / {width:g})"
    task.reward(weights["feet-phase"], name="feet-phase")(feet_phase)

    task.reward(weights["alive"], name="alive")(lambda s: np.ones_like(s.base_above))
    task.termination(weights["termination"])

    @task.reward(weights["orientation"])
    def orientation(s: Any) -> Any:
        """squares of gravity's direction along the base's x and y"""
        return holosoma.penalty_orientation(s.base_down)

    @task.reward(weights["angular-xy"], name="angular-xy")
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

    @task.reward(weights["action-rate"], name="action-rate")
    def action_rate(s: Any) -> Any:
        """squares of the change of the action"""
        return legged_gym.action_rate(s.memory.asked, s.memory.before)

    @task.reward(weights.get("joint-speed", 0.0), name="joint-speed")
    def joint_speed(s: Any) -> Any:
        """squares of the velocities of the joints that act [rad^2/s^2]"""
        return summed_squares(s.actuator_velocity[..., driven(s.model)])

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

    task.reward(-1.0, name="joint-limit")(joint_limit)

    @task.end
    def leans(s: Any) -> Any:
        """by more than 0.8 rad"""
        return s.base_down[..., 2] > -np.cos(0.8)

    @task.end
    def low(s: Any) -> Any:
        """the base is lower than 0.6 of its height at home"""
        return s.base_above < 0.6 * s.home[..., 2]

    task.observe("base_linear", noise=0.05)
    task.observe("base_angular", scale=0.5, noise=0.1)
    task.observe("base_down", noise=0.02)

    @task.observe(name="command", mirror="command")
    def wanted(s: Any) -> Any:
        """commanded speed forward, to the left, yaw rate; times 1, 1, 0.5 [m/s, m/s, rad/s]"""
        return s.command * np.array([1.0, 1.0, 0.5])

    @task.observe(noise=0.01, mirror=across)
    def lengths(s: Any) -> Any:
        """of each actuator that acts its length less that at home, as its encoder has it [rad]"""
        return s.encoder[..., driven(s.model)]

    @task.observe(scale=0.05, noise=0.5, mirror=across)
    def rates(s: Any) -> Any:
        """of each actuator that acts how fast its length grows [rad/s]"""
        return s.actuator_velocity[..., driven(s.model)]

    @task.observe(name="asked", mirror=across)
    def last(s: Any) -> Any:
        """the last action"""
        return s.memory.asked

    @task.observe(mirror=[-1, -2])
    def clock(s: Any) -> Any:
        """sine and cosine of the clock of the foot that swings; 0 where standing is commanded, unless the base is faster than 0.25 m/s"""
        turn = 2.0 * np.pi * s.memory.phase
        return np.where(moves(s)[..., None], np.stack([np.sin(turn), np.cos(turn)], axis=-1), 0.0)

    if rough:
        task.observe("heights", scale=5.0, noise=0.1)
    return task


G1_GAINS = {"*": (40.0, 1.5), "waist_*": (200.0, 6.0), "*_hip_pitch_*": (100.0, 3.5), "*_hip_yaw_*": (100.0, 3.5), "*_hip_roll_*": (150.0, 6.0),
             "*_knee_*": (150.0, 6.0), "*_ankle_*": (60.0, 2.5)}
_G1_LEG_GAINS = {name: gain for name, gain in G1_GAINS.items() if name != "waist_*"}
G1_FEET = ("*_foot2_collision", "*_foot6_collision")
_G1_STRAY = {**STRAY, "*_ankle_pitch_*": 0.01}
_H1_STRAY = {**STRAY, "*_ankle_*": 0.01}

_G1: dict[str, Any] = {"robot": "g1", "feet": G1_FEET, "soles": "*_foot?_collision", "below": 0.002, "gains": G1_GAINS, "acts": 29, "weak": WEAK, "stray": _G1_STRAY,
                       "weights": SHARP, "learner": {"entropy_coef": 0.0005, "desired_kl": 0.05}}

g1_flat = walker("g1-flat", "Unitree G1 (33 kg), all 29 joints, follows commanded velocities on flat ground", **_G1, hz=2.2)
g1_smooth = walker("g1-smooth", "Unitree G1 (33 kg), all 29 joints, alike and not pushed, follows commanded velocities smoothly", **_G1, hz=1.5,
                   settings={"push_speed": 0.0, **alike()}, training={"push_speed": 0.0})
g1_smooth.stage(0, reward_tracking_linear=5.0)
g1_smooth.stage(2e6, march=0.5, lift=0.04, **{"learn.gamma": 0.98})  # once it walks
g1_smooth.stage(2e6, reward_tracking_linear=10.0, reward_tracking_angular=6.0, reward_angular_xy=-8.0, reward_action_rate=-0.08, reward_joint_speed=-0.06)
g1_legs = walker(
    "g1-legs", "Unitree G1 (33 kg), 12 joints of its legs, follows commanded velocities on flat ground", "g1-12dof", feet=G1_FEET, soles="*_foot?_collision",
    below=0.002, gains=_G1_LEG_GAINS, act=LEGS, acts=12, stray=_G1_STRAY, weights=LEGS_ALONE, hz=2.2,
    learner={"entropy_coef": 0.003, "desired_kl": 0.025, "epochs": 5})
h1_flat = walker(
    "h1-flat", "Unitree H1 (52 kg), 10 joints of its legs, follows commanded velocities on flat ground", "h1", feet=("left_ankle", "right_ankle"),
    soles="*_ankle", gains={"*": (100.0, 3.0), "torso*": (300.0, 6.0), "*_hip_*": (200.0, 5.0), "*_knee_*": (300.0, 6.0), "*_ankle_*": (60.0, 2.0)},
    act=LEGS, acts=10, stray=_H1_STRAY, swing={"*_hip_pitch_*": -0.35, "*_knee_*": 0.7, "*_ankle_*": -0.35}, weights=LEGS_ALONE, hz=1.9,
    learner={"entropy_coef": 0.005, "desired_kl": 0.025, "epochs": 5})
g1_rough = walker(
    "g1-rough", "Unitree G1 (33 kg), 12 joints of its legs, follows commanded velocities over stairs, slopes and stones", "g1-12dof", feet=G1_FEET,
    soles="*_foot?_collision", below=0.002, gains=_G1_LEG_GAINS, act=LEGS, acts=12, stray=_G1_STRAY, weights=LEGS_ALONE, rough=True, lift=0.14,
    learner={"entropy_coef": 0.005, "num_envs": 1024, "encoder": 16})
g1_rough.stage(8e7, **{"learn.desired_kl": 0.01, "learn.entropy_coef": 0.002})
g1_rough.stage(1.4e8, **{"learn.desired_kl": 0.005})
