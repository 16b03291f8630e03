"""How trainings end, and are gone on with: where a goal stops them is a matter of samples, not of the clock; what was killed can be finished; a
checkpoint that is damaged is told."""
import itertools
import json
import shutil
import subprocess
import sys
import time
import warnings
import zipfile

import myriapod
import numpy as np
import pytest
from myriapod import TermTask
from myriapod.learn.goal import Goal
from myriapod.learn.loop import Trainer
from myriapod.score import look, score
from myriapod.settings import DOCS, OF_THE_RUN
from myriapod.train import main, parse

SMALL = ["anymal-flat", "--envs", "32", "--seed", "3", "--learn", "hidden=32,16", "--set", "episode=0.1", "--quiet"]
GOAL = ["--until", "survived=0.5"]


@pytest.fixture
def third_look(monkeypatch):
    """A goal that is reached at the third look, whatever the robots do."""
    def begin():
        looks = itertools.count(1)
        monkeypatch.setattr(Goal, "missed", lambda self, result: ["survived"] if next(looks) < 3 else [])
    monkeypatch.setattr("myriapod.learn.loop.BETWEEN", 500)
    monkeypatch.setattr("myriapod.learn.goal.STAGES", (600,))
    begin()
    return begin


def policy(directory):
    return (directory / "policy.npz").read_bytes()


def newest(directory):
    return max(directory.glob("model_*.npz"), key=lambda path: int(path.stem.split("_")[1]))


def change(path, **arrays):
    with np.load(path) as file:
        np.savez(path, **{name: a for name, a in {**dict(file), **arrays}.items() if a is not None})


def test_the_same_policy_busy_or_idle(tmp_path, third_look, monkeypatch):
    """Once with one thread; once with two, beside a process that computes, and with a clock of which a second takes a millisecond."""
    assert main([*SMALL, *GOAL, "--iterations", "30", "--threads", "1", "--log", str(tmp_path / "idle")]) == 0
    third_look()
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        clock, start = time.monotonic, time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: start + 1000 * (clock() - start))
        assert main([*SMALL, *GOAL, "--iterations", "30", "--threads", "2", "--log", str(tmp_path / "busy")]) == 0
    finally:
        other.kill()
        other.wait()
    idle, busy = (json.loads((tmp_path / name / "result.json").read_text()) for name in ("idle", "busy"))
    assert idle["goal"]["samples"] == busy["goal"]["samples"] == 10 * 24 * 32  # the iteration that passes 3 x 500 episodes of 5 steps
    assert policy(tmp_path / "idle") == policy(tmp_path / "busy")


