"""Multilayer perceptrons in files of others: ONNX, and checkpoints of rsl_rl. What `Policy.load` reads beside its own .npz.

Nothing is half-loaded: a file that is damaged, or holds something else than layers one behind the other, is a FormatError that names the element."""
from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._library import FileError, FormatError, StateError

_ACTIVATIONS = {"Elu": "elu", "Relu": "relu", "Tanh": "tanh"}
_WHAT_FITS = "a policy is made of Gemm, or MatMul and Add, with Elu, Relu or Tanh between them, and Sub and Div before"

#: What rsl_rl's EmpiricalNormalization adds to its standard deviations; the checkpoint does not hold it.
_RSL_RL_EPS = 1e-2


def _file(path: str | os.PathLike[str]) -> str:
    if not Path(path).is_file():
        raise FileError(f"{path}: there is no such file")
    return os.fspath(path)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


# ---- ONNX ------------------------------------------------------------------------------------------------------------


class _Chain:
    """Layers as they come, node by node."""

    def __init__(self, path: str, start: str) -> None:
        self.path, self.at = path, start
        self.weights: list[np.ndarray] = []
        self.biases: list[np.ndarray] = []
        self.between: list[str] = []  # activation behind each layer, "identity" where nothing is
        self.mean: np.ndarray | None = None
        self.std: np.ndarray | None = None
        self.open = False  # a MatMul whose Add may come

    def refuse(self, name: str, words: str) -> FormatError:
        return FormatError(f"{self.path}: node {name}: {words}")

    def take(self, node: Any, name: str, constants: Mapping[str, np.ndarray], attributes: Mapping[str, Any]) -> None:
        op, inputs = node.op_type, list(node.input)
        if op not in ("Gemm", "MatMul", "Add", "Sub", "Div", "Identity", *_ACTIVATIONS):
            raise self.refuse(name, f"{op} is not known; {_WHAT_FITS}")
        others = [i for i in inputs if i != self.at and i]
        if self.at not in inputs or any(i not in constants for i in others):
            raise self.refuse(name, f"{op} takes {', '.join(f'`{i}`' for i in inputs)}, but must take `{self.at}` and constants")
        given = [constants[i] for i in others]
        if op in ("Gemm", "MatMul"):
            self._layer(name, op, inputs, given, attributes)
        elif op == "Add":
            if not self.open or len(given) != 1:
                raise self.refuse(name, "Add does not stand behind a MatMul")
            self.biases[-1] = np.broadcast_to(given[0].reshape(-1), self.biases[-1].shape) if given[0].size in (1, self.biases[-1].size) else given[0]
        elif op in ("Sub", "Div"):
            late = self.weights or self.std is not None or (op == "Sub" and self.mean is not None)
            if late or inputs[0] != self.at or len(given) != 1:
                raise self.refuse(name, f"{op} does not normalise the observation: (observation - mean) / std comes first, and once")
            if op == "Sub":
                self.mean = given[0].reshape(-1)
            else:
                self.std = given[0].reshape(-1)
        elif op != "Identity":
            if not self.weights or self.between[-1] != "identity":
                raise self.refuse(name, f"{op} does not stand behind a layer")
            if attributes.get("alpha", 1.0) != 1.0:
                raise self.refuse(name, f"alpha is {attributes['alpha']:g}, but must be 1")
            self.between[-1] = _ACTIVATIONS[op]
        self.open = op == "MatMul" or (op == "Identity" and self.open)
        self.at = node.output[0]

    def _layer(self, name: str, op: str, inputs: list[str], given: list[np.ndarray], attributes: Mapping[str, Any]) -> None:
        if inputs[0] != self.at or not given or given[0].ndim != 2:
            raise self.refuse(name, f"{op} must multiply what is before it by a matrix")
        wrong = [f"{key} is {attributes[key]:g}" for key, wanted in (("alpha", 1), ("beta", 1), ("transA", 0)) if attributes.get(key, wanted) != wanted]
        if wrong:
            raise self.refuse(name, f"{wrong[0]}, which no layer has")
        weights = given[0] if op == "Gemm" and attributes.get("transB", 0) else given[0].T
        self.weights.append(weights)
        self.biases.append(given[1].reshape(-1) if len(given) > 1 else np.zeros(len(weights), np.float32))
        self.between.append("identity")

    def layers(self, end: str) -> dict[str, Any]:
        """Arguments of a Policy."""
        if not self.weights:
            raise FormatError(f"{self.path}: there is no layer in it; {_WHAT_FITS}")
        if self.at != end:
            raise FormatError(f"{self.path}: its output `{end}` does not come out of the last node, which gives `{self.at}`")
        if self.between[-1] != "identity":
            raise FormatError(f"{self.path}: there is an activation ({self.between[-1]}) behind the last layer")
        kinds = sorted(set(self.between[:-1])) or ["elu"]
        if len(kinds) > 1:
            raise FormatError(f"{self.path}: its activations differ: {', '.join(kinds)}")
        normal = {}
        for key, array in (("mean", self.mean), ("std", self.std)):
            n = self.weights[0].shape[1]
            normal[key] = None if array is None else np.full(n, array[0]) if array.size == 1 else array
        return {"weights": self.weights, "biases": self.biases, "activation": kinds[0], **normal}


