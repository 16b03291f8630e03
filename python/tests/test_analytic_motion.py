"""The closed forms of motion without contact: of tests/oracle/contact/analytic.json, and where it is of ../shared/oracles: a tumbling body, a heavy
top, a double pendulum, hanging and falling chains. The scheme is of first order, so it is held to that: halving dt halves the error, and what two
step lengths extrapolate to is the reference."""
import json
import pathlib

import myriapod
import numpy as np
import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ORACLES = [SOURCE / "tests" / "oracle"] + [path for path in [SOURCE.parent / "shared" / "oracles"] if path.is_dir()]
G0 = 9.81


@pytest.fixture(params=ORACLES, ids=lambda path: path.parent.name)
def case(request):
    """The case of a name."""
    cases = json.loads((request.param / "contact" / "analytic.json").read_text(encoding="utf-8"))["cases"]
    return lambda name: next(c for c in cases if c["id"] == name)


def fly(model, q, v, dt, times, gravity=(0, 0, -G0)):
    """q at `times`."""
    with myriapod.Batch(model, 1, dt=dt, precision="f64", task="none", threads=1, spin_damping=0.0) as batch:
        batch.set("q", np.array([q]))
        batch.set("v", np.array([v]))
        batch.set("gravity", np.array([gravity], float))
        done, out = 0, []
        for t in times:
            batch.step(round(t / dt) - done)
            done = round(t / dt)
            out.append(batch.q[0].copy())
        return np.array(out)


def first_order(of, expected, dt, allowed):
    """of(dt) against what it should come to as dt goes to zero."""
    coarse, fine = np.asarray(of(dt)), np.asarray(of(dt / 2))
    expected = np.asarray(expected)
    e1, e2 = np.abs(coarse - expected).max(), np.abs(fine - expected).max()
    assert 1.6 < e1 / e2 < 2.4, (e1, e2)
    assert np.abs(2 * fine - coarse - expected).max() < allowed


def rods(n):
    """n thin rods of 1 kg and 1 m, hinged about y, hanging from the origin."""
    builder = myriapod.ModelBuilder("rods")
    for i in range(n):
        builder.body(f"rod{i}", i - 1, "revolute", position=(0, 0, -1.0 if i else 0), axis=(0, 1, 0), mass=1, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 1e-9, 0, 0, 0))
    return builder.compile()


def test_tumbling_body(case):
    c = case("free_rigid_body")
    builder = myriapod.ModelBuilder("body")
    builder.body("body", -1, "free", mass=1, inertia=(*c["setup"]["inertia"], 0, 0, 0))
    model = builder.compile()
    points = [p for p in c["expected"]["trajectory"] if p["t"] <= 1]
    start = [0, 0, 0, *c["setup"]["q0_wxyz"]]
    first_order(lambda dt: fly(model, start, [0, 0, 0, *c["setup"]["omega0_body"]], dt, [p["t"] for p in points], (0, 0, 0))[:, 3:],
                [p["q_wxyz"] for p in points], 1e-3, 1e-5)


def test_heavy_top(case):
    c = case("heavy_top")
    s = c["setup"]
    across = s["I1_about_pivot"] - s["mass"] * s["com_distance"] ** 2
    builder = myriapod.ModelBuilder("top")
    builder.body("top", -1, "ball", mass=s["mass"], com=(0, 0, s["com_distance"]), inertia=(across, across, s["I3"], 0, 0, 0))
    model = builder.compile()
    points = [p for p in c["expected"]["trajectory"] if p["t"] <= 0.5]

    def angles(dt):
        out = []
        for w, x, y, z in fly(model, [np.cos(s["theta0"] / 2), 0, np.sin(s["theta0"] / 2), 0], [0, 0, s["spin_about_axis"]], dt, [p["t"] for p in points]):
            axis = 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)
            out.append([np.arccos(axis[2]), np.arctan2(axis[1], axis[0])])
        return out

    first_order(angles, [[p["theta"], p["phi"]] for p in points], 5e-5, 1e-4)


def test_double_pendulum(case):
    c = case("double_pendulum_rods")
    points = [p for p in c["expected"]["trajectory"] if p["t"] <= 1]
    a, b, da, db = c["setup"]["initial"]
    first_order(lambda dt: np.cumsum(fly(rods(2), [a, b - a], [da, db - da], dt, [p["t"] for p in points]), axis=1),
                [p["theta"] for p in points], 2e-4, 2e-4)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 20, 50])
def test_hanging_rods_swing(case, n):
    model, h = rods(n), 1e-5
    states = np.vstack([np.eye(n), -np.eye(n), np.zeros((1, n))]) * h
    seen = myriapod.evaluate(model, states, np.zeros_like(states))
    stiffness = (seen.bias[:n] - seen.bias[n:2 * n]).T / (2 * h)
    frequencies = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(seen.M[-1], stiffness)).real))
    expected = case("chain_small_oscillation")["expected"]["lowest_angular_frequencies"][str(n)]
    assert np.abs(frequencies[:len(expected)] / expected - 1).max() < 1e-6


@pytest.mark.parametrize("n", [2, 10])
def test_chain_falls(n):
    """From rest, bent, nothing but the height changes: z_k = z_0 - g dt^2 k (k + 1) / 2."""
    model, dt, steps = myriapod.Model(f"chain-{n}"), 1e-3, 1000
    start = model.home.copy()
    start[2] += 100
    q = fly(model, start, np.zeros(model.nv), dt, [steps * dt])[0]
    assert abs(q[2] - (start[2] - G0 * dt * dt * steps * (steps + 1) / 2)) < 1e-9
    assert np.abs(np.delete(q - start, 2)).max() < 1e-9
