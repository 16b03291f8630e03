"""What a task costs beside its physics: locomotion, a table in lanes, and the same terms written for NumPy (a NumpyTask), in one run.

    python bench/speed/task_numpy.py [--envs 512] [--steps 200] [--rounds 5]

`own` of the table is what the library counts outside its stages (`Stats.task_ns`); of the NumpyTask what a step takes more than `Batch.step`. One thread;
the smallest of all rounds. Needs the package myriapod and Gymnasium."""
import argparse
import time

import numpy as np
from myriapod import LaneTask, Settings
from myriapod.envs.numpy_task import NumpyTask
from myriapod.rotations import quat_rotate_back


class Walk(NumpyTask):
    """The terms with weight, the end and the observation of locomotion on arrays of all robots."""

    robot, observation_size = "anymal", 48
    settings = {**{k: v for k, v in Settings("anymal-flat").items() if k in ("dt", "decimation", "solver", "friction")}, "task": "none"}

    def __init__(self, *args, **keys):
        super().__init__(*args, **keys)
        n = self.num_envs
        geoms = self.model.geoms
        self.foot = [k for k, g in enumerate(geoms) if "FOOT" in g.name]
        self.slots = [[s for s, slot in enumerate(self.model.slots) if slot.geom == k and slot.other < 0] for k in range(len(geoms))]
        self.air, self.touched, self.before, self.action = np.zeros((n, 4)), np.zeros((n, 4), bool), np.zeros((n, 12)), np.zeros((n, 12))
        self.speed, self.command = np.zeros((n, 12)), np.random.default_rng(0).uniform(-1, 1, (n, 3))
        self.home, self.control_s = self.batch.q[0, 7:], self.dt
        self.batch.kp, self.batch.kd = 80.0, 2.0

    def control(self, actions):
        self.before, self.action = self.action, actions
        self.speed = self.batch.v[:, 6:]
        super().control(0.5 * actions)

    def seen(self):
        q, v = self.batch.q, self.batch.v
        turn = q[:, 3:7]
        return q, v, quat_rotate_back(turn, v[:, :3]), v[:, 3:6], quat_rotate_back(turn, np.array([0.0, 0.0, -1.0]))

    def observe(self):
        q, v, linear, angular, down = self.seen()
        noise = np.random.default_rng(1).uniform(-1, 1, (self.num_envs, 33))
        return np.concatenate([2 * (linear + 0.1 * noise[:, :3]), 0.25 * (angular + 0.2 * noise[:, 3:6]), down + 0.05 * noise[:, 6:9], self.command * [2, 2, 0.25],
                               q[:, 7:] - self.home + 0.01 * noise[:, 9:21], 0.05 * (v[:, 6:] + 1.5 * noise[:, 21:33]), self.action], 1)

    def reward(self, actions):
        q, v, linear, angular, down = self.seen()
        impulse = self.batch.impulse.reshape(self.num_envs, -1, 3)[..., 2] / float(self.batch.settings["dt"])
        force = np.stack([impulse[:, s].sum(1) for s in self.slots], 1)
        feet = force[:, self.foot]
        others = [k for k, g in enumerate(self.model.geoms) if k not in self.foot and g.body != 0]
        self.torso = force[:, [k for k, g in enumerate(self.model.geoms) if g.body == 0]].sum(1)
        torque = np.clip(80 * (self.batch.target - q[:, 7:]) - 2 * v[:, 6:], -40, 40)
        touches = feet > 1
        down_now = touches | self.touched
        flown = self.air + self.control_s
        landed = np.where(down_now & (self.air > 0), flown - 0.5, 0.0).sum(1)
        self.air, self.touched = np.where(down_now, 0.0, flown), touches
        moving = np.square(self.command).sum(1) > 0.01
        terms = [1.0 * np.exp(-4 * np.square(self.command[:, :2] - linear[:, :2]).sum(1)), 0.5 * np.exp(-4 * np.square(self.command[:, 2] - angular[:, 2])),
                 -2.0 * np.square(linear[:, 2]), -0.05 * np.square(angular[:, :2]).sum(1), -5.0 * np.square(down[:, :2]).sum(1), -2.5e-5 * np.square(torque).sum(1),
                 -2.5e-7 * np.square((v[:, 6:] - self.speed) / self.control_s).sum(1), -0.01 * np.square(self.action - self.before).sum(1),
                 -1.0 * (force[:, others] > 1).sum(1), 2.0 * np.where(moving, landed, 0.0)]
        self.down = down
        return np.maximum(self.control_s * np.sum(terms, 0), 0.0)

    def terminated(self):
        return (self.torso > 1) | (self.down[:, 2] > -np.cos(1.0))


def best(rounds, steps, work):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(steps):
            work()
        times.append((time.perf_counter() - start) / steps)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("envs", 512), ("steps", 200), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    args = parser.parse_args()
    action = (0.1 * np.random.default_rng(0).standard_normal((args.envs, 12))).astype(np.float32)
    print(f"anymal, locomotion, {args.envs} robots, one thread\n| task | control step [ns per robot] | own part [ns per robot] |\n| --- | --- | --- |")
    own = {}
    task = LaneTask("anymal-flat", args.envs, threads=1)
    task.act(action)
    task.batch.clear_stats()
    step = best(args.rounds, args.steps, lambda: task.act(action))
    own["table"] = task.batch.stats().task_ns * int(task.settings["decimation"])
    print(f"| table | {1e9 * step / args.envs:.0f} | {own['table']:.0f} |")
    walk = Walk(args.envs, threads=1)
    walk.reset(seed=1)
    step = best(args.rounds, args.steps, lambda: walk.step(action))
    physics = best(args.rounds, args.steps, lambda: walk.batch.step(1))
    own["NumPy"] = 1e9 * (step - physics) / args.envs
    print(f"| NumPy | {1e9 * step / args.envs:.0f} | {own['NumPy']:.0f} |")
    print(f"own part: NumPy {own['NumPy'] / own['table']:.1f} times the table")


if __name__ == "__main__":
    main()
