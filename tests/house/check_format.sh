#!/usr/bin/env bash
# ctest: heavy law
# Every C file of the project is formatted as .clang-format says (`make format` does it).
set -euo pipefail
cd "$MYRIAPOD_SOURCE"
command -v clang-format-14 >/dev/null || { echo "skipped: clang-format-14 is not here"; exit 77; }
# What git tracks; of a source tree without git, all but hidden folders and builds.
mapfile -t files < <(git ls-files --deduplicate '*.[ch]' 2>/dev/null | while read -r file; do [ ! -f "$file" ] || echo "$file"; done)
if [ ${#files[@]} -eq 0 ]; then
    mapfile -t files < <(find . \( -name '.?*' -o -exec test -e '{}/CMakeCache.txt' \; \) -prune -o -name '*.[ch]' -print)
fi
[ ${#files[@]} -gt 20 ] || { echo "only ${#files[@]} files found"; exit 1; }
if clang-format-14 --dry-run --Werror "${files[@]}" 2>"$MYRIAPOD_BUILD/format.txt"; then
    echo "${#files[@]} files are as .clang-format says"
else
    grep -o '^[^:]*' "$MYRIAPOD_BUILD/format.txt" | grep '\.[ch]$' | sort | uniq -c
    echo "run: make format"
    exit 1
fi
