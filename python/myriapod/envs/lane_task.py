"""Tasks of the library without a framework: actions in; observations, rewards and ends of episodes out.

Everything runs in lanes inside the library (`myr_batch_act`, include/myriapod/act.h): substeps, reward terms, commands, pushes, resets,
observations. Gymnasium and rsl_rl see it through `myriapod.envs.gym` and `myriapod.envs.rsl_rl`. Tasks by name are in `myriapod.envs.tasks`, what they do in docs/tasks.md."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np

from .. import _arrays
from .._library import ArgumentError, UnknownKeyError, check, encode, ffi, lib, text
from .._pool import Pool
from .._report import quarantine_text
from ..batch import Batch
from ..model import Model
from ..settings import Settings, check_keywords
from ..task_table import Renumbered, Stage, WrittenTask, numbers_as_settings
from .protocol import Final, Observed, Outcome, Reward, fault_text
from .rollout import AUTORESET, Rollout, rollout
from .tasks import Task, get_task


def reward_terms(task: str) -> dict[str, str]:
    """Of a task of the library, by its name in the setting `task`: name of a reward term -> what it measures, with its unit; in the order of
    every `terms` array. Empty for tasks without control steps."""
    name = encode(task, "task")
    return {text(lib.myr_task_reward_name(name, k)): text(lib.myr_task_reward_doc(name, k)) for k in range(lib.myr_task_reward_count(name))}


def _told(batch: Batch, kind: str, call: Any) -> Iterator[Any]:
    """What the call says of part 0, 1, .. of the batch's task; the same struct each time."""
    info = ffi.new(f"{kind} *")
    with batch._open() as c:
        for part in count():
            if call(c, part, info) != lib.MYR_OK:
                return
            yield info


def _observed(batch: Batch) -> dict[str, Observed]:
    told = (Observed(text(o.name), slice(o.first, o.first + o.n), text(o.unit), o.scale, o.noise, text(o.doc), bool(o.critic), o.frames)
            for o in _told(batch, "myr_observed_info", lib.myr_batch_get_observed))
    return {f"critic.{part.name}" if part.critic else part.name: part for part in told}


def _rewards(batch: Batch) -> dict[str, Reward]:
    told = (Reward(text(r.name), float(r.weight), text(r.doc), bool(r.metric)) for r in _told(batch, "myr_reward_info", lib.myr_batch_get_reward))
    return {term.name: term for term in told}


def renumbered(task: Task, numbers: Mapping[str, Any] | None, settings: Mapping[str, Any]) -> WrittenTask | None:
    """The task's table with other numbers; None: it has no table. ArgumentError: it does not have them, or a setting is one of them."""
    for name in settings if task.table else ():
        if task.table and name in task.table.numbers:
            raise UnknownKeyError(f"{name!r} is a number of the task {task.name!r}, not a setting: numbers={{{name!r}: {settings[name]!r}}}, in a command "
                                  f"--set number.{name}={settings[name]}")
    return Renumbered(task.table, numbers) if task.table and numbers else task.table


