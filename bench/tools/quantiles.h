/* A growing list of samples and its quantiles, as JSON. */
#ifndef MYR_BENCH_TOOLS_QUANTILES_H
#define MYR_BENCH_TOOLS_QUANTILES_H

#include <stdio.h>
#include <stdlib.h>

typedef struct samples {
    double *value;
    size_t count, room;
} samples;

static inline void samples_add(samples *s, double value) {
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->value = realloc(s->value, s->room * sizeof *s->value);
        if (!s->value) {
            fputs("out of memory\n", stderr);
            exit(1);
        }
    }
    s->value[s->count++] = value;
}

static inline int samples_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* "NAME": {"count": n, "p50": .., "p99": .., "max": ..}; zeros when nothing was sampled. */
static inline void samples_print(samples *s, const char *name) {
    if (s->count) qsort(s->value, s->count, sizeof *s->value, samples_order);
    const size_t last = s->count ? s->count - 1 : 0;
    const double p50 = s->count ? s->value[last / 2] : 0, p99 = s->count ? s->value[(size_t)(0.99 * (double)last)] : 0,
                 max = s->count ? s->value[last] : 0;
    printf("\"%s\": {\"count\": %zu, \"p50\": %.6e, \"p99\": %.6e, \"max\": %.6e}", name, s->count, p50, p99, max);
    free(s->value);
    *s = (samples){0};
}

#endif
