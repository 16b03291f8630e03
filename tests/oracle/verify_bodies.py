"""Robots once more, for verify.py: Newton and Euler's recursion in double. Each link's acceleration goes from the root outwards, forces come back,
and M is what unit accelerations cost. bodies.py does none of this."""
import json
import math
import xml.etree.ElementTree as xml

import numpy as np

A = np.array


def rotation(axis, angle):
    x, y, z = axis
    c, s, d = math.cos(angle), math.sin(angle), 1 - math.cos(angle)
    return A([[c + x * x * d, x * y * d - z * s, x * z * d + y * s], [x * y * d + z * s, c + y * y * d, y * z * d - x * s],
              [x * z * d - y * s, y * z * d + x * s, c + z * z * d]])


def of_quaternion(q):
    w, x, y, z = q / np.linalg.norm(q)
    angle = 2 * math.acos(max(-1.0, min(1.0, w)))
    return np.eye(3) if angle == 0 else rotation(A([x, y, z]) / math.sin(angle / 2), angle)


def triple(element, key, absent=(0, 0, 0)):
    text = None if element is None else element.get(key)
    return A([float(x) for x in text.split()]) if text else A(absent, float)


def fixed_turn(rpy):
    return rotation((0, 0, 1), rpy[2]) @ rotation((0, 1, 0), rpy[1]) @ rotation((1, 0, 0), rpy[0])


def read(path):
    """Links by name and [(joint name, kind, parent, child, place, turn, axis)]; the root has no joint."""
    robot, links = xml.parse(path).getroot(), {}
    for link in robot.findall("link"):
        inertial = link.find("inertial")
        if inertial is None:
            links[link.get("name")] = 0.0, np.zeros(3), np.zeros((3, 3))
            continue
        k = {key: float(value) for key, value in inertial.find("inertia").attrib.items()}
        I = A([[k["ixx"], k["ixy"], k["ixz"]], [k["ixy"], k["iyy"], k["iyz"]], [k["ixz"], k["iyz"], k["izz"]]])
        R = fixed_turn(triple(inertial.find("origin"), "rpy"))
        links[link.get("name")] = float(inertial.find("mass").get("value")), triple(inertial.find("origin"), "xyz"), R @ I @ R.T
    joints = []
    for j in robot.findall("joint"):
        axis = triple(j.find("axis"), "xyz", (1, 0, 0))
        joints.append((j.get("name"), j.get("type"), j.find("parent").get("link"), j.find("child").get("link"), triple(j.find("origin"), "xyz"),
                       fixed_turn(triple(j.find("origin"), "rpy")), axis / np.linalg.norm(axis)))
    return links, joints


def chain(n):
    I = np.diag([(3 * 0.05 ** 2 + 1) / 12] * 2 + [0.05 ** 2 / 2])
    place = A([0, 0, -1.0])
    return ({f"link{i}": (1.0, A([0, 0, -0.5]), I) for i in range(n)},
            [(f"ball{i}", "spherical", f"link{i - 1}", f"link{i}", place, np.eye(3), None) for i in range(1, n)])


def ordered(joints, root):
    out, reached = [], {root}
    while len(out) < len(joints):
        out += [j for j in joints if j not in out and j[2] in reached]
        reached |= {j[3] for j in out}
    return out


