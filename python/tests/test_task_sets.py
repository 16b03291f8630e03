"""What tasks of terms set and measure: actions of any number, steps of dt, gains by name, metrics."""
import numpy as np
import pytest

from myriapod import ArgumentError, Batch, FormatError, LaneTask, Model, Motor, TaskTable, TermTask
from myriapod.learn.goal import Goal
from myriapod.envs.gym import TaskVectorEnv
from myriapod.rotations import quat_rotate
from myriapod.score import score_task

SETTINGS = {"dt": 0.005, "decimation": 4, "solver": "bisection"}


def legs(**more) -> TermTask:
    """Eight of twelve joints move, by effort over stiffness; a drag in each step of dt, and the hardest touch of them."""
    task = TermTask("legs", robot="go2", settings=SETTINGS, actions=8, **more)

    @task.act
    def targets(s):
        """thighs and calves about home, hips held"""
        pick = np.full(12, 8)
        pick[s.actuators_of("*thigh*", "*calf*")] = np.arange(8)
        asked = np.concatenate([s.action, np.zeros_like(s.action[..., :1])], axis=-1)
        return {"target": s.home_length + 0.25 * s.effort / s.stiffness * asked[..., pick], "memory.hardest": s.memory.hardest * 0}

    @task.step
    def between(s):
        drag = np.concatenate([-20 * s.base_velocity[..., :3], s.wrench[..., 3:]], axis=-1)
        return {"wrench": drag, "memory.hardest": np.maximum(s.memory.hardest, np.max(s.geom_force, axis=-1))}

    task.memory(1, name="hardest")(lambda s: s.memory.hardest)
    task.reward(1.0, name="soft")(lambda s: -1e-3 * s.memory.hardest)
    task.reward(1.0, name="upright")(lambda s: -s.base_down[..., 2])
    task.observe("base_velocity")
    task.observe("memory.hardest")
    return task


def test_actions_are_what_the_task_makes_of_them() -> None:
    apart = legs().check(n=16, steps=20, size=1.0)
    assert "reward.soft" not in apart and all(off < 1e-12 for off in apart.values()) and {"act.target", "reward.upright"} <= set(apart), apart
    with LaneTask(legs(), 3, dtype=np.float64) as lanes:
        assert lanes.num_actions == 8
        action = np.linspace(-1, 1, 24).reshape(3, 8)
        lanes.act(action)
        model, moved = lanes.model, lanes.batch.get("target") - lanes.model.home[7:]
        scale = 0.25 * np.array([23.7, 23.7, 45.43] * 4) / 35  # robots/go2.xml
        hips = [k for k, a in enumerate(model.actuators) if "hip" in a.name]
        others = [k for k in range(12) if k not in hips]
        assert np.abs(moved[:, hips]).max() == 0
        assert np.allclose(moved[:, others], scale[others] * action, atol=2e-6)
        with pytest.raises(ArgumentError, match=r"\(3, 12\), but must be \(3, 8\)"):
            lanes.act(np.zeros((3, 12)))


def test_steps_of_dt_push_and_remember() -> None:
    with LaneTask(legs(), 2, seed=3) as still, LaneTask(legs(), 2, seed=3) as thrown:
        thrown.batch.set("v", thrown.batch.get("v") + np.array([2.0] + [0.0] * 17))
        for _ in range(3):
            out, far = still.act(np.zeros((2, 8))), thrown.act(np.zeros((2, 8)))
        wrench = thrown.batch.get("wrench").reshape(2, -1)
        assert (wrench[:, 0] < -5).all() and (np.abs(wrench[:, 3:]) == 0).all()  # it is dragged, by the velocity before the last step of dt
        thrown.reset()
        assert (thrown.batch.get("wrench") == 0).all()  # an episode begins without
        assert (out.observation[:, 6] > 10).all() and far.observation.shape == (2, 7)  # the start reaches the ground


