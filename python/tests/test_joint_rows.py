"""Joint limits and dry friction from Python: fields, statistics, problems out of a batch, problems of one's own."""
from __future__ import annotations

import numpy as np
import pytest

import myriapod

HINGE = """<robot name="pendulum"><link name="world"/>
<link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pin" type="revolute"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/>
<limit lower="-0.4" upper="0.3" effort="100" velocity="100"/><dynamics friction="0.01"/></joint></robot>"""


@pytest.fixture(name="pendulum")
def _pendulum(tmp_path):
    path = tmp_path / "pendulum.urdf"
    path.write_text(HINGE, encoding="utf-8")
    return myriapod.Model(path)


def test_a_pendulum_stays_within_its_limits(pendulum):
    assert pendulum.n_rows == 1 and not pendulum.warnings
    with myriapod.Batch(pendulum, 5, precision="f64", tolerance=1e-10) as batch:
        assert batch.lower[0, 0] == -0.4 and batch.upper[0, 0] == 0.3 and batch.dry_friction[0, 0] == 0.01
        batch.v = np.linspace(-3, 3, 5)[:, None]
        seen = []
        for _ in range(400):
            batch.step(10)
            seen.append(batch.q[:, 0])
        assert np.min(seen) >= -0.4 - 1e-9 and np.max(seen) <= 0.3 + 1e-9
        assert np.min(seen) < -0.39 and np.max(seen) > 0.29  # it came to both
        assert 0 <= batch.stats().limit_violation_max < 1e-9
        batch.upper = np.full((5, 1), 0.1)
        batch.torque = np.full((5, 1), 20.0)
        batch.step(2000)
        assert np.allclose(batch.q, 0.1, atol=1e-9) and np.all(batch.row_impulse < -0.01)
    with myriapod.Batch(pendulum, 1, joint_limits="off", joint_friction="off") as free:
        free.step(1)
        assert free.stats().limit_violation_max is None and free.row_impulse.shape == (1, 0)


def test_problems_bring_their_rows(pendulum):
    with myriapod.Batch(pendulum, 2, precision="f64", tolerance=1e-10) as batch:
        batch.v = [[2.0], [-2.0]]
        batch.step(120)
        for env, problem in enumerate(batch.problems()):
            assert problem.rows.shape == (1, 3) and problem.row_ids.tolist() == [0] and problem.G.shape == (1, 1)
            answer = myriapod.solve(problem.G, problem.c, problem.mu, rows=problem.rows, row_c=problem.row_c, row_start=problem.row_start, tolerance=1e-12)
            assert answer.converged and answer.impulse.shape == (0, 3)
            before = batch.v[env, 0]
            batch_after = answer.row_velocity[0] / 0.5  # the rod's centre of mass is the farthest thing: 0.5 m
            assert abs(batch_after - before) < 0.2
        expected = [myriapod.solve(p.G, p.c, p.mu, rows=p.rows, row_c=p.row_c, tolerance=1e-12).row_velocity[0] / 0.5 for p in batch.problems()]
        batch.step(1)
        assert np.allclose(batch.v[:, 0], expected, atol=1e-8)


def test_rows_of_ones_own():
    free = myriapod.solve([[2.0]], np.zeros((0, 3)), [], rows=[[0.5, -np.inf, np.inf]], row_c=[3.0])
    assert np.allclose([free.row_impulse[0], free.row_velocity[0]], [-0.5, 2.0])
    closed = myriapod.solve([[2.0, 1.0], [1.0, 2.0]], np.zeros((0, 3)), [], rows=[[0.0, 0.0, np.inf]], row_c=[-3.0, 1.0], bilateral=1, tolerance=1e-10)
    assert abs(closed.row_velocity[1]) < 1e-12 and abs(closed.row_velocity[0]) < 1e-9 and closed.row_impulse[0] > 0
    for wrong, words in (({"rows": [[0.5, 1.0]]}, r"\(nr, 3\)"), ({"rows": [[-1.0, 0, 1]]}, "f of row 0"), ({"rows": [[0, 2.0, 1]]}, "above hi"),
                         ({"rows": [[0, 0, 1.0]], "row_c": [1, 2]}, "row_c"), ({"bilateral": -1}, "bilateral")):
        with pytest.raises(myriapod.Error, match=words):
            myriapod.solve([[2.0]], np.zeros((0, 3)), [], **{"row_c": [1.0], **wrong})
