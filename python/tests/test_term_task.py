"""Tasks of terms: recorded functions beside the functions themselves in the states of a batch, the same task as object, file and module, and what is refused."""
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import myriapod
from myriapod import ArgumentError, Batch, FormatError, LaneTask, Model, TaskTable, TermTask
from myriapod.envs.any_task import open_task
from myriapod.learn.goal import Goal
from myriapod.envs.trained import origin, trained_task
from myriapod.rotations import quat_rotate_back
from myriapod.settings import from_pairs
from myriapod.programs.symbols import RecordingError

SETTINGS = {"dt": 0.005, "decimation": 4, "solver": "bisection"}


def creep() -> TermTask:
    """Memories, draws, commands, numbers, settings, groups by name, rotations; an end of each kind."""
    task = TermTask("creep", robot="anymal", about="ANYmal creeps forward", settings=SETTINGS, gains="quadruped", uses=("pushes",), floor=1,
                    training={"push_interval": 3.0}, learner={"num_envs": 64, "hidden": (32, 16)})
    task.number("wanted", 0.5)

    @task.reward(1.0)
    def forward(s):
        """exp(-(wanted - speed forward)^2 / 0.25)"""
        return np.exp(-4 * np.square(s.base_linear[..., 0] - s.number.wanted - 0.1 * s.command[..., 0]))

    @task.reward("setting.reward-torque", name="torque-of-knees")
    def knees(s):
        return np.sum(np.square(s.actuator_force[..., s.actuators_of("*KFE")]), axis=-1)

    @task.reward(-0.01)
    def jitter(s):
        return np.sum(np.abs(s.action - s.action_before), axis=-1) + np.mean(np.square((s.actuator_velocity - s.actuator_velocity_before) / s.control_dt), axis=-1)

    @task.reward(0.1)
    def upright(s):
        return -quat_rotate_back(s.q[..., 3:7], s.base_velocity[..., :3] * 0 + np.array([0.0, 0.0, -1.0]))[..., 2]

    @task.reward(0.5)
    def landing(s):
        return np.sum(np.where((s.foot_force > 1) & (s.memory.air > 0), s.memory.air + s.control_dt - 0.5, 0.0), axis=-1)

    @task.memory(4)
    def air(s):
        return np.where(s.foot_force > 1, 0.0, s.memory.air + s.control_dt)

    @task.memory()
    def wander(s):
        return 0.9 * s.memory.wander + s.draw("wander") - 0.5

    @task.end
    def fallen(s):
        return (s.base_down[..., 2] > -0.5) | (s.torso_force > 1)

    @task.truncate
    def far(s):
        return np.linalg.norm(s.base_position[..., :2], axis=-1) > 0.4

    @task.commands(2, every=1.0)
    def command(s):
        """ahead, and nothing [m/s]"""
        return 2 * s.draw("command", 2) - 1

    @task.start
    def start(s):
        return {"actuator_position": s.home_position + 0.3 * (s.draw("joints", 12) - 0.5), "base_turn": s.episode_turn, "memory.wander": s.draw("at")}

    task.observe("base_linear", scale=2.0, noise=0.1)
    task.observe("base_down", noise=0.05)

    @task.observe(name="odd")
    def words(s):
        """noise and scale, late: words that the line knows, too [1]"""
        return s.base_down[..., :1]

    task.observe("encoder")
    task.observe("memory.wander")
    task.observe("command")

    @task.observe(noise=0.01)
    def hips(s):
        """positions of the hips, from home"""
        hips = s.actuators_of("*HAA", "*HFE")
        return (s.actuator_length - s.home_length)[..., hips]

    return task


def test_lanes_do_what_the_functions_do() -> None:
    apart = creep().check(n=32, steps=40, size=1.0)
    assert set(apart) >= {"start.start", "command.command", "reward.forward", "reward.landing", "memory.air", "memory.wander", "observe.hips", "observe.command", "end"}
    assert all(off < 1e-12 for off in apart.values()), apart


