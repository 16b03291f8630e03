#!/usr/bin/env bash
# Build this tree again in another way, and run tests in it; tests/sub_builds.cmake says which ways there are.
#   sub_build.sh build SOURCE DIR CMAKE-ARGUMENT...
#   sub_build.sh test DIR LABEL
#   sub_build.sh canary DIR        the thread sanitizer must find the race in canary_race, and none in its twin
#   sub_build.sh fuzz DIR SOURCE SECONDS   each fuzzer for so long, from the seeds in SOURCE/tests/fuzz/NAME
set -eu
skip() {
    echo "skipped: $*"
    exit 77
}

# The memory layout of the thread sanitizer in LLVM 14 does not fit kernels that randomise 32 bits of an address.
without_randomisation=()
if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then without_randomisation=(setarch -R); fi

case $1 in
build)
    source=$2 dir=$3
    shift 3
    for argument; do
        case $argument in
        -DCMAKE_C_COMPILER=*-NOTFOUND) skip "clang-14 is not here; \`make deps\` installs it" ;;
        esac
    done
    cmake -S "$source" -B "$dir" "$@"
    cmake --build "$dir" --parallel "$(nproc)"
    ;;
test)
    dir=$2 label=$3
    [ -f "$dir/CMakeCache.txt" ] || skip "$dir was not built"
    # No test with that label is a failure: it would be a check that checks nothing.
    "${without_randomisation[@]}" ctest --test-dir "$dir" -L "^$label\$" --no-tests=error --output-on-failure --parallel "$(nproc)"
    ;;
canary)
    dir=$2
    [ -f "$dir/CMakeCache.txt" ] || skip "$dir was not built"
    canary=$dir/tests/canary_race
    ARCHER_OPTIONS=verbose=1 "${without_randomisation[@]}" "$canary" barrier
    if report=$("${without_randomisation[@]}" "$canary" race 2>&1); then
        echo "the race was not reported"
        exit 1
    fi
    grep -q "WARNING: ThreadSanitizer: data race" <<<"$report" || {
        echo "$report"
        exit 1
    }
    echo "barrier: silent; race: reported"
    ;;
fuzz)
    dir=$2 source=$3 seconds=$4
    [ -f "$dir/CMakeCache.txt" ] || skip "$dir was not built"
    for fuzzer in "$dir"/tests/fuzz_*; do
        name=${fuzzer##*/fuzz_}
        seeds=$source/tests/fuzz/$name
        [ -d "$seeds" ] || { echo "no seeds in $seeds"; exit 1; }
        mkdir -p "$dir/corpus/$name" "$dir/found"
        echo "== $name, $seconds s"
        # The corpus grows in the build tree; what breaks is left in found/ for a seed and a fix.
        "$fuzzer" -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$dir/found/$name-" \
            "$dir/corpus/$name" "$seeds" 2>&1 | tail -n 40
        [ "${PIPESTATUS[0]}" = 0 ] || exit 1
    done
    ;;
esac
