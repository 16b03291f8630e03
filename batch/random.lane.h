/* Random numbers keyed by (seed, global environment id, episode, counter): a stream belongs to an environment and does
 * not know in which batch, tile, lane or thread it is drawn. Philox 4x32-10 of Random123; uniform numbers have 24 bits, so
 * that float and double see the same ones. */
#ifndef MYR_BATCH_RANDOM_LANE_H
#define MYR_BATCH_RANDOM_LANE_H

#include <Random123/philox.h>

#include "kernels/math.lane.h"

/* Four numbers in [0, 1). */
static void random_four(const myr_tile_meta *meta, const myr_step_options *o, int lane, uint32_t block, real out[4]) {
    const uint64_t id = (uint64_t)(meta->global_id + lane);
    const philox4x32_key_t key = {{(uint32_t)o->seed, (uint32_t)(o->seed >> 32)}};
    /* ids up to 2^40 are kept apart: 8 bits of the id share a word with 24 bits of the episode */
    const philox4x32_ctr_t counter = {{block, (uint32_t)id, (uint32_t)(id >> 32) << 24 | ((uint32_t)meta->episode[lane] & 0xffffffu), 0}};
    const philox4x32_ctr_t bits = philox4x32(counter, key);
    for (int k = 0; k < 4; k++) out[k] = (real)(bits.v[k] >> 8) * (real)0x1p-24;
}

/* Box and Muller: two normal numbers from two uniform ones, in lanes. 1 - u lies in (0, 1]. */
static inline void normal_pair(vf u1, vf u2, vf *a, vf *b) {
    const vf radius = vf_sqrt(vf_set(-2) * vf_log(vf_set(1) - u1));
    vf sine, cosine;
    vf_sincos(vf_set((real)6.283185307179586) * u2, &sine, &cosine);
    *a = radius * cosine;
    *b = radius * sine;
}

#endif
