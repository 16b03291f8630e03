"""Clips: what is read, velocities and bodies by closed forms, and the task that follows one: where it begins, what it compares, where it ends."""
from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from myriapod import ArgumentError, FileError, FormatError, Model
from myriapod.clip import Clip, body_numbers
from myriapod.envs.lane_task import LaneTask
from myriapod.learn.curriculum import Progress
from myriapod.programs.given.follow import BINS, G1_BODIES, SELDOM, follower, g1_tracking
from myriapod.programs.given.humanoids import G1_FEET, G1_GAINS
from myriapod.task_table import TaskTable


def spinning(frames: int = 61, fps: float = 30.0) -> Clip:
    """A base that flies along x and turns about a skew axis at an even rate, one joint that turns."""
    t = np.arange(frames) / fps
    axis, rate = np.array([1.0, 2.0, 2.0]) / 3.0, 1.5
    q = np.zeros((frames, 8))
    q[:, 0], q[:, 2], q[:, 7] = 0.7 * t, 1.0, -0.4 * t
    q[:, 3], q[:, 4:7] = np.cos(0.5 * rate * t), np.sin(0.5 * rate * t)[:, None] * axis
    q[::7, 3:7] *= -1  # the same turns
    return Clip(q, fps)


def test_velocities_are_those_of_the_motion() -> None:
    v = spinning().v
    assert np.abs(v[:, :3] - [0.7, 0, 0]).max() < 1e-12 and np.abs(v[:, 6] + 0.4).max() < 1e-12
    assert np.abs(v[:, 3:6] - 1.5 * np.array([1.0, 2.0, 2.0]) / 3.0).max() < 1e-9  # an axis that stands is the same in base axes


def test_bodies_move_as_their_places_do() -> None:
    clip, model = Clip.read("g1-exercise"), Model("g1")
    of = clip.bodies(model, G1_BODIES)
    assert of.places.shape == (len(clip.q), 3 * len(G1_BODIES)) and of.turns.shape == (len(clip.q), 4 * len(G1_BODIES))
    assert np.abs(of.places[:, :3] - clip.q[:, :3]).max() < 1e-6  # the pelvis is the base
    between = (of.places[2:] - of.places[:-2]) * (0.5 * clip.fps)
    assert np.abs(of.speeds[1:-1] - between).max() < 0.02 and np.abs(between).max() > 0.5
    jumps = np.sum(of.turns[1:].reshape(-1, len(G1_BODIES), 4) * of.turns[:-1].reshape(-1, len(G1_BODIES), 4), axis=-1)
    assert jumps.min() > 0.99
    soles = of.places[:, [3 * G1_BODIES.index(f"{side}_ankle_roll_link") + 2 for side in ("left", "right")]]
    assert soles.min(axis=1).max() - soles.min() < 1e-3 and soles.max() - soles.min() > 0.15  # one foot stands at all times, and each is lifted


def test_what_ships_is_what_is_planned() -> None:
    pytest.importorskip("mujoco")
    path = Path(__file__).parents[2] / "scripts" / "plan_clip.py"
    spec = importlib.util.spec_from_file_location("plan_clip", path)
    assert spec and spec.loader
    planner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(planner)
    frames = planner.plan()
    q = Clip.read("g1-exercise").q
    assert np.abs(np.concatenate([frames[:, :3], frames[:, [6, 3, 4, 5]], frames[:, 7:]], axis=1) - q).max() < 1e-5


