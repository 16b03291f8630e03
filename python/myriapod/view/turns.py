"""Quaternions (w, x, y, z) and poses in NumPy, for drawing. Arrays of them broadcast as usual; a pose is (position (..., 3), quaternion)."""
from __future__ import annotations

import numpy as np

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion product (..., 4): the turn b, then the turn a."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b), -1, 0)
    parts = (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
    return np.stack(parts, axis=-1)


def rotate(q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) turned by unit quaternions (..., 4)."""
    q, x = np.asarray(q), np.asarray(x)
    w, v = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(v, x)
    return x + w * t + np.cross(v, t)


def conjugate(q: np.ndarray) -> np.ndarray:
    """The turn back."""
    return np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0])


def from_rpy(rpy: np.ndarray) -> np.ndarray:
    """URDF's roll, pitch, yaw [rad] about fixed x, then y, then z."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(np.asarray(rpy) / 2), np.sin(np.asarray(rpy) / 2)
    return np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )


def from_z_to(direction: np.ndarray) -> np.ndarray:
    """The shortest turns (..., 4) that take the z axis to unit vectors (..., 3); for -z a half turn about x."""
    d = np.asarray(direction, dtype=np.float64)
    q = np.stack([1.0 + d[..., 2], -d[..., 1], d[..., 0], np.zeros(d.shape[:-1])], axis=-1)
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(norm > 1e-6, q / np.maximum(norm, 1e-12), np.array([0.0, 1.0, 0.0, 0.0]))


def from_x_to(direction: np.ndarray) -> np.ndarray:
    """A turn (4,) that takes the x axis to a unit vector (3,)."""
    to_z = np.array([np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0])  # x to z
    return multiply(from_z_to(direction), to_z)


def compose(outer: tuple[np.ndarray, np.ndarray], inner: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The pose `inner`, given in the frame `outer`, seen from where `outer` is seen from."""
    return outer[0] + rotate(outer[1], inner[0]), multiply(outer[1], inner[1])
