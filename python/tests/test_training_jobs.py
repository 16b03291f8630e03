"""One training on several processes: the weights of one, by each launcher; saved by two, gone on from by one and three."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from myriapod import Policy
from myriapod.envs.any_task import open_task


def train(processes: int, *words: str, code: int = 0) -> str:
    """What was said."""
    done = subprocess.run([sys.executable, "-m", "myriapod.train", *words, "--processes", str(processes), *([] if "--envs" in words else ["--envs", "256"]), "--set", "push-speed=0.5"],
                          capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"})
    assert done.returncode == code, done.stderr
    return done.stderr + done.stdout


def numbers(directory: Path) -> list[np.ndarray]:
    with np.load(directory / "policy.npz", allow_pickle=False) as arrays:
        return [arrays[name] for name in sorted(arrays.files) if arrays[name].dtype.kind == "f"]


def table(directory: Path) -> list[list[str]]:
    """progress.csv without its times."""
    rows = [line.split(",") for line in (directory / "progress.csv").read_text().splitlines()]
    left = [k for k, name in enumerate(rows[0]) if not name.endswith("_s") or name == "length_s"]
    return [[row[k] for k in left] for row in rows]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("alone") / "run"
    train(1, "anymal-flat", "--iterations", "6", "--log", str(directory))
    return directory


@pytest.mark.parametrize("processes", [2, 3])
def test_processes_do_not_show(alone: Path, tmp_path: Path, processes: int) -> None:
    directory = tmp_path / "run"
    train(processes, "anymal-flat", "--iterations", "6", "--log", str(directory))
    for a, b in zip(numbers(alone), numbers(directory), strict=True):
        assert np.array_equal(a, b)
    assert table(directory) == table(alone)
    assert sorted(p.name for p in directory.iterdir() if "events" not in p.name) == sorted(p.name for p in alone.iterdir() if "events" not in p.name)


def test_saved_by_two_gone_on_from_by_one_and_three(alone: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    train(2, "anymal-flat", "--iterations", "2", "--log", str(directory))
    train(1, "--resume", str(directory), "--iterations", "2")
    train(3, "--resume", str(directory), "--iterations", "2")
    for a, b in zip(numbers(alone), numbers(directory), strict=True):
        assert np.array_equal(a, b)
    assert table(directory) == table(alone)


ROUGH = ("anymal-rough", "--iterations", "4", "--stage", "7000:push-speed=0.8", "--learn", "obs_normalization=1")


@pytest.fixture(scope="module")
def rough_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("rough") / "run"
    train(1, *ROUGH, "--log", str(directory))
    return directory


def test_levels_stages_and_normalization_do_not_show(rough_alone: Path, tmp_path: Path) -> None:
    """On a map, with a number that changes while it learns."""
    train(3, *ROUGH, "--log", str(tmp_path / "run"))
    for a, b in zip(numbers(rough_alone), numbers(tmp_path / "run"), strict=True):
        assert np.array_equal(a, b)
    assert table(tmp_path / "run") == table(rough_alone)


def test_a_curriculum_does_not_show_and_is_one_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function between iterations is asked in each process."""
    text = ("from test_curriculum import task\nimport os\nwalk = task()\nsecond = os.environ.get('MYRIAPOD_JOB', '').startswith('1/')\n"
            "@walk.curriculum\ndef harder(at):\n    return {{'wanted': {value}}}\n")
    (tmp_path / "harder.py").write_text(text.format(value="min(2.0, at.samples / 10000 + 0.01 * at.reward if at.iteration else 0.0)"))
    (tmp_path / "apart.py").write_text(text.format(value="0.6 if second and at.iteration == 2 else 0.5"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]))
    for processes in (1, 2):
        train(processes, "harder:walk", "--iterations", "4", "--log", str(tmp_path / str(processes)))
    for a, b in zip(numbers(tmp_path / "1"), numbers(tmp_path / "2"), strict=True):
        assert np.array_equal(a, b)
    words = train(2, "apart:walk", "--iterations", "4", "--log", str(tmp_path / "3"), code=1)
    assert "process 1 of 2 has another `numbers of the curriculum` than process 0: {'wanted': 0.6}, not {'wanted': 0.5}" in words


@pytest.mark.parametrize(("change", "what"), [("_settings['episode'] = 0.3", "settings"), ("reward(2.0, name='sideways')(lambda s: s.base_linear[..., 1])", "rewards"),
                                              ("observe('base_down')", "control steps")])
