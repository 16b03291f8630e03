"""Control steps with a policy in one call of the library: what `LaneTask.rollout` does."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _arrays
from .._library import ArgumentError, ffi, lib
from ..batch import Batch
from ..policies.lanes import Lanes, in_lanes, lanes_of
from ..policies.networks import Policy

if TYPE_CHECKING:
    from .lane_task import LaneTask

#: Autoreset modes: the library's names, and Gymnasium's.
AUTORESET = {
    "same-step": lib.MYR_AUTORESET_SAME_STEP,
    "next-step": lib.MYR_AUTORESET_NEXT_STEP,
    "disabled": lib.MYR_AUTORESET_DISABLED,
}


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
