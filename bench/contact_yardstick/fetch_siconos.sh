#!/usr/bin/env bash
# Contact problems that others publish, out of Debian's source packages siconos and fclib: FOLDER/fclib (files by FCLib's names), FOLDER/siconos (the
# rest of Siconos' test data), and the licences beside them.
#
#   bench/contact_yardstick/fetch_siconos.sh [FOLDER]        default: build/problem_sets
#
# Needs apt-get, a network, xz, and no root: the machine's own sources of packages are read as sources of source packages, with lists of their own in a
# folder that goes again. Nothing of the system is changed. Debian or a relative of it is enough; nothing is installed.
set -euo pipefail
target=$(realpath -m "${1:-$(dirname "$0")/../../build/problem_sets}") # this script works elsewhere
say() { echo "fetch_siconos: $*" >&2; exit 1; }
for tool in apt-get tar xz; do
    command -v $tool >/dev/null || say "$tool is not here; the sets siconos and fclib come from Debian's source packages"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial" "$work/get" "$work/unpacked"
shopt -s nullglob
n=0
for file in /etc/apt/sources.list.d/*.sources; do
    n=$((n + 1))
    sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/parts/$n.sources"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] || continue
    n=$((n + 1))
    sed -n 's/^deb[[:space:]]/deb-src /p' "$file" >"$work/parts/$n.list"
done
[ $n -gt 0 ] || say "/etc/apt names no sources of packages"
apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts" -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
     -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=2)
# One source that fails is not the end: another may have the packages.
"${apt[@]}" update >"$work/log" 2>&1 || true
fetch() { (cd "$work/get" && "${apt[@]}" source --tar-only "$1") >>"$work/log" 2>&1; }
fetch siconos || {
    grep -E '^(E|W|Err):' "$work/log" | tail -3 >&2
    say "the source package siconos could not be had: no network, or none of the sources in /etc/apt has it"
}
fetch fclib || echo "fetch_siconos: the source package fclib could not be had: its one problem, local_problem_test.hdf5, is left out" >&2
cd "$work/unpacked"
tar xf "$work"/get/siconos_*.orig.tar.* --wildcards '*/numerics/src/FrictionContact/test/data/*' '*/COPYING'
for file in "$work"/get/fclib_*.orig.tar.*; do
    tar xf "$file" --wildcards '*/src/tests/data/*.hdf5' '*/README.md'
done
mkdir -p "$work/new/siconos" "$work/new/fclib"
for file in siconos-*/numerics/src/FrictionContact/test/data/*; do
    case ${file##*/} in # FCLib's collections: their files say .hdf5, or were turned from it and kept the name
    *.hdf5 | *.hdf5.dat | Capsules-i*) cp "$file" "$work/new/fclib/" ;;
    *) cp "$file" "$work/new/siconos/" ;;
    esac
done
for file in fclib-*/src/tests/data/*.hdf5; do
    cp "$file" "$work/new/fclib/"
done
for file in fclib-*/README.md; do
    cp "$file" "$work/new/README.fclib.md"
done
cp siconos-*/COPYING "$work/new/COPYING.siconos"
for file in "$work"/get/*.orig.tar.*; do
    name=${file##*/}
    echo "${name%.orig.tar.*}" | tr _ ' ' >>"$work/new/versions.txt"
done
mkdir -p "$target"
rm -rf "$target/siconos" "$target/fclib"
cp -r "$work"/new/. "$target/"
echo "$(find "$target/siconos" -type f | wc -l) files in $target/siconos, $(find "$target/fclib" -type f | wc -l) in $target/fclib: $(paste -sd, "$target/versions.txt")"
