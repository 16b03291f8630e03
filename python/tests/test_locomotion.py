"""The locomotion task from Python: the same bits whatever the threads, splits and processes; faults; what an outcome holds."""
import os
import pathlib
import re
import subprocess
import sys

import myriapod
import numpy as np
import pytest
from myriapod.envs.locomotion import fault_text
from myriapod.settings import instruction_sets

ENVS, STEPS = 37, 60
SOURCE = pathlib.Path(os.environ.get("MYRIAPOD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))


def actions(envs=ENVS, steps=STEPS, first=0):
    return np.random.default_rng(5).standard_normal((steps, ENVS, 12)).astype(np.float32)[:, first : first + envs]


def play(envs=ENVS, first=0, **settings):
    """Observations and rewards of a whole run, (steps, envs, n)."""
    task = myriapod.Locomotion("anymal-flat", envs, first_env=first, seed=9, episode=0.5, **settings)
    outcomes = [task.act(a) for a in actions(envs, first=first)]
    task.close()
    return np.stack([o.observation for o in outcomes]), np.stack([o.reward for o in outcomes])


@pytest.fixture(scope="module")
def whole():
    return play(threads=1)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(whole, threads):
    again = play(threads=threads)
    assert all(np.array_equal(a, b) for a, b in zip(whole, again))


def test_splits_change_no_bit(whole):
    parts = [play(envs, first, threads=1) for first, envs in ((0, 5), (5, 16), (21, 16))]
    assert all(np.array_equal(a, np.concatenate(b, 1)) for a, b in zip(whole, zip(*parts)))


def test_processes_change_no_bit(whole):
    words = "import sys; sys.path.insert(0, sys.argv[1]); import test_locomotion as t; sys.stdout.buffer.write(t.play(16, 21, threads=1)[0].tobytes())"
    bytes_ = subprocess.run([sys.executable, "-c", words, __file__.rsplit("/", 1)[0]], capture_output=True, check=True).stdout
    assert bytes_ == np.ascontiguousarray(whole[0][:, 21:]).tobytes()


@pytest.mark.parametrize("isa", instruction_sets())
def test_instruction_sets_change_no_bit(whole, isa):
    assert np.array_equal(whole[0], play(isa=isa)[0])


def test_commands_that_may_stay_change_no_bit():
    """What is drawn for each of them is the robot's own, on every instruction set, for any number of threads and in any split."""
    keys = {"command_hold": 0.06, "command_keep": 0.5}
    one = play(threads=1, **keys)
    assert not np.array_equal(one[0], play(threads=1, command_hold=0.06)[0])
    others = [play(threads=3, **keys), *(play(isa=isa, threads=1, **keys) for isa in instruction_sets())]
    parts = [play(envs, first, threads=1, **keys) for first, envs in ((0, 5), (5, 16), (21, 16))]
    others.append(tuple(np.concatenate(part, 1) for part in zip(*parts)))
    assert all(np.array_equal(a, b) for other in others for a, b in zip(one, other))


def test_a_fault_is_named_and_stays_alone(whole):
    task = myriapod.Locomotion("anymal-flat", ENVS, seed=9, episode=0.5, threads=1)
    for k, a in enumerate(actions()):
        a = a.copy()
        if k == 10:
            a[4, 3] = np.nan
        o = task.act(a)
        others = np.delete(np.arange(ENVS), 4)
        assert np.array_equal(o.observation[others], whole[0][k][others])
        assert np.isfinite(o.observation).all() and np.isfinite(o.reward).all()
        if k == 10:
            assert o.terminated[4] and fault_text(o.fault[4]) == "action not finite" and (o.fault != 0).sum() == 1
            assert 4 in task.final().ids
        else:
            assert not o.fault.any()
    assert task.batch.episode[4] > 0


def test_reset_with_a_seed_begins_anew(whole):
    task = myriapod.Locomotion("anymal-flat", ENVS, seed=1, episode=0.5)
    task.act(actions()[0])
    first = task.reset(seed=9)
    fresh = myriapod.Locomotion("anymal-flat", ENVS, seed=9, episode=0.5).observe()
    assert np.array_equal(first, fresh)
    assert np.array_equal(task.act(actions()[0]).observation, whole[0][0])


def test_terms_sum_to_the_reward():
    task = myriapod.Locomotion("anymal-flat", 8, reward_floor=0)
    o = task.act(np.zeros((8, 12)))
    assert np.allclose(o.terms.sum(1), o.reward, atol=1e-6)
    assert o.terms.shape == (8, len(myriapod.REWARD_TERMS)) and set(myriapod.REWARD_DOCS) == set(myriapod.REWARD_TERMS)


def test_what_is_held_is_not_written_again():
    task = myriapod.Locomotion("anymal-flat", 8)
    zero = np.zeros((8, 12), np.float32)
    held = [task.act(zero) for _ in range(12)]
    kept = [h.observation.copy() for h in held]
    view = task.act(zero).observation[2:3, ::2]  # a view of an array that no variable holds any more
    seen = view.copy()
    for _ in range(12):
        task.act(np.ones((8, 12), np.float32))
    assert all(np.array_equal(a, h.observation) for a, h in zip(kept, held)) and np.array_equal(seen, view)


def test_settings_of_the_task_are_settings():
    task = myriapod.Locomotion("anymal-flat", 64, command_x_low=0.3, command_x_high=0.4, command_y_low=0, command_y_high=0, command_still=0)
    assert (task.command[:, 0] >= 0.3).all() and (task.command[:, 0] <= 0.4).all()
    task.command = np.tile([0.1, 0.2, 0.3], (64, 1))
    assert np.allclose(task.command, [0.1, 0.2, 0.3])


def test_a_command_may_stay_when_a_new_one_is_due():
    """Commands of many lengths: of those that are due every 0.1 s three in four stay, drawn for each robot by itself; without the chance none does, and nothing is drawn for it."""
    def changes(**settings):
        task = myriapod.Locomotion("anymal-flat", 256, command_hold=0.1, command_still=0, command_least=0, push_speed=0, episode=0, **settings)
        seen = [task.command.copy()]
        for _ in range(40):
            task.act(np.zeros((256, 12), np.float32))
            seen.append(task.command.copy())
        return np.array([(a != b).any(axis=1) for a, b in zip(seen, seen[1:])]), seen
    always, seen = changes()
    assert always[4::5].all() and not np.delete(always, slice(4, None, 5), axis=0).any()
    assert np.array_equal(changes(command_keep=0.0)[1], seen)
    some = changes(command_keep=0.75)[0]
    assert not np.delete(some, slice(4, None, 5), axis=0).any()
    assert abs(some[4::5].mean() - 0.25) < 4 * (0.25 * 0.75 / some[4::5].size) ** 0.5  # four deviations of 2048 draws


MISTAKES = [
    ("unknown task", lambda: myriapod.Locomotion("anymal-flatt", 4), KeyError, "did you mean 'anymal-flat'"),
    ("no quadruped", lambda: myriapod.Locomotion("anymal-flat", 4, robot="cube"), ValueError, "quadrupeds"),
    ("autoreset", lambda: myriapod.Locomotion("anymal-flat", 4, autoreset="never"), ValueError, "same-step"),
    ("profile of another task", lambda: myriapod.Locomotion("anymal-flat", 4, profile="rollout"), ValueError, "locomotion"),
    ("range", lambda: myriapod.Locomotion("anymal-flat", 4, command_x_low=2), ValueError, "command-x"),
    ("actions' shape", lambda: myriapod.Locomotion("anymal-flat", 4).act(np.zeros((4, 13))), ValueError, r"\(4, 13\), but must be \(4, 12\)"),
    ("actions' dtype", lambda: myriapod.Locomotion("anymal-flat", 4).act(np.zeros((4, 12), complex)), TypeError, "complex128"),
    ("mask's length", lambda: myriapod.Locomotion("anymal-flat", 4).reset(np.ones(5, bool)), ValueError, r"\(5,\)"),
    ("seed and mask", lambda: myriapod.Locomotion("anymal-flat", 4).reset(np.ones(4, bool), seed=1), ValueError, "both"),
    ("dtype", lambda: myriapod.Locomotion("anymal-flat", 4, dtype="int32"), TypeError, "int32"),
    ("field of another task", lambda: myriapod.Batch("anymal", 4).get("command"), RuntimeError, "locomotion"),
]


@pytest.mark.parametrize("what, do, error, words", MISTAKES, ids=[m[0] for m in MISTAKES])
def test_one_clear_exception(what, do, error, words):
    with pytest.raises(error, match=words) as caught:
        do()
    assert isinstance(caught.value, myriapod.Error)


def test_closed():
    task = myriapod.Locomotion("anymal-flat", 4)
    task.close()
    for use in (task.observe, lambda: task.act(np.zeros((4, 12))), task.reset):
        with pytest.raises(myriapod.StateError, match="closed"):
            use()


@pytest.mark.parametrize("name", ["anymal-flat", "hold"])
def test_an_encoders_bias_is_in_the_motor_and_in_what_is_observed(name):
    """Drawn between +- of the setting, anew with each episode; seen in the angles; the motor holds what it measures."""
    quiet = {f"noise_{what}": 0.0 for what in ("linear", "angular", "gravity", "angle", "speed")}
    robot = {"command_still": 1.0} if name == "anymal-flat" else {"robot": "anymal"}  # commands are drawn after parameters: theirs would differ
    kinds = myriapod.Locomotion if name == "anymal-flat" else myriapod.LaneTask
    plain, biased = (kinds(name, 64, seed=3, **robot, **quiet, **more) for more in ({}, {"vary_encoder": 0.05}))
    bias = biased.batch.encoder_bias.copy()
    assert np.abs(bias).max() <= 0.05 and 0.02 < bias.std() < 0.04 and (plain.batch.encoder_bias == 0).all()
    off = biased.observe() - plain.observe()
    seen = off[:, np.abs(off).max(axis=0) > 0]
    assert seen.shape[1] == 12 and np.allclose(seen / bias, seen[0, 0] / bias[0, 0], rtol=1e-4)  # the angles alone, times their scale
    assert np.array_equal(plain.batch.q, biased.batch.q)  # numbers that were drawn before stay
    biased.batch.reset()
    assert (biased.batch.encoder_bias != bias).all()
    plain.close()
    biased.close()


@pytest.mark.parametrize("task", ["locomotion", "hold"])
def test_observations_have_the_parts_of_the_page(task):
    """Names and sizes in docs/tasks.md, factors and noises by the settings that it names."""
    page = SOURCE / "docs" / "tasks.md"
    tables = re.findall(r"^\| part \|.*\n\| ---.*\n((?:\|.*\n)+)", page.read_text(), re.M)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in tables[task == "hold"].splitlines()]
    core = myriapod.Locomotion("anymal-flat", 2, threads=1, scan="exact") if task == "locomotion" else myriapod.LaneTask("hold", 2, robot="anymal", threads=1)
    assert list(core.observed) == [row[0].strip("`") for row in rows]
    end = 0
    for part, (_, numbers, _, factor, noise) in zip(core.observed.values(), rows):
        n = part.columns.stop - part.columns.start
        assert part.columns.start == end and n == (core.num_actions if numbers == "nu" else int(numbers.split(",")[0])), part
        end += n
        keys = [re.findall(r"`([\w-]+)`", words) for words in (factor, noise)]
        assert part.scale == (core.settings[keys[0][0]] if keys[0] and part.name != "command" else 1), part
        assert part.noise == (core.settings[keys[1][0]] if keys[1] else 0), part
    assert end == core.num_observations and all(part.unit and part.doc for part in core.observed.values())
    core.close()
