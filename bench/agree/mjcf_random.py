#!/usr/bin/env python3
"""Random MJCF files (random_mjcf.py), read here and by MuJoCo: numbers of joints, mass, gravity, home and keyframes; at random states the mass matrix,
the bias, places of bodies and sites, forces of actuators; ranges, springs and friction of joints; what couples and ties; which geoms meet the ground,
and with what friction. What differs and is not named in a warning is a bug here, and is listed with the seeds that show it.

    python bench/agree/mjcf_random.py [--first SEED] [--count N] [--keep FOLDER]

Needs the packages myriapod, mujoco and numpy. Not told from bugs: sections before <worldbody> that name what a <replicate> copies, which MuJoCo copies,
too; quaternions of home of the other sign."""
import argparse
import collections
import pathlib
import re
import tempfile
import warnings

import mujoco
import myriapod
import numpy as np
from random_mjcf import Maker

KINDS = {2: ("sphere", 1), 3: ("capsule", 2), 4: ("hull", 0), 5: ("cylinder", 2), 6: ("box", 3)}
OBJECTS = mujoco.mjtObj


def count(text):
    """nq, nu and where quaternions are of a file without keyframes; None: MuJoCo refuses it."""
    try:
        m = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return None
    return m.nq, m.nu, [int(m.jnt_qposadr[j]) + (3 if m.jnt_type[j] == 0 else 0) for j in range(m.njnt) if m.jnt_type[j] <= 1]


def off(ours, theirs):
    """By how much numbers differ, of the largest."""
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    return float(np.abs(a - b).max(initial=0) / max(1.0, np.abs(b).max(initial=0))) if a.shape == b.shape else np.inf


def full_mass(m, d):
    full = np.zeros((m.nv, m.nv))
    try:
        mujoco.mj_fullM(m, full, d.qM)
    except (TypeError, AttributeError):
        mujoco.mj_fullM(m, d, full)
    return full


def rotation(quaternion):
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, np.array(quaternion, float))
    return flat.reshape(3, 3)


