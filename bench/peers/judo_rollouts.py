"""Plans of judo's controller with its own rollouts (MuJoCo) and with ours (`myriapod.plan.judo`): plans per second, and what the robot then earns in MuJoCo.

    python bench/peers/judo_rollouts.py [--optimizer mppi] [--rollouts N] [--seconds 4] [--seeds 0 1 2]

judo's tasks without meshes: its cart-pole and its cylinder that pushes another. Controller and optimizer as judo sets them for the task (32 rollouts over 1 s,
one iteration); "annealed" is ours. Backends: judo's own, with a thread for each rollout; the same with a thread for each core; ours with one thread; ours
with sensors=False. They take turns; medians of plans, means of seeds. Needs judo-rai, which wants a MuJoCo of its own version (`tests/packages/check_judo.sh`)."""
import argparse
import os
import pathlib
import sys
import time

import judo.tasks.base
import mujoco
import numpy as np
from judo.controller import Controller, ControllerConfig
from judo.optimizers import get_registered_optimizers
from judo.tasks import Cartpole, CylinderPush
from judo.utils.mj_rollout_backend import MJRolloutBackend
from mujoco.rollout import Rollout

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure
from myriapod.plan.judo import Annealed, AnnealedConfig, LanesBackend

judo.tasks.base.download_and_extract_meshes = lambda **_: None  # these tasks have none
BEGIN = {Cartpole: [0.5, np.pi], CylinderPush: [1.0, 0.2, 0.6, 0.6]}
OPTIMIZERS = {**get_registered_optimizers(), "annealed": (Annealed, AnnealedConfig)}


class OfCores(MJRolloutBackend):
    """judo's backend with as many threads as there are cores."""

    def update(self, num_threads):
        super().update(num_threads)
        self._rollout_obj.close()
        self._rollout_obj = Rollout(nthread=os.cpu_count())

    def rollout(self, x0, controls, last_policy_output=None):
        models, datas = zip(*self._model_data_pairs, strict=True)
        start = np.tile(np.concatenate([[0.0], x0]), (len(models), 1))
        states, sensors = self._rollout_obj.rollout(list(models), list(datas[: os.cpu_count()]), start, controls)
        return np.array(states)[..., 1:], np.array(sensors), None


def of_cores(task, n):
    backend = OfCores(task.model, n)
    backend.update(n)
    return backend


BACKENDS = {"MuJoCo, as judo has it": lambda task, n: "mujoco", "MuJoCo, a thread per core": of_cores, "here, one thread": lambda task, n: LanesBackend(task, n, threads=1),
            "here, without sensors": lambda task, n: LanesBackend(task, n, threads=1, sensors=False)}


def run(kind, backend, args, seed):
    """Seconds of a plan, the reward, rollouts."""
    np.random.seed(seed)
    task = kind()
    optimizer_of, config_of = OPTIMIZERS[args.optimizer]
    config, controller_config = config_of(), ControllerConfig()
    for each in (config, controller_config):
        each.set_override(task.name)
    if args.rollouts:
        config.num_rollouts = args.rollouts
    optimizer = optimizer_of(config, task.nu)
    controller = Controller(controller_config, task, optimizer, rollout_backend=BACKENDS[backend](task, config.num_rollouts))
    data, took, reward = mujoco.MjData(task.model), [], 0.0
    data.qpos[:] = BEGIN[kind]
    for _ in range(round(args.seconds / task.dt)):
        controller.current_state, controller.time = np.concatenate([data.qpos, data.qvel]), data.time
        begin = time.perf_counter()
        controller.update_action()
        took.append(time.perf_counter() - begin)
        data.ctrl[:] = controller.action(data.time)
        mujoco.mj_step(task.model, data)
        reward += task.reward(np.concatenate([data.qpos, data.qvel])[None, None], data.sensordata[None, None], data.ctrl[None, None])[0]
    return np.median(took), reward, config.num_rollouts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="mppi")
    parser.add_argument("--rollouts", type=int, default=0, help="0: as judo sets it for the task")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    args = parser.parse_args()
    print("| task | rollouts of | rollouts | plans per second | reward |\n| --- | --- | --- | --- | --- |")
    for kind in BEGIN:
        runs = {backend: [] for backend in BACKENDS}
        for seed in args.seeds:
            for backend, found in runs.items():
                found.append(run(kind, backend, args, seed))
        for backend, found in runs.items():
            seconds, rewards, rollouts = zip(*found)
            print(f"| {kind.name} | {backend} | {rollouts[0]} | {1 / np.mean(seconds):.0f} | {np.mean(rewards):.0f} |", flush=True)
    print(f"{args.optimizer}, MuJoCo {mujoco.__version__}, {os.cpu_count()} cores; {measure.cpu_name()}")


if __name__ == "__main__":
    main()
