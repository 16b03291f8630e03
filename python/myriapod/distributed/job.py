"""A job: its processes, as the launcher has started them."""
from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .._library import ArgumentError
from . import cores, shards, sockets
from .errors import JobError
from .gloo import Gloo
from .mpi import Mpi
from .sockets import Sockets
from .transport import Alone, Transport


_TORCHRUN = "torchrun"


def launched() -> tuple[str, int]:
    """What has started this process, by what it has set, and how many processes it says there are, 0: it does not say; "": nothing that makes jobs. torchrun
    comes before what a queue system has set around it, MPI's own variables before Slurm's."""
    has = os.environ
    if "TORCHELASTIC_RUN_ID" in has or all(name in has for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")):
        return _TORCHRUN, 0
    for name, launcher in (("OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec"), ("PMI_SIZE", "mpiexec"), ("SLURM_STEP_NUM_TASKS", "srun")):
        if (ranks := _number(name)) > (name == "SLURM_STEP_NUM_TASKS"):
            return launcher, ranks
    # A batch script itself has SLURM_PROCID and SLURM_NTASKS, too; a step, which srun starts, has its own number. PMIX_RANK tells no size.
    if "PMIX_RANK" in has and "SLURM_STEP_NUM_TASKS" not in has:
        return "a launcher of PMIx", 0
    return "", 0


def _open(timeout: float) -> Transport:
    if sockets.VARIABLE in os.environ:
        return Sockets(timeout)
    launcher, ranks = launched()
    if launcher == _TORCHRUN:
        return Gloo(timeout)
    return Mpi(timeout, launcher, ranks) if launcher else Alone()


def _number(name: str) -> int:
    """Of the environment; 0 where there is none."""
    word = os.environ.get(name, "0")
    if not word.isdecimal():
        raise ArgumentError(f"{name} is {word!r}, but must be a number")
    return int(word)


#: Was there a job of `launch`? Its processes find each other once.
_by_sockets = False


class Job:
    """One process of a job, as `init` gives it. Calls are the job's: each process makes the same ones, in the same order.

    rank, ranks: this process, from 0, and how many there are. local_rank, local_ranks: among those of this machine. launcher: "alone", "sockets", "mpi",
    "gloo". timeout [s]: most that another process may let this one wait. cpus: on which this process runs. threads: whole cores among them, what a batch or a
    learner should be given as `threads`."""

    def __init__(self, transport: Transport, timeout: float) -> None:
        self._transport, self.timeout = transport, timeout
        self.rank, self.ranks, self.launcher = transport.rank, transport.ranks, transport.name
        self._ended = ""  # why, once a call has failed
        self._settle()

    def _settle(self) -> None:
        """Where the processes of this machine run."""
        mine = sorted(os.sched_getaffinity(0))
        told = self.strings(f"{_machine()} {' '.join(map(str, mine))}")
        here = [r for r, words in enumerate(told) if words.split()[0] == _machine()]
        masks = [[int(cpu) for cpu in told[r].split()[1:]] for r in here]
        topology = cores.read_topology({cpu for mask in masks for cpu in mask})
        self.local_rank, self.local_ranks = here.index(self.rank), len(here)
        self.cpus = cores.share(topology, masks, self.local_rank)
        if list(self.cpus) != mine:
            os.sched_setaffinity(0, self.cpus)
        self.threads = len(cores.whole_cores(topology, self.cpus))

    # ---- parts and sums ----------------------------------------------------------------------------------------------

    def shard(self, envs: int) -> tuple[int, int]:
        """Which of so many environments this process has: the first one, and how many (`shards.shard`)."""
        return shards.shard(envs, self.rank, self.ranks)

    def gather(self, data: np.ndarray, begin: Sequence[int]) -> None:
        """data: an array that all processes have, C-contiguous and writable, of which process r has filled the bytes begin[r]..begin[r + 1] - 1; on return all
        are filled everywhere. begin: ranks + 1 numbers, from 0, that do not fall; the last one is the size of data in bytes. ArgumentError: they are not such.
        JobError: another process is gone, let this one wait for longer than the timeout, or is at another call; what is in data then is not to be used, and all
        later calls of the job are refused with the same reason."""
        if not isinstance(data, np.ndarray) or data.dtype.hasobject:
            raise ArgumentError(f"gather: data must be an array of numbers, not {data.dtype if isinstance(data, np.ndarray) else type(data).__name__}")
        begins = [int(n) for n in begin]
        if not data.flags.c_contiguous or not data.flags.writeable:
            raise ArgumentError("gather: data must be C-contiguous and writable")
        if len(begins) != self.ranks + 1 or begins[0] != 0 or begins[-1] != data.nbytes or any(a > b for a, b in zip(begins, begins[1:])):
            raise ArgumentError(f"gather: begin is {begins}, but must be {self.ranks + 1} numbers from 0 to {data.nbytes} that do not fall")
        if self._ended:
            raise JobError(f"the job has ended: {self._ended}")
        if self.ranks > 1 and data.nbytes:
            try:
                self._transport.gather(data.reshape(-1).view(np.uint8), begins)
            except BaseException as error:  # Ctrl-C, too: bytes are lost, and what would come next is not what is waited for
                self._ended = str(error) or type(error).__name__
                raise

    def each(self, own: Any) -> np.ndarray:
        """own: an array of the same shape and type in all processes -> (ranks, ...), those of all."""
        array = np.asarray(own, order="C")
        all_of = np.zeros((self.ranks, *array.shape), array.dtype)
        all_of[self.rank] = array
        self.gather(all_of, [r * array.nbytes for r in range(self.ranks + 1)])
        return all_of

    def sum(self, own: Any) -> np.ndarray:
        """The sum over the processes, added in their order: the same bits in all of them."""
        all_of = self.each(own)
        total = np.array(all_of[0])
        for r in range(1, self.ranks):
            total += all_of[r]
        return total

    def rows(self, own: Any, envs: int) -> np.ndarray:
        """own: (count, ...) of this process' shard of so many environments -> (envs, ...), of all."""
        array = np.asarray(own, order="C")
        begins = [shards.shard(envs, r, self.ranks)[0] for r in range(self.ranks)] + [envs]
        if len(array) != begins[self.rank + 1] - begins[self.rank]:
            raise ArgumentError(f"rows: {len(array)} rows are given, but {begins[self.rank + 1] - begins[self.rank]} of {envs} environments are this process'")
        all_of = np.zeros((envs, *array.shape[1:]), array.dtype)
        each = int(np.prod(array.shape[1:], dtype=np.int64)) * array.itemsize
        all_of[begins[self.rank] : begins[self.rank + 1]] = array
        self.gather(all_of, [each * n for n in begins])
        return all_of

    def blobs(self, own: bytes) -> list[bytes]:
        """Bytes of each process, of any number."""
        ends = np.concatenate([[0], np.cumsum(self.each(np.int64(len(own))))]).tolist()
        data = np.zeros(ends[-1], np.uint8)
        data[ends[self.rank] : ends[self.rank + 1]] = np.frombuffer(own, np.uint8)
        self.gather(data, ends)
        return [data[a:b].tobytes() for a, b in zip(ends, ends[1:])]

    def strings(self, own: str) -> list[str]:
        """A text of each process."""
        try:
            return [word.decode() for word in self.blobs(own.encode())]
        except UnicodeDecodeError:
            raise JobError("the processes exchange texts and something else: they do not do the same") from None

    def broadcast(self, own: bytes, root: int = 0) -> bytes:
        """The bytes that process `root` gives; what the others give does not matter. ArgumentError: there is no such process."""
        if not 0 <= root < self.ranks:
            raise ArgumentError(f"there is no process {root} of {self.ranks}")
        size = int(self.each(np.int64(len(own)))[root])
        all_of = np.frombuffer(own, np.uint8).copy() if self.rank == root else np.zeros(size, np.uint8)
        self.gather(all_of, [0] * (root + 1) + [size] * (self.ranks - root))
        return all_of.tobytes()

    def any(self, own: bool) -> bool:
        """Is it so in any process?"""
        return bool(self.each(np.uint8(own)).any())

    def agree(self, **told: object) -> None:
        """Do all processes have the same? JobError: the first name that one has otherwise than process 0, with both values."""
        words = {name: repr(value) for name, value in told.items()}
        for name, mine in words.items():
            for r, theirs in enumerate(all_of := self.strings(mine)):
                if theirs != all_of[0]:
                    raise JobError(f"process {r} of {self.ranks} has another `{name}` than process 0: {theirs}, not {all_of[0]}")

    def barrier(self) -> None:
        """Until all processes are here."""
        self.each(np.uint8(0))

    def close(self) -> None:
        """The end of the job for this process; later calls are refused."""
        self._ended = self._ended or "it was closed"
        self._transport.close()

    def abort(self, code: int = 1) -> NoReturn:
        """Ends this process with an exit code from 1 to 255, and with it the job: for a program that has caught and told what went wrong. By MPI a process that
        only ends waits for the others, which may be stalled (`python -m mpi4py script.py` does this for exceptions that are not caught)."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._transport.abort(code)
        raise SystemExit(code)

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Job(rank {self.rank} of {self.ranks}, {self.launcher}, cpus {', '.join(map(str, self.cpus))})"


def _machine() -> str:
    """A name without blanks that processes of one machine have alone."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()}/{boot}".replace(" ", "_")


def init(timeout: float = 60.0) -> Job:
    """The job that this process is of: by what `python -m myriapod.distributed`, mpiexec, srun or torchrun has set, or of this process alone. The cores of a machine
    are dealt to its processes, unless the launcher has done so; do it before the first batch or learner is made.

    timeout [s]: most that another process may let this one wait. ArgumentError: it is not above 0 and at most 1e6, or the package that the launcher asks for (mpi4py, torch)
    is missing. JobError: the other processes do not come."""
    if not 0 < timeout <= 1e6:
        raise ArgumentError(f"timeout is {timeout:g}, but must be above 0 and at most 1e6 [s]")
    global _by_sockets
    if _by_sockets:
        raise ArgumentError("this process is of a job already: call init once, and hand on what it gives")
    _by_sockets = sockets.VARIABLE in os.environ
    return Job(_open(timeout), timeout)
