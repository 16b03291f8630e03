"""Policies in lanes (include/myriapod/policy.h): control steps with a policy in one call of the library. Used through `LaneTask.rollout`."""
from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np

from . import _arrays
from ._handle import Handle
from ._library import ArgumentError, check, ffi, lib
from .batch import Batch
from .networks import Policy

if TYPE_CHECKING:
    from .lane_task import LaneTask

#: Autoreset modes: the library's names, and Gymnasium's.
AUTORESET = {
    "same-step": lib.MYR_AUTORESET_SAME_STEP,
    "next-step": lib.MYR_AUTORESET_NEXT_STEP,
    "disabled": lib.MYR_AUTORESET_DISABLED,
}

#: Activations that the library has, by their names in a `Policy`.
ACTIVATIONS = {"elu": lib.MYR_ACTIVATION_ELU, "relu": lib.MYR_ACTIVATION_RELU, "tanh": lib.MYR_ACTIVATION_TANH}


class Rollout(NamedTuple):
    """What control steps with a policy brought; (num_envs, steps, ...), None where it was not asked for."""

    reward: np.ndarray  #: (num_envs, steps)
    terminated: np.ndarray  #: (num_envs, steps) bool: fell or faulted
    truncated: np.ndarray  #: (num_envs, steps) bool: the episode's time was up
    fault: np.ndarray  #: (num_envs, steps) uint8: 0, or why the engine stopped the environment (`fault_text`)
    episode_return: np.ndarray  #: (num_envs, steps) sum of the rewards of the episode that ended here; 0 where none did
    episode_length: np.ndarray  #: (num_envs, steps) int64, its control steps; 0 where none did
    observation: np.ndarray | None  #: (num_envs, steps, num_observations) after each step
    action: np.ndarray | None  #: (num_envs, steps, num_actions) of the policy, not clipped
    state: np.ndarray | None  #: (num_envs, steps, nq + nv) q, then v, after each step
    terms: np.ndarray | None  #: (num_envs, steps, number of terms) weighted reward terms


def in_lanes(policy: Any) -> TypeGuard[Policy]:
    """Is it a Policy of a size and an activation that the library has? A library can be built without any (MYRIAPOD_LEARN)."""
    if not isinstance(policy, Policy) or not hasattr(lib, "myr_policy_create"):
        return False
    hidden = [len(b) for b in policy.biases[:-1]]
    return (len(hidden) <= lib.MYR_LEARN_HIDDEN and max(hidden, default=1) <= lib.MYR_LEARN_WIDEST and policy.n_obs <= lib.MYR_LEARN_MOST_OBSERVATIONS
            and policy.n_act <= lib.MYR_LEARN_MOST_ACTIONS and (not hidden or policy.activation in ACTIVATIONS))


class Lanes:
    """The library's copy of a policy. threads: most of a batch in which it acts; 0: one per core.

    ArgumentError: a size is out of range, a number is not finite."""

    def __init__(self, policy: Policy, threads: int = 0, isa: str = "auto") -> None:
        kept = [np.ascontiguousarray(a, np.float32) for a in (*policy.weights, *policy.biases, policy.mean, policy.std)]
        n = len(policy.weights)
        if n > lib.MYR_LEARN_HIDDEN + 1:
            raise ArgumentError(f"the policy has {n - 1} hidden layers, but may have {lib.MYR_LEARN_HIDDEN} in lanes")
        if n > 1 and policy.activation not in ACTIVATIONS:
            raise ArgumentError(f"activation is {policy.activation!r}, but must be one of {', '.join(ACTIVATIONS)} in lanes")
        at = [_arrays.pointer(a, "float *") for a in kept]
        plain = not policy.mean.any() and (policy.std == 1).all()
        definition = ffi.new("myr_policy_def *", {
            "observations": policy.n_obs, "actions": policy.n_act, "hidden_layers": n - 1, "hidden": [len(b) for b in policy.biases[:-1]],
            "activation": ACTIVATIONS.get(policy.activation, lib.MYR_ACTIVATION_ELU), "weights": at[:n], "biases": at[n : 2 * n],
            "mean": ffi.NULL if plain else at[-2], "std": ffi.NULL if plain else at[-1], "threads": threads, "isa": isa.encode()})
        out = ffi.new("myr_policy **")
        check(lib.myr_policy_create(definition, out))
        self._handle = Handle(out[0], lib.myr_policy_destroy, "policy")
        self._n_obs, self._n_act = policy.n_obs, policy.n_act

    def __call__(self, observation: Any) -> np.ndarray:
        """Actions (n, n_act) float32 of observations (n, n_obs): as `Policy` to rounding, with the same bits on every machine."""
        x = np.ascontiguousarray(observation, np.float32)
        if x.ndim != 2 or x.shape[1] != self._n_obs:
            raise ArgumentError(f"observation has shape {x.shape}, but must be (n, {self._n_obs})")
        out = np.empty((len(x), self._n_act), np.float32)
        with self._handle as c:
            check(lib.myr_policy_actions(c, len(x), _arrays.pointer(x, "float *"), _arrays.pointer(out, "float *")))
        return out

    def act(self, batch: Any, io: Any, action: np.ndarray | None) -> None:
        """myr_policy_act, of a batch's pointer and a myr_act."""
        with self._handle as c:
            check(lib.myr_policy_act(c, batch, io, _arrays.pointer(action)))

    @property
    def bytes(self) -> int:
        """Memory of the library's copy."""
        with self._handle as c:
            return int(lib.myr_policy_bytes(c))


