/* The end of SplitMix64 (Steele, Lea & Flood 2014): every bit of what goes in counts for every bit of what comes out. */
#ifndef MYR_BASE_STIR_H
#define MYR_BASE_STIR_H

#include <stdint.h>

static inline uint64_t myr_stir(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
