"""Policies from files: a multilayer perceptron in NumPy (.npz), or TorchScript (.pt, needs torch). Observations in, actions out."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._library import ArgumentError, FileError, FormatError, StateError
from .trajectory import read_npz

FORMAT = "myriapod-policy-1"


def _elu(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


#: Names of activations, between layers; the last layer has none.
ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "elu": _elu,
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "identity": lambda x: x,
}


class Policy:
    """actions = W_k(... act(W_0 ((o - mean) / std) + b_0) ...) + b_k, in float32.

    weights: W_i of shape (out, in), as torch's Linear has them; biases: b_i (out,). mean, std: (n_obs,), None: 0 and 1. task, robot: for what
    it was trained, or "". ArgumentError where shapes do not chain, numbers are not finite or the activation is unknown."""

    def __init__(self, weights: Sequence[Any], biases: Sequence[Any], activation: str = "elu", *, mean: Any = None, std: Any = None,
                 task: str = "", robot: str = "") -> None:
        if activation not in ACTIVATIONS:
            raise ArgumentError(f"activation is {activation!r}, but must be one of {', '.join(ACTIVATIONS)}")
        if not weights or len(weights) != len(biases):
            raise ArgumentError(f"there are {len(weights)} weights and {len(biases)} biases; there must be as many of each, and at least one")
        self.activation, self.task, self.robot = activation, str(task), str(robot)
        self.weights, self.biases = [_floats(w, f"w{i}", 2) for i, w in enumerate(weights)], [_floats(b, f"b{i}", 1) for i, b in enumerate(biases)]
        for i, (w, b) in enumerate(zip(self.weights, self.biases)):
            if b.shape[0] != w.shape[0]:
                raise ArgumentError(f"b{i} has {b.shape[0]} numbers, but w{i} has {w.shape[0]} rows")
            if i and w.shape[1] != self.weights[i - 1].shape[0]:
                raise ArgumentError(f"w{i} has {w.shape[1]} columns, but w{i - 1} has {self.weights[i - 1].shape[0]} rows")
        self.mean = _floats(np.zeros(self.n_obs) if mean is None else mean, "mean", 1)
        self.std = _floats(np.ones(self.n_obs) if std is None else std, "std", 1)
        if self.mean.shape != (self.n_obs,) or self.std.shape != (self.n_obs,) or not (self.std > 0).all():
            raise ArgumentError(f"mean and std have shapes {self.mean.shape} and {self.std.shape}, but must be ({self.n_obs},), and std positive")

    @property
    def n_obs(self) -> int:
        """Numbers of an observation."""
        return self.weights[0].shape[1]

    @property
    def n_act(self) -> int:
        """Numbers of an action."""
        return self.weights[-1].shape[0]

    def __call__(self, observation: Any) -> np.ndarray:
        """Actions (n, n_act) float32 of observations (n, n_obs)."""
        x = np.asarray(observation, dtype=np.float32)
        if x.ndim != 2 or x.shape[1] != self.n_obs:
            raise ArgumentError(f"observation has shape {x.shape}, but must be (n, {self.n_obs})")
        act = ACTIVATIONS[self.activation]
        x = (x - self.mean) / self.std
        for i, (w, b) in enumerate(zip(self.weights, self.biases)):
            x = (act(x) if i else x) @ w.T + b
        return np.ascontiguousarray(x, dtype=np.float32)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .npz file (w0, b0, w1, b1, ..., activation, mean, std, task, robot), which is whole or absent. FileError."""
        path = Path(path)
        partial = path.with_name(path.name + ".part")
        layers = {f"{letter}{i}": a for letter, arrays in (("w", self.weights), ("b", self.biases)) for i, a in enumerate(arrays)}
        try:
            with open(partial, "wb") as file:
                np.savez(file, format=FORMAT, activation=self.activation, mean=self.mean, std=self.std, task=self.task, robot=self.robot,
                         n_obs=self.n_obs, **layers)
            os.replace(partial, path)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise FileError(f"{path}: {error.strerror or error}") from None

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Policy | TorchPolicy:
        """Read a policy: .npz as `save` writes it, else TorchScript (.pt, .pth, .jit).

        FileError: it cannot be read. FormatError: it is damaged or no policy. StateError: it is TorchScript and torch is not installed."""
        if Path(path).suffix.lower() in (".pt", ".pth", ".jit"):
            return TorchPolicy(path)
        arrays = read_npz(path)
        count = sum(f"w{i}" in arrays for i in range(len(arrays)))
        missing = [name for i in range(max(count, 1)) for name in (f"w{i}", f"b{i}") if name not in arrays]
        if missing:
            raise FormatError(f"{path}: no policy: it has no `{missing[0]}`")
        try:
            policy = Policy([arrays[f"w{i}"] for i in range(count)], [arrays[f"b{i}"] for i in range(count)], str(arrays.get("activation", "elu")),
                            mean=arrays.get("mean"), std=arrays.get("std"), task=str(arrays.get("task", "")), robot=str(arrays.get("robot", "")))
        except ArgumentError as error:
            raise FormatError(f"{path}: {error}") from None
        if "n_obs" in arrays and int(arrays["n_obs"]) != policy.n_obs:
            raise FormatError(f"{path}: n_obs is {int(arrays['n_obs'])}, but w0 has {policy.n_obs} columns")
        return policy


class TorchPolicy:
    """A TorchScript module from a file, called like a `Policy`. Its sizes are known once it has been called."""

    task = robot = ""
    n_obs = n_act = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            import torch
        except ImportError:
            raise StateError(f"{path} is TorchScript, which needs torch: pip install torch; or save the policy as .npz (Policy.save)") from None
        if not Path(path).is_file():
            raise FileError(f"{path}: there is no such file")
        self._torch = torch
        try:
            self._module = torch.jit.load(os.fspath(path), map_location="cpu").eval()
        except (RuntimeError, ValueError) as error:
            raise FormatError(f"{path}: no TorchScript, or a damaged file: {str(error).splitlines()[0]}") from None

    def __call__(self, observation: Any) -> np.ndarray:
        """Actions (n, n_act) float32 of observations (n, n_obs). ArgumentError with torch's message where they do not fit."""
        x = self._torch.from_numpy(np.array(observation, dtype=np.float32))
        try:
            with self._torch.inference_mode():
                return np.ascontiguousarray(self._module(x).numpy(), dtype=np.float32)
        except RuntimeError as error:
            raise ArgumentError(f"the policy refuses observations of shape {tuple(x.shape)}: {str(error).strip().splitlines()[-1]}") from None


def _floats(value: Any, name: str, dimensions: int) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu" or array.ndim != dimensions or 0 in array.shape:
        raise ArgumentError(f"{name} has dtype {array.dtype} and shape {array.shape}, but must be numbers in {dimensions} dimension{'s'[: dimensions - 1]}")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} has numbers that are not finite")
    return np.ascontiguousarray(array, dtype=np.float32)
