/* ctest: threads
 * What goes wrong in a control step, and what goes on after a pause: bad actions and broken steps end the episode of one environment alone,
 * arguments are checked, and an episode that is saved, or taken out and put back, goes on with the same bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/act_scene.h"
#include "support/isas.h"

enum { ENVS = 37, STEPS = 40, WHEN = 15 };

static const char *const precisions[] = {"f32", "f64"};
static const myr_autoreset modes[] = {MYR_AUTORESET_SAME_STEP, MYR_AUTORESET_NEXT_STEP, MYR_AUTORESET_DISABLED};
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

/* No episode ends because a robot leans: 4 rad is more than any tilt. */
static myr_settings calm(const char *isa, const char *precision) {
    return act_settings("isa", isa, "precision", precision, "fall-tilt", "4", "vary-delay", "0.02", "vary-gains", "0.1", "push-interval",
                        "0.2", "command-hold", "0.3", "reward-termination", "-3", "reward-height", "-2", "reward-joint-speed", "-1",
                        "reward-torque-limit", "-1", NULL);
}

static double get_one(const myr_batch *batch, myr_field field, int64_t env) {
    double value;
    MUST(myr_batch_get(batch, field, &env, 1, MYR_F64, &value));
    return value;
}

/* ---- one environment's fault ---------------------------------------------------------------------------------------- */

typedef struct mishap {
    const char *what;
    double action; /* of one number of the action; 0: none */
    double speed;  /* of a joint, set before the step; 0: none */
    myr_quarantine reason;
} mishap;

static const mishap mishaps[] = {
    {"NaN in an action", NAN, 0, MYR_QUARANTINE_ACTION},
    {"an infinite action", INFINITY, 0, MYR_QUARANTINE_ACTION},
    {"an action of -infinity", -INFINITY, 0, MYR_QUARANTINE_ACTION},
    {"a joint beyond the speed limit", 0, 3e6, MYR_QUARANTINE_SPEED},
    {"a joint whose speed is NaN", 0, NAN, MYR_QUARANTINE_NOT_FINITE},
};

static int64_t victim(size_t k) { return (int64_t)(k * 9 % ENVS); } /* in several tiles and parts */

static void meet(myr_batch *batch, act_arrays *out, const mishap *m, int64_t env) {
    double v[18];
    if (m->action != 0) out->action[act_at(out, env, WHEN) * out->nu + env % out->nu] = m->action;
    if (m->speed == 0) return;
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
    v[8] = m->speed;
    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
}

static void check_mishap(const act_arrays *out, const mishap *m, int64_t env, myr_autoreset mode) {
    const int64_t row = act_at(out, env, WHEN);
    double sum = 0, total = 0;
    if (!out->terminated[row] || out->truncated[row]) fail_msg("%s does not terminate", m->what);
    if (out->fault[row] != m->reason) fail_msg("%s ends with fault %d", m->what, out->fault[row]);
    assert_true(fabs(out->reward[row] + 3 * 0.02) < 1e-7); /* `termination` alone, whatever the other terms would be */
    for (int k = 0; k < out->n_terms; k++) {
        const int termination = strcmp(myr_reward_name(k), "termination") == 0;
        assert_true(out->terms[row * out->n_terms + k] == (termination ? out->reward[row] : 0));
        assert_true(isfinite(out->episode_terms[row * out->n_terms + k]));
        sum += out->episode_terms[row * out->n_terms + k];
    }
    for (int64_t step = 0; step <= WHEN; step++) total += out->reward[act_at(out, env, step)];
    assert_true(isfinite(sum) && fabs(out->episode_return[row] - total) < 1e-5); /* the broken step's reward included */
    assert_int_equal(out->episode_length[row], WHEN + 1);
    for (int64_t step = WHEN + 1; step < STEPS; step++) { /* and goes on, where there is an autoreset */
        const int64_t later = act_at(out, env, step);
        assert_true(!out->terminated[later] && !out->truncated[later] && !out->fault[later] && isfinite(out->reward[later]));
        if (mode == MYR_AUTORESET_DISABLED) assert_true(out->reward[later] == 0);
        if (mode != MYR_AUTORESET_DISABLED)
            for (int k = 0; k < out->n_obs; k++) assert_true(isfinite(out->observation[later * out->n_obs + k]));
    }
}

