"""A robot walks as it is told, or stands, by a plan of its future, made anew at 50 Hz (docs/planning.md), here or with MuJoCo as the robot; falls, errors, time of a plan.

    python bench/skills/plan_walk.py [--robot anymal] [--engine myriapod,mujoco] [--seeds 1 2 3 4 5] [--seconds 60] [--push 0.7] [--stairs 0.05] [--samples 320] [--set NAME VALUE] [--at-once]

Commands: stand, forward, forward and turn, to the left, stand, again and again. A push is so many m/s to the left or right, every 5 s. Plans act a control
step after their state was read, and begin where the model says the robot is then; --at-once: without delay. Error: of velocities that are means over 0.56 s,
which is more than a cycle of the gait. --stairs: up ten steps, or down where they are below 0. Fallen: the base below half of its height, or leaning by more than 1 rad. Needs myriapod and, for MuJoCo, mujoco."""
import argparse
import json
import pathlib
import sys
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import climb
from myriapod import Model, Planner
from myriapod.plan import given, stand, walk

TOLD = [(0, 0, 0), (0.5, 0, 0), (0.5, 0, 0.5), (0, 0.25, 0), (0, 0, 0)]
#: Of each robot: its task, what it is told [m/s, rad/s], height that is fallen [m], the plan's samples and options.
ROBOTS = {"anymal": (walk.anymal, TOLD, 0.27, 320, given.TROT), "go2": (walk.go2, TOLD, 0.15, 320, given.TROT),
          "g1": (stand.g1, [(0, 0, 0)], 0.4, 128, given.STAND)}
EACH = 2.5  # seconds of a command
UP, TREAD = (0.4, 0, 0), 0.3  # up the stairs [m/s], [m]
KEPT = ("q", "v", "impulse", "row_impulse", "target", "action", "memory", "command", "clock")


class Robot:
    """One robot: the library's, or MuJoCo's with a mirror here that remembers what the task does."""

    def __init__(self, planner, engine, own=False):
        """own: MuJoCo has the file's own contacts and gains, and no ground beside them."""
        self.mirror = planner.robot(dt=0.001, decimation=round(1000 * planner.dt), precision="f64", threads=1)
        self.engine = engine
        if engine == "mujoco":
            import mujoco
            import mujoco_plant

            self.mujoco = mujoco
            how = (self.mirror, 0.002, "elliptic", 100)
            self.model = mujoco_plant.own(*how) if own else mujoco_plant.peer(*how[:2], None, *how[2:], planner.feet)
            self.data = mujoco.MjData(self.model)
            self.q_of, self.v_of = mujoco_plant.places(self.mirror.model, self.model)
            self._give(*self.state)

    @property
    def state(self):
        return self.mirror.batch.q[0].copy(), self.mirror.batch.v[0].copy()

    def _give(self, q, v):
        self.data.qpos[self.q_of], self.data.qvel[self.v_of] = q, v

    def act(self, action):
        self.mirror.act(action[None])
        if self.engine == "mujoco":
            self.data.ctrl[:] = self.mirror.batch.get("target")[0]
            for _ in range(round(self.mirror.dt / self.model.opt.timestep)):
                self.mujoco.mj_step(self.model, self.data)
            self.put(self.data.qpos[self.q_of], self.data.qvel[self.v_of])

    def lead(self, ahead, action):
        """Another robot of the planner's is where this one will be after a control step with this action."""
        for name in (name for name in KEPT if name in ahead.batch.fields):
            ahead.batch.set(name, self.mirror.batch.get(name).astype(np.float32))
        ahead.act(action[None])
        return ahead

    def put(self, q, v):
        self.mirror.batch.set("q", q[None])
        self.mirror.batch.set("v", v[None])
        if self.engine == "mujoco":
            self._give(q, v)


def heading_velocity(q, v):
    w, x, y, z = q[3:7]
    angle = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.array([np.cos(angle) * v[0] + np.sin(angle) * v[1], np.cos(angle) * v[1] - np.sin(angle) * v[0], v[5]])


