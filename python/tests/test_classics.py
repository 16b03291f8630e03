"""Gymnasium's classics as tasks of terms: what they observe in 200 of their states is what Gymnasium's own package gives there, they end where it would, and their
terms are their functions'."""
import numpy as np
import pytest

from myriapod.envs.any_task import open_task
from myriapod.envs.tasks import TASKS, get_task

THEIRS = {"gym-hopper": "Hopper-v5", "gym-walker2d": "Walker2d-v5", "gym-half-cheetah": "HalfCheetah-v5", "gym-ant": "Ant-v5", "gym-swimmer": "Swimmer-v5",
          "gym-inverted-pendulum": "InvertedPendulum-v5", "gym-inverted-double-pendulum": "InvertedDoublePendulum-v5", "gym-humanoid": "Humanoid-v5"}


def test_all_of_them_are_here() -> None:
    assert {name for name in TASKS if name.startswith("gym-")} == set(THEIRS)


@pytest.mark.parametrize("name", THEIRS)
def test_terms_are_their_functions(name: str) -> None:
    apart = get_task(name).table.check(n=16, steps=40, size=0.5)
    assert max(apart.values()) < 1e-12 and ("memory.x" in apart) == ("pendulum" not in name)


def their_reward(env, before, q, v, action, dt) -> float:
    """By their own code, without forces on bodies, which a state by itself does not have."""
    if "DoublePendulum" in type(env).__name__:
        x, _, z = env.data.site_xpos[0]
        return env._get_rew(x, z, bool(z <= 1))[0]
    place = [before[0], q[0]]
    if "Humanoid" in type(env).__name__:
        from gymnasium.envs.mujoco.humanoid_v5 import mass_center

        for i, state in enumerate((before, q)):
            env.set_state(state, v)
            place[i] = mass_center(env.model, env.data)[0]
    env.data.cfrc_ext[:], env.data.ctrl[:] = 0, action
    return env._get_rew((place[1] - place[0]) / dt, action)[0]


@pytest.mark.parametrize("name", THEIRS)
def test_it_sees_and_ends_as_gymnasiums_does(name: str) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("mujoco")
    pytest.importorskip("imageio")
    env = gymnasium.make(THEIRS[name]).unwrapped
    rng, ended = np.random.default_rng(0), 0
    with open_task(name, 10, seed=3, precision="f64", dtype=np.float64, autoreset="next-step") as lanes:
        most = float(lanes.settings["action_clip"])
        assert (lanes.dt, lanes.num_actions) == (pytest.approx(env.dt), env.action_space.shape[0]) and env.action_space.high[0] == most
        before = lanes.batch.q.copy()
        for _ in range(20):
            action = rng.uniform(-most, most, (10, lanes.num_actions))
            out = lanes.act(action)
            q, v = lanes.batch.q, lanes.batch.v
            for k in range(10):
                if lanes.clock[k] == 0:  # it began anew
                    continue
                env.set_state(q[k], v[k])
                theirs = env._get_obs()[: lanes.num_observations]
                assert np.allclose(theirs, out.observation[k], rtol=1e-12, atol=1e-12)
                if hasattr(env, "is_healthy"):
                    assert bool(out.terminated[k]) == (not env.is_healthy)
                    ended += bool(out.terminated[k])
                if "inverted-pendulum" not in name and not (name == "gym-humanoid" and lanes.clock[k] == 1):  # 1 a step; not over a whole control step
                    reward = their_reward(env, before[k], q[k], v[k], action[k], lanes.dt)
                    assert abs(reward - out.reward[k]) < 1e-10 * max(1.0, abs(reward))
            before = q.copy()
    env.close()


def test_a_pole_that_is_pushed_up_stays_up() -> None:
    """A linear law on angle and its rate keeps it, torques being forces of 100 N a unit."""
    with open_task("gym-inverted-pendulum", 32, seed=1) as lanes:
        seen = lanes.observe()
        for _ in range(500):
            position, angle, speed, rate = seen[:, :4].T
            out = lanes.act((0.3 * position + 20 * angle + 0.5 * speed + 3.0 * rate)[:, None] * 0.1)
            assert not out.terminated.any()
            seen = out.observation
        assert np.abs(seen[:, 1]).max() < 0.05 and out.reward.min() == pytest.approx(1.0)
