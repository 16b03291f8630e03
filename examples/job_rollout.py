"""A farm of rollouts: each process of a job has its part of the robots, and nothing is exchanged but a sum and the best one. The line that comes out is the
same for every number of processes, and that of examples/mpi_rollout.c.

    python job_rollout.py anymal 4096 200                                             alone
    python -m myriapod.distributed --processes 4 job_rollout.py anymal 4096 200       on this machine
    mpiexec -n 4 python -m mpi4py job_rollout.py anymal 4096 200                      by MPI; needs mpi4py
    torchrun --nnodes 2 --nproc-per-node 4 job_rollout.py anymal 4096 200             by gloo; needs torch"""
import sys

import numpy as np

from myriapod import Batch, distributed

robot, envs, steps = sys.argv[1] if len(sys.argv) > 1 else "anymal", *(int(word) for word in (sys.argv[2:4] + ["1000", "100"][len(sys.argv[2:4]):]))
with distributed.init() as job:
    first, count = job.shard(envs)
    code, height = 0, np.zeros(0)
    if count:
        with Batch(robot, count, task="random", first_env=first, threads=job.threads) as batch:  # actions are drawn by who a robot is
            batch.step(steps)
            code, height = batch.hash(), np.array(batch.q[:, 2], np.float64)
    total, height = int(job.sum(np.uint64(code))), job.rows(height, envs)
    if job.rank == 0:
        best = int(height.argmax())
        print(f"{envs} robots, {steps} steps: hash {total:016x}, robot {best} is highest: {height[best]:.6f} m")
