/* What a robot may cost its neighbours (kernels/contact/pause.lane.h): one that no impulse can hold is long in the solver rarely, not in
 * every step. Its pauses are its own: alone and among others, saved and restored it goes through the same bits, and a reset ends them.
 * ctest: heavy */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/random_model.h"

enum { N = 9, BAD = 3, STEPS = 200, LONG = 500 };

/* Both stay below the speed limit for long enough. */
static const struct {
    const char *precision;
    double gravity;
    const char *landing;
} cases[] = {{"f32", -1e7, "0"}, {"f64", -5e5, "1"}};

/* A number of 0 .. 1 out of another. */
static double stirred(uint64_t z) {
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Bipeds first, .. of a crowd in which BAD weighs a million times what it should (in double 50 thousand). Without working sets, which bring
 * most of this to an end. */
static myr_batch *crowd(int c, const char *isa, const char *threads, int first, int64_t envs) {
    myr_settings settings = scene_settings("task", "none", "dt", "0.001", "precision", cases[c].precision, "isa", isa, "threads", threads,
                                           "landing", cases[c].landing, "working-sets", "0", NULL);
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    double v[32];
    settings.first_env = first;
    MUST(myr_model_load("biped", MYR_ROOT_AUTO, &model));
    MUST(myr_batch_create(model, envs, &settings, &batch));
    myr_model_free(model);
    const int nv = myr_batch_components(batch, MYR_V);
    assert_true(nv <= 32);
    for (int64_t env = 0; env < envs; env++) {
        const int id = first + (int)env;
        const double gravity[] = {cases[c].gravity, cases[c].gravity, cases[c].gravity};
        for (int k = 0; k < nv; k++) v[k] = 0.8 * (stirred((uint64_t)(id * nv + k)) - 0.5);
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
        if (id == BAD) MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, gravity));
    }
    return batch;
}

static double number(const myr_batch *batch, myr_field field, int64_t env) {
    double x;
    MUST(myr_batch_get(batch, field, &env, 1, MYR_F64, &x));
    return x;
}

static void what_cannot_be_held_is_long_rarely(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        myr_batch *batch = crowd(c, "auto", "1", 0, N);
        int longs = 0, open = 0, others = 0;
        double iterations = 0;
        for (int t = 0; t < STEPS; t++) {
            MUST(myr_batch_step(batch, 1));
            for (int64_t env = 0; env < N; env++) {
                const double done = number(batch, MYR_ITERATIONS, env);
                if (env != BAD) others += number(batch, MYR_SOLVE_STATUS, env) != MYR_CONVERGED;
                if (env != BAD || number(batch, MYR_QUARANTINED, env) != MYR_HEALTHY) continue;
                longs += done >= LONG, iterations += done;
                open += number(batch, MYR_SOLVE_STATUS, env) != MYR_CONVERGED;
            }
        }
        print_message("%s: long in %d of %d steps, %.0f iterations, open %d\n", cases[c].precision, longs, STEPS, iterations, open);
        assert_true(longs >= 1 && longs <= 20); /* about half of all without pauses */
        assert_true(iterations < 40000);        /* five times that without */
        assert_true(open > 0 && others == 0);   /* failures are reported, and no other robot has one */
        myr_batch_free(batch);
    }
}

/* Alone, and among others on every instruction set, by two threads, in calls of other lengths. */
static void pauses_are_a_lanes_own(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        double alone[2], among[2];
        myr_batch *one = crowd(c, "auto", "1", BAD, 1);
        const size_t bytes = myr_batch_state_bytes(one);
        char *wanted = malloc(bytes), *got = malloc(bytes);
        const int64_t zero = 0, bad = BAD;
        assert_non_null(wanted), assert_non_null(got);
        MUST(myr_batch_step(one, 90));
        MUST(myr_batch_get_state(one, &zero, 1, wanted));
        alone[0] = number(one, MYR_RESIDUAL, 0);
        MUST(myr_batch_step(one, 60));
        alone[1] = number(one, MYR_RESIDUAL, 0);
        for (int i = 0; isa_at(i); i++) {
            myr_batch *all = crowd(c, isa_at(i), i ? "2" : "1", 0, N + 10 * i);
            for (int t = 0; t < 90; t += 15) MUST(myr_batch_step(all, 15));
            MUST(myr_batch_get_state(all, &bad, 1, got));
            among[0] = number(all, MYR_RESIDUAL, BAD);
            if (memcmp(wanted, got, bytes) != 0) fail_msg("%s, %s: another state alone", cases[c].precision, isa_at(i));
            myr_batch_free(all);
            /* into another batch, where another robot has pauses of its own; on from there */
            all = crowd(c, isa_at(i), "1", 0, N);
            MUST(myr_batch_step(all, 40));
            const int64_t to = BAD;
            double gravity[3];
            MUST(myr_batch_get(all, MYR_GRAVITY, &to, 1, MYR_F64, gravity));
            MUST(myr_batch_set_state(all, &to, 1, wanted));
            MUST(myr_batch_step(all, 60));
            among[1] = number(all, MYR_RESIDUAL, BAD);
            if (memcmp(alone, among, sizeof alone) != 0) fail_msg("%s, %s: other residuals", cases[c].precision, isa_at(i));
            myr_batch_free(all);
        }
        myr_batch_free(one);
        free(wanted), free(got);
    }
}

/* After a reset, and after its q is written with everything else of its state, a robot is as one that was never long. */
static void a_new_beginning_ends_them(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++)
        for (int how = 0; how < 2; how++) {
            uint64_t hashes[2];
            for (int tired = 0; tired < 2; tired++) {
                myr_batch *batch = crowd(c, "auto", "1", 0, N);
                const int nq = myr_batch_components(batch, MYR_Q), nv = myr_batch_components(batch, MYR_V);
                double q[64] = {0}, v[64] = {0}, impulse[256] = {0};
                const int64_t bad = BAD;
                assert_true(nq <= 64 && nv <= 64 && myr_batch_components(batch, MYR_IMPULSE) <= 256);
                MUST(myr_batch_get(batch, MYR_Q, &bad, 1, MYR_F64, q));
                MUST(myr_batch_get(batch, MYR_V, &bad, 1, MYR_F64, v));
                MUST(myr_batch_step(batch, tired ? 70 : 1));
                if (how == 0) {
                    MUST(myr_batch_restart(batch, 5));
                } else {
                    uint8_t all[N];
                    memset(all, 1, sizeof all);
                    all[BAD] = number(batch, MYR_QUARANTINED, BAD) != MYR_HEALTHY;
                    MUST(myr_batch_reset(batch, all));
                    MUST(myr_batch_set(batch, MYR_Q, &bad, 1, MYR_F64, q));
                    MUST(myr_batch_set(batch, MYR_IMPULSE, &bad, 1, MYR_F64, impulse));
                    MUST(myr_batch_set(batch, MYR_ROW_IMPULSE, &bad, 1, MYR_F64, impulse));
                }
                MUST(myr_batch_set(batch, MYR_V, &bad, 1, MYR_F64, v));
                MUST(myr_batch_step(batch, 40));
                hashes[tired] = myr_batch_hash(batch);
                myr_batch_free(batch);
            }
            assert_true(hashes[0] == hashes[1]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_cannot_be_held_is_long_rarely), cmocka_unit_test(pauses_are_a_lanes_own),
                                       cmocka_unit_test(a_new_beginning_ends_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
