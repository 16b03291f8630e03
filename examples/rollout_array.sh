#!/usr/bin/env bash
# A farm of rollouts as an array of Slurm: each task has its part of the robots, saves it every SAVE steps, and goes on from there when it is requeued.
# The hash is that of a task which was never stopped.
#
#   sbatch --array=0-7 --cpus-per-task=16 --requeue --output=farm-%a.txt rollout_array.sh anymal 4096 200000
#   rollout_array.sh sum         then, in the same folder: the hash of all of them
#
# Without Slurm, task 3 of 8:  SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=8 rollout_array.sh anymal 4096 200000
# FOLDER (farm) has the saved batches, and STEPS.TASK-of-TASKS.done with the hash; SAVE is 10000, PYTHON is python3. Tasks are numbered from 0.
set -euo pipefail
export FOLDER=${FOLDER:-farm} SAVE=${SAVE:-10000}
mkdir -p "$FOLDER"
exec "${PYTHON:-python3}" - "$@" <<'PYTHON'
import os
import sys
from pathlib import Path

from myriapod import Batch, shard

folder, every = Path(os.environ["FOLDER"]), int(os.environ["SAVE"])
if sys.argv[1:] == ["sum"]:
    done = sorted(folder.glob("*.done"))
    parts = [path.name.split(".")[1].split("-of-") for path in done]  # task, tasks
    if not done or len({path.name.split(".")[0] for path in done} | {tasks for _, tasks in parts}) != 2 or len(done) != int(parts[0][1]):
        sys.exit(f"{folder} has {len(done)} parts that are done, not those of one farm: {', '.join(path.name for path in done)}")
    print(f"{len(done)} parts: hash {sum(int(path.read_text(), 16) for path in done) % 2**64:016x}")
    sys.exit()

robot, envs, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
try:
    task, tasks = int(os.environ["SLURM_ARRAY_TASK_ID"]), int(os.environ["SLURM_ARRAY_TASK_COUNT"])
except KeyError as missing:
    sys.exit(f"{missing} is not set: start this by sbatch --array=0-7, or set SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT")
first, count = shard(envs, task, tasks)
code, name = 0, f"{task}-of-{tasks}"
if count:
    with Batch(robot, count, task="random", first_env=first) as batch:
        found = {int(path.name.split(".")[0]): path for path in folder.glob(f"*.{name}.batch")}  # steps that were taken: where they were saved
        at = max((taken for taken in found if taken <= steps), default=0)
        if at:
            batch.restore(found[at])
            print(f"part {name} goes on after {at} steps", flush=True)
        while at < steps:
            batch.step(min(every, steps - at))
            at = min(at + every, steps)
            batch.save(folder / f"{at}.{name}.batch")  # a whole file or none, so the one before may go only now
            for taken, path in found.items():
                if taken < at:
                    path.unlink(missing_ok=True)
            found = {at: folder / f"{at}.{name}.batch"}
        code = batch.hash()
(folder / f"{steps}.{name}.done").write_text(f"{code:016x}\n")
print(f"part {name}, robots {first} to {first + count - 1}: hash {code:016x}" if count else f"part {name} has no robots")
PYTHON