def test_check_sees_what_is_not_the_same() -> None:
    task = TermTask("odd", robot="anymal", settings=SETTINGS)

    @task.reward(1.0)
    def other(s):  # on arrays another number than when it is recorded
        return s.base_linear[..., 0] * (1.0 if isinstance(s.base_linear, np.ndarray) else 2.0)

    @task.start
    def off(s):
        return {"q": s.q, "memory.m": s.draw("x") * (1.0 if isinstance(s.q, np.ndarray) else 2.0)}

    task.memory(name="m")(lambda s: s.memory.m)
    task.observe("base_down")
    apart = task.check(n=4, steps=3)
    assert apart["reward.other"] > 0.4 and apart["start.off"] > 0.4


def acted(task, **keys):
    rng = np.random.default_rng(3)
    with open_task(task, 20, seed=5, push_interval=0.2, **keys) as lanes:
        outs = [lanes.act(rng.standard_normal((20, 12))) for _ in range(60)]
        return np.stack([o.observation for o in outs]), np.stack([o.terms for o in outs]), np.stack([o.terminated for o in outs]), lanes.batch.hash()


def test_object_file_and_module_are_one_task(tmp_path, monkeypatch) -> None:
    task, path = creep(), tmp_path / "creep.task"
    path.write_text(task.text(Model("anymal")))
    (tmp_path / "of_mine.py").write_text("from test_term_task import creep\nwalk = creep()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    wanted = acted(task)
    assert wanted[2].any()
    for other in (str(path), "of_mine:walk", TaskTable.read(path), pickle.loads(pickle.dumps(TaskTable.read(path)))):
        for got, want in zip(acted(other), wanted):
            assert np.array_equal(got, want)
    read = TaskTable.read(path)
    assert (read.name, read.robot, read.about, read.command) == ("creep", "anymal", "ANYmal creeps forward", 2)
    assert read.training == {"push_interval": 3.0} and read.learner == {"num_envs": 64, "hidden": (32, 16)}
    assert read.settings()["decimation"] == 4


def test_a_task_tells_what_it_is() -> None:
    with LaneTask(creep(), 3) as lanes:
        assert lanes.reward_terms == ("forward", "torque-of-knees", "jitter", "upright", "landing", "termination")
        assert lanes.rewards["forward"].weight == 1.0 and lanes.rewards["forward"].doc == "exp(-(wanted - speed forward)^2 / 0.25)"
        assert lanes.rewards["torque-of-knees"].weight == lanes.settings["reward_torque"]
        assert lanes.observed["base_linear"].scale == 2.0 and lanes.observed["hips"].noise == 0.01
        assert lanes.observed["hips"].doc == "positions of the hips, from home" and lanes.num_observations == 3 + 3 + 1 + 12 + 1 + 2 + 8
        assert lanes.observed["odd"].doc == "noise and scale, late: words that the line knows, too" and lanes.observed["odd"].unit == "1"
        again = pickle.loads(pickle.dumps(lanes))
        action = np.ones((3, 12))
        assert np.array_equal(again.act(action).observation, lanes.act(action).observation)
        assert lanes.observed["command"].doc == "ahead, and nothing" and lanes.observed["command"].unit == "m/s"
        assert lanes.observed["encoder"].unit == "rad, m" and "home" in lanes.observed["encoder"].doc
    lines = [str(term) for term in creep().explain(envs=64)]
    assert len(lines) == 19 and any("torque-of-knees" in line and "actuator_force" in line for line in lines)
    assert lines[0].split()[:6] == ["gains", "quadruped", "kp", "80,", "kd", "2"]
    assert sum("as it is" in line for line in lines) == 6 and not any(" 0 instructions" in line for line in lines)


def test_what_is_observed_of_an_input_has_its_words_and_unit() -> None:
    model = Model("anymal").with_sensors({"name": "imu", "kind": "accelerometer", "of": "base"})
    task = TermTask("seen", settings=SETTINGS)
    for name in ("v", "base_velocity", "sensor.imu", "memory.slow"):
        task.observe(name)

    @task.memory(1)
    def slow(s):
        """height, filtered [m]"""
        return 0.9 * s.memory.slow + 0.1 * s.base_above

    with LaneTask(task, 2, robot=model) as lanes:
        assert [part.unit for part in lanes.observed.values()] == ["m/s, rad/s", "m/s, rad/s", "m/s^2", "m"]
        assert [part.doc for part in lanes.observed.values()][2:] == ["what the sensor imu reads: accelerometer", "height, filtered"]


def test_a_fault_has_its_outputs_name() -> None:
    task = TermTask("brittle", robot="anymal", settings=SETTINGS)

    @task.reward(1.0)
    def root(s):
        return np.sqrt(s.action[..., 0])

    task.observe("base_down")
    with LaneTask(task, 4) as lanes:
        action = np.zeros((4, 12))
        action[2, 0] = -1
        out = lanes.act(action)
        assert out.terminated.tolist() == [False, False, True, False]
        assert lanes.fault_text(out.fault[2]) == "reward.root is not a number" and lanes.fault_text(2) == myriapod.quarantine_text(2)


def test_start_and_command_are_drawn_for_each_robot() -> None:
    with LaneTask(creep(), 200) as lanes:
        q = lanes.batch.q
        off = q[:, 7:] - q[:, 7:].mean(0)
        assert 0.13 < np.abs(off).max() < 0.17 and len(np.unique(q[:, 7])) > 150
        assert np.abs(q[:, 3]).max() <= 1 and q[:, 6].std() > 0.3  # all headings
        command = lanes.batch.command
        assert command.shape == (200, 2) and -1 <= command.min() < -0.9 and 0.9 < command.max() <= 1
        for _ in range(51):
            lanes.act(np.zeros((200, 12)))
        assert not np.array_equal(lanes.batch.command, command)


def test_it_trains_and_is_scored_by_its_name(tmp_path) -> None:
    (tmp_path / "mine.py").write_text("from test_term_task import creep\nwalk = creep()\n")
    import os
    from pathlib import Path

    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}

    def run(*words: str) -> str:
        done = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("myriapod.train", "mine:walk", "--iterations", "2", "--threads", "1", "--log", "run", "--quiet", "--set", "number.wanted=0.3")
    told = run("myriapod.score", "mine:walk", "run/policy.npz", "--episodes", "20")
    assert "forward" in told and "torque-of-knees" in told


