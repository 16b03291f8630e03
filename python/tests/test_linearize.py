"""Derivatives by lanes: beside MuJoCo's, beside differences by hand, and where a contact has none."""
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, linearize
from myriapod.rotations import quat_mul

LEGS = [(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)]
BEAST = """<mujoco><option timestep="0.005"/><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.05" mass="5"/>%s</body></worldbody>
<actuator>%s</actuator></mujoco>""" % (
    "".join(f'<body pos="{x} {y} 0"><joint name="a{i}" axis="1 0 0" armature="0.01"/><geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.6" contype="0" conaffinity="0"/>'
            f'<body pos="0 0 -0.2"><joint name="b{i}" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3" contype="0" conaffinity="0"/></body></body>'
            for i, (x, y) in enumerate(LEGS)),
    "".join(f'<motor joint="{k}{i}"/>' for i in range(4) for k in "ab"))


def off(mine: np.ndarray, wanted: np.ndarray) -> float:
    return float(abs(mine - wanted).max() / abs(wanted).max())


@pytest.mark.parametrize("robot", ["cart-pole", "beast"])
def test_in_flight_they_are_those_of_mujoco(robot, tmp_path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "beast.xml"
    path.write_text(BEAST)
    name = str(path) if robot == "beast" else robot
    with myriapod.Batch(name, 20, task="none", precision="f64", threads=1, dt=0.005) as batch:
        model = batch.model
        peer = mujoco.MjModel.from_xml_path(str(path) if robot == "beast" else str(Path(myriapod.__file__).parent / "robots" / "cart-pole.xml"))
        peer.opt.timestep = 0.005
        data, random = mujoco.MjData(peer), np.random.default_rng(3)
        q, v, u = model.home + 0.2 * random.standard_normal(model.nq), random.standard_normal(model.nv), 0.3 * random.standard_normal(model.nu)
        if robot == "beast":
            q[2] = 2.0
            q[3:7] /= np.linalg.norm(q[3:7])
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, u
        A, B = np.zeros((2 * model.nv, 2 * model.nv)), np.zeros((2 * model.nv, model.nu))
        mujoco.mjd_transitionFD(peer, data, 1e-6, True, A, B, None, None)
        made = linearize(batch, q, v, u, control_field="control")
        assert off(made.A[0], A) < 1e-8 and off(made.B[0], B) < 1e-8 and not made.kinked.any()
        many = linearize(batch, np.tile(q, (3, 1)), np.tile(v, (3, 1)), np.tile(u, (3, 1)), control_field="control")
        assert (many.A == made.A).all() and (many.B == made.B).all() and (many.next == made.next).all()


@pytest.mark.parametrize(("baumgarte", "largest"), [(0.0, 10), (1 / 3, 1000)], ids=["damper", "spring"])
def test_on_its_feet_neighbours_agree_where_contacts_give_way(baumgarte, largest) -> None:
    """Hard contacts that just close have a kink, which is told; with a compliance all steps of differences agree."""
    made, hard = [], {}
    with myriapod.Batch("anymal", 50, task="stand", dt=0.005, precision="f64", threads=1, compliance=1e-5, dissipation_time=0.01, baumgarte=baumgarte) as batch:
        batch.step(200)
        q, v, u = batch.q[0].copy(), batch.v[0].copy(), batch.get("target")[0]
        made = [linearize(batch, q, v, u, eps=eps) for eps in (1e-6, 1e-5, 1e-4)]
        assert (batch.q[0] == q).all() and (batch.v[0] == v).all()
    assert all(off(m.A, made[0].A) < 1e-6 and off(m.B, made[0].B) < 1e-6 and not m.kinked.any() for m in made) and abs(made[0].A).max() < largest
    with myriapod.Batch("anymal", 50, task="stand", dt=0.005, precision="f64", threads=1) as batch:
        batch.step(200)
        hard = {eps: linearize(batch, batch.q[0].copy(), batch.v[0].copy(), batch.get("target")[0], eps=eps) for eps in (1e-5, 1e-4)}
    assert all(m.kinked.any() and abs(m.A).max() > 100 for m in hard.values())
    smooth = ~hard[1e-5].kinked[0, :36]
    assert off(hard[1e-4].A[0][:, smooth], hard[1e-5].A[0][:, smooth]) < 1e-5


def turned(q: np.ndarray, by: np.ndarray) -> np.ndarray:
    """A floating robot's q, moved by a small way in the coordinates of v."""
    half = np.linalg.norm(by[3:6]) / 2
    turn = np.concatenate([[np.cos(half)], (np.sin(half) / (2 * half) if half else 0.5) * by[3:6]])
    return np.concatenate([q[:3] + by[:3], quat_mul(q[3:7], turn), q[7:] + by[6:]])


def apart(q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """From r to q, in the coordinates of v."""
    turn = quat_mul(r[3:7] * [1, -1, -1, -1], q[3:7])
    return np.concatenate([q[:3] - r[:3], 2 * turn[1:] / turn[0], q[7:] - r[7:]])


@pytest.mark.parametrize("solver", ["bisection", "ipm-cone"])
def test_on_hard_contacts_they_are_differences_by_hand(solver) -> None:
    """On its feet, whose gaps close within a step (`baumgarte=1`): nothing is kinked, eps does not matter, and one robot that steps alone, by another solver,
    has the same derivatives."""
    hard = {"dt": 0.005, "precision": "f64", "threads": 1, "baumgarte": 1.0}
    with myriapod.Batch("anymal", 50, task="stand", **hard) as batch, myriapod.Batch("anymal", 1, task="none", solver=solver, tolerance=1e-12, max_sweeps=10000, **hard) as one:
        batch.step(400)
        q, v, u, nv = batch.q[0].copy(), batch.v[0].copy(), batch.get("target")[0], batch.model.nv
        assert (batch.get("impulse")[0, :, 2] > 0.1).sum() == 4
        made = {eps: linearize(batch, q, v, u, eps=eps) for eps in (1e-6, 1e-7, 1e-5, 1e-4)}
        for field in ("kp", "kd"):
            one.set(field, batch.get(field)[:1])
        columns = np.zeros((2 * nv, 2 * nv + batch.model.nu))
        for k, by in enumerate(1e-6 * np.eye(columns.shape[1])):
            ends = []
            for side in (by, -by):
                one.set("q", turned(q, side[:nv])[None])
                one.set("v", (v + side[nv : 2 * nv])[None])
                one.set("target", (u + side[2 * nv :])[None])
                one.set("impulse", np.zeros_like(one.get("impulse")))
                one.step(1)
                ends.append((one.q[0].copy(), one.v[0].copy()))
            columns[:, k] = np.concatenate([apart(ends[0][0], ends[1][0]), ends[0][1] - ends[1][1]]) / 2e-6
    wide = made[1e-6]
    assert off(wide.A[0], columns[:, : 2 * nv]) < 1e-9 and off(wide.B[0], columns[:, 2 * nv :]) < 1e-8
    assert all(off(m.A, wide.A) < 1e-8 and off(m.B, wide.B) < 1e-8 and not m.kinked.any() for m in made.values())


def test_columns_are_differences_by_hand() -> None:
    """Two environments are enough; parameters are those of environment 0, and a control step may be many steps."""
    with myriapod.Batch("double-pendulum", 2, task="none", dt=0.002, decimation=5, precision="f64", threads=1) as batch, \
            myriapod.Batch("double-pendulum", 1, task="none", dt=0.002, decimation=5, precision="f64", threads=1) as one:
        for each in (batch, one):
            each.set("damping", np.array([[0.3, 0.1]]), ids=[0])
        q, v = np.array([0.4, -0.7]), np.array([1.0, 0.3])
        made = linearize(batch, q, v, eps=1e-5)
        for k in range(4):
            ends = []
            for by in (1e-5, -1e-5):
                x = np.concatenate([q, v])
                x[k] += by
                one.set("q", x[:2])
                one.set("v", x[2:])
                one.step(1)
                ends.append(np.concatenate([one.q[0], one.v[0]]))
            assert np.allclose(made.A[0][:, k], (ends[0] - ends[1]) / 2e-5, rtol=1e-9, atol=1e-10)


def test_environment_0_stays_as_it_was() -> None:
    """Inputs too: a force that acted for a side acts no more."""
    with myriapod.Batch("cart-pole", 20, task="none", precision="f64", threads=1) as batch, myriapod.Batch("cart-pole", 1, task="none", precision="f64", threads=1) as one:
        linearize(batch, np.array([0.2, 0.3]), np.array([0.1, 0.0]), np.array([0.9]), control_field="control")
        batch.step(3)
        one.step(3)
        assert (batch.q[0] == one.q[0]).all() and (batch.v[0] == one.v[0]).all() and not batch.get("torque")[0].any()


def test_what_does_not_go_is_refused() -> None:
    with myriapod.Batch("anymal", 4, task="stand", threads=1) as batch, pytest.raises(ArgumentError, match="float32, but differences need float64"):
        linearize(batch, batch.q[0], batch.v[0])
    with myriapod.Batch("anymal", 4, task="trot", precision="f64", threads=1) as batch, pytest.raises(myriapod.StateError, match="the task 'trot' sets targets"):
        linearize(batch, batch.q[0], batch.v[0])


def test_mistakes_are_told_by_name() -> None:
    with myriapod.Batch("cart-pole", 4, task="none", precision="f64", threads=1) as batch:
        for given, says in (((np.array([0.0, np.nan]), np.zeros(2)), "q of state 0, number 1, is not finite"), ((np.zeros(3), np.zeros(2)), "q has shape"),
                            ((np.zeros((2, 2)), np.zeros(2)), "v has shape")):
            with pytest.raises(ArgumentError, match=says):
                linearize(batch, *given)
        with pytest.raises(ArgumentError, match="eps is 1, but must be at least 0 and at most 0.1"):
            linearize(batch, np.zeros(2), np.zeros(2), eps=1.0)
        with pytest.raises(ArgumentError, match="control_field is 'force'"):
            linearize(batch, np.zeros(2), np.zeros(2), control_field="force")
    with myriapod.Batch("cart-pole", 1, task="none", precision="f64", threads=1) as batch, pytest.raises(ArgumentError, match="1 environments, but a column has two sides"):
        linearize(batch, np.zeros(2), np.zeros(2))
