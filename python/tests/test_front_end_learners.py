"""Learners of others learn a task of the library by the examples: a pole that fell within half a second stays up for the whole episode."""
import importlib
import sys
import tempfile
from pathlib import Path

import pytest

NO_TORCH = "may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA"
torch = pytest.importorskip("torch", reason=NO_TORCH)
sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))


def test_stable_baselines3_learns_a_task(tmp_path, monkeypatch):
    pytest.importorskip("stable_baselines3", reason=NO_TORCH)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before, after = importlib.import_module("learn_sb3").run(steps=80_000, threads=1)
    assert before < 100 and after > 500
    assert not list(tmp_path.glob("SB3-*"))  # nothing is left


def test_skrl_learns_a_task():
    pytest.importorskip("skrl", reason=NO_TORCH)
    before, after = importlib.import_module("learn_skrl").run(steps=1200, threads=1)
    assert before < 100 and after > 500
