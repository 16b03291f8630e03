"""Numbers of a task that change while it runs: by hand, by stages of a training, by a function between iterations."""
import csv
import json
import pickle
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Batch, FormatError, LaneTask, Model, TaskTable, TermTask, UnknownKeyError
from myriapod.envs.trained import origin, trained_task
from myriapod.learn.curriculum import Curriculum, Progress
from myriapod.learn.lanes import Lanes
from myriapod.learn.loop import Trainer
from myriapod.train import main, stages

SETTINGS = {"dt": 0.005, "decimation": 4, "solver": "bisection", "episode": 0.2, "push_speed": 0.0, "push_interval": 0.1}


def task(**keys) -> TermTask:
    made = TermTask("grows", robot="anymal", settings=SETTINGS, gains="quadruped", uses=("pushes",), **keys)
    made.number("wanted", 0.0, low=0.0, high=2.0)
    made.number("penalty_scale", 0.0)
    made.reward("number.penalty_scale", name="still")(lambda s: np.sum(np.square(s.actuator_velocity), axis=-1))
    made.reward(1.0, name="fast")(lambda s: s.base_linear[..., 0] * s.number.wanted)
    made.observe("base_linear")
    made.observe("encoder")
    return made


def test_numbers_are_set_while_it_runs() -> None:
    actions = np.random.default_rng(0).standard_normal((20, 7, 12)).astype(np.float32)
    with LaneTask(task(), 7, seed=3) as changed, LaneTask(task(), 7, seed=3, numbers={"wanted": 1.5, "penalty_scale": -0.5}, push_speed=0.25) as made:
        for a in actions[:5]:
            changed.act(a)
        assert changed.batch.task_numbers == {"wanted": 0.0, "penalty_scale": 0.0, "reward-fast": 1.0}
        changed.batch.set_numbers({"wanted": 1.5, "penalty_scale": -0.5, "push_speed": 0.25})
        assert changed.batch.task_numbers == {"wanted": 1.5, "penalty_scale": -0.5, "reward-fast": 1.0} and changed.batch.settings["push_speed"] == 0.25
        assert changed.settings["push_speed"] == 0 and changed.numbers == {}  # as it was made
        for k in range(5):
            made.act(actions[k])
        again = pickle.loads(pickle.dumps(changed))
        again.reset(seed=5), changed.reset(seed=5), made.reset(seed=5)
        assert again.batch.task_numbers == changed.batch.task_numbers
        for a in actions:
            outs = [one.act(a) for one in (changed, made, again)]
            for out in outs[1:]:
                assert all((x == y).all() for x, y in zip(outs[0], out))
        for numbers, words in (({"wanted": 3.0}, "must lie in 0 .. 2"), ({"wantet": 1}, "did you mean 'wanted'"), ({"episode": 1}, "neither a number"),
                               ({"wanted": 1.0, "push_speed": -1}, "'push-speed'"), ({"wanted": float("nan")}, "must be a finite number")):
            with pytest.raises(ArgumentError, match=words):
                changed.batch.set_numbers(numbers)
        assert changed.batch.task_numbers["wanted"] == 1.5
        again.close()
    with Batch("anymal", 1) as plain, pytest.raises(myriapod.StateError, match="is not a table"):
        plain.set_numbers({"wanted": 1})


VARY = {"vary_mass": 3.0, "vary_com": 0.05, "vary_friction_low": 0.2, "vary_friction_high": 0.5, "vary_delay": 0.01, "vary_gains": 0.3, "vary_strength": 0.2,
        "vary_encoder": 0.1, "vary_armature_low": 2.0, "vary_damping_low": 0.5, "vary_dry_friction_low": 0.5, "vary_links": 0.2, "vary_armature_high": 3.0}
PLAIN = {name: 1.0 if name.endswith(("low", "high")) else 0.0 for name in VARY}


