"""Scenes in Myriapod. One robot is watched; the time of a step is that of many, side by side in lanes, on one core."""
from __future__ import annotations

import time
import warnings

import law
import mjcf
import numpy as np
import poses
from track import Contacts, Track, relative_velocity
from world import Scene

try:
    import myriapod
except ImportError:
    myriapod = None

NAME = "Myriapod"
VARIANTS = {
    "Myriapod, its defaults (hybrid, float)": {},
    "Myriapod, double": {"precision": "f64"},
    "Myriapod, tolerance 1e-7, float": {"tolerance": 1e-7},
    "Myriapod, tolerance 1e-7, double": {"precision": "f64", "tolerance": 1e-7},
    "Myriapod, nsgs, double": {"precision": "f64", "solver": "nsgs"},
    "Myriapod, admm-ncp, double": {"precision": "f64", "solver": "admm-ncp"},
    "Myriapod, bisection (Hwangbo's law), double": {"precision": "f64", "solver": "bisection"},
    "Myriapod, admm-ccp (convex), double": {"precision": "f64", "solver": "admm-ccp"},
}
MAIN = tuple(VARIANTS)[:4]
READS_MJCF = True
MANY = 256  #: robots of the timed run: sixteen tiles of floats


def available() -> str:
    return "" if myriapod else "not built: the Python package myriapod"


def version() -> str:
    return f"Myriapod {myriapod.__version__}"


def cannot(scene: Scene, variant: str = "") -> str:
    return ""


def _start(scene: Scene, variant: str, dt: float, envs: int, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", myriapod.ModelWarning)
        model = myriapod.Model.from_text(mjcf.text(scene))
    settings = {"dt": dt, "threads": 1, "task": "none", "restitution": scene.restitution, **VARIANTS[variant], **more}
    batch = myriapod.Batch(model, envs, **settings)
    if scene.file:
        batch.control = np.tile(scene.control, (envs, 1))
    v = np.zeros((envs, model.nv))
    for first, numbers in mjcf.start_velocity(scene, lambda name: model.joint(name).v):
        v[:, first : first + len(numbers)] = numbers
    batch.v = v
    batch.refresh()
    return model, batch


class _Slots:
    """Which bodies of the scene each contact slot is of; what is fixed counts as the ground."""

    def __init__(self, scene: Scene, model) -> None:
        number = [scene.index(body.name) for body in model.bodies]
        self.first = np.array([number[slot.body] if slot.body >= 0 else -1 for slot in model.slots], int)
        self.second = np.array([number[slot.other_body] if slot.other_body >= 0 else -1 for slot in model.slots], int)

    def contacts(self, batch, origin: np.ndarray, velocity: np.ndarray) -> Contacts:
        normal = batch.contact_normal[0].astype(float).reshape(-1, 3)
        there = np.flatnonzero(np.any(normal != 0, axis=1))
        normal = normal[there]
        axes = law.axes(normal)
        impulse = np.einsum("nk,nkj->nj", batch.impulse[0].astype(float).reshape(-1, 3)[there], axes)
        seen = Contacts(self.first[there], self.second[there], batch.contact_point[0].astype(float).reshape(-1, 3)[there], normal, impulse,
                        batch.contact_depth[0].astype(float).reshape(-1)[there])
        seen.velocity = relative_velocity(seen, origin, velocity)
        return seen


def run(scene: Scene, variant: str, dt: float, frames: int = 600) -> Track:
    model, batch = _start(scene, variant, dt, 1, sense_contacts=1, sense_bodies=1)
    slots, n = _Slots(scene, model), len(scene.bodies)
    steps = round(scene.seconds / dt)
    every = max(1, steps // frames)
    shape = steps // every + 1
    track = Track(dt, every, *(np.zeros((shape, n, k)) for k in (3, 4, 6)), np.full((shape, n, 2), np.nan), [])
    single = [joint for joint in model.joints if joint.nq == 1]
    moving = [scene.index(body.name) for body in model.bodies]
    track.position[:], track.quaternion[:] = poses.start(scene)  # of those that are fixed

    def see(frame: int) -> None:
        pose, velocity = batch.body_pose[0].reshape(-1, 7), batch.body_velocity[0].reshape(-1, 6)
        track.position[frame, moving], track.quaternion[frame, moving], track.velocity[frame, moving] = pose[:, :3], pose[:, 3:], velocity
        for joint in single:
            track.joint[frame, scene.index(joint.body)] = batch.q[0, joint.q], batch.v[0, joint.v]

    see(0)
    for frame in range(1, shape):
        if every > 1:
            batch.step(every - 1)
        origin = track.position[frame].copy()
        origin[moving] = batch.body_pose[0].reshape(-1, 7)[:, :3]
        batch.step()
        see(frame)
        track.contacts.append(slots.contacts(batch, origin, track.velocity[frame]))
    stats = batch.stats()
    track.iterations = stats.iterations_mean
    left = stats.not_converged / max(1, stats.active_steps)
    track.note = " ".join([f"{100 * left:.3g} % of the solves did not converge"] * (left > 0) + ["it was stopped: " + myriapod.quarantine_text(int(batch.quarantined[0]))] * stats.quarantined)
    track.ns_per_step, track.ns_alone = _timed(scene, variant, dt, steps, MANY), _timed(scene, variant, dt, steps, 1)
    return track


def _timed(scene: Scene, variant: str, dt: float, steps: int, envs: int) -> float:
    """A robot's step on one core, without anybody looking: about 0.15 s of it."""
    batch = _start(scene, variant, dt, envs)[1]
    batch.step(min(steps, 100))
    done, began = 0, time.perf_counter()
    while done < steps and time.perf_counter() - began < 0.15:
        batch.step(100)
        done += 100
    return 1e9 * (time.perf_counter() - began) / (done * envs)
