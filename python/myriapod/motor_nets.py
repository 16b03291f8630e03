"""Nets behind motors: small networks that give an actuator's force, from arrays, files or PyTorch."""
from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import _arrays as arrays
from ._library import ArgumentError, check, encode_path, ffi, lib, text
from ._names import Strict

KINDS = {"net_mlp": lib.MYR_MOTOR_NET_MLP, "net_lstm": lib.MYR_MOTOR_NET_LSTM}
ACTIVATIONS = {"tanh": lib.MYR_NET_TANH, "elu": lib.MYR_NET_ELU, "softsign": lib.MYR_NET_SOFTSIGN, "relu": lib.MYR_NET_RELU}
_VERSION = 1  # of the file


def _matrices(values: Any, name: str) -> list[np.ndarray]:
    return [arrays.take(value, f"{name}[{i}]", np.dtype(np.float64)) for i, value in enumerate(values)]


def _shapes(kind: str, history: Sequence[int], weights: list[np.ndarray], recurrent: list[np.ndarray], biases: list[np.ndarray]) -> list[int]:
    """Units of each layer; ArgumentError where the shapes are not those of one net."""
    n, gates = len(weights) - 1, 4 if kind == "net_lstm" else 1
    if not 1 <= n <= lib.MYR_MOTOR_NET_LAYERS:
        raise ArgumentError(f"weights has {n + 1} arrays, but must have those of 1 to {lib.MYR_MOTOR_NET_LAYERS} layers and of the last one")
    for name, given, wanted in (("biases", biases, n + 1), ("recurrent", recurrent, n if gates == 4 else 0)):
        if len(given) != wanted:
            raise ArgumentError(f"{name} has {len(given)} arrays, but must have {wanted}, as weights has {n + 1}")
    units, inputs = [], 2 * len(history)
    for i, w in enumerate(weights):
        rows = 1 if i == n else w.shape[0] if w.ndim == 2 else 0
        if rows % gates and i < n:
            raise ArgumentError(f"weights[{i}] has {rows} rows, but must have four of each unit")
        arrays.want_shape(w, (rows, inputs), f"weights[{i}]", "rows, inputs")
        arrays.want_shape(biases[i], (rows,), f"biases[{i}]", "rows")
        inputs = rows // gates
        if i < n and gates == 4:
            arrays.want_shape(recurrent[i], (rows, inputs), f"recurrent[{i}]", "rows, units")
        units.append(inputs)
    return units[:-1]


