"""A humanoid's training has the same weights on every instruction set, for any number of threads, and after a stop."""
import json

import numpy as np
import pytest

from myriapod.train import main
from test_sensors import isas

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


@pytest.mark.parametrize("isa", isas())
def test_every_instruction_set(tmp_path, once, isa):
    assert main([*RUN, "--iterations", "4", "--threads", "2", "--set", f"isa={isa}", "--learn", f"isa={isa}", "--log", str(tmp_path)]) == 0
    assert weights(tmp_path) == once
    assert json.loads((tmp_path / "config.json").read_text())["options"]["isa"] == isa


def test_a_stop_in_between(tmp_path, once):
    assert main([*RUN, "--iterations", "2", "--threads", "2", "--log", str(tmp_path)]) == 0
    assert main([*RUN, "--iterations", "2", "--threads", "1", "--resume", str(tmp_path)]) == 0
    assert weights(tmp_path) == once
