"""Shapes of the world in pictures and in the browser: each robot has its own around it, where its environment has them."""
import numpy as np
import pytest

import myriapod
from myriapod import Terrain
from myriapod.view.__main__ import main
from myriapod.view.live import SENSE, BatchSource
from myriapod.view.offscreen import Studio
from myriapod.view.shapes import look_at


def scene(stone=(0.0, 0.0, 0.1)):
    return f"""<mujoco model="stones"><asset><mesh name="wedge" vertex="0 0 0 .4 0 0 0 .4 0 .4 .4 0 0 0 .2"/></asset><worldbody><geom type="plane" size="1 1 1"/>
    <geom name="stone" type="box" size=".3 .3 .1" pos="{stone[0]} {stone[1]} {stone[2]}" rgba="1 0 0 1"/>
    <geom name="wedge" type="mesh" mesh="wedge" pos="-1 0 0" rgba="0 0 1 1"/>
    <geom name="sign" type="box" size=".05 .3 .1" pos="1 0 .5" rgba="0 1 0 1" contype="0" conaffinity="0"/>
    <body name="ball" pos="0 0 .8"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


def batch_of(text, envs, **options):
    return myriapod.Batch(myriapod.Model.from_text(text), envs, threads=1, task="none", sense=SENSE, **options)


def red(image):
    return int(((image[..., 0] > 100) & (image[..., 1] < 0.3 * image[..., 0]) & (image[..., 2] < 0.3 * image[..., 0])).sum())


def test_what_is_drawn_of_the_world_goes_with_its_geoms():
    look = look_at(myriapod.Model.from_text(scene()))
    colors = {shape.geom: shape.color for shape in look.shapes if shape.body < 0}
    assert colors == {0: (1, 0, 0, 1), 1: (0, 0, 1, 1), -1: (0, 1, 0, 1)}
    np.testing.assert_allclose(look.places, [[0, 0, 0.1], [-1, 0, 0]])
    assert [shape.geom for shape in look.collision if shape.body < 0] == [0, 1]


def test_pictures_are_those_of_a_model_that_has_them_there():
    moved = (0.0, 0.25, 0.25)
    with batch_of(scene(), 2) as batch, batch_of(scene(moved), 1) as wanted, batch_of(scene(), 1) as other:
        batch.set("world_at", [[moved, [-1, 0, 0]]], ids=[1])
        look = look_at(batch.model)
        images = [Studio(BatchSource(b), np.array([env]), 240, 160, look=None if b is wanted else look).picture()
                  for b, env in ((batch, 0), (batch, 1), (wanted, 0), (other, 0))]
        assert np.array_equal(images[1], images[2]) and np.array_equal(images[0], images[3]) and not np.array_equal(images[0], images[1])
        assert red(images[0]) > 100


def test_each_robot_side_by_side_has_its_own():
    with batch_of(scene(), 4) as batch:
        batch.set("world_at", [[[0, 0, 0.3], [-1, 0, 0]]], ids=[2])
        studio = Studio(BatchSource(batch), np.arange(4), 480, 320)
        placed = studio.placed()
        own = placed.world - placed.shift[:, None]
        wanted = np.zeros((4, 3, 3))
        wanted[2, 0, 2] = 0.2
        np.testing.assert_allclose(own, wanted, atol=1e-7)
        assert len({tuple(place) for place in np.round(placed.world[:, -1], 6)}) == 4
        assert studio.stage.spacing > 2 * 1.0  # worlds that do not reach into each other
        batch.set("world_at", np.full((1, 2, 3), np.nan), ids=[1])
        assert (studio.placed().world[1, :2, 2] < -100).all()
        four = red(studio.picture())
        batch.world_at = [[0, 0, -50], [-1, 0, 0]]
        assert red(studio.picture()) == 0 and four > 300


def test_on_a_map_they_are_where_the_robot_is():
    with myriapod.Batch(myriapod.Model.from_text(scene()).on(Terrain(np.zeros((81, 81)), cell=0.25)), 2, threads=1, task="none", sense=SENSE) as batch:
        batch.ground_at = [[-3, 0, 0], [3, 1, 0]]
        placed = Studio(BatchSource(batch), np.arange(2), 240, 160).placed()
        np.testing.assert_allclose(placed.world[1] - placed.world[0], [[6, 1, 0]] * 3, atol=1e-6)


def test_a_recording_shows_where_they_were(tmp_path):
    robot, path = tmp_path / "stones.xml", str(tmp_path / "stones.rec")
    robot.write_text(scene())
    with myriapod.Batch(str(robot), 2, threads=1, task="none") as batch:
        pictures = []
        for name, fields in (("with", ("q", "world_at")), ("without", ("q",))):
            batch.world_at = [[0, 0.2, 0.3], [-1, 0, 0]]
            with myriapod.Recording.create(batch, path + name, envs=[0, 1], fields=fields, every=1) as recording:
                recording.append()
            png = tmp_path / f"{name}.png"
            assert main([path + name, "--robot", str(robot), "--png", str(png), "--size", "64x48"]) == 0
            pictures.append(png.read_bytes())
        assert pictures[0] != pictures[1]


def test_the_browser_has_one_of_each_for_each():
    pytest.importorskip("viser")
    from myriapod.view import serve
    from myriapod.view.player import Player

    server = serve(port=0)
    try:
        with batch_of(scene(), 4) as batch:
            batch.set("world_at", [[[0, 0.5, 0.1], [-1, 0, 0]]], ids=[1])
            player = Player(server, BatchSource(batch), 2)
            player.run(0.3)
            (stone,) = [handle for shape, handle, collision in player.scene._handles if shape.geom == 0 and not collision]
            apart = np.array(stone.batched_positions)[1] - np.array(stone.batched_positions)[0]
            np.testing.assert_allclose(np.abs(apart), [player.scene.spacing, 0.5, 0], atol=1e-5)
    finally:
        server.stop()
