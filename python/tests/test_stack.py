"""Three cubes, the topmost so many times as heavy as the lowest, for ten seconds: nothing moves (bench/contact_yardstick, stack-1000)."""
import numpy as np
import pytest

import myriapod

HALF = 0.1


def stack(ratio):
    masses = (1.0, ratio**0.5, ratio)
    bodies = "".join(f'<body pos="0 0 {(2 * k + 1) * HALF}"><freejoint/><geom name="cube{k}" type="box" size="{HALF} {HALF} {HALF}" mass="{mass}"/></body>'
                     for k, mass in enumerate(masses))
    return myriapod.Model.from_text(f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>')


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("ratio, dt", [(1, 0.002), (100, 0.005), (1000, 0.001), (1000, 0.002), (1000, 0.005)])
def test_a_stack_stands(precision, ratio, dt):
    batch = myriapod.Batch(stack(ratio), 1, dt=dt, precision=precision, threads=1, task="none")
    places = np.array(batch.q[0], dtype=float).reshape(3, 7)[:, :3]
    batch.step(round(10 / dt))
    moved = np.linalg.norm(np.array(batch.q[0], dtype=float).reshape(3, 7)[:, :3] - places, axis=1)
    assert np.max(moved) < 1e-4, f"{1e6 * np.max(moved):.3g} um"
