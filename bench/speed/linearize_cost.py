"""Derivatives of a control step beside MuJoCo's: what `myriapod.linearize` and `mjd_transitionFD` take, and how far apart they are (docs/planning.md).

    python bench/speed/linearize_cost.py [--rounds 200]

Both take centred differences of 1e-6, in float64, on one thread; times are the least of the rounds. Robots in flight have motors as their file has them, no
contacts, and joints within their limits: A and B are to be the same, and the difference is the largest one over the largest entry. ANYmal stands on four hard
contacts with PD targets, here with `baumgarte` 1: MuJoCo's contacts give way, so its derivatives are others, and only times are compared. Needs myriapod and
mujoco."""
import argparse
import pathlib
import sys
import time
import warnings

import mujoco
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import mujoco_plant
from myriapod import Batch, Model, ModelWarning, Planner, linearize
from myriapod.plan import walk

EPS, DT = 1e-6, 0.005


def least(rounds, call):
    """[ms]"""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return 1e3 * min(times)


def theirs(model, data):
    A, B = np.zeros((2 * model.nv, 2 * model.nv)), np.zeros((2 * model.nv, model.nu))
    return A, B, lambda: mujoco.mjd_transitionFD(model, data, EPS, True, A, B, None, None)


def apart(mine, wanted):
    return float(abs(mine - wanted).max() / abs(wanted).max())


def in_flight(robot, rounds):
    model = mujoco.MjModel.from_xml_path(str(mujoco_plant.file_of(robot)))
    model.opt.timestep, model.opt.integrator, model.opt.disableflags = DT, mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtDisableBit.mjDSBL_CONTACT
    data, random, columns = mujoco.MjData(model), np.random.default_rng(1), 2 * model.nv + model.nu
    with Batch(Model(robot, self_collision="off"), 2 * columns + 1, task="none", precision="f64", threads=1, dt=DT, ground="off") as batch:
        q_of, v_of = mujoco_plant.places(batch.model, model)
        limited = (model.jnt_limited == 1) & (model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE)
        data.qpos[model.jnt_qposadr[limited]] = model.jnt_range[limited].mean(axis=1)
        data.qpos[:] += 0.02 * random.standard_normal(model.nq)
        for at in model.jnt_qposadr[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]:
            data.qpos[at + 3 : at + 7] /= np.linalg.norm(data.qpos[at + 3 : at + 7])
        data.qvel[:], data.ctrl[:] = 0.5 * random.standard_normal(model.nv), 0.1 * random.standard_normal(model.nu)
        A, B, call = theirs(model, data)
        peer = least(rounds, call)
        state = np.concatenate([v_of, model.nv + v_of])
        q, v, u = data.qpos[q_of].copy(), data.qvel[v_of].copy(), data.ctrl.copy()
        made = linearize(batch, q, v, u, control_field="control", eps=EPS)
        mine = least(rounds, lambda: linearize(batch, q, v, u, control_field="control", eps=EPS))
        return f"{robot} in flight", columns, mine, peer, f"{apart(made.A[0], A[np.ix_(state, state)]):.0e}, {apart(made.B[0], B[state]):.0e}"


def on_its_feet(rounds):
    with Planner(walk.anymal(), 16, threads=1) as planner, planner.robot(dt=DT, decimation=4, precision="f64", threads=1) as robot:
        model = mujoco_plant.peer(robot, DT, None, "elliptic", 100, planner.feet)
        data, (q_of, v_of) = mujoco.MjData(model), mujoco_plant.places(robot.model, model)
        kp, kd = robot.batch.get("kp")[0], robot.batch.get("kd")[0]
        data.qpos[q_of], data.ctrl[:] = robot.batch.q[0], robot.batch.get("target")[0]
    columns = 2 * model.nv + model.nu
    sides = 2 * columns + 1  # and the step itself
    with Batch("anymal", sides, task="stand", precision="f64", threads=1, dt=DT, baumgarte=1.0) as batch:
        batch.set("kp", np.tile(kp, (sides, 1)))
        batch.set("kd", np.tile(kd, (sides, 1)))
        batch.step(400)
        for _ in range(400):
            mujoco.mj_step(model, data)
        q, v, u = batch.q[0].copy(), batch.v[0].copy(), batch.get("target")[0]
        mine = least(rounds, lambda: linearize(batch, q, v, u, eps=EPS))
        kinked = int(linearize(batch, q, v, u, eps=EPS).kinked.sum())
        return "anymal on its feet", columns, mine, least(rounds, theirs(model, data)[2]), f"{kinked} kinked"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    args = parser.parse_args()
    warnings.simplefilter("ignore", ModelWarning)  # of contacts
    print("| robot | columns | here [ms] | MuJoCo [ms] | largest difference of A, of B |\n| --- | --- | --- | --- | --- |")
    for row in (in_flight("cart-pole", args.rounds), in_flight("gym-ant", args.rounds), on_its_feet(args.rounds)):
        print("| {} | {} | {:.3f} | {:.3f} | {} |".format(*row))


if __name__ == "__main__":
    main()
