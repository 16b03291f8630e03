#!/usr/bin/env bash
# ctest: slow timeout=180
# What is installed is enough: examples/hello.c builds against it through pkg-config (shared and static) and through the CMake
# package, and runs; robots and profiles are the installed ones, also after the tree was moved.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}
minor=$(sed -n 's/^project(myriapod VERSION \([0-9]*\.[0-9]*\).*/\1/p' "$MYRIAPOD_SOURCE/CMakeLists.txt")

cmake --install "$MYRIAPOD_BUILD" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name libmyriapod.so)")

expect() { # what, file that must exist below the prefix
    compgen -G "$prefix/$1" >/dev/null || { echo "not installed: $1"; exit 1; }
}
for header in "$MYRIAPOD_SOURCE"/include/myriapod/*; do expect "include/myriapod/$(basename "$header")"; done
for robot in "$MYRIAPOD_SOURCE"/robots/*.urdf; do expect "share/myriapod/robots/$(basename "$robot")"; done
for profile in "$MYRIAPOD_SOURCE"/profiles/*.json; do expect "share/myriapod/profiles/$(basename "$profile")"; done
[ -f "$libdir/libmyriapod.a" ] || { echo "no static library"; exit 1; }
soname=$(objdump -p "$libdir/libmyriapod.so" | awk '$1 == "SONAME" {print $2}')
[ "$soname" = "libmyriapod.so.$minor" ] || { echo "SONAME is $soname"; exit 1; }

export PKG_CONFIG_PATH=$libdir/pkgconfig
run() {
    echo "-- $1"
    "${@:2}" | tee "$work/out"
    grep -q "robot 0 stands" "$work/out"
}
example=$MYRIAPOD_SOURCE/examples/hello.c
$cc -O2 -Wall -Wextra -Werror "$example" -o "$work/hello-shared" $(pkg-config --cflags --libs myriapod)
run "pkg-config, shared" env LD_LIBRARY_PATH="$libdir" "$work/hello-shared"
$cc -O2 "$example" -o "$work/hello-static" $(pkg-config --cflags --static --libs myriapod | sed 's/-lmyriapod/-l:libmyriapod.a/')
if ldd "$work/hello-static" | grep libmyriapod; then echo "hello-static is not static"; exit 1; fi
MYRIAPOD_ROBOTS=$prefix/share/myriapod/robots run "pkg-config, static" "$work/hello-static"
for library in myriapod myriapod_static; do
    cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(myriapod $minor REQUIRED $([ $library = myriapod_static ] && echo COMPONENTS static))
add_executable(hello $example)
target_link_libraries(hello PRIVATE myriapod::$library)
CMAKE
    cmake -S "$work" -B "$work/$library" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
    cmake --build "$work/$library" >/dev/null
    MYRIAPOD_ROBOTS=$prefix/share/myriapod/robots run "find_package, $library" "$work/$library/hello"
done
cmake -S "$MYRIAPOD_SOURCE/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/examples" >/dev/null
run "examples/ as a project" "$work/examples/hello"
"$work/examples/rollout" | tee "$work/out"
grep -q "ends highest.* 0 of 256 quarantined" "$work/out"

# The installed program finds the installed data, not the source tree's: a robot and a profile that are only there.
sed 's/name="[^"]*"/name="only-here"/' "$MYRIAPOD_SOURCE/robots/cube.urdf" >"$prefix/share/myriapod/robots/only-here.urdf"
echo '{"base": "rollout", "envs": 17}' >"$prefix/share/myriapod/profiles/only-here.json"
"$prefix/bin/myriapod" run only-here --profile only-here --steps 10 --warmup 0 --json "$work/run.json" >/dev/null
python3 - "$work/run.json" <<'PYTHON'
import json, sys
assert json.load(open(sys.argv[1]))["envs"] == 17, "the installed profile was not used"
PYTHON
echo "installed program: robot and profile found beside it"