static void mishaps_of_a_mode(const char *isa, const char *precision, myr_autoreset mode) {
    enum { MISHAPS = sizeof mishaps / sizeof *mishaps };
    const myr_settings settings = calm(isa, precision);
    myr_batch *good = act_batch(anymal, ENVS, &settings), *bad = act_batch(anymal, ENVS, &settings);
    act_arrays healthy = act_open(good, ENVS, STEPS), out = act_open(bad, ENVS, STEPS);
    act_actions(&healthy, 0, 0.5);
    act_actions(&out, 0, 0.5);
    act_run(good, &healthy, 0, 0, STEPS, STEPS, mode);
    act_run(bad, &out, 0, 0, WHEN, WHEN, mode);
    for (size_t k = 0; k < MISHAPS; k++) meet(bad, &out, &mishaps[k], victim(k));
    act_run(bad, &out, 0, WHEN, STEPS, STEPS, mode);
    for (int64_t env = 0; env < ENVS; env++) {
        const mishap *own = NULL;
        for (size_t k = 0; k < MISHAPS; k++)
            if (victim(k) == env) own = &mishaps[k];
        const double quarantined = get_one(bad, MYR_QUARANTINED, env), episode = get_one(bad, MYR_EPISODE, env);
        act_assert_same_steps("before the mishap", &out, &healthy, env, 0, own ? WHEN : STEPS);
        if (own) check_mishap(&out, own, env, mode);
        if (!own || mode != MYR_AUTORESET_DISABLED) assert_true(quarantined == MYR_HEALTHY);
        if (own && mode == MYR_AUTORESET_DISABLED) {
            assert_true((int)quarantined == (int)own->reason && episode == 0 && get_one(bad, MYR_CLOCK, env) == WHEN + 1);
            assert_true(get_one(bad, MYR_TIME, env) < (WHEN + 1) * 0.02 - 1e-9); /* the step that broke is not counted */
        } else
            assert_true(episode == (own ? 1 : 0));
    }
    act_close(&healthy);
    act_close(&out);
    myr_batch_free(good);
    myr_batch_free(bad);
}

static void a_mishap_ends_one_episode_alone(void **state) {
    (void)state;
    for (int i = 0; isa_at(i); i++)
        for (int p = 0; p < 2; p++)
            for (int m = 0; m < 3; m++) mishaps_of_a_mode(isa_at(i), precisions[p], modes[m]);
}

/* What is finite is clipped, also where the batch's floats cannot hold it. */
static void a_huge_action_is_clipped(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        myr_settings settings = calm("auto", precisions[p]);
        settings.action_clip = 0.7;
        myr_batch *a = act_batch(anymal, ENVS, &settings), *b = act_batch(anymal, ENVS, &settings);
        act_arrays huge = act_open(a, ENVS, 5), fitting = act_open(b, ENVS, 5);
        for (int64_t i = 0; i < ENVS * 5 * huge.nu; i++) {
            huge.action[i] = i % 3 ? 1e300 : -2;
            fitting.action[i] = i % 3 ? 0.7 : -0.7;
        }
        act_run(a, &huge, 0, 0, 5, 5, MYR_AUTORESET_SAME_STEP);
        act_run(b, &fitting, 0, 0, 5, 5, MYR_AUTORESET_SAME_STEP);
        act_assert_same("clipped", &huge, &fitting);
        act_close(&huge);
        act_close(&fitting);
        myr_batch_free(a);
        myr_batch_free(b);
    }
}

/* A step outside of control steps may quarantine an environment, too: the next control step reports it. */
static void a_quarantine_from_before_is_told(void **state) {
    (void)state;
    const myr_settings settings = calm("auto", "f32");
    myr_batch *batch = act_batch(anymal, 3, &settings);
    act_arrays out = act_open(batch, 3, 2);
    const int64_t env = 1;
    double v[18] = {0};
    v[7] = 3e6;
    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    MUST(myr_batch_step(batch, 1));
    assert_true(get_one(batch, MYR_QUARANTINED, 1) == MYR_QUARANTINE_SPEED);
    act_run(batch, &out, 0, 0, 2, 1, MYR_AUTORESET_SAME_STEP);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t step = 0; step < 2; step++) {
            const int64_t row = act_at(&out, i, step);
            assert_int_equal(out.terminated[row], i == 1 && step == 0);
            assert_int_equal(out.fault[row], i == 1 && step == 0 ? MYR_QUARANTINE_SPEED : 0);
        }
    act_close(&out);
    myr_batch_free(batch);
}

/* ---- pauses --------------------------------------------------------------------------------------------------------- */

typedef enum { SAVED, STATES, COPIED } way_to_pause;