def test_what_is_no_clip_is_refused(tmp_path) -> None:
    good = "0,0,1,0,0,0,1,0.1\n0,0,1,0,0,0,1,0.2\n"
    for text, words in ((good + "0,0,1,0,0,0,1\n", r"bad.csv:3: 7 numbers, where the first frame has 8"), (good + "0,0,x,0,0,0,1,1\n", r"bad.csv:3: a frame is numbers"),
                        ("1,2,3\n1,2,3\n", "a frame is base x y z"), ("", "a frame is base x y z"), (good.replace("1,0.2", "2,0.2"), "frame 1 .* has the length 2"),
                        (good.replace("0.2", "nan"), "finite"), (good[:18], "two frames")):
        file = tmp_path / "bad.csv"
        file.write_text(text)
        with pytest.raises(FormatError, match=words):
            Clip.read(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="not a text"):
        Clip.read(file)
    for name in ("nowhere", "a" * 300):
        with pytest.raises(FileError, match=name):
            Clip.read(name)
    with pytest.raises(ArgumentError, match="zero byte"):
        Clip.read("a\0b")
    with pytest.raises(ArgumentError, match="fps is 0"):
        Clip.read("g1-exercise", fps=0)
    assert Clip.read("g1-exercise", fps=np.float32(60)).seconds == 8.0
    for q, fps, words in ((np.ones((3, 3)), 30, "shape is"), ("no", 30, "must be numbers"), ([[10**400] * 8] * 2, 30, "must be numbers"), (spinning().q, 0, "above 0"), (spinning().q, "30", "above 0")):
        with pytest.raises(ArgumentError, match=words):
            Clip(q, fps)
    with pytest.raises(ArgumentError, match="a frame has 8 numbers, and the robot 'g1"):
        spinning().bodies(Model("g1"), ("pelvis",))
    with pytest.raises(ArgumentError, match="of the robot 'allegro-cube' .* is"):
        Clip(np.tile(np.eye(23)[3], (2, 1))).check(Model("allegro-cube"))
    with pytest.raises(ArgumentError, match="no moving body 'head'"):
        body_numbers(Model("g1"), ["head"])


def test_the_task_is_what_its_functions_say() -> None:
    worst = g1_tracking.check(n=16)
    assert max(worst.values()) < 1e-9 and len(worst) > 30, worst


def alone(part: int) -> dict[str, float]:
    return {"spread": 1.0, **{f"bin-{k}": float(k == part) for k in range(BINS)}}


def column(core: LaneTask, name: str) -> np.ndarray:
    return np.asarray(core.batch.get("memory"))[:, core.memories[name]]


@pytest.mark.parametrize("part", [0, 7, BINS - 1])
def test_episodes_begin_in_the_parts_that_are_asked_for(part: int) -> None:
    clip = Clip.read("g1-exercise")
    with LaneTask("g1-tracking", 33, numbers=alone(part), seed=3) as core:
        frame = column(core, "frame")[:, 0] * BINS / (len(clip.q) - 1.0)
        assert (np.abs(frame - part - 0.5) <= 0.5).all() and np.ptp(frame) > 0.5
        near = np.round(column(core, "frame")[:, 0]).astype(int)
        q, v = core.batch.get("q"), core.batch.get("v")
        assert np.abs(q[:, :3] - clip.q[near, :3]).max() < 0.05 and np.abs(q[:, 7:] - clip.q[near, 7:]).max() < 0.16
        assert np.abs(v[:, :6] - clip.v[near, :6]).max() < 0.6


def test_where_an_episode_begins_and_ends() -> None:
    """As it is scored: at the first frame, exactly; it goes on frame by frame, and ends with the clip."""
    clip = Clip.read("g1-exercise")
    with LaneTask("g1-tracking", 5, push_speed=0, autoreset="disabled") as core:
        assert (column(core, "frame") == 0).all() and np.abs(core.batch.get("q") - clip.q[0]).max() < 1e-6
        of, m = clip.bodies(core.model, G1_BODIES), len(G1_BODIES)
        seen = column(core, "clip")
        assert np.abs(seen[:, 58 + 7 * m:58 + 10 * m] - (0.4 * of.speeds[0] + 0.6 * of.speeds[1])).max() < 1e-5  # 0.6 of a frame ahead: 20 ms of 33
        steps = 0
        while steps < 2000:
            core.batch.set("q", clip.q[min(round(steps * 0.6), len(clip.q) - 1)])
            core.batch.set("v", 0.0)
            out = core.act(np.zeros((5, 29), np.float32))
            steps += 1
            assert np.abs(column(core, "frame") - 0.6 * steps).max() < 0.01
            if out.truncated.any() or out.terminated.any():
                break
        assert out.truncated.all() and not out.terminated.any() and steps in (799, 800)  # of 16 s


