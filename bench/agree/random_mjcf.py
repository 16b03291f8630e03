"""Random MJCF files for mjcf_random.py: what drives and ties the bodies of random_mjcf_bodies.py, tendons, actuators, equalities, contacts and
keyframes, and the file of it all. Not all are valid: what MuJoCo refuses says nothing."""
from random_mjcf_bodies import SINGLE, Bodies, num, vec


class Maker(Bodies):
    def tendon_section(self):
        text = ""
        single = [n for n, k in self.joints if k in SINGLE]
        for _ in range(self.r.choice([0, 0, 1, 2])):
            if not single:
                break
            name = self.name("t")
            self.tendons.append(name)
            inside = "".join(self.tag("joint", {"joint": j, "coef": num(self.u(-2, 2))}) for j in self.r.sample(single, min(len(single), self.r.randint(1, 3))))
            a = {"name": name}
            if self.p(0.1):
                a["range"], a["limited"] = "-1 1", "true"
            if self.p(0.1):
                a["stiffness"] = "2"
            if self.p(0.1):
                a["actuatorfrcrange"], a["actuatorfrclimited"] = "-1 1", "true"
            text += self.tag("fixed", a, inside)
            self.features.add("fixed tendon")
        return self.tag("tendon", {}, text) if text else ""

    def actuator_section(self):
        text = ""
        names = [n for n, k in self.joints if k in SINGLE]
        self.nu = 0
        for _ in range(self.r.choice([0, 2, 4, 6])):
            if not names:
                break
            word = self.word()
            a = self.klass({"name": self.name("a")}, 0.5)
            if self.tendons and self.p(0.25):
                a["tendon"] = self.r.choice(self.tendons)
            else:
                a["joint" if self.p(0.9) else "jointinparent"] = self.r.choice(names)
            a.update(self.drive_attrs(word, 0.4))
            text += self.tag(word, a)
            self.nu += 1
        return self.tag("actuator", {}, text) if text else ""

    def equality_section(self):
        text = ""
        names = [n for n, k in self.joints if k in SINGLE]
        for _ in range(self.r.choice([0, 0, 0, 1, 2])):
            kind = self.r.choice(["connect", "weld", "joint", "tendon"])
            a = {"name": self.name("e")}
            if self.p(0.2):
                a["class"] = self.r.choice(self.classes)
            if self.p(0.3):
                a["active"] = self.r.choice(["true", "false"])
            if kind in ("connect", "weld"):
                if not self.bodies:
                    continue
                a["body1"] = self.r.choice(self.bodies)
                if self.p(0.7) and len(self.bodies) > 1:
                    a["body2"] = self.r.choice([b for b in self.bodies if b != a["body1"]])
                if kind == "connect" or self.p(0.3):
                    a["anchor"] = vec(self.v3(0.3))
            elif kind == "joint":
                if not names:
                    continue
                a["joint1"] = self.r.choice(names)
                if self.p(0.7) and len(set(names)) > 1:
                    a["joint2"] = self.r.choice([n for n in names if n != a["joint1"]])
                if self.p(0.7):
                    a["polycoef"] = vec([self.u(-0.3, 0.3) for _ in range(self.r.randint(1, 5))])
            else:
                if not self.tendons:
                    continue
                a["tendon1"] = self.tendons[0]
                if len(self.tendons) > 1:
                    a["tendon2"] = self.tendons[1]
                if self.p(0.7):
                    a["polycoef"] = vec([self.u(-0.3, 0.3) for _ in range(2)])
            self.features.add("equality " + kind)
            text += self.tag(kind, a)
        return self.tag("equality", {}, text) if text else ""

    def contact_section(self):
        if len(self.bodies) < 2 or not self.p(0.2):
            return ""
        a, b = self.r.sample(self.bodies, 2)
        if self.p(0.4):
            a = "world"
        self.features.add("exclude")
        return self.tag("contact", {}, self.tag("exclude", {"body1": a, "body2": b}))

    def keyframe_section(self, nq, nu, quats):
        text = ""
        for k in range(self.r.choice([0, 0, 1, 2])):
            q = [self.u(-0.8, 0.8) for _ in range(nq)]
            for at in quats:
                n = sum(x * x for x in q[at:at + 4]) ** 0.5
                if self.p(0.8):
                    q[at:at + 4] = [x / n for x in q[at:at + 4]]
            a = {"qpos": vec(q)}
            if self.p(0.7):
                a["name"] = self.r.choice(["home", "other", "third"]) + str(k if k else "")
            if nu and self.p(0.6):
                a["ctrl"] = vec([self.u(-2, 2) for _ in range(nu)])
            text += self.tag("key", a)
            self.features.add("keyframe")
        return self.tag("keyframe", {}, text) if text else ""

    def make(self, count):
        """count(text) -> nq, nu, quats of a file without keyframes, or None."""
        compiler, option = self.compiler(), self.option()
        default = self.default(0, "main") if self.p(0.7) else ""
        if default:
            self.features.add("default")
        world = self.world()
        tendon = self.tendon_section()
        actuator, equality, contact = self.actuator_section(), self.equality_section(), self.contact_section()
        sections = [self.tag("worldbody", {}, world), tendon, actuator, equality, contact]
        if self.p(0.3) and "<replicate" not in world:
            self.r.shuffle(sections)
        if self.p(0.2):
            self.features.add("include")
            self.files["part.xml"] = "<mujocoinclude>" + compiler + default + "</mujocoinclude>"
            head = '<include file="part.xml"/>'
        else:
            head = compiler + default
        body = head + option + "".join(sections)
        counted = count("<mujoco>" + (compiler + default if self.files else head) + option + "".join(sections) + "</mujoco>")
        keys = self.keyframe_section(*counted) if counted else ""
        self.files["main.xml"] = '<mujoco model="m">' + body + keys + "</mujoco>"
        return self
