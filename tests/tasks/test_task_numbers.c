/* Numbers of tasks: keys of the settings without a field of the struct, which override those of a batch's table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/act_scene.h"
#include "settings/settings.h"
#include "reference/setting.h"

static const char creep[] = "myriapod_task 1\n"
                            "name creep\n"
                            "number wanted 0.5 0 1 how fast [m/s]\n"
                            "number most 2\n"
                            "number soft-limit 0.25 0 0.5\n"
                            "reward far number.wanted how far\n"
                            "reward own setting.reward-torque a weight of another task\n"
                            "observe numbers\n"
                            "moment judge\n"
                            "output reward.far 1\n"
                            "output reward.own 1\n"
                            "moment observe\n"
                            "input number.wanted\n"
                            "input number.most\n"
                            "input number.soft-limit\n"
                            "input setting.soft-limit\n"
                            "all = concat number.wanted number.most number.soft-limit setting.soft-limit\n"
                            "output numbers all\n";

static myr_model *anymal;

static myr_batch *creeping(const myr_settings *settings) {
    myr_task_table *table = NULL;
    myr_batch *batch = NULL;
    MUST(myr_task_table_read(creep, sizeof creep - 1, "creep.task", &table));
    MUST(myr_batch_create_for(anymal, 2, settings, table, &batch));
    myr_task_table_free(table);
    return batch;
}

static void refused(const myr_settings *settings, const char *word) {
    myr_task_table *table = NULL;
    myr_batch *batch = NULL;
    MUST(myr_task_table_read(creep, sizeof creep - 1, "creep.task", &table));
    MUST_FAIL(myr_batch_create_for(anymal, 2, settings, table, &batch), MYR_E_ARG, word);
    assert_null(batch);
    myr_task_table_free(table);
}

/* As a caller does for a table of its own: the library does not know its numbers before there is a batch. */
static void add(myr_settings *settings, const char *name, double value) {
    myr_setting_number *number = &settings->numbers[settings->n_numbers++];
    snprintf(number->name, sizeof number->name, "%s", name);
    number->value = value;
}

/* What is observed is wanted, most, soft-limit of the table, the setting soft-limit. */
static void assert_seen(const myr_settings *settings, double wanted, double most, double soft, double setting) {
    myr_batch *batch = creeping(settings);
    const double numbers[] = {wanted, most, soft, setting};
    double seen[2 * 4];
    myr_number_info is;
    MUST(myr_batch_observe(batch, MYR_F64, seen));
    for (int k = 0; k < 8; k++) assert_true(seen[k] == numbers[k % 4]);
    for (int k = 0; k < 3; k++) {
        MUST(myr_batch_get_number(batch, k, &is));
        assert_true(is.value == numbers[k]);
    }
    myr_reward_info term;
    MUST(myr_batch_get_reward(batch, 0, &term));
    assert_true(term.weight == wanted);
    MUST(myr_batch_get_reward(batch, 1, &term));
    assert_true(term.weight == reference_setting(settings, "reward-torque"));
    myr_batch_free(batch);
}

static void the_settings_override_a_table(void **state) {
    (void)state;
    myr_settings settings = act_settings("precision", "f64", NULL);
    assert_seen(&settings, 0.5, 2, 0.25, 0.9);
    add(&settings, "wanted", 1); /* its range has both ends */
    assert_seen(&settings, 1, 2, 0.25, 0.9);
    MUST(myr_settings_set(&settings, "soft-limit", "0.5"));
    MUST(myr_settings_set(&settings, "reward-torque", "-3"));
    MUST(myr_settings_set(&settings, "hold-width", "7")); /* of another task: it does nothing */
    assert_seen(&settings, 1, 2, 0.5, 0.5);
    add(&settings, "most", -1e300);
    add(&settings, "wanted", 0); /* written twice: the last one counts */
    assert_seen(&settings, 0, -1e300, 0.5, 0.5);
}

