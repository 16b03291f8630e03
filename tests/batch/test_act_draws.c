/* What the task locomotion draws: starts, commands, pushes, delays and parameters lie in their ranges, come when they should, differ from
 * environment to environment, and act. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "model/model.h"

enum { ENVS = 64, STEPS = 60, NU = 12, NV = 18 };

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

/* No robot falls, and nothing is drawn twice, unless the list says so. */
#define QUIET "fall-tilt", "4", "episode", "0", "command-hold", "0", "push-interval", "0", "start-speed", "0", "start-angle", "0"

static void get(const myr_batch *batch, myr_field field, double *out) { MUST(myr_batch_get(batch, field, NULL, ENVS, MYR_F64, out)); }

/* One control step of random actions, or of none. */
static void step(myr_batch *batch, int64_t time, double most) {
    static double action[ENVS * NU];
    for (int64_t env = 0; env < ENVS; env++) act_action(env, time, NU, most, action + env * NU);
    MUST(myr_batch_act(batch, &(myr_act){.steps = 1, .type = MYR_F64, .action = action}));
}

static double lowest(const double *x, int n, int stride) {
    double least = x[0];
    for (int i = 1; i < n; i++) least = fmin(least, x[i * stride]);
    return least;
}
static double highest(const double *x, int n, int stride) {
    double most = x[0];
    for (int i = 1; i < n; i++) most = fmax(most, x[i * stride]);
    return most;
}

/* Within the range, and most of the range is met: n uniform numbers fail the second with probability 2 * 0.8^n at most. */
static void assert_fills(const char *what, const double *x, int n, int stride, double low, double high) {
    const double a = lowest(x, n, stride), b = highest(x, n, stride), edge = 1e-6 * (fabs(low) + fabs(high));
    if (!(a >= low - edge && b <= high + edge && a < low + 0.2 * (high - low) && b > high - 0.2 * (high - low)))
        fail_msg("%s lies in %g .. %g, wanted %g .. %g", what, a, b, low, high);
}

/* ---- starts --------------------------------------------------------------------------------------------------------- */

static void starts_lie_in_their_ranges(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings =
            act_settings("precision", precisions[p], "start-height", "0.3", "start-angle", "0.2", "start-speed", "0.7", NULL);
        myr_batch *batch = act_batch(anymal, ENVS, &settings);
        double q[ENVS * 19], v[ENVS * NV], heading[ENVS];
        get(batch, MYR_Q, q);
        get(batch, MYR_V, v);
        for (int env = 0; env < ENVS; env++) {
            assert_true(fabs(q[env * 19 + 2] - anymal->home[2] - 0.3) < 1e-6 && q[env * 19 + 4] == 0 && q[env * 19 + 5] == 0);
            heading[env] = atan2(q[env * 19 + 6], q[env * 19 + 3]);
            for (int u = 0; u < NU; u++) q[env * 19 + 7 + u] -= anymal->home[7 + u];
            for (int u = 0; u < NU; u++) assert_true(v[env * NV + 6 + u] == 0);
        }
        assert_fills("half the heading", heading, ENVS, 1, 0, 3.141592653589793);
        for (int u = 0; u < NU; u++) assert_fills("a joint angle", q + 7 + u, ENVS, 19, -0.2, 0.2);
        for (int k = 0; k < 6; k++) assert_fills("a speed", v + k, ENVS, NV, -0.7, 0.7);
        myr_batch_free(batch);
    }
}

/* ---- commands ------------------------------------------------------------------------------------------------------- */

