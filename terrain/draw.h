/* Numbers that are drawn for a map, by (seed, patch, number): Philox 4x32-10 of Random123 and whole numbers alone, so all machines draw the
 * same ones, and a patch's do not depend on the patches before it. */
#ifndef MYR_TERRAIN_DRAW_H
#define MYR_TERRAIN_DRAW_H

#include <Random123/philox.h>
#include <stdint.h>

/* What a number is for; streams of one patch have nothing in common. */
enum { MYR_DRAW_DIFFICULTY = 0, MYR_DRAW_PATCH = 1, MYR_DRAW_START = 2 };

static inline uint32_t myr_draw_word(uint64_t seed, int stream, uint64_t patch, uint32_t number) {
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t counter = {{number, (uint32_t)patch, (uint32_t)(patch >> 32), (uint32_t)stream}};
    return philox4x32(counter, key).v[0];
}

/* 0 .. n - 1, all but equally likely: the difference is n / 2^32 at most. */
static inline int myr_draw_below(uint32_t word, int n) { return (int)(((uint64_t)word * (uint64_t)n) >> 32); }

/* [0, 1), in steps that a float has, too. */
static inline double myr_draw_unit(uint32_t word) { return (word >> 8) * 0x1p-24; }

#endif
