#!/usr/bin/env bash
# A stranger's `apt install` of the packages that scripts/deb.sh made: a bare Debian, dependencies by apt alone. Then debian/tests, first_steps.sh, and, where a
# build of the same commit is told, the hashes of its states beside those of the package's library: the packager's compiler flags change no bit.
# Needs root and debootstrap.
#   scripts/deb_test.sh DIR [DIRECTORY [BUILD]]     DIR: the packages; DIRECTORY: where the system goes ("": a new one); BUILD: has bench/state_hashes
#   SUITE=bookworm  MIRROR=http://...               see bare_debian.sh
set -euo pipefail
[ $# -ge 1 ] && compgen -G "$1/libmyriapod*.deb" >/dev/null || { echo "usage: $0 DIR [DIRECTORY [BUILD]] (deb.sh makes them)" >&2; exit 2; }
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$source/scripts/bare_debian.sh"
. "$source/scripts/first_steps.sh"
bare_debian "${2:-}" ca-certificates

rm -rf "$root/packages"
mkdir "$root/packages"
cp "$1"/*.deb "$root/packages/"
rm -f "$root"/packages/*-dbgsym_*
apt=("${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends)
"${apt[@]}" update
"${apt[@]}" install gcc libc6-dev pkgconf >/dev/null
"${apt[@]}" install --reinstall $(cd "$root" && echo packages/*.deb | sed 's,packages/,/packages/,g') >/dev/null
rm -rf "$root/root/tests"
cp -r "$source/debian/tests" "$root/root/tests"
for test in program library python; do
    echo "== debian/tests/$test"
    "${run[@]}" "/root/tests/$test"
done
first_steps /usr/bin/python3
if [ -n "${3:-}" ]; then
    program=$(find "$3/bench" -name state_hashes -type f)
    cp "$(find "$source/bench" -name state_hashes.c)" "$root/root/"
    mkdir -p "$root/root/tree/tests"
    cp -r "$source/tests/models" "$root/root/tree/tests/"
    "${run[@]}" sh -c 'cc -O2 /root/state_hashes.c -o /root/state_hashes $(pkg-config --cflags --libs myriapod) -lm'
    (cd "$source" && "$program") >"$root/root/hashes-here.txt"
    isas=$("${run[@]}" sh -c 'myriapod info' | sed -nE 's/^ +([a-z0-9]+) +available,.*/\1/p')
    [ -n "$isas" ]
    for isa in $isas; do
        "${run[@]}" env "MYRIAPOD_ISA=$isa" sh -c 'cd /root/tree && ../state_hashes' >"$root/root/hashes.txt"
        diff "$root/root/hashes-here.txt" "$root/root/hashes.txt" || { echo "left: $3; right: the package, $isa" >&2; exit 1; }
        echo "$isa: $(wc -l <"$root/root/hashes.txt") hashes are those of $3"
    done
fi