/* Half of the steps, a pause after which another batch goes on, the other half. */
static void go_on(const char *precision, myr_autoreset mode, way_to_pause kind) {
    myr_settings settings = calm("auto", precision);
    settings.fall_tilt = 0.3, settings.episode_s = 0.35;
    if (kind == STATES) settings.vary_delay = settings.vary_gains = 0; /* parameters are not in a state */
    myr_batch *a = act_batch(anymal, ENVS, &settings), *b = act_batch(anymal, ENVS, &settings);
    act_arrays whole = act_open(a, ENVS, STEPS), halves = act_open(b, ENVS, STEPS);
    act_actions(&whole, 7, 2);
    act_actions(&halves, 7, 2);
    for (int64_t env = 0; env < ENVS; env += 5) /* some of them wait, in quarantine, when it is time to pause */
        whole.action[act_at(&whole, env, WHEN - 1) * whole.nu] = halves.action[act_at(&whole, env, WHEN - 1) * whole.nu] = NAN;
    act_run(a, &whole, 0, 0, WHEN, STEPS, mode);
    act_run(b, &halves, 0, 0, WHEN, STEPS, mode);
    const size_t bytes = ENVS * myr_batch_state_bytes(b);
    char path[64], *states = malloc(bytes);
    assert_non_null(states);
    snprintf(path, sizeof path, "/tmp/myriapod_act_%ld.batch", (long)getpid());
    if (kind == SAVED) {
        MUST(myr_batch_save(b, path));
        myr_batch_free(b);
        settings.threads = 2;
        b = act_batch(anymal, ENVS, &settings);
        MUST(myr_batch_restore(b, path));
        remove(path);
    } else if (kind == STATES) {
        MUST(myr_batch_get_state(b, NULL, ENVS, states));
        act_run(b, &halves, 0, WHEN, WHEN + 3, 1, mode); /* astray */
        MUST(myr_batch_set_state(b, NULL, ENVS, states));
    } else {
        const int64_t from[] = {3, 20}, to[] = {20, 3}; /* one takes another's place, for a while: the others see nothing of it */
        MUST(myr_batch_get_state(b, from, 2, states));
        MUST(myr_batch_copy(b, from, to, 1));
        MUST(myr_batch_set_state(b, to, 1, states + myr_batch_state_bytes(b)));
    }
    act_run(a, &whole, 0, WHEN, STEPS, STEPS, mode);
    act_run(b, &halves, 0, WHEN, STEPS, 1, mode);
    for (int64_t env = 0; env < ENVS; env++)
        if (kind != COPIED || env != 20) act_assert_same_steps("after a pause", &halves, &whole, env, 0, STEPS);
    free(states);
    act_close(&whole);
    act_close(&halves);
    myr_batch_free(a);
    myr_batch_free(b);
}

static void an_episode_goes_on_after_a_pause(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int m = 0; m < 3; m++) {
            go_on(precisions[p], modes[m], SAVED);
            go_on(precisions[p], modes[m], STATES);
            go_on(precisions[p], modes[m], COPIED);
        }
}

/* The copy of an environment acts as the original does, but for noise and draws, which are its own. */
static void a_copy_acts_as_the_original(void **state) {
    (void)state;
    myr_settings settings = calm("auto", "f64");
    settings.noise_linear = settings.noise_angular = settings.noise_gravity = settings.noise_angle = settings.noise_speed = 0;
    settings.push_interval = settings.command_hold = 0;
    myr_batch *batch = act_batch(anymal, ENVS, &settings);
    act_arrays out = act_open(batch, ENVS, STEPS);
    const int64_t from = 4, to = 30;
    act_actions(&out, 0, 0.5);
    memcpy(out.action + act_at(&out, to, 0) * out.nu, out.action + act_at(&out, from, 0) * out.nu, sizeof(double) * STEPS * (size_t)out.nu);
    act_run(batch, &out, 0, 0, WHEN, WHEN, MYR_AUTORESET_SAME_STEP);
    MUST(myr_batch_copy(batch, &from, &to, 1));
    act_run(batch, &out, 0, WHEN, STEPS, STEPS, MYR_AUTORESET_SAME_STEP);
    for (int64_t step = WHEN; step < STEPS; step++) {
        const int64_t a = act_at(&out, from, step), b = act_at(&out, to, step);
        assert_true(out.reward[a] == out.reward[b]);
        assert_memory_equal(out.observation + a * out.n_obs, out.observation + b * out.n_obs, sizeof(double) * (size_t)out.n_obs);
    }
    act_close(&out);
    myr_batch_free(batch);
}

