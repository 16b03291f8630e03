"""Gymnasium's vector environment: its conventions, its three autoreset modes, its own checks and wrappers."""
import myriapod
import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils import env_checker, passive_env_checker  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402

ENVS = 9


def make(mode="NextStep", envs=ENVS, **settings):
    return gymnasium.make_vec("myriapod/anymal-flat-v0", num_envs=envs, autoreset_mode=mode, **settings)


def run(env, steps=40, seed=3):
    """(observation, reward, terminated, truncated, info) of every step under seeded actions."""
    env.reset(seed=seed)
    env.action_space.seed(seed)
    return [env.step(env.action_space.sample()) for _ in range(steps)]


def test_is_made_by_name_for_every_task():
    for name in myriapod.TASKS:
        keys = {} if myriapod.TASKS[name].robot else {"robot": "double-pendulum"}
        env = gymnasium.make_vec(f"myriapod/{name}-v0", num_envs=3, **keys)
        assert isinstance(env.unwrapped, VectorEnv) and env.num_envs == 3 and env.spec.id == f"myriapod/{name}-v0"
        env.close()


def test_spaces_and_dtypes():
    env = make()
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation) and info == {}
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert env.observation_space.contains(observation)
    assert reward.shape == terminated.shape == truncated.shape == (ENVS,) and terminated.dtype == truncated.dtype == np.bool_
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    passive_env_checker.check_observation_space(env.single_observation_space)
    passive_env_checker.check_action_space(env.single_action_space)


@pytest.mark.parametrize("task, bound", [("gym-hopper", 1.0), ("gym-humanoid", 0.4), ("gym-inverted-pendulum", 3.0), ("allegro-cube", 1.0), ("anymal-flat", np.inf)])
def test_the_action_space_ends_where_the_task_cuts_actions(task, bound):
    """Gymnasium's bounds of its classics; what is beyond them is what is at them. A robot that walks has none unless they are given."""
    ends = []
    for times in (1.0, 3.0):
        with myriapod.LaneTask(task, 2, threads=1, seed=1, dtype="float32") as core:
            core.reset(seed=1)
            for _ in range(3):
                core.act(np.full((2, core.num_actions), times * min(bound, 1e3), np.float32))
            ends.append(core.batch.q.copy())
    assert np.array_equal(*ends)
    for asked, wanted in ((None, bound), (2.5, 2.5), (np.inf, np.inf)):
        env = gymnasium.make(f"myriapod/{task}-v0", threads=1, action_bound=asked)
        assert env.action_space.high.min() == env.action_space.high.max() == np.float32(wanted) and (env.action_space.low == -env.action_space.high).all()
        env.close()
    with pytest.raises(myriapod.ArgumentError, match="action_bound is 0.0"):
        gymnasium.make(f"myriapod/{task}-v0", threads=1, action_bound=0.0)


@pytest.mark.filterwarnings("ignore::UserWarning")  # it would like spaces to have bounds
@pytest.mark.parametrize("name", myriapod.TASKS)
def test_gymnasiums_own_checks(name):
    keys = {} if myriapod.TASKS[name].robot else {"robot": "double-pendulum"}
    env = gymnasium.make(f"myriapod/{name}-v0", **keys, threads=1, width=32, height=24)  # the checker makes others, which render
    assert isinstance(env.unwrapped, gymnasium.Env) and env.spec.id == f"myriapod/{name}-v0"
    env_checker.check_env(env.unwrapped)
    vector = make().unwrapped
    env_checker.check_reset_seed_determinism(vector)  # those that may be asked of a vector as it is
    env_checker.check_reset_options(vector)
    env_checker.check_reset_return_type(vector)


def test_one_environment_is_the_vectors_first():
    """The same bits as a vector of one; its episode ends, and waits for a reset."""
    one, many = gymnasium.make("myriapod/anymal-flat-v0", episode=0.1, threads=1), make("Disabled", envs=1, episode=0.1)
    observation, info = one.reset(seed=3)
    assert np.array_equal(observation, many.reset(seed=3)[0][0]) and info == {}
    for k in range(5):
        action = np.full(12, 0.1 * k, np.float32)
        observation, reward, terminated, truncated, info = one.step(action)
        o, r, _, _, i = many.step(action[None])
        assert np.array_equal(observation, o[0]) and reward == r[0] and type(reward) is float and terminated is False and truncated is (k == 4)
        assert info["reward_terms"] == {name: value[0] for name, value in i["reward_terms"].items()}
    with pytest.raises(myriapod.StateError, match="episode is over"):
        one.step(action)
    one.reset()
    *_, terminated, truncated, info = one.step(np.full(12, np.nan, np.float32))
    assert terminated and not truncated and info["fault"] == "action not finite"
    one.reset()
    with pytest.raises(myriapod.ArgumentError, match="num_actions"):
        one.unwrapped.step(np.zeros(3, np.float32))


