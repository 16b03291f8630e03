"""The tasks of humanoids, arm and hand that ship: what they promise in words. Those of Gymnasium: test_classics.py."""
import numpy as np
import pytest

from myriapod import LaneTask, Model
from myriapod.programs.given import allegro, go2, humanoids, panda, rough
from myriapod.rotations import quat_mul, quat_rotate
from myriapod.settings import alike

WALKERS = (humanoids.g1_flat, humanoids.g1_legs, humanoids.h1_flat)
QUIET = {"push_speed": 0.0, "precision": "f64"}


@pytest.mark.parametrize("task", (*WALKERS, go2.go1_flat, panda.reach, allegro.cube, rough.anymal_rough, rough.go2_rough, humanoids.g1_rough), ids=lambda t: t.name)
def test_lanes_do_what_the_functions_do(task) -> None:
    apart = task.check(n=16, steps=15)
    assert all(off < 1e-12 for off in apart.values()), apart


@pytest.mark.parametrize("task, numbers, actions", [(humanoids.g1_flat, 101, 29), ("g1-smooth", 101, 29), (humanoids.g1_legs, 50, 12), (humanoids.h1_flat, 44, 10),
                                                    (panda.reach, 28, 7), (allegro.cube, 81, 16), ("anymal-rough", 235, 12), ("g1-rough", 237, 12)], ids=str)
def test_sizes(task, numbers: int, actions: int) -> None:
    with LaneTask(task, 2) as lanes:
        assert (lanes.num_observations, lanes.num_actions) == (numbers, actions)


