"""Bullet, by its Python package: each tree of a scene is a multi-body in joint coordinates, a free body is one of no joints.

As its package has it, unless VARIANTS says otherwise: erp of contacts 0.08, of friction 0.2, of joints 0.2, slop 1e-5 m, no cfm, no split impulse (it is not
made for multi-bodies), warm start 0.85, shapes with a margin of 1 mm inside them, contacts kept within 2 cm, contacts below 0.2 m/s do not rebound, no
threshold of contact processing. Set to nothing here, since the scenes have none of them: rolling and spinning friction, damping of bodies (0.04 by default),
sleep, the motors that every joint has by default, the largest velocity of joints (100 by default).

Friction and restitution of a pair are products of its two bodies' coefficients, so each body has the square root of the scene's."""
from __future__ import annotations

import contextlib
import ctypes
import importlib.metadata
import math
import os
import sys
from collections.abc import Callable

import numpy as np

import poses
import recorder
from track import Track
from world import WORLD, Body, Geom, Scene


@contextlib.contextmanager
def silent():
    """The package says from C when it was built and which solver it switched to; both outputs are the caller's."""
    sys.stdout.flush()
    kept, nothing = (os.dup(1), os.dup(2)), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for file in (*kept, nothing):
            os.close(file)


with silent():
    try:
        import pybullet
    except ImportError:
        pybullet = None

NAME = "Bullet"
#: What setPhysicsEngineParameter is given. Sequential impulses sweep 50 times at most, and stop at a squared residual of 1e-7.
VARIANTS = {
    "Bullet": {},
    "Bullet 1000 sweeps": {"numSolverIterations": 1000, "solverResidualThreshold": 1e-30},
    # A contact that is still apart takes gap / dt off the speed of its rebound; here contacts begin at 0.01 mm.
    "Bullet near contacts": {"numSolverIterations": 1000, "solverResidualThreshold": 1e-30, "contactBreakingThreshold": 1e-5},
    # Friction within a box along two axes, not a cone; cfm as in the package's example: without it a box at rest is left to sweeps in nearly every step.
    "Bullet Dantzig": {"constraintSolverType": "CONSTRAINT_SOLVER_LCP_DANTZIG", "globalCFM": 1e-6},
}
KINDS = {"slide": "JOINT_PRISMATIC", "hinge": "JOINT_REVOLUTE", "fixed": "JOINT_FIXED"}
MOST_LINKS = 127  #: of one tree: what one command of the package can say
MOST_SHAPES = 16  #: of one body, likewise
KEPT = 0.02  #: default distance up to which contacts are kept [m]
STRONG = 1e10  #: largest force of a loop [N]; by default 500


def version() -> str:
    return importlib.metadata.version("pybullet")


def available() -> str:
    return "" if pybullet else "not installed: pybullet"


def cannot(scene: Scene, variant: str = "") -> str:
    """Why no variant can say a scene, or why this one cannot; "" where it can."""
    roots: dict[str, str] = {WORLD: ""}
    for body in scene.bodies:
        roots[body.name] = roots[body.parent] or body.name
        if body.joint.kind == "free" and body.parent != WORLD:
            return f"{body.name} is free and hangs on {body.parent}: a free body hangs on the world alone"
        if body.joint.motor is not None and body.joint.dry_friction > 0:
            return f"{body.name} has a motor and dry friction, both of which are Bullet's one motor of a joint"
        if len(body.geoms) > MOST_SHAPES:
            return f"{body.name} has {len(body.geoms)} shapes: Bullet's package takes {MOST_SHAPES} of a body"
    trees = list(roots.values())
    if max(map(trees.count, trees)) > MOST_LINKS:
        return f"Bullet's package takes trees of at most {MOST_LINKS} bodies"
    if scene.friction > 10:
        return "Bullet's friction coefficients end at 10"
    return ""


