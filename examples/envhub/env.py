"""A task in the form of LeRobot's EnvHub: this file, as `env.py` of a repository of the Hub, is all that it needs beside the installed package.

    from lerobot.envs.factory import make_env
    env = make_env("you/anymal", n_envs=64, trust_remote_code=True)["myriapod"][0]

Another task: TASK below, or `task` of the EnvConfig that LeRobot is given. Observations are `agent_pos` (n_envs, n) float32, which LeRobot gives to a policy as
`observation.state`; `is_success` of an episode: it lasted until the time limit. All environments are one batch, so `use_async_envs` changes nothing: steps
run on THREADS cores anyway."""
from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from myriapod.envs.gym import TaskVectorEnv
from myriapod.envs.tasks import get_task

TASK = "anymal-flat"
THREADS = 0  # one per core


class One:
    """What LeRobot asks a single environment: what the task is, in a word and in a sentence."""

    def __init__(self, env: HubEnv) -> None:
        self.task, self.task_description = env.core.task, get_task(env.core.task).about


class HubEnv(TaskVectorEnv):
    """A task's environments with observations that have names, and what LeRobot reads beside: `envs`, `call`, `is_success`."""

    def __init__(self, task: str, n_envs: int, **settings: Any) -> None:
        super().__init__(task, n_envs, autoreset_mode=AutoresetMode.SAME_STEP, render_mode="rgb_array", **settings)
        self.single_observation_space = gymnasium.spaces.Dict({"agent_pos": self.single_observation_space})
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.envs = [One(self)] * self.num_envs

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """seed: a number, or as LeRobot gives them one more for each environment: the first of them is that of all, and environment i has its stream i."""
        if isinstance(seed, (list, tuple)):
            if [int(each) for each in seed] != list(range(int(seed[0]), int(seed[0]) + self.num_envs)):
                raise ValueError(f"seed is {list(seed)[:5]}.., but must be one number, or {self.num_envs} that follow each other")
            seed = int(seed[0])
        observation, info = super().reset(seed=seed, options=options)
        return {"agent_pos": observation}, info

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One control step; an episode that ended begins anew at once, and its last observation is in `final_obs`."""
        observation, reward, terminated, truncated, info = super().step(actions)
        if "final_info" in info:
            info["final_info"]["is_success"], info["final_info"]["_is_success"] = truncated & ~terminated, terminated | truncated
            for i in np.flatnonzero(info["_final_obs"]):
                info["final_obs"][i] = {"agent_pos": info["final_obs"][i]}
        return {"agent_pos": observation}, reward, terminated, truncated, info

    def call(self, name: str, *args: Any, **keys: Any) -> tuple[Any, ...]:
        """An attribute of each environment, or what a method gives for it."""
        if name == "_max_episode_steps":
            return (self.core.max_episode_length,) * self.num_envs
        if name == "render":
            return tuple(self.render() or ())
        return tuple(getattr(one, name) for one in self.envs)


def make_env(n_envs: int = 1, use_async_envs: bool = False, cfg: Any = None) -> dict[str, dict[int, VectorEnv]]:
    """{suite: {number of the task: its environments}}, as LeRobot wants it."""
    return {"myriapod": {0: HubEnv(getattr(cfg, "task", None) or TASK, n_envs, threads=THREADS)}}
