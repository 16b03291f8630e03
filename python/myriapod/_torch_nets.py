"""Networks for motors out of modules of PyTorch, which is not imported: a module is asked by the names that it has."""
from __future__ import annotations

import re
from typing import Any

import numpy as np

from ._library import ArgumentError

_ACTIVATIONS = {"Tanh": "tanh", "ELU": "elu", "Softsign": "softsign", "ReLU": "relu"}
_SCALES = {"in_scale": 2, "out_scale": 1}  # buffers of ANYdrive's net, and their sizes


def _name(module: Any) -> str:
    """Of its class; TorchScript keeps that of the class it was made from."""
    return str(getattr(module, "original_name", type(module).__name__))


def _numbers(tensor: Any) -> np.ndarray:
    return np.array(tensor.detach().cpu().double().numpy())


def _leaves(module: Any) -> list[tuple[str, Any]]:
    """Modules of which it is made, in their order, with their places."""
    named = [(place or "itself", part) for place, part in module.named_modules()]
    return [(place, part) for place, part in named if not any(True for _ in part.children())]


def _linear(module: Any) -> tuple[np.ndarray, np.ndarray]:
    weight = _numbers(module.weight)
    return weight, np.zeros(len(weight)) if module.bias is None else _numbers(module.bias)


def _lstm(module: Any, place: str) -> dict[str, list[np.ndarray]]:
    """Each of its layers; both biases added."""
    tensors = {name: _numbers(tensor) for name, tensor in module.named_parameters()}
    odd = [name for name in tensors if not re.fullmatch(r"(weight|bias)_(ih|hh)_l\d+", name)]
    if odd:
        raise ArgumentError(f"module {place}: LSTMs with two directions or projections have no place in a motor ({odd[0]})")
    n = 1 + max(int(name.rpartition("_l")[2]) for name in tensors)
    rows = [len(tensors[f"weight_hh_l{i}"]) for i in range(n)]
    none = {i: np.zeros(rows[i]) for i in range(n)}
    return {"weights": [tensors[f"weight_ih_l{i}"] for i in range(n)], "recurrent": [tensors[f"weight_hh_l{i}"] for i in range(n)],
            "biases": [tensors.get(f"bias_ih_l{i}", none[i]) + tensors.get(f"bias_hh_l{i}", none[i]) for i in range(n)]}


def _scales(module: Any) -> tuple[float, float, float]:
    """Of its buffers: error, rate, output."""
    found = {"in_scale": np.ones(2), "out_scale": np.ones(1)}
    for name, tensor in module.named_buffers():
        values = _numbers(tensor).reshape(-1)
        if name not in _SCALES or values.size != _SCALES[name]:
            raise ArgumentError(f"the module has a buffer {name} of {values.size} numbers, whose meaning is not known; known are in_scale (2), out_scale (1)")
        found[name] = values
    return float(found["in_scale"][0]), float(found["in_scale"][1]), float(found["out_scale"][0])


def read_module(module: Any, activation: str | None) -> dict[str, Any]:
    """Arguments of a MotorNet, and `scales`. ArgumentError: the module is made of something else."""
    if not hasattr(module, "named_modules") or not hasattr(module, "named_buffers"):
        raise ArgumentError(f"the module is {type(module).__name__}, but must be a torch.nn.Module")
    leaves = _leaves(module)
    odd = next(((place, part) for place, part in leaves if _name(part) not in ("LSTM", "Linear", *_ACTIVATIONS)), None)
    if odd:
        raise ArgumentError(f"module {odd[0]} is a {_name(odd[1])}; a motor's net is made of LSTM and Linear, or of Linear, {', '.join(_ACTIVATIONS)}")
    kinds = [_name(part) for _, part in leaves]
    if "LSTM" in kinds:
        if kinds != ["LSTM", "Linear"]:
            raise ArgumentError(f"the module is made of {', '.join(kinds)}, but a net_lstm is an LSTM and a Linear")
        said = _lstm(leaves[0][1], leaves[0][0])
        weight, bias = _linear(leaves[1][1])
        return {"kind": "net_lstm", **{name: [*said[name], *more] for name, more in (("weights", [weight]), ("recurrent", []), ("biases", [bias]))},
                "scales": _scales(module)}
    layers = [_linear(part) for (_, part), kind in zip(leaves, kinds) if kind == "Linear"]
    between = [(place, part) for (place, part), kind in zip(leaves, kinds) if kind in _ACTIVATIONS]
    words = {_ACTIVATIONS[_name(part)] for _, part in between}
    if activation is None:
        if kinds[::2] != ["Linear"] * (len(between) + 1) or not between or kinds[-1] != "Linear":
            raise ArgumentError(f"the module is made of {', '.join(kinds)}; between two Linear must be an activation: give activation= where `forward` has it")
        if len(words) > 1:
            raise ArgumentError(f"the module has activations {', '.join(sorted(words))}; a motor's net has one")
        activation = words.pop()
    elif between:
        raise ArgumentError(f"activation is given, but module {between[0][0]} is one already")
    for place, part in between:
        if _name(part) == "ELU" and float(getattr(part, "alpha", 1.0)) != 1.0:
            raise ArgumentError(f"module {place}: alpha of its ELU is {part.alpha}, but must be 1")
    return {"kind": "net_mlp", "weights": [w for w, _ in layers], "biases": [b for _, b in layers], "activation": activation, "scales": _scales(module)}
