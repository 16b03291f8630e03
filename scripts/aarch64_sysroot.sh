#!/usr/bin/env bash
# Libraries of Debian's arm64 in a folder, for building and testing with the cross compiler on another machine:
#   aarch64_sysroot.sh DIR [PACKAGE...]      without packages: what the library is built with
# apt is given lists and a status of its own in DIR/apt, so it needs no root and leaves this system's packages alone: installed beside
# those of this machine, they would upgrade half of them. What is there already is not downloaded again.
set -euo pipefail
export LC_ALL=C.UTF-8
dir=$(realpath -m "${1:?usage: aarch64_sysroot.sh DIR [PACKAGE...]}")
shift
packages='libsleef-dev libsleef3 libhwloc-dev libhwloc15 libudev1 libexpat1-dev libexpat1 libjansson-dev libjansson4 libqhull-dev libqhull-r8.0
    libpng-dev libpng16-16 zlib1g-dev zlib1g
    librandom123-dev libcmocka-dev libcmocka0'
if [ $# -gt 0 ]; then packages=$*; fi
stamp=$dir/packages.txt
if [ "$(cat "$stamp" 2>/dev/null)" = "$packages" ]; then exit 0; fi
rm -rf "$dir"
mkdir -p "$dir"/{apt/lists/partial,apt/cache/archives/partial,debs}
: >"$dir/apt/status"
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$dir/apt" -o "Dir::State::lists=$dir/apt/lists"
    -o "Dir::State::status=$dir/apt/status" -o "Dir::Cache=$dir/apt/cache" -o Acquire::Languages=none -o APT::Sandbox::User=
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false)
apt-get "${options[@]}" update
cd "$dir/debs"
# shellcheck disable=SC2086
apt-get "${options[@]}" download $packages
for deb in *.deb; do dpkg-deb -x "$deb" "$dir"; done
# Links to /lib/... would lead out of the folder: a static library would be taken in place of the shared one.
while read -r link; do ln -sfn "$dir$(readlink "$link")" "$link"; done < <(find "$dir" -type l -lname '/*')
rm -rf "$dir/apt" "$dir/debs"
echo "$packages" >"$stamp"
