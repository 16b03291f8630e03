"""Random states for the terms of myriapod.terms: arrays by the names of a function's parameters, of sizes and kinds that are listed here."""
import inspect

import numpy as np
from myriapod.terms import cube, gymnasium, holosoma, isaaclab, legged_gym, mjlab, playground, reach, rows, tracking

MODULES = (cube, gymnasium, holosoma, isaaclab, legged_gym, mjlab, playground, reach, rows, tracking)
N = 1000
#: Rows of a parameter: a number, or a kind and a number; rows 0 is one number per robot, (n,). A float or an array is the same for all robots.
EACH = np.linspace(0.1, 0.6, 12)
VECTORS = ("base_lin_vel base_ang_vel root_link_lin_vel_b root_link_ang_vel_b body_ang_vel angular_momentum local_vel ang_vel global_linvel global_angvel linvel gyro "
           "global_linvel_torso global_linvel_pelvis root_lin_vel_b root_ang_vel_b root_lin_vel_w root_ang_vel_w root_pos_w des_pos_b").split()
NEAR = ("left_foot_pos right_foot_pos robot_anchor_pos_w anchor_pos_w object_pos target_pos object_pos_e goal_pos_e curr_pos_w des_pos_w fingertip target").split()
JOINTS = ("torques dof_vel last_dof_vel actions last_actions prev_actions dof_pos default_dof_pos dof_vel_limits torque_limits joint_pos default_joint_pos joint_vel joint_acc action "
          "prev_action prev_prev_action actuator_force qfrc_actuator qvel act last_act qpos default_pose soft_lowers soft_uppers joint_angles qacc soft_joint_vel_limits "
          "applied_torque computed_torque lower upper x").split()
QUATS = "root_quat_w base_quat left_quat right_quat object_rot target_rot goal_rot goal_quat_w curr_quat_w des_quat_w des_quat_b robot_anchor_quat_w anchor_quat_w".split()
KINDS: dict = {
    **dict.fromkeys(VECTORS, 3), **dict.fromkeys(JOINTS, 12), **dict.fromkeys(NEAR, ("near", 3)), **dict.fromkeys(QUATS, ("quat", 1)),
    **dict.fromkeys(("projected_gravity", "projected_gravity_b", "torso_zaxis", "upvector", "gravity"), ("unit", 3)),
    **dict.fromkeys(("command", "commands", "cmd"), ("command", 3)),
    **dict.fromkeys(("contact", "last_contact", "last_contacts", "first_contact", "first_air"), ("mask", 4)),
    **dict.fromkeys(("terminated", "done", "reset", "time_out", "healthy"), ("mask", 0)),
    **dict.fromkeys(("air_time", "current_air_time", "last_air_time", "last_contact_time"), ("time", 4)), "current_contact_time": ("brief", 4),
    **dict.fromkeys(("force", "foot_force"), ("force", 4)), "foot_force_z": ("signed", 2), "foot_speed": ("speed", 4),
    **dict.fromkeys(("root_z", "base_z", "base_height", "base_heights", "episode_length", "like", "x_velocity", "tip_x", "tip_z"), 0),
    **dict.fromkeys(("foot_height", "peak_height", "swing_peak"), ("height", 4)), "feet_heights": ("height", 2), "wanted_height": ("height", 2),
    **dict.fromkeys(("hips", "default_hips"), 4), **dict.fromkeys(("knees", "default_knees"), 2), **dict.fromkeys(("phi", "phase"), ("phase", 2)),
    **dict.fromkeys(("body_linvel", "body_angvel"), ("small", 3)), "root_xy": 2, "height": 5, "measured_heights": 11, "body_lin_acc_w": 9, "vectors": 9,
    **dict.fromkeys(("robot_body_pos_w", "body_pos_relative_w", "body_pos_w"), ("near", 9)), "fingertip_pos": 12,
    **dict.fromkeys(("robot_body_quat_w", "body_quat_relative_w", "body_quat_w"), ("quat", 3)),
    **dict.fromkeys(("robot_body_lin_vel_w", "body_lin_vel_w", "robot_body_ang_vel_w", "body_ang_vel_w"), 9),
    "dt": 0.02, "phase_dt": 0.1, "std": EACH, "std_standing": 0.5 * EACH, "std_walking": EACH, "std_running": 2.0 * EACH, "weight": EACH, "pose_weights": EACH,
    "base_height_target": 0.3, "max_episode_length": 0.5, "minimum_height": 0.3, "min_height": 0.3, "limit_x": 0.5, "limit_y": 1.0, "target_height": 0.1, "target": 0.3,
    "tanh_mult": 2.0, "threshold": 0.3, "threshold_x": 0.5, "threshold_y": 0.6, "limit_angle": 1.2, "forward": 1.0, "ctrl_cost_weight": 0.5,
}
#: Of one function alone.
OWN: dict = {
    (legged_gym, "stumble"): {"foot_force": ("signed", 12)}, (holosoma, "penalty_stumble"): {"foot_force": ("signed", 6)}, (legged_gym, "feet_contact_forces"): {"max_contact_force": 2.0},
    (mjlab, "foot_clearance_reward"): {"std": 0.05}, (mjlab, "foot_contact_forces"): {"force": ("signed", 12)}, (mjlab, "illegal_contact"): {"force_threshold": 2.0},
    (playground, "feet_phase"): {"foot_height": ("height", 2)}, (playground, "g1_feet_phase"): {"foot_height": ("height", 2)}, (playground, "g1_contact_force"): {"max_contact_force": 2.0},
    (playground, "g1_collision"): {"contact": ("mask", 2)}, (playground, "g1_fallen"): {"contact": ("mask", 2)}, (isaaclab, "contact_forces"): {"threshold": 2.0},
    (isaaclab, "base_height_l2"): {"target_height": 0}, (isaaclab, "joint_pos_out_of_limit"): {"lower": -1.5 - EACH, "upper": 2.0 + EACH},
    (isaaclab, "joint_vel_out_of_limit"): {"soft_joint_vel_limits": 1.5 + EACH}, (isaaclab, "feet_air_time_positive_biped"): {"current_air_time": ("time", 2), "current_contact_time": ("time", 2)},
    (holosoma, "base_height"): {"zero_vel_penalty_scale": 3.0}, (cube, "goal_resets"): {"success_tolerance": 2.0}, (cube, "success_bonus"): {"threshold": 2.0},
    (cube, "compute_rewards"): {"fall_penalty": -7.0, "success_tolerance": 2.0}, (gymnasium, "ant_healthy"): {"q": 15, "v": 14},
    (gymnasium, "contact_cost"): {"external_contact_forces": 84, "weight": 5e-4}, (gymnasium, "humanoid_contact_cost"): {"external_contact_forces": 84, "weight": 0.12},
    (gymnasium, "ant"): {"external_contact_forces": 84}, (gymnasium, "humanoid"): {"external_contact_forces": 84},
    (gymnasium, "humanoid_healthy"): {"q": ("high", 24)}, (gymnasium, "hopper_healthy"): {"q": ("pose", 6), "v": 6}, (gymnasium, "walker2d_healthy"): {"q": ("pose", 9)},
    (gymnasium, "pendulum_upright"): {"q": ("near", 2), "v": 2}, (gymnasium, "double_pendulum"): {"v": 3}, (gymnasium, "velocity_penalty"): {"v": 3},
    (gymnasium, "reward_dist"): {"target": 3}, (gymnasium, "reacher"): {"target": 3}, (gymnasium, "ant_obs"): {"q": 15, "v": 14, "cfrc_ext": 78},
    (gymnasium, "humanoid_obs"): {"q": 24, "v": 23, "cinert": 130, "cvel": 78, "qfrc_actuator": 23, "cfrc_ext": 78}, (gymnasium, "hop_obs"): {"q": 6, "v": 6},
    (gymnasium, "half_cheetah_obs"): {"q": 9, "v": 9}, (gymnasium, "swimmer_obs"): {"q": 5, "v": 5}, (gymnasium, "pendulum_obs"): {"q": 2, "v": 2},
    (gymnasium, "double_pendulum_obs"): {"q": 3, "v": 3, "qfrc_constraint": 3}, (gymnasium, "reacher_obs"): {"q": 4, "v": 4, "target": 3},
}
ALWAYS = {(holosoma, "alive")}  #: the same for all robots


