"""Gradient steps of the learner in lanes beside rsl_rl's, on the same networks and samples, interleaved in one run, with the FMA probe between.

    python bench/speed/learner_speed.py [--envs 512] [--threads 1 2] [--hidden 128 64 32] [--rounds 5] [--build build] [--json FILE]      in an environment with myriapod, torch, rsl_rl

An iteration's update: --envs robots (512: what walkers are trained with) x 24 control steps, 48 observations, 12 actions, layers --hidden of policy and value (ELU; walkers have
64 32), 4 epochs x 2 minibatches. A gradient-sample is one sample through forward and backward of both networks once: 174.5 kFLOP of layers 128 64 32, by the products alone. rsl_rl's update has the same
losses; both times are of the whole update: order of samples, losses, divergence, clipping, Adam. Times are the fastest of the rounds, as noise only adds; beside their ratio stands the
median of the ratios of neighbouring rounds. The share of the probe counts the products' FMAs against what a core issues (bench/tools/fma_probe.c)."""
import argparse
import json
import pathlib
import statistics
import sys
import time

import numpy as np
import torch
from rsl_rl.algorithms import PPO
from rsl_rl.models import MLPModel
from rsl_rl.storage import RolloutStorage
from tensordict import TensorDict

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure
from myriapod.learn.ppo import Learner

STEPS, SEEN, ACTIONS, EPOCHS, MINIBATCHES = 24, 48, 12, 4, 2


def products(hidden):
    """Multiplications of a gradient-sample: forward, by the weights, and by the inputs but the first layer's; policy and value."""
    total = 0
    for out in (ACTIONS, 1):
        sizes = [a * b for a, b in zip((SEEN, *hidden), (*hidden, out))]
        total += 2 * sum(sizes) + sum(sizes[1:])
    return total


class Data:
    """Made-up samples, the same for both."""

    def __init__(self, envs):
        self.envs, self.gradient_samples = envs, envs * STEPS * EPOCHS
        draw = np.random.default_rng(1)
        self.seen = draw.standard_normal((STEPS + 1, envs, SEEN), dtype=np.float32)
        self.reward = draw.standard_normal((STEPS, envs), dtype=np.float32)
        self.no = np.zeros(envs, bool)


def lanes(data, threads, hidden):
    """A call that takes a whole update, and seconds of its gradient steps."""
    learner = Learner(data.envs, SEEN, ACTIONS, hidden=hidden, steps=STEPS, epochs=EPOCHS, minibatches=MINIBATCHES, threads=threads, seed=1)

    def update():
        for t in range(STEPS):
            learner.act(data.seen[t])
            learner.reward(data.reward[t], data.no, data.no)
        return learner.update(data.seen[-1]).update_s

    return update


def theirs(data, threads, hidden):
    """The same of rsl_rl."""
    torch.set_num_threads(threads)
    seen = [TensorDict({"policy": torch.from_numpy(o)}, batch_size=[data.envs]) for o in data.seen]
    groups = {"actor": ["policy"], "critic": ["policy"]}
    actor = MLPModel(seen[0], groups, "actor", ACTIONS, hidden, "elu", distribution_cfg={"class_name": "GaussianDistribution", "init_std": 0.5})
    critic = MLPModel(seen[0], groups, "critic", 1, hidden, "elu")
    ppo = PPO(actor, critic, RolloutStorage("rl", data.envs, STEPS, seen[0], [ACTIONS]), num_learning_epochs=EPOCHS, num_mini_batches=MINIBATCHES)

    def update():
        torch.set_num_threads(threads)
        for t in range(STEPS):
            with torch.inference_mode():
                ppo.act(seen[t])
            ppo.process_env_step(seen[t], torch.from_numpy(data.reward[t]), torch.from_numpy(data.no), {})
        start = time.perf_counter()
        with torch.inference_mode():
            ppo.compute_returns(seen[-1])
        ppo.update()
        return time.perf_counter() - start

    return update


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--hidden", type=int, nargs="+", default=[128, 64, 32])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default=measure.SOURCE / "build", help="build directory with bench/fma_probe")
    parser.add_argument("--json", help="also write the figures to this file")
    args = parser.parse_args()
    data, rows = Data(args.envs), []
    print(f"{measure.cpu_name()}; float; {data.gradient_samples} gradient-samples an update, {2 * products(args.hidden) / 1e3:.1f} kFLOP each")
    for threads in args.threads:
        pair = {"lanes": lanes(data, threads, args.hidden), "rsl_rl": theirs(data, threads, args.hidden)}
        seconds = {name: [] for name in pair}
        probes = []
        for update in pair.values():
            update()
        for _ in range(args.rounds):
            probes.append(measure.fma_rate(args.build))
            for name, update in pair.items():
                seconds[name].append(update())
        best = {name: min(times) for name, times in seconds.items()}
        ratio = statistics.median(b / a for a, b in zip(seconds["lanes"], seconds["rsl_rl"]))
        row = {"threads": threads, **{f"{name}_gs_per_s": data.gradient_samples / t for name, t in best.items()}, "ratio_of_best": best["rsl_rl"] / best["lanes"],
               "median_ratio": ratio, "probes": probes}
        flops = 2 * products(args.hidden) * row["lanes_gs_per_s"] / threads
        print(f"{threads} threads: lanes {row['lanes_gs_per_s'] / 1e6:.3f} M gradient-samples/s ({flops / 1e9:.0f} GFLOP/s and core), rsl_rl "
              f"{row['rsl_rl_gs_per_s'] / 1e6:.3f} M; {row['ratio_of_best']:.2f} times, median of rounds {ratio:.2f}")
        rate, floats = max(probes)
        if floats:
            row["share"] = flops / 2 / floats / rate
            print(f"  probe {rate / 1e9:.2f} G FMA/s of {floats} floats and core: the products are {100 * row['share']:.0f} % of it")
        rows.append(row)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
