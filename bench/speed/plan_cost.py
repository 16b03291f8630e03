"""How long a plan takes: samples rolled out and judged in lanes, beside the same with arrays of states and NumPy, beside MuJoCo with the same NumPy.

    python bench/speed/plan_cost.py [--rounds 7] [--threads 1] [--csv plans.csv] [--peer] [--still] [ROBOT:SAMPLESxSTEPS[@RATE] ...]

A row: robot, samples, control steps ahead, steps of dt in each; milliseconds of one draw, such draws a second, the rate at which the robot wants them (its
control steps, or RATE [1/s]), and whether the planner keeps up with it, with all draws of its plans. The plans are those that ship (`myriapod plan NAME`), with their noise, their number of
draws, whose mean it is, and their command: who walks walks at 0.5 m/s. --still: no command, and one draw with a sigma of 0.3. "arrays": noise, splines,
copies of the robot, `Batch.rollout` with all states out, costs and the mean in NumPy, as a user had to write it before there was a planner; its cost has as
many numbers of base, joints and controls as a walk's has, without feet, and its robot stands. "steps alone": `Batch.rollout` that reads controls and writes
states, of robots that stand. --peer: in the place of `Batch.rollout` mujoco.rollout, and mujoco.batch where the installed MuJoCo has it. Least of the rounds,
which take turns. A row of one's own: an entry of TASKS, and a word of ROWS or of the command line."""
import argparse
import csv
import importlib.util
import os
import pathlib
import re
import sys
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure
from myriapod import Planner
from myriapod.plan import given

#: Robot -> plan, settings of the samples. What the peers step is the task's robot on a plane, with its gains and feet; a robot of OWN is its file as it is.
TASKS = {"cart-pole": ("cart-pole-swing-up", {}), "anymal": ("anymal-walk", {}), "anymal-5ms": ("anymal-walk", {"dt": 0.005, "decimation": 4}),
         "go2": ("go2-walk", {}), "g1": ("g1-stand", {}), "allegro": ("allegro-turn", {})}
DRAW = ("sigma", "iterations", "fade_iteration", "temperature", "spline", "lower", "upper", "self_collision")  # what rows take of a plan's options
ROWS = ("cart-pole:64x25", "cart-pole:2048x16", "anymal:64x25", "anymal:512x50", "anymal:2048x16", "anymal-5ms:2048x16", "go2:640x20", "g1:64x25", "allegro:64x16")
OWN, DEAR, KNOTS = {"allegro"}, {"g1", "allegro"}, 5  # DEAR: three rounds of them


class ByArrays:
    """A draw as a user writes it with `Batch.rollout`: the sums of the planner, in NumPy."""

    def __init__(self, planner, robot, roll):
        self.task, self.robot, self.steps, self.roll, self.sigma = planner.task, robot, planner.num_steps, roll, np.float32(planner.sigma.mean())
        self.batch, n = planner.task.batch, planner.num_samples
        at = np.linspace(0, KNOTS - 1, self.steps)
        self.basis = np.maximum(0, 1 - abs(at[:, None] - np.arange(KNOTS))).astype(np.float32)
        self.home = np.asarray(self.batch.model.home, np.float32)
        self.still = robot.batch.get("target")[0].astype(np.float32) if self.batch.model.nu > 1 else np.zeros(1, np.float32)  # controls that hold it at home
        self.start = self.batch.get_state([0])  # as it was made: where the robot stands
        self.nu, self.n, self.plan, self.random = self.batch.model.nu, n, np.zeros((KNOTS, planner.num_actions), np.float32), np.random.default_rng(1)
        self.ids, self.state = np.arange(n), np.empty((n, self.steps, self.batch.model.nq + self.batch.model.nv), np.float32)

    def __call__(self):
        knots = self.plan + self.sigma * self.random.standard_normal((self.n, *self.plan.shape), np.float32)
        control = self.basis @ knots + self.still
        states = self.roll(self, control)
        cost = self.cost(states, control)
        weight = np.exp(-(cost - cost.min()) / (0.1 * cost.std() + 1e-12))
        self.plan = np.tensordot(weight / weight.sum(), knots, axes=1)

    def cost(self, x, u):
        """As many numbers as a walk's cost has that need no kinematics: base, joints, velocities, controls."""
        nq = self.batch.model.nq
        q, v = x[..., :nq], x[..., nq:]
        cost = np.square(v).sum(-1) + np.square(q - self.home).sum(-1) + np.square(np.diff(u, axis=1, prepend=u[:, :1])).sum(-1)
        if nq > 7:
            w, i, j, k = (q[..., m] for m in range(3, 7))
            cost = cost + 2 * (i * i + j * j) + (1 - 2 * (j * j + k * k)) * v[..., 0] + 2 * (i * j + w * k) * v[..., 1] + np.square(q[..., 2] - self.home[2])
        return np.where(np.isfinite(cost), cost, 1e6).sum(-1)


def here(arrays, control):
    batch = arrays.batch
    batch.set_state(np.repeat(arrays.start, arrays.n, axis=0), arrays.ids)
    return batch.rollout(control, control_field="control" if arrays.nu == 1 else "target", state_out=arrays.state)


