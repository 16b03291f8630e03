/* ctest: threads
 * Other numbers for a batch's task while it runs: as if it had been made with them, whole or not at all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/act_scene.h"
#include "support/failing_memory.h"

enum { ENVS = 19, STEPS = 24, FIRST = 9 };

/* What is multiplied by a number is not computed where that is 0, and a term without weight is not judged: with other numbers programs are
 * longer. */
static const char text[] = "myriapod_task 1\n"
                           "name tuned\n"
                           "uses vary pushes\n"
                           "gains quadruped\n"
                           "number wanted 0 0 2 how fast [m/s]\n"
                           "number size 0.02\n"
                           "number price 0 -10 10\n"
                           "memory slow 12\n"
                           "command 1 every number.size\n"
                           "reward speed -1 how far from what is wanted\n"
                           "reward still number.price squares of velocities\n"
                           "reward fixed 1\n"
                           "observe joints noise number.size where they are\n"
                           "observe wanted scale number.size what is\n"
                           "moment start\n"
                           "input draws.a 12\n"
                           "input number.size\n"
                           "off = mul number.size draws.a\n"
                           "output actuator_position off\n"
                           "moment command\n"
                           "input draws.c 1\n"
                           "output command draws.c\n"
                           "moment judge\n"
                           "input actuator_velocity\n"
                           "input base_linear\n"
                           "input memory.slow\n"
                           "input number.wanted\n"
                           "input command\n"
                           "x = slice base_linear 0 1\n"
                           "all = sum actuator_velocity\n"
                           "more = mul all number.wanted\n"
                           "off = sub x more\n"
                           "far = abs off\n"
                           "output reward.speed far\n"
                           "slower = fma memory.slow 0.9 actuator_velocity\n"
                           "output memory.slow slower\n"
                           "waves = sin slower\n"
                           "squares = dot waves slower\n"
                           "output reward.still squares\n"
                           "output reward.fixed command\n"
                           "z = slice base_linear 2 1\n"
                           "fast = gt z 0.6\n"
                           "output end.fast fast\n"
                           "moment observe\n"
                           "input actuator_length\n"
                           "input number.wanted\n"
                           "output joints actuator_length\n"
                           "output wanted number.wanted\n";

static const char *const names[] = {"wanted", "price", "push-speed", "size", "vary-gains", "curriculum"};
static const double values[] = {0.7, -0.25, 0.125, 0.3, 0.2, 0};
enum { CHANGED = sizeof values / sizeof *values };

static myr_model *anymal;
static myr_task_table *table;

static int open_model(void **state) {
    (void)state;
    return myr_model_load("anymal", MYR_ROOT_AUTO, &anymal) || myr_task_table_read(text, sizeof text - 1, "tuned.task", &table);
}

static int close_model(void **state) {
    (void)state;
    myr_task_table_free(table);
    myr_model_free(anymal);
    return 0;
}

static myr_settings settings_of(const char *precision, int tuned) {
    myr_settings settings = act_settings("precision", precision, "threads", "3", "episode", "0.3", "push-interval", "0.1", NULL);
    for (int k = 0; k < CHANGED && tuned; k++) {
        char word[40];
        snprintf(word, sizeof word, "%.17g", values[k]);
        if (!strchr(names[k], '-') && strcmp(names[k], "curriculum") != 0) {
            snprintf(settings.numbers[settings.n_numbers].name, MYR_NAME_LENGTH, "%s", names[k]);
            settings.numbers[settings.n_numbers++].value = values[k];
        } else
            MUST(myr_settings_set(&settings, names[k], word));
    }
    return settings;
}

static myr_batch *batch_of(const myr_settings *settings) {
    myr_batch *batch = NULL;
    MUST(myr_batch_create_for(anymal, ENVS, settings, table, &batch));
    return batch;
}

/* The state goes from a batch that was tuned to one that was made so: they go on alike, through ends, commands and pushes. */
static void as_if_it_had_been_made_so(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        char path[] = "/tmp/myriapod-tuned-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        const myr_settings before = settings_of(p ? "f64" : "f32", 0), after = settings_of(p ? "f64" : "f32", 1);
        myr_batch *tuned = batch_of(&before), *made = batch_of(&after), *plain = batch_of(&before);
        act_arrays a = act_open(tuned, ENVS, STEPS), b = act_open(made, ENVS, STEPS), c = act_open(plain, ENVS, STEPS);
        act_actions(&a, 0, 1), act_actions(&b, 0, 1), act_actions(&c, 0, 1);
        act_run(tuned, &a, 0, 0, FIRST, 4, MYR_AUTORESET_SAME_STEP);
        act_run(plain, &c, 0, 0, FIRST, 4, MYR_AUTORESET_SAME_STEP);
        act_assert_same_steps("before", &a, &c, 3, 0, FIRST);
        myr_stats was, is;
        myr_batch_stats(tuned, &was);
        MUST(myr_batch_set_numbers(tuned, CHANGED, names, values));
        myr_batch_stats(tuned, &is);
        assert_true(is.robot_steps == was.robot_steps && was.robot_steps > 0);
        myr_number_info number;
        MUST(myr_batch_get_number(tuned, 0, &number));
        assert_true(number.value == 0.7);
        MUST(myr_batch_save(tuned, path));
        MUST(myr_batch_restore(made, path));
        MUST_FAIL(myr_batch_restore(plain, path), MYR_E_FORMAT, "push-speed");
        act_run(tuned, &a, 0, FIRST, STEPS, 4, MYR_AUTORESET_SAME_STEP);
        act_run(made, &b, 0, FIRST, STEPS, 4, MYR_AUTORESET_SAME_STEP);
        act_run(plain, &c, 0, FIRST, STEPS, 4, MYR_AUTORESET_SAME_STEP);
        int ended = 0, other = 0;
        for (int env = 0; env < ENVS; env++) {
            act_assert_same_steps("tuned", &a, &b, env, FIRST, STEPS);
            for (int64_t row = act_at(&a, env, FIRST); row < act_at(&a, env, STEPS); row++)
                ended += a.terminated[row] || a.truncated[row], other += a.reward[row] != c.reward[row];
        }
        assert_true(ended >= ENVS && other > ENVS);
        remove(path);
        act_close(&a), act_close(&b), act_close(&c);
        myr_batch_free(tuned), myr_batch_free(made), myr_batch_free(plain);
    }
}

