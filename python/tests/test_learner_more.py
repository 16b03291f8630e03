"""What a learner may have beside plain PPO, as trainings use it: a critic's own observation, normalization, the mirror, stages of options, a warm start."""
import json

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, LaneTask, Policy, TermTask
from myriapod.learn.lanes import Lanes
from myriapod.learn.loop import Trainer
from myriapod.learn.ppo import Learner
from myriapod.train import main

SETTINGS = {"dt": 0.005, "decimation": 4, "solver": "bisection", "episode": 0.4}
SMALL = {"hidden": (8,), "steps": 4, "seed": 2, "threads": 1}


def task(mirror: str | None = "actuators") -> TermTask:
    made = TermTask("seen", robot="go2", settings=SETTINGS, mirror=mirror)
    made.reward(1.0, name="up")(lambda s: -s.base_down[..., 2])
    made.observe("base_linear", noise=0.1)
    made.observe("encoder", noise=0.01)
    made.observe("base_linear", group="critic")
    made.observe("geom_force", group="critic", scale=10.0)
    return made


def trainer(directory, made=None, **options) -> Trainer:
    core = LaneTask(made or task(), 32, threads=1, seed=2)
    return Trainer(Lanes(core, {**SMALL, **options}), directory, quiet=True)


def test_the_value_sees_what_a_critic_alone_observes(tmp_path) -> None:
    one = trainer(tmp_path)
    learner, core = one.backend.learner, one.core
    assert learner.num_critic_observations == core.num_critic_observations > 3
    one.learn(2)
    wide = core.num_observations + core.num_critic_observations
    values = learner.value(np.eye(wide, dtype=np.float32))
    assert len(set(values.tolist())) > wide - 3 and Policy.load(tmp_path / "policy.npz").n_obs == core.num_observations
    with pytest.raises(ArgumentError, match=f"must be .n, {wide}."):
        learner.value(np.zeros((1, core.num_observations)))
    core.close()
    plain = trainer(tmp_path / "plain", critic_observations=0)
    plain.learn(1)
    plain.core.close()
    with LaneTask(task(), 32, threads=1) as lanes, Learner(32, lanes.num_observations, 12, critic_observations=1, threads=1) as wrong, \
            pytest.raises(ArgumentError, match="the value sees 1 numbers beside the observation, and a critic of this batch's task observes"):
        wrong.collect(lanes)


def test_a_normalized_policy_is_one_file(tmp_path) -> None:
    """Its mean and deviation are in it, and in what it exports; it acts in lanes as the learner does."""
    one = trainer(tmp_path, obs_normalization=1, average=0.0)
    one.learn(3)
    policy, seen = Policy.load(tmp_path / "policy.npz"), one.core.observe()
    mean, variance, count = one.backend.learner.normalization
    assert count == 32 + 3 * 4 * 32 and np.allclose(policy.mean, mean[:15], rtol=1e-6) and np.allclose(policy.std, np.sqrt(variance[:15]) + 0.01, rtol=1e-6)
    assert np.allclose(policy(seen), one.backend.learner.mean(seen), atol=2e-6)
    assert np.allclose(myriapod.policies.lanes.lanes_of(policy, 1)(seen), policy(seen), atol=2e-6)
    one.core.close()
    whole = trainer(tmp_path / "whole", obs_normalization=1, mirror_loss_coef=0.5)
    whole.learn(6)
    trainer(tmp_path / "parts", obs_normalization=1, mirror_loss_coef=0.5).learn(2)
    rest = trainer(tmp_path / "parts", obs_normalization=1, mirror_loss_coef=0.5)
    assert rest.resume() == 2
    rest.learn(4)
    assert (tmp_path / "whole" / "policy.npz").read_bytes() == (tmp_path / "parts" / "policy.npz").read_bytes()


def test_the_mirror_loss_makes_a_policy_symmetric(tmp_path) -> None:
    off = []
    for coefficient in (0.0, 10.0):
        one = trainer(tmp_path / str(coefficient), mirror_loss_coef=coefficient, average=0.0)
        one.learn(30)
        image, acts = one.core.mirror
        seen = one.core.observe()
        there = seen[:, abs(image) - 1] * np.sign(image)
        mean = one.backend.learner.mean
        off.append(float(np.square(mean(there) - mean(seen)[:, abs(acts) - 1] * np.sign(acts)).mean()))
        one.core.close()
    assert off[1] < 0.2 * off[0]
    with pytest.raises(ArgumentError, match="does not say how it looks in a mirror"):
        trainer(tmp_path / "none", task(None), mirror_loss_coef=1.0)


