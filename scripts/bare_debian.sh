# To be sourced: a bare Debian in a directory, with this machine's package sources, proxies and certificates; the project holds none of them.
#   SUITE=bookworm  MIRROR=http://...      MIRROR: this machine's own unless said
#   bare_debian DIRECTORY PACKAGE,...      sets $root and $run; DIRECTORY "": a new one under /tmp, which goes at the end
suite=${SUITE:-bookworm}
mounted=()
scratch=
cleanup() {
    for point in "${mounted[@]}"; do umount -l "$point" || true; done
    # Only what this run made, and never across a mount that would not go.
    if [ -n "$scratch" ] && ! grep -q " $root/" /proc/mounts; then rm -rf --one-file-system "$scratch"; fi
}

bare_debian() {
    [ "$(id -u)" = 0 ] || { echo "needs root: debootstrap, mount and chroot" >&2; exit 1; }
    command -v debootstrap >/dev/null || { echo "needs debootstrap: apt-get install debootstrap" >&2; exit 1; }
    local sources mirror file point
    # Debian's own entries among the machine's sources.
    sources=$(grep -lsE "^(Suites: .*|deb .* )$suite" /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list |
        xargs -r grep -lE "debian-archive-keyring|^deb [^[]*debian" || true)
    mirror=${MIRROR:-$(cat $sources /dev/null | sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb +([^ ]+) .*/\1/p' | head -1)}
    [ -n "$mirror" ] || { echo "no mirror found in /etc/apt; say MIRROR=..." >&2; exit 1; }
    trap cleanup EXIT
    if [ -n "$1" ]; then
        root=$1
    else
        scratch=$(mktemp -d)
        root=$scratch/root
    fi

    [ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase --include="$2" "$suite" "$root" "$mirror"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    cp /etc/hosts "$root/etc/hosts"
    for file in $sources; do
        rm -f "$root/etc/apt/sources.list"
        mkdir -p "$root$(dirname "$file")"
        cp "$file" "$root$file"
    done
    apt-config dump Acquire | grep -iE '^Acquire::(http|https|ftp)::|Check-Valid-Until|Check-Date' >"$root/etc/apt/apt.conf.d/99host" || true
    cp -rT /etc/apt/auth.conf.d "$root/etc/apt/auth.conf.d" 2>/dev/null || true
    if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null && [ -d "$root/usr/local/share/ca-certificates" ]; then
        cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
        chroot "$root" update-ca-certificates >/dev/null
    fi
    for point in proc sys dev dev/pts dev/shm; do
        mkdir -p "$root/$point"
        mount --bind "/$point" "$root/$point"
        mounted=("$root/$point" "${mounted[@]}")
    done
    run=(env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} chroot "$root")
}
