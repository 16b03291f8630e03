"""The gate that nanoG1 publishes for its walking G1, for policies that were trained here; in Myriapod and in MuJoCo.

    python bench/skills/humanoid_gate.py RUN .. [--engine myriapod,mujoco] [--push 0.5] [--json FILE]      RUN: a training's directory, or a policy.npz

Of a directory each checkpoint is tried, oldest first, until one passes: `seconds` and `samples` are those that its training had taken, looks at a goal of
its own left out. What is measured, after kingjulio8238/nanoG1 (web/g1_demo.c and eval.py at 54951a4, June 2026), written anew:

- the battery: 6 commands (0.8 m/s ahead, 0.5 back, 0.3 with +-1 rad/s, 0.4 to the side, stand), 4 starts each (joints up to 0.05 rad off home), 20 s. Falls: base below
  0.35 m or the cosine of its lean below 0.6; a robot that fell starts anew. perf: mean of exp(-|velocity error|^2 / 0.25), base axes, of all control steps.
- the walk: 0.5 m/s ahead for 40 s from home. Root mean squares of the change of the legs' actions (jerk), of the base's roll and pitch rates, of its yaw
  rate, and of the joint velocities of the legs.

Harder than published: observations keep the noise of the task, and a robot has fallen, too, where the task ends its episode (a lean of 0.8 rad, 0.6 of the
height at home). --push adds pushes of the base of up to so much along x and y, each robot every 10 s. Of several trainings the last line is the worst. The
jerk is that of the policy's own actions, whose unit is its task's: nanoG1's is 0.25 rad (--radians: of targets, over 0.25 rad)."""
import argparse
import json
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from mujoco_plant import Plant
from myriapod import Policy
from myriapod.envs.trained import origin, trained_task
from myriapod.learn.log import checkpoints
from myriapod.learn.score import base_velocity

COMMANDS = np.array([[0.8, 0, 0], [-0.5, 0, 0], [0.3, 0, 1], [0.3, 0, -1], [0, 0.4, 0], [0, 0, 0]])
STARTS, STEPS, WALK = 4, 1000, 2000
BAR = {"falls": ("<=", 1), "perf": (">=", 0.90), "jerk": ("<=", 0.21), "wobble": ("<=", 0.21), "yaw": ("<=", 0.20), "legs": ("<=", 1.22)}
LOW, LEAN = 0.35 / 0.793, 0.6  # a part of the home height, G1's is 0.793 m


def down(q):
    """z of the base's own up."""
    return 1 - 2 * (q[:, 4] ** 2 + q[:, 5] ** 2)


def settled(plant, ids, random, off):
    """Robots at home, joints up to `off` from it, at rest."""
    q = np.tile(plant.core.model.home, (len(ids), 1))
    q[:, 7:] += random.uniform(-off, off, q[:, 7:].shape)
    plant.place(ids, q, np.zeros((len(ids), plant.v.shape[1])))
    memory = np.array(plant.core.batch.get("memory"))
    memory[ids] = 0
    plant.core.batch.set("memory", memory)


def steps(plant, policy, commands, count, random, off):
    """So many control steps of each robot under its command; what fell starts anew behind each of them."""
    home = plant.core.model.home[2]
    for _ in range(count):
        plant.core.batch.set("command", commands.astype(np.float32))
        plant.step(policy)
        fell = plant.fallen | (plant.q[:, 2] < LOW * home) | (down(plant.q) < LEAN) | ~np.isfinite(plant.q).all(1)
        yield fell
        if fell.any():
            settled(plant, np.flatnonzero(fell), random, off)


def measure(policy, args, engine):
    """The six numbers of the gate."""
    task, random = policy.task, np.random.default_rng(args.seed)
    made = dict(dt=args.dt, engine=engine, seed=args.seed, push=args.push)
    commands = np.repeat(COMMANDS, STARTS, axis=0)
    plant = Plant(policy, task, len(commands), **made)
    settled(plant, np.arange(len(commands)), random, 0.05)
    falls, perf = 0, []
    for fell in steps(plant, policy, commands, STEPS, random, 0.05):
        falls += int(fell.sum())
        off = base_velocity(plant.q, plant.v)[:, :2] - commands[:, :2]
        perf.append(np.exp(-np.square(off).sum(1) / 0.25))
    plant = Plant(policy, task, 1, **made)
    legs = [j for j in plant.core.model.joints if any(part in j.name for part in ("hip", "knee", "ankle"))]
    of = [j.v for j in legs]
    names, asked = acting(plant)
    moves = [k for k, name in enumerate(names) if any(part in name for part in ("hip", "knee", "ankle"))]
    settled(plant, np.arange(1), random, 0.0)
    jerk, wobble, yaw, rates, before = [], [], [], [], None
    for fell in steps(plant, policy, np.array([[0.5, 0, 0]]), WALK, random, 0.0):
        if fell.any():
            before = None
            continue
        now = asked(args.radians)[0, moves]
        if before is not None:
            jerk.append(np.square(now - before).mean())
        before = now
        wobble.append(np.square(plant.v[0, 3:5]).sum())
        yaw.append(plant.v[0, 5] ** 2)
        rates.append(np.square(plant.v[0, of]).mean())
    mean = {name: float(np.sqrt(np.mean(values))) if values else float("inf") for name, values in (("jerk", jerk), ("wobble", wobble), ("yaw", yaw), ("legs", rates))}
    return {"falls": falls, "perf": float(np.mean(perf)), **mean}


