"""What an MJCF shows: the geoms of the groups that MuJoCo shows at first, with their colours and meshes. The library keeps those that touch.

As with a URDF (urdf.py) this reader forgives: what cannot be drawn is a warning, and the robot is drawn without it. The library has read the file before,
so that what is wrong in it is not said twice."""
from __future__ import annotations

import math
import os
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..model import Model
from . import primitives, turns
from .primitives import Mesh
from .urdf import Color, Pose, Visual, load_mesh

SHOWN = 2  #: the highest group that MuJoCo shows at first; by custom what touches alone is in group 3
_GRAY: Color = (0.5, 0.5, 0.5, 1.0)  #: of a geom without a colour
_TURNS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
_HERE: Pose = (np.zeros(3), turns.IDENTITY)
Words = dict[str, str]  # the attributes of an element, those of its classes below its own


def _numbers(text: str) -> np.ndarray:
    values = np.array([float(word) for word in text.split()])
    if not np.isfinite(values).all():
        raise ValueError(f"{text!r} are not numbers")
    return values


def _about(axis: np.ndarray, angle: float) -> np.ndarray:
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis / np.linalg.norm(axis))])


def _from_axes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The turn that takes the axes x and y to these, the second made upright on the first."""
    x = x / np.linalg.norm(x)
    y = y - x * (x @ y)
    first = turns.from_x_to(x)
    y = turns.rotate(turns.conjugate(first), y)
    return turns.multiply(first, _about(np.array([1.0, 0.0, 0.0]), math.atan2(y[2], y[1])))


class Description:
    """The geoms of an MJCF that are shown. folder: where its files are; warn: is told, in one line each, what cannot be drawn. ValueError: this is not an MJCF."""

    def __init__(self, text: str, folder: Path | None, warn: Callable[[str], None]) -> None:
        try:
            root = ET.fromstring(text.strip())
        except ET.ParseError as error:
            raise ValueError(f"not XML: {error}") from None
        self._folder, self._warn = folder or Path.cwd(), warn
        self._include(root, set())
        self._degrees, self._euler, self._meshes_in = True, "xyz", ""
        for compiler in root.findall("compiler"):
            self._degrees = compiler.get("angle", "degree" if self._degrees else "radian") == "degree"
            self._euler = compiler.get("eulerseq", self._euler)
            self._meshes_in = compiler.get("meshdir", compiler.get("assetdir", self._meshes_in))
        self._classes: dict[str, dict[str, Words]] = {"": {}}
        for default in root.findall("default"):
            self._classes[default.get("class", "main")] = self._classes[""]  # whatever it is called it is everybody's
            self._read_class(default, self._classes[""])
        self._materials = {m.get("name", ""): self._words(m, "") for m in root.iterfind("asset/material")}
        self._meshes = {m.get("name") or Path(m.get("file", "")).stem: self._words(m, "") for m in root.iterfind("asset/mesh")}
        self._read: dict[str, Mesh | str] = {}  # meshes, or why there is none
        self._bodies = 0
        self.visuals: list[Visual] = []
        self.lacking: set[str] = set()  #: bodies of which a geom is not drawn
        for world in root.findall("worldbody"):
            self._children(world, "", "", _HERE, "")

    # ---- files, classes, poses ------------------------------------------------------------------------------------

    def _include(self, parent: ET.Element, seen: set[Path]) -> None:
        """<include> becomes what it includes; files are taken once."""
        for place, child in reversed(list(enumerate(parent))):
            if child.tag != "include":
                self._include(child, seen)
                continue
            path = (self._folder / child.get("file", "")).resolve()
            parent.remove(child)
            if path in seen:
                continue
            seen.add(path)
            try:
                root = ET.parse(path).getroot()
            except (OSError, ET.ParseError):
                continue
            self._include(root, seen)
            for k, part in enumerate(root):
                parent.insert(place + k, part)

    def _read_class(self, default: ET.Element, values: dict[str, Words]) -> None:
        for child in default:
            if child.tag != "default":
                values[child.tag] = {**values.get(child.tag, {}), **child.attrib}
        for child in default.findall("default"):
            name = child.get("class", "")
            self._classes[name] = {tag: dict(words) for tag, words in {**values, **self._classes.get(name, {})}.items()}
            self._read_class(child, self._classes[name])

    def _words(self, element: ET.Element, nearest: str) -> Words:
        """Its attributes, those that its class gives too. One that says how it is turned takes the place of all others that do."""
        given = dict(self._classes.get(element.get("class", nearest), self._classes[""]).get(element.tag, {}))
        if any(word in element.attrib for word in _TURNS):
            given = {word: value for word, value in given.items() if word not in _TURNS}
        return {**given, **element.attrib}

    def _turn(self, words: Words) -> np.ndarray:
        unit = math.pi / 180.0 if self._degrees else 1.0
        if "quat" in words:
            q = _numbers(words["quat"])
            return q / np.linalg.norm(q)
        if "axisangle" in words:
            x = _numbers(words["axisangle"])
            return _about(x[:3], unit * x[3])
        if "xyaxes" in words:
            x = _numbers(words["xyaxes"])
            return _from_axes(x[:3], x[3:])
        if "zaxis" in words:
            z = _numbers(words["zaxis"])
            return turns.from_z_to(z / np.linalg.norm(z))
        return self._turn_euler(unit * _numbers(words["euler"])) if "euler" in words else turns.IDENTITY

    def _turn_euler(self, angles: np.ndarray) -> np.ndarray:
        q = turns.IDENTITY
        for letter, angle in zip(self._euler, angles):
            step = _about(np.eye(3)["xyz".index(letter.lower())], angle)
            q = turns.multiply(q, step) if letter.islower() else turns.multiply(step, q)
        return q

    def _pose(self, words: Words) -> Pose:
        return _numbers(words.get("pos", "0 0 0")), self._turn(words)

    # ---- the tree -------------------------------------------------------------------------------------------------

    def _children(self, element: ET.Element, body: str, nearest: str, frame: Pose, suffix: str) -> None:
        """Geoms in `frame` of the body, and what hangs below; nearest: the childclass of what is around; suffix: of copies."""
        for child in element:
            if child.tag == "body":
                self._bodies += 1
                name = child.get("name", "")
                self._children(child, name + suffix if name else f"body_{self._bodies}", child.get("childclass", nearest), _HERE, suffix)
            elif child.tag == "frame":
                self._children(child, body, child.get("childclass", nearest), turns.compose(frame, self._pose(dict(child.attrib))), suffix)
            elif child.tag == "replicate":
                self._copies(child, body, child.get("childclass", nearest), frame, suffix)
            elif child.tag == "geom":
                try:
                    self._geom(self._words(child, nearest), body, frame)
                except (ValueError, IndexError, KeyError) as error:
                    self.lacking.add(body)
                    self._warn(f"body `{body or 'world'}`: a geom is not drawn: {error}; what collides of the body is drawn")

    def _copies(self, element: ET.Element, body: str, nearest: str, frame: Pose, suffix: str) -> None:
        count, offset, euler = int(element.get("count", "0")), _numbers(element.get("offset", "0 0 0")), _numbers(element.get("euler", "0 0 0"))
        unit, place = math.pi / 180.0 if self._degrees else 1.0, np.zeros(3)
        for i in range(count):
            turn = self._turn_euler(unit * i * euler)
            self._children(element, body, nearest, turns.compose(frame, (place, turn)), f"{element.get('sep', '')}{i:0{len(str(max(count - 1, 1)))}d}{suffix}")
            place = place + turns.rotate(turn, offset)

    def _geom(self, words: Words, body: str, frame: Pose) -> None:
        kind = words.get("type", "sphere")
        if int(words.get("group", "0")) > SHOWN or kind in ("plane", "hfield"):
            return
        color = self._color(words)
        if color is not None and color[3] <= 0.0:
            return
        size, pose = _numbers(words.get("size", "")), self._pose(words)
        if kind == "mesh":
            mesh = self._mesh(words["mesh"])
        elif "mesh" in words:
            raise ValueError(f"it is a {kind} that is fitted to a mesh")
        else:
            if "fromto" in words:
                start, end = np.split(_numbers(words["fromto"]), 2)
                length = float(np.linalg.norm(start - end))
                pose = (start + end) / 2, turns.from_z_to((start - end) / length)
                size = np.array([size[0], length / 2] if kind in ("capsule", "cylinder") else [size[0], size[0], length / 2])
            mesh = _shape(kind, size)
        self.visuals.append((body, mesh, turns.compose(frame, pose), color, kind == "mesh"))

    def _color(self, words: Words) -> Color | None:
        """None: not said."""
        if "rgba" in words:
            text: str | None = words["rgba"]
        elif words.get("material") in self._materials:
            text = self._materials[words["material"]].get("rgba", "1 1 1 1")
        else:
            return None
        color = tuple(np.clip(_numbers(text or ""), 0.0, 1.0))
        return None if color == _GRAY else color

    def _mesh(self, name: str) -> Mesh:
        if name not in self._read:
            try:
                self._read[name] = self._read_mesh(name)
            except ValueError as error:
                self._read[name] = f"mesh `{name}` {error}"
        found = self._read[name]
        if isinstance(found, str):
            raise ValueError(found)
        return found

    def _read_mesh(self, name: str) -> Mesh:
        if name not in self._meshes:
            raise ValueError("is not there")
        words = self._meshes[name]
        if "file" in words:
            path = self._folder / self._meshes_in / words["file"]
            if not os.path.isfile(path):
                raise ValueError(f"is not there: `{path}`")
            try:
                vertices, faces = load_mesh(path, np.ones(3))
            except ValueError as error:
                raise ValueError(f"cannot be read: {error}") from None
        elif "vertex" in words:
            vertices = _numbers(words["vertex"]).reshape(-1, 3)
            if "face" in words:
                faces = _numbers(words["face"]).astype(int).reshape(-1, 3)
            elif len(vertices) <= 40:
                vertices, faces = primitives.hull(vertices)
            else:
                raise ValueError("has no triangles")
        else:
            raise ValueError("has neither a file nor points")
        scale = _numbers(words.get("scale", "1 1 1"))
        turn = _numbers(words.get("refquat", "1 0 0 0"))
        vertices = scale * turns.rotate(turns.conjugate(turn / np.linalg.norm(turn)), vertices - _numbers(words.get("refpos", "0 0 0")))
        return vertices, faces if np.prod(scale) > 0 else faces[:, ::-1]

    def on_body(self, body: str, model: Model) -> tuple[int, Pose]:
        """The moving body that carries a body of the file, -1: the world, and that body's pose in its frame."""
        if not body:
            return -1, _HERE
        frame = model.frame(body)
        return frame.body, (np.array(frame.position), np.array(frame.quaternion))


def _shape(kind: str, size: np.ndarray) -> Mesh:
    if kind == "box":
        return primitives.box(size[[0, 1, 2]])
    if kind == "sphere":
        return primitives.sphere(size[0])
    if kind in ("capsule", "cylinder"):
        return (primitives.capsule if kind == "capsule" else primitives.cylinder)(size[0], size[1])
    if kind == "ellipsoid":
        vertices, faces = primitives.sphere(1.0)
        return vertices * size[[0, 1, 2]], faces
    raise ValueError(f"there is no type {kind!r}")
