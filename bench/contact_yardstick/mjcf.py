"""A scene as MJCF, the file that Myriapod and MuJoCo both read: what they differ in is then not the scene."""
from __future__ import annotations

import xml.etree.ElementTree as xml

import poses
from world import WORLD, Body, Geom, Scene


def numbers(values) -> str:
    return " ".join(repr(float(x)) for x in values)


def geom_name(body: Body, k: int) -> str:
    return f"{body.name}:{k}"


def _geom(body: Body, k: int, geom: Geom) -> str:
    return (f'<geom name="{geom_name(body, k)}" type="{geom.kind}" size="{numbers(geom.size)}" pos="{numbers(geom.position)}" quat="{numbers(geom.quaternion)}" '
            f'contype="0" conaffinity="0"/>')


def _joint(body: Body) -> str:
    joint = body.joint
    if joint.kind == "free":
        return f'<freejoint name="{body.name}"/>'
    if joint.kind == "fixed":
        return ""
    spring = f' stiffness="{joint.motor.kp!r}" springref="{joint.motor.target!r}"' if joint.motor else ""
    return (f'<joint name="{body.name}" type="{joint.kind}" axis="{numbers(joint.axis)}" damping="{joint.damping!r}" frictionloss="{joint.dry_friction!r}"{spring}/>')


def _body(scene: Scene, body: Body) -> str:
    inside = "".join(_body(scene, child) for child in scene.bodies if child.parent == body.name)
    geoms = "".join(_geom(body, k, geom) for k, geom in enumerate(body.geoms))
    return (f'<body name="{body.name}" pos="{numbers(body.position)}" quat="{numbers(body.quaternion)}">{_joint(body)}'
            f'<inertial pos="{numbers(body.com)}" mass="{body.mass!r}" diaginertia="{numbers(body.inertia)}"/>{geoms}{inside}</body>\n')


def geoms_of(scene: Scene, name: str) -> list[str]:
    if name == WORLD:
        return ["ground"]
    return [geom_name(scene.bodies[scene.index(name)], k) for k in range(len(scene.bodies[scene.index(name)].geoms))]


def text(scene: Scene, option: dict[str, str] | None = None, pair: str = "") -> str:
    """option: attributes of <option>; pair: attributes of each <pair>, as an engine's variant wants them."""
    option = {"gravity": numbers(scene.gravity), **(option or {})}
    if scene.file:
        root = xml.parse(scene.file).getroot()
        root.append(xml.Element("option", option))
        return xml.tostring(root, encoding="unicode")
    ground = '<geom name="ground" type="plane" size="0 0 1" contype="0" conaffinity="0"/>' if any(WORLD in two for two in scene.touch) else ""
    mu = scene.friction
    pairs = "".join(f'<pair geom1="{a}" geom2="{b}" condim="3" friction="{mu!r} {mu!r}" {pair}/>\n' for first, second in scene.touch
                    for a in geoms_of(scene, first) for b in geoms_of(scene, second))
    loops = "".join(f'<connect body1="{loop.first}" body2="{loop.second}" anchor="{numbers(_local(scene, loop.first, loop.at))}"/>' for loop in scene.loops)
    bodies = "".join(_body(scene, body) for body in scene.bodies if body.parent == WORLD)
    options = xml.tostring(xml.Element("option", option), encoding="unicode")
    return (f'<mujoco model="{scene.name}">\n<compiler angle="radian" autolimits="true"/>\n{options}\n'
            f'<worldbody>\n{ground}\n{bodies}</worldbody>\n<contact>\n{pairs}</contact>\n<equality>{loops}</equality>\n</mujoco>\n')


def _local(scene: Scene, name: str, point) -> tuple[float, ...]:
    """A point of the world in a body's frame at the start; bodies with loops are not turned at the start."""
    at = [0.0, 0.0, 0.0]
    while name != WORLD:
        body = scene.bodies[scene.index(name)]
        if tuple(body.quaternion) != (1, 0, 0, 0):
            raise ValueError(f"{scene.name}: the loop at {body.name} wants bodies that are not turned at the start")
        at = [a + b for a, b in zip(at, body.position)]
        name = body.parent
    return tuple(p - a for p, a in zip(point, at))


def start_velocity(scene: Scene, velocity_index) -> list[tuple[int, tuple[float, ...]]]:
    """(first entry of v, numbers) of each body that moves at the start. velocity_index: body name -> its first entry. Angular velocities of free bodies
    are turned into the body's axes, as both engines have them."""
    moves = []
    for body in scene.bodies:
        if body.velocity:
            numbers_ = tuple(body.velocity)
            if body.joint.kind == "free":
                numbers_ = (*numbers_[:3], *poses.rotate(poses.conjugate(body.quaternion), numbers_[3:]))
            moves.append((velocity_index(body.name), numbers_))
    return moves
