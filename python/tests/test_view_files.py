"""Trajectories, policies and shapes: what the viewer reads and writes, without a browser and without viser."""
import numpy as np
import pytest

import myriapod
from myriapod import Batch, Model, Policy, Trajectory
from myriapod.view import primitives, turns
from myriapod.view.frame import SlotPlaces, world_forces
from myriapod.view.shapes import look_at
from myriapod.view.timeline import TrajectorySource


# ---- trajectories ---------------------------------------------------------------------------------------------------


def test_a_trajectory_comes_back_as_it_was(tmp_path):
    with Batch("anymal", 3, task="trot", threads=1, decimation=5, sense=("contacts",)) as batch:
        trajectory = Trajectory.record(batch, 7, [2, 0])
        last = batch.get("q", [2, 0])
    trajectory.save(tmp_path / "t.npz")
    back = Trajectory.load(tmp_path / "t.npz")
    assert (back.robot, back.frames, back.envs) == ("anymal", 8, 2)
    assert back.dt == pytest.approx(5e-3) and back.step == pytest.approx(1e-3) and back.duration == pytest.approx(0.035)
    for name in ("q", "impulse", "contact_point"):
        assert np.array_equal(getattr(back, name), getattr(trajectory, name)), name
    assert np.array_equal(back.q[-1], last)
    assert list(tmp_path.iterdir()) == [tmp_path / "t.npz"]  # and no partial file


def test_one_environment_may_do_without_its_dimension():
    q = np.tile(Model("hopper").home, (4, 1))
    t = Trajectory("hopper", q, 0.1, impulse=np.zeros((4, 2, 3)))
    assert t.q.shape == (4, 1, 8) and t.impulse.shape == (4, 1, 2, 3)
    assert t.model().nq == 8


@pytest.mark.parametrize(
    "keys, words",
    [
        ({"q": np.zeros((2, 2, 2, 2))}, "q has shape"),
        ({"q": np.zeros((0, 19))}, "none of them 0"),
        ({"q": np.zeros((2, 19), int)}, "q has dtype int64"),
        ({"dt": 0.0}, "dt is 0.0"),
        ({"dt": np.nan}, "dt is nan"),
        ({"step": -1.0}, "step is -1.0"),
        ({"impulse": np.zeros((3, 1, 12, 3))}, "impulse has shape (3, 1, 12, 3)"),
    ],
)
def test_what_does_not_fit_is_refused(keys, words):
    with pytest.raises(myriapod.ArgumentError) as error:
        Trajectory(**{"robot": "anymal", "q": np.zeros((2, 19)), "dt": 0.1, **keys})
    assert words in str(error.value)


def test_the_robot_must_be_the_one(tmp_path):
    with pytest.raises(myriapod.ArgumentError, match="q has 8 positions per state, but robot 'anymal' has 19"):
        Trajectory("anymal", np.zeros((2, 8)), 0.1).model()
    with pytest.raises(myriapod.ArgumentError, match="impulse has 2 contact slots"):
        Trajectory("anymal", np.zeros((2, 19)), 0.1, impulse=np.zeros((2, 2, 3))).model()


