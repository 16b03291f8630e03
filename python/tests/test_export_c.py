"""Policies as C: compiled by the machine's compiler, they give the bits of the library."""
import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import myriapod
from myriapod.envs.lane_task import LaneTask
from myriapod.envs.trained import origin
from myriapod.export import about_task, main, save_c
from myriapod.policies.lanes import lanes_of
from myriapod.settings import alike

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
FLOATS = ctypes.POINTER(ctypes.c_float)


def made(source, *flags):
    library = source.with_suffix(".so")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", *flags, "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    return ctypes.CDLL(str(library))


def called(function, x, n):
    out = np.empty((len(x), n), np.float32)
    for given, row in zip(x, out):
        function(given.ctypes.data_as(FLOATS), row.ctypes.data_as(FLOATS))
    return out


def drawn(shapes, activation="elu", **keys):
    random = np.random.default_rng(len(shapes))
    weights = [random.standard_normal((n, m)) / np.sqrt(m) for m, n in zip(shapes, shapes[1:])]
    return myriapod.Policy(weights, [0.1 * random.standard_normal(n) for n in shapes[1:]], activation, **keys)


@pytest.mark.parametrize("flags", [("-O0",), ("-O3", "-march=native")])
@pytest.mark.parametrize("activation", ["elu", "relu", "tanh"])
@pytest.mark.parametrize("shapes", [(5, 3), (7, 16, 3), (48, 64, 32, 12), (9, 8, 17, 4, 2)])
def test_the_bits_of_the_lanes(tmp_path, shapes, activation, flags):
    random = np.random.default_rng(1)
    seen = {"mean": random.standard_normal(shapes[0]), "std": random.uniform(0.1, 3, shapes[0])} if len(shapes) != 3 else {}
    policy = drawn(shapes, activation, **seen)
    save_c(policy, tmp_path / "walk.c")
    x = np.concatenate([random.standard_normal((200, shapes[0])), 100 * random.standard_normal((50, shapes[0])), np.zeros((1, shapes[0]))]).astype(np.float32)
    assert np.array_equal(called(made(tmp_path / "walk.c", *flags).walk, x, shapes[-1]), lanes_of(policy)(x))


@pytest.mark.parametrize("task", ["anymal-flat", "g1-legs"])
def test_targets_are_the_task_s(tmp_path, task, capsys):
    with LaneTask(task, 1) as core:
        policy = drawn((core.num_observations, 8, core.num_actions), **origin(core))
        names = [a.name for a in core.model.actuators]
    policy.save(tmp_path / "policy.npz")
    assert main([str(tmp_path / "policy.npz"), "--c", str(tmp_path / "walk.c")]) == 0
    assert f"targets of {len(names)} actuators" in capsys.readouterr().out
    library, (_, targets, mirror) = made(tmp_path / "walk.c"), about_task(policy)
    assert targets.names == names and sorted(n for n in targets.of if n >= 0) == list(range(policy.n_act))
    with LaneTask(task, 3, push_speed=0, **alike()) as core:
        core.batch.set("command", np.zeros((3, 3), np.float32))
        actions = np.random.default_rng(2).uniform(-1, 1, (3, policy.n_act)).astype(np.float32)
        core.act(actions)
        assert np.allclose(called(library.walk_targets, actions, len(names)), core.batch.target, atol=2e-6)
        assert np.array_equal(np.array(targets.kp, np.float32), core.batch.get("kp")[0])
        if core.mirror is not None:
            seen = np.random.default_rng(3).uniform(-1, 1, (3, policy.n_obs)).astype(np.float32)
            for function, x, numbers in ((library.walk_mirror_observation, seen, mirror[0]), (library.walk_mirror_action, actions, mirror[1])):
                assert np.array_equal(called(function, x, len(numbers)), x[:, np.abs(numbers) - 1] * np.sign(numbers))
        header = (tmp_path / "walk.h").read_text()
        assert all(f" {part.name}: " in header for part in core.observed.values()) and f"every {1e3 * core.dt:g} ms" in header
    gain = (ctypes.c_float * len(names)).in_dll(library, "walk_kp")
    assert np.array_equal(np.array(gain), np.array(targets.kp, np.float32))