def test_gains_by_name() -> None:
    task = TermTask("g", robot="go2", settings=SETTINGS, gains={"*": (30.0, 1.0), "*calf*": (45.0, 2.0)})
    task.reward(1.0, name="stiff")(lambda s: np.sum(s.stiffness, axis=-1))
    task.observe("base_down")
    with LaneTask(task, 2) as lanes, LaneTask(task, 2, kd=0.7) as damped:
        calves = np.array(["calf" in a.name for a in lanes.model.actuators])
        assert (lanes.batch.get("kp") == np.where(calves, 45.0, 30.0)).all() and (lanes.batch.get("kd") == np.where(calves, 2.0, 1.0)).all()
        assert (damped.batch.get("kd") == np.float32(0.7)).all() and (damped.batch.get("kp") == lanes.batch.get("kp")).all()
        assert lanes.act(np.zeros((2, 12))).terms[0, 0] / lanes.dt == pytest.approx(4 * 45 + 8 * 30, rel=1e-6)
    with pytest.raises(FormatError, match=r"no actuator is called `\*knee\*`"):
        LaneTask(TermTask("g", robot="go2", settings=SETTINGS, gains={"*knee*": (1.0, 1.0)}), 1)
    assert "by name" in str(task.explain(envs=16)[0])
    with pytest.raises(ArgumentError, match="must be \\(kp, kd\\)"):
        TermTask("g", robot="go2", gains={"*": 5.0})
    with pytest.raises(FormatError, match="below 0"):
        LaneTask(TermTask("g", robot="go2", settings=SETTINGS, gains={"*": (1.0, -1.0)}), 1)


def test_metrics_are_measured_and_not_paid(tmp_path) -> None:
    def lean(s):
        """cosine of the lean [1]"""
        return -s.base_down[..., 2]

    task = TermTask("leaning", robot="go2", settings={**SETTINGS, "episode": 0.2}, floor=1)
    task.reward(-1.0, name="all")(lean)
    task.metric(lean)
    task.observe("base_down")
    assert any("lean" in str(line) for line in task.explain(envs=16)) and task.metrics == ("lean",) and task.check(n=4, steps=5)["metric.lean"] < 1e-15
    with LaneTask(task, 3, dtype=np.float64, precision="f64") as lanes:
        assert lanes.reward_terms == ("all", "lean", "termination") and lanes.term_columns == ("Reward/all", "Metric/lean", "Reward/termination")
        assert lanes.rewards["lean"].metric and lanes.rewards["lean"].doc == "cosine of the lean [1]" and not lanes.rewards["all"].metric
        out = lanes.act(np.zeros((3, 12)))
        assert (out.terms[:, 1] == -out.terms[:, 0]).all() and (out.reward == 0).all() and (out.terms[:, 1] / lanes.dt > 0.99).all()
    paid = TermTask("paid", robot="go2", settings=SETTINGS)
    paid.reward(1.0, name="up")(lean)
    paid.metric(lean)
    paid.observe("base_down", noise=0.05)
    paid.observe("base_down", noise=0.05, group="critic")
    with LaneTask(paid, 3, dtype=np.float64, precision="f64") as lanes:
        out = lanes.act(np.zeros((3, 12)))
        assert (out.reward == out.terms[:, 0]).all() and (out.terms[:, 1] == out.terms[:, 0]).all()
        assert (out.critic != out.observation).all()  # noise of its own
    env = TaskVectorEnv(task, 3)
    env.reset(seed=0)
    info = env.step(np.zeros((3, 12), np.float32))[4]
    assert set(info["reward_terms"]) == {"all", "termination"} and (info["metrics"]["lean"] > 0.99).all()
    path = tmp_path / "leaning.task"
    path.write_text(task.text())
    assert TaskTable.read(path).metrics == ("lean",)
    told = score_task(lambda observation: np.zeros((len(observation), 12)), str(path), episodes=20)
    assert 0.9 < told.metrics["lean"] <= 1 and set(told.terms) == {"all", "termination"}
    goal = Goal.parse("survived=0.5,lean>0.9")
    goal.check(str(path))
    assert goal.missed(told) == [] and Goal.parse("lean<0.9").missed(told) == ["lean"]
    assert goal.told == {"survived": 0.5, "lean>": 0.9} and Goal.parse("lean>-5").is_near({"fell": 0.0, "Metric/lean": -6.0})
    assert goal.is_near({"fell": 0.0, "Metric/lean": 0.5}) and not goal.is_near({"fell": 0.0, "Metric/lean": 0.4})
    with pytest.raises(ArgumentError, match="has no metric 'learn'; there are: lean"):
        Goal.parse("learn>1").check(str(path))
    with pytest.raises(ArgumentError, match="not by the metric"):
        Goal.parse("lean>1").check("go2-flat")
    with pytest.raises(FormatError, match="there is a metric `lean` already"):
        TaskTable("myriapod_task 1\nmetric lean\nmetric lean\n")
    with pytest.raises(FormatError, match="has no output `metric.lean`"):
        LaneTask(TaskTable("myriapod_task 1\nrobot go2\nmetric lean\nobserve q\nmoment judge\noutput end.none 0\nmoment observe\ninput q\noutput q q\n"), 1)


