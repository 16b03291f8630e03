#!/usr/bin/env python3
"""Shapes that are fitted to meshes, beside MuJoCo (`pip install mujoco`): sizes, places, masses and moments, for points that stand in the file, for
both ways of fitting, for each way of weighing, with scales, mirrors, reference poses and poses of the geom.

    python bench/agree/mesh_fits.py [--build DIR]"""
import argparse
import itertools
import pathlib
import sys
import tempfile

import mujoco
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure

SOURCE = pathlib.Path(__file__).resolve().parents[2]
POINTS = ["0 0 0 .3 0 0 .3 .1 0 0 .2 .05 .02 .03 .4 .1 .1 .3", "0 0 0 .2 0 0 .2 .2 0 0 .2 0 0 0 .3 .2 0 .3 .2 .2 .3 0 .2 .3"]
SIZES = {"mesh": 0, "sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 0, "box": 3}  # those of a mesh and an ellipsoid are a hull's corners here
MESHES = ["", 'scale="1 2 -3" refpos=".1 .2 .3" refquat="1 .2 .3 .4"', 'inertia="shell"', 'inertia="exact"', 'inertia="convex"']
MODEL = """<mujoco><compiler {compiler}/><asset><mesh name="m" vertex="{points}" {mesh}/></asset><worldbody><body name="b"><freejoint/>
<geom name="g" type="{shape}" mesh="m" {geom}/></body></worldbody></mujoco>"""


def turn(q):
    w, x, y, z = numpy.array(q) / numpy.linalg.norm(q)
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def tensor(quaternion, along):
    """The same for axes that point the other way."""
    return turn(quaternion) @ numpy.diag(along) @ turn(quaternion).T


def compare(ours, theirs, shape):
    """The largest difference: moments as a share of the largest, lengths in metres."""
    geom, body, n = ours["geoms"][0], ours["bodies"][0], SIZES[shape]
    xx, yy, zz, xy, xz, yz = body["inertia"]
    moments = tensor(theirs.body_iquat[1], theirs.body_inertia[1])
    off = [abs(body["mass"] / theirs.body_mass[1] - 1), abs(numpy.array(body["com"]) - theirs.body_ipos[1]).max(),
           abs(numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - moments).max() / abs(moments).max()]
    if n:
        off += [abs(numpy.array(geom["size"]) - theirs.geom_size[0][:n]).max(), abs(numpy.array(geom["position"]) - theirs.geom_pos[0]).max()]
    if shape == "box":
        off.append(abs(tensor(geom["quaternion"], geom["size"]) - tensor(theirs.geom_quat[0], theirs.geom_size[0])).max())
    return max(off)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory")
    program = parser.parse_args().build / "myriapod"
    worst, cases = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.xml"
        for points, shape, compiler, mesh, moved in itertools.product(POINTS, SIZES, ["", 'fitaabb="true"'], MESHES, [False, True]):
            geom = 'pos="1 .2 .3" quat="1 .3 .2 .1"' + (' fitscale="1.5"' if shape != "mesh" else "") if moved else ""
            path.write_text(MODEL.format(compiler=compiler, points=points, mesh=mesh, shape=shape, geom=geom), encoding="utf-8")
            off = compare(measure.answer(program, "info", path, "--json"), mujoco.MjModel.from_xml_path(str(path)), shape)
            if off > 1e-6:
                print(f"{shape}, {compiler}, {mesh}, {geom}: off by {off:.1e}")
            worst, cases = max(worst, off), cases + 1
    print(f"{cases} bodies: off by {worst:.1e} at most (MuJoCo keeps points as floats)")
    return worst > 1e-6


if __name__ == "__main__":
    sys.exit(main())