def mirrored(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By hand: places and angles of the other side; y, roll and yaw change their sign."""
    q2, v2 = q.copy(), v.copy()
    q2[:, 1], v2[:, 1] = -q[:, 1], -v[:, 1]
    q2[:, [4, 6]], v2[:, [3, 5]] = -q[:, [4, 6]], -v[:, [3, 5]]
    place = {j.name: (j.q, j.v) for j in model.joints}
    for name, (at, rate) in place.items():
        if name.startswith(("left", "right")):
            other = name.replace("left", "*").replace("right", "left").replace("*", "right")
        elif "waist" in name or "torso" in name:
            other = name
        else:
            continue
        sign = -1.0 if "roll" in name or "yaw" in name or name == "torso_joint" else 1.0
        q2[:, place[other][0]], v2[:, place[other][1]] = sign * q[:, at], sign * v[:, rate]
    return q2, v2


@pytest.mark.parametrize("task", WALKERS, ids=lambda t: t.name)
def test_left_and_right_are_one_problem(task) -> None:
    """A robot in the first half of the clock and its mirror image in the second half see the same, and act as mirror images."""
    rng = np.random.default_rng(0)
    with LaneTask(task, 8, dtype=np.float64, **QUIET, **alike()) as lanes:
        noise = sum(part.noise for part in lanes.observed.values())
        assert noise > 0
        batch, model = lanes.batch, lanes.model
        q, v = batch.get("q"), 0.1 * rng.standard_normal((8, model.nv))
        q[:, 7:] += 0.1 * rng.standard_normal((8, model.nq - 7))
        q[:, 3:7] += 0.1 * rng.standard_normal((8, 4))
        q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
        q[4:], v[4:] = (x[:4] for x in mirrored(model, q, v))
        command = np.tile(rng.uniform(0.3, 1, (4, 3)), (2, 1))
        command[4:, 1:] *= -1
        memory, action = batch.get("memory"), rng.uniform(-1, 1, (4, lanes.num_actions))
        memory[:] = 0
        memory[:, lanes.memories["phase"]] = np.r_[np.full(4, 0.2), np.full(4, 0.7)][:, None]
        for name, value in (("q", q), ("v", v), ("command", command), ("memory", memory)):
            batch.set(name, value)
        seen = lanes.observe()
        for part in lanes.observed.values():
            within = 2 * part.noise * abs(part.scale) + 1e-12
            assert np.abs(seen[:4, part.columns] - seen[4:, part.columns]).max() < within, part.name
        lanes.act(np.tile(action, (2, 1)))
        home = model.home[[model.joints[a.joints[0]].q for a in model.actuators]]
        target = batch.get("target") - home
        as_q = np.zeros((8, model.nq))
        as_q[:, [model.joints[a.joints[0]].q for a in model.actuators]] = target
        other, _ = mirrored(model, as_q[:4], np.zeros((4, model.nv)))
        assert np.abs(other[:, 7:] - as_q[4:, 7:]).max() < 1e-12 and np.abs(target).max() > 0.05


@pytest.mark.parametrize("task", WALKERS, ids=lambda t: t.name)
def test_humanoids_are_what_their_papers_say(task) -> None:
    with LaneTask(task, 4, **alike()) as lanes:
        touching = {lanes.model.geoms[slot.geom].name for slot in lanes.model.slots}
        assert len(touching) == (2 if task.robot == "h1" else 4) and lanes.model.mass == pytest.approx(51.65 if task.robot == "h1" else 33.34, abs=0.01)


@pytest.mark.parametrize("task", WALKERS, ids=lambda t: t.name)
def test_without_an_action_humanoids_march_in_place(task) -> None:
    """Only who is to walk, or was pushed and is faster than 0.25 m/s: a knee bends, hip and ankle by half of it back, so that the sole stays level."""
    for standing, speed, phase, leg in ((True, 0.0, 0.25, None), (True, 0.24, 0.25, None), (True, 0.26, 0.25, "left"), (False, 0.0, 0.25, "left"), (False, 0.0, 0.75, "right"), (False, 0.0, 0.0, None)):
        with LaneTask(task, 4, **QUIET, **alike()) as lanes:
            batch = lanes.batch
            memory, v = batch.get("memory"), np.zeros((4, lanes.model.nv))
            memory[:, lanes.memories["phase"]], v[:, 1] = phase, speed
            for name, value in (("memory", memory), ("v", v), ("command", np.zeros((4, 3)) if standing else np.full((4, 3), 0.3))):
                batch.set(name, value)
            lanes.act(np.zeros((4, lanes.num_actions)))
            off = batch.get("target")[0] - lanes.model.home[[lanes.model.joints[a.joints[0]].q for a in lanes.model.actuators]]
            names = [a.name for a in lanes.model.actuators]
        moved = {name: angle for name, angle in zip(names, off) if abs(angle) > 1e-6}
        bends = {f"{leg}_{joint}": angle for joint, angle in (("hip_pitch", -0.5), ("knee", 1.0), ("ankle", -0.5))} if leg else {}
        knee = moved.get(f"{leg}_knee_joint", 0.0)
        assert len(moved) == len(bends) and (knee > 0.6 or not leg)
        assert all(any(name.startswith(joint) and angle == pytest.approx(part * knee) for joint, part in bends.items()) for name, angle in moved.items())


def test_the_panda_is_asked_for_poses_that_it_can_reach() -> None:
    with LaneTask(panda.reach, 512, dtype=np.float64, precision="f64") as lanes:
        command = lanes.batch.get("command")
        assert (command[:, :3] >= [0.35, -0.2, 0.15]).all() and (command[:, :3] <= [0.65, 0.2, 0.5]).all() and np.ptp(command[:, 0]) > 0.25
        down = quat_rotate(command[:, 3:], np.tile([0.0, 0.0, 1.0], (512, 1)))
        assert np.abs(down - [0, 0, -1]).max() < 1e-12
        lanes.act(np.zeros((512, 7)))
        assert np.abs(lanes.batch.get("target") - lanes.model.home[:8]).max() < 1e-12  # home; the gripper stays open
        before = command
        for _ in range(round(4 / lanes.dt) - 1):
            lanes.act(np.zeros((512, 7)))
        assert (lanes.batch.get("command") != before).any(axis=1).all()


def test_the_hand_has_a_new_goal_once_one_is_reached() -> None:
    with LaneTask(allegro.cube, 64, dtype=np.float64, precision="f64") as lanes:
        goal = lanes.observed["goal"].columns
        first = lanes.observe()[:, goal]
        assert np.abs(np.linalg.norm(first, axis=1) - 1).max() < 1e-12
        q = lanes.batch.get("q")
        q[:32, 19:23] = first[:32]  # the cube is turned as is wanted
        lanes.batch.set("q", q)
        out = lanes.act(np.zeros((64, 16)))
        paid = out.terms[:, lanes.reward_terms.index("goals")] > 0
        moved = (np.abs(out.observation[:, goal] - first) > 1e-9).any(axis=1)
        assert (lanes.batch.get("memory")[:, lanes.memories["reached"]][:, 0] == paid).all()
        assert paid[:32].mean() > 0.9 and (paid == moved)[~out.terminated].all() and paid[32:].mean() < 0.2


def test_a_random_turn_is_that_of_the_source() -> None:
    a, b = np.random.default_rng(0).random((2, 50))
    x, y = np.pi * (2 * a - 1), np.pi * (2 * b - 1)  # randomize_rotation: quat_mul(about x, about y)
    zero = np.zeros(50)
    typed = quat_mul(np.stack([np.cos(x / 2), np.sin(x / 2), zero, zero], -1), np.stack([np.cos(y / 2), zero, np.sin(y / 2), zero], -1))
    assert np.abs(typed - allegro._turned(a, b)).max() < 1e-15


def test_rough_ground_has_levels_and_heights() -> None:
    with LaneTask("anymal-rough", 32) as lanes:
        assert lanes.settings["terrain"] == "legged-gym" and lanes.observed["heights"].columns == slice(48, 235)
        heights = lanes.observe()[:, 48:]
        assert np.ptp(heights) > 0.1


def test_heights_in_a_mirror_are_those_of_the_other_side() -> None:
    with LaneTask(humanoids.g1_rough, 2) as lanes:
        assert lanes.mirror is not None
        columns = lanes.observed["heights"].columns
        grid = np.stack(np.meshgrid(np.linspace(-0.8, 0.8, 17), np.linspace(-0.5, 0.5, 11), indexing="ij"), -1).reshape(-1, 2)  # x slow, y fast
        assert np.allclose(grid[lanes.mirror[0][columns] - 1 - columns.start], grid * [1, -1])


def test_yaw_rates_follow_from_a_heading() -> None:
    with LaneTask(rough.anymal_rough, 64, autoreset="disabled", dtype=np.float64, precision="f64", push_speed=0.0) as lanes:
        heading = lanes.batch.get("memory")[:, lanes.memories["heading"]].reshape(-1)
        assert heading.min() < -2 and heading.max() > 2 and (lanes.batch.get("command")[:, 2] == 0).all()
        for _ in range(3):
            lanes.act(np.zeros((64, 12)))
        ahead = quat_rotate(lanes.batch.get("q")[:, 3:7], np.tile([1.0, 0.0, 0.0], (64, 1)))
        off = np.angle(np.exp(1j * (heading - np.arctan2(ahead[:, 1], ahead[:, 0]))))
        assert np.abs(lanes.batch.get("command")[:, 2] - np.clip(0.5 * off, -1, 1)).max() < 1e-12 and np.ptp(off) > 5
