"""The shapes of a robot: what its file draws, what of it collides, and stand-ins for bodies that have neither."""
from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np


from ..batch import Batch
from ..model import Model
from . import mjcf, primitives, turns, urdf
from .primitives import Mesh
from .urdf import Color

#: Colours of bodies for which the file names none, in turn.
PALETTE: tuple[Color, ...] = (
    (0.30, 0.33, 0.37, 1.0),
    (0.13, 0.47, 0.71, 1.0),
    (0.85, 0.37, 0.10, 1.0),
    (0.45, 0.58, 0.32, 1.0),
    (0.56, 0.42, 0.62, 1.0),
)
_ROOT = re.compile(r"(?:<!--.*?-->|<[?!][^>]*>|[^<])*<([A-Za-z]\w*)", re.DOTALL)  # after comments and declarations
AROUND = 10.0  #: radii of a robot: what of its world lies farther away may overlap that of a robot beside it
COLLISION_COLOR: Color = (0.20, 0.75, 0.45, 0.45)


@dataclass(frozen=True)
class Shape:
    """Triangles of one colour that move with one body, -1: the world."""

    body: int
    vertices: np.ndarray  #: (V, 3) [m] in the body's frame
    faces: np.ndarray  #: (F, 3)
    color: Color
    flat: bool = False  #: shade every triangle by itself
    geom: int = -1  #: which of the geoms that are fixed to the world, and goes where `Batch.world_at` puts that; -1: none of them


@dataclass
class Look:
    """All shapes of a robot."""

    shapes: list[Shape]  #: how it looks
    collision: list[Shape]  #: what can touch the ground, or each other
    height: float  #: of the robot as it stands [m]
    radius: float  #: of a circle on the ground that holds the standing robot [m]
    span: float  #: of one around it that holds the geoms of its world, too, but not more than AROUND radii [m]
    floor: float  #: height at which to draw the ground [m]: 0, but below robots that touch nothing
    places: np.ndarray  #: (n_world, 3) [m] where the model has its geoms that are fixed to the world
    warnings: list[str] = field(default_factory=list)  #: what is not drawn, one line each


def body_poses(batch: Batch, ids: np.ndarray | None = None) -> np.ndarray:
    """(n, n_bodies, 7) poses in the world after `q` was set. The batch needs sense=("bodies",)."""
    batch.refresh()
    return batch.get("body_pose", ids, dtype=np.float64)


def _moved(mesh: Mesh, position: np.ndarray, quaternion: np.ndarray) -> Mesh:
    return turns.rotate(quaternion, mesh[0]) + position, mesh[1]


def _rod(start: np.ndarray, end: np.ndarray, radius: float) -> Mesh:
    length = float(np.linalg.norm(end - start))
    if length < 1e-9:
        return _moved(primitives.sphere(radius), start, turns.IDENTITY)
    return _moved(primitives.capsule(radius, length / 2), (start + end) / 2, turns.from_z_to((end - start) / length))


def collision_shapes(model: Model) -> list[Shape]:
    """The model's own geoms."""
    shapes: list[Shape] = []
    fixed = 0
    for geom in model.geoms:
        if geom.type == "box":
            mesh = primitives.box(geom.size)
        elif geom.type == "capsule":
            mesh = primitives.capsule(*geom.size)
        elif geom.type == "cylinder":
            mesh = primitives.cylinder(*geom.size)
        elif geom.type == "hull":
            mesh = primitives.hull(np.array(geom.points))
        else:
            mesh = primitives.sphere(*geom.size)
        shapes.append(Shape(geom.body, *_moved(mesh, np.array(geom.position), np.array(geom.quaternion)), COLLISION_COLOR, geom=fixed if geom.body < 0 else -1))
        fixed += geom.body < 0
    return shapes


def _of_geoms(visual: list[Shape], collision: list[Shape]) -> list[Shape]:
    """The visual shapes of the world that lie where one of its geoms does, as that geom's: a file does not say which goes with which."""
    boxes = [(s.geom, np.array([s.vertices.min(0), s.vertices.max(0)])) for s in collision if s.geom >= 0]

    def geom(shape: Shape) -> int:
        own = np.array([shape.vertices.min(0), shape.vertices.max(0)])
        near = 1e-3 * float((own[1] - own[0]).max())
        return next((number for number, box in boxes if np.abs(own - box).max() <= near), -1)

    return [replace(s, geom=geom(s)) if s.body < 0 and len(s.vertices) else s for s in visual]