static void commands_lie_in_their_ranges_and_hold(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings =
            act_settings("precision", precisions[p], QUIET, "command-hold", "0.2", "command-still", "0.25", "command-least", "0.3",
                         "command-x-low", "-0.5", "command-x-high", "1.5", "command-y-low", "0.1", "command-y-high", "0.4",
                         "command-yaw-low", "-2", "command-yaw-high", "-1", NULL);
        myr_batch *batch = act_batch(anymal, ENVS, &settings);
        double before[3 * ENVS], now[3 * ENVS], moving[3 * ENVS * 7];
        int still = 0, slow = 0, drawn = 0, moves = 0;
        get(batch, MYR_COMMAND, before);
        for (int64_t t = 0; t <= STEPS; t++) {
            get(batch, MYR_COMMAND, now);
            for (int env = 0; env < ENVS; env++) {
                const double *c = now + 3 * env;
                const int changed = memcmp(c, before + 3 * env, sizeof *c * 3) != 0, none = c[0] == 0 && c[1] == 0 && c[2] == 0;
                if (t % 10 != 0) assert_false(changed); /* 0.2 s are ten control steps */
                if (t % 10 != 0) continue;
                drawn++;
                if (t > 0 && !none) assert_true(changed);
                still += none;
                if (none) continue;
                if (c[0] == 0 && c[1] == 0) {
                    slow++;
                    continue;
                }
                assert_true(hypot(c[0], c[1]) >= 0.3);
                memcpy(moving + 3 * moves++, c, 3 * sizeof *c);
            }
            memcpy(before, now, sizeof before);
            step(batch, t, 0.2);
        }
        assert_true(drawn == 7 * ENVS && slow > drawn / 20);
        if (!(still > drawn * 0.18 && still < drawn * 0.32)) fail_msg("%d of %d commands are to stand still", still, drawn);
        assert_fills("x", moving, moves, 3, -0.5, 1.5);
        assert_fills("y", moving + 1, moves, 3, 0.1, 0.4);
        assert_fills("yaw", moving + 2, moves, 3, -2, -1);
        myr_batch_free(batch);
    }
}

static void one_command_per_episode(void **state) {
    (void)state;
    const myr_settings settings = act_settings(QUIET, "episode", "0.4", NULL);
    myr_batch *batch = act_batch(anymal, ENVS, &settings);
    double before[3 * ENVS], now[3 * ENVS];
    for (int64_t t = 0; t < STEPS; t++) {
        get(batch, MYR_COMMAND, before);
        step(batch, t, 0);
        get(batch, MYR_COMMAND, now);
        int changed = 0;
        for (int env = 0; env < ENVS; env++) changed += memcmp(now + 3 * env, before + 3 * env, 3 * sizeof *now) != 0;
        if ((t + 1) % 20 == 0) /* some stand in both episodes */
            assert_true(changed > ENVS / 2);
        else
            assert_int_equal(changed, 0);
    }
    myr_batch_free(batch);
}

/* ---- pushes --------------------------------------------------------------------------------------------------------- */

/* Against the same without pushes, which takes the pushed one's state after every step. */
static void pushes_come_once_per_interval(void **state) {
    (void)state;
    enum { EVERY = 12 };
    static const struct { const char *speed, *up, *turn; } kinds[] = {{"0.6", "0", "0"}, {"0.6", "0.4", "0.3"}, {"0", "0", "0.3"}};
    for (size_t which = 0; which < 6; which++) {
        const size_t p = which % 2, kind = which / 2;
        const double most[] = {kind < 2 ? 0.6 : 0, kind < 2 ? 0.6 : 0, kind == 1 ? 0.4 : 0, kind ? 0.3 : 0, kind ? 0.3 : 0, kind ? 0.3 : 0};
        const myr_settings settings = act_settings("precision", precisions[p], QUIET, "push-interval", "0.24", "push-speed",
                                                   kinds[kind].speed, "push-up", kinds[kind].up, "push-turn", kinds[kind].turn, NULL),
                           calm_settings =
                               act_settings("precision", precisions[p], QUIET, "push-interval", "0.24", "push-speed", "0", NULL);
        myr_batch *batch = act_batch(anymal, ENVS, &settings), *calm = act_batch(anymal, ENVS, &calm_settings);
        char *states = malloc(ENVS * myr_batch_state_bytes(batch));
        double pushes[6 * ENVS * STEPS / EVERY + 6 * ENVS];
        int count = 0, at[EVERY] = {0}, last[ENVS];
        assert_non_null(states);
        for (int env = 0; env < ENVS; env++) last[env] = -1;
        for (int t = 0; t < STEPS; t++) {
            double pushed[ENVS * NV], v[ENVS * NV], q[2][ENVS * 19];
            MUST(myr_batch_get_state(batch, NULL, ENVS, states));
            MUST(myr_batch_set_state(calm, NULL, ENVS, states));
            step(batch, t, 0.2);
            step(calm, t, 0.2);
            get(batch, MYR_V, pushed);
            get(calm, MYR_V, v);
            get(batch, MYR_Q, q[0]);
            get(calm, MYR_Q, q[1]);
            assert_memory_equal(q[0], q[1], sizeof q[0]);
            for (int env = 0; env < ENVS; env++) {
                const double *a = pushed + env * NV, *b = v + env * NV;
                assert_memory_equal(a + 6, b + 6, sizeof *a * (NV - 6));
                if (memcmp(a, b, 6 * sizeof *a) == 0) continue;
                if (last[env] >= 0) assert_int_equal(t - last[env], EVERY);
                if (last[env] < 0) assert_true(t < EVERY);
                last[env] = t;
                at[t % EVERY]++;
                for (int k = 0; k < 6; k++) pushes[6 * count + k] = a[k] - b[k];
                count++;
            }
        }
        assert_int_equal(count, ENVS * STEPS / EVERY);
        int times = 0;
        for (int k = 0; k < EVERY; k++) times += at[k] > 0;
        assert_true(times > EVERY / 2); /* each environment has its own */
        for (int k = 0; k < 6; k++)
            if (most[k] > 0)
                assert_fills("a push", pushes + k, count, 6, -most[k], most[k]);
            else
                for (int i = 0; i < count; i++) assert_true(pushes[6 * i + k] == 0);
        free(states);
        myr_batch_free(batch);
        myr_batch_free(calm);
    }
}

