"""skrl's PPO learns a task of the library: by default to keep a pole up, in seconds. The environments are Gymnasium's: skrl wraps them itself.

    pip install "skrl[torch]"
    python learn_skrl.py [--task gym-inverted-pendulum] [--envs 64] [--steps 1500] [--threads 0]

steps: of all environments together, so `envs` times as many samples."""
from __future__ import annotations

import argparse
import sys
from typing import Any

import myriapod  # noqa: F401  # its tasks are then Gymnasium's
import numpy as np

try:
    import gymnasium
    import torch
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
    from skrl.resources.preprocessors.torch import RunningStandardScaler
    from skrl.trainers.torch import SequentialTrainer
    from skrl.utils import set_seed
except ImportError as missing:
    sys.exit(f'learn_skrl.py needs {missing.name}: pip install "skrl[torch]"')


class Actor(GaussianMixin, Model):
    def __init__(self, observation_space: Any, action_space: Any, device: Any) -> None:
        Model.__init__(self, observation_space=observation_space, action_space=action_space, device=device)
        GaussianMixin.__init__(self)
        self.net = layers(self.num_observations, self.num_actions)
        self.log_std = torch.nn.Parameter(torch.zeros(self.num_actions))

    def compute(self, inputs: Any, role: str) -> Any:
        return self.net(inputs["observations"]), {"log_std": self.log_std}


class Critic(DeterministicMixin, Model):
    def __init__(self, observation_space: Any, action_space: Any, device: Any) -> None:
        Model.__init__(self, observation_space=observation_space, action_space=action_space, device=device)
        DeterministicMixin.__init__(self)
        self.net = layers(self.num_observations, 1)

    def compute(self, inputs: Any, role: str) -> Any:
        return self.net(inputs["observations"]), {}


def layers(inputs: int, outputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(torch.nn.Linear(inputs, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, outputs))


def make(task: str, envs: int, threads: int) -> Any:
    """Its environments; action_bound: learners want one."""
    return gymnasium.make_vec(f"myriapod/{task}-v0", num_envs=envs, threads=threads, action_bound=3.0, autoreset_mode="SameStep")


def returns(agent: PPO, task: str, envs: int, threads: int) -> np.ndarray:
    """Of one episode of each of so many environments, without noise on the actions."""
    env = make(task, envs, threads)
    observation, found = env.reset(seed=1000)[0], np.full(envs, np.nan)
    while np.isnan(found).any():
        with torch.no_grad():
            actions = agent.policy.net(torch.from_numpy(observation))
        observation, _, terminated, truncated, info = env.step(actions.numpy())
        for i in np.flatnonzero((terminated | truncated) & np.isnan(found)):
            found[i] = info["final_info"]["episode_return"][i]
    env.close()
    return found


def run(task: str = "gym-inverted-pendulum", envs: int = 64, steps: int = 1500, threads: int = 0, seed: int = 1) -> tuple[float, float]:
    """Mean returns before and behind the training."""
    set_seed(seed)
    if threads:
        torch.set_num_threads(threads)
    env = wrap_env(make(task, envs, threads), wrapper="gymnasium")
    spaces = (env.observation_space, env.action_space, env.device)
    config = PPO_CFG(rollouts=32, learning_epochs=10, mini_batches=4, learning_rate=1e-3, discount_factor=0.98,
                     value_preprocessor=RunningStandardScaler, value_preprocessor_kwargs={"size": 1, "device": env.device})
    agent = PPO(models={"policy": Actor(*spaces), "value": Critic(*spaces)}, memory=RandomMemory(memory_size=32, num_envs=envs, device=env.device),
                observation_space=env.observation_space, action_space=env.action_space, device=env.device, cfg=config)
    before = returns(agent, task, 32, threads).mean()
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": steps, "headless": True, "disable_progressbar": True, "close_environment_at_exit": False}).train()
    env.close()
    return before, returns(agent, task, 32, threads).mean()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="gym-inverted-pendulum")
    for name, number in (("envs", 64), ("steps", 1500), ("threads", 0), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=number)
    before, after = run(**vars(parser.parse_args()))
    print(f"return of an episode: {before:.0f} before, {after:.0f} behind the training")
