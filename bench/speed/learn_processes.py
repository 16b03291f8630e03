"""What an iteration of a learner costs on the processes of a job: milliseconds of physics, learning and exchange, and the bytes that are exchanged.

    python bench/speed/learn_processes.py                                                one process
    python -m myriapod.distributed --processes 2 bench/speed/learn_processes.py          two, by sockets
    mpiexec -n 2 python bench/speed/learn_processes.py
    torchrun --nproc-per-node 2 bench/speed/learn_processes.py

The line is the first process'. `weights` are the same for every number of processes, threads and launchers. `physics` and `learning` are the mean wall clock of
`collect` and of `update` without what they exchanged; in `exchange` is the waiting for others. `bytes`: all processes' parts of an iteration together."""
import argparse
import hashlib
import json
import time

from myriapod import distributed
from myriapod.envs.any_task import open_task
from myriapod.learn.exchange import shard
from myriapod.learn.ppo import Learner


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="anymal-flat")
    parser.add_argument("--envs", type=int, default=2048, help="robots of all processes (default: %(default)s)")
    parser.add_argument("--hidden", default="64,32", help="layers (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=20, help="that are timed, after 3 others (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=0, help="of each process; 0: a core each of its share")
    parser.add_argument("--json", action="store_true", help="the line as JSON")
    args = parser.parse_args()
    with distributed.init() as job:
        threads = args.threads or job.threads
        first, count = shard(args.envs, job.rank, job.ranks)
        task = open_task(args.task, count, first_env=first, threads=threads, dtype="float32", autoreset="same-step", seed=1)
        learner = Learner(args.envs, task.num_observations, task.num_actions, hidden=tuple(map(int, args.hidden.split(","))), seed=1, threads=threads, exchange=job,
                          critic_observations=task.num_critic_observations)
        for _ in range(3):
            learner.collect(task), learner.update()
        job.barrier()
        before, begin, physics = learner.exchanged, time.monotonic(), 0.0
        for _ in range(args.iterations):
            start, waited = time.monotonic(), learner.exchanged[2]
            learner.collect(task)
            physics += time.monotonic() - start - (learner.exchanged[2] - waited)
            learner.update()
        all_of = time.monotonic() - begin
        exchanged = [now - then for now, then in zip(learner.exchanged, before)]
        weights = hashlib.sha256(learner.get().tobytes()).hexdigest()[:16]
        job.agree(weights=weights)
    per = 1e3 / args.iterations
    told = {"task": args.task, "robots": args.envs, "layers": args.hidden, "launcher": job.launcher, "processes": job.ranks, "threads": threads, "ms": all_of * per,
            "physics_ms": physics * per, "learning_ms": (all_of - physics - exchanged[2]) * per, "exchange_ms": exchanged[2] * per,
            "bytes": exchanged[0] // args.iterations, "calls": exchanged[1] // args.iterations, "weights": weights}
    if job.rank == 0:
        print(json.dumps(told) if args.json else
              f"{told['robots']} robots, {told['processes']} processes of {threads} threads ({job.launcher}): {told['ms']:.1f} ms an iteration, physics {told['physics_ms']:.1f}, learning "
              f"{told['learning_ms']:.1f}, exchange {told['exchange_ms']:.1f} of {told['bytes'] / 1e6:.2f} MB in {told['calls']} calls; weights {weights}", flush=True)


if __name__ == "__main__":
    main()
