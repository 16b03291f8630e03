"""A policy's file says with which robot and settings it was trained, and what judges or shows it takes these."""
import json
import warnings

import myriapod
import numpy as np
import pytest
from myriapod import Locomotion, Model, Policy, TaskTable
from myriapod.policies.lanes import lanes_of
from myriapod.score import main, score

SETTINGS = {"kp": 4.0, "kd": 0.1, "push_speed": 0.0, "episode": 0.4, "action_scale": 0.3}


def layers(actions=12):
    random = np.random.default_rng(1)
    return [0.2 * random.standard_normal((actions, 48)).astype(np.float32)], [np.zeros(actions, np.float32)]


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "robots" / "mine.urdf"
    path.parent.mkdir()
    path.write_text(Model("solo12").description)
    return path


@pytest.fixture
def trained(urdf, tmp_path):
    """The file of a policy that was trained with a robot and settings which are not its task's."""
    from myriapod.envs.trained import origin

    core = Locomotion("anymal-flat", 2, robot=str(urdf), threads=1, **SETTINGS)
    Policy(*layers(), "elu", **origin(core)).save(tmp_path / "policy.npz")
    core.close()
    return tmp_path / "policy.npz"


def test_the_file_says_with_what_it_was_trained(trained, urdf):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy = Policy.load(trained)
    assert (policy.task, policy.robot, policy.model_hash, policy.version) == ("anymal-flat", str(urdf), Model("solo12").hash, myriapod.__version__)
    assert {name: policy.settings[name] for name in SETTINGS} == SETTINGS
    assert not {"threads", "pin", "isa", "seed", "first_env", "envs"} & set(policy.settings)  # those of a run, not of a robot


def test_score_takes_robot_and_settings_of_the_policy(trained, urdf):
    policy = Policy.load(trained)
    plain = lambda seen: lanes_of(policy)(seen)  # noqa: E731: of which nothing is known
    own = score(policy, episodes=6)
    assert own == score(plain, "anymal-flat", episodes=6, robot=str(urdf), **SETTINGS)
    assert own.seconds == pytest.approx(0.4)
    changed = {"kp": 9.0, "episode": 0.2}
    assert score(policy, episodes=6, **changed) == score(plain, "anymal-flat", episodes=6, robot=str(urdf), **{**SETTINGS, **changed})


def test_the_command_scores_the_robot_of_the_policy(trained, tmp_path, capsys):
    assert main(["anymal-flat", str(trained), "--episodes", "6", "--json", str(tmp_path / "score.json")]) == 0
    assert capsys.readouterr().err == ""
    found = json.loads((tmp_path / "score.json").read_text())
    assert found["seconds"] == pytest.approx(0.4) and found["pushes"] == 0


