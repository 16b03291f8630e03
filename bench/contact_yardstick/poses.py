"""Rotations, and where the bodies of a scene are at the start. Quaternions are w x y z, unit."""
from __future__ import annotations

import numpy as np

from world import WORLD, Scene


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation b, then a."""
    w, x, y, z = a
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ np.asarray(b, float)


def conjugate(q: np.ndarray) -> np.ndarray:
    return np.asarray(q, float) * [1, -1, -1, -1]


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The vector v of the body's axes in the world's."""
    w, u, v = q[0], np.asarray(q[1:], float), np.asarray(v, float)
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def unit(q: np.ndarray) -> np.ndarray:
    return np.asarray(q, float) / np.linalg.norm(q)


def start(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Where body frames are at the start, (bodies, 3) and (bodies, 4); parents come before their children."""
    position, quaternion = np.zeros((len(scene.bodies), 3)), np.zeros((len(scene.bodies), 4))
    for i, body in enumerate(scene.bodies):
        position[i], quaternion[i] = body.position, unit(body.quaternion)
        if body.parent != WORLD:
            parent = scene.index(body.parent)
            if parent >= i:
                raise ValueError(f"scene {scene.name}: body {body.name} comes before its parent {body.parent}")
            position[i] = position[parent] + rotate(quaternion[parent], body.position)
            quaternion[i] = multiply(quaternion[parent], quaternion[i])
    return position, quaternion


def about_axis(body) -> float:
    """What a joint moves of its own body: mass of a slide [kg], moment of inertia about a hinge's axis [kg m^2]."""
    axis = np.asarray(body.joint.axis, float) / np.linalg.norm(body.joint.axis)
    if body.joint.kind == "slide":
        return body.mass
    return float(axis * axis @ np.asarray(body.inertia)) + body.mass * float(np.sum(np.cross(axis, body.com) ** 2))
