"""How far trails of states are beyond joint limits and below the ground, from q and the URDF alone: no engine's word is taken. NumPy.

    yardstick.py ROBOT.urdf FIRST TRAIL [--robots N [--standing HEIGHT] [--every SECONDS] | --lowest]

ROBOT.urdf: revolute, continuous, prismatic and fixed joints, a floating one at the root at most; spheres, boxes and cylinders. FIRST: entries of q
before the first joint's, 7 of a floating root. TRAIL: raw doubles, rows of q. Prints a JSON object: of limits, how far beyond in [rad, m], over all
joints and states; of contacts, how deep [m] the lowest point of a shape is, over those below the ground.

--robots: rows are frames of N robots with floating roots, SECONDS apart. Adds

- slip [m/s]: of shapes that touch in two frames, the mean horizontal speed of the point of the body that was lowest in the first
- drift [m]: how far the middles of shapes moved over the ground in the second half, of those that touched in all its frames, robots upright at the end
- height [m] of roots at the end, and the share of robots upright: tilted by less than 45 degrees, and higher than HEIGHT

--lowest: the height of the lowest point of each state instead. To touch: not higher than 0.1 mm, so that contacts of hard engines count."""
import argparse
import json
import xml.etree.ElementTree as xml

import numpy as np

TOUCH = 1e-4


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


def lowest(shape, rotation):
    """The lowest point of a shape in its own axes, by state."""
    down = rotation[:, 2, :]  # the world's z along the shape's axes
    if shape.tag == "sphere":
        return -float(shape.get("radius")) * down
    if shape.tag == "box":
        return -np.where(down < 0, -1, 1) * numbers(shape, "size", "") / 2
    assert shape.tag == "cylinder", shape.tag
    side = np.linalg.norm(down[:, :2], axis=1, keepdims=True)
    return np.hstack([-float(shape.get("radius")) * down[:, :2] / np.where(side > 0, side, 1), -np.where(down[:, 2:] < 0, -1, 1) * float(shape.get("length")) / 2])


def world(at, rotation, point):
    return at + np.einsum("nij,nj->ni", rotation, point)


def measure(robot, q, first):
    """Beyond limits (states, limited joints), and of the shapes of moving links where they are, their rotation and their lowest point in their axes."""
    joints, links = robot.findall("joint"), {link.get("name"): link for link in robot.findall("link")}
    children = {joint.find("child").get("link") for joint in joints}
    n, beyond, shapes, column = len(q), [], [], [first]

    def walk(name, at, rotation, moves):
        for collision in links[name].findall("collision") if moves else ():
            xyz, turned = placed(collision)
            way = rotation @ turned
            shapes.append((at + rotation @ xyz, way, lowest(collision.find("geometry")[0], way)))
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
    return np.array(beyond).T, shapes


def figures(values):
    count, values = values.size, values if values.size else np.zeros(1)
    return {"count": count, "p50": float(np.median(values)), "p99": float(np.quantile(values, 0.99)), "max": float(values.max())}


def motion(q, shapes, gaps, args):
    """What trails of robots with floating roots say besides; arrays are (frames, robots, ...)."""
    frames = lambda values: values.reshape(-1, args.robots, *values.shape[1:])
    slip, drift, touches = [], [], frames(gaps) < TOUCH
    end = frames(q)[-1]
    upright = (of_quaternion(end[:, 3:7])[:, 2, 2] > 0.5 ** 0.5) & (end[:, 2] > args.standing)
    for k, (at, rotation, point) in enumerate(shapes):
        here, there = slice(0, -args.robots), slice(args.robots, None)
        moved = (world(at[there], rotation[there], point[here]) - world(at[here], rotation[here], point[here]))[:, :2]
        both = (gaps[here, k] < TOUCH) & (gaps[there, k] < TOUCH)
        slip.append(np.linalg.norm(moved[both], axis=1) / args.every)
        middle = len(touches) // 2
        held = touches[middle:, :, k].all(axis=0) & upright
        drift.append(np.linalg.norm((frames(at)[-1] - frames(at)[middle])[held, :2], axis=1))
    return {"slip": figures(np.concatenate(slip)), "drift": figures(np.concatenate(drift)), "height": float(end[:, 2].mean()), "upright": float(upright.mean())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urdf"), parser.add_argument("first", type=int), parser.add_argument("trail")
    parser.add_argument("--robots", type=int, default=0), parser.add_argument("--standing", type=float, default=0.0)
    parser.add_argument("--every", type=float, default=0.01), parser.add_argument("--lowest", action="store_true")
    args = parser.parse_args()
    robot = xml.parse(args.urdf).getroot()
    width = args.first + sum(joint.get("type") in ("revolute", "continuous", "prismatic") for joint in robot.findall("joint"))
    q = np.fromfile(args.trail).reshape(-1, width)
    beyond, shapes = measure(robot, q, args.first)
    gaps = np.array([world(*shape)[:, 2] for shape in shapes]).T
    if args.lowest:
        print(json.dumps(gaps.min(axis=1).tolist()))
        return
    print(json.dumps({"states": len(beyond), "at_limits": float((beyond > -1e-3).mean()), "limits": figures(beyond[beyond > -1e-3].clip(0)),
                      "depth": figures(-gaps[gaps < 0]), "touching": float((gaps < 0).sum() / max(1, len(gaps))),
                      **(motion(q, shapes, gaps, args) if args.robots else {})}))


if __name__ == "__main__":
    main()
