/* ctest: threads
 * Everything that a batch does on several threads, on tiles with a ragged end: under the thread sanitizer no race, and
 * on its own the same bits as one thread gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "myriapod/myriapod.h"

enum { ENVS = 53, STEPS = 12, NU = 12, NX = 19 + 18 };

#define MUST(call)                                                                                                                         \
    do {                                                                                                                                   \
        if ((call) != MYR_OK) fail_msg("%s: %s", #call, myr_message());                                                                    \
    } while (0)

/* Hash after steps, a rollout, a masked reset, a copy, and more steps; `seen` gets the rollout's states. */
static uint64_t live(const char *precision, const char *threads, float *seen) {
    myr_settings settings = myr_settings_default();
    MUST(myr_settings_set(&settings, "precision", precision));
    MUST(myr_settings_set(&settings, "threads", threads));
    MUST(myr_settings_set(&settings, "task", "random"));
    myr_model *robot = NULL;
    myr_batch *batch = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &robot));
    MUST(myr_batch_create(robot, ENVS, &settings, &batch));
    myr_model_free(robot); /* the batch keeps its own reference */
    MUST(myr_batch_step(batch, STEPS));

    static float torque[ENVS][STEPS][NU];
    for (int env = 0; env < ENVS; env++)
        for (int step = 0; step < STEPS; step++)
            for (int u = 0; u < NU; u++) torque[env][step][u] = (float)((env + 3 * step + 7 * u) % 11 - 5);
    const myr_rollout rollout = {.steps = STEPS, .control_field = MYR_TORQUE, .type = MYR_F32, .control = torque, .state = seen};
    MUST(myr_batch_rollout(batch, &rollout));

    uint8_t mask[ENVS];
    for (int env = 0; env < ENVS; env++) mask[env] = env % 3 == 0;
    MUST(myr_batch_reset(batch, mask));
    const int64_t from[] = {1, 52}, to[] = {50, 2};
    MUST(myr_batch_copy(batch, from, to, 2));
    MUST(myr_batch_step(batch, STEPS));

    myr_stats stats;
    myr_batch_stats(batch, &stats);
    assert_int_equal(stats.robot_steps, 3 * ENVS * STEPS);
    const uint64_t hash = myr_batch_hash(batch);
    myr_batch_free(batch);
    return hash;
}

static void same_on_any_number_of_threads(void **state) {
    static float one[ENVS * STEPS * NX], more[ENVS * STEPS * NX];
    const char *const precisions[] = {"f32", "f64"}, *const threads[] = {"2", "3", "7"};
    (void)state;
    for (int p = 0; p < 2; p++) {
        const uint64_t alone = live(precisions[p], "1", one);
        for (int t = 0; t < 3; t++) {
            assert_int_equal(live(precisions[p], threads[t], more), alone);
            assert_memory_equal(one, more, sizeof one);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_on_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
