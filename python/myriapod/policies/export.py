"""A `Policy` as files of other programs: TorchScript (needs torch), ONNX (needs onnx)."""
from __future__ import annotations

import os

import numpy as np

from .._whole import whole
from .networks import Policy, TorchPolicy

_ONNX = {"elu": "Elu", "relu": "Relu", "tanh": "Tanh", "identity": "Identity"}


def save_torchscript(policy: Policy, path: str | os.PathLike[str]) -> None:
    """observations (n, n_obs) -> actions (n, n_act), with what the policy was trained for beside it. ImportError: there is no torch."""
    import torch

    layers: list[torch.nn.Module] = []
    shift = -policy.mean / policy.std
    for i, (w, b) in enumerate(zip(policy.weights, policy.biases)):
        if i == 0:  # (o - mean) / std belongs to the first layer
            w, b = w / policy.std, b + w @ shift
        linear = torch.nn.Linear(w.shape[1], w.shape[0])
        linear.weight = torch.nn.Parameter(torch.from_numpy(np.ascontiguousarray(w, np.float32)))
        linear.bias = torch.nn.Parameter(torch.from_numpy(np.ascontiguousarray(b, np.float32)))
        layers += [linear, {"elu": torch.nn.ELU, "relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "identity": torch.nn.Identity}[policy.activation]()]
    module = torch.jit.script(torch.nn.Sequential(*layers[:-1]).eval())
    with whole(path) as partial:
        module.save(os.fspath(partial))
        TorchPolicy.tell(partial, policy._told())


def save_onnx(policy: Policy, path: str | os.PathLike[str]) -> None:
    """`obs` (n, n_obs) -> `actions` (n, n_act), a chain of Gemm. ImportError: there is no onnx."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, numbers, last = [], [], "obs"

    def constant(name: str, array: np.ndarray) -> str:
        numbers.append(numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name))
        return name

    if (policy.mean != 0).any() or (policy.std != 1).any():
        nodes += [helper.make_node("Sub", [last, constant("mean", policy.mean)], ["centred"]),
                  helper.make_node("Div", ["centred", constant("std", policy.std)], ["scaled"])]
        last = "scaled"
    for i, (w, b) in enumerate(zip(policy.weights, policy.biases)):
        out = "actions" if i + 1 == len(policy.weights) else f"layer{i}"
        nodes.append(helper.make_node("Gemm", [last, constant(f"w{i}", w), constant(f"b{i}", b)], [out], transB=1))
        last = out
        if out != "actions":
            nodes.append(helper.make_node(_ONNX[policy.activation], [out], [f"{out}_{policy.activation}"]))
            last = f"{out}_{policy.activation}"
    graph = helper.make_graph(nodes, "policy", [helper.make_tensor_value_info("obs", TensorProto.FLOAT, ["n", policy.n_obs])],
                              [helper.make_tensor_value_info("actions", TensorProto.FLOAT, ["n", policy.n_act])], numbers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    for name, value in policy._told().items():
        model.metadata_props.add(key=name, value=str(value))
    onnx.checker.check_model(model)
    with whole(path) as partial:
        onnx.save(model, os.fspath(partial))
