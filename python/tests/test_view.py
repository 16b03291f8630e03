"""The viewer: its server, its loop, its command; and, where Chromium is installed, its page as it looks."""
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pytest

import myriapod
from myriapod import Locomotion, Model, Policy, Trajectory
from myriapod.view import ViewError, serve

import browser
from found import is_found

pytest.importorskip("viser", reason="viser is not installed: pip install '.[view]' in a clone of the project")
from myriapod.view.__main__ import main  # noqa: E402
from myriapod.view.live import SENSE, PolicySource, batch_source  # noqa: E402
from myriapod.view.player import Player  # noqa: E402
from myriapod.view.timeline import TrajectorySource  # noqa: E402


needs_chromium = pytest.mark.skipif(not is_found(browser.find), reason="may skip: a browser is 300 MB; apt-get install chromium")


@pytest.fixture
def server():
    s = serve(port=0)
    yield s
    s.stop()


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine steps late, which is right in a viewer and no matter here."""
    monkeypatch.setattr("myriapod.view.player.BUDGET_S", 60.0)


def _walk(frames=30):
    with myriapod.Batch("anymal", 3, task="trot", threads=1, decimation=10, sense=("contacts",)) as batch:
        return Trajectory.record(batch, frames)


def test_the_server_serves(server):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.get_port()}/", timeout=10) as answer:
        assert answer.status == 200 and b"<html" in answer.read().lower()


def test_a_port_in_use_is_said():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ViewError, match=f"port {port}.*--port"):
            serve(port=port)
    with pytest.raises(ViewError, match="0..65535"):
        serve(port=70000)


def test_environments_are_chosen_and_time_goes_on(server):
    source = batch_source(Model("anymal"), 5, task="trot", threads=1)
    player = Player(server, source, shown=2, env=4)
    assert list(player.ids) == [4, 0]
    player.tick(0.1)
    time_then = source.batch.get("time")[0]
    assert time_then == pytest.approx(0.1, abs=0.02)
    player._paused.value = True
    player.tick(0.1)
    assert source.batch.get("time")[0] == time_then
    player._button("step")
    player.tick(0.1)
    assert source.batch.get("time")[0] == pytest.approx(time_then + 1e-3)
    player._env.value, player._shown.value = 1, 5
    player.tick(0.0)
    assert list(player.ids) == [1, 2, 3, 4, 0] and len(player.scene._labels) == 5
    player._button("push")
    before = source.batch.get("v")[1, :2]
    player.tick(0.0)
    assert np.linalg.norm(source.batch.get("v")[1, :2] - before) == pytest.approx(1.0, rel=1e-3)
    player._button("reset")
    player.tick(0.0)
    assert source.batch.get("time")[0] == 0.0
    player._tell()
    assert "env 1" in player._status.content and " N up" in player._status.content
    source.close()


def test_the_slider_moves_a_trajectory_and_follows_it(server):
    source = TrajectorySource(_walk())
    player = Player(server, source)
    player.tick(0.1)
    assert source.moment == 10 and player._slider.value == pytest.approx(0.1)
    player._slider.value = 0.2
    player._paused.value = True
    player.tick(0.1)
    assert source.moment == 20
    player._button("back")
    player.tick(0.1)
    assert source.moment == 19 and player._slider.value == pytest.approx(0.19)
    player._paused.value = False
    player.tick(0.15)
    assert source.moment == (19 + 15) % 31
    source.close()


def test_an_environment_that_is_no_number_does_not_spoil_the_others(server):
    trajectory = _walk(2)
    trajectory.q[:, 1] = np.nan
    source = TrajectorySource(trajectory)
    player = Player(server, source, shown=3)
    player.tick(0.01)
    bodies = [handle.batched_positions for shape, handle, collision in player.scene._handles if shape.body == 0 and not collision]
    assert np.isfinite(bodies[0]).all() and bodies[0][1, 2] < -100 and abs(bodies[0][0, 2]) < 1 and abs(bodies[0][2, 2]) < 1
    source.close()


def test_a_policy_is_steered():
    policy = Policy([np.zeros((12, 48))], [np.zeros(12)])
    source = PolicySource(Locomotion("anymal-flat", 3, sense=SENSE, threads=1), policy, "p")
    source.command = np.array([0.3, -0.1, 0.2])
    source.advance(3)
    assert np.allclose(source.core.command, [0.3, -0.1, 0.2])
    assert "command +0.30" in source.about(1) and np.isfinite(source.frame(np.arange(3)).poses).all()
    source.seek(0)
    source.close()
    core = Locomotion("anymal-flat", 2, sense=SENSE, threads=1)
    with pytest.raises(myriapod.ArgumentError, match="47 observations.*48"):
        PolicySource(core, Policy([np.zeros((12, 47))], [np.zeros(12)]))
    core.close()


@pytest.mark.parametrize(
    "words, message",
    [
        (["absent.npz"], "absent.npz: No such file"),
        (["anymal", "--task", "trott"], "'trott'"),
        (["anymall"], "anymall"),
        (["anymal", "--policy", "p.npz"], "a policy goes with a task, which 'anymal' is not; did you mean 'anymal-flat'?"),
        (["anymal-flat", "--policy", "absent.npz"], "absent.npz: No such file"),
        (["anymal", "--set", "dt"], "KEY=VALUE"),
        (["anymal", "--set", "dtt=1"], "dtt"),
        (["anymal", "--envs", "4", "--env", "4"], "environments 0..3"),
        (["anymal", "--host", "no.such.host.invalid"], "no.such.host.invalid"),
    ],
)
def test_the_command_says_in_one_line_what_is_wrong(words, message, capsys):
    assert main([*words, "--port", "0", "--seconds", "0.01"] if "--host" not in words else words) == 1
    said = capsys.readouterr().err
    assert message in said and said.startswith("myriapod.view: ") and said.count("\n") == 1


def test_a_robot_without_slots_is_shown(capsys):
    assert main(["double-pendulum", "--envs", "2", "--port", "0", "--seconds", "0.2"]) == 0
    said = capsys.readouterr()
    assert "double-pendulum" in said.out and said.err == ""


def test_what_is_not_drawn_is_said_of_pictures_too(tmp_path, monkeypatch, capsys):
    text = Model("solo12").description.replace("<visual>", '<visual><geometry><mesh filename="absent.stl"/></geometry></visual><visual>', 1)
    (tmp_path / "r.urdf").write_text(text)
    taken = []
    monkeypatch.setattr("myriapod.view.offscreen.shoot", lambda source, ids, **keys: taken.append(keys["png"]))
    assert main([str(tmp_path / "r.urdf"), "--envs", "1", "--png", str(tmp_path / "r.png")]) == 0
    said = capsys.readouterr().err
    assert taken and said.startswith("myriapod.view: warning: link `") and "absent.stl" in said and said.count("\n") == 1


def test_without_viser_it_says_how_to_install():
    code = "import sys; sys.modules['viser'] = None; from myriapod.view.__main__ import main; sys.exit(main(['anymal']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr == "myriapod.view: the viewer needs viser: pip install viser trimesh\n"


def test_it_ends_on_ctrl_c():
    command = [sys.executable, "-m", "myriapod.view", "solo12", "--envs", "2", "--port", "0", "--set", "threads=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        title, url = process.stdout.readline(), process.stdout.readline()
        assert "solo12" in title and re.match(r"http://127\.0\.0\.1:\d+ ", url)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 0 and said.strip() == ""


# ---- with a browser -------------------------------------------------------------------------------------------------


def _colours(image: np.ndarray) -> tuple[int, float]:
    """Number of different colours, and the part of the picture that the most frequent one takes."""
    packed = image[..., :3].astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    _, counts = np.unique(packed, return_counts=True)
    return len(counts), counts.max() / counts.sum()


def _red(image: np.ndarray) -> int:
    """Pixels of ANYmal's shell."""
    r, g, b = (image[..., k].astype(int) for k in range(3))
    return int(((r > 110) & (g < 0.6 * r) & (b < 0.65 * r)).sum())


@needs_chromium
def test_the_page_in_a_real_browser(tmp_path):
    import imageio.v3 as imageio

    command = [sys.executable, "-m", "myriapod.view", "anymal", "--task", "stand", "--port", "0", "--set", "threads=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process, browser.Browser(1100, 720) as page:
        try:
            process.stdout.readline()
            page.open(process.stdout.readline().split()[0])
            until, said = time.monotonic() + 120, ""
            while time.monotonic() < until and "env 0: t =" not in said:
                time.sleep(1.0)
                said = page.evaluate("document.body.innerText") or ""
            assert "env 0: t =" in said and "side by side" in said and "contact" in said and "speed [x real time]" in said
            assert page.evaluate("document.querySelectorAll('[role=slider]').length") >= 4
            while time.monotonic() < until:  # the first frames are without shapes
                image = imageio.imread(page.screenshot())
                if _red(image[:, :760]) > 1500:
                    break
        finally:
            process.send_signal(signal.SIGINT)
    picture = os.environ.get("MYRIAPOD_SCREENSHOT")
    if picture:
        imageio.imwrite(picture, image)
    colours, most = _colours(image)
    assert colours > 1000 and most < 0.6
    assert _red(image[:, :760]) > 1500
    assert process.returncode == 0
