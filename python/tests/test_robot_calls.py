"""Names to numbers, what a model tells of its parts, inverse dynamics and Jacobians."""
import concurrent.futures

import myriapod
import numpy as np
import pytest

LINKED = """<robot name="linked"><link name="world"/>
<link name="arm"><inertial><mass value="2"/><origin xyz="0 0.5 0"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="hand"/>
<joint name="shoulder" type="revolute"><parent link="world"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="2" effort="7" velocity="3"/><dynamics damping="0.5" friction="0.25"/></joint>
<joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0 0.8 0"/></joint></robot>"""


@pytest.fixture(scope="module")
def linked():
    with pytest.warns(myriapod.ModelWarning, match="weigh nothing: hand"):
        return myriapod.Model.from_text(LINKED)


def states(robot, n, seed=4):
    random = np.random.default_rng(seed)
    q = np.tile(robot.home, (n, 1))
    q[:, 7:] += random.standard_normal((n, robot.nq - 7))
    q[:, 3:7] = random.standard_normal((n, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return q, random.standard_normal((n, robot.nv)), random.standard_normal((n, robot.nv))


def test_names_find_their_parts(robot):
    for kind, parts in (("joint", robot.joints), ("body", robot.bodies), ("geom", robot.geoms)):
        for i, part in enumerate(parts):
            assert part.index == i and getattr(robot, kind)(part.name) == part
    assert [robot.frame(name).index for name in robot.frames] == list(range(len(robot.frames)))
    knee = robot.joint("RH_KFE")
    assert robot.home[knee.q] == robot.home[knee.q : knee.q + knee.nq][0] and robot.joints[knee.index].body == "RH_SHANK"
    assert np.isclose(sum(body.mass for body in robot.bodies), robot.mass) and (robot.gravity == [0, 0, -9.81]).all()


@pytest.mark.parametrize("kind, wrong, words", [
    ("joint", "RH_KFEE", "no joint `RH_KFEE`.*did you mean 'RH_KFE'"),
    ("body", "bas", "no body `bas`.*'base'"),
    ("geom", "xyzzyxyzzy", "no geom.*there are: "),
    ("frame", "RH_FOOTT", "no frame.*'RH_FOOT'"),
    ("joint", 3, "joint is int, but must be a str"),
    ("joint", "a\0b", "zero byte"),
])
def test_unknown_names(robot, kind, wrong, words):
    with pytest.raises(ValueError, match=words):
        getattr(robot, kind)(wrong)


def test_parts_as_described(linked):
    shoulder, arm, hand = linked.joint("shoulder"), linked.body("arm"), linked.frame("hand")
    assert (shoulder.position, shoulder.axis, shoulder.dry_friction, shoulder.damping) == ((0, 0, 1), (1, 0, 0), 0.25, 0.5)
    assert (shoulder.lower, shoulder.upper, shoulder.effort_limit, shoulder.velocity_limit) == (-1, 2, 7, 3)
    assert (arm.mass, arm.com, arm.inertia, arm.parent) == (2, (0, 0.5, 0), (0.1, 0.1, 0.1, 0, 0, 0), -1)
    assert hand.body == arm.index and np.allclose(hand.position, (0, 0.8, 0)) and hand.quaternion == (1, 0, 0, 0)
    with pytest.raises(ValueError, match="`hand`.*does not move by itself.*body `arm`"):
        linked.body("hand")


def test_loops_tell_where_they_hold():
    builder = myriapod.ModelBuilder("pair")
    left, right = (builder.body(name, joint="revolute", position=(x, 0, 2), mass=1, inertia=(0.1, 0.1, 0.1, 0, 0, 0)) for name, x in (("left", 0), ("right", 1)))
    builder.coupling("gear", {right: 2.0}, driver=left, polynomial=(0, -3))
    gear = builder.compile().loops[0]
    assert (gear.type, gear.joints, gear.coefficients, gear.other) == ("coupling", (1,), (2.0,), 0)
    assert gear.polynomial == (0, -3, 0, 0, 0) and gear.position == ()


def test_inverse_dynamics(robot):
    q, v, rates = states(robot, 37)
    seen = myriapod.evaluate(robot, q, v, want=("M", "bias"))
    wanted = np.einsum("nij,nj->ni", seen.M, rates) + seen.bias
    tau = myriapod.inverse_dynamics(robot, q, v, rates)
    assert tau.shape == (37, 18) and np.allclose(tau, wanted, rtol=0, atol=1e-11)
    assert np.allclose(myriapod.evaluate(robot, q, v, tau).acceleration, rates, rtol=0, atol=1e-9)
    assert np.allclose(myriapod.inverse_dynamics(robot, q, v, rates, precision="f32"), wanted, rtol=0, atol=1e-3)
    assert (myriapod.inverse_dynamics(robot, q[3], v[3], rates[3]) == tau[3]).all()
    assert np.allclose(myriapod.inverse_dynamics(robot, q, v), seen.bias, rtol=0, atol=1e-11)
    assert np.allclose(myriapod.inverse_dynamics(robot, robot.home)[2], robot.mass * 9.81)
    assert myriapod.inverse_dynamics(robot, np.zeros((0, 19))).shape == (0, 18)


def test_neither_damping_nor_friction_is_in_it(linked):
    rest, moving = (myriapod.inverse_dynamics(linked, [0.0], [v]) for v in (0.0, 5.0))
    assert np.allclose(rest, [9.81]) and (rest == moving).all()


def test_jacobian(robot):
    q, v, _ = states(robot, 37, 5)
    seen = myriapod.evaluate(robot, q, v, want=("frame_velocity", "frame_jacobian"))
    for name in ("base", "LF_FOOT", "RH_SHANK"):
        frame = robot.frame(name)
        J = myriapod.jacobian(robot, name, q)
        assert J.shape == (37, 6, 18) and np.allclose(np.einsum("nij,nj->ni", J, v), seen.frame_velocity[:, frame.index], rtol=0, atol=1e-12)
        assert np.allclose(J[:, :3], seen.frame_jacobian[:, frame.index], rtol=0, atol=1e-13)
        assert (J == myriapod.jacobian(robot, frame, q)).all() and (J[5] == myriapod.jacobian(robot, frame.index, q[5])).all()
        assert np.allclose(J, myriapod.jacobian(robot, name, q, precision="f32"), rtol=0, atol=1e-5)
    legs = [j.v for j in robot.joints if not j.name.startswith("LF") and j.type != "free"]
    assert not myriapod.jacobian(robot, "LF_FOOT", q)[..., legs].any()


def test_wrong_inputs(robot):
    q, v, rates = states(robot, 3)
    bad = q.copy()
    bad[1, 8] = np.nan
    flat = q.copy()
    flat[2, 3:7] = 0
    for call, words in (
        (lambda: myriapod.inverse_dynamics(robot, bad, v, rates), r"q\[8\] of state 1 is nan"),
        (lambda: myriapod.inverse_dynamics(robot, q, v, rates[:2]), r"acceleration has shape \(2, 18\)"),
        (lambda: myriapod.inverse_dynamics(robot, q, v[:, :17], rates), "v has shape"),
        (lambda: myriapod.inverse_dynamics(robot, q[:, :18]), "q has shape"),
        (lambda: myriapod.inverse_dynamics(robot, flat), "state 2.*quaternion.*length 0"),
        (lambda: myriapod.jacobian(robot, "LF_FOOT", bad), "state 1 is nan"),
        (lambda: myriapod.jacobian(robot, "LF_FOT", q), "did you mean 'LF_FOOT'"),
        (lambda: myriapod.jacobian(robot, 99, q), "frame 99"),
        (lambda: myriapod.jacobian(robot, -1, q), "frame is -1"),
        (lambda: myriapod.jacobian(robot, 1.5, q), "frame is 1.5"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_many_threads_at_once(robot):
    q, v, rates = states(robot, 200)
    tau, J = myriapod.inverse_dynamics(robot, q, v, rates), myriapod.jacobian(robot, "RF_FOOT", q)

    def part(k):
        mine = slice(k, k + 25)
        if k % 50:  # messages of one thread are not another's
            with pytest.raises(ValueError, match=f"no frame `frame {k}`"):
                robot.frame(f"frame {k}")
        return ((myriapod.inverse_dynamics(robot, q[mine], v[mine], rates[mine]) == tau[mine]).all()
                and (myriapod.jacobian(robot, "RF_FOOT", q[mine]) == J[mine]).all())

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(part, [k % 175 for k in range(0, 2000, 25)]))


MESHED = """<mujoco><asset><mesh name="shell" file="gone.stl"/></asset><worldbody><body name="ball"><freejoint/>
<geom type="sphere" size="0.1"/><geom type="mesh" mesh="shell"/></body></worldbody></mujoco>"""


def test_meshes_may_be_skipped(tmp_path):
    path = tmp_path / "meshed.xml"
    path.write_text(MESHED)
    with pytest.warns(myriapod.ModelWarning):
        model = myriapod.Model(path, meshes="skip")
    assert [geom.type for geom in model.geoms] == ["sphere"]
    with pytest.raises(ValueError, match="meshes is 'drop'"):
        myriapod.Model(path, meshes="drop")


GEARED = """<mujoco><compiler angle="radian"/><option gravity="1 0.3 -8"/><worldbody><body name="trunk" pos="0 0 1"><freejoint name="root"/>
<geom type="box" size="0.1 0.2 0.3"/>
<body name="arm" pos="0.1 0.2 0"><joint name="elbow" axis="1 2 3" armature="0.7" damping="3"/><geom type="box" size="0.1 0.05 0.2" pos="0 0 0.2"/>
<body name="rod" pos="0 0 0.4" quat="0.6 0.8 0 0"><joint name="slide" type="slide" axis="0 1 0" armature="0.2"/><geom type="capsule" size="0.02 0.1"/>
<site name="tip" pos="0.1 0 0.3"/></body></body>
<body name="head" pos="0 -0.2 0.3"><joint name="neck" type="ball"/><geom type="box" size="0.1 0.12 0.14" pos="0.05 0 0.1"/></body></body></worldbody></mujoco>"""


def test_mujoco_says_the_same():
    mujoco = pytest.importorskip("mujoco")
    peer, model = mujoco.MjModel.from_xml_string(GEARED), myriapod.Model.from_text(GEARED)
    data, random, n = mujoco.MjData(peer), np.random.default_rng(8), 20
    q, v, rates = random.standard_normal((n, model.nq)), random.standard_normal((n, model.nv)), random.standard_normal((n, model.nv))
    for joint in model.joints:
        if joint.type in ("free", "ball"):
            turn = slice(joint.q + joint.nq - 4, joint.q + joint.nq)
            q[:, turn] /= np.linalg.norm(q[:, turn], axis=1, keepdims=True)
    tau, tip, head = myriapod.inverse_dynamics(model, q, v, rates), myriapod.jacobian(model, "tip", q), myriapod.jacobian(model, "head", q)
    for i in range(n):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[i], v[i], rates[i]
        mujoco.mj_fwdPosition(peer, data)
        mujoco.mj_fwdVelocity(peer, data)
        forces, J = np.zeros(model.nv), np.zeros((6, model.nv))
        mujoco.mj_rne(peer, data, 1, forces)
        assert np.allclose(tau[i], forces + peer.dof_armature * rates[i], rtol=1e-10, atol=1e-9)
        mujoco.mj_jacSite(peer, data, J[:3], J[3:], peer.site("tip").id)
        assert np.allclose(tip[i], J, rtol=0, atol=1e-12)
        mujoco.mj_jacBody(peer, data, J[:3], J[3:], peer.body("head").id)
        assert np.allclose(head[i], J, rtol=0, atol=1e-12)