def test_pictures_of_one_and_of_many():
    one = gymnasium.make("myriapod/anymal-flat-v0", render_mode="rgb_array", width=96, height=54, threads=1)
    one.reset(seed=1)
    image = one.render()
    assert image.shape == (54, 96, 3) and image.dtype == np.uint8 and len(np.unique(image.reshape(-1, 3), axis=0)) > 100
    many = make(render_mode="rgb_array", width=96, height=54, threads=1)
    many.reset(seed=1)
    pictures = many.render()
    assert len(pictures) == ENVS and np.array_equal(pictures[0], image) and not np.array_equal(pictures[1], image)
    before = pictures[2]
    many.step(np.ones((ENVS, 12), np.float32))
    assert np.array_equal(pictures[2], before) and not np.array_equal(many.render()[2], before)  # of the moment when it was asked for
    assert make().render() is None


def test_the_steps_have_the_same_bits_with_pictures():
    a, b = run(make()), run(make(render_mode="rgb_array"))
    assert all(np.array_equal(x, y) for s, t in zip(a, b) for x, y in zip(s[:4], t[:4]))


def test_record_video_of_one_and_of_many(tmp_path):
    pytest.importorskip("moviepy", reason="may skip: Gymnasium's recorders need it")
    keys = {"render_mode": "rgb_array", "width": 64, "height": 48, "threads": 1, "episode": 0.1}
    env = gymnasium.wrappers.RecordVideo(gymnasium.make("myriapod/anymal-flat-v0", **keys), str(tmp_path / "one"), disable_logger=True)
    env.reset(seed=1)
    for _ in range(5):
        env.step(np.zeros(12, np.float32))
    env.close()
    env = gymnasium.wrappers.vector.RecordVideo(make(envs=3, **keys), str(tmp_path / "many"), disable_logger=True, video_length=4)
    env.reset(seed=1)
    for _ in range(6):
        env.step(np.zeros((3, 12), np.float32))
    env.close()
    for folder in ("one", "many"):
        films = list((tmp_path / folder).glob("*.mp4"))
        assert films and all(f.read_bytes()[4:8] == b"ftyp" for f in films)


def test_the_old_name_warns():
    from myriapod.envs.gym import LocomotionVectorEnv

    with pytest.warns(DeprecationWarning, match="TaskVectorEnv"):
        LocomotionVectorEnv(num_envs=2, threads=1).close()
    assert type(make(threads=1).unwrapped) is myriapod.envs.gym.TaskVectorEnv


def test_same_seed_same_bits():
    a, b = run(make(episode=0.3)), run(make(episode=0.3, threads=1))
    assert all(np.array_equal(x, y) for s, t in zip(a, b) for x, y in zip(s[:4], t[:4]))
    assert not np.array_equal(a[0][0], run(make(episode=0.3), seed=4)[0][0])


def test_without_a_seed_runs_differ():
    assert not np.array_equal(make().reset()[0], make().reset()[0])


def test_next_step():
    env = make(episode=0.2)  # 10 control steps
    steps = run(env, 25)
    assert steps[9][3].all() and "final_obs" not in steps[9][4] and steps[9][4]["_final_info"].all()
    assert (steps[9][4]["final_info"]["episode_length"] == 10).all()
    observation, reward, terminated, truncated, _ = steps[10]  # the reset, whatever the action
    assert not reward.any() and not terminated.any() and not truncated.any()
    again = make(episode=0.2)
    again.reset(seed=3)
    again.reset()  # the second episode
    assert np.array_equal(observation, again.unwrapped.core.observe())
    assert steps[20][3].all()  # 10 steps more


