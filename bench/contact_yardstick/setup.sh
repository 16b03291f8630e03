#!/usr/bin/env bash
# A Python environment of its own with the engines that the yardstick asks, below the build directory. One that cannot be had is said, and left out.
#   setup.sh [BUILD_DIRECTORY]      default: build
set -euo pipefail
build=${1:-"$(dirname "${BASH_SOURCE[0]}")/../../build"}
venv=$build/yardstick-venv
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    echo "python3 has no venv module here (Debian: apt-get install python3-venv)" >&2
    exit 1
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
pip() { "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$@"; }
"$venv/bin/python" -c 'import numpy, scipy, matplotlib, cffi' 2>/dev/null || pip numpy scipy matplotlib cffi
while read -r module package; do
    "$venv/bin/python" -c "import $module" >/dev/null 2>&1 || pip "$package" >/dev/null 2>&1 || echo "yardstick: $package cannot be installed here; its rows are left out" >&2
done <<'EOF'
mujoco mujoco
pybullet pybullet
pydrake drake
pinocchio pin
EOF