class MotorNet(Strict):
    """A small network that gives an actuator's force of its errors, target - length, and its rates. Immutable; any number of models share one.

    kind: "net_mlp" or "net_lstm". weights: (rows, inputs) of each layer and of the last one, which is linear and has one row. recurrent, of a
    net_lstm: (rows, units) of each layer but the last. biases: (rows,). A layer of a net_lstm has the rows of PyTorch's nn.LSTM: those of all units
    for the gate i, then f, g, o; its biases are the sum of PyTorch's two.
    activation: of a net_mlp: tanh, elu, softsign or relu. history: steps of dt back of what it looks at, 0: this step. Its inputs are position_scale
    times the error at each of them, then velocity_scale times the rate; its output times torque_scale is the force.

        net = MotorNet.read("anydrive.json")
        model = load("anymal").with_motors(Motor("net_lstm", {"stall": 120, "speed": 7.5}, net=net))

    Nets of the same numbers are equal. It can be pickled. docs/actuators.md has the laws, the limits and the file's format."""

    def __init__(self, kind: str, weights: Sequence[Any], biases: Sequence[Any], *, recurrent: Sequence[Any] = (), activation: str = "tanh",
                 history: Sequence[int] = (0,), position_scale: float = 1.0, velocity_scale: float = 1.0, torque_scale: float = 1.0) -> None:
        for what, word, words in (("kind", kind, KINDS), ("activation", activation, ACTIVATIONS)):
            if word not in words:
                raise ArgumentError(f"{what} of a net is {word!r}, but must be one of {', '.join(words)}")
        most = lib.MYR_MOTOR_NET_HISTORY
        if not 1 <= len(history) <= most:
            raise ArgumentError(f"history has {len(history)} numbers, but must have 1 to {most}")
        lists = [_matrices(weights, "weights"), _matrices(recurrent, "recurrent"), _matrices(biases, "biases")]
        units = _shapes(kind, history, *lists)
        definition = ffi.new("myr_motor_net_def *", lib.myr_motor_net_def_default())
        definition.kind, definition.activation, definition.n_layers, definition.n_history = KINDS[kind], ACTIVATIONS[activation], len(units), len(history)
        for i, n in enumerate(units):
            definition.units[i] = n
        for i, back in enumerate(history):
            definition.history[i] = arrays.whole(back, f"history[{i}]", 0, lib.MYR_MOTOR_NET_BACK)
        for array, into in zip(lists, (definition.weights, definition.recurrent, definition.biases)):
            for i, values in enumerate(array):
                into[i] = arrays.pointer(values, "double *")
        definition.position_scale, definition.velocity_scale, definition.torque_scale = float(position_scale), float(velocity_scale), float(torque_scale)
        out = ffi.new("myr_motor_net **")
        check(lib.myr_motor_net_create(definition, out))
        self._take(out[0])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MotorNet:
        """From a JSON file, whose format docs/actuators.md says. FormatError names the file, the line and the element."""
        out = ffi.new("myr_motor_net **")
        check(lib.myr_motor_net_read(encode_path(path), out))
        net = object.__new__(cls)
        net._take(out[0])
        return net

    def save(self, path: str | os.PathLike[str]) -> None:
        """Into a JSON file; read again it is equal."""
        said: dict[str, Any] = {"myriapod_motor_net": _VERSION, "kind": self.kind}
        if self.kind == "net_mlp":
            said["activation"] = self.activation
        said.update(history=list(self.history), position_scale=self.position_scale, velocity_scale=self.velocity_scale, torque_scale=self.torque_scale)
        for name in ("weights", "recurrent", "biases"):
            if getattr(self, name):
                said[name] = [array.tolist() for array in getattr(self, name)]
        with open(path, "w", encoding="utf-8") as file:
            file.write("{\n" + ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in said.items()) + "\n}\n")

    @classmethod
    def from_torch(cls, module: Any, *, activation: str | None = None, history: Sequence[int] = (0,), position_scale: float = 1.0,
                   velocity_scale: float = 1.0, torque_scale: float = 1.0) -> MotorNet:
        """Of a module of PyTorch, TorchScript too: one nn.LSTM and one nn.Linear, or nn.Linear layers with Tanh, ELU, Softsign or ReLU between
        them. activation: of a module that applies it in `forward`, where no module tells. Buffers `in_scale` (2) and `out_scale` (1), as in
        the net of ANYdrive that legged_gym has, multiply the scales. What a `forward` does beyond that cannot be seen: compare some outputs."""
        from ._torch_nets import read_module

        said = read_module(module, activation)
        beside = said.pop("scales")
        return cls(**said, history=history, position_scale=position_scale * beside[0], velocity_scale=velocity_scale * beside[1],
                   torque_scale=torque_scale * beside[2])

    @classmethod
    def _copy_of(cls, pointer: Any) -> MotorNet | None:
        """Of a net that a C struct points to."""
        return None if pointer == ffi.NULL else cls(**_said_by(pointer))

    def _take(self, pointer: Any) -> None:
        self._c = ffi.gc(pointer, lib.myr_motor_net_free)
        self._said = _said_by(pointer)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._said,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MotorNet) and self.hash == other.hash

    def __hash__(self) -> int:
        return self.hash

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.units))
        return f"<MotorNet {self.kind}: {2 * len(self.history)} inputs, layers of {sizes}, {self.n_states} states>"

    # ---- what it is ---------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """net_mlp or net_lstm."""
        return self._said["kind"]

    @property
    def units(self) -> tuple[int, ...]:
        """Of each layer but the last."""
        return tuple(w.shape[1] for w in self._said["weights"][1:])

    @property
    def activation(self) -> str:
        """Of a net_mlp; tanh of a net_lstm."""
        return self._said["activation"]

    @property
    def history(self) -> tuple[int, ...]:
        """Steps of dt back of what it looks at."""
        return self._said["history"]

    @property
    def position_scale(self) -> float:
        """Of the errors."""
        return self._said["position_scale"]

    @property
    def velocity_scale(self) -> float:
        """Of the rates."""
        return self._said["velocity_scale"]

    @property
    def torque_scale(self) -> float:
        """Of the output [N m | N]."""
        return self._said["torque_scale"]

    @property
    def weights(self) -> tuple[np.ndarray, ...]:
        """(rows, inputs) of each layer and of the last one, to be read."""
        return self._said["weights"]

    @property
    def recurrent(self) -> tuple[np.ndarray, ...]:
        """(rows, units) of each layer of a net_lstm but the last, to be read."""
        return self._said["recurrent"]

    @property
    def biases(self) -> tuple[np.ndarray, ...]:
        """(rows,) of each layer and of the last one, to be read."""
        return self._said["biases"]

    @property
    def n_states(self) -> int:
        """Numbers that an actuator keeps for it, in `Batch.activation`."""
        return lib.myr_motor_net_states(self._c)

    @property
    def hash(self) -> int:
        """Of all that shows in forces."""
        return lib.myr_motor_net_hash(self._c)


def _again(said: dict[str, Any]) -> MotorNet:
    return MotorNet(**said)


def _read_only(pointer: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = np.frombuffer(ffi.buffer(pointer, 8 * int(np.prod(shape))), np.float64).reshape(shape).copy()
    array.flags.writeable = False
    return array


def _layers(d: Any) -> Iterator[tuple[int, int, int]]:
    """Number, rows and inputs of each layer and of the last one."""
    gates, inputs = 4 if d.kind == lib.MYR_MOTOR_NET_LSTM else 1, 2 * d.n_history
    for i in range(d.n_layers):
        yield i, gates * d.units[i], inputs
        inputs = d.units[i]
    yield d.n_layers, 1, inputs


def _said_by(pointer: Any) -> dict[str, Any]:
    """Arguments that make a net again."""
    d = ffi.new("myr_motor_net_def *")
    lib.myr_motor_net_get(pointer, d)
    kind = text(lib.myr_motor_name(d.kind))
    return {"kind": kind, "activation": next(word for word, number in ACTIVATIONS.items() if number == d.activation),
            "history": tuple(d.history[0 : d.n_history]), "position_scale": d.position_scale, "velocity_scale": d.velocity_scale,
            "torque_scale": d.torque_scale, "weights": tuple(_read_only(d.weights[i], (rows, inputs)) for i, rows, inputs in _layers(d)),
            "recurrent": tuple(_read_only(d.recurrent[i], (4 * d.units[i], d.units[i])) for i in range(d.n_layers)) if kind == "net_lstm" else (),
            "biases": tuple(_read_only(d.biases[i], (rows,)) for i, rows, _ in _layers(d))}
