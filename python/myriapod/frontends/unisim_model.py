"""What UniSim asks of a model: names, numbers and limits of joints, bodies, actuators, sensors."""
from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
from unisim.backend.base import PublicStateWidths, RootStateLayout, SensorDescriptor, SimBackend
from unisim.scene import SceneCfg

from ..model import Model
from ..parts import Joint
from ..sensors import Sensor


class ModelFacts(SimBackend):
    """Bodies are the moving ones, numbered from 0 without the world; what is fixed to one is a part of it. `dof` is what stands behind the floating base,
    where the first joint is one."""

    def __init__(self, scene: SceneCfg, model: Model) -> None:
        self._scene, self._model = scene, model
        joints = model.joints
        base = joints[0] if joints and joints[0].type == "free" else None
        self._base_q, self._base_v = (base.nq, base.nv) if base else (0, 0)
        self._joints = joints[1:] if base else joints
        self._sensors = {sensor.name: sensor for sensor in model.sensors}
        self._is_mjcf = ElementTree.fromstring(model.description or "<none/>").tag == "mujoco"

    @property
    def model(self) -> Model:
        """Myriapod's model."""
        return self._model

    @property
    def num_actuators(self) -> int:
        """Actuators."""
        return self._model.nu

    @property
    def num_dof_vel(self) -> int:
        """Velocities behind the floating base."""
        return self._model.nv - self._base_v

    def get_public_state_widths(self) -> PublicStateWidths:
        """nq, nv."""
        return PublicStateWidths(self._model.nq, self._model.nv)

    def get_scene_model_file(self) -> str | None:
        """The file."""
        return self._scene.model_file

    def get_scene_visual_model_file(self) -> str | None:
        """The file to look at, where the scene has another one."""
        return self._scene.visual_model_file

    # ---- poses -------------------------------------------------------------------------------------------------------

    def get_keyframe_qpos(self, name: str) -> np.ndarray:
        """(nq,) of a keyframe of the file. ValueError: there is none of this name."""
        if name not in self._model.keyframes:
            raise ValueError(f"{self._scene.model_file} has no keyframe {name!r}; there are: {', '.join(self._model.keyframes) or 'none'}")
        return self._model.keyframes[name]

    def get_default_qpos(self) -> np.ndarray:
        """(nq,) the scene's keyframe, else how the robot stands."""
        return self._model.home

    def get_default_dof_pos(self) -> np.ndarray:
        """The same behind the floating base."""
        return self._model.home[self._base_q :]

    def get_init_qvel(self) -> np.ndarray:
        """(nv,) zeros."""
        return np.zeros(self._model.nv)

    # ---- joints and actuators ----------------------------------------------------------------------------------------

    def get_actuator_ctrl_range(self) -> np.ndarray:
        """(nu, 2)."""
        return np.array([(a.control_lower, a.control_upper) for a in self._model.actuators]).reshape(-1, 2)

    def get_actuator_names(self) -> tuple[str, ...]:
        """In the order of controls."""
        return tuple(actuator.name for actuator in self._model.actuators)

    def get_actuator_joint_names(self) -> tuple[str, ...]:
        """The joint that each drives. NotImplementedError: one drives several, or another thing than a hinge or a slider."""
        joints, names = self._model.joints, []
        for actuator in self._model.actuators:
            if len(actuator.joints) != 1 or joints[actuator.joints[0]].nv != 1:
                raise NotImplementedError(f"actuator {actuator.name!r} does not drive just one hinge or slider")
            names.append(joints[actuator.joints[0]].name)
        return tuple(names)

    def _scalar(self, name: str) -> Joint:
        """The hinge or slider of this name. ValueError: there is none."""
        for joint in self._joints:
            if joint.name == name and joint.nv == 1:
                return joint
        raise ValueError(f"{self._scene.model_file} has no hinge or slider {name!r}")

    def get_joint_range(self, *, names: Sequence[str] | None = None) -> np.ndarray:
        """(n, 2) limits [rad | m] of the joints of these names, or of all velocities behind the floating base; infinite where there is none."""
        joints = self._joints if names is None else [self._scalar(name) for name in names]
        limited = [(j.lower, j.upper) if j.nv == 1 and j.lower <= j.upper else (-np.inf, np.inf) for j in joints for _ in range(j.nv)]
        return np.array(limited).reshape(-1, 2)

    def get_joint_state_qpos_indices(self, names: Sequence[str]) -> np.ndarray:
        """(n,) in qpos."""
        return np.array([self._scalar(name).q for name in names], np.int32)

    def get_joint_state_qvel_indices(self, names: Sequence[str]) -> np.ndarray:
        """(n,) in qvel."""
        return np.array([self._scalar(name).v for name in names], np.int32)

    def get_joint_dof_indices(self, names: Sequence[str]) -> np.ndarray:
        """(n,) in qvel."""
        return self.get_joint_state_qvel_indices(names)

    def get_joint_dof_pos_indices(self, names: Sequence[str]) -> np.ndarray:
        """(n,) in qpos behind the floating base."""
        return self.get_joint_state_qpos_indices(names) - np.int32(self._base_q)

    def get_joint_dof_vel_indices(self, names: Sequence[str]) -> np.ndarray:
        """(n,) in qvel behind the floating base."""
        return self.get_joint_state_qvel_indices(names) - np.int32(self._base_v)

    def get_root_state_layout(self, root_body_name: str) -> RootStateLayout:
        """Columns of the free joint of a body. ValueError: there is none."""
        for joint in self._model.joints:
            if joint.body == root_body_name and joint.type == "free":
                return RootStateLayout(tuple(range(joint.q, joint.q + 7)), tuple(range(joint.v, joint.v + 6)))
        raise ValueError(f"{self._scene.model_file} has no floating body {root_body_name!r}")

    def get_dof_damping(self) -> np.ndarray:
        """(nv,) [N m s/rad | N s/m]."""
        return np.array([joint.damping for joint in self._model.joints for _ in range(joint.nv)])

    def get_dof_armature(self) -> np.ndarray:
        """(nv,) [kg m^2 | kg]."""
        return np.array([joint.armature for joint in self._model.joints for _ in range(joint.nv)])

    def get_dof_frictionloss(self) -> np.ndarray:
        """(nv,) [N m | N]."""
        return np.array([joint.dry_friction for joint in self._model.joints for _ in range(joint.nv)])

    # ---- bodies ------------------------------------------------------------------------------------------------------

    def get_body_ids(self, names: Sequence[str]) -> np.ndarray:
        """(n,) int32. ValueError: no moving body has the name."""
        here = {body.name: body.index for body in self._model.bodies}
        for name in names:
            if name not in here:
                raise ValueError(f"{self._scene.model_file} has no moving body {name!r}")
        return np.array([here[name] for name in names], np.int32)

    def get_body_mass(self) -> np.ndarray:
        """(n_bodies,) [kg]."""
        return np.array([body.mass for body in self._model.bodies])

    def get_body_ipos(self, env_ids: Sequence[int] | np.ndarray | None = None) -> np.ndarray:
        """(n_bodies, 3) centres of mass [m] in the bodies' frames; with env_ids those of these robots as they are now, (n, n_bodies, 3)."""
        if env_ids is not None:
            return self.get_reset_term_default("body_ipos")[self._validate_env_ids(env_ids)]
        return np.array([body.com for body in self._model.bodies])

    def get_gravity(self) -> np.ndarray:
        """(3,) [m/s^2]."""
        return self._model.gravity

    # ---- sensors -----------------------------------------------------------------------------------------------------

    def _sensor(self, name: str) -> Sensor:
        if name not in self._sensors:
            raise KeyError(f"{self._scene.model_file} has no sensor {name!r}; there are: {', '.join(self._sensors) or 'none'}")
        return self._sensors[name]

    def get_sensor_names(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self._sensors)

    def get_sensor_inventory(self) -> tuple[SensorDescriptor, ...]:
        """Names and widths."""
        return tuple(SensorDescriptor(name, int(np.prod(sensor.shape))) for name, sensor in self._sensors.items())
