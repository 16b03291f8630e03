"""What each task that ships costs: a control step, of it the task's own part (all but physics), in one run.

    python bench/speed/task_costs.py [--envs 512] [--steps 50] [--rounds 5] [TASK ..]

Random actions within +-1 (of controls: within their range) from a start at random, episodes end and begin as they do; one thread, floats. ns per robot
and control step, of the fastest round; its own part is what the library counts outside its stages (`Stats.task_ns`). Residuals: 99 of 100 robots and steps
violate the contact law by no more [N s, m/s]. Needs the package."""
import argparse
import platform
import time
import warnings

import numpy as np
from myriapod import LaneTask
from myriapod.envs.tasks import TASKS


def processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.processor())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK", default=[t.name for t in TASKS.values() if t.name not in ("locomotion", "hold")])
    for name, usual in (("envs", 512), ("steps", 50), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{processor()}, one thread, {args.envs} robots")
    print("| task | steps of dt | control step [ns] | own part [ns] | own part of the whole | instruction set, precision, solver, tolerance | residual |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in args.tasks:
        with LaneTask(name, args.envs, threads=1, seed=1) as task:
            most = min(1.0, float(task.settings["action_clip"]))
            rng = np.random.default_rng(0)
            actions = [rng.uniform(-most, most, (args.envs, task.num_actions)).astype(np.float32) for _ in range(args.steps)]
            for action in actions:
                task.act(action)
            rounds = []
            for _ in range(args.rounds):
                task.batch.clear_stats()
                start = time.perf_counter()
                for action in actions:
                    task.act(action)
                rounds.append((1e9 * (time.perf_counter() - start) / args.steps / args.envs, task.batch.stats()))
            whole, stats = min(rounds, key=lambda one: one[0])
            info, settings = task.batch.info, task.batch.settings
            own = stats.task_ns * int(settings["decimation"])
            how = f"{info.isa}, {settings['precision']}, {settings['solver']}, {settings['tolerance']:g}"
            print(f"| `{name}` | {settings['decimation']} | {whole:.0f} | {own:.0f} | {100 * own / whole:.0f} % | {how} | {stats.residual_ncp_p99:.0e} |")


if __name__ == "__main__":
    main()