@pytest.mark.parametrize("body, message", [
    ("return s.base_dwon[..., 0]", r"reward f: .*there is no input `base_dwon`; did you mean 'base_down'\?"),
    ("return s.base_linear", r"wrong: reward f: the output `reward.f` has 3 rows, but must have 1: one number per robot is x\[..., 0\], or np.sum\(x, axis=-1\)"),
    ("return 1.0 if s.base_down[..., 2] > 0 else 0.0", r"np.where instead of `if`"),
    ("return s.memory.gone", r"there is no input `memory.gone`"),
    ("return s.draw('x', 3)[..., 0] + s.draw('x', 2)[..., 0]", r"'x' is drawn already, with 3 numbers"),
    ("return s.q[..., s.actuators_of('*knee*')]", r"no actuator is called '\*knee\*'"),
    ("return None", r"reward f: it must give an array, not NoneType"),
    ("return s.setting.push_sped", r"reward f: there is no input `setting.push-sped`; did you mean 'setting.push-speed'\?"),
    ("return s.body_velocty[..., 0]", r"there is no input `body_velocty`; did you mean 'base_velocity'\?"),
    ("return s.body_velocity[..., 0]", r"this batch keeps no such field without sense=\(\"bodies\",\)"),
    ("return s.command[..., 0]", r"the task has no command: declare one, .* @task.commands\(rows\)"),
    ("return s.draw('x', s.actuators)[..., 0]", r"s.draw\('x', rows\): a count must be known .* s.model.nu is how many actuators there are"),
    ("return sum(s.q[..., k] for k in range(s.actuators))", r"s.model.nu is how many actuators there are"),
    ("return s.draw('x', 2.5)[..., 0]", r"reward f: rows is 2.5, but must be a whole number"),
])
def test_mistakes_are_named(body: str, message: str) -> None:
    scope: dict = {"np": np}
    exec(textwrap.dedent(f"def f(s):\n    {body}\n"), scope)
    task = TermTask("wrong", robot="anymal", settings=SETTINGS)
    task.reward(1.0)(scope["f"])
    task.observe("base_down")
    with pytest.raises((RecordingError, FormatError, ArgumentError), match=message):
        LaneTask(task, 2)


