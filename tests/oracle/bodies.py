"""rbd/*.json: mass matrix, bias force, acceleration, energies, centre of mass and frames of robots, from their URDF files.

Every link's pose is a product of homogeneous matrices of 40 digits; its Jacobians are columns of lever arms; M = sum m Jc'Jc + Jw' I Jw. The
bias is the rate of the momentum at constant v: derivatives come from a complex step of 1e-25 along the motion, exact to the last digit kept. No
recursion over the tree, no aligned frames, no spatial algebra, no call of the library: nothing that the lanes do is done here."""
import math
import pathlib
import random as plain
import xml.etree.ElementTree as xml

import mpmath as mp
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEP = mp.mpf(10) ** -25
GRAVITY = mp.mpf(9.81)
DIGITS = 40


def array(values):
    return np.array([mp.mpf(x) for x in values], dtype=object)


def identity(n):
    out = np.full((n, n), mp.mpf(0), dtype=object)
    for i in range(n):
        out[i, i] = mp.mpf(1)
    return out


def skew(a):
    zero = mp.mpf(0)
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]], dtype=object)


def turn(axis, angle):
    """Rotation by a (complex) angle about a unit axis."""
    k = skew(axis)
    return identity(3) + mp.sin(angle) * k + (1 - mp.cos(angle)) * (k @ k)


