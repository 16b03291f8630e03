"""Histories of observations: frame by frame what the same task without a history observes, across resets of every kind."""
import numpy as np
import pytest
from myriapod import ArgumentError, LaneTask, LimitError, Policy, TermTask
from myriapod.policies.lanes import lanes_of

SETTINGS = {"dt": 0.005, "decimation": 4, "solver": "bisection", "episode": 0.16, "threads": 2}
FRAMES = {"base_down": 3, "encoder": 5, "base_linear": 1, "action": 3, "critic.base_linear": 2}


def task(history: bool) -> TermTask:
    made = TermTask("seen", robot="anymal", settings=SETTINGS, gains="quadruped", mirror="actuators")
    made.reward(1.0, name="up")(lambda s: -s.base_down[..., 2])
    made.end(lambda s: s.base_down[..., 2] > -0.99, name="leans")
    for name, frames in FRAMES.items():
        group = "critic" if name.startswith("critic.") else "actor"
        made.observe(name.removeprefix("critic."), noise=0.1, scale=2.0, group=group, history=frames if history else 1)
    return made


def columns(lanes: LaneTask, seen: np.ndarray, critic: np.ndarray) -> dict[str, np.ndarray]:
    return {name: (critic if part.critic else seen)[:, part.columns] for name, part in lanes.observed.items()}


@pytest.mark.parametrize("autoreset", ["same-step", "next-step", "disabled"])
@pytest.mark.parametrize("envs", [1, 17])
def test_frames_are_what_was_seen(autoreset: str, envs: int) -> None:
    rng = np.random.default_rng(0)
    with LaneTask(task(True), envs, autoreset=autoreset) as lanes, LaneTask(task(False), envs, autoreset=autoreset) as plain:
        assert {name: part.frames for name, part in lanes.observed.items()} == FRAMES
        assert lanes.num_observations == 3 * 3 + 5 * 12 + 3 + 3 * 12 and lanes.num_critic_observations == 6
        known: list[dict[str, list[np.ndarray]]] = [{} for _ in range(envs)]  # of each environment what it saw in this episode, without history

        def compare(at: LaneTask, seen: np.ndarray, critic: np.ndarray, ids: np.ndarray, new: dict[str, np.ndarray], begun: np.ndarray, peek: bool = False) -> None:
            got = columns(at, seen, critic)
            for row, env in enumerate(ids):
                for name, frames in FRAMES.items():
                    past = [] if begun[row] else known[env][name]
                    now = [*past, new[name][row]]
                    wanted = [now[0]] * (frames - len(now)) + now[-frames:]
                    assert (got[name][row] == np.concatenate(wanted)).all(), (name, env)
                    if not peek:
                        known[env][name] = now

        first = columns(plain, plain.observe(), plain.observe_critic())
        for _ in range(2):  # asked twice it is the same
            compare(lanes, lanes.observe(), lanes.observe_critic(), np.arange(envs), first, np.ones(envs, bool))
        ended, ends, shown = np.zeros(envs, bool), 0, lanes.observe()
        for step in range(30):
            if step in (5, 11):  # from outside, some of them
                mask = np.arange(envs) % 3 == 0
                for one in (lanes, plain):
                    one.reset(mask)
                fresh = columns(plain, plain.observe(), plain.observe_critic())
                at = np.flatnonzero(mask)
                compare(lanes, lanes.observe()[mask], lanes.observe_critic()[mask], at, {k: v[mask] for k, v in fresh.items()}, np.ones(len(at), bool))
                ended[mask] = False
            actions = rng.standard_normal((envs, 12)).astype(np.float32)
            out, ref = lanes.act(actions), plain.act(actions)
            assert (out.terminated == ref.terminated).all() and (out.truncated == ref.truncated).all()
            ends += int((out.terminated | out.truncated).sum())
            over, final, last = out.terminated | out.truncated, lanes.final(), plain.final()
            if len(final.ids):
                compare(lanes, final.observation, final.critic, final.ids, columns(plain, last.observation, last.critic), np.zeros(len(final.ids), bool), peek=True)
            now = columns(plain, ref.observation, ref.critic)
            begun = over if autoreset == "same-step" else ended if autoreset == "next-step" else np.zeros(envs, bool)
            moved = ~ended if autoreset == "disabled" else np.ones(envs, bool)
            at = np.flatnonzero(moved)
            compare(lanes, out.observation[moved], out.critic[moved], at, {k: v[moved] for k, v in now.items()}, begun[moved])
            assert (out.observation[~moved] == shown[~moved]).all()
            shown = out.observation
            assert (lanes.observe() == out.observation).all() and (lanes.observe_critic() == out.critic).all()
            ended = (ended | over) if autoreset == "disabled" else over
        assert ends >= envs


