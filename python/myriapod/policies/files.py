"""Multilayer perceptrons in files of others: ONNX, and checkpoints of rsl_rl. What `Policy.load` reads beside its own .npz.

Nothing is half-loaded: a file that is damaged, or holds something else than layers one behind the other, is a FormatError that names the element."""
from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._library import FileError, FormatError, StateError
from .._names import near_file

#: Bytes that a file's numbers may unpack to: a file of some kilobytes is not to ask for all memory.
MOST_BYTES = 1 << 30

_ACTIVATIONS = {"Elu": "elu", "Relu": "relu", "Tanh": "tanh"}
#: What ONNX' operators take: of their attributes those that are known, and how many inputs, the optional ones too.
_ATTRIBUTES = {"Gemm": ("alpha", "beta", "transA", "transB"), "Elu": ("alpha",), "Constant": ("value",)}
_INPUTS = {"Gemm": (2, 3), "MatMul": (2, 2), "Add": (2, 2), "Sub": (2, 2), "Div": (2, 2), "Constant": (0, 0)}
_DOMAINS = ("", "ai.onnx")  # ONNX' own operators
_WHAT_FITS = "a policy is made of Gemm, or MatMul and Add, with Elu, Relu or Tanh between them, and Sub and Div before"

_PLACE = re.compile(r"[0-9]{1,6}")  # of a layer, in a checkpoint's keys

#: What rsl_rl's EmpiricalNormalization adds to its standard deviations; the checkpoint does not hold it.
_RSL_RL_EPS = 1e-2


def _file(path: str | os.PathLike[str]) -> str:
    if not os.path.isfile(path):
        raise FileError(f"{path}: there is no such file{near_file(path)}")
    return os.fspath(path)


def first_line(error: Exception) -> str:
    """Of an error's words, or what it is where it has none."""
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
        op, inputs = node.op_type, [i for i in node.input if i]
        others = [i for i in inputs if i != self.at]
        if inputs.count(self.at) != 1 or any(i not in constants for i in others):
            raise self.refuse(name, f"{op} takes {', '.join(f'`{i}`' for i in node.input)}, but must take `{self.at}` once, and constants")
        given = [constants[i] for i in others]
        if op in ("Gemm", "MatMul"):
            self._layer(name, op, list(node.input), given, attributes)
        elif op == "Add":
            if not self.open:
                raise self.refuse(name, "Add does not stand behind a MatMul")
            self.biases[-1] = self._row(name, op, others[0], given[0], len(self.biases[-1]))
        elif op in ("Sub", "Div"):
            late = self.weights or self.std is not None or (op == "Sub" and self.mean is not None)
            if late or node.input[0] != self.at:
                raise self.refuse(name, f"{op} does not normalise the observation: (observation - mean) / std comes first, and once")
            row = self._row(name, op, others[0], given[0], given[0].shape[-1] if given[0].ndim else 1)
            if op == "Sub":
                self.mean = row
            else:
                self.std = row
        elif op != "Identity":
            if not self.weights or self.between[-1] != "identity":
                raise self.refuse(name, f"{op} does not stand behind a layer")
            if attributes.get("alpha", 1.0) != 1.0:
                raise self.refuse(name, f"alpha is {attributes['alpha']:g}, but must be 1")
            self.between[-1] = _ACTIVATIONS[op]
        self.open = op == "MatMul" or (op == "Identity" and self.open)
        self.at = node.output[0]

    def _row(self, name: str, op: str, constant: str, array: np.ndarray, wide: int) -> np.ndarray:
        """The (wide,) numbers that are the same for each observation; of another shape ONNX would give each observation its own."""
        if array.size not in (1, wide) or array.shape not in ((), array.shape[-1:], (1, *array.shape[-1:])):
            raise self.refuse(name, f"{op} takes `{constant}` of shape {array.shape}, but it must be ({wide},), (1, {wide}) or one number")
        return np.broadcast_to(array.reshape(-1), (wide,))

    def _layer(self, name: str, op: str, inputs: list[str], given: list[np.ndarray], attributes: Mapping[str, Any]) -> None:
        if inputs[0] != self.at or not inputs[1] or given[0].ndim != 2:
            raise self.refuse(name, f"{op} must multiply what is before it by a matrix")
        wrong = [f"{key} is {attributes[key]:g}" for key, wanted in (("alpha", 1), ("beta", 1), ("transA", 0)) if attributes.get(key, wanted) != wanted]
        if wrong:
            raise self.refuse(name, f"{wrong[0]}, which no layer has")
        weights = given[0] if op == "Gemm" and attributes.get("transB", 0) else given[0].T
        self.weights.append(weights)
        self.biases.append(self._row(name, op, inputs[2], given[1], len(weights)) if len(given) > 1 else np.zeros(len(weights), np.float32))
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
        model = onnx.load(name)
        graph, constants = model.graph, {}
        for tensor in graph.initializer:
            if tensor.name in constants:
                raise FormatError(f"{path}: it holds the constant `{tensor.name}` twice")
            constants[tensor.name] = numpy_helper.to_array(tensor)
        inputs = [i for i in graph.input if i.name not in constants]
        widths = [d.dim_value for i in inputs for d in i.type.tensor_type.shape.dim]
        own = [f.name for f in model.functions if f.domain in _DOMAINS]
    except FormatError:
        raise
    except Exception as error:  # DecodeError of protobuf, ValueError, and what else a damaged file stirs up
        raise FormatError(f"{path}: no ONNX, or a damaged file: {first_line(error)}") from None
    if own:
        raise FormatError(f"{path}: it gives the operator {own[0]} a meaning of its own")
    if len(inputs) != 1 or len(graph.output) != 1:
        raise FormatError(f"{path}: it has {len(inputs)} inputs and {len(graph.output)} outputs, but a policy has one of each"
                          f"{'' if graph.node else ' (the file is empty or cut off)'}")
    chain, written = _Chain(name, inputs[0].name), {inputs[0].name, *constants}
    for k, node in enumerate(graph.node):
        title = f"{k} (`{node.name}`)" if node.name else str(k)
        try:
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            _check_node(chain, node, title, attributes, written)
            written.add(node.output[0])
            if node.op_type == "Constant":
                constants[node.output[0]] = numpy_helper.to_array(attributes["value"])
            elif node.op_type in ("Identity", "Add") and all(i in constants for i in node.input):
                constants[node.output[0]] = _sum(chain, title, [constants[i] for i in node.input])
            else:
                chain.take(node, title, constants, attributes)
        except FormatError:
            raise
        except Exception as error:
            raise FormatError(f"{path}: node {title}: {node.op_type} is damaged: {first_line(error)}") from None
    arguments = chain.layers(graph.output[0].name)
    n = arguments["weights"][0].shape[1]
    if widths and (len(widths) != 2 or widths[1] not in (0, n)):
        raise FormatError(f"{path}: its input `{inputs[0].name}` has dimensions {widths} (0: any), but its first layer takes (any, {n})")
    return arguments


