#!/usr/bin/env python3
"""A ball, a box, a cylinder and a capsule slide 10 m over a map without friction, along x, y and both diagonals: does anything catch?

    python bench/agree/terrain_slides.py [--dt 0.002] [--speed 4]

Runs where `myriapod` is installed; MuJoCo beside where that is, on the same map as `Terrain.export_mjcf` writes it, with its defaults and the same time
step. The map is flat, or leans by one degree more or less after every 2 m along x or -y. Columns, of all ways and steps:

- change: of the flat map the largest change of the velocity along the ground, of the folded one that of sqrt(v^2 + 2 g (z - z at the start)); as a
  share of the speed
- off: the largest speed along the normal of the face below the centre, up or down [m/s]
- no face: of the contacts that carry, the share whose normal is more than 1e-3 rad off all faces of the map and what lies between two of them, where a
  convex fold has its own

At a concave fold of one degree the law takes 1 - cos(1 degree) = 1.5e-4 of the speed of what crosses it squarely, and at a convex one, where a body flies
and lands, as much. MuJoCo's contacts are soft, so bodies are let down for a second before they are pushed."""
import argparse
import math
import os
import tempfile

import numpy as np

import myriapod

GRAVITY, CELL, SIDE, WAY_M, FOLD_M = 9.81, 0.1, 161, 10.0, 2.0
FACE_RAD = 1e-3
STEEPEST_RAD = {"flat": 0.0, "folds": math.radians(1)}
DEGREE = math.radians(1)
WAYS = np.array([(1, 0), (0, 1), (math.sqrt(0.5), math.sqrt(0.5)), (math.sqrt(0.5), -math.sqrt(0.5))])
# the shape, and the height of its centre over what it lies on [m]
BODIES = {"ball": ('type="sphere" size="0.04"', 0.04), "box": ('type="box" size="0.12 0.09 0.05"', 0.05),
          "cylinder": ('type="cylinder" size="0.1 0.05"', 0.05), "capsule": ('type="capsule" size="0.045 0.1" euler="0 90 0"', 0.045)}
LEAN = math.tan(DEGREE) / math.sqrt(2)  # of a face that leans along x - y, in x and in y
FACES = {"flat": np.array([[0, 0, 1.0]]), "folds": np.array([[0, 0, 1.0], [-LEAN, LEAN, 1], [LEAN, -LEAN, 1]])}
FACES = {name: normals / np.linalg.norm(normals, axis=1, keepdims=True) for name, normals in FACES.items()}


def piece_of(x, y):
    """Which level or leaning piece of a folded map a place is on, and how far along it, 0 .. 1."""
    piece, rest = np.divmod((np.asarray(x) - y) / FOLD_M + 1e-9, 1)
    return piece.astype(int) % 4, rest


def height(kind, x, y):
    """Level, up, level, down, .. Folds run along the diagonals of cells, so the map has them exactly."""
    piece, rest = piece_of(x, y)
    return 0 * rest if kind == "flat" else LEAN * FOLD_M * np.choose(piece, [0 * rest, rest, 0 * rest + 1, 1 - rest])


def face(kind, x, y):
    """The normal of the face below."""
    return FACES[kind][np.choose(piece_of(x, y)[0], [0, 1, 0, 2]) if kind == "folds" else 0]


