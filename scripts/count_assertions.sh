#!/usr/bin/env bash
# How many assertions the tests of a build execute: cmocka's calls, counted by a library put before cmocka's own, and the assert statements of
# pytest, counted by its own hook. Scripts (tests/*/check_*) are counted as one each: they say themselves how much they looked at.
#   scripts/count_assertions.sh BUILD [CTEST-ARGUMENT...]       default: -LE '^long$', what `make test` runs
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD [CTEST-ARGUMENT...]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- -LE '^long$'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One counter for each function of cmocka that judges; a process adds its sum to the log when it ends.
{
    cat <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static unsigned long long count;
static void __attribute__((destructor)) report(void) {
    const char *log = getenv("ASSERTIONS_LOG");
    const int file = log && count ? open(log, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    if (file < 0) return;
    char line[32];
    const int n = snprintf(line, sizeof line, "%llu\n", count);
    if (write(file, line, (size_t)n) != n) count = 0;
    close(file);
}
/* Six integer registers and eight of doubles pass through untouched: the judge is called by a jump. */
#define COUNT(name)                                                                                                    \
    static void *name##_real;                                                                                          \
    void *name##_find(void);                                                                                           \
    void *name##_find(void) {                                                                                          \
        __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);                                                               \
        if (!name##_real) name##_real = dlsym(RTLD_NEXT, #name);                                                       \
        return name##_real;                                                                                            \
    }                                                                                                                  \
    __asm__(".globl " #name "\n.type " #name ",@function\n" #name ":\n"                                                \
            "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\nsub $72,%rsp\n"                           \
            "movsd %xmm0,(%rsp)\nmovsd %xmm1,8(%rsp)\nmovsd %xmm2,16(%rsp)\nmovsd %xmm3,24(%rsp)\n"                    \
            "call " #name "_find@PLT\n"                                                                                \
            "movsd (%rsp),%xmm0\nmovsd 8(%rsp),%xmm1\nmovsd 16(%rsp),%xmm2\nmovsd 24(%rsp),%xmm3\n"                    \
            "add $72,%rsp\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\njmp *%rax\n");
C
    library=$(find /usr/lib /usr/local/lib -name 'libcmocka.so*' | head -1)
    nm -D --defined-only "$library" | awk '{print $3}' | grep '^_assert_' | sed 's/.*/COUNT(&)/'
} >"$work/count.c"
cc -O2 -shared -fPIC "$work/count.c" -o "$work/count.so" -ldl
cat >"$work/assertion_counter.py" <<'PYTHON'
import os
COUNT = 0
def pytest_assertion_pass():
    global COUNT
    COUNT += 1
def pytest_sessionfinish():
    with open(os.environ["PYTEST_LOG"], "a", encoding="utf-8") as log:
        log.write(f"{COUNT}\n")
PYTHON

: >"$work/cmocka"
: >"$work/pytest"
# LD_PRELOAD is read by the test programs, and by everything they start; the address sanitizer wants to be told that this is wanted.
status=0
env LD_PRELOAD="$work/count.so" ASSERTIONS_LOG="$work/cmocka" PYTEST_LOG="$work/pytest" ASAN_OPTIONS=verify_asan_link_order=0 \
    PYTHONPATH="$work" PYTEST_ADDOPTS="-p assertion_counter -o enable_assertion_pass_hook=true" \
    ctest --test-dir "$build" --parallel "$(nproc)" "$@" >"$work/log" 2>&1 || status=$?
tail -3 "$work/log"
awk '{n += $1} END {printf "%d assertions of cmocka in %d processes\n", n, NR}' "$work/cmocka"
awk '{n += $1} END {printf "%d assertions of pytest\n", n}' "$work/pytest"
echo "$(grep -c 'check_.*Passed' "$work/log") scripts"
[ $status = 0 ] || { grep -E '\*\*\*' "$work/log"; exit $status; }