def _check_node(chain: _Chain, node: Any, title: str, attributes: Mapping[str, Any], written: set[str]) -> None:
    """Refuse what no layer is made of, by what ONNX says of operators; and a name that is given twice, as a reader could take either."""
    op = node.op_type
    if node.domain not in _DOMAINS:
        raise chain.refuse(title, f"{op} is of the domain `{node.domain}`, whose operators are not known; {_WHAT_FITS}")
    if op not in ("Gemm", "MatMul", "Add", "Sub", "Div", "Identity", "Constant", *_ACTIVATIONS):
        raise chain.refuse(title, f"{op} is not known; {_WHAT_FITS}")
    least, most = _INPUTS.get(op, (1, 1))
    if not least <= len(node.input) <= most or len(node.output) != 1 or not node.output[0]:
        raise chain.refuse(title, f"{op} has {len(node.input)} inputs and {len(node.output)} outputs, but must have {least}"
                                  f"{f' or {most}' if most > least else ''} and one")
    if node.output[0] in written:
        raise chain.refuse(title, f"{op} writes `{node.output[0]}`, which is there already")
    for key in attributes:
        if key not in _ATTRIBUTES.get(op, ()):
            raise chain.refuse(title, f"{op} has the attribute `{key}`, which is not known")


def _sum(chain: _Chain, title: str, given: list[np.ndarray]) -> np.ndarray:
    """Of constants that ONNX would add. It spreads shapes over each other: 30000 x 1 and 1 x 30000 make 3.6 GB."""
    if len(given) == 1:
        return given[0]
    if given[0].shape != given[1].shape and 1 not in (given[0].size, given[1].size):
        raise chain.refuse(title, f"Add takes constants of shapes {given[0].shape} and {given[1].shape}, which must be equal")
    with np.errstate(over="ignore", invalid="ignore"):  # a Policy asks for finite numbers
        return given[0] + given[1]


# ---- rsl_rl ----------------------------------------------------------------------------------------------------------


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Does torch.save's archive hold something else than a module of TorchScript?"""
    try:
        with zipfile.ZipFile(path) as file:
            names = file.namelist()
    except Exception:  # BadZipFile, OSError, ValueError, and what else a damaged archive stirs up: the reader reports it
        return False
    return any(n.endswith("data.pkl") for n in names) and not any(n.endswith("constants.pkl") or "/code/" in n for n in names)


