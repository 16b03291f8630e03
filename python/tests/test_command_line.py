"""`python -m myriapod`: the commands that a wheel has, and the pages that come with it."""
import importlib.util

import pytest

import myriapod
from myriapod import __main__ as commands
from myriapod import docs, where


def test_each_command_is_there(capsys, monkeypatch):
    for name in commands.COMMANDS:
        assert importlib.util.find_spec(f"myriapod.{name}"), name
    monkeypatch.setattr("sys.argv", ["myriapod", "--help"])
    assert commands.main() == 0
    said = capsys.readouterr().out
    assert all(name in said for name in (*commands.COMMANDS, *commands.PROGRAM))


def test_pages(capsys):
    assert docs.main([]) == 0
    listed = capsys.readouterr().out
    assert "batch " in listed and "tutorials/" in listed and all(docs.title(path) for path in docs.pages().values())
    for name in ("batch", "docs/batch.md"):
        assert docs.main([name]) == 0
        assert capsys.readouterr().out.startswith("# ")
    assert docs.main(["--find", "quarantine"]) == 0
    assert "batch:" in capsys.readouterr().out
    assert docs.main(["contac"]) == 1
    assert "contact" in capsys.readouterr().err


def test_where_without_a_collection(capsys, monkeypatch):
    monkeypatch.setattr(where, "names", lambda menagerie: [])
    assert where.main([]) == 1
    assert "MENAGERIE_PATH" in capsys.readouterr().err


@pytest.mark.parametrize("task", ["stand", "none"])
def test_a_batch_says_what_drives_it(task):
    batch = myriapod.Batch("anymal", 3, task=task, threads=1)
    assert repr(batch) == f"<Batch of 3 anymal, float32, task {task}>"
    batch.close()
    assert repr(batch) == "<Batch of 3 anymal, float32, closed>"
