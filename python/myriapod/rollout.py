"""Open-loop rollouts with the arguments of `mujoco.rollout.rollout`.

    from myriapod import rollout
    state, sensordata = rollout.rollout("anymal", None, initial_state, control)

What is the same: shapes, singleton dimensions that are repeated, nbatch and nstep inferred, outputs made or given, the state (time, q, v)
in one row and MuJoCo's order of q and v, `torque` as what is driven unless `control_field` says otherwise (`Batch.rollout` drives `target`,
and returns q, v without the time). What differs: one model (parameters that differ are set on a Batch given as `data`), a warm start
of contact impulses, sensors chosen by the names of a batch's fields."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from . import _arrays as arrays
from ._library import ArgumentError
from .batch import Batch, field_number
from .envs.rollout import states_of
from .model import Model
from .policies.networks import Policy

_F64 = np.dtype(np.float64)


def _input(value: Any, name: str, ndim: int) -> np.ndarray | None:
    """With leading dimensions of 1 up to ndim."""
    if value is None:
        return None
    array = arrays.take(value, name)
    if array.ndim > ndim:
        raise ArgumentError(f"{name} has shape {array.shape}, but at most {ndim} dimensions mean something")
    return array.reshape((1,) * (ndim - array.ndim) + array.shape)


def _infer(dimension: int, word: str, value: int | None, given: dict[str, np.ndarray | None]) -> int:
    """The size that all arrays have in a dimension, or 1."""
    for name, array in given.items():
        size = None if array is None else array.shape[dimension]
        if size is None or size == 1 or size == value:
            continue
        if value not in (None, 1):
            raise ArgumentError(f"{word} is {value}, but {name} has {size}")
        value = size
    return 1 if value is None else value


def _want_last(array: np.ndarray | None, name: str, size: int, words: str) -> None:
    if array is not None and array.shape[-1] != size:
        raise ArgumentError(f"the last dimension of {name} is {array.shape[-1]}, but must be {size} = {words}")


def _float_output(out: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """float64 unless the caller's own array is float32."""
    dtype = _F64 if out is None else arrays.float_type(arrays.adopt(out, name).dtype, f"{name}'s dtype")
    return arrays.output(out, name, shape, dtype)


def _sensor_shape(batch: Batch, sensors: Sequence[str]) -> list[int]:
    return [int(np.prod(batch.shape(name)[1:])) for name in sensors]


def rollout(model: Model | str | os.PathLike[str], data: Batch | None = None, initial_state: Any = None, control: Any = None, *,
            nstep: int | None = None, initial_warmstart: Any = None, state: Any = None, sensordata: Any = None, skip_checks: bool = False,
            control_field: str = "torque", sensors: Sequence[str] = (), **settings: Any) -> tuple[np.ndarray, np.ndarray]:
    """Roll out nbatch trajectories of nstep control steps.

    model: a Model or what Model() takes. data: a Batch of nbatch environments of this model to use, with its settings and parameters;
    None: a new one with `settings` as keywords (task "none" unless said for torques: no PD beside them but the model's own).
    initial_state: (nbatch or 1, 1 + nq + nv) time [s], q, v, or (nbatch or 1, nq + nv), one dimension for one row; None: home, or where
    `data` is, whose episode then goes on; else `data` is reset first.
    control: (nbatch or 1, nstep or 1, nu), fewer dimensions are filled from the left; None: the field stays. Or a `Policy`, which acts in
    lanes in a task with control steps that `data` or `settings` name (task="locomotion"); an environment whose episode ends stays there, and
    control_field is of arrays alone. control_field: "torque"
    [N m | N], "target" [rad | m] or "control", what the model's file calls so. initial_warmstart: (nbatch or 1, 3 n_slots) contact impulses [N s]; None: zero.
    sensors: names of fields whose values after every step make up sensordata. state, sensordata: the caller's outputs, float64 or float32.
    skip_checks: dimensions are not inferred or repeated and outputs not made: everything must be there in its full shape.

    Returns state (nbatch, nstep, 1 + nq + nv): time [s], q, v; and sensordata (nbatch, nstep, nsensor). The bits of q and v are those of
    Batch.step. Unlike this, `Batch.rollout` drives `target` unless said otherwise, and returns q, v without the time.
    Raises ArgumentError for shapes and types that do not fit; Ctrl-C interrupts within about 0.1 s."""
    sensors = (sensors,) if isinstance(sensors, str) else tuple(sensors)
    for name in sensors:
        field_number(name)
    if isinstance(model, (list, tuple)):
        raise ArgumentError("model is a sequence, but must be one Model: parameters of single environments are set on a Batch given as data")
    if data is not None and not isinstance(data, Batch):
        raise ArgumentError(f"data is {type(data).__name__}, but must be a Batch or None")
    if data is not None and settings:
        raise ArgumentError(f"data brings its own settings; {', '.join(settings)} cannot be given beside it")
    policy = control if isinstance(control, Policy) else None
    start, controls = _input(initial_state, "initial_state", 2), _input(control if policy is None else None, "control", 3)
    warm = _input(initial_warmstart, "initial_warmstart", 2)
    if skip_checks:
        if nstep is None or state is None or (sensors and sensordata is None):
            raise ArgumentError("skip_checks needs nstep, state and, with sensors, sensordata")
        nbatch = data.envs if data is not None else (1 if start is None else len(start))
    else:
        outputs = {n: None if a is None else arrays.adopt(a, n) for n, a in (("state", state), ("sensordata", sensordata))}
        for name, array in outputs.items():
            if array is not None and array.ndim != 3:
                raise ArgumentError(f"{name} has shape {array.shape}, but must be (nbatch, nstep, numbers)")
        batched = {"initial_state": start, "control": controls, "initial_warmstart": warm, **outputs}
        nbatch = _infer(0, "nbatch", None if data is None else data.envs, batched)
        nstep = _infer(1, "nstep", nstep, {"control": controls, **outputs})
    batch = data
    if batch is None:
        if control_field != "target" and policy is None:
            settings.setdefault("task", "none")
        batch = Batch(model, nbatch, sense=("acceleration", "bodies", "contacts") if sensors else (), **settings)
    try:
        _want_last(controls, "control", batch.model.nu, "nu")
        _want_last(warm, "initial_warmstart", 3 * batch.model.n_slots, "3 n_slots")
        if controls is not None and not skip_checks:
            controls = np.ascontiguousarray(np.broadcast_to(controls, (nbatch, nstep, batch.model.nu)))
        time = _place(batch, start, warm, fresh=data is None)
        advance = _by_array(batch, controls, control_field) if policy is None else partial(states_of, batch, policy)
        return _run(batch, time, advance, int(nstep), sensors, state, sensordata)
    finally:
        if data is None:
            batch.close()


