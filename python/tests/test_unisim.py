"""The backend for UniSim: its own conformance test, and what that does not ask."""
from pathlib import Path

import myriapod
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA")
unisim = pytest.importorskip("unisim", reason="may skip: unisim-core is installed where torch is")
from myriapod.frontends.unisim import MyriapodBackend  # noqa: E402
from unisim.dr.interval import IntervalTermOp  # noqa: E402
from unisim.dr.types import IntervalRandomizationPlan, TensorResetRandomizationPayload  # noqa: E402
from unisim.scene import SceneCfg  # noqa: E402

GO2 = str(Path(myriapod.__file__).parent / "robots" / "go2.xml")
ARM = """<mujoco model="arm"><option timestep="0.002" gravity="0 0 0"/><worldbody><body name="link"><joint name="shoulder" axis="0 1 0" range="-1 1"/>
 <geom type="box" size=".1 .1 .5" pos="0 0 .5" mass="2" contype="0" conaffinity="0"/><site name="tip" pos="0 0 1"/></body>
 <body name="puck" pos="3 0 1"><freejoint name="way"/><geom type="box" size=".1 .2 .3" pos=".5 0 0" mass="4"/></body></worldbody>
 <actuator><position name="servo" joint="shoulder" kp="20" kv="2" ctrlrange="-1 1"/></actuator>
 <sensor><jointpos name="angle" joint="shoulder"/><framepos name="where" objtype="site" objname="tip"/></sensor>
 <keyframe><key name="bent" qpos="0.5 3 0 1 1 0 0 0"/></keyframe></mujoco>"""


def go2(envs=3, **settings):
    return MyriapodBackend(SceneCfg(model_file=GO2), envs, 0.002, threads=1, **settings)


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    backend = MyriapodBackend(SceneCfg(model_file=str(tmp_path / "arm.xml"), default_keyframe_name="bent"), 4, 0.002, threads=1, precision="f64")
    yield backend
    backend.close()


def test_unisims_conformance_test():
    """Its parts run where capabilities are declared: snapshots are put back, and the stiffness that it sets is there afterwards."""
    backend = go2()
    stiffness = backend.get_reset_term_default("kp")
    unisim.assert_backend_conformance(backend)
    assert backend.get_play_capabilities().supports_physics_state_playback
    assert np.allclose(backend.get_reset_term_default("kp") - stiffness, [[0.05], [0], [0]], atol=1e-5)
    report = backend.get_capabilities()
    assert {unisim.SupportLevel.EXACT} == {report.get(f"dr.reset.{term}").support for term in ("kp", "body_mass")}
    backend.close()


def test_a_snapshot_is_put_back_and_is_mujocos_state():
    mujoco = pytest.importorskip("mujoco")
    backend = go2()
    control = torch.tensor(backend.get_default_dof_pos(), dtype=torch.float32).repeat(3, 1)
    backend.step_tensor(control, 50)
    snapshot = backend.get_physics_state()
    backend.step_tensor(control + 0.1, 50)
    assert abs(backend.get_physics_state() - snapshot).max() > 0.01
    backend.set_physics_state(snapshot)
    assert (backend.get_physics_state() == snapshot).all() and np.allclose(snapshot[:, 0], 0.1)
    theirs = mujoco.MjModel.from_xml_path(backend.get_playback_model())
    data = mujoco.MjData(theirs)
    data.qpos[:] = backend.get_physics_state_layout().split_state(snapshot[0]).qpos
    mujoco.mj_kinematics(theirs, data)
    feet = [body.name for body in backend.model.bodies if "calf" in body.name]
    assert np.allclose([data.body(name).xpos for name in feet], backend.get_tracked_body_views(feet).pos_w[0], atol=1e-5) and len(feet) == 4
    backend.close()


def test_steps_are_those_of_a_batch_and_sensors_stay_where_no_robot_was_reset(arm):
    model = myriapod.Model.from_text(ARM, keyframe="bent")
    control = torch.tensor([[0.2], [-0.4], [0.9], [0.0]])
    with myriapod.Batch(model, 4, task="none", dt=0.002, decimation=1, precision="f64", threads=1) as batch:
        batch.set("control", control.numpy())
        for _ in range(5):
            arm.step_tensor(control, nsteps=4)
            batch.step(4)
        assert (arm.get_state_views()["qpos"].numpy() == batch.get("q", dtype=np.float32)).all()
    assert np.allclose(arm.get_physics_state()[:, 0], 0.04)
    before = arm.get_sensor_view("where").numpy()
    q, v = arm.get_state_views("qpos")["qpos"][[2]], torch.zeros(1, 7)
    q[0, 0] = 0.25
    arm.set_state_tensor(torch.tensor([2]), q, v)
    after, others = arm.get_sensor_view("where").numpy(), [0, 1, 3]
    assert (after[others] == before[others]).all() and np.allclose(after[2], [np.sin(0.25), 0, np.cos(0.25)], atol=1e-6)
    assert arm.bind_sensor_data(("where", "angle")).read().shape == (4, 4) and arm.get_physics_state()[2, 0] == 0
    bodies = arm.get_tracked_body_views(("puck", "link"))
    assert bodies.pos_w.shape == (4, 2, 3) and np.allclose(bodies.quat_w[2, 1], [np.cos(0.125), 0, np.sin(0.125), 0], atol=1e-6)
    mask = torch.tensor([True, False, False, True])
    arm.set_state_tensor_mask(mask, torch.tensor([[0.1, 0, 0, 2, 1, 0, 0, 0]]).repeat(4, 1), torch.zeros(4, 7), TensorResetRandomizationPayload(kp=torch.full((4, 1), 7.0)))
    assert np.allclose(arm.get_state_views()["qpos"][:, 3], [2, 1, 1, 2]) and arm.get_reset_term_default("kp").ravel().tolist() == [7, 20, 20, 7]