def test_damaged_files_are_named_and_refused(tmp_path):
    good = tmp_path / "good.npz"
    Trajectory("anymal", np.random.default_rng(1).normal(size=(50, 2, 19)), 0.1).save(good)
    data = bytearray(good.read_bytes())
    half, flipped, text, array, poor = (tmp_path / f"{name}.npz" for name in ("half", "flipped", "text", "array", "poor"))
    half.write_bytes(data[: len(data) // 2])
    data[len(data) // 2] ^= 0xFF
    flipped.write_bytes(data)
    text.write_text("no numbers here")
    np.save(open(array, "wb"), np.zeros(3))
    np.savez(poor, q=np.zeros((2, 19)), robot="anymal")
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, q=np.array([{}], dtype=object), dt=0.1, robot="anymal")
    for path in (half, flipped, text, array, poor, pickled):
        with pytest.raises(myriapod.FormatError) as error:
            Trajectory.load(path)
        assert str(path) in str(error.value), path
    assert "`dt`" in str(pytest.raises(myriapod.FormatError, Trajectory.load, poor).value)
    with pytest.raises(myriapod.FileError, match="absent.npz"):
        Trajectory.load(tmp_path / "absent.npz")
    with pytest.raises(myriapod.FileError, match="nowhere"):
        Trajectory.load(good).save(tmp_path / "nowhere" / "t.npz")


def test_a_trajectory_shows_the_states_of_the_batch_it_was_made_of():
    with Batch("anymal", 2, task="trot", threads=1, precision="f64", sense=("bodies", "contacts")) as batch:
        batch.step(200)
        trajectory = Trajectory.record(batch, 5)
        poses, points, impulse = batch.get("body_pose"), batch.get("contact_point"), batch.get("impulse")
    source = TrajectorySource(trajectory)
    source.advance(1000)  # it stays at the last
    frame = source.frame(np.array([1, 0]))
    assert frame.time == pytest.approx(0.005)
    assert np.abs(frame.poses - poses[::-1]).max() < 1e-12
    assert np.array_equal(frame.points, points[::-1])
    assert np.allclose(frame.forces, impulse[::-1] / 1e-3, rtol=1e-12)
    source.close()


# ---- contacts -------------------------------------------------------------------------------------------------------


def test_slots_touch_where_the_library_says():
    with Batch("anymal", 4, task="drop", threads=1, precision="f64", sense=("bodies", "contacts")) as batch:
        batch.step(900)
        places = SlotPlaces(batch.model).points(batch.get("body_pose"))
        touching = np.abs(batch.get("impulse")).sum(-1) > 0
        assert touching.any()
        assert np.abs(places - batch.get("contact_point"))[touching].max() < 5e-3  # a step of 1 ms apart


def test_forces_carry_the_weight():
    with Batch("anymal", 1, threads=1, sense=("contacts",)) as batch:
        batch.step(2000)
        force = world_forces(batch.get("impulse"), batch.get("contact_normal"), 1e-3)
        assert force[0, :, 2].sum() == pytest.approx(9.81 * batch.model.mass, rel=0.02)
    tilted = world_forces(np.array([[[0.0, 0.0, 2.0]]]), np.array([[[0.6, 0.0, 0.8]]]), 0.5)
    assert np.allclose(tilted, [[[2.4, 0.0, 3.2]]])


# ---- policies -------------------------------------------------------------------------------------------------------


def _policy(**keys):
    r = np.random.default_rng(3)
    sizes = [48, 32, 16, 12]
    return Policy([r.normal(size=(b, a)) / 5 for a, b in zip(sizes, sizes[1:])], [r.normal(size=b) for b in sizes[1:]], **keys)


@pytest.mark.parametrize("activation, f", [("elu", lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)), ("tanh", np.tanh), ("relu", lambda x: x.clip(0))])
def test_a_policy_is_its_layers(activation, f, tmp_path):
    p = _policy(activation=activation, mean=np.arange(48), std=np.full(48, 2.0), task="anymal-flat", robot="anymal")
    p.save(tmp_path / "p.npz")
    back = Policy.load(tmp_path / "p.npz")
    assert (back.n_obs, back.n_act, back.task, back.robot, back.activation) == (48, 12, "anymal-flat", "anymal", activation)
    o = np.random.default_rng(4).normal(size=(7, 48)).astype(np.float32)
    x = (o.astype(float) - np.arange(48)) / 2
    for i, (w, b) in enumerate(zip(p.weights, p.biases)):
        x = x @ w.T.astype(float) + b
        x = f(x) if i < 2 else x
    actions = back(o)
    assert actions.dtype == np.float32 and actions.shape == (7, 12)
    assert np.allclose(actions, x, rtol=1e-4, atol=1e-4)
    with pytest.raises(myriapod.ArgumentError, match=r"\(7, 47\)"):
        back(o[:, 1:])


def test_a_wrong_policy_is_named_and_refused(tmp_path):
    path = tmp_path / "p.npz"
    w, b = np.zeros((4, 3)), np.zeros(4)
    for keys, words in (
        ({"w0": w}, "no `b0`"),
        ({"b0": b}, "no `w0`"),
        ({"w0": w, "b0": np.zeros(3)}, "b0 has 3"),
        ({"w0": w, "b0": b, "w1": np.zeros((2, 5)), "b1": np.zeros(2)}, "w1 has 5 columns"),
        ({"w0": w, "b0": b, "activation": "swish"}, "swish"),
        ({"w0": w * np.nan, "b0": b}, "not finite"),
        ({"w0": w, "b0": b, "n_obs": 9}, "n_obs is 9"),
    ):
        np.savez(path, **keys)
        with pytest.raises(myriapod.FormatError) as error:
            Policy.load(path)
        assert words in str(error.value) and str(path) in str(error.value)


def test_torchscript_is_a_policy_too(tmp_path):
    torch = pytest.importorskip("torch", reason="may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA")
    p = _policy()
    layers = []
    for w, b in zip(p.weights, p.biases):
        linear = torch.nn.Linear(w.shape[1], w.shape[0])
        linear.weight.data, linear.bias.data = torch.from_numpy(w), torch.from_numpy(b)
        layers += [linear, torch.nn.ELU()]
    torch.jit.script(torch.nn.Sequential(*layers[:-1])).save(str(tmp_path / "p.pt"))
    o = np.random.default_rng(5).normal(size=(9, 48)).astype(np.float32)
    policy = Policy.load(tmp_path / "p.pt")
    assert np.allclose(policy(o), p(o), rtol=1e-4, atol=1e-5)
    with pytest.raises(myriapod.ArgumentError, match="refuses"):
        policy(o[:, 1:])
    (tmp_path / "bad.pt").write_bytes(b"nothing")
    with pytest.raises(myriapod.FormatError, match="bad.pt"):
        Policy.load(tmp_path / "bad.pt")


# ---- shapes ---------------------------------------------------------------------------------------------------------


def _volume(mesh):
    a, b, c = (mesh[0][mesh[1][:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def test_primitives_are_closed_and_face_outwards():
    assert _volume(primitives.box((1, 2, 3))) == pytest.approx(48)
    assert _volume(primitives.sphere(1)) == pytest.approx(4 / 3 * np.pi, rel=0.03)
    assert _volume(primitives.cylinder(1, 2)) == pytest.approx(4 * np.pi, rel=0.03)
    assert _volume(primitives.capsule(1, 2)) == pytest.approx((4 + 4 / 3) * np.pi, rel=0.03)
    assert _volume(primitives.cone(1, 3)) == pytest.approx(np.pi, rel=0.03)


def test_turns():
    q = turns.from_rpy(np.array([0.3, -0.7, 1.1]))
    rx, ry, rz = (np.array(m) for m in (
        [[1, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]],
        [[np.cos(-0.7), 0, np.sin(-0.7)], [0, 1, 0], [-np.sin(-0.7), 0, np.cos(-0.7)]],
        [[np.cos(1.1), -np.sin(1.1), 0], [np.sin(1.1), np.cos(1.1), 0], [0, 0, 1]]))
    x = np.array([0.2, -0.4, 0.9])
    assert np.allclose(turns.rotate(q, x), rz @ ry @ rx @ x)
    assert np.allclose(turns.multiply(q, turns.conjugate(q)), turns.IDENTITY)
    for d in ([0, 0, 1], [0, 0, -1], [0.6, 0, -0.8], [0, 1, 0]):
        assert np.allclose(turns.rotate(turns.from_z_to(np.array(d, float)), np.array([0, 0, 1.0])), d)


@pytest.mark.parametrize("robot", ["anymal", "solo12", "hopper", "cube", "sphere", "double-pendulum", "chain-3"])
def test_every_body_of_the_robots_that_ship_is_seen(robot):
    model = Model(robot)
    look = look_at(model)
    assert {s.body for s in look.shapes} >= set(range(model.n_bodies)) and not look.warnings
    assert len(look.collision) <= len(model.geoms)
    for shape in [*look.shapes, *look.collision]:
        assert np.isfinite(shape.vertices).all() and shape.faces.max() < len(shape.vertices)


ROBOT = """<robot name="r"><material name="m"><color rgba="1 0 0 1"/></material>
<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="plate">{plate}</link>
<joint name="weld" type="fixed"><parent link="base"/><child link="plate"/><origin xyz="0 0 2" rpy="0 0 1.5707963267948966"/></joint>
<link name="arm"><inertial><mass value="1"/><origin xyz="0 0 1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="plate"/><child link="arm"/><axis xyz="0 1 0"/><origin xyz="3 0 0"/><limit effort="1" velocity="1"/></joint>
</robot>"""


def test_fixed_links_are_drawn_on_the_body_that_carries_them():
    plate = '<visual><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry><material name="m"/></visual>'
    look = look_at(Model.from_text(ROBOT.format(plate=plate)))
    ball = next(s for s in look.shapes if s.color == (1, 0, 0, 1))
    assert ball.body == 0 and np.allclose(ball.vertices.mean(0), [0, 1, 2], atol=1e-2)
    assert {s.body for s in look.shapes} == {0, 1}  # the arm has neither look nor collision: a rod stands in
    assert not look.warnings


def test_a_link_whose_mesh_is_missing_is_drawn_by_what_collides_or_its_inertia():
    """Also where another shape of the body is there: a torso must not vanish because the camera on it has a box."""
    inertial = '<inertial><mass value="3"/><origin xyz="0 0 5"/><inertia ixx="0.13" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>'
    missing = '<visual><geometry><mesh filename="absent.stl"/></geometry><material name="m"/></visual>'
    small = '<visual><geometry><box size="0.01 0.01 0.01"/></geometry></visual>'
    ball = '<collision><origin xyz="0 0 1"/><geometry><sphere radius="0.3"/></geometry></collision>'

    def red(plate):
        look = look_at(Model.from_text(ROBOT.format(plate=plate)))
        assert len(look.warnings) == 1 and "`plate`" in look.warnings[0] and "drawn instead" in look.warnings[0]
        return next(s.vertices for s in look.shapes if s.color == (1, 0, 0, 1))

    vertices = red(small + missing + ball)
    assert np.allclose((vertices.max(0) + vertices.min(0)) / 2, [0, 0, 3], atol=0.02) and np.ptp(vertices, axis=0) == pytest.approx([0.6, 0.6, 0.6], rel=0.05)
    vertices = red(small + missing + inertial)  # half extents 0.1, 0.2, 0.3: ixx = 3 / 3 (0.2^2 + 0.3^2); turned by a quarter about z
    assert np.allclose((vertices.max(0) + vertices.min(0)) / 2, [0, 0, 7]) and np.ptp(vertices, axis=0) == pytest.approx([0.4, 0.2, 0.6])


@pytest.mark.parametrize("robot", ["double-pendulum", "chain-3"])
def test_robots_without_slots_are_looked_at(robot):
    from myriapod.view.live import batch_source

    source = batch_source(Model(robot), 3, threads=1)
    source.advance(2)
    frame = source.frame(np.array([2, 0]))
    assert np.isfinite(frame.poses).all() and frame.forces.shape == (2, source.model.n_slots, 3)
    source.close()


def test_meshes_are_found_or_missed_with_a_warning(tmp_path, monkeypatch):
    pytest.importorskip("trimesh")
    package = tmp_path / "robots_pkg"
    (package / "meshes").mkdir(parents=True)
    (package / "urdf").mkdir()
    stl = "solid t\n" + "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n" + "endsolid t\n"
    (package / "meshes" / "t.stl").write_text(stl)
    (package / "meshes" / "bad.stl").write_text("nothing")
    visual = '<visual><geometry><mesh filename="{}" scale="2 2 2"/></geometry></visual>'
    names = ["package://robots_pkg/meshes/t.stl", "../meshes/t.stl", "package://elsewhere/t.stl", "../meshes/bad.stl"]
    names += [f"{'m' * 300}.stl", f"package://robots_pkg/{'m' * 300}.stl"]  # no file can be called so
    path = package / "urdf" / "r.urdf"
    path.write_text(ROBOT.format(plate="".join(visual.format(n) for n in names) + '<visual><geometry><box size="1 1"/></geometry></visual>'))
    look = look_at(Model(path))
    mesh = next(s for s in look.shapes if s.flat)
    assert len(mesh.faces) == 2 and mesh.vertices.max() == pytest.approx(2.0)
    assert len(look.warnings) == 5
    assert "package://elsewhere/t.stl` is not there" in look.warnings[0] and "bad.stl" in look.warnings[1] and "'1 1'" in look.warnings[4]
    assert all("mmm.stl` is not there" in w for w in look.warnings[2:4])
    assert all("`plate`" in w for w in look.warnings)


def test_the_command_takes_mjcf_and_recordings_of_it(tmp_path):
    from myriapod.view import ViewError
    from myriapod.view.__main__ import _parser, make_source

    robot, recording = tmp_path / "crane.xml", tmp_path / "crane.rec"
    robot.write_text('<mujoco model="crane"><asset><mesh name="gone" file="gone.stl"/></asset><worldbody><body><joint axis="0 0 1"/>'
                     '<geom size=".1"/><geom type="mesh" mesh="gone" mass="0"/></body></worldbody></mujoco>')
    with pytest.warns(myriapod.ModelWarning, match="meshes"), myriapod.Batch(Model(robot, meshes="skip"), 2) as batch, \
            myriapod.Recording.create(batch, recording, (0, 1), ("q",)) as frames:
        frames.append()

    def source(*words):
        return make_source(_parser().parse_args([*map(str, words)]))

    with pytest.warns(myriapod.ModelWarning, match="meshes"):
        for words in ((robot, "--envs", 2, "--meshes", "skip"), (recording, "--robot", robot, "--meshes", "skip")):
            shown = source(*words)
            assert shown.model.name == "crane" and shown.envs == 2
            shown.close()
    with pytest.raises(ViewError, match="crane.*--robot FILE"):
        source(recording)
    with pytest.raises(ViewError, match="dt=x"):
        source(recording, "--set", "dt=x")
    with pytest.raises(myriapod.FormatError, match="gone.stl"):
        source(robot)
