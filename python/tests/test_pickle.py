"""What is pickled, copied and sent to a process that was spawned goes on there as it would have here; what cannot be says so."""
import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import myriapod
import numpy as np
import pytest
from myriapod import Batch, Locomotion, Model, ModelBuilder, Settings


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def spawned(work, thing):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, thing).result(timeout=120)


def tower():
    builder = ModelBuilder("tower")
    axis = np.array([0.0, 1.0, 0.0])
    base = builder.body("base", joint="free", mass=2.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    builder.geom(base, "box", (0.1, 0.1, 0.1), friction=0.3)
    arm = builder.body("arm", base, position=(0, 0, 0.2), axis=axis, mass=1.0, com=(0, 0, 0.1), inertia=(0.01, 0.01, 0.01, 0, 0, 0), damping=0.1)
    builder.geom(arm, "hull", points=np.random.default_rng(1).standard_normal((8, 3)) * 0.1)
    builder.frame("tip", arm, (0, 0, 0.3))
    axis[:] = 7.0  # the builder has kept what it was told
    return builder


def test_settings_of_tasks():
    settings = Settings("solo12-flat", hold_width=0.1)  # which is its value anyway, and set
    for twin in (again(settings), copy.copy(settings), copy.deepcopy(settings), settings.copy()):
        assert dict(twin) == dict(settings) and twin["hold-width"] == 0.1 and twin["foot_force_limit"] == 35
        assert twin._numbers() == settings._numbers() == {"reward-torque": -2e-3, "air-time-wanted": 0.3, "foot-force-limit": 35, "hold-width": 0.1}
    assert Settings()._numbers() == again(Settings())._numbers() == {}


def test_settings():
    settings = Settings("rollout", dt=0.002, seed=2**63 - 1, tolerance=1 / 3, solver="prox")
    assert dict(again(settings)) == dict(settings) == dict(copy.deepcopy(settings))
    twin = copy.copy(settings)
    twin["dt"] = 0.5
    assert settings["dt"] == 0.002


@pytest.mark.parametrize("name", ["anymal", "chain-3", "stack-3"])
def test_a_model_by_name(name):
    model = Model(name)
    twin = again(model)
    assert twin.hash == model.hash and twin.source == model.source == name and twin.file == model.file and np.array_equal(twin.home, model.home)


def test_a_model_of_a_file_of_text_and_of_a_builder(tmp_path, monkeypatch):
    (tmp_path / "mine.urdf").write_text(Model("solo12").description)
    monkeypatch.chdir(tmp_path)
    model = Model("mine.urdf")
    data = pickle.dumps(model)
    monkeypatch.chdir("/")
    assert pickle.loads(data).hash == model.hash and model.source == str(tmp_path / "mine.urdf")
    (tmp_path / "mine.urdf").write_text(Model("anymal").description)
    with pytest.raises(myriapod.FormatError, match="mine.urdf: is not the model that was pickled"):
        pickle.loads(data)
    text = Model.from_text(Model("solo12").description, "label")
    assert again(text).hash == text.hash == model.hash and again(text).description == text.description and text.source is None
    built = tower().compile()
    assert again(built).hash == built.hash and again(built).frames == built.frames and again(tower()).compile().hash == built.hash


def test_the_hash_is_that_of_recordings(tmp_path):
    with Batch("cube", 1) as batch:
        with myriapod.Recording.create(batch, tmp_path / "r.myr") as recording:
            recording.append()
        with myriapod.Recording.open(tmp_path / "r.myr") as recording:
            assert recording.origin["model_hash"] == batch.model.hash
    assert Model("cube").hash != Model("sphere").hash


def step_on(batch):
    batch.step(20)
    return batch.get("q"), batch.hash(), batch.get("kp"), batch.fields


@pytest.mark.parametrize("model", ["anymal", tower().compile()], ids=["anymal", "built"])
def test_a_batch_goes_on_with_the_same_bits_in_a_spawned_process(model):
    with Batch(model, 5, threads=1, sense="bodies", dt=0.002) as batch:
        batch.kp = 33.0
        batch.torque = 0.01
        batch.set_collision(np.arange(len(batch.model.geoms)) > 0)
        batch.step(30)
        twin = again(batch)
        there = spawned(step_on, batch)
        here = step_on(batch)
        for other in (there, step_on(twin)):
            assert np.array_equal(here[0], other[0]) and here[1] == other[1] and np.array_equal(here[2], other[2]) and here[3] == other[3]


def test_a_closed_batch_and_a_recording_say_why_not(tmp_path):
    batch = Batch("cube", 1)
    with myriapod.Recording.create(batch, tmp_path / "r.myr") as recording, pytest.raises(TypeError, match=r"Recording.*Recording\.open\(path\)"):
        pickle.dumps(recording)
    batch.close()
    with pytest.raises(myriapod.StateError, match="closed"):
        pickle.dumps(batch)


def act_on(task):
    outcomes = [task.act(np.full((task.num_envs, task.num_actions), 0.1 * k, np.float32)) for k in range(12)]
    return [np.concatenate([np.ravel(part) for part in outcome]) for outcome in outcomes], task.final().ids, task.final().episode_return


def test_the_locomotion_task():
    task = Locomotion("anymal-flat", 6, episode=0.4, threads=1, dtype="float64", seed=4)
    for _ in range(10):
        task.act(np.zeros((6, 12)))
    twin = again(task)
    there, here, beside = spawned(act_on, task), act_on(task), act_on(twin)
    for other in (there, beside):
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(here[0], other[0])) and np.array_equal(here[1], other[1])
        assert np.array_equal(here[2], other[2])


def gym_steps(env):
    zero = np.zeros(env.action_space.shape, np.float32)
    return [env.step(zero)[:2] for _ in range(12)]


def test_gymnasiums_environment():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make_vec("myriapod/anymal-flat-v0", num_envs=4, episode=0.2, threads=1).unwrapped
    env.reset(seed=3)
    env.step(np.zeros((4, 12), np.float32))
    there, here = spawned(gym_steps, env), gym_steps(env)
    assert all(np.array_equal(a, b) for x, y in zip(here, there) for a, b in zip(x, y))


def test_a_numpy_task():
    pytest.importorskip("gymnasium")
    from test_numpy_task import Hop

    env = Hop(4, threads=1)
    env.reset(seed=3)
    env.step(np.zeros((4, env.model.nu)))
    there, here = spawned(gym_steps, env), gym_steps(env)
    assert all(np.array_equal(a, b) for x, y in zip(here, there) for a, b in zip(x, y))


def test_rsl_rls_environment():
    torch = pytest.importorskip("torch")
    pytest.importorskip("rsl_rl")
    from myriapod.envs.rsl_rl import TaskVecEnv

    env = TaskVecEnv("anymal-flat", 4, threads=1)
    env.step(torch.zeros(4, 12))
    twin = again(env)
    assert torch.equal(twin.get_observations()["policy"], env.get_observations()["policy"])
    assert all(torch.equal(a, b) for a, b in zip(env.step(torch.ones(4, 12))[1:3], twin.step(torch.ones(4, 12))[1:3]))
