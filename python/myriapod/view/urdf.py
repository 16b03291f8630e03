"""What a URDF says for the eye: <visual> shapes, their colours, mesh files. The library leaves these out; it is asked which links move.

Unlike the library's reader this one forgives: what cannot be drawn is a warning, and the robot is drawn without it."""
from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..model import Model
from . import primitives, turns
from .primitives import Mesh

Color = tuple[float, float, float, float]  # red, green, blue, opacity, 0..1
Pose = tuple[np.ndarray, np.ndarray]
Visual = tuple[str, Mesh, Pose, Color | None, bool]  # link, mesh, pose in the link's frame, colour, flat shading


def _numbers(text: str | None, count: int, default: list[float]) -> np.ndarray:
    values = np.array([float(word) for word in text.split()]) if text is not None else np.array(default, dtype=float)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise ValueError(f"{text!r} are not {count} numbers")
    return values


def _pose(element: ET.Element | None) -> Pose:
    if element is None:
        return np.zeros(3), turns.IDENTITY
    return _numbers(element.get("xyz"), 3, [0, 0, 0]), turns.from_rpy(_numbers(element.get("rpy"), 3, [0, 0, 0]))


def _color(material: ET.Element | None) -> Color | None:
    found = material.find("color") if material is not None else None
    return tuple(np.clip(_numbers(found.get("rgba"), 4, [0.7, 0.7, 0.7, 1]), 0, 1)) if found is not None else None


def find_mesh(name: str, folder: Path | None) -> Path | None:
    """The file of a mesh: `package://NAME/rest` in $ROS_PACKAGE_PATH and above the URDF's folder, else a path, relative to that folder."""
    start = folder if folder is not None else Path.cwd()
    if not name.startswith("package://"):
        path = Path(name.removeprefix("file://"))
        path = path if path.is_absolute() else start / path
        return path if os.path.isfile(path) else None
    package, _, rest = name.removeprefix("package://").partition("/")
    listed = [Path(p) for p in os.environ.get("ROS_PACKAGE_PATH", "").split(":") if p]
    above = [start, *start.parents]
    for place in [*(p / package for p in listed), *(p for p in listed if p.name == package), *(p / package for p in above), *above]:
        if os.path.isfile(place / rest):
            return place / rest
    return None


def load_mesh(path: Path, scale: np.ndarray) -> Mesh:
    """Triangles of a mesh file. ValueError with the reason where there are none."""
    import trimesh

    try:
        mesh = trimesh.load(path, force="mesh")
        vertices, faces = np.asarray(mesh.vertices, dtype=float) * scale, np.asarray(mesh.faces)
    except Exception as error:  # trimesh's readers raise whatever their formats' libraries do
        raise ValueError(f"{type(error).__name__}: {error}") from None
    if not len(faces) or not np.isfinite(vertices).all():
        raise ValueError("it holds no triangles")
    return vertices, faces if np.prod(scale) > 0 else faces[:, ::-1]


def _shape(geometry: ET.Element, folder: Path | None) -> tuple[Mesh, bool]:
    """The mesh of a <geometry>, and whether it wants flat shading. ValueError says what is wrong."""
    for kind in geometry:
        if kind.tag == "box":
            return primitives.box(_numbers(kind.get("size"), 3, []) / 2), False
        if kind.tag == "sphere":
            return primitives.sphere(float(kind.get("radius", "nan"))), False
        if kind.tag in ("cylinder", "capsule"):
            make = primitives.cylinder if kind.tag == "cylinder" else primitives.capsule
            return make(float(kind.get("radius", "nan")), float(kind.get("length", "nan")) / 2), False
        if kind.tag == "mesh":
            name = kind.get("filename", "")
            path = find_mesh(name, folder)
            if path is None:
                raise ValueError(f"mesh `{name}` is not there")
            try:
                return load_mesh(path, _numbers(kind.get("scale"), 3, [1, 1, 1])), True
            except ValueError as error:
                raise ValueError(f"mesh `{name}` cannot be read: {error}") from None
    raise ValueError("it has no box, sphere, cylinder, capsule or mesh")


