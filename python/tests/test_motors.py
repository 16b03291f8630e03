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


QUADROTOR = """<mujoco><option timestep="0.005"/><worldbody><body name="drone" pos="0 0 1"><freejoint/>
  <inertial pos="0.01 0 0.02" mass="1.3" diaginertia="0.02 0.03 0.04"/><geom size="0.05" contype="0" conaffinity="0" mass="0"/>
  <site name="r1" pos="-.14 -.18 .05"/><site name="r2" pos="-.14 .18 .05"/><site name="r3" pos=".14 .18 .08"/><site name="r4" pos=".14 -.18 .08" euler="10 0 0"/>
  <body name="arm" pos="0 0 -0.1"><joint name="tilt" axis="0 1 0"/><joint name="out" type="slide" axis="1 0 0"/><inertial pos="0 0 -0.1" mass="0.2" diaginertia="0.001 0.001 0.001"/>
  <site name="jet" pos="0 0.02 -0.2" euler="20 30 0"/></body></body></worldbody>
  <actuator><motor name="m1" site="r1" gear="0 0 1 0 0 -.02" ctrlrange="0 13"/><motor name="m2" site="r2" gear="0 0 1 0 0 .02" ctrlrange="0 13"/>
  <motor name="m3" site="r3" gear="0 0 1 0 0 -.02" ctrlrange="0 13"/><motor name="m4" site="r4" gear="0 0 1 0 0 .02" ctrlrange="0 13"/>
  <general name="jet" site="jet" gear="0.3 -0.2 0.7 0.01 0.02 -0.03" dyntype="filterexact" dynprm="0.05"/></actuator></mujoco>"""


def test_rotors_push_as_mujocos_do():
    """Accelerations of a single step at random states, of a body on a free joint, and of one behind a hinge and a slider."""
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(QUADROTOR)
    data, rng = mujoco.MjData(theirs), np.random.default_rng(3)
    model = myriapod.Model.from_text(QUADROTOR)
    assert [a.pushes for a in model.actuators] == [True] * 5 and model.actuators[0].gear == (0, 0, 1, 0, 0, -0.02)
    n = 19
    q, v, control = rng.normal(size=(n, theirs.nq)), rng.normal(size=(n, theirs.nv)), rng.uniform(0, 8, size=(n, theirs.nu))
    dt = 1e-7
    theirs.opt.timestep = dt
    truth = np.zeros((n, theirs.nv))
    for k in range(n):
        data.qpos[:] = q[k]
        mujoco.mj_normalizeQuat(theirs, data.qpos)
        q[k], data.qvel[:], data.ctrl[:], data.act[:] = data.qpos, v[k], control[k], control[k, 4]
        mujoco.mj_forward(theirs, data)
        truth[k] = data.qacc
    with Batch(model, n, task="none", dt=dt, precision="f64", spin_damping=0) as batch:
        batch.set("q", q)
        batch.set("v", v)
        batch.set("control", control)
        batch.set("activation", control[:, 4:])
        batch.step(1)
        assert np.allclose((batch.v - v) / dt, truth, rtol=1e-5, atol=1e-4)


