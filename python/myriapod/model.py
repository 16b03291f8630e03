"""Models: one robot or scene, compiled and immutable."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _arrays, known, motors
from ._geoms import GEOMS, SIZES
from ._library import ArgumentError, ArrayTypeError, FileError, FormatError, ModelWarning, check, encode, encode_path, ffi, lib, spoken, text
from ._names import Strict, warn_at_caller
from ._other import Other
from ._sources import find_file, is_path, refuse_others
from .parts import Actuator, Body, Dropped, Frame, Geom, Joint, Loop, Pair, Row, Slot
from .terrain import Terrain

_ROOTS = {"auto": lib.MYR_ROOT_AUTO, "floating": lib.MYR_ROOT_FLOATING, "fixed": lib.MYR_ROOT_FIXED}
_JOINTS = {
    "fixed": lib.MYR_JOINT_FIXED,
    "revolute": lib.MYR_JOINT_REVOLUTE,
    "prismatic": lib.MYR_JOINT_PRISMATIC,
    "ball": lib.MYR_JOINT_BALL,
    "free": lib.MYR_JOINT_FREE,
}
_CONTROLS = {"target": lib.MYR_CONTROLS_TARGET, "torque": lib.MYR_CONTROLS_TORQUE}
_LOOPS = {
    "ball": lib.MYR_LOOP_BALL,
    "revolute": lib.MYR_LOOP_REVOLUTE,
    "fixed": lib.MYR_LOOP_FIXED,
    "coupling": lib.MYR_LOOP_COUPLING,
}
_MESHES = {"load": lib.MYR_MESHES_LOAD, "skip": lib.MYR_MESHES_SKIP}
_SELF = {"off": lib.MYR_SELF_OFF, "auto": lib.MYR_SELF_AUTO, "all": lib.MYR_SELF_ALL}
_DROPPED = {"never near": lib.MYR_DROPPED_FAR, "overlaps by design": lib.MYR_DROPPED_OVERLAP}


def _choose(choices: dict[str, int], word: str, what: str) -> int:
    if word not in choices:
        raise ArgumentError(f"{what} is {word!r}, but must be one of {', '.join(choices)}")
    return choices[word]


def _load_options(root: str, meshes: str, strict: bool, mesh_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None,
                  keyframe: str | None, home: Any, hull_corners: int, self_collision: str | None, feet: Sequence[str] | None) -> tuple[Any, Any]:
    """The library's options, and what they point to."""
    options = ffi.new("myr_load_options *", lib.myr_load_options_default())
    options.root, options.meshes = _choose(_ROOTS, root, "root"), _choose(_MESHES, meshes, "meshes")
    options.strict, keep = int(bool(strict)), []
    options.hull_corners = _arrays.whole(hull_corners, "hull_corners", 4, 64)
    if self_collision is not None:
        options.self_collision = _choose(_SELF, self_collision, "self_collision")
    if feet is not None:
        keep.append(ffi.new("char[]", encode(",".join([feet] if isinstance(feet, str) else feet), "feet")))
        options.feet = keep[-1]
    if mesh_path is not None:
        folders = [mesh_path] if isinstance(mesh_path, (str, bytes, os.PathLike)) else mesh_path
        if not isinstance(folders, Iterable):
            raise ArrayTypeError(f"mesh_path is {type(mesh_path).__name__}, but must be a folder or several")
        keep.append(ffi.new("char[]", b":".join(encode_path(folder) for folder in folders)))
        options.mesh_path = keep[-1]
    if keyframe is not None:
        keep.append(ffi.new("char[]", encode(keyframe, "keyframe")))
        options.keyframe = keep[-1]
    if home is not None:
        q = _arrays.take(home, "home")
        if q.ndim != 1:
            raise ArgumentError(f"home has shape {q.shape}, but must be (nq,)")
        keep.append(ffi.new("double[]", [float(x) for x in q]))
        options.home, options.n_home = keep[-1], len(q)
    return options, keep


def _named(choices: dict[str, int], number: int) -> str:
    return next(word for word, value in choices.items() if value == number)


