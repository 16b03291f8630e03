#!/usr/bin/env bash
# ctest: slow timeout=600
# Farms of rollouts in C: one line for every number of processes, and a mistake ends all of them (in Python: test_farms.py, test_distributed.py). And
# examples/CMakeLists.txt finds MPI where there is one.
set -euo pipefail
. "$MYRIAPOD_SOURCE/tests/mpi_of_index.sh"
farm() { # RANKS WORDS...
    timeout 120 mpiexec --oversubscribe -n "$1" ./mpi_rollout "${@:2}"
}
one_line() { # for the robots and steps
    wanted=$(farm 1 anymal "$1" "$2")
    echo "$wanted"
    [[ $wanted == "$1 robots, $2 steps: hash "*" m" ]]
    for ranks in 2 3 4 8; do
        said=$(farm $ranks anymal "$1" "$2")
        [ "$said" = "$wanted" ] || { echo "$ranks processes: $said"; exit 1; }
    done
}
one_line 200 30
one_line 33 5 # more processes than tiles: some have no robots

fails_with() { # WORDS... of the command, then, as the last, what is said
    local said=${*: -1}
    if farm 3 "${@:1:$#-1}" >mpi_wrong.txt 2>&1; then
        echo "mpi_rollout ${*:1:$#-1}: did not end the job"
        exit 1
    elif [ $? = 124 ]; then # timeout's own
        echo "mpi_rollout ${*:1:$#-1}: hangs"
        exit 1
    fi
    grep -q "$said" mpi_wrong.txt || { cat mpi_wrong.txt; exit 1; }
}
fails_with no-such-robot.urdf 64 1 "no-such-robot.urdf"
fails_with no-such-robot.urdf 16 1 "no-such-robot.urdf" # one process has it, the others wait in the sum
fails_with anymal none 1 "usage: mpi_rollout"

# As a user builds it: beside the others, from CMake's own search. The package index's headers are beside its mpicc.
cmake -S "$MYRIAPOD_SOURCE" -B mpi-configure -DMYRIAPOD_UNITS=native -DMYRIAPOD_SUB_BUILDS=OFF -DMYRIAPOD_TESTS=OFF -DMYRIAPOD_BENCH=OFF >mpi_configure.txt 2>&1 ||
    { cat mpi_configure.txt; exit 1; }
cmake --build mpi-configure --target help >mpi_targets.txt # a file: grep -q would end a pipe early
grep -q '[. ]mpi_rollout$' mpi_targets.txt || { echo "CMake did not find MPI: no target mpi_rollout"; exit 1; }