class InMujoco:
    """MuJoCo's model of the task's robot, in steps of the same dt."""

    def __init__(self, planner, robot, own, threads):
        import mujoco_plant

        dt = float(planner.task.settings["dt"])
        self.model = mujoco_plant.own(robot, dt, "pyramidal", 100) if own else mujoco_plant.peer(robot, dt, None, "pyramidal", 100, planner.feet)
        if any((of != np.arange(len(of))).any() for of in mujoco_plant.places(robot.model, self.model)):
            raise ValueError(f"MuJoCo has the joints of {robot.model.made_of} in another order")
        self.repeat, self.q = int(planner.task.settings["decimation"]), np.array(robot.batch.q[0], np.float64)
        self.open(planner.num_samples, threads)

    def __call__(self, arrays, control):
        return self.step(arrays.n, np.repeat(control.astype(np.float64), self.repeat, axis=1))[:, self.repeat - 1 :: self.repeat]


class ByRollout(InMujoco):
    """mujoco.rollout, on as many threads."""

    def open(self, samples, threads):
        import mujoco.rollout

        self.datas = [mujoco.MjData(self.model) for _ in range(threads)]
        self.start = np.zeros((1, mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        self.start[0, 1 : 1 + self.model.nq] = self.q
        self.roll = mujoco.rollout.Rollout(nthread=threads)

    def step(self, n, control):
        return self.roll.rollout(self.model, self.datas, np.repeat(self.start, n, axis=0), control)[0][..., 1:]


class ByBatch(InMujoco):
    """mujoco.batch, on as many threads."""

    def open(self, samples, threads):
        import mujoco.batch

        self.batch = mujoco.batch.Batch(self.model, samples, threads)
        self.qpos = self.batch.bind("qpos")

    def step(self, n, control):
        import mujoco

        self.batch.reset(stage=mujoco.mjtStage.mjSTAGE_NONE)
        self.qpos[:] = self.q
        out = self.batch.rollout(control.shape[1], control, record=("qpos", "qvel"))
        return np.concatenate([out["qpos"], out["qvel"]], axis=-1)


def peers():
    """Name -> class, of what the installed MuJoCo has."""
    return {"mujoco.rollout": ByRollout} | ({"mujoco.batch": ByBatch} if importlib.util.find_spec("mujoco.batch") else {})


def least(calls, rounds):
    """Milliseconds of each call: the least of the rounds."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(rounds + 1):  # the first one warms up
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            best[name] = min(best[name], 1e3 * (time.perf_counter() - begin))
    return best


def row(word, args):
    found = re.fullmatch(r"([^:]+):(\d+)x(\d+)(?:@([\d.]+))?", word)
    if not found or found[1] not in TASKS:
        raise SystemExit(f"a row is ROBOT:SAMPLESxSTEPS[@RATE], such as {ROWS[0]}, not {word}; robots: {', '.join(TASKS)}")
    name, samples, steps = found[1], int(found[2]), int(found[3])
    plan, settings = given.GIVEN[TASKS[name][0]], TASKS[name][1]
    options = {k: v for k, v in plan.options.items() if k in DRAW} | settings
    if args.still:
        options |= {"sigma": 0.3, "iterations": 1}
    draws = options.get("iterations", 1)
    with Planner(plan.task(), samples, steps=steps, knots=KNOTS, threads=args.threads, **options) as planner, planner.robot() as robot:
        if plan.command and not args.still:
            robot.batch.set("command", np.array([plan.command]))
        planner.start(robot)
        arrays = ByArrays(planner, robot, here)
        still = np.tile(arrays.still, (samples, steps, 1))
        calls = {"planner": planner.plan, "arrays": arrays, "steps alone": lambda: here(arrays, still)}
        if args.peer:
            calls |= {peer: ByArrays(planner, robot, kind(planner, robot, name in OWN, args.threads)) for peer, kind in peers().items()}
        rounds = args.rounds if name not in DEAR else min(args.rounds, 3)
        took = least(calls, rounds)
        took["planner"] /= draws
        per_s, rate = 1e3 / took["planner"], float(found[4] or 1.0 / planner.dt)
        return {"robot": name, "samples": samples, "steps": steps, "substeps": int(planner.task.settings["decimation"]), **{f"{k} ms": took[k] for k in took},
                "draws/s": per_s, "rate [1/s]": rate, "keeps up": "yes" if per_s >= draws * rate else "no", "rounds": rounds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", default=ROWS, help=f"such as {ROWS[0]} or {ROWS[0]}@100; robots: {', '.join(TASKS)}")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peer", action="store_true", help="mujoco.rollout and mujoco.batch, too")
    parser.add_argument("--still", action="store_true", help="robots that hold still, one draw, sigma 0.3")
    parser.add_argument("--csv", help="write the table there")
    args = parser.parse_args()
    made = []
    for word in args.rows:
        made.append(row(word, args))
        if len(made) == 1:
            print("| " + " | ".join(made[0]) + " |\n" + "| --- " * len(made[0]) + "|")
        print("| " + " | ".join(f"{x:.3g}" if isinstance(x, float) else str(x) for x in made[-1].values()) + " |", flush=True)
    where = {"threads": args.threads, "machine": measure.cpu_name(), "load": round(os.getloadavg()[0], 1)}
    print(f"{args.threads} thread{'s' if args.threads > 1 else ''}, float32, least of the rounds; {where['machine']}, load {where['load']}")
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, made[0] | where)
            writer.writeheader()
            writer.writerows(line | where for line in made)


if __name__ == "__main__":
    sys.exit(main())
