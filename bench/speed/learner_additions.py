"""What each addition to the learner costs: gradient steps with a critic's own observation, normalization and a mirror loss, one by one and together.

    python bench/speed/learner_additions.py [--envs 512] [--threads 1] [--hidden 64 32] [--observations 101] [--actions 29] [--critic 12] [--rounds 7] [--build build] [--json FILE]

An iteration's update on made-up samples: --envs robots x 24 control steps, 4 epochs x 2 minibatches; the sizes are those of `g1-flat`, ELU. A gradient-sample is one
sample through forward and backward of both networks once. Variants take turns; a time is the fastest of the rounds. `share` counts the FMAs of all products, those of the
mirrored policy among them, against what a core issues (bench/tools/fma_probe.c, before and after)."""
import argparse
import json
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure
from myriapod.learn.ppo import Learner

STEPS, EPOCHS, MINIBATCHES = 24, 4, 2


def products(seen, out, hidden):
    """Multiplications of one sample forward and back: by the weights, and by the inputs of all layers but the first."""
    sizes = [a * b for a, b in zip((seen, *hidden), (*hidden, out))]
    return 2 * sum(sizes) + sum(sizes[1:])


class Variant:
    """A learner with some additions, and samples for it."""

    def __init__(self, args, critic, normalization, mirror):
        self.critic, draw = critic, np.random.default_rng(1)
        self.learner = Learner(args.envs, args.observations, args.actions, hidden=args.hidden, steps=STEPS, epochs=EPOCHS, minibatches=MINIBATCHES, threads=args.threads, seed=1,
                               critic_observations=critic, obs_normalization=int(normalization), mirror_loss_coef=1.0 if mirror else 0.0)
        if mirror:
            self.learner.set_mirror(np.arange(1, args.observations + 1)[::-1].copy(), np.arange(1, args.actions + 1)[::-1].copy())
        self.seen = draw.standard_normal((STEPS + 1, args.envs, args.observations), dtype=np.float32)
        self.own = draw.standard_normal((STEPS + 1, args.envs, critic), dtype=np.float32)
        self.reward, self.no = draw.standard_normal((STEPS, args.envs), dtype=np.float32), np.zeros(args.envs, bool)
        self.fma = products(args.observations, args.actions, args.hidden) * (2 if mirror else 1) + products(args.observations + critic, 1, args.hidden)
        self.seconds = float("inf")

    def update(self):
        for t in range(STEPS):
            if self.critic:
                self.learner.see(self.own[t])
            self.learner.act(self.seen[t])
            self.learner.reward(self.reward[t], self.no, self.no)
        if self.critic:
            self.learner.see(self.own[-1])
        self.seconds = min(self.seconds, self.learner.update(self.seen[-1]).update_s)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--hidden", type=int, nargs="+", default=[64, 32])
    parser.add_argument("--observations", type=int, default=101)
    parser.add_argument("--actions", type=int, default=29)
    parser.add_argument("--critic", type=int, default=12, help="numbers that a critic alone observes")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--build", type=pathlib.Path, default=measure.SOURCE / "build", help="build directory with bench/fma_probe")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    kinds = {"none": (0, False, False), "critic's own": (args.critic, False, False), "normalization": (0, True, False), "mirror loss": (0, False, True), "all": (args.critic, True, True)}
    variants = {name: Variant(args, *kind) for name, kind in kinds.items()}
    before, wide = measure.fma_rate(args.build)
    for _ in range(args.rounds):
        for variant in variants.values():
            variant.update()
    probe, count, rows = wide * max(before, measure.fma_rate(args.build)[0]), args.envs * STEPS * EPOCHS, []
    print(f"{args.envs} robots, {args.observations} observations, {args.actions} actions, layers {' '.join(map(str, args.hidden))}, {args.threads} thread(s), "
          f"{next(iter(variants.values())).learner.options['isa']}; probe {probe / 1e9:.1f} G FMA/s a core")
    print("| addition | us a gradient-sample | M gradient-samples/s | to none | share of the probe |\n| --- | --- | --- | --- | --- |")
    first = variants["none"].seconds
    for name, variant in variants.items():
        rate = count / variant.seconds
        row = {"addition": name, "seconds": variant.seconds, "rate": rate, "ratio": variant.seconds / first, "share": rate * variant.fma / (probe * args.threads)}
        rows.append(row)
        print(f"| {name} | {1e6 / rate:.3f} | {rate / 1e6:.2f} | {row['ratio']:.2f} | {row['share']:.2f} |")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
