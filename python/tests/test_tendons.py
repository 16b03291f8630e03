"""Tendons from Python: built, read, and as rows of a batch."""
import numpy as np
import pytest

import myriapod

FINGER = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="a" axis="0 1 0"/><geom size=".02" pos="0 0 -.1" mass=".1"/>
<body name="b" pos="0 0 -.2"><joint name="b" axis="0 1 0"/><geom size=".02" pos="0 0 -.1" mass=".1"/></body></body></worldbody>
<tendon><fixed name="both" limited="true" range="-0.2 0.1" frictionloss="0.001"><joint joint="a" coef="1"/><joint joint="b" coef="0.5"/></fixed>
<fixed name="one" limited="true" range="-2 1"><joint joint="b" coef="-2"/></fixed></tendon></mujoco>"""


def test_a_file_says_them():
    model = myriapod.Model.from_text(FINGER)
    joint, tendon = model.rows
    assert joint.tendon is None and joint.joints == () and (joint.joint, joint.lower, joint.upper) == (1, -0.5, 1)
    assert (tendon.tendon, tendon.joints, tendon.coefficients) == ("both", (0, 1), (1.0, 0.5))
    assert (tendon.lower, tendon.upper, tendon.dry_friction) == (-0.2, 0.1, 0.001) and tendon.length_m > 0
    with myriapod.Batch(model, 5, task="none", precision="f64", tolerance=1e-10, ground="off") as batch:
        batch.q = np.random.default_rng(1).uniform(-0.05, 0.05, (5, 2))
        batch.v = [3, 4]
        lengths = []
        for _ in range(300):
            batch.step(1)
            lengths.append(batch.q @ [1, 0.5])
        assert np.max(lengths) < 0.1 + 1e-9 and np.min(lengths) > -0.2 - 1e-9
        assert np.isclose(np.max(lengths), 0.1, atol=1e-9) and batch.row_impulse.shape == (5, 2)
        batch.upper = [1, 0.05]  # its own limits, where it was
        batch.q, batch.v = np.zeros((5, 2)), np.full((5, 2), 2.0)
        batch.step(100)
        assert np.max(batch.q @ [1, 0.5]) < 0.05 + 1e-9


def test_calls_make_them():
    builder = myriapod.ModelBuilder("finger")
    shape = {"mass": 0.1, "com": (0, 0, -0.1), "inertia": (1e-4, 1e-4, 1e-4, 0, 0, 0), "axis": (0, 1, 0)}
    first = builder.body("first", -1, **shape)
    second = builder.body("second", first, position=(0, 0, -0.2), **shape)
    builder.tendon("both", {first: 1, second: 0.5}, lower=-0.2, upper=0.1, dry_friction=0.001)
    with pytest.raises(myriapod.ArgumentError, match="would do nothing"):
        builder.tendon("idle", {first: 1})
    with pytest.raises(myriapod.ArgumentError, match="0 terms"):
        builder.tendon("empty", {})
    assert [(row.tendon, row.lower, row.upper) for row in builder.compile().rows] == [("both", -0.2, 0.1)]


def test_it_hangs_as_mujocos():
    """At rest on the tendon's limit, with gravity from the side: MuJoCo's limit is soft, and made stiff."""
    mujoco = pytest.importorskip("mujoco")
    text = FINGER.replace("<worldbody>", '<option gravity="6 0 -4"/><default><joint damping="0.02"/></default><worldbody>').replace('frictionloss="0.001"', "")
    peer = mujoco.MjModel.from_xml_string(text.replace('range="-0.2 0.1"', 'range="-0.2 0.1" solreflimit="0.002 1" solimplimit="0.9999 0.9999 0.001"'))
    peer.opt.timestep, data = 0.001, mujoco.MjData(peer)
    for _ in range(20000):
        mujoco.mj_step(peer, data)
    with myriapod.Batch(myriapod.Model.from_text(text), 1, task="none", dt=0.001, precision="f64", ground="off") as batch:
        batch.step(20000)
        assert np.abs(batch.v).max() < 1e-5 and np.abs(data.qvel).max() < 1e-5
        length = batch.q[0] @ [1, 0.5]
        assert abs(abs(length - (-0.05)) - 0.15) < 1e-6  # on one of its ends
        assert np.abs(batch.q[0] - data.qpos).max() < 2e-3
        assert np.isclose(batch.row_impulse[0, 1] / 0.001, data.qfrc_constraint[0], rtol=2e-2)
