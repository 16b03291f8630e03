"""Stable-Baselines3: a task as its `VecEnv`.

    from myriapod.envs.sb3 import VecEnv
    from stable_baselines3 import PPO
    PPO("MlpPolicy", VecEnv("anymal-flat", 512), n_steps=24, batch_size=3072, device="cpu").learn(1_000_000)"""
from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv as _VecEnv

from .._library import ArgumentError
from ..settings import check_keywords
from .any_task import open_task
from .gym_parts import Renderer, bound_of, check_render_mode
from .protocol import fault_text

_PREFIX = "myriapod/"


class VecEnv(_VecEnv):
    """A task as a `VecEnv` of Stable-Baselines3: one of the library, or MODULE:NAME of one that is written in Python.

    Arguments as `LaneTask`'s; render_mode, width, height as `myriapod.envs.gym.TaskVectorEnv`'s. action_bound: of the action space, as
    its learners want one: PPO cuts actions there, SAC and TD3 stretch theirs to it (1 or 2 suits them); None: where the task cuts actions itself (+-1 of gym-hopper), else 10.
    Actions are of the order of 1, and are not cut here. Episodes begin anew at once. infos: `TimeLimit.truncated`; of
    an episode that ended `terminal_observation` and `episode` (`r`, `l`, `t`, as `Monitor` gives it); `fault`, where the engine stopped an environment.

    All environments are one object. `get_attr` and `set_attr` find what the task (`core`) or its batch has: fields and arrays of all environments by
    their rows, anything else the same for each. `env_method` calls a method once, for all; "reset" and "render" for `indices` alone. `seed(s)` is for the
    next `reset`: environment i then has stream (s, i)."""

    def __init__(self, task: str = "anymal-flat", num_envs: int = 1, *, action_bound: float | None = None, render_mode: str | None = None,
                 width: int = 640, height: int = 360, sense: tuple[str, ...] = (), **settings: Any) -> None:
        if action_bound is not None and not 0.0 < float(action_bound) < np.inf:
            raise ArgumentError(f"action_bound is {action_bound!r}, but must be finite and above 0")
        seen = check_render_mode(render_mode)
        check_keywords(settings, type(self).__name__,
                       ("task", "num_envs", "action_bound", "render_mode", "width", "height", "robot", "sense", "profile", "numbers"))
        self._seeded = "seed" in settings
        self.core: Any = open_task(task, num_envs, autoreset="same-step", dtype="float32", sense=tuple(dict.fromkeys((*sense, *seen))), **settings)
        bound = bound_of(self.core, action_bound, 10.0)
        spaces = {"observation_space": gymnasium.spaces.Box(-np.inf, np.inf, (self.core.num_observations,), np.float32),
                  "action_space": gymnasium.spaces.Box(-bound, bound, (self.core.num_actions,), np.float32)}
        self._own: dict[str, Any] = {**spaces, "render_mode": render_mode, "spec": None}
        self._renderer = Renderer(self.core.batch, width, height) if render_mode else None
        self._start = time.monotonic()
        self._actions: Any = None
        super().__init__(self.core.num_envs, spaces["observation_space"], spaces["action_space"])
        self.metadata["render_fps"] = round(1 / self.core.dt)

    def reset(self) -> np.ndarray:
        """New episodes for all; after `seed`, those of the seed."""
        seed = self._seeds[0]
        if seed is None and not self._seeded:  # no seed given: NumPy's generator does, once
            seed = int(np.random.randint(2**62))
        self._seeded = True
        self._reset_seeds()
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.core.reset(seed=seed)

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """There are no options of a reset: ArgumentError for any."""
        if options and any(options if isinstance(options, list) else [options]):
            raise ArgumentError(f"options is {options!r}, but resets have no options; part of the environments: env_method('reset', indices=[...])")

    def step_async(self, actions: np.ndarray) -> None:
        """Actions (num_envs, num_actions) for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """One control step."""
        out = self.core.act(self._actions)
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        final = self.core.final()
        elapsed = round(time.monotonic() - self._start, 6)
        for row, env in enumerate(final.ids):
            infos[env]["TimeLimit.truncated"] = bool(out.truncated[env] and not out.terminated[env])
            infos[env]["terminal_observation"] = final.observation[row]
            infos[env]["episode"] = {"r": float(final.episode_return[row]), "l": int(final.episode_length[row]), "t": elapsed}
        for env in np.flatnonzero(out.fault):
            infos[env]["fault"] = fault_text(int(out.fault[env]))
        return out.observation, out.reward, out.terminated | out.truncated, infos

    def close(self) -> None:
        """Give the memory back."""
        self.core.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture of each environment; `render` tiles them."""
        return list(self._renderer.pictures()) if self._renderer else [None] * self.num_envs

    # ---- one object as many environments --------------------------------------------------------------------------

    def _ids(self, indices: None | int | Iterable[int]) -> list[int]:
        wanted = [indices] if isinstance(indices, (int, np.integer)) else list(self._get_indices(indices))
        return [int(range(self.num_envs)[i]) for i in wanted]  # from the end where negative; IndexError past it

    def _rows(self, value: Any, ids: list[int]) -> list[Any]:
        of_each = isinstance(value, np.ndarray) and value.shape[:1] == (self.num_envs,)
        return [value[i] if of_each else value for i in ids]

    def _owner(self, name: str) -> Any:
        for owner in (self.core, self.core.batch):
            if hasattr(owner, name):
                return owner
        raise AttributeError(f"task {self.core.task!r} and its batch have no attribute {name!r}")

    def get_attr(self, attr_name: str, indices: None | int | Iterable[int] = None) -> list[Any]:
        """An attribute of the environments `indices` (None: all). AttributeError: the task and its batch have none of this name."""
        value = self._own[attr_name] if attr_name in self._own else getattr(self._owner(attr_name), attr_name)
        return self._rows(value, self._ids(indices))

    def set_attr(self, attr_name: str, value: Any, indices: None | int | Iterable[int] = None) -> None:
        """Set a field of the batch, such as `command` or `friction`, in the environments `indices`; or, for all, another attribute of the task."""
        ids = self._ids(indices)
        if attr_name in self.core.batch.fields:
            self.core.batch.set(attr_name, value, ids)
        elif len(set(ids)) < self.num_envs:
            raise ArgumentError(f"{attr_name!r} is not a field of the batch: it is the same for all environments, and is set without indices")
        else:
            setattr(self._owner(attr_name), attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: None | int | Iterable[int] = None, **method_kwargs: Any) -> list[Any]:
        """What a method of the task or of its batch gives, for each of the environments `indices`."""
        ids = self._ids(indices)
        if method_name == "render":
            pictures = self._renderer.pictures() if self._renderer else [None] * self.num_envs
            return [pictures[i] for i in ids]
        if method_name == "reset" and not method_args and not method_kwargs and len(set(ids)) < self.num_envs:
            method_args = (np.isin(np.arange(self.num_envs), ids),)
        return self._rows(getattr(self._owner(method_name), method_name)(*method_args, **method_kwargs), ids)

    def env_is_wrapped(self, wrapper_class: type, indices: None | int | Iterable[int] = None) -> list[bool]:
        """None has a wrapper; of `Monitor` it is said, as infos have the `episode` that it would give."""
        return [wrapper_class is Monitor] * len(self._ids(indices))


def make_vec_env(env_id: str, n_envs: int = 1, seed: int | None = None, env_kwargs: dict[str, Any] | None = None, **settings: Any) -> VecEnv:
    """As Stable-Baselines3's function of this name: `make_vec_env("myriapod/anymal-flat-v0", n_envs=512, seed=0)`; the task's name alone, or MODULE:NAME, will
    do. env_kwargs, settings: those of `VecEnv`."""
    name = env_id[len(_PREFIX) :].removesuffix("-v0") if env_id.startswith(_PREFIX) else env_id
    env = VecEnv(name, n_envs, **{**(env_kwargs or {}), **settings})
    env.seed(seed)
    return env
