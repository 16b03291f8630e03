/* What is observed becomes what the networks see: normalized by a running mean and deviation, and for the value with what a critic alone
 * observes behind it.
 *
 * The numbers stay for an iteration, so that the policy that acted and the one that is updated see the same; between two iterations its
 * samples are merged into them (Chan, Golub, LeVeque 1979). Sums are of normalized numbers, in a fixed number of chains that are added in
 * their order: they have the same bits for any number of threads. */
#include <math.h>
#include <string.h>

#include "learn/learner.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"

/* Added to a deviation: what hardly moves is not blown up. */
#define LEAST_DEVIATION 1e-2

void myr_learn_normalize_by(myr_learner *l) {
    for (int64_t k = 0; k < myr_learn_critic_wide(l); k++) {
        l->shift[k] = l->options.obs_normalization ? (float)l->seen_mean[k] : 0;
        l->scale[k] = l->options.obs_normalization ? (float)(1 / (sqrt(l->seen_variance[k]) + LEAST_DEVIATION)) : 1;
    }
}

static void normalize(const myr_learner *l, const float *x, int64_t first, int64_t n, float *to) {
    for (int64_t k = 0; k < n; k++) to[k] = (x[k] - l->shift[first + k]) * l->scale[first + k];
}

void myr_learn_normalize(const myr_learner *l, const float *rows, int64_t count, int64_t wide, float *to) {
    for (int64_t i = 0; i < count; i++) normalize(l, rows + i * wide, 0, wide, to + i * wide);
}

void myr_learn_take(myr_learner *l, int64_t from, int64_t to, int step) {
    const myr_learn_options *o = &l->options;
    const int64_t seen = o->observations, own = o->critic_observations, wide = seen + own;
    for (int64_t e = from; e < to; e++) {
        const int64_t s = step * l->count + e;
        float *x = l->observation + s * seen;
        if (o->obs_normalization) normalize(l, x, 0, seen, x);
        if (!own) continue;
        float *all = l->critic_seen + s * wide;
        memcpy(all, x, (size_t)seen * sizeof *all);
        memcpy(all + seen, l->critic_own + e * own, (size_t)own * sizeof *all);
        if (o->obs_normalization) normalize(l, all + seen, seen, own, all + seen);
    }
}

/* ---- moments ----------------------------------------------------------------------------------------------------------- */

/* So many samples more, of this mean and this mean square about it. */
static void merge(myr_learner *l, int64_t k, double count, double mean, double variance) {
    const double all = l->seen_count + count, off = mean - l->seen_mean[k], share = count / all;
    l->seen_variance[k] += share * (variance - l->seen_variance[k] + off * off * (1 - share));
    l->seen_mean[k] += share * off;
}

/* Group by group: means and squares about them, which are merged in the order of groups. */
myr_status myr_learn_normalize_first(myr_learner *l) {
    const myr_learn_options *o = &l->options;
    if (!o->obs_normalization || l->seen_count > 0) return MYR_OK;
    const int64_t numbers = myr_learn_critic_wide(l);
    const int wide = (int)(2 * numbers), first = myr_learn_rank_group(&l->split, l->exchange.rank, l->exchange.ranks),
              end = myr_learn_rank_group(&l->split, l->exchange.rank + 1, l->exchange.ranks);
    for (int g = first; g < end; g++) {
        const int64_t from = myr_learn_group_env(&l->split, g) - l->first, to = myr_learn_group_env(&l->split, g + 1) - l->first;
        double *told = l->told + (int64_t)g * wide;
        for (int64_t k = 0; k < numbers; k++) {
            const int64_t apart = k < o->observations ? o->observations : o->critic_observations;
            const float *x = k < o->observations ? l->observation + k : l->critic_own + (k - o->observations);
            double sum = 0, squares = 0;
            for (int64_t e = from; e < to; e++) sum += (double)x[e * apart];
            const double mean = sum / (double)(to - from);
            for (int64_t e = from; e < to; e++) squares += ((double)x[e * apart] - mean) * ((double)x[e * apart] - mean);
            told[k] = mean, told[numbers + k] = squares / (double)(to - from);
        }
    }
    const myr_status status = myr_learn_exchange_told(l, l->told, wide);
    if (status != MYR_OK) return status;
    for (int g = 0; g < l->split.groups; g++) {
        const double n = (double)(myr_learn_group_env(&l->split, g + 1) - myr_learn_group_env(&l->split, g));
        for (int64_t k = 0; k < numbers; k++) merge(l, k, n, l->told[(int64_t)g * wide + k], l->told[(int64_t)g * wide + numbers + k]);
        l->seen_count += n;
    }
    myr_learn_normalize_by(l);
    return MYR_OK;
}