static void a_table_has_ranges_and_words(void **state) {
    (void)state;
    const myr_settings settings = act_settings("precision", "f64", NULL);
    myr_batch *batch = creeping(&settings);
    myr_number_info is;
    MUST(myr_batch_get_number(batch, 0, &is));
    assert_string_equal(is.name, "wanted");
    assert_string_equal(is.doc, "how fast [m/s]");
    assert_true(is.low == 0 && is.high == 1);
    MUST(myr_batch_get_number(batch, 1, &is));
    assert_true(is.low == -INFINITY && is.high == INFINITY && !*is.doc);
    MUST_FAIL(myr_batch_get_number(batch, 3, &is), MYR_E_ARG, "number 3: the task 'creep' has 3 numbers");
    MUST_FAIL(myr_batch_get_number(batch, -1, &is), MYR_E_ARG, "numbers");
    MUST_FAIL(myr_batch_get_number(batch, 0, NULL), MYR_E_ARG, "info is NULL");
    myr_batch_free(batch);
    const myr_settings none = scene_settings("task", "none", "threads", "1", NULL);
    MUST(myr_batch_create(anymal, 1, &none, &batch));
    MUST_FAIL(myr_batch_get_number(batch, 0, &is), MYR_E_ARG, "number 0: the task 'none' has 0 numbers");
    myr_batch_free(batch);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    const myr_settings usual = act_settings("precision", "f64", NULL);
    myr_settings s = usual;
    add(&s, "wanted", 1.5);
    refused(&s, "the number 'wanted' is 1.5 in the settings, but must lie in 0 .. 1: creep.task:3");
    s = usual, add(&s, "wanted", NAN);
    refused(&s, "'wanted' is nan, but must be a finite number");
    s = usual, add(&s, "wantd", 1);
    refused(&s, "the settings have a number 'wantd', but the task has no such number; did you mean 'wanted'?");
    s = usual;
    MUST(myr_settings_set(&s, "soft-limit", "0.7")); /* the setting may be that, and this table's number may not */
    refused(&s, "the number 'soft-limit' is 0.7 in the settings, but must lie in 0 .. 0.5: creep.task:5");
    s = usual, add(&s, "soft-limit", 1.5);
    refused(&s, "'soft-limit' is 1.5, but must lie in 0 .. 1");
    s = usual, add(&s, "wanted", 1);
    memset(s.numbers[0].name, 'w', sizeof s.numbers[0].name); /* no end */
    refused(&s, "is longer than 63 characters");
    s = usual, s.n_numbers = -1;
    refused(&s, "the settings have -1 numbers of tasks, but must have 0 to 64");
    s.n_numbers = MYR_SETTINGS_NUMBERS + 1;
    refused(&s, "the settings have 65 numbers of tasks");
    s.n_numbers = (int64_t)1 << 40;
    assert_true(reference_setting(&s, "soft-limit") == 0.9); /* asking reads nothing beyond the struct */
    s.n_numbers = MYR_SETTINGS_NUMBERS + 1;
    MUST_FAIL(myr_settings_set(&s, "soft-limit", "0.7"), MYR_E_ARG, "65 numbers");
    s = act_settings("task", "none", NULL), add(&s, "wanted", 1);
    myr_batch *batch = NULL;
    MUST_FAIL(myr_batch_create(anymal, 2, &s, &batch), MYR_E_ARG, "the settings have a number 'wanted', but the task has no such number");
}

/* ---- keys ------------------------------------------------------------------------------------------------------------------ */

static void the_last_of_two_counts(void **state) {
    (void)state;
    myr_settings s = myr_settings_default();
    MUST(myr_settings_set(&s, "reward-air-time", "3"));
    MUST(myr_settings_set(&s, "hold-width", "0.5"));
    MUST(myr_settings_set(&s, "reward-air-time", "1.5"));
    assert_int_equal(s.n_numbers, 2);
    assert_string_equal(s.numbers[0].name, "reward-air-time");
    assert_true(s.numbers[0].value == 1.5 && reference_setting(&s, "reward-air-time") == 1.5);
    assert_true(reference_setting(&s, "reward-torque") == -2.5e-5); /* that of its table */
    MUST_FAIL(myr_settings_set(&s, "reward-air-tme", "1"), MYR_E_ARG, "did you mean 'reward-air-time'?");
    MUST_FAIL(myr_settings_set(&s, "hold-width", "0"), MYR_E_ARG, "'hold-width' is 0, but must lie in 1e-09 .. 1e+06");
    MUST_FAIL(myr_settings_set(&s, "hold-width", "wide"), MYR_E_ARG, "'hold-width' is 'wide', but must be a number");
    assert_int_equal(s.n_numbers, 2);
}

static void a_full_block_is_refused(void **state) {
    (void)state;
    myr_settings s = myr_settings_default();
    char name[MYR_NAME_LENGTH];
    MUST(myr_settings_set(&s, "hold-width", "0.5"));
    while (s.n_numbers < MYR_SETTINGS_NUMBERS) {
        snprintf(name, sizeof name, "own-%d", (int)s.n_numbers);
        add(&s, name, 1);
    }
    const myr_settings before = s;
    MUST_FAIL(myr_settings_set(&s, "hold-reach", "1"), MYR_E_LIMIT, "'hold-reach': settings hold 64 numbers of tasks at most");
    assert_memory_equal(&s, &before, sizeof s);
    MUST(myr_settings_set(&s, "hold-width", "0.25")); /* which is there already */
    assert_true(s.n_numbers == MYR_SETTINGS_NUMBERS && reference_setting(&s, "hold-width") == 0.25);
}

