/* The losses of PPO by what the networks give, and the noise of actions: samples in lanes. Schulman et al. 2017, eqs. 7 and 9, with the
 * value clipped like the ratio, as legged_gym and rsl_rl have it. Sums over samples are kept by the sample's place modulo 16, so that they
 * are the same for every width of registers. */
#ifndef MYR_LEARN_LOSS_LANE_H
#define MYR_LEARN_LOSS_LANE_H

#include <string.h>

#include "learn/network.lane.h"
#include "tasks/random.lane.h"

/* Column k of the samples from `first` on; zero beyond the last. */
static inline vf column(const float *rows, ptrdiff_t wide, int first, int samples, int k) {
    float lane[VN] = {0};
    const int n = samples - first < VN ? samples - first : VN;
    for (int i = 0; i < n; i++) lane[i] = rows[(first + i) * wide + k];
    return load(lane);
}

static inline void column_store(float *rows, ptrdiff_t wide, int first, int samples, int k, vf a) {
    float lane[VN];
    const int n = samples - first < VN ? samples - first : VN;
    store(lane, a);
    for (int i = 0; i < n; i++) rows[(first + i) * wide + k] = lane[i];
}

static inline void add_to(float *sum, vf a) { store(sum, load(sum) + a); }

static void loss_block(const myr_loss_block *b) {
    vf z[MYR_LEARN_MOST_ACTIONS];
    const vf zero = vf_zero(), one = vf_set(1), clip = vf_set(b->clip), share = vf_set(b->share);
    for (int first = 0; first < b->samples; first += VN) {
        const int at = first % MYR_NET_ROW, left = b->samples - first;
        const vm here = vm_from_bits(left < VN ? (1u << left) - 1 : (1u << VN) - 1);
        vf density = vf_set(b->log_narrower), moved = zero; /* log of the new density over the old one */
        for (int k = 0; k < b->actions; k++) {
            const vf deviation = vf_set(b->deviation[k]), mean = column(b->mean, b->mean_wide, first, b->samples, k);
            const vf action = column(b->action, b->actions, first, b->samples, k);
            const vf old_mean = column(b->old_mean, b->actions, first, b->samples, k);
            const vf old_z = (action - old_mean) / vf_set(b->old_deviation[k]), by = (old_mean - mean) / deviation;
            z[k] = (action - mean) / deviation;
            density = vf_fma(vf_set(0.5f) * (old_z - z[k]), old_z + z[k], density);
            moved = vf_fma(by * by, vf_set(0.5f), moved);
        }
        const vf advantage = column(b->advantage, 1, first, b->samples, 0);
        const vf ratio = vf_exp(density);
        const vf free = -advantage * ratio, bound = -advantage * vf_min(vf_max(ratio, one - clip), one + clip);
        const vf slope = vf_select(vm_and(here, vm_ge(free, bound)), share * free, zero);
        add_to(b->sums + at, vf_select(here, vf_max(free, bound), zero));
        for (int k = 0; k < b->actions; k++) {
            const vf deviation = vf_set(b->deviation[k]);
            column_store(b->mean_slope, b->mean_wide, first, b->samples, k, slope * (z[k] / deviation));
            add_to(b->deviation_slope + k * MYR_NET_ROW + at, slope * (vf_fma(z[k], z[k], -one) / deviation));
        }
        for (int k = b->actions; k < b->mean_wide; k++) column_store(b->mean_slope, b->mean_wide, first, b->samples, k, zero);
        const vf value = column(b->value, b->value_wide, first, b->samples, 0), old = column(b->old_value, 1, first, b->samples, 0);
        const vf wanted = column(b->wanted, 1, first, b->samples, 0), off = value - wanted;
        const vf way = value - old, near = old + vf_min(vf_max(way, -clip), clip) - wanted;
        /* within the clip both are the same but for rounding, and either has the slope */
        const vm pulls = vm_or(vm_ge(off * off, near * near), vm_le(vf_abs(way), clip));
        add_to(b->sums + MYR_NET_ROW + at, vf_select(here, vf_max(off * off, near * near), zero));
        const vf value_slope = vf_select(pulls, vf_set(2 * b->value_weight) * share * off, zero);
        for (int k = 0; k < b->value_wide; k++)
            column_store(b->value_slope, b->value_wide, first, b->samples, k, k == 0 ? value_slope : zero);
        add_to(b->sums + 2 * MYR_NET_ROW + at, vf_select(here, moved, zero));
    }
}

/* In [0, 1), 23 bits. */
static inline vf uniform(const random_words *w) { return (vf)((random_words_bits(w) >> 9) | (vu)vf_set(1)) - vf_set(1); }

enum { RANDOM_POLICY = 3 }; /* a stream beside those of the tasks */

static void draw_actions(int samples, int actions, const float *mean, int wide, const float *deviation, uint64_t seed, int64_t first_env,
                         uint64_t step, float *action, float *kept_mean) {
    for (int first = 0; first < samples; first += VN) {
        vf noise[4];
        for (int k = 0; k < actions; k++) {
            if (k % 4 == 0) {
                random_words c[4];
                uint32_t word[4][VN];
                for (int i = 0; i < VN; i++) {
                    const uint64_t env = (uint64_t)(first_env + first + i);
                    word[0][i] = (uint32_t)env;
                    word[1][i] = (uint32_t)step;
                    word[2][i] = (uint32_t)(step >> 32) << 16 | (uint32_t)(env >> 32 & 0xffffu);
                    word[3][i] = (uint32_t)(k / 4) << 4 | RANDOM_POLICY;
                }
                for (int j = 0; j < 4; j++) c[j] = random_words_load(word[j]);
                random_blocks(c, seed);
                normal_pair(uniform(&c[0]), uniform(&c[1]), &noise[0], &noise[1]);
                normal_pair(uniform(&c[2]), uniform(&c[3]), &noise[2], &noise[3]);
            }
            const vf width = vf_set(deviation[k]), middle = column(mean, wide, first, samples, k);
            column_store(action, actions, first, samples, k, vf_fma(width, noise[k % 4], middle));
            column_store(kept_mean, actions, first, samples, k, middle);
        }
    }
}

#endif
