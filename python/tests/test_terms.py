"""The terms of the field: recorded beside NumPy, and beside their sources: Gymnasium's own package in its own states; legged_gym's, Playground's and mjlab's formulas
typed again from their files (the modules name file and commit), robot by robot, on 1000 random states each."""
import inspect
import math

import numpy as np
import pytest

from myriapod import record
from myriapod.terms import gymnasium as gym_terms
from myriapod.terms import legged_gym, mjlab, playground, reaching, tracking

N = 1000
U = "unit quaternions"
#: module -> function -> rows of its arrays by name (0: (n,), one number per robot; U: rotations), and its numbers.
ARRAYS: dict = {
    legged_gym: {
        "lin_vel_z": {"base_lin_vel": 3}, "ang_vel_xy": {"base_ang_vel": 3}, "orientation": {"projected_gravity": 3}, "base_height": {"height": 5, "base_height_target": 0.3},
        "torques": {"torques": 12}, "dof_vel": {"dof_vel": 12}, "dof_acc": {"dof_vel": 12, "last_dof_vel": 12, "dt": 0.02}, "action_rate": {"actions": 12, "last_actions": 12},
        "collision": {"force": 4}, "dof_pos_limits": {"dof_pos": 12, "lower": 12, "upper": 12}, "dof_vel_limits": {"dof_vel": 12, "dof_vel_limits": 12},
        "torque_limits": {"torques": 12, "torque_limits": 12}, "tracking_lin_vel": {"commands": 3, "base_lin_vel": 3}, "tracking_ang_vel": {"commands": 3, "base_ang_vel": 3},
        "contact_filtered": {"foot_force": 4, "last_contacts": 4}, "feet_air_time": {"commands": 3, "foot_force": 4, "last_contacts": 4, "air_time": 4, "dt": 0.02},
        "next_air_time": {"foot_force": 4, "last_contacts": 4, "air_time": 4, "dt": 0.02}, "stand_still": {"commands": 3, "dof_pos": 12, "default_dof_pos": 12},
        "feet_contact_forces": {"foot_force": 4, "max_contact_force": 0.5}},
    playground: {
        "tracking_lin_vel": {"commands": 3, "local_vel": 3}, "tracking_ang_vel": {"commands": 3, "ang_vel": 3}, "lin_vel_z": {"global_linvel": 3}, "ang_vel_xy": {"global_angvel": 3},
        "orientation": {"torso_zaxis": 3}, "torques": {"torques": 12}, "energy": {"qvel": 12, "qfrc_actuator": 12}, "action_rate": {"act": 12, "last_act": 12},
        "pose": {"qpos": 12, "default_pose": 12, "weight": 12}, "stand_still": {"commands": 3, "qpos": 12, "default_pose": 12},
        "joint_pos_limits": {"qpos": 12, "soft_lowers": 12, "soft_uppers": 12}, "feet_slip": {"commands": 3, "foot_speed": 4, "contact": 4},
        "feet_clearance": {"foot_height": 4, "foot_speed": 4}, "feet_height": {"commands": 3, "swing_peak": 4, "first_contact": 4},
        "feet_air_time": {"commands": 3, "air_time": 4, "first_contact": 4}, "feet_phase": {"foot_height": 2, "wanted_height": 2}, "fallen": {"upvector": 3}},
    mjlab: {
        "track_lin_vel_exp": {"command": 3, "root_link_lin_vel_b": 3}, "track_ang_vel_exp": {"command": 3, "root_link_ang_vel_b": 3}, "flat_orientation": {"projected_gravity_b": 3},
        "posture": {"joint_pos": 12, "default_joint_pos": 12, "std": 0.3},
        "variable_posture": {"command": 3, "joint_pos": 12, "default_joint_pos": 12, "std_standing": 0.1, "std_walking": 0.3, "std_running": 0.5},
        "body_angular_velocity_penalty": {"body_ang_vel": 3}, "angular_momentum_penalty": {"angular_momentum": 3}, "joint_pos_limits": {"joint_pos": 12, "lower": 12, "upper": 12},
        "action_rate_l2": {"action": 12, "prev_action": 12}, "feet_clearance": {"foot_height": 4, "foot_speed": 4}, "feet_swing_height": {"peak_height": 4, "first_contact": 4},
        "feet_slip": {"foot_speed": 4, "contact": 4}, "feet_slide": {"foot_speed": 4, "contact": 4},
        "foot_clearance_reward": {"foot_height": 4, "foot_speed": 4, "target_height": 0.1, "std": 0.05, "tanh_mult": 2.0}, "soft_landing": {"foot_force": 4, "first_contact": 4},
        "bad_orientation": {"projected_gravity_b": 3}},
    gym_terms: {
        "control_cost": {"action": 8, "ctrl_cost_weight": 0.5}, "contact_cost": {"external_contact_forces": 84}, "humanoid_contact_cost": {"external_contact_forces": 84},
        "ant_healthy": {"q": 15, "v": 14}, "ant": {"x_velocity": 0, "action": 8, "healthy": 0, "external_contact_forces": 84}, "humanoid_healthy": {"q": 24},
        "humanoid": {"x_velocity": 0, "action": 17, "healthy": 0, "external_contact_forces": 84}, "hopper_healthy": {"q": 6, "v": 6}, "walker2d_healthy": {"q": 9},
        "hop": {"x_velocity": 0, "action": 3, "healthy": 0}, "half_cheetah": {"x_velocity": 0, "action": 6}, "swimmer": {"x_velocity": 0, "action": 2}, "pendulum_upright": {"q": 2},
        "double_pendulum": {"tip_x": 0, "tip_z": 0, "v": 3, "healthy": 0}, "double_pendulum_up": {"tip_z": 0}},
    tracking: {
        "position_error_exp": {"position": 9, "wanted": 9, "std": 0.3}, "rotation_error_exp": {"rotation": (U, 3), "wanted": (U, 3), "std": 0.4},
        "bad_anchor_position": {"z": 0, "wanted_z": 0}, "bad_anchor_rotation": {"down": 3, "wanted_down": 3},
        "track_lin_vel_xy_yaw_frame_exp": {"command": 3, "lin_vel_w": 3, "quaternion": (U, 1)}, "track_ang_vel_z_world_exp": {"command": 3, "ang_vel_w": 3},
        "feet_air_time_positive_biped": {"command": 3, "air_time": 2, "contact_time": 2}, "joint_deviation_l1": {"joint_pos": 12, "default_joint_pos": 12},
        "flat_orientation_l2": {"projected_gravity_b": 3}},
    reaching: {
        "position_command_error": {"position": 3, "goal": 3}, "position_command_error_tanh": {"position": 3, "goal": 3}, "orientation_command_error": {"rotation": (U, 1), "goal": (U, 1)},
        "joint_vel_l2": {"joint_vel": 7}, "rotation_reward": {"rotation": (U, 1), "goal": (U, 1)}, "goal_distance": {"object_pos": 3, "target_pos": 3}, "action_penalty": {"action": 16},
        "goal_reached": {"rotation": (U, 1), "goal": (U, 1), "success_tolerance": 2.0}, "fallen": {"object_pos": 3, "target_pos": 3, "fall_dist": 2.0}},
}
CASES = [(module, name) for module, functions in ARRAYS.items() for name in functions]


