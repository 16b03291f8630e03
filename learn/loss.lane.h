/* The losses of PPO by what the networks give, and the noise of actions: samples in lanes. Schulman et al. 2017, eqs. 7 and 9, with the
 * value clipped like the ratio, as legged_gym and rsl_rl have it. Sums over samples are kept by the sample's place modulo 16, so that they
 * are the same for every width of registers. */
#ifndef MYR_LEARN_LOSS_LANE_H
#define MYR_LEARN_LOSS_LANE_H

#include <string.h>

#include "learn/network.lane.h"
#include "kernels/random.lane.h"

/* The first `count` columns of the samples from `first` on, a register each; zero beyond the last sample. All at once: a register that is
 * read right behind the sixteen numbers that were stored to it waits for them. Column by column an update of g1-flat's sizes took 3 %
 * longer. */
static inline void columns_load(const float *rows, ptrdiff_t wide, int first, int samples, int count, float (*to)[VN]) {
    const int n = samples - first < VN ? samples - first : VN;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < count; k++) to[k][i] = rows[(first + i) * wide + k];
    for (int i = n; i < VN; i++)
        for (int k = 0; k < count; k++) to[k][i] = 0;
}

static inline void columns_store(float *rows, ptrdiff_t wide, int first, int samples, int count, float (*from)[VN]) {
    const int n = samples - first < VN ? samples - first : VN;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < count; k++) rows[(first + i) * wide + k] = from[k][i];
}

static inline void add_to(float *sum, vf a) { store(sum, load(sum) + a); }

/* Which lanes of the register from `first` on hold samples. */
static inline vm samples_here(int first, int samples) {
    const int left = samples - first;
    return vm_from_bits(left < VN ? (1u << left) - 1 : (1u << VN) - 1);
}

static void policy_loss(const myr_policy_loss *p) {
    float z[MYR_LEARN_MOST_ACTIONS][VN], actions[MYR_LEARN_MOST_ACTIONS][VN], old_means[MYR_LEARN_MOST_ACTIONS][VN], advantages[1][VN];
    const vf zero = vf_zero(), one = vf_set(1), clip = vf_set(p->clip), share = vf_set(p->share);
    memset(p->slope, 0, (size_t)p->samples * (size_t)p->wide * sizeof(float)); /* what lies beyond the actions */
    for (int first = 0; first < p->samples; first += VN) {
        const int at = first % MYR_NET_ROW;
        const vm here = samples_here(first, p->samples);
        columns_load(p->mean, p->wide, first, p->samples, p->actions, z);
        columns_load(p->action, p->actions, first, p->samples, p->actions, actions);
        columns_load(p->old_mean, p->actions, first, p->samples, p->actions, old_means);
        columns_load(p->advantage, 1, first, p->samples, 1, advantages);
        vf density = vf_set(p->log_narrower), moved = zero; /* log of the new density over the old one */
        for (int k = 0; k < p->actions; k++) {
            const vf deviation = vf_set(p->deviation[k]), mean = load(z[k]), action = load(actions[k]), old_mean = load(old_means[k]);
            const vf old_z = (action - old_mean) / vf_set(p->old_deviation[k]), by = (old_mean - mean) / deviation;
            const vf now_z = (action - mean) / deviation;
            store(z[k], now_z);
            density = vf_fma(vf_set(0.5f) * (old_z - now_z), old_z + now_z, density);
            moved = vf_fma(by * by, vf_set(0.5f), moved);
        }
        const vf advantage = load(advantages[0]), ratio = vf_exp(density);
        const vf free = -advantage * ratio, bound = -advantage * vf_min(vf_max(ratio, one - clip), one + clip);
        const vf slope = vf_select(vm_and(here, vm_ge(free, bound)), share * free, zero);
        add_to(p->sum + at, vf_select(here, vf_max(free, bound), zero));
        for (int k = 0; k < p->actions; k++) {
            const vf deviation = vf_set(p->deviation[k]), now_z = load(z[k]);
            store(z[k], slope * (now_z / deviation));
            add_to(p->deviation_slope + k * MYR_NET_ROW + at, slope * (vf_fma(now_z, now_z, -one) / deviation));
        }
        columns_store(p->slope, p->wide, first, p->samples, p->actions, z);
        add_to(p->moved_sum + at, vf_select(here, moved, zero));
    }
}

static void value_loss(const myr_value_loss *v) {
    const vf zero = vf_zero(), clip = vf_set(v->clip), share = vf_set(v->share);
    memset(v->slope, 0, (size_t)v->samples * (size_t)v->wide * sizeof(float)); /* what lies beyond the value */
    for (int first = 0; first < v->samples; first += VN) {
        const vm here = samples_here(first, v->samples);
        float slope[1][VN], values[1][VN], olds[1][VN], wanteds[1][VN];
        columns_load(v->value, v->wide, first, v->samples, 1, values);
        columns_load(v->old_value, 1, first, v->samples, 1, olds);
        columns_load(v->wanted, 1, first, v->samples, 1, wanteds);
        const vf value = load(values[0]), old = load(olds[0]), wanted = load(wanteds[0]), off = value - wanted;
        const vf way = value - old, near = old + vf_min(vf_max(way, -clip), clip) - wanted;
        /* within the clip both are the same but for rounding, and either has the slope */
        const vm pulls = vm_or(vm_ge(off * off, near * near), vm_le(vf_abs(way), clip));
        add_to(v->sum + first % MYR_NET_ROW, vf_select(here, vf_max(off * off, near * near), zero));
        store(slope[0], vf_select(pulls, vf_set(2 * v->weight) * share * off, zero));
        columns_store(v->slope, v->wide, first, v->samples, 1, slope);
    }
}

/* In [0, 1), 23 bits. */
static inline vf uniform(const random_words *w) { return (vf)((random_words_bits(w) >> 9) | (vu)vf_set(1)) - vf_set(1); }

enum { RANDOM_POLICY = 3 }; /* a stream beside those of the tasks */

static void draw_actions(int samples, int actions, const float *mean, int wide, const float *deviation, uint64_t seed, int64_t first_env,
                         uint64_t step, float *action, float *kept_mean) {
    float means[MYR_LEARN_MOST_ACTIONS][VN], drawn[MYR_LEARN_MOST_ACTIONS][VN];
    for (int first = 0; first < samples; first += VN) {
        vf noise[4];
        columns_load(mean, wide, first, samples, actions, means);
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
            store(drawn[k], vf_fma(vf_set(deviation[k]), noise[k % 4], load(means[k])));
        }
        columns_store(action, actions, first, samples, actions, drawn);
        columns_store(kept_mean, actions, first, samples, actions, means);
    }
}

#endif
