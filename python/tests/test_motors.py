"""Motors: from Python and from MJCF, beside the closed forms of ../shared/oracles where they are, and beside MuJoCo."""
import json
import math
import pathlib

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, Batch, ModelBuilder, Motor

ORACLE = pathlib.Path(__file__).resolve().parents[3] / "shared" / "oracles" / "worlds2" / "actuators.json"


def slider(mass, motor, **actuator):
    builder = ModelBuilder("slider")
    body = builder.body("a", joint="prismatic", mass=mass, inertia=(0.01, 0.01, 0.01, 0, 0, 0))
    builder.actuator(body, motor=motor, **actuator)
    return builder.compile()


def batch_of(model, dt, **settings):
    batch = Batch(model, 1, task="none", dt=dt, precision="f64", spin_damping=0, **settings)
    batch.set("gravity", np.zeros((1, 3)))
    return batch


@pytest.mark.skipif(not ORACLE.exists(), reason="truth that none of the project's code computed lies in ../shared/oracles")
def test_one_step_beside_the_oracle():
    for case in json.loads(ORACLE.read_text())["cases"]:
        p = case["params"]
        motor = Motor("dc", {"stall": p["stall"], "speed": p["speed"]}) if case["kind"] == "dc_motor" else Motor()
        model = slider(case["mass"], motor, kp=p["kp"], kd=p["kd"], lower=p["lower"], upper=p["upper"])
        with batch_of(model, case["dt"]) as batch:
            for field, value in (("q", "length"), ("v", "rate"), ("target", "target"), ("torque", "torque")):
                batch.set(field, np.array([[case[value]]]))
            batch.step(1)
            assert batch.v[0, 0] == pytest.approx(case["rate_after"], rel=1e-12, abs=1e-12), case


@pytest.mark.skipif(not ORACLE.exists(), reason="truth that none of the project's code computed lies in ../shared/oracles")
def test_what_is_late_and_slow_beside_the_oracle():
    seen = set()
    for case in json.loads(ORACLE.read_text())["sequences"]:
        if case["kind"] == "delayed":
            motor, dt = Motor(delay=(case["delay"], case["delay"])), 0.005
        elif case["kind"] == "lag":
            motor, dt = Motor(lag="exact", lag_s=case["time_constant"]), case["dt"]
        else:
            continue
        seen.add(case["kind"])
        mass = 2.0
        with batch_of(slider(mass, motor, controls="torque", kp=0, kd=0), dt) as batch:
            last = 0.0
            for given, truth in zip(case["input"], case["output"], strict=True):
                batch.set("torque", np.array([[given]]))
                batch.step(1)
                force = (batch.v[0, 0] - last) * mass / dt
                last = batch.v[0, 0]
                assert force == pytest.approx(truth, abs=1e-11)
    assert seen == {"delayed", "lag"}


@pytest.mark.parametrize(("law", "act"), [
    ('dyntype="filter" dynprm="0.03"', ""), ('dyntype="filterexact" dynprm="0.03"', ""), ('dyntype="integrator"', 'actlimited="true" actrange="-0.4 0.5"'),
    ('dyntype="filterexact" dynprm="0.02"', 'actearly="true"'),
])
def test_activations_of_a_file_follow_mujoco(law, act):
    mujoco = pytest.importorskip("mujoco")
    text = f"""<mujoco><option timestep="0.002" gravity="0 0 0"><flag contact="disable" eulerdamp="disable"/></option><worldbody>
      <body><joint name="j" type="slide"/><geom size="0.1" mass="0.7"/></body></worldbody>
      <actuator><general joint="j" gainprm="20" gear="1.5" {law} {act}/></actuator></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    model = myriapod.Model.from_text(text)
    assert not [w for w in model.warnings if "actuator" in w]
    with Batch(model, 1, task="none", dt=0.002, precision="f64", spin_damping=0) as batch:
        for step in range(300):
            control = math.sin(0.05 * step) + (step % 7) / 7
            data.ctrl[0] = control
            batch.set("control", np.array([[control]]))
            mujoco.mj_step(theirs, data)
            batch.step(1)
            assert batch.v[0, 0] == pytest.approx(data.qvel[0], rel=1e-11, abs=1e-12), step
            assert batch.activation[0, 0] / 30 == pytest.approx(data.act[0], rel=1e-11, abs=1e-12)


def test_pd_motors_named_by_hand_change_no_bits():
    robot = myriapod.load("anymal")
    hashes = set()
    for model in (robot, robot.with_motors(Motor()), robot.with_motors({"*": Motor(), "LF_*": Motor()})):
        with Batch(model, 33, task="trot") as batch:
            batch.step(60)
            hashes.add(batch.hash())
    assert len(hashes) == 1


def test_motors_of_a_robot():
    dc = Motor("dc", {"stall": 120, "speed": 7.5})
    model = myriapod.load("anymal").with_motors({"*": Motor(delay=(0, 3)), "*_HAA,*_HFE": dc})
    assert [a.motor.kind for a in model.actuators] == ["dc", "dc", "pd"] * 4
    assert model.actuators[2].motor == Motor(delay=(0, 3)) and model.actuators[0].motor == dc
    assert model.is_quadruped
    with Batch(model, 40, task="trot", dt=0.0025) as batch:
        batch.step(80)
        assert not batch.quarantined.any() and np.abs(batch.v[:, 6:]).max() < 60
        delays = batch.activation[:, ::5]
        assert set(np.unique(delays)) == {0, 1, 2, 3}


def test_nonsense_is_refused():
    robot = myriapod.load("anymal")
    for wrong, words in ((lambda: Motor("steam"), "must be one of pd, dc"), (lambda: Motor("dc", {"torque": 1}), "no 'torque'; it has stall, speed"),
                         (lambda: Motor(lag="slow"), "lag of a motor"), (lambda: robot.with_motors({"LF_HAB": Motor()}), "LF_HAA"),
                         (lambda: robot.with_motors(Motor("dc", {"stall": 9})), "speed of its dc motor is 0"),
                         (lambda: robot.with_motors(Motor(delay=(3, 1))), "late by 3 to 1")):
        with pytest.raises(ArgumentError, match=words):
            wrong()
