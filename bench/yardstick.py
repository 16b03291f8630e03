"""How far trails of states are beyond joint limits and below the ground, from q and the URDF alone: no engine's word is taken. NumPy.

    yardstick.py ROBOT.urdf FIRST TRAIL [TRAIL ...]

ROBOT.urdf: revolute, continuous, prismatic and fixed joints, a floating one at the root at most; spheres, boxes and cylinders. FIRST: entries of q
before the first joint's, 7 of a floating root. TRAIL: raw doubles, rows of q. Prints a JSON object for each trail: of limits, how far beyond in
[rad, m], over all joints and states; of contacts, how deep [m] the lowest point of a shape is, over those below the ground."""
import json
import sys
import xml.etree.ElementTree as xml

import numpy as np


def numbers(element, key, default):
    return np.array([float(x) for x in (element.get(key) if element is not None and element.get(key) else default).split()])


def turn(axis, angle):
    """Rotations (n, 3, 3) by angles (n) about a unit axis."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle)[:, None, None] * cross + (1 - np.cos(angle))[:, None, None] * (cross @ cross)


def placed(element):
    """Position and rotation of an <origin>."""
    origin = element.find("origin")
    r, p, y = numbers(origin, "rpy", "0 0 0")
    about = lambda axis, angle: turn(axis, np.array([angle]))[0]
    return numbers(origin, "xyz", "0 0 0"), about((0, 0, 1), y) @ about((0, 1, 0), p) @ about((1, 0, 0), r)


def of_quaternion(q):
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1).reshape(-1, 3, 3)


def lowest(shape, at, rotation):
    """Height of the lowest point of a shape, by state."""
    if shape.tag == "sphere":
        return at[:, 2] - float(shape.get("radius"))
    down = rotation[:, 2, :]  # the world's z along the shape's axes
    if shape.tag == "box":
        return at[:, 2] - np.abs(down) @ (numbers(shape, "size", "") / 2)
    assert shape.tag == "cylinder", shape.tag
    return at[:, 2] - float(shape.get("length")) / 2 * np.abs(down[:, 2]) - float(shape.get("radius")) * np.sqrt(np.maximum(0, 1 - down[:, 2] ** 2))


def measure(robot, q, first):
    """Beyond limits (states, limited joints) and gaps (states, shapes of moving links)."""
    joints, links = robot.findall("joint"), {link.get("name"): link for link in robot.findall("link")}
    children = {joint.find("child").get("link") for joint in joints}
    n, beyond, gaps, column = len(q), [], [], [first]

    def walk(name, at, rotation, moves):
        for collision in links[name].findall("collision") if moves else ():
            xyz, turned = placed(collision)
            gaps.append(lowest(collision.find("geometry")[0], at + rotation @ xyz, rotation @ turned))
        for joint in joints:
            if joint.find("parent").get("link") != name:
                continue
            kind, (xyz, turned) = joint.get("type"), placed(joint)
            there, way = at + rotation @ xyz, rotation @ turned
            if kind == "floating":
                there, way = q[:, :3], of_quaternion(q[:, 3:7])
            elif kind != "fixed":
                value, axis, limit = q[:, column[0]], numbers(joint.find("axis"), "xyz", "1 0 0"), joint.find("limit")
                column[0] += 1
                axis = axis / np.linalg.norm(axis)
                if kind == "prismatic":
                    there = there + (way @ axis) * value[:, None]
                else:
                    way = way @ turn(axis, value)
                if kind != "continuous" and limit is not None:
                    beyond.append(np.maximum(float(limit.get("lower", 0)) - value, value - float(limit.get("upper", 0))))
            walk(joint.find("child").get("link"), there, way, moves or kind != "fixed")

    root = next(name for name in links if name not in children)
    walk(root, np.zeros((n, 3)), np.broadcast_to(np.eye(3), (n, 3, 3)), False)
    assert column[0] == q.shape[1], f"{column[0]} positions in the file, {q.shape[1]} in the trail"
    return np.array(beyond).T, np.array(gaps).T


def figures(values):
    values = values if values.size else np.zeros(1)
    return {"count": int(values.size), "p50": float(np.median(values)), "p99": float(np.quantile(values, 0.99)), "max": float(values.max())}


def main():
    robot, first = xml.parse(sys.argv[1]).getroot(), int(sys.argv[2])
    width = first + sum(joint.get("type") in ("revolute", "continuous", "prismatic") for joint in robot.findall("joint"))
    for path in sys.argv[3:]:
        beyond, gaps = measure(robot, np.fromfile(path).reshape(-1, width), first)
        print(json.dumps({"states": len(beyond), "at_limits": float((beyond > -1e-3).mean()), "limits": figures(beyond[beyond > -1e-3].clip(0)),
                          "depth": figures(-gaps[gaps < 0]), "touching": float((gaps < 0).sum() / max(1, len(gaps)))}))


if __name__ == "__main__":
    main()
