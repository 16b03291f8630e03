#!/usr/bin/env bash
# The binary interface of the library, as its public headers say it: functions with their types, and every type that they reach. libabigail's XML.
#   scripts/abi.sh OUT.abi [TREE]      of the headers in TREE/include (default: this tree). OUT.abi.gz is packed
# The headers are enough, and take a second: each prototype gets a body that does nothing, and abidw reads the debug information of that. That the library
# exports these functions and no others is what tests/promises/check_symbols.sh holds. Constants of enums without a name are in no function's type, and so not in it.
set -euo pipefail
[ $# = 1 ] || [ $# = 2 ] || { echo "usage: $0 OUT.abi [TREE]" >&2; exit 2; }
out=$1
include=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}/include
header=$include/myriapod/myriapod.h
[ -f "$header" ] || { echo "$header is not there" >&2; exit 1; }
command -v abidw >/dev/null || { echo "no abidw (Debian: abigail-tools; \`scripts/deps.sh all\` installs it)" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# gcc -E keeps what a user sees; what has MYR_API and ends in `);` is a prototype.
"${CC:-cc}" -E -P -I "$include" -x c "$header" | sed -zE 's/(__attribute__ *\(\(visibility\("default"\)\)\)[^;{}]*\));/\1 { __builtin_trap(); }\n/g' >"$work/bodies.c"
(cd "$work" && "${CC:-cc}" -w -g -shared -fPIC -fvisibility=hidden -x c bodies.c -o bodies.so)
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-architecture --no-elf-needed --type-id-style hash --out-file "$work/abi" "$work/bodies.so"
case $out in
*.gz) gzip -9 --no-name <"$work/abi" >"$out" ;;
*) cp "$work/abi" "$out" ;;
esac
