/* How many vector FMA instructions a core issues per second, right now; and how many plain integer additions.
 *
 *   fma_probe [MILLISECONDS]     time per figure, default 50
 *
 * Prints one JSON object: {"avx512": 4.7e+09, "avx2": 5.3e+09, "scalar": 1.1e+10}, instructions per second (an AVX-512 one is 16 float or
 * 8 double FMAs, an AVX2 one half of that; scalar: 64-bit additions). What the processor lacks is missing. Nothing here waits for memory. A
 * lower FMA figure means that the clock went down or that other work ran on the core. A lower scalar figure can also mean that other work
 * ran on the core's other hardware thread. A virtual machine cannot see that thread. FMAs alone hardly feel it: two of them per cycle leave
 * half of the issue slots free. Any timing taken meanwhile is disturbed as well. Pin it: `taskset -c 1 fma_probe`. */
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Latency 4, two ports: 8 chains would do. What fits the 16 registers of AVX2 beside the two constants is taken. */
enum { CHAINS = 12, ROUND = 20000 };

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* x <- 0.999 x + 0.001 stays near 1: no denormals, nothing to overflow. The empty asm keeps a chain alive and in its register. */
// clang-format off
#define CHAIN(fmadd, x) x = fmadd(x, a, b); __asm__ volatile("" : "+v"(x));
#define PROBE(name, isa, vector, set1, fmadd) \
    __attribute__((target(isa), noinline)) static void name(void) { \
        const vector a = set1(0.999f), b = set1(0.001f); \
        vector x0 = b, x1 = b, x2 = b, x3 = b, x4 = b, x5 = b, x6 = b, x7 = b, x8 = b, x9 = b, x10 = b, x11 = b; \
        for (int round = 0; round < ROUND; round++) { \
            CHAIN(fmadd, x0) CHAIN(fmadd, x1) CHAIN(fmadd, x2) CHAIN(fmadd, x3) CHAIN(fmadd, x4) CHAIN(fmadd, x5) \
            CHAIN(fmadd, x6) CHAIN(fmadd, x7) CHAIN(fmadd, x8) CHAIN(fmadd, x9) CHAIN(fmadd, x10) CHAIN(fmadd, x11) \
        } \
    }
PROBE(chains_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps)
PROBE(chains_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps)
// clang-format on

/* Four per cycle and more: what two hardware threads cannot both have. */
static void chains_scalar(void) {
    unsigned long x0 = 0, x1 = 0, x2 = 0, x3 = 0, x4 = 0, x5 = 0, x6 = 0, x7 = 0, x8 = 0, x9 = 0, x10 = 0, x11 = 0;
    for (int round = 0; round < ROUND; round++)
        __asm__ volatile("add $1, %0\n add $1, %1\n add $1, %2\n add $1, %3\n add $1, %4\n add $1, %5\n"
                         "add $1, %6\n add $1, %7\n add $1, %8\n add $1, %9\n add $1, %10\n add $1, %11"
                         : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x4), "+r"(x5), "+r"(x6), "+r"(x7), "+r"(x8), "+r"(x9), "+r"(x10),
                           "+r"(x11));
}

static double rate(void (*chains)(void), double seconds) {
    const double warm = now_s() + 0.2 * seconds; /* wide registers change the clock: let it settle */
    while (now_s() < warm) chains();
    const double start = now_s();
    double end = start;
    long rounds = 0;
    while (end - start < seconds) {
        chains();
        end = now_s();
        rounds++;
    }
    return (double)rounds * CHAINS * ROUND / (end - start);
}

int main(int argc, char **argv) {
    char *rest = NULL;
    const double ms = argc > 1 ? strtod(argv[1], &rest) : 50;
    if (argc > 2 || (rest && *rest) || !(ms > 0 && ms <= 1e5)) {
        fprintf(stderr, "usage: fma_probe [MILLISECONDS]   (0 to 100000, default 50)\n");
        return 2;
    }
    fputs("{", stdout);
    if (__builtin_cpu_supports("avx512f")) printf("\"avx512\": %.4e, ", rate(chains_avx512, 1e-3 * ms));
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) printf("\"avx2\": %.4e, ", rate(chains_avx2, 1e-3 * ms));
    printf("\"scalar\": %.4e}\n", rate(chains_scalar, 1e-3 * ms));
    return 0;
}
