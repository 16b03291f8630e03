/* ctest: threads
 * myr_batch_act: the same bits however the work is cut; episodes that end and begin as promised in all three modes; exact sums and lengths.
 * Bad actions and broken steps: test_act_faults.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "support/isas.h"

enum { ENVS = 37, STEPS = 60 }; /* tiles of 16 and 8, the last one ragged */

static const char *const precisions[] = {"f32", "f64"};
static myr_model *anymal;

static int open_model(void **state) {
    (void)state;
    return myr_model_load("anymal", MYR_ROOT_AUTO, &anymal) != MYR_OK;
}

static int close_model(void **state) {
    (void)state;
    myr_model_free(anymal);
    return 0;
}

/* Short episodes in which all happens: time runs out, robots fall, are pushed and commanded anew, parameters vary. */
static myr_settings lively(const char *precision) {
    return act_settings("precision", precision, "episode", "0.7", "push-interval", "0.2", "command-hold", "0.3", "vary-mass", "1",
                        "vary-com", "0.01", "vary-gains", "0.1", "vary-delay", "0.01", "vary-friction-low", "0.7", "reward-termination",
                        "-1", "reward-height", "-1", NULL);
}

/* ---- the same bits -------------------------------------------------------------------------------------------------- */

static act_arrays run_lively(const myr_settings *settings, int64_t chunk, int64_t cut) {
    act_arrays out = {0};
    for (int half = 0; half < (cut ? 2 : 1); half++) {
        myr_settings own = *settings;
        const int64_t first = half ? cut : 0, envs = !cut ? ENVS : half ? ENVS - cut : cut;
        own.first_env += first;
        myr_batch *batch = act_batch(anymal, envs, &own);
        if (half == 0) {
            out = act_open(batch, ENVS, STEPS);
            act_actions(&out, 100, 3);
        }
        act_run(batch, &out, first, 0, STEPS, chunk, MYR_AUTORESET_SAME_STEP);
        myr_batch_free(batch);
    }
    return out;
}

static void how_the_work_is_cut_changes_no_bits(void **state) {
    (void)state;
    static const struct {
        const char *what, *threads;
        int64_t chunk, cut;
    } ways[] = {{"steps in one call", "1", STEPS, 0}, {"calls of seven steps", "1", 7, 0}, {"two threads", "2", STEPS, 0},
                {"three threads", "3", 1, 0},         {"cut at 5", "1", STEPS, 5},         {"cut at 32, two threads", "2", 11, 32}};
    for (int p = 0; p < 2; p++) {
        myr_settings settings = lively(precisions[p]);
        settings.first_env = 900;
        snprintf(settings.isa, sizeof settings.isa, "%s", isa_at(0));
        act_arrays base = run_lively(&settings, 1, 0);
        int ended = 0, fell = 0;
        for (int64_t row = 0; row < ENVS * STEPS; row++) fell += base.terminated[row], ended += base.truncated[row];
        assert_true(fell > 5 && ended > 5);
        for (int i = 0; isa_at(i); i++)
            for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
                snprintf(settings.isa, sizeof settings.isa, "%s", isa_at(i));
                MUST(myr_settings_set(&settings, "threads", ways[k].threads));
                act_arrays other = run_lively(&settings, ways[k].chunk, ways[k].cut);
                act_assert_same(ways[k].what, &other, &base);
                act_close(&other);
            }
        act_close(&base);
    }
}

