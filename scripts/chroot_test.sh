#!/usr/bin/env bash
# A stranger's first ten minutes: a bare Debian with nothing but make, git and ca-certificates added, a clean clone of
# the commit that is checked out here, then `make run` and `make test` in it. Needs root and debootstrap.
#   scripts/chroot_test.sh [DIRECTORY]     where the system goes (default: a new one under /tmp); kept if it existed before
#   SUITE=bookworm  MIRROR=http://...      see bare_debian.sh
#   TARGETS="run test"                     what to make
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$source/scripts/bare_debian.sh"
targets=${TARGETS:-run test}
bare_debian "${1:-}" make,git,ca-certificates

rm -rf "$root/root/myriapod"
git clone -q --no-hardlinks "$source" "$root/root/myriapod"
git -C "$root/root/myriapod" log -1 --format='clean clone of %h: %s'
for target in $targets; do
    echo "== make $target"
    started=$SECONDS
    "${run[@]}" make -C /root/myriapod "$target"
    echo "== make $target: $((SECONDS - started)) s"
done
