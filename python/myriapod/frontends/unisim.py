"""For UniSim (unisim-core 2.2.0): a scene's MJCF or URDF stepped in lanes, behind its `SimBackend`.

    from unisim.scene import SceneCfg
    from myriapod.frontends.unisim import MyriapodBackend

    backend = MyriapodBackend(SceneCfg(model_file="go2.xml", default_keyframe_name="home"), num_envs=4096, sim_dt=0.002, threads=2)

UniSim's `create_backend` knows the names of its own engines alone: a backend of another package is made by its class. Facts of the model are in
unisim_model.py."""
from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from unisim.backend.base import (
    PhysicsStateLayout,
    PlayCapabilities,
    PreStepControlOutput,
    SelectedResetPublication,
    TensorDataPlane,
    TensorExecution,
    TensorLifecycleCapabilities,
    TrackedBodyStateViews,
    validate_torch_device,
)
from unisim.dr.interval import INTERVAL_TERM_BODY_FORCE, INTERVAL_TERM_BODY_TORQUE, INTERVAL_TERM_PUSH, IntervalTermOp, require_op_body_ids
from unisim.dr.types import DomainRandomizationCapabilities, TensorResetRandomizationPayload, validate_tensor_reset_payload
from unisim.scene import SceneCfg

from ..batch import Batch
from ..model import Model
from ..rotations import quat_rotate
from .unisim_model import ModelFacts

#: UniSim's reset terms that are fields of a batch; of position actuators alone kp and kd mean there what they mean here.
_TERMS = {"gravity": "gravity", "body_mass": "mass", "body_ipos": "com", "dof_armature": "armature", "dof_damping": "damping"}
_GAINS = {"kp": "kp", "kd": "kd"}
#: Terms that are added to what the model says of the first body.
_DELTAS = {"base_mass_delta": "mass", "base_com_offset": "com"}
_INTERVAL = frozenset({INTERVAL_TERM_BODY_FORCE, INTERVAL_TERM_BODY_TORQUE, INTERVAL_TERM_PUSH})
#: What a caller reads between steps, beside q and v.
_SEEN = ("body_pose", "body_velocity", "sensors")


