"""A task written on NumPy arrays: a hopper that is rewarded for its height."""
import myriapod
import numpy as np
import pytest

pytest.importorskip("gymnasium")
from myriapod.envs.numpy_task import NumpyTask, philox  # noqa: E402

ENVS = 7


class Hop(NumpyTask):
    robot, observation_size, episode_s = "hopper", 0, 0.2
    settings = {"dt": 0.002, "decimation": 5, "kp": 60.0, "kd": 1.0}
    sense = ("bodies",)

    def __init__(self, *args, **keys):
        model = myriapod.Model("hopper")
        self.observation_size = model.nq + model.nv + 3
        super().__init__(*args, **keys)

    def observe(self):
        return np.concatenate([self.batch.q, self.batch.v, self.batch.body_pose[:, 0, :3]], 1)

    def reward(self, actions):
        return self.batch.body_pose[:, 0, 2]

    def start(self, ids):
        q = self.batch.get("q", ids)
        q[:, -1] += (0.2 * self.uniform(ids, 3)[:, 0]).astype(q.dtype)
        self.batch.set("q", q, ids)


def run(mode, envs=ENVS, steps=45, poison=None, **settings):
    env = Hop(envs, autoreset_mode=mode, **settings)
    first, _ = env.reset(seed=5)
    draw = np.random.default_rng(2)
    outcomes = []
    for k in range(steps):
        a = 0.1 * draw.standard_normal((ENVS, env.model.nu))[-envs:]
        if poison == k:
            a[2] = np.nan
        outcomes.append(env.step(a))
    return env, first, outcomes


def test_philox_is_random123s():
    """Known answers that Random123 ships (kat_vectors)."""
    zero = philox(np.zeros((1, 4), np.uint32), 0)[0]
    ones = philox(np.full((1, 4), 0xFFFFFFFF, np.uint32), 0xFFFFFFFFFFFFFFFF)[0]
    assert [hex(x) for x in zero] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]
    assert [hex(x) for x in ones] == ["0x408f276d", "0x41c83b0e", "0xa20bc7c6", "0x6d5451fd"]


def test_modes_agree():
    _, first, same = run("SameStep")
    _, second, following = run("NextStep")
    assert np.array_equal(first, second)
    assert same[19][3].all() and following[19][3].all()  # 0.2 s of 10 ms
    assert np.array_equal(np.stack(same[19][4]["final_obs"]), following[19][0])
    assert np.array_equal(same[19][0], following[20][0]) and not following[20][1].any() and not following[20][3].any()
    assert np.allclose(same[19][4]["final_info"]["episode_return"], sum(s[1] for s in same[:20]))


def test_streams_belong_to_environments():
    _, whole, a = run("SameStep")
    _, part, b = run("SameStep", envs=3, first_env=4)
    assert np.array_equal(whole[4:], part) and all(np.array_equal(x[0][4:], y[0]) for x, y in zip(a, b))


def test_what_is_shown_of_bodies_is_fresh_after_a_reset():
    _, first, outcomes = run("SameStep")
    assert np.allclose(first[:, -3:], outcomes[19][0][:, -3:])  # home, not where the old episode ended


def test_a_fault_is_named_and_stays_alone():
    _, _, clean = run("SameStep")
    _, _, poisoned = run("SameStep", poison=6)
    info = poisoned[6][4]
    assert info["fault"][2] == "not finite" and list(np.flatnonzero(info["_fault"])) == [2] and poisoned[6][2][2] and poisoned[6][1][2] == 0
    others = np.delete(np.arange(ENVS), 2)
    assert all(np.array_equal(x[0][others], y[0][others]) for x, y in zip(clean, poisoned))
    assert all(np.isfinite(o[0]).all() for o in poisoned[6:])


def test_the_ignored_action_of_a_reset_is_not_passed_on():
    """Mode NextStep ignores the action of an environment that it resets: a task that keeps or smoothes its actions must not see it."""
    seen = []

    class Kept(Hop):
        def control(self, actions):
            seen.append(actions.copy())
            super().control(actions)

        def reward(self, actions):
            seen.append(actions.copy())
            return super().reward(actions)

    env = Kept(3)
    env.reset(seed=1)
    action = np.full((3, env.model.nu), 0.05)
    for k in range(24):
        seen.clear()
        *_, terminated, truncated, _ = env.step(action)
        assert all((given == (0.0 if k == 20 else 0.05)).all() for given in seen), k
        assert truncated.all() == (k == 19)
    assert (action == 0.05).all()  # the caller's array is as it was


def test_without_a_seed_tasks_draw_their_own():
    draws = [env.uniform(np.arange(3), 4) for env in (Hop(3), Hop(3)) if env.reset() is not None]
    assert not np.array_equal(*draws)
    seeded = [env.uniform(np.arange(3), 4) for env in (Hop(3, seed=8), Hop(3, seed=8)) if env.reset() is not None]
    assert np.array_equal(*seeded)
    env = Hop(3)
    again = [env.reset(seed=8)[0] for _ in range(2)]
    assert np.array_equal(*again) and not np.array_equal(env.reset()[0], again[0])  # another episode of the same seed


WRONG = [("reward", np.zeros((ENVS, 1)), r"Hop.reward\(\) has shape \(7, 1\), but must be \(7,\)"), ("reward", np.zeros(2), r"shape \(2,\)"),
         ("reward", 1.0, r"shape \(\)"), ("reward", None, "is None"), ("reward", np.zeros(ENVS, complex), "complex128"),
         ("reward", np.where(np.arange(ENVS) == 4, np.nan, 0), r"Hop.reward\(\) is nan in environment 4,"),
         ("reward", np.full(ENVS, np.inf), "is inf in environment 0 and 6 more"),
         ("terminated", np.zeros((ENVS, 1), bool), r"Hop.terminated\(\) has shape"), ("terminated", np.zeros(ENVS), "float64, but must be bool")]


@pytest.mark.parametrize("method, value, words", WRONG)
def test_what_a_task_gives_wrongly_is_one_clear_message(method, value, words, monkeypatch):
    env = Hop(ENVS)
    env.reset(seed=1)
    monkeypatch.setattr(Hop, method, lambda *_: value)
    with pytest.raises(myriapod.ArgumentError, match=words) as caught:
        env.step(np.zeros((ENVS, env.model.nu)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("keys, words", [({"seed": 2**63}, "seed is 9223372036854775808"), ({"seed": [1, 2]}, r"seed is \[1, 2\]"),
                                         ({"seed": 1.5}, "seed is 1.5"), ({"seed": -1}, "seed is -1"), ({"options": 3}, "options is 3")])
def test_seeds_and_options_of_a_reset(keys, words):
    from myriapod.envs.gym import TaskVectorEnv

    for env in (Hop(3), TaskVectorEnv(num_envs=3)):
        with pytest.raises(myriapod.ArgumentError, match=words):
            env.reset(**keys)
        env.reset(seed=np.int64(3))


def test_disabled_and_mistakes():
    env, *_ = run("Disabled", steps=20)
    with pytest.raises(myriapod.StateError, match="are over"):
        env.step(np.zeros((ENVS, env.model.nu)))
    env.reset(options={"reset_mask": np.ones(ENVS, bool)})
    with pytest.raises(ValueError, match="action_size"):
        env.step(np.zeros((ENVS, 99)))
    with pytest.raises(ValueError, match="observation_size"):
        NumpyTask(3)
