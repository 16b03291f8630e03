"""Pictures and films, which are drawn without a window: pixels of triangles, colours of robots, files, progress, time."""
import os
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest
from found import needs_ffmpeg
import myriapod
from myriapod import Model, Trajectory
from myriapod.view import live, offscreen, raster
from myriapod.view.__main__ import main
from myriapod.view.live import batch_source


def _walk(folder, frames=30):
    with myriapod.Batch("anymal", 3, task="trot", threads=1, decimation=10, sense=("contacts",)) as batch:
        Trajectory.record(batch, frames).save(folder / "walk.npz")
    return str(folder / "walk.npz")


def _read_png(data: bytes) -> np.ndarray:
    """Of a file as `offscreen` writes it: RGB of 8 bits, lines that are not filtered."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR" and data[24:26] == b"\x08\x02"
    width, height = (int.from_bytes(data[k : k + 4], "big") for k in (16, 20))
    at, packed = 8, b""
    while at < len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == int.from_bytes(data[at + 8 + length : at + 12 + length], "big")
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3)


def _red(image: np.ndarray) -> int:
    """Pixels of ANYmal's shell."""
    r, g, b = (image[..., k].astype(int) for k in range(3))
    return int(((r > 80) & (g < 0.6 * r) & (b < 0.65 * r)).sum())


def test_two_triangles_of_a_square_have_each_of_its_pixels_once():
    """Also where the square is turned: an edge that two triangles share leaves no pixel out and gives none twice."""
    for angle in (0.0, 0.3, 1.1):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        square = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]]) @ turn.T + [50.25, 40.1]
        corners = square[[[0, 1, 2], [0, 2, 3]]]
        t, y, x, count = raster.spans(corners, 100, 80)
        times = np.zeros((80, 100), int)
        for row, first, n in zip(y, x, count):
            times[row, first : first + n] += 1
        grid = np.stack(np.meshgrid(np.arange(100) + 0.5, np.arange(80) + 0.5), -1)
        inside = (np.abs((grid - [50.25, 40.1]) @ turn) < 20).all(-1)
        assert np.array_equal(times, inside.astype(int))


def test_the_nearest_triangle_is_seen():
    """Two triangles that go through each other: left of the middle one is nearer, right of it the other."""
    corners = np.array([[[0, 0], [100, 0], [0, 100]], [[0, 0], [100, 0], [0, 100]]], float)
    closeness = np.array([[1.0, 0.5, 1.0], [0.6, 0.9, 0.6]])  # equal where 1 - x / 200 = 0.6 + 0.003 x: x = 50
    pixels, triangle = raster.nearest(corners, closeness, 100, 100)
    x = pixels % 100
    assert set(triangle[x < 49]) == {0} and set(triangle[x > 51]) == {1}


def test_a_picture_is_written_without_a_browser(tmp_path, monkeypatch, capsys):
    """And without viser: it needs NumPy alone."""
    monkeypatch.setitem(sys.modules, "viser", None)
    monkeypatch.setenv("PATH", "")
    png = tmp_path / "walk.png"
    assert main([_walk(tmp_path), "--seconds", "0.2", "--png", str(png), "--size", "320x200"]) == 0
    image = _read_png(png.read_bytes())
    assert image.shape == (200, 320, 3) and _red(image) > 600
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 300
    assert capsys.readouterr().err == "" and sorted(p.name for p in tmp_path.iterdir()) == ["walk.npz", "walk.png"]


@needs_ffmpeg
def test_a_film_says_how_far_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    mp4 = tmp_path / "walk.mp4"
    assert main([_walk(tmp_path), "--seconds", "0.2", "--fps", "10", "--mp4", str(mp4), "--size", "160x90"]) == 0
    assert mp4.read_bytes()[4:8] == b"ftyp" and mp4.stat().st_size > 1000
    said = capsys.readouterr()
    assert "3 pictures in" in said.out and said.err.endswith("\r\033[K")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["walk.mp4", "walk.npz"]


@needs_ffmpeg
@pytest.mark.parametrize("flag", ["--png", "--mp4"])
def test_a_name_that_no_file_can_have(flag, tmp_path, capsys):
    assert main([_walk(tmp_path), "--seconds", "0.1", flag, str(tmp_path / ("a" * 300)), "--size", "32x32"]) == 1
    assert "File name too long" in capsys.readouterr().err


def test_moments_of_a_film_come_in_their_order():
    """Though several threads paint them."""
    with myriapod.Batch("cube", 1, task="none", threads=1, sense=("bodies", "contacts")) as batch:
        from myriapod.view.live import BatchSource

        source = BatchSource(batch)
        studio = offscreen.Studio(source, np.array([0]), 96, 54)
        images = list(studio.film([0, 5, 5, 10]))
        assert batch.get("time")[0] == pytest.approx(0.01) and len(images) == 4 and np.array_equal(images[1], images[2])
        assert np.array_equal(images[3], studio.picture())