def test_a_mistake_has_the_place_of_its_term() -> None:
    task = TermTask("wrong", robot="anymal", settings=SETTINGS)
    task.reward(1.0, name="level")(lambda s: s.base_down[..., 2])
    task.start(lambda s: {"q": s.base_position}, name="low")
    task.observe("base_down")
    with pytest.raises(FormatError, match=r"^wrong: start low: the output `q` has 3 rows, but must have 19 \(.*test_term_task.py:\d+\)$"):
        Batch("anymal", task=task)


def test_a_robot_is_a_name_and_a_model_is_for_its_text() -> None:
    model = Model("anymal")
    with pytest.raises(ArgumentError, match="robot is <Model anymal: .*>, but must be a name or a file"):
        TermTask("off", robot=model)
    task = TermTask("off", robot="anymal", settings=SETTINGS)
    task.observe("base_down")
    assert task.text() == task.text("anymal") == task.text(model) == str(task.table()) and "nothing" not in task.text("go2")
    with pytest.raises(ArgumentError, match="task 'any' is for any robot: name one"):
        TermTask("any").text()


def test_decorators_want_their_parentheses() -> None:
    task = TermTask("bare", robot="anymal")

    def f(s):
        return s.base_down

    for add, usage in ((task.memory, r"memory\(rows\)"), (task.reward, r"reward\(weight\)"), (task.commands, r"commands\(rows\)"), (task.observe, r"observe\(\)")):
        with pytest.raises(ArgumentError, match=f"without its parentheses: write @task.{usage} above 'f'"):
            add(f)
    assert not task.terms


def test_settings_without_effect_are_told_once() -> None:
    def made(**keys) -> TermTask:
        task = TermTask("idle", robot="anymal", **keys)
        task.reward("setting.reward-torque", name="effort")(lambda s: np.sum(np.square(s.actuator_force), axis=-1) + s.setting.start_angle)
        task.observe("base_down")
        return task

    asked = {"push_speed": 1.0, "start_height": 0.1, "start_angle": 0.1, "reward_torque": -1.0, "reward_height": -1.0, "scan": "exact", "curriculum": 0}
    task = made(settings=SETTINGS | asked, training={"push_interval": 3.0})
    with pytest.warns(UserWarning) as told:
        LaneTask(task, 2, command_still=0.5).close()
    words = [str(w.message) for w in told]
    assert [line.split()[3] for line in words] == ["push_speed", "start_height", "reward_height", "scan", "curriculum", "push_interval", "command_still"]
    assert words[0] == "idle: the setting push_speed has no effect: the task does not use pushes: TermTask(.., uses=('pushes',)) does"
    assert words[2].endswith("no term reads s.setting.reward_height, and no weight, factor or noise is 'setting.reward-height'")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LaneTask(task, 2).close()
        LaneTask(made(settings=SETTINGS | {"push_speed": 1.0}, uses=("pushes",), training={"push_interval": 3.0}), 2).close()
    for every, heard in (("setting.command-hold", 0), (0.0, 1)):
        task = made(settings=SETTINGS, training={"command_keep": 0.5})
        task.commands(1, every=every, name="speed")(lambda s: s.draw("speed"))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            LaneTask(task, 2).close()
        assert [str(w.message).split()[3] for w in told] == ["command_keep"] * heard
    with pytest.raises(ArgumentError, match=r"it draws no parameters: write `uses vary`, in Python uses=\(\"vary\",\)"):
        LaneTask(made(settings={"vary_mass": 2.0}), 2)


