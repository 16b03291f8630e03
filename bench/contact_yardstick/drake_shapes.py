"""The shapes of a scene in Drake's point contact, with the points that faces and lines stand on, and the filter of pairs.

Two shapes have one point. A box also gets its eight corners for the ground, and for boxes three points near each corner, one on each face: a corner that
lies on another box's edge would have no face nearest. A capsule gets its two ends as spheres, a cylinder RIM points on each rim."""
from __future__ import annotations

import itertools

import numpy as np
import pydrake.common.eigen_geometry
import pydrake.geometry as geometry
import pydrake.math
import pydrake.multibody.plant

import poses
import recorder
from world import Scene

RIM = 8  #: points on each rim of a cylinder
INSET = 0.99  #: where points for other boxes lie, along the edges of a face


def surface(scene: Scene, stiffness: float | None, relaxation: float | None):
    """None for the plant's own."""
    said = geometry.ProximityProperties()
    friction = pydrake.multibody.plant.CoulombFriction(scene.friction, scene.friction)
    geometry.AddContactMaterial(said, point_stiffness=stiffness, friction=friction)
    if relaxation is not None:
        said.AddProperty("material", "relaxation_time", relaxation)
    return said


def points(geom) -> dict[str, list[tuple[np.ndarray, float]]]:
    """Points of a shape in its own axes with radii: "ground" for the ground, "box" for boxes of other bodies."""
    if geom.kind == "box":
        half = np.asarray(geom.size, float)
        corners = [half * sign for sign in itertools.product((-1, 1), repeat=3)]
        inner = [corner * np.where(np.arange(3) == axis, 1, INSET) for corner in corners for axis in range(3)]
        return {"ground": [(p, 0.0) for p in corners], "box": [(p, 0.0) for p in inner]}
    if geom.kind == "capsule":
        ends = [(np.array([0, 0, z * geom.size[1]]), geom.size[0]) for z in (-1, 1)]
        return {"ground": ends, "box": ends}
    if geom.kind == "cylinder":
        angles = 2 * np.pi * np.arange(RIM) / RIM
        rims = [(np.array([geom.size[0] * np.cos(a), geom.size[0] * np.sin(a), z * geom.size[1]]), 0.0) for z in (-1, 1) for a in angles]
        return {"ground": rims, "box": rims}
    return {"ground": [], "box": []}


def shape(geom):
    kinds = {"sphere": lambda r: geometry.Sphere(r), "box": lambda x, y, z: geometry.Box(2 * x, 2 * y, 2 * z), "capsule": lambda r, h: geometry.Capsule(r, 2 * h),
             "cylinder": lambda r, h: geometry.Cylinder(r, 2 * h)}
    return kinds[geom.kind](*(float(x) for x in geom.size))


def _pose(position, quaternion):
    return pydrake.math.RigidTransform(pydrake.common.eigen_geometry.Quaternion(np.asarray(quaternion, float)), np.asarray(position, float))


def register(plant, graph, scene: Scene, bodies: list, said) -> None:
    """Adds shapes and points, then lets touch what the scene names, and nothing else."""
    pairs = recorder.Pairs(scene)
    ids: list[dict[str, list]] = []  # of each body: "own", "boxes", "ground" and "box" as points() has them
    touching = {i for pair in pairs for i in pair}
    for i, (body, made) in enumerate(zip(scene.bodies, bodies)):
        mine = {"whole": [], "own": [], "boxes": [], "ground": [], "box": []}
        for k, geom in enumerate(body.geoms if i in touching else ()):
            turned = poses.unit(geom.quaternion)
            new = plant.RegisterCollisionGeometry(made, _pose(geom.position, turned), shape(geom), f"{body.name} {k}", said)
            mine["own"].append(new)
            if geom.kind == "box":
                mine["boxes"].append(new)
            if geom.kind in ("sphere", "cylinder"):  # corners and ends are all that a plane can meet of the others
                mine["whole"].append(new)
            for role, each in points(geom).items():
                for n, (at, radius) in enumerate(each):
                    where = _pose(np.asarray(geom.position) + poses.rotate(turned, at), turned)
                    mine[role].append(plant.RegisterCollisionGeometry(made, where, geometry.Sphere(radius), f"{body.name} {k} {role} {n}", said))
        ids.append(mine)
    every = [new for mine in ids for role in ("own", "ground", "box") for new in mine[role]]
    ground = None
    if pairs.ground():
        ground = plant.RegisterCollisionGeometry(plant.world_body(), pydrake.math.RigidTransform(), geometry.HalfSpace(), "ground", said)
        every.append(ground)
    filters, Set = graph.collision_filter_manager(), geometry.GeometrySet
    declared = geometry.CollisionFilterDeclaration()
    filters.Apply(declared.ExcludeWithin(Set(every)))
    allow = geometry.CollisionFilterDeclaration()
    for a, b in pairs:
        meet = [(ids[a]["whole"] + ids[a]["ground"], [ground])] if b < 0 else [
            (ids[a]["own"], ids[b]["own"]), (ids[a]["box"], ids[b]["boxes"]), (ids[a]["boxes"], ids[b]["box"])]
        for first, second in meet:
            if first and second:
                allow.AllowBetween(Set(first), Set(second))
    filters.Apply(allow)
