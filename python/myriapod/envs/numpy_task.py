"""Tasks written in Python: observations, rewards and ends of episodes on NumPy arrays of all environments at once, as a Gymnasium vector
environment. The substeps run in the library; for tasks that run there as a whole see `myriapod.envs.locomotion`."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .. import _arrays
from .._library import ArgumentError, ArrayTypeError, StateError
from ..batch import Batch
from ..model import Model
from ..settings import Settings, check_keywords
from .gym_parts import Renderer, check_render_mode, check_reset, check_reset_mask, name_faults
from .gym_parts import autoreset_mode as _mode

_MASK = np.uint64(0xFFFFFFFF)


def philox(counter: np.ndarray, key: int) -> np.ndarray:
    """Philox 4x32-10 (Salmon et al. 2011): counter (n, 4) of 32-bit words, key of 64 bits -> (n, 4) uint32. The library's own draws are the same."""
    c0, c1, c2, c3 = (counter[:, k].astype(np.uint64) & _MASK for k in range(4))
    k0, k1 = key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1 = (b >> np.uint64(32)) ^ c1 ^ np.uint64(k0), b & _MASK
        c2, c3 = (a >> np.uint64(32)) ^ c3 ^ np.uint64(k1), a & _MASK
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], 1).astype(np.uint32)