static void all_or_none(void **state) {
    (void)state;
    const myr_settings settings = settings_of("f32", 0);
    myr_batch *batch = batch_of(&settings);
    static const struct {
        const char *name, *words;
        double value;
    } wrong[] = {{"wantet", "did you mean 'wanted'?", 1},
                 {"push-sped", "did you mean 'push-speed'?", 1},
                 {"wanted", "but must lie in 0 .. 2: tuned.task:5", 3},
                 {"wanted", "must be a finite number", NAN},
                 {"size", "must be a finite number", INFINITY},
                 {"push-speed", "'push-speed'", -1},
                 {"curriculum", "must be a whole number", 0.5},
                 {"curriculum", "'curriculum'", 2},
                 {"episode", "neither a number of the task 'tuned' nor a setting", 1},
                 {"dt", "neither a number of the task 'tuned' nor a setting", 1},
                 {"reward-torque", "neither a number of the task 'tuned' nor a setting", 1}};
    double seen[2][ENVS * 13], is;
    MUST(myr_batch_observe(batch, MYR_F64, seen[0]));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const char *const two[] = {"wanted", wrong[k].name};
        const double with[] = {1.5, wrong[k].value};
        MUST_FAIL(myr_batch_set_numbers(batch, 2, two, with), MYR_E_ARG, wrong[k].words);
        myr_number_info number;
        MUST(myr_batch_get_number(batch, 0, &number));
        assert_true(number.value == 0);
    }
    const char *const none[] = {NULL};
    MUST_FAIL(myr_batch_set_numbers(batch, 1, none, &is), MYR_E_ARG, "a name is NULL");
    MUST_FAIL(myr_batch_set_numbers(batch, 1, NULL, &is), MYR_E_ARG, "names or values are NULL");
    MUST_FAIL(myr_batch_set_numbers(batch, -1, names, values), MYR_E_ARG, "n is -1");
    MUST_FAIL(myr_batch_set_numbers(NULL, 1, names, values), MYR_E_ARG, "batch is NULL");
    MUST(myr_batch_set_numbers(batch, 0, NULL, NULL));
    MUST(myr_batch_observe(batch, MYR_F64, seen[1]));
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    myr_batch_free(batch);
    const myr_settings stand = scene_settings("threads", "1", "task", "stand", NULL);
    MUST(myr_batch_create(anymal, 1, &stand, &batch));
    MUST_FAIL(myr_batch_set_numbers(batch, 1, names, values), MYR_E_STATE, "the task 'stand' is not a table");
    myr_batch_free(batch);
}

/* The library's own table has its weights as numbers. */
static void a_weight_that_was_zero(void **state) {
    (void)state;
    const myr_settings settings = act_settings(NULL);
    myr_batch *batch = act_batch(anymal, 5, &settings);
    act_arrays out = act_open(batch, 5, 8);
    const char *const height[] = {"reward-height", "base-height"};
    const double weight[] = {-3, 0.2};
    int at = 0;
    myr_reward_info term;
    while (!myr_batch_get_reward(batch, at, &term) && strcmp(term.name, "height") != 0) at++;
    assert_string_equal(term.name, "height");
    act_run(batch, &out, 0, 0, 4, 4, MYR_AUTORESET_SAME_STEP);
    MUST(myr_batch_set_numbers(batch, 2, height, weight));
    act_run(batch, &out, 0, 4, 8, 4, MYR_AUTORESET_SAME_STEP);
    for (int64_t row = 0; row < 5 * 8; row++) assert_true((out.terms[row * out.n_terms + at] != 0) == (row % 8 >= 4));
    act_close(&out);
    myr_batch_free(batch);
}

/* Where memory runs out the batch is as it was. */
static void memory_may_run_out(void **state) {
    (void)state;
    const myr_settings settings = settings_of("f32", 0);
    for (int call = 1;; call++) {
        ledger l = {0};
        const myr_allocator counting = {count_allocation, count_release, &l};
        myr_set_allocator(&counting);
        myr_batch *batch = batch_of(&settings);
        l.fails_at = l.calls + call;
        const myr_status status = myr_batch_set_numbers(batch, CHANGED, names, values);
        l.fails_at = 0;
        myr_number_info number;
        MUST(myr_batch_get_number(batch, 0, &number));
        assert_true(number.value == (status ? 0 : 0.7));
        act_arrays out = act_open(batch, ENVS, 2);
        act_run(batch, &out, 0, 0, 2, 2, MYR_AUTORESET_SAME_STEP);
        act_close(&out);
        myr_batch_free(batch);
        myr_set_allocator(NULL);
        assert_int_equal(l.live, 0);
        if (status == MYR_OK) return;
        if (status != MYR_E_MEMORY) fail_msg("call %d: %d, %s", call, (int)status, myr_message());
        assert_true(call < 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_if_it_had_been_made_so), cmocka_unit_test(all_or_none),
                                       cmocka_unit_test(a_weight_that_was_zero), cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, open_model, close_model);
}