def test_a_history_is_saved_and_one_s_own(tmp_path) -> None:
    rng = np.random.default_rng(1)
    actions = rng.standard_normal((12, 20, 12)).astype(np.float32)
    with LaneTask(task(True), 20) as whole, LaneTask(task(True), 7, first_env=9, threads=1) as part:
        for k in range(6):
            whole.act(actions[k])
            part.act(actions[k][9:16])
        whole.batch.save(tmp_path / "batch")
        rest = [whole.act(a).observation for a in actions[6:]]
        assert all((part.act(a[9:16]).observation == seen[9:16]).all() for a, seen in zip(actions[6:], rest))
        with LaneTask(task(True), 20) as again:
            again.batch.restore(tmp_path / "batch")
            assert all((again.act(a).observation == seen).all() for a, seen in zip(actions[6:], rest))


def test_a_policy_in_lanes_sees_them() -> None:
    """In one call of the library as step by step, though observations are not asked for there."""
    rng = np.random.default_rng(2)
    with LaneTask(task(True), 20, seed=4) as lanes, LaneTask(task(True), 20, seed=4) as steps:
        policy = Policy([0.3 * rng.standard_normal((12, lanes.num_observations))], [np.zeros(12)])
        known = lanes_of(policy, 2)
        at_once = lanes.rollout(policy, 25, state=True)
        one_by_one = steps.rollout(lambda seen: known(seen), 25, state=True)
        assert (at_once.state == one_by_one.state).all() and (at_once.reward == one_by_one.reward).all() and at_once.terminated.any()


def test_frames_are_mirrored_each() -> None:
    with LaneTask(task(True), 1) as lanes:
        assert lanes.mirror is not None
        image = lanes.mirror[0]
        down = lanes.observed["base_down"].columns
        assert image[down].tolist() == [1, -2, 3, 4, -5, 6, 7, -8, 9]
    assert max(task(True).check(n=8, steps=4).values()) < 1e-12


def test_what_is_no_number_is_not_kept() -> None:
    made = TermTask("root", robot="anymal", settings={**SETTINGS, "episode": 10.0}, gains="quadruped")
    made.observe(name="root", history=3)(lambda s: np.sqrt(s.q[..., 2] - 0.2))
    with LaneTask(made, 3, threads=1, dtype=np.float64) as lanes:
        for key, index, value in (("q", 2, 0.19), ("v", 2, 6.0)):
            x = lanes.batch.get(key)
            x[1, index] = value
            lanes.batch.set(key, x)
        out = lanes.act(np.zeros((3, 12)))
        assert np.isfinite(out.observation).all() and lanes.fault_text(out.fault[1]) == "root is not a number" and out.terminated.tolist() == [False, True, False]


def test_histories_are_refused() -> None:
    made = task(False)
    with pytest.raises(ArgumentError, match="history"):
        made.observe("base_angular", history=0)
    with pytest.raises(ArgumentError, match="history"):
        made.observe("base_angular", history=65)
    big = TermTask("big", robot="anymal", settings=SETTINGS)
    for k in range(5):
        big.observe(name=f"part{k}", history=64)(lambda s: np.concatenate([s.q, s.v, s.q], axis=-1))
    with pytest.raises(LimitError, match="numbers in histories, more than 16384"):
        LaneTask(big, 1)
