"""Drake: a discrete MultibodyPlant with point contact.

Point contact gives two shapes one point. Flat faces would rock on it, so shapes get points of their own, as Drake's own examples do: spheres of radius 0 at
corners and rims, spheres of the radius at the ends of capsules. They add points to a shape and never enlarge it (drake_shapes.py).

Contact is as stiff as Drake takes it: STIFF, which its solver softens to what it can resolve (near-rigid threshold 1, the default), and its other numbers
are the defaults: relaxation 0.1 s (sap; one variant has 0), Hunt and Crossley's dissipation 50 s/m (the others), stiction tolerance 1e-4 m/s. Motors are its implicit PD
controllers. Dry friction of a joint is one too: no stiffness, much damping, and the friction as its effort limit; the package has no other way to say it."""
from __future__ import annotations

import importlib.metadata
import logging

import numpy as np

import poses
import recorder
from track import Track
from world import WORLD, Scene

try:
    import pydrake
    import pydrake.common.eigen_geometry
    import pydrake.math
    import pydrake.multibody.math
    import pydrake.multibody.plant
    import pydrake.multibody.tree
    import pydrake.systems.analysis
    import pydrake.systems.framework

    import drake_shapes

    logging.getLogger("drake").setLevel(logging.ERROR)  # it warns that planes do not touch what can be deformed
except ImportError:
    pydrake = None

NAME = "Drake"
STIFF = 1e10  #: [N/m] of each shape; of a pair half of it
HOLDS = 1e9  #: damping of the controller that stands for dry friction [N s/m, N m s/rad]
#: Which approximation of contact; "allowance": the penetration [m] that sets stiffness in place of STIFF; "relaxation" [s].
VARIANTS = {
    "Drake sap": {"approximation": "sap"},
    "Drake sap, relaxation 0": {"approximation": "sap", "relaxation": 0.0},
    "Drake similar": {"approximation": "similar"},
    "Drake lagged": {"approximation": "lagged"},
    "Drake tamsi": {"approximation": "tamsi", "allowance": 1e-4},
}


def version() -> str:
    return importlib.metadata.version("drake")


def available() -> str:
    return "" if pydrake else "not installed: drake"


def cannot(scene: Scene, variant: str = "") -> str:
    """Why no variant can say a scene, or why this one cannot; "" where it can."""
    if scene.restitution > 0:
        return "Drake has no coefficient of restitution"
    for body in scene.bodies:
        if body.joint.kind == "free" and body.parent != WORLD:
            return f"{body.name} is free and hangs on {body.parent}: a free body hangs on the world alone"
        if body.joint.dry_friction > 0 and body.joint.motor is not None:
            return f"{body.name} has a motor and dry friction, both of which are Drake's one controller of a joint"
    if variant and VARIANTS[variant]["approximation"] == "tamsi":
        if scene.loops:
            return "Drake's tamsi has no ball constraints"
        if any(body.joint.dry_friction > 0 for body in scene.bodies):
            return "Drake's tamsi has no dry friction in joints, and no controllers with a limit to stand for it"
    return ""


