"""For `judo` (Li et al. 2025; judo-rai 0.1.0): its controller with rollouts in lanes, and an optimizer whose noise fades.

    from judo.controller import Controller, ControllerConfig
    from myriapod.plan.judo import Annealed, AnnealedConfig, LanesBackend

    optimizer = Annealed(AnnealedConfig(num_rollouts=64), task.nu)
    controller = Controller(ControllerConfig(max_opt_iters=2), task, optimizer, rollout_backend=LanesBackend(task, optimizer.num_rollouts))

Tasks, costs, splines and the app stay judo's, in NumPy. A cost that is written as a reward (docs/planning.md) runs in lanes, too: `myriapod.Planner`."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from judo.optimizers import Optimizer, OptimizerConfig
from judo.utils.rollout_backend import RolloutBackend

from .. import rollout
from .._library import ArgumentError
from ..batch import Batch
from ..model import Model


class LanesBackend(RolloutBackend):
    """Of a judo task's robot, read from the task's MJCF (`task.spec`). num_threads: judo's word for rollouts; sensors: False leaves them at zero, which saves
    a call for every control step; settings: of the batch, such as `threads=1, solver="bisection"`. dt is the model's timestep.

    Sensors are read behind a step; MuJoCo's are those from before its last step. A robot that fails stays where it last was good, as in MuJoCo's rollouts.
    Physics is this library's: hard contacts, hard joint limits.
    Raises: ArgumentError (a joint, an actuator or a sensor of the task is not the same here, by its name), and what `Model` and `Batch` do."""

    def __init__(self, task: Any, num_threads: int, *, sensors: bool = True, **settings: Any) -> None:
        self.model = Model.from_text(task.spec.to_xml(), label=str(task.model_path))
        _want_same(self.model, task.model)
        self._columns = _columns(self.model, task.model) if sensors else []
        self._width = int(task.model.nsensordata)
        self._settings = {"task": "none", "dt": float(task.model.opt.timestep), "decimation": 1, **settings}
        self._batch: Batch | None = None
        self.update(num_threads)

    def rollout(self, x0: np.ndarray, controls: np.ndarray, last_policy_output: Any = None) -> tuple[np.ndarray, np.ndarray, None]:
        """x0 (nq + nv,), or a row for each; controls (num_threads, T, nu), as the model's file has them -> states (num_threads, T, nq + nv), sensors
        (num_threads, T, nsensordata), None."""
        states, read = rollout.rollout(self.model, self._batch, x0, controls, control_field="control", sensors=("sensors",) if self._columns else ())
        sensors = np.zeros((*states.shape[:2], self._width))
        for theirs, ours in self._columns:
            sensors[..., theirs] = read[..., ours]
        return states[..., 1:], sensors, None

    def update(self, num_threads: int) -> None:
        """Another number of rollouts."""
        if self._batch is not None:
            self._batch.close()
        self.num_threads = num_threads
        self._batch = Batch(self.model, num_threads, **self._settings)


def _want_same(ours: Model, theirs: Any) -> None:
    """ArgumentError where the two models differ in what judo reads and writes by number."""
    if (ours.nq, ours.nv, ours.nu) != (theirs.nq, theirs.nv, theirs.nu):
        raise ArgumentError(f"the task's model has nq, nv, nu = {theirs.nq}, {theirs.nv}, {theirs.nu}, but here they are {ours.nq}, {ours.nv}, {ours.nu}")
    for joint in ours.joints:
        at = theirs.joint(joint.index)
        if (at.name or joint.name, at.qposadr[0], at.dofadr[0]) != (joint.name, joint.q, joint.v):
            raise ArgumentError(f"joint {joint.index} is {at.name!r} in the task's model, at q {at.qposadr[0]}, but {joint.name!r}, at q {joint.q}, here")
    for k, actuator in enumerate(ours.actuators):
        if (theirs.actuator(k).name or actuator.name) != actuator.name:
            raise ArgumentError(f"actuator {k} is {theirs.actuator(k).name!r} in the task's model, but {actuator.name!r} here")


def _columns(ours: Model, theirs: Any) -> list[tuple[slice, slice]]:
    """Of each sensor, columns of MuJoCo's sensordata, and of ours."""
    here, columns = {sensor.name: sensor for sensor in ours.sensors}, []
    for k in range(theirs.nsensor):
        at = theirs.sensor(k)
        first, size = int(at.adr[0]), int(at.dim[0])
        if at.name not in here or here[at.name].size != size:
            raise ArgumentError(f"sensor {at.name!r} of the task's model is not read here: sensors=False leaves all sensors at zero")
        columns.append((slice(first, first + size), slice(here[at.name].row, here[at.name].row + size)))
    return columns


@dataclass
class AnnealedConfig(OptimizerConfig):
    """Words of `myr_plan_options`; sigma is of the controls."""

    sigma: float = 0.3
    temperature: float = 0.1
    fade_iteration: float = 0.5
    fade_horizon: float = 1.0


class Annealed(Optimizer[AnnealedConfig]):
    """MPPI as `myriapod.Planner` does it: the temperature is relative to the rewards' deviation, so that it need not be changed with their weights; noise
    fades by `fade_iteration` from one iteration to the next, and by `fade_horizon` from a knot to the one before it (Xue et al. 2024).
    judo's noise ramp is not used."""

    _iteration = 0

    def pre_optimization(self, old_times: np.ndarray, new_times: np.ndarray) -> None:
        """A plan begins with all of the noise."""
        self._iteration = 0

    def sample_control_knots(self, nominal_knots: np.ndarray) -> np.ndarray:
        """(num_rollouts, num_nodes, nu); the first one is the plan itself."""
        config, nodes = self.config, len(nominal_knots)
        sigma = config.sigma * config.fade_iteration**self._iteration * config.fade_horizon ** np.arange(nodes - 1, -1, -1)[:, None]
        self._iteration += 1
        noise = np.random.standard_normal((config.num_rollouts, *nominal_knots.shape))
        noise[0] = 0.0
        return nominal_knots + sigma * noise

    def update_nominal_knots(self, sampled_knots: np.ndarray, rewards: np.ndarray) -> np.ndarray:
        """Their mean by weights; what is not finite weighs nothing, and where nothing is the plan stays."""
        cost = -np.asarray(rewards, float)
        finite = np.isfinite(cost)
        if not finite.any():
            return sampled_knots[0]
        of = self.config.temperature * cost[finite].std()
        weight = np.zeros(len(cost))
        weight[finite] = np.exp(-(cost[finite] - cost[finite].min()) / of) if of > 0 else 1.0
        return np.tensordot(weight / weight.sum(), sampled_knots, axes=1)
