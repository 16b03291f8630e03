"""Does memory stay flat? A million control steps through Gymnasium, and a thousand times create, step, close.

    python bench/speed/endurance.py [--steps 1000000] [--cycles 1000] [--json FILE]       in an environment with myriapod and gymnasium"""
import argparse
import gc
import json
import time

import gymnasium
import numpy as np

import myriapod  # noqa: F401: registers the environments


def resident_kb():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4


def steps_flat(count, envs):
    """RSS [kB] at 21 times of the run, after a tenth of it as warm-up."""
    env = gymnasium.make_vec("myriapod/anymal-flat-v0", num_envs=envs, autoreset_mode="SameStep")
    env.reset(seed=1)
    actions = [env.action_space.sample() for _ in range(16)]
    for k in range(count // 10):
        env.step(actions[k % 16])
    seen, ended, start = [resident_kb()], 0, time.perf_counter()
    for part in range(20):
        for k in range(count // 20):
            *_, terminated, truncated, _ = env.step(actions[k % 16])
            ended += int(np.count_nonzero(terminated | truncated))
        seen.append(resident_kb())
    env.close()
    return seen, ended, time.perf_counter() - start


def cycles_flat(count):
    """RSS [kB] after every tenth of the cycles, the first tenth as warm-up."""
    seen = []
    for k in range(count):
        env = gymnasium.make_vec("myriapod/anymal-flat-v0", num_envs=64, autoreset_mode="SameStep")
        env.reset(seed=k)
        env.step(np.zeros((64, 12), np.float32))
        env.close()
        if (k + 1) % (count // 10) == 0:
            gc.collect()
            seen.append(resident_kb())
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--cycles", type=int, default=1000)
    parser.add_argument("--json")
    args = parser.parse_args()
    cycles = cycles_flat(args.cycles)
    print(f"{args.cycles} cycles: RSS {cycles[0]} kB after the first tenth, {cycles[-1]} kB at the end, largest {max(cycles)} kB")
    flat, ended, seconds = steps_flat(args.steps, args.envs)
    print(f"{args.steps} control steps of {args.envs} robots, {ended} episodes, {seconds:.0f} s: RSS {flat[0]} kB after warm-up, {flat[-1]} kB at the end, largest {max(flat)} kB")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"cycles_kb": cycles, "steps_kb": flat, "episodes": ended}, file)


if __name__ == "__main__":
    main()