def test_settings_and_options_are_checked_when_they_are_given() -> None:
    for keys, message in (({"training": {"push_intervl": 3.0}}, r"training: there is no setting 'push_intervl'; did you mean 'push_interval'\?"),
                          ({"settings": {"decimaton": 4}}, r"settings: there is no setting 'decimaton'; did you mean 'decimation'\?"),
                          ({"training": {"push_interval": -1}}, "training: 'push-interval'"),
                          ({"learner": {"desired_k": 0.02}}, r"learner: there is no option 'desired_k'; did you mean 'desired_kl'\?"),
                          ({"learner": {"xyzzy": 0.02}}, r"learner: there is no option 'xyzzy'; there are: activation, ")):
        with pytest.raises(ArgumentError, match=message):
            TermTask("keys", **keys)


def test_a_goal_says_which_commands_it_judges() -> None:
    task = creep()
    with pytest.raises(ArgumentError, match="has commands of 2 numbers, and 'error' is of three: forward, left, yaw rate; its goals are survived and return"):
        Goal.parse("error=0.25").check(task)


def test_numbers_are_set_from_outside(tmp_path) -> None:
    task, action = creep(), np.ones((2, 12))
    (tmp_path / "creep.task").write_text(task.text())
    for written in (task, str(tmp_path / "creep.task")):
        with LaneTask(written, 2) as usual, LaneTask(written, 2, numbers={"wanted": "0.25"}) as other:
            assert usual.numbers == {} and other.numbers == {"wanted": 0.25}
            assert np.all(usual.act(action).terms[:, 0] != other.act(action).terms[:, 0])
            again = pickle.loads(pickle.dumps(other))
            assert np.array_equal(again.act(action).terms, other.act(action).terms)
            policy = myriapod.Policy([np.zeros((12, usual.num_observations))], [np.zeros(12)], **origin(other))
    policy.save(tmp_path / "policy.npz")
    with trained_task(myriapod.Policy.load(tmp_path / "policy.npz")) as core:
        assert core.numbers == {"wanted": 0.25}
    with trained_task(policy, **from_pairs(["number.wanted=0.75", "dt=0.0025"], ())) as core:
        assert core.numbers == {"wanted": 0.75} and core.settings["dt"] == 0.0025
    for keys, message in (({"numbers": {"wantd": 1}}, r"the task 'creep' has no number 'wantd'; did you mean 'wanted'\?"),
                          ({"numbers": {"wanted": "much"}}, "the number 'wanted' of the task 'creep' is 'much', but must be a finite number"),
                          ({"wanted": 0.3}, r"'wanted' is a number of the task 'creep', not a setting: numbers={'wanted': 0.3}, .* --set number.wanted=0.3")):
        with pytest.raises(ArgumentError, match=message):
            LaneTask(task, 2, **keys)
    for name, hint in (("xyzzy", "; there are: hold-width, "), ("reward-torqe", r"; did you mean 'reward-torque'\?")):
        with pytest.raises(ArgumentError, match=f"the task 'anymal-flat' has no number '{name}'{hint}"):
            LaneTask("anymal-flat", 2, numbers={name: 1})


def test_numbers_of_the_librarys_tasks_are_settings() -> None:
    with LaneTask("anymal-flat", 2, reward_torque=-3, numbers={"reward-height": -0.5}) as walk:
        assert (walk.rewards["torque"].weight, walk.rewards["height"].weight) == (-3, -0.5) == (walk.settings["reward-torque"], walk.settings["reward_height"])
        assert walk.numbers == {} and walk.rewards["air-time"].weight == 2 == walk.settings["reward_air_time"]
        origin_of = origin(walk)["settings"]
        assert origin_of["reward_torque"] == -3 and origin_of["reward_air_time"] == 2
    for keys in ({"numbers": {"soft-limit": 1.5}}, {"soft_limit": 1.5}):
        with pytest.raises(ArgumentError, match="'soft-limit' is 1.5, but must lie in 0 .. 1"):
            LaneTask("anymal-flat", 2, **keys)