/* Arrays in floats hold the doubles rounded, and every output may be left out; no action is an action of zeros. */
static void arrays_come_in_both_types_and_are_optional(void **state) {
    (void)state;
    const myr_settings settings = lively("f64");
    myr_batch *a = act_batch(anymal, ENVS, &settings), *b = act_batch(anymal, ENVS, &settings);
    act_arrays wide = act_open(a, ENVS, STEPS);
    act_actions(&wide, 0, 3);
    float *action = malloc(sizeof(float) * (size_t)(ENVS * STEPS * wide.nu)), *reward = malloc(sizeof(float) * ENVS * STEPS),
          *seen = malloc(sizeof(float) * (size_t)(ENVS * STEPS * wide.n_obs));
    assert_true(action && reward && seen);
    for (int64_t i = 0; i < ENVS * STEPS * wide.nu; i++) wide.action[i] = action[i] = (float)wide.action[i];
    act_run(a, &wide, 0, 0, STEPS, STEPS, MYR_AUTORESET_SAME_STEP);
    const myr_act narrow = {.steps = STEPS, .type = MYR_F32, .action = action, .reward = reward, .observation = seen};
    MUST(myr_batch_act(b, &narrow));
    for (int64_t i = 0; i < ENVS * STEPS; i++) assert_true(reward[i] == (float)wide.reward[i]);
    for (int64_t i = 0; i < ENVS * STEPS * wide.n_obs; i++) assert_true(seen[i] == (float)wide.observation[i]);
    MUST(myr_batch_observe(b, MYR_F32, seen));
    for (int64_t env = 0; env < ENVS; env++)
        for (int k = 0; k < wide.n_obs; k++)
            assert_true(seen[env * wide.n_obs + k] == (float)wide.observation[act_at(&wide, env, STEPS - 1) * wide.n_obs + k]);
    assert_int_equal(myr_batch_hash(a), myr_batch_hash(b));
    const myr_act nothing = {.steps = 20, .type = MYR_F64};
    MUST(myr_batch_act(b, &nothing));
    memset(wide.action, 0, sizeof(double) * (size_t)(ENVS * STEPS * wide.nu));
    act_run(a, &wide, 0, 0, 20, 20, MYR_AUTORESET_SAME_STEP);
    assert_int_equal(myr_batch_hash(a), myr_batch_hash(b));
    free(action);
    free(reward);
    free(seen);
    act_close(&wide);
    myr_batch_free(a);
    myr_batch_free(b);
}

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

/* One number more, in the precision of the batch. */
static double plus(double sum, double x, int wide) { return wide ? sum + x : (double)((float)sum + (float)x); }

static int is_unwritten(const void *memory, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (((const char *)memory)[i] != ACT_UNWRITTEN) return 0;
    return 1;
}

static void sums_and_lengths_are_exact(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = lively(precisions[p]); /* 0.7 s are 35 control steps */
        act_arrays out = run_lively(&settings, STEPS, 0);
        for (int64_t env = 0; env < ENVS; env++) {
            double sums[64] = {0}, total = 0;
            int64_t length = 0;
            for (int64_t step = 0; step < STEPS; step++) {
                const int64_t row = act_at(&out, env, step), k0 = row * out.n_terms;
                double positive = 0;
                for (int k = 0; k < out.n_terms; k++) {
                    sums[k] = plus(sums[k], out.terms[k0 + k], p);
                    if (strcmp(myr_reward_name(k), "termination") != 0) positive = plus(positive, out.terms[k0 + k], p);
                }
                assert_true(fabs(out.reward[row] - (fmax(positive, 0) + out.terms[k0 + out.n_terms - 1])) < 1e-12);
                total = plus(total, out.reward[row], p);
                length++;
                assert_int_equal(out.truncated[row], length == 35 && !out.terminated[row]);
                if (!out.terminated[row] && !out.truncated[row]) {
                    assert_true(is_unwritten(out.final_observation + row * out.n_obs, sizeof(double) * (size_t)out.n_obs));
                    assert_true(is_unwritten(out.episode_terms + k0, sizeof(double) * (size_t)out.n_terms));
                    assert_true(is_unwritten(&out.episode_return[row], 8) && is_unwritten(&out.episode_length[row], 8));
                    continue;
                }
                assert_memory_equal(out.episode_terms + k0, sums, sizeof(double) * (size_t)out.n_terms);
                assert_true(out.episode_return[row] == total && out.episode_length[row] == length);
                memset(sums, 0, sizeof sums);
                total = 0, length = 0;
            }
        }
        act_close(&out);
    }
}

