"""The example for LeRobot's EnvHub: loaded from its file as LeRobot does it, with what LeRobot's evaluation asks of an environment."""
import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("gymnasium")
from gymnasium.vector import VectorEnv  # noqa: E402
from gymnasium.vector.utils import iterate  # noqa: E402

FILE = Path(__file__).parents[2] / "examples" / "envhub" / "env.py"


def hub():
    spec = importlib.util.spec_from_file_location("hub_env_you_anymal", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_has_the_form_and_an_evaluation_runs():
    module = hub()
    module.THREADS = 1
    suites = module.make_env(n_envs=5, use_async_envs=True)
    env = suites["myriapod"][0]
    assert list(suites) == ["myriapod"] and isinstance(env, VectorEnv) and env.num_envs == 5 and env.unwrapped.metadata["render_fps"] == 50
    observation, info = env.reset(seed=[7, 8, 9, 10, 11])
    assert observation in env.observation_space and observation["agent_pos"].shape == (5, 48)
    assert env.call("_max_episode_steps") == (1000,) * 5 and env.envs[0].task == "anymal-flat" and "ANYmal" in env.call("task_description")[4]
    again, _ = env.reset(seed=7)
    assert (again["agent_pos"] == observation["agent_pos"]).all() and info == {}
    actions = np.zeros(env.action_space.shape, np.float32)
    actions[2] = np.nan  # this one is stopped
    observation, reward, terminated, truncated, info = env.step(actions)
    assert observation in env.observation_space and reward.shape == (5,) and terminated.tolist() == [False, False, True, False, False]
    assert info["final_info"]["is_success"].tolist() == [False] * 5 and info["final_obs"][2]["agent_pos"].shape == (48,)
    env.core.clock = np.full(5, 999, np.float32)
    *_, terminated, truncated, info = env.step(np.zeros_like(actions))
    assert truncated.all() and info["final_info"]["is_success"].tolist() == [True] * 5 and len(list(iterate(env.observation_space, observation))) == 5
    assert env.call("render")[0].shape == (360, 640, 3)
    with pytest.raises(ValueError, match="follow each other"):
        env.reset(seed=[1, 1, 1, 1, 1])
    env.close()


def test_a_config_names_another_task():
    env = hub().make_env(2, cfg=SimpleNamespace(task="gym-inverted-pendulum"))["myriapod"][0]
    assert env.single_action_space.shape == (1,) and env.envs[0].task == "gym-inverted-pendulum"
    env.close()
