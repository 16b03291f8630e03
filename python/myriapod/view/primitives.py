"""Triangles of boxes, cylinders, spheres, capsules and convex hulls: (vertices (V, 3) [m], faces (F, 3)), z along the axis, centre at the origin.

Edges that shall look sharp have vertices of their own on either side, as the browser smooths over shared ones."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]
SEGMENTS = 28  #: of a circle


def join(meshes: list[Mesh]) -> Mesh:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(v) for v, _ in meshes)])
    return np.concatenate([v for v, _ in meshes]), np.concatenate([f + n for (_, f), n in zip(meshes, starts)])


def box(half: Sequence[float] | np.ndarray) -> Mesh:
    """Half extents (x, y, z)."""
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for sign in (-1.0, 1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = sign
            corners[:, u] = (-1, 1, 1, -1)
            corners[:, v] = (-1, -1, 1, 1)
            order = ((0, 1, 2), (0, 2, 3)) if sign > 0 else ((0, 2, 1), (0, 3, 2))
            faces.append(np.array(order) + 4 * len(vertices))
            vertices.append(corners * np.asarray(half))
    return np.concatenate(vertices), np.concatenate(faces)


def _lathe(radii: np.ndarray, heights: np.ndarray) -> Mesh:
    """A surface of revolution about z, smooth along its profile, which runs upwards with the outside to its right."""
    angle = np.linspace(0.0, 2.0 * np.pi, SEGMENTS, endpoint=False)
    rings = np.stack([np.outer(radii, np.cos(angle)), np.outer(radii, np.sin(angle)), np.repeat(heights[:, None], SEGMENTS, 1)], -1)
    row = np.arange(len(radii) - 1)[:, None] * SEGMENTS
    i, j = np.arange(SEGMENTS), (np.arange(SEGMENTS) + 1) % SEGMENTS
    a, b, c, d = row + i, row + j, row + SEGMENTS + j, row + SEGMENTS + i
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    vertices = rings.reshape(-1, 3)
    corner = vertices[faces]
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=-1)
    return vertices, faces[area > 0]  # at a pole half of them are lines


def cylinder(radius: float, half: float) -> Mesh:
    """Radius and half length."""
    side = _lathe(np.array([radius, radius]), np.array([-half, half]))
    bottom, top = _lathe(np.array([0.0, radius]), np.array([-half, -half])), _lathe(np.array([radius, 0.0]), np.array([half, half]))
    return join([side, bottom, top])


def cone(radius: float, length: float) -> Mesh:
    """From its base at z = 0 to its tip at z = length."""
    return join([_lathe(np.array([radius, 0.0]), np.array([0.0, length])), _lathe(np.array([0.0, radius]), np.zeros(2))])


def capsule(radius: float, half: float) -> Mesh:
    """Radius, half length of its cylinder."""
    turn = np.linspace(-np.pi / 2, np.pi / 2, SEGMENTS // 2 + 1)
    lower, upper = turn[turn <= 0], turn[turn >= 0]
    radii = radius * np.cos(np.concatenate([lower, upper]))
    heights = radius * np.sin(np.concatenate([lower, upper])) + np.concatenate([np.full(len(lower), -half), np.full(len(upper), half)])
    radii[[0, -1]] = 0.0
    return _lathe(radii, heights)


def sphere(radius: float) -> Mesh:
    """Radius."""
    turn = np.linspace(-np.pi / 2, np.pi / 2, SEGMENTS // 2 + 1)
    radii = radius * np.cos(turn)
    radii[[0, -1]] = 0.0
    return _lathe(radii, radius * np.sin(turn))


def octahedron(radius: float) -> Mesh:
    """Its corners lie so far from the centre along the axes."""
    corners = radius * np.concatenate([np.eye(3), -np.eye(3)])
    faces = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    return corners, np.array(faces)


def hull(corners: np.ndarray) -> Mesh:
    """The corners (n, 3) of a convex body, few enough to look at every three of them: those with all others on one side are a triangle of
    a face. A face of more than three corners is drawn more than once."""
    n, size = len(corners), float(np.ptp(corners, axis=0).max())
    i, j, k = np.array([(a, b, c) for a in range(n) for b in range(a + 1, n) for c in range(b + 1, n)]).T
    normal = np.cross(corners[j] - corners[i], corners[k] - corners[i])
    length = np.linalg.norm(normal, axis=-1)
    height = (normal @ corners.T - (normal * corners[i]).sum(-1)[:, None]) / np.maximum(length, 1e-30)[:, None]
    below, above = (height < 1e-9 * size).all(-1), (height > -1e-9 * size).all(-1)
    wide = length > 1e-12 * size**2
    faces = np.concatenate([np.stack([i, j, k], -1)[below & wide], np.stack([i, k, j], -1)[above & wide & ~below]])
    return corners[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3)  # sharp edges