def test_who_has_another_task_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, what: str) -> None:
    """One that only one process sees, as on a machine with an older file."""
    (tmp_path / "apart.py").write_text("from test_curriculum import task\nimport os\nwalk = task()\n"
                                       f"if os.environ.get('MYRIAPOD_JOB', '').startswith('1/'):\n    walk.{change}\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]))
    words = train(2, "apart:walk", "--iterations", "1", "--log", str(tmp_path / "a"), code=1)
    assert f"process 1 of 2 has another `{what}`" in words


@pytest.mark.parametrize("task", ["anymal-flat", "gym-hopper"])
def test_a_score_is_shared(task: str, tmp_path: Path) -> None:
    """40 episodes are 3 tiles: of 4 processes one has none."""
    core = open_task(task, 1)
    weights = np.random.default_rng(3).normal(0, 0.05, (core.num_actions, core.num_observations)).astype(np.float32)
    Policy([weights], [np.zeros(core.num_actions, np.float32)], "elu", task=task).save(tmp_path / "policy.npz")
    core.close()
    command = [sys.executable, "-m", "myriapod.score", task, str(tmp_path / "policy.npz"), "--episodes", "40", "--set", "episode=2", "--json"]
    subprocess.run([*command, str(tmp_path / "1.json")], check=True, timeout=120)
    for processes in (2, 4):
        file = tmp_path / f"{processes}.json"
        said = subprocess.run([sys.executable, "-m", "myriapod.distributed", "--processes", str(processes), *command[1:], str(file)], check=True, timeout=120,
                              capture_output=True, text=True).stdout
        assert file.read_text() == (tmp_path / "1.json").read_text() and said.count("survived") == 1


def test_a_curriculum_that_fails_somewhere_leaves_what_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one process it is an error of the job, in all what it is alone: what was learnt is there."""
    (tmp_path / "fails.py").write_text("from test_curriculum import task\nimport os\nfirst = os.environ.get('MYRIAPOD_JOB', '').startswith('0/')\n"
                                       "walk, other = task(), task()\n@walk.curriculum\ndef here(at):\n    if first and at.iteration == 2: raise ValueError('no')\n"
                                       "@other.curriculum\ndef there(at):\n    if at.iteration == 2: raise ValueError('no')\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]))
    words = train(2, "fails:walk", "--iterations", "4", "--log", str(tmp_path / "a"), code=1)
    assert "process 1 of 2 has another `numbers of the curriculum`" in words and "ValueError: no" in words
    assert (tmp_path / "a" / "policy.npz").exists() and not list((tmp_path / "a").glob("model_*"))
    train(2, "fails:other", "--iterations", "4", "--log", str(tmp_path / "b"), code=2)
    train(1, "fails:other", "--iterations", "4", "--log", str(tmp_path / "c"), code=2)
    assert all(np.array_equal(a, b) for a, b in zip(numbers(tmp_path / "b"), numbers(tmp_path / "c"), strict=True))
    assert {"model_1.npz", "policy.npz", "curve.png"} <= {p.name for p in (tmp_path / "b").iterdir()}


def test_a_checkpoint_without_a_part_is_damaged(alone: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    train(2, "anymal-flat", "--iterations", "1", "--log", str(directory))
    path = directory / "model_0.npz"
    with np.load(path) as whole:
        arrays = {name: whole[name] for name in whole.files}
    for change in ({"batch_1": None}, {"shards": np.array([256])}, {"shards": np.array([["a", "b"]])}, {"shards": np.array([[0, 128], [0, 128]])},
                   {"shards": np.array([[0, 256]])}):
        np.savez(path, **{name: value for name, value in (arrays | change).items() if value is not None})
        assert f"{path}: " in train(1, "--resume", str(directory), "--iterations", "1", code=2)


def test_mistakes_end_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ("anymal-flat", "--iterations", "1", "--log", str(tmp_path / "a"))
    assert "at most 4 processes" in train(5, *run, code=2)
    assert "--processes: 0 is below 1" in train(0, *run, code=2)
    assert "timeout is inf, but must be above 0 and at most 1e6" in train(2, *run, "--timeout", "inf", code=2)
    assert "num_envs is 99999999999999999999, but must lie in" in train(1, *run, "--envs", "99999999999999999999", code=2)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    assert "Open MPI's mpiexec has started this process: it says how many there are, leave --processes out" in train(2, *run, code=2)


@pytest.mark.skipif(importlib.util.find_spec("rsl_rl") is None, reason="may skip: rsl_rl is not there")
def test_rsl_rl_learns_in_processes_of_torchrun(tmp_path: Path) -> None:
    """Their weights are one another's, not those of one process."""
    words = ("anymal-flat", "--iterations", "2", "--learner", "rsl_rl", "--log", str(tmp_path / "a"))
    assert "that torchrun starts" in train(2, *words, code=2)
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "-m", "--", "myriapod.train", *words, "--envs", "128"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert said.returncode == 0, said.stderr
    assert "not those of one process" in said.stderr
    rows = table(tmp_path / "a")
    assert len(rows) == 3 and rows[2][rows[0].index("samples")] == str(2 * 24 * 128)
