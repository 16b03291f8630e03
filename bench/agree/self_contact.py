#!/usr/bin/env python3
"""Which pairs of a robot's own shapes there are, beside MuJoCo (`pip install mujoco`): the pairs that the filters let through must be those that
MuJoCo's rules give; what `--self-collision auto` drops as never near must not touch in fresh random poses, by MuJoCo's distances.

    python bench/agree/self_contact.py FILE.xml ... [--poses 20000] [--build DIR] [--csv FILE]

Half of the poses are uniform within the limits; in the others a third of the joints are at one of theirs, where most touches are that are rare."""
import argparse
import csv
import itertools
import pathlib
import sys
import time

import mujoco
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLANE, FLAT = int(mujoco.mjtGeom.mjGEOM_PLANE), (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD))


def read(path):
    """Without what is only seen: pictures, and meshes that nothing touches, may not be there."""
    spec = mujoco.MjSpec.from_file(str(path))
    paired = {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}
    for geom in list(spec.geoms):
        geom.material = ""
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH and not geom.contype and not geom.conaffinity and geom.name not in paired:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name and mesh.name not in used:
            spec.delete(mesh)
    for asset in list(spec.materials) + list(spec.textures):
        spec.delete(asset)
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-3  # masses are not asked for
    return spec.compile()


def rules(model):
    """Pairs of geoms that MuJoCo's rules let through (engine_collision_driver.c), height fields and planes left out; and those asked for."""
    filters = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    weld, body = model.body_weldid, model.geom_bodyid
    excluded, pairs = set(model.exclude_signature.tolist()), set()
    asked = {tuple(sorted(both)) for both in zip(model.pair_geom1.tolist(), model.pair_geom2.tolist())}
    solid = [g for g in range(model.ngeom) if int(model.geom_type[g]) not in FLAT]
    for a, b in itertools.combinations(solid, 2):
        if not (model.geom_contype[a] & model.geom_conaffinity[b] or model.geom_contype[b] & model.geom_conaffinity[a]):
            continue
        one, other = sorted((int(body[a]), int(body[b])))
        if (one << 16) + other in excluded or weld[one] == weld[other]:
            continue
        over = [weld[model.body_parentid[weld[of]]] for of in (one, other)]
        if filters and weld[one] and weld[other] and (weld[one] == over[1] or weld[other] == over[0]):
            continue
        pairs.add((a, b))
    return pairs, {both for both in asked if set(both) <= set(solid) and body[both[0]] != body[both[1]]}


def kept_geoms(model, pairs):
    """MuJoCo's geoms that we have, by their names here: what meets the ground or another shape, and what is the world's own."""
    asked = [set(both) for both in zip(model.pair_geom1.tolist(), model.pair_geom2.tolist())]
    paired = set().union(*asked)
    planes = [g for g in range(model.ngeom) if model.geom_type[g] == PLANE and model.geom_bodyid[g] == 0]
    ground = next((g for g in planes if model.geom_contype[g] or model.geom_conaffinity[g] or g in paired), None)
    contype, conaffinity = (1, 1) if ground is None else (model.geom_contype[ground], model.geom_conaffinity[ground])
    away = set(model.exclude_signature.tolist())  # the world with a body: (0 << 16) + body
    company = {g for both in pairs for g in both} | {g for both in asked if ground in both for g in both}
    names, count = {}, {}
    for g in range(model.ngeom):
        body, collides = int(model.geom_bodyid[g]), model.geom_contype[g] or model.geom_conaffinity[g]
        meets = (model.geom_contype[g] & conaffinity or model.geom_conaffinity[g] & contype) and body not in away
        if int(model.geom_type[g]) in FLAT or not (g in company or (collides and (meets or body == 0))):
            continue
        before = count[body] = count.get(body, -1) + 1
        names[model.geom(g).name or (model.body(body).name or f"body_{body}") + (f"_{before + 1}" if before else "")] = g
    return names


