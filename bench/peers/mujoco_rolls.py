"""MuJoCo's side of the benchmark scenes, by its own rollout, and the lines that they print."""
import argparse
import json
import pathlib
import time

import mujoco
import mujoco.rollout
import numpy as np

_PHYSICS = mujoco.mjtState.mjSTATE_FULLPHYSICS


def physics_states(model, q, v):
    """Full states of worlds at positions q (worlds, nq), all with the velocities v (nv,)."""
    data, states = mujoco.MjData(model), np.empty((len(q), mujoco.mj_stateSize(model, _PHYSICS)))
    for i in range(len(q)):
        data.qpos[:], data.qvel[:] = q[i], v
        mujoco.mj_getState(model, data, states[i], _PHYSICS)
    return states


def rolled(model, states, controls, threads, before):
    """States (worlds, steps, ..) under controls (worlds, steps, nu), and the steps per second. The first `before` steps are neither timed nor returned;
    before 0: their first steps wake the threads, and are made again."""
    datas = [mujoco.MjData(model) for _ in range(threads)]
    with mujoco.rollout.Rollout(nthread=threads) as roll:
        begun, _ = roll.rollout(model, datas, states, controls[:, :max(4, before)])
        if before:
            states, controls = np.ascontiguousarray(begun[:, -1]), np.ascontiguousarray(controls[:, before:])
        began = time.perf_counter()
        out, _ = roll.rollout(model, datas, states, controls)
        spent = time.perf_counter() - began
    return out, out.shape[0] * out.shape[1] / spent


def contacts_in(model, out, worlds, times):
    """Of some worlds and times: the mean number of contacts, and the 99th percentile of the deepest one [m]."""
    data, contacts, depths = mujoco.MjData(model), [], []
    for i in worlds:
        for k in times:
            mujoco.mj_setState(model, data, out[i, k], _PHYSICS)
            mujoco.mj_forward(model, data)
            contacts.append(data.ncon)
            depths.append(max([0.0, *(-c.dist for c in data.contact)]))
    return float(np.mean(contacts)), float(np.quantile(depths, 0.99))


def head(middle):
    return f"  {'threads':7}  {'robot-steps/s':>13}  {'to MuJoCo':>9}  contacts  {middle}  depth p99  not converged  residual p99  engine"


def line(row, middle):
    """Of one engine; `middle`: the scene's own columns."""
    more = f"{100 * row['not_converged']:11.3f} %  {row['residual_p99']:12.1e}" if "not_converged" in row else f"{'':13}  {'':12}"
    return (f"  {row['threads']:7}  {1e-6 * row['rate']:11.3f} M  {row['ratio']:9.1f}  {row['contacts']:8.2f}  {middle}"
            f"  {1e3 * row['depth_p99']:6.2f} mm  {more}  {row['engine']}")


def scene_flags(description, scenes, worlds, seconds, threads):
    """The flags that such a script has; these are the defaults."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--scenes", default=scenes, help="comma-separated")
    parser.add_argument("--worlds", type=int, default=worlds)
    parser.add_argument("--seconds", type=float, default=seconds, help="of each world")
    parser.add_argument("--threads", default=threads, help="comma-separated")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of ours")
    parser.add_argument("--json", type=pathlib.Path)
    return parser


def write(path, rows):
    if path:
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