def test_a_picture_costs_a_fraction_of_a_second():
    """Of one core, 960 x 540: 0.1 s on a Zen 4; a browser that drew on the processor took 0.6 s."""
    source = batch_source(Model("anymal"), 1, task="trot", threads=1)
    studio = offscreen.Studio(source, np.array([0]), 960, 540)
    studio.picture()
    start = time.process_time()
    for _ in range(5):
        studio.picture()
    assert time.process_time() - start < 5 * 0.5
    source.close()


def test_shadows_and_forces_are_drawn():
    source = batch_source(Model("anymal"), 1, task="stand", threads=1)
    source.advance(1500)
    with_shadow = offscreen.Studio(source, np.array([0]), 320, 200).picture().astype(int)
    without = offscreen.Studio(source, np.array([0]), 320, 200, shadows=False).picture().astype(int)
    assert ((without - with_shadow).sum(-1) > 60).sum() > 400 and (with_shadow <= without).all()
    r, g, b = (without[..., k] for k in range(3))
    assert ((r > 120) & (g > 0.4 * r) & (g < 0.75 * r) & (b < 0.3 * r)).sum() > 60  # orange
    source.close()


def test_what_is_not_finite_and_what_is_behind_the_camera_is_left_out():
    trajectory = Trajectory("anymal", np.full((1, 2, 19), np.nan), 0.1)
    from myriapod.view.timeline import TrajectorySource

    source = TrajectorySource(trajectory)
    image = offscreen.Studio(source, np.array([0, 1]), 160, 90).picture()
    assert _red(image) == 0 and image.min() > 100
    trajectory.q[:] = Model("anymal").home
    trajectory.q[:, 1, :3] += [30.0, -40.0, 16.0]  # behind the camera
    studio = offscreen.Studio(source, np.array([0, 1]), 160, 90)
    studio.stage.in_place = studio.stage.follow = False
    alone = studio.picture()
    assert 0 < _red(alone) < 4000
    source.close()


def test_the_command_makes_pictures_where_chromium_is_not(tmp_path):
    command = [sys.executable, "-m", "myriapod.view", "cube", "--seconds", "0.1", "--png", str(tmp_path / "c.png"), "--size", "64x36"]
    done = subprocess.run(command, env={**os.environ, "MYRIAPOD_CHROMIUM": "/nowhere"}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and _read_png((tmp_path / "c.png").read_bytes()).shape == (36, 64, 3), done.stderr


def test_a_picture_of_a_batch_as_it_is(tmp_path):
    """It looks as the viewer's, needs no sense, changes no bit, and knows what has been set since the last step."""
    with myriapod.Batch("anymal", 4, task="trot", threads=1) as plain, myriapod.Batch("anymal", 4, task="trot", threads=1, sense=("bodies", "contacts")) as seen:
        for batch in (plain, seen):
            batch.step(150)
        before = plain.get_state()
        image = plain.picture(tmp_path / "now.png", ids=[1, 3], width=480, height=270)
        assert np.array_equal(before, plain.get_state()) and np.array_equal(image, _read_png((tmp_path / "now.png").read_bytes()))
        assert image.shape == (270, 480, 3) and _red(image) > 500
        viewers = offscreen.Studio(live.BatchSource(seen), np.array([1, 3]), 480, 270).picture()
        assert (np.abs(image.astype(int) - viewers).max(-1) > 8).mean() < 0.01
        q = plain.get("q", 1)
        q[:, 2] += 0.5
        plain.set("q", q, 1)
        assert (plain.picture(ids=[1, 3], width=480, height=270) != image).any(-1).mean() > 0.02
        for wrong, says in (({"ids": []}, "one environment number or several"), ({"ids": 4}, "environments 0 .. 3"), ({"width": 8}, "width is 8")):
            with pytest.raises(myriapod.ArgumentError, match=says):
                plain.picture(**wrong)
        with pytest.raises(myriapod.FileError, match="nowhere/now.png"):
            plain.picture(tmp_path / "nowhere" / "now.png")


def test_a_picture_of_each_kind_of_robot():
    """Without contacts, with objects, on a map, with shapes of its world."""
    for robot, settings in (("double-pendulum", {}), ("allegro-cube", {}), ("anymal", {"terrain": "stairs"}), ("panda-wall", {})):
        with myriapod.Batch(robot, 2, threads=1, **settings) as batch:
            batch.step(5)
            assert len(np.unique(batch.picture(width=160, height=90).reshape(-1, 3), axis=0)) > 20
