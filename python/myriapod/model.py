"""Models: one robot or scene, compiled and immutable."""
from __future__ import annotations

import copy
import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._library import ArgumentError, FileError, FormatError, ModelWarning, check, encode, encode_path, ffi, lib, text
from ._names import Strict, warn_at_caller

_ROOTS = {"auto": lib.MYR_ROOT_AUTO, "floating": lib.MYR_ROOT_FLOATING, "fixed": lib.MYR_ROOT_FIXED}
_JOINTS = {
    "fixed": lib.MYR_JOINT_FIXED,
    "revolute": lib.MYR_JOINT_REVOLUTE,
    "prismatic": lib.MYR_JOINT_PRISMATIC,
    "ball": lib.MYR_JOINT_BALL,
    "free": lib.MYR_JOINT_FREE,
}
_GEOMS = {
    "sphere": lib.MYR_GEOM_SPHERE,
    "box": lib.MYR_GEOM_BOX,
    "capsule": lib.MYR_GEOM_CAPSULE,
    "cylinder": lib.MYR_GEOM_CYLINDER,
    "hull": lib.MYR_GEOM_HULL,
}
_SIZES = {"sphere": 1, "box": 3, "capsule": 2, "cylinder": 2, "hull": 0}  # numbers that say how large


def _find(path_or_name: str) -> Path | None:
    """The file of a robot, absolute: the library's search (docs/models.md) once more. None: there is none, as for chain-N."""
    if "/" in path_or_name or path_or_name.endswith(".urdf"):
        return Path(path_or_name).absolute()
    folders = [folder for folder in os.environ.get("MYRIAPOD_ROBOTS", "").split(":") if folder]
    files = (Path(folder).absolute() / f"{path_or_name}.urdf" for folder in [*folders, Path(__file__).parent / "robots"])
    return next((file for file in files if file.exists()), None)


def _choose(choices: dict[str, int], word: str, what: str) -> int:
    if word not in choices:
        raise ArgumentError(f"{what} is {word!r}, but must be one of {', '.join(choices)}")
    return choices[word]


def _named(choices: dict[str, int], number: int) -> str:
    return next(word for word, value in choices.items() if value == number)


@dataclass(frozen=True)
class Joint:
    """A moving joint and the body it carries. Its numbers are q[q : q + nq], v[v : v + nv]; u is its place among the actuated, -1: none."""

    name: str
    body: str
    type: str  #: revolute, prismatic, ball or free
    parent: int  #: joint number, -1: the world
    q: int  #: first index into q
    v: int  #: first index into v
    u: int  #: place among the actuated, -1: none
    nq: int  #: numbers in q
    nv: int  #: numbers in v
    lower: float  #: position limits [rad | m]; lower > upper: none
    upper: float
    effort_limit: float  #: [N m | N]
    velocity_limit: float  #: [rad/s | m/s]
    damping: float  #: viscous [N m s/rad | N s/m]
    armature: float  #: rotor inertia [kg m^2 | kg]


@dataclass(frozen=True)
class Geom:
    """A collision shape. Its contact slots against the ground are slot .. slot + n_slots - 1."""

    name: str
    body: int  #: number of the joint whose body carries it
    type: str  #: sphere, box, capsule, cylinder or hull
    slot: int
    n_slots: int
    friction: float  #: coefficient mu
    position: tuple[float, float, float]  #: centre [m] in the body's frame
    quaternion: tuple[float, float, float, float]  #: geom -> body axes
    size: tuple[float, ...]  #: [m] sphere: (radius,); box: half extents (x, y, z); capsule, cylinder along z: (radius, half length of the cylinder)
    points: tuple[tuple[float, float, float], ...] = ()  #: hull: its corners [m] in the geom's frame