def states(module, name: str, n: int = N) -> tuple[dict, dict]:
    """Random arrays of a term, and its numbers. Contacts and times are 0 in about half of the rows."""
    rng, arrays, numbers = np.random.default_rng(7), {}, {}
    for key, what in ARRAYS[module][name].items():
        if isinstance(what, float):
            numbers[key] = what
        elif isinstance(what, tuple):
            q = rng.standard_normal((n, what[1], 4))
            arrays[key] = (q / np.linalg.norm(q, axis=-1, keepdims=True)).reshape(n, -1)
        else:
            x = rng.standard_normal((n, what) if what else n)
            if any(word in key for word in ("contact", "force", "time", "healthy")):
                x = np.where(x > 0, np.abs(x) * 1.5, 0.0)
            if "speed" in key:
                x = np.abs(x)
            if key.startswith("command"):
                x = x * (rng.uniform(size=(n, 1)) > 0.3)
            arrays[key] = x
    return arrays, numbers


def test_every_term_is_here() -> None:
    for module, functions in ARRAYS.items():
        there = {name for name, f in inspect.getmembers(module, inspect.isfunction) if f.__module__ == module.__name__ and not name.startswith("_")}
        assert there == set(functions), module.__name__
        assert all((getattr(module, name).__doc__ or "").strip() for name in there)