def test_a_robot_that_has_changed_is_refused(trained, urdf, capsys):
    urdf.write_text(urdf.read_text().replace('<mass value="', '<mass value="1', 1))
    assert main(["anymal-flat", str(trained), "--episodes", "2"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(urdf) in said and "has changed" in said and "--robot" in said
    assert main(["anymal-flat", str(trained), "--episodes", "2", "--robot", str(urdf)]) == 0  # told so
    said = capsys.readouterr().err
    assert said.startswith("score: warning: the policy was trained with robot") and said.count("\n") == 1
    urdf.unlink()
    assert main(["anymal-flat", str(trained), "--episodes", "2"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(urdf) in said and "--robot" in said


@pytest.mark.parametrize("pair, words", [("kp", "KEY=VALUE"), ("seed=3", "argument for 'seed'"), ("kpp=3", "did you mean 'kp'")])
def test_what_is_set_wrongly_is_one_line(trained, pair, words, capsys):
    assert main(["anymal-flat", str(trained), "--episodes", "2", "--set", pair]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_another_robot_is_named(trained):
    policy = Policy.load(trained)
    with pytest.warns(UserWarning, match="mine.urdf.*'anymal'"):
        score(policy, episodes=2, robot="anymal", episode=0.1)
    with pytest.warns(UserWarning, match="'solo12'.*solo12-flat.*'anymal'"):
        other = Policy(policy.weights, policy.biases, task="solo12-flat", robot="solo12", model_hash=Model("solo12").hash, settings={})
        score(other, "anymal-flat", episodes=2, episode=0.1)


def test_old_files_load_with_a_warning(tmp_path, capsys):
    weights, biases = layers()
    np.savez(tmp_path / "old.npz", format="myriapod-policy-1", w0=weights[0], b0=biases[0], activation="elu", task="anymal-flat", robot="anymal", n_obs=48)
    with pytest.warns(UserWarning, match="old.npz: does not say with which robot and settings"):
        policy = Policy.load(tmp_path / "old.npz")
    assert policy.model_hash == "" and policy.settings is None
    assert main(["anymal-flat", str(tmp_path / "old.npz"), "--episodes", "2", "--set", "episode=0.1"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("score: warning: ") and said.count("\n") == 1


def test_settings_that_are_no_settings(trained, tmp_path):
    policy = Policy.load(trained)
    newer = Policy(policy.weights, policy.biases, **{**policy._told(), "settings": {**policy.settings, "not_yet": 1}, "version": "99.0.0"})
    with pytest.warns(UserWarning, match="version 99.0.0.*not_yet"):
        score(newer, episodes=2)
    arrays = dict(np.load(trained))
    np.savez(tmp_path / "bad.npz", **{**arrays, "settings": "{"})
    with pytest.raises(myriapod.FormatError, match="bad.npz.*JSON"):
        Policy.load(tmp_path / "bad.npz")


def test_the_viewer_plays_the_robot_of_the_policy(trained, urdf, monkeypatch, capsys):
    pytest.importorskip("viser")
    from myriapod.view import __main__ as view

    seen = []
    monkeypatch.setattr(view, "_in_browser", lambda source, a: seen.append((source.core.model.hash, source.core.settings["kp"])))
    from myriapod.play import main as play

    assert play(["anymal-flat", str(trained), "--envs", "2"]) == 0
    assert play(["anymal-flat", str(trained), "--envs", "2", "--set", "kp=7"]) == 0
    assert seen == [(Model("solo12").hash, 4.0), (Model("solo12").hash, 7.0)] and capsys.readouterr().err == ""
    assert play(["anymal-flat", str(trained), "--envs", "2", "--robot", "anymal"]) == 0
    assert seen[2][0] == Model("anymal").hash and "mine.urdf" in capsys.readouterr().err


def test_training_writes_it_into_both_files(urdf, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("rsl_rl")
    from myriapod.envs.rsl_rl import LocomotionVecEnv
    from myriapod.learn.loop import Trainer
    from myriapod.learn.rsl_rl import RslRl, ppo_config

    trainer = Trainer(RslRl(LocomotionVecEnv("anymal-flat", 16, robot=str(urdf), threads=1, **SETTINGS), ppo_config(1)), tmp_path / "run", quiet=True)
    trainer.learn(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        policies = [Policy.load(tmp_path / "run" / name) for name in ("policy.npz", "policy.pt")]
    for policy in policies:
        result, bare = score(policy, "anymal-flat", episodes=4), lanes_of(policy) if isinstance(policy, Policy) else policy
        plain = score(lambda seen: bare(seen), "anymal-flat", episodes=4, robot=str(urdf), **SETTINGS)  # noqa: B023
        assert result == plain
    assert policies[0].settings == policies[1].settings and policies[1].robot == str(urdf)


def test_a_file_whose_robot_gets_sensors_of_the_task_is_found_again(tmp_path, monkeypatch):
    """A humanoid of one's own: the task adds sensors at its feet, and the robot that is kept is the file, not the name that stands in it."""
    from myriapod.envs.lane_task import LaneTask
    from myriapod.envs.trained import origin
    from myriapod.programs.given.humanoids import LEGS, LEGS_ALONE, walker

    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"my robots {60 * 'x'}" / "mine.xml"  # longer than a word of the text, and with blanks
    path.parent.mkdir()
    text = Model("g1-12dof").description
    path.write_text(text[: text.index("<sensor>")] + text[text.index("</sensor>") + len("</sensor>") :])
    keys = dict(feet=("*_foot2_*", "*_foot6_*"), soles="*_foot?_collision", gains={"*": (100.0, 3.0)}, act=LEGS, acts=12)
    task = walker("mine", "mine walks", str(path), weights=LEGS_ALONE, **keys)
    assert TaskTable(task.text()).robot == str(path)
    with LaneTask(task, 1) as core:
        kept = origin(core)
        assert core.model.source is None and kept["robot"] == core.model.made_of == str(path)
        again = Model(kept["robot"], feet=task.feet).with_sensors(*task.sensors)
        assert again.hash == kept["model_hash"] == core.model.hash
    with pytest.raises(myriapod.ArgumentError, match="mine: weights: there is no reward 'feet-fase'; there are feet-phase, "):
        walker("mine", "mine walks", "mine.xml", weights={"feet-fase": 1.0}, **keys)
