/* What a sample does: knots about the plan, and actions between them. Samples in lanes; each number is by itself, so that the width of a
 * register does not show. */
#ifndef MYR_PLAN_KNOTS_LANE_H
#define MYR_PLAN_KNOTS_LANE_H

#include <string.h>

#include "kernels/load.lane.h"
#include "kernels/random.lane.h"
#include "plan/kernels.h"

enum { RANDOM_PLAN = 0x20000000 }; /* a stream beside those of episodes, sensors and critics (kernels/random.lane.h) */

/* Numbers 4 k .. 4 k + 3 of the lanes' samples, normal. */
static inline void plan_noise(const myr_plan_draw *d, int64_t first, uint32_t block, vf normal[4]) {
    uint32_t word[4][VN];
    random_words words[4];
    for (int i = 0; i < VN; i++) {
        const uint64_t sample = (uint64_t)(first + i);
        word[0][i] = block, word[1][i] = (uint32_t)sample, word[2][i] = d->number;
        word[3][i] = RANDOM_PLAN | (uint32_t)(sample >> 32 & 0xffffffu);
    }
    for (int k = 0; k < 4; k++) words[k] = random_words_load(word[k]);
    random_blocks(words, d->seed);
    normal_pair(random_unit(&words[0]), random_unit(&words[1]), &normal[0], &normal[1]);
    normal_pair(random_unit(&words[2]), random_unit(&words[3]), &normal[2], &normal[3]);
}

static void plan_draw(const myr_plan_draw *d, float *knots) {
    for (int lane = 0; lane < MYR_PLAN_LANES; lane += VN) {
        real moves[VN]; /* sample 0 is the plan itself */
        for (int i = 0; i < VN; i++) moves[i] = d->first + lane + i != 0;
        const vf others = load(moves);
        vf normal[4];
        for (int j = 0; j < d->count; j++) {
            if (j % 4 == 0) plan_noise(d, d->first + lane, (uint32_t)(j / 4), normal);
            const vf lower = vf_set(d->lower[j % d->actions]), upper = vf_set(d->upper[j % d->actions]);
            const vf at = vf_fma(vf_set(d->sigma[j]) * others, normal[j % 4], vf_set(d->mean[j]));
            store(knots + (ptrdiff_t)j * MYR_PLAN_LANES + lane, vf_max(vf_min(at, upper), lower));
        }
    }
}

/* A spline of many knots is zero but for a few of them. */
static void plan_spread(const myr_plan_spread *s, const float *knots, float *action) {
    const ptrdiff_t row = (ptrdiff_t)s->actions * MYR_PLAN_LANES;
    for (int step = 0; step < s->steps; step++) {
        const float *basis = s->basis + (ptrdiff_t)step * s->knots;
        float *to = action + step * row;
        int first = 0, end = s->knots;
        while (first < end && basis[first] == 0) first++;
        while (end > first && basis[end - 1] == 0) end--;
        for (int u = 0; u < s->actions; u++) {
            const vf lower = vf_set(s->lower[u]), upper = vf_set(s->upper[u]);
            for (int lane = 0; lane < MYR_PLAN_LANES; lane += VN) {
                const float *from = knots + (ptrdiff_t)u * MYR_PLAN_LANES + lane;
                vf x = vf_zero();
                for (int k = first; k < end; k++) x = vf_fma(vf_set(basis[k]), load(from + k * row), x);
                store(to + (ptrdiff_t)u * MYR_PLAN_LANES + lane, vf_max(vf_min(x, upper), lower));
            }
        }
    }
}

#endif