def read_onnx(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Arguments of a Policy from an ONNX file. FileError, FormatError; StateError: the package onnx is not installed."""
    name = _file(path)
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError:
        raise StateError(f"{path} is ONNX, which needs the package onnx: pip install onnx; or save the policy as .npz (Policy.save)") from None
    try:
        graph = onnx.load(name).graph
        constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    except Exception as error:  # DecodeError of protobuf, ValueError, and what else a damaged file stirs up
        raise FormatError(f"{path}: no ONNX, or a damaged file: {_first_line(error)}") from None
    inputs = [i.name for i in graph.input if i.name not in constants]
    if len(inputs) != 1 or len(graph.output) != 1:
        raise FormatError(f"{path}: it has {len(inputs)} inputs and {len(graph.output)} outputs, but a policy has one of each"
                          f"{'' if graph.node else ' (the file is empty or cut off)'}")
    chain = _Chain(name, inputs[0])
    for k, node in enumerate(graph.node):
        title = f"{k} (`{node.name}`)" if node.name else str(k)
        try:
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Constant":
                constants[node.output[0]] = numpy_helper.to_array(attributes["value"])
            elif node.input and all(i in constants for i in node.input) and node.op_type in ("Identity", "Add"):
                constants[node.output[0]] = sum((constants[i] for i in node.input[1:]), start=constants[node.input[0]])
            else:
                chain.take(node, title, constants, attributes)
        except FormatError:
            raise
        except Exception as error:
            raise FormatError(f"{path}: node {title}: {node.op_type} is damaged: {_first_line(error)}") from None
    return chain.layers(graph.output[0].name)


# ---- rsl_rl ----------------------------------------------------------------------------------------------------------


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Does torch.save's archive hold something else than a module of TorchScript?"""
    try:
        with zipfile.ZipFile(path) as file:
            names = file.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
    return any(n.endswith("data.pkl") for n in names) and not any(n.endswith("constants.pkl") or "/code/" in n for n in names)


def read_checkpoint(path: str | os.PathLike[str], activation: str) -> dict[str, Any]:
    """Arguments of a Policy from a checkpoint model_N.pt of rsl_rl: `actor_state_dict`, or `actor.*` of `model_state_dict`."""
    name = _file(path)
    try:
        import torch
    except ImportError:
        raise StateError(f"{path} is a checkpoint of rsl_rl, which needs torch: pip install torch; or save the policy as .npz (Policy.save)") from None
    try:
        held = torch.load(name, map_location="cpu", weights_only=True)
    except Exception as error:  # UnpicklingError, RuntimeError, KeyError: what a damaged or foreign archive stirs up
        raise FormatError(f"{path}: no checkpoint of rsl_rl, or a damaged file: {_first_line(error)}") from None
    held = held if isinstance(held, dict) else {}
    if isinstance(held.get("actor_state_dict"), dict):
        where, entries = "actor_state_dict", dict(held["actor_state_dict"])
    elif isinstance(held.get("model_state_dict"), dict):
        where, entries = "model_state_dict", {k: v for k, v in held["model_state_dict"].items() if not str(k).startswith(("critic", "memory_c"))}
    else:
        raise FormatError(f"{path}: no checkpoint of rsl_rl: it has neither `actor_state_dict` nor `model_state_dict`")
    for key, value in entries.items():
        if not isinstance(key, str) or not isinstance(value, torch.Tensor):
            raise FormatError(f"{path}: `{where}` holds {key!r}, which is no tensor with a name")
    normal = {k: v for k, v in entries.items() if "normalizer." in k}
    beside = held.get("obs_norm_state_dict")  # of older versions
    if isinstance(beside, dict) and not normal:
        normal = {f"normalizer.{k}": v for k, v in beside.items() if isinstance(v, torch.Tensor)}
    layers: dict[int, dict[str, Any]] = {}
    for key, value in entries.items():
        words = key.split(".")
        if len(words) == 3 and words[0] in ("actor", "mlp") and words[1].isdigit() and words[2] in ("weight", "bias"):
            layers.setdefault(int(words[1]), {})[words[2]] = value.detach().float().numpy()
        elif key not in normal and words[0] not in ("std", "log_std", "distribution"):
            raise FormatError(f"{path}: `{where}` holds `{key}`, which is no layer of a multilayer perceptron")
    found = [layers[k] for k in sorted(layers)]
    if not found:
        raise FormatError(f"{path}: `{where}` holds no layer of an actor")
    for k in sorted(layers):
        for part in ("weight", "bias"):
            if part not in layers[k]:
                raise FormatError(f"{path}: `{where}` has no {part} of layer {k}")
    arguments = {"weights": [f["weight"] for f in found], "biases": [f["bias"] for f in found], "activation": activation}
    for key, value in normal.items():
        if key.endswith("._mean"):
            arguments["mean"] = value.detach().float().numpy().reshape(-1)
        elif key.endswith("._std"):
            arguments["std"] = value.detach().float().numpy().reshape(-1) + np.float32(_RSL_RL_EPS)
    return arguments
