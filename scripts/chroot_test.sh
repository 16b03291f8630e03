#!/usr/bin/env bash
# A stranger's first ten minutes: a bare Debian with nothing but make, git and ca-certificates added, a clean clone of
# the commit that is checked out here, then `make run` and `make test` in it. Needs root and debootstrap.
#   scripts/chroot_test.sh [DIRECTORY]     where the system goes (default: a new one under /tmp); kept if it existed before
#   SUITE=bookworm  MIRROR=http://...      MIRROR: this machine's own unless said
#   TARGETS="run test"                     what to make
# Package sources, proxies and certificates are this machine's; the project holds none of them.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=${SUITE:-bookworm}
targets=${TARGETS:-run test}
[ "$(id -u)" = 0 ] || { echo "needs root: debootstrap, mount and chroot" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "needs debootstrap: apt-get install debootstrap" >&2; exit 1; }

# Debian's own entries among the machine's sources.
sources=$(grep -lsE "^(Suites: .*|deb .* )$suite" /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list |
    xargs -r grep -lE "debian-archive-keyring|^deb [^[]*debian" || true)
mirror=${MIRROR:-$(cat $sources /dev/null | sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb +([^ ]+) .*/\1/p' | head -1)}
[ -n "$mirror" ] || { echo "no mirror found in /etc/apt; say MIRROR=..." >&2; exit 1; }

mounted=()
scratch=
cleanup() {
    for point in "${mounted[@]}"; do umount -l "$point" || true; done
    # Only what this run made, and never across a mount that would not go.
    if [ -n "$scratch" ] && ! grep -q " $root/" /proc/mounts; then rm -rf --one-file-system "$scratch"; fi
}
trap cleanup EXIT
if [ $# -gt 0 ]; then
    root=$1
else
    scratch=$(mktemp -d)
    root=$scratch/root
fi

if [ ! -e "$root/etc/debian_version" ]; then
    debootstrap --variant=minbase --include=make,git,ca-certificates "$suite" "$root" "$mirror"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"
for file in $sources; do
    rm -f "$root/etc/apt/sources.list"
    mkdir -p "$root$(dirname "$file")"
    cp "$file" "$root$file"
done
apt-config dump Acquire | grep -iE '^Acquire::(http|https|ftp)::|Check-Valid-Until|Check-Date' >"$root/etc/apt/apt.conf.d/99host" || true
cp -rT /etc/apt/auth.conf.d "$root/etc/apt/auth.conf.d" 2>/dev/null || true
if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
    chroot "$root" update-ca-certificates >/dev/null
fi
for point in proc sys dev dev/pts dev/shm; do
    mkdir -p "$root/$point"
    mount --bind "/$point" "$root/$point"
    mounted=("$root/$point" "${mounted[@]}")
done

rm -rf "$root/root/myriapod"
git clone -q --no-hardlinks "$source" "$root/root/myriapod"
git -C "$root/root/myriapod" log -1 --format='clean clone of %h: %s'
for target in $targets; do
    echo "== make $target"
    started=$SECONDS
    env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
        chroot "$root" make -C /root/myriapod "$target"
    echo "== make $target: $((SECONDS - started)) s"
done
