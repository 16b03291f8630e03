"""A plan of judo's controller with its own rollouts (MuJoCo) and with ours (`myriapod.plan.judo`): milliseconds, and what the robot then earns in MuJoCo.

    python bench/judo_rollouts.py [--rollouts 64] [--seconds 4] [--seeds 0 1 2]

judo's tasks without meshes: its cart-pole and its cylinder that pushes another. A plan: two iterations of Annealed, horizon 1 s. "without sensors": ours with
sensors=False. Both backends in turn; medians of plans, means of seeds. judo's has a thread for each rollout, ours one. Needs judo-rai, which wants a MuJoCo
of its own."""
import argparse
import time

import judo.tasks.base
import mujoco
import numpy as np
from judo.controller import Controller, ControllerConfig
from judo.tasks import Cartpole, CylinderPush

import measure
from myriapod.plan.judo import Annealed, AnnealedConfig, LanesBackend

judo.tasks.base.download_and_extract_meshes = lambda **_: None  # these tasks have none
BEGIN = {Cartpole: [0.5, np.pi], CylinderPush: [1.0, 0.2, 0.6, 0.6]}
BACKENDS = {"judo": lambda task, n: "mujoco", "here": lambda task, n: LanesBackend(task, n, threads=1),
            "here, without sensors": lambda task, n: LanesBackend(task, n, threads=1, sensors=False)}


def run(kind, backend, args, seed):
    """Milliseconds of a plan, and the reward."""
    np.random.seed(seed)
    task = kind()
    optimizer = Annealed(AnnealedConfig(num_rollouts=args.rollouts, sigma=0.5), task.nu)
    controller = Controller(ControllerConfig(max_opt_iters=2), task, optimizer, rollout_backend=BACKENDS[backend](task, args.rollouts))
    data, took, reward = mujoco.MjData(task.model), [], 0.0
    data.qpos[:] = BEGIN[kind]
    for _ in range(round(args.seconds / task.dt)):
        controller.current_state, controller.time = np.concatenate([data.qpos, data.qvel]), data.time
        begin = time.perf_counter()
        controller.update_action()
        took.append(1e3 * (time.perf_counter() - begin))
        data.ctrl[:] = controller.action(data.time)
        mujoco.mj_step(task.model, data)
        reward += task.reward(np.concatenate([data.qpos, data.qvel])[None, None], data.sensordata[None, None], data.ctrl[None, None])[0]
    return np.median(took), reward


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    args = parser.parse_args()
    print("| task | rollouts of | a plan [ms] | reward |\n| --- | --- | --- | --- |")
    for kind in BEGIN:
        runs = {backend: [] for backend in BACKENDS}
        for seed in args.seeds:
            for backend, found in runs.items():
                found.append(run(kind, backend, args, seed))
        for backend, found in runs.items():
            print(f"| {kind.name} | {backend} | {np.mean([ms for ms, _ in found]):.1f} | {np.mean([r for _, r in found]):.0f} |", flush=True)
    print(f"{args.rollouts} rollouts, MuJoCo {mujoco.__version__}; {measure.cpu_name()}")


if __name__ == "__main__":
    main()
