"""From what a sensor measures to what it shows, beside the definition (docs/sensors.md) written out on what plain sensors measure."""
import warnings

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Batch

DT, DECIMATION, ENVS = 0.0025, 4, 64
PLAIN = [{"name": "gyro", "kind": "gyro", "of": "base"}, {"name": "feet", "kind": "contact_force", "of": "*FOOT*", "touched_by": "ground"},
         {"name": "air", "kind": "air_time", "of": "LF_FOOT*"}]


def batch_of(more, decimation=DECIMATION, envs=ENVS, task="trot", **settings):
    model = myriapod.load("anymal").with_sensors(*PLAIN, *more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Batch(model, envs, task=task, dt=DT, decimation=decimation, **{"precision": "f64", "threads": 1, **settings})


def run(batch, steps, *names):
    """Of each name what it shows at the start and after each control step: (1 + steps, envs, ...)."""
    seen = {name: [batch.sensor(name).copy()] for name in names}
    for _ in range(steps):
        batch.step(1)
        for name in names:
            seen[name].append(batch.sensor(name).copy())
    return [np.array(seen[name]) for name in names]


def last(measured, k):
    """The last k, newest first; before the first of all there were such as it."""
    return np.array([[measured[max(t - j, 0)] for j in range(k)] for t in range(len(measured))])


def test_history_of_control_steps_and_of_steps_of_dt():
    batch = batch_of([{"name": f"{of['name']} {shown} {every}", **{k: v for k, v in of.items() if k != "name"}, "history": 4, "every": every,
                       "shown": shown} for of in PLAIN[:2] for shown in ("all", "mean", "max") for every in (0, 1)])
    names = [s.name for s in batch.model.sensors]
    named = dict(zip(names, run(batch, 30, *names)))
    for of in PLAIN[:2]:
        control = named[of["name"]]
        history = last(control, 4)  # (time, 4, envs, n)
        assert np.array_equal(named[f"{of['name']} all 1"], np.swapaxes(history, 1, 2))
        assert np.allclose(named[f"{of['name']} mean 1"], history.mean(1), rtol=1e-14, atol=1e-14)
        assert np.array_equal(named[f"{of['name']} max 1"], history.max(1))
        dense = named[f"{of['name']} all 0"]  # (time, envs, 4, n): the steps of the control step, newest first
        assert np.array_equal(dense[:, :, 0], control)
        assert np.allclose(named[f"{of['name']} mean 0"], dense.mean(2), rtol=1e-14, atol=1e-14)
        assert np.array_equal(named[f"{of['name']} max 0"], dense.max(2))
        assert np.abs(dense[5:, :, 0] - dense[5:, :, 1]).max() > 0  # steps of dt differ
    assert batch.sensor("gyro all 0").shape == (ENVS, 4, 3) and batch.model.sensor("gyro all 0").shape == (4, 3)


def test_steps_of_dt_are_those_of_a_batch_that_shows_each():
    """A robot without a task moves alike whatever a control step is."""
    more = [{"name": "dense", "kind": "gyro", "of": "base", "every": 0, "history": 4},
            {"name": "felt", "kind": "accelerometer", "of": "base", "every": 0, "history": 4},
            {"name": "hit", "kind": "contact_force", "of": "*FOOT*", "every": 0, "history": 4}]
    fine = [{"name": "felt 1", "kind": "accelerometer", "of": "base"}, {"name": "hit 1", "kind": "contact_force", "of": "*FOOT*"}]
    coarse, single = batch_of(more, task="none"), batch_of(fine, decimation=1, task="none")
    dense, felt, hit = run(coarse, 40, "dense", "felt", "hit")
    gyro, felt1, hit1 = run(single, 160, "gyro", "felt 1", "hit 1")
    for ours, truth in ((dense, gyro), (felt, felt1), (hit, hit1)):
        for t in range(1, 41):
            assert np.array_equal(ours[t], np.swapaxes(truth[4 * t - 3: 4 * t + 1][::-1], 0, 1))
    assert np.abs(hit1).max() > 50  # it landed


@pytest.mark.parametrize("task", ["trot", "random"])
def test_many_control_steps_in_one_call_are_as_one_by_one(task):
    more = [{"name": f"s{every}", "kind": kind, "of": of, "every": every, "noise": 0.1, "delay": (0, 2), "history": 3, "hold": 0.1}
            for every in (0, 1, 3) for kind, of in (("gyro", "base"),)]
    whole, single = batch_of(more, task=task), batch_of(more, task=task)
    for steps in (1, 10, 7, 30):
        whole.step(steps)
        for _ in range(steps):
            single.step(1)
        assert np.array_equal(whole.sensors, single.sensors), steps


def test_rarely():
    seen, plain = run(batch_of([{"name": "rare", "kind": "gyro", "of": "base", "every": 3}]), 20, "rare", "gyro")
    for t in range(21):
        assert np.array_equal(seen[t], plain[t // 3 * 3])


@pytest.mark.parametrize("every", [0, 1, 2])
def test_late(every):
    batch = batch_of([{"name": "two", "kind": "gyro", "of": "base", "delay": 2, "every": every},
                      {"name": "some", "kind": "gyro", "of": "base", "delay": (1, 4), "every": every},
                      {"name": "now", "kind": "gyro", "of": "base", "every": every, "history": 9}])
    two, some, now = run(batch, 20, "two", "some", "now")
    assert np.array_equal(two, now[:, :, 2])  # the ninth readings of `now` are those before; at the start such as the first
    drawn = np.array([[np.array_equal(some[:, e], now[:, e, d]) for d in range(9)] for e in range(ENVS)])
    assert (drawn.sum(1) == 1).all() and (drawn[:, 1:5].sum(0) > 4).all() and not drawn[:, [0, 5, 6, 7, 8]].any()
    batch.reset()
    again, fresh = run(batch, 20, "some", "now")
    other = np.array([[np.array_equal(again[:, e], fresh[:, e, d]) for d in range(9)] for e in range(ENVS)])
    assert (other.sum(1) == 1).all() and (other != drawn).any(1).sum() > ENVS // 3  # another episode, another delay


def test_a_push_makes_no_measurement_before_its_time():
    """Locomotion pushes every control step here. What measures rarely shows what it measured then; what measures each time shows the push."""
    more = [{"name": f"{kind} {every}", "kind": "velocimeter", "of": "base", "every": every} for kind in ("v",) for every in (1, 3)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task = myriapod.LaneTask("anymal-flat", ENVS, robot=myriapod.load("anymal").with_sensors(*more), push_interval=0.02, push_speed=1.0, episode=0)
    each, rare = [task.batch.sensor("v 1").copy()], [task.batch.sensor("v 3").copy()]
    for _ in range(9):
        task.act(np.zeros((ENVS, 12)))
        each.append(task.batch.sensor("v 1").copy())
        rare.append(task.batch.sensor("v 3").copy())
    for t in range(10):
        same = (rare[t] == each[t // 3 * 3]).all(1)
        assert same.mean() > 0.9  # those whose episode has not begun anew
    assert np.abs(task.batch.v).max() > 0.5
    task.close()


def test_an_episode_that_begins_within_a_call_begins_with_a_measurement():
    """The task random begins anew where a robot has come to rest or fallen; whatever it does, `every` counts from there on."""
    more = [{"name": "rare", "kind": "framepos", "of": "base", "every": 4}, {"name": "place", "kind": "framepos", "of": "base"}]
    batch = batch_of(more, task="drop")
    started, begun, known = np.zeros(ENVS, int), batch.episode.copy(), batch.sensor("place").copy()
    again = 0
    for t in range(1, 1500):
        batch.step(1)
        place, rare, episode = batch.sensor("place").copy(), batch.sensor("rare"), batch.episode
        new = episode != begun
        again += new.sum()
        started[new] = t - 1  # it began before this control step
        due = ((t - started) % 4 == 0)
        known[due] = place[due]
        sure = (~new) & (t - started >= 4)
        assert np.array_equal(rare[sure], known[sure]), t
        begun = episode.copy()
    assert again > 0


def test_a_file_of_other_sensors_is_refused(tmp_path):
    one, other = ([{"name": "a", "kind": "gyro", "of": of, "noise": 0.1}] for of in ("base", "LF_SHANK"))
    loud = [{**one[0], "noise": 0.2}]
    batch_of(one).save(tmp_path / "state")
    batch_of(one).restore(tmp_path / "state")
    with pytest.raises(myriapod.Error, match="sensors-hash"):
        batch_of(loud).restore(tmp_path / "state")


def test_noise_and_bias():
    batch = batch_of([{"name": "uniform", "kind": "gyro", "of": "base", "noise": 0.5},
                      {"name": "normal", "kind": "gyro", "of": "base", "noise": 0.5, "noise_kind": "normal"},
                      {"name": "bias", "kind": "gyro", "of": "base", "bias": 0.25},
                      {"name": "other", "kind": "gyro", "of": "base", "noise": 0.5}])
    steps = 200
    plain, uniform, normal, bias, other = run(batch, steps, "gyro", "uniform", "normal", "bias", "other")
    u, n, b = uniform - plain, normal - plain, bias - plain
    count = u.size
    assert np.abs(u).max() <= 0.5 + 1e-12 and abs(u.mean()) < 5 * 0.29 / count**0.5 and abs(u.std() - 0.5 / 3**0.5) < 0.003
    assert abs(n.mean()) < 5 * 0.5 / count**0.5 and abs(n.std() - 0.5) < 0.01 and 2.0 < np.abs(n).max() < 2.5
    quantiles = np.quantile(n, [0.0228, 0.1587, 0.8413, 0.9772]) / 0.5
    assert np.allclose(quantiles, [-2, -1, 1, 2], atol=0.05)
    assert np.allclose(b, b[0], atol=1e-14) and np.abs(b).max() <= 0.25 and abs(b[0].std() - 0.25 / 3**0.5) < 0.02
    flat = [u[:-1].ravel(), u[1:].ravel(), np.roll(u, 1, 1)[:-1].ravel(), np.roll(u, 1, 2)[:-1].ravel(), (other - plain)[:-1].ravel(), n[:-1].ravel()]
    assert np.abs(np.corrcoef(flat) - np.eye(6)).max() < 5 / len(flat[0])**0.5  # times, robots, numbers, sensors have their own
    batch.reset()
    assert np.abs(batch.sensor("bias") - batch.sensor("gyro") - b[0]).min() > 0  # another episode


def test_noise_belongs_to_the_environment():
    more = [{"name": "seen", "kind": "gyro", "of": "base", "noise": 0.5, "bias": 0.1, "delay": (0, 3), "hold": 0.2, "history": 2}]
    whole, part, other = batch_of(more), batch_of(more, envs=20, first_env=30, threads=2), batch_of(more, seed=5)
    a, b, c = (run(batch, 25, "seen")[0] for batch in (whole, part, other))
    assert np.array_equal(a[:, 30:50], b) and (a != c).all(axis=(0, 2, 3)).any()
    before = whole.sensor("seen").copy()
    for _ in range(2):
        whole.refresh()  # asked again, of the same state: the same numbers
        assert np.array_equal(whole.sensor("seen"), before)


def test_of_a_state_that_is_set_the_last_measurement_is_made_again():
    batch = batch_of([{"name": "seen", "kind": "gyro", "of": "base", "noise": 0.5, "history": 3}])
    batch.step(3)
    before, noise = batch.sensor("seen").copy(), batch.sensor("seen")[:, 0] - batch.sensor("gyro")
    batch.v = batch.v + 1.0
    batch.refresh()
    now = batch.sensor("seen")
    assert np.allclose(now[:, 0] - batch.sensor("gyro"), noise, atol=1e-12) and np.abs(now[:, 0] - before[:, 0]).min() > 0
    assert np.array_equal(now[:, 1:], before[:, 1:])


def test_missed_measurements_come_again():
    batch = batch_of([{"name": "seen", "kind": "gyro", "of": "base", "hold": 0.3}])
    seen, plain = run(batch, 200, "seen", "gyro")
    fresh = (seen == plain).all(2)
    repeated = (seen[1:] == seen[:-1]).all(2)
    assert (fresh[1:] | repeated).all() and fresh[0].all()
    assert abs((~fresh[1:]).mean() - 0.3) < 0.02


def test_a_sensor_that_counts_goes_on_without_the_noise():
    batch = batch_of([{"name": "worn", "kind": "air_time", "of": "LF_FOOT*", "noise": 0.01}])
    worn, air = run(batch, 100, "worn", "air")
    assert np.abs(worn[1:] - air[1:]).max() <= 0.01 and (worn - air).std() > 0.004 and air[:, :, 0].max() > 0.05


@pytest.mark.parametrize("wrong, word", [({"every": -1}, "signal.every is -1"), ({"history": 0}, "signal.history is 0"), ({"delay": 65}, r"delay\[1\] is 65"),
                                         ({"delay": (2, 1)}, r"delay\[0\] is 2"), ({"delay": (1, 2, 3)}, "delay has 3 numbers"),
                                         ({"noise": -1}, "noise is -1"), ({"bias": float("nan")}, "bias is nan"), ({"hold": 1.0}, "hold is 1"),
                                         ({"shown": "median"}, "shown is 'median'"), ({"noise_kind": "pink"}, "noise_kind is 'pink'"),
                                         ({"every": 2**40}, "every|too large|does not fit")])
def test_what_is_refused(wrong, word):
    with pytest.raises(ArgumentError, match=word):
        myriapod.load("anymal").with_sensors({"name": "a", "kind": "gyro", "of": "base", **wrong})
