"""The task hold, for robots that no task knew before: fixed arms and bipeds; and tasks written in Python, by the commands that lane tasks take."""
import sys

import myriapod
import numpy as np
import pytest
from myriapod.envs.lane_task import LaneTask, reward_terms

ENVS = 17


def drive(threads=1, robot="biped", envs=ENVS, steps=60, **settings):
    """A task after some steps under seeded actions, and what the last one gave."""
    task = LaneTask("hold", envs, robot=robot, threads=threads, **{"episode": 0.5, **settings})
    draw = np.random.default_rng(4)
    for _ in range(steps):
        out = task.act(0.3 * draw.standard_normal((envs, task.num_actions)))
    return task, out


def test_terms_add_up_and_have_names():
    task, out = drive(episode=100.0, reward_floor=0, hold_reach=0, fall_tilt=4)
    assert task.reward_terms == tuple(reward_terms("hold")) and "hold-width" in reward_terms("hold")["pose"]
    assert out.terms.shape == (ENVS, len(task.reward_terms)) and not out.terminated.any()
    assert np.allclose(out.terms.sum(1), out.reward, atol=1e-6) and (out.terms[:, 0] > 0).all()
    assert reward_terms("stand") == reward_terms("somersault") == {}


@pytest.mark.parametrize("robot, root, seen", [("biped", "auto", 48), ("double-pendulum", "fixed", 6), ("anymal", "auto", 45), ("biped", "fixed", 39)])
def test_any_robot(robot, root, seen):
    task = LaneTask("hold", 3, robot=robot, root=root)
    assert task.num_observations == seen and task.dt == pytest.approx(0.02)
    assert np.array_equal(task.act(np.zeros((3, task.num_actions))).observation, task.observe())
    assert "command" not in task.batch.fields and (task.batch.action == 0).all()


def test_threads_change_no_bit():
    ways = [drive(threads=k) for k in (1, 2, 3)]
    assert len({task.batch.hash() for task, _ in ways}) == 1
    assert all(np.array_equal(a, b) for _, out in ways[1:] for a, b in zip(out, ways[0][1]))


def test_what_is_missing_is_told():
    with pytest.raises(myriapod.ArgumentError, match="is for any robot: name one"):
        LaneTask("hold", 2)
    with pytest.raises(myriapod.ArgumentError, match="actuators"):
        LaneTask("hold", 2, robot="cube")
    with pytest.raises(myriapod.ArgumentError, match="has no commands"):
        myriapod.Locomotion("hold", 2, robot="biped")
    with pytest.raises(myriapod.UnknownKeyError, match="did you mean 'hold'"):
        LaneTask("holt", 2, robot="biped")


def test_gymnasium_and_policies_take_it():
    gymnasium = pytest.importorskip("gymnasium")
    from myriapod import Policy
    from myriapod.envs.trained import origin, trained_task
    from myriapod.score import score_task

    env = gymnasium.make_vec("myriapod/hold-v0", num_envs=5, robot="double-pendulum", root="fixed", episode=0.2)
    first, _ = env.reset(seed=3)
    assert first.shape == (5, 6)
    for _ in range(12):
        *_, info = env.step(np.zeros((5, 2), np.float32))
    assert set(info["reward_terms"]) == set(reward_terms("hold"))
    policy = Policy([np.zeros((2, 6))], [np.zeros(2)], **origin(env.unwrapped.core))
    env.close()
    core = trained_task(policy)  # as it was trained: fixed, with its episodes
    assert core.task == "hold" and core.model.nv == 2 and core.max_episode_length == 10
    result = score_task(policy, episodes=20)
    assert result.survived == 1 and result.seconds == pytest.approx(0.2) and result.length == pytest.approx(0.2)
    assert 0.1 < result.terms["pose"] <= 0.2 and abs(sum(result.terms.values()) - result.episode_return) < 1e-4


