#!/usr/bin/env bash
# Run every fuzzer (tests/fuzz/fuzz_*.c) for so many seconds each, with address and undefined-behaviour sanitizers.
#   scripts/fuzz.sh [SECONDS]      default 60; build tree and corpus: build/sub/fuzz; what breaks: build/sub/fuzz/found
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
dir=${BUILD:-build}/sub/fuzz
tests/sub_build.sh build . "$dir" -DCMAKE_C_COMPILER=clang-14 -DMYRIAPOD_SANITIZE=fuzz -DMYRIAPOD_UNITS=avx2 -DMYRIAPOD_LANE_OBJECTS= "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG"
tests/sub_build.sh fuzz "$dir" . "${1:-60}"
