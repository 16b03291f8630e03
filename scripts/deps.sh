#!/usr/bin/env bash
# Install what is missing, and say nothing when nothing is.
#   deps.sh build    what the library and the program need
#   deps.sh all      also what the tests need
#   deps.sh docs     what the site needs beyond the build
#   deps.sh bench    what the measurements need beyond the build
# As root, or with a sudo that asks no password, it installs with apt-get; else it prints the command and fails.
set -euo pipefail
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

have_command() { command -v "$1" >/dev/null 2>&1; }
have_module() { have_command pkg-config && pkg-config --exists "$1"; }
have_file() { [ -e "$1" ]; }
have_venv() { have_command python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; }
have_header() { have_command gcc && printf '#include <%s>\n' "$1" | gcc -E -x c - >/dev/null 2>&1; }

# Debian package, then what shows that it (or its like from elsewhere) is there.
build_packages='
make            have_command make
gcc             have_command gcc
libc6-dev       have_header math.h
cmake           have_command cmake
pkg-config      have_command pkg-config
libsleef-dev    have_module sleef
libhwloc-dev    have_module hwloc
libexpat1-dev   have_module expat
libjansson-dev  have_module jansson
libqhull-dev    have_module qhull_r
libpng-dev      have_module libpng
zlib1g-dev      have_module zlib
libhdf5-dev     have_module hdf5
librandom123-dev have_header Random123/philox.h
libsuitesparse-dev have_header suitesparse/cs.h
'
test_packages='
git             have_command git
python3         have_command python3
python3-venv    have_venv
binutils        have_command objdump
libcmocka-dev   have_module cmocka
clang-14        have_command clang-14
clang-format-14 have_command clang-format-14
libclang-rt-14-dev have_file /usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.tsan-x86_64.a
libomp-14-dev   have_file /usr/lib/llvm-14/lib/libarcher.so
llvm-14         have_command llvm-symbolizer-14
gnuplot-nox     have_command gnuplot
gcc-aarch64-linux-gnu have_command aarch64-linux-gnu-gcc
libc6-dev-arm64-cross have_file /usr/aarch64-linux-gnu/include/math.h
qemu-user       have_command qemu-aarch64
iproute2        have_command ip
doxygen         have_command doxygen
abigail-tools   have_command abidw
'
docs_packages='
python3         have_command python3
python3-venv    have_venv
doxygen         have_command doxygen
'
bench_packages='
python3         have_command python3
python3-venv    have_venv
libsiconos-numerics-dev have_file /usr/include/siconos/numerics/fc3d_Solvers.h
'

case ${1:-all} in
build) wanted=$build_packages ;;
all) wanted=$build_packages$test_packages ;;
docs) wanted=$build_packages$docs_packages ;;
bench) wanted=$build_packages$bench_packages ;;
*)
    echo "usage: $0 [build|all|docs|bench]" >&2
    exit 2
    ;;
esac

missing=()
while read -r package probe; do
    if [ -n "$package" ] && ! $probe; then missing+=("$package"); fi
done <<<"$wanted"
[ ${#missing[@]} -gt 0 ] || exit 0

install="apt-get install -y --no-install-recommends ${missing[*]}"
if ! have_command apt-get; then
    echo "Missing (names of Debian's packages; install the like of them): ${missing[*]}" >&2
    exit 1
elif [ "$(id -u)" = 0 ]; then
    as_root=()
elif have_command sudo && sudo -n true 2>/dev/null; then
    as_root=(sudo -n DEBIAN_FRONTEND=noninteractive)
else
    echo "Missing: ${missing[*]}. As root:" >&2
    echo "    apt-get update && $install" >&2
    exit 1
fi

echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" $install -qq -o Dpkg::Use-Pty=0 >/dev/null