/* ---- arguments ------------------------------------------------------------------------------------------------------ */

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    const myr_settings settings = calm("auto", "f32"), stand = scene_settings("task", "stand", "threads", "1", NULL);
    myr_batch *batch = act_batch(anymal, 2, &settings), *other = act_batch(anymal, 2, &stand);
    const uint64_t hash = myr_batch_hash(batch);
    const myr_act good = {.steps = 1, .type = MYR_F32};
    double out[2 * 48];
    MUST_FAIL(myr_batch_act(NULL, &good), MYR_E_ARG, "myr_batch_act");
    MUST_FAIL(myr_batch_act(batch, NULL), MYR_E_ARG, "act is NULL");
    MUST_FAIL(myr_batch_act(other, &good), MYR_E_STATE, "stand");
    MUST_FAIL(myr_batch_act(batch, &(myr_act){.steps = -1, .type = MYR_F32}), MYR_E_ARG, "steps is -1");
    MUST_FAIL(myr_batch_act(batch, &(myr_act){.steps = INT64_MAX / 16, .type = MYR_F32}), MYR_E_LIMIT, "bytes");
    MUST_FAIL(myr_batch_act(batch, &(myr_act){.steps = 1}), MYR_E_ARG, "type is 0");
    MUST_FAIL(myr_batch_act(batch, &(myr_act){.steps = 1, .type = MYR_I64}), MYR_E_ARG, "type is 64");
    MUST_FAIL(myr_batch_act(batch, &(myr_act){.steps = 1, .type = MYR_F32, .autoreset = (myr_autoreset)3}), MYR_E_ARG, "autoreset is 3");
    MUST_FAIL(myr_batch_act(batch, &(myr_act){.steps = 1, .type = MYR_F32, .autoreset = (myr_autoreset)-1}), MYR_E_ARG, "autoreset is -1");
    MUST_FAIL(myr_batch_observe(NULL, MYR_F32, out), MYR_E_ARG, "myr_batch_observe");
    MUST_FAIL(myr_batch_observe(batch, MYR_F32, NULL), MYR_E_ARG, "NULL");
    MUST_FAIL(myr_batch_observe(batch, MYR_I64, out), MYR_E_ARG, "type is 64");
    MUST_FAIL(myr_batch_observe(other, MYR_F64, out), MYR_E_STATE, "stand");
    MUST_FAIL(myr_batch_get(other, MYR_COMMAND, NULL, 2, MYR_F64, out), MYR_E_STATE, "locomotion");
    MUST_FAIL(myr_batch_refresh(NULL), MYR_E_ARG, "myr_batch_refresh");
    MUST(myr_batch_act(batch, &(myr_act){.steps = 0, .type = MYR_F32}));
    assert_int_equal(myr_batch_hash(batch), hash);
    assert_true(myr_batch_observations(batch) == 48 && myr_batch_observations(other) == 0 && myr_batch_observations(NULL) == 0);
    assert_true(myr_batch_components(other, MYR_COMMAND) == 0 && myr_batch_components(batch, MYR_COMMAND) == 3);
    myr_batch_free(batch);
    myr_batch_free(other);
}

static void wrong_settings_are_refused(void **state) {
    (void)state;
    static const char *const wrong[][3] = {{"command-x-low", "1.5", "command-x-low"},
                                           {"command-y-high", "-1.5", "command-y-high"},
                                           {"command-yaw-low", "1.5", "command-yaw"},
                                           {"vary-friction-low", "2", "vary-friction-low"},
                                           {"vary-delay", "0.0201", "vary-delay"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        myr_settings settings = act_settings(wrong[k][0], wrong[k][1], NULL);
        myr_batch *batch = NULL;
        MUST_FAIL(myr_batch_create(anymal, 2, &settings, &batch), MYR_E_ARG, wrong[k][2]);
        assert_null(batch);
        snprintf(settings.task, sizeof settings.task, "stand"); /* commands are of no concern there, and nothing is drawn */
        if (strncmp(wrong[k][0], "vary-", 5) == 0) {
            MUST_FAIL(myr_batch_create(anymal, 2, &settings, &batch), MYR_E_ARG, "draws no parameters");
            continue;
        }
        MUST(myr_batch_create(anymal, 2, &settings, &batch));
        myr_batch_free(batch);
    }
    myr_model *cube = NULL;
    myr_batch *batch = NULL;
    const myr_settings settings = act_settings("vary-delay", "0.02", NULL); /* just so */
    MUST(myr_model_load("cube", MYR_ROOT_AUTO, &cube));
    MUST_FAIL(myr_batch_create(cube, 2, &settings, &batch), MYR_E_ARG, "locomotion");
    myr_model_free(cube);
    batch = act_batch(anymal, 2, &settings);
    myr_batch_free(batch);
}

static void terms_have_names(void **state) {
    (void)state;
    const int count = myr_reward_count();
    assert_true(count == 17 && !myr_reward_name(-1) && !myr_reward_name(count) && !myr_reward_doc(-1) && !myr_reward_doc(count));
    for (int k = 0; k < count; k++) {
        char key[64];
        myr_settings settings = myr_settings_default();
        snprintf(key, sizeof key, "reward-%s", myr_reward_name(k));
        MUST(myr_settings_set(&settings, key, "-0.5"));
        assert_true(strlen(myr_reward_doc(k)) > 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mishap_ends_one_episode_alone),  cmocka_unit_test(a_huge_action_is_clipped),
        cmocka_unit_test(a_quarantine_from_before_is_told), cmocka_unit_test(an_episode_goes_on_after_a_pause),
        cmocka_unit_test(a_copy_acts_as_the_original),      cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(wrong_settings_are_refused),       cmocka_unit_test(terms_have_names),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