class Drake:
    """A scene as a plant and its simulator. Output ports are live: what they say is the step that comes next, and the step uses that very answer."""

    def __init__(self, scene: Scene, settings: dict, dt: float):
        self.scene, self.dt, self.done = scene, dt, 0
        self.notes: list[str] = []
        self.implicit = settings["approximation"] != "tamsi"
        multibody, builder = pydrake.multibody, pydrake.systems.framework.DiagramBuilder()
        self.plant, graph = multibody.plant.AddMultibodyPlantSceneGraph(builder, dt)
        self.plant.SetUseSampledOutputPorts(False)
        approximation = getattr(multibody.plant.DiscreteContactApproximation, "k" + settings["approximation"].capitalize())
        self.plant.set_discrete_contact_approximation(approximation)
        self.plant.set_adjacent_bodies_collision_filters(False)  # a scene names its pairs itself
        self.plant.set_contact_model(multibody.plant.ContactModel.kPoint)
        self.plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        self._bodies()
        surface = drake_shapes.surface(scene, None if "allowance" in settings else STIFF, settings.get("relaxation"))
        drake_shapes.register(self.plant, graph, scene, self.bodies, surface)
        self._loops()
        self.plant.Finalize()
        if "allowance" in settings:
            self.plant.set_penetration_allowance(settings["allowance"])
        self.number = {int(body.index()): i for i, body in enumerate(self.bodies)} | {0: -1}
        self.diagram = builder.Build()
        self.simulator = pydrake.systems.analysis.Simulator(self.diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self._start()
        self.simulator.Initialize()

    def _bodies(self) -> None:
        tree, plant = pydrake.multibody.tree, self.plant
        self.bodies, self.joints, self.wanted = [], [], []
        for body in self.scene.bodies:
            moments = tree.RotationalInertia(*(float(x) for x in body.inertia))
            massless = body.joint.kind == "fixed" and body.mass <= 0
            inertia = tree.SpatialInertia.Zero() if massless else tree.SpatialInertia.MakeFromCentralInertia(body.mass, np.array(body.com, float), moments)
            self.bodies.append(plant.AddRigidBody(body.name, inertia))
            self.joints.append(self._joint(body))

    def _joint(self, body):
        tree, plant = pydrake.multibody.tree, self.plant
        if body.joint.kind == "free":
            return None
        parent = plant.world_frame() if body.parent == WORLD else self.bodies[self.scene.index(body.parent)].body_frame()
        here = self.bodies[-1].body_frame()
        pose = _pose(body.position, poses.unit(body.quaternion))
        if body.joint.kind == "fixed":
            plant.WeldFrames(parent, here, pose)
            return None
        there = plant.AddFrame(tree.FixedOffsetFrame(body.name + " joint", parent, pose))
        kind = tree.PrismaticJoint if body.joint.kind == "slide" else tree.RevoluteJoint
        joint = plant.AddJoint(kind(body.name, there, here, np.asarray(body.joint.axis, float), damping=body.joint.damping))
        motor = body.joint.motor
        if motor is not None and not self.implicit:  # a force of the state before the step: tamsi has no controllers
            if motor.kp * self.dt ** 2 > poses.about_axis(body):
                self.notes.append(f"the spring of {body.name} is too stiff for tamsi, which has it as a force of the state before the step")
            spring = tree.PrismaticSpring if body.joint.kind == "slide" else tree.RevoluteSpring
            plant.AddForceElement(spring(joint, motor.target, motor.kp))
        elif motor is not None:
            plant.AddJointActuator(body.name, joint).set_controller_gains(tree.PdControllerGains(p=motor.kp, d=0.0))
            self.wanted.append(motor.target)
        elif body.joint.dry_friction > 0:
            plant.AddJointActuator(body.name, joint, body.joint.dry_friction).set_controller_gains(tree.PdControllerGains(p=0.0, d=HOLDS))
            self.wanted.append(0.0)
        return joint

    def _loops(self) -> None:
        """A loop to the world ends on a body that is welded to it: Drake 1.51.1 dies of a ball constraint on the world's own body."""
        position, quaternion = poses.start(self.scene)
        anchor = None
        if any(WORLD in (loop.first, loop.second) for loop in self.scene.loops):
            anchor = self.plant.AddRigidBody("where loops end in the world", pydrake.multibody.tree.SpatialInertia.Zero())
            self.plant.WeldFrames(self.plant.world_frame(), anchor.body_frame())
        for loop in self.scene.loops:
            ends = []
            for name in (loop.first, loop.second):
                i, at = self.scene.index(name), np.asarray(loop.at, float)
                body = anchor if i < 0 else self.bodies[i]
                ends += [body, at if i < 0 else poses.rotate(poses.conjugate(quaternion[i]), at - position[i])]
            self.plant.AddBallConstraint(*ends)

    def _start(self) -> None:
        position, quaternion = poses.start(self.scene)
        for i, (body, joint) in enumerate(zip(self.scene.bodies, self.joints)):
            if body.joint.kind == "free":
                self.plant.SetFreeBodyPose(self.context, self.bodies[i], _pose(position[i], quaternion[i]))
                if body.velocity:
                    velocity = pydrake.multibody.math.SpatialVelocity(w=np.array(body.velocity[3:], float), v=np.array(body.velocity[:3], float))
                    self.plant.SetFreeBodySpatialVelocity(self.context, self.bodies[i], velocity)
            elif joint is not None and body.velocity:
                (joint.set_translation_rate if body.joint.kind == "slide" else joint.set_angular_rate)(self.context, body.velocity[0])
        if self.wanted:
            port = self.plant.get_desired_state_input_port(pydrake.multibody.tree.default_model_instance())
            port.FixValue(self.context, np.array(self.wanted + [0.0] * len(self.wanted)))

    # ---- stepping and reading

    def step(self) -> None:
        self.done += 1
        try:
            self.simulator.AdvanceTo(self.done * self.dt)
        except RuntimeError as error:
            raise recorder.Stopped(str(error).split(".")[0]) from error

    def state(self) -> recorder.State:
        count = len(self.bodies)
        position, quaternion, velocity, joint = np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 6)), np.full((count, 2), np.nan)
        for i, body in enumerate(self.bodies):
            pose = body.EvalPoseInWorld(self.context)
            moves = body.EvalSpatialVelocityInWorld(self.context)
            position[i], quaternion[i] = pose.translation(), pose.rotation().ToQuaternion().wxyz()
            velocity[i, :3], velocity[i, 3:] = moves.translational(), moves.rotational()
            if self.joints[i] is not None:
                joint[i] = self.joints[i].GetOnePosition(self.context), self.joints[i].GetOneVelocity(self.context)
        return position, quaternion, velocity, joint

    def ahead(self, found: recorder.ContactList) -> None:
        """The contacts of the step that comes next."""
        try:
            results = self.plant.get_contact_results_output_port().Eval(self.context)
        except RuntimeError as error:
            raise recorder.Stopped(str(error).split(".")[0]) from error
        for k in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(k)
            pair = info.point_pair()  # its normal points from its B into its A, and so do the bodies; the force is on B
            a, b = self.number[int(info.bodyA_index())], self.number[int(info.bodyB_index())]
            impulse = -np.asarray(info.contact_force()) * self.dt
            if a < 0:
                found.add(b, a, info.contact_point(), -pair.nhat_BA_W, -impulse, pair.depth)
            else:
                found.add(a, b, info.contact_point(), pair.nhat_BA_W, impulse, pair.depth)


def _pose(position, quaternion):
    return pydrake.math.RigidTransform(pydrake.common.eigen_geometry.Quaternion(np.asarray(quaternion, float)), np.asarray(position, float))


def run(scene: Scene, variant: str, dt: float, frames: int = 600) -> Track:
    reason = available() or cannot(scene, variant)
    if reason:
        raise ValueError(f"{NAME}, scene {scene.name}: {reason}")
    world = Drake(scene, VARIANTS[variant], dt)
    track = recorder.record(scene, dt, frames, world.step, world.state, ahead=world.ahead)
    track.note = "; ".join([*world.notes, track.note] if track.note else world.notes)
    again = Drake(scene, VARIANTS[variant], dt)
    track.ns_per_step = recorder.timed(round(scene.seconds / dt), again.step)
    return track
