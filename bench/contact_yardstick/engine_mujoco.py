"""Scenes in MuJoCo of the package index: elliptic and pyramidal cones, with and without its noslip pass."""
from __future__ import annotations

import time

import mjcf
import numpy as np
from track import Contacts, Track
from world import Scene

try:
    import mujoco
except ImportError:
    mujoco = None

NAME = "MuJoCo"
# Its own defaults but for what the row says. Newton is its default solver, Euler its default integrator.
VARIANTS = {
    "MuJoCo, its defaults (pyramidal)": {},
    "MuJoCo, elliptic": {"cone": "elliptic"},
    "MuJoCo, elliptic, impratio 10": {"cone": "elliptic", "impratio": "10"},
    "MuJoCo, elliptic, impratio 100": {"cone": "elliptic", "impratio": "100"},
    "MuJoCo, elliptic, impratio 10, noslip 10": {"cone": "elliptic", "impratio": "10", "noslip_iterations": "10"},
    "MuJoCo, pyramidal, noslip 10": {"noslip_iterations": "10"},
}
MAIN = ("MuJoCo, its defaults (pyramidal)", "MuJoCo, elliptic", "MuJoCo, elliptic, impratio 10", "MuJoCo, elliptic, impratio 10, noslip 10")
READS_MJCF = True
# What bounces is said by a spring of each pair, stiff and without a damper. Its own words for it: solref of two negative numbers.
BOUNCE = 'solref="-1000000 0" solimp="0.999 0.999 0.001"'


def available() -> str:
    return "" if mujoco else "not installed: mujoco"


def version() -> str:
    return f"MuJoCo {mujoco.__version__}"


def cannot(scene: Scene, variant: str = "") -> str:
    if scene.restitution not in (0, 1):
        return "no coefficient of restitution; only a spring without a damper"
    return ""


def _start(scene: Scene, variant: str, dt: float):
    model = mujoco.MjModel.from_xml_string(mjcf.text(scene, {"timestep": repr(dt), **VARIANTS[variant]}, BOUNCE if scene.restitution else ""))
    data = mujoco.MjData(model)
    if scene.file:
        mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    for first, numbers in mjcf.start_velocity(scene, lambda name: model.jnt_dofadr[model.joint(name).id]):
        data.qvel[first : first + len(numbers)] = numbers
    return model, data


def _contacts(model, data, owner: np.ndarray, dt: float) -> Contacts:
    """Of the step that was just made. Its normals point from geom 1 into geom 2."""
    n = data.ncon
    force, jacobian = np.zeros(6), [np.zeros((3, model.nv)), np.zeros((3, model.nv))]
    first, second, impulse, velocity = np.zeros(n, int), np.zeros(n, int), np.zeros((n, 3)), np.zeros((n, 3))
    frames = data.contact.frame.reshape(n, 3, 3).copy()
    points, depth = data.contact.pos.copy(), -data.contact.dist
    for k in range(n):
        bodies = [model.geom_bodyid[g] for g in (data.contact.geom[k][1], data.contact.geom[k][0])]
        mujoco.mj_contactForce(model, data, k, force)
        impulse[k] = dt * (frames[k].T @ force[:3])
        first[k], second[k] = owner[bodies[0]], owner[bodies[1]]
        for body, j in zip(bodies, jacobian):
            mujoco.mj_jac(model, data, j, None, points[k], body)
        velocity[k] = (jacobian[0] - jacobian[1]) @ data.qvel  # where the step began, with the velocity that it ended with: the discrete law
    return Contacts(first, second, points, frames[:, 0], impulse, depth, velocity)


def run(scene: Scene, variant: str, dt: float, frames: int = 600) -> Track:
    model, data = _start(scene, variant, dt)
    steps = round(scene.seconds / dt)
    every = max(1, steps // frames)
    ids = [model.body(body.name).id for body in scene.bodies]
    owner = np.full(model.nbody, -1)
    owner[ids] = np.arange(len(ids))
    look = mujoco.MjData(model)
    track = Track(dt, every, *(np.zeros((steps // every + 1, len(ids), k)) for k in (3, 4, 6)), np.full((steps // every + 1, len(ids), 2), np.nan), [])
    iterations = 0

    def see(frame: int) -> None:
        look.qpos, look.qvel = data.qpos, data.qvel
        mujoco.mj_fwdPosition(model, look)
        mujoco.mj_fwdVelocity(model, look)
        track.position[frame], track.quaternion[frame] = look.xpos[ids], look.xquat[ids]
        six = np.zeros(6)
        for k, body in enumerate(ids):
            mujoco.mj_objectVelocity(model, look, mujoco.mjtObj.mjOBJ_XBODY, body, six, 0)  # angular, then linear, world axes
            track.velocity[frame, k] = six[3:].tolist() + six[:3].tolist()
            if scene.bodies[k].joint.kind in ("slide", "hinge"):
                joint = model.body_jntadr[body]
                track.joint[frame, k] = data.qpos[model.jnt_qposadr[joint]], data.qvel[model.jnt_dofadr[joint]]

    see(0)
    for frame in range(1, len(track.position)):
        mujoco.mj_step(model, data, every)
        iterations += data.solver_niter[0]
        track.contacts.append(_contacts(model, data, owner, dt))
        see(frame)
    track.iterations = iterations / max(1, len(track.contacts))
    if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
        track.note = "its state was not finite, and it began anew"
    track.ns_per_step = _timed(scene, variant, dt, steps)
    return track


def _timed(scene: Scene, variant: str, dt: float, steps: int) -> float:
    """Without anybody looking: about 0.15 s of it."""
    model, data = _start(scene, variant, dt)
    mujoco.mj_step(model, data, min(steps, 100))
    done, began = 0, time.perf_counter()
    while done < steps and time.perf_counter() - began < 0.15:
        mujoco.mj_step(model, data, 100)
        done += 100
    return 1e9 * (time.perf_counter() - began) / done
