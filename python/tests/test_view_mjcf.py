"""What is drawn of an MJCF: the geoms that MuJoCo shows, where MuJoCo has them."""
import struct
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod import Model
from myriapod.view.live import batch_source
from myriapod.view.mjcf import Description
from myriapod.view.offscreen import Studio
from myriapod.view.shapes import body_poses, look_at

pytestmark = pytest.mark.filterwarnings("ignore::myriapod.ModelWarning")

ROBOT = """<?xml version="1.0"?><!-- <robot name="none"/> -->
<mujoco model="arm">
  <compiler angle="degree" eulerseq="XYz" meshdir="meshes"/>
  <include file="classes.xml"/>
  <asset>
    <material name="shell" rgba="0.9 0.1 0.1 1"/>
    <mesh file="wedge.stl" scale="0.5 -1 2" refpos="0.1 0 0.2" refquat="0.9 0.1 0.3 -0.2"/>
    <mesh name="inline" vertex="0 0 0  .2 0 0  0 .2 0  0 0 .2"/>
  </asset>
  <worldbody>
    <geom type="plane" size="5 5 1" rgba="0 1 0 1"/>
    <geom name="post" class="visual" type="cylinder" size=".05 .2" pos="1 0 .2" zaxis="1 1 2"/>
    <body name="base" pos="0 0 1" childclass="robot">
      <freejoint/>
      <geom class="collision" size=".1"/>
      <geom class="visual" type="mesh" mesh="wedge" pos=".1 .2 .3" euler="10 20 30" material="shell"/>
      <frame pos="0 0 .5" axisangle="1 2 3 40">
        <geom class="visual" mesh="inline" type="mesh" xyaxes="1 1 0 -1 .5 .3" rgba="0 0 1 1"/>
        <body pos=".1 0 0" quat=".7 .1 -.2 .4">
          <joint axis="0 1 0" pos="0 0 .1" ref="15"/>
          <geom class="collision" type="box" size=".02 .03 .04" mass="1"/>
          <geom class="visual" type="capsule" fromto="0 0 0 .1 .2 .3" size=".02" rgba=".1 .8 .1 1"/>
          <body name="tip" pos="0 .1 0" euler="5 6 7">
            <geom class="visual" type="ellipsoid" size=".01 .02 .05" euler="0 90 0"/>
            <geom class="visual" type="box" size=".1 .1 .1" rgba="1 1 1 0"/>
          </body>
        </body>
      </frame>
    </body>
    <replicate count="2" offset="0 .5 0" euler="0 0 30">
      <body name="leg" pos="0 0 2"><joint axis="1 0 0"/><geom size=".05 .1" type="capsule" rgba="1 1 0 1"/></body>
    </replicate>
  </worldbody>
</mujoco>"""
CLASSES = """<mujocoinclude><default><geom density="500"/>
<default class="robot"><default class="visual"><geom contype="0" conaffinity="0" group="2" mass="0"/></default>
<default class="collision"><geom group="3"/></default></default></default></mujocoinclude>"""


@pytest.fixture
def robot(tmp_path):
    corners = np.array([[0, 0, 0], [0.4, 0, 0], [0, 0.3, 0], [0, 0, 0.2], [0.4, 0, 0.2], [0, 0.3, 0.2]], np.float32)
    faces = [(0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5)]
    data = b"".join(struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in faces)
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "wedge.stl").write_bytes(bytes(80) + struct.pack("<I", len(faces)) + data)
    (tmp_path / "classes.xml").write_text(CLASSES)
    (tmp_path / "arm.xml").write_text(ROBOT)
    return tmp_path / "arm.xml"


def _world(model: Model, look, q) -> list[tuple[tuple, np.ndarray]]:
    """Colour and vertices [m] in the world of all shapes, at a configuration."""
    from myriapod.view import turns

    with myriapod.Batch(model, 1, task="none", threads=1, precision="f64", sense=("bodies",)) as batch:
        batch.set("q", q[None])
        poses = body_poses(batch)[0]
    return [(s.color, s.vertices if s.body < 0 else turns.rotate(poses[s.body, 3:], s.vertices) + poses[s.body, :3]) for s in look.shapes]


