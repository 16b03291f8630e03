/* ctest: later
 * The task locomotion in lanes against the scalar reference (reference/locomotion.h), which knows the documentation alone: what is
 * observed, every reward term, falls and the end of the time, over random walks in which everything happens that the settings can ask for.
 * Every instruction set, both precisions, tiles that are full and that are not, robots that head along x and along y. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "support/beast.h"
#include "support/isas.h"
#include "reference/locomotion.h"
#include "reference/setting.h"

enum { STEPS = 120, MOST_ENVS = 17 };

/* How often things happened, so that a walk in which nothing does proves nothing. */
typedef struct happened {
    int falls, tilts, torsos, times, pushes, commands, still, met[REFERENCE_TERMS];
} happened;

typedef struct walkers {
    const myr_model *model;
    myr_settings settings;
    reference_numbers numbers;
    myr_batch *batch, *calm; /* calm: the same without pushes and new commands, which come when a control step has been judged */
    act_arrays out, calm_out;
    reference_walk walk[MOST_ENVS];
    int waiting[MOST_ENVS]; /* the episode is over, the next control step begins another */
    double tolerance;
    happened *count;
} walkers;

static void show(const walkers *w, const myr_batch *batch, int64_t env, reference_shown *shown) {
    memset(shown, 0, sizeof *shown);
    assert_true(w->model->nq <= REFERENCE_NQ && w->model->nv <= REFERENCE_NV && w->model->n_slots <= REFERENCE_SLOTS);
    const struct {
        myr_field field;
        double *to;
    } fields[] = {{MYR_Q, shown->q},
                  {MYR_V, shown->v},
                  {MYR_IMPULSE, shown->impulse},
                  {MYR_TARGET, shown->target},
                  {MYR_TORQUE, shown->torque},
                  {MYR_KP, shown->kp},
                  {MYR_KD, shown->kd},
                  {MYR_STRENGTH, shown->strength},
                  {MYR_ENCODER_BIAS, shown->encoder_bias},
                  {MYR_COMMAND, shown->command},
                  {MYR_ACTION, shown->action},
                  {MYR_CLOCK, &shown->clock},
                  {MYR_EPISODE, &shown->episode},
                  {MYR_DELAY, &shown->delay}};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) MUST(myr_batch_get(batch, fields[f].field, &env, 1, MYR_F64, fields[f].to));
    shown->id = w->settings.first_env + env;
}

static void near(const walkers *w, int64_t env, int64_t step, const char *what, double got, double wanted, double scale) {
    if (!(fabs(got - wanted) <= w->tolerance * (fabs(wanted) + scale)))
        fail_msg("%s %s, environment %lld of %lld, step %lld: %s is %.17g, not %.17g", w->settings.isa, w->settings.precision,
                 (long long)env, (long long)w->out.envs, (long long)step, what, got, wanted);
}

/* All terms, and how large a term may be where terms cancel. */
static void check_rewards(walkers *w, int64_t env, int64_t step) {
    const reference_walk *walk = &w->walk[env];
    const int64_t row = act_at(&w->out, env, step);
    double size = 1e-3;
    for (int k = 0; k < REFERENCE_TERMS; k++) {
        near(w, env, step, myr_reward_name(k), w->out.terms[row * w->out.n_terms + k], walk->terms[k], 1e-3);
        size += fabs(walk->terms[k]);
        w->count->met[k] += walk->terms[k] != 0;
    }
    near(w, env, step, "the reward", w->out.reward[row], walk->reward, size);
    assert_int_equal(w->out.terminated[row], walk->terminated);
    assert_int_equal(w->out.truncated[row], walk->truncated);
    assert_int_equal(w->out.fault[row], 0);
    if (!walk->terminated && !walk->truncated) return;
    for (int k = 0; k < REFERENCE_TERMS; k++)
        near(w, env, step, "a sum of the episode", w->out.episode_terms[row * w->out.n_terms + k], walk->sums[k], 1 + fabs(walk->sums[k]));
    near(w, env, step, "the return", w->out.episode_return[row], walk->total, size * (double)walk->length);
    assert_int_equal(w->out.episode_length[row], walk->length);
}