def test_a_robot_that_is_elsewhere_is_not_paid() -> None:
    with LaneTask("g1-tracking", 3, push_speed=0, autoreset="disabled") as core:
        names = list(core.reward_terms)
        q = np.array(core.batch.get("q"))
        q[1, 0] += 0.3  # beside: places as seen from the anchor stay
        q[2, 7 + 15:] += 0.5  # arms elsewhere
        core.batch.set("q", q)
        terms = core.act(np.zeros((3, 29), np.float32)).terms
        place, places = terms[:, names.index("anchor-place")], terms[:, names.index("places")]
        assert place[1] < 0.5 * place[0] and places[1] > 0.97 * places[0] and places[2] < 0.97 * places[0]
        q[0, 2] -= 0.3
        core.batch.set("q", q)
        assert core.act(np.zeros((3, 29), np.float32)).terminated.tolist() == [True, False, False]


def test_starts_go_where_it_fails() -> None:
    more = g1_tracking.curricula[0]
    terms = {f"falls-{k}": 0.01 * (k == 3) for k in range(BINS)}
    at = Progress(0, 0, 0.0, 0.5, 0.5, terms, {})
    assert more(at._replace(iteration=SELDOM - 1)) is None
    new = more(at)
    starts = [new[f"bin-{k}"] for k in range(BINS)]
    assert abs(sum(starts) - 1) < 1e-12 and starts[3] > 0.7 and min(starts) > 0.018
    still = more(at._replace(terms=dict.fromkeys(terms, float("nan"))))  # nothing ended yet
    assert {still[f"bin-{k}"] for k in range(BINS)} == {1.0 / BINS}
    spread = more(at._replace(numbers=new, terms={**terms, "falls-3": 0.0, "falls-5": 0.01}))
    assert spread["bin-5"] > spread["bin-3"] > spread["bin-0"]


def test_another_clip_and_another_rate() -> None:
    """A stand of one's own, at 50 frames a second, of numbers."""
    model = Model("g1", feet=G1_FEET)
    clip = Clip(np.tile(model.home, (101, 1)), 50.0, "stand")
    task = follower("stand", "stands", "g1", clip, bodies=G1_BODIES, ends=G1_BODIES[-2:], anchor="torso_link", feet=G1_FEET, gains=G1_GAINS, acts=29)
    assert clip.seconds == 2.0 and np.abs(clip.v).max() == 0
    with LaneTask(TaskTable(task.text(), "stand"), 4, robot=model, push_speed=0, autoreset="disabled") as core:
        for _ in range(120):
            core.batch.set("q", clip.q[0])
            core.batch.set("v", 0.0)
            out = core.act(np.zeros((4, 29), np.float32))
            if out.truncated.any():
                break
        assert out.truncated.all() and not out.terminated.any() and column(core, "frame").max() == 100


SWAPPED = """<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom size="0.1" mass="5"/>
  <body name="one" pos="0.2 0 0"><joint name="j1" axis="0 1 0"/><geom size="0.05" mass="1" pos="0.1 0 0"/></body>
  <body name="two" pos="-0.2 0 0"><joint name="j2" axis="0 1 0"/><geom size="0.05" mass="1" pos="-0.1 0 0"/></body></body></worldbody>
  <actuator><position name="a2" joint="j2" kp="10" forcerange="-9 9"/><position name="a1" joint="j1" kp="10" forcerange="-9 9"/></actuator></mujoco>"""


def test_actuators_in_another_order_than_joints(tmp_path) -> None:
    (tmp_path / "swapped.xml").write_text(SWAPPED)
    robot = Model(tmp_path / "swapped.xml")
    q = np.tile([0, 0, 1, 1, 0, 0, 0, 0.3, -0.6], (40, 1))
    keys = {"bodies": ("trunk", "one"), "ends": ("one",), "anchor": "trunk", "feet": (), "gains": {"*": (10.0, 1.0)}}
    task = follower("two", "moves", "", Clip(q), acts=2, **keys)
    with LaneTask(TaskTable(task.text(robot), "two"), 1, robot=robot, push_speed=0) as core:
        core.act(np.zeros((1, 2), np.float32))
        assert np.abs(core.batch.get("target")[0] - [-0.6, 0.3]).max() < 1e-6 and np.abs(column(core, "clip")[0, :2] - [-0.6, 0.3]).max() < 1e-6
    with pytest.raises(ArgumentError, match="2 actuators.* wanted are 3"):
        follower("two", "moves", "", Clip(q), acts=3, **keys).text(robot)
    with pytest.raises(ArgumentError, match="among the bodies, and 'two' is not"):
        follower("two", "moves", "", Clip(q), acts=2, **{**keys, "anchor": "two"})