def _place(batch: Batch, start: np.ndarray | None, warm: np.ndarray | None, fresh: bool) -> np.ndarray:
    """Put the environments where they start; their times, (nbatch,)."""
    nq, nv = batch.model.nq, batch.model.nv
    time = batch.get("time", dtype=_F64)
    if start is not None:
        width = start.shape[-1]
        if width not in (nq + nv, 1 + nq + nv):
            raise ArgumentError(f"the last dimension of initial_state is {width}, but must be {1 + nq + nv} = 1 + nq + nv or {nq + nv} = nq + nv")
        if not fresh:
            batch.reset()
        x = np.broadcast_to(start, (batch.envs, width))
        time = x[:, 0].astype(_F64) if width == 1 + nq + nv else np.zeros(batch.envs)
        batch.q, batch.v = x[:, -nq - nv : width - nv], x[:, width - nv :]
        if warm is None:
            batch.impulse = 0.0
    if warm is not None:
        batch.impulse = np.broadcast_to(warm, (batch.envs, 3 * batch.model.n_slots)).reshape(batch.shape("impulse"))
    return time


def _by_array(batch: Batch, controls: np.ndarray | None, control_field: str) -> Callable[[int, int], np.ndarray]:
    def advance(first: int, count: int) -> np.ndarray:
        return batch.rollout(None if controls is None else np.ascontiguousarray(controls[:, first : first + count]), count, control_field)

    return advance


def _run(batch: Batch, time: np.ndarray, advance: Callable[[int, int], np.ndarray], nstep: int, sensors: Sequence[str], state: Any,
         sensordata: Any) -> tuple[np.ndarray, np.ndarray]:
    """advance: first step and their number -> states after them."""
    widths = _sensor_shape(batch, sensors)
    states = _float_output(state, "state", (batch.envs, nstep, 1 + batch.model.nq + batch.model.nv))
    sensed = _float_output(sensordata, "sensordata", (batch.envs, nstep, sum(widths)))
    control_step_s = batch.info.dt_s * int(batch.settings["decimation"])
    states[:, :, 0] = time[:, None] + control_step_s * np.arange(1, nstep + 1)
    if not sensors:
        states[:, :, 1:] = advance(0, nstep)
        return states, sensed
    readers = [_reader(batch, name, width) for name, width in zip(sensors, widths)]
    for k in range(nstep):
        states[:, k : k + 1, 1:] = advance(k, 1)
        at = 0
        for read, width in zip(readers, widths):
            sensed[:, k, at : at + width] = read()
            at += width
    return states, sensed


def _reader(batch: Batch, name: str, width: int) -> Callable[[], np.ndarray]:
    """Reads a field as it is now, (envs, width): where it lies, if it does so as it is read."""
    try:
        seen = batch.view(name)
    except ArgumentError:
        return lambda: batch.get(name).reshape(batch.envs, width)
    return lambda: seen.reshape(-1, width)[: batch.envs]