def _visuals(model: Model, warnings: list[str]) -> tuple[list[Shape], set[int]]:
    """What the file draws, nothing where there is no file; and the bodies of which it would draw more, but cannot."""
    try:
        text = model.description
        if text is None:
            return [], set()
        reader = mjcf.Description if _ROOT.match(text).group(1) == "mujoco" else urdf.Description  # type: ignore[union-attr]
        description = reader(text, model.file.parent if model.file else None, warnings.append)
    except (AttributeError, ValueError, OSError) as error:
        warnings.append(f"{model.name}: no visual shapes: {error}")
        return [], set()
    carriers: dict[str, tuple[int, tuple[np.ndarray, np.ndarray]]] = {}
    shapes = []
    for link, mesh, pose, color, flat in description.visuals:
        if link not in carriers:
            carriers[link] = description.on_body(link, model)
        body, carrier = carriers[link]
        position, quaternion = turns.compose(carrier, pose)
        shapes.append(Shape(body, *_moved(mesh, position, quaternion), color or PALETTE[max(body, 0) % len(PALETTE)], flat))
    return shapes, {description.on_body(link, model)[0] for link in description.lacking}


def _stand_ins(model: Model, bare: list[int], poses: np.ndarray, com: np.ndarray, thickness: float) -> list[Shape]:
    """Rods from a body's origin to its children's, else to twice its centre of mass [m, body frame], for bodies that nothing shows."""
    shapes = []
    for body in bare:
        position, back = poses[body, :3], turns.conjugate(poses[body, 3:])
        ends = [turns.rotate(back, poses[child, :3] - position) for child, joint in enumerate(model.joints) if joint.parent == body]
        for end in ends or [2.0 * com[body]]:
            shapes.append(Shape(body, *_rod(np.zeros(3), end, thickness), PALETTE[body % len(PALETTE)]))
    return shapes


def _merged(shapes: list[Shape]) -> list[Shape]:
    """One shape per body, or geom of the world, and colour: a browser draws few large things sooner than many small ones."""
    groups: dict[tuple[int, Color, bool, int], list[Shape]] = {}
    for shape in shapes:
        groups.setdefault((shape.body, shape.color, shape.flat, shape.geom), []).append(shape)
    return [Shape(body, *primitives.join([(s.vertices, s.faces) for s in group]), color, flat, geom) for (body, color, flat, geom), group in groups.items()]


def look_at(model: Model) -> Look:
    """How a model looks: its visual shapes; of links with one that cannot be drawn, what collides, else the box of their inertia; of bodies
    without visual shapes, and of an MJCF's with one that cannot be drawn, what collides; of bodies without either, rods to their children.

    Needs trimesh for mesh files. What cannot be drawn is in `warnings`."""
    warnings: list[str] = []
    (visual, lacking), collision = _visuals(model, warnings), collision_shapes(model)
    with Batch(model, 1, task="none", threads=1, sense=("bodies",)) as batch:
        batch.set("q", model.home[None])
        poses, com = body_poses(batch)[0], batch.get("com", dtype=np.float64)[0]
    drawn = {shape.body for shape in visual} - lacking
    visual = _of_geoms(visual, collision) + [replace(s, color=PALETTE[max(s.body, 0) % len(PALETTE)]) for s in collision if s.body not in drawn]
    drawn = {shape.body for shape in visual}
    bare = [body for body in range(model.n_bodies) if body not in drawn]
    reach = np.linalg.norm(poses[:, :3] - poses[:1, :3], axis=-1).max(initial=0.0) + np.linalg.norm(com, axis=-1).max(initial=0.0)
    visual += _stand_ins(model, bare, poses, com, max(0.02, 0.025 * float(reach)))
    moving = [s for s in visual if s.body >= 0]
    points = np.concatenate([turns.rotate(poses[s.body, 3:], s.vertices) + poses[s.body, :3] for s in moving] or [poses[:, :3]])
    radius = max(float(np.linalg.norm(points[:, :2] - poses[0, :2], axis=-1).max()), 0.1)
    around = max((float(np.linalg.norm(s.vertices[:, :2] - poses[0, :2], axis=-1).max()) for s in collision if s.geom >= 0), default=0.0)
    height = float(max(points[:, 2].max() - min(points[:, 2].min(), 0.0), 0.1))
    floor = 0.0 if model.n_slots else min(0.0, float(points[:, 2].min()) - 0.05 * height)
    places = np.array([geom.position for geom in model.geoms if geom.body < 0]).reshape(-1, 3)
    return Look(_merged(visual), _merged(collision), height, radius, max(radius, min(around, AROUND * radius)), floor, places, warnings)
