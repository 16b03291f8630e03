"""Policies as networks: a multilayer perceptron in NumPy (.npz; ONNX; checkpoints of rsl_rl), or TorchScript (.pt, needs torch). Observations in,
actions out. Users have them as `myriapod.Policy` and `myriapod.TorchPolicy`."""
from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._library import ArgumentError, FileError, FormatError, StateError
from .._names import near_file
from .._whole import whole
from ..trajectory import read_npz
from .files import MOST_BYTES, dense, first_line, is_checkpoint, read_checkpoint, read_onnx

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


#: In the settings of a policy whose training ended where the wall clock or the user ended it, which is elsewhere on another machine: "clock", "Ctrl-C".
ENDED_BY = "training_ended_by"

_JSON = "myriapod.json"  # what a TorchScript file holds beside the module
#: What a policy's .npz file holds; whatever else is in it is not read.
_MEMBER = re.compile(r"[wb][0-9]+|activation|mean|std|n_obs|task|robot|model_hash|settings|version")


class Trained:
    """For what a policy was trained; "" and None where it is not known. What `origin` gives, and a policy's file holds."""

    task = ""  #: name of the task
    robot = ""  #: what `Model` takes, `Model.source`
    model_hash = ""  #: `Model.hash`
    settings: dict[str, Any] | None = None  #: all that say what was simulated
    version = ""  #: of the library

    def _was_trained(self, task: str, robot: str, model_hash: str, settings: Mapping[str, Any] | None, version: str) -> None:
        self.task, self.robot, self.model_hash, self.version = str(task), str(robot), str(model_hash), str(version)
        self.settings = None if settings is None else dict(settings)

    def _told(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("task", "robot", "model_hash", "settings", "version")}

    def _warn(self, path: str | os.PathLike[str]) -> None:
        if not self.model_hash or self.settings is None:
            warnings.warn(f"{path}: does not say with which robot and settings the policy was trained; where it is judged or shown, those of the task "
                          "are taken unless you name others", stacklevel=3)