def test_a_quadrotor_hovers():
    """A PD of height and attitude on four rotors holds a drone where it is told to be."""
    text = QUADROTOR.replace('<joint name="tilt" axis="0 1 0"/><joint name="out" type="slide" axis="1 0 0"/>', "").replace(' euler="10 0 0"', "")
    text = text[:text.index("  <general")] + "</actuator></mujoco>"
    model = myriapod.Model.from_text(text)
    places = np.array([[-.14, -.18], [-.14, .18], [.14, .18], [.14, -.18]])
    with Batch(model, 16, task="none", dt=0.005, precision="f64") as batch:
        com = np.array([(1.3 * 0.01) / 1.5, 0.0])
        mix = np.vstack([np.ones(4), places[:, 1] - com[1], -(places[:, 0] - com[0]), [-.02, .02, -.02, .02]])  # thrusts -> force, torques
        q = batch.get("q").copy()
        q[:, :3] += np.random.default_rng(1).uniform(-0.3, 0.3, (16, 3))
        q[:, 3:7] += np.random.default_rng(2).uniform(-0.1, 0.1, (16, 4))
        q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
        batch.set("q", q)
        for _ in range(1600):
            x, v = batch.q, batch.v
            lean = np.clip(0.25 * (x[:, :2] - [0, 0]) + 0.35 * v[:, :2], -0.3, 0.3)  # the way back is by leaning
            roll, pitch, yaw = 2 * x[:, 4], 2 * x[:, 5], 2 * x[:, 6]
            wish = np.stack([1.5 * 9.81 + 8 * (1.5 - x[:, 2]) - 6 * v[:, 2], 1.2 * (lean[:, 1] - roll) - 0.3 * v[:, 3],
                             1.2 * (-lean[:, 0] - pitch) - 0.3 * v[:, 4], -0.2 * yaw - 0.1 * v[:, 5]], axis=1)
            batch.set("control", np.linalg.solve(mix, wish.T).T)
            batch.step(1)
        assert not batch.quarantined.any()
        assert np.abs(batch.q[:, 2] - 1.5).max() < 0.02 and np.abs(batch.q[:, :2]).max() < 0.1 and np.abs(batch.v).max() < 0.05


DCMOTORS = {
    "voltage": 'motorconst="0.1 0.12" resistance="0.5"',
    "limited": 'motorconst="0.4" resistance="0.5" saturation="2 0 0" ctrlrange="-24 24"',
    "by current": 'nominal="24 3 10" saturation="0 0.4"',
    "mixed": 'nominal="24 3 10" motorconst="0.5"',
    "pos": 'nominal="24 3 10" input="pos" controller="5 0 0.3"',
    "pos, volts": 'nominal="24 3 10" input="pos" controller="5 0 0.3 0 0 6"',
    "vel": 'nominal="24 3 10" input="vel" controller="0 0 0.7 0 0 6" saturation="0.4"',
    "ff": 'nominal="24 3 10" input="ff" controller="1 0 0.1 0 0 8"',
    "ff alone": 'motorconst="1" resistance="2" input="ff" ctrlrange="-1 1" controller="0 0 0 0 0 6"',
    "braked": 'nominal="24 3 10" damping="0.2"',
    "braked much": 'nominal="24 3 10" damping="0.4"',
    "braked, resistance": 'nominal="24 3 10" damping="0.05" resistance="7" armature="0.1"',
    "braked, Kt": 'nominal="24 3 10" damping="0.2" motorconst="0.5"',
    "blanks": 'nominal="24 3 10" input=" pos " controller="2"',
    "unsaid": 'nominal="24 3 10" input=""',
}
IN_CLASSES = {
    "all": ('nominal="24 3 10"', ""),
    "child": ('nominal="24 3 10"', 'motorconst="0.5"'),
    "child nominal": ('motorconst="0.5" resistance="2"', 'nominal="24 3 10"'),
    "resistance": ('nominal="24 3 10" saturation="0.5"', 'resistance="3"'),
    "controller": ('motorconst="0.5" resistance="2" controller="1 0 2 0 0 9" input="pos"', 'controller="3"'),
    "damping": ('motorconst="0.5" resistance="2" damping="0.3"', 'nominal="24 3 10"'),
}


def dcmotor_text(words, default="", gear="1", tendon=False):
    on = 'tendon="both"' if tendon else 'joint="j"'
    return f"""<mujoco><default><default class="c">{f'<dcmotor {default}/>' if default else ''}</default></default>
      <worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0" armature="0.05"/><geom size="0.1" pos="0.1 0 0"/>
      <body pos="0.3 0 0"><joint name="k" axis="1 1 0" armature="0.02"/><geom size="0.08" pos="0.1 0 0.1"/></body></body></worldbody>
      <tendon><fixed name="both"><joint joint="j" coef="1"/><joint joint="k" coef="-0.5"/></fixed></tendon>
      <actuator><dcmotor name="m" {'class="c"' if default else ''} {on} gear="{gear}" {words}/></actuator></mujoco>"""