def _inertia_box(inertial: ET.Element | None) -> tuple[Mesh, Pose] | None:
    """The box that has a link's mass and inertia; None: it has none."""
    if inertial is None or inertial.find("mass") is None or inertial.find("inertia") is None:
        return None
    try:
        mass = float(inertial.find("mass").get("value", "nan"))  # type: ignore[union-attr]
        xx, xy, xz, yy, yz, zz = (float(inertial.find("inertia").get(f"i{k}", "0")) for k in ("xx", "xy", "xz", "yy", "yz", "zz"))  # type: ignore[union-attr]
        moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        half = np.sqrt(np.maximum(1.5 / mass * (moments.sum() - 2.0 * moments), 1e-8))
        pose = _pose(inertial.find("origin"))
    except (ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return None
    if not mass > 0.0 or not np.isfinite(half).all():
        return None
    axes[:, 0] *= np.linalg.det(axes)  # a turn, no mirror
    vertices, faces = primitives.box(half)
    return (vertices @ axes.T, faces), pose


def _stand_in(link: ET.Element, folder: Path | None) -> tuple[str, list[tuple[Mesh, Pose]]]:
    """What is drawn of a link in place of a visual that cannot be: its words, and what collides, else the box of its inertia."""
    found = []
    for collision in link.findall("collision"):
        geometry = collision.find("geometry")
        try:
            mesh, _ = _shape(geometry if geometry is not None else ET.Element("geometry"), folder)
            pose = _pose(collision.find("origin"))
        except ValueError:
            continue
        if np.isfinite(mesh[0]).all():
            found.append((mesh, pose))
    if found:
        return "; its collision shape is drawn instead", found
    box = _inertia_box(link.find("inertial"))
    return ("; the box of its inertia is drawn instead", [box]) if box else ("", [])


class Description:
    """The links of a URDF, how they hang together, and what they look like.

    folder: where relative mesh paths start. warn: is told, in one line each, what cannot be drawn; of a link of which something cannot, what
    collides is drawn, else the box of its inertia. ValueError: this is not a URDF."""

    def __init__(self, text: str, folder: Path | None, warn: Callable[[str], None]) -> None:
        try:
            root = ET.fromstring(text.strip())
        except ET.ParseError as error:
            raise ValueError(f"not XML: {error}") from None
        if root.tag != "robot":
            raise ValueError(f"its root element is <{root.tag}>, not <robot>")
        named = {m.get("name", ""): _color(m) for m in root.findall("material")}
        self._above: dict[str, tuple[str, Pose]] = {}  # link -> link above it, pose of its joint's frame there
        for joint in root.findall("joint"):
            parent, child = joint.find("parent"), joint.find("child")
            if parent is not None and child is not None:
                self._above[child.get("link", "")] = parent.get("link", ""), _pose(joint.find("origin"))
        self.visuals: list[Visual] = []
        self.lacking: set[str] = set()  # links of which more would be drawn: what stands in for it is among the visuals already
        for link in root.findall("link"):
            name = link.get("name", "")
            failed: list[str] = []
            lost: Color | None = None  # colour of what cannot be drawn
            for visual in link.findall("visual"):
                color: Color | None = None
                try:
                    geometry, material = visual.find("geometry"), visual.find("material")
                    color = _color(material) or (named.get(material.get("name", "")) if material is not None else None)
                    mesh, flat = _shape(geometry if geometry is not None else ET.Element("geometry"), folder)
                    if not np.isfinite(mesh[0]).all():
                        raise ValueError("its size is not finite")
                    self.visuals.append((name, mesh, _pose(visual.find("origin")), color, flat))
                except ValueError as error:
                    failed.append(f"link `{name}`: a visual is not drawn: {error}")
                    lost = lost or color
            if failed:
                words, shapes = _stand_in(link, folder)
                self.visuals += [(name, mesh, pose, lost, False) for mesh, pose in shapes]
                for line in failed:
                    warn(line + words)

    def on_body(self, link: str, model: Model) -> tuple[int, Pose]:
        """The moving body that carries a link, -1: the world, and the link's pose in its frame."""
        bodies = {joint.body: number for number, joint in enumerate(model.joints)}
        pose: Pose = (np.zeros(3), turns.IDENTITY)
        for _ in range(len(self._above) + 1):  # a cycle ends here; the library has refused it before
            if link in bodies:
                return bodies[link], pose
            if link not in self._above:
                break
            link, joint = self._above[link]
            pose = turns.compose(joint, pose)
        return -1, pose