class Comparison:
    """Of one file: `bad` lists what differs."""

    def __init__(self, peer, ours, seed):
        self.peer, self.ours, self.bad = peer, ours, []
        self.data, self.draw, self.warned = mujoco.MjData(peer), np.random.default_rng(seed), " | ".join(ours.warnings)

    def say(self, what, size=np.inf, limit=1e-9):
        if not size <= limit:
            self.bad.append(what)

    def name(self, kind, i):
        return mujoco.mj_id2name(self.peer, kind, i) or ""

    def run(self):
        m, o = self.peer, self.ours
        if (m.nq, m.nv) != (o.nq, o.nv) or m.njnt != len(o.joints):
            return ["nq, nv or joints"]
        heavy = not m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        self.say("gravity", off(o.gravity, m.opt.gravity * heavy), 0)
        self.say("timestep", off(o.timestep, m.opt.timestep), 0)
        self.say("mass", off(o.mass, m.body_mass[1:].sum()))
        self.keys()
        self.joints()
        self.states()
        self.contacts()
        return self.bad

    def keys(self):
        m, names = self.peer, [self.name(OBJECTS.mjOBJ_KEY, k) for k in range(self.peer.nkey)]
        home = m.key_qpos[names.index("home") if "home" in names else 0] if m.nkey else m.qpos0
        if not self.ours.loops:
            self.say("home", off(self.ours.home, self.raised(np.array(home))))
        for k, name in enumerate(names):
            self.say("keyframe", off(self.ours.keyframes[name or f"key_{k}"], m.key_qpos[k]))

    def raised(self, home):
        """What lay in the ground is above it here, and a warning says so."""
        for j in self.ours.joints:
            if j.type == "free" and f"body `{j.body}` would begin" in self.warned:
                home[j.q + 2] = max(home[j.q + 2], self.ours.home[j.q + 2])
        return home

    def joints(self):
        m = self.peer
        for j, own in enumerate(self.ours.joints):
            dof, at, single = m.jnt_dofadr[j], m.jnt_qposadr[j], m.jnt_type[j] >= 2
            self.say("order of joints", off((own.v, own.q), (dof, at)), 0)
            self.say("name of a joint", 0 if self.name(OBJECTS.mjOBJ_JOINT, j) in ("", own.name) else np.inf)
            if not single:
                self.say("friction lost silently", 0 if not m.dof_frictionloss[dof] or "frictionloss" in self.warned else np.inf)
                self.say("spring lost silently", 0 if not m.jnt_stiffness[j] or "springs" in self.warned or "singular" in self.warned else np.inf)
                self.say("limit lost silently", 0 if not m.jnt_limited[j] or "limits" in self.warned else np.inf)
                continue
            if "tendon" not in self.warned and "singular" not in self.warned:
                self.say("stiffness", off(own.stiffness, m.jnt_stiffness[j]))
                self.say("springref", off(own.spring_rest, m.qpos_spring[at]) if m.jnt_stiffness[j] else 0)
                self.say("damping", off(own.damping, m.dof_damping[dof]) if not m.nu else 0)
            self.say("friction", off(own.dry_friction, m.dof_frictionloss[dof]))
            limited = own.lower <= own.upper
            self.say("limited", abs(limited - int(m.jnt_limited[j])))
            self.say("range", off((own.lower, own.upper), m.jnt_range[j]) if limited and m.jnt_limited[j] else 0)

    def random_state(self):
        m, q = self.peer, self.peer.qpos0.copy()
        for j in range(m.njnt):
            at, kind = m.jnt_qposadr[j], m.jnt_type[j]
            if kind == 0:
                q[at:at + 3] += self.draw.normal(0, 0.5, 3)
            if kind <= 1:
                turn = slice(at + 3, at + 7) if kind == 0 else slice(at, at + 4)
                q[turn] = self.draw.normal(0, 1, 4)
                q[turn] /= np.linalg.norm(q[turn])
            else:
                q[at] += self.draw.normal(0, 0.7)
        return q

    def states(self):
        m, d, n = self.peer, self.data, 4
        q, v = np.array([self.random_state() for _ in range(n)]), self.draw.normal(0, 1, (n, m.nv))
        seen = myriapod.evaluate(self.ours, q, v, np.zeros((n, m.nv)), ("M", "bias", "frame_position", "frame_quaternion"))
        frames, rotors_lost = list(self.ours.frames), "on a tendon" in self.warned or "left out" in self.warned
        for i in range(n):
            d.qpos[:], d.qvel[:], d.ctrl[:] = q[i], v[i], self.draw.normal(0, 3 if i % 2 else 0.3, m.nu)
            mujoco.mj_forward(m, d)
            mass = full_mass(m, d)
            self.say("M", 0 if rotors_lost else np.abs(seen.M[i] - mass).max() / np.abs(mass).max())
            self.say("bias", off(seen.bias[i], d.qfrc_bias), 1e-8)
            for kind, places in ((OBJECTS.mjOBJ_BODY, d.xpos), (OBJECTS.mjOBJ_SITE, d.site_xpos)):
                for b, place in enumerate(places):
                    name = self.name(kind, b)
                    if not name or name == "world":
                        continue
                    self.say("frame", off(seen.frame_position[i, frames.index(name)], place) if name in frames else np.inf)
                    if kind == OBJECTS.mjOBJ_BODY and name in frames:
                        self.say("turn", off(rotation(seen.frame_quaternion[i, frames.index(name)]), rotation(d.xquat[b])))
            self.drives(q[i], v[i])
            self.couplings(q[i])

    def drives(self, q, v):
        m, d = self.peer, self.data
        moment, own = np.zeros((m.nu, m.nv)), {a.name: a for a in self.ours.actuators}
        if m.nu:
            mujoco.mju_sparse2dense(moment, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind)
        for k in range(m.nu):
            a = own.get(self.name(OBJECTS.mjOBJ_ACTUATOR, k))
            if not a:
                self.say("actuator lost silently", 0 if "left out" in self.warned else np.inf)
                continue
            joints = [self.ours.joints[j] for j in a.joints]
            length, rate = (sum(share * x[getattr(j, at)] for share, j in zip(a.moments, joints)) for x, at in ((q, "q"), (v, "v")))
            given = a.control_scale * min(max(d.ctrl[k], a.control_lower), a.control_upper) + a.control_bias
            wish = (a.kp * (given - length) if a.controls == "target" else given) - a.kd * rate
            force = np.zeros(m.nv)
            for share, j in zip(a.moments, joints):
                force[j.v] += share * min(max(wish, a.lower), a.upper)
            bounded = any(m.jnt_actfrclimited[j.index] for j in joints) or "actuatorfrcrange of" in self.warned or "singular" in self.warned
            self.say("actuator", 0 if bounded else off(force, moment[k] * d.actuator_force[k]))

    def couplings(self, q):
        m, d, own = self.peer, self.data, {loop.name: loop for loop in self.ours.loops if loop.type == "coupling"}
        for e in range(m.neq):
            loop = own.get(self.name(OBJECTS.mjOBJ_EQUALITY, e))
            rows = [r for r in range(d.nefc) if d.efc_type[r] == mujoco.mjtConstraint.mjCNSTR_EQUALITY and d.efc_id[r] == e]
            if not loop or not m.eq_active0[e] or not rows:
                continue
            driver = q[self.ours.joints[loop.other].q] if loop.other >= 0 else 0.0
            left = sum(c * q[self.ours.joints[j].q] for c, j in zip(loop.coefficients, loop.joints)) - sum(p * driver**k for k, p in enumerate(loop.polynomial))
            self.say("coupling", off([left], d.efc_pos[rows]), 1e-8)

    def contacts(self):
        m, own = self.peer, {g.name: g for g in self.ours.geoms}
        planes = [g for g in range(m.ngeom) if m.geom_type[g] == 0 and (m.geom_contype[g] or m.geom_conaffinity[g])]
        floor = next((g for g in planes if abs(m.geom_pos[g][2]) < 1e-12 and rotation(m.geom_quat[g])[2, 2] > 1 - 1e-12), None)
        contype, conaffinity = (1, 1) if floor is None else (m.geom_contype[floor], m.geom_conaffinity[floor])
        excluded = {int(pair) & 0xFFFF for pair in m.exclude_signature if int(pair) >> 16 == 0}
        for g in range(m.ngeom):
            body, name = int(m.geom_bodyid[g]), self.name(OBJECTS.mjOBJ_GEOM, g)
            if not name or m.geom_type[g] == 0 or m.body_weldid[body] == 0:
                continue
            meets = body not in excluded and bool(m.geom_contype[g] & conaffinity or m.geom_conaffinity[g] & contype)
            mine = own.get(name)
            self.say("geom meets the ground", abs(meets - bool(mine and mine.n_slots)), 0)
            if not meets or not mine:
                continue
            kind, sizes = KINDS[int(m.geom_type[g])]
            self.say("kind of geom", 0 if kind == mine.type else np.inf)
            self.say("size of geom", off(mine.size[:sizes], m.geom_size[g][:sizes]))
            self.say("friction", off(mine.friction, self.friction(g, floor)))

    def friction(self, g, floor):
        m = self.peer
        priority, condim, its = (0, 3, m.geom_friction[g][0]) if floor is None else (m.geom_priority[floor], m.geom_condim[floor], m.geom_friction[floor][0])
        if m.geom_priority[g] != priority:
            higher = m.geom_priority[g] > priority
            return 0.0 if (m.geom_condim[g] if higher else condim) == 1 else m.geom_friction[g][0] if higher else its
        return 0.0 if m.geom_condim[g] == 1 and condim == 1 else max(m.geom_friction[g][0], its)


