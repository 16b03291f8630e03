"""Stable-Baselines3's VecEnv: its conventions, its own wrappers, and that its PPO learns."""
import myriapod
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA")
stable_baselines3 = pytest.importorskip("stable_baselines3", reason="may skip: it needs torch, which is installed where the index has one for processors alone")
from myriapod.envs.numpy_task import NumpyTask  # noqa: E402
from myriapod.envs.sb3 import VecEnv, make_vec_env  # noqa: E402
from stable_baselines3.common import logger  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import VecEnv as Theirs  # noqa: E402
from stable_baselines3.common.vec_env import VecNormalize, VecVideoRecorder  # noqa: E402

ENVS = 6
ZERO = np.zeros((ENVS, 12), np.float32)


def make(**settings):
    return VecEnv("anymal-flat", ENVS, threads=1, **settings)


def test_it_is_one_and_says_its_shapes():
    env = make()
    assert isinstance(env, Theirs) and env.num_envs == ENVS and env.render_mode is None
    observation = env.reset()
    assert observation.shape == (ENVS, 48) and observation.dtype == np.float32 and env.observation_space.shape == (48,) and env.action_space.shape == (12,)
    observation, reward, done, infos = env.step(ZERO)
    assert reward.shape == done.shape == (ENVS,) and done.dtype == np.bool_ and infos == [{"TimeLimit.truncated": False}] * ENVS
    env.close()


def test_the_end_of_an_episode():
    """The last observation is that of the library's own task, bit for bit."""
    env, core = make(episode=0.1, seed=5), myriapod.Locomotion("anymal-flat", ENVS, threads=1, episode=0.1, seed=5)
    env.seed(5)
    env.reset()
    core.reset(seed=5)
    for k in range(5):
        observation, reward, done, infos = env.step(ZERO)
        out = core.act(ZERO)
        assert np.array_equal(observation, out.observation) and np.array_equal(reward, out.reward)
    assert done.all() and all(info["TimeLimit.truncated"] for info in infos)
    assert np.array_equal(np.stack([info["terminal_observation"] for info in infos]), core.final().observation)
    assert not np.array_equal(infos[0]["terminal_observation"], observation[0])
    assert [info["episode"]["l"] for info in infos] == [5] * ENVS
    assert np.allclose([info["episode"]["r"] for info in infos], core.final().episode_return)


def test_a_fall_is_no_time_limit():
    env = make()
    env.reset()
    action = ZERO.copy()
    action[2] = np.nan
    _, _, done, infos = env.step(action)
    assert list(np.flatnonzero(done)) == [2] and not infos[2]["TimeLimit.truncated"] and infos[2]["fault"] == "action not finite"
    assert "terminal_observation" in infos[2] and "terminal_observation" not in infos[1]


def test_seeds():
    def first(seed):
        env = make()
        env.seed(seed)
        return env.reset()

    assert np.array_equal(first(3), first(3)) and not np.array_equal(first(3), first(4))
    assert not np.array_equal(make().reset(), make().reset())
    assert np.array_equal(make_vec_env("myriapod/anymal-flat-v0", ENVS, seed=3, threads=1).reset(), first(3))


def test_attributes_and_methods_of_each():
    env = make()
    env.reset()
    before = np.array(env.get_attr("friction"))
    env.set_attr("friction", 0.3, indices=[1, -2])
    assert np.allclose(env.get_attr("friction"), np.where(np.isin(np.arange(ENVS), (1, 4)), 0.3, before))
    env.set_attr("command", np.array([0.5, 0.0, 0.1], np.float32))
    assert np.allclose(env.get_attr("command", [2]), [[0.5, 0.0, 0.1]])
    assert env.get_attr("num_actions", indices=[0, 3]) == [12, 12] and env.get_attr("render_mode") == [None] * ENVS
    assert not env.has_attr("nonsense")
    with pytest.raises(AttributeError, match="nonsense"):
        env.set_attr("nonsense", 1)
    with pytest.raises(myriapod.ArgumentError, match="without indices"):
        env.set_attr("autoreset", "disabled", indices=[0])
    for _ in range(3):
        env.step(ZERO)
    assert list(env.env_method("reset", indices=[1])[0].shape) == [48]
    assert env.get_attr("clock") == [3, 0, 3, 3, 3, 3]
    assert env.env_is_wrapped(Monitor) == [True] * ENVS and env.env_is_wrapped(VecNormalize, 0) == [False]
    with pytest.raises(myriapod.ArgumentError, match="no options"):
        env.set_options({"reset_mask": 1})


def test_their_wrappers_and_pictures(tmp_path):
    env = make(render_mode="rgb_array", width=64, height=48)
    env.reset()
    assert env.render().shape == (48 * 3, 64 * 2, 3) and env.render().std() > 5
    assert env.env_method("render", indices=[2])[0].shape == (48, 64, 3)
    normal = VecNormalize(env)
    normal.reset()
    assert normal.step(ZERO)[0].shape == (ENVS, 48)
    pytest.importorskip("moviepy", reason="may skip: Stable-Baselines3's recorder needs it")
    film = VecVideoRecorder(make(render_mode="rgb_array", width=64, height=48), str(tmp_path), lambda step: step == 0, video_length=4)
    film.reset()
    for _ in range(6):
        film.step(ZERO)
    film.close()
    assert [p.suffix for p in tmp_path.iterdir()] == [".mp4"]


class Match(NumpyTask):
    """The nearer the actions are to a half, the better: what a few thousand samples teach."""

    robot, observation_size, episode_s = "double-pendulum", 4, 0.05
    settings = {"dt": 0.002, "decimation": 5, "seed": 1}

    def observe(self):
        return np.concatenate([self.batch.q, self.batch.v], 1)

    def reward(self, actions):
        return -np.square(actions - 0.5).mean(1)


def test_ppo_learns():
    torch.set_num_threads(1)
    env = VecEnv(f"{__name__}:Match", 16, threads=1)
    model = stable_baselines3.PPO("MlpPolicy", env, n_steps=32, batch_size=128, n_epochs=5, learning_rate=3e-3, seed=1, device="cpu", policy_kwargs={"net_arch": [16]})
    model.set_logger(logger.Logger(None, []))  # its own would leave a folder among the temporary files

    def error():
        return float(np.square(model.predict(env.reset(), deterministic=True)[0] - 0.5).mean())

    before = error()
    model.learn(8 * 16 * 32)
    assert len(model.ep_info_buffer) == 100 and error() < 0.2 * before


def test_ppo_takes_a_robot_that_walks():
    torch.set_num_threads(1)
    model = stable_baselines3.PPO("MlpPolicy", make_vec_env("anymal-flat", 16, seed=1, threads=1), n_steps=12, batch_size=96, n_epochs=1, device="cpu")
    model.set_logger(logger.Logger(None, []))  # its own would leave a folder among the temporary files
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(2 * 16 * 12)
    assert model.num_timesteps == 384 and any(not torch.equal(a, b) for a, b in zip(before, model.policy.parameters()))


def test_the_action_space_has_a_bound():
    """Without one the learners refuse it."""
    with pytest.raises(myriapod.ArgumentError, match="action_bound"):
        make(action_bound=np.inf)
    assert make(action_bound=2.0).action_space.high[0] == 2.0 and make().action_space.high[0] == 10.0
    env = VecEnv("gym-hopper", 2, threads=1)
    assert env.action_space.high[0] == 1.0  # where the task cuts actions
    env.close()
