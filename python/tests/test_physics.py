"""Contact problems and rigid-body quantities, against their laws and against MuJoCo where it is there."""
import importlib.util
import os
import pathlib

import myriapod
import numpy as np
import pytest


def test_solve_obeys_the_law():
    random = np.random.default_rng(1)
    problems = []
    for _ in range(20):
        J = random.standard_normal((9, 18))
        problems.append((J @ J.T, random.standard_normal(9) - np.tile([0, 0, 1.0], 3), np.full(3, 0.7)))
    G, c, mu = (list(x) for x in zip(*problems))
    for result, G_one, c_one in zip(myriapod.solve(G, c, mu, tolerance=1e-9, max_sweeps=5000), G, c):
        assert result.converged and result.residual < 1e-8
        assert np.allclose(result.velocity.ravel(), G_one @ result.impulse.ravel() + c_one)
        assert (result.impulse[:, 2] >= 0).all() and (result.velocity[:, 2] >= -1e-7).all()
        assert (np.hypot(*result.impulse[:, :2].T) <= 0.7 * result.impulse[:, 2] + 1e-7).all()
        assert set(result.modes) <= set("osd")
    one = myriapod.solve(G[0], c[0].reshape(3, 3), mu[0], start=np.zeros((3, 3)))
    assert (one.impulse == myriapod.solve(np.stack(G), np.stack(c), np.stack(mu))[0].impulse).all()
    assert not myriapod.solve(G[0], c[0], mu[0], max_sweeps=1, tolerance=0).converged and myriapod.solve([], [], []) == []


def test_evaluate(robot):
    every = ("M", "bias", "acceleration", "kinetic", "potential", "com", "frame_position", "frame_quaternion", "frame_velocity", "frame_jacobian")
    random, n = np.random.default_rng(2), 5
    q, v, tau = np.tile(robot.home, (n, 1)), random.standard_normal((n, 18)), random.standard_normal((n, 18))
    seen = myriapod.evaluate(robot, q, v, tau, every)
    assert seen.M.shape == (n, 18, 18) and seen.frame_jacobian.shape == (n, len(robot.frames), 3, 18) and seen.kinetic.shape == (n,)
    assert np.allclose(np.einsum("nij,nj->ni", seen.M, seen.acceleration) + seen.bias, tau)
    assert np.allclose(0.5 * np.einsum("ni,nij,nj->n", v, seen.M, v), seen.kinetic)
    assert np.allclose(np.einsum("nfkv,nv->nfk", seen.frame_jacobian, v), seen.frame_velocity[:, :, :3])
    assert np.allclose(seen.potential, 9.81 * robot.mass * seen.com[:, 2])
    single = myriapod.evaluate(robot, q[1], v[1], want="M")
    assert (single.M == seen.M[1]).all() and single.bias is None


def test_mass_matrix_and_bias_are_mujocos(robot):
    mujoco = pytest.importorskip("mujoco")
    root = pathlib.Path(os.environ.get("MYRIAPOD_SOURCE", pathlib.Path(__file__).parents[2]))
    spec = importlib.util.spec_from_file_location("mujoco_model", root / "bench" / "tools" / "mujoco_model.py")
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    xml = writer.mjcf(root / "robots" / "anymal.urdf", {"home": robot.home}, 0.001, "elliptic", False, True)
    peer = mujoco.MjModel.from_xml_string(xml)
    data, random = mujoco.MjData(peer), np.random.default_rng(3)
    q, v = np.tile(robot.home, (10, 1)), random.standard_normal((10, 18))
    q[:, 7:] += random.standard_normal((10, 12))
    q[:, 3:7] = random.standard_normal((10, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    seen = myriapod.evaluate(robot, q, v, want=("M", "bias"))
    for i in range(10):
        data.qpos[:], data.qvel[:] = q[i], v[i]
        mujoco.mj_forward(peer, data)
        M = np.zeros((18, 18))
        try:
            mujoco.mj_fullM(peer, M, data.qM)
        except (TypeError, AttributeError):
            mujoco.mj_fullM(peer, data, M)
        assert np.allclose(seen.M[i], M, rtol=1e-9, atol=1e-10)
        assert np.allclose(seen.bias[i], data.qfrc_bias, rtol=1e-8, atol=1e-9)


def test_problems_are_those_of_the_next_step():
    batch = myriapod.Batch("anymal", 20, task="trot", precision="f64", tolerance=1e-12, max_sweeps=5000, threads=1)
    batch.step(60)
    problems, before = batch.problems(), batch.hash()
    assert len(problems) == 20 and 0 < sum(len(p.mu) for p in problems) and batch.hash() == before
    again = batch.problems([3, 0])
    assert (again[0].G == problems[3].G).all() and (again[1].c == problems[0].c).all()
    batch.step()
    for env, p in enumerate(problems):
        assert p.G.shape == (3 * len(p.mu), 3 * len(p.mu)) and p.c.shape == p.start.shape == (len(p.mu), 3)
        answer = myriapod.solve(p.G, p.c, p.mu, p.start, tolerance=1e-12, max_sweeps=5000)
        assert np.abs(answer.impulse - batch.impulse[env][p.slots]).max(initial=0) < 1e-8
    assert not problems[0].R.any()
    soft = myriapod.Batch("anymal", 4, task="stand", precision="f64", compliance=1e-4, threads=1)
    soft.step(100)
    assert all(len(p.mu) and (p.R[:, 2] > 0).all() for p in soft.problems())
    with pytest.raises(myriapod.ArgumentError):
        batch.problems([20])


def test_contacts_bounce_land_and_yield():
    def ball(height, steps, **settings):
        with myriapod.Batch("sphere", 1, task="none", precision="f64", tolerance=1e-12, threads=1, **settings) as batch:
            batch.q = np.array([[0, 0, 0.1 + height, 1, 0, 0, 0]])
            tops = []
            for _ in range(steps):
                batch.step()
                tops.append(batch.q[0, 2] - 0.1)
            return np.array(tops)

    assert abs(ball(0.5, 900, restitution=0.5)[400:].max() - 0.125) < 0.01
    assert abs(ball(0.5, 400).min()) < 1e-12
    assert abs(ball(0.5, 400, landing=0, gap=0.01).min()) < 1e-12 and ball(0.5, 400, landing=0).min() < -1e-6
    assert ball(-1e-4, 60, baumgarte=0.2)[-1] > -1e-6
    assert abs(ball(0, 2000, compliance=1e-5, dissipation_time=1e-3, baumgarte=0.5)[-1] + 9.81e-5) < 1e-9