def turn_rpy(rpy):
    x, y, z = (array(row) for row in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    return turn(z, rpy[2]) @ turn(y, rpy[1]) @ turn(x, rpy[0])


def turn_quaternion(q):
    w, v = q[0], array(q[1:])
    k = skew(v)
    return identity(3) + 2 * (w * k + k @ k)


def words(element, key, absent):
    text = None if element is None else element.get(key)
    return array(float(x) for x in text.split()) if text else array(absent)


class Joint:
    """How `child` hangs on `parent` (None: the world): kind, place, axis, where its q and v are."""

    def __init__(self, name, kind, parent, child, place, rotation, axis):
        self.name, self.kind, self.parent, self.child, self.place, self.rotation, self.axis = name, kind, parent, child, place, rotation, axis
        self.q = self.v = 0
        self.nq, self.nv = {"fixed": (0, 0), "free": (7, 6), "spherical": (4, 3)}.get(kind, (1, 1))


class Robot:
    """Links (mass, centre, inertia about it, in link axes) and joints, parents first."""

    def __init__(self, links, joints):
        self.links, self.joints = links, joints
        self.nq = self.nv = 0
        for joint in joints:
            joint.q, joint.v = self.nq, self.nv
            self.nq, self.nv = self.nq + joint.nq, self.nv + joint.nv
        self.mass = mp.fsum(m for m, _, _ in links.values())

    def poses(self, q, rate=None):
        """Link -> (rotation, origin), and per joint its columns: (v index, axis of turning or None, direction of travel or None, origin). With
        `rate` each q moves by a complex step along it."""
        h = mp.mpc(0, STEP)
        poses, columns = {None: (identity(3), array((0, 0, 0)))}, []
        for j in self.joints:
            R, p = poses[j.parent]
            R, p = R @ j.rotation, p + R @ j.place
            if j.kind == "free":
                R, p = turn_quaternion(q[j.q + 3:j.q + 7]), array(q[j.q:j.q + 3])
                if rate is not None:
                    p, R = p + h * rate[j.v:j.v + 3], R + h * (R @ skew(rate[j.v + 3:j.v + 6]))
                columns += [(j, j.v + k, None, identity(3)[:, k], p) for k in range(3)] + [(j, j.v + 3 + k, R[:, k], None, p) for k in range(3)]
            elif j.kind == "spherical":
                R = R @ turn_quaternion(q[j.q:j.q + 4])
                if rate is not None:
                    R = R + h * (R @ skew(rate[j.v:j.v + 3]))
                columns += [(j, j.v + k, R[:, k], None, p) for k in range(3)]
            elif j.kind != "fixed":
                at = q[j.q] if rate is None else q[j.q] + h * rate[j.v]
                world = R @ j.axis
                if j.kind == "prismatic":
                    p = p + at * world
                    columns.append((j, j.v, None, world, p))
                else:
                    columns.append((j, j.v, world, None, p))
                    R = R @ turn(j.axis, at)
            poses[j.child] = R, p
        return poses, columns

    def carriers(self):
        """Link -> v indices that move it."""
        moved = {None: set()}
        for j in self.joints:
            moved[j.child] = moved[j.parent] | set(range(j.v, j.v + j.nv))
        return moved

    def jacobians(self, columns, moved, point):
        """Rows of velocity and of spin of a point that the indices `moved` carry."""
        jv, jw = np.full((3, self.nv), mp.mpf(0), dtype=object), np.full((3, self.nv), mp.mpf(0), dtype=object)
        for _, index, axis, travel, origin in columns:
            if index in moved:
                jv[:, index] = travel if axis is None else skew(axis) @ (point - origin)
                if axis is not None:
                    jw[:, index] = axis
        return jv, jw


def read_urdf(path):
    robot = xml.parse(path).getroot()
    links, joints, parents = {}, {}, {}
    for link in robot.findall("link"):
        inertial = link.find("inertial")
        mass, centre, inertia = mp.mpf(0), array((0, 0, 0)), identity(3) * 0
        if inertial is not None:
            mass, origin = mp.mpf(float(inertial.find("mass").get("value"))), inertial.find("origin")
            centre, R = words(origin, "xyz", (0, 0, 0)), turn_rpy(words(origin, "rpy", (0, 0, 0)))
            I = {k: mp.mpf(float(inertial.find("inertia").get(k))) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
            inertia = R @ np.array([[I["ixx"], I["ixy"], I["ixz"]], [I["ixy"], I["iyy"], I["iyz"]], [I["ixz"], I["iyz"], I["izz"]]], dtype=object) @ R.T
        links[link.get("name")] = mass, centre, inertia
    for joint in robot.findall("joint"):
        origin, kind = joint.find("origin"), joint.get("type")
        axis = words(joint.find("axis"), "xyz", (1, 0, 0))
        parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
        made = Joint(joint.get("name"), {"continuous": "revolute", "floating": "free"}.get(kind, kind), parent, child, words(origin, "xyz", (0, 0, 0)),
                     turn_rpy(words(origin, "rpy", (0, 0, 0))), axis / mp.sqrt(sum(a * a for a in axis)))
        joints.setdefault(parent, []).append(made)
        parents[child] = parent
    root = next(name for name in links if name not in parents)
    nothing = array((0, 0, 0))
    order = [Joint("root", "fixed" if root == "world" else "free", None, root, nothing, identity(3), nothing)]
    waiting = list(joints.get(root, []))
    while waiting:
        joint = waiting.pop(0)
        order.append(joint)
        waiting = joints.get(joint.child, []) + waiting
    return Robot(links, order)


def chain(n):
    """docs/models.md, chain-N: rods of 1 kg, 1 m, radius 0.05 m on ball joints, the first one free, centres at (0, 0, -0.5)."""
    r = mp.mpf(0.05)
    across, along = (3 * r * r + 1) / 12, r * r / 2
    inertia = np.diag(array((across, across, along))) + identity(3) * 0
    links = {f"link{i}": (mp.mpf(1), array((0, 0, -0.5)), inertia) for i in range(n)}
    nothing = array((0, 0, 0))
    joints = [Joint("root" if i == 0 else f"ball{i}", "spherical" if i else "free", f"link{i - 1}" if i else None, f"link{i}",
                    array((0, 0, -1)) if i else nothing, identity(3), nothing) for i in range(n)]
    return Robot(links, joints)


def quaternion_of(R):
    """w x y z, w >= 0."""
    w = mp.sqrt(max(1 + R[0, 0] + R[1, 1] + R[2, 2], mp.mpf(0))) / 2
    if w > mp.mpf("0.1"):
        return [w, (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w)]
    k = max(range(3), key=lambda i: R[i, i])
    a, b = (k + 1) % 3, (k + 2) % 3
    x = mp.sqrt(1 + R[k, k] - R[a, a] - R[b, b]) / 2
    v = [mp.mpf(0)] * 3
    v[k], v[a], v[b] = x, (R[a, k] + R[k, a]) / (4 * x), (R[b, k] + R[k, b]) / (4 * x)
    return [(R[b, a] - R[a, b]) / (4 * x), *v]


def parts(values, imaginary):
    take = (lambda x: x.imag / STEP) if imaginary else (lambda x: mp.re(x))
    return np.vectorize(take, otypes=[object])(values)


def evaluate(robot, q, v, tau, frames):
    """Everything of one state. `q` with unit quaternions."""
    q, v, tau = array(q), array(v), array(tau)
    for j in robot.joints:
        if j.kind in ("free", "spherical"):
            at = slice(j.q + j.nq - 4, j.q + j.nq)
            q[at] = q[at] / mp.sqrt(sum(x * x for x in q[at]))
    poses, columns = robot.poses(q, v)
    moved = robot.carriers()
    M, bias = np.full((robot.nv, robot.nv), mp.mpf(0), dtype=object), np.full(robot.nv, mp.mpf(0), dtype=object)
    potential, first = mp.mpf(0), array((0, 0, 0))
    for name, (mass, centre, inertia) in robot.links.items():
        R, p = poses[name]
        jv, jw = robot.jacobians(columns, moved[name], p + R @ centre)
        momentum, spin = jv @ v * mass, R @ (inertia @ (R.T @ (jw @ v)))
        JV, JW, RR = parts(jv, False), parts(jw, False), parts(R, False)
        M = M + mass * (JV.T @ JV) + JW.T @ (RR @ inertia @ RR.T) @ JW
        bias = bias + JV.T @ (parts(momentum, True) + mass * array((0, 0, GRAVITY))) + JW.T @ parts(spin, True)
        at = parts(p + R @ centre, False)
        potential, first = potential + mass * GRAVITY * at[2], first + mass * at
    rest = mp.matrix([tau[i] - bias[i] for i in range(robot.nv)])
    acc = mp.lu_solve(mp.matrix(M.tolist()), rest)
    out = {"q": q, "v": v, "tau": tau, "M": M, "bias": bias, "acc": np.array(list(acc), dtype=object), "kinetic": (v @ (M @ v)) / 2, "potential": potential,
           "com": first / robot.mass, "frames": {}}
    for name in frames:
        R, p = poses[name]
        jv, jw = robot.jacobians(columns, moved[name], p)
        out["frames"][name] = {"pos": parts(p, False), "quat_wxyz": quaternion_of(parts(R, False)), "linvel_world": parts(jv, False) @ v,
                               "angvel_world": parts(jw, False) @ v, "Jpos": parts(jv, False)}
    return out


def plain_numbers(value):
    if isinstance(value, dict):
        return {k: plain_numbers(x) for k, x in value.items()}
    if isinstance(value, (list, np.ndarray)):
        return [plain_numbers(x) for x in value]
    x = float(value)
    x = 0 if abs(x) < 1e-30 else x
    return int(x) if x == int(x) and abs(x) < 1e15 else x


def state(robot, random, still):
    """A random state of few digits."""
    q = []
    for j in robot.joints:
        if j.kind == "free":
            q += [round(random.uniform(-1, 1), 3) for _ in range(3)]
        if j.kind in ("free", "spherical"):
            quaternion = [random.gauss(0, 1) for _ in range(4)]
            q += [x / math.hypot(*quaternion) for x in quaternion]
        elif j.nq == 1:
            q.append(round(random.uniform(-0.5, 0.5) if j.kind == "prismatic" else random.uniform(-3, 3), 3))
    v = [0 if still else round(random.gauss(0, 2), 2) for _ in range(robot.nv)]
    return q, v, [0 if still else round(random.gauss(0, 10), 2) for _ in range(robot.nv)]


# Robot -> how many states (the first one at rest), which frames.
ROBOTS = {"robots/anymal.urdf": (3, ["base", "LF_FOOT", "RH_SHANK"]), "robots/solo12.urdf": (2, None), "robots/hopper.urdf": (3, None), "robots/cube.urdf": (2, None),
          "robots/double-pendulum.urdf": (4, None), "tests/models/odd-axes.urdf": (4, None), "tests/models/two-trees.urdf": (2, None),
          "tests/models/massless.urdf": (3, None), "tests/models/gripper.urdf": (3, None), "chain-2": (2, None), "chain-3": (2, None)}


def files():
    """File name -> contents."""
    out = {}
    for source, (count, frames) in ROBOTS.items():
        with mp.workdps(DIGITS):
            name = source.replace("-", "") if source.startswith("chain-") else pathlib.Path(source).stem
            robot = chain(int(source[6:])) if source.startswith("chain-") else read_urdf(ROOT / source)
            random = plain.Random(f"{name} 1")
            names = frames or [list(robot.links)[0], list(robot.links)[-1]]
            data = {"format": "oracle-rbd-1", "model": name, "source": source, "oracle": "tests/oracle/make.py, 40 digits", "floating": robot.joints[0].kind == "free",
                    "nq": robot.nq, "nv": robot.nv, "total_mass": float(robot.mass), "seed": f"{name} 1"}
            if not source.startswith("chain-"):
                data["joint_order"] = [{"name": j.name, "type": {"spherical": "ball"}.get(j.kind, j.kind), "q_index": j.q, "v_index": j.v} for j in robot.joints if j.kind != "fixed"]
            data["states"] = [plain_numbers(evaluate(robot, *state(robot, random, k == 0), names)) for k in range(count)]
            out[name] = data
    return out
