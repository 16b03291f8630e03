#!/usr/bin/env bash
# ctest: heavy
# What the objects hold and what they ask for:
#   the shared library exports what the public headers declare, no more and no less;
#   every global name of the static library begins with myr_;
#   nothing in the library can print, exit or abort;
#   wide registers and fused multiply-add stay inside the lane units that dispatch guards.
set -euo pipefail
shared=$MYRIAPOD_BUILD/libmyriapod.so
static=$MYRIAPOD_BUILD/libmyriapod.a
failed=0
fail() {
    echo "$1"
    sed 's/^/    /' | head -20
    failed=1
}

# gcc -E keeps exactly what a user sees: one declaration between two semicolons.
declared=$(printf '#include <myriapod/myriapod.h>\n' | ${CC:-cc} -E -P -I "$MYRIAPOD_SOURCE/include" -x c - | tr '\n' ' ' | tr ';' '\n' |
    grep -F 'visibility("default")' | grep -o 'myr_[a-z0-9_]* *(' | tr -d ' (' | sort -u)
exported=$(nm -D --defined-only "$shared" | awk '{print $3}' | sort -u)
[ "$(wc -l <<<"$declared")" -ge 40 ] || { echo "only these declarations found: $declared"; exit 1; }
extra=$(comm -13 <(echo "$declared") <(echo "$exported"))
absent=$(comm -23 <(echo "$declared") <(echo "$exported"))
[ -z "$extra" ] || fail "exported but in no public header:" <<<"$extra"
[ -z "$absent" ] || fail "declared in a public header but not exported:" <<<"$absent"

strangers=$(nm --defined-only --extern-only "$static" 2>/dev/null | awk 'NF == 3 && $3 !~ /^myr_/ {print $3}' | sort -u)
[ -z "$strangers" ] || fail "global names without the prefix:" <<<"$strangers"

forbidden='^(stdout|stderr|printf|puts|putchar|perror|vprintf|exit|_exit|quick_exit|abort|__assert_fail|__printf_chk|__vprintf_chk)$'
loud=$(nm --undefined-only "$static" 2>/dev/null | awk 'NF == 2 {print $2}' | grep -E "$forbidden" | sort -u || true)
[ -z "$loud" ] || fail "the library can print, exit or abort through:" <<<"$loud"

# Registers and instructions beyond SSE2, object by object.
objects=$MYRIAPOD_BUILD/CMakeFiles/myriapod_objects.dir
checked=0
while read -r object; do
    case $object in
    */units/*/avx512_*) continue ;;
    */units/*) beyond='%zmm|%[xy]mm(1[6-9]|2[0-9]|3[01])|%k[0-7]' ;;
    *) beyond='%[yz]mm|\svfn?m(add|sub)|%k[0-7]' ;;
    esac
    found=$(objdump -d --no-show-raw-insn "$object" | grep -E "$beyond" | head -3 || true)
    [ -z "$found" ] || fail "${object#"$objects/"} holds instructions that dispatch does not guard:" <<<"$found"
    checked=$((checked + 1))
done < <(find "$objects" -name '*.o')
[ "$checked" -ge 10 ] || { echo "only $checked objects looked at in $objects"; exit 1; }
# The test must be able to see them: the AVX-512 units are full of what the others must not have. (MYRIAPOD_UNITS may leave them out.)
[ ! -e "$objects"/units/batch/avx512_f32.c.o ] || [ "$(objdump -d --no-show-raw-insn "$objects"/units/batch/avx512_f32.c.o | grep -c '%zmm')" -gt 100 ] || { echo "no 512-bit code in the AVX-512 unit"; failed=1; }

[ $failed = 0 ] && echo "$(wc -l <<<"$exported") exported functions, $checked objects: clean"
exit $failed