def test_what_is_set_at_a_reset(arm):
    rows, q, v = torch.tensor([1, 3]), torch.tensor(arm.get_default_qpos(), dtype=torch.float32).repeat(2, 1), torch.zeros(2, 7)
    arm.set_state_tensor(rows, q, v, TensorResetRandomizationPayload(base_mass_delta=torch.tensor([0.5, -0.5]), base_com_offset=torch.full((2, 3), 0.1),
                                                                     gravity=torch.tensor([[0.0, 0.0, -1.0]] * 2)))
    assert arm.batch.get("mass")[:, 0].tolist() == [2, 2.5, 2, 1.5] and np.allclose(arm.get_body_ipos([1])[0, 0], [0.1, 0.1, 0.6])
    for payload, words in ((TensorResetRandomizationPayload(geom_solref=torch.zeros(2, 1, 2)), "geom_solref"),
                           (TensorResetRandomizationPayload(base_mass_delta=torch.zeros(2), body_mass=torch.ones(2, 2)), "both set 'mass'"),
                           (TensorResetRandomizationPayload(kp=torch.ones(2, 3)), r"kp has shape \(2, 3\)")):
        with pytest.raises(ValueError, match=words):
            arm.set_state_tensor(rows, q, v, payload)
    with pytest.raises(ValueError, match="not finite"):
        arm.set_state_tensor(rows, q * float("nan"), v)
    with pytest.raises(ValueError, match="twice"):
        arm.set_state_tensor(torch.tensor([1, 1]), q, v)


def test_forces_act_at_the_centre_of_mass_for_one_call(arm):
    """The puck of 4 kg is pushed for 10 steps along y: it moves and does not turn. Then a call-back turns it, and reads what is there."""
    control, force = torch.zeros(4, 1), torch.tensor([0.0, 8.0, 0.0]).repeat(4, 1, 1)
    arm.apply_interval_randomization(IntervalRandomizationPlan((IntervalTermOp("body_force", force, torch.tensor([1])),)))
    arm.step_tensor(control, 10)
    velocity = arm.get_state_views()["qvel"].numpy()[:, 1:]
    assert np.allclose(velocity, [[0, 8 / 4 * 0.02, 0, 0, 0, 0]] * 4, atol=1e-6)
    arm.step_tensor(control, 10)
    assert np.allclose(arm.get_state_views()["qvel"].numpy()[:, 1:], velocity, atol=1e-6)
    seen = []

    def turn(backend, ctrl):
        seen.append(float(backend.get_sensor_view("angle")[0, 0]))
        return unisim.PreStepControlOutput(ctrl, np.array([1]), torque=np.tile([0.0, 0.0, 1.0], (4, 1, 1)))

    arm.set_pre_step_control(turn)
    arm.step_tensor(control, 3)
    assert len(set(seen)) == 3 and (arm.get_state_views()["qvel"].numpy()[:, 6] > 1e-3).all()


def test_names_and_limits():
    backend = go2()
    hips = [name for name in backend.get_actuator_joint_names() if "hip" in name]
    assert backend.num_dof_vel == 12 and len(hips) == 4
    assert (backend.get_joint_state_qpos_indices(hips) - backend.get_joint_dof_pos_indices(hips) == 7).all()
    assert backend.get_joint_range().shape == (12, 2) and np.isfinite(backend.get_joint_range(names=hips)).all()
    assert backend.get_root_state_layout("base").qvel_indices == (0, 1, 2, 3, 4, 5)
    with pytest.raises(ValueError, match="no moving body 'wing'"):
        backend.get_body_ids(["wing"])
    backend.close()


def test_what_is_not_read_is_refused_by_name(tmp_path):
    with pytest.raises(NotImplementedError, match="fragment_files"):
        MyriapodBackend(SceneCfg(model_file=GO2, fragment_files=["more.xml"]))
    with pytest.raises(ValueError, match="model_file"):
        MyriapodBackend(SceneCfg())
    with pytest.raises(myriapod.FileError, match="nowhere.xml"):
        MyriapodBackend(SceneCfg(model_file=str(tmp_path / "nowhere.xml")))
    backend = go2(1)
    with pytest.raises(TypeError, match="float32"):
        backend.step_tensor(torch.zeros(1, 12, dtype=torch.float64))
    with pytest.raises(ValueError, match="cuda"):
        backend.get_state_views(device="cuda")
    backend.close()