@pytest.mark.parametrize("kept", [(), ("vary_links",), ("vary_mass",), ("vary_strength", "vary_armature_low", "vary_armature_high")])
def test_what_is_no_longer_varied_is_as_the_model_says(kept, tmp_path) -> None:
    """Whatever was drawn before: the same seed, the same bits."""
    robot = str(tmp_path / "go2.xml")
    Path(robot).write_text(Path(str(myriapod.Model("go2").file)).read_text().replace("<joint ", "<joint damping=\"0.3\" frictionloss=\"0.2\" "))
    after = PLAIN | {name: VARY[name] for name in kept}
    actions = np.random.default_rng(0).standard_normal((12, 9, 12)).astype(np.float32)
    with LaneTask("anymal-flat", 9, robot=robot, seed=1, **VARY) as a, LaneTask("anymal-flat", 9, robot=robot, seed=2, **VARY) as b, \
            LaneTask("anymal-flat", 9, robot=robot, seed=3, **after) as made:
        for one in (a, b):
            one.act(actions[0])
            one.batch.set_numbers(after)
        for one in (a, b, made):
            one.reset(seed=3)
        for name in ("mass", "com", "inertia", "friction", "kp", "kd", "strength", "delay", "encoder_bias", "armature", "damping", "dry_friction"):
            assert (a.batch.get(name) == made.batch.get(name)).all() and (b.batch.get(name) == made.batch.get(name)).all(), name
        for action in actions:
            outs = [one.act(action) for one in (a, b, made)]
            assert all((x == y).all() for out in outs[:2] for x, y in zip(out, outs[2]))


def test_whole_numbers_and_gains() -> None:
    with LaneTask("anymal-flat", 2) as lanes:
        lanes.batch.set_numbers({"reward_floor": 0, "curriculum": 0.0})
        assert lanes.batch.settings["reward_floor"] == lanes.batch.settings["curriculum"] == 0
        again = pickle.loads(pickle.dumps(lanes))
        assert again.batch.settings["reward_floor"] == 0
        again.close()
        for numbers, words in (({"reward-floor": 0.5}, "whole number"), ({"push_speed": "x"}, "finite number"), ({"push_speed": None}, "finite number"),
                               ({3: 1.0}, "must be a text"), ({"push_speed": 10**400}, "finite number"), ({"episode": 5}, "nor a setting of its episodes")):
            with pytest.raises(ArgumentError, match=words) as told:
                lanes.batch.set_numbers(numbers)
            assert "did you mean 'episode'" not in str(told.value)
    stiff = TermTask("stiff", robot="anymal", settings=SETTINGS, gains={"*": (80.0, 2.0)})
    stiff.observe("encoder")
    text = stiff.text().replace("gain * 80.0 2.0", "number kp 80.0\ngain * number.kp 2.0")
    with LaneTask(TaskTable(text, "stiff"), 1) as lanes, pytest.raises(myriapod.StateError, match="gains are what a batch of the task 'stiff' is made with"):
        lanes.batch.set_numbers({"kp": 50.0})


def test_what_was_set_by_hand_stays() -> None:
    """How strong one robot's motors are, and what the rays of a sensor may meet, are not the task's."""
    made = TermTask("sees", robot="go2", settings=SETTINGS, gains={"*": (30.0, 1.0)})
    made.number("wanted", 0.5)
    made.reward("number.wanted", name="up")(lambda s: -s.base_down[..., 2])
    made.observe("encoder")
    made.observe("sensor.down")
    around = myriapod.rays.lidar(4, 12, elevation=(-1.2, -0.6))  # the ground, and its own legs
    model = Model("go2").with_sensors({"name": "down", "kind": "rays", "of": "base", "pattern": around})
    actions = np.random.default_rng(0).standard_normal((8, 3, 12)).astype(np.float32)
    with LaneTask(made, 3, robot=model) as changed, LaneTask(made, 3, robot=model) as plain:
        for one in (changed, plain):
            strength = one.batch.get("strength")
            strength[1] = 0.25
            one.batch.set("strength", strength)
        changed.batch.set_numbers({"wanted": 0.25})
        for action in actions:
            a, b = changed.act(action), plain.act(action)
            assert (a.observation == b.observation).all() and np.allclose(2 * a.reward, b.reward)
        assert np.ptp(a.observation[:, changed.observed["sensor_down"].columns]) > 0


def test_a_fault_keeps_its_name() -> None:
    made = task()
    made.reward(1.0, name="root")(lambda s: np.sqrt(s.base_down[..., 2]))
    with LaneTask(made, 1, autoreset="disabled") as lanes:
        fault = lanes.act(np.zeros((1, 12))).fault[0]
        assert lanes.fault_text(fault) == "reward.root is not a number"
        lanes.batch.set_numbers({"penalty_scale": 1.0})  # a term more is computed
        assert lanes.fault_text(fault) == "reward.root is not a number"


