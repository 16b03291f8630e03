"""The terms of the field: recorded beside NumPy, and beside their sources.

Gymnasium's are held to its own package, in its own states. The others' formulas are typed again here from their files, robot by robot, in plain numbers:
legged_gym/envs/base/legged_robot.py (legged_gym 8fa29ac), src/mjlab/tasks/velocity/mdp/rewards.py, terminations.py and src/mjlab/envs/mdp (mjlab 1.6.0; 0eda4e7
where a module says so), mujoco_playground/_src/locomotion/go1 and g1/joystick.py, _src/gait.py (d5e6b47), the velocity, reach and in-hand tasks of Isaac Lab
(00b36b7, 05d1723, 0f83bb4, 032e26b), src/holosoma/holosoma/managers/reward/terms/locomotion.py (fc600e7), tasks/tracking/mdp (whole_body_tracking cd65172)."""
from math import acos, atan2, cos, exp, log, pi, sin, sqrt, tanh

import numpy as np
import pytest
from myriapod import TermTask, record
from myriapod.terms import cube, gymnasium, holosoma, isaaclab, legged_gym, mjlab, playground, reach, rows, tracking
from term_states import ALWAYS, MODULES, N, states, terms

CASES = [(module, name) for module in MODULES for name in terms(module)]


def called(x) -> str:
    return x if isinstance(x, str) else x.__name__.split(".")[-1]


@pytest.mark.parametrize("module, name", CASES, ids=called)
def test_recorded_it_is_what_it_is_on_arrays(module, name: str) -> None:
    arrays, numbers = states(module, name)
    term = getattr(module, name)

    def written(**given):  # one number per robot is (n,) in a task
        flat = {key: x[..., 0] if arrays[key].ndim == 1 else x for key, x in given.items()}
        return {"term": term(**flat, **numbers)}

    program = record(written, **{key: x.shape[1] if x.ndim == 2 else 1 for key, x in arrays.items()})
    apart = program.check(**{key: x if x.ndim == 2 else x[:, None] for key, x in arrays.items()})
    assert apart["term"] < 1e-12
    given = np.asarray(term(**arrays, **numbers), float)
    assert len(given) == N and np.isfinite(given).all()
    assert (np.std(given) > 0) != ((module, name) in ALWAYS)  # states in which it says something


def test_every_term_has_a_test_and_its_words() -> None:
    assert len(CASES) > 200
    for module, name in CASES:
        assert (terms(module)[name].__doc__ or "").strip() and "\n" not in terms(module)[name].__doc__, f"{called(module)}.{name} has no line of words"
        assert module is gymnasium or (module, name) in TYPED, f"{called(module)}.{name} is not held to its source: type its formula in TYPED"
    held = "".join(open(__file__, encoding="utf-8").read().split("own package")[-1])
    for name in terms(gymnasium):
        assert f"gymnasium.{name}(" in held, f"gymnasium.{name} is not held to the package"


# ---- the sources' formulas, robot by robot: s.NAME is a number, or a list of them ----------------------------------------------


def dot(x, y) -> float:
    return sum(a * b for a, b in zip(x, y))


def squares(x) -> float:
    return dot(x, x)


def norm(x) -> float:
    return sqrt(squares(x))


def less(x, y) -> list:
    return [a - b for a, b in zip(x, y)]


def summed(x) -> float:
    return sum(abs(a) for a in x)


def beyond(x, lower, upper) -> float:
    return sum(-min(a - b, 0.0) + max(a - c, 0.0) for a, b, c in zip(x, lower, upper))


def landed(mask, values) -> float:
    return sum(v for m, v in zip(mask, values) if m > 0)


def three(x) -> list:
    return [x[k:k + 3] for k in range(0, len(x), 3)]


def four(x) -> list:
    return [x[k:k + 4] for k in range(0, len(x), 4)]


def mul(a, b) -> list:
    (w, x, y, z), (p, q, r, s) = a, b
    return [w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r, w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p]


def back(q) -> list:
    return [q[0], -q[1], -q[2], -q[3]]


def turned(q, x) -> list:
    return mul(mul(q, [0.0, *x]), back(q))[1:]


def angle(a, b) -> float:
    q = mul(a, back(b))
    return 2.0 * atan2(norm(q[1:]), abs(q[0]))


def yaw(q) -> list:
    half = 0.5 * atan2(2.0 * (q[0] * q[3] + q[1] * q[2]), 1.0 - 2.0 * (q[2] ** 2 + q[3] ** 2))
    return [cos(half), 0.0, 0.0, sin(half)]


def columns(q) -> list:
    matrix = [turned(q, axis) for axis in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])]
    return [matrix[j][i] for i in range(3) for j in range(2)]


def speed(command) -> float:
    return norm(command[:2]) + abs(command[2])


def bezier(start: float, end: float, x: float) -> float:
    return start + (end - start) * (x**3 + 3 * (x**2 * (1 - x)))


def rz(phi: float, height: float) -> float:
    x = (phi + pi) / (2 * pi)
    return bezier(0.0, height, 2 * x) if x <= 0.5 else bezier(height, 0.0, 2 * x - 1)