def seer() -> TermTask:
    """An actor with noise, a critic without."""
    task = TermTask("seer", robot="go2", settings={**SETTINGS, "episode": 0.1})
    task.reward(1.0, name="up")(lambda s: -s.base_down[..., 2])
    task.observe("base_down", noise=0.05)
    task.observe("base_down", group="critic")

    @task.observe(group="critic", scale=0.01)
    def touch(s):
        """forces of the feet [N]"""
        return s.foot_force

    return task


def test_a_critic_sees_what_the_actor_does_not(tmp_path) -> None:
    apart = seer().check(n=8, steps=4)
    assert {"observe.base_down", "critic.base_down", "critic.touch"} <= set(apart) and all(off < 1e-12 for off in apart.values())
    with LaneTask(seer(), 4, dtype=np.float64, precision="f64") as lanes:
        assert (lanes.num_observations, lanes.num_critic_observations) == (3, 7)
        assert list(lanes.observed) == ["base_down", "critic.base_down", "critic.touch"] and lanes.observed["critic.touch"].columns == slice(3, 7)
        assert lanes.observed["critic.touch"].critic and lanes.observed["critic.touch"].unit == "N" and not lanes.observed["base_down"].critic
        first = lanes.observe_critic()
        assert (first[:, 2] < -0.9).all() and 0 < np.abs(lanes.observe() - first[:, :3]).max() <= 0.05
        for _ in range(5):
            out = lanes.act(np.zeros((4, 12)))
        final = lanes.final()
        assert out.truncated.all() and final.critic.shape == (4, 7) and (final.critic[:, 3:] > 0).any() and (out.critic == lanes.observe_critic()).all()
        assert (final.critic != out.critic).any()  # the last of an episode, and the first of the next
    with LaneTask("go2-flat", 2) as lanes:
        assert lanes.observe_critic().shape == lanes.act(np.zeros((2, 12))).critic.shape == (2, 0)
    with pytest.raises(ArgumentError, match="'actor' or 'critic'"):
        seer().observe("base_linear", group="policy")
    path = tmp_path / "seer.task"
    path.write_text(seer().text())
    assert "observe touch group critic scale 0.01 : forces of the feet [N]" in path.read_text()
    with pytest.raises(FormatError, match="no output `critic.touch`"):
        LaneTask(TaskTable(path.read_text().replace("output critic.touch", "output touch").replace("observe touch", "observe touch scale 1\nobserve touch", 1)), 1)


def test_a_shape_is_a_frame() -> None:
    """The foot of Go2 is a sphere at (-0.002, 0, -0.213) of its calf, and has no other name."""
    model = Model("go2").with_sensors(*({"name": name, "kind": kind, "of": of} for name, kind, of in (
        ("foot", "framepos", "FL_foot"), ("calf", "framepos", "FL_calf"), ("turn", "framequat", "FL_calf"), ("speed", "framelinvel", "FL_foot"),
        ("moves", "framelinvel", "FL_calf"), ("turns", "framequat", "FL_foot"), ("spins", "frameangvel", "FL_calf"))))
    with Batch(model, 5, precision="f64", dt=0.005) as batch:
        batch.v = np.random.default_rng(0).standard_normal((5, 18))
        batch.step(7)
        arm = quat_rotate(batch.sensor("turn"), np.tile([-0.002, 0.0, -0.213], (5, 1)))
        assert np.abs(batch.sensor("foot") - batch.sensor("calf") - arm).max() < 1e-14 and (batch.sensor("turns") == batch.sensor("turn")).all()
        assert np.abs(batch.sensor("speed") - batch.sensor("moves") - np.cross(batch.sensor("spins"), arm)).max() < 1e-13


