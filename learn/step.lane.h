/* Over the parameters: sums of slots, and a step of Adam (Kingma and Ba 2015). Each number is by itself, and no sum
 * is fused: the width of a register does not show. Counts are multiples of MYR_NET_ROW. */
#ifndef MYR_LEARN_STEP_LANE_H
#define MYR_LEARN_STEP_LANE_H

#include "learn/network.lane.h"

static void add_rows(size_t count, const float *from, float *to) {
    for (size_t i = 0; i < count; i += VN) store(to + i, load(to + i) + load(from + i));
}

static void adam_step(const myr_adam *a, size_t count, const float *gradient, float *mean, float *square, float *weights) {
    const vf scale = vf_set(a->scale), keep_mean = vf_set(a->keep_mean), new_mean = vf_set(a->new_mean), step = vf_set(a->step),
             keep_square = vf_set(a->keep_square), new_square = vf_set(a->new_square), root = vf_set(a->root), least = vf_set(a->least);
    for (size_t i = 0; i < count; i += VN) {
        const vf g = scale * load(gradient + i), m = keep_mean * load(mean + i) + new_mean * g,
                 v = keep_square * load(square + i) + new_square * (g * g);
        store(mean + i, m);
        store(square + i, v);
        store(weights + i, load(weights + i) - step * m / (vf_sqrt(v) * root + least));
    }
}

#endif
