/* Motors: the law of each kind, late and lagging inputs, strength and encoder bias, against scalar doubles written down here, on every
 * instruction set, at the edges of tiles; what is refused; states that are saved, and that a look at a problem leaves alone.
 * ctest: lanes */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/isas.h"
#include "support/motor_scene.h"

enum { MOTORS = MOTOR_SLIDERS, MOST_ENVS = MOTOR_ENVS, STEPS = 40 };
static const double dt = motor_dt, mass = motor_mass;

static myr_actuator_def def_of(int u) {
    static const char *const names[MOTORS] = {"late", "sloped", "sloped spring", "slow", "some late", "rate", "late and slow", "explicit"};
    myr_actuator_def d = myr_actuator_def_default();
    d.name = names[u], d.joints[0] = u, d.kp = 30, d.kd = 0.8, d.lower = -25, d.upper = 25;
    myr_motor *m = &d.motor;
    switch (u) {
    case 0: m->delay_min = m->delay_max = 3; break;
    case 1:
        m->kind = MYR_MOTOR_DC, m->parameters[0] = 40, m->parameters[1] = 6;
        d.kp = d.kd = 0, d.controls = MYR_CONTROLS_TORQUE;
        break;
    case 2: m->kind = MYR_MOTOR_DC, m->parameters[0] = 30, m->parameters[1] = 9; break;
    case 3: m->lag = MYR_LAG_EXACT, m->lag_s = 0.02; break;
    case 4: m->delay_min = 2, m->delay_max = 7, d.controls = MYR_CONTROLS_TORQUE; break;
    case 5: m->lag = MYR_LAG_INTEGRATOR, m->lag_lower = -0.02, m->lag_upper = 0.03, d.control_bias = 0.1; break;
    case 7: m->kind = MYR_MOTOR_EXPLICIT; break;
    default: m->delay_min = m->delay_max = 1, m->lag = MYR_LAG_EULER, m->lag_s = 0.05, m->lag_behind = 1; break;
    }
    return d;
}

