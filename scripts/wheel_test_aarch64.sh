#!/usr/bin/env bash
# The wheel for AArch64 under qemu-user: Debian's python3 of arm64, with NumPy and cffi of the package index and nothing else that was compiled, imports it,
# steps and learns. What comes out is compared with an installed package of this machine, where one is told. Needs qemu-user and python3 with pip, no root.
#   scripts/wheel_test_aarch64.sh WHEEL DIRECTORY [PYTHON]      DIRECTORY: for what is fetched, kept for the next time; PYTHON: one that has this machine's wheel
set -euo pipefail
[ $# -ge 2 ] && [ -f "$1" ] || { echo "usage: $0 WHEEL DIRECTORY [PYTHON] (ARCH=aarch64 scripts/wheel.sh makes one)" >&2; exit 2; }
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wheel=$(realpath "$1")
mkdir -p "$2"
dir=$(realpath "$2")
"$source/scripts/aarch64_sysroot.sh" "$dir/root" python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libc6 libgcc-s1 libstdc++6 libexpat1 zlib1g \
    libffi8 libssl3 libbz2-1.0 liblzma5 libuuid1
rm -rf "$dir/site"
mkdir -p "$dir/wheels"
python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --python-version 3.11 \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 --dest "$dir/wheels" numpy cffi
for file in "$dir"/wheels/*.whl "$wheel"; do python3 -m zipfile -e "$file" "$dir/site"; done

cat >"$dir/what.py" <<'PYTHON'
"""Steps and learns, and prints the bits of both."""
import hashlib
import sys
import tempfile

import myriapod
from myriapod import train

with myriapod.Batch("anymal", 64, task="trot", threads=1) as batch:
    batch.step(100)
    print("stepped", f"{batch.hash():016x}")
with tempfile.TemporaryDirectory() as log:
    words = ["anymal-flat", "--iterations", "3", "--envs", "64", "--threads", "1", "--log", log, "--quiet"]
    assert train.main(words) == 0
    policy = myriapod.Policy.load(log + "/policy.npz")
    print("learnt", hashlib.sha256(b"".join(weight.tobytes() for weight in policy.weights)).hexdigest()[:16])
print(f"{myriapod.__version__} in {myriapod.__file__}", file=sys.stderr)
PYTHON
qemu-aarch64 -L "$dir/root" -E "PYTHONHOME=$dir/root/usr" -E "PYTHONPATH=$dir/site" "$dir/root/usr/bin/python3.11" -S -B "$dir/what.py" | tee "$dir/there.txt"
if [ $# -ge 3 ]; then
    "$3" -B "$dir/what.py" >"$dir/here.txt"
    diff "$dir/here.txt" "$dir/there.txt" || { echo "left: this machine; right: AArch64" >&2; exit 1; }
    echo "the bits are those of $("$3" -c 'import platform; print(platform.machine())')"
fi
