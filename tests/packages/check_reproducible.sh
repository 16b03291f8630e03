#!/usr/bin/env bash
# ctest: slow timeout=900
# Two builds of the same sources have equal bytes, in folders of other names, with files of other times, in another time zone: the library as a package has it,
# and the texts and modules that are generated. Portable lanes without optimization are enough for what a path or a clock would leave; check_wheels does it with
# whole wheels. A path in the sources is seen.
set -euo pipefail
work=$MYRIAPOD_BUILD/check-reproducible
rm -rf "$work"
trap 'rm -rf "$work"' EXIT
first=$work/one second=$work/another/of_a_longer_name
export CCACHE_DISABLE=1 # it would give the second build what the first has made
build() { # folder of `source` and `build`
    cmake -S "$1/source" -B "$1/build" --log-level=ERROR -DMYRIAPOD_PYTHON=ON -DMYRIAPOD_TESTS=OFF -DMYRIAPOD_UNITS=portable \
        -DMYRIAPOD_LEARN=OFF -DMYRIAPOD_WERROR=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 >/dev/null
    cmake --build "$1/build" --parallel 2 --target myriapod myriapod_python >"$1/log" 2>&1 || { tail -20 "$1/log"; exit 1; }
}
for folder in "$first" "$second"; do
    mkdir -p "$folder/source"
    find "$MYRIAPOD_SOURCE" -mindepth 1 -maxdepth 1 ! -name '.*' ! -name 'build*' ! -name docs ! -name tests ! -name bench ! -name dist ! -name runs \
        -exec cp -r -t "$folder/source" {} +
done
find "$second/source" -type f -exec touch -d 2001-02-03T04:05:06 {} +
build "$first"
(export TZ=Asia/Tokyo LC_ALL=C; umask 027; build "$second")

compared=0
for file in libmyriapod.so python/_myriapod_ffi.py python/_fields.py python/_geoms.py texts/task_texts.h texts/task_numbers.def texts/task_terms.def; do
    cmp "$first/build/$file" "$second/build/$file" || {
        echo "$file differs between two builds. Lines of text that only one of them has:"
        diff <(strings "$first/build/$file" | sort -u) <(strings "$second/build/$file" | sort -u) | head -10 || true
        exit 1
    }
    compared=$((compared + 1))
done

# A path that gets in.
echo 'const char *myr_where(void); const char *myr_where(void) { return __FILE__; }' | tee -a "$first/source/base/message.c" >>"$second/source/base/message.c"
build "$first"
build "$second"
if cmp -s "$first/build/libmyriapod.so" "$second/build/libmyriapod.so"; then
    echo "a path in the library is not seen"
    exit 1
fi
echo "$compared files of two builds are equal, $(stat -c %s "$second/build/libmyriapod.so") bytes of library among them"