class MyriapodBackend(ModelFacts):
    """`num_envs` robots of a scene. sim_dt: the length of a step [s]. settings: of the batch, such as `threads=2`, `solver="bisection"`, `precision="f64"`.

    Tensors are torch's, on the processor. Controls are what the file calls so. A reset sets q and v, draws sensors anew, forgets contact impulses and lifts a
    quarantine; sensors and poses of the other robots stay as they were. A robot that fails stands still (`quarantined` says which) until it is reset. Forces
    on bodies act at the centre of mass for one call of `step_tensor`, world axes. Contacts are hard: geom_solref, geom_solimp do not act.
    Raises: NotImplementedError for parts of a scene that are not read here (fragments, terrain, entity assets, variants); what `Model` and `Batch` do."""

    backend_type = "myriapod"

    def __init__(self, scene: SceneCfg, num_envs: int = 1, sim_dt: float = 0.01, **settings: Any) -> None:
        for name in ("fragment_files", "terrain", "fixed_variant_plan", "entity_assets"):
            if getattr(scene, name):
                raise NotImplementedError(f"the scene has {name}, which the backend 'myriapod' does not read: give a whole file as model_file")
        if not scene.model_file:
            raise ValueError("the scene has no model_file")
        super().__init__(scene, Model(scene.model_file, keyframe=scene.default_keyframe_name))
        self._batch = Batch(self._model, num_envs, **{"task": "none", "dt": float(sim_dt), "decimation": 1, "sense": ("bodies",), **settings})
        self._time = np.zeros(num_envs)
        self._seen = tuple(field for field in _SEEN if field in self._batch.fields)
        self._read: dict[str, np.ndarray] = {}  # of these what was read since the last step
        self._force: np.ndarray | None = None  # (n, n_bodies, 6) at the centres of mass, for the next call
        gains = _GAINS if all(actuator.controls == "target" for actuator in self._model.actuators) else {}
        self._terms = {**_TERMS, **gains}
        self._play_capabilities = PlayCapabilities(supports_physics_state_playback=self._is_mjcf)

    # ---- what it is and can ------------------------------------------------------------------------------------------

    @property
    def num_envs(self) -> int:
        """Robots."""
        return self._batch.envs

    @property
    def batch(self) -> Batch:
        """The batch itself, for what UniSim has no word for: solvers' residuals, contacts, quarantine."""
        return self._batch

    @property
    def quarantined(self) -> np.ndarray:
        """(num_envs,) why a robot stands still, 0 of the healthy (`myr_quarantine`)."""
        return self._batch.get("quarantined").ravel()

    def get_tensor_execution(self) -> TensorExecution:
        """Steps run on the processor; tensors are copied."""
        return TensorExecution.HOST_BRIDGE

    def get_tensor_capabilities(self) -> TensorLifecycleCapabilities:
        """What of the tensor lifecycle there is."""
        return TensorLifecycleCapabilities(
            execution=TensorExecution.HOST_BRIDGE, data_plane=TensorDataPlane.HOST_BRIDGE, torch_devices=("cpu",),
            stream_event_ownership="none: calls return when the processor is done", state_views=True, state_fields=frozenset({"qpos", "qvel"}),
            sensor_views=True, stepping=True, selected_reset=True, reset_randomization=True, device_reset_randomization=True, host_pre_step_control=True,
            tracked_body_views=True, selected_reset_publication=SelectedResetPublication.AUTHORITATIVE_VIEWS, mask_selected_reset=True)

    def get_dr_capabilities(self) -> DomainRandomizationCapabilities:
        """Reset and interval terms, all of tensors on the processor."""
        return DomainRandomizationCapabilities(supported_reset_terms=frozenset({*self._terms, *_DELTAS}), supported_interval_terms=_INTERVAL)

    def get_reset_term_default(self, term: str) -> np.ndarray:
        """(num_envs, ...) as it is now; of base_mass_delta and base_com_offset what the model says, to which they are added."""
        if term in self._terms:
            return self._batch.get(self._terms[term])
        if term in _DELTAS:
            body = self._model.bodies[0]
            return np.array(body.mass if term == "base_mass_delta" else body.com)
        return super().get_reset_term_default(term)  # which raises

    def get_actuator_gains(self) -> tuple[np.ndarray, np.ndarray]:
        """kp [N m/rad | N/m] and kd (nu,) of the first robot."""
        return self._batch.get("kp", [0])[0], self._batch.get("kd", [0])[0]

    # ---- reading -----------------------------------------------------------------------------------------------------

    def _now(self, field: str) -> np.ndarray:
        """A field, as it was when it was last measured for each robot."""
        if field not in self._read:
            self._read[field] = self._batch.get(field, dtype=np.float32)
        return self._read[field]

    def get_state_views(self, fields: tuple[str, ...] | str | None = None, device: Any | None = None) -> Mapping[str, Any]:
        """Copies of qpos (num_envs, nq), qvel (num_envs, nv), float32."""
        wanted = ("qpos", "qvel") if fields is None else (fields,) if isinstance(fields, str) else tuple(fields)
        names = {"qpos": "q", "qvel": "v"}
        for name in wanted:
            if name not in names:
                raise KeyError(f"state view {name!r} is not one of qpos, qvel")
        return {name: _tensor(self._batch.get(names[name], dtype=np.float32), device) for name in wanted}

    def get_sensor_view(self, name: str, device: Any | None = None) -> Any:
        """(num_envs, width) of a sensor of the model, a copy."""
        return _tensor(self._now("sensors")[:, self._sensor(name).columns], device)

    def _bind_sensor_data_reader(self, names: tuple[str, ...]) -> Callable[[], np.ndarray]:
        columns = [self._sensor(name).columns for name in names]
        return lambda: np.concatenate([self._now("sensors")[:, column] for column in columns], axis=1)

    def get_tracked_body_views(self, body_names: Sequence[str] | None = None, device: Any | None = None) -> TrackedBodyStateViews:
        """Of moving bodies, world: origin [m], quaternion (w, x, y, z), velocity of the origin [m/s], angular velocity [rad/s]."""
        names = tuple(body.name for body in self._model.bodies) if body_names is None else tuple(body_names)
        ids = self.get_body_ids(names)
        pose, velocity = self._now("body_pose")[:, ids], self._now("body_velocity")[:, ids]
        parts = (pose[..., :3], pose[..., 3:], velocity[..., :3], velocity[..., 3:])
        return TrackedBodyStateViews(names, *(_tensor(part, device) for part in parts))

    # ---- stepping ----------------------------------------------------------------------------------------------------

    def step_tensor(self, ctrl: Any, nsteps: int = 1) -> dict[str, Any]:
        """So many steps of sim_dt with ctrl (num_envs, num_actuators), which is cut off at the file's ctrlrange."""
        begin = time.perf_counter()
        given = _floats(ctrl, "ctrl", (self.num_envs, self.num_actuators))
        if nsteps < 1:
            raise ValueError(f"nsteps is {nsteps}, but must be 1 or more")
        try:
            if self._pre_step_control_fn is None and self._force is None:
                self._advance(given, nsteps, None)
            else:  # what a call-back says, and where a centre of mass is, may change with every step
                for _ in range(nsteps):
                    out = self._converted(given)
                    self._advance(out.ctrl, 1, self._forces_of(out))
        finally:
            self._force = None
        return {"timing": {"step_ms": 1e3 * (time.perf_counter() - begin)}}

    def _advance(self, ctrl: np.ndarray, nsteps: int, forces: np.ndarray | None) -> None:
        self._batch.set("control", ctrl)
        if forces is not None:
            self._batch.set("wrench", self._at_origins(forces))
        self._batch.step(nsteps)
        self._read.clear()
        self._time += nsteps * float(self._batch.settings["dt"])
        if forces is not None:
            self._batch.set("wrench", 0.0)

    def _converted(self, ctrl: np.ndarray) -> PreStepControlOutput:
        self._pre_step_control_active = True
        try:
            return self._convert_pre_step_control(ctrl)
        finally:
            self._pre_step_control_active = False

    def _forces_of(self, out: PreStepControlOutput) -> np.ndarray:
        """Those that were staged, and the call-back's."""
        forces = self._no_forces() if self._force is None else self._force.copy()
        for part, given in enumerate((out.force, out.torque)):
            if given is not None:
                _add(forces, out.body_ids, part, given)
        return forces

    def _no_forces(self) -> np.ndarray:
        return np.zeros((self.num_envs, self._model.n_bodies, 6))

    def _at_origins(self, forces: np.ndarray) -> np.ndarray:
        """Forces at centres of mass as a batch has them, at the bodies' origins."""
        arm = quat_rotate(self._now("body_pose")[..., 3:].astype(float), self._batch.get("com", dtype=np.float64))
        moved = forces.copy()
        moved[..., 3:] += np.cross(arm, forces[..., :3])
        return moved

    def apply_body_force(self, body_ids: np.ndarray, force: np.ndarray, torque: np.ndarray | None = None) -> None:
        """(num_envs, len(body_ids), 3) at the centres of mass [N], [N m], world axes, for the next `step_tensor`; they add up until then."""
        self._reject_wrench_write_inside_pre_step_control("apply_body_force")
        ids = np.asarray(body_ids, np.intp).reshape(-1)
        if ids.size and not (0 <= ids.min() and ids.max() < self._model.n_bodies):
            raise ValueError(f"body_ids has {ids.tolist()}, but bodies have the numbers 0 to {self._model.n_bodies - 1}")
        staged = self._no_forces() if self._force is None else self._force
        for part, given in enumerate((force, torque)):
            if given is not None:
                values = np.asarray(given, float)
                if values.shape != (self.num_envs, ids.size, 3):
                    raise ValueError(f"{'force' if part == 0 else 'torque'} has shape {values.shape}, but must be {(self.num_envs, ids.size, 3)}")
                _add(staged, ids, part, values)
        self._force = staged

    def _interval_term_handlers(self) -> dict[str, Callable[[IntervalTermOp], None]]:
        def bodies(op: IntervalTermOp) -> np.ndarray:
            return np.asarray(require_op_body_ids(op))

        return {INTERVAL_TERM_BODY_FORCE: lambda op: self.apply_body_force(bodies(op), _array(op.payload)),
                INTERVAL_TERM_BODY_TORQUE: lambda op: self.apply_body_force(bodies(op), np.zeros(op.payload.shape), _array(op.payload)),
                INTERVAL_TERM_PUSH: lambda op: self.apply_body_force(np.array([0]), _array(getattr(op.payload, "push_force", op.payload))[:, None])}

    # ---- writing -----------------------------------------------------------------------------------------------------

    def set_state_tensor(self, env_indices: Any, qpos: Any, qvel: Any, randomization: TensorResetRandomizationPayload | None = None) -> dict[str, Any]:
        """Of the robots env_indices (n,) int64, all different: qpos (n, nq), qvel (n, nv), and parameters (n, ..)."""
        import torch

        begin = time.perf_counter()
        if not isinstance(env_indices, torch.Tensor) or env_indices.dtype != torch.int64 or env_indices.ndim != 1:
            raise TypeError("env_indices must be a torch.Tensor of int64, (n,)")
        ids = self._validate_env_ids(_array(env_indices))
        if len(np.unique(ids)) < len(ids):
            raise ValueError("env_indices names a robot twice")
        q, v = _floats(qpos, "qpos", (len(ids), self._model.nq)), _floats(qvel, "qvel", (len(ids), self._model.nv))
        self._host_set_state(ids, q, v, randomization)
        return {"timing": {"set_state_tensor_ms": 1e3 * (time.perf_counter() - begin)}}

    def set_state_tensor_mask(self, reset_mask: Any, qpos: Any, qvel: Any, randomization: TensorResetRandomizationPayload | None = None, *,
                              full_refresh: bool = False) -> dict[str, Any]:
        """`set_state_tensor` of the robots where reset_mask (num_envs,) of bool is true; all arrays have a row for each robot."""
        import torch

        if full_refresh:
            raise NotImplementedError("the backend 'myriapod' does not declare mask_selected_reset_full_refresh")
        if not isinstance(reset_mask, torch.Tensor) or reset_mask.dtype != torch.bool or tuple(reset_mask.shape) != (self.num_envs,):
            raise TypeError(f"reset_mask must be a torch.Tensor of bool, ({self.num_envs},)")
        for name, given, width in (("qpos", qpos, self._model.nq), ("qvel", qvel, self._model.nv)):
            _floats(given, name, (self.num_envs, width))
        rows = reset_mask.nonzero().flatten()
        if randomization is not None:
            tables = {name: getattr(randomization, name)[rows] for name in randomization.requested_terms()}
            randomization = TensorResetRandomizationPayload(**tables)
        return self.set_state_tensor(rows, qpos[rows], qvel[rows], randomization)

    def _host_set_state(self, env_indices: np.ndarray, qpos: np.ndarray, qvel: np.ndarray,
                        randomization: TensorResetRandomizationPayload | None = None) -> None:
        parameters = {} if randomization is None else self._parameters(randomization, len(env_indices))
        ids = np.ascontiguousarray(env_indices, np.int64)
        if not ids.size:
            return
        before = {field: self._now(field).copy() for field in self._seen}
        for field, values in parameters.items():
            self._batch.set(field, values, ids)
        self._batch.reset(ids)
        self._batch.set("q", np.ascontiguousarray(qpos), ids)
        self._batch.set("v", np.ascontiguousarray(qvel), ids)
        self._batch.refresh()  # which measures those that were not reset again, as if they were at rest: they keep what was seen
        self._time[ids] = 0.0
        for field, seen in before.items():
            seen[ids] = self._batch.get(field, ids, dtype=np.float32)
            self._read[field] = seen

    def _parameters(self, randomization: TensorResetRandomizationPayload, rows: int) -> dict[str, np.ndarray]:
        """What a payload sets, by fields of the batch."""
        validate_tensor_reset_payload(randomization, device="cpu", allowed_terms={*self._terms, *_DELTAS})
        found: dict[str, np.ndarray] = {}
        for term in randomization.requested_terms():
            values = _array(getattr(randomization, term))
            if term in self._terms:
                field, table = self._terms[term], values
            else:
                field = _DELTAS[term]
                table = np.tile(np.array([getattr(body, field) for body in self._model.bodies], float), (rows, *[1] * (1 if field == "mass" else 2)))
                table[:, 0] += values
            if field in found:
                raise ValueError(f"{term} and another term both set {field!r}: give one of them")
            wanted = (rows, *self._batch.shape(field)[1:])
            if table.shape != wanted:
                raise ValueError(f"{term} has shape {values.shape}, but must be {wanted}")
            found[field] = table
        return found

    # ---- snapshots ---------------------------------------------------------------------------------------------------

    def get_physics_state_layout(self) -> PhysicsStateLayout:
        """time, qpos, qvel."""
        return PhysicsStateLayout(self._model.nq, self._model.nv)

    def get_physics_state(self) -> np.ndarray:
        """(num_envs, 1 + nq + nv) float64: time since the reset [s], qpos, qvel."""
        return np.concatenate([self._time[:, None], self._batch.get("q", dtype=np.float64), self._batch.get("v", dtype=np.float64)], axis=1)

    def set_physics_state(self, state: np.ndarray) -> None:
        """What `get_physics_state` gave; contact impulses are forgotten."""
        parts = self.get_physics_state_layout().split_state(np.asarray(state, float))
        if len(parts.time) != self.num_envs:
            raise ValueError(f"state has {len(parts.time)} rows, but must have {self.num_envs}")
        self._host_set_state(np.arange(self.num_envs), parts.qpos, parts.qvel)
        self._time[:] = parts.time

    def get_playback_model(self, env_index: int | None = None) -> str:
        """The scene's MJCF. NotImplementedError: it is a URDF, of which MuJoCo has another state."""
        if not self._is_mjcf:
            raise NotImplementedError(f"{self._scene.model_file} is not an MJCF: MuJoCo would read another state from it")
        return self._scene.visual_model_file or str(self._model.file)

    def close(self) -> None:
        """Give the memory back."""
        self._batch.close()


