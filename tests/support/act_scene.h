/* Control steps of the task locomotion for the tests: arrays of everything that they give, filled in one call or in many, from one
 * batch or from several. */
#ifndef MYR_TESTS_SUPPORT_ACT_SCENE_H
#define MYR_TESTS_SUPPORT_ACT_SCENE_H

#include "batch_scene.h"

enum { ACT_UNWRITTEN = 77 }; /* what every number and every byte of an output is before the library writes it */

/* Rows (env, step) as in myr_act, in doubles. */
typedef struct act_arrays {
    int64_t envs, steps;
    int n_obs, n_critic, n_terms, nu;
    double *action, *observation, *final_observation, *critic, *final_critic, *reward, *terms, *episode_terms, *episode_return;
    int64_t *episode_length;
    uint8_t *terminated, *truncated, *fault;
} act_arrays;

act_arrays act_open(const myr_batch *batch, int64_t envs, int64_t steps);
void act_close(act_arrays *arrays);
static inline int64_t act_at(const act_arrays *a, int64_t env, int64_t step) { return env * a->steps + step; }

/* The action of an environment at a time: independent of everything else, each number within +- most. */
void act_action(int64_t global_id, int64_t time, int nu, double most, double *action);
/* The same for all rows: environment 0 is `first_id`, step 0 is time 0; each environment has its own size, up to `most`. */
void act_actions(act_arrays *arrays, int64_t first_id, double most);

/* Control steps `from` .. `to` - 1 of the arrays, in calls of `chunk` steps; the batch's environment 0 is the arrays' `first`. */
void act_run(myr_batch *batch, act_arrays *arrays, int64_t first, int64_t from, int64_t to, int64_t chunk, myr_autoreset autoreset);

/* Bit for bit: all outputs; or those of one environment in the steps from .. to - 1. */
void act_assert_same(const char *what, const act_arrays *a, const act_arrays *b);
void act_assert_same_steps(const char *what, const act_arrays *a, const act_arrays *b, int64_t env, int64_t from, int64_t to);

/* Batches of the task on one thread, unless the list says otherwise; key, value, ..., NULL over decimation 4, dt 5 ms. */
myr_settings act_settings(const char *key, ...);
myr_batch *act_batch(const myr_model *model, int64_t envs, const myr_settings *settings);

#endif
