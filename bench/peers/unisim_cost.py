"""What UniSim's interface costs (`myriapod.frontends.unisim`): microseconds of a control step by it and by the batch itself, of reading, of a reset.

    python bench/peers/unisim_cost.py [--envs 64 1024 4096] [--threads 1]

Go2 that stands, four steps of 5 ms each. step: `step_tensor`; batch: `Batch.step`; read: `get_state_views` and `get_tracked_body_views` of all bodies; reset:
`set_state_tensor` of every fiftieth robot. Medians of 25 calls. Needs torch and unisim-core."""
import argparse
import pathlib
import sys
import time

import myriapod
import numpy as np
import torch
from myriapod.frontends.unisim import MyriapodBackend
from unisim.scene import SceneCfg

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import measure

GO2 = str(pathlib.Path(myriapod.__file__).parent / "robots" / "go2.xml")


def microseconds(call):
    took = []
    for _ in range(25):
        begin = time.perf_counter()
        call()
        took.append(time.perf_counter() - begin)
    return 1e6 * np.median(took)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, nargs="+", default=[64, 1024, 4096])
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    print("| robots | step [us] | batch [us] | read [us] | reset [us] |\n| --- | --- | --- | --- | --- |")
    for envs in args.envs:
        backend = MyriapodBackend(SceneCfg(model_file=GO2), envs, 0.005, threads=args.threads)
        control = torch.tensor(backend.get_default_dof_pos(), dtype=torch.float32).repeat(envs, 1)
        rows = torch.arange(0, envs, 50)
        q, v = torch.tensor(backend.get_default_qpos(), dtype=torch.float32).repeat(len(rows), 1), torch.zeros(len(rows), 18)
        backend.step_tensor(control, 100)
        calls = (lambda: backend.step_tensor(control, 4), lambda: backend.batch.step(4), lambda: (backend.get_state_views(), backend.get_tracked_body_views()),
                 lambda: backend.set_state_tensor(rows, q, v))
        print(f"| {envs} | " + " | ".join(f"{microseconds(call):.0f}" for call in calls) + " |", flush=True)
        backend.close()
    print(f"{args.threads} threads; {measure.cpu_name()}")


if __name__ == "__main__":
    main()