@dataclass(frozen=True)
class Slot:
    """A place where a contact may appear. Impulses act on `body`, and reversed on `other_body`; z of the contact frame points from `other` into `geom`."""

    geom: int  #: number of the geom
    other: int  #: the geom that it touches, -1: the ground
    body: int  #: number of the joint whose body carries the geom
    other_body: int  #: the same of the other, -1: ground, or fixed to the world
    feature: int  #: which of the places: docs/models.md, Slots
    friction: float  #: coefficient mu


class Model(Strict):
    """A robot from a URDF file or from a shipped name (anymal, solo12, hopper, sphere, cube, double-pendulum, chain-N, stack-N, stack-N-RATIO,
    hand-ball).

    path_or_name: a path (with a '/' or ending in .urdf), or a name; os.PathLike is always a path.
    root: "floating", "fixed" or "auto" (fixed if the root link is called `world` or the file has a floating joint, else floating).
    Raises FileError, FormatError (file, line, element), ArgumentError, LimitError. What is odd but does not prevent simulation is a ModelWarning,
    and stays in `warnings`.

    Units are SI, z is up, quaternions (w, x, y, z). q and v hold the joints' numbers one after the other, in the order of `joints`:

    - free joint: q = x y z of the body origin in the world [m], quaternion body -> world; v = linear velocity of the body origin in WORLD
      axes [m/s], angular velocity in BODY axes [rad/s];
    - ball joint: q = quaternion child -> joint frame; v = angular velocity in the child's axes [rad/s];
    - hinge: angle [rad] and its rate [rad/s]; slider: way [m] and its rate [m/s].

    A model can be pickled: it is loaded, or built, again from where it came from, and FormatError says when that has become another model."""

    _file: Path | None = None
    _name: str | None = None
    _text: str | None = None
    _origin: tuple[str, tuple[Any, ...]]  # what makes it again: a function's name below, and its arguments

    def __init__(self, path_or_name: str | os.PathLike[str], root: str = "auto") -> None:
        path = encode_path(path_or_name)
        if not isinstance(path_or_name, (str, bytes)) and b"/" not in path:
            path = b"./" + path
        out = ffi.new("myr_model **")
        check(lib.myr_model_load(path, _choose(_ROOTS, root, "root"), out))
        self._take(out[0])
        name = os.fsdecode(path)
        self._file, self._name = _find(name), None if "/" in name or name.endswith(".urdf") else name
        self._origin = "load", (self.source, root)
        self._warn()

    @classmethod
    def from_text(cls, urdf: str, label: str = "text", root: str = "auto") -> Model:
        """From the text of a URDF; `label` stands for the file's name in messages."""
        content = encode(urdf, "urdf")
        out = ffi.new("myr_model **")
        check(lib.myr_model_load_text(content, len(content), encode(label, "label"), _choose(_ROOTS, root, "root"), out))
        model = cls._from_pointer(out[0])
        model._text = urdf
        model._origin = "from_text", (urdf, label, root)
        model._warn()
        return model

    @classmethod
    def _from_pointer(cls, pointer: Any) -> Model:
        model = object.__new__(cls)
        model._take(pointer)
        return model

    def _take(self, pointer: Any) -> None:
        self._c = ffi.gc(pointer, lib.myr_model_free)
        info = ffi.new("myr_model_info *")
        lib.myr_model_get_info(self._c, info)
        self._info = info

    def _warn(self) -> None:
        for words in self.warnings:
            warn_at_caller(words, ModelWarning)

    @property
    def name(self) -> str:
        """The robot's name."""
        return text(self._info.name)

    @property
    def nq(self) -> int:
        """Positions."""
        return self._info.nq

    @property
    def nv(self) -> int:
        """Velocities."""
        return self._info.nv

    @property
    def nu(self) -> int:
        """Actuated joints: those of one degree of freedom, in the order of v."""
        return self._info.nu

    @property
    def n_bodies(self) -> int:
        """Moving bodies, the world excluded; as many as moving joints."""
        return self._info.n_bodies

    @property
    def n_rows(self) -> int:
        """Joints with position limits or dry friction."""
        return self._info.n_rows

    @property
    def n_slots(self) -> int:
        """Places where a contact may appear: against the ground and between geoms (docs/models.md, Slots)."""
        return self._info.n_slots

    @property
    def mass(self) -> float:
        """Of all bodies [kg]."""
        return self._info.mass_kg

    @property
    def is_quadruped(self) -> bool:
        """Do the tasks of quadrupeds (stand, trot, hang, drop, random) apply?"""
        return bool(self._info.is_quadruped)

    @property
    def home(self) -> np.ndarray:
        """(nq,) float64, a new array: how the robot stands, its lowest geom just touching the ground."""
        q = np.zeros(self.nq)
        lib.myr_model_home(self._c, ffi.from_buffer("double[]", q, require_writable=True))
        return q

    @property
    def joints(self) -> list[Joint]:
        """The moving joints, depth first from each root."""
        info, joints = ffi.new("myr_joint_info *"), []
        for i in range(self._info.n_joints):
            check(lib.myr_model_get_joint(self._c, i, info))
            numbers = {n: getattr(info, n) for n in Joint.__dataclass_fields__ if n not in ("name", "body", "type")}
            joints.append(Joint(name=text(info.name), body=text(info.body), type=_named(_JOINTS, info.type), **numbers))
        return joints

    @property
    def geoms(self) -> list[Geom]:
        """The collision shapes."""
        info, geoms = ffi.new("myr_geom_info *"), []
        for i in range(self._info.n_geoms):
            check(lib.myr_model_get_geom(self._c, i, info))
            kind = _named(_GEOMS, info.type)
            geoms.append(Geom(text(info.name), info.body, kind, info.slot, info.n_slots, info.friction, tuple(info.position_m),
                              tuple(info.quaternion), tuple(info.size_m)[: _SIZES[kind]],
                              tuple(tuple(info.points_m[3 * k + j] for j in range(3)) for k in range(info.n_points))))
        return geoms

    @property
    def slots(self) -> list[Slot]:
        """What each contact slot is: those against the ground in the order of the geoms, then those of pairs of geoms."""
        info, slots = ffi.new("myr_slot_info *"), []
        for i in range(self.n_slots):
            check(lib.myr_model_get_slot(self._c, i, info))
            slots.append(Slot(**{name: getattr(info, name) for name in Slot.__dataclass_fields__}))
        return slots

    @property
    def file(self) -> Path | None:
        """The file it was read from; None: it was built, or read from text."""
        return self._file

    @property
    def source(self) -> str | None:
        """What `Model` takes to load it again, from any folder: a shipped name or an absolute path; None: it was built, or read from text."""
        if self._file is None:
            return self._name
        return self._name if self._name and self._file.parent == Path(__file__).parent / "robots" else str(self._file)

    @property
    def hash(self) -> str:
        """Of everything in it that changes trajectories, 16 hexadecimal digits: `Recording.origin["model_hash"]`, and what a policy's file holds."""
        return f"{lib.myr_model_hash(self._c):016x}"

    @property
    def description(self) -> str | None:
        """The text it was read from, e.g. for what the library leaves out (shapes to look at); None: it was built.

        FileError: the file is there no more."""
        if self._text is not None or self._file is None:
            return self._text
        try:
            return self._file.read_text("utf-8-sig", "replace")
        except OSError as error:
            raise FileError(f"{self._file}: {error.strerror}") from None

    @property
    def frames(self) -> list[str]:
        """Names of the frames that `evaluate` reports: every link of the file, moving or not."""
        return [text(lib.myr_model_frame_name(self._c, i)) for i in range(self._info.n_frames)]

    @property
    def warnings(self) -> list[str]:
        """What was read and does not act, and other oddities."""
        return [text(lib.myr_model_warning(self._c, i)) for i in range(self._info.n_warnings)]

    def __reduce__(self) -> Any:
        return _again, (*self._origin, self.name, self.hash)

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, _: Any) -> Model:
        return self

    def __repr__(self) -> str:
        return f"<Model {self.name}: nq {self.nq}, nv {self.nv}, nu {self.nu}, {self.mass:.4g} kg>"