def terms(module) -> dict:
    """Its functions by name."""
    return {name: f for name, f in inspect.getmembers(module, inspect.isfunction) if f.__module__ == module.__name__ and not name.startswith("_")}


def _array(kind, rng: np.random.Generator) -> np.ndarray:
    kind, k = kind if isinstance(kind, tuple) else ("", kind)
    x = rng.standard_normal((N, 4 * k if kind == "quat" else k) if k else N)
    if kind == "quat":
        x = x.reshape(N, k, 4)
        return (x / np.linalg.norm(x, axis=-1, keepdims=True)).reshape(N, -1)
    return {"": lambda: x, "near": lambda: 0.2 * x, "unit": lambda: x / np.linalg.norm(x, axis=-1, keepdims=True), "command": lambda: x * rng.choice([0.0, 0.004, 0.3, 1.0], (N, 1)),
            "mask": lambda: np.where(x > 0.3, 1.0, 0.0), "time": lambda: np.where(x > 0, 0.4 * x, 0.0), "brief": lambda: np.where(x > 0, 0.03 * x, 0.0),
            "force": lambda: np.where(x > -0.5, 5.0 * np.abs(x), 0.0), "signed": lambda: 5.0 * x, "speed": lambda: np.abs(x), "height": lambda: 0.1 * np.abs(x),
            "phase": lambda: rng.uniform(-np.pi, np.pi, x.shape), "small": lambda: x * rng.choice([0.0, 1.0], (N, 1)), "high": lambda: x + 1.2,
            "pose": lambda: 0.3 * x + (np.arange(k) == 1)}[kind]()


def states(module, name: str) -> tuple[dict, dict]:
    """Of a term's parameters random arrays, and numbers that are the same for all robots; those that have a number by themselves keep it."""
    rng, arrays, numbers, own = np.random.default_rng(7), {}, {}, OWN.get((module, name), {})
    for key, parameter in inspect.signature(terms(module)[name]).parameters.items():
        if key not in own and parameter.default not in (inspect.Parameter.empty, None):
            continue
        kind = own.get(key, KINDS.get(key))
        assert kind is not None, f"{module.__name__}.{name}: the parameter {key} has no kind in term_states.py"
        if isinstance(kind, (float, np.ndarray)):
            numbers[key] = kind
        else:
            arrays[key] = _array(kind, rng)
    return arrays, numbers