@pytest.mark.parametrize("task, march", [("g1-legs", 1.0), ("g1-flat", 1.0), ("h1-flat", 1.0), ("g1-smooth", 0.5)])
def test_a_clock_adds_to_targets_what_it_adds_in_the_task(tmp_path, task, march):
    with LaneTask(task, 64, push_speed=0, **alike()) as core:
        core.batch.set_numbers({"march": march})  # as a stage of its training left it
        policy = drawn((core.num_observations, 8, core.num_actions), **origin(core))
        targets = about_task(policy)[1]
        save_c(policy, tmp_path / "walk.c", targets=targets)
        library, random = made(tmp_path / "walk.c"), np.random.default_rng(4)
        memory, command, phase = core.batch.get("memory"), core.batch.get("command"), random.uniform(0, 1, 64).astype(np.float32)
        phase[:2] = 0, np.nextafter(np.float32(1), np.float32(0))
        memory[:, core.memories["phase"]], command[:] = phase[:, None], 0.3
        core.batch.set("memory", memory)
        core.batch.set("command", command)
        core.act(np.zeros((64, policy.n_act), np.float32))
        held = called(library.walk_targets, np.zeros((64, policy.n_act), np.float32), len(targets.names))
        library.walk_march.argtypes = [ctypes.c_float, FLOATS]
        for at, row in zip(phase, held):
            library.walk_march(at, row.ctypes.data_as(FLOATS))
        assert np.abs(held - core.batch.target).max() < 3e-3  # it is linear between 512 places, one of which has a corner
        assert np.abs(held - np.array(targets.home)).max() == pytest.approx(march * {"h1-flat": 0.7}.get(task, 0.8), rel=0.01)


def test_where_no_clock_adds_there_is_no_function(tmp_path):
    with LaneTask("anymal-flat", 1) as core:
        policy = drawn((core.num_observations, core.num_actions), **origin(core))
    targets = about_task(policy)[1]
    assert targets.march is None
    assert "walk_march" not in save_c(policy, tmp_path / "walk.c", targets=targets).read_text()


def test_what_has_no_targets_gets_none_and_clips_are_kept(tmp_path):
    with LaneTask("gym-hopper", 1) as core:  # torques
        assert about_task(drawn((core.num_observations, core.num_actions), **origin(core)))[1] is None
    with LaneTask("allegro-cube", 1) as core:
        policy = drawn((core.num_observations, core.num_actions), **origin(core))
    _, targets, _ = about_task(policy)
    assert targets is not None and targets.clip == 1.0
    save_c(policy, tmp_path / "hand.c", targets=targets)
    actions = np.array([[1.0] * 16, [3.0] * 16, [-7.0] * 16, [-1.0] * 16], np.float32)
    held = called(made(tmp_path / "hand.c").hand_targets, actions, len(targets.names))
    assert np.array_equal(held[0], held[1]) and np.array_equal(held[2], held[3]) and not np.array_equal(held[0], held[2])


def test_mistakes_are_told(tmp_path, capsys):
    policy = drawn((3, 2))
    policy.save(tmp_path / "p.npz")
    for words, told in ((["--c", "a-b.c"], "is called NAME.c"), (["--c", "walk"], "is called NAME.c"), (["--c", "int.c"], "no word of C"),
                        (["--c", "weights0.c"], "no word of C"), ([], "say into what"), (["--c", str(tmp_path / "no" / "a.c")], "No such file")):
        assert main([str(tmp_path / "p.npz"), *words]) == 2
        assert told in capsys.readouterr().err
    assert main([str(tmp_path / "q.npz"), "--c", str(tmp_path / "a.c")]) == 2 and not list(tmp_path.glob("a.*"))
