#!/usr/bin/env bash
# A stranger's `pip install` in a bare Debian with python3 and its venv and nothing else, into a virtual environment; then first_steps.sh. A repaired
# wheel needs no compiler and no library there. For a source distribution there is what scripts/deps.sh names for a build. Needs root, debootstrap, and
# python3 with pip.
#   scripts/wheel_test.sh FILE [DIRECTORY]     FILE: .whl or .tar.gz; DIRECTORY: where the system goes (default: a new one under /tmp); kept if it existed
#   SUITE=bookworm  MIRROR=http://...          see bare_debian.sh
#   PYTHONS="/opt/python3.13 ..."              folders of other Pythons of this machine, which are shown to the bare system as well
set -euo pipefail
[ $# -ge 1 ] && [ -f "$1" ] || { echo "usage: $0 WHEEL_OR_SDIST [DIRECTORY] (scripts/wheel.sh makes both)" >&2; exit 2; }
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
file=$(realpath "$1")
. "$source/scripts/bare_debian.sh"
. "$source/scripts/first_steps.sh"
bare_debian "${2:-}" python3,python3-venv,ca-certificates

needed=(numpy cffi)
if [[ $file == *.tar.gz ]]; then
    cp "$source/scripts/deps.sh" "$root/root/"
    "${run[@]}" apt-get -qq update
    "${run[@]}" bash /root/deps.sh build
    needed+=(scikit-build-core ninja) # CMake is there
elif "${run[@]}" sh -c 'command -v cc || command -v gcc || ldconfig -p | grep -E "sleef|hwloc|libxml2|jansson|gomp"'; then
    echo "this place is not bare: what the wheel lacks would not be missed" >&2
    exit 1
fi
rm -rf "$root/root/wheels"
mkdir "$root/root/wheels"
cp "$file" "$root/root/wheels/"
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
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --dest "$root/root/wheels" "${needed[@]}"
    rm -rf "$root/root/venv"
    "${run[@]}" "$python" -m venv /root/venv
    unshare -n "${run[@]}" /root/venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links /root/wheels \
        "/root/wheels/$(basename "$file")"
    first_steps /root/venv/bin/python
done
