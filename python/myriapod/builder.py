"""Models without a file: bodies, geoms, loops by calls."""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import motors, rays, sensors
from ._geoms import GEOMS, SIZES
from ._library import ArgumentError, check, encode, ffi, lib
from ._other import Other
from .model import _CONTROLS, _JOINTS, _LOOPS, _ROOTS, _SELF, MAKERS, Model, _choose
from .motors import Motor


def _numbers(target: Any, values: Sequence[float], what: str) -> None:
    """Into a C array of fixed length."""
    given = np.asarray(values, dtype=np.float64)
    if given.shape != (len(target),):
        raise ArgumentError(f"{what} has shape {given.shape}, but must be ({len(target)},)")
    for i, value in enumerate(given):
        target[i] = value


def _rebuilt(name: str, calls: list[tuple[str, Any, Any]]) -> ModelBuilder:
    builder = ModelBuilder(name)
    for method, arguments, keys in calls:
        getattr(builder, method)(*arguments, **keys)
    return builder


MAKERS["compile"] = lambda *given: _rebuilt(*given).compile()


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

        more: damping, dry_friction, armature, lower, upper, effort_limit, velocity_limit, stiffness,
        spring_rest, gravity_held. Returns the body's number."""
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
        known = ("damping", "dry_friction", "armature", "lower", "upper", "effort_limit", "velocity_limit", "stiffness", "spring_rest", "gravity_held")
        for key, value in more.items():
            if key not in known:
                raise ArgumentError(f"body {name!r}: there is no {key!r}; beyond the named ones there are: {', '.join(known)}")
            setattr(body, key, value)
        number = ffi.new("int *")
        check(lib.myr_builder_body(self._c, body, number))
        return number[0]

    @_kept
    def geom(self, body: int, type: str, size: Sequence[float] = (), *, name: str | None = None, position: Sequence[float] = (0, 0, 0),
             quaternion: Sequence[float] = (1, 0, 0, 0), friction: float | None = None, points: Any = None, hull_corners: int = 0) -> int:
        """Add a collision shape to a body [m]. size: sphere (radius,), box half extents (x, y, z), capsule and cylinder (radius, half length).

        friction: coefficient, None: the default. points: (n, 3), of a hull, which has no size.
        hull_corners: a hull of more corners is reduced to so many (4 .. 64); 0: one of more than 64 is refused. Returns the geom's number."""
        keep = ffi.NULL if name is None else ffi.new("char[]", encode(name, "name"))
        geom = ffi.new("myr_geom_def *", lib.myr_geom_def_default())
        geom.name, geom.body, geom.type = keep, body, _choose(GEOMS, type, "type")
        _numbers(geom.position_m, position, "position")
        _numbers(geom.quaternion, quaternion, "quaternion")
        wanted = SIZES[type]
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
        geom.hull_corners = hull_corners
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

        Unless said, geoms of two trees may where at least one tree is free, and those of a free tree and of the world; those of one tree as
        `self_collision` says. geom_b -1: the ground, which everything touches unless said."""
        check(lib.myr_builder_pair(self._c, geom_a, geom_b, int(bool(touch))))

    @_kept
    def pair_friction(self, geom_a: int, geom_b: int, friction: float) -> None:
        """Friction of two geoms where they touch (unless said, the larger of theirs); geom_b -1: of a geom and the ground. The last word counts."""
        check(lib.myr_builder_pair_friction(self._c, geom_a, geom_b, friction))

    @_kept
    def self_collision(self, which: str = "auto") -> None:
        """Whether links touch each other: "off", as until this is called, "auto" (those pairs of shapes that can meet), "all"."""
        check(lib.myr_builder_self_collision(self._c, _choose(_SELF, which, "self_collision")))

    @_kept
    def loop(self, name: str, type: str, body: int, other: int = -1, *, position: Sequence[float] = (0, 0, 0),
             quaternion: Sequence[float] = (1, 0, 0, 0), other_position: Sequence[float] = (0, 0, 0),
             other_quaternion: Sequence[float] = (1, 0, 0, 0), axis: Sequence[float] | None = None) -> None:
        """Two bodies (other -1: the world) stay together: "ball" at a point, "revolute" about an axis too, "fixed" altogether.

        position, quaternion: the loop's frame in `body` [m]; other_...: in `other`. axis: of a revolute loop, in the loop's frame."""
        keep = ffi.new("char[]", encode(name, "name"))
        loop = ffi.new("myr_loop_def *", lib.myr_loop_def_default())
        loop.name, loop.type, loop.body, loop.other = keep, _choose(_LOOPS, type, "type"), body, other
        _numbers(loop.position_m, position, "position")
        _numbers(loop.quaternion, quaternion, "quaternion")
        _numbers(loop.other_position_m, other_position, "other_position")
        _numbers(loop.other_quaternion, other_quaternion, "other_quaternion")
        if axis is not None:
            _numbers(loop.axis, axis, "axis")
        check(lib.myr_builder_loop(self._c, loop))

    @_kept
    def coupling(self, name: str, terms: dict[int, float], driver: int = -1, polynomial: Sequence[float] = (0,)) -> None:
        """Joints of one degree of freedom depend on each other: the sum of coefficient times position over `terms` {body: coefficient} is
        p0 + p1 x + .. + p4 x^4, x the position of the joint of body `driver` (-1: none).

        A joint that mimics another by m x + o: terms={joint: 1}, driver=other, polynomial=(o, m). A tendon of constant length: several terms."""
        keep = ffi.new("char[]", encode(name, "name"))
        coupling = ffi.new("myr_coupling_def *", lib.myr_coupling_def_default())
        most = len(coupling.joints)
        if not 1 <= len(terms) <= most:
            raise ArgumentError(f"coupling {name!r}: {len(terms)} terms, but there must be 1 to {most}")
        if not 1 <= len(polynomial) <= 5:
            raise ArgumentError(f"coupling {name!r}: polynomial has {len(polynomial)} numbers, but must have 1 to 5")
        coupling.name, coupling.n, coupling.driver = keep, len(terms), driver
        for i, (joint, coefficient) in enumerate(terms.items()):
            coupling.joints[i], coupling.coefficients[i] = joint, coefficient
        for i, number in enumerate(polynomial):
            coupling.polynomial[i] = number
        check(lib.myr_builder_coupling(self._c, coupling))

    @_kept
    def tendon(self, name: str, terms: dict[int, float], lower: float = -np.inf, upper: float = np.inf, dry_friction: float = 0.0) -> None:
        """A tendon over joints of one degree of freedom: its length, the sum of coefficient times position over `terms` {body: coefficient}, stays
        between lower and upper, and dry_friction acts along it. It is a row of `Model.rows` behind those of the joints."""
        keep = ffi.new("char[]", encode(name, "name"))
        tendon = ffi.new("myr_tendon_def *", lib.myr_tendon_def_default())
        most = len(tendon.joints)
        if not 1 <= len(terms) <= most:
            raise ArgumentError(f"tendon {name!r}: {len(terms)} terms, but there must be 1 to {most}")
        tendon.name, tendon.n, tendon.lower, tendon.upper, tendon.dry_friction = keep, len(terms), lower, upper, dry_friction
        for i, (joint, coefficient) in enumerate(terms.items()):
            tendon.joints[i], tendon.coefficients[i] = joint, coefficient
        check(lib.myr_builder_tendon(self._c, tendon))

    @_kept
    def actuator(self, joints: int | dict[int, float] | None, name: str | None = None, *, controls: str = "target", motor: Motor | None = None,
                 frame: str | None = None, gear: Sequence[float] = (0, 0, 1, 0, 0, 0), **more: float) -> None:
        """What drives the joint of a body, or several as {body: moment}: their moments times positions make up its length.

        joints None, frame: a rotor or a thruster, which pushes a body or another frame of this name by its force times `gear`: along x, y, z of the
        frame, and about them. Its controls are "torque".

        more: kp, kd (below 0, and unless said: the batch's), lower, upper (of the force), control_scale, control_bias, control_lower,
        control_upper: what a control is, of which `controls` ("target" or "torque") says what it becomes. motor: None: a pd at once. After the
        first call only the joints of such calls are driven; before, each joint of one degree of freedom has an actuator of its own."""
        actuator = ffi.new("myr_actuator_def *", lib.myr_actuator_def_default())
        keep = ffi.NULL if name is None else ffi.new("char[]", encode(name, "name"))
        place = ffi.NULL if frame is None else ffi.new("char[]", encode(frame, "frame"))
        terms = {} if joints is None else joints if isinstance(joints, dict) else {joints: 1.0}
        if frame is not None:
            actuator.frame = place
            _numbers(actuator.gear, gear, "gear")
        if not (frame is None) <= len(terms) <= len(actuator.joints):
            raise ArgumentError(f"actuator {name!r}: {len(terms)} joints, but there must be 1 to {len(actuator.joints)}")
        actuator.name, actuator.n, actuator.controls = keep, len(terms), _choose(_CONTROLS, controls, "controls")
        for i, (joint, moment) in enumerate(terms.items()):
            actuator.joints[i], actuator.moments[i] = joint, moment
        known = ("kp", "kd", "lower", "upper", "control_scale", "control_bias", "control_lower", "control_upper")
        for key, value in more.items():
            if key not in known:
                raise ArgumentError(f"actuator {name!r}: there is no {key!r}; beyond the named ones there are: {', '.join(known)}")
            setattr(actuator, key, value)
        if motor is not None:
            motors.write(actuator.motor, motor)
        check(lib.myr_builder_actuator(self._c, actuator))

    @_kept
    def sensor(self, name: str, kind: str, of: str | None = None, *, ref: str | None = None, touched_by: str | Sequence[str] = "all",
               vector: Sequence[float] = (0, 0, 0), threshold: float = 1.0, cutoff: float = 0.0, every: int = 1, history: int = 1,
               shown: str = "all", noise: float = 0.0, noise_kind: str = "uniform", bias: float = 0.0, delay: int | Sequence[int] = 0,
               hold: float = 0.0, touching: str | None = None, contacts: int = 1, data: str | Sequence[str] = "found", reduce: str = "none",
               pattern: rays.Pattern | None = None, axes: str = "frame", exclude: str | None = "body", ground: bool = True,
               shapes: bool = True, range: float = 100.0, depth: bool = False, reads: str = "exact", value: str = "height",
               least: bool = False) -> None:
        """A sensor, of what is there already. docs/sensors.md defines the kinds.

        of: the name of a body, a site or another frame; of a joint or an actuator; or of shapes, separated by commas, `*` and `?` as in a
        shell; None: the first body. ref: a frame from which another one is seen. touched_by: which contacts count: "ground", "self" (shapes of
        one tree), "other", several of these, "all". vector: a magnetometer's field. threshold: of air_time [N]. cutoff: readings are cut to
        +-cutoff; 0: not. every: it measures at the end of every so many control steps; 0: after each step of dt. bias: +-, drawn for an episode.
        noise: of each measurement, +- (`noise_kind` "uniform") or its deviation ("normal"). hold: the probability that a measurement is missed and
        the one before it comes again. delay: late by so many measurements, or by least to most, drawn for an episode. history: so many readings,
        the newest first (`shown` "all": the sensor's shape is (history, size)), or their "mean" or "max".

        contact: touching: the second shapes, named as `of` names the first; "ground"; None: all. contacts: so many at most; data: what is said
        of each, of "found", "force", "torque", "dist", "pos", "normal", "tangent", always in this order; reduce: which of them, "none" (any),
        "mindist", "maxforce", "netforce" (all as one).

        rays and height_scan: pattern: of `myriapod.rays`, None: grid(). rays and rangefinder: axes: "frame", or z up and x along its "heading";
        exclude: the geoms of the frame's "body" or "tree"; ground, shapes: which of the two is looked for; range [m]; depth: along -z of the
        pattern instead of along the ray. height_scan: reads: how a map is read, "exact", "bilinear", "min3", "nearest"; value: the ground's
        "height" in the world, or the "clearance" of the frame above it; least: of all points the least value alone."""
        contact = {"touching": touching, "contacts": contacts, "data": data, "reduce": reduce}
        look = {"pattern": pattern, "axes": axes, "exclude": exclude, "ground": ground, "shapes": shapes, "range": range, "depth": depth,
                "reads": reads, "value": value, "least": least}
        sensors.add(self._c, name, kind, of, ref, touched_by, vector, threshold, cutoff, contact, look, every=every, history=history, shown=shown, noise=noise,
                    noise_kind=noise_kind, bias=bias, delay=delay, hold=hold)

    @_kept
    def motor(self, names: str, motor: Motor) -> None:
        """Another motor for the actuators of these names, separated by commas, `*` and `?` as in a shell."""
        check(lib.myr_builder_motor(self._c, encode(names, "names"), motors.make(motor)))

    @_kept
    def friction_group(self, name: str, geoms: str) -> None:
        """Put geoms, names separated by commas, `*` and `?` as in a shell, into a group whose friction has a factor of its own in each environment."""
        check(lib.myr_builder_friction_group(self._c, encode(name, "name"), encode(geoms, "geoms")))

    @_kept
    def fluid(self, density: float = 0.0, viscosity: float = 0.0, wind: Sequence[float] = (0, 0, 0)) -> None:
        """Let the robot be in a fluid: density [kg/m^3], viscosity [Pa s], wind in the world [m/s]. The last word counts; docs/fluid.md."""
        if len(wind) != 3:
            raise ArgumentError(f"wind has {len(wind)} numbers, but must have 3")
        fluid = ffi.new("myr_fluid *", {"density": density, "viscosity": viscosity, "wind": list(map(float, wind))})
        check(lib.myr_builder_fluid(self._c, fluid))

    @_kept
    def passive(self) -> None:
        """No joint is driven but by what `actuator` adds."""
        check(lib.myr_builder_passive(self._c))

    @_kept
    def home(self, body: int, position: Sequence[float], quaternion: Sequence[float] = (1, 0, 0, 0)) -> None:
        """Where a body on a free joint starts: position of its origin in the world [m], quaternion body -> world."""
        at, turn = ffi.new("double[3]"), ffi.new("double[4]")
        _numbers(at, position, "position")
        _numbers(turn, quaternion, "quaternion")
        check(lib.myr_builder_home(self._c, body, at, turn))

    @_kept
    def add_model(self, model: Model, prefix: str = "", *, position: Sequence[float] = (0, 0, 0),
                  quaternion: Sequence[float] = (1, 0, 0, 0), body: int = -1, root: str = "auto") -> None:
        """Put a whole model into this one: a robot beside others, an object, a hand on body `body` (-1: in the world).

        prefix: before each of its names. position, quaternion: where its world is, in the world or in the body's frame [m]. root: "auto", as
        the model has it; "fixed", what floats stays where it is at home; "floating", its one root is let go. Its home pose is where it starts.
        Gravity, the height of the ground and the timestep are those of what came first."""
        keep = ffi.new("char[]", encode(prefix, "prefix"))
        placement = ffi.new("myr_placement *", lib.myr_placement_default())
        placement.prefix, placement.body, placement.root = keep, body, _choose(_ROOTS, root, "root")
        _numbers(placement.position_m, position, "position")
        _numbers(placement.quaternion, quaternion, "quaternion")
        check(lib.myr_builder_add_model(self._c, model._c, placement))

    def find_body(self, name: str) -> int:
        """The number of a body by its name, for what came by `add_model`."""
        number = ffi.new("int *")
        check(lib.myr_builder_find_body(self._c, encode(name, "name"), number))
        return number[0]

    def find_geom(self, name: str) -> int:
        """The number of a geom by its name."""
        number = ffi.new("int *")
        check(lib.myr_builder_find_geom(self._c, encode(name, "name"), number))
        return number[0]

    def compile(self) -> Model:
        """Check and compile. The builder stays usable."""
        out = ffi.new("myr_model **")
        check(lib.myr_builder_compile(self._c, out))
        model = Model._from_pointer(out[0])
        model._origin = "compile", (self._name, list(self._calls))
        model._warn()
        return model


Other._maker = ModelBuilder
