#!/usr/bin/env bash
# A stranger's `pip install`: a bare Debian with python3 and its venv and nothing else, no compiler, no library that Myriapod stands on;
# the repaired wheel goes into a virtual environment there, and examples/hello.py runs. Needs root, debootstrap, and python3 with pip.
#   scripts/wheel_test.sh WHEEL [DIRECTORY]    DIRECTORY: where the system goes (default: a new one under /tmp); kept if it existed before
#   SUITE=bookworm  MIRROR=http://...          see bare_debian.sh
set -euo pipefail
[ $# -ge 1 ] && [ -f "$1" ] || { echo "usage: $0 WHEEL [DIRECTORY] (scripts/wheel.sh makes one)" >&2; exit 2; }
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wheel=$(realpath "$1")
. "$source/scripts/bare_debian.sh"
bare_debian "${2:-}" python3,python3-venv

if "${run[@]}" sh -c 'command -v cc || command -v gcc || ldconfig -p | grep -E "sleef|hwloc|libxml2|jansson|gomp"'; then
    echo "this place is not bare: what the wheel lacks would not be missed" >&2
    exit 1
fi
# What it needs from the index is fetched out here, so that the place needs neither network nor certificates.
rm -rf "$root/root/wheels" "$root/root/venv"
mkdir "$root/root/wheels"
cp "$wheel" "$source/examples/hello.py" "$root/root/wheels/"
version=$("${run[@]}" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --python-version "$version" \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --dest "$root/root/wheels" numpy cffi
"${run[@]}" python3 -m venv /root/venv
"${run[@]}" /root/venv/bin/pip install --quiet --no-index --find-links /root/wheels "/root/wheels/$(basename "$wheel")"
"${run[@]}" /root/venv/bin/python /root/wheels/hello.py | tee "$root/root/hello.txt"
grep -q "robot 0 stands 0.5" "$root/root/hello.txt"
"${run[@]}" /root/venv/bin/python -c 'import myriapod; print(myriapod.__version__, "with", myriapod.math_version, "in", myriapod.__file__)'