static myr_model *sliders(void) {
    myr_builder *builder = motor_sliders(MOTORS);
    myr_model *model;
    for (int u = 0; u < MOTORS; u++) {
        const myr_actuator_def def = def_of(u);
        MUST(myr_builder_actuator(builder, &def));
    }
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

static double target_of(int env, int u, int step) { return 0.8 * motor_some(97 * env + 13 * u + 5 * step); }
static double torque_of(int env, int u, int step) { return (env % 3 == 2 ? 60 : 8) * motor_some(41 * env + 7 * u + 3 * step + 1); }

/* ---- by hand ------------------------------------------------------------------------------------- */

typedef struct by_hand {
    double q, v, given[STEPS], x, last[2]; /* last: implicit force and slope of the last step, for what is said of it */
} by_hand;

static void step_by_hand(by_hand *h, int env, int u, int step, int late) {
    const myr_actuator_def d = def_of(u);
    const double s = motor_strength(env, u), kp = s * d.kp, kd = s * d.kd;
    double target = target_of(env, u, step), push = torque_of(env, u, step), upper = s * d.upper, lower = s * d.lower;
    double *input = d.controls == MYR_CONTROLS_TORQUE ? &push : &target;
    h->given[step] = *input;
    *input = h->given[step < late ? 0 : step - late];
    const double before = h->x;
    switch (d.motor.lag) {
    case MYR_LAG_EXACT: h->x += (1 - exp(-dt / d.motor.lag_s)) * (*input - h->x); break;
    case MYR_LAG_EULER: h->x += dt / d.motor.lag_s * (*input - h->x); break;
    case MYR_LAG_INTEGRATOR: h->x += dt * (*input - d.control_bias); break;
    default: h->x = *input; break;
    }
    h->x = fmax(fmin(h->x, d.motor.lag_upper), d.motor.lag_lower);
    *input = d.motor.lag && d.motor.lag_behind ? before : h->x;
    double slope_high = 0, slope_low = 0;
    if (d.motor.kind == MYR_MOTOR_DC) {
        const double stall = s * d.motor.parameters[0], speed = d.motor.parameters[1], most = speed * (1 + upper / stall);
        const double rate = fmax(fmin(h->v, most), -most), high = stall * (1 - rate / speed), low = -stall * (1 + rate / speed);
        if (fabs(h->v) < most && high < upper) slope_high = stall / speed;
        if (fabs(h->v) < most && low > lower) slope_low = stall / speed;
        upper = fmin(upper, high), lower = fmax(lower, low);
    }
    const double spring = kp * (target - h->q - motor_bias(env, u)) + push, wish = spring - kd * h->v,
                 k = d.motor.kind == MYR_MOTOR_EXPLICIT ? 0 : kd + dt * kp, free = k > 0 ? spring - k * h->v : wish;
    const double force = wish >= upper   ? upper
                         : wish <= lower ? lower
                                         : free,
                 implicit = wish >= upper   ? slope_high
                            : wish <= lower ? slope_low
                                            : k;
    h->v += dt * force / (mass + dt * implicit);
    h->q += dt * h->v;
}

/* ---- in lanes ------------------------------------------------------------------------------------ */

/* Delays as the batch drew them: the first state of the late ones. */
static void delays_of(const myr_batch *batch, const myr_model *model, int n, int delays[][MOTORS]) {
    enum { MOST = 64 };
    double states[MOST_ENVS * MOST];
    int rows = 0, first[MOTORS];
    for (int u = 0; u < MOTORS; u++) {
        const myr_motor m = def_of(u).motor;
        first[u] = rows, rows += (m.delay_max ? m.delay_max + 2 : 0) + (m.lag != MYR_LAG_NONE);
    }
    (void)model;
    assert_true(rows <= MOST);
    MUST(myr_batch_get(batch, MYR_ACTIVATION, NULL, n, MYR_F64, states));
    for (int env = 0; env < n; env++)
        for (int u = 0; u < MOTORS; u++) delays[env][u] = def_of(u).motor.delay_max ? (int)states[env * rows + first[u]] : 0;
}

static uint64_t follow(const myr_model *model, int n, const char *isa, const char *precision) {
    const double tolerance = strcmp(precision, "f64") ? 3e-5 : 1e-12;
    myr_batch *batch = motor_batch(model, MOTORS, n, isa, precision);
    static by_hand hands[MOST_ENVS][MOTORS];
    static int delays[MOST_ENVS][MOTORS];
    double q[MOST_ENVS * MOTORS], v[MOST_ENVS * MOTORS];
    memset(hands, 0, sizeof hands);
    for (int env = 0; env < n; env++) hands[env][5].x = 0; /* all begin where they stand */
    delays_of(batch, model, n, delays);
    for (int env = 0; env < n; env++) assert_in_range(delays[env][4], 2, 7);
    for (int step = 0; step < STEPS; step++) {
        motor_set_controls(batch, MOTORS, n, step, target_of, torque_of);
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_Q, NULL, n, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, n, MYR_F64, v));
        for (int env = 0; env < n; env++)
            for (int u = 0; u < MOTORS; u++) {
                by_hand *h = &hands[env][u];
                step_by_hand(h, env, u, step, delays[env][u]);
                const int i = env * MOTORS + u;
                if (!(fabs(v[i] - h->v) < tolerance * (1 + fabs(h->v)) && fabs(q[i] - h->q) < tolerance))
                    fail_msg("%s, %s, robot %d of %d, motor `%s`, step %d: v %.12g, by hand %.12g; q %.12g, %.12g", isa, precision, env, n,
                             def_of(u).name, step, v[i], h->v, q[i], h->q);
                h->q = q[i], h->v = v[i]; /* roundings of a float near a limit's corner do not add up */
            }
    }
    const uint64_t hash = myr_batch_hash(batch);
    myr_batch_free(batch);
    return hash;
}

static void lanes_follow_the_laws(void **state) {
    (void)state;
    static const char *const precisions[] = {"f64", "f32"};
    static const int counts[] = {1, 7, 8, 9, 15, 16, 17, 33};
    myr_model *model = sliders();
    for (int p = 0; p < 2; p++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int i = 0; isa_at(i); i++) {
                static uint64_t first;
                const uint64_t hash = follow(model, counts[c], isa_at(i), precisions[p]);
                if (!i) first = hash;
                if (hash != first) fail_msg("%s, %s, %d robots: other bits", isa_at(i), precisions[p], counts[c]);
            }
    myr_model_free(model);
}