static void check_observation(const walkers *w, int64_t env, int64_t step, const double *seen) {
    reference_shown now;
    double wanted[REFERENCE_SEEN];
    show(w, w->batch, env, &now);
    reference_observe(w->model, &w->settings, &now, wanted);
    for (int k = 0; k < w->out.n_obs; k++) {
        char what[40];
        snprintf(what, sizeof what, "number %d of the observation", k);
        near(w, env, step, what, seen[k], wanted[k], 1);
    }
}

/* What pushes and new commands have changed since the calm twin's state: the base's velocity, the command, nothing else. */
static int check_surprises(walkers *w, int64_t env, const reference_shown *calm) {
    reference_shown now;
    show(w, w->batch, env, &now);
    const int pushed = memcmp(now.v, calm->v, 6 * sizeof *now.v) != 0,
              commanded = memcmp(now.command, calm->command, sizeof now.command) != 0;
    for (int k = 0; k < 6; k++) {
        const double most = k < 2 ? w->settings.push_speed : k == 2 ? w->settings.push_up : w->settings.push_turn;
        assert_true(fabs(now.v[k] - calm->v[k]) <= most * (1 + 1e-6) + 1e-6 * fabs(now.v[k]));
    }
    memcpy(now.v, calm->v, 6 * sizeof *now.v);
    memcpy(now.command, calm->command, sizeof now.command);
    assert_memory_equal(&now, calm, sizeof now);
    w->count->pushes += pushed;
    w->count->commands += commanded;
    return pushed + commanded;
}

/* Feed-forward torques for some robots: joint torques have them too. A reset takes them away. */
static void feed_forward(walkers *w, int64_t step) {
    if (step % 16 != 8) return;
    for (int64_t env = 0; env < w->out.envs; env += 3) {
        double torque[REFERENCE_NV];
        act_action(env, step, w->out.nu, 2, torque);
        MUST(myr_batch_set(w->batch, MYR_TORQUE, &env, 1, MYR_F64, torque));
        MUST(myr_batch_set(w->calm, MYR_TORQUE, &env, 1, MYR_F64, torque));
    }
}

/* The calm twin takes the state that the batch has, as bytes, and makes the same control step. */
static void step_both(walkers *w, int64_t step, char *states) {
    MUST(myr_batch_get_state(w->batch, NULL, w->out.envs, states));
    MUST(myr_batch_set_state(w->calm, NULL, w->out.envs, states));
    act_run(w->batch, &w->out, 0, step, step + 1, 1, MYR_AUTORESET_NEXT_STEP);
    act_run(w->calm, &w->calm_out, 0, step, step + 1, 1, MYR_AUTORESET_NEXT_STEP);
}

static void after_step(walkers *w, int64_t env, int64_t step) {
    const int64_t row = act_at(&w->out, env, step);
    reference_walk *walk = &w->walk[env];
    reference_shown calm;
    show(w, w->calm, env, &calm);
    check_observation(w, env, step, w->out.observation + row * w->out.n_obs);
    if (w->waiting[env]) { /* a new episode has begun instead of a step */
        assert_true(w->out.reward[row] == 0 && !w->out.terminated[row] && !w->out.truncated[row]);
        assert_true(calm.clock == 0);
        reference_walk_start(walk);
        w->waiting[env] = 0;
        return;
    }
    reference_walk_after(walk, w->model, &w->settings, &w->numbers, &calm, w->out.action + row * w->out.nu);
    assert_int_equal((int64_t)calm.clock, walk->length);
    for (int u = 0; u < w->out.nu; u++) near(w, env, step, "a target", calm.target[u], walk->target[u], 1);
    check_rewards(w, env, step);
    /* pushes and new commands come after the reward */
    assert_memory_equal(w->out.terms + row * w->out.n_terms, w->calm_out.terms + row * w->out.n_terms, sizeof(double) * REFERENCE_TERMS);
    w->waiting[env] = walk->terminated || walk->truncated;
    const int surprises = check_surprises(w, env, &calm);
    if (w->waiting[env]) {
        assert_int_equal(surprises, 0);
        check_observation(w, env, step, w->out.final_observation + row * w->out.n_obs);
    }
    w->count->falls += walk->terminated;
    w->count->tilts += walk->tilted && !walk->torso;
    w->count->torsos += walk->torso && !walk->tilted;
    w->count->times += walk->truncated;
    w->count->still += calm.command[0] == 0 && calm.command[1] == 0 && calm.command[2] == 0;
}

