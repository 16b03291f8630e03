"""rsl_rl's environment, and a training run too short to learn anything but long enough to see that all of it works."""
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

NO_TORCH = "may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA"
torch = pytest.importorskip("torch", reason=NO_TORCH)
pytest.importorskip("rsl_rl", reason=NO_TORCH)
import myriapod  # noqa: E402
from myriapod.envs.rsl_rl import LocomotionVecEnv, TaskVecEnv  # noqa: E402
from myriapod.score import base_velocity, score  # noqa: E402
from myriapod.train import PROGRESS, main  # noqa: E402
from myriapod.learn.loop import Trainer  # noqa: E402
from myriapod.learn.rsl_rl import RslRl, ppo_config  # noqa: E402

ENVS = 24


def test_is_a_vec_env():
    env = LocomotionVecEnv("anymal-flat", ENVS, episode=0.2)
    observation = env.get_observations()
    assert observation["policy"].shape == (ENVS, 48) and observation.batch_size == torch.Size([ENVS])
    assert env.max_episode_length == 10 and env.num_actions == 12
    before = observation["policy"]
    observation, reward, done, extras = env.step(torch.zeros(ENVS, 12))
    assert reward.shape == done.shape == extras["time_outs"].shape == (ENVS,) and done.dtype == torch.long
    assert observation["policy"].data_ptr() != before.data_ptr()  # rsl_rl still holds the old one


def test_episode_length_is_writable():
    env = LocomotionVecEnv("anymal-flat", ENVS, episode=0.2)
    env.episode_length_buf = torch.randint_like(env.episode_length_buf, high=10)
    lengths = env.episode_length_buf
    *_, done, extras = env.step(torch.zeros(ENVS, 12))
    assert torch.equal(extras["time_outs"], lengths == 9) and torch.equal(done.bool(), extras["time_outs"])
    assert (env.episode_length_buf[done.bool()] == 0).all()
    with pytest.raises(myriapod.ArgumentError, match="episode_length_buf"):
        env.episode_length_buf = torch.zeros(3)


def test_logs_and_faults():
    env = LocomotionVecEnv("anymal-flat", ENVS, episode=0.2)
    for _ in range(9):
        assert "log" not in env.step(torch.zeros(ENVS, 12))[3]
    log = env.step(torch.zeros(ENVS, 12))[3]["log"]
    assert log["Episode/length_s"] == pytest.approx(0.2) and log["Episode/fell"] == 0 and "Reward/tracking-linear" in log
    action = torch.zeros(ENVS, 12)
    action[5] = float("nan")
    *_, done, extras = env.step(action)
    assert extras["faults"] == {5: "action not finite"} and done[5] == 1 and not extras["time_outs"][5]


def test_wants_the_processor():
    with pytest.raises(ValueError, match="cuda"):
        LocomotionVecEnv("anymal-flat", 4, device="cuda")


