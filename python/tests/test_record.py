"""Functions recorded as programs: each of NumPy's functions that may stand in one, against NumPy itself; what cannot be recorded says why."""
import pickle
import traceback

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Program, record
from myriapod.lookups import lerp, row, slerp
from myriapod.rotations import quat_axes, quat_conj, quat_diff, quat_mul, quat_rotate, quat_rotate_back, quat_yaw, wrap
from myriapod.programs.symbols import RecordingError

UP, WIDE = np.array([0.0, 0.0, 1.0]), np.array([0.5, -1.0, 2.0])
SAME = {
    "operators": lambda x, y, s: (x + y) * 2 - x / (y * y + 1.0) + -x,
    "numbers on the left": lambda x, y, s: 3 - (2 / (1 + np.abs(x))),
    "constants": lambda x, y, s: x * WIDE + np.float32(0.5),
    "powers": lambda x, y, s: x**2 + np.abs(y) ** 0.5 + np.abs(x) ** 1.7 + (1 + y * y) ** -3 + x**0,
    "exp, log": lambda x, y, s: np.exp(-np.square(x)) + np.log(1 + np.abs(y)) + np.tanh(x),
    "logarithms": lambda x, y, s: np.log1p(np.abs(x)) + np.expm1(y) + np.exp2(x) + np.log2(1 + x * x) - np.log10(1 + y * y),
    "hyperbolic": lambda x, y, s: np.sinh(x) + np.cosh(y) + np.heaviside(x, 0.5) + np.trunc(3 * y) + np.degrees(x) + np.diff(y, axis=-1) @ np.ones((2, 3)),
    "angles": lambda x, y, s: np.sin(x) + np.cos(y) * np.tan(0.3 * x) + np.arctan2(x, y) + np.arctan(x) + np.hypot(x, y) + np.deg2rad(y),
    "arcs": lambda x, y, s: np.arcsin(np.tanh(x)) - np.arccos(np.tanh(y)),
    "rounding": lambda x, y, s: np.floor(x * 3) + np.sign(y) + np.remainder(x + 0.123, 0.7) + (x + 0.05) % 0.3,
    "minimum": lambda x, y, s: np.minimum(x, y) + np.maximum(x, 0.1) + np.clip(x, -0.5, 0.5) + x.clip(0, y * y) + np.clip(y, None, 1.0),
    "masks": lambda x, y, s: np.where((x > y) & ~(y < 0.1) | (x == 0), x, -1.0) + (x >= 0).astype(float) + np.where(x != y, 1.0, 2.0),
    "nan": lambda x, y, s: np.where(np.isfinite(1 / (x - x)) | np.isnan(np.sqrt(-1 - x * x)), 2.0, 1.0) * x,
    "sums": lambda x, y, s: np.sum(x * y, axis=-1) + x.mean(axis=-1) - np.linalg.norm(y, axis=-1) + y.max(axis=-1) * x.min(axis=-1),
    "any": lambda x, y, s: np.any(x > 1, axis=-1) + 2.0 * np.all(y > -1, axis=-1) + np.add.reduce(x, axis=-1),
    "keepdims": lambda x, y, s: x - np.mean(x, axis=-1, keepdims=True) * s + np.max(y, axis=-1, keepdims=True),
    "rows": lambda x, y, s: x[..., 0] * y[:, -1] + x[..., 1:3].sum(axis=-1) + y[..., [2, 0]].min(axis=-1) + y[..., ::-1][..., 0],
    "one number": lambda x, y, s: s[..., 0] * 2 + x[..., 1],
    "loops": lambda x, y, s: sum(x[..., k] * y[..., k] for k in range(x.shape[-1])),
    "put together": lambda x, y, s: np.concatenate([x, s, y[..., 1:2], np.zeros_like(s) + 4.0], axis=-1),
    "stack": lambda x, y, s: np.stack([x[..., 0], y[..., 1], s[..., 0]], axis=-1) * x[..., 2][..., None],
    "cross": lambda x, y, s: np.cross(x, y) + np.cross(x, UP) + np.ones_like(x),
    "axis 1": lambda x, y, s: np.sum(x, axis=1) + np.linalg.norm(y[:, :2], axis=1) * np.stack([s[:, 0], x[:, 1]], 1).max(axis=1),
    "chosen by a mask": lambda x, y, s: x[..., np.array([True, False, True])].sum(axis=-1),
    "masks as numbers": lambda x, y, s: (x > 0).astype(float) + (y > 0) * 2.0 + np.sum(x > 0, axis=-1, keepdims=True) + x.astype(bool) * 3.0,
    "numbers as masks": lambda x, y, s: np.where(np.floor(x), 1.0, 2.0) + np.logical_or(np.floor(x), np.floor(y)) + 2.0 * np.any(np.floor(x), axis=-1, keepdims=True),
    "clip as said": lambda x, y, s: x.clip(min=0) + y.clip(max=0.5) + np.clip(x, a_min=-1, a_max=None),
    "large powers": lambda x, y, s: (0.5 * x) ** 17 + (0.3 * y) ** -2 + x**1,
    "divided": lambda x, y, s: (x + 0.01) // 0.4 + np.ceil(y) + ((x > 0) ^ (y > 0)),
    "matrix": lambda x, y, s: x @ np.arange(6.0).reshape(3, 2),
}