static void follow(const myr_model *model, const myr_settings *settings, int64_t envs, double most, happened *count) {
    static walkers w;
    assert_true(envs <= MOST_ENVS);
    memset(&w, 0, sizeof w);
    w = (walkers){.model = model, .settings = *settings, .numbers = reference_numbers_of(settings), .count = count};
    w.tolerance = strcmp(settings->precision, "f64") == 0 ? 1e-10 : 3e-4;
    w.batch = act_batch(model, envs, settings);
    myr_settings calm = *settings;
    calm.push_interval = calm.command_hold = 0;
    w.calm = act_batch(model, envs, &calm);
    w.out = act_open(w.batch, envs, STEPS);
    w.calm_out = act_open(w.calm, envs, STEPS);
    act_actions(&w.out, settings->first_env + 1, most);
    act_actions(&w.calm_out, settings->first_env + 1, most);
    char *states = malloc((size_t)envs * myr_batch_state_bytes(w.batch));
    double seen[MOST_ENVS * REFERENCE_SEEN];
    assert_non_null(states);
    MUST(myr_batch_observe(w.batch, MYR_F64, seen));
    for (int64_t env = 0; env < envs; env++) {
        reference_walk_start(&w.walk[env]);
        check_observation(&w, env, -1, seen + env * w.out.n_obs);
    }
    for (int64_t step = 0; step < STEPS; step++) {
        for (int64_t env = 0; env < envs; env++) {
            reference_shown before;
            show(&w, w.batch, env, &before);
            reference_walk_before(&w.walk[env], &before);
        }
        feed_forward(&w, step);
        step_both(&w, step, states);
        for (int64_t env = 0; env < envs; env++) after_step(&w, env, step);
    }
    free(states);
    act_close(&w.out);
    act_close(&w.calm_out);
    myr_batch_free(w.batch);
    myr_batch_free(w.calm);
}

static void set_number(myr_settings *s, const char *key, double value) {
    char text[MYR_NAME_LENGTH];
    snprintf(text, sizeof text, "%.17g", value);
    MUST(myr_settings_set(s, key, text));
}

/* Weights on every term, everything varied, pushed and noisy, episodes of 0.8 s; ids on both sides of 7 * 2^32. */
static myr_settings everything(const char *isa, const char *precision) {
    myr_settings s = act_settings("isa", isa, "precision", precision, "episode", "0.8", "command-hold", "0.3", "command-still", "0.3",
                                  "push-interval", "0.2", "vary-friction-low", "0.5", "vary-friction-high", "1.5", "vary-mass", "0.5",
                                  "vary-com", "0.02", "vary-gains", "0.1", "vary-strength", "0.1", "vary-delay", "0.02", "vary-encoder",
                                  "0.02", "vary-links", "0.1", "vary-inertia", "0.1", "push-up", "0.2", "push-turn", "0.2",
                                  "foot-force-limit", "30", "air-time-wanted", "0.1", "seed", "81985529216486895", "first-env",
                                  "30064771067", "noise-linear", "0.11", "noise-angular", "0.23", "noise-gravity", "0.07", "noise-angle",
                                  "0.013", "noise-speed", "1.7", "reward-floor", "0", "scale-angle", "1.1", "tracking-width", "0.3", NULL);
    assert_int_equal(myr_reward_count(), REFERENCE_TERMS);
    for (int k = 0; k < REFERENCE_TERMS; k++) {
        char key[MYR_NAME_LENGTH];
        assert_string_equal(myr_reward_name(k), reference_terms[k]);
        snprintf(key, sizeof key, "reward-%s", reference_terms[k]);
        const double weight = reference_setting(&s, key);
        set_number(&s, key, weight != 0 ? weight * 1.25 : -0.5);
    }
    return s;
}