@pytest.mark.parametrize("module, name", CASES, ids=lambda x: x if isinstance(x, str) else x.__name__.split(".")[-1])
def test_recorded_it_is_what_it_is_on_arrays(module, name: str) -> None:
    arrays, numbers = states(module, name)
    term = getattr(module, name)

    def written(**given):  # one number per robot is (n,) in a task
        flat = {key: x[..., 0] if arrays[key].ndim == 1 else x for key, x in given.items()}
        return {"term": term(**flat, **numbers)}

    program = record(written, **{key: x.shape[1] if x.ndim == 2 else 1 for key, x in arrays.items()})
    apart = program.check(**{key: x if x.ndim == 2 else x[:, None] for key, x in arrays.items()})
    assert apart["term"] < 1e-12
    assert np.std(np.asarray(term(**arrays, **numbers), float)) > 0  # states in which it says something


# ---- the sources' formulas, robot by robot ------------------------------------------------------------------------------------


def norm(x) -> float:
    return math.sqrt(sum(float(a) * float(a) for a in x))


def squares(x) -> float:
    return sum(float(a) * float(a) for a in x)


def beyond(q, lower, upper) -> float:
    return sum(-min(a - b, 0.0) + max(a - c, 0.0) for a, b, c in zip(q, lower, upper))


