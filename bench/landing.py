#!/usr/bin/env python3
"""How deep robots lie in the ground two seconds after a fall from a metre, turning, at default settings, for six steps; MuJoCo beside where installed.

    python bench/landing.py MODELS [--envs 8] [--robots cube,go2]    MODELS: a folder with menagerie/ and gymnasium/

Runs where `myriapod` is installed. Limp: no task, no action. Columns: the deepest contact of each robot and step in the last tenth of a second,
median and most over all [m]; what still moves faster than 1 cm/s or rad/s is left out of them, `rest` says how many looks are left; `moving`: the
most of all, also of what moves. MuJoCo: two
robots, its own defaults and the time step."""
import argparse
import pathlib
import warnings

import numpy as np

import myriapod

ROBOTS = {"cube": "cube", "anymal": "anymal", "go2": "menagerie/unitree_go2/go2.xml", "g1": "menagerie/unitree_g1/g1.xml", "ant": "gymnasium/ant.xml",
          "skydio": "menagerie/skydio_x2/x2.xml"}
STEPS = (5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2)


def starts(home, nv, envs):
    """Home, a metre higher, turning by up to 3 rad/s about each axis."""
    q, v = np.tile(np.asarray(home, float), (envs, 1)), np.zeros((envs, nv))
    q[:, 2] += 1
    v[:, 3:6] = 3 * np.sin(1 + np.arange(3) + 2 * np.arange(envs)[:, None])
    return q, v


def ours(model, dt, envs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch = myriapod.Batch(model, envs, dt=dt, task="none", threads=1, sense=("contacts",))
    q, v = starts(batch.get("q")[0], batch.get("v").shape[1], envs)
    batch.set("q", q), batch.set("v", v)
    looks = max(int(0.1 / dt), 5)
    batch.step(int(2.5 / dt) - looks)
    depths, every = [], 0.0
    for _ in range(looks):
        batch.step(1)
        still = np.abs(batch.get("v")).max(1) < 0.01
        depth = np.asarray(batch.get("contact_depth")).reshape(envs, -1).max(1)
        depths.extend(depth[still])
        every = max(every, depth.max())
    batch.close()
    return depths, every


def mujocos(mujoco, path, dt, envs):
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:  # meshes that are not here
        return [], np.nan
    model.opt.timestep = dt
    depths, every = [], 0.0
    for env in range(envs):
        data = mujoco.MjData(model)
        q, v = starts(model.qpos0, model.nv, envs)
        data.qpos[:], data.qvel[:] = q[env], v[env]
        looks = max(int(0.1 / dt), 5)
        for step in range(int(2.5 / dt)):
            mujoco.mj_step(model, data)
            if step >= int(2.5 / dt) - looks:
                deep = max([0.0, *(-c.dist for c in data.contact)])
                every = max(every, deep)
                if np.abs(data.qvel).max() < 0.01:
                    depths.append(deep)
    return depths, every


def words(depths, every):
    """Median and most of what rests, how many looks, most of all."""
    rest = f"{np.median(depths):8.1e} {np.max(depths):8.1e} {len(depths):5}" if len(depths) else f"{'-':>8} {'-':>8} {0:5}"
    return f"{rest} {every:8.1e}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument("--robots", default=",".join(ROBOTS))
    args = parser.parse_args()
    try:
        import mujoco
    except ImportError:
        mujoco = None
    print(f"{'robot':8} {'dt / ms':>7}  {'p50':>8} {'most':>8} {'rest':>5} {'moving':>8}   MuJoCo: {'p50':>8} {'most':>8} {'rest':>5} {'moving':>8}")
    for name in args.robots.split(","):
        path = args.models / ROBOTS[name] if "/" in ROBOTS[name] else None
        if path and not path.exists():
            print(f"{name}: no {path}")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = myriapod.load(str(path), meshes="skip") if path else myriapod.load(name)
        for dt in STEPS:
            beside = words(*mujocos(mujoco, path, dt, 2)) if mujoco and path else ""
            print(f"{name:8} {1e3 * dt:7g}  {words(*ours(model, dt, args.envs))}           {beside}", flush=True)


if __name__ == "__main__":
    main()
