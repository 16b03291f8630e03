"""A humanoid's training has the same weights on every instruction set, for any number of threads, after a stop, killed in between, and beside others."""
import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from myriapod.settings import instruction_sets
from myriapod.train import main

RUN = ["g1-legs", "--envs", "48", "--seed", "5", "--quiet", "--set", "episode=1"]


def weights(directory):
    newest = max(directory.glob("model_*.npz"), key=lambda path: int(path.stem.split("_")[1]))
    with np.load(newest) as file:
        return {name: file[name].tobytes() for name in ("weights", "average", "mean", "square")} | {"n": int(file["iterations"])}


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    directory = tmp_path_factory.mktemp("once")
    assert main([*RUN, "--iterations", "4", "--threads", "1", "--log", str(directory)]) == 0
    return weights(directory)


@pytest.mark.parametrize("isa", instruction_sets())
def test_every_instruction_set(tmp_path, once, isa):
    assert main([*RUN, "--iterations", "4", "--threads", "2", "--set", f"isa={isa}", "--learn", f"isa={isa}", "--log", str(tmp_path)]) == 0
    assert weights(tmp_path) == once
    assert json.loads((tmp_path / "config.json").read_text())["options"]["isa"] == isa


def test_a_stop_in_between(tmp_path, once):
    assert main([*RUN, "--iterations", "2", "--threads", "2", "--log", str(tmp_path)]) == 0
    assert main([*RUN, "--iterations", "2", "--threads", "1", "--resume", str(tmp_path)]) == 0
    assert weights(tmp_path) == once


def test_killed_in_between_beside_others(tmp_path):
    """The whole process, by SIGKILL, behind a checkpoint; another process computes all the while."""
    whole = tmp_path / "whole"
    assert main([*RUN, "--iterations", "8", "--threads", "2", "--log", str(whole)]) == 0
    code = """
import os, signal, sys
import myriapod.learn.loop as loop, myriapod.train as train
iterate, loop.SAVE_EVERY = loop.Trainer._iterate, 2
def until_killed(self, events):
    if self.backend.done == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    iterate(self, events)
loop.Trainer._iterate = until_killed
train.main(sys.argv[1:])
"""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        run = subprocess.run([sys.executable, "-c", code, *RUN, "--iterations", "10000", "--threads", "2", "--log", str(tmp_path / "killed")], timeout=240)
        assert run.returncode == -signal.SIGKILL
        done = weights(tmp_path / "killed")["n"]
        assert done == 4  # the fifth is lost
        assert main([*RUN, "--iterations", str(8 - done), "--threads", "1", "--resume", str(tmp_path / "killed")]) == 0
    finally:
        other.kill()
        other.wait()
    assert weights(tmp_path / "killed") == weights(whole)