/* From rest the sloped limit is approached and never passed, whatever dt; from below the corner it is passed once at most, by no more than
 * dt limit / inertia. */
static void sloped_limits_are_never_passed(void **state) {
    (void)state;
    static const char *const steps[] = {"0.001", "0.002", "0.005", "0.01", "0.02"};
    myr_model *model = sliders();
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (int p = 0; p < 2; p++) {
            const double step = strtod(steps[k], NULL), limit = 25, stall = 40, speed = 6;
            const myr_settings settings =
                scene_settings("task", "none", "dt", steps[k], "precision", p ? "f32" : "f64", "spin-damping", "0", NULL);
            myr_batch *batch;
            double gravity[3] = {0}, torque[MOTORS] = {0}, v[MOTORS], last = 0;
            int past = 0;
            MUST(myr_batch_create(model, 1, &settings, &batch));
            MUST(myr_batch_set(batch, MYR_GRAVITY, NULL, 1, MYR_F64, gravity));
            torque[1] = 100;
            MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 1, MYR_F64, torque));
            for (int s = 0; s < 2000; s++) {
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
                const double corner = speed * (1 - limit / stall);
                if (v[1] > speed * (1 + 1e-6)) { /* only by the step that began below the corner */
                    past++;
                    assert_true(last < corner && v[1] - speed < step * limit / mass);
                }
                if (last >= corner && last <= speed) assert_true(v[1] <= speed * (1 + 1e-6));
                last = v[1];
            }
            if (past > 1 || fabs(last - speed) > 1e-4 * speed)
                fail_msg("dt %s: %d steps past the no-load speed, which ends at %g of %g", steps[k], past, last, speed);
            myr_batch_free(batch);
        }
    myr_model_free(model);
}

/* What is on its way is state: a batch that is saved in the middle goes on as it would have, and a problem that is only looked at, or a
 * neighbour in quarantine, changes nothing. */
