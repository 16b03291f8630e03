"""Processes of one job: which of them this is, its part of the robots, its cores, and bytes from each to all.

    job = myriapod.distributed.init()
    first, count = job.shard(4096)
    batch = Batch("anymal", count, {"first_env": first, "threads": job.threads})
    ...
    total = job.sum(mine)

It runs under `python -m myriapod.distributed --processes N`, `mpiexec`, `srun` (by mpi4py) and `torchrun` (by gloo), and alone. Importing it imports none
of these."""
from .errors import JobError
from .job import Job, init
from .launch import launch
from .shards import shard

__all__ = ["Job", "JobError", "init", "launch", "shard"]
