"""What Python costs: control steps of the locomotion task through Gymnasium with random actions (observations, rewards and resets included), beside
the bare engine on the same states and targets, MuJoCo's `rollout` on the same robot, and EnvPool's Ant, in one run.

    python bench/speed/python_throughput.py [--threads 1 2] [--json FILE]       in an environment with myriapod, gymnasium, mujoco, envpool

The bare engine takes the same substeps in one call of the library (`myr_batch_rollout` without states): nothing is observed, no robot is reset, and a
tile stays in its core's cache for all steps. Repetitions alternate. Times are the fastest of each, as noise only adds; beside their ratio stands the
median of the ratios of neighbouring repetitions."""
import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import statistics
import sys
import time

import gymnasium
import numpy as np

import myriapod
from myriapod._library import check, ffi, lib

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import mujoco_model


def clocked(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def each(step, actions):
    """As a training loop does: what a step gave is dropped with the next one."""
    for action in actions:
        step(action)


def bare(batch, targets):
    """One call: PD targets (envs, steps, nu) in, nothing out."""
    with batch._open() as c:
        job = {"steps": targets.shape[1], "control_field": lib.MYR_TARGET, "type": lib.MYR_F32, "control": ffi.cast("void *", targets.ctypes.data)}
        check(lib.myr_batch_rollout(c, ffi.new("myr_rollout *", job)))


def ours(args, threads):
    """Seconds of both ways, alternating, and what the steps did."""
    env = gymnasium.make_vec("myriapod/anymal-flat-v0", num_envs=args.envs, threads=threads, autoreset_mode="SameStep")
    env.reset(seed=1)
    core = env.unwrapped.core
    batch, nu = core.batch, core.num_actions
    draw = np.random.default_rng(1)
    actions = draw.standard_normal((args.steps, args.envs, nu), dtype=np.float32)
    for action in actions[: min(50, args.steps)]:
        env.step(action)
    start = batch.get_state()
    home = core.model.home[[j.q for j in core.model.joints if j.u >= 0]].astype(np.float32)
    targets = np.ascontiguousarray((home + np.float32(core.settings["action_scale"]) * actions).transpose(1, 0, 2))
    rows = []
    for _ in range(args.repeats):
        row = {}
        for way, work in (("gymnasium", lambda: each(env.step, actions)), ("engine", lambda: bare(batch, targets))):
            batch.set_state(start)
            batch.clear_stats()
            row[way] = clocked(work)
            stats = batch.stats()
            row[way + " substeps"] = stats.robot_steps
            row[way + " contacts"] = stats.contacts_mean
            row[way + " residual p99"] = stats.residual_p99
            row[way + " task_ns"] = stats.task_ns
        rows.append(row)
    info = batch.info
    settings = {k: core.settings[k] for k in ("dt", "decimation", "solver", "tolerance", "precision")}
    env.close()
    return rows, info, settings


def mujoco_ns(args, threads):
    """ns per substep and thread of mujoco.rollout on the same robot, PD targets drawn in the same way."""
    import mujoco
    from mujoco import rollout

    model = myriapod.Model("anymal")
    with myriapod.Batch(model, 1, task="locomotion") as one:
        facts = {"home": model.home, "kp": one.kp[0].tolist(), "kd": one.kd[0].tolist(), "effort": [j.effort_limit for j in model.joints if j.u >= 0]}
    robots = os.path.join(os.path.dirname(__file__), "..", "..", "robots", "anymal.urdf")
    peer = mujoco.MjModel.from_xml_string(mujoco_model.mjcf(robots, facts, 0.005, args.cone, True, True))
    count, steps, hold = args.mujoco_envs * threads, 4 * args.mujoco_steps, 4
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    state = np.empty(mujoco.mj_stateSize(peer, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(peer, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    home = np.array(facts["home"])[7:]
    draw = np.random.default_rng(1)
    targets = np.repeat(home + 0.5 * draw.standard_normal((count, steps // hold, len(home))), hold, axis=1)
    datas = [mujoco.MjData(peer) for _ in range(threads)]
    initial = np.tile(state, (count, 1))
    rollout.rollout(peer, datas, initial[:threads], targets[:threads])  # warm
    seconds = [clocked(lambda: rollout.rollout(peer, datas, initial, targets)) for _ in range(args.repeats)]
    return 1e9 * min(seconds) * threads / (count * steps), mujoco.__version__


def envpool_ns(args, threads):
    """ns per substep and thread of EnvPool's Ant-v5 (8 joints, 5 substeps of 10 ms per step), random actions."""
    import envpool

    env = envpool.make("Ant-v5", env_type="gymnasium", num_envs=args.envpool_envs, num_threads=threads, seed=1)
    env.reset()
    draw = np.random.default_rng(1)
    actions = [draw.uniform(-1, 1, (args.envpool_envs, 8)) for _ in range(8)]
    for action in actions:
        env.step(action)
    seconds = [clocked(lambda: each(env.step, [actions[k % 8] for k in range(args.envpool_steps)])) for _ in range(args.repeats)]
    return 1e9 * min(seconds) * threads / (args.envpool_envs * args.envpool_steps * 5), envpool.__version__


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=100, help="control steps of one timing")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--cone", default="elliptic", choices=("elliptic", "pyramidal"), help="of MuJoCo")
    parser.add_argument("--mujoco-envs", type=int, default=32, help="per thread")
    parser.add_argument("--mujoco-steps", type=int, default=100)
    parser.add_argument("--envpool-envs", type=int, default=64)
    parser.add_argument("--envpool-steps", type=int, default=100)
    parser.add_argument("--json")
    args = parser.parse_args()
    document = {"date": datetime.date.today().isoformat(), "version": myriapod.__version__, "cases": []}
    for threads in args.threads:
        rows, info, settings = ours(args, threads)
        ratios = sorted(r["engine"] / r["engine substeps"] * r["gymnasium substeps"] / r["gymnasium"] for r in rows)
        ns = {way: 1e9 * threads * min(r[way] / r[way + " substeps"] for r in rows) for way in ("gymnasium", "engine")}
        case = {"threads": threads, "isa": info.isa, **settings, "envs": args.envs, "steps": args.steps, "ns": ns, "ratio": ns["engine"] / ns["gymnasium"], "ratio_median": statistics.median(ratios), "ratios": ratios,
                "contacts": {w: rows[0][w + " contacts"] for w in ns}, "residual_p99": rows[0]["gymnasium residual p99"], "task_ns": rows[0]["gymnasium task_ns"]}
        print(f"{args.envs} ANYmals, {args.steps} control steps of {settings['decimation']} x {1e3 * settings['dt']:.0f} ms, {info.isa}, {settings['precision']}, {threads} thread(s), "
              f"{settings['solver']}, tolerance {settings['tolerance']:g}, residual p99 {case['residual_p99']:.1e}")
        print(f"  bare engine        {ns['engine']:8.1f} ns per robot-substep and thread, {case['contacts']['engine']:.2f} contacts")
        print(f"  Gymnasium          {ns['gymnasium']:8.1f} ns, {case['contacts']['gymnasium']:.2f} contacts, of which {case['task_ns']:.1f} ns rewards and observations;  "
              f"rate {100 * case['ratio']:.1f} % of the engine's (pairs: median {100 * case['ratio_median']:.1f}, {100 * ratios[0]:.1f} .. {100 * ratios[-1]:.1f})")
        for name, measured in (("mujoco", mujoco_ns), ("envpool", envpool_ns)):
            if importlib.util.find_spec(name) is None:
                print(f"  {name} is not installed")
                continue
            peer, version = measured(args, threads)
            case[name] = {"ns": peer, "version": version, "over_gymnasium": peer / ns["gymnasium"]}
            what = f"MuJoCo {version} rollout, {args.cone}, same robot" if name == "mujoco" else f"EnvPool {version} Ant-v5 (another robot)"
            print(f"  {what}: {peer:8.1f} ns per robot-substep and thread, {peer / ns['gymnasium']:.1f} times Gymnasium's above")
        document["cases"].append(case)
        sys.stdout.flush()
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)


if __name__ == "__main__":
    main()