def test_no_time_and_no_machine_in_a_policy(tmp_path):
    assert main([*SMALL, "--iterations", "1", "--threads", "1", "--log", str(tmp_path)]) == 0
    with zipfile.ZipFile(tmp_path / "policy.npz") as file:
        assert {member.date_time for member in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        names = {name.removesuffix(".npy") for name in file.namelist()}
    layers = {f"{letter}{i}" for letter in "wb" for i in range(3)}
    assert names == {*layers, "format", "activation", "mean", "std", "n_obs", "task", "robot", "model_hash", "settings", "version"}
    told = myriapod.Policy.load(tmp_path / "policy.npz")
    assert set(told.settings) == set(DOCS) - {*OF_THE_RUN, "task"}
    assert told.robot == "anymal"  # not where its file lies here


def test_until_switches_the_clock_off():
    assert parse(["hold", "--until", "survived=1"]).minutes == float("inf") and parse(["hold"]).minutes == 8
    assert parse(["hold", "--until", "survived=1", "--minutes", "3"]).minutes == 3


def test_a_training_that_the_clock_ends_says_so(tmp_path, capfd):
    timed = [*SMALL, "--minutes", "1e-9", "--threads", "1", "--log", str(tmp_path)]
    assert main([word for word in timed if word != "--quiet"]) == 0
    said = capfd.readouterr()
    assert said.err.splitlines()[-1] == "the clock (--minutes) ended the training after 0.00 M samples; on another machine it ends elsewhere"
    told = myriapod.Policy.load(tmp_path / "policy.npz")
    assert told.settings["training_ended_by"] == "clock"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no warning that `training_ended_by` is a setting this version does not know
        score(told, episodes=2)
    assert main([*SMALL, "--iterations", "0", "--threads", "1", "--resume", str(tmp_path)]) == 0  # killed before its policy was written, say
    assert myriapod.Policy.load(tmp_path / "policy.npz").settings["training_ended_by"] == "clock"
    assert main([*SMALL, "--iterations", "1", "--threads", "1", "--resume", str(tmp_path)]) == 0
    assert "training_ended_by" not in myriapod.Policy.load(tmp_path / "policy.npz").settings
    assert main([*timed, "--overwrite", "--until", "survived=1"]) == 1
    assert capfd.readouterr().err.splitlines()[-1].startswith("the goal survived=1 was not reached: the clock (--minutes) ended the training")
    assert main([*timed, "--overwrite", "--iterations", "1"]) == 0  # these ended it
    assert capfd.readouterr().err == ""


def test_what_was_killed_before_its_policy_is_finished(tmp_path):
    assert main([*SMALL, "--iterations", "3", "--threads", "1", "--log", str(tmp_path)]) == 0
    whole, checkpoint = policy(tmp_path), newest(tmp_path).read_bytes()
    for path in [*tmp_path.glob("policy.*"), tmp_path / "result.json", tmp_path / "curve.png"]:
        path.unlink(missing_ok=True)
    assert main([*SMALL, "--iterations", "0", "--threads", "2", "--resume", str(tmp_path)]) == 0
    assert policy(tmp_path) == whole and newest(tmp_path).read_bytes() == checkpoint and (tmp_path / "result.json").exists()
    (tmp_path / "progress.csv").unlink()
    (tmp_path / "policy.npz").unlink()
    assert main([*SMALL, "--iterations", "0", "--threads", "1", "--resume", str(tmp_path)]) == 0
    assert policy(tmp_path) == whole
    (tmp_path / "progress.csv").write_text("iteration,samples\n1,x\n")
    with pytest.raises(SystemExit):
        main([*SMALL, "--iterations", "0", "--log", str(tmp_path / "new")])
    assert main([*SMALL, "--iterations", "0", "--resume", str(tmp_path)]) == 2


def test_checkpoints_come_with_their_rows(tmp_path, monkeypatch):
    """Killed after a checkpoint, the table has all that is gone on from."""
    monkeypatch.setattr("myriapod.learn.loop.SAVE_EVERY", 2)
    monkeypatch.setattr("myriapod.learn.loop.Trainer._iterate", _killed_after(3))
    with pytest.raises(ZeroDivisionError):
        main([*SMALL, "--iterations", "5", "--threads", "1", "--log", str(tmp_path)])
    assert newest(tmp_path).name == "model_1.npz"
    assert [row.split(",")[0] for row in (tmp_path / "progress.csv").read_text().splitlines()] == ["iteration", "0", "1"]


def _killed_after(count):
    iterate, calls = Trainer._iterate, itertools.count()

    def dies(self, events):
        if next(calls) == count:
            raise ZeroDivisionError
        iterate(self, events)
    return dies


def test_a_goal_after_a_stop_is_the_same_goal(tmp_path, third_look):
    """In one go; stopped at an iteration and gone on with; killed behind the last checkpoint and finished by the same command."""
    once, parts = tmp_path / "once", tmp_path / "parts"
    assert main([*SMALL, *GOAL, "--threads", "1", "--log", str(once)]) == 0
    third_look()
    assert main([*SMALL, *GOAL, "--threads", "1", "--iterations", "8", "--log", str(parts)]) == 1
    assert main([*SMALL, *GOAL, "--threads", "1", "--resume", str(parts)]) == 0
    assert policy(once) == policy(parts) and newest(once).name == newest(parts).name
    (parts / "policy.npz").unlink()
    assert main([*SMALL, *GOAL, "--threads", "1", "--resume", str(parts)]) == 0
    assert policy(once) == policy(parts) and newest(once).name == newest(parts).name


def test_a_look_is_the_score_sooner():
    """The same errors and survivors, whatever falls between two calls: commands, the last ones that survive."""
    random = np.random.default_rng(1)
    acts = myriapod.Policy([0.3 * random.standard_normal((12, 48))], [np.zeros(12)])
    for keys in ({"episode": 2.0}, {"episode": 1.3, "command_hold": 0.1}, {"episode": 1.2, "command_hold": 1.02}, {"episode": 4.0, "give_up": 0.9}):
        for policy in (acts, lambda seen: acts(seen)):  # in lanes, and one that is asked step by step  # noqa: B023
            slow, quick = (judge(policy, "anymal-flat", episodes=33, seed=7, **keys) for judge in (score, look))
            assert np.isnan(quick.torque) and slow.torque > 0
            for name in ("linear_error", "angular_error", "survived", "speed", "seconds"):
                assert getattr(slow, name) == getattr(quick, name), name


@pytest.mark.parametrize("every", [0.5, "setting.command-hold", 0.0])
def test_a_look_knows_when_a_table_commands(every):
    """By the task's own interval, which the setting `command-hold` does not say."""
    walk = TermTask("walk", robot="anymal", settings={"dt": 0.005, "decimation": 4, "command_hold": 0.3})
    walk.commands(3, every=every, name="wanted")(lambda s: s.draw("wanted", 3))
    walk.reward(1.0)(tracking)
    walk.observe("base_linear")
    policy = myriapod.Policy([0.3 * np.random.default_rng(1).standard_normal((12, 3))], [np.zeros(12)])
    slow, quick = (judge(policy, walk, episodes=17, seed=7, episode=1.5) for judge in (score, look))
    for name in ("linear_error", "angular_error", "survived", "speed"):
        assert getattr(slow, name) == getattr(quick, name), name


def tracking(s):
    """A term."""
    return s.base_linear[..., 0] * s.command[..., 0]


# ---- checkpoints that are damaged ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    directory = tmp_path_factory.mktemp("trained")
    assert main([*SMALL, "--iterations", "1", "--threads", "1", "--log", str(directory)]) == 0
    return directory


@pytest.mark.parametrize("arrays, words", [
    ({"options": np.array("{not json")}, "its `options` are not JSON"), ({"options": np.array("[" * 100000)}, "its `options` are not JSON"),
    ({"options": np.array("[1,2]")}, "its `options` are [1, 2], but must be a JSON object"), ({"options": np.arange(2)}, "its `options` are"),
    ({"options": np.array("{}")}, "its hidden is None"),
    ({"iterations": np.array([1, 2])}, "`iterations` is [1 2]"), ({"iterations": np.array(1.5)}, "`iterations` is 1.5"),
    ({"iterations": np.array(-1)}, "`iterations` is -1"), ({"gradient_steps": np.array(2**63, np.uint64)}, "`gradient_steps` is 9223372036854775808"),
    ({"rate": np.array("x")}, "`rate` is 'x'"), ({"rate": None}, "it has no `rate`"), ({"batch": None}, "it has no `batch`"),
    ({"weights": np.zeros(3, np.float32)}, "weights has shape (3,)"), ({"mean": np.array("x")}, "mean"),
    ({"batch": np.zeros(100, np.uint8)}, ""), ({"training": np.array("[]")}, "its `training` are"),
    ({"training": np.array('{"episodes": 1}')}, "its `training` is damaged"), ({"training": np.array('{"reached": [1]}')}, "its `training` is damaged"),
])
def test_a_damaged_checkpoint_is_named(trained, arrays, words, tmp_path, capsys):
    shutil.copytree(trained, tmp_path / "odd")
    change(newest(tmp_path / "odd"), **arrays)
    assert main([*SMALL, "--iterations", "1", "--threads", "1", "--resume", str(tmp_path / "odd")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "model_0.npz" in said and words in said


def test_another_batch_is_told_as_such(trained, tmp_path, capsys):
    shutil.copytree(trained, tmp_path / "odd")
    assert main([*SMALL, "--envs", "16", "--iterations", "1", "--threads", "1", "--resume", str(tmp_path / "odd")]) == 2
    said = capsys.readouterr().err
    assert "it has 32 environments, this training 16" in said and "damaged" not in said


def test_a_damaged_table_is_named(trained, tmp_path, capsys):
    shutil.copytree(trained, tmp_path / "odd")
    (tmp_path / "odd" / "progress.csv").write_text("iteration,samples\n1,x\n")
    assert main([*SMALL, "--iterations", "1", "--threads", "1", "--resume", str(tmp_path / "odd")]) == 2
    assert "progress.csv is damaged" in capsys.readouterr().err


def test_a_file_that_is_called_nearly_so(trained, tmp_path, capsys):
    shutil.copytree(trained, tmp_path / "odd")
    for name in ("model_best.npz", "model_1_old.npz", "model_\u00b2.npz"):
        (tmp_path / "odd" / name).write_text("mine")
    assert main([*SMALL, "--iterations", "1", "--threads", "1", "--resume", str(tmp_path / "odd")]) == 0
    said = capsys.readouterr().err
    assert all(f"{name} is not a checkpoint model_N.npz, and left out" in said for name in ("model_best.npz", "model_1_old.npz", "model_\u00b2.npz"))
    assert main([*SMALL, "--iterations", "1", "--threads", "1", "--log", str(tmp_path / "odd"), "--overwrite"]) == 0
    assert (tmp_path / "odd" / "model_best.npz").read_text() == "mine"
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "model_best.npz").write_text("mine")
    assert main([*SMALL, "--iterations", "1", "--resume", str(tmp_path / "none")]) == 2
    assert "no checkpoint model_N.npz to resume from (model_best.npz is not one)" in capsys.readouterr().err


def test_without_matplotlib_there_is_no_curve(tmp_path, monkeypatch, capsys):
    """A wheel's user has NumPy and cffi alone: the training goes on, and says before it begins what will be missing."""
    for module in ("myriapod.train", "myriapod.learn.log"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: None)
    assert main(["anymal-flat", "--log", str(tmp_path / "a"), "--iterations", "1", "--envs", "16", "--threads", "1"]) == 0
    said = capsys.readouterr()
    assert "curve.png is left out: pip install matplotlib" in said.err and "curve.png" not in said.out
    assert (tmp_path / "a" / "policy.npz").exists() and not (tmp_path / "a" / "curve.png").exists()


def test_a_training_is_gone_on_with_by_its_directory_alone(tmp_path, capsys):
    """Its task and how many robots are told there; a task that is not there by name must be said."""
    assert main(["gym-hopper", "--envs", "32", "--threads", "1", "--iterations", "2", "--quiet", "--log", str(tmp_path)]) == 0
    assert main(["--resume", str(tmp_path), "--threads", "1", "--iterations", "1", "--quiet"]) == 0
    assert json.loads((tmp_path / "config.json").read_text())["num_envs"] == 32 and (tmp_path / "model_2.npz").exists()
    assert main(["gym-ant", "--resume", str(tmp_path), "--threads", "1", "--iterations", "1", "--quiet"]) == 2  # it is refused, and
    assert main(["--resume", str(tmp_path), "--threads", "1", "--iterations", "1", "--quiet"]) == 0  # leaves what was there
    assert main(["--resume", str(tmp_path / "none"), "--iterations", "1", "--quiet"]) == 2
    (tmp_path / "config.json").write_text('{"task": "mine.task", "num_envs": 8}')
    with pytest.raises(SystemExit):
        main(["--resume", str(tmp_path), "--iterations", "1", "--quiet"])
    assert f"say which task {tmp_path} is a training of: it was called mine.task" in capsys.readouterr().err