def _numbers(target: Any, values: Sequence[float], what: str) -> None:
    """Into a C array of fixed length."""
    given = np.asarray(values, dtype=np.float64)
    if given.shape != (len(target),):
        raise ArgumentError(f"{what} has shape {given.shape}, but must be ({len(target)},)")
    for i, value in enumerate(given):
        target[i] = value


def _again(how: str, arguments: tuple[Any, ...], name: str, wanted: str) -> Model:
    """What was pickled. FormatError: it has changed meanwhile."""
    made: Model = {"load": Model, "from_text": Model.from_text, "compile": lambda *given: _rebuilt(*given).compile()}[how](*arguments)
    if made.hash != wanted:
        raise FormatError(f"{arguments[0] if how == 'load' else name}: is not the model that was pickled: its hash is {made.hash}, not {wanted}")
    return made


def _rebuilt(name: str, calls: list[tuple[str, Any, Any]]) -> ModelBuilder:
    builder = ModelBuilder(name)
    for method, arguments, keys in calls:
        getattr(builder, method)(*arguments, **keys)
    return builder


def _kept(method: Callable[..., Any]) -> Callable[..., Any]:
    """Keeps what a builder was told, so that it and its models can be pickled."""

    @functools.wraps(method)
    def told(self: ModelBuilder, *arguments: Any, **keys: Any) -> Any:
        answer = method(self, *arguments, **keys)
        self._calls.append((method.__name__, *copy.deepcopy((arguments, keys))))
        return answer

    return told


