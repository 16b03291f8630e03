/* ctest: threads heavy
 * Policies in lanes: control steps in one call are those by hand, bit for bit, for every number of threads, instruction set and number of
 * environments, in both precisions and every mode of reset; the network computes its formula; and what is refused. */
#include "support/isas.h"
#include "support/policy_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "learn/net.h"
#include "support/random_model.h"

static const myr_autoreset modes[] = {MYR_AUTORESET_SAME_STEP, MYR_AUTORESET_NEXT_STEP, MYR_AUTORESET_DISABLED};
enum { STEPS = 9 };

static policy_outputs outputs_of(const myr_batch *batch, int64_t steps, myr_type type) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    const int state = myr_batch_components(batch, MYR_Q) + myr_batch_components(batch, MYR_V);
    return policy_outputs_open(info.envs, steps, state, myr_task_reward_count("locomotion"), type);
}

/* A robot with a NaN: its neighbours must not change. */
static void spoil(myr_batch *batch, int64_t env) {
    double v[18] = {0};
    assert_int_equal(myr_batch_components(batch, MYR_V), 18);
    v[4] = NAN;
    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
}

/* ---- the same as by hand ----------------------------------------------------------------------------------------------- */

static void one_case(int64_t envs, const char *precision, myr_type type, myr_autoreset mode) {
    char what[100];
    myr_batch *batch = policy_walkers(envs, "auto", 1, precision);
    myr_policy *policy = policy_open("auto", 1);
    policy_outputs wanted = outputs_of(batch, STEPS, type);
    if (envs > 20) spoil(batch, 19);
    policy_by_hand(policy, batch, &wanted, mode);
    const uint64_t hash = myr_batch_hash(batch);
    myr_policy_destroy(policy), myr_batch_free(batch);
    int ended = 0;
    for (int64_t row = 0; row < envs * STEPS; row++) ended += wanted.data[9][row] || wanted.data[10][row];
    assert_true(ended > 0);
    for (int i = 0; isa_at(i); i++)
        for (int t = 0; t < 4; t++) {
            static const int threads[] = {1, 2, 3, 7};
            if (!myr_learn_kernels_get(isa_at(i))) continue;
            snprintf(what, sizeof what, "%s, %s, %d threads, %d environments, mode %d", isa_at(i), precision, threads[t], (int)envs,
                     (int)mode);
            batch = policy_walkers(envs, isa_at(i), threads[t], precision);
            policy = policy_open(isa_at(i), threads[t]);
            policy_outputs got = outputs_of(batch, STEPS, type);
            const myr_act act = policy_outputs_act(&got, mode);
            if (envs > 20) spoil(batch, 19);
            MUST(myr_policy_act(policy, batch, &act, policy_outputs_action(&got)));
            policy_assert_same(what, &wanted, &got, -1);
            if (myr_batch_hash(batch) != hash) fail_msg("%s: another state", what);
            policy_outputs_close(&got), myr_policy_destroy(policy), myr_batch_free(batch);
        }
    policy_outputs_close(&wanted);
}

static void as_by_hand(void **state) {
    static const int64_t envs[] = {1, 7, 8, 9, 15, 16, 17, 130};
    (void)state;
    for (size_t k = 0; k < sizeof envs / sizeof *envs; k++)
        for (int m = 0; m < 3; m++) {
            one_case(envs[k], "f32", MYR_F32, modes[m]);
            one_case(envs[k], "f64", MYR_F64, modes[m]);
        }
}

/* Arrays of the other type than the batch computes in. */
static void other_types(void **state) {
    (void)state;
    one_case(33, "f32", MYR_F64, MYR_AUTORESET_SAME_STEP);
    one_case(33, "f64", MYR_F32, MYR_AUTORESET_SAME_STEP);
}

