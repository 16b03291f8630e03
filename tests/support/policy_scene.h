/* A policy of made-up weights, a batch that it walks in, and everything that control steps give. */
#ifndef MYR_TESTS_SUPPORT_POLICY_SCENE_H
#define MYR_TESTS_SUPPORT_POLICY_SCENE_H

#include "batch_scene.h"

enum { POLICY_SEEN = 48, POLICY_ACTIONS = 12, POLICY_MOST = 512 * 512, POLICY_FIELDS = 13 };

/* A definition with arrays of its own: two layers of 33 and 16, mean and std, on `threads` threads. */
typedef struct policy_def {
    myr_policy_def def;
    float *numbers;
} policy_def;
policy_def policy_def_open(const char *isa, int threads);
myr_policy *policy_open(const char *isa, int threads);

/* ANYmals with noise, pushes and episodes of five control steps. */
myr_batch *policy_walkers(int64_t envs, const char *isa, int threads, const char *precision);

/* All that myr_policy_act writes; rows (env, step). */
typedef struct policy_outputs {
    int64_t envs, steps;
    myr_type type;
    size_t width[POLICY_FIELDS]; /* bytes of a row */
    char *data[POLICY_FIELDS];
} policy_outputs;
policy_outputs policy_outputs_open(int64_t envs, int64_t steps, int state, int terms, myr_type type);
void policy_outputs_close(policy_outputs *outputs);
myr_act policy_outputs_act(const policy_outputs *outputs, myr_autoreset autoreset);
static inline void *policy_outputs_action(const policy_outputs *o) { return o->data[0]; }

/* The steps one by one: myr_batch_observe, myr_policy_actions, myr_batch_act. */
void policy_by_hand(const myr_policy *policy, myr_batch *batch, const policy_outputs *into, myr_autoreset autoreset);

/* Bit for bit; `but`: an environment that is left out, -1: none. */
void policy_assert_same(const char *what, const policy_outputs *a, const policy_outputs *b, int64_t but);

#endif
