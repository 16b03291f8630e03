/* Generalized advantage estimation (Schulman et al. 2016), as rsl_rl has it: an episode whose time is up is worth on as its last state was,
 *     r_t += discount V(s_t) where truncated,  d_t = r_t + discount V(s_t+1) - V(s_t),  A_t = d_t + discount lambda A_t+1
 * with nothing from beyond the end of an episode; then V + A is what the value should have been, and A is brought to mean 0, deviation 1.
 */
#include <math.h>

#include "learn/learner.h"

void myr_learn_advantages(myr_learner *l) {
    const int64_t envs = l->options.envs, n = l->samples;
    const double discount = l->options.gamma, fade = discount * l->options.lam;
    for (int64_t env = 0; env < envs; env++) {
        double ahead = 0;
        for (int64_t s = n - envs + env; s >= 0; s -= envs) {
            const double goes_on = l->terminated[s] || l->truncated[s] ? 0 : discount, value = (double)l->value[s];
            const double reward = (double)l->reward[s] + (l->truncated[s] ? discount * value : 0);
            ahead = reward + goes_on * (double)l->value[s + envs] - value + (goes_on > 0 ? fade * ahead : 0);
            l->advantage[s] = (float)ahead;
            l->wanted[s] = (float)(ahead + value);
        }
    }
    double sum = 0, squares = 0;
    for (int64_t s = 0; s < n; s++) sum += (double)l->advantage[s];
    const double mean = sum / (double)n;
    for (int64_t s = 0; s < n; s++) squares += ((double)l->advantage[s] - mean) * ((double)l->advantage[s] - mean);
    const double scale = 1 / (sqrt(squares / (double)(n > 1 ? n - 1 : 1)) + 1e-8);
    for (int64_t s = 0; s < n; s++) l->advantage[s] = (float)(((double)l->advantage[s] - mean) * scale);
}
