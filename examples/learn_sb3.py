"""Stable-Baselines3's PPO learns a task of the library: by default to keep a pole up, in seconds.

    pip install stable-baselines3
    python learn_sb3.py [--task gym-inverted-pendulum] [--envs 64] [--steps 100000] [--threads 0]"""
from __future__ import annotations

import argparse
import sys

import numpy as np

try:
    import torch
    from myriapod.envs.sb3 import make_vec_env
    from stable_baselines3 import PPO
    from stable_baselines3.common.logger import Logger
except ImportError as missing:
    sys.exit(f"learn_sb3.py needs {missing.name}: pip install stable-baselines3")


def returns(model: PPO, task: str, envs: int, threads: int) -> np.ndarray:
    """Of one episode of each of so many environments, without noise on the actions."""
    env = make_vec_env(task, envs, seed=1000, threads=threads)
    observation, found = env.reset(), np.full(envs, np.nan)
    while np.isnan(found).any():
        observation, _, done, infos = env.step(model.predict(observation, deterministic=True)[0])
        for i in np.flatnonzero(done & np.isnan(found)):
            found[i] = infos[i]["episode"]["r"]
    env.close()
    return found


def run(task: str = "gym-inverted-pendulum", envs: int = 64, steps: int = 100_000, threads: int = 0, seed: int = 1) -> tuple[float, float]:
    """Mean returns before and behind the training."""
    if threads:
        torch.set_num_threads(threads)
    env = make_vec_env(task, envs, seed=seed, threads=threads)
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=512, n_epochs=10, learning_rate=1e-3, gamma=0.98, seed=seed, device="cpu")
    model.set_logger(Logger(None, []))  # its own would leave a folder among the temporary files
    before = returns(model, task, 32, threads).mean()
    model.learn(steps)
    env.close()
    return before, returns(model, task, 32, threads).mean()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="gym-inverted-pendulum")
    for name, number in (("envs", 64), ("steps", 100_000), ("threads", 0), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=number)
    before, after = run(**vars(parser.parse_args()))
    print(f"return of an episode: {before:.0f} before, {after:.0f} behind the training")
