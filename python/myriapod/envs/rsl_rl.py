"""rsl_rl: a task as its `VecEnv` (rsl-rl-lib 3 and later: observations are TensorDicts)."""
from __future__ import annotations

from typing import Any

import torch
from rsl_rl.env import VecEnv
from tensordict import TensorDict

from .._library import ArgumentError
from .._names import warn_at_caller
from .any_task import open_task
from .protocol import fault_text


class TaskVecEnv(VecEnv):
    """A task as rsl_rl's `VecEnv`: one of the library, or MODULE:NAME of one that is written in Python.

    Arguments as `LaneTask`'s. Observation groups: "policy" (num_envs, n) float32, and "critic" where the task has one. `extras` of a step: `time_outs`; `log` when episodes end:
    means over them of each reward term per second, of the length and of the falls; `faults` when there are any: environment -> reason.
    It can be pickled, with its state."""

    def __init__(self, task: str = "anymal-flat", num_envs: int = 4096, *, device: str = "cpu", **settings: Any) -> None:
        if torch.device(device).type != "cpu":
            raise ArgumentError(f"device is {device!r}, but the simulation is on the processor: let the runner move its tensors")
        self.core: Any = open_task(task, num_envs, autoreset="same-step", dtype="float32", **settings)
        self.num_envs, self.num_actions = self.core.num_envs, self.core.num_actions
        self.max_episode_length = self.core.max_episode_length
        self.device = device
        self.cfg = {"task": task, "robot": self.core.model.name, "num_envs": num_envs, "settings": dict(self.core.settings)}
        self._observation = self.core.observe()
        self._critic = self.core.observe_critic() if self.core.num_critic_observations else None

    @property
    def episode_length_buf(self) -> torch.Tensor:  # type: ignore[override]
        """(num_envs,) int64: control steps since each episode began. Writable as a whole: `env.episode_length_buf = tensor`."""
        return torch.from_numpy(self.core.clock).long()

    @episode_length_buf.setter
    def episode_length_buf(self, value: torch.Tensor) -> None:
        if tuple(value.shape) != (self.num_envs,):
            raise ArgumentError(f"episode_length_buf has shape {tuple(value.shape)}, but must be ({self.num_envs},)")
        self.core.clock = value.to("cpu", torch.float32).numpy()

    def get_observations(self) -> TensorDict:
        """What the last step, or reset, gave."""
        groups = {"policy": torch.from_numpy(self._observation)}
        if self._critic is not None:
            groups["critic"] = torch.from_numpy(self._critic)
        return TensorDict(groups, batch_size=[self.num_envs])

    def reset(self) -> tuple[TensorDict, dict[str, Any]]:
        """New episodes for all."""
        self._observation = self.core.reset()
        self._critic = self.core.observe_critic() if self.core.num_critic_observations else None
        return self.get_observations(), {}

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """One control step. actions (num_envs, num_actions)."""
        o = self.core.act(actions.detach())
        self._observation = o.observation
        self._critic = o.critic if self.core.num_critic_observations else None
        truncated = torch.from_numpy(o.truncated)
        dones = torch.from_numpy(o.terminated) | truncated
        extras: dict[str, Any] = {"time_outs": truncated}
        final = self.core.final()
        if len(final.ids):
            seconds = max(float(final.episode_length.sum()) * self.core.dt, 1e-9)
            terms = final.terms.sum(0) / seconds
            log = {column: float(terms[k]) for k, column in enumerate(self.core.term_columns)}
            log["Episode/length_s"] = seconds / len(final.ids)
            log["Episode/fell"] = float(o.terminated[final.ids].mean())
            extras["log"] = log
        if o.fault.any():
            extras["faults"] = {int(i): fault_text(o.fault[i]) for i in o.fault.nonzero()[0]}
        return self.get_observations(), torch.from_numpy(o.reward), dones.long(), extras

    def close(self) -> None:
        """Give the memory back."""
        self.core.close()


class LocomotionVecEnv(TaskVecEnv):
    """Old name of `TaskVecEnv`, from when locomotion was the only task."""

    def __init__(self, *args: Any, **keys: Any) -> None:
        warn_at_caller("LocomotionVecEnv is called TaskVecEnv", DeprecationWarning)
        super().__init__(*args, **keys)