def limits(**keys) -> TermTask:
    task = TermTask("limits", robot="anymal", settings=SETTINGS, **keys)
    task.number("wanted", 0.5, low=0, high=1, doc="how fast [m/s] #1")
    task.number("soft-limit", 0.25)
    task.observe(name="numbers")(lambda s: s.number.wanted + 0 * s.base_down)
    task.observe(name="limit")(lambda s: s["number.soft-limit"] + 0 * s.base_down)
    task.reward("number.soft-limit", name="one")(lambda s: 1.0 + 0 * s.base_down[..., 0])
    return task


def test_numbers_have_ranges() -> None:
    task = limits()
    assert "number wanted 0.5 0.0 1.0 how fast [m/s] number1\n" in task.text()
    with LaneTask(task, 2, numbers={"wanted": 1}) as lanes:
        assert np.all(lanes.observe()[:, :3] == 1)
    table = task.table()
    assert str(table.with_numbers({"wanted": 0.75})) == str(table).replace("wanted 0.5 0.0", "wanted 0.75 0.0")
    with pytest.raises(ArgumentError, match="limits:[0-9]+: the number `wanted` is 1.5, but must lie in 0 .. 1"):
        LaneTask(task, 2, numbers={"wanted": 1.5})
    with pytest.raises(ArgumentError, match="the number 'least' is -1, but must lie in 0 .. inf"):
        task.number("least", -1, low=0)


