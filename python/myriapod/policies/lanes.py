"""Policies in lanes (include/myriapod/policy.h): the library's copies of networks. Used through `LaneTask.rollout`."""
from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from .. import _arrays
from .._handle import Handle
from .._library import ArgumentError, check, ffi, lib
from ..batch import Batch
from .networks import Policy

#: Activations that the library has, by their names in a `Policy`.
ACTIVATIONS = {"elu": lib.MYR_ACTIVATION_ELU, "relu": lib.MYR_ACTIVATION_RELU, "tanh": lib.MYR_ACTIVATION_TANH}


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