def test_a_fault_of_a_memory_keeps_its_name() -> None:
    made = task()
    made.memory(1, name="root")(lambda s: np.sqrt(s.base_down[..., 2]))
    with LaneTask(made, 1, autoreset="disabled") as lanes:
        fault = lanes.act(np.zeros((1, 12))).fault[0]
        lanes.batch.set_numbers({"penalty_scale": 1.0})
        assert lanes.fault_text(fault) == "memory.root is not a number"


def test_the_librarys_tasks_have_numbers_too() -> None:
    with LaneTask("anymal-flat", 3) as lanes:
        height = lanes.reward_terms.index("height")
        assert lanes.act(np.zeros((3, 12))).terms[:, height].max() == 0
        lanes.batch.set_numbers({"reward_height": -5.0, "push_speed": 1.0})
        assert lanes.batch.task_numbers["reward-height"] == -5 and lanes.batch.settings["reward_height"] == -5
        assert (lanes.act(np.zeros((3, 12))).terms[:, height] != 0).all()


def test_weights_are_numbers() -> None:
    """A weight that is a number is one of the task's own, and as good as a task that was written with the other weight."""
    def walk(weight: float, end: float) -> TermTask:
        made = TermTask("walk", robot="anymal", settings=SETTINGS, gains="quadruped", uses=("pushes",))
        made.number("reward-mine", 3.0)
        made.reward(weight, name="air_time")(lambda s: s.base_linear[..., 2])
        made.reward(weight, name="fast")(lambda s: s.base_linear[..., 0])
        made.reward("number.reward-mine", name="mine")(lambda s: s.base_linear[..., 1])
        made.termination(end)
        made.end(lambda s: s.base_linear[..., 0] > 0.02, name="far")
        made.observe("base_linear")
        return made

    made = walk(1.0, -1.0)
    assert made.numbers == {"reward-mine": 3.0, "reward-air-time": 1.0, "reward-fast": 1.0, "reward-termination": -1.0}
    assert {term.name: term.words for term in made.explain() if term.kind == "reward"} == {"air_time": "1", "fast": "1", "mine": "3"}
    assert len(str(made.explain()).splitlines()) == len(made.explain()) > 3
    made.stage(100, reward_air_time=2.0)
    assert made.stages[-1].numbers == {"reward-air-time": 2.0}
    for again in (lambda: made.reward(1.0, name="mine2")(len) and made.number("reward-mine2", 2.0), lambda: made.number("reward-fast", 2.0), lambda: made.termination(-3.0)):
        with pytest.raises(ArgumentError, match="there is a number"):
            again()
    n = len(made.terms)
    made.number("reward-late", 1.0)
    with pytest.raises(ArgumentError, match="there is a number 'reward-late'"):
        made.reward(1.0, name="late")(len)
    assert [term.name for term in made.terms[n:]] == []
    made = walk(1.0, -1.0)
    actions = np.random.default_rng(1).standard_normal((20, 5, 12)).astype(np.float32)
    with LaneTask(made, 5) as changed, LaneTask(walk(-2.0, -7.0), 5) as written:
        before = [changed.act(a).terms for a in actions]
        assert any((rewards[:, -1] != 0).any() for rewards in before)
        changed.batch.set_numbers({"reward-fast": -2.0, "reward_air_time": -2.0, "reward_termination": -7.0})
        changed.reset(seed=3), written.reset(seed=3)
        for a in actions:
            assert all((x == y).all() for x, y in zip(changed.act(a), written.act(a)))


def train(made, directory, iterations: int, **keys) -> Trainer:
    core = LaneTask(made, 32, threads=1, seed=2)
    trainer = Trainer(Lanes(core, {"seed": 2, "threads": 1, "hidden": (8,), "steps": 4}), directory, quiet=True, **keys)
    trainer.learn(iterations)
    return trainer


