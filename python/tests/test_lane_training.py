"""The learner in lanes from Python, and its training command: files, going on, goals, mistakes, the same bits."""
import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod.learn.ppo import Learner
from myriapod.envs.numpy_task import NumpyTask
from myriapod.learn.goal import Goal, Look
from myriapod.train import PROGRESS, main


class Balance(NumpyTask):
    """A task on arrays, for MODULE:NAME: the hopper is to be high."""

    robot, observation_size, episode_s = "hopper", 15, 0.5
    settings = {"dt": 0.002, "decimation": 5, "kp": 60.0, "kd": 1.0}

    def observe(self):
        return np.concatenate([self.batch.q, self.batch.v], axis=1)

    def reward(self, actions):
        return self.batch.q[:, 2] - 0.01 * (actions**2).sum(1)


SMALL = ["anymal-flat", "--envs", "32", "--seed", "3", "--threads", "1", "--learn", "hidden=32,16"]


def weights(directory):
    newest = max(directory.glob("model_*.npz"), key=lambda path: int(path.stem.split("_")[1]))
    with np.load(newest) as arrays:
        return {name: arrays[name] for name in ("weights", "mean", "square", "average")}


def same(a, b):
    return all(np.array_equal(a[name], b[name]) for name in a)


def test_train_resume_export(tmp_path):
    run = [sys.executable, "-m", "myriapod.train", *SMALL]
    done = subprocess.run([*run, "--iterations", "3", "--log", tmp_path], check=True, capture_output=True, text=True)
    line = next(line for line in reversed(done.stderr.splitlines()) if line.startswith("["))
    words = " ".join(re.sub(r"[^A-Za-z ]| nan", "", line).split())
    assert words == "it s s left M samples reward episode s tracking std" == " ".join(PROGRESS).replace("episode", "episode s")
    for name in ("progress.csv", "curve.png", "model_2.npz", "config.json", "policy.npz"):
        assert (tmp_path / name).stat().st_size > 0, name
    assert not list(tmp_path.glob("*.part")) and json.loads((tmp_path / "config.json").read_text())["options"]["hidden"] == [32, 16]
    subprocess.run([*run, "--iterations", "2", "--resume", tmp_path], check=True, capture_output=True)
    table = (tmp_path / "progress.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in table] == ["iteration", "0", "1", "2", "3", "4"]
    with myriapod.LaneTask("anymal-flat", num_envs=1) as task:
        assert table[0].split(",")[13:] == [f"Reward/{name}" for name in task.reward_terms]  # each term by name
    policy = myriapod.Policy.load(tmp_path / "policy.npz")
    assert policy.n_act == 12 and policy.task == "anymal-flat"
    assert policy.settings["push_interval"] == 10.0  # as the task is scored, though it was trained with more pushes
    seen = np.random.default_rng(0).standard_normal((5, 48)).astype(np.float32)
    if (tmp_path / "policy.pt").exists():
        assert np.allclose(policy(seen), myriapod.Policy.load(tmp_path / "policy.pt")(seen), atol=1e-5)
    if (tmp_path / "policy.onnx").exists():
        from onnx.reference import ReferenceEvaluator

        assert np.allclose(policy(seen), ReferenceEvaluator(str(tmp_path / "policy.onnx")).run(None, {"obs": seen})[0], atol=1e-5)


def test_terms_are_told_by_name(tmp_path):
    """progress.csv: what each term pays per second where episodes ended, as before where none did; gone on with over a table without them."""
    run = ["anymal-flat", "--envs", "256", "--threads", "1", "--quiet"]
    assert main([*run, "--iterations", "4", "--log", str(tmp_path)]) == 0
    path = tmp_path / "progress.csv"
    rows = list(csv.DictReader(path.open()))
    assert all(float(row["Reward/tracking-linear"]) > 0 > float(row["Reward/torque"]) for row in rows)
    assert all(row["Reward/tracking-linear"] == row["tracking_linear"] for row in rows)
    path.write_text("\n".join(",".join(line.split(",")[:13]) for line in path.read_text().splitlines()) + "\n")
    assert main([*run, "--iterations", "1", "--resume", str(tmp_path)]) == 0
    told = [row["Reward/torque"] for row in csv.DictReader(path.open())]
    assert told[:4] == ["nan"] * 4 and float(told[4]) < 0


def test_the_same_weights_however_it_is_run(tmp_path):
    """Twice, with one thread and two; in one go, and stopped and gone on with."""
    once, twice, parts = (tmp_path / name for name in ("once", "twice", "parts"))
    assert main([*SMALL, "--iterations", "6", "--quiet", "--log", str(once)]) == 0
    assert main([*SMALL, "--iterations", "6", "--quiet", "--threads", "2", "--log", str(twice)]) == 0
    assert main([*SMALL, "--iterations", "4", "--quiet", "--log", str(parts)]) == 0
    assert main([*SMALL, "--iterations", "2", "--quiet", "--resume", str(parts)]) == 0
    assert same(weights(once), weights(twice)) and same(weights(once), weights(parts))


def test_a_task_on_arrays(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    run = ["test_lane_training:Balance", "--envs", "48", "--threads", "1", "--learn", "hidden=16", "--quiet"]
    for k in range(2):
        assert main([*run, "--iterations", "3", "--log", str(tmp_path / str(k))]) == 0
    assert same(weights(tmp_path / "0"), weights(tmp_path / "1"))
    assert main([*run, "--iterations", "1", "--resume", str(tmp_path / "0")]) == 0


def test_a_goal_stops_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("myriapod.learn.goal.Goal.is_near", lambda self, row: True)
    monkeypatch.setattr("myriapod.learn.loop.BETWEEN", 8)
    monkeypatch.setattr("myriapod.learn.goal.STAGES", (16,))
    easy = [*SMALL, "--iterations", "5", "--set", "episode=0.1"]
    assert main([*easy, "--until", "survived=0.5,error=9", "--log", str(tmp_path / "a")]) == 0
    assert "goal reached after" in capsys.readouterr().err and (tmp_path / "a" / "model_0.npz").exists()
    assert main([*easy, "--until", "error=0.0001", "--log", str(tmp_path / "b")]) == 1
    assert "was not reached" in capsys.readouterr().err and (tmp_path / "b" / "policy.npz").exists()


def test_levels_of_a_map_are_told_and_stop_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("myriapod.learn.loop.BETWEEN", 8)
    run = ["anymal-rough", "--envs", "32", "--threads", "1", "--learn", "hidden=16", "--iterations", "3", "--set", "episode=0.1"]
    assert main([*run, "--until", "level=0.5", "--log", str(tmp_path / "a")]) == 0
    told, words = json.loads((tmp_path / "a" / "result.json").read_text()), capsys.readouterr().err
    assert told["iterations"] == 1 and told["goal"]["score"].startswith("mean level 2.") and told["looks"] == [] and " level 2." in words
    assert (tmp_path / "a" / "progress.csv").read_text().split("\n")[0].count(",level,") == 1
    assert main([*run, "--until", "level=9.5", "--log", str(tmp_path / "b")]) == 1
    assert main([*SMALL, "--until", "level=1", "--log", str(tmp_path / "c")]) == 2
    assert "is not on a map with levels" in capsys.readouterr().err


def test_looks_are_listed(tmp_path, monkeypatch):
    monkeypatch.setattr("myriapod.learn.goal.Goal.is_near", lambda self, row: True)
    monkeypatch.setattr("myriapod.learn.loop.BETWEEN", 8)
    monkeypatch.setattr("myriapod.learn.goal.STAGES", (8, 16))
    easy = [*SMALL, "--set", "episode=0.1"]
    assert main([*easy, "--iterations", "2", "--until", "error=0.0001", "--log", str(tmp_path)]) == 1
    looks = json.loads((tmp_path / "result.json").read_text())["looks"]
    assert looks and all(look["episodes"] == 8 and look["linear"] > 0 and 0 <= look["survived"] <= 1 for look in looks)
    assert main([*easy, "--iterations", "1", "--until", "error=9", "--resume", str(tmp_path)]) == 0
    assert [look["episodes"] for look in json.loads((tmp_path / "result.json").read_text())["looks"]] == [*[8] * len(looks), 16]


def test_a_first_look_is_eased():
    goal = Goal.parse("survived=0.95,error=0.25,level=3")
    assert goal.eased().wanted == {"survived": 0.95 - 0.04, "error": 0.25 + 0.1 * 0.25, "level": 3 - 0.1 * 3} and goal.is_scored
    assert Goal.parse("distance<0.02,return=-5").eased().told == {"return": -5.5, "distance<": 0.022} and not Goal.parse("level=5").is_scored


def test_stages_of_a_look(monkeypatch):
    """The first is held to the eased goal, the others to the goal; each has its own seed; what is missed ends it."""
    asked = []

    def score(self, policy, task, episodes, seed, keys):
        asked.append((self.wanted["survived"], episodes, seed))
        return Look([] if len(asked) < 5 else ["survived"], "", episodes, {})
    monkeypatch.setattr(Goal, "_score", score)
    goal = Goal.parse("survived=0.95")
    assert goal.look(None, "anymal-flat", 70).episodes == 2000 and goal.look(None, "anymal-flat", 80).missed == ["survived"]
    assert asked == [(0.95 - 0.04, 64, 70), (0.95, 256, 71), (0.95, 2000, 72), (0.95 - 0.04, 64, 80), (0.95, 256, 81)]


def test_a_training_that_diverges_says_so_and_keeps_what_was(tmp_path, capsys):
    assert main([*SMALL, "--iterations", "2", "--quiet", "--log", str(tmp_path)]) == 0
    before = weights(tmp_path)
    assert main([*SMALL, "--iterations", "3", "--quiet", "--set", "reward-tracking-linear=1e38", "--set", "reward-tracking-angular=1e38", "--resume", str(tmp_path)]) in (1, 2)
    words = capsys.readouterr().err
    assert words.count("\n") == 1 and "train: " in words
    assert same(weights(tmp_path), before)


def test_a_damaged_checkpoint_is_told(tmp_path, capsys):
    assert main([*SMALL, "--iterations", "1", "--quiet", "--log", str(tmp_path)]) == 0
    whole = (tmp_path / "model_0.npz").read_bytes()
    (tmp_path / "model_0.npz").write_bytes(whole[: len(whole) // 2])
    assert main([*SMALL, "--iterations", "1", "--quiet", "--resume", str(tmp_path)]) == 2
    assert "model_0.npz" in capsys.readouterr().err
    (tmp_path / "model_0.npz").write_bytes(whole)
    assert main([*SMALL[:-2], "--learn", "hidden=16", "--iterations", "1", "--quiet", "--resume", str(tmp_path)]) == 2
    assert "its hidden is [32, 16]" in capsys.readouterr().err
    assert main(["anymal-flat", "--envs", "32", "--iterations", "1", "--learner", "rsl_rl", "--resume", str(tmp_path)]) == 2


def test_a_training_that_is_there_is_not_trained_over(tmp_path, capsys):
    for name in ("model_999.npz", "policy.npz", "mine.txt"):
        (tmp_path / name).write_text("of an earlier day")
    run = [*SMALL, "--iterations", "1", "--quiet", "--log", str(tmp_path)]
    assert main(run) == 2
    words = capsys.readouterr().err
    assert all(word in words for word in (f"{tmp_path} holds a training", "model_999.npz", f"--resume {tmp_path}", "--log", "--overwrite"))
    assert main([*run, "--overwrite", "--set", "push-sped=1"]) == 2  # what is refused deletes nothing
    assert (tmp_path / "model_999.npz").exists()
    assert main([*run, "--overwrite"]) == 0
    assert not (tmp_path / "model_999.npz").exists() and (tmp_path / "model_0.npz").exists() and (tmp_path / "config.json").exists() and (tmp_path / "mine.txt").exists()


def test_the_progress_line_is_explained(capsys):
    """--help and the tutorial say what each word of the line is, and what to expect."""
    with pytest.raises(SystemExit):
        main(["--help"])
    page = (Path(__file__).parents[2] / "docs" / "tutorials" / "reinforcement-learning.md").read_text()
    for text in (" ".join(capsys.readouterr().out.split()), " ".join(page.split())):
        for word, meaning in PROGRESS.items():
            assert word in text and meaning in text, word
        assert "3 to 6 M samples" in text and "1 to 2 M samples" in text and "reward-floor" in text


@pytest.mark.parametrize("arguments, words", [(["anymal-flatt"], "did you mean 'anymal-flat'"), (["anymal-flat", "--set", "push-sped=1"], "push_speed"),
                                              (["anymal-flat", "--resume", "/nowhere"], "/nowhere"), (["anymal-flat", "--set", "x"], "KEY=VALUE"),
                                              *((["--minutes", word], f"--minutes: must be > 0 (inf: no limit), got {word}") for word in ("-1", "0", "nan")),
                                              (["--iterations", "0"], "--iterations: 0 is not a number of iterations"),
                                              (["--resume", "a", "--overwrite"], "--overwrite"), (["--until", "survived=x"], "the number is 'x'"),
                                              (["--until", "survived=95"], "from 0 to 1"), (["--until", "error=-1"], "from 0 on"),
                                              (["--until", "speed=1"], "'speed=1' is not one"), (["hold", "--robot", "cube", "--until", "error=1"], "has no commands"),
                                              (["--learner", "rsl_rl", "--learn", "epochs=1"], "--learn is of the learner in lanes"),
                                              (["--learn", "epochs"], "KEY=VALUE"), (["--learn", "seed=2"], "--seed says that"),
                                              (["--learn", "epocs=2"], "epocs is not an option"), (["--learn", "epochs=0"], "epochs is 0"),
                                              (["--learn", "hidden=1024"], "1024"), (["--learn", "hidden=a"], "is not a number"),
                                              (["--learn", "activation=gelu"], "elu, relu, tanh"),
                                              (["--log", "a" * 300], "File name too long"), (["--resume", "a" * 300], "File name too long")])
def test_what_is_asked_wrongly_is_told(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        assert main([*(["anymal-flat"] if arguments[0].startswith("--") else []), *arguments, "--envs", "100"]) == 2
    except SystemExit as stop:  # argparse
        assert stop.code == 2
    assert words in capsys.readouterr().err
    assert not any(tmp_path.rglob("model_*")) and not any(tmp_path.rglob("policy*"))


def test_from_the_command_line(tmp_path):
    done = subprocess.run([sys.executable, "-m", "myriapod.train", "anymal-flatt"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and "did you mean 'anymal-flat'" in done.stderr and "Traceback" not in done.stderr


def test_learner_arrays_are_judged():
    with Learner(4, 3, 2, steps=2, minibatches=1) as learner:
        with pytest.raises(myriapod.ArgumentError, match="observation has shape"):
            learner.act(np.zeros((4, 2), np.float32))
        assert learner.act(np.zeros((4, 3), np.float32)).shape == (4, 2)
        with pytest.raises(myriapod.ArgumentError, match="terminated has shape"):
            learner.reward(np.zeros(4), np.zeros(3, bool), np.zeros(4, bool))
        with pytest.raises(myriapod.ArgumentError, match="environment 2"):
            learner.reward(np.array([0, 0, np.nan, 0]), np.zeros(4, bool), np.zeros(4, bool))
        with pytest.raises(myriapod.StateError, match="a reward is missing"):
            learner.update(np.zeros((4, 3)))
        with pytest.raises(myriapod.ArgumentError, match="unknown array 'wights'"):
            learner.get("wights")
    with pytest.raises(myriapod.StateError, match="closed"):
        learner.get()
    with pytest.raises(myriapod.ArgumentError, match="at most 4"):
        Learner(4, 3, 2, hidden=(8,) * 5)
