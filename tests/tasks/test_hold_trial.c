/* hold says when a batch is made that its gains will let the robots fall, and is silent where they will not. */
#include <string.h>

#include "support/batch_scene.h"

static const char *warning_of(const char *file, myr_batch **batch, const char *const *settings) {
    myr_model *model;
    MUST(myr_model_open(file, NULL, &model));
    myr_settings all = scene_settings("dt", "0.002", NULL);
    for (; *settings; settings += 2) MUST(myr_settings_set(&all, settings[0], settings[1]));
    MUST(myr_batch_create(model, 3, &all, batch));
    myr_model_free(model);
    assert_null(myr_batch_warning(*batch, 1));
    return myr_batch_warning(*batch, 0);
}

static void what_will_fall(void **state) {
    (void)state;
    const struct {
        const char *file, *settings[9], *words[4];
    } cases[] = {
        {"biped",
         {"task", "hold", "kp", "20", "kd", "1", NULL},
         {"`biped` falls", "do not hold its home pose", "nearly at rest", "'kp' and 'kd'"}},
        {"anymal",
         {
             "task",
             "hold",
             "kp",
             "5",
             "kd",
             "1",
             "fall-tilt",
             "0.3",
         },
         {"`anymal` falls", "16 of 16 robots", "fall within"}},
        {"hopper", {"task", "hold", "hold-reach", "0.3", NULL}, {"`hopper` falls"}},
        {"biped",
         {"task", "hold", NULL},
         {"`biped` falls", "hold its home pose, but", "'start-speed'", "teach it"}}, /* after more than 2 s */
        {"biped", {"task", "hold", "start-speed", "3", NULL}, {"`biped` falls", "hold its home pose, but", "'start-speed'", "teach it"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        myr_batch *batch;
        const char *said = warning_of(cases[k].file, &batch, cases[k].settings);
        if (!said) fail_msg("%s, case %zu: nothing is said", cases[k].file, k);
        for (int w = 0; w < 4 && cases[k].words[w]; w++)
            if (!strstr(said, cases[k].words[w])) fail_msg("`%s` lacks `%s`", said, cases[k].words[w]);
        myr_batch_free(batch);
    }
}

static void what_will_not(void **state) {
    (void)state;
    static const char *const robots[] = {"anymal", "solo12", "double-pendulum"}, *const others[] = {"stand", "none", "locomotion"};
    for (int k = 0; k < 6; k++) {
        myr_batch *batch;
        const char *const settings[] = {"task", k < 3 ? "hold" : others[k - 3], NULL};
        const char *said = warning_of(k < 3 ? robots[k] : "anymal", &batch, settings);
        if (said) fail_msg("`%s`", said);
        myr_batch_free(batch);
    }
    myr_batch *batch;
    const char *said = warning_of("biped", &batch, (const char *const[]){"task", "hold", "start-speed", "0", "start-angle", "0", NULL});
    if (said) fail_msg("`%s`", said);
    myr_batch_free(batch);
}

/* The trial is a batch of its own: its robots' draws are not the real one's. */
static void nobody_notices(void **state) {
    (void)state;
    const char *const falls[] = {"task", "hold", "kp", "20", "kd", "1", NULL};
    double q[2][3][64] = {{{0}}};
    for (int k = 0; k < 2; k++) {
        myr_batch *batch;
        assert_non_null(warning_of("biped", &batch, falls));
        assert_true(myr_batch_components(batch, MYR_Q) <= 64);
        MUST(myr_batch_get(batch, MYR_Q, NULL, 3, MYR_F64, q[k]));
        myr_stats stats;
        myr_batch_stats(batch, &stats);
        assert_int_equal(stats.robot_steps, 0);
        myr_batch_free(batch);
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_null(myr_batch_warning(NULL, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_will_fall), cmocka_unit_test(what_will_not), cmocka_unit_test(nobody_notices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
