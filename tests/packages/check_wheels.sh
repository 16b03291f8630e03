#!/usr/bin/env bash
# ctest: long timeout=5400
# The wheels of x86-64 and AArch64, as strangers get them: built from the source distribution, at most 10 MB, of the oldest glibc that docs/wheels.md names. In a
# bare system without a compiler they are installed for every Python that is told (PYTHONS, see scripts/wheel_test.sh), step, learn and draw; under qemu-user
# the wheel of AArch64 has the bits of this machine's.
# may skip: no root, debootstrap, cross compiler or qemu-user, or a package index that cannot be reached
set -euo pipefail
source=$MYRIAPOD_SOURCE build=$MYRIAPOD_BUILD/wheels
skip() {
    echo "skipped: $1"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "mount and chroot need root"
for tool in debootstrap aarch64-linux-gnu-gcc qemu-aarch64 apt-get dpkg-deb; do command -v "$tool" >/dev/null || skip "$tool is missing"; done
rm -rf "$build/x86_64" "$build/aarch64"
mkdir -p "$build"
"$source/scripts/aarch64_sysroot.sh" "$build/sysroot" || skip "the libraries of arm64 cannot be fetched"
"$source/scripts/wheel.sh" "$build/x86_64"
ARCH=aarch64 SYSROOT=$build/sysroot "$source/scripts/wheel.sh" "$build/aarch64"
for arch in x86_64 aarch64; do
    wheel=$(echo "$build/$arch"/*.whl)
    glibc=$(echo "$wheel" | sed -nE 's/.*manylinux_2_([0-9]+)_.*/2.\1/p')
    grep -q "^| $arch | $glibc |" "$source/docs/wheels.md" || { echo "$wheel needs glibc $glibc, and docs/wheels.md says otherwise"; exit 1; }
done
"$source/scripts/wheel_test.sh" "$build"/x86_64/*.whl
python3 -m venv "$build/venv"
"$build/venv/bin/pip" install --quiet --disable-pip-version-check "$build"/x86_64/*.whl
"$source/scripts/wheel_test_aarch64.sh" "$build"/aarch64/*.whl "$build/python" "$build/venv/bin/python"
