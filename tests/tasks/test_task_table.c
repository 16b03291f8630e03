/* ctest: later
 * The library's own tables: a batch of the setting `task` has the bits of one made of the file in tasks/text/, and terms and their words
 * are those of the settings. What they compute is judged by test_locomotion.c and test_hold.c, which know the pages alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "support/isas.h"
#include "support/model_scene.h"

enum { STEPS = 60, ENVS = 19 };

static const struct {
    const char *model, *task, *text;
    myr_root root;
} cases[] = {{"anymal", "locomotion", "locomotion", MYR_ROOT_AUTO},
             {"go2", "locomotion", "locomotion", MYR_ROOT_AUTO},
             {"biped", "hold", "hold", MYR_ROOT_FLOATING},
             {"double-pendulum", "hold", "hold_fixed", MYR_ROOT_FIXED}};

static myr_task_table *table_of(int which) {
    char path[512];
    myr_task_table *table = NULL;
    snprintf(path, sizeof path, "%s/tasks/text/%s.task", getenv("MYRIAPOD_SOURCE"), cases[which].text);
    MUST(myr_task_table_load(path, &table));
    return table;
}

static void same_words(const myr_batch *batch, const char *task) {
    myr_reward_info term;
    const int n = myr_task_reward_count(task);
    for (int k = 0; k < n; k++) {
        MUST(myr_batch_get_reward(batch, k, &term));
        assert_string_equal(term.name, myr_task_reward_name(task, k));
        assert_string_equal(term.doc, myr_task_reward_doc(task, k));
    }
    MUST_FAIL(myr_batch_get_reward(batch, n, &term), MYR_E_ARG, "reward terms");
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
    same_words(batch, cases[which].task);
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    assert_string_equal(info.task, cases[which].task);
    myr_batch_free(batch);
    return out;
}

static void the_librarys_tables_are_the_files(void **state) {
    (void)state;
    for (int c = 0; c < (int)(sizeof cases / sizeof *cases); c++) {
        myr_model *model = NULL;
        MUST(myr_model_load(cases[c].model, cases[c].root, &model));
        myr_task_table *table = table_of(c);
        for (int p = 0; p < 2; p++) {
            uint64_t wanted, hash;
            const myr_settings settings = act_settings("task", cases[c].task, "precision", p ? "f64" : "f32", "episode", "0.5", NULL);
            act_arrays named = run(c, model, &settings, NULL, &wanted), read = run(c, model, &settings, table, &hash);
            act_assert_same(cases[c].model, &read, &named);
            assert_true(hash == wanted);
            act_close(&named), act_close(&read);
        }
        myr_task_table_free(table);
        myr_model_free(model);
    }
}

/* With `scan` the heights are a part of what is observed, and without it they are not. */
static void optional_parts_come_with_their_setting(void **state) {
    (void)state;
    static const char *const words[] = {"off", "exact"};
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int k = 0; k < 2; k++) {
        const myr_settings settings = act_settings("task", "locomotion", "scan", words[k], NULL);
        myr_batch *batch = act_batch(model, 2, &settings);
        myr_observed_info part;
        int n = 0;
        while (myr_batch_get_observed(batch, n, &part) == MYR_OK) n++;
        assert_int_equal(n, 7 + k);
        MUST(myr_batch_get_observed(batch, n - 1, &part));
        assert_string_equal(part.name, k ? "heights" : "action");
        assert_string_equal(part.unit, k ? "m" : "the action's");
        assert_int_equal(part.first + part.n, myr_batch_observations(batch));
        assert_int_equal(myr_batch_observations(batch), k ? 48 + 187 : 48);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_librarys_tables_are_the_files),
                                       cmocka_unit_test(optional_parts_come_with_their_setting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