def test_a_task_brings_its_sensors(tmp_path) -> None:
    feet = [{"name": f"{leg}_place", "kind": "framepos", "of": f"{leg}_foot"} for leg in ("FL", "RR")]
    task = TermTask("placed", robot="go2", settings=SETTINGS, sensors=[*feet, {"name": "air", "kind": "air_time", "of": "FL_foot"}])
    task.reward(1.0, name="high")(lambda s: s.sensor.FL_place[..., 2] + 0 * s.sensor.air[..., 0])
    task.observe("sensor.RR_place", name="place")
    path = tmp_path / "placed.task"
    path.write_text(task.text())
    assert TaskTable.read(path).sensors == task.sensors and task.check(n=4, steps=3)["reward.high"] == 0
    model = Model("go2")
    for given in (task, str(path)):
        with LaneTask(given, 2, robot=model, dtype=np.float64, precision="f64") as lanes:
            assert [sensor.name for sensor in lanes.model.sensors] == [sensor.name for sensor in model.sensors] + ["FL_place", "RR_place", "air"]
            assert np.abs(lanes.observe()[:, 2] - 0.022).max() < 0.02  # the middle of a sphere of 22 mm
            assert lanes.act(np.zeros((2, 12))).terms[:, 0] == pytest.approx(0.022 * lanes.dt, abs=0.02 * lanes.dt)
    with pytest.raises(ArgumentError, match="no body, site, frame or shape `FL_foto`.*FL_foot"):
        LaneTask(TermTask("placed", robot="go2", settings=SETTINGS, sensors=[{"name": "a", "kind": "framepos", "of": "FL_foto"}]), 1)
    with pytest.raises(FormatError, match="task:2: .*a sensor is JSON"):
        TaskTable("myriapod_task 1\nsensor foot\nmoment judge\noutput end.none 0\nmoment observe\ninput q\noutput q q\n")
    with pytest.raises(ArgumentError, match="words and numbers; a pattern is"):
        TermTask("rays", robot="go2", sensors=[{"name": "scan", "kind": "rays", "of": "base", "pattern": object()}])


def test_what_motors_do_is_not_known_before_a_step() -> None:
    task = TermTask("pushed", robot="anymal", settings=SETTINGS, actions=12)
    task.act(lambda s: s.home_length + 1e-3 * s.actuator_force, name="compliant")
    task.observe("base_down")
    with LaneTask(task, 2) as lanes:  # of a pd it follows from the state
        lanes.act(np.zeros((2, 12)))
    with pytest.raises(ArgumentError, match="known after a step alone"):
        LaneTask(task, 2, robot=Model("anymal").with_motors(Motor("dc", {"stall": 120, "speed": 7.5})))
    with pytest.raises(ArgumentError, match="'push_speed' is a setting"):
        task.number("push_speed", 1.0)
    task = TermTask("slippery", robot="anymal", settings=SETTINGS)
    task.step(lambda s: {"friction": 0.9 * s.friction}, name="ice")
    task.observe("base_down")
    with pytest.raises(FormatError, match="no output `friction`"):
        LaneTask(task, 1)


def test_what_acts_needs_a_number_of_actions() -> None:
    task = TermTask("none", robot="go2", settings=SETTINGS)
    with pytest.raises(ArgumentError, match=r"actions=12"):
        task.act(lambda s: s.home_length)
    task = TermTask("none", robot="go2", settings=SETTINGS, actions=3)
    task.observe("base_down")
    with pytest.raises(FormatError, match="no moment `act`"):
        LaneTask(task, 1)
    task.act(lambda s: s.action, name="few")
    with pytest.raises(FormatError, match="`target` has 3 rows, but must have 12"):
        LaneTask(task, 1)