def follows(x, wanted, std: float) -> float:
    return exp(-sum(squares(less(a, b)) for a, b in zip(three(x), three(wanted))) / (len(x) // 3) / std**2)


def turns_with(x, wanted, std: float) -> float:
    return exp(-sum(angle(a, b) ** 2 for a, b in zip(four(x), four(wanted))) / (len(x) // 4) / std**2)


def postures(s, std) -> float:
    return exp(-sum((a / b) ** 2 for a, b in zip(less(s.joint_pos, s.default_joint_pos), std)) / 12)


def hand(s) -> float:
    far, turn = norm(less(s.object_pos, s.target_pos)), angle(s.object_rot, s.target_rot)
    return -10.0 * far + 1.0 / (turn + 0.1) - 2e-4 * squares(s.actions) + 250.0 * (turn <= 2.0) - 7.0 * (far >= 0.24)


def heading(s) -> list:
    return turned(back(yaw(s.root_quat_w)), s.root_lin_vel_w)


def relative(s) -> list:
    turn = yaw(mul(s.robot_anchor_quat_w, back(s.anchor_quat_w)))
    place = [*s.robot_anchor_pos_w[:2], s.anchor_pos_w[2]]
    return [a + b for x in three(s.body_pos_w) for a, b in zip(place, turned(turn, less(x, s.anchor_pos_w)))]


def biped(s) -> float:
    down = [t > 0 for t in s.current_contact_time]
    mode = [c if d else a for c, a, d in zip(s.current_contact_time, s.current_air_time, down)]
    return min(min(mode) if sum(down) == 1 else 0.0, 0.4) * (norm(s.command[:2]) > 0.1)


def close_feet(s) -> bool:
    ahead = turned(s.base_quat, [1.0, 0.0, 0.0])
    turn, (x, y, _) = atan2(ahead[1], ahead[0]), less(s.left_foot_pos, s.right_foot_pos)
    return abs(cos(turn) * y - sin(turn) * x) < 0.15


DOWN = [0.0, 0.0, -1.0]
FORMULAS: dict = {
    legged_gym: {
        "lin_vel_z": lambda s: s.base_lin_vel[2] ** 2, "ang_vel_xy": lambda s: squares(s.base_ang_vel[:2]), "orientation": lambda s: squares(s.projected_gravity[:2]),
        "base_height": lambda s: (sum(s.height) / 5 - 0.3) ** 2, "torques": lambda s: squares(s.torques), "dof_vel": lambda s: squares(s.dof_vel),
        "dof_acc": lambda s: sum(((b - a) / 0.02) ** 2 for a, b in zip(s.dof_vel, s.last_dof_vel)), "action_rate": lambda s: squares(less(s.last_actions, s.actions)),
        "collision": lambda s: sum(1.0 for f in s.force if f > 0.1), "dof_pos_limits": lambda s: beyond(s.dof_pos, s.lower, s.upper),
        "dof_vel_limits": lambda s: sum(min(max(abs(a) - b * 1.0, 0.0), 1.0) for a, b in zip(s.dof_vel, s.dof_vel_limits)),
        "torque_limits": lambda s: sum(max(abs(a) - b * 1.0, 0.0) for a, b in zip(s.torques, s.torque_limits)),
        "tracking_lin_vel": lambda s: exp(-squares(less(s.commands[:2], s.base_lin_vel[:2])) / 0.25), "tracking_ang_vel": lambda s: exp(-((s.commands[2] - s.base_ang_vel[2]) ** 2) / 0.25),
        "contact_filtered": lambda s: [f > 1.0 or c > 0 for f, c in zip(s.foot_force, s.last_contacts)],
        "feet_air_time": lambda s: (norm(s.commands[:2]) > 0.1) * sum((t + 0.02 - 0.5) * (t > 0 and (f > 1 or c > 0)) for f, c, t in zip(s.foot_force, s.last_contacts, s.air_time)),
        "next_air_time": lambda s: [(t + 0.02) * (not (f > 1 or c > 0)) for f, c, t in zip(s.foot_force, s.last_contacts, s.air_time)],
        "stand_still": lambda s: summed(less(s.dof_pos, s.default_dof_pos)) * (norm(s.commands[:2]) < 0.1),
        "feet_contact_forces": lambda s: sum(max(f - 2.0, 0.0) for f in s.foot_force), "stumble": lambda s: any(norm(f[:2]) > 5 * abs(f[2]) for f in three(s.foot_force)),
        "termination": lambda s: s.reset > 0 and not s.time_out > 0, "check_termination": lambda s: any(f > 1.0 for f in s.force), "time_out": lambda s: s.episode_length > 0.5,
        "compute_observations": lambda s: [*(2.0 * x for x in s.base_lin_vel), *(0.25 * x for x in s.base_ang_vel), *s.projected_gravity, 2.0 * s.commands[0], 2.0 * s.commands[1],
                                           0.25 * s.commands[2], *less(s.dof_pos, s.default_dof_pos), *(0.05 * x for x in s.dof_vel), *s.actions],
        "heights": lambda s: [min(max(s.base_z - 0.5 - h, -1.0), 1.0) * 5.0 for h in s.measured_heights]},
    playground: {
        "tracking_lin_vel": lambda s: exp(-squares(less(s.commands[:2], s.local_vel[:2])) / 0.25), "tracking_ang_vel": lambda s: exp(-((s.commands[2] - s.ang_vel[2]) ** 2) / 0.25),
        "lin_vel_z": lambda s: s.global_linvel[2] ** 2, "ang_vel_xy": lambda s: squares(s.global_angvel[:2]), "orientation": lambda s: squares(s.torso_zaxis[:2]),
        "torques": lambda s: norm(s.torques) + summed(s.torques), "energy": lambda s: sum(abs(a) * abs(b) for a, b in zip(s.qvel, s.qfrc_actuator)),
        "action_rate": lambda s: squares(less(s.act, s.last_act)), "pose": lambda s: exp(-sum((a - b) ** 2 * w for a, b, w in zip(s.qpos, s.default_pose, s.weight))),
        "stand_still": lambda s: summed(less(s.qpos, s.default_pose)) * (norm(s.commands) < 0.01), "joint_pos_limits": lambda s: beyond(s.qpos, s.soft_lowers, s.soft_uppers),
        "feet_slip": lambda s: landed(s.contact, [v * v for v in s.foot_speed]) * (norm(s.commands) > 0.01),
        "feet_clearance": lambda s: sum(abs(z - 0.1) * sqrt(v) for z, v in zip(s.foot_height, s.foot_speed)),
        "feet_height": lambda s: landed(s.first_contact, [(z / 0.1 - 1.0) ** 2 for z in s.swing_peak]) * (norm(s.commands) > 0.01),
        "feet_air_time": lambda s: landed(s.first_contact, [t - 0.1 for t in s.air_time]) * (norm(s.commands) > 0.01),
        "feet_phase": lambda s: exp(-squares(less(s.foot_height, s.wanted_height)) / 0.01), "fallen": lambda s: s.upvector[2] < 0.0, "termination": lambda s: s.done > 0,
        "first_contact": lambda s: [t > 0 and (a > 0 or b > 0) for t, a, b in zip(s.air_time, s.contact, s.last_contact)],
        "next_air_time": lambda s: [(t + 0.02) * (not c > 0) for t, c in zip(s.air_time, s.contact)],
        "next_swing_peak": lambda s: [max(p, z) * (not c > 0) for p, z, c in zip(s.swing_peak, s.foot_height, s.contact)],
        "state": lambda s: [*s.linvel, *s.gyro, *s.gravity, *less(s.joint_angles, s.default_pose), *s.joint_vel, *s.last_act, *s.command],
        "get_rz": lambda s: [rz(p, 0.08) for p in s.phi], "next_phase": lambda s: [np.fmod(p + 0.1 + pi, 2 * pi) - pi for p in s.phase],
        "g1_lin_vel_z": lambda s: s.global_linvel_torso[2] ** 2 + s.global_linvel_pelvis[2] ** 2, "g1_orientation": lambda s: squares(less(s.torso_zaxis, [0.073, 0.0, 1.0])),
        "base_height": lambda s: (s.base_height - 0.5) ** 2, "g1_torques": lambda s: summed(s.torques), "dof_acc": lambda s: squares(s.qacc),
        "g1_pose": lambda s: squares(less(s.qpos, s.default_pose)), "g1_joint_deviation_knee": lambda s: summed(less(s.knees, s.default_knees)),
        "g1_joint_deviation_hip": lambda s: dot(map(abs, less(s.hips, s.default_hips)), [0.0, 1.0, 0.0, 1.0] if s.cmd[1] > 0.1 else [1.0] * 4),
        "g1_feet_slip": lambda s: sum(norm(s.body_linvel[:2]) * (c > 0) for c in s.contact),
        "g1_feet_height": lambda s: landed(s.first_contact, [(z / 0.15 - 1.0) ** 2 for z in s.swing_peak]),
        "g1_feet_air_time": lambda s: sum(min((t - 0.2) * (c > 0), 0.5 - 0.2) for t, c in zip(s.air_time, s.first_contact)),
        "g1_feet_phase": lambda s: exp(-sum((z - rz(p, 0.15)) ** 2 for z, p in zip(s.foot_height, s.phase)) / 0.01) * (
            norm(s.body_linvel[:2]) > 0.1 or abs(s.body_angvel[2]) > 0.1 or norm(s.command) > 0.01),
        "g1_collision": lambda s: any(c > 0 for c in s.contact), "g1_contact_force": lambda s: sum(max(abs(f) - 2.0, 0.0) for f in s.foot_force_z),
        "g1_fallen": lambda s: s.torso_zaxis[2] < 0.0 or any(c > 0 for c in s.contact),
        "g1_state": lambda s: [*s.linvel, *s.gyro, *s.gravity, *s.command, *less(s.joint_angles, s.default_pose), *s.joint_vel, *s.last_act, *map(cos, s.phase), *map(sin, s.phase)]},
    mjlab: {
        "track_linear_velocity": lambda s: exp(-squares(less([*s.command[:2], 0.0], s.root_link_lin_vel_b)) / 0.5**2),
        "track_angular_velocity": lambda s: exp(-squares(less([0.0, 0.0, s.command[2]], s.root_link_ang_vel_b)) / sqrt(0.5) ** 2),
        "upright": lambda s: exp(-squares(s.projected_gravity_b[:2]) / sqrt(0.2) ** 2), "posture": lambda s: postures(s, s.std),
        "variable_posture": lambda s: postures(s, s.std_standing if speed(s.command) < 0.05 else s.std_walking if speed(s.command) < 1.5 else s.std_running),
        "body_angular_velocity_penalty": lambda s: squares(s.body_ang_vel[:2]), "angular_momentum_penalty": lambda s: squares(s.angular_momentum),
        "joint_pos_limits": lambda s: beyond(s.joint_pos, s.lower, s.upper), "action_rate_l2": lambda s: squares(less(s.action, s.prev_action)),
        "feet_slide": lambda s: landed(s.contact, s.foot_speed), "foot_clearance_reward": lambda s: exp(-sum((z - 0.1) ** 2 * tanh(2.0 * v) for z, v in zip(s.foot_height, s.foot_speed)) / 0.05),
        "bad_orientation": lambda s: abs(acos(min(max(-s.projected_gravity_b[2], -1.0), 1.0))) > 70 * pi / 180, "root_height_below_minimum": lambda s: s.root_z < 0.3,
        "illegal_contact": lambda s: any(f > 2.0 for f in s.force), "time_out": lambda s: s.episode_length >= 0.5,
        "out_of_terrain_bounds": lambda s: abs(s.root_xy[0]) > 0.5 or abs(s.root_xy[1]) > 1.0,
        "feet_air_time": lambda s: sum(1.0 for t in s.current_air_time if 0.05 < t < 0.5) * (speed(s.command) > 0.5),
        "feet_clearance": lambda s: sum(abs(z - 0.1) * v for z, v in zip(s.foot_height, s.foot_speed)) * (speed(s.command) > 0.05),
        "first_contact": lambda s: [0 < t < 0.02 + 1e-6 for t in s.current_contact_time],
        "next_peak_height": lambda s: [0.0 if f > 0 else p if c > 0 else max(p, z) for p, z, c, f in zip(s.peak_height, s.foot_height, s.contact, s.first_contact)],
        "feet_swing_height": lambda s: landed(s.first_contact, [(p / 0.1 - 1.0) ** 2 for p in s.peak_height]) * (speed(s.command) > 0.05),
        "feet_slip": lambda s: landed(s.contact, [v * v for v in s.foot_speed]) * (speed(s.command) > 0.05),
        "soft_landing": lambda s: landed(s.first_contact, s.foot_force) * (speed(s.command) > 0.05), "self_collision_cost": lambda s: sum(1.0 for f in s.force if f > 10.0),
        "is_alive": lambda s: not s.terminated > 0, "is_terminated": lambda s: s.terminated > 0, "joint_torques_l2": lambda s: squares(s.actuator_force),
        "joint_vel_l2": lambda s: squares(s.joint_vel), "joint_acc_l2": lambda s: squares(s.joint_acc),
        "action_acc_l2": lambda s: sum((a - 2 * b + c) ** 2 for a, b, c in zip(s.action, s.prev_action, s.prev_prev_action)),
        "electrical_power_cost": lambda s: sum(max(t * v, 0.0) for t, v in zip(s.qfrc_actuator, s.joint_vel)), "flat_orientation_l2": lambda s: squares(s.projected_gravity_b[:2]),
        "foot_contact": lambda s: [c > 0 for c in s.contact], "foot_contact_forces": lambda s: [float(np.sign(f)) * log(1 + abs(f)) for f in s.force]},
    isaaclab: {
        "is_alive": lambda s: not s.terminated > 0, "is_terminated": lambda s: s.terminated > 0, "lin_vel_z_l2": lambda s: s.root_lin_vel_b[2] ** 2,
        "ang_vel_xy_l2": lambda s: squares(s.root_ang_vel_b[:2]), "flat_orientation_l2": lambda s: squares(s.projected_gravity_b[:2]),
        "base_height_l2": lambda s: (s.root_z - s.target_height) ** 2, "body_lin_acc_l2": lambda s: sum(norm(a) for a in three(s.body_lin_acc_w)),
        "joint_torques_l2": lambda s: squares(s.applied_torque), "joint_vel_l1": lambda s: summed(s.joint_vel), "joint_vel_l2": lambda s: squares(s.joint_vel),
        "joint_acc_l2": lambda s: squares(s.joint_acc), "joint_deviation_l1": lambda s: summed(less(s.joint_pos, s.default_joint_pos)),
        "joint_pos_target_l2": lambda s: sum((atan2(sin(q), cos(q)) - 0.3) ** 2 for q in s.joint_pos), "joint_pos_limits": lambda s: beyond(s.joint_pos, s.lower, s.upper),
        "joint_vel_limits": lambda s: sum(min(max(abs(a) - b, 0.0), 1.0) for a, b in zip(s.joint_vel, s.soft_joint_vel_limits)),
        "applied_torque_limits": lambda s: summed(less(s.applied_torque, s.computed_torque)), "action_rate_l2": lambda s: squares(less(s.action, s.prev_action)),
        "action_l2": lambda s: squares(s.action), "undesired_contacts": lambda s: sum(1.0 for f in s.force if f > 1.0), "desired_contacts": lambda s: all(not f > 1.0 for f in s.force),
        "contact_forces": lambda s: sum(max(f - 2.0, 0.0) for f in s.force), "track_lin_vel_xy_exp": lambda s: exp(-squares(less(s.command[:2], s.root_lin_vel_b[:2])) / 0.5**2),
        "track_ang_vel_z_exp": lambda s: exp(-((s.command[2] - s.root_ang_vel_b[2]) ** 2) / 0.5**2),
        "track_lin_vel_xy_yaw_frame_exp": lambda s: exp(-squares(less(s.command[:2], heading(s)[:2])) / 0.5**2),
        "track_ang_vel_z_world_exp": lambda s: exp(-((s.command[2] - s.root_ang_vel_w[2]) ** 2) / 0.5**2), "feet_air_time_positive_biped": biped,
        "feet_air_time": lambda s: landed(s.first_contact, [t - 0.5 for t in s.last_air_time]) * (norm(s.command[:2]) > 0.1), "feet_slide": lambda s: landed([f > 1 for f in s.force], s.foot_speed),
        "stand_still_joint_deviation_l1": lambda s: summed(less(s.joint_pos, s.default_joint_pos)) * (norm(s.command[:2]) < 0.06), "time_out": lambda s: s.episode_length >= 0.5,
        "bad_orientation": lambda s: abs(acos(-s.projected_gravity_b[2])) > 1.2, "root_height_below_minimum": lambda s: s.root_z < 0.3,
        "joint_pos_out_of_limit": lambda s: any(q > b for q, b in zip(s.joint_pos, s.upper)) or any(q < a for q, a in zip(s.joint_pos, s.lower)),
        "joint_vel_out_of_limit": lambda s: any(abs(v) > b for v, b in zip(s.joint_vel, s.soft_joint_vel_limits)), "illegal_contact": lambda s: any(f > 1.0 for f in s.force)},
    holosoma: {
        "expected_foot_height": lambda s: [rz(p, 0.09) for p in s.phi], "feet_phase": lambda s: exp(-sum((z - rz(p, 0.09)) ** 2 for z, p in zip(s.feet_heights, s.phase)) / 0.008),
        "pose": lambda s: sum((a - b) ** 2 * w for a, b, w in zip(s.dof_pos, s.default_dof_pos, s.pose_weights)), "penalty_close_feet_xy": close_feet,
        "penalty_feet_ori": lambda s: sum(squares(turned(back(q), DOWN)[:2]) ** 0.5 for q in (s.left_quat, s.right_quat)), "alive": lambda s: 1.0,
        "termination": lambda s: s.reset > 0 and not s.time_out > 0, "tracking_lin_vel": lambda s: exp(-squares(less(s.commands[:2], s.base_lin_vel[:2])) / 0.25),
        "tracking_ang_vel": lambda s: exp(-((s.commands[2] - s.base_ang_vel[2]) ** 2) / 0.25), "penalty_ang_vel_xy": lambda s: squares(s.base_ang_vel[:2]),
        "penalty_orientation": lambda s: squares(s.projected_gravity[:2]), "penalty_action_rate": lambda s: squares(less(s.prev_actions, s.actions)),
        "penalty_stumble": lambda s: any(norm(f[:2]) > 4 * abs(f[2]) for f in three(s.foot_force)),
        "limits_dof_pos": lambda s: beyond(s.dof_pos, *zip(*(((a + b) / 2 - 0.5 * (b - a) * 0.95, (a + b) / 2 + 0.5 * (b - a) * 0.95) for a, b in zip(s.lower, s.upper)))),
        "base_height": lambda s: (s.base_heights - 0.89) ** 2 * (3.0 if norm(s.commands[:2]) < 0.1 else 1.0), "contact_forces_exceeded": lambda s: any(f > 1.0 for f in s.force),
        "gravity_tilt_exceeded": lambda s: abs(s.projected_gravity[0]) > 0.5 or abs(s.projected_gravity[1]) > 0.6, "base_height_below_threshold": lambda s: s.base_z < 0.3,
        "timeout_exceeded": lambda s: s.episode_length > 0.5, "sin_phase": lambda s: [sin(p) for p in s.phase], "cos_phase": lambda s: [cos(p) for p in s.phase]},
    reach: {
        "desired_position": lambda s: [a + b for a, b in zip(s.root_pos_w, turned(s.root_quat_w, s.des_pos_b))], "desired_rotation": lambda s: mul(s.root_quat_w, s.des_quat_b),
        "position_command_error": lambda s: norm(less(s.curr_pos_w, s.des_pos_w)), "position_command_error_tanh": lambda s: 1 - tanh(norm(less(s.curr_pos_w, s.des_pos_w)) / 0.1),
        "orientation_command_error": lambda s: angle(s.curr_quat_w, s.des_quat_w), "action_rate_l2": lambda s: squares(less(s.action, s.prev_action)),
        "joint_vel_l2": lambda s: squares(s.joint_vel)},
    cube: {
        "rotation_distance": lambda s: angle(s.object_rot, s.target_rot), "goal_dist": lambda s: norm(less(s.object_pos, s.target_pos)),
        "dist_rew": lambda s: -10.0 * norm(less(s.object_pos, s.target_pos)), "rot_rew": lambda s: 1.0 / (angle(s.object_rot, s.target_rot) + 0.1),
        "action_penalty": lambda s: -2e-4 * squares(s.actions), "goal_resets": lambda s: angle(s.object_rot, s.target_rot) <= 2.0,
        "out_of_reach": lambda s: norm(less(s.object_pos, s.target_pos)) >= 0.24, "compute_rewards": hand, "success_bonus": lambda s: angle(s.root_quat_w, s.goal_quat_w) <= 2.0,
        "track_pos_l2": lambda s: norm(less(s.goal_pos_e, s.object_pos_e)), "track_orientation_inv_l2": lambda s: 1.0 / (angle(s.root_quat_w, s.goal_quat_w) + 1e-3),
        "unscale": lambda s: [(2.0 * x - b - a) / (b - a) for x, a, b in zip(s.x, s.lower, s.upper)],
        "reduced_observations": lambda s: [*s.fingertip_pos, *s.object_pos, *mul(s.object_rot, back(s.goal_rot)), *s.actions]},
    tracking: {
        "motion_global_anchor_position_error_exp": lambda s: follows(s.robot_anchor_pos_w, s.anchor_pos_w, 0.3),
        "motion_global_anchor_orientation_error_exp": lambda s: turns_with(s.robot_anchor_quat_w, s.anchor_quat_w, 0.4),
        "motion_relative_body_position_error_exp": lambda s: follows(s.robot_body_pos_w, s.body_pos_relative_w, 0.3),
        "motion_relative_body_orientation_error_exp": lambda s: turns_with(s.robot_body_quat_w, s.body_quat_relative_w, 0.4),
        "motion_global_body_linear_velocity_error_exp": lambda s: follows(s.robot_body_lin_vel_w, s.body_lin_vel_w, 1.0),
        "motion_global_body_angular_velocity_error_exp": lambda s: follows(s.robot_body_ang_vel_w, s.body_ang_vel_w, 3.14),
        "feet_contact_time": lambda s: sum((t < 0.3) * (f > 0) for t, f in zip(s.last_contact_time, s.first_air)),
        "body_quat_relative_w": lambda s: [x for q in four(s.body_quat_w) for x in mul(yaw(mul(s.robot_anchor_quat_w, back(s.anchor_quat_w))), q)], "body_pos_relative_w": relative,
        "bad_anchor_pos": lambda s: norm(less(s.anchor_pos_w, s.robot_anchor_pos_w)) > 0.25, "bad_anchor_pos_z_only": lambda s: abs(s.anchor_pos_w[2] - s.robot_anchor_pos_w[2]) > 0.25,
        "bad_anchor_ori": lambda s: abs(turned(back(s.anchor_quat_w), DOWN)[2] - turned(back(s.robot_anchor_quat_w), DOWN)[2]) > 0.8,
        "bad_motion_body_pos": lambda s: any(norm(less(a, b)) > 0.25 for a, b in zip(three(s.body_pos_relative_w), three(s.robot_body_pos_w))),
        "bad_motion_body_pos_z_only": lambda s: any(abs(a[2] - b[2]) > 0.25 for a, b in zip(three(s.body_pos_relative_w), three(s.robot_body_pos_w))),
        "motion_anchor_pos_b": lambda s: turned(back(s.robot_anchor_quat_w), less(s.anchor_pos_w, s.robot_anchor_pos_w)),
        "motion_anchor_ori_b": lambda s: columns(mul(back(s.robot_anchor_quat_w), s.anchor_quat_w)),
        "robot_body_pos_b": lambda s: [x for p in three(s.robot_body_pos_w) for x in turned(back(s.robot_anchor_quat_w), less(p, s.robot_anchor_pos_w))],
        "robot_body_ori_b": lambda s: [x for q in four(s.robot_body_quat_w) for x in columns(mul(back(s.robot_anchor_quat_w), q))]},
    rows: {"lengths": lambda s: [norm(x) for x in three(s.vectors)], "vertical": lambda s: s.vectors[2::3], "summed_squares": lambda s: squares(s.x),
           "beyond": lambda s: beyond(s.x, s.lower, s.upper)},
}
TYPED = {(module, name): formula for module, formulas in FORMULAS.items() for name, formula in formulas.items()}


class Robot:
    def __init__(self, arrays: dict, numbers: dict, k: int) -> None:
        self.__dict__.update({key: x[k].tolist() for key, x in arrays.items()}, **numbers)


@pytest.mark.parametrize("module, name", TYPED, ids=called)
def test_it_is_its_sources_formula(module, name: str) -> None:
    arrays, numbers = states(module, name)
    ours = np.asarray(getattr(module, name)(**arrays, **numbers), float)
    theirs = np.array([TYPED[module, name](Robot(arrays, numbers, k)) for k in range(N)], float)
    assert ours.shape == theirs.shape
    assert np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))) <= 1e-12


def test_without_a_command_all_count() -> None:
    for name in ("feet_air_time", "feet_clearance", "feet_swing_height", "feet_slip", "soft_landing"):
        arrays, _ = states(mjlab, name)
        always = arrays | {"command": np.ones((N, 3))}
        del arrays["command"]
        assert np.array_equal(getattr(mjlab, name)(**arrays), getattr(mjlab, name)(**always))


def test_in_a_task_they_are_what_they_are_on_arrays() -> None:
    walk = TermTask("field", robot="anymal", settings={"dt": 0.005, "decimation": 4, "solver": "bisection"}, gains="quadruped")
    for weight, term in enumerate((lambda s: legged_gym.tracking_lin_vel(s.command, s.base_linear), lambda s: legged_gym.stand_still(s.command, s.actuator_length, s.home_length),
                                   lambda s: legged_gym.dof_acc(s.actuator_velocity, s.actuator_velocity_before, s.control_dt),
                                   lambda s: legged_gym.feet_air_time(s.command, s.foot_force, s.memory.touched, s.memory.air, s.control_dt),
                                   lambda s: mjlab.variable_posture(s.command, s.actuator_length, s.home_length, *(np.full(12, x) for x in (0.05, 0.3, 0.5))),
                                   lambda s: mjlab.action_acc_l2(s.action, s.action_before, s.memory.second), lambda s: mjlab.upright(s.base_down),
                                   lambda s: isaaclab.track_lin_vel_xy_yaw_frame_exp(s.command, s.v[..., 0:3], s.base_turn),
                                   lambda s: playground.feet_air_time(s.command, s.memory.air + s.control_dt, playground.first_contact(s.memory.air, s.foot_force > 1.0, s.memory.touched)),
                                   lambda s: holosoma.limits_dof_pos(s.actuator_length, np.full(12, -0.5), np.full(12, 0.5))), 1):
        walk.reward(float(weight), name=f"term-{weight}")(term)
    walk.memory(4, name="air")(lambda s: legged_gym.next_air_time(s.foot_force, s.memory.touched, s.memory.air, s.control_dt))
    walk.memory(4, name="touched")(lambda s: mjlab.foot_contact(s.foot_force > 1.0))
    walk.memory(12, name="second")(lambda s: s.action_before)

    @walk.end
    def leans(s):
        return mjlab.bad_orientation(s.base_down)

    @walk.commands(3)
    def command(s):
        return s.draw("command", 3) * np.array([1.0, 0.5, 1.0])

    walk.observe(name="all")(lambda s: legged_gym.compute_observations(s.base_linear, s.base_angular, s.base_down, s.command, s.actuator_length, s.home_length, s.actuator_velocity, s.action))
    apart = walk.check(n=64, steps=60)
    assert len(apart) >= 14 and max(apart.values()) < 1e-12


# ---- Gymnasium's own package --------------------------------------------------------------------------------------------------


class Seen(dict):
    """What was read of an environment in 1000 states, by name: arrays of all of them."""

    __getattr__ = dict.__getitem__


@pytest.fixture(scope="module")
def seen():
    """Environments of the package, stepped with random actions: what they hold and what they gave."""
    gymnasiums, kept = pytest.importorskip("gymnasium"), {}
    pytest.importorskip("mujoco", reason="gymnasium's tasks need MuJoCo")
    pytest.importorskip("imageio", reason="gymnasium's tasks need imageio")

    def states_of(name: str) -> Seen:
        if name not in kept:
            env = gymnasiums.make(name, **({"terminate_when_unhealthy": False} if name.startswith(("Ant", "Human", "Hop", "Walk")) else {})).unwrapped
            env.reset(seed=1)
            env.action_space.seed(1)
            frames = []
            for k in range(N):
                if k % 60 == 0:
                    env.reset()
                action = env.action_space.sample().astype(float)  # in floats its own sums would be rounded
                obs, reward, ended, _, info = env.step(action)
                d, flat = env.data, {key: getattr(env.data, key).reshape(-1) for key in ("qpos", "qvel", "ctrl", "cfrc_ext", "cinert", "cvel", "qfrc_actuator", "qfrc_constraint")}
                bodies = {"fingertip": env.get_body_com("fingertip"), "target": env.get_body_com("target")} if name == "Reacher-v5" else {}
                tip = {"tip": d.site_xpos[0]} if "Double" in name else {}
                frames.append({key: np.array(x, float) for key, x in (flat | bodies | tip | {
                    "action": action, "obs": obs, "reward": reward, "ended": ended, "healthy": getattr(env, "is_healthy", True)} | info).items()})
            env.close()
            kept[name] = Seen({key: np.stack([f[key] for f in frames]) for key in frames[0]})
        return kept[name]

    return states_of


def same(ours, theirs) -> None:
    ours = np.asarray(ours, float)
    assert ours.shape == theirs.shape
    assert np.max(np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1e-3)) <= 1e-12


