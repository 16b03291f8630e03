#!/usr/bin/env bash
# Debian packages: the source package of the commit that is checked out here, and the binary packages built from it in a bare Debian, with what apt
# finds for debian/control and nothing else, and without a network. lintian's errors and warnings are errors here, less
# the one that a first upload closes no bug of Debian's: there is none. Needs root, debootstrap and git.
#   scripts/deb.sh OUT_DIR [DIRECTORY]       OUT_DIR: for the files; DIRECTORY: where the system goes (default: a new one); kept if it existed before
#   SUITE=bookworm  MIRROR=http://...        see bare_debian.sh
#   JOBS=2                                   compilers at once
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 OUT_DIR [DIRECTORY]" >&2; exit 2; }
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
out=$(realpath "$1")
version=$(sed -nE 's/^project\(myriapod VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
packaged=$(sed -nE '1s/.*\(([0-9.]+)-.*/\1/p' "$source/debian/changelog")
[ "$version" = "$packaged" ] ||
    { echo "debian/changelog has version $packaged, CMakeLists.txt $version: write an entry, and libmyriapod${version%.*} in debian/" >&2; exit 1; }
. "$source/scripts/bare_debian.sh"
bare_debian "${2:-}" ca-certificates

rm -rf "$root/build"
mkdir -p "$root/build"
git -C "$source" archive --prefix="myriapod-$version/" HEAD -- . ':(exclude)debian' | gzip -n >"$root/build/myriapod_$version.orig.tar.gz"
tar -C "$root/build" -xzf "$root/build/myriapod_$version.orig.tar.gz"
git -C "$source" archive --prefix="myriapod-$version/" HEAD -- debian | tar -C "$root/build" -x
apt=("${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends)
"${apt[@]}" update
"${apt[@]}" install dpkg-dev lintian >/dev/null
"${apt[@]}" build-dep "/build/myriapod-$version" >/dev/null
chown -R nobody "$root/build"
# Not as root, and in a namespace without a network.
unshare -n "${run[@]}" setpriv --reuid=nobody --clear-groups env HOME=/build "DEB_BUILD_OPTIONS=parallel=${JOBS:-2}" \
    sh -c "cd /build/myriapod-$version && dpkg-buildpackage -us -uc" >"$out/build.log" 2>&1 || { tail -50 "$out/build.log" >&2; exit 1; }
"${run[@]}" setpriv --reuid=nobody --clear-groups sh -c 'lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
    --info /build/*.changes' | tee "$out/lintian.log"
rm -f "$out"/*.deb
cp "$root"/build/*.{deb,dsc,changes,buildinfo,tar.xz,tar.gz} "$out"
ls -l "$out" | awk '/\.(deb|dsc|xz|gz)$/ {printf "%8.2f MB  %s\n", $5 / 1e6, $9}'