@pytest.mark.parametrize("name", SAME)
def test_what_is_recorded_is_what_numpy_gives(name):
    recorded = record(SAME[name], x=3, y=3, s=1)
    assert recorded.check(1000) == {"out": pytest.approx(0, abs=1e-12)}
    edge = np.array([[0.0, -0.0, 1.0], [2.0, -1.0, 0.5], [1e-9, 3.0, -3.0]])
    assert recorded.check(x=edge, y=edge[:, ::-1], s=edge[:, :1])["out"] < 1e-12


def test_near_zero_and_far_from_it():
    """To the last bits, where 1 + x or exp(x) - 1 would lose them; at the ends of numbers as NumPy."""
    for function, ends in ((np.log1p, [-1.0, -2.0, np.inf, np.nan]), (np.expm1, [np.inf, -np.inf, 800.0, -800.0, np.nan]), (np.sinh, [np.inf, -np.inf, 800.0, np.nan])):
        size = np.logspace(-300, 1, 2000)
        x = np.concatenate([size, -size[size < 0.99], [0.0, 1.0, -0.5], ends])[:, None]
        with np.errstate(all="ignore"):
            made, wanted = record(lambda x: function(x), x=1)(x=x, precision="f64")["out"], function(x)
        assert np.allclose(made, wanted, rtol=2e-15, atol=0, equal_nan=True), function


def test_rotations():
    def turns(a, b, x):
        return {"mul": quat_mul(a, b), "conj": quat_conj(a), "rotate": quat_rotate(a, x), "back": quat_rotate_back(a, x), "axes": quat_axes(b), "yaw": quat_yaw(a),
                "diff": quat_diff(a, b), "wrap": wrap(4 * x), "up": quat_rotate_back(b, UP)}

    a, b = (np.random.default_rng(k).normal(size=(500, 4)) for k in (1, 2))
    a, b = (q / np.linalg.norm(q, axis=1, keepdims=True) for q in (a, b))
    b[:3] = a[:3]  # no turn from one to the other
    apart = record(turns, a=4, b=4, x=3).check(500, a=a, b=b)
    assert set(apart) == {"mul", "conj", "rotate", "back", "axes", "yaw", "diff", "wrap", "up"} and max(apart.values()) < 1e-12
    x = np.random.default_rng(3).normal(size=(500, 3))
    assert np.allclose(quat_rotate_back(a, quat_rotate(a, x)), x) and np.allclose(quat_rotate(quat_mul(a, b), x), quat_rotate(a, quat_rotate(b, x)))


def reward(q, v, command, action, action_before):
    """legged_gym's terms for walking (Rudin et al. 2022), as one would write them."""
    turn = q[..., 3:7]
    linear, down = quat_rotate_back(turn, v[..., 0:3]), quat_rotate_back(turn, -UP)
    return {"tracking_linear": np.exp(-4 * np.sum(np.square(command[..., :2] - linear[..., :2]), axis=-1)),
            "tracking_angular": np.exp(-4 * np.square(command[..., 2] - v[..., 5])), "linear_z": np.square(linear[..., 2]),
            "orientation": np.sum(np.square(down[..., :2]), axis=-1), "action_rate": np.sum(np.square(action - action_before), axis=-1),
            "fallen": np.any(np.abs(q[..., 7:]) > 3.0, axis=-1) | (down[..., 2] > -0.2)}


