"""Left and right: counterparts of joints by geometry, what is mirrored of a task, and policies that look into a mirror."""
import numpy as np
import pytest
from myriapod import ArgumentError, LaneTask, Model, TermTask, evaluate
from myriapod.programs.given import humanoids
from myriapod.programs.mirror import TURN, VECTOR, Sides, Signed
from myriapod.settings import alike

SETTINGS = {"dt": 0.005, "decimation": 4, "solver": "bisection"}


def by_name(name: str) -> str:
    for left, right in (("left", "right"), ("FL", "FR"), ("RL", "RR"), ("LF", "RF"), ("LH", "RH"), ("FL_", "FR_"), ("HL_", "HR_")):
        for a, b in ((left, right), (right, left)):
            if a in name:
                return name.replace(a, b)
    return name


@pytest.mark.parametrize("robot", ["anymal", "solo12", "go1", "go2", "g1", "h1", "gym-humanoid", "gym-ant"])
def test_counterparts(robot: str) -> None:
    """Who they are by their names, where names say it; and in a mirror every frame is where its counterpart's image is, in any pose."""
    model = Model(robot)
    sides = Sides(model)
    if not robot.startswith("gym"):
        assert [model.joints[k].name for k in sides.joints.order] == [by_name(j.name) for j in model.joints]
    rng = np.random.default_rng(0)
    q, v = np.tile(model.home, (8, 1)), rng.standard_normal((8, model.nv))
    q[:, :7] += 0.3 * rng.standard_normal((8, 7))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    q[:, 7:] = rng.uniform(-1, 1, (8, model.nq - 7))
    seen = [evaluate(model, a, b, want=("frame_position", "frame_velocity", "kinetic")) for a, b in ((q, v), (sides.q(q), sides.v(v)))]
    assert np.abs(sides.q(sides.q(q)) - q).max() == 0
    at = {name: k for k, name in enumerate(model.frames)}
    joints = [(at[model.joints[j].body], at[model.joints[k].body]) for j, k in enumerate(sides.joints.order) if model.joints[j].body in at]
    assert len(joints) > 4
    for mine, other in joints:
        assert np.abs(VECTOR(seen[0].frame_position[:, mine]) - seen[1].frame_position[:, other]).max() < 2e-3
        for part, image in ((slice(0, 3), VECTOR), (slice(3, 6), TURN)):
            assert np.abs(image(seen[0].frame_velocity[:, mine, part]) - seen[1].frame_velocity[:, other, part]).max() < 0.03
    assert np.abs(seen[0].kinetic / seen[1].kinetic - 1).max() < 0.03  # masses of both sides are nearly the same


def test_who_has_no_counterpart_is_named() -> None:
    with pytest.raises(ArgumentError, match="panda_finger_joint1.*no counterpart"):
        Sides(Model("panda"))
    sides = Sides(Model("go2"))
    with pytest.raises(ArgumentError, match="number 0 is chosen, and its counterpart 3 is not"):
        sides.actuators.among([0, 1, 2])
    assert sides.actuators.among([0, 3]) == Signed((1, 0), (-1.0, -1.0))


def walk(**keys) -> TermTask:
    task = TermTask("walk", robot="go2", settings=SETTINGS, **{"mirror": "actuators", **keys})
    task.reward(1.0, name="up")(lambda s: -s.base_down[..., 2])
    task.observe("base_linear", noise=0.1)
    task.observe("base_angular")
    task.observe("encoder", scale=2.0)
    task.observe("action")
    return task