def draw(model, random, bold):
    """Joints of one number at random; free ones stay, ball joints turn any way."""
    q = model.qpos0.copy()
    for joint in range(model.njnt):
        at, kind = model.jnt_qposadr[joint], model.jnt_type[joint]
        if kind == mujoco.mjtJoint.mjJNT_BALL:
            turn = random.normal(size=4)
            q[at:at + 4] = turn / numpy.linalg.norm(turn)
        elif kind != mujoco.mjtJoint.mjJNT_FREE:
            limited = model.jnt_limited[joint]
            low, high = model.jnt_range[joint] if limited else (0.0, 2 * numpy.pi if kind == mujoco.mjtJoint.mjJNT_HINGE else 0.0)
            q[at] = random.choice((low, high)) if bold and limited and random.random() < 1 / 3 else random.uniform(low, high)
    return q


def distances(model, data, q, pairs):
    """Of each pair at q [m], below 0: so deep in each other; 1 mm: that or more."""
    first, second = numpy.array(pairs, int).reshape(-1, 2).T
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    apart, out = numpy.linalg.norm(data.geom_xpos[first] - data.geom_xpos[second], axis=1), numpy.full(len(pairs), 1e-3)
    for k in numpy.nonzero(apart < model.geom_rbound[first] + model.geom_rbound[second])[0]:
        out[k] = mujoco.mj_geomDistance(model, data, int(first[k]), int(second[k]), 1e-3, None)
    return out


def touches(model, pairs, poses):
    """How often each of the pairs touches."""
    data, random, seen = mujoco.MjData(model), numpy.random.default_rng(7), numpy.zeros(len(pairs), int)
    for pose in range(poses if pairs else 0):
        seen += distances(model, data, draw(model, random, pose % 2), pairs) <= 0
    return seen


def look(program, path, poses):
    """(a row of the table, what is wrong)"""
    model = read(path)
    free, asked = rules(model)
    geoms = kept_geoms(model, free | asked)
    ours = {}
    for word in ("all", "auto"):
        ours[word] = measure.answer(program, "info", path, "--json", "--self-collision", word)
    begin = time.perf_counter()
    measure.answer(program, "info", path, "--json", "--self-collision", "off")
    middle = time.perf_counter()
    measure.answer(program, "info", path, "--json", "--self-collision", "auto")
    cost = time.perf_counter() - middle - (middle - begin)
    missing = set(geoms) - {geom["name"] for geom in ours["all"]["geoms"]}
    if missing:
        return None, f"{len(geoms)} shapes in MuJoCo, {len(ours['all']['geoms'])} here; missing: {sorted(missing)[:4]}"
    geoms = [geoms.get(geom["name"], -1 - k) for k, geom in enumerate(ours["all"]["geoms"])]  # others may be there, but in no pair
    there = {tuple(sorted(geoms[g] for g in pair["geoms"])) for pair in ours["all"]["pairs"]}
    wrong = there ^ (free | asked)
    if wrong:
        return None, f"{len(wrong)} pairs are there in one of the two alone: {sorted(wrong)[:4]}"
    found = ours["auto"]["self_contact"]
    far = [tuple(geoms[g] for g in pair["geoms"]) for pair in found["dropped"] if pair["reason"] == "never near"]
    seen = touches(model, far, poses)
    return {"model": f"{path.parent.name}/{path.stem}", "geoms": len(geoms), "filtered": found["filtered"], "kept": found["kept"],
            "never near": len(far), "by design": len(found["dropped"]) - len(far), "slots": len(ours["auto"]["slots"]), "load s": f"{cost:.3f}",
            "pairs that touch": int((seen > 0).sum()), "touches": int(seen.sum())}, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory")
    parser.add_argument("--poses", type=int, default=20000, help="fresh random poses for each robot (default 20000)")
    parser.add_argument("--csv", type=pathlib.Path, help="write the table there, too")
    options = parser.parse_args()
    rows, failed = [], 0
    for path in options.files:
        try:
            row, wrong = look(options.build / "myriapod", path, options.poses)
        except (ValueError, RuntimeError, SystemExit) as error:
            row, wrong = None, f"not compared: {str(error).splitlines()[0] if str(error) else error!r}"
        if wrong:
            print(f"{path.parent.name}/{path.stem}: {wrong}", flush=True)
            failed += "not compared" not in wrong
        else:
            if not rows:
                print(" | ".join(row), flush=True)
            rows.append(row)
            failed += row["pairs that touch"] > 0
            print(" | ".join(map(str, row.values())), flush=True)
    if options.csv and rows:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
    print(f"{len(rows)} models compared, {sum(row['touches'] for row in rows)} touches of {sum(row['never near'] for row in rows)} pairs that are never near")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