ALL_DCMOTORS = {name: ("", words) for name, words in DCMOTORS.items()} | {f"class {name}": words for name, words in IN_CLASSES.items()}
#: Damping and armature of an actuator on a tendon do not act here, which a warning says.
WAYS = [pytest.param(*words, gear, way == "tendon", id=f"{name}, {way}") for name, words in ALL_DCMOTORS.items()
        for way, gear in (("plain", "1"), ("geared", "-3"), ("tendon", "2")) if way != "tendon" or "damping" not in "".join(words)]


@pytest.mark.parametrize("default, words, gear, tendon", WAYS)
def test_dcmotors_accelerate_as_mujocos_do(default, words, gear, tendon):
    """At random states and controls, on slopes and at limits: a step so short that nothing implicit counts."""
    mujoco = pytest.importorskip("mujoco")
    text, n, dt = dcmotor_text(words, default, gear, tendon), 200, 1e-7
    theirs, model = mujoco.MjModel.from_xml_string(text), myriapod.Model.from_text(text)
    assert not model.warnings and theirs.nu == model.nu == 1
    data, rng = mujoco.MjData(theirs), np.random.default_rng(7)
    q, v, u = rng.uniform(-1, 1, (n, 2)), rng.normal(0, 12, (n, 2)), rng.normal(0, 10, (n, 1))
    want, forces = np.zeros((n, 2)), np.zeros(n)
    for k in range(n):
        data.qpos[:], data.qvel[:], data.ctrl[:] = q[k], v[k], u[k]
        mujoco.mj_forward(theirs, data)
        want[k], forces[k] = data.qacc, data.actuator_force[0]
    with Batch(model, n, task="none", dt=dt, precision="f64", spin_damping=0, ground="off", sense=("acceleration",)) as batch:
        batch.q, batch.v, batch.control = q, v, u
        batch.step(1)
        assert np.allclose(batch.acceleration, want, rtol=2e-5, atol=1e-4 * np.abs(want).max()), np.abs(batch.acceleration - want).max()
    assert np.ptp(forces) > 0.1


def test_a_dcmotor_on_its_slope_keeps_its_speed_at_any_step():
    """Its controller's voltage ends at 6 V: no more than 6 / K, at steps of 20 ms and at a rotor of next to no inertia."""
    model = myriapod.Model.from_text("""<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" mass="0.03"/></body></worldbody>
      <actuator><dcmotor joint="j" motorconst="0.5" resistance="2" input="ff" controller="0 0 0 0 0 6"/></actuator></mujoco>""")
    with Batch(model, 1, task="none", dt=0.02, precision="f64", ground="off") as batch:
        batch.gravity = np.zeros(3)
        batch.control = 50.0
        for _ in range(200):
            batch.step(1)
            assert batch.v[0, 0] <= 12 + 1e-9
        assert batch.v[0, 0] > 11


@pytest.mark.parametrize("words, why", [
    ("", "resistance is not above 0"), ('motorconst="1" resistance="2" input="vel pos"', "in this order"), ('motorconst="1" resistance="2" input="bogus"', "in this order"),
    ('motorconst="1" resistance="2" input="none" controller="1"', "need an input"), ('motorconst="1" resistance="2" input="vel" controller="0 1"', "needs the input pos"), ('resistance="2"', "motor constant is not above 0"), ('motorconst="-1" resistance="2"', "negative"),
    ('nominal="24 0 10"', "`nominal` needs"), ('nominal="24 3 10" controller="4"', "need an input"), ('motorconst="1 2 3" resistance="1"', "motorconst"),
])
def test_dcmotors_that_mujoco_refuses_are_refused(words, why):
    with pytest.raises(myriapod.FormatError, match=why):
        myriapod.Model.from_text(dcmotor_text(words))


@pytest.mark.parametrize("words, lost", [
    ('nominal="24 3 10" input="pos vel" controller="1"', "m .it has several inputs."), ('nominal="24 3 10" input="none" saturation="1"', "m .it has no input."),
    ('nominal="24 3 10" inductance="0.01" cogging="1 2 3"', "inductance and cogging of <dcmotor>"),
    ('nominal="24 3 10" input="pos" controller="4 1 0 9" thermal="0 0 1"', "thermal and ki and slewmax of <dcmotor>"),
])
def test_what_a_dcmotor_loses_is_named(words, lost):
    with pytest.warns(myriapod.ModelWarning, match=lost):
        assert myriapod.Model.from_text(dcmotor_text(words)).nu == ("m " not in lost)