static void the_time_is_up_in_the_nearest_step(void **state) {
    (void)state;
    static const struct {
        const char *episode;
        int64_t steps;
    } times[] = {{"0.02", 1}, {"0.001", 1}, {"0.05", 3}, {"0.049", 2}, {"0.3", 15}, {"0", 0}};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        const myr_settings settings = act_settings("episode", times[k].episode, "fall-tilt", "4", "start-speed", "0", NULL);
        myr_batch *batch = act_batch(anymal, 3, &settings);
        act_arrays out = act_open(batch, 3, 32);
        act_run(batch, &out, 0, 0, 32, 32, MYR_AUTORESET_SAME_STEP);
        for (int64_t env = 0; env < 3; env++)
            for (int64_t step = 0; step < 32; step++) {
                assert_int_equal(out.terminated[act_at(&out, env, step)], 0);
                assert_int_equal(out.truncated[act_at(&out, env, step)], times[k].steps > 0 && (step + 1) % times[k].steps == 0);
            }
        act_close(&out);
        myr_batch_free(batch);
    }
}

static void the_clock_can_be_set(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = act_settings("precision", precisions[p], "episode", "2", "push-interval", "1e6", NULL);
        myr_batch *batch = act_batch(anymal, ENVS, &settings);
        act_arrays out = act_open(batch, ENVS, 3);
        for (int64_t env = 0; env < ENVS; env++) { /* some strange ones, which end at once or never */
            const double clock = env == 20   ? 97
                                 : env == 21 ? 99
                                 : env == 22 ? 1e6
                                 : env == 23 ? NAN
                                 : env == 24 ? -1e30
                                 : env == 25 ? 0x1.fffffffffffffp62
                                             : 5;
            MUST(myr_batch_set(batch, MYR_CLOCK, &env, 1, MYR_F64, &clock));
        }
        act_run(batch, &out, 0, 0, 3, 1, MYR_AUTORESET_SAME_STEP);
        for (int64_t env = 0; env < ENVS; env++)
            for (int64_t step = 0; step < 3; step++) {
                const int up = (env == 20 && step == 2) || ((env == 21 || env == 22 || env == 25) && step == 0);
                assert_int_equal(out.truncated[act_at(&out, env, step)], up);
                if (up && env == 21) assert_int_equal(out.episode_length[act_at(&out, env, step)], 100);
                for (int k = 0; k < out.n_obs; k++) assert_true(isfinite(out.observation[act_at(&out, env, step) * out.n_obs + k]));
            }
        double clock, time;
        const int64_t last = ENVS - 1;
        MUST(myr_batch_get(batch, MYR_CLOCK, &last, 1, MYR_F64, &clock));
        assert_true(clock == 8);
        MUST(myr_batch_get(batch, MYR_TIME, &last, 1, MYR_F64, &time)); /* the clock is the task's, the time is not */
        assert_true(fabs(time - 0.06) < 1e-12);
        act_close(&out);
        myr_batch_free(batch);
    }
}

/* Without an episode length, a clock close to the largest 64-bit integer changes nothing either. */
static void an_endless_clock_may_be_huge(void **state) {
    (void)state;
    const myr_settings settings = act_settings("precision", "f64", "episode", "0", "push-interval", "1e6", "fall-tilt", "4", NULL);
    myr_batch *batch = act_batch(anymal, ENVS, &settings);
    act_arrays out = act_open(batch, ENVS, 3);
    double command[2][3 * ENVS];
    for (int64_t env = 0; env < ENVS; env++) MUST(myr_batch_set(batch, MYR_CLOCK, &env, 1, MYR_F64, &(double){0x1.fffffffffffffp62}));
    MUST(myr_batch_get(batch, MYR_COMMAND, NULL, ENVS, MYR_F64, command[0]));
    act_run(batch, &out, 0, 0, 3, 1, MYR_AUTORESET_SAME_STEP);
    MUST(myr_batch_get(batch, MYR_COMMAND, NULL, ENVS, MYR_F64, command[1]));
    assert_memory_equal(command[0], command[1], sizeof command[0]);
    for (int64_t i = 0; i < ENVS * 3; i++) assert_true(isfinite(out.reward[i]) && !out.truncated[i]);
    act_close(&out);
    myr_batch_free(batch);
}

/* ---- after an episode ----------------------------------------------------------------------------------------------- */

