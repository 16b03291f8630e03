"""Policies of Gymnasium's classics exchanged: one learnt in Myriapod, one in Gymnasium's MuJoCo by the same learner, each scored in both.

    python bench/speed/gym_exchange.py [TASK ..] [--minutes 1] [--theirs 2] [--episodes 20] [--envs 16] [--log runs/exchange]

TASK: gym-ant (usual), gym-hopper, gym-walker2d, gym-half-cheetah. Minutes of wall clock for each of the two. Ant is without forces on bodies, in its
observation and its reward; so is it in Gymnasium here. Return and length: means over the first episodes, actions without noise; x: metres run per
second. Contacts: how many touch
at once, and how deep the deepest is, means over the steps of the episodes. Of ant first how far apart the engines are in one control step without gravity,
with and without a joint at its limit. Needs the package, gymnasium and mujoco."""
import argparse
import time
import warnings
from pathlib import Path

import gymnasium
import numpy as np
from myriapod.envs.any_task import open_task
from myriapod.learn.ppo import Learner
from myriapod import Policy
from myriapod.envs.tasks import get_task
from myriapod.train import main as train

THEIRS = {"gym-ant": ("Ant-v5", {"include_cfrc_ext_in_observation": False, "contact_cost_weight": 0.0}), "gym-hopper": ("Hopper-v5", {}),
          "gym-walker2d": ("Walker2d-v5", {}), "gym-half-cheetah": ("HalfCheetah-v5", {})}