def test_geoms_are_where_mujoco_has_them(robot):
    """Corners of boxes around each shape, turned as the world; of a configuration that is not the home."""
    pytest.importorskip("trimesh")
    mujoco = pytest.importorskip("mujoco")
    model, theirs = Model(robot), mujoco.MjModel.from_xml_path(str(robot))
    look = look_at(model)
    assert not look.warnings
    data = mujoco.MjData(theirs)
    q = np.array([0.3, -0.2, 1.4, 0.8, 0.1, -0.5, 0.3, 0.6, -0.4, 0.9])
    q[3:7] /= np.linalg.norm(q[3:7])
    assert theirs.nq == model.nq == len(q)
    data.qpos[:] = q
    mujoco.mj_kinematics(theirs, data)
    expected = []
    for g in range(theirs.ngeom):
        kind, rgba = theirs.geom_type[g], theirs.geom_rgba[g].copy()
        if theirs.geom_matid[g] >= 0:
            rgba = theirs.mat_rgba[theirs.geom_matid[g]]
        if theirs.geom_group[g] > 2 or rgba[3] == 0 or kind == mujoco.mjtGeom.mjGEOM_PLANE:
            continue
        size = theirs.geom_size[g]
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            m = theirs.geom_dataid[g]
            points = theirs.mesh_vert[theirs.mesh_vertadr[m] : theirs.mesh_vertadr[m] + theirs.mesh_vertnum[m]]
        else:
            from myriapod.view import primitives

            points = {mujoco.mjtGeom.mjGEOM_CAPSULE: lambda: primitives.capsule(size[0], size[1])[0],
                      mujoco.mjtGeom.mjGEOM_CYLINDER: lambda: primitives.cylinder(size[0], size[1])[0],
                      mujoco.mjtGeom.mjGEOM_ELLIPSOID: lambda: primitives.sphere(1.0)[0] * size}[mujoco.mjtGeom(kind)]()
        expected.append((rgba, points @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]))
    found = _world(model, look, q)
    assert len(found) == len(expected) == 7
    for rgba, points in expected:
        like = [v for color, v in found if np.abs(np.concatenate([v.max(0) - points.max(0), v.min(0) - points.min(0)])).max() < 3e-3]
        assert like, (rgba, points.mean(0))
    for color in ((0.9, 0.1, 0.1, 1), (0, 0, 1, 1), (0.1, 0.8, 0.1, 1), (1, 1, 0, 1)):
        assert any(np.allclose(color, c) for c, _ in found)


def test_the_corners_of_a_mesh_are_mujocos(robot):
    """Each of them, not the box around: scaled, mirrored, moved and turned by refpos and refquat."""
    pytest.importorskip("trimesh")
    mujoco = pytest.importorskip("mujoco")
    model, theirs = Model(robot), mujoco.MjModel.from_xml_path(str(robot))
    data = mujoco.MjData(theirs)
    data.qpos[:] = model.home
    mujoco.mj_kinematics(theirs, data)
    red = next(v for color, v in _world(model, look_at(model), model.home) if np.allclose(color, (0.9, 0.1, 0.1, 1)))
    g = next(g for g in range(theirs.ngeom) if theirs.geom_matid[g] >= 0)
    m = theirs.geom_dataid[g]
    corners = theirs.mesh_vert[theirs.mesh_vertadr[m] : theirs.mesh_vertadr[m] + theirs.mesh_vertnum[m]] @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
    assert np.linalg.norm(red[:, None] - corners, axis=-1).min(1).max() < 1e-5 and np.linalg.norm(red[:, None] - corners, axis=-1).min(0).max() < 1e-5


def test_visual_geoms_are_in_the_picture_and_collision_shapes_are_not(robot):
    pytest.importorskip("trimesh")
    source = batch_source(Model(robot), 1, threads=1)
    image = Studio(source, np.array([0]), 320, 200).picture().astype(int)
    source.close()
    r, g, b = (image[..., k] for k in range(3))
    assert ((r > 80) & (g < 0.5 * r) & (b < 0.5 * r)).sum() > 50  # the mesh's red
    assert ((r > 80) & (g > 0.8 * r) & (b < 0.5 * r)).sum() > 50  # the yellow legs, whose geoms touch


def test_a_mesh_that_cannot_be_drawn_is_named(robot):
    (robot.parent / "meshes" / "wedge.stl").unlink()
    look = look_at(Model(robot, meshes="skip"))
    assert len(look.warnings) == 1 and "body `base`" in look.warnings[0] and "wedge" in look.warnings[0] and "is not there" in look.warnings[0]
    model = Model(robot, meshes="skip")
    size = [np.ptp(s.vertices, axis=0).max() for s in look.shapes if s.body == 0]
    assert any(x == pytest.approx(0.2, rel=0.02) for x in size), size  # the sphere that collides stands in
    assert {s.body for s in look.shapes} >= set(range(model.n_bodies))


def test_the_robots_step_does_not_know(robot):
    """Visual geoms are the viewer's alone: the model has those that touch."""
    pytest.importorskip("trimesh")
    assert sorted(g.type for g in Model(robot).geoms) == ["box", "capsule", "capsule", "sphere"]


def test_what_is_wrong_is_no_end():
    lines = []
    found = Description("<mujoco><worldbody><body name='a'><geom size='x'/><geom type='box' size='1'/><geom type='mesh' mesh='none'/><geom size='1'/>"
                        "<geom quat='0 0 0 0' size='nan'/></body></worldbody></mujoco>", Path("/nowhere"), lines.append)
    assert len(found.visuals) == 1 and len(lines) == 4 and all("body `a`" in line for line in lines)
    with pytest.raises(ValueError, match="not XML"):
        Description("<mujoco>", None, lines.append)