void myr_learn_normalize_tell(const myr_learner *l, int group, double *sum) {
    const int64_t seen = l->options.observations, wide = myr_learn_critic_wide(l);
    const int64_t from = myr_learn_group_env(&l->split, group) - l->first, to = myr_learn_group_env(&l->split, group + 1) - l->first;
    double *squares = sum + wide;
    for (int t = 0; t < l->options.steps; t++)
        for (int64_t s = t * l->count + from, end = t * l->count + to; s < end; s++) {
            const float *x = wide > seen ? l->critic_seen + s * wide : l->observation + s * seen;
            for (int64_t k = 0; k < wide; k++) sum[k] += (double)x[k], squares[k] += (double)x[k] * (double)x[k];
        }
}

void myr_learn_normalize_next(myr_learner *l) {
    if (!l->options.obs_normalization) return;
    const int64_t wide = myr_learn_critic_wide(l);
    const double n = (double)(l->options.envs * l->options.steps);
    for (int64_t k = 0; k < wide; k++) {
        double sum = 0, squares = 0;
        for (int g = 0; g < l->split.groups; g++) {
            const double *told = l->told + (int64_t)g * myr_learn_told_wide(l) + MYR_LEARN_TOLD_MOMENTS;
            sum += told[k], squares += told[wide + k];
        }
        const double mean = sum / n, variance = fmax(0, squares / n - mean * mean), scale = (double)l->scale[k];
        merge(l, k, n, mean / scale + (double)l->shift[k], variance / (scale * scale));
    }
    l->seen_count += n;
    myr_learn_normalize_by(l);
}

/* ---- a checkpoint's ------------------------------------------------------------------------------------------------------ */

myr_status myr_learner_get_normalization(const myr_learner *l, double *mean, double *variance, double *count) {
    MYR_OWN_ARITHMETIC;
    if (!l || !mean || !variance || !count) return myr_fail(MYR_E_ARG, "myr_learner_get_normalization: an argument is NULL");
    const size_t bytes = (size_t)myr_learn_critic_wide(l) * sizeof(double);
    memcpy(mean, l->seen_mean, bytes), memcpy(variance, l->seen_variance, bytes);
    *count = l->seen_count;
    return MYR_OK;
}

myr_status myr_learner_set_normalization(myr_learner *l, const double *mean, const double *variance, double count) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learner_set_normalization";
    if (!l || !mean || !variance) return myr_fail(MYR_E_ARG, "%s: an argument is NULL", call);
    if (!(count >= 0 && isfinite(count))) return myr_fail(MYR_E_ARG, "%s: count is %g, but must be at least 0", call, count);
    for (int64_t k = 0; k < myr_learn_critic_wide(l); k++)
        if (!isfinite(mean[k]) || !isfinite(variance[k]) || variance[k] < 0)
            return myr_fail(MYR_E_ARG, "%s: number %lld has mean %g and variance %g: finite ones are wanted, the variance not below 0",
                            call, (long long)k, mean[k], variance[k]);
    const size_t bytes = (size_t)myr_learn_critic_wide(l) * sizeof(double);
    memcpy(l->seen_mean, mean, bytes), memcpy(l->seen_variance, variance, bytes);
    l->seen_count = count;
    myr_learn_normalize_by(l);
    return MYR_OK;
}
