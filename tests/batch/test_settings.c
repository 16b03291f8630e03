/* Settings: every key by text, its range, profiles that build on each other, and messages that name file, key and word. */
#include "support/batch_scene.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/settings.h"

static char directory[] = "/tmp/myriapod-settings-XXXXXX";

static const char *in_directory(const char *name) {
    static char path[4][300];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", directory, name);
    return path[next];
}

static const char *write_profile(const char *name, const char *text) {
    const char *path = in_directory(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

static void assert_key(const myr_settings *settings, const char *key, const char *wanted) {
    const char *name;
    char text[MYR_NAME_LENGTH];
    for (int i = 0; myr_settings_key(settings, i, &name, text, NULL); i++) {
        if (strcmp(name, key) != 0) continue;
        if (strcmp(text, wanted) != 0) fail_msg("%s is %s instead of %s", key, text, wanted);
        return;
    }
    fail_msg("there is no key %s", key);
}

static void every_key_reads_back_what_was_set(void **state) {
    (void)state;
    const myr_settings standard = myr_settings_default();
    myr_settings other = myr_settings_default();
    const char *name, *doc;
    char text[MYR_NAME_LENGTH], again[MYR_NAME_LENGTH];
    int keys = 0;
    for (; myr_settings_key(&standard, keys, &name, text, &doc); keys++) {
        assert_true(strlen(doc) > 5);
        MUST(myr_settings_set(&other, name, text));
        assert_true(myr_settings_key(&other, keys, NULL, again, NULL));
        assert_string_equal(again, text);
    }
    assert_true(keys > 25);
    /* the text of every default is exact */
    assert_memory_equal(&other, &standard, offsetof(myr_settings, n_numbers));
    assert_int_equal(standard.n_numbers, 0);
    for (int i = 0, n = 0; i < myr_setting_key_count; i++) {
        if (myr_setting_keys[i].kind != MYR_SETTING_IS_NUMBER) continue;
        assert_string_equal(other.numbers[n].name, myr_setting_keys[i].name);
        assert_true(other.numbers[n].value == myr_setting_keys[i].usual);
        assert_int_equal(++n <= other.n_numbers, 1);
    }
    assert_false(myr_settings_key(&standard, -1, &name, text, &doc));
    assert_false(myr_settings_key(&standard, keys, &name, text, &doc));
    assert_true(myr_settings_key(NULL, 0, &name, text, &doc));
    assert_string_equal(text, "");
    MUST(myr_settings_set(&other, "tolerance", "0.1e-7"));
    assert_key(&other, "tolerance", "1e-08");
    MUST(myr_settings_set(&other, "seed", "9223372036854775807"));
    assert_key(&other, "seed", "9223372036854775807");
    MUST(myr_settings_set(&other, "dt", "0.0012345678901234567"));
    assert_true(other.dt_s == 0.0012345678901234567);
}

static void refuse(myr_settings *settings, const char *key, const char *value) {
    const myr_settings before = *settings;
    MUST_FAIL(myr_settings_set(settings, key, value), MYR_E_ARG, key);
    assert_memory_equal(settings, &before, sizeof before);
}

static void ranges_hold_for_every_key(void **state) {
    (void)state;
    myr_settings settings = myr_settings_default();
    for (int i = 0; i < myr_setting_key_count; i++) {
        const myr_setting_key *key = &myr_setting_keys[i];
        char text[64];
        refuse(&settings, key->name, "");
        refuse(&settings, key->name, "nonsense");
        if (key->kind == MYR_SETTING_IS_WORD) {
            refuse(&settings, key->name, "auto|none");
            refuse(&settings, key->name, "aut");
            refuse(&settings, key->name, "a word that is much longer than any word which fits into the struct of settings, and by far");
            continue;
        }
        refuse(&settings, key->name, "nan");
        refuse(&settings, key->name, "inf");
        refuse(&settings, key->name, "1x");
        if (key->kind == MYR_SETTING_IS_INT) {
            refuse(&settings, key->name, "1.5");
            refuse(&settings, key->name, "99999999999999999999");
        }
        snprintf(text, sizeof text, "%.0f", floor(key->low) - 1);
        refuse(&settings, key->name, text);
        if (key->kind == MYR_SETTING_IS_REAL || key->kind == MYR_SETTING_IS_NUMBER) {
            snprintf(text, sizeof text, "%.17g", key->high * 1.01);
            refuse(&settings, key->name, text);
            snprintf(text, sizeof text, "%.17g", key->high);
            MUST(myr_settings_set(&settings, key->name, text));
        }
    }
    refuse(&settings, "tolerence", "1");
    refuse(&settings, "isa", "AVX512");
    MUST_FAIL(myr_settings_set(&settings, "isa", "sse9"), MYR_E_ARG, "'sse9'");
    MUST_FAIL(myr_settings_set(&settings, "isa", "sse9"), MYR_E_ARG, "auto|avx512|avx2|neon|portable");
    MUST_FAIL(myr_settings_set(&settings, NULL, "1"), MYR_E_ARG, "key is NULL");
    MUST_FAIL(myr_settings_set(&settings, "dt", NULL), MYR_E_ARG, "value is NULL");
}

static void a_struct_nobody_filled_is_refused(void **state) {
    (void)state;
    myr_settings zeros;
    memset(&zeros, 0, sizeof zeros);
    MUST_FAIL(myr_settings_set(&zeros, "dt", "1e-3"), MYR_E_ARG, "myr_settings_default");
    MUST_FAIL(myr_settings_load(&zeros, "paper"), MYR_E_ARG, "myr_settings_default");
    MUST_FAIL(myr_settings_set(NULL, "dt", "1e-3"), MYR_E_ARG, "NULL");
    myr_settings settings = myr_settings_default();
    settings.dt_s = -1; /* written past the setter */
    MUST_FAIL(myr_settings_check(&settings), MYR_E_ARG, "'dt'");
    settings = myr_settings_default();
    memset(settings.task, 'x', sizeof settings.task); /* no end */
    MUST_FAIL(myr_settings_check(&settings), MYR_E_ARG, "'task'");
}

/* The old name is read, by the setter, from a profile and in the struct itself; it is noted, and the new name is what comes out. */
static void a_renamed_solver_is_found_and_noted(void **state) {
    (void)state;
    myr_settings settings = myr_settings_default();
    MUST(myr_settings_set(&settings, "solver", "pgs-004"));
    assert_string_equal(settings.solver, "pgs-lelidec");
    assert_string_equal(myr_settings_note(), "solver pgs-004 is now called pgs-lelidec");
    MUST(myr_settings_set(&settings, "solver", "pgs-lelidec"));
    assert_string_equal(myr_settings_note(), "");
    MUST(myr_settings_set(&settings, "solver", "nsgs"));
    const char *profile = write_profile("renamed.json", "{\"solver\": \"pgs-004\", \"dt\": 0.002}");
    MUST(myr_settings_load(&settings, profile));
    assert_string_equal(settings.solver, "pgs-lelidec");
    assert_non_null(strstr(myr_settings_note(), "renamed.json: solver pgs-004 is now called pgs-lelidec"));
    MUST(myr_settings_load(&settings, "paper"));
    assert_string_equal(myr_settings_note(), "");
    strcpy(settings.solver, "pgs-004"); /* written past the setter */
    assert_key(&settings, "solver", "pgs-lelidec");
    myr_model *model = scene_model();
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, 2, &settings, &batch));
    MUST(myr_batch_step(batch, 1));
    myr_batch_free(batch);
    myr_model_free(model);
    refuse(&settings, "task", "pgs-004"); /* it is a solver's name alone */
}