def test_gymnasiums_ant(seen) -> None:
    s = seen("Ant-v5")
    healthy = gymnasium.ant_healthy(s.qpos, s.qvel)
    assert np.array_equal(healthy, s.healthy > 0)
    same(gymnasium.forward_reward(s.x_velocity), s.reward_forward)
    same(gymnasium.healthy_reward(healthy), s.reward_survive)
    same(-gymnasium.control_cost(s.action, 0.5), s.reward_ctrl)
    same(-gymnasium.contact_cost(s.cfrc_ext), s.reward_contact)
    same(gymnasium.ant(s.x_velocity, s.action, healthy, s.cfrc_ext), s.reward)
    same(gymnasium.ant_obs(s.qpos, s.qvel, s.cfrc_ext[:, 6:]), s.obs)


def test_gymnasiums_humanoid(seen) -> None:
    s = seen("Humanoid-v5")
    healthy = gymnasium.humanoid_healthy(s.qpos)
    assert np.array_equal(healthy, s.healthy > 0) and 0 < healthy.sum() < N
    same(gymnasium.forward_reward(s.x_velocity, 1.25), s.reward_forward)
    same(gymnasium.healthy_reward(healthy, 5.0), s.reward_survive)
    same(-gymnasium.control_cost(s.ctrl, 0.1), s.reward_ctrl)  # of what its actuators took
    same(-gymnasium.humanoid_contact_cost(s.cfrc_ext), s.reward_contact)
    same(gymnasium.humanoid(s.x_velocity, s.ctrl, healthy, s.cfrc_ext), s.reward)
    same(gymnasium.humanoid_obs(s.qpos, s.qvel, s.cinert[:, 10:], s.cvel[:, 6:], s.qfrc_actuator, s.cfrc_ext[:, 6:]), s.obs)


