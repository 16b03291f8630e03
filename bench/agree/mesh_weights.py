#!/usr/bin/env python3
"""What bodies weigh by their meshes, beside MuJoCo (`pip install mujoco`): the mass matrix of one free body for each way of weighing, with
scales, mirrors, reference poses and poses of the geom; the mesh is one that is not convex, and written here.

    python bench/agree/mesh_weights.py [--build DIR]"""
import argparse
import itertools
import json
import pathlib
import sys
import tempfile

import mujoco
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure

SOURCE = pathlib.Path(__file__).resolve().parents[2]
OUTLINE = [(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.25), (0, 0.25)]  # an L, 0.08 m thick, with its corner at the origin
CAPS = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
MODEL = """<mujoco><compiler meshdir="meshes"/><asset><mesh name="l" file="l.obj" {mesh}/></asset><worldbody><body name="b"><freejoint/>
<geom type="mesh" mesh="l" {geom}/></body></worldbody></mujoco>"""


def letter():
    n = len(OUTLINE)
    points = [(x, y, z) for z in (0, 0.08) for x, y in OUTLINE]
    faces = [(a, c, b) for a, b, c in CAPS] + [(a + n, b + n, c + n) for a, b, c in CAPS]
    for i in range(n):
        k = (i + 1) % n
        faces += [(i, k, k + n), (i, k + n, i + n)]
    return "".join(f"v {x} {y} {z}\n" for x, y, z in points) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory")
    program = parser.parse_args().build / "myriapod"
    worst, cases = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "meshes").mkdir()
        (folder / "meshes" / "l.obj").write_text(letter(), encoding="utf-8")
        meshes = ["", 'scale="2 3 0.5"', 'scale="1 -1 1"', 'refpos="0.1 0.2 -0.3"', 'refquat="0.5 0.1 -0.7 0.4"',
                  'refpos="0.1 0.2 -0.3" refquat="0.5 0.1 -0.7 0.4" scale="1 2 -3"']
        geoms = ["", 'mass="2.5"', 'density="300" pos="0.1 -0.2 0.3" quat="0.3 0.4 -0.1 0.8"']
        for how, mesh, geom in itertools.product(["", "legacy", "exact", "convex", "shell"], meshes, geoms):
            path = folder / "model.xml"
            path.write_text(MODEL.format(mesh=f'inertia="{how}" {mesh}' if how else mesh, geom=geom), encoding="utf-8")
            model = mujoco.MjModel.from_xml_path(str(path))
            data = mujoco.MjData(model)
            mujoco.mj_forward(model, data)
            full = numpy.zeros((6, 6))
            try:
                mujoco.mj_fullM(model, full, data.qM)
            except (TypeError, AttributeError):
                mujoco.mj_fullM(model, data, full)
            states = folder / "states.json"
            states.write_text(json.dumps({"states": [{"q": list(data.qpos), "v": [0.0] * 6, "tau": [0.0] * 6}]}), encoding="utf-8")
            off = abs(numpy.array(measure.answer(program, "eval", path, "--states", states)["states"][0]["M"]) - full).max() / abs(full).max()
            if off > 1e-5:
                print(f"{how or 'default'}, {mesh}, {geom}: off by {off:.1e}")
            worst, cases = max(worst, off), cases + 1
    print(f"{cases} bodies: the mass matrix is off by {worst:.1e} of its largest entry at most (MuJoCo keeps points as floats)")
    return worst > 1e-5


if __name__ == "__main__":
    sys.exit(main())
