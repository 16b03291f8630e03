#!/usr/bin/env bash
# ctest: heavy law
# Programs that were compiled against a minor version run with each of its patch versions: tests/packages/abi/libmyriapod-MAJOR.MINOR.abi.gz is the interface as it was
# released (scripts/abi.sh). Functions may be added; one that is gone, another type, another number or name in a struct or an enum fails. What abidiff must see is
# broken here on purpose, too.
set -euo pipefail
work=$MYRIAPOD_BUILD/check-abi
for tool in abidw abidiff; do command -v $tool >/dev/null || { echo "skipped: no $tool (Debian: abigail-tools)"; exit 77; }; done
rm -rf "$work" && mkdir -p "$work"
abi() { "$MYRIAPOD_SOURCE/scripts/abi.sh" "$@"; }
compare() { abidiff --harmless "$@"; }
version=$(sed -n 's/^project(myriapod VERSION \([0-9.]*\).*/\1/p' "$MYRIAPOD_SOURCE/CMakeLists.txt")
released=$MYRIAPOD_SOURCE/tests/packages/abi/libmyriapod-${version%.*}.abi.gz
abi "$work/now.abi"
functions=$(grep -c "<function-decl name='myr_" "$work/now.abi")
[ "$functions" -gt 200 ] || { echo "only $functions functions found"; exit 1; }

if [ -f "$released" ]; then
    gzip -dc "$released" >"$work/released.abi"
    compare --no-added-syms "$work/released.abi" "$work/now.abi" || {
        echo "The interface of ${version%.*} was released and has changed. Undo it, or raise the minor version in CMakeLists.txt (docs/releasing.md)."
        exit 1
    }
    echo "$functions functions: the interface of ${version%.*} as it was released"
else
    last=$(find "$MYRIAPOD_SOURCE/tests/packages/abi" -name '*.abi.gz' | sort -V | tail -1)
    [ -n "$last" ] || { echo "tests/packages/abi is empty"; exit 1; }
    gzip -dc "$last" >"$work/last.abi"
    echo "$functions functions; ${version%.*} was not released yet, and may change. Beside $(basename "$last" .abi.gz):"
    compare "$work/last.abi" "$work/now.abi" >"$work/last.txt" || true
    grep ' changes summary: ' "$work/last.txt" || echo "no change"
fi

# Edits that break programs, and two that do not.
broken() { # what, file, sed's words
    rm -rf "$work/tree" && mkdir "$work/tree" && cp -r "$MYRIAPOD_SOURCE/include" "$work/tree"
    sed -i "$3" "$work/tree/include/myriapod/$2"
    ! cmp -s "$MYRIAPOD_SOURCE/include/myriapod/$2" "$work/tree/include/myriapod/$2" || { echo "$1: the line in $2 has changed, this test needs an edit"; exit 1; }
    abi "$work/edited.abi" "$work/tree"
    compare --no-added-syms "$work/now.abi" "$work/edited.abi" >"$work/edited.txt" && return 1 || return 0
}
must_see() { broken "$@" || { echo "not seen: $1"; exit 1; }; }
must_pass() { ! broken "$@" || { echo "refused: $1"; cat "$work/edited.txt"; exit 1; }; }
must_see "a struct has one number more" fluid.h 's/^    double density;/    double before; &/'
must_see "a member has another name" fluid.h 's/^    double viscosity;/    double thickness;/'
must_see "a function is gone" act.h '/ myr_batch_observations(/d'
must_see "a result has another type" act.h 's/int myr_batch_observations(/long myr_batch_observations(/'
must_see "a constant has another number" batch.h 's/MYR_F32 = 4/MYR_F32 = 5/'
must_see "the settings have one more" settings.def '0,/^MYR_SETTING_INT/s//MYR_SETTING_INT(before, "before", 0, 0, 1, "one more")\n&/'
must_pass "a function more" act.h 's/^MYR_API int myr_batch_observations(/MYR_API int myr_batch_more(void);\n&/'
must_pass "words of a comment" fluid.h 's/how the fluid moves/how it moves/'