@pytest.mark.parametrize("name", ["Hopper-v5", "Walker2d-v5"])
def test_gymnasiums_hopper_and_walker(seen, name: str) -> None:
    s = seen(name)
    healthy = gymnasium.hopper_healthy(s.qpos, s.qvel) if name == "Hopper-v5" else gymnasium.walker2d_healthy(s.qpos)
    assert np.array_equal(healthy, s.healthy > 0) and 0 < healthy.sum() < N
    same(gymnasium.forward_reward(s.x_velocity), s.reward_forward)
    same(gymnasium.healthy_reward(healthy), s.reward_survive)
    same(-gymnasium.control_cost(s.action, 1e-3), s.reward_ctrl)
    same(gymnasium.hop(s.x_velocity, s.action, healthy), s.reward)
    same(gymnasium.hop_obs(s.qpos, s.qvel), s.obs)


def test_gymnasiums_runners(seen) -> None:
    s = seen("HalfCheetah-v5")
    same(gymnasium.half_cheetah(s.x_velocity, s.action), s.reward)
    same(gymnasium.half_cheetah_obs(s.qpos, s.qvel), s.obs)
    s = seen("Swimmer-v5")
    same(gymnasium.swimmer(s.x_velocity, s.action), s.reward)
    same(gymnasium.swimmer_obs(s.qpos, s.qvel), s.obs)


