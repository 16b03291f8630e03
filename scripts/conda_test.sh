#!/usr/bin/env bash
# The package that scripts/conda.sh made, in a bare Debian without a compiler: solved for and linked into a prefix by rattler without a network; then
# first_steps.sh. What the channel's empty packages stand for is installed by apt. Needs root, debootstrap, and python3 with pip.
#   scripts/conda_test.sh CHANNEL [DIRECTORY]     CHANNEL: OUT_DIR of conda.sh; DIRECTORY: where the system goes (default: a new one); kept if it existed
#   SUITE=bookworm  MIRROR=http://...             see bare_debian.sh
set -euo pipefail
[ $# -ge 1 ] && [ -d "$1/linux-64" ] || { echo "usage: $0 CHANNEL [DIRECTORY] (scripts/conda.sh CHANNEL makes one)" >&2; exit 2; }
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
channel=$(realpath "$1")
. "$source/scripts/bare_debian.sh"
. "$source/scripts/first_steps.sh"
bare_debian "${2:-}" python3,python3-venv,ca-certificates

rm -rf "$root/root/channel" "$root/root/tools" "$root/root/venv" "$root/opt/robots"
cp -r "$channel" "$root/root/channel"
cp "$source/packaging/conda/install.py" "$root/root/"
"${run[@]}" apt-get -qq update
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends install python3-venv python3-cffi-backend \
    python3-numpy libexpat1 libgomp1 libhwloc15 libjansson4 libpng16-16 libqhull-r8.0 libsleef3 zlib1g >/dev/null
python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --python-version 3.11 --platform manylinux_2_17_x86_64 \
    --platform manylinux2014_x86_64 --dest "$root/root/tools" py-rattler
"${run[@]}" sh -c 'python3 -m venv /root/venv && /root/venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links /root/tools py-rattler'
unshare -n "${run[@]}" /root/venv/bin/python /root/install.py /root/channel /opt/robots myriapod-sim
first_steps /opt/robots/bin/python