def lanes_of(policy: Policy, threads: int = 0) -> Lanes:
    """The policy's copy in the library: made once for as long as its numbers, the threads and the process are the same."""
    numbers = [*policy.weights, *policy.biases, policy.mean, policy.std]
    key = (threads, os.getpid(), policy.activation, *((a.shape, zlib.crc32(np.ascontiguousarray(a).view(np.uint8).data)) for a in numbers))
    made = policy.__dict__.get("_lanes")
    if made is None or made[0] != key:
        made = policy.__dict__["_lanes"] = (key, Lanes(policy, threads))
    return made[1]


def as_lanes(policy: Callable[[np.ndarray], Any], task: Any) -> Callable[[np.ndarray], Any]:
    """The fastest callable for this policy: its copy in the library with as many threads as the task's batch, or the policy itself if it has no copy."""
    batch = getattr(task, "batch", None)
    return lanes_of(policy, batch.info.threads if isinstance(batch, Batch) else 1) if in_lanes(policy) else policy


def rollout(task: LaneTask, policy: Callable[[np.ndarray], Any], steps: int, *, observation: bool, action: bool, state: bool, terms: bool) -> Rollout:
    """`LaneTask.rollout`."""
    steps = _arrays.whole(steps, "steps", 0)
    if not callable(policy):
        raise ArgumentError(f"policy is {type(policy).__name__}, but must be a Policy, or something that gives actions for observations")
    for name, mine, wanted in (("observations", policy.n_obs, task.num_observations), ("actions", policy.n_act, task.num_actions)) \
            if isinstance(policy, Policy) else ():
        if mine != wanted:
            raise ArgumentError(f"the policy is for {mine} {name}, but the task has {wanted}")
    rows: dict[str, tuple[tuple[int, ...], Any]] = {
        "reward": ((), task.dtype), "terminated": ((), bool), "truncated": ((), bool), "fault": ((), np.uint8),
        "episode_return": ((), task.dtype), "episode_length": ((), np.int64)}
    for name, asked, wide in (("observation", observation, task.num_observations), ("action", action, task.num_actions),
                              ("state", state, task.model.nq + task.model.nv), ("terms", terms, len(task.reward_terms))):
        if asked:
            rows[name] = ((wide,), task.dtype)
    out: dict[str, Any] = {name: np.zeros((task.num_envs, steps, *shape), dtype) for name, (shape, dtype) in rows.items()}
    task._ended[:] = False
    if in_lanes(policy):
        _in_one_call(task.batch, lanes_of(policy, task.batch.info.threads), steps, out, task.dtype, task.autoreset)
    else:
        _one_by_one(task, policy, steps, out)
    return Rollout._make(out.get(name) for name in Rollout._fields)


def states_of(batch: Batch, policy: Policy, first: int, steps: int) -> np.ndarray:
    """`steps` control steps of a batch whose environments stay where their episode ends: q, v after each, (envs, steps, nq + nv). Where the batch
    stands says which step is the first."""
    out = np.zeros((batch.envs, steps, batch.model.nq + batch.model.nv), np.float32 if batch.info.precision == 4 else np.float64)
    _in_one_call(batch, lanes_of(policy, batch.info.threads), steps, {"state": out}, out.dtype, "disabled")
    return out


def _in_one_call(batch: Batch, lanes: Lanes, steps: int, out: dict[str, np.ndarray], dtype: Any, autoreset: str) -> None:
    io = ffi.new("myr_act *", {"type": _arrays.myr_type(dtype), "autoreset": AUTORESET[autoreset]})

    def piece(first: int, count: int) -> None:
        part = out if count == steps else {name: np.zeros((len(a), count, *a.shape[2:]), a.dtype) for name, a in out.items()}
        io.steps = count
        for name, array in part.items():
            if name != "action":
                setattr(io, name, _arrays.pointer(array, {"episode_length": "int64_t *"}.get(name, "uint8_t *" if array.itemsize == 1 else "void *")))
        with batch._open() as c:
            lanes.act(c, io, part.get("action"))
        if part is not out:
            for name, array in part.items():
                out[name][:, first : first + count] = array

    batch._pace.run(steps, piece)


def _one_by_one(task: LaneTask, policy: Callable[[np.ndarray], Any], steps: int, out: dict[str, np.ndarray]) -> None:
    seen = task.observe()
    for k in range(steps):
        action = np.asarray(policy(seen))
        brought = task.act(action)
        seen = brought.observation
        final = task.final()
        out["episode_return"][final.ids, k], out["episode_length"][final.ids, k] = final.episode_return, final.episode_length
        given = {**brought._asdict(), "action": action}
        for name in out.keys() & given.keys():
            out[name][:, k] = given[name]
        if "state" in out:
            out["state"][:, k] = np.concatenate([task.batch.get(name, dtype=task.dtype) for name in ("q", "v")], axis=1)
    task._ended[:] = False