def accelerations(text, controls, n=50):
    """Ours and MuJoCo's, at random states; a step so short that nothing implicit counts."""
    mujoco = pytest.importorskip("mujoco")
    theirs, model = mujoco.MjModel.from_xml_string(text), myriapod.Model.from_text(text)
    data, rng, dt = mujoco.MjData(theirs), np.random.default_rng(11), 1e-7
    q, v = rng.uniform(-1, 1, (n, theirs.nq)), rng.normal(0, 12, (n, theirs.nv))
    want = np.zeros((n, theirs.nv))
    for k in range(n):
        data.qpos[:], data.qvel[:], data.ctrl[:] = q[k], v[k], controls
        mujoco.mj_forward(theirs, data)
        want[k] = data.qacc
    with Batch(model, n, task="none", dt=dt, precision="f64", spin_damping=0, ground="off", sense=("acceleration",)) as batch:
        batch.q, batch.v = q, v
        if model.nu:
            batch.control = np.tile(controls[:model.nu], (n, 1))
        batch.step(1)
        return batch.acceleration.copy(), want


@pytest.mark.parametrize("words", ['motorconst="0.5" resistance="2" input="none" armature="0.1" damping="0.2"',
                                   'motorconst="0" resistance="2" input="none" damping="0.2"'], ids=["shorted", "no motor"])
def test_a_dcmotor_without_input_brakes(words):
    ours, theirs = accelerations(dcmotor_text(words, gear="3"), [])
    assert np.allclose(ours, theirs, rtol=2e-5, atol=1e-4 * np.abs(theirs).max())


def test_the_rotor_of_an_actuator_that_is_left_out_stays():
    text = dcmotor_text('nominal="24 3 10" input="pos vel" armature="0.3"', gear="2")
    with pytest.warns(myriapod.ModelWarning, match="several inputs"):
        ours, theirs = accelerations(text, [0.0, 0.0])
    assert np.allclose(ours[:, 0].std() / theirs[:, 0].std(), 1, rtol=0.3)  # not that of a joint without a rotor, which is 5 times as much


@pytest.mark.parametrize("word", ["motor", 'position kp="20"'])
def test_a_saturation_in_a_class_is_of_every_kind(word):
    text = dcmotor_text("", default='motorconst="1" resistance="2" saturation="1"').replace("<dcmotor name", f"<{word} name")
    ours, theirs = accelerations(text, [5.0])
    assert np.allclose(ours, theirs, rtol=2e-5, atol=1e-4 * np.abs(theirs).max())


def test_keyframes_have_the_numbers_of_all_inputs():
    text = dcmotor_text('nominal="24 3 10" input="pos vel"').replace("</actuator>", '<dcmotor name="brake" joint="k" nominal="24 3 10" input="none"/><motor name="last" joint="k"/></actuator><keyframe><key name="home" qpos="0.1 0.2" ctrl="1 2 3"/></keyframe>')
    with pytest.warns(myriapod.ModelWarning, match="several inputs"):
        model = myriapod.Model.from_text(text)
    assert [a.name for a in model.actuators] == ["last"] and model.keyframes and model.actuators[0].home_torque == 3
    with pytest.raises(myriapod.FormatError, match="not 3"):
        myriapod.Model.from_text(text.replace("1 2 3", "1 2"))


def test_a_dcmotor_at_a_site_has_no_speed():
    text = """<mujoco><worldbody><body><freejoint/><geom size="0.1"/><site name="s"/></body></worldbody>
      <actuator><dcmotor site="s" gear="0 0 1 0 0 0" motorconst="1" resistance="2" input="ff" controller="0 0 0 0 0 6"/></actuator></mujoco>"""
    with pytest.warns(myriapod.ModelWarning, match="a site has no speed"):
        assert myriapod.Model.from_text(text).nu == 0