static void inputs_on_their_way_are_state(void **state) {
    (void)state;
    enum { N = 19 };
    char path[64];
    snprintf(path, sizeof path, "motors-%ld.bin", (long)getpid());
    myr_model *model = sliders();
    myr_batch *one = motor_batch(model, MOTORS, N, "auto", "f32"), *other = motor_batch(model, MOTORS, N, "auto", "f32");
    for (int step = 0; step < 9; step++) {
        motor_set_controls(one, MOTORS, N, step, target_of, torque_of);
        MUST(myr_batch_step(one, 1));
    }
    MUST(myr_batch_save(one, path));
    MUST(myr_batch_restore(other, path));
    remove(path);
    const double nothing[MOTORS] = {NAN};
    const int64_t sick = 3;
    MUST(myr_batch_set(other, MYR_V, &sick, 1, MYR_F64, nothing));
    for (int step = 9; step < STEPS; step++) {
        motor_set_controls(one, MOTORS, N, step, target_of, torque_of), motor_set_controls(other, MOTORS, N, step, target_of, torque_of);
        MUST(myr_batch_step(one, 1));
        MUST(myr_batch_step(other, 1));
    }
    double a[N * MOTORS], b[N * MOTORS];
    MUST(myr_batch_get(one, MYR_Q, NULL, N, MYR_F64, a));
    MUST(myr_batch_get(other, MYR_Q, NULL, N, MYR_F64, b));
    for (int i = 0; i < N * MOTORS; i++)
        if (i / MOTORS != sick) assert_true(a[i] == b[i]);
    myr_batch_free(one);
    myr_batch_free(other);
    myr_model_free(model);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    myr_builder *builder;
    MUST(myr_builder_create("nonsense", &builder));
    myr_body_def body = myr_body_def_default();
    body.name = "a", body.joint = MYR_JOINT_REVOLUTE, body.mass_kg = 1;
    body.inertia_kgm2[0] = body.inertia_kgm2[1] = body.inertia_kgm2[2] = 0.01;
    MUST(myr_builder_body(builder, &body, NULL));
    const struct {
        myr_motor motor;
        const char *word;
    } bad[] = {{{.kind = MYR_MOTOR_KINDS}, "no motor of kind"},
               {{.kind = (myr_motor_kind)-1}, "no motor of kind"},
               {{.kind = MYR_MOTOR_DC}, "stall of its dc motor is 0"},
               {{.kind = MYR_MOTOR_DC, .parameters = {1, NAN}}, "speed of its dc motor"},
               {{.kind = MYR_MOTOR_DC, .parameters = {INFINITY, 1}}, "stall of its dc motor"},
               {{.parameters = {1}}, "a pd motor has no such parameter"},
               {{.delay_min = -1}, "late by -1"},
               {{.delay_min = 2, .delay_max = 1}, "late by 2 to 1"},
               {{.delay_max = MYR_MOST_DELAY + 1}, "late by 0 to 65"},
               {{.lag = MYR_LAG_EXACT}, "lag_s is 0"},
               {{.lag = MYR_LAG_EULER, .lag_s = INFINITY}, "lag_s is inf"},
               {{.lag = (myr_lag)9}, "lag is 9"},
               {{.lag_lower = 1}, "lag_lower is 1"},
               {{.lag_upper = NAN}, "lag_upper"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        myr_actuator_def def = myr_actuator_def_default();
        def.joints[0] = 0, def.motor = bad[i].motor;
        MUST_FAIL(myr_builder_actuator(builder, &def), MYR_E_ARG, bad[i].word);
    }
    const struct {
        myr_actuator_def def;
        const char *word;
    } pushing[] = {{{.frame = "nowhere", .controls = MYR_CONTROLS_TORQUE}, "no body or frame `nowhere`"},
                   {{.frame = "a", .n = 1, .controls = MYR_CONTROLS_TORQUE, .moments = {1}}, "n must be 0"},
                   {{.frame = "a"}, "kp and kd must be 0"},
                   {{.frame = "a", .kd = 1, .controls = MYR_CONTROLS_TORQUE}, "kp and kd must be 0"},
                   {{.frame = "a", .controls = MYR_CONTROLS_TORQUE, .motor = {.kind = MYR_MOTOR_DC, .parameters = {1, 1}}}, "no dc motor"},
                   {{.frame = "a", .controls = MYR_CONTROLS_TORQUE, .gear = {NAN}}, "gear[0] is nan"},
                   {{.n = 0}, "n is 0"}};
    for (size_t i = 0; i < sizeof pushing / sizeof *pushing; i++)
        MUST_FAIL(myr_builder_actuator(builder, &pushing[i].def), MYR_E_ARG, pushing[i].word);
    assert_string_equal(myr_motor_name(MYR_MOTOR_DC), "dc");
    assert_string_equal(myr_motor_parameters(MYR_MOTOR_DC), "stall|speed");
    assert_non_null(myr_motor_doc(MYR_MOTOR_PD));
    assert_null(myr_motor_name(MYR_MOTOR_KINDS));
    myr_builder_free(builder);
}

/* Motors are of what a model's hash tells, and survive being put into another model. */
static void motors_are_told(void **state) {
    (void)state;
    myr_model *model = sliders(), *both;
    myr_builder *builder;
    myr_placement place = myr_placement_default();
    MUST(myr_builder_create("two", &builder));
    MUST(myr_builder_add_model(builder, model, NULL));
    place.prefix = "second/";
    MUST(myr_builder_add_model(builder, model, &place));
    MUST(myr_builder_compile(builder, &both));
    for (int u = 0; u < 2 * MOTORS; u++) {
        myr_actuator_info info;
        MUST(myr_model_get_actuator(both, u, &info));
        const myr_motor m = def_of(u % MOTORS).motor;
        assert_int_equal(info.motor.kind, m.kind);
        assert_true(info.motor.parameters[1] == m.parameters[1] && info.motor.delay_max == m.delay_max && info.motor.lag == m.lag);
    }
    assert_true(myr_model_hash(both) != myr_model_hash(model));
    myr_builder_free(builder);
    myr_model_free(model);
    myr_model_free(both);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_follow_the_laws), cmocka_unit_test(sloped_limits_are_never_passed),
                                       cmocka_unit_test(inputs_on_their_way_are_state), cmocka_unit_test(nonsense_is_refused),
                                       cmocka_unit_test(motors_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