def test_train_resume_export(tmp_path):
    run = [sys.executable, "-m", "myriapod.train", "anymal-flat", "--learner", "rsl_rl", "--envs", "32", "--seed", "3", "--threads", "1"]
    done = subprocess.run([*run, "--iterations", "3", "--log", tmp_path], check=True, capture_output=True, text=True)
    line = next(line for line in reversed(done.stderr.splitlines()) if line.startswith("["))
    words = " ".join(re.sub(r"[^A-Za-z ]| nan", "", line).split())
    assert words == "it s s left M samples reward episode s tracking std" == " ".join(PROGRESS).replace("episode", "episode s")
    for name in ("progress.csv", "curve.png", "model_2.pt", "config.json", "policy.npz", "policy.pt"):
        assert (tmp_path / name).stat().st_size > 0, name
    assert any(tmp_path.glob("events.out.tfevents*"))
    assert json.loads((tmp_path / "config.json").read_text())["task"] == "anymal-flat"
    subprocess.run([*run, "--iterations", "2", "--resume", tmp_path], check=True, capture_output=True)
    table = (tmp_path / "progress.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in table] == ["iteration", "0", "1", "2", "3", "4"]
    with myriapod.LaneTask("anymal-flat", num_envs=1) as task:
        assert table[0].split(",")[13:] == [f"Reward/{name}" for name in task.reward_terms]  # each term by name
    policies = [myriapod.Policy.load(tmp_path / name) for name in ("policy.npz", "policy.pt")]
    seen = np.random.default_rng(0).standard_normal((5, 48)).astype(np.float32)
    assert np.allclose(policies[0](seen), policies[1](seen), atol=1e-5)


def test_how_it_ends_and_is_finished(tmp_path, capsys):
    """Killed before its policy was written; ended by the clock."""
    run = ["anymal-flat", "--learner", "rsl_rl", "--envs", "16", "--threads", "1", "--quiet"]
    assert main([*run, "--iterations", "2", "--log", str(tmp_path)]) == 0
    whole = (tmp_path / "policy.npz").read_bytes()
    assert "training_ended_by" not in myriapod.Policy.load(tmp_path / "policy.npz").settings and capsys.readouterr().err == ""
    (tmp_path / "policy.npz").unlink()
    (tmp_path / "model_best.pt").write_text("mine")
    assert main([*run, "--iterations", "0", "--resume", str(tmp_path)]) == 0
    assert (tmp_path / "policy.npz").read_bytes() == whole and "model_best.pt is not a checkpoint" in capsys.readouterr().err
    assert main([*run, "--iterations", "2", "--minutes", "1e-9", "--resume", str(tmp_path)]) == 0
    assert capsys.readouterr().err.splitlines()[-1].startswith("the clock (--minutes) ended the training after 0.00 M samples")
    assert myriapod.Policy.load(tmp_path / "policy.npz").settings["training_ended_by"] == "clock"


def test_a_training_that_is_there_is_not_trained_over(tmp_path, capsys):
    """Its checkpoints would be the newest ones of the directory, and its policy gone."""
    for name in ("model_999.pt", "policy.npz", "mine.txt"):
        (tmp_path / name).write_text("of an earlier day")
    run = ["anymal-flat", "--learner", "rsl_rl", "--envs", "16", "--iterations", "1", "--threads", "1", "--log", str(tmp_path)]
    assert main(run) == 2
    words = capsys.readouterr().err
    assert all(word in words for word in (f"{tmp_path} holds a training", "model_999.pt", f"--resume {tmp_path}", "--log", "--overwrite"))
    assert main([*run, "--overwrite", "--set", "push-sped=1"]) == 2  # what is refused deletes nothing
    assert len(list(tmp_path.iterdir())) == 3
    assert main([*run, "--overwrite"]) == 0
    assert not (tmp_path / "model_999.pt").exists() and (tmp_path / "model_0.pt").exists()
    assert (tmp_path / "mine.txt").read_text() == "of an earlier day"
    assert myriapod.Policy.load(tmp_path / "policy.npz").n_act == 12


def test_what_to_install_is_told_in_one_go():
    page = (Path(__file__).parents[2] / "docs" / "tutorials" / "reinforcement-learning.md").read_text()
    commands = [line.split("#")[0].strip() for line in page.splitlines() if line.startswith("pip install")]
    assert commands == ["pip install '.[learn,view]'", "pip install torch --index-url https://download.pytorch.org/whl/cpu", "pip install '.[rl,learn,view]'"]


def test_a_goal_stops_rsl_rl_too(tmp_path, monkeypatch, capsys):
    """Looked for and confirmed by the same looks as of the learner in lanes; what was reached is in the files, and is reached after a stop."""
    monkeypatch.setattr("myriapod.learn.loop.BETWEEN", 100)
    monkeypatch.setattr("myriapod.learn.goal.STAGES", (50,))
    run = ["anymal-flat", "--learner", "rsl_rl", "--envs", "16", "--threads", "1", "--set", "episode=0.1", "--until", "survived=0.1", "--iterations", "9"]
    assert main([*run, "--log", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "result.json").read_text())
    assert told["goal"]["samples"] == told["samples"] == 2 * 24 * 16 and "goal reached after 0.00 M samples" in capsys.readouterr().err
    assert main([*run, "--resume", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "result.json").read_text())["samples"] == told["samples"]
    assert main(["anymal-flat", "--envs", "16", "--threads", "1", "--resume", str(tmp_path)]) == 2
    assert "it was trained with --learner rsl_rl" in capsys.readouterr().err
    (tmp_path / "model_1.pt").write_bytes(b"damaged")
    assert main([*run, "--resume", str(tmp_path)]) == 2 and "model_1.pt: no checkpoint of these networks" in capsys.readouterr().err


def test_rsl_rls_normalization_is_in_the_policy(tmp_path):
    env = TaskVecEnv("anymal-flat", 16, threads=1)
    config = ppo_config(1)
    config["actor"]["obs_normalization"] = config["critic"]["obs_normalization"] = True
    learner = RslRl(env, config)
    Trainer(learner, tmp_path, quiet=True).learn(2)
    seen = env.get_observations()
    actor = learner.runner.alg.get_policy().eval()
    with torch.inference_mode():
        wanted = actor(seen).numpy()
    assert np.allclose(myriapod.Policy.load(tmp_path / "policy.npz")(seen["policy"].numpy()), wanted, atol=1e-5)


def test_same_seed_learns_the_same(tmp_path):
    """Two runs in one process: the environments' part of the promise, and rsl_rl's."""
    rows = []
    for k in range(2):
        torch.manual_seed(7)
        trainer = Trainer(RslRl(LocomotionVecEnv("anymal-flat", 16, seed=7, threads=1 + k), ppo_config(7)), tmp_path / str(k), quiet=True)
        trainer.learn(2)
        rows.append(trainer.rows[-1]["value_loss"])
    assert rows[0] == rows[1]


def test_score_of_a_policy_that_stands():
    result = score(lambda seen: np.zeros((len(seen), 12), np.float32), episodes=16, episode=1.0, command_still=1, push_speed=0, start_speed=0)
    assert result.survived == 1 and result.linear_error < 0.1 and result.pushes == 0


def test_base_velocity_turns_with_the_base():
    q, v = np.zeros((1, 19)), np.zeros((1, 18))
    q[0, 3:7] = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]  # to the left by a quarter
    v[0, :3] = [0, 2, 0]
    assert np.allclose(base_velocity(q, v), [[2, 0, 0]])


def test_rsl_rl_trains_with_the_critics_own_observation(tmp_path) -> None:
    task = myriapod.TermTask("seer", robot="anymal", settings={"dt": 0.005, "decimation": 4, "solver": "bisection"}, gains="quadruped")
    task.reward(1.0, name="up")(lambda s: -s.base_down[..., 2])
    task.observe("base_down", noise=0.05)
    task.observe("foot_force", scale=0.01, group="critic")
    env = TaskVecEnv(task, 16)
    groups = env.get_observations()
    assert groups["policy"].shape == (16, 3) and groups["critic"].shape == (16, 4)
    learner = RslRl(env, ppo_config(0))
    trainer = Trainer(learner, tmp_path, quiet=True)
    trainer.learn(2)
    assert next(learner.runner.alg.critic.parameters()).shape[1] == 7 and (tmp_path / "policy.npz").exists()