/* In pieces, and without output arrays, the batch comes to the same state. */
static void in_pieces(void **state) {
    myr_batch *whole = policy_walkers(40, "auto", 2, "f32"), *pieces = policy_walkers(40, "auto", 1, "f32");
    myr_policy *policy = policy_open("auto", 2);
    const myr_act all = {.steps = 12, .type = MYR_F32}, none = {.steps = 0, .type = MYR_F32};
    (void)state;
    const uint64_t before = myr_batch_hash(whole);
    MUST(myr_policy_act(policy, whole, &none, NULL));
    assert_true(myr_batch_hash(whole) == before);
    MUST(myr_policy_act(policy, whole, &all, NULL));
    for (int64_t k = 1, left = 12; left > 0; left -= k, k++) {
        const myr_act some = {.steps = k = k < left ? k : left, .type = MYR_F32};
        MUST(myr_policy_act(policy, pieces, &some, NULL));
    }
    assert_true(myr_batch_hash(whole) == myr_batch_hash(pieces) && myr_batch_hash(whole) != before);
    myr_policy_destroy(policy), myr_batch_free(whole), myr_batch_free(pieces);
}

/* ---- own fate ------------------------------------------------------------------------------------------------------------- */

static void own_fate(void **state) {
    (void)state;
    for (int m = 0; m < 3; m++) {
        policy_outputs out[2];
        for (int k = 0; k < 2; k++) {
            myr_batch *batch = policy_walkers(33, "auto", 2, "f32");
            myr_policy *policy = policy_open("auto", 2);
            out[k] = outputs_of(batch, STEPS, MYR_F32);
            const myr_act act = policy_outputs_act(&out[k], modes[m]);
            if (k) spoil(batch, 5);
            MUST(myr_policy_act(policy, batch, &act, policy_outputs_action(&out[k])));
            myr_policy_destroy(policy), myr_batch_free(batch);
        }
        assert_true(out[0].data[11][5 * STEPS] == MYR_HEALTHY && out[1].data[11][5 * STEPS] != MYR_HEALTHY);
        policy_assert_same("neighbours of a robot with a NaN", &out[0], &out[1], 5);
        policy_outputs_close(&out[0]), policy_outputs_close(&out[1]);
    }
}

/* ---- the law --------------------------------------------------------------------------------------------------------------- */

static double bend(double x, myr_activation kind) {
    return kind == MYR_ACTIVATION_ELU ? (x > 0 ? x : expm1(x)) : kind == MYR_ACTIVATION_RELU ? fmax(x, 0) : tanh(x);
}

/* Double precision. */
static void law(const myr_policy_def *d, const float *seen, double *action) {
    double x[512], y[512];
    for (int i = 0; i < d->observations; i++)
        x[i] = ((double)seen[i] - (d->mean ? (double)d->mean[i] : 0)) / (d->std ? (double)d->std[i] : 1);
    for (int k = 0; k <= d->hidden_layers; k++) {
        const int in = k ? d->hidden[k - 1] : d->observations, out = k < d->hidden_layers ? d->hidden[k] : d->actions;
        for (int o = 0; o < out; o++) {
            y[o] = (double)d->biases[k][o];
            for (int i = 0; i < in; i++) y[o] += (double)d->weights[k][o * in + i] * x[i];
            if (k < d->hidden_layers) y[o] = bend(y[o], d->activation);
        }
        memcpy(x, y, (size_t)out * sizeof *x);
    }
    memcpy(action, x, (size_t)d->actions * sizeof *action);
}

static void random_fill(float *x, int count, double most) {
    random_source source = {(uint64_t)count};
    for (int i = 0; i < count; i++) x[i] = (float)random_uniform(&source, -most, most);
}

