"""What a model is made of, as `Model` tells of it: joints, bodies, actuators, shapes, slots, pairs, rows, loops, frames."""
from __future__ import annotations

from dataclasses import dataclass

from .motors import Motor


@dataclass(frozen=True)
class Joint:
    """A moving joint and the body it carries. Its numbers are q[q : q + nq], v[v : v + nv]; u is the first actuator that acts on it, -1: none."""

    name: str
    body: str
    type: str  #: revolute, prismatic, ball or free
    parent: int  #: joint number, -1: the world
    q: int  #: first index into q
    v: int  #: first index into v
    u: int  #: the first actuator that acts on it, -1: none
    nq: int  #: numbers in q
    nv: int  #: numbers in v
    lower: float  #: position limits [rad | m]; lower > upper: none
    upper: float
    effort_limit: float  #: its own, and no more than its actuators can give [N m | N]; 0 without one
    velocity_limit: float  #: [rad/s | m/s]
    damping: float  #: viscous [N m s/rad | N s/m]
    armature: float  #: rotor inertia [kg m^2 | kg]
    dry_friction: float  #: [N m | N]
    stiffness: float  #: of a spring [N m/rad | N/m]
    spring_rest: float  #: where it is slack [rad | m]
    position: tuple[float, ...]  #: joint frame [m] in the frame of the parent joint's body, or in the world
    quaternion: tuple[float, ...]  #: joint frame -> that frame
    axis: tuple[float, ...]  #: unit, in the joint frame; 0 of ball and free joints
    index: int  #: its number, and its body's


@dataclass(frozen=True)
class Body:
    """A moving body, with all that is fixed to it. Its frame is its joint's after the joint's motion."""

    name: str
    parent: int  #: number of the body that it hangs on, -1: the world
    tree: int  #: which tree it is in
    mass: float  #: [kg]
    com: tuple[float, ...]  #: centre of mass [m] in the body's frame
    inertia: tuple[float, ...]  #: about it, body axes: xx yy zz xy xz yz [kg m^2]
    index: int  #: its number, and its joint's


@dataclass(frozen=True)
class Frame:
    """A name for a pose fixed to a body: every link of the file, moving or not, and named points."""

    name: str
    body: int  #: number of the body that carries it, -1: the world
    position: tuple[float, ...]  #: [m] in the body's frame, or in the world
    quaternion: tuple[float, ...]  #: frame -> body axes
    index: int  #: its number


@dataclass(frozen=True)
class Fluid:
    """What a robot moves in: `Model.fluid`. Nothing drags where density and viscosity are 0."""

    density: float  #: [kg/m^3]
    viscosity: float  #: [Pa s]
    wind: tuple[float, float, float]  #: how it moves, world [m/s]


@dataclass(frozen=True)
class Actuator:
    """What drives a joint, or several: force = kp (target - length) - kd d(length)/dt + torque within lower and upper, length being the sum of
    moments times positions; each joint gets its moment times the force."""

    name: str
    joints: tuple[int, ...]  #: their numbers
    moments: tuple[float, ...]
    kp: float  #: its own gain [N m/rad | N/m]; below 0: as a batch's settings say
    kd: float  #: likewise [N m s/rad | N s/m]
    lower: float  #: of the force [N m | N]
    upper: float
    controls: str  #: what `Batch.control` sets: target or torque
    control_scale: float  #: target or torque = control_scale * control + control_bias
    control_bias: float
    control_lower: float  #: controls are kept above
    control_upper: float  #: and below
    home_target: float  #: what an episode begins with
    home_torque: float
    motor: Motor = Motor()
    pushes: bool = False  #: a frame of body `body` (-1: the world), by `gear` times its force, and no joint
    body: int = -1
    gear: tuple[float, ...] = ()


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
    index: int = -1  #: its number
    hull_error: float = 0.0  #: hull: the largest distance [m] from a corner that was left out to what is kept


@dataclass(frozen=True)
class Slot:
    """A place where a contact may appear. Impulses act on `body`, and reversed on `other_body`; z of the contact frame points from `other` into `geom`."""

    geom: int  #: number of the geom
    other: int  #: the geom that it touches, -1: the ground
    body: int  #: number of the joint whose body carries the geom
    other_body: int  #: the same of the other, -1: ground, or fixed to the world
    feature: int  #: which of the places: docs/models.md, Slots
    friction: float  #: coefficient mu


@dataclass(frozen=True)
class Pair:
    """Two shapes that may touch each other."""

    geom: int  #: number of the geom on which impulses act
    other: int
    slot: int  #: its slots: slot .. slot + n_slots - 1
    n_slots: int


@dataclass(frozen=True)
class Dropped:
    """Two shapes of one robot that the filters let through and that do not touch all the same."""

    geom: int
    other: int
    reason: str  #: "never near": in no pose that was tried were they within 1 cm; "overlaps by design": at home and in more than 95 % of the poses
    gap: float  #: [m] the least that was seen; of what overlaps: minus by how much at home
    share: float  #: of the poses tried in which they overlapped


@dataclass(frozen=True)
class Row:
    """The position limits and the dry friction of a joint or a tendon, together (docs/contact.md, Joint rows)."""

    joint: int  #: its number; of a tendon: its first joint's
    lower: float  #: [rad | m]; -inf: none
    upper: float
    dry_friction: float  #: [N m | N]
    length_m: float  #: by which a hinge's row is scaled: the distance of the farthest thing that it moves; 1 for sliders
    tendon: str | None = None  #: its name; None: the row is a joint's
    joints: tuple[int, ...] = ()  #: of a tendon, whose position is the sum of coefficients * q(joints)
    coefficients: tuple[float, ...] = ()


@dataclass(frozen=True)
class Loop:
    """Two bodies that stay together beyond the tree, or joints whose positions depend on each other (docs/contact.md, Loops)."""

    name: str
    type: str  #: ball, revolute, fixed or coupling
    body: int  #: number of the joint whose body carries its first end; of a coupling: its first joint
    other: int  #: the second end, -1: the world; of a coupling: its driver, -1: none
    row: int  #: its numbers in `Batch.loop_impulse`: row .. row + n_rows - 1
    n_rows: int
    length_m: float  #: by which rows that turn are scaled
    position: tuple[float, ...] = ()  #: the loop's frame [m] in the first body's; of couplings none, likewise the next three
    quaternion: tuple[float, ...] = ()  #: its z is the axis of a revolute loop
    other_position: tuple[float, ...] = ()  #: the same frame in the other body's, or in the world
    other_quaternion: tuple[float, ...] = ()
    joints: tuple[int, ...] = ()  #: of a coupling: sum of coefficients * q(joints) = polynomial(q(other))
    coefficients: tuple[float, ...] = ()
    polynomial: tuple[float, ...] = ()  #: p0 .. p4
