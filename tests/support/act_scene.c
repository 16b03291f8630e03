#include "act_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "random_model.h"

static void *unwritten(int64_t count, size_t bytes) {
    const size_t all = (size_t)count * bytes;
    char *memory = malloc(all + 1);
    assert_non_null(memory);
    memset(memory, ACT_UNWRITTEN, all);
    return memory;
}

act_arrays act_open(const myr_batch *batch, int64_t envs, int64_t steps) {
    act_arrays a = {.envs = envs, .steps = steps, .n_obs = myr_batch_observations(batch), .n_critic = myr_batch_critic_observations(batch)};
    myr_reward_info term;
    while (myr_batch_get_reward(batch, a.n_terms, &term) == MYR_OK) a.n_terms++;
    a.nu = myr_batch_components(batch, MYR_ACTION);
    assert_true(a.nu > 0 && a.n_obs > 0 && a.n_terms > 0);
    const int64_t rows = envs * steps;
    a.action = calloc((size_t)(rows * a.nu) + 1, sizeof *a.action);
    assert_non_null(a.action);
    a.observation = unwritten(rows * a.n_obs, sizeof(double));
    a.final_observation = unwritten(rows * a.n_obs, sizeof(double));
    a.critic = unwritten(rows * a.n_critic, sizeof(double));
    a.final_critic = unwritten(rows * a.n_critic, sizeof(double));
    a.reward = unwritten(rows, sizeof(double));
    a.terms = unwritten(rows * a.n_terms, sizeof(double));
    a.episode_terms = unwritten(rows * a.n_terms, sizeof(double));
    a.episode_return = unwritten(rows, sizeof(double));
    a.episode_length = unwritten(rows, sizeof(int64_t));
    a.terminated = unwritten(rows, 1);
    a.truncated = unwritten(rows, 1);
    a.fault = unwritten(rows, 1);
    return a;
}

void act_close(act_arrays *a) {
    free(a->action);
    free(a->observation);
    free(a->final_observation);
    free(a->critic);
    free(a->final_critic);
    free(a->reward);
    free(a->terms);
    free(a->episode_terms);
    free(a->episode_return);
    free(a->episode_length);
    free(a->terminated);
    free(a->truncated);
    free(a->fault);
}

void act_action(int64_t global_id, int64_t time, int nu, double most, double *action) {
    random_source source = {(uint64_t)(global_id * 1000003 + time)};
    for (int k = 0; k < nu; k++) action[k] = random_uniform(&source, -most, most);
}

void act_actions(act_arrays *a, int64_t first_id, double most) {
    for (int64_t env = 0; env < a->envs; env++)
        for (int64_t step = 0; step < a->steps; step++)
            act_action(first_id + env, step, a->nu, most * (double)((first_id + env) % 5) / 4, a->action + act_at(a, env, step) * a->nu);
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

/* Rows (env, step) of `part`, `width` bytes each, to or from the rows that they are in `whole`. */
typedef struct window {
    const act_arrays *whole, *part;
    int64_t first, from;
} window;

static void move(const window *w, void *whole, void *part, size_t width, int out) {
    for (int64_t env = 0; env < w->part->envs; env++)
        for (int64_t step = 0; step < w->part->steps; step++) {
            char *big = (char *)whole + (size_t)act_at(w->whole, w->first + env, w->from + step) * width;
            char *small = (char *)part + (size_t)act_at(w->part, env, step) * width;
            memcpy(out ? big : small, out ? small : big, width);
        }
}

static void move_outputs(const window *w, int out) {
    const act_arrays *a = w->whole, *b = w->part;
    const size_t real = sizeof(double), seen = real * (size_t)a->n_obs, terms = real * (size_t)a->n_terms,
                 critic = real * (size_t)a->n_critic;
    move(w, a->observation, b->observation, seen, out);
    move(w, a->final_observation, b->final_observation, seen, out);
    move(w, a->critic, b->critic, critic, out);
    move(w, a->final_critic, b->final_critic, critic, out);
    move(w, a->reward, b->reward, real, out);
    move(w, a->terms, b->terms, terms, out);
    move(w, a->episode_terms, b->episode_terms, terms, out);
    move(w, a->episode_return, b->episode_return, real, out);
    move(w, a->episode_length, b->episode_length, sizeof(int64_t), out);
    move(w, a->terminated, b->terminated, 1, out);
    move(w, a->truncated, b->truncated, 1, out);
    move(w, a->fault, b->fault, 1, out);
}

void act_run(myr_batch *batch, act_arrays *a, int64_t first, int64_t from, int64_t to, int64_t chunk, myr_autoreset autoreset) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    assert_true(first >= 0 && first + info.envs <= a->envs && from >= 0 && to <= a->steps && chunk > 0);
    for (int64_t at = from; at < to; at += chunk) {
        act_arrays part = act_open(batch, info.envs, to - at < chunk ? to - at : chunk);
        const window w = {a, &part, first, at};
        move(&w, a->action, part.action, sizeof(double) * (size_t)a->nu, 0);
        const myr_act act = {.steps = part.steps,
                             .autoreset = autoreset,
                             .type = MYR_F64,
                             .action = part.action,
                             .observation = part.observation,
                             .final_observation = part.final_observation,
                             .critic = part.critic,
                             .final_critic = part.final_critic,
                             .reward = part.reward,
                             .terms = part.terms,
                             .episode_terms = part.episode_terms,
                             .episode_return = part.episode_return,
                             .episode_length = part.episode_length,
                             .terminated = part.terminated,
                             .truncated = part.truncated,
                             .fault = part.fault};
        MUST(myr_batch_act(batch, &act));
        move_outputs(&w, 1);
        act_close(&part);
    }
}