def force(robot, order, q, v, dv, gravity):
    """tau = M dv + bias by Newton and Euler, all in world axes; `order`: joint -> (q index, v index)."""
    links, joints, root, floats = robot
    pose, moved, tau = {}, {}, np.zeros(len(v))

    def free(name, at_q, at_v):
        R = of_quaternion(q[at_q + 3:at_q + 7])
        w = R @ v[at_v + 3:at_v + 6]
        pose[name] = R, q[at_q:at_q + 3]
        # d/dt of (R w) = R dw, as w x w is nothing
        moved[name] = v[at_v:at_v + 3], w, dv[at_v:at_v + 3] - gravity, R @ dv[at_v + 3:at_v + 6]

    if floats:
        free(root, *order["root"])
    else:
        pose[root], moved[root] = (np.eye(3), np.zeros(3)), (np.zeros(3), np.zeros(3), -gravity, np.zeros(3))
    for name, kind, parent, child, place, turn, axis in joints:
        if kind == "floating":
            free(child, *order[name])
            continue
        (R, p), (vel, w, a, dw) = pose[parent], moved[parent]
        arm, R = R @ place, R @ turn
        at_q, at_v = order.get(name, (0, 0))
        rel = drel = slide = dslide = np.zeros(3)
        if kind == "spherical":
            R = R @ of_quaternion(q[at_q:at_q + 4])
            rel, drel = R @ v[at_v:at_v + 3], R @ dv[at_v:at_v + 3]
        elif kind == "prismatic":
            arm = arm + R @ axis * q[at_q]
            slide, dslide = R @ axis * v[at_v], R @ axis * dv[at_v]
        elif kind != "fixed":
            rel, drel = R @ axis * v[at_v], R @ axis * dv[at_v]
            R = R @ rotation(axis, q[at_q])
        pose[child] = R, p + arm
        moved[child] = (vel + np.cross(w, arm) + slide, w + rel,
                        a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm)) + 2 * np.cross(w, slide) + dslide, dw + drel + np.cross(w, rel))
    loads = {}
    for name, (mass, centre, I) in links.items():
        (R, _), (_, w, a, dw) = pose[name], moved[name]
        arm, J = R @ centre, R @ I @ R.T
        f = mass * (a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm)))
        loads[name] = f, J @ dw + np.cross(w, J @ w) + np.cross(arm, f)
    for name, kind, parent, child, _, _, axis in reversed(joints):
        f, n = loads[child]
        R, p = pose[child]
        at_q, at_v = order.get(name, (0, 0))
        if kind == "floating":
            tau[at_v:at_v + 3], tau[at_v + 3:at_v + 6] = f, R.T @ n
            continue
        if kind == "spherical":
            tau[at_v:at_v + 3] = R.T @ n
        elif kind != "fixed":
            tau[at_v] = R @ axis @ (f if kind == "prismatic" else n)
        F, N = loads[parent]
        loads[parent] = F + f, N + n + np.cross(p - pose[parent][1], f)
    if floats:
        at_v = order["root"][1]
        tau[at_v:at_v + 3], tau[at_v + 3:at_v + 6] = loads[root][0], pose[root][0].T @ loads[root][1]
    return tau, pose, moved


def main(here, root, expect):
    worst = 0.0
    for path in sorted((here / "rbd").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        links, joints = chain(int(data["source"][6:])) if data["source"].startswith("chain-") else read(root / data["source"])
        first = next(name for name in links if name not in {j[3] for j in joints})
        robot = links, ordered(joints, first), first, data["floating"]
        if "joint_order" in data:
            order = {j["name"]: (j["q_index"], j["v_index"]) for j in data["joint_order"]}
        else:
            order = {"root": (0, 0), **{j[0]: (7 + 4 * k, 6 + 3 * k) for k, j in enumerate(robot[1])}}
        down, none = A([0, 0, -9.81]), np.zeros(3)
        for k, s in enumerate(data["states"]):
            q, v = A(s["q"], float), A(s["v"], float)
            nothing = np.zeros(len(v))
            bias, pose, moved = force(robot, order, q, v, nothing, down)
            M = A([force(robot, order, q, nothing, e, none)[0] for e in np.eye(len(v))]).T
            balance = M @ A(s["acc"], float) + bias - A(s["tau"], float)
            com = sum(m * (pose[n][1] + pose[n][0] @ c) for n, (m, c, _) in links.items()) / data["total_mass"]
            size = np.abs(M).max()
            errors = {"M": np.abs(M - A(s["M"])).max() / size, "bias": np.abs(bias - A(s["bias"])).max() / max(np.abs(bias).max(), 1),
                      "acc": np.abs(balance).max() / (size * max(np.abs(s["acc"]).max(), 1)), "kinetic": abs(v @ M @ v / 2 - s["kinetic"]) / max(s["kinetic"], 1),
                      "com": np.abs(com - s["com"]).max(), "potential": abs(data["total_mass"] * 9.81 * com[2] - s["potential"])}
            for name, frame in s["frames"].items():
                R, p = pose[name]
                errors[f"{name} place"] = np.abs(p - frame["pos"]).max()
                errors[f"{name} turn"] = np.abs(R - of_quaternion(A(frame["quat_wxyz"], float))).max()
                errors[f"{name} velocity"] = max(np.abs(moved[name][0] - frame["linvel_world"]).max(), np.abs(moved[name][1] - frame["angvel_world"]).max())
                errors[f"{name} J"] = np.abs(A(frame["Jpos"], float) @ v - frame["linvel_world"]).max()
            for what, error in errors.items():
                worst = max(worst, error)
                expect(error < 1e-12, path.name, "state", k, what, error)
        print(f"rbd/{path.name}: {len(data['states'])} states")
    print(f"rbd: all within {worst:.1e}")