static void the_network_is_the_law(void **state) {
    static const int shapes[][6] = {{48, 12, 0}, {1, 1, 1, 1}, {5, 3, 1, 512}, {48, 12, 3, 128, 64, 32}, {70, 17, 4, 16, 33}};
    static const int64_t counts[] = {1, 95, 96, 97, 400};
    static float seen[400 * 70], action[400 * 17];
    (void)state;
    for (int s = 0; s < 5; s++)
        for (int a = MYR_ACTIVATION_ELU; a <= MYR_ACTIVATION_TANH; a++)
            for (int normal = 0; normal < 4; normal++) {
                policy_def p = policy_def_open("auto", 2);
                myr_policy_def *d = &p.def;
                d->observations = shapes[s][0], d->actions = shapes[s][1], d->hidden_layers = shapes[s][2],
                d->activation = (myr_activation)a;
                for (int k = 0; k < 4; k++) d->hidden[k] = k < 3 && shapes[s][3 + k] ? shapes[s][3 + k] : 9;
                d->mean = normal & 1 ? p.numbers + 1000 : NULL, d->std = normal & 2 ? p.numbers + 2600 : NULL;
                for (int i = 0; i < 70; i++) p.numbers[2600 + i] = 0.5f + 0.01f * (float)i;
                for (int k = 0; k <= d->hidden_layers; k++) { /* any numbers will do; layers may share them */
                    d->weights[k] = p.numbers + 3000, d->biases[k] = p.numbers + 10 * k;
                }
                random_fill(p.numbers + 3000, 40000, 0.2);
                random_fill(seen, 400 * 70, 2);
                myr_policy *policy = NULL;
                MUST(myr_policy_create(d, &policy));
                for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                    MUST(myr_policy_actions(policy, counts[c], seen, action));
                    for (int64_t i = 0; i < counts[c]; i += 31) {
                        double wanted[17], largest = 1;
                        law(d, seen + i * d->observations, wanted);
                        for (int k = 0; k < d->actions; k++) largest = fmax(largest, fabs(wanted[k]));
                        for (int k = 0; k < d->actions; k++)
                            if (!(fabs((double)action[i * d->actions + k] - wanted[k]) <= 3e-6 * largest))
                                fail_msg("shape %d, activation %d, row %d: action %d is %.9g, not %.9g", s, a, (int)i, k,
                                         (double)action[i * d->actions + k], wanted[k]);
                    }
                }
                myr_policy_destroy(policy);
                free(p.numbers);
            }
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------------- */

static void wrong_definitions(void **state) {
    (void)state;
    myr_policy *policy = (myr_policy *)(void *)state;
    policy_def p = policy_def_open("auto", 1);
    const myr_policy_def good = p.def;
#define REFUSED(edit, word)                                                                                                                \
    do {                                                                                                                                   \
        myr_policy_def d = good;                                                                                                           \
        edit;                                                                                                                              \
        MUST_FAIL(myr_policy_create(&d, &policy), MYR_E_ARG, word);                                                                        \
        assert_null(policy);                                                                                                               \
    } while (0)
    REFUSED(d.observations = 0, "observations is 0, but must be between 1 and 4096");
    REFUSED(d.actions = 129, "actions is 129");
    REFUSED(d.hidden_layers = 5, "hidden_layers is 5");
    REFUSED(d.hidden[1] = 513, "hidden[1] is 513, but must be between 1 and 512");
    REFUSED(d.activation = (myr_activation)7, "activation is 7");
    REFUSED(d.threads = -1, "threads is -1");
    REFUSED(d.weights[2] = NULL, "weights of layer 2 is NULL");
    REFUSED(d.biases[0] = NULL, "biases of layer 0 is NULL");
    REFUSED(memset(d.isa, 'x', sizeof d.isa), "isa does not end");
    REFUSED(memcpy(d.isa, "sse9", 5), "sse9");
    float *at[] = {(float *)(uintptr_t)good.weights[1] + 2 * 33 + 7, (float *)(uintptr_t)good.biases[2] + 11,
                   (float *)(uintptr_t)good.mean + 3, (float *)(uintptr_t)good.std + 4};
    static const char *const words[] = {"weights of layer 1, row 2, column 7, is not finite", "biases of layer 2, number 11, is not finite",
                                        "mean, number 3, is not finite", "std, number 4, is not finite"};
    for (int k = 0; k < 4; k++) {
        const float kept = *at[k];
        *at[k] = k % 2 ? NAN : -INFINITY;
        REFUSED((void)d, words[k]);
        *at[k] = kept;
    }
    *at[3] = 0;
    REFUSED((void)d, "std, number 4, is 0, but must be above 0");
    MUST_FAIL(myr_policy_create(NULL, &policy), MYR_E_ARG, "def is NULL");
    MUST_FAIL(myr_policy_create(&good, NULL), MYR_E_ARG, "out is NULL");
    myr_policy_destroy(NULL);
    assert_int_equal(myr_policy_bytes(NULL), 0);
    free(p.numbers);
}

