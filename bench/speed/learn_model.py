"""Where learning, physics and exchange cross: what an iteration of a learner takes on nodes of many cores, on paper.

    python bench/speed/learn_model.py [--task anymal-flat] [--envs 16384] [--cores 64] [--nodes 1 2 4 8]

Measured here: physics and learning of one thread per sample [us]. Counted: bytes and calls of an iteration, by the parts of a job of so many processes. Assumed: cores
like this one, each as fast as alone; an all-gather that takes a node's network (N - 1) / N of all bytes, and a latency for each call. So the figures are the
least that nodes can take. A node is one process; its learning has at most as many threads as it has slots (learn/groups.h). Nodes: 1, 2, 4, 8, ..: of other numbers more slots travel."""
import argparse
import time

from myriapod.envs.any_task import open_task
from myriapod.envs.tasks import get_task
from myriapod.learn.ppo import Learner

SLOTS = 256  # of a job with so many robots that it has all
MINIBATCHES = {"epochs": 4, "minibatches": 2}


def measured(task, hidden, options):
    """us a sample: physics, learning; and the numbers that a slot has."""
    envs, steps = 512, 24
    core = open_task(task, envs, threads=1, dtype="float32", autoreset="same-step", seed=1)
    learner = Learner(envs, core.num_observations, core.num_actions, hidden=hidden, seed=1, threads=1, critic_observations=core.num_critic_observations, **options)
    physics, learning = [], []
    for _ in range(12):
        a = time.process_time()
        learner.collect(core)
        b = time.process_time()
        learner.update()
        physics.append(b - a), learning.append(time.process_time() - b)
    samples = envs * steps * 1e-6
    losses = 4 + core.num_actions  # rows of 16 beside the gradient
    return sorted(physics)[6] / samples, sorted(learning)[6] / samples, learner.get().size + 16 * losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="anymal-flat")
    parser.add_argument("--envs", type=int, default=16384)
    parser.add_argument("--hidden", default="64,32")
    parser.add_argument("--cores", type=int, default=64, help="of a node")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--gigabits", type=float, nargs="+", default=[1, 10, 100])
    parser.add_argument("--latency", type=float, default=50.0, help="of a call [us]")
    args = parser.parse_args()
    own = get_task(args.task).learner
    options = {name: own.get(name, value) for name, value in MINIBATCHES.items()}
    physics, learning, numbers = measured(args.task, tuple(map(int, args.hidden.split(","))), options)
    samples, batches = args.envs * 24, options["epochs"] * options["minibatches"]
    print(f"{args.task}, {args.envs} robots x 24 steps, layers {args.hidden}: physics {physics:.2f}, learning {learning:.2f} core-us a sample; nodes of {args.cores} cores\n")
    print("| nodes | physics | learning | MB exchanged | " + " | ".join(f"{g:g} Gb/s: ms, to one node" for g in args.gigabits) + " |\n|" + " --- |" * (4 + len(args.gigabits)))
    one = None
    for nodes in args.nodes:
        step = samples * physics * 1e-3 / (nodes * args.cores)
        learn = samples * learning * 1e-3 / (nodes * min(args.cores, SLOTS // nodes))
        sent = 4 * numbers * nodes * batches if nodes > 1 else 0
        calls = 2 + batches if nodes > 1 else 0
        totals = [step + learn + calls * args.latency * 1e-3 + sent * (nodes - 1) / nodes * 8 / (g * 1e9) * 1e3 for g in args.gigabits]
        one = one or totals[0]
        print(f"| {nodes} | {step:.1f} | {learn:.1f} | {sent / 1e6:.2f} | " + " | ".join(f"{total:.1f}, {one / total:.2f}" for total in totals) + " |")


if __name__ == "__main__":
    main()
