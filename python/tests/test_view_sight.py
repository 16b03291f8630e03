"""What sensors see, in the viewer: the ends of rays lie on what they meet, scans on the ground."""
import numpy as np
import pytest

import myriapod
from myriapod import rays
from myriapod.view.live import SENSE, BatchSource
from myriapod.view.offscreen import Studio
from myriapod.view.stage import FEW_BEAMS

SCAN = {"name": "scan", "kind": "height_scan", "of": "base", "pattern": rays.grid(5, 3, 0.2)}
BELOW = {"name": "below", "kind": "height_scan", "of": "base", "pattern": rays.ring(4, 0.3), "value": "clearance"}
LIDAR = {"name": "lidar", "kind": "rays", "of": "base", "pattern": rays.lidar(3, 20, (-0.6, 0.1)), "exclude": "tree"}
DEPTH = {"name": "depth", "kind": "rays", "of": "base", "pattern": rays.pinhole(6, 4, 0.8), "depth": True, "exclude": "tree"}
LEAST = {"name": "least", "kind": "height_scan", "of": "base", "pattern": rays.ring(4, 0.3), "least": True}


def frame_of(*sensors, envs=3, **options):
    model = myriapod.Model("anymal").with_sensors(*sensors)
    with myriapod.Batch(model, envs, task="trot", threads=1, precision="f64", sense=SENSE, **options) as batch:
        batch.step(120)
        source = BatchSource(batch)
        return source.frame(np.arange(envs)), batch.q.copy(), batch.sensors.copy() if model.sensors else None


@pytest.mark.parametrize("sensor", [SCAN, BELOW, LIDAR, DEPTH], ids=lambda s: s["name"])
def test_on_a_plane_all_ends_lie_on_it(sensor):
    frame, q, shown = frame_of(sensor)
    start, end = frame.sight[:, :, 0], frame.sight[:, :, 1]
    met = np.isfinite(end).all(2)
    assert met.shape == shown.shape and met.any(1).all() and (met == np.isfinite(shown)).all()
    assert np.abs(end[met][:, 2]).max() < 1e-9
    if sensor in (LIDAR, DEPTH):
        np.testing.assert_allclose(start[met], np.broadcast_to(q[:, None, :3], start.shape)[met], atol=1e-12)
    if sensor is LIDAR:  # it looks past the horizon, too
        assert not met.all()
        np.testing.assert_allclose(np.linalg.norm(end - start, axis=2)[met], shown[met], rtol=1e-9)


def test_no_sight_without_eyes():
    assert frame_of()[0].sight is None and frame_of({"name": "turns", "kind": "gyro", "of": "base"})[0].sight is None
    assert frame_of(LEAST)[0].sight is None and frame_of(LEAST, SCAN)[0].sight.shape[1] == 15


def test_the_newest_of_a_history_is_drawn():
    now, then = frame_of(SCAN | {"value": "clearance"})[0].sight, frame_of(SCAN | {"value": "clearance", "history": 4})[0].sight
    np.testing.assert_array_equal(now, then)


def test_on_a_map_scans_lie_where_the_map_is():
    frame, _, _ = frame_of(SCAN, terrain="stairs")
    model = myriapod.Model("anymal").with_sensors(SCAN)
    with myriapod.Batch(model, 3, task="trot", threads=1, terrain="stairs", precision="f64", sense=SENSE) as batch:
        on = frame.sight[:, :, 1] + batch.ground_at[:, None]
        want = batch.model.terrain.height(on.reshape(-1, 3)[:, :2])
    np.testing.assert_allclose(on.reshape(-1, 3)[:, 2], want, atol=1e-6)


@pytest.mark.parametrize("sensor, beams", [(LIDAR, True), (SCAN, False), (LIDAR | {"pattern": rays.lidar(8, 40, (-0.6, -0.1))}, False)], ids=["lidar", "scan", "many"])
def test_pictures_show_dots_and_few_beams(sensor, beams):
    images = []
    for sensors in ((), (sensor,)):
        with myriapod.Batch(myriapod.Model("anymal").with_sensors(*sensors), 2, task="stand", threads=1, sense=SENSE) as batch:
            batch.step(20)
            studio = Studio(BatchSource(batch), np.array([0, 1]), 320, 240)
            placed = studio.placed()
            images.append(studio.paint(placed))
    assert len(placed.dots) > 20 and bool(len(placed.beams)) == beams
    assert sensor is SCAN or (len(placed.dots) > 2 * FEW_BEAMS) == (not beams)
    without, with_them = (image.astype(int)[..., 2] - image[..., 0] for image in images)
    assert (with_them > without + 20).sum() > len(placed.dots) and (with_them < without - 20).sum() < 60  # blue, and nothing else changed but what is behind it


def test_the_browser_has_them_and_hides_them():
    pytest.importorskip("viser")
    from myriapod.view import serve
    from myriapod.view.player import Player

    server = serve(port=0)
    try:
        with myriapod.Batch(myriapod.Model("anymal").with_sensors(LIDAR), 2, task="stand", threads=1, sense=SENSE) as batch:
            player = Player(server, BatchSource(batch), 2)
            player.run(0.2)
            assert player.scene._dots.visible and player.scene._beams.visible
            assert np.abs(player.scene._dots.points[:, 2]).max() < 0.05
            player._sight.value = False
            player.tick(0.0)
            assert not player.scene._dots.visible and not player.scene._beams.visible
    finally:
        server.stop()
