"""The bodies of a random MJCF file (random_mjcf.py): in frames and copies, classes in classes, joints, geoms; compiler and option."""
import math
import random

import numpy as np

SINGLE = ("hinge", "slide")
RANGES = {"joint": ("range", "limited"), "effort": ("actuatorfrcrange", "actuatorfrclimited"), "control": ("ctrlrange", "ctrllimited"),
          "force": ("forcerange", "forcelimited")}


def num(x):
    return f"{x:.6g}"


def vec(v):
    return " ".join(num(x) for x in v)


class Bodies:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.n = 0
        self.degree = True
        self.auto = True
        self.classes = ["main"]
        self.joints, self.bodies, self.sites, self.tendons = [], [], [], []  # joints: (name, type)
        self.made, self.balance, self.nu = [], False, 0
        self.files = {}
        self.features = set()

    def p(self, chance):
        return self.r.random() < chance

    def u(self, a, b):
        return self.r.uniform(a, b)

    def name(self, kind):
        self.n += 1
        return f"{kind}{self.n}"

    def angle(self, low, high):
        x = self.u(low, high)
        return x * 180 / math.pi if self.degree else x

    def tag(self, name, attrs, inside=""):
        text = "".join(f' {k}="{v}"' for k, v in attrs.items())
        return f"<{name}{text}>{inside}</{name}>\n" if inside else f"<{name}{text}/>\n"

    def v3(self, size=1.0):
        return [self.u(-size, size) for _ in range(3)]

    def turn(self):
        kind = self.r.choice(["none", "quat", "axisangle", "xyaxes", "zaxis", "euler"])
        if kind == "none":
            return {}
        self.features.add(kind)
        if kind == "quat":
            return {"quat": vec([self.u(-1, 1) for _ in range(4)])}
        if kind == "axisangle":
            return {"axisangle": vec(self.v3() + [self.angle(-3, 3)])}
        if kind == "xyaxes":
            return {"xyaxes": vec(self.v3() + self.v3())}
        if kind == "zaxis":
            return {"zaxis": vec(self.v3())}
        return {"euler": vec([self.angle(-3, 3) for _ in range(3)])}

    # ---- pieces, each a subset of its attributes: for defaults and for elements ------------
    def range_attrs(self, kind, attrs, chance, low, high, angular):
        key, flag = RANGES[kind]
        if self.p(chance):
            draw = self.angle if angular else self.u
            attrs[key] = vec([draw(low, -0.05), draw(0.05, high)])
            self.features.add(key)
            if kind == "effort" and self.p(0.6):
                f = self.u(0.5, 3)
                attrs[key] = vec([-f, f])
            if not self.auto or self.p(0.3):
                attrs[flag] = self.r.choice(["true", "false"]) if self.p(0.7) or not self.auto else "auto"

    def joint_attrs(self, chance):
        a = {}
        if self.p(chance):
            a["damping"] = num(self.u(0, 2))
        if self.p(chance * 0.5):
            a["frictionloss"] = num(self.u(0, 0.5))
        if self.p(chance):
            a["armature"] = num(self.u(0, 0.3))
        if self.p(chance * 0.7):
            a["stiffness"] = num(self.u(0, 20))
        if self.p(chance * 0.7):
            a["springref"] = num(self.angle(-1, 1))
        if self.p(chance * 0.7):
            a["ref"] = num(self.angle(-1, 1))
        if self.p(chance):
            a["axis"] = vec(self.v3() if self.p(0.6) else self.r.choice([[1, 0, 0], [0, 1, 0], [0, 0, -1]]))
        if self.p(chance):
            a["pos"] = vec(self.v3(0.3))
        if self.p(0.05):
            a["springdamper"] = vec([self.u(0.05, 0.5), self.u(0.3, 1.5)])
            self.features.add("springdamper")
        self.range_attrs("joint", a, chance, -1.5, 1.5, True)
        self.range_attrs("effort", a, chance * 0.5, -3, 3, False)
        if self.p(0.03):
            a["actuatorgravcomp"] = "true"
        return a

    def geom_attrs(self, chance, element):
        a = {}
        kind = self.r.choice(["sphere", "capsule", "box", "cylinder", "ellipsoid"])
        if element or self.p(chance):
            a["type"] = kind
            if kind in ("capsule", "cylinder") and self.p(0.5) or kind in ("box", "ellipsoid") and self.p(0.3):
                a["fromto"] = vec(self.v3(0.3) + self.v3(0.3))
                a["size"] = num(self.u(0.02, 0.2))
                self.features.add("fromto")
                if not element:
                    del a["fromto"], a["type"], a["size"]
            else:
                a["size"] = vec([self.u(0.02, 0.2) for _ in range(3)])
                if self.p(0.8) and element:
                    a["pos"] = vec(self.v3(0.3))
                if element:
                    a.update(self.turn())
                elif self.p(0.2):
                    a.update(self.turn())
                    self.features.add("turn in default geom")
        if self.p(chance):
            a["density"] = num(self.u(300, 3000))
        elif self.p(chance * 0.5):
            a["mass"] = num(self.u(0.1, 3))
        if self.p(chance):
            a["friction"] = vec([self.u(0.1, 1.4) for _ in range(self.r.randint(1, 3))])
        if self.p(chance * 0.7):
            a["contype"] = str(self.r.randint(0, 3))
        if self.p(chance * 0.7):
            a["conaffinity"] = str(self.r.randint(0, 3))
        if self.p(chance * 0.5):
            a["condim"] = self.r.choice(["1", "3", "4", "6"])
        if self.p(chance * 0.5):
            a["priority"] = str(self.r.randint(-1, 2))
        if self.p(chance):
            a["group"] = str(self.r.randint(0, 5))
        return a

    def drive_attrs(self, word, chance):
        a = {}
        if word == "position":
            if self.p(0.7):
                a["kp"] = num(self.u(1, 80))
            if self.p(0.3):
                a["kv"] = num(self.u(0, 5))
            elif self.p(0.3):
                a["dampratio"] = num(self.u(0, 1.5))
                self.features.add("dampratio")
            if self.p(0.04):
                a["timeconst"] = num(self.r.choice([0, 0.1]))
            if self.p(0.2):
                a["inheritrange"] = num(self.u(0.4, 1.2))
                self.features.add("inheritrange")
        elif word == "velocity":
            if self.p(0.7):
                a["kv"] = num(self.u(0, 5))
        elif word == "general":
            if self.p(0.6):
                a["gainprm"] = vec([self.u(-20, 40)] + [self.u(-1, 1) for _ in range(self.r.randint(0, 2))])
            if self.p(0.6):
                a["biastype"] = self.r.choice(["affine", "affine", "none"])
                if self.p(0.8):
                    k = self.u(0, 40)
                    a["biasprm"] = vec([self.u(-2, 2), -k, -self.u(0, 3)][: self.r.randint(1, 3)])
                    if self.p(0.4):
                        a["gainprm"], a["biasprm"] = num(k), vec([0, -float(num(k)), -self.u(0, 3)])
            if self.p(0.2):
                a["gaintype"] = "fixed"
            if self.p(0.05):
                a["dyntype"] = self.r.choice(["none", "filter", "integrator"])
        if self.p(chance):
            a["gear"] = vec([self.u(-3, 3)] + [self.u(-1, 1) for _ in range(self.r.randint(0, 2))])
        if "inheritrange" not in a:
            self.range_attrs("control", a, chance, -2, 2, False)
        self.range_attrs("force", a, chance, -15, 15, False)
        if self.p(chance * 0.2):
            a["armature"] = num(self.u(0, 0.2))
        if self.p(chance * 0.2):
            a["damping"] = num(self.u(0, 0.5))
        return a

    def word(self):
        return self.r.choice(["motor", "position", "velocity", "general", "position"])

    # ---- sections -----------------------------------------------------------------------
    def compiler(self):
        a = {}
        if self.p(0.5):
            a["angle"] = self.r.choice(["degree", "radian"])
            self.degree = a["angle"] == "degree"
        if self.p(0.25):
            a["autolimits"] = self.r.choice(["true", "false"])
            self.auto = a["autolimits"] == "true"
        if self.p(0.4):
            a["eulerseq"] = "".join(self.r.choice("xyzXYZ") for _ in range(3))
            self.features.add("eulerseq")
        if self.p(0.3):
            a["inertiafromgeom"] = self.r.choice(["auto", "true", "false"] if self.p(0.2) else ["auto", "true"])
            self.features.add("inertiafromgeom " + a["inertiafromgeom"])
        if self.p(0.2):
            a["inertiagrouprange"] = f"{self.r.randint(0, 2)} {self.r.randint(3, 5)}"
            self.features.add("inertiagrouprange")
        if self.p(0.15) or "inertiagrouprange" in a:
            a["boundmass"] = num(self.u(0.01, 2))
            self.features.add("boundmass")
        if self.p(0.1) or "inertiagrouprange" in a:
            a["boundinertia"] = num(self.u(0.001, 0.1))
            self.features.add("boundinertia")
        self.balance = self.p(0.2)
        if self.balance:
            a["balanceinertia"] = "true"
            self.features.add("balanceinertia")
        if self.p(0.2):
            a["settotalmass"] = num(self.u(1, 50))
            self.features.add("settotalmass")
        return self.tag("compiler", a)

    def option(self):
        a, inside = {}, ""
        if self.p(0.4):
            a["gravity"] = vec(self.v3(10))
        if self.p(0.3):
            a["timestep"] = num(self.u(0.001, 0.01))
        if self.p(0.1):
            inside = '<flag gravity="disable"/>'
        if self.p(0.1):
            a["integrator"] = "implicitfast"
        return self.tag("option", a, inside)

    def default(self, depth, name):
        inside = ""
        if self.p(0.6):
            inside += self.tag("joint", self.joint_attrs(0.25))
        if self.p(0.6):
            inside += self.tag("geom", self.geom_attrs(0.3, False))
        for word in sorted({self.word() for _ in range(self.r.choice([0, 1, 1, 2]))}):
            inside += self.tag(word, self.drive_attrs(word, 0.3))
        if self.p(0.2):
            inside += self.tag("site", {"pos": vec(self.v3(0.2)), **self.turn()})
        if self.p(0.2):
            inside += self.tag("equality", {"active": self.r.choice(["true", "false"])})
        for _ in range(self.r.randint(0, 2) if depth < 3 else 0):
            sub = self.name("c")
            self.classes.append(sub)
            inside += self.default(depth + 1, sub)
        return self.tag("default", {"class": name} if depth or self.p(0.5) else {}, inside)

    def klass(self, attrs, chance=0.3):
        if self.p(chance):
            attrs["class"] = self.r.choice(self.classes)
        return attrs

    def joint(self, alone):
        kinds = ["slide"] if any(k == "ball" for _, k in self.made) else ["hinge"] * 5 + ["slide"] * 3 + (["ball"] if alone else [])
        kind = self.r.choice(kinds)
        a = self.klass({"name": self.name("j")})
        if self.p(0.95) or kind != "hinge":
            a["type"] = kind
        a.update(self.joint_attrs(0.35))
        if self.p(0.8) and "axis" not in a:
            a["axis"] = vec(self.v3())
        if kind == "ball":
            a.pop("range", None), a.pop("limited", None)
            if self.p(0.8):
                a["limited"] = "false"
        self.made.append((a["name"], kind))
        return self.tag("joint", a)

    def inertial(self):
        a = {"pos": vec(self.v3(0.2)), "mass": num(self.u(0.2, 4))}
        if self.p(0.4):
            d = [self.u(0.1, 0.4) for _ in range(3)]
            if self.balance and self.p(0.5):
                d[0] = 3.0
            if 2 * max(d) > sum(d) and not self.balance:
                d = [0.2, 0.21, 0.22]
            Q, _ = np.linalg.qr(np.array([self.v3() for _ in range(3)]))
            full = Q @ np.diag(d) @ Q.T
            a["fullinertia"] = " ".join(f"{full[i, k]:.12g}" for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
            self.features.add("fullinertia")
        else:
            d = [self.u(0.1, 0.19) for _ in range(3)]
            if self.balance and self.p(0.5):
                d[self.r.randint(0, 2)] = 2.0
            a["diaginertia"] = vec(d)
            a.update(self.turn())
        return self.tag("inertial", a)

    def body(self, depth, in_copy=False):
        a = {"name": self.name("b"), "pos": vec(self.v3(0.6))}
        a.update(self.turn())
        if self.p(0.15):
            a["childclass"] = self.r.choice(self.classes)
        if self.p(0.15):
            a["gravcomp"] = num(self.u(0, 1.5))
            self.features.add("gravcomp")
        self.made = []
        parts, joints = [], []
        free = depth == 0 and self.p(0.35)
        if free:
            name = self.name("f")
            heavy = {"armature": "0.1", "damping": "0.2"} if self.p(0.5) else {}
            joints.append(self.tag("freejoint", {"name": name}) if self.p(0.7) else self.tag("joint", {"type": "free", "name": name, **heavy}))
            self.made.append((name, "free"))
        else:
            for _ in range(self.r.choice([0, 1, 1, 1, 2, 3])):
                joints.append(self.joint(not self.made))
        if not in_copy:
            self.joints += self.made
            self.bodies.append(a["name"])
        if self.p(0.4):
            parts.append(self.inertial())
        for _ in range(self.r.choice([1, 1, 2, 3])):
            g = self.klass({"name": self.name("g")})
            g.update(self.geom_attrs(0.2, True))
            parts.append(self.tag("geom", g))
        if self.p(0.3):
            s = self.klass({"name": self.name("s"), "pos": vec(self.v3(0.2)), **self.turn()})
            if not in_copy:
                self.sites.append(s["name"])
            parts.append(self.tag("site", s))
        if len(joints) and self.p(0.2):
            self.features.add("joint in frame")
            k = self.r.randrange(len(joints))
            joints[k] = self.frame(joints[k])
        parts += joints
        for _ in range(self.r.choice([0, 0, 1, 2]) if depth < 3 else 0):
            text = self.body(depth + 1, in_copy)
            if self.p(0.2):
                text = self.frame(text)
                if self.p(0.3):
                    text = self.frame(text)
            elif self.p(0.07) and not in_copy:
                text = self.copies(self.body(depth + 1, True))
            parts.append(text)
        if self.p(0.15):
            g = {"type": "sphere", "size": "0.05", "name": self.name("g")}
            parts.append(self.frame(self.tag("geom", g)))
        if self.p(0.15):
            self.r.shuffle(parts)
        return self.tag("body", a, "".join(parts))

    def frame(self, inside):
        self.features.add("frame")
        a = {}
        if self.p(0.7):
            a["pos"] = vec(self.v3(0.3))
        a.update(self.turn())
        if self.p(0.3):
            a["childclass"] = self.r.choice(self.classes)
        return self.tag("frame", a, inside)

    def copies(self, inside):
        self.features.add("replicate")
        a = {"count": str(self.r.randint(1, 4)), "offset": vec(self.v3(0.3))}
        if self.p(0.6):
            e = [self.angle(-1, 1) for _ in range(3)]
            if self.p(0.6):
                e = [0, 0, e[2]]
            a["euler"] = vec(e)
        if self.p(0.5):
            a["sep"] = "-"
        text = self.tag("replicate", a, inside)
        if self.p(0.2):
            text = self.tag("replicate", {"count": "2", "offset": "0 0 1", "sep": "_"}, text)
            self.features.add("replicate in replicate")
        return text

    def world(self):
        inside = ""
        if self.p(0.4):
            a = {"type": "plane", "size": "5 5 1", "name": "floor"}
            if self.p(0.3):
                a["contype"], a["conaffinity"] = str(self.r.randint(0, 3)), str(self.r.randint(0, 3))
            if self.p(0.3):
                a["friction"] = num(self.u(0.2, 1.2))
            if self.p(0.2):
                a["priority"] = "1"
            if self.p(0.2):
                a["condim"] = self.r.choice(["1", "3"])
            inside += self.tag("geom", a)
        if self.p(0.2):
            inside += self.tag("geom", {"type": "box", "size": "0.3 0.3 0.05", "pos": "2 0 0", "name": "block", **({"contype": "2"} if self.p(0.4) else {})})
        for _ in range(self.r.choice([1, 1, 1, 2])):
            text = self.body(0)
            inside += self.frame(text) if self.p(0.15) else text
        if self.p(0.1):
            inside += self.copies(self.body(1, True))
        if self.p(0.15):
            inside += self.tag("site", {"name": "ws", "pos": vec(self.v3())})
            self.sites.append("ws")
        return inside