class LaneTask:
    """N robots that do a task of the library, such as `hold`; `Locomotion` is the one whose robots follow commands.

    task: a name of `myriapod.envs.tasks.TASKS`, FILE.task, MODULE:NAME, or a `TermTask` itself. robot: another robot for it, or the robot of a task for any: a name, a
    URDF or MJCF. autoreset: "same-step", "next-step" or "disabled". dtype: float32 or float64, of all real arrays. settings: any key of `Settings`, e.g.
    `threads=2, push_speed=0, reward_air_time=1.5`; the batch computes in `precision`. numbers: other values of the task's numbers; those of the library's tasks are settings, too.
    Trajectories depend on (seed, global environment id, episode) alone; `first_env` makes a batch a part of a larger one. A task can be
    pickled, with its state.
    Raises: UnknownKeyError (task, setting, number), ArgumentError, FileError and FormatError (robot)."""

    _blind = False  # True: it need not observe anything
    _caller, _keywords = "", ("task", "num_envs", "robot", "autoreset", "dtype", "sense", "profile", "numbers")  # of messages: who was called, "" the class; with what

    def __init__(
        self,
        task: str | WrittenTask = "hold",
        num_envs: int = 4096,
        *,
        robot: str | Model | None = None,
        autoreset: str = "same-step",
        dtype: Any = np.float32,
        sense: tuple[str, ...] = (),
        profile: str | None = None,
        numbers: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        chosen = get_task(task)
        settings |= numbers_as_settings(chosen.name, chosen.table, numbers or {})
        written = renumbered(chosen, numbers, settings)
        check_keywords(settings, self._caller or type(self).__name__, self._keywords)
        num_envs = _arrays.whole(num_envs, "num_envs", -(2**63))
        self.task = chosen.name
        self.autoreset = autoreset
        self.dtype = _arrays.float_type(dtype)
        self.model = chosen.model(robot, str(settings.get("root", "auto")))
        own = Settings(profile or chosen.profile, **settings) if written is None or profile else written.settings(**settings)
        self.batch = Batch(self.model, num_envs, own, sense=sense, task=written)
        #: Numbers of the task that are other ones than it was written with.
        self.numbers: dict[str, float] = {name: written.numbers[name] for name in numbers or {}} if written else {}
        self.stages: tuple[Stage, ...] = written.stages if written else ()
        self.curricula: tuple[Callable[[Any], Any], ...] = getattr(chosen.table, "curricula", ())
        #: Those that it was made with, read-only.
        self.settings = self.batch.settings
        self.num_envs = num_envs
        with self.batch._open() as c:
            self.num_observations = int(lib.myr_batch_observations(c))
            #: Numbers that a critic alone observes, of a task of one's own; 0: it has nothing of its own.
            self.num_critic_observations = int(lib.myr_batch_critic_observations(c))
        if self.num_observations == 0:
            raise ArgumentError(f"profile {profile!r} has task {self.settings['task']!r}, but must have one with control steps, such as 'locomotion'")
        #: The reward terms and metrics, in the order of every `terms` array; a metric is there times `dt`, as they are.
        self.rewards: dict[str, Reward] = _rewards(self.batch)
        self.reward_terms: tuple[str, ...] = tuple(self.rewards)
        #: Their columns in logs: Reward/NAME, Metric/NAME.
        self.term_columns: tuple[str, ...] = tuple(f"{'Metric' if term.metric else 'Reward'}/{name}" for name, term in self.rewards.items())
        with self.batch._open() as c:
            self.num_actions = int(lib.myr_batch_components(c, lib.MYR_ACTION))
        #: What is observed, in order; "critic.NAME": what a critic alone observes.
        self.observed: dict[str, Observed] = _observed(self.batch)
        if not self._blind and chosen.table is not None and all(part.critic or name == "nothing" for name, part in self.observed.items()):
            raise ArgumentError(f"task {chosen.name!r}: nothing is observed: add a part, task.observe(\"base_down\"), which an actor sees")
        #: Of each memory of a task of one's own its columns in `batch.get("memory")`.
        self.memories: dict[str, slice] = {text(m.name): slice(m.first, m.first + m.n) for m in _told(self.batch, "myr_memory_info", lib.myr_batch_get_memory)}
        #: How observation and action look in a mirror, (num_observations,) and (num_actions,): numbers counted from 1, with signs; None: the task does not say.
        self.mirror = self._mirrored()
        #: Length of a control step [s].
        self.dt = float(self.settings["dt"]) * int(self.settings["decimation"])
        #: Control steps after which an episode is truncated; 0: never.
        self.max_episode_length = round(float(self.settings["episode"]) / self.dt)
        self._allocate()

    def _mirrored(self) -> tuple[np.ndarray, np.ndarray] | None:
        observation, action = np.zeros(self.num_observations, np.int32), np.zeros(self.num_actions, np.int32)
        with self.batch._open() as c:
            has = lib.myr_batch_get_mirror(c, _arrays.pointer(observation, "int *"), _arrays.pointer(action, "int *")) == lib.MYR_OK
        return (observation, action) if has else None

    def _allocate(self) -> None:
        """What the library writes into, and the addresses of it."""
        n, terms = self.num_envs, len(self.reward_terms)
        self._final_observation = np.zeros((n, self.num_observations), self.dtype)
        self._final_critic = np.zeros((n, self.num_critic_observations), self.dtype)
        self._critics = Pool((n, self.num_critic_observations), self.dtype)
        self._episode_terms = np.zeros((n, terms), self.dtype)
        self._episode_return = np.zeros(n, self.dtype)
        self._episode_length = np.zeros(n, np.int64)
        self._ended = np.zeros(n, bool)
        self._observations, self._rewards = Pool((n, self.num_observations), self.dtype), Pool((n,), self.dtype)
        self._terms, self._flags, self._faults = Pool((n, terms), self.dtype), Pool((n,), bool), Pool((n,), np.uint8)
        self._io = ffi.new("myr_act *")
        self._io.steps = 1
        self._io.type = _arrays.myr_type(self.dtype)
        self._io.final_observation = _arrays.pointer(self._final_observation)
        self._io.final_critic = _arrays.pointer(self._final_critic) if self.num_critic_observations else ffi.NULL
        self._io.episode_terms = _arrays.pointer(self._episode_terms)
        self._io.episode_return = _arrays.pointer(self._episode_return)
        self._io.episode_length = _arrays.pointer(self._episode_length, "int64_t *")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_io", "curricula")}  # which are a trainer's, and may be local functions

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, curricula=())
        self._allocate()
        for name in ("_final_observation", "_final_critic", "_episode_terms", "_episode_return", "_episode_length", "_ended"):
            getattr(self, name)[...] = state[name]

    @property
    def autoreset(self) -> str:
        """How an environment goes on whose episode ended: "same-step", "next-step" or "disabled"."""
        return self._autoreset

    @autoreset.setter
    def autoreset(self, mode: str) -> None:
        if mode not in AUTORESET:
            raise ArgumentError(f"autoreset is {mode!r}, but must be one of {', '.join(AUTORESET)}")
        self._autoreset = mode

    @property
    def acts_by(self) -> dict[str, Any]:
        """`Batch.acts_by`."""
        return self.batch.acts_by

    def fault_text(self, fault: int) -> str:
        """A fault in words; of a task of one's own with the output that was not a number."""
        with self.batch._open() as c:
            name = lib.myr_batch_fault_name(c, int(fault))
            return f"{text(name)} is not a number" if name != ffi.NULL else quarantine_text(fault)

    def act(self, actions: Any) -> Outcome:
        """One control step. actions: (num_envs, num_actions), float32 or float64, used without a copy in the task's dtype; PD targets are home +
        `action_scale` * action [rad]. An action that is not finite ends the episode of its environment alone, with a fault."""
        given = _arrays.take(actions, "actions")
        _arrays.want_shape(given, (self.num_envs, self.num_actions), "actions", "(num_envs, num_actions)")
        given = np.ascontiguousarray(given, self.dtype)
        io = self._io
        observation, reward, terms = self._observations.get(), self._rewards.get(), self._terms.get()
        terminated, truncated, fault, critic = self._flags.get(), self._flags.get(), self._faults.get(), self._critics.get()
        io.autoreset = AUTORESET[self._autoreset]
        io.action, io.observation = _arrays.pointer(given), _arrays.pointer(observation)
        io.reward, io.terms = _arrays.pointer(reward), _arrays.pointer(terms)
        io.terminated, io.truncated = _arrays.pointer(terminated, "uint8_t *"), _arrays.pointer(truncated, "uint8_t *")
        io.fault = _arrays.pointer(fault, "uint8_t *")
        io.critic = _arrays.pointer(critic) if self.num_critic_observations else ffi.NULL
        with self.batch._open() as c:
            check(lib.myr_batch_act(c, io))
        np.logical_or(terminated, truncated, out=self._ended)
        return Outcome(observation, reward, terminated, truncated, terms, fault, critic)

    def rollout(self, policy: Callable[[np.ndarray], Any], steps: int, *, observation: bool = False, action: bool = False, state: bool = False,
                terms: bool = False) -> Rollout:
        """`steps` control steps with actions of a policy, from where the environments stand.

        A `Policy` of up to 4 hidden layers of up to 512 acts in lanes, inside the parallel call with the substeps: its trajectories have the
        same bits for any number of threads, instruction set and neighbours. Anything else that gives actions for observations, and a larger
        one, is asked step by step. observation, action, state, terms: keep these arrays, too; see `Rollout`. Ctrl-C interrupts within about 0.1 s.
        ArgumentError: the policy is for other numbers of observations or actions."""
        return rollout(self, policy, steps, observation=observation, action=action, state=state, terms=terms)

    def final(self) -> Final:
        """The episodes that ended in the last `act`; empty arrays if none did, and after `rollout`."""
        ids = np.flatnonzero(self._ended)
        return Final(
            ids,
            self._final_observation[ids],
            self._episode_terms[ids],
            self._episode_return[ids],
            self._episode_length[ids],
            self._final_critic[ids],
        )

    def observe(self) -> np.ndarray:
        """The observation (num_envs, num_observations) of the present state: what the last `act` gave, bit for bit, or an episode's first."""
        out = np.empty((self.num_envs, self.num_observations), self.dtype)
        with self.batch._open() as c:
            check(lib.myr_batch_observe(c, self._io.type, _arrays.pointer(out)))
        return out

    def observe_critic(self) -> np.ndarray:
        """What a critic observes of the present state, (num_envs, num_critic_observations), as `observe`."""
        out = np.empty((self.num_envs, self.num_critic_observations), self.dtype)
        if self.num_critic_observations:
            with self.batch._open() as c:
                check(lib.myr_batch_observe_critic(c, self._io.type, _arrays.pointer(out)))
        return out

    def reset(self, mask: Any = None, *, seed: int | None = None) -> np.ndarray:
        """New episodes for the environments of `mask` ((num_envs,) bool, or their numbers; None: all); with a seed, all begin anew at episode 0 of it.

        Returns `observe()`. ArgumentError: a seed and a mask together, as a seed belongs to all environments."""
        if seed is not None and mask is not None:
            raise ArgumentError("a seed is of all environments: give reset a seed or a mask, not both")
        if seed is not None:
            self.batch.restart(seed)
        else:
            self.batch.reset(mask)
        return self.observe()

    @property
    def clock(self) -> np.ndarray:
        """(num_envs,) control steps since each episode began. Writable as a whole."""
        return self.batch.get("clock")

    @clock.setter
    def clock(self, value: Any) -> None:
        self.batch.set("clock", value)

    def close(self) -> None:
        """Give the batch's memory back; further calls raise StateError."""
        self.batch.close()

    def __enter__(self) -> LaneTask:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
