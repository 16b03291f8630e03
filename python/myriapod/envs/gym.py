"""Gymnasium: `import gymnasium, myriapod`, then `gymnasium.make_vec("myriapod/anymal-flat-v0", num_envs=4096)`, or `gymnasium.make` for one environment."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .. import _arrays
from .._library import StateError
from .._names import warn_at_caller
from .._pool import Pool
from ..settings import check_keywords
from .any_task import open_task
from .gym_parts import Renderer, autoreset_mode, bound_of, check_render_mode, check_reset, check_reset_mask, name_faults
from .tasks import TASKS

__all__ = ["LocomotionVectorEnv", "Renderer", "TaskEnv", "TaskVectorEnv", "autoreset_mode", "check_render_mode", "check_reset", "check_reset_mask", "name_faults",
           "register"]

_MODES = {
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.DISABLED: "disabled",
}


class TaskVectorEnv(VectorEnv):
    """A task of the library as a Gymnasium vector environment. (One written in Python is an environment by itself: `NumpyTask`.)

    Arguments as `LaneTask`'s; autoreset_mode: Gymnasium's three (default NextStep, as theirs); render_mode "rgb_array": `render` gives one picture of
    `width` x `height` pixels of each environment, painted when it is looked at. Observations (num_envs, n) float32; actions
    (num_envs, nu) of the order of 1. Their space is +-`action_bound`; None: where the task cuts actions itself, +-1 of gym-hopper say, as Gymnasium has it,
    else without bounds, as Isaac Lab has it: joint targets have no natural ones, and learners that want some (Stable-Baselines3, SAC) cut or stretch what
    they learn to them. Actions are not cut to it here. Rewards float32.
    info of every step: `reward_terms`, name -> (num_envs,) weighted terms whose sum is the reward before its floor; `fault` (only when there is
    one), (num_envs,) of str or None with the mask `_fault`; `final_info` when episodes end: `episode_return`, `episode_length` and
    `reward_terms` (sums over the episode) with masks; in mode SameStep also `final_obs`, as Gymnasium's own environments give it.
    `reset(options={"reset_mask": mask})` resets a part; `reset(seed=s)` begins all anew: environment i has stream (s, first_env + i).
    It can be pickled, with its state."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}

    def __init__(
        self, task: str = "anymal-flat", num_envs: int = 1, *, autoreset_mode: Any = AutoresetMode.NEXT_STEP, render_mode: str | None = None,
        width: int = 640, height: int = 360, action_bound: float | None = None, sense: tuple[str, ...] = (), **settings: Any
    ) -> None:
        mode = _autoreset_mode(autoreset_mode)
        seen = check_render_mode(render_mode)
        check_keywords(settings, type(self).__name__, ("task", "num_envs", "autoreset_mode", "render_mode", "width", "height", "action_bound", "robot", "dtype", "sense", "profile", "numbers"))
        self._seeded = "seed" in settings
        self.core: Any = open_task(task, num_envs, autoreset=_MODES[mode], sense=tuple(dict.fromkeys((*sense, *seen))), **settings)
        self.num_envs = self.core.num_envs
        self.metadata = {"autoreset_mode": mode, "render_modes": ["rgb_array"], "render_fps": round(1 / self.core.dt)}
        self.render_mode = render_mode
        self._renderer = Renderer(self.core.batch, width, height) if render_mode else None
        bound = bound_of(self.core, action_bound, np.inf)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (self.core.num_observations,), np.float32)
        self.single_action_space = gymnasium.spaces.Box(-bound, bound, (self.core.num_actions,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._sums = Pool((self.num_envs, len(self.core.reward_terms)), self.core.dtype)
        self._waiting = np.zeros(self.num_envs, bool)  # ended, and not to be reset here
        self._mode = mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Observations and an empty info. See the class for seeds and `options["reset_mask"]`."""
        seed, mask = check_reset(seed, options)
        super().reset(seed=seed)
        if mask is not None:
            check_reset_mask(mask, self.num_envs, seed)
            self._waiting[mask] = False
            return self.core.reset(mask), {}
        if seed is None and not self._seeded:  # no seed given: Gymnasium's generator does, once
            seed = int(self.np_random.integers(2**62))
        self._seeded = True
        self._waiting[:] = False
        return self.core.reset(seed=seed), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One control step. StateError in mode Disabled while environments whose episode ended wait for a reset."""
        if self._mode is AutoresetMode.DISABLED and self._waiting.any():
            raise StateError(
                f"the episodes of environments {np.flatnonzero(self._waiting)[:5].tolist()}{' ...' if self._waiting.sum() > 5 else ''} are over: "
                "reset(options={'reset_mask': mask}) before the next step, or choose another autoreset_mode"
            )
        o = self.core.act(actions)
        info: dict[str, Any] = {"reward_terms": self._of(o.terms, False)}
        if len(info["reward_terms"]) < len(self.core.rewards):
            info["metrics"] = {name: value / self.core.dt for name, value in self._of(o.terms, True).items()}
        ended = o.terminated | o.truncated
        if ended.any():
            self._tell_final(info, ended, o.fault)
            if self._mode is AutoresetMode.DISABLED:
                self._waiting |= ended
        return o.observation, o.reward, o.terminated, o.truncated, info

    def _of(self, terms: np.ndarray, metrics: bool) -> dict[str, np.ndarray]:
        """The columns of reward terms, or of metrics, by name."""
        return {name: terms[:, k] for k, (name, term) in enumerate(self.core.rewards.items()) if term.metric == metrics}

    def _tell_final(self, info: dict[str, Any], ended: np.ndarray, fault: np.ndarray) -> None:
        final = self.core.final()

        def spread(values: np.ndarray) -> np.ndarray:
            out = np.zeros(self.num_envs, values.dtype)
            out[final.ids] = values
            return out

        terms = self._sums.get()
        terms.fill(0)
        terms[final.ids] = final.terms
        sums = self._of(terms, False)
        info["final_info"] = {
            "episode_return": spread(final.episode_return),
            "_episode_return": ended,
            "episode_length": spread(final.episode_length),
            "_episode_length": ended,
            "reward_terms": sums,
            "_reward_terms": ended,
        }
        info["_final_info"] = ended
        if self._mode is AutoresetMode.SAME_STEP:
            last = np.full(self.num_envs, None, object)
            for row, i in enumerate(final.ids):
                last[i] = final.observation[row]
            info["final_obs"], info["_final_obs"] = last, ended
        name_faults(info, fault)

    def render(self) -> Sequence[np.ndarray] | None:  # type: ignore[override]  # not a tuple: a picture is painted when it is looked at
        """A picture (height, width, 3) uint8 of each environment, painted when it is looked at; None without a render_mode."""
        return self._renderer.pictures() if self._renderer else None

    def close_extras(self, **kwargs: Any) -> None:
        """Give the memory back."""
        self.core.close()


class TaskEnv(gymnasium.Env):
    """One environment of a task, as Gymnasium's `make` gives it: `gymnasium.make("myriapod/anymal-flat-v0")`. Arguments as `TaskVectorEnv`'s.

    For learning take `make_vec`: a thousand of them cost little more than one. info of every step: `reward_terms`, name -> weighted term; `fault`, why the
    engine stopped the environment, only when it did. Episodes are truncated by the setting `episode` [s]."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}

    def __init__(self, task: str = "anymal-flat", *, render_mode: str | None = None, **settings: Any) -> None:
        check_keywords(settings, type(self).__name__, ("task", "render_mode", "width", "height", "action_bound", "robot", "dtype", "sense", "profile", "numbers"))
        self.vector = TaskVectorEnv(task, 1, autoreset_mode=AutoresetMode.DISABLED, render_mode=render_mode, **settings)
        self.observation_space, self.action_space = self.vector.single_observation_space, self.vector.single_action_space
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": self.vector.metadata["render_fps"]}
        self.render_mode = render_mode
        self._over = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Observation and an empty info. There are no options."""
        super().reset(seed=seed)
        observation, info = self.vector.reset(seed=seed)
        self._over = False
        return observation[0], info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One control step. StateError: the episode is over."""
        if self._over:
            raise StateError("the episode is over: reset() before the next step")
        given = _arrays.take(action, "action")
        _arrays.want_shape(given, self.action_space.shape or (), "action", "(num_actions,)")
        observation, reward, terminated, truncated, told = self.vector.step(given[None])
        self._over = bool(terminated[0] or truncated[0])
        info: dict[str, Any] = {"reward_terms": {name: float(value[0]) for name, value in told["reward_terms"].items()}}
        if "fault" in told:
            info["fault"] = told["fault"][0]
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> np.ndarray | None:
        """A picture (height, width, 3) uint8; None without a render_mode."""
        pictures = self.vector.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """Give the memory back."""
        self.vector.close()


class LocomotionVectorEnv(TaskVectorEnv):
    """Old name of `TaskVectorEnv`, from when locomotion was the only task."""

    def __init__(self, *args: Any, **keys: Any) -> None:
        warn_at_caller("LocomotionVectorEnv is called TaskVectorEnv", DeprecationWarning)
        super().__init__(*args, **keys)


_autoreset_mode = autoreset_mode  # where a parameter has the name


def register() -> None:
    """Make `myriapod/NAME-v0` known to Gymnasium, for every name of `TASKS`. Called when the package is imported."""
    for name in TASKS:
        spec_id = f"myriapod/{name}-v0"
        if spec_id not in gymnasium.registry:
            gymnasium.register(id=spec_id, entry_point="myriapod.envs.gym:TaskEnv", vector_entry_point="myriapod.envs.gym:TaskVectorEnv", kwargs={"task": name})