def test_gymnasiums_pendulums(seen) -> None:
    s = seen("InvertedPendulum-v5")
    upright = gymnasium.pendulum_upright(s.qpos, v=s.qvel)
    assert np.array_equal(upright, s.ended == 0) and np.array_equal(upright, s.reward > 0) and 0 < upright.sum() < N
    same(gymnasium.pendulum_obs(s.qpos, s.qvel), s.obs)
    s = seen("InvertedDoublePendulum-v5")
    x, z = s.tip[:, 0], s.tip[:, 2]
    healthy = gymnasium.double_pendulum_up(z)
    assert np.array_equal(healthy, s.ended == 0) and 0 < healthy.sum() < N
    same(gymnasium.healthy_reward(healthy, 10.0), s.reward_survive)
    same(gymnasium.distance_penalty(x, z), s.distance_penalty)
    same(gymnasium.velocity_penalty(s.qvel), s.velocity_penalty)
    same(gymnasium.double_pendulum(x, z, s.qvel, healthy), s.reward)
    same(gymnasium.double_pendulum_obs(s.qpos, s.qvel, s.qfrc_constraint), s.obs)


def test_gymnasiums_reacher(seen) -> None:
    s = seen("Reacher-v5")
    same(gymnasium.reward_dist(s.fingertip, s.target), s.reward_dist)
    same(-gymnasium.control_cost(s.action, 1.0), s.reward_ctrl)
    same(gymnasium.reacher(s.fingertip, s.target, s.action), s.reward)
    same(gymnasium.reacher_obs(s.qpos, s.qvel, s.fingertip, s.target), s.obs)