class Policy(Trained):
    """actions = W_k(... act(W_0 ((o - mean) / std) + b_0) ...) + b_k, in float32.

    weights: W_i of shape (out, in), as torch's Linear has them; biases: b_i (out,). mean, std: (n_obs,), None: 0 and 1. task, robot,
    model_hash, settings, version: for what it was trained, as `myriapod.envs.trained.origin` says it, or "" and None.
    ArgumentError where shapes do not chain, numbers are not finite or the activation is unknown."""

    def __init__(self, weights: Sequence[Any], biases: Sequence[Any], activation: str = "elu", *, mean: Any = None, std: Any = None,
                 task: str = "", robot: str = "", model_hash: str = "", settings: Mapping[str, Any] | None = None, version: str = "") -> None:
        if activation not in ACTIVATIONS:
            raise ArgumentError(f"activation is {activation!r}, but must be one of {', '.join(ACTIVATIONS)}")
        if not weights or len(weights) != len(biases):
            raise ArgumentError(f"there are {len(weights)} weights and {len(biases)} biases; there must be as many of each, and at least one")
        self.activation = activation
        self._was_trained(task, robot, model_hash, settings, version)
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

    def __repr__(self) -> str:
        wide = " - ".join(str(n) for n in (self.n_obs, *(len(b) for b in self.biases)))
        return f"<Policy {wide}, {self.activation}{f', of task {self.task}' if self.task else ''}>"

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

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lanes"}  # the library's copy (lanes.py) is of this process

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .npz file (w0, b0, w1, b1, ..., activation, mean, std, task, robot, model_hash, settings, version), which is whole or absent. FileError."""
        layers: dict[str, Any] = {f"{letter}{i}": a for letter, arrays in (("w", self.weights), ("b", self.biases)) for i, a in enumerate(arrays)}
        with whole(path) as partial, open(partial, "wb") as file:
            np.savez(file, format=FORMAT, activation=self.activation, mean=self.mean, std=self.std, n_obs=self.n_obs,
                     **{**self._told(), "settings": json.dumps(self.settings)}, **layers)

    @staticmethod
    def load(path: str | os.PathLike[str], activation: str = "elu") -> Policy | TorchPolicy:
        """Read a policy: .npz as `save` writes it; .onnx of a multilayer perceptron; .pt, .pth, .jit: TorchScript, or a checkpoint of rsl_rl
        (`model_100.pt`), which does not say its activation: `activation` is of it alone.

        A file that does not say with which robot and settings it was trained, as older ones, is loaded with a warning.
        FileError: it cannot be read. FormatError: it is damaged or no policy. StateError: torch, or for ONNX onnx, is not installed."""
        suffix = Path(path).suffix.lower()
        checkpoint = suffix in (".pt", ".pth") and is_checkpoint(path)
        if checkpoint or suffix == ".onnx":
            arguments = read_checkpoint(path, activation) if checkpoint else read_onnx(path)
            try:
                policy = Policy(**arguments)
            except ArgumentError as error:
                raise FormatError(f"{path}: {error}") from None
            policy._warn(path)
            return policy
        if suffix in (".pt", ".pth", ".jit"):
            return TorchPolicy(path)
        arrays = read_npz(path, lambda name: _MEMBER.fullmatch(name) is not None, MOST_BYTES)
        count = sum(f"w{i}" in arrays for i in range(len(arrays)))
        missing = [name for i in range(max(count, 1)) for name in (f"w{i}", f"b{i}") if name not in arrays]
        if missing:
            raise FormatError(f"{path}: no policy: it has no `{missing[0]}`")
        try:
            policy = Policy([arrays[f"w{i}"] for i in range(count)], [arrays[f"b{i}"] for i in range(count)], _text(arrays, "activation", "elu"),
                            mean=arrays.get("mean"), std=arrays.get("std"), settings=_settings(_text(arrays, "settings", "null")),
                            **{name: _text(arrays, name, "") for name in ("task", "robot", "model_hash", "version")})
        except ArgumentError as error:
            raise FormatError(f"{path}: {error}") from None
        n_obs = arrays.get("n_obs", np.array(policy.n_obs))
        if n_obs.shape != () or n_obs.dtype.kind not in "iu":
            raise FormatError(f"{path}: n_obs has dtype {n_obs.dtype} and shape {n_obs.shape}, but must be one whole number")
        if int(n_obs) != policy.n_obs:
            raise FormatError(f"{path}: n_obs is {int(n_obs)}, but w0 has {policy.n_obs} columns")
        policy._warn(path)
        return policy


class TorchPolicy(Trained):
    """A TorchScript module from a file, called like a `Policy`. Its sizes are known once it has been called."""

    n_obs = n_act = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            import torch
        except ImportError:
            raise StateError(f"{path} is TorchScript, which needs torch: pip install torch; or save the policy as .npz (Policy.save)") from None
        if not os.path.isfile(path):
            raise FileError(f"{path}: there is no such file{near_file(path)}")
        self._torch = torch
        try:
            beside = {_JSON: ""}
            self._module = torch.jit.load(os.fspath(path), map_location="cpu", _extra_files=beside).eval()
            parameters = list(self._module.named_parameters())
        except Exception as error:  # RuntimeError, ValueError, and what else a damaged archive stirs up
            raise FormatError(f"{path}: no TorchScript, or a damaged file: {first_line(error)}") from None
        for name, parameter in parameters:
            dense(parameter, name, path)
            if not bool(torch.isfinite(parameter).all()):
                raise FormatError(f"{path}: `{name}` has numbers that are not finite")
        if beside[_JSON]:
            try:
                self._was_trained(**(_settings(beside[_JSON]) or {}))
            except (ArgumentError, TypeError, ValueError) as error:
                raise FormatError(f"{path}: {_JSON} in it: {error}") from None
        self._warn(path)

    @staticmethod
    def tell(path: str | os.PathLike[str], told: Mapping[str, Any]) -> None:
        """Write into a TorchScript file for what it was trained: what `origin` gives."""
        import torch

        torch.jit.load(os.fspath(path), map_location="cpu").save(os.fspath(path), _extra_files={_JSON: json.dumps(dict(told))})

    def __call__(self, observation: Any) -> np.ndarray:
        """Actions (n, n_act) float32 of observations (n, n_obs). ArgumentError with torch's message where they do not fit."""
        x = self._torch.from_numpy(np.array(observation, dtype=np.float32))
        try:
            with self._torch.inference_mode():
                return np.ascontiguousarray(self._module(x).numpy(), dtype=np.float32)
        except RuntimeError as error:
            raise ArgumentError(f"the policy refuses observations of shape {tuple(x.shape)}: {str(error).strip().splitlines()[-1]}") from None


def _text(arrays: Mapping[str, np.ndarray], name: str, default: str) -> str:
    array = arrays.get(name, np.array(default))
    if array.shape != () or array.dtype.kind != "U":
        raise ArgumentError(f"{name} has dtype {array.dtype} and shape {array.shape}, but must be a text")
    return str(array)


def _settings(text: str) -> dict[str, Any] | None:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"its settings are not JSON: {error}") from None
    if read is not None and not isinstance(read, dict):
        raise ArgumentError(f"its settings are {text[:40]!r}, but must be a JSON object")
    return read


def _floats(value: Any, name: str, dimensions: int) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu" or array.ndim != dimensions or 0 in array.shape:
        raise ArgumentError(f"{name} has dtype {array.dtype} and shape {array.shape}, but must be numbers in {dimensions} dimension{'s'[: dimensions - 1]}")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} has numbers that are not finite")
    with np.errstate(over="ignore"):
        numbers = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(numbers).all():
        raise ArgumentError(f"{name} has numbers that float32 cannot hold, which are up to 3.4e38")
    return numbers