/* ---- delays --------------------------------------------------------------------------------------------------------- */

/* A control step of `settings.decimation` steps by hand: a batch without a task, whose targets are switched when the delay is over. */
static void by_hand(myr_batch *hand, const double *old, const double *action, const double *delay, int decimation) {
    for (int sub = 0; sub < decimation; sub++) {
        for (int64_t env = 0; env < ENVS; env++) {
            double target[NU];
            if (delay[env] != sub && !(delay[env] == decimation && sub == 0)) continue;
            for (int u = 0; u < NU; u++) target[u] = anymal->home[7 + u] + 0.5 * (delay[env] == sub ? action : old)[env * NU + u];
            MUST(myr_batch_set(hand, MYR_TARGET, &env, 1, MYR_F64, target));
        }
        MUST(myr_batch_step(hand, 1));
    }
}

static const myr_field carried[] = {MYR_Q, MYR_V, MYR_IMPULSE, MYR_TARGET, MYR_KP, MYR_KD};

static void actions_come_late_by_whole_steps(void **state) {
    (void)state;
    enum { DECIMATION = 5, CONTROLS = 30, SINGLE = 20 /* in float: falls make centimetres of a rounding in 30 */ };
    for (int p = 0; p < 2; p++) {
        const myr_settings settings =
            act_settings("precision", precisions[p], QUIET, "decimation", "5", "dt", "0.004", "vary-delay", "0.02", NULL);
        myr_settings none = settings;
        snprintf(none.task, sizeof none.task, "none");
        none.decimation = 1;
        none.vary_delay = 0; /* refused where nothing is drawn */
        myr_batch *batch = act_batch(anymal, ENVS, &settings), *hand = act_batch(anymal, ENVS, &none);
        double delay[ENVS], old[ENVS * NU] = {0}, action[ENVS * NU], values[2][ENVS * 64];
        int met[DECIMATION + 1] = {0};
        get(batch, MYR_DELAY, delay);
        for (int env = 0; env < ENVS; env++) {
            assert_true(delay[env] == floor(delay[env]) && delay[env] >= 0 && delay[env] <= DECIMATION);
            met[(int)delay[env]]++;
        }
        for (int d = 0; d <= DECIMATION; d++) assert_true(met[d] > 0);
        for (size_t f = 0; f < sizeof carried / sizeof *carried; f++) {
            get(batch, carried[f], values[0]);
            MUST(myr_batch_set(hand, carried[f], NULL, ENVS, MYR_F64, values[0]));
        }
        for (int t = 0; t < (p ? CONTROLS : SINGLE); t++) {
            for (int64_t env = 0; env < ENVS; env++) {
                act_action(env, t, NU, 1, action + env * NU);
                for (int u = 0; u < NU; u++) action[env * NU + u] = (float)action[env * NU + u];
            }
            MUST(myr_batch_act(batch, &(myr_act){.steps = 1, .type = MYR_F64, .action = action}));
            by_hand(hand, old, action, delay, DECIMATION);
            memcpy(old, action, sizeof old);
            for (int f = 0; f < 2; f++) {
                get(batch, carried[f], values[0]);
                get(hand, carried[f], values[1]);
                const int count = myr_batch_components(batch, carried[f]);
                for (int i = 0; i < ENVS * count; i++) /* the targets are rounded in another way */
                    if (!(fabs(values[0][i] - values[1][i]) <= (p ? 1e-9 : 2e-3) * (1 + t)))
                        fail_msg("%s, control step %d, environment %d with delay %g: number %d is %.17g, by hand %.17g", precisions[p], t,
                                 i / count, delay[i / count], i % count, values[0][i], values[1][i]);
            }
        }
        get(batch, MYR_DELAY, values[0]);
        assert_memory_equal(values[0], delay, sizeof delay);
        myr_batch_free(batch);
        myr_batch_free(hand);
    }
}

