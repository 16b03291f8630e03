#!/usr/bin/env python3
"""Every URDF of some folders is dropped on the ground, held by its gains and limp: does anything end below the ground, and does the ground carry it?

    python bench/agree/drop_robots.py FOLDER ... [--height 0.3] [--seconds 3] [--envs 8] [--dt 0.002] [--root floating] [--mesh-path DIRS] [--csv FILE]

Runs where `myriapod` is installed. `hold` is the task of that name, `limp` has no gains. Of robots without actuators only the latter. Columns:
- lowest: the lowest point of any shape at the end, of all environments [mm];
- force/weight: mean vertical force of the ground over the last second by the robot's weight, of the environment where it is farthest from 1;
- quarantined environments; contact solves that did not converge, of all.
The last lines name robots whose shapes end more than --deep below the ground, and those that the ground does not carry."""
import argparse
import csv
import pathlib
import sys
import warnings

import numpy as np

import myriapod


def turn(q):
    """(..., 4) quaternions to (..., 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def below(geom, up):
    """How far a shape reaches below its centre; up: (..., 3) the world's z in its axes."""
    size = geom.size
    if geom.type == "sphere":
        return size[0]
    if geom.type == "box":
        return np.abs(up) @ np.array(size)
    if geom.type == "hull":
        return -(up @ np.array(geom.points).T).min(axis=-1)
    along = np.abs(up[..., 2])
    return size[1] * along + size[0] * (1 if geom.type == "capsule" else np.sqrt(np.maximum(0, 1 - along * along)))


def lowest_point(model, poses):
    """Height of the lowest point, (envs,), in poses (envs, bodies, 7). A shape that is fixed to the world does not count: its `body` is below 0."""
    least = np.full(len(poses), np.inf)
    for geom in model.geoms:
        if geom.body < 0:
            continue
        place, R = poses[:, geom.body, :3], turn(poses[:, geom.body, 3:])
        centre = place + R @ np.array(geom.position)
        least = np.minimum(least, centre[:, 2] - below(geom, R[:, 2, :] @ turn(geom.quaternion)))
    return least


def drop(model, scene, args):
    task = "hold" if scene == "hold" else "none"
    start = {"start_height": args.height, "start_angle": 0, "start_speed": 0} if scene == "hold" else {}
    with myriapod.Batch(model, args.envs, task=task, dt=args.dt, decimation=1, threads=1, sense=("contacts", "bodies"), **start) as batch:
        if scene == "limp":
            q = np.tile(model.home, (args.envs, 1))
            q[:, [joint.q + 2 for joint in model.joints if joint.type == "free"]] += args.height
            batch.q = q
            if model.nu:
                batch.kp, batch.kd = 0.0, 0.0
        ground = [i for i, slot in enumerate(model.slots) if slot.other < 0]
        frame, forces = max(1, round(0.02 / args.dt)), []
        for k in range(frames := round(args.seconds / (args.dt * frame))):
            batch.step(frame)
            if k >= frames - round(1 / (args.dt * frame)):
                forces.append(np.asarray(batch.impulse).reshape(batch.envs, -1, 3)[:, ground, 2].sum(axis=1) / args.dt)
        stats = batch.stats()
        force = np.mean(forces, axis=0) / (9.81 * model.mass)
        lowest = lowest_point(model, np.asarray(batch.body_pose, float).reshape(batch.envs, -1, 7))
        return {"lowest_mm": 1e3 * float(lowest.min()), "force": float(force[np.argmax(np.abs(force - 1))]), "quarantined": stats.quarantined,
                "not_converged": stats.not_converged, "solves": stats.active_steps}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="folders, or files")
    parser.add_argument("--height", type=float, default=0.3, help="of the lowest point at the start")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument("--dt", type=float, default=0.002)
    parser.add_argument("--root", default="floating", choices=("floating", "auto"))
    parser.add_argument("--meshes", default="load", choices=("load", "skip"))
    parser.add_argument("--mesh-path", help="where else meshes are looked for: folders separated by `:'")
    parser.add_argument("--deep", type=float, default=5.0, help="named from so many mm below the ground")
    parser.add_argument("--csv", type=pathlib.Path, help="write a line for each file and scene")
    args = parser.parse_args()
    warnings.simplefilter("ignore", myriapod.ModelWarning)
    files = sorted({path for folder in args.folders for path in ([folder] if folder.is_file() else folder.rglob("*.urdf"))})
    rows, refused, bare, deep, loose = [], [], [], [], []
    print(f"{'robot':34} {'scene':5} {'nv':>3} {'slots':>5} {'lowest':>10} {'force/weight':>12} {'quarantined':>11} {'not converged':>15}")
    for path in files:
        try:
            model = myriapod.Model(path, root=args.root, meshes=args.meshes, mesh_path=args.mesh_path.split(":") if args.mesh_path else None)
        except myriapod.Error as error:
            refused.append(f"{path}: {error}"[:300])
            continue
        if not any(slot.other < 0 for slot in model.slots) or not any(joint.type == "free" for joint in model.joints):
            bare.append(path.stem)
            continue
        for scene in ("hold", "limp") if model.nu else ("limp",):
            row = drop(model, scene, args)
            rows.append({"file": path, "scene": scene, "nv": model.nv, "slots": model.n_slots, **row})
            print(f"{path.stem:34} {scene:5} {model.nv:3} {model.n_slots:5} {row['lowest_mm']:7.1f} mm {row['force']:12.4f} {row['quarantined']:11}"
                  f" {row['not_converged']:6} of {row['solves']}", flush=True)
            if not row["quarantined"] and row["lowest_mm"] < -args.deep:
                deep.append(f"{path.stem} ({scene})")
            if not row["quarantined"] and abs(row["force"] - 1) > 0.05:
                loose.append(f"{path.stem} ({scene})")
    if args.csv and rows:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    print(f"{len(files)} files: {len({row['file'] for row in rows})} dropped, {len(bare)} with nothing that floats and touches, {len(refused)} refused")
    print(f"deeper than {args.deep:g} mm: {', '.join(deep) or 'none'}\nforce off the weight by more than 5 %: {', '.join(loose) or 'none'}")
    print("\n".join(refused), file=sys.stderr)
    return bool(deep)


if __name__ == "__main__":
    sys.exit(main())