static void numbers_do_not_care_for_the_locale(void **state) {
    (void)state;
    const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof commas / sizeof *commas; i++) found = setlocale(LC_ALL, commas[i]);
    if (!found) {
        print_message("no locale with a decimal comma is installed here\n");
        skip();
    }
    myr_settings settings = myr_settings_default();
    MUST(myr_settings_set(&settings, "dt", "0.002"));
    assert_key(&settings, "dt", "0.002");
    refuse(&settings, "dt", "0,002");
    MUST(myr_settings_load(&settings, write_profile("comma.json", "{\"dt\": 0.003}")));
    assert_true(settings.dt_s == 0.003);
    setlocale(LC_ALL, "C");
}

/* ---- profiles ------------------------------------------------------------------------------------------------------- */

static void shipped_profiles_load(void **state) {
    (void)state;
    myr_settings settings = myr_settings_default();
    MUST(myr_settings_load(&settings, "paper"));
    assert_key(&settings, "precision", "f64");
    assert_key(&settings, "solver", "bisection-paper");
    assert_key(&settings, "tolerance", "1e-06");
    assert_key(&settings, "alpha-min", "0.7");
    MUST(myr_settings_load(&settings, "rollout"));
    assert_key(&settings, "precision", "f32");
    assert_key(&settings, "solver", "hybrid");
    assert_key(&settings, "tolerance", "1e-05");
    MUST(myr_settings_load(&settings, "machine"));
    assert_key(&settings, "isa", "auto");
}

static void a_profile_builds_on_its_base(void **state) {
    (void)state;
    write_profile("ground.json", "{\"about\": \"first\", \"tolerance\": 1e-4, \"threads\": 7, \"pin\": false, \"task\": \"none\"}");
    write_profile("middle.json", "{\"threads\": 5, \"base\": \"ground\", \"dt\": 1}");
    const char *top = write_profile("top.json", "{\"base\": \"./middle.json\", \"threads\": 3}");
    assert_int_equal(setenv("MYRIAPOD_PROFILES", "/nowhere", 1), 0);
    myr_settings settings = myr_settings_default();
    MUST_FAIL(myr_settings_load(&settings, "top"), MYR_E_FILE, "/nowhere");
    MUST_FAIL(myr_settings_load(&settings, top), MYR_E_FILE, "'ground'");
    char list[400];
    snprintf(list, sizeof list, "/nowhere::%s", directory);
    assert_int_equal(setenv("MYRIAPOD_PROFILES", list, 1), 0);
    MUST(myr_settings_set(&settings, "seed", "12"));
    MUST(myr_settings_load(&settings, "top"));
    assert_key(&settings, "threads", "3");
    assert_key(&settings, "pin", "0");
    assert_key(&settings, "tolerance", "0.0001");
    assert_key(&settings, "dt", "1");
    assert_key(&settings, "task", "none");
    assert_key(&settings, "seed", "12"); /* what no profile says stays */
    assert_int_equal(chdir(directory), 0);
    MUST(myr_settings_load(&settings, "ground.json"));
    assert_key(&settings, "threads", "7");
    assert_int_equal(chdir("/"), 0);
}