def learn_theirs(task: str, minutes: float, envs: int, seed: int) -> tuple[Policy, int]:
    """By Myriapod's learner, in Gymnasium's environments, a process each."""
    name, options = THEIRS[task]
    env = gymnasium.make_vec(name, num_envs=envs, vectorization_mode="async", vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}, **options)
    most = float(env.single_action_space.high[0])
    chosen = {key: value for key, value in get_task(task).learner.items() if key != "num_envs"}
    # as many samples in an iteration as it has with 512 robots would take a minute: a quarter of them
    learner = Learner(envs, env.single_observation_space.shape[0], env.single_action_space.shape[0], seed=seed, steps=3072 // envs, **chosen)
    seen, _ = env.reset(seed=seed)
    end, samples = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < end:
        for _ in range(learner.steps):
            action = learner.act(np.asarray(seen, np.float32))
            seen, reward, terminated, truncated, _ = env.step(np.clip(action, -most, most))
            learner.reward(np.asarray(reward, np.float32), terminated, truncated)
        learner.update(np.asarray(seen, np.float32))
        samples += learner.steps * envs
    env.close()
    return learner.policy(), samples


def score_ours(policy: Policy, task: str, episodes: int) -> dict[str, float]:
    with open_task(task, episodes, seed=1000, sense=("contacts",), autoreset="disabled") as env:
        alive, returns, steps, depth, touching = np.ones(episodes, bool), np.zeros(episodes), np.zeros(episodes), [], []
        seen, start = env.observe(), env.batch.q[:, 0].copy()
        for _ in range(env.max_episode_length):
            out = env.act(policy(seen))
            seen = out.observation
            returns[alive] += out.reward[alive]
            steps[alive] += 1
            depth.append(env.batch.contact_depth[alive].max(axis=1)), touching.append((env.batch.impulse[alive][..., 2] > 0).sum(axis=1))
            alive &= ~(out.terminated | out.truncated)
            if not alive.any():
                break
        ran = env.batch.q[:, 0] - start
        return {"return": returns.mean(), "length": steps.mean(), "x": (ran / (steps * env.dt)).mean(), "contacts": np.concatenate(touching).mean(),
                "depth": 1e3 * np.concatenate(depth).mean()}


def score_theirs(policy: Policy, task: str, episodes: int) -> dict[str, float]:
    name, options = THEIRS[task]
    env = gymnasium.make(name, **options)
    inner, most = env.unwrapped, float(env.action_space.high[0])
    told: dict[str, list[float]] = {"return": [], "length": [], "x": [], "contacts": [], "depth": []}
    for episode in range(episodes):
        seen, _ = env.reset(seed=1000 + episode)
        start, total, steps, over = inner.data.qpos[0], 0.0, 0, False
        while not over:
            seen, reward, terminated, truncated, _ = env.step(np.clip(policy(np.asarray(seen, np.float32)[None])[0], -most, most))
            total, steps, over = total + reward, steps + 1, terminated or truncated
            told["contacts"].append(float(inner.data.ncon))
            told["depth"].append(1e3 * max(0.0, -inner.data.contact.dist.min(initial=0.0)))
        for key, value in (("return", total), ("length", steps), ("x", (inner.data.qpos[0] - start) / (steps * inner.dt))):
            told[key].append(float(value))
    env.close()
    return {key: float(np.mean(value)) for key, value in told.items()}


def apart(task: str, size: float, steps: int = 40, dt: float = 5e-4) -> tuple[float, float]:
    """Both engines from the same state, without gravity and far from the ground, with the same random actions of +-size: how far apart joint velocities
    are after a control step that began alike [rad/s], the worst of those in which no joint comes to its limit, and of the others."""
    rng, worst = np.random.default_rng(0), [0.0, 0.0]
    env = gymnasium.make(THEIRS[task][0]).unwrapped
    limited = env.model.jnt_limited.astype(bool)
    at, low, high = env.model.jnt_qposadr[limited], *env.model.jnt_range[limited].T
    env.frame_skip = round(env.dt / dt)
    with open_task(task, 1, precision="f64", dtype=np.float64, autoreset="next-step", dt=dt, decimation=env.frame_skip) as one:
        env.model.opt.timestep, env.model.opt.gravity[:], one.batch.gravity = dt, 0, np.zeros((1, 3))
        for _ in range(steps):
            q, v = np.array(one.model.home, float), np.zeros(one.model.nv)
            q[2] = 0.9
            q[at] = low + (high - low) * rng.uniform(0.2, 0.8, len(at))
            one.reset()
            one.batch.q, one.batch.v = q[None], v[None]
            env.set_state(q, v)
            action = rng.uniform(-size, size, (1, one.num_actions))
            one.act(action)
            env.do_simulation(action[0], env.frame_skip)
            now = env.data.qpos[at]
            hit = bool((now - low < 0.02).any() or (high - now < 0.02).any())
            worst[hit] = max(worst[hit], float(np.abs(one.batch.v[0] - env.data.qvel)[6:].max()))
    return worst[0], worst[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=["gym-ant"], choices=THEIRS, metavar="TASK")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--theirs", type=float, default=2.0)
    for name, usual in (("episodes", 20), ("envs", 16), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--log", type=Path, default=Path("runs/exchange"))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| task | learnt in | samples | scored in | return | length [steps] | x [m/s] | contacts | depth [mm] |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for task in args.tasks:
        if task == "gym-ant":
            for size in (0.1, 1.0):
                free, hit = apart(task, size)
                print(f"actions of +-{size:g}: after a control step joint velocities are {free:.2g} rad/s apart, where a joint came to its limit {hit:.2g} rad/s", flush=True)
        into = args.log / task
        train([task, "--minutes", str(args.minutes), "--iterations", "1000000", "--seed", str(args.seed), "--log", str(into), "--overwrite", "--quiet"])
        rows = (into / "progress.csv").read_text().splitlines()
        ours, theirs = (Policy.load(into / "policy.npz"), int(rows[-1].split(",")[1])), learn_theirs(task, args.theirs, args.envs, args.seed)
        for where, (policy, samples) in (("Myriapod", ours), ("MuJoCo", theirs)):
            for there, score in (("Myriapod", score_ours), ("MuJoCo", score_theirs)):
                told = score(policy, task, args.episodes)
                print(f"| `{task}` | {where} | {samples / 1e6:.1f} M | {there} | {told['return']:.0f} | {told['length']:.0f} | {told['x']:.2f} | "
                      f"{told['contacts']:.1f} | {told['depth']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