def run(robot, engine, seed, args):
    task, told, low, samples, options = ROBOTS[robot]
    options = {**options, **{name: value for name, value in (("iterations", args.iterations), ("sigma", args.sigma), ("temperature", args.temperature)) if value is not None}}
    random = np.random.default_rng(seed)
    written = task()
    if args.stairs:
        options |= {"self_collision": None, "robot": Model(written.robot, feet=written.feet or None, self_collision="off").on(climb.flight(args.stairs, TREAD))}
    with Planner(written, args.samples or samples, numbers=dict(args.set), seed=seed, threads=args.threads, **options) as planner:
        real, ahead = Robot(planner, engine), planner.robot(threads=1)
        action, error, plans, fallen, heights, top = planner.control(), [], [], None, [], None
        if args.stairs:
            q, v = real.state
            q[0] = -1.0
            real.put(q, v)
        steps = round(args.seconds / planner.dt)
        for k in range(steps):
            command = told[int(k * planner.dt / EACH) % len(told)] if not args.stairs else UP if top is None else (0, 0, 0)
            if "command" in real.mirror.batch.fields:
                real.mirror.batch.set("command", np.array([command], np.float64))
            begin, cpu = real.mirror, time.process_time()
            if not args.at_once:  # where the robot will be when the plan acts
                begin = real.lead(ahead, action)
            if begin.batch.get("quarantined")[0]:  # it fell so hard that it has no next state
                fallen = k * planner.dt
                break
            planner.plan(begin)
            plans.append(time.process_time() - cpu)
            if args.at_once:
                action = planner.control()
                planner.shift(1.0)
            real.act(action)
            if not args.at_once:
                action = planner.control()
                planner.shift(1.0)
            q, v = real.state
            if args.push and k % round(5 / planner.dt) == round(3 / planner.dt):
                v[1] += args.push * random.choice([-1, 1])
                real.put(q, v)
            error.append(heading_velocity(q, v) - command)
            above = q[2] - (float(planner.task.model.terrain.height(q[:2])) if args.stairs and np.isfinite(q).all() else 0)
            heights.append(above)
            if args.stairs and top is None and q[0] > (climb.STEPS - 1) * TREAD + 0.5:
                top = k * planner.dt
            if fallen is None and (above < low or 1 - 2 * (q[4] ** 2 + q[5] ** 2) < np.cos(1.0) or not np.isfinite(q).all()):
                fallen = k * planner.dt
                break
    window = np.ones(28) / 28
    means = np.array([np.convolve(e, window, "valid") for e in np.array(error).T])[:, 22:] if len(error) >= 60 else np.full((3, 1), np.nan)  # a second at least
    return {"robot": robot, "engine": engine, "seed": seed, "fallen_s": fallen, "top_s": top, "error": float(np.hypot(*means[:2]).mean()), "yaw": float(np.abs(means[2]).mean()),
            "lowest": float(min(heights)), "plan_ms": float(1e3 * np.median(plans)), "plan_p90_ms": float(1e3 * np.quantile(plans, 0.9))}


def want_engines(parser, words):
    if unknown := set(words.split(",")) - {"myriapod", "mujoco"}:
        parser.error(f"engines are myriapod and mujoco, not {', '.join(sorted(unknown))}")


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="anymal", choices=ROBOTS)
    parser.add_argument("--engine", default="myriapod,mujoco")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--push", type=float, default=0.0, help="[m/s], every 5 s")
    parser.add_argument("--stairs", type=float, default=0.0, metavar="RISER", help="up ten steps of 0.3 m, each so high [m], below 0 down, at 0.4 m/s, then stand")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--sigma", type=float, help="[rad]")
    parser.add_argument("--temperature", type=float)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="a number of the task, such as reward-posture -0.5")
    parser.add_argument("--at-once", action="store_true", help="a plan acts at once")
    parser.add_argument("--json", help="also write the figures to this file")
    args = parser.parse_args(words)
    want_engines(parser, args.engine)
    return args


def main():
    args, rows = arguments(), []
    print(f"| engine | seed | fallen after |{' there after [s] |' if args.stairs else ''} error of velocity [m/s], of yaw rate [rad/s] | lowest [m] | a plan: median, 90 % [ms of a core] |\n|{' --- |' * (6 + bool(args.stairs))}")
    for engine in args.engine.split(","):
        for seed in args.seeds:
            r = run(args.robot, engine, seed, args)
            rows.append(r)
            fallen = "never" if r["fallen_s"] is None else f"{r['fallen_s']:.1f} s"
            up = f" {'never' if r['top_s'] is None else round(r['top_s'], 1)} |" if args.stairs else ""
            print(f"| {engine} | {seed} | {fallen} |{up} {r['error']:.3f}, {r['yaw']:.3f} | {r['lowest']:.2f} | {r['plan_ms']:.1f}, {r['plan_p90_ms']:.1f} |", flush=True)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