def column(directory, name: str) -> list[float]:
    with (directory / "progress.csv").open() as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def test_stages_of_a_training(tmp_path) -> None:
    made = task()
    made.stage(0, wanted=0.5)
    made.stage(256, penalty_scale=-1e-3, push_speed=0.5)
    made.stage(512, wanted=2.0)
    assert [tuple(stage) for stage in made.stages] == [(0, {"wanted": 0.5}), (256, {"penalty_scale": -1e-3, "push-speed": 0.5}), (512, {"wanted": 2.0})]
    assert TaskTable(made.text(), "text").stages == made.stages
    seen = []
    made.curriculum(lambda at: seen.append(at))
    trainer = train(made, tmp_path / "a", 6)  # of 128 samples
    numbers = trainer.core.batch.task_numbers | {"push_speed": trainer.core.batch.settings["push_speed"]}
    assert numbers == {"wanted": 2.0, "penalty_scale": -1e-3, "reward-fast": 1.0, "push_speed": 0.5}
    assert [at.samples for at in seen] == [128 * k for k in range(6)]
    assert [at.numbers.get("wanted") for at in seen] == [0.5] * 4 + [2.0] * 2 and [len(at.numbers) for at in seen] == [1, 1, 3, 3, 3, 3]
    assert json.loads((tmp_path / "a" / "config.json").read_text())["stages"][1] == [256, {"penalty_scale": -1e-3, "push-speed": 0.5}]
    told = myriapod.Policy.load(tmp_path / "a" / "policy.npz").settings
    assert told["push_speed"] == 0 and "number.wanted" not in told  # as it is posed
    made.curricula = ()
    first = train(made, tmp_path / "b", 3)
    first.core.close()
    core = LaneTask(made, 32, threads=1, seed=2)
    second = Trainer(Lanes(core, {"seed": 2, "threads": 1, "hidden": (8,), "steps": 4}), tmp_path / "b", quiet=True)
    assert second.resume() == 3 and core.batch.task_numbers["penalty_scale"] == -1e-3
    second.learn(3)
    assert (tmp_path / "a" / "policy.npz").read_bytes() == (tmp_path / "b" / "policy.npz").read_bytes()
    plain = train(task(), tmp_path / "c", 6)
    assert (tmp_path / "c" / "policy.npz").read_bytes() != (tmp_path / "b" / "policy.npz").read_bytes()
    for one in (trainer, second, plain):
        one.core.close()


def acting() -> TermTask:
    """Numbers everywhere: in what is seen, done and remembered, and in what a policy is judged by."""
    made = TermTask("acts", robot="anymal", settings=SETTINGS, gains="quadruped", uses=("pushes",), actions=12)
    for name in ("size", "pace", "zoom", "shown", "noisy", "held", "paid", "begins", "ends", "kept", "value"):
        made.number(name, 0.25, low=0.0, high=2.0)

    @made.act
    def targets(s):
        return {"target": s.home_length + s.number.size * s.action}

    @made.step
    def force(s):
        return {"torque": s.number.held * (s.target - s.actuator_length)}

    made.memory(1, name="phase")(lambda s: s.memory.phase + s.number.pace * s.control_dt * s.setting.command_hold)
    made.observe(name="seen")(lambda s: s.number.zoom * s.base_linear)
    made.observe(name="clock")(lambda s: s.memory.phase + s.number.kept)
    made.observe("base_angular", scale="number.shown", noise="number.noisy")
    made.observe("base_down", scale="number.value", group="critic")
    made.reward(1.0, name="fast")(lambda s: s.base_linear[..., 0] * s.number.paid)

    @made.start
    def start(s):
        return {"base_velocity": s.number.begins * s.draw("velocity", 6)}

    @made.end
    def leans(s):
        return s.base_down[..., 2] > s.number.ends

    return made


def test_a_policy_keeps_what_it_acts_by(tmp_path) -> None:
    """One that was taught by one clock and one size of actions is not judged by others; rewards, starts and commands are those of the task."""
    made = acting()
    for name in ("size", "pace", "zoom", "paid", "begins", "ends"):
        made.stage(0, **{name: 0.5})
        made.stage(256, **{name: 1.0})
    made.stage(256, action_scale=0.3, push_speed=1.0)
    table = made.table(Model("anymal"), made.settings())
    own = {"number.size", "number.pace", "number.zoom", "number.shown", "number.held", "number.kept", "setting.command-hold"}
    assert table.acts_by == own == TaskTable(str(table)).acts_by
    with LaneTask(made, 4, numbers={"size": 0.75}) as lanes:
        assert origin(lanes)["settings"]["number.size"] == 0.75 and "number.pace" not in origin(lanes)["settings"]
        lanes.batch.set_numbers({"pace": 1.5, "size": 0.25, "paid": 2.0, "command_hold": 3.0})
        told = origin(lanes)["settings"]
        assert told["number.size"] == 0.25 and told["number.pace"] == 1.5 and told["command_hold"] == 3.0 and "number.paid" not in told and "number.kept" not in told
    trainer = train(made, tmp_path / "a", 4)  # of 128 samples
    policy = myriapod.Policy.load(tmp_path / "a" / "policy.npz")
    with trained_task(policy, made, 4) as judged:
        changed = {name: value for name, value in judged.batch.task_numbers.items() if value != made.numbers[name]}
        assert changed == {"size": 1.0, "pace": 1.0, "zoom": 1.0} and judged.settings["action_scale"] == 0.3 and judged.settings["push_speed"] == 0
    trainer.core.close()