def _add(forces: np.ndarray, bodies: np.ndarray, part: int, given: np.ndarray) -> None:
    """Forces (part 0) or torques (1) of bodies, one of which may be named twice."""
    for k, body in enumerate(bodies):
        forces[:, body, 3 * part : 3 * part + 3] += given[:, k]


def _tensor(array: np.ndarray, device: Any | None) -> Any:
    """A copy as a tensor on the processor."""
    import torch

    if device is not None:
        validate_torch_device(("cpu",), device)
    return torch.from_numpy(np.array(array, np.float32))


def _array(tensor: Any) -> np.ndarray:
    """Of a tensor. TypeError: it is something else, or lies elsewhere."""
    import torch

    if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu":
        raise TypeError(f"a torch.Tensor on the processor is wanted, not {getattr(tensor, 'device', type(tensor).__name__)}")
    return tensor.detach().numpy()


def _floats(tensor: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """A tensor of float32 as an array. ValueError: another shape, or a number that is not finite."""
    values = _array(tensor)
    if values.dtype != np.float32:
        raise TypeError(f"{name} is of {values.dtype}, but must be of float32")
    if values.shape != shape:
        raise ValueError(f"{name} has shape {values.shape}, but must be {shape}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has numbers that are not finite")
    return np.ascontiguousarray(values)