def test_a_number_that_is_called_as_a_setting_has_its_value() -> None:
    task = limits()
    for keys, wanted in (({}, 0.25), ({"soft_limit": 0.75}, 0.75), ({"numbers": {"soft-limit": 0.5}}, 0.5), ({"soft_limit": 0.75, "numbers": {"soft-limit": 0.5}}, 0.5)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # the setting acts
            lanes = LaneTask(task, 2, **keys)
        with lanes:
            assert np.all(lanes.observe()[:, 3:] == wanted) and lanes.settings["soft_limit"] == wanted == lanes.rewards["one"].weight
            policy = myriapod.Policy([np.zeros((12, lanes.num_observations))], [np.zeros(12)], **origin(lanes))
            again = pickle.loads(pickle.dumps(lanes))
        with again:
            assert np.all(again.observe()[:, 3:] == wanted)
        with LaneTask(task, 2, **{name: value for name, value in policy.settings.items() if not name.startswith("number.")}) as later:
            assert np.all(later.observe()[:, 3:] == wanted)
    assert max(task.check(n=4, steps=4, soft_limit=0.75).values()) < 1e-12
    with pytest.raises(ArgumentError, match="'soft-limit' is 1.5, but must lie in 0 .. 1"):
        LaneTask(task, 2, soft_limit=1.5)


def test_what_is_added_is_checked() -> None:
    task = TermTask("names")
    task.observe("base_down")
    with pytest.raises(ArgumentError, match="already"):
        task.observe("base_down")
    with pytest.raises(ArgumentError, match="not a name of a term"):
        task.reward(1.0)(lambda s: 0.0)
    with pytest.raises(ArgumentError, match="a weight is 'much'"):
        task.reward("much")
    with pytest.raises(FormatError, match="a task may use vary, pushes, patches and trial"):
        TermTask("uses", uses=("magic",))
    with pytest.raises(FormatError, match="gains may be own, quadruped, sag or KP KD, not `quad`"):
        TermTask("stiff", gains="quad")
    with pytest.raises(FormatError, match="`words` is more than this line takes"):
        TermTask("two words")
    with pytest.raises(ArgumentError, match="is for any robot"):
        LaneTask(task, 2)
    with pytest.raises(myriapod.UnknownKeyError, match="FILE.task, MODULE:NAME"):
        LaneTask("nothing-at-all", 2)
    with pytest.raises(ArgumentError, match="cannot import"):
        LaneTask("no_such_module:walk", 2)
    with pytest.raises(myriapod.FileError, match="absent.task"):
        LaneTask("absent.task", 2)


def test_functions_without_a_name_are_given_one() -> None:
    task = TermTask("short", robot="anymal", settings=SETTINGS)
    task.commands(2, name="ahead")(lambda s: s.draw("u", 2))
    task.start(lambda s: {"base_position": s.base_position + 0.1 * s.draw("off", 3)}, name="off")
    task.reward(1.0, name="ahead")(lambda s: s.base_linear[..., 0] * s.command[..., 0])
    task.end(lambda s: s.base_down[..., 2] > -0.5, name="lies")
    task.truncate(lambda s: s.base_above > 5.0, name="flies")
    task.observe("base_down")
    assert max(task.check(n=8, steps=5).values()) < 1e-12
    assert [term.name for term in task.terms] == ["ahead", "off", "ahead", "lies", "flies", "base_down"]


def test_a_batch_takes_one() -> None:
    with Batch("anymal", 8, task=creep()) as batch:
        assert batch.settings["decimation"] == 4 and batch.info.task == "creep"
        again = pickle.loads(pickle.dumps(batch))
        assert again.hash() == batch.hash()


def test_terms_are_shown_as_bars() -> None:
    from myriapod.view.live import SENSE, PolicySource

    source = PolicySource(open_task(creep(), 3, sense=SENSE), None)
    assert "```" not in source.about(0)  # nothing has happened yet
    source.advance(3)
    lines = [line.split() for line in source.bars(1).splitlines() if "." in line]
    assert {"forward", "jitter", "upright"} <= {line[0] for line in lines}
    assert max(len(word) for line in lines for word in line if "█" in word) == 12
    assert all((line[-1] == "-") == line[1].startswith("-") for line in lines)
    source.close()


def test_go2_flat_is_what_it_says() -> None:
    from myriapod.programs.given.go2 import flat

    apart = flat.check(n=24, steps=40, size=1.0)
    assert {"reward.tracking-linear", "reward.air-time", "memory.air", "end"} <= set(apart) and max(apart.values()) < 1e-12
    with open_task("go2-flat", 64, seed=4) as lanes:
        assert isinstance(lanes, myriapod.Locomotion) and lanes.task == "go2-flat" and lanes.model.name == "go2"
        assert lanes.num_observations == 48 and lanes.settings["action_scale"] == 0.3 and np.all(lanes.batch.kp == 70)
        command = lanes.command
        assert np.abs(command[:, 1]).max() <= 0.5 and 0.02 < np.mean(~command.any(1)) < 0.3
        for _ in range(20):
            out = lanes.act(np.zeros((64, 12)))
        assert not out.terminated.any() and out.reward.max() > 0  # it stands


def test_one_term_steers_a_command_that_there_is():
    task = TermTask("turn", robot="anymal", settings={"dt": 0.005, "decimation": 4})
    with pytest.raises(ArgumentError, match="no command to steer"):
        task.steer(lambda s: s.command)
    task.commands(2, name="wanted")(lambda s: {"command": s.draw("wanted", 2), "memory.kept": s.draw("wanted", 2)})
    task.memory(2, name="kept")(lambda s: s.memory.kept)
    task.steer(lambda s: 0.5 * (s.command + s.memory.kept), name="half")
    with pytest.raises(ArgumentError, match="steers already"):
        task.steer(lambda s: s.command, name="again")
    task.reward(1.0, name="first")(lambda s: s.command[..., 0])
    task.observe("command")
    assert max(task.check(n=8, steps=5).values()) < 1e-12
    with LaneTask(task, 4, dtype=np.float64, precision="f64") as lanes:
        lanes.batch.set("command", np.zeros((4, 2)))
        kept = lanes.batch.get("memory").copy()
        seen = [lanes.act(np.zeros((4, lanes.num_actions))) for _ in range(2)]
        assert np.allclose(seen[1].observation, 0.75 * kept, atol=1e-12) and np.allclose(seen[1].reward, 0.5 * kept[:, 0] * lanes.dt, atol=1e-12)
