"""Actuators as objects: in an order of their own, on tendons, with gains, ranges and keyframes of the file."""
import pickle

import myriapod
import numpy as np
import pytest

MJCF = """<mujoco><option gravity="0 0 0"/><worldbody>
<body><joint name="a" type="slide"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body>
<body><joint name="b" type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
<body><joint name="c" type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
<tendon><fixed name="t"><joint joint="b" coef="2"/><joint joint="c" coef="-1"/></fixed></tendon>
<actuator><position name="pull" tendon="t" kp="30" kv="3" ctrlrange="-1 1"/><motor name="push" joint="a" gear="4" ctrlrange="-2 3"/></actuator>
<keyframe><key name="home" qpos=".1 .2 .3"/><key name="far" qpos="1 2 3" ctrl=".5 -1"/></keyframe></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return myriapod.Model.from_text(MJCF, "sliders.xml")


def test_a_model_tells_of_them(model):
    pull, push = model.actuators
    assert (pull.name, pull.joints, pull.moments, pull.kp, pull.kd, pull.controls) == ("pull", (1, 2), (2.0, -1.0), 30.0, 3.0, "target")
    assert (push.controls, push.control_scale, push.lower, push.upper) == ("torque", 4.0, -8.0, 12.0)
    assert pull.home_target == pytest.approx(0.1) and push.home_torque == 0
    assert model.actuator("push") == push and [j.u for j in model.joints] == [1, 0, 0]
    with pytest.raises(myriapod.ArgumentError, match="'push'"):
        model.actuator("psuh")


def test_controls_are_targets_and_torques(model):
    with myriapod.Batch(model, 3, task="none", precision="f64") as batch:
        batch.control = np.array([[5.0, 0.5], [-0.25, -9.0], [0.5, 1.0]])
        assert np.array_equal(batch.target[:, 0], [1, -0.25, 0.5]) and np.array_equal(batch.torque[:, 1], [2, -8, 4])
        batch.step(3)
        with myriapod.Batch(model, 3, task="none", precision="f64") as other:
            other.rollout(np.repeat(np.array([[[5.0, 0.5]], [[-0.25, -9.0]], [[0.5, 1.0]]]), 3, 1), control_field="control")
            assert np.array_equal(batch.q, other.q)


def test_home_is_a_keyframe_or_any_pose(model):
    assert np.allclose(model.home, [0.1, 0.2, 0.3]) and set(model.keyframes) == {"home", "far"}
    far = myriapod.Model.from_text(MJCF, "sliders.xml", keyframe="far")
    assert np.array_equal(far.home, [1, 2, 3]) and far.actuators[0].home_target == 0.5 and far.actuators[1].home_torque == -4
    own = myriapod.Model.from_text(MJCF, "sliders.xml", home=np.array([0.0, 1.0, 0.5]))
    assert np.array_equal(own.home, [0, 1, 0.5]) and own.actuators[0].home_target == 1.5
    assert pickle.loads(pickle.dumps(far)).hash == far.hash and pickle.loads(pickle.dumps(own)).hash == own.hash
    with pytest.raises(myriapod.ArgumentError, match="far"):
        myriapod.Model.from_text(MJCF, "sliders.xml", keyframe="fra")
    with pytest.raises(myriapod.ArgumentError, match="shape"):
        myriapod.Model.from_text(MJCF, "sliders.xml", home=[[1.0]])


def test_builders_take_them():
    builder = myriapod.ModelBuilder("two")
    one = builder.body("one", joint="prismatic", mass=1, inertia=(1, 1, 1, 0, 0, 0))
    two = builder.body("two", joint="prismatic", mass=1, inertia=(1, 1, 1, 0, 0, 0))
    builder.actuator({one: 1.0, two: -2.0}, "both", kp=7.0, upper=3.0)
    built = builder.compile()
    assert built.nu == 1 and built.actuators[0].moments == (1.0, -2.0) and built.actuators[0].upper == 3
    with pytest.raises(myriapod.ArgumentError, match="'kq'"):
        builder.actuator(one, "other", kq=1)
    builder = myriapod.ModelBuilder("limp")
    builder.body("one", joint="prismatic", mass=1, inertia=(1, 1, 1, 0, 0, 0))
    builder.passive()
    assert builder.compile().nu == 0


def test_tasks_on_arrays_act_in_their_order(model):
    pytest.importorskip("gymnasium")
    from myriapod.envs.numpy_task import NumpyTask

    class Still(NumpyTask):
        robot, observation_size, episode_s = model, 3, 1.0

        def observe(self):
            return self.batch.q

        def reward(self, actions):
            return np.zeros(self.num_envs)

    task = Still(2)
    task.reset()
    task.control(np.array([[0.5, 0.25], [0.0, 0.0]]))
    assert np.allclose(task.batch.target, [[0.6, 0.35], [0.1, 0.1]])