def test_same_step_gives_exactly_the_final_observation():
    same, other = run(make("SameStep", episode=0.2), 11), run(make("NextStep", episode=0.2), 11)
    info = same[9][4]
    assert info["_final_obs"].all() and info["final_obs"].dtype == object
    assert np.array_equal(np.stack(info["final_obs"]), other[9][0])  # the last of the old episode
    assert np.array_equal(same[9][0], other[10][0])  # the first of the new one
    assert np.array_equal(same[9][1], other[9][1])
    terms = info["final_info"]["reward_terms"]
    assert np.allclose(sum(terms[n] for n in terms), sum(sum(s[4]["reward_terms"].values()) for s in same[:10]), atol=1e-5)
    assert np.allclose(info["final_info"]["episode_return"], sum(s[1] for s in same[:10]), atol=1e-5)


def test_disabled_waits_for_the_mask():
    env = make("Disabled", episode=0.2)
    steps = run(env, 10)
    assert steps[9][3].all()
    with pytest.raises(myriapod.StateError, match=r"\[0, 1, 2, 3, 4\] ... are over"):
        env.step(env.action_space.sample())
    mask = np.zeros(ENVS, bool)
    mask[[1, 4]] = True
    observation, _ = env.reset(options={"reset_mask": mask})
    assert np.array_equal(observation[~mask], steps[9][0][~mask]) and not np.array_equal(observation[1], steps[9][0][1])
    env.reset(options={"reset_mask": ~mask})
    assert np.array_equal(env.step(np.zeros((ENVS, 12), np.float32))[0].shape, (ENVS, 48))


def test_partial_reset_leaves_the_others_alone():
    a, b = make(), make()
    for env in (a, b):
        run(env, 5)
    mask = np.arange(ENVS) == 2
    a.reset(options={"reset_mask": mask})
    zero = np.zeros((ENVS, 12), np.float32)
    assert np.array_equal(a.step(zero)[0][~mask], b.step(zero)[0][~mask])


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_nan_action_is_named_and_training_goes_on(mode):
    env = make(mode)
    env.reset(seed=1)
    action = np.zeros((ENVS, 12), np.float32)
    action[6] = np.nan
    observation, reward, terminated, _, info = env.step(action)
    assert info["fault"][6] == "action not finite" and list(np.flatnonzero(info["_fault"])) == [6] and terminated[6] and terminated.sum() == 1
    for _ in range(5):
        observation, reward, terminated, _, info = env.step(np.zeros((ENVS, 12), np.float32))
        assert np.isfinite(observation).all() and np.isfinite(reward).all() and "fault" not in info and not terminated.any()


def test_wrappers_of_gymnasium():
    """In the mode NextStep, as Gymnasium's observation wrappers refuse SameStep in every environment."""
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(make("NextStep", episode=0.2))
    env = gymnasium.wrappers.vector.NormalizeReward(gymnasium.wrappers.vector.NormalizeObservation(env))
    env.reset(seed=1)
    for _ in range(10):
        *_, info = env.step(env.action_space.sample())
    assert (info["episode"]["l"] == 10).all()


MISTAKES = [
    ("autoreset mode", lambda: make("Sometimes"), ValueError, "NextStep"),
    ("mask of wrong length", lambda: make().reset(options={"reset_mask": np.ones(4, bool)}), ValueError, r"\(4,\), but must be \(9,\)"),
    ("mask of ints", lambda: make().reset(options={"reset_mask": np.ones(ENVS, int)}), TypeError, "array of bool"),
    ("mask as list", lambda: make().reset(options={"reset_mask": [True] * ENVS}), TypeError, "list"),
    ("empty mask", lambda: make().reset(options={"reset_mask": np.zeros(ENVS, bool)}), ValueError, "names no environment"),
    ("mask and seed", lambda: make().reset(seed=1, options={"reset_mask": np.ones(ENVS, bool)}), ValueError, "not both"),
    ("actions' shape", lambda: make().step(np.zeros((ENVS, 3))), ValueError, "num_actions"),
    ("render mode", lambda: make(render_mode="human"), ValueError, "myriapod.view"),
]


@pytest.mark.parametrize("what, do, error, words", MISTAKES, ids=[m[0] for m in MISTAKES])
def test_one_clear_exception(what, do, error, words):
    with pytest.raises(error, match=words) as caught:
        do()
    assert isinstance(caught.value, myriapod.Error)


def test_closed():
    env = make()
    env.close()
    env.close()
    with pytest.raises(myriapod.StateError, match="closed"):
        env.step(np.zeros((ENVS, 12)))
