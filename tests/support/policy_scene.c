#include "policy_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_model.h"

static const char *const names[POLICY_FIELDS] = {
    "action",         "observation",    "state",      "final observation", "reward", "terms", "episode terms",
    "episode return", "episode length", "terminated", "truncated",         "fault",  NULL};

policy_def policy_def_open(const char *isa, int threads) {
    policy_def d = {.def = {.observations = POLICY_SEEN,
                            .actions = POLICY_ACTIONS,
                            .hidden_layers = 2,
                            .hidden = {33, 16},
                            .activation = MYR_ACTIVATION_ELU,
                            .threads = threads}};
    const int widths[4] = {POLICY_SEEN, 33, 16, POLICY_ACTIONS};
    random_source source = {5};
    float *at = d.numbers = calloc(POLICY_MOST, sizeof *at);
    assert_non_null(at);
    snprintf(d.def.isa, sizeof d.def.isa, "%s", isa);
    for (int k = 0; k < 3; k++) {
        d.def.weights[k] = at;
        for (int i = 0; i < widths[k] * widths[k + 1]; i++) *at++ = (float)(random_uniform(&source, -3, 3) / sqrt(widths[k]));
        d.def.biases[k] = at;
        for (int i = 0; i < widths[k + 1]; i++) *at++ = (float)random_uniform(&source, -1, 1);
    }
    d.def.mean = at;
    for (int i = 0; i < POLICY_SEEN; i++) *at++ = (float)random_uniform(&source, -1, 1);
    d.def.std = at;
    for (int i = 0; i < POLICY_SEEN; i++) *at++ = (float)random_uniform(&source, 0.3, 3);
    return d;
}

myr_policy *policy_open(const char *isa, int threads) {
    policy_def d = policy_def_open(isa, threads);
    myr_policy *policy = NULL;
    MUST(myr_policy_create(&d.def, &policy));
    memset(d.numbers, 0x7f, POLICY_MOST * sizeof *d.numbers); /* what was given is copied */
    free(d.numbers);
    return policy;
}

myr_batch *policy_walkers(int64_t envs, const char *isa, int threads, const char *precision) {
    char count[16];
    snprintf(count, sizeof count, "%d", threads);
    const myr_settings settings =
        scene_settings("task", "locomotion", "threads", count, "isa", isa, "seed", "3", "dt", "0.005", "decimation", "4", "episode", "0.1",
                       "push-interval", "0.06", "push-speed", "2", "vary-delay", "0.02", "precision", precision, NULL);
    return scene_walkers(&settings, envs);
}

policy_outputs policy_outputs_open(int64_t envs, int64_t steps, int state, int terms, myr_type type) {
    const size_t real = type == MYR_F32 ? sizeof(float) : sizeof(double);
    policy_outputs o = {.envs = envs,
                        .steps = steps,
                        .type = type,
                        .width = {POLICY_ACTIONS * real, POLICY_SEEN * real, (size_t)state * real, POLICY_SEEN * real, real,
                                  (size_t)terms * real, (size_t)terms * real, real, sizeof(int64_t), 1, 1, 1}};
    for (int k = 0; names[k]; k++) {
        const size_t bytes = (size_t)(envs * steps) * o.width[k];
        o.data[k] = malloc(bytes);
        assert_non_null(o.data[k]);
        memset(o.data[k], 77, bytes); /* what a call does not write is then equal in two outputs */
    }
    return o;
}

void policy_outputs_close(policy_outputs *o) {
    for (int k = 0; k < POLICY_FIELDS; k++) free(o->data[k]);
}

myr_act policy_outputs_act(const policy_outputs *o, myr_autoreset autoreset) {
    return (myr_act){.steps = o->steps,
                     .autoreset = autoreset,
                     .type = o->type,
                     .observation = o->data[1],
                     .state = o->data[2],
                     .final_observation = o->data[3],
                     .reward = o->data[4],
                     .terms = o->data[5],
                     .episode_terms = o->data[6],
                     .episode_return = o->data[7],
                     .episode_length = (int64_t *)(void *)o->data[8],
                     .terminated = (uint8_t *)o->data[9],
                     .truncated = (uint8_t *)o->data[10],
                     .fault = (uint8_t *)o->data[11]};
}

void policy_by_hand(const myr_policy *policy, myr_batch *batch, const policy_outputs *into, myr_autoreset autoreset) {
    const size_t rows = (size_t)into->envs;
    float *seen = calloc(rows * POLICY_SEEN, sizeof *seen), *action = calloc(rows * POLICY_ACTIONS, sizeof *action);
    for (int64_t step = 0; step < into->steps; step++) {
        const size_t real = into->type == MYR_F32 ? sizeof(float) : sizeof(double);
        policy_outputs one = policy_outputs_open(into->envs, 1, (int)(into->width[2] / real), (int)(into->width[5] / real), into->type);
        MUST(myr_batch_observe(batch, MYR_F32, seen));
        MUST(myr_policy_actions(policy, into->envs, seen, action));
        for (size_t i = 0; i < rows * POLICY_ACTIONS; i++) {
            if (into->type == MYR_F32)
                ((float *)(void *)one.data[0])[i] = action[i];
            else
                ((double *)(void *)one.data[0])[i] = (double)action[i];
        }
        myr_act act = policy_outputs_act(&one, autoreset);
        act.action = one.data[0];
        MUST(myr_batch_act(batch, &act));
        for (int k = 0; names[k]; k++)
            for (int64_t env = 0; env < into->envs; env++)
                memcpy(into->data[k] + (size_t)(env * into->steps + step) * into->width[k], one.data[k] + (size_t)env * into->width[k],
                       into->width[k]);
        policy_outputs_close(&one);
    }
    free(seen), free(action);
}

void policy_assert_same(const char *what, const policy_outputs *a, const policy_outputs *b, int64_t but) {
    assert_true(a->envs == b->envs && a->steps == b->steps && a->type == b->type);
    for (int64_t row = 0; row < a->envs * a->steps; row++)
        for (int k = 0; names[k] && row / a->steps != but; k++)
            if (memcmp(a->data[k] + (size_t)row * a->width[k], b->data[k] + (size_t)row * b->width[k], a->width[k]) != 0)
                fail_msg("%s: %s of environment %lld differs in step %lld", what, names[k], (long long)(row / a->steps),
                         (long long)(row % a->steps));
}
