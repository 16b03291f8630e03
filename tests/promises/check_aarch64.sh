#!/usr/bin/env bash
# ctest: slow timeout=1500
# Another architecture: the library built by Debian's cross compiler for AArch64, its lanes of NEON, run under qemu-user. The hashes of states
# and of learned weights are those that this build gives on each of its instruction sets (tests/aarch64/hashes.c), and tests of lane arithmetic
# pass there. MYRIAPOD_FULL=1: all tests that clang compiles again (`lanes`), not only the quick ones of them; 22 minutes.
# may skip: the cross compiler, qemu-user or Debian's arm64 libraries, which come from its mirrors, are not here
set -euo pipefail
source=$MYRIAPOD_SOURCE build=$MYRIAPOD_BUILD here=$MYRIAPOD_BUILD/aarch64
skip() {
    echo "skipped: $1"
    exit 77
}
for tool in aarch64-linux-gnu-gcc qemu-aarch64 apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || skip "$tool is missing; scripts/deps.sh all installs gcc-aarch64-linux-gnu and qemu-user"
done
"$source/scripts/aarch64_sysroot.sh" "$here/sysroot" || skip "the libraries of arm64 cannot be fetched"

# Not optimized any further, as the sanitizers' builds: the bits are those of any optimization, and it takes a third of the time.
cmake -S "$source" -B "$here/build" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/aarch64.cmake" -DMYRIAPOD_SYSROOT="$here/sysroot" -DMYRIAPOD_PROGRAM=OFF -DMYRIAPOD_TESTS=lanes \
    -DMYRIAPOD_UNITS=neon -DMYRIAPOD_WERROR=OFF "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG" --log-level=WARNING >"$here/configure.log" || { cat "$here/configure.log"; exit 1; }
targets=(test_lane_ops test_ground test_contact_tile test_contact_whole test_sensors test_learn_more)
chosen=$(IFS='|' && echo "^(${targets[*]})\$")
if [ "${MYRIAPOD_FULL-}" ]; then targets=(all) chosen=.; fi
cmake --build "$here/build" --parallel 2 --target myriapod "${targets[@]}" >"$here/build.log" 2>&1 || { tail -50 "$here/build.log"; exit 1; }

compile=(-std=c11 -O1 -Wall -Wextra -Werror -I "$source/include" "$source/tests/aarch64/hashes.c")
libraries=$here/sysroot/usr/lib/aarch64-linux-gnu:$here/sysroot/lib/aarch64-linux-gnu
"${CC:-cc}" "${compile[@]}" -o "$here/hashes" -L "$build" -lmyriapod -Wl,-rpath,"$build"
aarch64-linux-gnu-gcc "${compile[@]}" -o "$here/hashes-aarch64" -L "$here/build" -lmyriapod -Wl,-rpath-link,"$libraries"
file=$(od -An -tx1 -j18 -N2 "$here/build/libmyriapod.so" | tr -d ' ')
[ "$file" = b700 ] || { echo "libmyriapod.so is for machine $file, not AArch64 (b700)"; exit 1; }

qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$here/build:$libraries" "$here/hashes-aarch64" "$source" neon >"$here/neon.txt" & # two cores
ctest --test-dir "$here/build" -R "$chosen" --timeout 1500 --output-on-failure --no-tests=error
wait $!
[ "$(wc -l <"$here/neon.txt")" -ge 40 ] || { echo "only $(wc -l <"$here/neon.txt") hashes"; exit 1; }
[ "$(grep -o '[^ ]*$' "$here/neon.txt" | sort -u | wc -l)" = "$(wc -l <"$here/neon.txt")" ] || { echo "two scenes have the same hash: it says nothing"; exit 1; }
compared=
for isa in $(sed -n 's/^MYR_BUILT(\(.*\))$/\1/p' "$build/units/built_isas.def"); do
    "$here/hashes" "$source" "$isa" >"$here/here.txt" 2>"$here/error.txt" || { grep -q 'lacks' "$here/error.txt" && continue; cat "$here/error.txt"; exit 1; }
    diff "$here/here.txt" "$here/neon.txt" || { echo "left: this processor's $isa; right: AArch64's NEON"; exit 1; }
    compared="$compared $isa"
done
[ "$compared" ] || { echo "nothing here to compare with"; exit 1; }
echo "$(wc -l <"$here/neon.txt") hashes of AArch64's NEON are those of$compared"