class ModelBuilder:
    """A model without a file: bodies with the joints that carry them, geoms, frames; then `compile()`.

    Bodies are numbered 0, 1, ... as they are added; parent -1 is the world. Frames, units and defaults: include/myriapod/model.h.
    Raises ArgumentError at the call that is wrong."""

    def __init__(self, name: str) -> None:
        out = ffi.new("myr_builder **")
        check(lib.myr_builder_create(encode(name, "name"), out))
        self._c = ffi.gc(out[0], lib.myr_builder_free)
        self._name = name
        self._calls: list[tuple[str, Any, Any]] = []  # what it was told, in order

    def __reduce__(self) -> Any:
        return _rebuilt, (self._name, self._calls)

    @_kept
    def body(self, name: str, parent: int = -1, joint: str = "revolute", *, joint_name: str | None = None,
             position: Sequence[float] = (0, 0, 0), quaternion: Sequence[float] = (1, 0, 0, 0), axis: Sequence[float] | None = None,
             mass: float = 0.0, com: Sequence[float] = (0, 0, 0), inertia: Sequence[float] = (0, 0, 0, 0, 0, 0), **more: float) -> int:
        """Add a body [kg, m, kg m^2: xx yy zz xy xz yz about the centre of mass] on a joint at `position`, `quaternion` in the parent.

        more: damping, dry_friction, armature, lower, upper, effort_limit, velocity_limit. Returns the body's number."""
        keep = ffi.new("char[]", encode(name, "name"))
        joint_keep = ffi.new("char[]", encode(name if joint_name is None else joint_name, "joint_name"))
        body = ffi.new("myr_body_def *", lib.myr_body_def_default())
        body.name, body.joint_name, body.parent, body.joint, body.mass_kg = keep, joint_keep, parent, _choose(_JOINTS, joint, "joint"), mass
        _numbers(body.position_m, position, "position")
        _numbers(body.quaternion, quaternion, "quaternion")
        _numbers(body.com_m, com, "com")
        _numbers(body.inertia_kgm2, inertia, "inertia")
        if axis is not None:
            _numbers(body.axis, axis, "axis")
        known = ("damping", "dry_friction", "armature", "lower", "upper", "effort_limit", "velocity_limit")
        for key, value in more.items():
            if key not in known:
                raise ArgumentError(f"body {name!r}: there is no {key!r}; beyond the named ones there are: {', '.join(known)}")
            setattr(body, key, value)
        number = ffi.new("int *")
        check(lib.myr_builder_body(self._c, body, number))
        return number[0]

    @_kept
    def geom(self, body: int, type: str, size: Sequence[float] = (), *, name: str | None = None, position: Sequence[float] = (0, 0, 0),
             quaternion: Sequence[float] = (1, 0, 0, 0), friction: float | None = None, points: Any = None) -> int:
        """Add a collision shape to a body [m]. size: sphere (radius,), box half extents (x, y, z), capsule and cylinder (radius, half length).

        friction: coefficient, None: the default. points: (n, 3), of a hull, which has no size; at most 64 of them may be corners. Returns the geom's number."""
        keep = ffi.NULL if name is None else ffi.new("char[]", encode(name, "name"))
        geom = ffi.new("myr_geom_def *", lib.myr_geom_def_default())
        geom.name, geom.body, geom.type = keep, body, _choose(_GEOMS, type, "type")
        _numbers(geom.position_m, position, "position")
        _numbers(geom.quaternion, quaternion, "quaternion")
        wanted = _SIZES[type]
        if len(size) != wanted:
            raise ArgumentError(f"size has {len(size)} numbers, but a {type} has {wanted}")
        _numbers(geom.size_m, [*size, 0, 0, 0][:3], "size")
        if friction is not None:
            geom.friction = friction
        corners = np.ascontiguousarray(np.zeros((0, 3)) if points is None else points, dtype=np.float64)
        if (points is not None) != (type == "hull") or corners.ndim != 2 or corners.shape[1] != 3:
            raise ArgumentError(f"points of a {type}: {'none' if points is None else corners.shape}, but a hull has (n, 3) and others none")
        if points is not None:
            geom.points_m, geom.n_points = ffi.from_buffer("double[]", corners), len(corners)
        number = ffi.new("int *")
        check(lib.myr_builder_geom(self._c, geom, number))
        return number[0]

    @_kept
    def frame(self, name: str, body: int, position: Sequence[float] = (0, 0, 0), quaternion: Sequence[float] = (1, 0, 0, 0)) -> None:
        """A named frame fixed to a body [m]; every body's own name is one already."""
        at, turn = ffi.new("double[3]"), ffi.new("double[4]")
        _numbers(at, position, "position")
        _numbers(turn, quaternion, "quaternion")
        check(lib.myr_builder_frame(self._c, encode(name, "name"), body, at, turn))

    @_kept
    def pair(self, geom_a: int, geom_b: int, touch: bool = True) -> None:
        """Whether two geoms may touch each other; the last word on a pair counts.

        Unless said, geoms of two trees may where at least one tree is free, and those of a free tree and of the world; spheres, boxes
        and capsules alone."""
        check(lib.myr_builder_pair(self._c, geom_a, geom_b, int(bool(touch))))

    @_kept
    def home(self, body: int, position: Sequence[float], quaternion: Sequence[float] = (1, 0, 0, 0)) -> None:
        """Where a body on a free joint starts: position of its origin in the world [m], quaternion body -> world."""
        at, turn = ffi.new("double[3]"), ffi.new("double[4]")
        _numbers(at, position, "position")
        _numbers(turn, quaternion, "quaternion")
        check(lib.myr_builder_home(self._c, body, at, turn))

    def compile(self) -> Model:
        """Check and compile. The builder stays usable."""
        out = ffi.new("myr_model **")
        check(lib.myr_builder_compile(self._c, out))
        model = Model._from_pointer(out[0])
        model._origin = "compile", (self._name, list(self._calls))
        model._warn()
        return model
