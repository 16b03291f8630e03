"""A scene in words that each engine can be told: bodies on joints, shapes, what may touch, and the law's own answer.

Units: m, kg, s, N, rad. Quaternions are w x y z. Every body's frame is where its joint is; shapes and the centre of mass are given in it.
One coefficient of friction and one of restitution hold for the whole scene, since engines mix those of two shapes in different ways."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from track import Track

WORLD = "world"  #: the parent of what hangs on nothing; as the second of a pair: the ground, a plane z = 0


@dataclass(frozen=True)
class Geom:
    """A shape. size: sphere (radius,), box half extents (x, y, z), capsule and cylinder (radius, half length) along z."""

    kind: str
    size: tuple[float, ...]
    position: tuple[float, float, float] = (0, 0, 0)
    quaternion: tuple[float, float, float, float] = (1, 0, 0, 0)


@dataclass(frozen=True)
class Motor:
    """A spring from a joint to where it is wanted: kp (target - q) [N, N m]. What damps is the joint's."""

    kp: float
    target: float


@dataclass(frozen=True)
class Joint:
    """How a body hangs on its parent: free, fixed, slide or hinge (about or along an axis of the body's frame)."""

    kind: str = "free"
    axis: tuple[float, float, float] = (0, 0, 1)
    damping: float = 0  #: viscous [N s/m, N m s/rad]
    dry_friction: float = 0  #: Coulomb's, in the joint itself [N, N m]
    motor: Motor | None = None


@dataclass(frozen=True)
class Body:
    name: str
    mass: float
    inertia: tuple[float, float, float]  #: principal moments about the centre of mass, along the body's axes
    joint: Joint = Joint()
    parent: str = WORLD
    position: tuple[float, float, float] = (0, 0, 0)  #: of the body's frame in its parent's, at the start
    quaternion: tuple[float, float, float, float] = (1, 0, 0, 0)
    com: tuple[float, float, float] = (0, 0, 0)
    geoms: tuple[Geom, ...] = ()
    velocity: tuple[float, ...] = ()  #: at the start: of a free body 3 of its frame and 3 angular, world axes; of slide and hinge 1; (): rest


@dataclass(frozen=True)
class Loop:
    """A point of one body stays on a point of another (a ball joint that closes a loop). `at`: that point in the world, at the start."""

    first: str
    second: str
    at: tuple[float, float, float]


@dataclass(frozen=True)
class Figure:
    """One number that a scene is judged by, beside what the exact law has in its place."""

    name: str
    value: float
    unit: str
    exact: float | None = None  #: None: nothing is exact about it
    digits: int = 3


@dataclass(frozen=True)
class Scene:
    name: str  #: file name and row name; variants end in their parameter, as "grip-40"
    title: str
    law: str  #: the exact answer, in words
    source: str  #: who complained or measured, or where the closed form is from
    seconds: float
    bodies: tuple[Body, ...]
    touch: tuple[tuple[str, str], ...]  #: pairs of bodies whose shapes may touch; nothing else does
    judge: Callable[[Track], list[Figure]]
    friction: float = 0.5
    restitution: float = 0
    gravity: tuple[float, float, float] = (0, 0, -9.81)
    loops: tuple[Loop, ...] = ()
    file: str = ""  #: a file of MJCF that says all of it, from its keyframe `home`; `bodies` then are its bodies' names. For engines that read such files
    mass: float = 1.0  #: [kg] of what is watched: impulses are divided by it where they are compared with velocities
    control: tuple[float, ...] = ()  #: of a file's actuators, in their order
    look: float = 0.0  #: time from which on residuals count [s]: the start is not always a lawful state

    def index(self, name: str) -> int:
        """A body's number; the ground's is -1."""
        return -1 if name == WORLD else [body.name for body in self.bodies].index(name)

    def with_(self, **changes: object) -> Scene:
        return dataclasses.replace(self, **changes)