class Model(Other, Strict):
    """A robot from a URDF or MJCF file, or from a shipped name (anymal, solo12, biped, hopper, sphere, cube, double-pendulum, chain-N, stack-N, stack-N-RATIO,
    hand-ball).

    path_or_name: a path (with a '/' or ending in .urdf or .xml), a name, or the name of a robot of a collection, such as "menagerie:unitree_go2"
    (docs/known-robots.md); os.PathLike is always a path.
    root: "floating", "fixed" or "auto" (fixed if the root link is called `world` or the file has a floating joint, else floating).
    meshes: "load", or "skip": shapes that are meshes are left out, with a warning. A mesh that is not there is an error unless they are skipped.
    strict: what the file says and would be left out here is an error, not a warning.
    mesh_path: a folder, or several, where meshes and the packages of package:// are looked for, too (docs/models.md, Meshes).
    keyframe: the one of an MJCF that is home. home: (nq,) another home pose; loops close from there (docs/models.md, Home).
    hull_corners: to how many corners the hull of a mesh is reduced, 4 .. 64.
    self_collision: whether links of the robot touch each other: "off", "auto" (those pairs of shapes that can meet), "all"; None: auto for an MJCF, off
    for a URDF (docs/models.md, Self-contact).
    feet: names of shapes, with * and ?: of what moves these alone touch the ground and other shapes; None: all (docs/models.md, Feet).
    Raises FileError, FormatError (file, line, element), ArgumentError, LimitError. What is odd but does not prevent simulation is a ModelWarning,
    and stays in `warnings`.

    Units are SI, z is up, quaternions (w, x, y, z). q and v hold the joints' numbers one after the other, in the order of `joints`:

    - free joint: q = x y z of the body origin in the world [m], quaternion body -> world; v = linear velocity of the body origin in WORLD
      axes [m/s], angular velocity in BODY axes [rad/s];
    - ball joint: q = quaternion child -> joint frame; v = angular velocity in the child's axes [rad/s];
    - hinge: angle [rad] and its rate [rad/s]; slider: way [m] and its rate [m/s].

    A model can be pickled: it is loaded, or built, again from where it came from, and FormatError says when that has become another model."""

    _file: Path | None = None
    _made_of: str | None = None
    _name: str | None = None
    _text: str | None = None
    _terrain: Terrain | None = None
    _plane: Model | None = None  # what was put on the map
    _origin: tuple[str, tuple[Any, ...]]  # what makes it again: a function's name below, and its arguments

    def __init__(self, path_or_name: str | os.PathLike[str], root: str = "auto", meshes: str = "load", strict: bool = False,
                 mesh_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None, keyframe: str | None = None,
                 home: Sequence[float] | np.ndarray | None = None, hull_corners: int = 32, self_collision: str | None = None,
                 feet: Sequence[str] | None = None) -> None:
        refuse_others(path_or_name)

        if isinstance(path_or_name, str) and path_or_name.partition(":")[0] in known.PREFIXES:
            path_or_name = known.find(path_or_name)
        path = encode_path(path_or_name)
        if not isinstance(path_or_name, (str, bytes)) and b"/" not in path:
            path = b"./" + path
        out = ffi.new("myr_model **")
        options, _keep = _load_options(root, meshes, strict, mesh_path, keyframe, home, hull_corners, self_collision, feet)
        try:
            check(lib.myr_model_open(path, options, out))
        except FileError as error:
            if not isinstance(path_or_name, str) or is_path(path_or_name):
                raise
            raise FileError(f"{error}. Of collections: {known.elsewhere(path_or_name)}") from None
        self._take(out[0])
        name = os.fsdecode(path)
        self._file, self._name = find_file(name), None if is_path(name) else name
        self._origin = "load", (self.source, root, meshes, strict, mesh_path, keyframe, None if home is None else tuple(map(float, home)), hull_corners,
                                 self_collision, None if feet is None else (feet,) if isinstance(feet, str) else tuple(feet))
        self._warn()

    @classmethod
    def from_text(cls, urdf: str, label: str = "text", root: str = "auto", meshes: str = "load", strict: bool = False,
                  mesh_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None, keyframe: str | None = None,
                  home: Sequence[float] | np.ndarray | None = None, hull_corners: int = 32, self_collision: str | None = None,
                 feet: Sequence[str] | None = None) -> Model:
        """From the text of a URDF or MJCF; `label` stands for the file's name in messages, and files are looked for from where it would be."""
        content = encode(urdf, "urdf")
        out = ffi.new("myr_model **")
        options, _keep = _load_options(root, meshes, strict, mesh_path, keyframe, home, hull_corners, self_collision, feet)
        check(lib.myr_model_open_text(content, len(content), encode(label, "label"), options, out))
        model = cls._from_pointer(out[0])
        model._text = urdf
        model._origin = "from_text", (urdf, label, root, meshes, strict, mesh_path, keyframe, None if home is None else tuple(map(float, home)), hull_corners,
                                 self_collision, None if feet is None else (feet,) if isinstance(feet, str) else tuple(feet))
        model._warn()
        return model

    @classmethod
    def _from_pointer(cls, pointer: Any) -> Model:
        model = object.__new__(cls)
        model._take(pointer)
        return model

    def on(self, terrain: Terrain) -> Model:
        """This model on a map in place of its plane: a new model, which shares the map and all else. One that is on a map already is put on this one.

        A ball (a sphere, an end of a capsule) has two contact slots there, as it may touch a floor and a wall at once; a capsule two more,
        between its ends; boxes, cylinders and hulls four, for vertices of the map. So slots have other numbers than on the plane.
        `Batch.ground_at` and `Batch.place` say where on the map each robot is. ArgumentError: a ball is larger than the map's cells allow."""
        if not isinstance(terrain, Terrain):
            raise ArgumentError(f"terrain is {type(terrain).__name__}, but must be a Terrain: Terrain(heights, cell=0.1), or Terrain.generate(profile)")
        out = ffi.new("myr_model **")
        check(lib.myr_model_on(self._c, terrain._c, out))
        made = self._from_pointer(out[0])
        made._file, made._name, made._text, made._terrain, made._made_of = self._file, self._name, self._text, terrain, self._made_of
        made._plane = self._plane or self
        made._origin = "on", (made._plane, terrain)
        return made

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
        """Actuators. Where a model says nothing of them, each joint of one degree of freedom has one, in the order of v."""
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
    def n_loops(self) -> int:
        """Loops, and couplings of joints."""
        return self._info.n_loops

    @property
    def n_slots(self) -> int:
        """Places where a contact may appear: against the ground and between geoms (docs/models.md, Slots)."""
        return self._info.n_slots

    @property
    def n_world(self) -> int:
        """Geoms fixed to the world: those of `geoms` with body -1, which `Batch.world_at` places."""
        return self._info.n_world

    @property
    def mass(self) -> float:
        """Of all bodies [kg]."""
        return self._info.mass_kg

    @property
    def gravity(self) -> np.ndarray:
        """(3,) [m/s^2], world, a new array; a batch may have another."""
        return np.array(tuple(self._info.gravity))

    @property
    def timestep(self) -> float:
        """What its file says of the length of a step [s] (MJCF), for the setting dt=0; 0: nothing."""
        return self._info.timestep_s

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
        return [self._joint(i) for i in range(self._info.n_joints)]

    def _joint(self, i: int) -> Joint:
        info = ffi.new("myr_joint_info *")
        check(lib.myr_model_get_joint(self._c, i, info))
        odd: dict[str, Any] = {"name": text(info.name), "body": text(info.body), "type": _named(_JOINTS, info.type), "position": tuple(info.position_m),
               "quaternion": tuple(info.quaternion), "axis": tuple(info.axis), "index": i}
        return Joint(**odd, **{n: getattr(info, n) for n in Joint.__dataclass_fields__ if n not in odd})

    @property
    def bodies(self) -> list[Body]:
        """The moving bodies, in the order of their joints."""
        return [self._body(i) for i in range(self.n_bodies)]

    def _body(self, i: int) -> Body:
        info = ffi.new("myr_body_info *")
        check(lib.myr_model_get_body(self._c, i, info))
        return Body(text(info.name), info.parent, info.tree, info.mass_kg, tuple(info.com_m), tuple(info.inertia_kgm2), i)

    @property
    def actuators(self) -> list[Actuator]:
        """What drives the joints: `Batch.target`, `torque`, `kp`, `kd` and `control` are in this order."""
        info, actuators = ffi.new("myr_actuator_info *"), []
        for i in range(self.nu):
            check(lib.myr_model_get_actuator(self._c, i, info))
            numbers = {n: getattr(info, n) for n in Actuator.__dataclass_fields__ if n not in ("name", "joints", "moments", "controls", "motor", "gear", "pushes")}
            actuators.append(Actuator(name=text(info.name), joints=tuple(info.joints[0 : info.n]), moments=tuple(info.moments[0 : info.n]),
                                      controls=_named(_CONTROLS, info.controls), motor=motors.read(info.motor),
                                      pushes=bool(info.pushes), gear=tuple(info.gear), **numbers))
        return actuators

    @property
    def keyframes(self) -> dict[str, np.ndarray]:
        """Poses (nq,) that the file names."""
        info, poses = ffi.new("myr_keyframe_info *"), {}
        for i in range(self._info.n_keyframes):
            check(lib.myr_model_get_keyframe(self._c, i, info))
            poses[text(info.name)] = np.frombuffer(ffi.buffer(info.q, 8 * self.nq)).copy()
        return poses

    @property
    def geoms(self) -> list[Geom]:
        """The collision shapes."""
        return [self._geom(i) for i in range(self._info.n_geoms)]

    def _geom(self, i: int) -> Geom:
        info = ffi.new("myr_geom_info *")
        check(lib.myr_model_get_geom(self._c, i, info))
        kind = _named(GEOMS, info.type)
        return Geom(text(info.name), info.body, kind, info.slot, info.n_slots, info.friction, tuple(info.position_m), tuple(info.quaternion),
                    tuple(info.size_m)[: SIZES[kind]], tuple(tuple(info.points_m[3 * k + j] for j in range(3)) for k in range(info.n_points)), i, info.hull_error_m)

    @property
    def slots(self) -> list[Slot]:
        """What each contact slot is: those against the ground in the order of the geoms, then those of pairs of geoms."""
        info, slots = ffi.new("myr_slot_info *"), []
        for i in range(self.n_slots):
            check(lib.myr_model_get_slot(self._c, i, info))
            slots.append(Slot(**{name: getattr(info, name) for name in Slot.__dataclass_fields__}))
        return slots

    @property
    def self_collision(self) -> str:
        """Whether links of the robot touch each other: off, auto or all."""
        return _named(_SELF, self._info.self_collision)

    @property
    def pairs(self) -> list[Pair]:
        """Pairs of shapes that may touch each other."""
        info, pairs = ffi.new("myr_pair_info *"), []
        for i in range(self._info.n_pairs):
            check(lib.myr_model_get_pair(self._c, i, info))
            pairs.append(Pair(info.geom, info.other, info.slot, info.n_slots))
        return pairs

    @property
    def dropped(self) -> list[Dropped]:
        """Pairs of the robot's own shapes that the filters let through and that `self_collision="auto"` left out, and why."""
        info, dropped = ffi.new("myr_dropped_info *"), []
        for i in range(self._info.n_dropped):
            check(lib.myr_model_get_dropped(self._c, i, info))
            dropped.append(Dropped(info.geom, info.other, _named(_DROPPED, info.reason), info.gap_m, info.share))
        return dropped

    @property
    def rows(self) -> list[Row]:
        """Position limits and dry friction, by joint and then of tendons: in this order `Batch.lower`, `upper`, `dry_friction` and `row_impulse` hold them."""
        info, rows = ffi.new("myr_row_info *"), []
        for i in range(self.n_rows):
            check(lib.myr_model_get_row(self._c, i, info))
            numbers = {name: getattr(info, name) for name in ("joint", "lower", "upper", "dry_friction", "length_m")}
            n = info.n_joints
            rows.append(Row(**numbers, tendon=text(info.tendon) if n else None, joints=tuple(info.joints[0:n]), coefficients=tuple(info.coefficients[0:n])))
        return rows

    @property
    def loops(self) -> list[Loop]:
        """Loops and couplings of joints, in the order in which they were described."""
        info, loops = ffi.new("myr_loop_info *"), []
        for i in range(self.n_loops):
            check(lib.myr_model_get_loop(self._c, i, info))
            kind = _named(_LOOPS, info.type)
            if kind == "coupling":
                parts = {n: tuple(getattr(info, n))[: info.n_joints] for n in ("joints", "coefficients")} | {"polynomial": tuple(info.polynomial)}
            else:
                parts = {"position": tuple(info.position_m), "quaternion": tuple(info.quaternion),
                         "other_position": tuple(info.other_position_m), "other_quaternion": tuple(info.other_quaternion)}
            loops.append(Loop(text(info.name), kind, info.body, info.other, info.row, info.n_rows, info.length_m, **parts))
        return loops

    @property
    def file(self) -> Path | None:
        """The file it was read from; None: it was built, or read from text."""
        return self._file

    @property
    def terrain(self) -> Terrain | None:
        """The map that it stands on; None: a plane."""
        return self._terrain

    @property
    def source(self) -> str | None:
        """What `Model` takes to load it again, on its plane, from any folder: a shipped name or an absolute path; None: it was built, or read from text."""
        if self._file is None:
            return self._name
        return self._name if self._name and self._file.parent == Path(__file__).parent / "robots" else str(self._file)

    @property
    def made_of(self) -> str | None:
        """`source`, or that of the model to which sensors, motors, groups or a fluid were added; None: that was built, or read from text."""
        return self.source or self._made_of

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

    def _number(self, kind: str, name: str) -> int:
        """The number of a joint, body, geom or frame of this name. ArgumentError: there is none, or more than one; the nearest is named."""
        index = ffi.new("int *")
        check(getattr(lib, f"myr_model_find_{kind}")(self._c, encode(name, kind), index))
        return index[0]

    def joint(self, name: str) -> Joint:
        """The joint of this name: its `index`, its places in q and v, its limits. ArgumentError names the nearest where there is none."""
        return self._joint(self._number("joint", name))

    def body(self, name: str) -> Body:
        """The moving body of this name, likewise. What is fixed to another body is a frame, and the message says of which body."""
        return self._body(self._number("body", name))

    def geom(self, name: str) -> Geom:
        """The collision shape of this name, likewise."""
        return self._geom(self._number("geom", name))

    def actuator(self, name: str) -> Actuator:
        """The actuator of this name, likewise."""
        return self.actuators[self._number("actuator", name)]

    def frame(self, name: str) -> Frame:
        """The frame of this name, likewise; `evaluate` and `jacobian` have it at its `index`."""
        i, info = self._number("frame", name), ffi.new("myr_frame_info *")
        check(lib.myr_model_get_frame(self._c, i, info))
        return Frame(text(info.name), info.body, tuple(info.position_m), tuple(info.quaternion), i)

    @property
    def warnings(self) -> list[str]:
        """What was read and does not act, and other oddities."""
        return [spoken(text(lib.myr_model_warning(self._c, i))) for i in range(self._info.n_warnings)]

    def __reduce__(self) -> Any:
        return _again, (*self._origin, self.name, self.hash)

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, _: Any) -> Model:
        return self

    def __repr__(self) -> str:
        ground = "" if self._terrain is None else f", on {self._terrain!r}"
        return f"<Model {self.name}: nq {self.nq}, nv {self.nv}, nu {self.nu}, {self.mass:.4g} kg{ground}>"


# How models that were pickled are made again, by what made them; builder.py adds its own.
MAKERS: dict[str, Callable[..., Model]] = {"load": Model, "from_text": Model.from_text, "on": Model.on}


def _again(how: str, arguments: tuple[Any, ...], name: str, wanted: str) -> Model:
    """What was pickled. FormatError: it has changed meanwhile."""
    made = MAKERS[how](*arguments)
    if made.hash != wanted:
        raise FormatError(f"{arguments[0] if how == 'load' else name}: is not the model that was pickled: its hash is {made.hash}, not {wanted}")
    return made


def load(name: str | os.PathLike[str], *, menagerie: str | os.PathLike[str] | None = None, **options: Any) -> Model:
    """A robot that ships, a file, or a robot of a collection that is installed or checked out: what `myriapod.known.find` takes; or the text of a URDF or MJCF itself.
    options: those of `Model`.

    FileError says what is near, where was looked, and what to do where something is not there."""
    if isinstance(name, str) and name.lstrip().startswith("<"):
        return Model.from_text(name, **options)
    refuse_others(name)
    return Model(known.find(name, menagerie=menagerie), **options)