TYPED = {
    (legged_gym, "lin_vel_z"): lambda s: s["base_lin_vel"][2] ** 2,
    (legged_gym, "ang_vel_xy"): lambda s: squares(s["base_ang_vel"][:2]),
    (legged_gym, "orientation"): lambda s: squares(s["projected_gravity"][:2]),
    (legged_gym, "base_height"): lambda s: (sum(s["height"]) / len(s["height"]) - s["base_height_target"]) ** 2,
    (legged_gym, "torques"): lambda s: squares(s["torques"]),
    (legged_gym, "dof_vel"): lambda s: squares(s["dof_vel"]),
    (legged_gym, "dof_acc"): lambda s: sum(((b - a) / s["dt"]) ** 2 for a, b in zip(s["dof_vel"], s["last_dof_vel"])),
    (legged_gym, "action_rate"): lambda s: sum((b - a) ** 2 for a, b in zip(s["actions"], s["last_actions"])),
    (legged_gym, "collision"): lambda s: sum(1.0 for f in s["force"] if f > 0.1),
    (legged_gym, "dof_pos_limits"): lambda s: beyond(s["dof_pos"], s["lower"], s["upper"]),
    (legged_gym, "dof_vel_limits"): lambda s: sum(min(max(abs(a) - b * 1.0, 0.0), 1.0) for a, b in zip(s["dof_vel"], s["dof_vel_limits"])),
    (legged_gym, "torque_limits"): lambda s: sum(max(abs(a) - b * 1.0, 0.0) for a, b in zip(s["torques"], s["torque_limits"])),
    (legged_gym, "tracking_lin_vel"): lambda s: math.exp(-sum((a - b) ** 2 for a, b in zip(s["commands"][:2], s["base_lin_vel"][:2])) / 0.25),
    (legged_gym, "tracking_ang_vel"): lambda s: math.exp(-((s["commands"][2] - s["base_ang_vel"][2]) ** 2) / 0.25),
    (legged_gym, "feet_air_time"): lambda s: (norm(s["commands"][:2]) > 0.1) * sum(
        (t + s["dt"] - 0.5) * (t > 0 and (f > 1 or bool(last))) for f, last, t in zip(s["foot_force"], s["last_contacts"], s["air_time"])),
    (legged_gym, "stand_still"): lambda s: sum(abs(a - b) for a, b in zip(s["dof_pos"], s["default_dof_pos"])) * (norm(s["commands"][:2]) < 0.1),
    (legged_gym, "feet_contact_forces"): lambda s: sum(max(f - s["max_contact_force"], 0.0) for f in s["foot_force"]),
    (playground, "tracking_lin_vel"): lambda s: math.exp(-sum((a - b) ** 2 for a, b in zip(s["commands"][:2], s["local_vel"][:2])) / 0.25),
    (playground, "tracking_ang_vel"): lambda s: math.exp(-((s["commands"][2] - s["ang_vel"][2]) ** 2) / 0.25),
    (playground, "lin_vel_z"): lambda s: s["global_linvel"][2] ** 2,
    (playground, "ang_vel_xy"): lambda s: squares(s["global_angvel"][:2]),
    (playground, "orientation"): lambda s: squares(s["torso_zaxis"][:2]),
    (playground, "torques"): lambda s: norm(s["torques"]) + sum(abs(t) for t in s["torques"]),
    (playground, "energy"): lambda s: sum(abs(a) * abs(b) for a, b in zip(s["qvel"], s["qfrc_actuator"])),
    (playground, "action_rate"): lambda s: sum((a - b) ** 2 for a, b in zip(s["act"], s["last_act"])),
    (playground, "pose"): lambda s: math.exp(-sum((a - b) ** 2 * w for a, b, w in zip(s["qpos"], s["default_pose"], s["weight"]))),
    (playground, "stand_still"): lambda s: sum(abs(a - b) for a, b in zip(s["qpos"], s["default_pose"])) * (norm(s["commands"]) < 0.01),
    (playground, "joint_pos_limits"): lambda s: beyond(s["qpos"], s["soft_lowers"], s["soft_uppers"]),
    (playground, "feet_slip"): lambda s: sum(v * v * (c > 0) for v, c in zip(s["foot_speed"], s["contact"])) * (norm(s["commands"]) > 0.01),
    (playground, "feet_clearance"): lambda s: sum(abs(z - 0.1) * math.sqrt(v) for z, v in zip(s["foot_height"], s["foot_speed"])),
    (playground, "feet_height"): lambda s: sum((z / 0.1 - 1.0) ** 2 * (c > 0) for z, c in zip(s["swing_peak"], s["first_contact"])) * (norm(s["commands"]) > 0.01),
    (playground, "feet_air_time"): lambda s: sum((t - 0.1) * (c > 0) for t, c in zip(s["air_time"], s["first_contact"])) * (norm(s["commands"]) > 0.01),
    (playground, "fallen"): lambda s: s["upvector"][-1] < 0.0,
    (mjlab, "track_lin_vel_exp"): lambda s: math.exp(-squares(np.append(s["command"][:2], 0.0) - s["root_link_lin_vel_b"]) / 0.5**2),
    (mjlab, "track_ang_vel_exp"): lambda s: math.exp(-squares(np.array([0.0, 0.0, s["command"][2]]) - s["root_link_ang_vel_b"]) / 0.5),
    (mjlab, "foot_clearance_reward"): lambda s: math.exp(-sum((z - 0.1) ** 2 * math.tanh(2.0 * v) for z, v in zip(s["foot_height"], s["foot_speed"])) / 0.05),
    (mjlab, "feet_slide"): lambda s: sum(v * (c > 0) for v, c in zip(s["foot_speed"], s["contact"])),
}


