#!/usr/bin/env bash
# ctest: slow timeout=1200
# The same bits on another architecture: the library built by Debian's cross compiler for AArch64, run under qemu-user, gives the state
# hashes that this build's portable lanes give (tests/aarch64/hashes.c).
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
grep -q '^MYR_BUILT(portable)$' "$build/units/built_isas.def" || skip "this build has no portable lanes to compare with (MYRIAPOD_UNITS)"
"$source/scripts/aarch64_sysroot.sh" "$here/sysroot" || skip "the libraries of arm64 cannot be fetched"

# Not optimized any further, as the sanitizers' builds: the bits are those of any optimization, and it takes a third of the time.
cmake -S "$source" -B "$here/build" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/aarch64.cmake" -DMYRIAPOD_SYSROOT="$here/sysroot" -DMYRIAPOD_PROGRAM=OFF -DMYRIAPOD_WERROR=OFF \
    "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG" --log-level=WARNING >"$here/configure.log" || { cat "$here/configure.log"; exit 1; }
cmake --build "$here/build" --parallel 2 --target myriapod >"$here/build.log" 2>&1 || { tail -50 "$here/build.log"; exit 1; }

compile=(-std=c11 -O1 -Wall -Wextra -Werror -I "$source/include" "$source/tests/aarch64/hashes.c")
libraries=$here/sysroot/usr/lib/aarch64-linux-gnu:$here/sysroot/lib/aarch64-linux-gnu
"${CC:-cc}" "${compile[@]}" -o "$here/hashes" -L "$build" -lmyriapod -Wl,-rpath,"$build"
aarch64-linux-gnu-gcc "${compile[@]}" -o "$here/hashes-aarch64" -L "$here/build" -lmyriapod -Wl,-rpath-link,"$libraries"
file=$(od -An -tx1 -j18 -N2 "$here/build/libmyriapod.so" | tr -d ' ')
[ "$file" = b700 ] || { echo "libmyriapod.so is for machine $file, not AArch64 (b700)"; exit 1; }

"$here/hashes" "$source" >"$here/here.txt"
qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$here/build:$libraries" "$here/hashes-aarch64" "$source" >"$here/there.txt"
[ "$(wc -l <"$here/here.txt")" -ge 20 ] || { echo "only $(wc -l <"$here/here.txt") hashes"; exit 1; }
[ "$(cut -d' ' -f3- "$here/here.txt" | sort -u | wc -l)" = "$(wc -l <"$here/here.txt")" ] || { echo "two scenes have the same hash: it says nothing"; exit 1; }
diff "$here/here.txt" "$here/there.txt" || { echo "left: this processor; right: AArch64"; exit 1; }
echo "$(wc -l <"$here/here.txt") hashes of AArch64 are this processor's"