static void profiles_have_them(void **state) {
    (void)state;
    char path[] = "/tmp/myriapod-numbers-XXXXXX.json";
    static const struct {
        const char *text, *message;
    } bad[] = {{"{\"hold-width\": 0}", "'hold-width' is 0, but must lie in 1e-09 .. 1e+06"},
               {"{\"hold-width\": \"0.1\"}", "'hold-width' is \"0.1\", but must be a number"},
               {"{\"hold-widht\": 1}", "there is no setting 'hold-widht'; did you mean 'hold-width'?"}};
    const int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        myr_settings s = myr_settings_default();
        FILE *out = fopen(path, "w");
        assert_true(out && fputs(bad[k].text, out) >= 0 && fclose(out) == 0);
        MUST_FAIL(myr_settings_load(&s, path), MYR_E_FORMAT, bad[k].message);
        MUST_FAIL(myr_settings_load(&s, path), MYR_E_FORMAT, path);
        assert_int_equal(s.n_numbers, 0);
    }
    unlink(path);
    myr_settings s = myr_settings_default();
    MUST(myr_settings_load(&s, "solo12-flat"));
    assert_true(reference_setting(&s, "reward-torque") == -2e-3 && reference_setting(&s, "foot-force-limit") == 35);
    assert_int_equal(s.n_numbers, 3);
}

/* Keys of tasks lie in the block, whatever their number is: another one leaves the struct as it is. */
static void the_struct_does_not_know_them(void **state) {
    (void)state;
    typedef struct without {
        uint32_t cookie;
#define MYR_SETTING_INT(field, key, value, low, high, doc) int64_t field;
#define MYR_SETTING_REAL(field, key, value, low, high, doc) double field;
#define MYR_SETTING_WORD(field, key, value, choices, doc) char field[MYR_NAME_LENGTH];
#include "myriapod/settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
        int64_t n_numbers;
        struct {
            char name[64];
            double value;
        } numbers[64];
    } without;
    int of_tasks = 0;
    assert_int_equal(sizeof(myr_settings), sizeof(without));
    for (int i = 0; i < myr_setting_key_count; i++) {
        const myr_setting_key *key = &myr_setting_keys[i];
        const int is_number = key->kind == MYR_SETTING_IS_NUMBER;
        of_tasks += is_number;
        assert_int_equal(key->offset >= offsetof(myr_settings, n_numbers), is_number);
        for (int k = 0; k < i; k++) assert_string_not_equal(key->name, myr_setting_keys[k].name);
    }
    assert_true(of_tasks >= 31 && of_tasks <= MYR_SETTINGS_NUMBERS); /* a profile may set all of them */
}

/* The weight of a term is a key with the words of the term. */
static void weights_have_the_words_of_their_terms(void **state) {
    (void)state;
    static const char *const tasks[][2] = {{"locomotion", "reward"}, {"hold", "hold"}};
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < myr_task_reward_count(tasks[t][0]); k++) {
            char key[MYR_NAME_LENGTH];
            snprintf(key, sizeof key, "%s-%s", tasks[t][1], myr_task_reward_name(tasks[t][0], k));
            const myr_setting_key *found = myr_setting_find(key);
            assert_non_null(found);
            assert_string_equal(found->doc, myr_task_reward_doc(tasks[t][0], k));
        }
    assert_int_equal(myr_task_reward_count("locomotion"), 17);
    assert_int_equal(myr_task_reward_count("hold"), 7);
    assert_int_equal(myr_task_reward_count("hold_fixed"), 0);
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

static void saved_batches_have_their_numbers(void **state) {
    (void)state;
    char path[] = "/tmp/myriapod-numbers-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    myr_settings settings = act_settings("task", "hold", "hold-width", "0.3", NULL);
    myr_batch *batch = act_batch(anymal, 2, &settings);
    MUST(myr_batch_save(batch, path));
    myr_batch_free(batch);
    MUST(myr_settings_set(&settings, "reward-torque", "-1")); /* of another task */
    batch = act_batch(anymal, 2, &settings);
    MUST(myr_batch_restore(batch, path));
    myr_batch_free(batch);
    MUST(myr_settings_set(&settings, "hold-width", "0.1"));
    batch = act_batch(anymal, 2, &settings);
    MUST_FAIL(myr_batch_restore(batch, path), MYR_E_FORMAT, "number.hold-width '0.3', and this batch has '0.1'");
    myr_batch_free(batch);

    settings = act_settings("precision", "f64", NULL);
    batch = creeping(&settings);
    MUST(myr_batch_save(batch, path));
    MUST(myr_batch_restore(batch, path));
    myr_batch_free(batch);
    add(&settings, "wanted", 0.75);
    batch = creeping(&settings);
    MUST_FAIL(myr_batch_restore(batch, path), MYR_E_FORMAT, "number.wanted '0.5', and this batch has '0.75'");
    myr_batch_free(batch);
    unlink(path);
}

static int open_model(void **state) {
    (void)state;
    return myr_model_load("anymal", MYR_ROOT_AUTO, &anymal);
}

static int close_model(void **state) {
    (void)state;
    myr_model_free(anymal);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_settings_override_a_table),    cmocka_unit_test(a_table_has_ranges_and_words),
        cmocka_unit_test(what_cannot_be_is_refused),        cmocka_unit_test(the_last_of_two_counts),
        cmocka_unit_test(a_full_block_is_refused),          cmocka_unit_test(profiles_have_them),
        cmocka_unit_test(the_struct_does_not_know_them),    cmocka_unit_test(weights_have_the_words_of_their_terms),
        cmocka_unit_test(saved_batches_have_their_numbers),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
