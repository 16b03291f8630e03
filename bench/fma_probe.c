/* How many vector FMA instructions a core issues per second, right now.
 *
 *   fma_probe [MILLISECONDS]     time per instruction set, default 50
 *
 * Prints one JSON object: {"avx512": 6.8e+09, "avx2": 7.0e+09}, instructions per second (an AVX-512 one is 16 float or 8 double
 * FMAs, an AVX2 one half of that). What the processor lacks is missing. Nothing here waits for memory: a lower figure means that the
 * clock went down or that somebody else had the core, and any timing taken meanwhile is as wrong. Pin it: `taskset -c 1 fma_probe`. */
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
    const char *between = "{";
    if (__builtin_cpu_supports("avx512f")) {
        printf("%s\"avx512\": %.4e", between, rate(chains_avx512, 1e-3 * ms));
        between = ", ";
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        printf("%s\"avx2\": %.4e", between, rate(chains_avx2, 1e-3 * ms));
        between = ", ";
    }
    if (*between == '{') printf("{");
    puts("}");
    return 0;
}
