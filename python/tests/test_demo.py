"""`python -m myriapod.demo`: it trains, and shows what was learnt as a page, or without viser as a picture."""
import struct

import pytest

from myriapod import demo


def test_a_picture_where_there_is_no_viewer(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    monkeypatch.setattr(demo.webbrowser, "open", opened.append)
    assert demo.main(["--iterations", "2", "--log", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "pip install viser" in said and "does not walk well yet" in said and f"{tmp_path}/policy.npz" in said
    assert f"python -m myriapod.play anymal-flat {tmp_path}/policy.npz" in said and f"--resume {tmp_path}" in said and "temporary" not in said
    picture = (tmp_path / "walk.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">2I", picture[16:24]) == (960, 540) and len(picture) > 10000
    assert opened == [(tmp_path / "walk.png").resolve().as_uri()]


def test_the_newest_checkpoint_is_kept_and_no_other(tmp_path, monkeypatch, capsys):
    from myriapod import train

    def trained(words):
        for name in ("model_49.npz", "model_99.npz", "model_120.npz", "policy.npz", "model_mine.npz"):
            (tmp_path / name).write_text(name)
        return 0

    monkeypatch.setattr(train, "main", trained)
    monkeypatch.setattr(demo.tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    assert demo.main(["--no-browser"]) == 1  # what was written cannot be read
    assert {path.name for path in tmp_path.iterdir()} == {"model_120.npz", "policy.npz", "model_mine.npz"}
    assert "in a folder for temporary files: --log DIR puts it elsewhere" in capsys.readouterr().out


def test_a_page_where_there_is_one(tmp_path, monkeypatch, capsys):
    pytest.importorskip("viser", reason="viser is not installed: pip install '.[view]' in a clone of the project")
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert demo.main(["--iterations", "1", "--log", str(tmp_path), "--seconds", "0.5"]) == 0
    said = capsys.readouterr().out
    assert len(opened) == 1 and opened[0].startswith("http://127.0.0.1:") and opened[0] in said


def test_what_is_refused(tmp_path, capsys):
    (tmp_path / "policy.npz").write_text("mine")
    assert demo.main(["--log", str(tmp_path), "--iterations", "1", "--no-browser"]) != 0
    assert "holds a training already" in capsys.readouterr().err and (tmp_path / "policy.npz").read_text() == "mine"