/* A mode's history of one environment: actions are numbered by the steps that it really made. */
typedef struct history {
    myr_batch *batch;
    act_arrays out;
    int64_t made[ENVS];
    int waiting[ENVS];
} history;

static void open_history(history *h, const myr_settings *settings, int64_t steps) {
    memset(h, 0, sizeof *h);
    h->batch = act_batch(anymal, ENVS, settings);
    h->out = act_open(h->batch, ENVS, steps);
}

static void close_history(history *h) {
    act_close(&h->out);
    myr_batch_free(h->batch);
}

/* Environments that wait for a reset are given an action that would be a fault. */
static void step_history(history *h, int64_t step, myr_autoreset autoreset) {
    for (int64_t env = 0; env < ENVS; env++) {
        double *action = h->out.action + act_at(&h->out, env, step) * h->out.nu;
        if (h->waiting[env])
            for (int k = 0; k < h->out.nu; k++) action[k] = NAN;
        else
            act_action(env, h->made[env]++, h->out.nu, (double)(env % 4), action);
    }
    act_run(h->batch, &h->out, 0, step, step + 1, 1, autoreset);
    for (int64_t env = 0; env < ENVS; env++) {
        const int64_t row = act_at(&h->out, env, step);
        const int ended = h->out.terminated[row] || h->out.truncated[row];
        assert_true(!(h->waiting[env] && ended));
        h->waiting[env] = autoreset == MYR_AUTORESET_SAME_STEP   ? 0
                          : autoreset == MYR_AUTORESET_NEXT_STEP ? ended
                                                                 : ended || h->waiting[env];
    }
}

static void assert_equal_rows(const double *a, const double *b, int count) { assert_memory_equal(a, b, sizeof *a * (size_t)count); }

/* SAME_STEP gives the same results, step by step, as NEXT_STEP without the steps that reset. */
static void next_step_tells_what_same_step_tells(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = lively(precisions[p]);
        history same, next;
        int resets = 0;
        open_history(&same, &settings, STEPS);
        open_history(&next, &settings, STEPS);
        for (int64_t step = 0; step < STEPS; step++) {
            step_history(&same, step, MYR_AUTORESET_SAME_STEP);
            step_history(&next, step, MYR_AUTORESET_NEXT_STEP);
        }
        const act_arrays *a = &same.out, *b = &next.out;
        for (int64_t env = 0; env < ENVS; env++)
            for (int64_t i = 0, j = 0; j < STEPS; i++, j++) {
                const int64_t s = act_at(a, env, i), n = act_at(b, env, j);
                const int ended = a->terminated[s] || a->truncated[s];
                assert_true(a->terminated[s] == b->terminated[n] && a->truncated[s] == b->truncated[n] && a->fault[s] == b->fault[n]);
                assert_equal_rows(a->terms + s * a->n_terms, b->terms + n * b->n_terms, a->n_terms);
                assert_true(a->reward[s] == b->reward[n]);
                assert_equal_rows((ended ? a->final_observation : a->observation) + s * a->n_obs, b->observation + n * a->n_obs, a->n_obs);
                assert_equal_rows(a->final_observation + s * a->n_obs, b->final_observation + n * a->n_obs, a->n_obs);
                assert_equal_rows(a->episode_terms + s * a->n_terms, b->episode_terms + n * a->n_terms, a->n_terms);
                assert_memory_equal(a->episode_return + s, b->episode_return + n, 8);
                assert_memory_equal(a->episode_length + s, b->episode_length + n, 8);
                if (!ended || ++j >= STEPS) continue;
                const int64_t reset = act_at(b, env, j);
                resets++;
                assert_true(b->reward[reset] == 0 && !b->terminated[reset] && !b->truncated[reset] && !b->fault[reset]);
                for (int k = 0; k < b->n_terms; k++) assert_true(b->terms[reset * b->n_terms + k] == 0);
                assert_equal_rows(a->observation + s * a->n_obs, b->observation + reset * a->n_obs, a->n_obs);
                assert_true(is_unwritten(b->final_observation + reset * b->n_obs, 8));
            }
        assert_true(resets > 20);
        close_history(&same);
        close_history(&next);
    }
}