/* ---- comparing ------------------------------------------------------------------------------------------------------ */

static void same_row(const char *what, const char *name, const void *x, const void *y, int64_t row, size_t width, int64_t env,
                     int64_t step) {
    const char *a = (const char *)x + (size_t)row * width, *b = (const char *)y + (size_t)row * width;
    for (size_t k = 0; k < width; k++)
        if (a[k] != b[k])
            fail_msg("%s: %s of environment %lld differs in step %lld, number %zu: %.17g, not %.17g", what, name, (long long)env,
                     (long long)step, width < 8 ? 0 : k / 8, width < 8 ? (double)*a : ((const double *)(const void *)a)[k / 8],
                     width < 8 ? (double)*b : ((const double *)(const void *)b)[k / 8]);
}

void act_assert_same_steps(const char *what, const act_arrays *a, const act_arrays *b, int64_t env, int64_t from, int64_t to) {
    assert_true(a->envs == b->envs && a->steps == b->steps && a->n_obs == b->n_obs && a->n_critic == b->n_critic);
    const size_t real = sizeof(double), seen = real * (size_t)a->n_obs, terms = real * (size_t)a->n_terms,
                 critic = real * (size_t)a->n_critic;
    for (int64_t step = from; step < to; step++) {
        const int64_t row = act_at(a, env, step);
        same_row(what, "terminated", a->terminated, b->terminated, row, 1, env, step);
        same_row(what, "truncated", a->truncated, b->truncated, row, 1, env, step);
        same_row(what, "fault", a->fault, b->fault, row, 1, env, step);
        same_row(what, "observation", a->observation, b->observation, row, seen, env, step);
        same_row(what, "final observation", a->final_observation, b->final_observation, row, seen, env, step);
        same_row(what, "what a critic observes", a->critic, b->critic, row, critic, env, step);
        same_row(what, "what a critic observes at last", a->final_critic, b->final_critic, row, critic, env, step);
        same_row(what, "terms", a->terms, b->terms, row, terms, env, step);
        same_row(what, "reward", a->reward, b->reward, row, real, env, step);
        same_row(what, "terms of the episode", a->episode_terms, b->episode_terms, row, terms, env, step);
        same_row(what, "return", a->episode_return, b->episode_return, row, real, env, step);
        same_row(what, "length", a->episode_length, b->episode_length, row, sizeof(int64_t), env, step);
    }
}

void act_assert_same(const char *what, const act_arrays *a, const act_arrays *b) {
    for (int64_t env = 0; env < a->envs; env++) act_assert_same_steps(what, a, b, env, 0, a->steps);
}

/* ---- batches -------------------------------------------------------------------------------------------------------- */

myr_settings act_settings(const char *key, ...) {
    myr_settings settings = scene_settings("task", "locomotion", "decimation", "4", "dt", "0.005", "threads", "1", NULL);
    va_list list;
    va_start(list, key);
    scene_set_settings(&settings, key, list);
    va_end(list);
    return settings;
}

myr_batch *act_batch(const myr_model *model, int64_t envs, const myr_settings *settings) {
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, envs, settings, &batch));
    return batch;
}
