/* A name that does not exist: the message names the nearest that does and lists what there is, in one line, for settings, their words,
 * profiles and robots. */
#include "support/batch_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"

static void the_nearest_word(void **state) {
    (void)state;
    static const struct {
        const char *wrong, *meant;
    } cases[] = {{"max_sweeps", "max-sweeps"},
                 {"Max-Sweeps", "max-sweeps"},
                 {"max-sweep", "max-sweeps"},
                 {"maxsweeps", "max-sweeps"},
                 {"td", "dt"},
                 {"TD", "dt"},
                 {"dt_", "dt"},
                 {"warm-strat", "warm-start"},
                 {"gravitation", NULL},
                 {"x", NULL},
                 {"", NULL},
                 {"max-sweeps", "max-sweeps"}};
    myr_words words = {0};
    myr_words_add_choices(&words, "envs|dt|max-sweeps|warm-start");
    assert_int_equal(words.n, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *nearest = myr_words_nearest(&words, cases[i].wrong);
        if (cases[i].meant ? !nearest || strcmp(nearest, cases[i].meant) != 0 : nearest != NULL)
            fail_msg("`%s` is said to be nearest to `%s`", cases[i].wrong, nearest ? nearest : "nothing");
    }
}

/* Names as other collections have them hold ours, or are held by it. */
static void a_name_in_a_name(void **state) {
    (void)state;
    static const struct {
        const char *wrong, *meant;
    } cases[] = {{"unitree_go2", "go2"},
                 {"unitree_g1", "g1"},
                 {"anybotics_anymal_c", "anymal"},
                 {"franka_emika_panda", "panda"},
                 {"panda_arm", "panda"},
                 {"Isaac-Velocity-Flat-Unitree-Go2-v0", "go2-flat"},
                 {"Ant-v5", "gym-ant"},
                 {"InvertedPendulum-v5", "gym-inverted-pendulum"},
                 {"Newton", "newton-diag"},
                 {"go3-flat", "go2-flat"},
                 {"unitree_a1", NULL},
                 {"ti", NULL},
                 {"v5", NULL},
                 {"--", NULL}};
    myr_words words = {0};
    myr_words_add_choices(
        &words, "anymal|g1|g1-12dof|go2|go2-flat|gym-ant|gym-inverted-double-pendulum|gym-inverted-pendulum|newton-diag|panda-wall|panda");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *nearest = myr_words_nearest(&words, cases[i].wrong);
        if (cases[i].meant ? !nearest || strcmp(nearest, cases[i].meant) != 0 : nearest != NULL)
            fail_msg("`%s` is said to be nearest to `%s`", cases[i].wrong, nearest ? nearest : "nothing");
    }
}

/* More words than fit, and longer ones, are left out and harm nothing. */
static void too_many_and_too_long(void **state) {
    (void)state;
    static myr_words words;
    char longest[200], text[100];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memset(&words, 0, sizeof words);
    myr_words_add(&words, longest);
    myr_words_insert(&words, longest, strlen(longest));
    assert_int_equal(words.n, 0);
    assert_null(myr_words_nearest(&words, longest));
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "w%03d", 299 - i);
        myr_words_insert(&words, text, 4);
        myr_words_insert(&words, text, 4); /* each once */
    }
    assert_int_equal(words.n, MYR_MOST_WORDS);
    for (int i = 1; i < words.n; i++) assert_true(strcmp(words.word[i - 1], words.word[i]) < 0);
    assert_null(myr_words_nearest(&words, longest));
    myr_words_list(&words, text, sizeof text);
    assert_int_equal(strlen(text), sizeof text - 1);
}

/* All of the words are in the message, which is one line. */
static void expect(const char *const *words) {
    const char *message = myr_message();
    if (strchr(message, '\n')) fail_msg("more than one line: %s", message);
    for (; *words; words++)
        if (!strstr(message, *words)) fail_msg("the message does not say `%s`: %s", *words, message);
}

#define EXPECT(...) expect((const char *const[]){__VA_ARGS__, NULL})

static void messages_name_what_was_meant(void **state) {
    (void)state;
    char path[] = "/tmp/myriapod-nearest-XXXXXX.json";
    myr_settings settings = myr_settings_default();
    myr_model *model = NULL;
    const int fd = mkstemps(path, 5);
    const char profile[] = "{\"max_sweeps\": 3}";
    assert_true(fd >= 0 && write(fd, profile, sizeof profile - 1) == (ssize_t)sizeof profile - 1 && close(fd) == 0);
    MUST_FAIL(myr_settings_set(&settings, "max_sweeps", "3"), MYR_E_ARG, "no setting 'max_sweeps'; did you mean 'max-sweeps'?");
    const char *key;
    for (int i = 0; myr_settings_key(&settings, i, &key, NULL, NULL); i++) { /* every one is listed */
        char listed[MYR_NAME_LENGTH + 3];
        snprintf(listed, sizeof listed, " %s", key);
        EXPECT(listed);
    }
    MUST_FAIL(myr_settings_set(&settings, "gravitation", "3"), MYR_E_ARG, "no setting 'gravitation'. There are: envs, steps, ");
    MUST_FAIL(myr_settings_load(&settings, path), MYR_E_FORMAT, path);
    EXPECT("no setting 'max_sweeps'; did you mean 'max-sweeps'?", " pgs-alpha");
    MUST_FAIL(myr_settings_set(&settings, "solver", "ngss"), MYR_E_ARG, "did you mean 'nsgs'?");
    EXPECT("'solver' is 'ngss'", "nsgs", "newton-compliant");
    MUST_FAIL(myr_settings_set(&settings, "task", "trott"), MYR_E_ARG, "did you mean 'trot'?");
    MUST_FAIL(myr_settings_set(&settings, "isa", "AVX2"), MYR_E_ARG, "did you mean 'avx2'?");
    MUST_FAIL(myr_settings_set(&settings, "task", "somersault"), MYR_E_ARG, "must be one of auto|locomotion");
    assert_null(strstr(myr_message(), "did you mean"));
    MUST_FAIL(myr_settings_load(&settings, "rolout"), MYR_E_FILE, "no profile 'rolout'; did you mean 'rollout'?");
    EXPECT("machine", "paper", "looked in");
    MUST_FAIL(myr_model_load("anymall", MYR_ROOT_AUTO, &model), MYR_E_FILE, "did you mean 'anymal'?");
    EXPECT("`anymall`", "solo12", "double-pendulum", "chain-N", "hand-ball", "looked in");
    MUST_FAIL(myr_model_load("unitree_go2", MYR_ROOT_AUTO, &model), MYR_E_FILE, "did you mean 'go2'?");
    MUST_FAIL(myr_model_load("spot", MYR_ROOT_AUTO, &model), MYR_E_FILE, "no shipped robot `spot`. There are: ");
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_nearest_word), cmocka_unit_test(a_name_in_a_name),
                                       cmocka_unit_test(too_many_and_too_long), cmocka_unit_test(messages_name_what_was_meant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
