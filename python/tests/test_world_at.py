"""Shapes of the world: where they are, in each environment."""
import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, StateError

SCENE = """<mujoco><asset><mesh name="slab" vertex="0 0 0 1 0 0 0 1 0 1 1 0 0 0 .2 1 0 .2 0 1 .2 1 1 .2"/></asset><worldbody>
<geom type="plane" size="1 1 1"/><geom name="crate" type="box" size=".3 .3 .25" pos="0 0 .25"/>
<geom name="slab" type="mesh" mesh="slab" pos="2 -.5 .1"/>
<body pos="0 0 .62"><freejoint/><geom size=".1"/></body><body pos="2.5 0 .45"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def scene():
    return myriapod.load(SCENE)


def heights(batch):
    return batch.q[:, [2, 9]]


def test_shapes_are_where_the_model_has_them(scene):
    fixed = [geom for geom in scene.geoms if geom.body < 0]
    assert [geom.name for geom in fixed] == ["crate", "slab"] and scene.n_world == 2
    with myriapod.Batch(scene, 5, threads=1, precision="f64") as batch:
        assert batch.shape("world_at") == (5, 2, 3) and "world_at" in batch.fields
        np.testing.assert_array_equal(batch.world_at, np.tile([geom.position for geom in fixed], (5, 1, 1)))
        batch.step(400)
        np.testing.assert_allclose(heights(batch), np.tile([0.6, 0.4], (5, 1)), atol=1e-6)


def test_each_environment_has_its_own_places(scene):
    with myriapod.Batch(scene, 3, threads=1, precision="f64") as batch:
        places = batch.get("world_at")
        places[1, 0] = 9.0, 9.0, 0.25  # the ball falls to the ground
        places[2, :, 2] -= 0.125, 0.0625
        batch.world_at = places
        assert np.array_equal(batch.world_at, places)
        batch.step(400)
        np.testing.assert_allclose(heights(batch), [[0.6, 0.4], [0.1, 0.4], [0.475, 0.3375]], atol=1e-6)
        batch.reset()
        assert np.array_equal(batch.world_at, places)  # a reset leaves parameters


def test_files_and_recordings_have_places(scene, tmp_path):
    with myriapod.Batch(scene, 2, threads=1) as batch, myriapod.Batch(scene, 2, threads=1) as again:
        batch.set("world_at", batch.world_at[:1] + 0.125, ids=[1])
        batch.step(3)
        batch.save(tmp_path / "b")
        again.restore(tmp_path / "b")
        assert np.array_equal(again.world_at, batch.world_at) and again.hash() == batch.hash()
        with myriapod.Recording.create(batch, tmp_path / "r", envs=[1], fields=("q", "world_at"), every=1) as recording:
            recording.append()
        with myriapod.Recording.open(tmp_path / "r") as recording:
            assert np.array_equal(recording["world_at"].reshape(2, 3), batch.world_at[1])


def test_what_may_not_be(scene, robot):
    with myriapod.Batch(robot, 1, threads=1) as batch:
        assert robot.n_world == 0 and "world_at" not in batch.fields
        with pytest.raises(StateError, match="geoms fixed to the world"):
            batch.world_at = 0.0
    with myriapod.Batch(scene, 2, threads=1) as batch:
        places = batch.get("world_at")
        places[1, 1, 2] = np.nan
        batch.world_at = places
        batch.step()
        assert batch.quarantined.tolist() == [0, 4]
    arm = myriapod.load("""<mujoco><worldbody><geom name="far" size=".1" pos="5 0 0"/><body><joint axis="0 1 0"/>
        <geom type="capsule" size=".05" fromto="0 0 -.2 0 0 -.6"/></body></worldbody></mujoco>""")
    with myriapod.Batch(arm, 1, threads=1) as batch:
        with pytest.raises(ArgumentError, match="`far` stays where it is.*self-collision `all`"):
            batch.world_at = 0.0


def test_pictures_and_recordings_show_them(scene, tmp_path):
    from myriapod.view.live import SENSE, BatchSource
    from myriapod.view.offscreen import Studio
    from myriapod.view.timeline import TrajectorySource

    with myriapod.Batch(scene, 3, threads=1, sense=SENSE) as batch:
        studio = Studio(BatchSource(batch), np.arange(3), 240, 160)
        still, alone = studio.placed(), Studio(BatchSource(batch), np.array([1]), 240, 160)
        before = alone.picture()
        batch.world_at = batch.world_at  # no change
        assert np.array_equal(studio.placed().world, still.world) and np.array_equal(alone.picture(), before)
        places = batch.get("world_at")
        own = places[0].copy()
        places[1, 0] += 0.5, 0.25, 0.125
        batch.world_at = places
        placed = studio.placed()
        np.testing.assert_allclose(placed.world[:, :2] - placed.shift[:, None], places - own, atol=1e-6)
        after = alone.picture()
        assert (before != after).any(-1).sum() > 50
        batch.world_at = places[0]
        assert np.array_equal(alone.picture(), before)
        batch.world_at = places
        with myriapod.Recording.create(batch, tmp_path / "r", envs=[0, 1, 2], fields=("q", "world_at"), every=1) as recording:
            recording.append()
        with myriapod.Recording.open(tmp_path / "r") as recording:
            (tmp_path / "scene.xml").write_text(SCENE)
            trajectory = myriapod.Trajectory(str(tmp_path / "scene.xml"), recording["q"], 0.01)
            source = TrajectorySource(trajectory, world_at=recording["world_at"])
            np.testing.assert_allclose(source.frame(np.array([2, 1])).world_at, places[[2, 1]])
            source.close()
