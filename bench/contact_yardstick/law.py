"""Coulomb's and Signorini's law, and how far impulses and velocities are from it: the yardstick for all engines and solvers. NumPy alone; no engine's code.

Contact triples are (x, y, z) with z the normal. With K the cone |l_T| <= mu l_N, K* its dual and w' = w + (0, 0, mu |w_T|) the law is

    K  contains  l   orthogonal to   w'   in K*

and a contact's distance from it is the largest of: the distance of l from K, the distance of w' from K*, |l . w'| over the larger of |l| and |w'|."""
from __future__ import annotations

import numpy as np


def from_cone(x: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Distance of triples (n, 3) from the cones |x_T| <= mu x_N, their axis the normal."""
    radius, height = np.hypot(x[:, 0], x[:, 1]), x[:, 2]
    outside = radius - mu * height
    edge = outside / np.sqrt(1 + mu * mu)  # from the edge's line; beyond the tip the tip is nearest
    return np.where(outside <= 0, 0.0, np.where(mu * radius + height <= 0, np.hypot(radius, height), edge))


def from_dual(x: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Distance of triples from the dual cones mu |x_T| <= x_N."""
    radius, height = np.hypot(x[:, 0], x[:, 1]), x[:, 2]
    outside = mu * radius - height
    edge = outside / np.sqrt(1 + mu * mu)
    return np.where(outside <= 0, 0.0, np.where(radius + mu * height <= 0, np.hypot(radius, height), edge))


def full(impulse: np.ndarray, velocity: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """How far each contact is from the full law, (n,)."""
    lifted = velocity + np.stack([np.zeros(len(mu)), np.zeros(len(mu)), mu * np.hypot(velocity[:, 0], velocity[:, 1])], axis=1)
    return _three(impulse, lifted, mu)


def convex(impulse: np.ndarray, velocity: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """The same without the lift: what convex engines solve. Sliding contacts then leave the ground."""
    return _three(impulse, velocity, mu)


def _three(impulse: np.ndarray, lifted: np.ndarray, mu: np.ndarray) -> np.ndarray:
    larger = np.maximum(np.linalg.norm(impulse, axis=1), np.linalg.norm(lifted, axis=1))
    product = np.abs(np.einsum("ij,ij->i", impulse, lifted)) / np.where(larger > 0, larger, 1)
    return np.maximum(np.maximum(from_cone(impulse, mu), from_dual(lifted, mu)), product)


def rows(impulse: np.ndarray, velocity: np.ndarray, stairs: np.ndarray) -> np.ndarray:
    """Distance of scalar rows (n,) from their staircases (n, 3) = f, lo, hi: inside lo < w < hi dry friction f, at an end a limit; the nearest of five
    pieces in the larger of |dl| and |dw|."""
    f, lo, hi = stairs.T
    below, above = lo < 0, hi > 0
    infinite = np.full_like(f, np.inf)
    # least and most impulse, least and most velocity, and whether the staircase has that piece
    pieces = [(-f, f, 0 * f, 0 * f, below & above),  # sticks
              (f, f, lo, np.minimum(0, hi), below),  # moves down
              (-f, -f, np.maximum(0, lo), hi, above),  # moves up
              (np.where(below, f, -f), infinite, lo, lo, np.isfinite(lo)),  # at the lower end
              (-infinite, np.where(above, -f, f), hi, hi, np.isfinite(hi))]  # at the upper end
    outside = lambda x, low, high: np.maximum(np.maximum(np.nan_to_num(low - x, nan=np.inf), np.nan_to_num(x - high, nan=np.inf)), 0)
    with np.errstate(invalid="ignore"):
        far = [np.where(there, np.maximum(outside(impulse, *ends[:2]), outside(velocity, *ends[2:])), np.inf) for *ends, there in pieces]
    return np.min(far, axis=0)


def axes(normal: np.ndarray) -> np.ndarray:
    """The axes of contacts (n, 3, 3), rows x, y, z = the normal (n, 3): x is the world's x along the contact plane, or its y where the normal lies along x."""
    other = np.where(np.abs(normal[:, :1]) > 0.9, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
    x = other - normal * np.sum(other * normal, axis=1, keepdims=True)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(normal, x), normal], axis=1)


def to_axes(vectors: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """World vectors (n, 3) in contact axes, z along the normals (n, 3)."""
    return np.einsum("nij,nj->ni", axes(normal), vectors)