def test_a_reward_on_a_batch():
    recorded = record(reward, q=19, v=18, command=3, action=12, action_before=12)
    assert recorded.name == "reward" and recorded.outputs == dict.fromkeys(("tracking_linear", "tracking_angular", "linear_z", "orientation", "action_rate", "fallen"), 1)
    with myriapod.Batch("anymal", 128, task="random", threads=1, precision="f64") as batch:
        batch.step(300)
        apart = recorded.check(128, q=batch.q, v=batch.v)
    assert max(apart.values()) < 1e-12
    again = pickle.loads(pickle.dumps(recorded))
    assert type(again) is Program and again.hash == recorded.hash


def refused(function, why, **rows):
    with pytest.raises(RecordingError, match=why) as told:
        record(function, **(rows or {"x": 3}))
    return told


def branches(x):
    y = x * 2
    if y[..., 0] > 0:  # the line that is to be named
        return y
    return x


def changes(x):
    x += 1.0
    return x


def sets(x):
    y = x * 1.0
    y[..., 0] = 2.0
    return y


def test_what_cannot_be_recorded_says_why_and_where():
    told = refused(branches, "np.where instead of `if`")
    assert any("the line that is to be named" in (frame.line or "") or "if y[..., 0] > 0" in (frame.line or "") for frame in traceback.extract_tb(told.tb))
    refused(lambda x: np.sort(x, axis=-1), "numpy.sort is not an instruction")
    refused(lambda x: np.cbrt(x), "numpy.cbrt is not an instruction")
    refused(lambda x: np.sum(x, axis=0), "axis 0")
    refused(lambda x: x[..., 0] / x.shape[0], "how many robots")
    refused(lambda x: np.zeros(x.shape), "how many robots")
    refused(lambda x: (x > 0) + (x > 1), "masks alone")
    refused(lambda x: -(x > 0), "masks alone")
    refused(lambda x: x & (x > 0), "not a mask")
    refused(lambda x: x[..., True], "adds an axis")
    refused(lambda x: x[..., [True, False]], "a mask of 3")
    refused(lambda x: np.add(x, 1, out=x), "in place")
    refused(lambda x: np.sum(x, -1, float), "with dtype")
    refused(lambda x: np.max(x, axis=-1, initial=0), "with initial")
    refused(lambda x: x.reshape(3), "x.reshape is not known")
    refused(lambda x: f"{x:.2f}", "not known")
    refused(lambda x: x + np.ma.array([1, 2, 3], mask=[0, 1, 0]), "masked array")
    refused(lambda x: [x], "a dict of arrays")
    refused(lambda x: x.sum(), "axis None")
    refused(lambda x: np.linalg.norm(x, 1, axis=-1), "order 1")
    refused(lambda x: x[0], "chooses robots")
    refused(lambda x: x[..., 5:], "has no rows, of 3")
    refused(lambda x: x[..., 7], "there are 3 rows")
    refused(lambda x: x[..., 0] * x, r"write x\[..., None\]")
    refused(lambda x: x[..., 0].sum(axis=-1), "NumPy would go over the robots")
    refused(lambda x: [row for row in x], "goes over robots")
    refused(lambda x: len(x), "how many robots")
    refused(lambda x: float(x[..., 0]), "not known")
    refused(lambda x: np.asarray(x), "makes an array")
    refused(lambda x: x + np.inf, "not finite")
    refused(lambda x: x + np.zeros((2, 3)), r"shape \(2, 3\)")
    refused(lambda x: x + "a", "neither a number nor")
    refused(lambda x: x**x, "exponent must be one number")
    refused(lambda x: x @ np.ones((4, 2)), "x has 3 rows")
    refused(lambda x: np.concatenate([x, x[..., 0]], axis=-1), "or numpy.stack")
    refused(lambda x: x.astype(int), "no int")
    refused(lambda x: {}, "no output")
    refused(lambda x, y: x + y, "add of 2 rows and 3", x=3, y=2)
    refused(lambda x: quat_rotate(x, UP), "quat_rotate takes 4 and 3 rows, but is given 3 and 3")
    refused(lambda x: np.cross(x[..., :2], UP), "cross takes 3 and 3 rows, but is given 2 and 3")
    refused(changes, "in place")
    refused(sets, "in place")
    with pytest.raises(myriapod.ArgumentError, match="not a name of an output"):
        record(lambda x: {"x a #": x}, x=3)
    with pytest.raises(myriapod.ArgumentError, match="may not be called isa"):
        record(lambda isa: isa, isa=3)
    with pytest.raises(myriapod.ArgumentError, match="no quat"):
        record(lambda x: x, x=3).check(quat=np.ones((3, 3)))
    with pytest.raises(myriapod.ArgumentError, match="0 robots"):
        record(lambda x: x, x=3).check(0)


