/* A register from memory and back, at any address. */
#ifndef MYR_KERNELS_LOAD_LANE_H
#define MYR_KERNELS_LOAD_LANE_H

#include "kernels/lane.h"

static inline vf load(const real *at) {
    vf r;
    __builtin_memcpy(&r, at, sizeof r);
    return r;
}
static inline void store(real *at, vf a) { __builtin_memcpy(at, &a, sizeof a); }

#endif
