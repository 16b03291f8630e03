#!/usr/bin/env bash
# A stranger's `pip install`: a bare Debian with python3 and its venv and nothing else, no compiler, no library that Myriapod stands on;
# the repaired wheel goes into a virtual environment there, steps, learns, and draws a picture. Needs root, debootstrap, and python3 with pip.
#   scripts/wheel_test.sh WHEEL [DIRECTORY]    DIRECTORY: where the system goes (default: a new one under /tmp); kept if it existed before
#   SUITE=bookworm  MIRROR=http://...          see bare_debian.sh
#   PYTHONS="/opt/python3.13 ..."              folders of other Pythons of this machine, which are shown to the bare system as well
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
rm -rf "$root/root/wheels"
mkdir "$root/root/wheels"
cp "$wheel" "$source/examples/hello.py" "$root/root/wheels/"
for python in python3 ${PYTHONS-}; do
    if [ "$python" != python3 ]; then
        mkdir -p "$root$python"
        mount --bind -o ro "$python" "$root$python"
        mounted=("$root$python" "${mounted[@]}")
        python=$python/bin/python3
    fi
    # What it needs from the index is fetched out here, so that the place needs neither network nor certificates.
    version=$("${run[@]}" "$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --python-version "$version" \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --dest "$root/root/wheels" numpy cffi
    rm -rf "$root/root/venv" "$root/root/learnt"
    "${run[@]}" "$python" -m venv /root/venv
    "${run[@]}" /root/venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links /root/wheels "/root/wheels/$(basename "$wheel")"
    "${run[@]}" /root/venv/bin/python /root/wheels/hello.py | tee "$root/root/hello.txt"
    grep -q "robot 0 stands 0.5" "$root/root/hello.txt"
    "${run[@]}" /root/venv/bin/python -m myriapod.train anymal-flat --iterations 3 --envs 64 --quiet --log /root/learnt
    "${run[@]}" /root/venv/bin/python -m myriapod.play anymal-flat /root/learnt/policy.npz --seconds 0.5 --png /root/learnt/walk.png
    [ "$(head -c 4 "$root/root/learnt/walk.png" | tail -c 3)" = PNG ]
    "${run[@]}" /root/venv/bin/python -c 'import myriapod, sys; print("Python", sys.version.split()[0], "myriapod", myriapod.__version__, "with", myriapod.math_version)'
done
