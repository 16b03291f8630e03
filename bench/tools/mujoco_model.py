"""A URDF as MJCF, number by number: the same inertials, joints and collision geoms, a plane below, PD actuators. Standard library only.

MuJoCo reads URDF itself, but adds neither ground nor actuators. This reader refuses what it does not know (meshes, turned inertials, prismatic
joints): to compare two different robots would mean nothing."""
import xml.etree.ElementTree as xml

FRICTION = "0.8 0.005 0.0001"


class Unsupported(Exception):
    pass


def numbers(element, key, default):
    return [float(x) for x in (element.get(key) if element is not None and element.get(key) else default).split()]


def text(values):
    return " ".join(repr(float(v)) for v in values)


def place(element, attributes):
    """pos and quat of an <origin>; URDF's rpy turns about fixed axes, hence the upper case of `eulerseq`."""
    origin = element.find("origin")
    attributes["pos"] = text(numbers(origin, "xyz", "0 0 0"))
    rpy = numbers(origin, "rpy", "0 0 0")
    if any(rpy):
        attributes["euler"] = text(rpy)
    return attributes


def add_inertial(link, body):
    inertial = link.find("inertial")
    if inertial is None:
        return
    attributes = place(inertial, {})
    if "euler" in attributes:
        raise Unsupported(f"link {link.get('name')}: a turned inertial frame")
    inertia = inertial.find("inertia")
    xml.SubElement(body, "inertial", mass=inertial.find("mass").get("value"),
                   fullinertia=text(float(inertia.get(k, 0)) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")), **attributes)


def add_geoms(link, body, with_boxes):
    for collision in link.findall("collision"):
        shape = collision.find("geometry")[0]
        attributes = place(collision, {"name": f"{link.get('name')}_{len(body)}"})
        if shape.tag == "sphere":
            xml.SubElement(body, "geom", type="sphere", size=shape.get("radius"), **attributes)
        elif shape.tag == "box" and with_boxes:
            xml.SubElement(body, "geom", type="box", size=text(x / 2 for x in numbers(shape, "size", "")), **attributes)
        elif shape.tag != "box":
            raise Unsupported(f"link {link.get('name')}: collision <{shape.tag}>")


def add_joint(joint, body):
    if joint.get("type") not in ("revolute", "continuous"):
        raise Unsupported(f"joint {joint.get('name')} is {joint.get('type')}")
    limit = joint.find("limit")
    range_of = [float(limit.get(key) or 0) for key in ("lower", "upper")] if limit is not None and joint.get("type") == "revolute" else [0, 0]
    limited = {"limited": "true", "range": text(range_of)} if range_of[0] <= range_of[1] and range_of != [0, 0] else {}
    dynamics = joint.find("dynamics")
    xml.SubElement(body, "joint", name=joint.get("name"), axis=text(numbers(joint.find("axis"), "xyz", "1 0 0")),
                   damping=dynamics.get("damping", "0") if dynamics is not None else "0",
                   frictionloss=dynamics.get("friction", "0") if dynamics is not None else "0", **limited)


def mjcf(path, facts, dt, cone, driven, with_boxes):
    """MJCF text. facts: home, kp, kd, effort of the robot; driven: with position actuators; with_boxes: the torso can touch."""
    robot = xml.parse(path).getroot()
    links = {link.get("name"): link for link in robot.findall("link")}
    joints = robot.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    root = next(name for name in links if name not in children)
    model = xml.Element("mujoco", model=robot.get("name"))
    xml.SubElement(model, "compiler", angle="radian", eulerseq="XYZ", fusestatic="true")
    xml.SubElement(model, "option", timestep=repr(dt), integrator="implicitfast", solver="Newton", cone=cone)
    default = xml.SubElement(model, "default")
    xml.SubElement(default, "geom", friction=FRICTION, condim="3", contype="0", conaffinity="1")  # the robot touches the plane, never itself
    world = xml.SubElement(model, "worldbody")
    xml.SubElement(world, "geom", name="ground", type="plane", size="0 0 1", contype="1", conaffinity="0")

    def add(name, parent, joint):
        attributes = {"name": name}
        body = xml.SubElement(parent, "body", place(joint, attributes) if joint is not None else attributes)
        if joint is None:
            xml.SubElement(body, "freejoint", name="root")
        elif joint.get("type") != "fixed":
            add_joint(joint, body)
        add_inertial(links[name], body)
        add_geoms(links[name], body, with_boxes)
        for below in joints:
            if below.find("parent").get("link") == name:
                add(below.find("child").get("link"), body, below)

    add(root, world, None)
    if driven:
        actuator = xml.SubElement(model, "actuator")
        moving = [j.get("name") for j in model.iter("joint")]
        for name, kp, kd, effort in zip(moving, facts["kp"], facts["kd"], facts["effort"], strict=True):
            xml.SubElement(actuator, "position", joint=name, kp=repr(kp), kv=repr(kd), forcerange=f"{-effort!r} {effort!r}")
    keyframe = xml.SubElement(model, "keyframe")
    xml.SubElement(keyframe, "key", name="home", qpos=text(facts["home"]))
    xml.indent(model)
    return xml.tostring(model, encoding="unicode")