def test_a_constant_and_a_torn_line_are_no_numbers() -> None:
    """What decides how a policy acts is read of the text before the library has read its programs."""
    with LaneTask(task(), 1) as lanes:
        text = str(lanes.batch._table)
    at = text.index("moment observe")
    assert TaskTable(text[:at] + text[at:].replace("\n", "\nconstant number.k 2\nunused = mul base_linear number.k\n", 1).replace("output base_linear base_linear", "output base_linear unused")).acts_by == frozenset()
    torn = TaskTable(text.rstrip() + "\noutput a\n")  # its programs are read when a robot is known
    with pytest.raises(FormatError, match="output"):
        LaneTask(torn, 1)


def test_a_policy_of_a_module_is_judged_in_its_object(tmp_path, monkeypatch) -> None:
    (tmp_path / "creeps.py").write_text("from test_curriculum import acting\nwalk = acting()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import creeps

    with LaneTask("creeps:walk", 1, numbers={"size": 0.5}) as lanes:
        sizes = (lanes.num_observations, lanes.num_actions)
        policy = myriapod.Policy([np.zeros((sizes[1], sizes[0]))], [np.zeros(sizes[1])], "elu", **origin(lanes))
    for asked, size in ((creeps.walk, 0.5), ("creeps:walk", 0.5), (None, 0.5), (acting(), 0.25)):
        with trained_task(policy, asked) as judged:
            assert judged.batch.task_numbers["size"] == size


def test_learn_comes_over_a_tasks_stages(tmp_path, monkeypatch) -> None:
    (tmp_path / "slows.py").write_text("from test_curriculum import task\nwalk = task()\n"
                                       "walk.stage(0, wanted=0.5, **{'learn.entropy_coef': 0.5, 'learn.desired_kl': 0.5})\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    run = ["slows:walk", "--envs", "32", "--threads", "1", "--iterations", "1", "--learn", "hidden=8", "--learn", "minibatches=1", "--quiet"]
    for name, more, found in (("a", [], {"learn.entropy-coef": 0.5, "learn.desired-kl": 0.5, "wanted": 0.5}), ("b", ["--learn", "entropy-coef=0"], {"learn.desired-kl": 0.5, "wanted": 0.5})):
        assert main([*run, *more, "--log", str(tmp_path / name)]) == 0
        assert json.loads((tmp_path / name / "config.json").read_text())["stages"] == [[0, found]]


def test_a_function_between_iterations(tmp_path) -> None:
    """legged_gym's: commands grow once those of today are followed; it is the same after a stop."""
    def grows() -> TermTask:
        made = task()

        @made.curriculum
        def harder(at: Progress) -> dict[str, float] | None:
            assert (at.iteration == 0) == (at.samples == 0) and set(at.terms) == {"still", "fast", "termination"}
            if at.iteration and not np.isnan(at.length) and at.length > 0.5:
                return {"wanted": min(2.0, at.numbers.get("wanted", 0.0) + 0.25)}
            return None

        return made

    whole = train(grows(), tmp_path / "a", 8)
    assert 0 < whole.curriculum.numbers["wanted"] <= 2 and whole.core.batch.task_numbers["wanted"] == whole.curriculum.numbers["wanted"]
    train(grows(), tmp_path / "b", 5).core.close()
    core = LaneTask(grows(), 32, threads=1, seed=2)
    rest = Trainer(Lanes(core, {"seed": 2, "threads": 1, "hidden": (8,), "steps": 4}), tmp_path / "b", quiet=True)
    rest.resume()
    rest.learn(3)
    assert rest.curriculum.state == whole.curriculum.state and (tmp_path / "a" / "policy.npz").read_bytes() == (tmp_path / "b" / "policy.npz").read_bytes()
    whole.core.close(), core.close()
    for k, (wrong, words) in enumerate(((lambda at: 3, "must give a dict of numbers"), (lambda at: {"wanted": 3.0}, "must lie in 0 .. 2"),
                                        (lambda at: {"wanted": None}, "must be a finite number"), (lambda at: at.numbers["none"], "failed after .* samples: KeyError"))):
        made = task()
        made.curriculum(lambda at, wrong=wrong: wrong(at) if at.iteration == 2 else None)
        with pytest.raises(ArgumentError, match=words):
            train(made, tmp_path / f"c{k}", 5)
        assert (tmp_path / f"c{k}" / "policy.npz").exists() and (tmp_path / f"c{k}" / "model_1.npz").exists()  # what was learnt is kept
    local = task()
    local.curriculum(lambda at: None)
    with LaneTask(local, 2) as lanes:
        pickle.loads(pickle.dumps(lanes)).close()


def test_a_stage_after_a_function_that_changed_the_same_number() -> None:
    made = task()
    made.stage(100, wanted=1.0)
    with LaneTask(made, 2) as lanes:
        at = Progress(0, 0, 0.0, 0.0, 0.0, {}, {})
        curriculum = Curriculum(lanes.batch, made.stages, [lambda at: {"wanted": 0.75} if at.samples == 200 else None])
        wanted = []
        for samples in (0, 100, 200, 300):
            curriculum.step(at._replace(samples=samples))
            wanted.append(lanes.batch.task_numbers["wanted"])
        assert wanted == [0.0, 1.0, 0.75, 0.75]  # a stage sets once


def test_stages_are_refused(tmp_path, capsys) -> None:
    made = task()
    early = TermTask("early", robot="anymal", settings=SETTINGS)
    early.stage(5, my_scale=0.5)
    early.number("my_scale", 1.0)
    early.observe("encoder")
    assert early.stages == TaskTable(early.text(), "early").stages == ((5, {"my_scale": 0.5}),)
    for samples, numbers, words in ((-1, {"wanted": 1}, "0 or more"), ("2e6", {"wanted": 1}, "0 or more"), (1, {}, "changes nothing"), (1, {"wanted": float("inf")}, "finite")):
        with pytest.raises(ArgumentError, match=words):
            made.stage(samples, **numbers)
    for name, words in (("wantet", "did you mean 'wanted'"), ("dt", "neither a number")):
        other = task()
        other.stage(10, **{name: 0.5})
        with LaneTask(other, 1) as lanes, pytest.raises((ArgumentError, UnknownKeyError), match=words):
            Curriculum(lanes.batch, other.stages)
    far = task()
    far.stage(1e6, wanted=1.0)
    far.stage(2e6, wanted=5.0)
    with LaneTask(far, 1) as lanes:
        with pytest.raises(ArgumentError, match="must lie in 0 .. 2"):
            Curriculum(lanes.batch, far.stages)
        assert lanes.batch.task_numbers["wanted"] == 0
    with pytest.raises(myriapod.FormatError, match="a stage is `stage SAMPLES NAME VALUE`"):
        TaskTable("myriapod_task 1\nstage 2e6 push-speed\nobserve o\nmoment judge\noutput end.none 0\nmoment observe\noutput o 1\n")
    assert stages(["2e6:push-speed=0.5", "0:number.wanted=1"]) == [(2e6, {"push-speed": 0.5}), (0.0, {"wanted": 1.0})]
    for word in ("2e6", "x:push-speed=1", "-1:push-speed=1", "1:push-speed", "1:push-speed=x"):
        with pytest.raises(ArgumentError, match="SAMPLES:KEY=VALUE"):
            stages([word])
    run = ["anymal-flat", "--envs", "16", "--iterations", "1", "--quiet", "--threads", "1", "--set", "episode=0.1", "--log", str(tmp_path / "run")]
    assert main([*run, "--stage", "1e6:push-sped=1"]) == 2 and "did you mean 'push-speed'" in capsys.readouterr().err
    assert main([*run, "--overwrite", "--stage", "0:command-x-low=2", "--stage", "0:command-x-high=3", "--stage", "0:curriculum=0"]) == 0  # at once
    assert main([*run, "--overwrite", "--stage", "0:push-speed=1", "--stage", "0:reward-torque=-1e-5"]) == 0
    assert json.loads((tmp_path / "run" / "config.json").read_text())["stages"] == [[0, {"push-speed": 1}], [0, {"reward-torque": -1e-5}]]