static void follow_robot(const char *name, const myr_model *model, double most, happened *count) {
    memset(count, 0, sizeof *count);
    for (int i = 0; isa_at(i); i++)
        for (int p = 0; p < 2; p++) {
            const char *precision = p ? "f64" : "f32";
            const int W = p ? 8 : 16, edges[] = {1, W - 1, W, W + 1};
            for (int e = 0; e < 4; e++) {
                myr_settings s = everything(isa_at(i), precision);
                s.reward_floor = e % 2;
                set_number(&s, "base-height", e == 3 ? 0.4 : 0);
                follow(model, &s, edges[e], most, count);
            }
        }
    print_message("%s: %d falls (%d by leaning alone, %d by touching alone), %d ends of time, %d pushes, %d commands, %d still\n", name,
                  count->falls, count->tilts, count->torsos, count->times, count->pushes, count->commands, count->still);
    assert_true(count->falls > 0 && count->times > 0 && count->pushes > 0 && count->commands > 0 && count->still > 0);
    for (int k = 0; k < REFERENCE_TERMS; k++) {
        const int absent =
            (k == REFERENCE_collision || k == REFERENCE_joint_limit) && strcmp(name, "beast") != 0; /* no such shapes, no limits */
        if ((count->met[k] == 0) != absent) fail_msg("%s: the term `%s` was met %d times", name, myr_reward_name(k), count->met[k]);
    }
}

static void shipped_robots_follow_the_reference(void **state) {
    (void)state;
    const char *const names[] = {"anymal", "solo12"};
    for (int r = 0; r < 2; r++) {
        myr_model *model = NULL;
        happened count;
        MUST(myr_model_load(names[r], MYR_ROOT_AUTO, &model));
        follow_robot(names[r], model, 3, &count);
        myr_model_free(model);
    }
}

/* Limits on the knees, shapes on the thighs, forward along +y; with three joints per leg and with two. */
static void robots_that_head_along_y_follow_the_reference(void **state) {
    (void)state;
    for (int joints = 2; joints <= 3; joints++) {
        beast plan = beast_usual;
        plan.heading_y = 1, plan.two_joints = joints == 2;
        plan.limits = "<limit lower='-1.2' upper='1.0' effort='8'/>";
        plan.thigh = "<box size='0.04 0.04 0.3'/>";
        myr_model *model = beast_build(&plan);
        assert_true(model->quadruped.valid && model->quadruped.heading_y);
        happened count;
        follow_robot("beast", model, 3, &count);
        assert_true(count.tilts > 0 && count.torsos > 0);
        myr_model_free(model);
    }
}

/* No noise at all takes another way through the code; a tilt of 4 rad never ends an episode. */
static void without_noise_and_without_falls(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int i = 0; isa_at(i); i++) {
        happened count = {0};
        myr_settings s = everything(isa_at(i), "f64");
        s.noise_linear = s.noise_angular = s.noise_gravity = s.noise_angle = s.noise_speed = 0;
        s.fall_tilt = 4, s.episode_s = 0, s.action_clip = 1;
        set_number(&s, "reward-torque", 0);
        follow(model, &s, 9, 3, &count);
        assert_true(count.times == 0 && count.tilts == 0 && count.met[REFERENCE_torque] == 0);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_robots_follow_the_reference),
                                       cmocka_unit_test(robots_that_head_along_y_follow_the_reference),
                                       cmocka_unit_test(without_noise_and_without_falls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