/* All that a batch shows of an environment. */
static size_t show_env(const myr_batch *batch, int64_t env, double *all) {
    size_t at = 0;
    for (int f = 0; f < MYR_FIELD_COUNT; f++) {
        const int count = myr_batch_components(batch, (myr_field)f);
        if (count > 0) MUST(myr_batch_get(batch, (myr_field)f, &env, 1, MYR_F64, all + at));
        at += (size_t)count;
        assert_true(at < 600);
    }
    return at;
}

static void disabled_waits_for_a_reset(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = lively(precisions[p]);
        history same, still;
        static double ended_at[ENVS][600];
        uint8_t mask[ENVS] = {0};
        int64_t end[ENVS];
        int waited = 0;
        open_history(&same, &settings, STEPS);
        open_history(&still, &settings, STEPS);
        for (int64_t env = 0; env < ENVS; env++) end[env] = -1;
        for (int64_t step = 0; step < STEPS; step++) {
            step_history(&same, step, MYR_AUTORESET_SAME_STEP);
            step_history(&still, step, MYR_AUTORESET_DISABLED);
            for (int64_t env = 0; env < ENVS; env++) {
                const int64_t row = act_at(&still.out, env, step);
                double now[600];
                const size_t bytes = sizeof *now * show_env(still.batch, env, now);
                if (end[env] < 0 && still.waiting[env]) {
                    assert_equal_rows(same.out.final_observation + row * same.out.n_obs, still.out.observation + row * still.out.n_obs,
                                      still.out.n_obs);
                    end[env] = step;
                    memcpy(ended_at[env], now, bytes);
                } else if (end[env] >= 0) { /* nothing moves, nothing is told again */
                    waited++;
                    assert_memory_equal(now, ended_at[env], bytes);
                    assert_true(still.out.reward[row] == 0 && !still.out.terminated[row] && !still.out.truncated[row]);
                    assert_equal_rows(still.out.observation + row * still.out.n_obs,
                                      still.out.observation + act_at(&still.out, env, end[env]) * still.out.n_obs, still.out.n_obs);
                } else
                    act_assert_same_steps("not ended", &still.out, &same.out, env, step, step + 1);
            }
        }
        assert_true(waited > 100);
        /* a mask resets whom it names: they see what SAME_STEP showed at once; the others keep every bit */
        static double before[ENVS][600];
        double seen[ENVS][48];
        for (int64_t env = 0; env < ENVS; env++) {
            mask[env] = env % 3 == 0;
            show_env(still.batch, env, before[env]);
        }
        MUST(myr_batch_reset(still.batch, mask));
        MUST(myr_batch_observe(still.batch, MYR_F64, seen));
        for (int64_t env = 0; env < ENVS; env++) {
            double now[600];
            const size_t bytes = sizeof *now * show_env(still.batch, env, now);
            if (mask[env] && end[env] >= 0)
                assert_equal_rows(seen[env], same.out.observation + act_at(&same.out, env, end[env]) * same.out.n_obs, 48);
            else if (!mask[env])
                assert_memory_equal(now, before[env], bytes);
        }
        act_run(still.batch, &still.out, 0, 0, 1, 1, MYR_AUTORESET_DISABLED);
        for (int64_t env = 0; env < ENVS; env++) {
            double clock;
            MUST(myr_batch_get(still.batch, MYR_CLOCK, &env, 1, MYR_F64, &clock));
            if (mask[env]) assert_true(clock == 1);
        }
        close_history(&same);
        close_history(&still);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_the_work_is_cut_changes_no_bits),
        cmocka_unit_test(arrays_come_in_both_types_and_are_optional),
        cmocka_unit_test(sums_and_lengths_are_exact),
        cmocka_unit_test(the_time_is_up_in_the_nearest_step),
        cmocka_unit_test(the_clock_can_be_set),
        cmocka_unit_test(an_endless_clock_may_be_huge),
        cmocka_unit_test(next_step_tells_what_same_step_tells),
        cmocka_unit_test(disabled_waits_for_a_reset),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