def compare(path, seed):
    """(outcome, what differs) of one file."""
    try:
        peer = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        peer = None
    try:
        ours = myriapod.Model(str(path))
    except myriapod.Error as error:
        why = re.sub(r"`[^`]*`|[-+]?\d[\d.e+-]*", "#", str(error).split("xml:", 1)[-1])
        return ("refused here", ["refused: " + why[:100]]) if peer else ("refused by both", [])
    return ("compared", Comparison(peer, ours, seed).run()) if peer else ("refused there", [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="seed of the first file")
    parser.add_argument("--count", type=int, default=500, help="how many files")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files that differ")
    args = parser.parse_args()
    warnings.simplefilter("ignore", myriapod.ModelWarning)
    fates, seeds = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(args.first, args.first + args.count):
            files = Maker(seed).make(count).files
            folder = pathlib.Path(scratch)
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8")
            fate, bad = compare(folder / "main.xml", seed)
            fates[fate] += 1
            for what in set(bad):
                seeds[what].append(seed)
            if bad and args.keep:
                (args.keep / str(seed)).mkdir(parents=True, exist_ok=True)
                for name, text in files.items():
                    (args.keep / str(seed) / name).write_text(text, encoding="utf-8")
    print(", ".join(f"{n} {fate}" for fate, n in fates.most_common()))
    for what, those in sorted(seeds.items(), key=lambda item: -len(item[1])):
        print(f"{len(those):5} {what}: seeds {', '.join(map(str, those[:6]))}")


if __name__ == "__main__":
    main()