static void wrong_calls(void **state) {
    static float seen[POLICY_SEEN], action[4 * POLICY_ACTIONS];
    myr_batch *batch = policy_walkers(4, "auto", 2, "f32"), *other = NULL;
    myr_policy *policy = policy_open("auto", 2), *small = policy_open("auto", 1), *narrow = NULL;
    myr_act act = {.steps = 1, .type = MYR_F32};
    (void)state;
    assert_true(myr_policy_bytes(policy) > myr_policy_bytes(small));
    const uint64_t before = myr_batch_hash(batch);
    MUST_FAIL(myr_policy_act(NULL, batch, &act, NULL), MYR_E_ARG, "policy is NULL");
    MUST_FAIL(myr_policy_act(policy, NULL, &act, NULL), MYR_E_ARG, "batch is NULL");
    MUST_FAIL(myr_policy_act(policy, batch, NULL, NULL), MYR_E_ARG, "myr_policy_act: act is NULL");
    MUST_FAIL(myr_policy_act(small, batch, &act, NULL), MYR_E_ARG, "the batch has 2 threads, the policy 1");
    act.action = action;
    MUST_FAIL(myr_policy_act(policy, batch, &act, NULL), MYR_E_ARG, "act->action must be NULL");
    act.action = NULL, act.steps = -1;
    MUST_FAIL(myr_policy_act(policy, batch, &act, NULL), MYR_E_ARG, "steps is -1");
    act.steps = 1, act.type = (myr_type)3;
    MUST_FAIL(myr_policy_act(policy, batch, &act, NULL), MYR_E_ARG, "type is 3");
    act.type = MYR_F32;
    policy_def p = policy_def_open("auto", 2);
    p.def.actions = 11;
    MUST(myr_policy_create(&p.def, &narrow));
    MUST_FAIL(myr_policy_act(narrow, batch, &act, NULL), MYR_E_ARG, "48 observations and 11 actions, the batch has 48 and 12");
    myr_model *model = scene_model();
    const myr_settings none = scene_settings("task", "none", NULL);
    MUST(myr_batch_create(model, 2, &none, &other));
    MUST_FAIL(myr_policy_act(policy, other, &act, NULL), MYR_E_STATE, "task 'none'");
    MUST_FAIL(myr_policy_actions(NULL, 1, seen, action), MYR_E_ARG, "policy");
    MUST_FAIL(myr_policy_actions(policy, -1, seen, action), MYR_E_ARG, "n < 0");
    MUST_FAIL(myr_policy_actions(policy, 1, NULL, action), MYR_E_ARG, "observation");
    MUST(myr_policy_actions(policy, 0, NULL, NULL));
    assert_true(myr_batch_hash(batch) == before);
    free(p.numbers), myr_model_free(model);
    myr_policy_destroy(policy), myr_policy_destroy(small), myr_policy_destroy(narrow), myr_batch_free(batch), myr_batch_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_by_hand),
        cmocka_unit_test(other_types),
        cmocka_unit_test(in_pieces),
        cmocka_unit_test(own_fate),
        cmocka_unit_test(the_network_is_the_law),
        cmocka_unit_test(wrong_definitions),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