static void refuse_profile(const char *text, myr_status status, const char *word) {
    myr_settings settings = myr_settings_default();
    const myr_settings before = settings;
    const char *path = write_profile("bad.json", text);
    MUST_FAIL(myr_settings_load(&settings, path), status, word);
    MUST_FAIL(myr_settings_load(&settings, path), status, "bad.json");
    assert_memory_equal(&settings, &before, sizeof before);
}

static void bad_profiles_change_nothing(void **state) {
    (void)state;
    refuse_profile("{\"threads\": 2, \"tolerence\": 1}", MYR_E_FORMAT, "'tolerence'");
    refuse_profile("{\"threads\": 2, \"tolerance\": 2}", MYR_E_FORMAT, "'tolerance' is 2");
    refuse_profile("{\"threads\": 2, \"tolerance\": \"1e-3\"}", MYR_E_FORMAT, "'tolerance' is \"1e-3\"");
    refuse_profile("{\"threads\": 2.5}", MYR_E_FORMAT, "'threads' is 2.5");
    refuse_profile("{\"threads\": true}", MYR_E_FORMAT, "'threads' is true");
    refuse_profile("{\"threads\": null}", MYR_E_FORMAT, "'threads' is null");
    refuse_profile("{\"threads\": -1}", MYR_E_FORMAT, "'threads' is -1");
    refuse_profile("{\"isa\": 512}", MYR_E_FORMAT, "'isa' is 512");
    refuse_profile("{\"isa\": \"sse\"}", MYR_E_FORMAT, "'sse'");
    refuse_profile("{\"threads\": 2,\n \"threads\": 3}", MYR_E_FORMAT, "bad.json:2");
    refuse_profile("{\"threads\": 2,\n\n nonsense}", MYR_E_FORMAT, "bad.json:3");
    refuse_profile("[1, 2]", MYR_E_FORMAT, "JSON object");
    refuse_profile("", MYR_E_FORMAT, "bad.json");
    refuse_profile("{\"about\": 3}", MYR_E_FORMAT, "'about'");
    refuse_profile("{\"base\": 3}", MYR_E_FORMAT, "'base'");
    refuse_profile("{\"base\": \"missing\"}", MYR_E_FILE, "'missing'");
    refuse_profile("{\"base\": \"gone/away.json\"}", MYR_E_FILE, "gone/away.json");
    myr_settings settings = myr_settings_default();
    MUST_FAIL(myr_settings_load(&settings, ""), MYR_E_ARG, "no profile");
    MUST_FAIL(myr_settings_load(&settings, NULL), MYR_E_ARG, "no profile");
    MUST_FAIL(myr_settings_load(&settings, "/tmp/"), MYR_E_FILE, "/tmp");
}

static void circles_are_found(void **state) {
    (void)state;
    myr_settings settings = myr_settings_default();
    const myr_settings before = settings;
    MUST_FAIL(myr_settings_load(&settings, write_profile("self.json", "{\"base\": \"./self.json\"}")), MYR_E_FORMAT, "leads back");
    write_profile("a.json", "{\"base\": \"./b.json\", \"threads\": 2}");
    write_profile("b.json", "{\"base\": \"./c.json\"}");
    write_profile("c.json", "{\"base\": \"./a.json\"}");
    MUST_FAIL(myr_settings_load(&settings, in_directory("a.json")), MYR_E_FORMAT, "c.json: base: './a.json' leads back");
    for (int i = 0; i < 40; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "deep%d.json", i);
        snprintf(text, sizeof text, "{\"base\": \"./deep%d.json\"}", i + 1);
        write_profile(name, text);
    }
    write_profile("deep40.json", "{}");
    MUST_FAIL(myr_settings_load(&settings, in_directory("deep0.json")), MYR_E_FORMAT, "16");
    MUST(myr_settings_load(&settings, in_directory("deep30.json")));
    assert_memory_equal(&settings, &before, sizeof before);
}

static int make_directory(void **state) {
    (void)state;
    unsetenv("MYRIAPOD_PROFILES");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_reads_back_what_was_set),
        cmocka_unit_test(ranges_hold_for_every_key),
        cmocka_unit_test(a_struct_nobody_filled_is_refused),
        cmocka_unit_test(a_renamed_solver_is_found_and_noted),
        cmocka_unit_test(numbers_do_not_care_for_the_locale),
        cmocka_unit_test(shipped_profiles_load),
        cmocka_unit_test(a_profile_builds_on_its_base),
        cmocka_unit_test(bad_profiles_change_nothing),
        cmocka_unit_test(circles_are_found),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