@pytest.mark.parametrize("module, name", TYPED, ids=lambda x: x if isinstance(x, str) else x.__name__.split(".")[-1])
def test_it_is_its_sources_formula(module, name: str) -> None:
    arrays, numbers = states(module, name)
    ours = np.asarray(getattr(module, name)(**arrays, **numbers), float)
    theirs = np.array([float(TYPED[module, name]({key: x[k] for key, x in arrays.items()} | numbers)) for k in range(N)])
    assert np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))) < 1e-12


# ---- Gymnasium's own package --------------------------------------------------------------------------------------------------


def gymnasiums(name: str):
    """An environment of the package in 1000 states of random actions: q, v, action, x velocity, info, reward, terminated, environment."""
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("mujoco")
    pytest.importorskip("imageio")
    env = gymnasium.make(name, terminate_when_unhealthy=False).unwrapped if name.startswith(("Ant", "Human", "Hop", "Walk")) else gymnasium.make(name).unwrapped
    env.reset(seed=1)
    env.action_space.seed(1)
    for k in range(N):
        if k % 60 == 0:
            env.reset()
        action = env.action_space.sample().astype(float)  # in floats its own sums would be rounded
        _, reward, terminated, _, info = env.step(action)
        yield env, action[None], env.data.qpos[None].copy(), env.data.qvel[None].copy(), reward, terminated, info
    env.close()


def close(ours, theirs) -> None:
    ours = float(np.asarray(ours, float).reshape(-1)[0])
    assert abs(ours - theirs) <= 1e-12 * max(1.0, abs(theirs))


def test_gymnasiums_ant_and_humanoid() -> None:
    for name, healthy, reward in (("Ant-v5", lambda q, v: gym_terms.ant_healthy(q, v), gym_terms.ant),
                                  ("Humanoid-v5", lambda q, v: gym_terms.humanoid_healthy(q), gym_terms.humanoid)):
        for env, action, q, v, got, _, info in gymnasiums(name):
            well, forces = healthy(q, v), env.data.cfrc_ext.reshape(1, -1)
            assert bool(well[0]) == env.is_healthy
            given = action if name == "Ant-v5" else env.data.ctrl[None]  # the humanoid's cost is of what its actuators took
            close(reward(np.array([info["x_velocity"]]), given, well, forces), got)


def test_gymnasiums_hopper_and_walker() -> None:
    for name, healthy in (("Hopper-v5", gym_terms.hopper_healthy), ("Walker2d-v5", lambda q, v: gym_terms.walker2d_healthy(q))):
        unwell = 0
        for env, action, q, v, got, _, info in gymnasiums(name):
            well = healthy(q, v)
            assert bool(well[0]) == env.is_healthy
            unwell += not well[0]
            close(gym_terms.hop(np.array([info["x_velocity"]]), action, well), got)
        assert 0 < unwell < N


def test_gymnasiums_runners() -> None:
    for name, reward in (("HalfCheetah-v5", gym_terms.half_cheetah), ("Swimmer-v5", gym_terms.swimmer)):
        for _, action, _, _, got, _, info in gymnasiums(name):
            close(reward(np.array([info["x_velocity"]]), action), got)


def test_gymnasiums_pendulums() -> None:
    ended = 0
    for _, _, q, _, got, terminated, _ in gymnasiums("InvertedPendulum-v5"):
        assert bool(gym_terms.pendulum_upright(q)[0]) == (not terminated) == bool(got)
        ended += terminated
    for env, _, _, v, got, terminated, _ in gymnasiums("InvertedDoublePendulum-v5"):
        x, z = env.data.site_xpos[:1, 0], env.data.site_xpos[:1, 2]
        well = gym_terms.double_pendulum_up(z)
        assert bool(well[0]) == (not terminated)
        ended += terminated
        close(gym_terms.double_pendulum(x, z, v, well), got)
    assert ended > 100
