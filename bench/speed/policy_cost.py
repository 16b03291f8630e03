#!/usr/bin/env python3
"""What a policy costs: ns per robot, control step and thread of the locomotion task with an array of actions, of the same steps with the policy in lanes
that gives these actions, and with the same policy asked through Python (NumPy) step by step.

    python bench/speed/policy_cost.py [--threads 1 2] [--endure MINUTES] [--json FILE]       in an environment with myriapod

Each number of threads is a process of its own, so that NumPy's BLAS has as many. The ways alternate within one run, each from the same state; times are the fastest of each, as noise only adds. All of them take the same control steps,
but for the rounding of NumPy's actions. "Network alone" is myr_policy_actions on as many rows. A policy of 48-128-64-32-12 has 16.8 kFMA; with
--probe, the built bench/fma_probe, the part of the core's FMAs that the network alone reaches is printed: the best of both, as the clock moves. --endure: control steps with the policy in lanes
for so long, and the resident memory before and after."""
import argparse
import datetime
import json
import os
import subprocess
import sys
import time

import numpy as np

import myriapod
from myriapod.policies.lanes import lanes_of


def clocked(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def made_up(widths, seed=1):
    """A policy of random layers: small actions, so that robots stand as often as they fall."""
    draw = np.random.default_rng(seed)
    weights = [draw.standard_normal((b, a)).astype(np.float32) / np.float32(np.sqrt(a)) for a, b in zip(widths, widths[1:])]
    return myriapod.Policy(weights, [np.zeros(b, np.float32) for b in widths[1:]], "elu", mean=np.zeros(widths[0]), std=np.full(widths[0], 1.5))


def resident_kb():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def by_array(task, actions):
    """One call of the library: actions (envs, steps, nu) in, rewards and ends of episodes out."""
    from myriapod._library import check, ffi, lib

    rows = actions.shape[:2]
    reward, ends = np.empty(rows, np.float32), np.empty((2, *rows), np.uint8)
    io = {"steps": actions.shape[1], "type": lib.MYR_F32, "action": ffi.cast("void *", actions.ctypes.data), "reward": ffi.cast("void *", reward.ctypes.data),
          "terminated": ffi.cast("uint8_t *", ends[0].ctypes.data), "truncated": ffi.cast("uint8_t *", ends[1].ctypes.data)}
    with task.batch._open() as c:
        check(lib.myr_batch_act(c, ffi.new("myr_act *", io)))


def by_python(task, policy, steps):
    seen = task.observe()
    for _ in range(steps):
        seen = task.act(policy(seen)).observation


def case(args, threads):
    task = myriapod.Locomotion("anymal-flat", args.envs, threads=threads, seed=1)
    policy = myriapod.Policy.load(args.policy) if args.policy else made_up((task.num_observations, *args.hidden, task.num_actions))
    lanes = lanes_of(policy, threads)
    task.rollout(policy, 50)  # what everything begins with: on its feet or fallen, but no longer at home
    start = task.batch._saved()  # all of it: friction is drawn anew where an episode ends, and in no state
    actions = task.rollout(policy, args.steps, action=True).action
    seen = task.observe()
    ways = {"array": lambda: by_array(task, actions), "lanes": lambda: task.rollout(policy, args.steps), "network alone": lambda: [lanes(seen) for _ in range(args.steps)],
            "python": lambda: by_python(task, policy, args.steps), "numpy alone": lambda: [policy(seen) for _ in range(args.steps)]}
    hashes, seconds, probe = {}, {way: [] for way in ways}, 0
    for _ in range(args.repeats):
        if args.probe:  # vector FMAs per second of the kind that this instruction set has
            probe = max(probe, json.loads(subprocess.run([args.probe, "30"], capture_output=True, text=True, check=True).stdout).get(task.batch.info.isa, 0))
        for way, work in ways.items():
            task.batch._restore_saved(start)
            seconds[way].append(clocked(work))
            hashes[way] = task.batch.hash()
    assert hashes["array"] == hashes["lanes"], "the array's steps are not the policy's"
    ns = {way: 1e9 * threads * min(s) / (args.envs * args.steps) for way, s in seconds.items()}
    info = task.batch.info
    task.close()
    return {"threads": threads, "isa": info.isa, "envs": args.envs, "steps": args.steps, "layers": [w.shape[1] for w in policy.weights] + [policy.n_act], "ns": ns,
            "fma": sum(w.size for w in policy.weights), "probe": probe * {"avx512": 16, "avx2": 8}.get(info.isa, 0)}


def in_a_process(args, threads):
    """`case` where BLAS has as many threads as the batch."""
    mine = [f"--{name}={getattr(args, name)}" for name in ("envs", "steps", "repeats", "policy", "probe") if getattr(args, name) is not None]
    command = [sys.executable, __file__, *mine, "--hidden", *map(str, args.hidden), "--threads", str(threads), "--alone"]
    environment = {**os.environ, **{f"{name}_NUM_THREADS": str(threads) for name in ("OPENBLAS", "MKL", "BLIS")}}
    return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def endure(args):
    task = myriapod.Locomotion("anymal-flat", args.envs, threads=args.threads[0], seed=1)
    policy = made_up((task.num_observations, *args.hidden, task.num_actions))
    marks, steps, start = [], 0, time.perf_counter()
    while (past := time.perf_counter() - start) < 60 * args.endure:
        task.rollout(policy, 20, observation=True)
        steps += 20
        if len(marks) <= 10 * past / (60 * args.endure):
            marks.append(resident_kb())
    marks.append(resident_kb())
    task.close()
    print(f"{steps} control steps of {args.envs} robots in {args.endure:g} minutes: resident {marks[1]} kB after a tenth, {marks[-1]} kB at the end, most {max(marks)} kB")
    return {"steps": steps, "envs": args.envs, "minutes": args.endure, "resident_kb": marks}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=24, help="control steps of one timing")
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, os.cpu_count()])
    parser.add_argument("--hidden", type=int, nargs="+", default=[128, 64, 32])
    parser.add_argument("--policy", help="a file of Policy.load, instead of made-up layers")
    parser.add_argument("--probe", help="bench/fma_probe as it was built")
    parser.add_argument("--endure", type=float, default=0, help="minutes")
    parser.add_argument("--json")
    parser.add_argument("--alone", action="store_true", help="one number of threads, in this process, as JSON")
    args = parser.parse_args()
    if args.alone:
        print(json.dumps(case(args, args.threads[0])))
        return
    document = {"date": datetime.date.today().isoformat(), "version": myriapod.__version__, "cases": []}
    for threads in args.threads:
        one = in_a_process(args, threads)
        ns = one["ns"]
        print(f"{one['envs']} ANYmals, {one['steps']} control steps of 4 x 5 ms, {one['isa']}, {threads} thread(s), policy {'-'.join(map(str, one['layers']))}; ns per robot, "
              "control step and thread")
        print(f"  actions from an array  {ns['array']:8.0f}")
        print(f"  policy in lanes        {ns['lanes']:8.0f}   {100 * (ns['lanes'] / ns['array'] - 1):.0f} % more")
        print(f"  policy through NumPy   {ns['python']:8.0f}   {ns['python'] / ns['lanes']:.1f} times the policy in lanes")
        print(f"  the network alone      {ns['network alone']:8.0f}   {one['fma'] / ns['network alone']:.1f} GFMA/s per thread;  NumPy's {ns['numpy alone']:.0f}")
        if one["probe"]:
            print(f"  of a core's FMAs (fma_probe: {1e-9 * one['probe']:.1f} GFMA/s) {100e9 * one['fma'] / ns['network alone'] / one['probe']:.0f} %")
        document["cases"].append(one)
    if args.endure > 0:
        document["endure"] = endure(args)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)


if __name__ == "__main__":
    main()
