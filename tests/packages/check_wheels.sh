#!/usr/bin/env bash
# ctest: long timeout=5400
# The wheels of x86-64 and AArch64, as strangers get them: built from the source distribution, at most 10 MB, of the oldest glibc that docs/wheels.md names. In a
# bare system without a compiler they are installed for every Python that is told (PYTHONS, see scripts/wheel_test.sh), step, learn and draw; under qemu-user
# the wheel of AArch64 has the bits of this machine's. A second build of the one, of a copy of the tree, has the same bytes; an index would take both.
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
# The second build: what git tracks, in a folder of another name, with files of other times.
again=$build/again
rm -rf "$again" && mkdir -p "$again/a_tree_elsewhere"
(cd "$source" && { git ls-files 2>/dev/null || find . -type f -not -path './build*' -not -path './.*'; } | tar c -T -) | tar xm -C "$again/a_tree_elsewhere"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || echo 315532800)} \
    "$again/a_tree_elsewhere/scripts/wheel.sh" "$again/out"
for file in "$build"/x86_64/*; do cmp "$file" "$again/out/$(basename "$file")"; done
rm -rf "$again"

python3 -m venv "$build/index-venv"
"$build/index-venv/bin/pip" install --quiet --disable-pip-version-check twine
"$build/index-venv/bin/twine" check --strict "$build"/*/*.whl "$build"/x86_64/*.tar.gz
for arch in x86_64 aarch64; do
    libraries=$(unzip -p "$build/$arch"/*.whl '*/sboms/myriapod.cdx.json' | grep -c '"purl": "pkg:deb/')
    [ "$libraries" = "$(unzip -Z1 "$build/$arch"/*.whl | grep -c '\.libs/.')" ] || { echo "the SBOM of $arch tells of $libraries libraries"; exit 1; }
    [ "$libraries" = "$(unzip -Z1 "$build/$arch"/*.whl | grep -c '/licenses/libraries/lib.*\.txt$')" ] || { echo "texts of licences are missing in the wheel of $arch"; exit 1; }
done
for arch in x86_64 aarch64; do
    wheel=$(echo "$build/$arch"/*.whl)
    glibc=$(echo "$wheel" | sed -nE 's/.*manylinux_2_([0-9]+)_.*/2.\1/p')
    grep -q "^| $arch | $glibc |" "$source/docs/wheels.md" || { echo "$wheel needs glibc $glibc, and docs/wheels.md says otherwise"; exit 1; }
done
"$source/scripts/wheel_test.sh" "$build"/x86_64/*.whl
python3 -m venv "$build/venv"
"$build/venv/bin/pip" install --quiet --disable-pip-version-check "$build"/x86_64/*.whl
"$source/scripts/wheel_test_aarch64.sh" "$build"/aarch64/*.whl "$build/python" "$build/venv/bin/python"
