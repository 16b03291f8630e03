#!/usr/bin/env bash
# ctest: long timeout=5400
# The packages beside the wheels, as strangers get them: the source distribution by itself, Debian's source and binary packages, and the conda package. Each
# is built and installed in a bare system, steps, learns and draws (scripts/first_steps.sh); the Debian package's library has the hashes of this build.
# may skip: no root or debootstrap, or a package index or mirror that cannot be reached
set -euo pipefail
source=$MYRIAPOD_SOURCE build=$MYRIAPOD_BUILD/packages
skip() {
    echo "skipped: $1"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "mount and chroot need root"
for tool in debootstrap unshare git; do command -v "$tool" >/dev/null || skip "$tool is missing"; done
python3 -m pip download --quiet --no-deps --disable-pip-version-check --dest "$build/index" scikit-build-core || skip "the package index cannot be reached"
git -C "$source" rev-parse --quiet --verify HEAD >/dev/null || skip "packages are made of a commit, and this is no clone"
rm -rf "$build/sdist" "$build/deb" "$build/conda"
mkdir -p "$build"

python3 -m venv "$build/venv"
"$build/venv/bin/pip" install --quiet --disable-pip-version-check build
"$build/venv/bin/python" -m build --sdist --outdir "$build/sdist" "$source" >/dev/null
"$source/scripts/wheel_test.sh" "$build"/sdist/*.tar.gz
"$source/scripts/deb.sh" "$build/deb"
"$source/scripts/deb_test.sh" "$build/deb" "" "$MYRIAPOD_BUILD"
"$source/scripts/conda.sh" "$build/conda"
"$source/scripts/conda_test.sh" "$build/conda"
