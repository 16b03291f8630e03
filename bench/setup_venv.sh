#!/usr/bin/env bash
# A Python environment of its own with the newest MuJoCo that the package index has, below the build directory. Nothing goes elsewhere.
#   setup_venv.sh [BUILD_DIRECTORY]      default: build
set -euo pipefail
build=${1:-"$(dirname "${BASH_SOURCE[0]}")/../build"}
venv=$build/bench/venv
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    echo "python3 has no venv module here (Debian: apt-get install python3-venv)" >&2
    exit 1
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade mujoco numpy matplotlib cffi
"$venv/bin/python" -c 'import mujoco; print("MuJoCo", mujoco.mj_versionString(), "in '"$venv"'")'