def ground(kind):
    x, y = np.meshgrid(CELL * (np.arange(SIDE) - SIDE // 2), CELL * (np.arange(SIDE) - SIDE // 2), indexing="ij")
    return myriapod.Terrain(height(kind, x, y) + 0.25, cell=CELL)


def scene(body, floor, dt):
    shape, low = BODIES[body]
    return (f'<mujoco><option timestep="{dt}"/><default><geom condim="1" friction="0 0 0"/></default>{floor}'
            f'<worldbody><body pos="0 0 {low}"><freejoint/><geom {shape} mass="1"/></body></worldbody></mujoco>')


def start(kind, way, low):
    """A body's place 5 m before the middle."""
    x, y = -0.5 * WAY_M * way + (0.313, -0.171)
    return np.array([x, y, 0.25 + height(kind, x, y) + low, 1, 0, 0, 0])


class Seen:
    """The worst that one body did."""

    def __init__(self, kind, way, speed):
        self.kind, self.way, self.speed, self.z = kind, way, speed, None
        self.change = self.off = self.normals = self.strange = 0

    def look(self, q, v, normals):
        """A step: the body's place and velocity, and the normals of the contacts that carry, (n, 3)."""
        if self.z is None:
            self.z = q[2]
        if self.kind == "flat":
            change = np.linalg.norm(v[:2] - self.speed * self.way) / self.speed
        else:
            change = abs(math.sqrt(max(0.0, v[:3] @ v[:3] + 2 * GRAVITY * (q[2] - self.z))) / self.speed - 1)
        self.change = max(self.change, float(change))
        self.off = max(self.off, abs(float(v[:3] @ face(self.kind, q[0], q[1]))))
        lean = np.abs(normals @ np.array([[1, 1], [-1, 1], [0, 0]]) * math.sqrt(0.5))  # up and down the faces, and along the folds
        self.normals += len(normals)
        self.strange += int((lean > [math.sin(STEEPEST_RAD[self.kind]) + FACE_RAD, FACE_RAD]).any(axis=1).sum())


def worst(seen):
    normals = sum(s.normals for s in seen)
    strange = sum(s.strange for s in seen)
    return {"change": max(s.change for s in seen), "off": max(s.off for s in seen), "normals": normals, "no face": strange / max(1, normals)}


def steps_of(speed, dt):
    return round(WAY_M / speed / dt)


def ours(kind, body, precision, dt, speed):
    low = BODIES[body][1]
    model = myriapod.Model.from_text(scene(body, '<worldbody><geom type="plane" size="1 1 1"/></worldbody>', dt)).on(ground(kind))
    seen = [Seen(kind, way, speed) for way in WAYS]
    with myriapod.Batch(model, len(WAYS), task="none", dt=dt, precision=precision, threads=1, sense=("contacts",)) as batch:
        batch.q = np.array([start(kind, way, low - 1e-7) for way in WAYS])
        batch.v = np.concatenate([speed * WAYS, np.zeros((len(WAYS), 4))], axis=1)
        for _ in range(steps_of(speed, dt)):
            batch.step()
            q, v, carry = np.asarray(batch.q, float), np.asarray(batch.v, float), batch.impulse[:, :, 2] > 0
            for env, s in enumerate(seen):
                s.look(q[env], v[env], np.asarray(batch.contact_normal[env][carry[env]], float))
    return worst(seen)


def mujocos(kind, body, dt, speed):
    import mujoco
    low = BODIES[body][1]
    seen = [Seen(kind, way, speed) for way in WAYS]
    with tempfile.TemporaryDirectory() as folder:
        ground(kind).export_mjcf(os.path.join(folder, "ground.xml"))
        path = os.path.join(folder, "scene.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(scene(body, '<include file="ground.xml"/>', dt))
        model = mujoco.MjModel.from_xml_path(path)
    force = np.zeros(6)
    for s in seen:
        data = mujoco.MjData(model)
        data.qpos[:] = start(kind, s.way, low)
        for _ in range(round(1 / dt)):
            mujoco.mj_step(model, data)
        data.qvel[:] = 0
        data.qvel[:2] = speed * s.way
        for _ in range(steps_of(speed, dt)):
            mujoco.mj_step(model, data)
            normals = []
            for k in range(data.ncon):
                mujoco.mj_contactForce(model, data, k, force)
                if force[0] > 0:
                    normals.append(data.contact[k].frame[:3].copy())
            s.look(data.qpos, data.qvel, np.array([-n if n[2] < 0 else n for n in normals]).reshape(-1, 3))
    return worst(seen)


def engines():
    found = {"f64": lambda *of: ours(*of[:2], "f64", *of[2:]), "f32": lambda *of: ours(*of[:2], "f32", *of[2:])}
    try:
        import mujoco
        found[f"MuJoCo {mujoco.mj_versionString()}"] = mujocos
    except ImportError:
        print("left out: no MuJoCo here")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dt", type=float, default=0.002)
    parser.add_argument("--speed", type=float, default=4.0)
    args = parser.parse_args()
    found = engines()
    columns = [f"{what}: {name}" for what in ("change", "off", "no face") for name in found]
    print(f"10 m at {args.speed:g} m/s, steps of {1e3 * args.dt:g} ms, cells of {CELL:g} m, four ways")
    print(f"| map | body | {' | '.join(columns)} |\n|{' --- |' * (2 + len(columns))}")
    for kind in FACES:
        for body in BODIES:
            rows = [run(kind, body, args.dt, args.speed) for run in found.values()]
            cells = [f"{r[what]:.1e}" for what in ("change", "off") for r in rows] + [f"{100 * r['no face']:.2g} %" for r in rows]
            print(f"| {kind} | {body} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
