#!/usr/bin/env bash
# ctest: slow timeout=600
# Farms of rollouts and a training in C: one line for every number of processes, and a mistake ends all of them (in Python: test_farms.py,
# test_distributed.py, test_training_jobs.py). And examples/CMakeLists.txt finds MPI where there is one.
set -euo pipefail
. "$MYRIAPOD_SOURCE/tests/support/mpi_of_index.sh"
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

# A training: one line for every number of processes and threads, and with an instruction set of its own for each process.
learn() { # RANKS THREADS [INSTRUCTION SET of process 1]
    timeout 120 mpiexec --oversubscribe -n "$1" bash -c 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ] && [ "$1" ]; then export MYRIAPOD_ISA=$1; fi
        OMP_NUM_THREADS=$0 exec ./mpi_train 512 4' "$2" "${3-}"
}
learnt=$(learn 1 2)
echo "$learnt"
[[ $learnt == "512 robots, 4 iterations: weights "* ]]
jobs=("1 1" "2 1" "3 2" "4 1" "8 1")
./myriapod info >mpi_isas.txt
for isa in portable avx2 avx512; do # those of this processor and this build
    if grep -q "^  $isa  *available" mpi_isas.txt; then jobs+=("2 1 $isa"); fi
done
for job in "${jobs[@]}"; do
    # shellcheck disable=SC2086 # three words
    said=$(learn $job)
    echo "$job: $said"
    [ "$said" = "$learnt" ] || { echo "that is for processes, threads, instruction set of one of them: $job"; exit 1; }
done

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
for example in mpi_rollout mpi_train; do
    grep -q "[. ]$example\$" mpi_targets.txt || { echo "CMake did not find MPI: no target $example"; exit 1; }
done