def test_a_task_in_a_mirror() -> None:
    task = walk()
    task.observe(name="hips", mirror=lambda model: Sides(model).actuators.among([0, 3, 6, 9]))(lambda s: s.actuator_length[..., [0, 3, 6, 9]])
    task.observe("foot_force", group="critic", mirror="feet")
    lines = dict(line.split(maxsplit=1) for line in str(task.mirror()).splitlines())
    assert lines["base_linear"] == "1 -2 3" and lines["hips"] == "-2 -1 -4 -3" and lines["action"] == "-4 5 6 -1 2 3 -10 11 12 -7 8 9"
    assert lines["critic.foot_force"] == "2 1 4 3"
    worst = task.check(n=8, steps=3)
    assert {name for name in worst if name.startswith("mirror")} == {f"mirror.{name}" for name in ("base_linear", "base_angular", "encoder", "action", "hips")}
    assert max(worst.values()) < 1e-12
    with LaneTask(task, 3) as lanes:
        assert lanes.mirror is not None
        observation, action = lanes.mirror
        assert observation.tolist()[:6] == [1, -2, 3, -4, 5, -6] and (observation[6:18] == np.sign(action) * (abs(action) + 6)).all()
        assert action.tolist() == [int(word) for word in lines["action"].split()] and observation.tolist()[-4:] == [-32, -31, -34, -33]
    with LaneTask("anymal-flat", 2) as lanes:
        assert lanes.mirror is None


def test_a_wrong_mirror_is_seen() -> None:
    task = walk()
    task.observe(name="sideways", mirror=[1])(lambda s: s.base_linear[..., 1])
    worst = task.check(n=8, steps=3)
    assert worst["mirror.sideways"] > 0.5 and worst["mirror.encoder"] < 1e-12


def test_what_is_not_known_is_asked_for() -> None:
    task = walk()
    task.observe(name="speed")(lambda s: s.base_linear[..., 0])
    with pytest.raises(ArgumentError, match=r"observe speed: it is not known how this looks in a mirror"):
        task.mirror()
    with pytest.raises(ArgumentError, match="observe speed"):
        LaneTask(task, 2)
    for how, words in (([2], "from 1 to 1"), ("vektor", "must be one of vector"), ([-1, -2, 3], "is not one of the 1 numbers of `speed`")):
        other = walk()
        other.observe(name="speed", mirror=how)(lambda s: s.base_linear[..., 0])
        with pytest.raises(Exception, match=words):
            LaneTask(other, 2)
    with pytest.raises(ArgumentError, match="has no mirror"):
        walk(mirror=None).mirror()
    with pytest.raises(ArgumentError, match="say how an action is mirrored"):
        walk(mirror=None).mirror_when(lambda s: s.base_down[..., 2] > 0)
    with pytest.raises(ArgumentError, match="where the term `act` reads them"):
        walk().mirror_when(lambda s: s.base_down[..., 2] > 0)


def test_a_policy_looks_into_a_mirror_at_times() -> None:
    """The humanoids' clock: the same state seen in both halves of it; actions in them, too."""
    task = humanoids.g1_legs
    with LaneTask(task, 8, dtype=np.float64, precision="f64", push_speed=0.0, **alike()) as lanes:
        assert lanes.mirror is not None
        batch, (image, acts) = lanes.batch, lanes.mirror
        q = batch.get("q")
        q[4:] = q[:4]
        v = np.tile(0.1 * np.random.default_rng(0).standard_normal((4, lanes.model.nv)), (2, 1))
        memory = 0 * batch.get("memory")
        memory[4:, lanes.memories["phase"]] = 0.5
        for name, value in (("q", q), ("v", v), ("command", np.tile([0.5, 0.2, 0.3], (8, 1))), ("memory", memory)):
            batch.set(name, value)
        seen, noise = lanes.observe(), np.concatenate([np.full(p.columns.stop - p.columns.start, 2 * p.noise * abs(p.scale)) for p in lanes.observed.values()])
        mirrored = seen[:4][:, abs(image) - 1] * np.sign(image)
        clock = lanes.observed["clock"].columns
        mirrored[:, clock] = seen[:4, clock]  # half a cycle later in the mirror: the same
        assert (np.abs(mirrored - seen[4:]) <= noise + 1e-12).all() and np.abs(seen[:4] - seen[4:]).max() > 0.1
        given = np.random.default_rng(1).standard_normal((8, 12))
        given[4:] = given[:4][:, abs(acts) - 1] * np.sign(acts)
        lanes.act(given)
        assert np.abs(batch.get("target")[:4] - batch.get("target")[4:]).max() < 1e-12