/* ---- parameters ----------------------------------------------------------------------------------------------------- */

typedef struct parameters {
    double friction[ENVS], delay[ENVS], mass[ENVS * 13], com[ENVS * 39], inertia[ENVS * 78], kp[ENVS * NU], kd[ENVS * NU],
        strength[ENVS * NU];
} parameters;

static void get_parameters(const myr_batch *batch, parameters *p) {
    assert_int_equal(myr_batch_components(batch, MYR_MASS), 13);
    get(batch, MYR_FRICTION, p->friction);
    get(batch, MYR_DELAY, p->delay);
    get(batch, MYR_MASS, p->mass);
    get(batch, MYR_COM, p->com);
    get(batch, MYR_INERTIA, p->inertia);
    get(batch, MYR_KP, p->kp);
    get(batch, MYR_KD, p->kd);
    get(batch, MYR_STRENGTH, p->strength);
}

static void check_ranges(parameters *p) {
    const myr_body *base = &anymal->bodies[0];
    assert_fills("friction", p->friction, ENVS, 1, 0.4, 1.3);
    assert_fills("delay", p->delay, ENVS, 1, 0, 3);
    assert_fills("mass", p->mass, ENVS, 13, base->mass - 3, base->mass + 3);
    for (int k = 0; k < 3; k++) assert_fills("centre of mass", p->com + k, ENVS, 39, base->com[k] - 0.05, base->com[k] + 0.05);
    for (int env = 0; env < ENVS; env++) {
        for (int body = 1; body < 13; body++) assert_true(fabs(p->mass[env * 13 + body] - anymal->bodies[body].mass) < 1e-6);
        for (int k = 0; k < 6; k++) assert_true(fabs(p->inertia[env * 78 + k] - base->inertia[k]) < 1e-5); /* about the centre of mass */
    }
    for (int u = 0; u < NU; u++) {
        assert_fills("kp", p->kp + u, ENVS, NU, 80 * 0.9, 80 * 1.1);
        assert_fills("kd", p->kd + u, ENVS, NU, 2 * 0.9, 2 * 1.1);
        assert_fills("strength", p->strength + u, ENVS, NU, 0.8, 1.2);
    }
}

static void parameters_are_drawn_once_per_episode(void **state) {
    (void)state;
    static parameters first, now;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings =
            act_settings("precision", precisions[p], QUIET, "episode", "0.4", "vary-friction-low", "0.4", "vary-friction-high", "1.3",
                         "vary-mass", "3", "vary-com", "0.05", "vary-gains", "0.1", "vary-strength", "0.2", "vary-delay", "0.015", NULL);
        myr_batch *batch = act_batch(anymal, ENVS, &settings);
        get_parameters(batch, &first);
        for (int64_t t = 0; t < 60; t++) {
            if (t % 20 == 0) check_ranges(&first);
            step(batch, t, 0.1);
            get_parameters(batch, &now);
            if ((t + 1) % 20 == 0) {
                for (int env = 0; env < ENVS; env++)
                    assert_true(now.mass[env * 13] != first.mass[env * 13] && now.friction[env] != first.friction[env]);
                first = now;
            } else
                assert_memory_equal(&now, &first, sizeof now);
        }
        myr_batch_free(batch);
    }
}