def acting(plant):
    """Names of the actuators that actions move, and a function that gives the last actions in the robot's own left and right, where the task acts in a mirror: from
    the targets that they became; or these, off home and over 0.25 rad."""
    from myriapod.export import about_task

    _, targets, _ = about_task(plant.policy)
    if targets is None:
        raise SystemExit(f"the task {plant.policy.task!r} does not make targets of its actions one by one")
    driven = np.array([targets.of.index(k) for k in range(max(targets.of) + 1)])
    home, scale = np.array(targets.home), np.array(targets.scale)[driven]

    def asked(radians):
        return (np.asarray(plant.core.batch.target, np.float64) - home)[:, driven] / (0.25 if radians else scale)

    return [targets.names[k] for k in driven], asked


def missed(found):
    return [name for name, (sign, bar) in BAR.items() if not (found[name] <= bar if sign == "<=" else found[name] >= bar)]


def begun(run, shape):
    """The task of a training as its stages found it; `shape` is the policy that the training left."""
    config = json.loads((run / "config.json").read_text())
    settings = {name: config["settings"][name] for name in shape.settings if name in config["settings"]} | config["settings_of_the_task"]
    settings |= {f"number.{name}": value for name, value in config.get("numbers", {}).items()}
    told = {name: getattr(shape, name) for name in ("task", "robot", "model_hash", "version")}
    return trained_task(Policy(shape.weights, shape.biases, shape.activation, settings=settings, **told))


def policies(run):
    """Policies of a training in their order, each with its seconds without scoring and samples; or the one that was named."""
    if run.is_file():
        yield Policy.load(run), None, None
        return
    shape = Policy.load(run / "policy.npz")
    if shape.mean.any() or (shape.std != 1).any():
        raise SystemExit(f"{run}: its checkpoints have other normalizations than its policy.npz: name that")
    rows = np.atleast_1d(np.genfromtxt(run / "progress.csv", delimiter=",", names=True))
    kept = checkpoints(run, "npz")[0]
    if not kept:
        raise SystemExit(f"{run} has no checkpoint model_N.npz")
    with begun(run, shape) as core:
        for path in kept:
            saved = np.load(path)
            staged = json.loads(str(saved["training"])).get("curriculum", {}).get("numbers", {})  # by then: later stages may slow the march down
            core.batch.set_numbers({name: value for name, value in staged.items() if not name.startswith("learn.")})
            numbers, at, weights, biases = saved["average"], 0, [], []
            for w, b in zip(shape.weights, shape.biases):
                weights.append(numbers[at : at + w.size].reshape(w.shape))
                biases.append(numbers[at + w.size : at + w.size + b.size])
                at += w.size + b.size
            row = rows[int(path.stem.split("_")[1])]
            yield Policy(weights, biases, shape.activation, **origin(core)), float(row["simulation_s"] + row["learning_s"]), int(row["samples"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--engine", default="myriapod", help="comma-separated: myriapod, mujoco (default: %(default)s)")
    parser.add_argument("--dt", type=float, default=0.0025, help="of MuJoCo [s]")
    parser.add_argument("--push", type=float, default=0.0, help="[m/s]")
    parser.add_argument("--radians", action="store_true", help="the jerk of targets, in units of 0.25 rad, instead of that of actions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    print("| run | engine | passes | seconds | samples | " + " | ".join(f"{name} {sign} {bar:g}" for name, (sign, bar) in BAR.items()) + " |")
    print("| --- | --- | --- | --- | --- | " + " | ".join("---" for _ in BAR) + " |")
    rows = []
    for engine in args.engine.split(","):
        for run in args.runs:
            for policy, seconds, samples in policies(run):
                found = measure(policy, args, engine)
                row = {"run": str(run), "engine": engine, "missed": missed(found), "seconds": seconds, "samples": samples, **found}
                if not row["missed"]:
                    break
            rows.append(row)
            print_row(row)
        of = [row for row in rows if row["engine"] == engine]
        if len(of) > 1:
            worst = {name: (max if sign == "<=" else min)(row[name] for row in of) for name, (sign, _) in BAR.items()}
            print_row({"run": "worst", "engine": engine, "missed": missed(worst), "seconds": max((row["seconds"] or 0) for row in of), "samples": max((row["samples"] or 0) for row in of), **worst})
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0


def print_row(row):
    seconds, samples = (f"{row['seconds']:.1f}", f"{row['samples'] / 1e6:.2f} M") if row["seconds"] else ("", "")
    verdict = "no: " + ", ".join(row["missed"]) if row["missed"] else "yes"
    print(f"| {row['run']} | {row['engine']} | {verdict} | {seconds} | {samples} | " + " | ".join(f"{row[name]:.3g}" for name in BAR) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