def test_options_change_in_stages(tmp_path) -> None:
    made = task()
    made.stage(128, **{"learn.entropy_coef": 0.0, "learn.learning_rate_max": 1e-4})
    one = trainer(tmp_path, made)
    one.learn(4)  # of 128 samples
    assert one.backend.learner.options["entropy_coef"] == 0 and [row["learning_rate"] <= 1e-4 for row in one.rows] == [False, True, True, True]
    assert json.loads((tmp_path / "config.json").read_text())["stages"] == [[128, {"learn.entropy-coef": 0.0, "learn.learning-rate-max": 1e-4}]]
    one.core.close()
    wrong = task()
    wrong.stage(0, **{"learn.entropy": 0.0})
    with pytest.raises(ArgumentError, match="there is no option 'entropy'"):
        trainer(tmp_path / "wrong", wrong).learn(1)


def test_a_training_begins_with_another(tmp_path, capsys) -> None:
    run = ["anymal-flat", "--envs", "32", "--seed", "3", "--learn", "hidden=16", "--set", "episode=0.2", "--quiet", "--threads", "1", "--iterations", "2"]
    assert main([*run, "--log", str(tmp_path / "a")]) == 0
    first, kept = Policy.load(tmp_path / "a" / "policy.npz"), np.load(tmp_path / "a" / "model_1.npz")
    for start in (tmp_path / "a", tmp_path / "a" / "model_1.npz", tmp_path / "a" / "policy.npz"):
        assert main([*run, "--from", str(start), "--set", "reward-air-time=5", "--log", str(tmp_path / "b"), "--overwrite", "--learn", "learning_rate=1e-5",
                     "--learn", "desired_kl=0"]) == 0
        assert "beginning with" in capsys.readouterr().err
        second = Policy.load(tmp_path / "b" / "policy.npz")
        known = kept["weights"][: 48 * 16].reshape(16, 48) if "policy" not in start.name else first.weights[0]
        assert np.abs(known - second.weights[0]).max() < 1e-3 and second.settings["reward_air_time"] == 5
    for keys, words in ((["--learn", "hidden=17"], "this learner"), (["--from", str(tmp_path / "nowhere")], "no checkpoint model_N.npz and no policy.npz")):
        assert main([*run, "--log", str(tmp_path / "c"), "--from", str(tmp_path / "a"), *keys]) == 2
        assert words in capsys.readouterr().err
    assert not (tmp_path / "c" / "policy.npz").exists()
    for other in (["--resume", str(tmp_path / "a")], ["--learner", "rsl_rl"]):
        with pytest.raises(SystemExit):
            main(["anymal-flat", "--from", str(tmp_path / "a"), *other])


def test_an_encoder_sees_the_widest_part_of_the_observation(tmp_path) -> None:
    """What comes out is an ordinary policy, whose first layer has zeros; a training goes on with the same encoder alone."""
    one = trainer(tmp_path, encoder=4, hidden=(20, 8), average=0.0)
    columns = one.core.observed["encoder"].columns
    assert (one.backend.options["encoder_from"], one.backend.options["encoder_inputs"]) == (columns.start, columns.stop - columns.start) == (3, 12)
    one.learn(3)
    policy, seen = Policy.load(tmp_path / "policy.npz"), one.core.observe()
    first = policy.weights[0]
    assert not first[:16, 3:].any() and not first[16:, :3].any() and first[:16, :3].all() and first[16:, 3:].all()
    assert np.allclose(policy(seen), one.backend.learner.mean(seen), atol=2e-6)
    one.core.close()
    with pytest.raises(myriapod.FormatError, match="its encoder is 4, this training's 0"):
        trainer(tmp_path, hidden=(20, 8), average=0.0).resume()
    with pytest.raises(myriapod.FormatError, match="model_2.npz: .*what an encoder's layer does not see 0"):
        dense = trainer(tmp_path / "dense", hidden=(20, 8))
        dense.learn(3)
        trainer(tmp_path / "other", encoder=4, hidden=(20, 8)).backend.begin_from(tmp_path / "dense")
    told = trainer(tmp_path / "told", encoder=4, encoder_from=0, encoder_inputs=3, hidden=(20, 8))
    assert told.backend.options["encoder_inputs"] == 3
    with pytest.raises(ArgumentError, match="encoder_from is told alone"):
        trainer(tmp_path / "half", encoder=4, encoder_from=3, hidden=(20, 8))
    with pytest.raises(ArgumentError, match="encoder is 3 of the first hidden layer's 20, but the others must be a multiple of 16"):
        trainer(tmp_path / "wrong", encoder=3, hidden=(20, 8))