def test_check_sees_what_differs():
    kept = []

    def counts(x):
        kept.append(1)
        return {"out": x + float(len(kept))}

    assert record(counts, x=2).check()["out"] > 0.1


# ---- tables ------------------------------------------------------------------------------------------------------------------


def test_tables_are_read_at_an_index_of_each_robot() -> None:
    rng = np.random.default_rng(0)
    clip, turns = rng.standard_normal((40, 7)), rng.standard_normal((30, 4))
    turns[5] = turns[6]  # no turn at all
    turns[9] = -turns[10] + 1e-9  # next to none, the long way
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    places = np.sort(rng.standard_normal(12))
    numbers = rng.standard_normal(12)
    weights = np.cumsum([0.1, 0.0, 0.4, 0.5])

    def read(t, u):
        t, u = t[..., 0], u[..., 0]
        return {"row": row(clip, t), "lerp": lerp(clip, t), "slerp": slerp(turns, t), "which": np.searchsorted(weights, u, side="right"),
                "each": np.searchsorted(places, np.stack([u, t], axis=-1), side="right"), "interp": np.interp(u, places, numbers)}

    made = record(read, t=1, u=1)
    t = np.concatenate([rng.uniform(-3, 45, 200), np.arange(40.0), [1e30, -1e30, np.inf, 39.999999999]])[:, None]
    u = np.concatenate([rng.standard_normal(len(t) - 12), places])[:, None]
    apart = made.check(t=t, u=u)
    assert all(off < 1e-12 for off in apart.values()), apart
    assert (made(t=np.array([[np.nan]]), u=np.zeros((1, 1)), precision="f64")["row"][0] == clip[0]).all()
    middle = slerp(turns, np.array([2.5]))[0]  # half of a turn, twice, is the turn
    half = quat_mul(quat_conj(turns[2:3]), middle[None])
    whole = quat_mul(turns[2:3], quat_mul(half, half))[0]
    assert min(np.abs(whole - turns[3]).max(), np.abs(whole + turns[3]).max()) < 1e-14


def test_a_table_needs_no_rows() -> None:
    clip = np.arange(60000.0).reshape(-1, 4)
    made = record(lambda t: {"x": row(clip, t[..., 0])}, t=1)
    assert made.rows < 20 and made.instructions == 1
    assert (made(t=np.array([[14999.0], [3.0]], np.float64))["x"] == clip[[14999, 3]]).all()


def test_what_is_wrong_with_a_table() -> None:
    for wrong, words in ((lambda t: row(np.zeros(3), t), r"\(N, columns\)"), (lambda t: slerp(np.zeros((3, 3)), t), "4 columns"),
                         (lambda t: np.searchsorted([1.0, 2.0], t), 'side="right"'), (lambda t: np.searchsorted([2.0, 1.0], t, side="right"), "do not fall"),
                         (lambda t: np.interp(t, [1.0, 1.0], [0.0, 1.0]), "rising"), (lambda t: row(np.zeros((3, 2)), np.stack([t, t], axis=-1)), "one number per robot")):
        with pytest.raises(ArgumentError, match=words):
            record(lambda t, wrong=wrong: {"x": wrong(t[..., 0])}, t=1)
