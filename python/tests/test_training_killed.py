"""A process of a training is killed, in whatever it is at: the others end with an error at once, and another number of processes goes on from the last
checkpoint to the weights of a training that nothing stopped."""
from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_training_jobs import numbers, table

# `python program.py PHASE CALL WHO DEED` and words for the trainer: process WHO does the deed to itself in the CALLth call of PHASE.
PROGRAM = """
import os, pathlib, signal, sys, threading, time
from myriapod import train
from myriapod.distributed import job
from myriapod.learn import goal, lanes, loop, ppo
phase, call, who, deed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
rank = int((os.environ.get("MYRIAPOD_JOB") or os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("RANK") or "0").split("/")[0])

def do():
    pathlib.Path(__file__).with_suffix(".done").write_text(repr(time.time()))
    os.kill(os.getpid(), deed)

def patch(of, name, soon):
    own, calls = getattr(of, name), 0
    def patched(*words, **keys):
        nonlocal calls
        calls += 1
        if calls == call and soon:  # while it is at it
            threading.Timer(soon, do).start()
        elif calls == call:
            do()
        return own(*words, **keys)
    setattr(of, name, patched)

if rank == who:
    {"start": lambda: do(), "collect": lambda: patch(ppo.Learner, "collect", 0.001), "update": lambda: patch(ppo.Learner, "update", 0.001),
     "exchange": lambda: patch(job.Job, "gather", 0), "on the way": lambda: patch(job.Job, "gather", 0.0002), "look": lambda: patch(goal.Goal, "look", 0.005),
     "save": lambda: patch(lanes.np, "savez", 0.001), "end": lambda: patch(loop.Trainer, "_write_result", 0), "never": lambda: None}[phase]()
goal.Goal.is_near = lambda *_: True
loop.SAVE_EVERY = 2
sys.exit(train.main(sys.argv[5:]))
"""
KILL, STOP, NEVER = 9, 19, ("never", "0", "0", "0")
#: No policy reaches this goal, but all look at it.
WORDS = ("--envs", "256", "--set", "episode=0.4", "--learn", "steps=12", "--until", "error=0.0001", "--quiet")


def run(program: Path, deed: tuple[str, ...], launcher: list[str], *words: str, timeout: float = 60.0) -> tuple[int, str, float]:
    """Exit code, what was said, seconds from the deed on."""
    program.with_suffix(".done").unlink(missing_ok=True)
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run([*launcher, str(program), *deed, *words], capture_output=True, text=True, timeout=timeout, env=environment)
    ended, when = time.time(), program.with_suffix(".done")
    return done.returncode, done.stderr, ended - float(when.read_text()) if when.exists() else 0.0


def ours(processes: int) -> list[str]:
    return [sys.executable, "-m", "myriapod.distributed", "--processes", str(processes)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def unharmed(program: Path) -> Path:
    directory = program.parent / "unharmed"
    code, said, _ = run(program, NEVER, [sys.executable], "anymal-flat", *WORDS, "--iterations", "8", "--log", str(directory))
    assert code == 1 and "was not reached" in said, said
    assert len((directory / "result.json").read_text().split('"episodes"')) > 2  # it has looked
    return directory


def goes_on(program: Path, unharmed: Path, directory: Path, processes: int) -> None:
    """From the last checkpoint to the eighth iteration."""
    last = max((int(p.stem.split("_")[1]) for p in directory.glob("model_*.npz")), default=-1)
    launcher = [sys.executable] if processes == 1 else ours(processes)
    begin = ("--resume", str(directory)) if last >= 0 else ("anymal-flat", "--log", str(directory), "--overwrite")
    left = 7 - last
    code, said, _ = run(program, NEVER, launcher, *begin, *WORDS, "--iterations", str(left))
    assert code == 1 and "was not reached" in said, said
    assert all((a == b).all() for a, b in zip(numbers(unharmed), numbers(directory), strict=True))
    assert table(directory) == table(unharmed)


@pytest.mark.parametrize(("phase", "call", "who", "then"), [
    ("start", "0", "1", 1), ("collect", "4", "2", 2), ("update", "4", "0", 1), ("exchange", "60", "1", 2), ("on the way", "71", "0", 1), ("look", "2", "1", 4),
    ("save", "2", "0", 2), ("end", "1", "0", 1)])
def test_killed_by_sockets(program: Path, unharmed: Path, tmp_path: Path, phase: str, call: str, who: str, then: int) -> None:
    code, said, seconds = run(program, (phase, call, who, str(KILL)), ours(3), "anymal-flat", *WORDS, "--iterations", "8", "--log", str(tmp_path / "run"))
    assert code == 128 + KILL and f"process {who} of 3 was ended by signal 9" in said, said
    assert 0 < seconds < 10
    goes_on(program, unharmed, tmp_path / "run", then)


def test_one_that_stalls(program: Path, unharmed: Path, tmp_path: Path) -> None:
    """The others wait as long as they are told to."""
    words = ("anymal-flat", *WORDS, "--iterations", "8", "--log", str(tmp_path / "run"), "--timeout", "3")
    code, said, seconds = run(program, ("update", "4", "1", str(STOP)), ours(3), *words)
    assert code == 1 and "process 1 of 3 let process 0 wait for longer than 3 s" in said and "model_1.npz and policy.npz in" in said, said
    assert 3 <= seconds < 10 and (tmp_path / "run" / "policy.npz").exists() and (tmp_path / "run" / "curve.png").exists()
    goes_on(program, unharmed, tmp_path / "run", 2)


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="may skip: mpi4py is not there")
@pytest.mark.parametrize(("phase", "call", "who", "deed"), [("collect", "4", "1", KILL), ("exchange", "60", "0", KILL), ("update", "4", "1", STOP)])
def test_killed_by_mpi(program: Path, unharmed: Path, tmp_path: Path, phase: str, call: str, who: str, deed: int) -> None:
    found = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert found is not None
    words = ("anymal-flat", *WORDS, "--iterations", "8", "--log", str(tmp_path / "run"), "--timeout", "3")
    code, said, seconds = run(program, (phase, call, who, str(deed)), [found, "--oversubscribe", "-n", "2", sys.executable], *words)
    assert code != 0 and 0 < seconds < 10, said
    goes_on(program, unharmed, tmp_path / "run", 1)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="may skip: torch is not there")
def test_killed_by_torchrun(program: Path, unharmed: Path, tmp_path: Path) -> None:
    """Of one that stalls the others tell after the timeout, and torchrun ends it 30 s later."""
    words = ("anymal-flat", *WORDS, "--iterations", "8", "--log", str(tmp_path / "run"))
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "--"]  # else it takes --log for its own
    code, said, seconds = run(program, ("update", "4", "1", str(KILL)), launcher, *words, timeout=90)
    assert code != 0 and 0 < seconds < 10, said
    goes_on(program, unharmed, tmp_path / "run", 1)