/* What was drawn acts: a batch that draws nothing, and is given the same parameters by hand, moves alike; with its own it does not. */
static void drawn_parameters_act(void **state) {
    (void)state;
    static parameters drawn;
    static const char *const keys[][2] = {{"vary-mass", "6"},       {"vary-com", "0.08"},         {"vary-gains", "0.3"},
                                          {"vary-strength", "0.3"}, {"vary-friction-low", "0.1"}, {"vary-links", "0.2"},
                                          {"vary-inertia", "0.2"}};
    static const struct {
        myr_field field;
        const double *values;
    } given[] = {{MYR_FRICTION, drawn.friction}, {MYR_MASS, drawn.mass}, {MYR_COM, drawn.com},
                 {MYR_INERTIA, drawn.inertia},   {MYR_KP, drawn.kp},     {MYR_KD, drawn.kd},
                 {MYR_STRENGTH, drawn.strength}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (int hand = 0; hand < 2; hand++) {
            const myr_settings varied = act_settings("precision", "f64", QUIET, keys[k][0], keys[k][1], NULL),
                               plain = act_settings("precision", "f64", QUIET, NULL);
            myr_batch *a = act_batch(anymal, ENVS, &varied), *b = act_batch(anymal, ENVS, &plain);
            double x[2][ENVS * 19], farthest = 0;
            get_parameters(a, &drawn);
            for (size_t f = 0; hand && f < sizeof given / sizeof *given; f++)
                MUST(myr_batch_set(b, given[f].field, NULL, ENVS, MYR_F64, given[f].values));
            get(a, MYR_Q, x[0]);
            MUST(myr_batch_set(b, MYR_Q, NULL, ENVS, MYR_F64, x[0]));
            for (int64_t t = 0; t < 10; t++) {
                step(a, t, 0.5);
                step(b, t, 0.5);
            }
            get(a, MYR_Q, x[0]);
            get(b, MYR_Q, x[1]);
            for (int i = 0; i < ENVS * 19; i++) farthest = fmax(farthest, fabs(x[0][i] - x[1][i]));
            if (hand ? farthest > 1e-7 : farthest < 1e-4)
                fail_msg("%s: with parameters %s the robots end %g apart", keys[k][0], hand ? "of the same kind" : "as usual", farthest);
            myr_batch_free(a);
            myr_batch_free(b);
        }
}

/* A parameter that is not drawn stays as the caller set it. */
static void what_is_not_drawn_stays_as_set(void **state) {
    (void)state;
    const myr_settings settings = act_settings(QUIET, "episode", "0.1", NULL);
    myr_batch *batch = act_batch(anymal, ENVS, &settings);
    static parameters before, after;
    get_parameters(batch, &before);
    for (int env = 0; env < ENVS; env++) before.friction[env] = 0.25, before.delay[env] = 2, before.mass[env * 13] = 20 + 0.25 * env;
    for (int i = 0; i < ENVS * NU; i++) before.kp[i] = 50;
    MUST(myr_batch_set(batch, MYR_FRICTION, NULL, ENVS, MYR_F64, before.friction));
    MUST(myr_batch_set(batch, MYR_DELAY, NULL, ENVS, MYR_F64, before.delay));
    MUST(myr_batch_set(batch, MYR_MASS, NULL, ENVS, MYR_F64, before.mass));
    MUST(myr_batch_set(batch, MYR_KP, NULL, ENVS, MYR_F64, before.kp));
    get_parameters(batch, &before);
    for (int64_t t = 0; t < 12; t++) step(batch, t, 0.1);
    get_parameters(batch, &after);
    assert_memory_equal(&before, &after, sizeof before);
    myr_batch_free(batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_lie_in_their_ranges),
        cmocka_unit_test(commands_lie_in_their_ranges_and_hold),
        cmocka_unit_test(one_command_per_episode),
        cmocka_unit_test(pushes_come_once_per_interval),
        cmocka_unit_test(actions_come_late_by_whole_steps),
        cmocka_unit_test(parameters_are_drawn_once_per_episode),
        cmocka_unit_test(drawn_parameters_act),
        cmocka_unit_test(what_is_not_drawn_stays_as_set),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