def dense(tensor: Any, name: str, path: str | os.PathLike[str]) -> Any:
    """A tensor of torch whose real numbers lie in the file, each for itself. FormatError: it is sparse, say, or one number spread over many."""
    import torch

    try:
        plain = tensor.layout is torch.strided and tensor.device.type == "cpu" and tensor.is_floating_point() and not tensor.is_quantized
        spread = plain and tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes()
    except Exception as error:
        raise FormatError(f"{path}: `{name}` is damaged: {first_line(error)}") from None
    if not plain:
        kind = f"{tensor.dtype}, {tensor.layout}, on {tensor.device}".replace("torch.", "")
        raise FormatError(f"{path}: `{name}` is {kind}, but must be plain real numbers in memory")
    if spread:
        raise FormatError(f"{path}: `{name}` has {tensor.numel()} numbers, more than the file holds for it")
    return tensor


def _numbers(tensor: Any, name: str, path: str | os.PathLike[str]) -> np.ndarray:
    return np.asarray(dense(tensor, name, path).detach().double().numpy())


def read_checkpoint(path: str | os.PathLike[str], activation: str) -> dict[str, Any]:
    """Arguments of a Policy from a checkpoint model_N.pt of rsl_rl: `actor_state_dict`, or `actor.*` of `model_state_dict`."""
    name = _file(path)
    try:
        import torch
    except ImportError:
        raise StateError(f"{path} is a checkpoint of rsl_rl, which needs torch: pip install torch; or save the policy as .npz (Policy.save)") from None
    with zipfile.ZipFile(name) as file:
        unpacked = sum(member.file_size for member in file.infolist())
    if unpacked > MOST_BYTES:
        raise FormatError(f"{path}: it unpacks to {unpacked} bytes, but at most {MOST_BYTES} are read")
    try:
        held = torch.load(name, map_location="cpu", weights_only=True)
    except Exception as error:  # UnpicklingError, RuntimeError, KeyError: what a damaged or foreign archive stirs up
        raise FormatError(f"{path}: no checkpoint of rsl_rl, or a damaged file: {first_line(error)}") from None
    held = held if isinstance(held, dict) else {}
    if isinstance(held.get("actor_state_dict"), dict):
        where, entries = "actor_state_dict", dict(held["actor_state_dict"])
    elif isinstance(held.get("model_state_dict"), dict):
        where, entries = "model_state_dict", {k: v for k, v in held["model_state_dict"].items() if not str(k).startswith(("critic", "memory_c"))}
    else:
        raise FormatError(f"{path}: no checkpoint of rsl_rl: it has neither `actor_state_dict` nor `model_state_dict`")
    for key, value in entries.items():
        if not isinstance(key, str) or not isinstance(value, torch.Tensor):
            raise FormatError(f"{path}: `{where}` holds {key!r}, which is not a tensor with a name")
    normal = {k: v for k, v in entries.items() if "normalizer." in k}
    beside = held.get("obs_norm_state_dict")  # of older versions
    if isinstance(beside, dict) and not normal:
        normal = {f"normalizer.{k}": v for k, v in beside.items() if isinstance(v, torch.Tensor)}
    layers: dict[int, dict[str, Any]] = {}
    for key, value in entries.items():
        words = key.split(".")
        if len(words) == 3 and words[0] in ("actor", "mlp") and _PLACE.fullmatch(words[1]) and words[2] in ("weight", "bias"):
            layer = layers.setdefault(int(words[1]), {})
            if words[2] in layer:
                raise FormatError(f"{path}: `{where}` holds the {words[2]} of layer {int(words[1])} twice")
            layer[words[2]] = _numbers(value, key, path)
        elif key not in normal and words[0] not in ("std", "log_std", "distribution"):
            raise FormatError(f"{path}: `{where}` holds `{key}`, which is not a layer of a multilayer perceptron")
    found = [layers[k] for k in sorted(layers)]
    if not found:
        raise FormatError(f"{path}: `{where}` holds no layer of an actor")
    for k in sorted(layers):
        for part in ("weight", "bias"):
            if part not in layers[k]:
                raise FormatError(f"{path}: `{where}` has no {part} of layer {k}")
    arguments: dict[str, Any] = {"weights": [f["weight"] for f in found], "biases": [f["bias"] for f in found], "activation": activation}
    for key, value in normal.items():
        name, more = {"_mean": ("mean", np.float32(0)), "_std": ("std", np.float32(_RSL_RL_EPS))}.get(key.rpartition(".")[2], ("", np.float32(0)))
        if not name:
            continue
        if name in arguments:
            raise FormatError(f"{path}: `{key}`: there is another {name} of the observations beside it")
        with np.errstate(over="ignore"):  # a Policy asks for finite numbers
            arguments[name] = _numbers(value, key, path).astype(np.float32).reshape(-1) + more
    return arguments