class NumpyTask(VectorEnv):
    """Base of a task: derive, say what it is, and write `observe` and `reward`; `terminated`, `start` and `control` have defaults.

        class Hop(NumpyTask):
            robot, observation_size, episode_s = "hopper", 5, 5.0
            settings = {"task": "none", "dt": 0.002, "decimation": 5, "kp": 60.0, "kd": 1.0}

            def observe(self): return np.concatenate([self.batch.q, self.batch.v], 1)
            def reward(self, actions): return self.batch.q[:, 0]
            def terminated(self): return self.batch.q[:, 0] < 0.1
            def start(self, ids): ...

    `self.batch` is the Batch. Arrays are of all environments; what is observed is float32. An environment that the engine quarantines (a NaN in its
    action, say) terminates with reward 0 and is named in `info["fault"]`. Autoreset modes, `final_obs`, `final_info` (`episode_return`,
    `episode_length`), `reset_mask` and seeds are those of `TaskVectorEnv`: without one in `settings`, the keywords or `reset`, each task draws
    its own. `render_mode` is that of `TaskVectorEnv`, too. In mode NextStep the action of an environment that the step resets is ignored: `control` and `reward` see zeros in its row."""

    robot: str | Model = ""  #: what `Model` loads, or a Model
    settings: dict[str, Any] = {}  #: keys of `Settings`; those given to the constructor come over them
    sense: tuple[str, ...] = ()  #: what the steps should also write, as `Batch` takes it
    observation_size: int = 0  #: numbers that `observe` gives per environment
    action_size: int | None = None  #: None: one per actuator
    episode_s: float = 20.0  #: after which an episode is truncated [s]

    def __init__(self, num_envs: int = 1, *, autoreset_mode: Any = AutoresetMode.NEXT_STEP, render_mode: str | None = None, width: int = 640,
                 height: int = 360, **settings: Any) -> None:
        if self.observation_size < 1:
            raise ArgumentError(f"{type(self).__name__}.observation_size is {self.observation_size}, but must be at least 1")
        self._mode = _mode(autoreset_mode)
        check_keywords(settings, type(self).__name__, ("num_envs", "autoreset_mode", "render_mode", "width", "height"))
        check_keywords(self.settings, f"{type(self).__name__}.settings", ())
        num_envs = _arrays.whole(num_envs, "num_envs", -(2**63))
        self.model = self.robot if isinstance(self.robot, Model) else Model(self.robot)
        self._settings = Settings(**{"task": "none", **self.settings, **settings})
        self.batch = Batch(self.model, num_envs, self._settings, sense=tuple(dict.fromkeys((*self.sense, *check_render_mode(render_mode)))))
        self.render_mode = render_mode
        self._renderer = Renderer(self.batch, width, height) if render_mode else None
        self.num_envs = num_envs
        self.dt = float(self.batch.settings["dt"]) * int(self._settings["decimation"])  #: a control step [s]
        self.max_episode_length = max(1, round(self.episode_s / self.dt))
        self.metadata = {"autoreset_mode": self._mode, "render_modes": ["rgb_array"], "render_fps": round(1 / self.dt)}
        nu = self.model.nu if self.action_size is None else self.action_size
        self._targets = np.array([a.home_target for a in self.model.actuators])  # an actuator may drive several joints, in any order
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (self.observation_size,), np.float32)
        self.single_action_space = gymnasium.spaces.Box(-np.inf, np.inf, (nu,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._seed = int(self._settings["seed"])
        self._seeded = "seed" in settings or "seed" in self.settings
        self._episode = np.full(self.num_envs, -1, np.int64)
        self._draws = np.zeros(self.num_envs, np.int64)
        self.clock = np.zeros(self.num_envs, np.int64)  #: (num_envs,) control steps since each episode began
        self.fault = np.zeros(self.num_envs, np.uint8)  #: (num_envs,) of the last step, 0 or why the engine stopped an environment
        self._return = np.zeros(self.num_envs)
        self._over = np.zeros(self.num_envs, bool)  # ended; the next step, or the caller, resets them

    # ---- what a task is ---------------------------------------------------------------------------------------------

    def observe(self) -> np.ndarray:
        """(num_envs, observation_size) of the present state."""
        raise NotImplementedError

    def reward(self, actions: np.ndarray) -> np.ndarray:
        """(num_envs,) for the control step that `actions` brought."""
        raise NotImplementedError

    def terminated(self) -> np.ndarray:
        """(num_envs,) bool: the episode ends here. Default: never."""
        return np.zeros(self.num_envs, bool)

    def start(self, ids: np.ndarray) -> None:
        """Change the start of the episodes of environments `ids` (n,), which are at the model's home. Draw with `self.uniform(ids, count)`."""

    def control(self, actions: np.ndarray) -> None:
        """Actions (num_envs, action_size) to the batch. Default: PD targets = home + action."""
        self.batch.target = (self._targets + actions).astype(self.batch.dtype)

    def uniform(self, ids: np.ndarray, count: int) -> np.ndarray:
        """(n, count) numbers in [0, 1) for environments `ids`, from streams keyed by (seed, global environment id, episode): neither the size of the
        batch nor its other environments matter."""
        blocks = -(-count // 4)
        out = np.empty((len(ids), 4 * blocks))
        envs = (ids + int(self._settings["first_env"])).astype(np.uint64)
        for k in range(blocks):
            high = (envs >> np.uint64(32)) << np.uint64(24) | (self._episode[ids].astype(np.uint64) & np.uint64(0xFFFFFF))
            counter = np.stack([self._draws[ids].astype(np.uint64), envs & _MASK, high & _MASK, np.full(len(ids), 2, np.uint64)], 1)
            out[:, 4 * k : 4 * k + 4] = philox(counter, self._seed) * 2.0**-32
            self._draws[ids] += 1
        return out[:, :count]

    # ---- Gymnasium ----------------------------------------------------------------------------------------------------

    def _begin(self, mask: np.ndarray) -> None:
        ids = np.flatnonzero(mask)
        self.batch.reset(mask)
        self._episode[ids] += 1
        for values in (self._draws, self.clock, self._return, self._over):
            values[ids] = 0
        self.start(ids)
        self.batch.refresh()

    def _look(self) -> np.ndarray:
        seen = np.ascontiguousarray(self.observe(), np.float32)
        _arrays.want_shape(seen, (self.num_envs, self.observation_size), f"{type(self).__name__}.observe()", "(num_envs, observation_size)")
        return seen

    def _rewards(self, actions: np.ndarray, unasked: np.ndarray) -> np.ndarray:
        """What `reward` gives, 0 for those that were not asked for. ArgumentError: it is not one finite number for each of the others."""
        name = f"{type(self).__name__}.reward()"
        given = _arrays.adopt(self.reward(actions), name)
        if given.dtype.kind not in "fiub":
            raise ArrayTypeError(f"{name} has dtype {given.dtype}, but must be real numbers")
        _arrays.want_shape(given, (self.num_envs,), name, "(num_envs,)")
        reward = np.where(unasked, 0.0, given.astype(np.float64))
        wrong = np.flatnonzero(~np.isfinite(reward))
        if len(wrong):
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            raise ArgumentError(f"{name} is {reward[wrong[0]]} in environment {wrong[0]}{more}, but must be finite")
        return reward

    def _ends(self) -> np.ndarray:
        name = f"{type(self).__name__}.terminated()"
        given = _arrays.adopt(self.terminated(), name)
        if given.dtype.kind not in "biu":
            raise ArrayTypeError(f"{name} has dtype {given.dtype}, but must be bool")
        _arrays.want_shape(given, (self.num_envs,), name, "(num_envs,)")
        return given.astype(bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Observations and an empty info; `options["reset_mask"]` resets a part, `seed` begins all anew."""
        seed, mask = check_reset(seed, options)
        super().reset(seed=seed)
        if mask is not None:
            check_reset_mask(mask, self.num_envs, seed)
            self._begin(mask)
            return self._look(), {}
        if seed is None and not self._seeded:  # no seed given: Gymnasium's generator does, once
            seed = int(self.np_random.integers(2**62))
        self._seeded = True
        if seed is not None:
            self._seed = seed
            self._episode[:] = -1
            self.batch.restart(seed)
        self._begin(np.ones(self.num_envs, bool))
        return self._look(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One control step of `decimation` steps of dt."""
        given = _arrays.take(actions, "actions")
        _arrays.want_shape(given, self.action_space.shape or (), "actions", "(num_envs, action_size)")
        fresh = self._over.copy()
        if fresh.any():
            if self._mode is AutoresetMode.DISABLED:
                raise StateError(f"the episodes of environments {np.flatnonzero(fresh)[:5].tolist()} are over: reset(options={{'reset_mask': mask}}) first")
            self._begin(fresh)  # in mode NextStep; their step below is undone
            given = given.copy()
            given[fresh] = 0.0
        start = self.batch.get_state(np.flatnonzero(fresh)) if fresh.any() else None
        self.control(given)
        self.batch.step(1)
        if start is not None:
            self.batch.set_state(start, np.flatnonzero(fresh))
            self.batch.refresh()
        fault = self.batch.get("quarantined").astype(np.uint8)
        faulted = (fault != 0) & ~fresh
        reward = self._rewards(given, faulted | fresh)
        self.clock += ~fresh
        terminated = (self._ends() & ~fresh) | faulted
        truncated = (self.clock >= self.max_episode_length) & ~terminated & ~fresh
        self._return += reward
        ended = terminated | truncated
        info: dict[str, Any] = {}
        self.fault = np.where(faulted, fault, 0)
        name_faults(info, self.fault)
        if ended.any():
            info["final_info"] = {"episode_return": np.where(ended, self._return, 0.0), "_episode_return": ended,
                                  "episode_length": np.where(ended, self.clock, 0), "_episode_length": ended}
            info["_final_info"] = ended
            if self._mode is AutoresetMode.SAME_STEP:
                last, seen = np.full(self.num_envs, None, object), self._look()
                for i in np.flatnonzero(ended):
                    last[i] = seen[i].copy()
                info["final_obs"], info["_final_obs"] = last, ended
                self._begin(ended)
            else:
                self._over |= ended
        return self._look(), reward, terminated, truncated, info

    def render(self) -> Sequence[np.ndarray] | None:  # type: ignore[override]  # not a tuple: a picture is painted when it is looked at
        """A picture (height, width, 3) uint8 of each environment, painted when it is looked at; None without a render_mode."""
        return self._renderer.pictures() if self._renderer else None

    def close_extras(self, **kwargs: Any) -> None:
        """Give the memory back."""
        self.batch.close()
