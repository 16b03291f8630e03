"""Meshes: loaded or skipped, and where they are looked for."""
import contextlib
import pickle

import pytest

import myriapod

CUBE = "".join(f"v {x} {y} {z}\n" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
ROBOT = ('<robot name="m"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
         '<collision><geometry><mesh filename="package://parts/cube.obj" scale="1 2 3"/></geometry></collision></link></robot>')


def test_meshes_are_found_skipped_or_missed(tmp_path):
    robot, parts = tmp_path / "robots" / "m.urdf", tmp_path / "elsewhere" / "parts"
    robot.parent.mkdir()
    parts.mkdir(parents=True)
    robot.write_text(ROBOT)
    (parts / "cube.obj").write_text(CUBE)
    with pytest.raises(myriapod.FormatError, match=r"parts/cube\.obj.*--meshes skip"):
        myriapod.Model(robot)
    with pytest.warns(myriapod.ModelWarning, match="mesh"):
        assert not myriapod.Model(robot, meshes="skip").geoms
    with pytest.raises(myriapod.FormatError, match="strict"):
        myriapod.Model(robot, meshes="skip", strict=True)
    with pytest.raises(myriapod.ArgumentError, match="meshes"):
        myriapod.Model(robot, meshes="sometimes")
    for path in (parts.parent, str(parts), [tmp_path, parts.parent]):
        model = myriapod.Model(robot, mesh_path=path)
        assert len(model.geoms[0].points) == 8 and model.geoms[0].hull_error == 0
        assert max(p[2] for p in model.geoms[0].points) == pytest.approx(0.3)
        assert pickle.loads(pickle.dumps(model)).hash == model.hash


def test_hulls_have_as_many_corners_as_asked_for(tmp_path):
    ball = "".join(f"v {x} {y} {z}\n" for x in (-3, -1, 1, 3) for y in (-3, -1, 1, 3) for z in (-3, -1, 1, 3) if x * x + y * y + z * z == 11)
    (tmp_path / "ball.obj").write_text(ball)
    robot = tmp_path / "m.urdf"
    robot.write_text(ROBOT.replace("package://parts/cube.obj", "ball.obj"))
    for corners in (4, 12, 24, 64):
        model = myriapod.Model(robot, hull_corners=corners) if corners >= 24 else None
        if model is None:
            with pytest.warns(myriapod.ModelWarning, match=f"at most {corners} corners"):
                model = myriapod.Model(robot, hull_corners=corners)
        assert len(model.geoms[0].points) == min(corners, 24) and (model.geoms[0].hull_error > 0) == (corners < 24)
        with pytest.warns(myriapod.ModelWarning) if corners < 24 else contextlib.nullcontext():
            assert pickle.loads(pickle.dumps(model)).hash == model.hash
    for wrong in (3, 65, 8.5, True):
        with pytest.raises(myriapod.ArgumentError, match="hull_corners"):
            myriapod.Model(robot, hull_corners=wrong)


def test_arguments_of_a_wrong_type_are_named(tmp_path):
    robot = tmp_path / "m.urdf"
    robot.write_text(ROBOT)
    with pytest.raises(myriapod.ArgumentError, match="mesh_path is int"):
        myriapod.Model(robot, mesh_path=3)
    with pytest.raises(myriapod.ArgumentError, match="home has dtype"):
        myriapod.Model(robot, meshes="skip", home="stand")
