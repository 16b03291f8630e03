/* Generalized advantage estimation (Schulman et al. 2016), as rsl_rl has it: an episode whose time is up is worth on as its last state was,
 *     r_t += discount V(s_t) where truncated,  d_t = r_t + discount V(s_t+1) - V(s_t),  A_t = d_t + discount lambda A_t+1
 * with nothing from beyond the end of an episode; then V + A is what the value should have been, and A is brought to mean 0, deviation 1.
 */
#include <math.h>
#include <string.h>

#include "learn/learner.h"

static void advantages_of(myr_learner *l, int64_t robot) {
    const double discount = l->options.gamma, fade = discount * l->options.lam;
    const int64_t count = l->count;
    double ahead = 0;
    for (int64_t s = l->samples - count + robot; s >= 0; s -= count) {
        const double goes_on = l->terminated[s] || l->truncated[s] ? 0 : discount, value = (double)l->value[s];
        const double reward = (double)l->reward[s] + (l->truncated[s] ? discount * value : 0);
        ahead = reward + goes_on * (double)l->value[s + count] - value + (goes_on > 0 ? fade * ahead : 0);
        l->advantage[s] = (float)ahead;
        l->wanted[s] = (float)(ahead + value);
    }
}

/* Episodes that ended at sample s. */
static void tell_end(const myr_learner *l, int64_t s, double *told) {
    if (!l->terminated[s] && !l->truncated[s]) return;
    told[MYR_LEARN_EPISODES]++, told[MYR_LEARN_FAILED] += l->terminated[s];
    told[MYR_LEARN_RETURN] += (double)l->returns[s], told[MYR_LEARN_LENGTH] += (double)l->lengths[s];
    for (int k = 0; k < l->terms; k++) told[MYR_LEARN_TOLD_TERMS + k] += (double)l->episode_terms[s * l->terms + k];
}

static void tell_group(myr_learner *l, int group) {
    const int64_t from = myr_learn_group_env(&l->split, group) - l->first, to = myr_learn_group_env(&l->split, group + 1) - l->first;
    double *told = l->told + group * myr_learn_told_wide(l), sum = 0, squares = 0;
    memset(told, 0, (size_t)myr_learn_told_wide(l) * sizeof *told);
    for (int64_t robot = from; robot < to; robot++) advantages_of(l, robot);
    for (int t = 0; t < l->options.steps; t++)
        for (int64_t s = t * l->count + from, end = t * l->count + to; s < end; s++) sum += (double)l->advantage[s], tell_end(l, s, told);
    const double mean = sum / (double)((to - from) * l->options.steps);
    for (int t = 0; t < l->options.steps; t++)
        for (int64_t s = t * l->count + from, end = t * l->count + to; s < end; s++)
            squares += ((double)l->advantage[s] - mean) * ((double)l->advantage[s] - mean);
    told[MYR_LEARN_ADVANTAGE] = mean, told[MYR_LEARN_ADVANTAGE_SQUARES] = squares;
    if (l->options.obs_normalization) myr_learn_normalize_tell(l, group, told + MYR_LEARN_TOLD_MOMENTS);
}

static void tell_groups(void *context, int worker) {
    myr_learner *l = context;
    const int first = myr_learn_rank_group(&l->split, l->exchange.rank, l->exchange.ranks),
              end = myr_learn_rank_group(&l->split, l->exchange.rank + 1, l->exchange.ranks);
    for (int g = first + worker; g < end; g += l->team->threads) tell_group(l, g);
}

void myr_learn_advantages(myr_learner *l) { myr_team_run(l->team, tell_groups, l); }

/* Means and squares of groups are merged in their order (Chan, Golub, LeVeque 1983). */
void myr_learn_advantages_by(myr_learner *l) {
    double n = 0, mean = 0, squares = 0;
    for (int g = 0; g < l->split.groups; g++) {
        const double *told = l->told + g * myr_learn_told_wide(l);
        const double more = (double)((myr_learn_group_env(&l->split, g + 1) - myr_learn_group_env(&l->split, g)) * l->options.steps);
        const double all = n + more, off = told[MYR_LEARN_ADVANTAGE] - mean;
        mean += off * (more / all);
        squares += told[MYR_LEARN_ADVANTAGE_SQUARES] + off * off * (n * (more / all));
        n = all;
    }
    const double scale = 1 / (sqrt(squares / (n > 1 ? n - 1 : 1)) + 1e-8);
    for (int64_t s = 0; s < l->samples; s++) l->advantage[s] = (float)(((double)l->advantage[s] - mean) * scale);
}
