/* ctest: later
 * The tasks that the library has in C, as the tables of tasks/text/: the same bits of everything that a control step gives, on every
 * instruction set, in both precisions, for robots that are fixed to the world and that float, with everything varied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "act_scene.h"
#include "isas.h"
#include "model_scene.h"

enum { STEPS = 80, ENVS = 19 };

static const struct {
    const char *model, *task, *text;
    myr_root root;
} cases[] = {{"anymal", "locomotion", "locomotion", MYR_ROOT_AUTO},
             {"solo12", "locomotion", "locomotion", MYR_ROOT_AUTO},
             {"anymal", "hold", "hold", MYR_ROOT_AUTO},
             {"biped", "hold", "hold", MYR_ROOT_FLOATING},
             {"tests/models/linkage.urdf", "hold", "hold", MYR_ROOT_FLOATING},
             {"double-pendulum", "hold", "hold_fixed", MYR_ROOT_FIXED},
             {"tests/models/gripper.urdf", "hold", "hold_fixed", MYR_ROOT_FIXED}};

static myr_model *load(int which) {
    char path[512];
    myr_model *model = NULL;
    const char *file = cases[which].model;
    snprintf(path, sizeof path, "%s/%s", getenv("MYRIAPOD_SOURCE"), file);
    MUST(myr_model_load(strchr(file, '/') ? path : file, cases[which].root, &model));
    return model;
}

static myr_task_table *table_of(int which) {
    char path[512];
    myr_task_table *table = NULL;
    snprintf(path, sizeof path, "%s/tasks/text/%s.task", getenv("MYRIAPOD_SOURCE"), cases[which].text);
    MUST(myr_task_table_load(path, &table));
    return table;
}

/* Short episodes in which all happens; every term has a weight. */
static myr_settings lively(int which, const char *isa, const char *precision) {
    const int walks = strcmp(cases[which].task, "locomotion") == 0, floats = cases[which].root != MYR_ROOT_FIXED;
    myr_settings s = act_settings("task", cases[which].task, "isa", isa, "precision", precision, "episode", "0.9", "vary-gains", "0.1",
                                  "vary-delay", "0.01", "vary-encoder", "0.02", "start-angle", "0.3", "first-env", "700", NULL);
    if (floats) MUST(myr_settings_set(&s, "push-interval", "0.2"));
    if (floats) MUST(myr_settings_set(&s, "vary-mass", "0.1"));
    if (floats) MUST(myr_settings_set(&s, "vary-friction-low", "0.7"));
    if (!walks) MUST(myr_settings_set(&s, "hold-termination", "-1"));
    if (!walks) MUST(myr_settings_set(&s, "hold-reach", "0.6"));
    if (!walks) return s;
    static const char *const keys[] = {"reward-height",      "reward-joint-speed",  "reward-stand-still", "reward-foot-force",
                                       "reward-joint-limit", "reward-torque-limit", "reward-termination"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) MUST(myr_settings_set(&s, keys[k], "-0.01"));
    MUST(myr_settings_set(&s, "foot-force-limit", "60"));
    MUST(myr_settings_set(&s, "soft-limit", "0.3"));
    MUST(myr_settings_set(&s, "command-hold", "0.24"));
    MUST(myr_settings_set(&s, "reward-floor", "0"));
    return s;
}

static act_arrays run(int which, const myr_model *model, const myr_settings *settings, const myr_task_table *table, uint64_t *hash) {
    myr_batch *batch = NULL;
    if (table)
        MUST(myr_batch_create_for(model, ENVS, settings, table, &batch));
    else
        MUST(myr_batch_create(model, ENVS, settings, &batch));
    act_arrays out = act_open(batch, ENVS, STEPS);
    act_actions(&out, settings->first_env, 2);
    act_run(batch, &out, 0, 0, STEPS, 7, MYR_AUTORESET_SAME_STEP);
    *hash = myr_batch_hash(batch);
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    assert_string_equal(info.task, cases[which].task);
    myr_batch_free(batch);
    return out;
}

static void tables_have_the_bits_of_the_tasks_in_c(void **state) {
    (void)state;
    static const char *const precisions[] = {"f32", "f64"};
    for (int c = 0; c < (int)(sizeof cases / sizeof *cases); c++) {
        myr_model *model = load(c);
        myr_task_table *table = table_of(c);
        for (int i = 0; isa_at(i); i++)
            for (int p = 0; p < 2; p++) {
                char what[200];
                uint64_t wanted, hash;
                const myr_settings settings = lively(c, isa_at(i), precisions[p]);
                act_arrays in_c = run(c, model, &settings, NULL, &wanted), in_text = run(c, model, &settings, table, &hash);
                snprintf(what, sizeof what, "%s %s %s %s", cases[c].model, cases[c].text, isa_at(i), precisions[p]);
                int ended = 0;
                for (int row = 0; row < ENVS * STEPS; row++) ended += in_c.terminated[row];
                if (!ended) fail_msg("%s: no robot failed, and ends prove nothing", what);
                act_assert_same(what, &in_text, &in_c);
                assert_true(hash == wanted);
                act_close(&in_c), act_close(&in_text);
            }
        myr_task_table_free(table);
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_have_the_bits_of_the_tasks_in_c)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
