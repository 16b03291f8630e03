"""Meshes: what becomes of them, and where they are looked for."""
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
