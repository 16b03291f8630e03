#!/usr/bin/env bash
# Every measurement, one after the other, into bench/results/.
#   run.sh [BUILD_DIRECTORY] [OPTION...]      options go to all of them: --quick, --under "chrt -f 50", --cpu 1, --date 2026-11-21
# MuJoCo is compared with when it can be installed below the build directory.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:-$here/../build}" && pwd)
shift || true
for bench in speed/speed papers/table2 speed/memory; do
    printf '\n==== %s\n' "$bench"
    python3 -B "$here/$bench.py" --build "$build" "$@"
done
printf '\n==== mujoco_compare\n'
if "$here/setup_venv.sh" "$build"; then
    python3 -B "$here/peers/mujoco_compare.py" --build "$build" "$@"
    printf '\n==== mujoco_limits\n'
    python3 -B "$here/peers/mujoco_limits.py" --build "$build" "$@"
    printf '\n==== mujoco_humanoids\n'
    python3 -B "$here/peers/mujoco_humanoids.py" --build "$build" "$@"
else
    echo "left out: no MuJoCo here"
fi
