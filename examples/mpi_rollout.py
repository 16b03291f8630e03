"""A farm of rollouts by mpi4py alone, as examples/mpi_rollout.c is in C: it prints the same line, for every number of processes. job_rollout.py, by
myriapod.distributed, starts in other ways, too, and deals cores.

    mpiexec -n 4 --map-by ppr:1:numa --bind-to numa python mpi_rollout.py anymal 4096 200"""
import sys
import traceback

import numpy as np
from mpi4py import MPI

from myriapod import Batch, shard


def rollout(comm, robot: str, envs: int, steps: int) -> str:
    """The line, in all processes."""
    first, count = shard(envs, comm.rank, comm.size)
    code, best = 0, (-1e9, -1)
    if count:
        with Batch(robot, count, task="random", first_env=first) as batch:  # actions are drawn by who a robot is, not by where it is computed
            batch.step(steps)
            code, heights = batch.hash(), np.array(batch.q[:, 2], np.float64)
        best = (float(heights.max()), first + int(heights.argmax()))
    total = sum(comm.allgather(code)) % 2**64
    height, who = max(comm.allgather(best), key=lambda pair: (pair[0], -pair[1]))
    return f"{envs} robots, {steps} steps: hash {total:016x}, robot {who} is highest: {height:.6f} m"


if __name__ == "__main__":
    words = sys.argv[1:4] + ["anymal", "1000", "100"][len(sys.argv[1:4]) :]
    world = MPI.COMM_WORLD
    try:
        line = rollout(world, words[0], int(words[1]), int(words[2]))
    except Exception:  # a process that stops ends the job: the others would wait for it
        traceback.print_exc()
        sys.stderr.flush()
        world.Abort(1)
    if world.rank == 0:
        print(line)