MODULE = """
import numpy as np
from myriapod.envs.numpy_task import NumpyTask

class Balance(NumpyTask):
    robot, observation_size, episode_s = "double-pendulum", 4, 0.4
    settings = {"dt": 0.002, "decimation": 10, "kp": 20.0, "kd": 1.0, "root": "auto"}

    def observe(self): return np.concatenate([self.batch.q, self.batch.v], 1)
    def reward(self, actions): return np.exp(-np.square(self.batch.q).sum(1))
    def start(self, ids): self.batch.set("q", (0.2 * self.uniform(ids, 2) - 0.1).astype(self.batch.dtype), ids)

class Other: pass
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "own_task.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "own_task"
    sys.modules.pop("own_task", None)


def test_a_task_in_python_is_driven_like_one_in_lanes(module):
    pytest.importorskip("gymnasium")
    from myriapod.envs.any_task import open_task

    task = open_task(f"{module}:Balance", 6, seed=5)
    first = task.observe()
    assert first.shape == (6, task.num_observations) and len(np.unique(first[:, 0])) == 6
    for _ in range(task.max_episode_length):
        out = task.act(np.zeros((6, task.num_actions), np.float32))
    assert out.truncated.all() and not out.terminated.any() and (task.clock == 0).all()
    final = task.final()
    assert np.array_equal(final.ids, np.arange(6)) and (final.episode_length == 20).all() and (final.episode_return > 15).all()
    out = task.act(np.full((6, task.num_actions), np.nan, np.float32))
    assert out.terminated.all() and (out.fault > 0).all()
    assert np.array_equal(open_task(f"{module}:Balance", 6, seed=5).observe(), first)
    for wrong, words in ((f"{module}:Missing", "has no 'Missing'"), (f"{module}:Other", "nor a class that derives"), ("no_such_module:A", "cannot import")):
        with pytest.raises(myriapod.ArgumentError, match=words):
            open_task(wrong, 2)


def test_the_viewer_shows_either(module):
    pytest.importorskip("viser", reason="may skip: the viewer is a choice")
    pytest.importorskip("gymnasium")
    from myriapod.view.__main__ import _parser, make_source

    for words in (["hold", "--robot", "biped"], [f"{module}:Balance"]):
        source = make_source(_parser().parse_args([*words, "--envs", "3"]))
        source.advance(3)
        assert len(source.frame(np.array([0, 2])).poses) == 2 and "reward" in source.about(1)
        source.close()


def test_the_commands_train_and_score_either(module, tmp_path, capsys):
    no_torch = "may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA"
    pytest.importorskip("torch", reason=no_torch)
    pytest.importorskip("rsl_rl", reason=no_torch)
    from myriapod import score, train

    for task, own in (("hold", ["--robot", "double-pendulum", "--set", "root=fixed", "--set", "episode=0.4"]), (f"{module}:Balance", [])):
        log = tmp_path / task.replace(":", ".")
        assert train.main([task, "--envs", "8", "--iterations", "2", "--threads", "1", "--log", str(log), *own]) == 0
        assert (log / "curve.png").stat().st_size > 0 and "tracking" not in capsys.readouterr().err
        assert score.main([task, str(log / "policy.npz"), "--episodes", "10"]) == 0
        assert "of 10 episodes of 0.4 s survived" in capsys.readouterr().out


def test_what_will_fall_is_told():
    with pytest.warns(myriapod.ModelWarning, match="`biped` falls: its gains do not hold its home pose"):
        batch = myriapod.Batch("biped", 2, task="hold", kp=20, kd=1)
    assert len(batch.warnings) == 1 and "'kp' and 'kd'" in batch.warnings[0]
    assert myriapod.Batch("anymal", 2, task="hold").warnings == []
    assert batch.info.reserved_bytes > batch.info.bytes / 4


def test_what_varies_nothing_is_refused():
    with pytest.raises(myriapod.ArgumentError, match="vary-mass.*no effect in the task 'trot'.*locomotion, hold"):
        myriapod.Batch("anymal", 2, task="trot", vary_mass=1)
