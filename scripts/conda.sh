#!/usr/bin/env bash
# The conda package of packaging/conda/recipe.yaml, built by rattler-build in a bare Debian without a network. No conda channel is asked: compiler, libraries
# and Python are Debian's, and packaging/conda/stand_ins.py makes packages with the names that the recipe asks for. Needs root, debootstrap, git, and
# python3 with pip.
#   scripts/conda.sh OUT_DIR [DIRECTORY]     OUT_DIR: becomes a channel; DIRECTORY: where the system goes (default: a new one); kept if it existed before
#   SUITE=bookworm  MIRROR=http://...        see bare_debian.sh
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 OUT_DIR [DIRECTORY]" >&2; exit 2; }
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
out=$(realpath "$1")
version=$(sed -nE 's/^project\(myriapod VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
grep -q "version: \"$version\"" "$source/packaging/conda/recipe.yaml" ||
    { echo "packaging/conda/recipe.yaml has not the version of CMakeLists.txt, $version" >&2; exit 1; }
. "$source/scripts/bare_debian.sh"
bare_debian "${2:-}" python3,python3-venv,ca-certificates

rm -rf "$root/root/myriapod" "$root/root/tools" "$root/root/channel" "$root/root/venv"
mkdir "$root/root/myriapod"
git -C "$source" archive HEAD | tar -C "$root/root/myriapod" -x
"${run[@]}" apt-get -qq update
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends install python3-venv python3-pip python3-cffi \
    python3-numpy patchelf >/dev/null
"${run[@]}" bash /root/myriapod/scripts/deps.sh build
# Fetched out here, so that the place needs neither network nor certificates.
python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --python-version 3.11 --platform manylinux_2_17_x86_64 \
    --platform manylinux2014_x86_64 --dest "$root/root/tools" py-rattler-build scikit-build-core
"${run[@]}" sh -c 'python3 -m pip install --quiet --break-system-packages --root-user-action=ignore --no-index --find-links /root/tools scikit-build-core &&
    python3 -m venv /root/venv && /root/venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links /root/tools py-rattler-build'
for step in stand_ins build; do
    unshare -n "${run[@]}" /root/venv/bin/python "/root/myriapod/packaging/conda/$step.py" /root/channel >"$out/$step.log" 2>&1 ||
        { tail -n 50 "$out/$step.log" "$root"/root/channel/bld/*/work/conda_build.log >&2; exit 1; }
done
for folder in noarch linux-64; do
    rm -rf "${out:?}/$folder"
    cp -r "$root/root/channel/$folder" "$out"
done
ls -l "$out"/linux-64/myriapod-sim-*.conda | awk '{printf "%8.2f MB  %s\n", $5 / 1e6, $9}'
