/* Numbers that look random and are the same everywhere: splitmix64. */
#ifndef MYRIAPOD_BENCH_DRAW_H
#define MYRIAPOD_BENCH_DRAW_H

#include <stdint.h>

/* In (0, 1]. */
static inline double uniform(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 1) * 0x1p-53;
}

#endif
