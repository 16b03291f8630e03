"""A farm of rollouts by Ray: each actor has its part of the robots for as long as it lives. The line is that of job_rollout.py, for every number of actors.

    pip install ray
    python ray_rollout.py anymal 4096 200 --actors 4 --cpus 8"""
import argparse
import sys

import numpy as np

from myriapod import Batch, shard

try:
    import ray
except ImportError:
    sys.exit("ray_rollout.py needs Ray: pip install ray. Without it: job_rollout.py, mpi_rollout.py, rollout_array.sh")


class Rollouts:
    """Robots first .. first + count - 1 of a farm. threads: as many as Ray has given it, as Ray binds no process to processors."""

    def __init__(self, robot: str, first: int, count: int, threads: int) -> None:
        # actions are drawn by who a robot is, not by where it is computed; unpinned, as actors of one machine do not know of each other
        self._batch, self._first = Batch(robot, count, task="random", first_env=first, threads=threads, pin=0), first

    def run(self, steps: int) -> tuple[int, float, int]:
        """Hash, greatest height and whose it is."""
        self._batch.step(steps)
        heights = np.array(self._batch.q[:, 2], np.float64)
        return self._batch.hash(), float(heights.max()), self._first + int(heights.argmax())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default="anymal")
    parser.add_argument("envs", nargs="?", type=int, default=1000)
    parser.add_argument("steps", nargs="?", type=int, default=100)
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--cpus", type=int, default=1, help="processors and threads of each actor")
    given = parser.parse_args()
    parts = [shard(given.envs, rank, given.actors) for rank in range(given.actors)]
    ray.init()
    actor = ray.remote(num_cpus=given.cpus)(Rollouts)
    actors = [actor.remote(given.robot, first, count, given.cpus) for first, count in parts if count]
    told = ray.get([each.run.remote(given.steps) for each in actors])
    total, (height, who) = sum(code for code, _, _ in told) % 2**64, max(((height, who) for _, height, who in told), key=lambda pair: (pair[0], -pair[1]))
    print(f"{given.envs} robots, {given.steps} steps: hash {total:016x}, robot {who} is highest: {height:.6f} m")
    ray.shutdown()


if __name__ == "__main__":
    main()
