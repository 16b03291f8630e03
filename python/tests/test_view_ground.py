"""Maps in pictures and in the browser: triangles of the ground, robots where they are on it, recordings of runs on a map."""
import re

import numpy as np
import pytest

import myriapod
from myriapod import Terrain
from myriapod.view.__main__ import main
from myriapod.view.frame import SlotPlaces
from myriapod.view.ground import MOST, Ground, piece
from myriapod.view.live import SENSE, BatchSource
from myriapod.view.offscreen import Studio


def areas(part):
    """Of a piece, by where triangles face: {(0, 0, 1): area, ...} [m^2]."""
    corner = part.vertices.reshape(-1, 3, 3)
    size = 0.5 * np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=-1)
    found = {}
    for normal, area in zip(part.normals[::3], size):
        key = tuple(float(x) + 0.0 for x in np.round(normal, 6))
        found[key] = found.get(key, 0.0) + area
    return found


def test_slots_of_a_map_have_places():
    """What is on the plane, too, has its place; a second slot of a ball that of the first; a capsule's between its ends lie in its middle."""
    text = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom type="capsule" size=".05 .2" pos=".3 0 0" euler="0 90 0"/><geom type="sphere" size=".1" pos="0 .4 0"/>
      <geom type="box" size=".1 .2 .3"/><geom type="cylinder" size=".1 .2"/></body></worldbody></mujoco>"""
    plane = myriapod.Model.from_text(text)
    on = plane.on(Terrain(np.zeros((9, 9))))
    pose = np.array([[[0.0, 0, 1, 1, 0, 0, 0]]])
    flat, points = SlotPlaces(plane).points(pose)[0], SlotPlaces(on).points(pose)[0]
    for geom, other in zip(plane.geoms, on.geoms):
        for number in range(other.slot, other.slot + other.n_slots):
            feature = on.slots[number].feature
            if feature < geom.n_slots:
                np.testing.assert_allclose(points[number], flat[geom.slot + feature], atol=1e-12)
            elif geom.type == "capsule":
                np.testing.assert_allclose(points[number], [0.3, 0, 0.95], atol=1e-12)


def test_fields_are_triangles():
    slope = Terrain(0.25 * np.arange(17)[:, None] * np.ones(9), cell=0.5)
    part = piece(slope, (0, 0, 17, 9))
    normal = np.array([-0.5, 0, 1]) / np.sqrt(1.25)
    ((found, area),) = areas(part).items()
    np.testing.assert_allclose(found, normal, atol=1e-6)
    assert area == pytest.approx(8 * 4 * np.sqrt(1.25)) and len(part.faces) == 2 * 16 * 8
    np.testing.assert_allclose(part.vertices[:, 2], slope.height(part.vertices[:, :2]), atol=1e-6)


def test_columns_are_tops_and_walls():
    """One pillar 0.4 m high amid a hundred level ones: four walls, that face away from it."""
    heights = np.zeros((10, 10))
    heights[4, 6] = 0.4
    pillar = piece(Terrain(heights, cell=0.5, columns=True), (0, 0, 10, 10))
    found, top = areas(pillar), pillar.vertices.reshape(-1, 3, 3)[pillar.normals[::3, 2] > 0.5]
    raised = top[top[..., 2].min(1) > 0.3]
    np.testing.assert_allclose([raised.min((0, 1)), raised.max((0, 1))], [[-0.25, 0.75, 0.4], [0.25, 1.25, 0.4]], atol=1e-6)
    assert found.pop((0, 0, 1)) == pytest.approx(25)
    assert found == {side: pytest.approx(0.2) for side in [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]}
    heights[4, 6] = -0.4
    part = piece(Terrain(heights, cell=0.5, columns=True), (0, 0, 10, 10))
    wall = part.vertices.reshape(-1, 3, 3)[part.normals[::3, 0] > 0.5]
    np.testing.assert_allclose(wall[..., 0], -0.25)  # of a pit the far side, which looks back


def test_a_window_stays_and_is_never_too_fine():
    terrain = Terrain.generate("flat")
    ground = Ground(terrain, 3.0)
    near = ground.around(np.array([[0.5, 0.5]]))
    assert ground.around(np.array([[0.8, 0.4]])) is near and ground.around(np.array([[4.0, 1.0]])) is not near
    assert len(piece(terrain, (0, 0, terrain.nx, terrain.ny)).faces) < 2.2 * MOST < 2 * terrain.nx * terrain.ny


def test_a_picture_shows_robots_where_they_are(robot):
    """Equal ground gives equal pictures wherever it lies; on a hill the robot stands on it, and not in it."""
    heights = np.zeros((481, 81))
    heights[200:280] = np.hanning(80)[:, None]  # a hill across, 1 m high
    terrain = Terrain(heights.astype(np.float32), cell=0.1)
    with myriapod.Batch(robot.on(terrain), 3, task="stand", threads=1, sense=SENSE) as batch:
        batch.q = robot.home
        batch.ground_at = [[-16.0, 0.0, 0.0], [16.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
        batch.step(1)
        images = [Studio(BatchSource(batch), np.array([env]), 240, 160).picture() for env in range(3)]
        assert np.array_equal(images[0], images[1]) and not np.array_equal(images[0], images[2])
        red = [((i[..., 0] > 80) & (i[..., 1] < 0.6 * i[..., 0])).sum() for i in images]
        assert red[0] > 600 and abs(red[2] - red[0]) < 0.05 * red[0]
        of_two = Studio(BatchSource(batch), np.array([0, 2]), 240, 160)
        placed = of_two.placed()
        np.testing.assert_allclose(placed.shift[1] - placed.shift[0], [16, 0, 1])
        assert of_two.of_each(np.array([0, 2]))[1].shape == (160, 240, 3)


def test_a_recording_on_a_map(robot, tmp_path, capsys):
    path, png = str(tmp_path / "map.rec"), tmp_path / "map.png"
    with myriapod.Batch(robot, 3, terrain="stairs", terrain_seed=5, threads=1) as batch:
        with myriapod.Recording.create(batch, path, envs=[0, 1, 2], fields=("q", "ground_at"), every=1) as recording:
            batch.step(5)
            recording.append()
    assert main([path, "--png", str(png)]) == 1
    assert re.search("recorded on a map.*--set terrain=NAME", capsys.readouterr().err)
    assert main([path, "--png", str(png), "--set", "terrain=stares"]) == 1
    assert "stairs" in capsys.readouterr().err and not png.exists()
    assert main([path, "--png", str(png), "--set", "terrain=stairs", "--set", "terrain-seed=5", "--size", "64x48", "--shown", "3"]) == 0
    assert png.stat().st_size > 500


def test_the_browser_has_the_map_in_place_of_the_plane(robot):
    pytest.importorskip("viser")
    from myriapod.view import serve
    from myriapod.view.player import Player

    server = serve(port=0)
    try:
        with myriapod.Batch(robot, 4, terrain="stairs", threads=1, sense=SENSE) as batch:
            player = Player(server, BatchSource(batch), 2)
            player.run(0.3)
            scene = player.scene
            assert not scene._ground.visible and scene._map_handle.visible
            seen = -np.array(scene._map_handle.position)
            np.testing.assert_allclose(seen[:2], (batch.ground_at + batch.q[:, :3])[:2, :2].mean(0), atol=0.05)
    finally:
        server.stop()