class Bullet:
    """A scene in a server of its own. handle[i]: body i as (unique id, link), link -1 the root of its tree."""

    def __init__(self, scene: Scene, settings: dict, dt: float):
        self.scene, self.dt = scene, dt
        self.client = pybullet.connect(pybullet.DIRECT)
        self.swept: list[int] = []
        self.notes: list[str] = []
        self.constrained: list[str] = []  # springs that the constraint solver has
        self.handle: list[tuple[int, int]] = [(-1, -1)] * len(scene.bodies)
        self.position, self.quaternion = poses.start(scene)
        self.com = np.array([body.com for body in scene.bodies], float)
        settings = {"contactBreakingThreshold": KEPT} | settings  # the package has one for all its worlds, which outlives them
        settings = {name: getattr(pybullet, value) if isinstance(value, str) else value for name, value in settings.items()}
        with silent():
            self.call("setPhysicsEngineParameter", fixedTimeStep=dt, numSubSteps=0, deterministicOverlappingPairs=1, reportSolverAnalytics=1, **settings)
        self.call("setGravity", *scene.gravity)
        for root, body in enumerate(scene.bodies):
            if body.parent == WORLD:
                self._tree(root)
        self.ground = self.call("createMultiBody", 0, self.call("createCollisionShape", pybullet.GEOM_PLANE, planeNormal=[0, 0, 1]))
        self.number = {handle: i for i, handle in enumerate(self.handle)} | {(self.ground, -1): -1}
        for i in range(len(scene.bodies)):
            self._dynamics(i)
        self.call("changeDynamics", self.ground, -1, **self._surface())
        self._filter()
        self.springs = [self._spring(i) for i, body in enumerate(scene.bodies) if self._sprung(body)]
        if self.constrained:
            self.notes.append(f"springs of {', '.join(self.constrained)} are motors of the constraint solver, limited to the spring's force: too stiff for torques")
        for loop in scene.loops:
            self._close(loop)
        self._start()

    def call(self, name: str, *arguments, **named):
        return getattr(pybullet, name)(*arguments, physicsClientId=self.client, **named)

    def close(self) -> None:
        pybullet.disconnect(self.client)

    # ---- building

    def _shape(self, geoms: tuple[Geom, ...]) -> int:
        if not geoms:
            return -1
        said = {"shapeTypes": [], "radii": [], "halfExtents": [], "lengths": [], "collisionFramePositions": [], "collisionFrameOrientations": []}
        for geom in geoms:
            round_ = geom.kind != "box"
            said["shapeTypes"].append(getattr(pybullet, "GEOM_" + geom.kind.upper()))
            said["radii"].append(geom.size[0] if round_ else 0.0)
            said["lengths"].append(2 * geom.size[1] if geom.kind in ("capsule", "cylinder") else 0.0)
            said["halfExtents"].append([0.0] * 3 if round_ else list(geom.size))
            said["collisionFramePositions"].append(list(geom.position))
            said["collisionFrameOrientations"].append(_xyzw(poses.unit(geom.quaternion)))
        return self.call("createCollisionShapeArray", **said)

    def _tree(self, root: int) -> None:
        """A root on a slide or a hinge hangs on an empty body that stands still; one that is fixed stands still itself."""
        bodies, scene = self.scene.bodies, self.scene
        hangs = bodies[root].joint.kind in ("slide", "hinge")
        links, slot = [], {root: 0}  # slot: 0 the base, n > 0 link n - 1, as the package counts parents
        if hangs:
            links, slot = [root], {root: 1}
        for i, body in enumerate(bodies):
            parent = scene.index(body.parent)
            if parent in slot:
                links.append(i)
                slot[i] = len(links)
        still = [0, 0, 0], [0, 0, 0, 1]
        base = bodies[root]
        mass = 0.0 if hangs or base.joint.kind == "fixed" else base.mass
        where = still if hangs else (list(self.position[root]), _xyzw(self.quaternion[root]))
        inside = still if hangs else (list(base.com), [0, 0, 0, 1])
        said = {name: [] for name in ("linkMasses", "linkCollisionShapeIndices", "linkVisualShapeIndices", "linkPositions", "linkOrientations",
                                      "linkInertialFramePositions", "linkInertialFrameOrientations", "linkParentIndices", "linkJointTypes", "linkJointAxis")}
        for i in links:
            body = bodies[i]
            for name, value in zip(said, (body.mass, self._shape(body.geoms), -1, list(body.position), _xyzw(poses.unit(body.quaternion)), list(body.com),
                                          [0, 0, 0, 1], 0 if i == root else slot[scene.index(body.parent)], getattr(pybullet, KINDS[body.joint.kind]),
                                          list(np.asarray(body.joint.axis, float) / np.linalg.norm(body.joint.axis)))):
                said[name].append(value)
        flags = pybullet.URDF_USE_SELF_COLLISION | pybullet.URDF_USE_SELF_COLLISION_INCLUDE_PARENT  # which pairs do is the filter's
        made = self.call("createMultiBody", mass, -1 if hangs else self._shape(base.geoms), -1, *where, *inside, flags=flags, **said)
        for i, place in slot.items():
            self.handle[i] = (made, place - 1)

    def _surface(self) -> dict:
        return {"lateralFriction": math.sqrt(self.scene.friction), "restitution": math.sqrt(self.scene.restitution), "rollingFriction": 0.0, "spinningFriction": 0.0,
                "linearDamping": 0.0, "angularDamping": 0.0, "maxJointVelocity": 1e6, "activationState": pybullet.ACTIVATION_STATE_DISABLE_SLEEPING}

    def _dynamics(self, i: int) -> None:
        body, handle = self.scene.bodies[i], self.handle[i]
        self.call("changeDynamics", *handle, **self._surface())
        if not (handle[1] == -1 and body.joint.kind == "fixed"):
            self.call("changeDynamics", *handle, localInertiaDiagonal=list(body.inertia))  # it took those of the shapes
        if handle[1] >= 0 and body.joint.kind in ("slide", "hinge"):
            self.call("changeDynamics", *handle, jointDamping=self._damping(body))
            self.call("setJointMotorControl2", *handle, pybullet.VELOCITY_CONTROL, targetVelocity=0.0, force=body.joint.dry_friction)

    def _damping(self, body: Body) -> float:
        """Bullet's damping is a force of the velocity before the step. One that would turn the joint back in a step is cut to what stops it."""
        if self._stiff(body):
            return 0.0
        damping = min(body.joint.damping, poses.about_axis(body) / self.dt)
        if damping < body.joint.damping:
            self.notes.append(f"damping of {body.name} {damping:g} in place of {body.joint.damping:g}: Bullet's is explicit")
        return damping

    def _stiff(self, body: Body) -> bool:
        """Whether a motor is too stiff or too damped for forces of the state before the step."""
        joint, moved = body.joint, poses.about_axis(body)
        return joint.motor is not None and (joint.damping * self.dt > moved or joint.motor.kp * self.dt ** 2 > moved)

    def _filter(self) -> None:
        everything = [*self.handle, (self.ground, -1)]
        everything += [(body, -1) for body in {body for body, _ in self.handle} if (body, -1) not in everything]  # the empty ones
        for handle in everything:
            self.call("setCollisionFilterGroupMask", *handle, 0, 0)
        for a, b in recorder.Pairs(self.scene):
            (body, link), (other, its) = self.handle[a], (self.ground, -1) if b < 0 else self.handle[b]
            self.call("setCollisionFilterPair", body, other, link, its, 1)

    def _sprung(self, body: Body) -> bool:
        return body.joint.kind in ("slide", "hinge") and body.joint.motor is not None

    def _spring(self, i: int) -> tuple:
        body = self.scene.bodies[i]
        motor, stiff = body.joint.motor, self._stiff(body)
        if stiff:
            self.constrained.append(body.name)
        return (*self.handle[i], motor.kp, motor.target, body.joint.damping + self.dt * motor.kp if stiff else 0.0)

    def _close(self, loop) -> None:
        ends = []
        for name in (loop.first, loop.second):
            i = self.scene.index(name)
            at = np.asarray(loop.at, float)
            local = at if i < 0 else poses.rotate(poses.conjugate(self.quaternion[i]), at - self.position[i]) - self.com[i]
            ends.append(((self.ground, -1) if i < 0 else self.handle[i], list(local)))
        (first, here), (second, there) = ends
        made = self.call("createConstraint", *first, *second, pybullet.JOINT_POINT2POINT, [0, 0, 0], here, there)
        self.call("changeConstraint", made, maxForce=STRONG)

    def _start(self) -> None:
        for i, body in enumerate(self.scene.bodies):
            if not body.velocity:
                continue
            if body.joint.kind == "free":
                spin = np.asarray(body.velocity[3:], float)
                centre = np.asarray(body.velocity[:3], float) + np.cross(spin, poses.rotate(self.quaternion[i], self.com[i]))
                self.call("resetBaseVelocity", self.handle[i][0], list(centre), list(spin))
            elif body.joint.kind != "fixed":
                self.call("resetJointState", *self.handle[i], 0.0, body.velocity[0])

    # ---- stepping and reading

    def step(self) -> None:
        for body, link, kp, target, resists in self.springs:
            force = kp * (target - self.call("getJointState", body, link)[0])
            if resists:  # as fast as spring and damper would have it, by no more than the spring's force: a joint that is held feels that force
                self.call("setJointMotorControl2", body, link, pybullet.VELOCITY_CONTROL, targetVelocity=force / resists, force=abs(force))
            else:
                self.call("setJointMotorControl2", body, link, pybullet.TORQUE_CONTROL, force=force)
        self.analytics = self.call("stepSimulation")

    def stepper(self) -> Callable[[], object]:
        """What is timed: without springs the package's own call."""
        if self.springs:
            return self.step
        client, call = self.client, pybullet.stepSimulation
        return lambda: call(client)

    def state(self) -> recorder.State:
        count = len(self.handle)
        position, quaternion, velocity, joint = np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 6)), np.full((count, 2), np.nan)
        for i, (body, link) in enumerate(self.handle):
            if link < 0:
                centre, turned = self.call("getBasePositionAndOrientation", body)
                linear, angular = self.call("getBaseVelocity", body)
            else:  # the package's frames of links are in single precision, their centres of mass are not
                said = self.call("getLinkState", body, link, computeLinkVelocity=1, computeForwardKinematics=1)
                centre, turned, linear, angular = said[0], said[1], said[6], said[7]
                if self.scene.bodies[i].joint.kind != "fixed":
                    joint[i] = self.call("getJointState", body, link)[:2]
            quaternion[i] = turned[3], *turned[:3]
            arm = poses.rotate(quaternion[i], self.com[i])
            position[i] = centre - arm
            velocity[i, :3], velocity[i, 3:] = linear - np.cross(angular, arm), angular
        return position, quaternion, velocity, joint

    def contacts(self, found: recorder.ContactList) -> None:
        """The manifolds as the step used them: points are moved by the next step, not after this one."""
        if self.analytics:
            self.swept.append(max(island["numIterationsUsed"] for island in self.analytics))  # -1 of Dantzig's, where it had no need of sweeps
        for point in self.call("getContactPoints"):
            _, a, b, link, its, on_a, on_b, normal, distance, force, first, along, second, across = point
            force = force * np.array(normal) + first * np.array(along) + second * np.array(across)
            found.add(self.number[a, link], self.number[b, its], 0.5 * (np.array(on_a) + on_b), normal, force * self.dt, -distance)


def _xyzw(q: np.ndarray) -> list[float]:
    return [float(q[1]), float(q[2]), float(q[3]), float(q[0])]


def run(scene: Scene, variant: str, dt: float, frames: int = 600) -> Track:
    reason = available() or cannot(scene, variant)
    if reason:
        raise ValueError(f"{NAME}, scene {scene.name}: {reason}")
    world = Bullet(scene, VARIANTS[variant], dt)
    try:
        track = recorder.record(scene, dt, frames, world.step, world.state, after=world.contacts)
        track.note = "; ".join([*world.notes, track.note] if track.note else world.notes)
        swept = sum(sweeps > 0 for sweeps in world.swept)
        if "constraintSolverType" in VARIANTS[variant] and swept:
            track.note += f"{'; ' if track.note else ''}Dantzig's solver failed and left {swept} of {len(world.swept)} steps looked at to sweeps"
        track.iterations = float(np.mean(world.swept)) if world.swept and max(world.swept) > 0 else float("nan")
    finally:
        world.close()
    again = Bullet(scene, VARIANTS[variant], dt)
    try:
        track.ns_per_step = recorder.timed(round(scene.seconds / dt), again.stepper())
    finally:
        again.close()
    return track
