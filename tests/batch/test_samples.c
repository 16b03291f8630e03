/* Stage times and percentiles come from one step in 16 of each tile, however the steps are cut into calls; the percentiles are those of the
 * steps that were made, and no run is too short to have any. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdlib.h>

#include "batch/batch.h"

enum { TILE = 16 }; /* robots of a tile of floats */

static myr_model *anymal(void) {
    myr_model *model;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    return model;
}

static double sampled_part(const myr_batch *batch) {
    uint64_t sampled = 0, all = 0;
    for (int w = 0; w < batch->team->threads; w++) {
        sampled += myr_batch_tally(batch, w)->sampled_robot_steps;
        all += myr_batch_tally(batch, w)->robot_steps;
    }
    assert_true(all > 0);
    return (double)sampled / (double)all;
}

static void one_in_16_whatever_the_call(void **state) {
    (void)state;
    myr_model *model = anymal();
    const struct {
        int envs, steps, calls;
    } cases[] = {{TILE, 1, 800}, {16 * TILE, 1, 160}, {2 * TILE, 5, 80}, {3 * TILE, 16, 40}, {TILE, 800, 1}, {TILE - 3, 2, 400}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const myr_settings settings = scene_settings("task", "trot", "threads", "1", NULL);
        myr_batch *batch;
        MUST(myr_batch_create(model, cases[i].envs, &settings, &batch));
        for (int call = 0; call < cases[i].calls; call++) MUST(myr_batch_step(batch, cases[i].steps));
        const double part = sampled_part(batch);
        if (fabs(16 * part - 1) > 0.1)
            fail_msg("%d robots, %d calls of %d steps: 1 step in %.1f is sampled", cases[i].envs, cases[i].calls, cases[i].steps, 1 / part);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Each tile at each moment of a period, for periods that a stride of 16 would miss. */
static void samples_keep_to_no_period(void **state) {
    (void)state;
    const int periods[] = {2, 10, 16, 250};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++)
        for (int moment = 0; moment < periods[i]; moment++) {
            const int rounds = 1600;
            int hits = 0;
            for (int k = 0; k < rounds; k++) hits += (uint64_t)(k * periods[i] + moment) * MYR_SAMPLE_TURN < MYR_SAMPLE_SHARE;
            if (abs(hits - rounds / 16) > rounds / 160)
                fail_msg("moment %d of a period of %d is sampled %d times in %d", moment, periods[i], hits, rounds);
        }
}

static int order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Part of the values that are no larger than a bin (9 %) above x. */
static double rank(const double *sorted, size_t n, double x) {
    size_t i = 0;
    while (i < n && sorted[i] <= 1.09 * x) i++;
    return (double)i / (double)n;
}

static void percentiles_are_those_of_the_steps(void **state) {
    (void)state;
    enum { ENVS = 4 * TILE, STEPS = 1500 };
    myr_model *model = anymal();
    const myr_settings settings = scene_settings("task", "random", "threads", "2", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    double *all = malloc(sizeof *all * ENVS * STEPS), last[ENVS], sweeps[ENVS];
    size_t n = 0;
    assert_non_null(all);
    for (int step = 0; step < STEPS; step++) {
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_RESIDUAL, NULL, ENVS, MYR_F64, last));
        MUST(myr_batch_get(batch, MYR_ITERATIONS, NULL, ENVS, MYR_F64, sweeps));
        for (int env = 0; env < ENVS; env++)
            if (sweeps[env] > 0) all[n++] = last[env];
    }
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    assert_int_equal(n, stats.active_steps);
    qsort(all, n, sizeof *all, order);
    const double p50 = rank(all, n, stats.residual_p50), p99 = rank(all, n, stats.residual_p99);
    if (p50 < 0.47 || p50 > 0.56 || p99 < 0.98) fail_msg("the median is the value at %.3f, the 99th percentile that at %.4f", p50, p99);
    assert_true(stats.residual_max == all[n - 1]);
    free(all);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void no_run_is_too_short(void **state) {
    (void)state;
    myr_model *model = anymal();
    myr_settings settings = scene_settings("task", "stand", "threads", "3", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, 5 * TILE, &settings, &batch));
    for (int again = 0; again < 5; again++) { /* the first step, and the first one after the statistics were cleared */
        myr_stats stats;
        MUST(myr_batch_step(batch, 1));
        myr_batch_stats(batch, &stats);
        if (!(stats.stage_ns[MYR_STAGE_dynamics] > 0)) fail_msg("one step without stage times");
        if (stats.active_steps > 0 && !(stats.iterations_p99 > 0)) fail_msg("one step without percentiles");
        myr_batch_clear_stats(batch);
        MUST(myr_batch_step(batch, 1 + again));
        myr_batch_clear_stats(batch);
    }
    myr_batch_free(batch);
    /* a robot that lands: the step of its first contact is not among the samples, and counts all the same */
    settings = scene_settings("task", "hang", "threads", "1", NULL);
    MUST(myr_batch_create(model, 1, &settings, &batch));
    myr_stats stats = {0};
    for (int step = 0; step < 2000 && stats.active_steps == 0; step++) {
        MUST(myr_batch_step(batch, 1));
        myr_batch_stats(batch, &stats);
    }
    assert_int_equal(stats.active_steps, 1);
    assert_int_equal(stats.iterations_p99, stats.iterations_max);
    assert_true(stats.residual_p99 > 0 || stats.residual_max == 0);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_in_16_whatever_the_call),
        cmocka_unit_test(samples_keep_to_no_period),
        cmocka_unit_test(percentiles_are_those_of_the_steps),
        cmocka_unit_test(no_run_is_too_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
