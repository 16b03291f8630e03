/* ctest: lanes
 * A pendulum with dry friction in its hinge, and one with a limit, against closed forms: where it sticks and breaks loose, where friction
 * alone stops it, how much of its amplitude each half swing costs, what a limit carries. */
#include <math.h>
#include <stdio.h>

#include "support/batch_scene.h"
#include "support/model_scene.h"

#define MASS 1.3
#define ARM 0.7
#define INERTIA (MASS * ARM * ARM + 0.01)
#define WEIGHT (MASS * 9.81 * ARM) /* torque of gravity where the arm is level [N m] */

enum { ENVS = 11 };

/* Hangs below the world's origin at q = 0, turns about y. */
static myr_batch *pendulum(double friction, double lower, double upper, const char *dt, double g) {
    myr_builder *builder = scene_builder();
    myr_body_def def = myr_body_def_default();
    def.name = "bob", def.joint = MYR_JOINT_REVOLUTE, def.mass_kg = MASS, def.com_m[2] = -ARM, def.lower = lower, def.upper = upper;
    def.axis[0] = 0, def.axis[1] = 1, def.dry_friction = friction;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.01;
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    myr_model *model = scene_compile(builder);
    const myr_settings settings = scene_settings("precision", "f64", "tolerance", "1e-12", "dt", dt, NULL);
    const double gravity[3] = {0, 0, -g};
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    for (int64_t env = 0; env < ENVS; env++) MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, gravity));
    myr_builder_free(builder);
    myr_model_free(model);
    return batch;
}

static double see(const myr_batch *batch, myr_field field, int64_t env) {
    double value;
    MUST(myr_batch_get(batch, field, &env, 1, MYR_F64, &value));
    return value;
}

static void put(myr_batch *batch, myr_field field, int64_t env, double value) {
    MUST(myr_batch_set(batch, field, &env, 1, MYR_F64, &value));
}

/* Friction holds m g l |sin q| up to f, below and above the axis; beyond that what is left of the weight accelerates. */
static void it_sticks_below_the_angle_and_breaks_loose_beyond(void **state) {
    (void)state;
    const double f = 0.5 * WEIGHT, at = asin(0.5), pi = acos(-1.0);
    const double start[ENVS] = {0,         0.3,        -0.3,           at - 1e-6, 1e-6 - at, pi - at + 1e-6, at - pi - 1e-6,
                                at + 1e-6, -at - 1e-6, pi - at - 1e-3, pi / 2};
    const int loose[ENVS] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    myr_batch *batch = pendulum(f, 1, -1, "1e-3", 9.81);
    for (int env = 0; env < ENVS; env++) put(batch, MYR_Q, env, start[env]);
    MUST(myr_batch_step(batch, 1));
    for (int env = 0; env < ENVS; env++) {
        const double pull = -WEIGHT * sin(start[env]), left = loose[env] ? pull - copysign(f, pull) : 0;
        if (!(fabs(see(batch, MYR_V, env) - 1e-3 * left / INERTIA) < 1e-11))
            fail_msg("at %.9g rad: %.6g rad/s, not %.6g", start[env], see(batch, MYR_V, env), 1e-3 * left / INERTIA);
        assert_true(fabs(see(batch, MYR_ROW_IMPULSE, env) + 1e-3 * (pull - left)) < 1e-11);
    }
    MUST(myr_batch_step(batch, 3000));
    for (int env = 0; env < ENVS; env++) {
        const double moved = fabs(see(batch, MYR_Q, env) - start[env]);
        if (!(loose[env] ? moved > 1e-7 : moved < 1e-9)) fail_msg("from %.9g rad it moved by %.3g", start[env], moved);
    }
    myr_batch_free(batch);
}

/* Without gravity v falls by f dt / I in a step: it stops after I v0^2 / (2 f), less half a step's way. */
static void friction_alone_stops_it(void **state) {
    (void)state;
    const double f = 0.9, speed = 3, way = INERTIA * speed * speed / (2 * f);
    for (int fine = 0; fine < 2; fine++) {
        const double dt = fine ? 1e-4 : 1e-3, slower = f * dt / INERTIA;
        myr_batch *batch = pendulum(f, 1, -1, fine ? "1e-4" : "1e-3", 0);
        for (int env = 0; env < ENVS; env++) put(batch, MYR_V, env, env % 2 ? -speed : speed);
        double q = 0, v = speed;
        for (int k = 0; k < 2.3 / dt; k++) {
            v = fmax(v - slower, 0), q += dt * v;
            MUST(myr_batch_step(batch, 1));
            for (int env = 0; env < ENVS; env += 5) {
                const double sign = env % 2 ? -1 : 1;
                assert_true(fabs(see(batch, MYR_V, env) - sign * v) < 1e-10 && fabs(see(batch, MYR_Q, env) - sign * q) < 1e-10);
            }
        }
        print_message("friction stops it after %.9f rad, closed form %.9f less %.6f\n", q, way, 0.5 * dt * speed);
        assert_true(v == 0 && fabs(q - (way - 0.5 * dt * speed)) < slower * dt);
        myr_batch_free(batch);
    }
}

/* The next turning point on the other side: m g l (cos b - cos a) = f (a + b). */
static double next_turn(double a, double f) {
    double low = 0, high = a;
    for (int k = 0; k < 200; k++) {
        const double b = 0.5 * (low + high), left = WEIGHT * (cos(b) - cos(a)) - f * (a + b);
        *(left > 0 ? &low : &high) = b;
    }
    return low;
}

/* Each half swing costs 2 f / (m g l) of the amplitude, until it stops within f / (m g l) and stays. */
static void a_swing_loses_as_much_each_time(void **state) {
    (void)state;
    const double f = 0.007 * WEIGHT, lost = 2 * f / WEIGHT;
    myr_batch *batch = pendulum(f, 1, -1, "5e-4", 9.81);
    for (int env = 0; env < ENVS; env++) put(batch, MYR_Q, env, env % 2 ? -0.1 : 0.1);
    double amplitude = 0.1, far = 0, before = 0;
    int turns = 0;
    for (int k = 0; k < 13000; k++) {
        MUST(myr_batch_step(batch, 1));
        const double q = see(batch, MYR_Q, 0), speed = see(batch, MYR_V, 0), v = fabs(speed) < 1e-12 ? 0 : speed; /* it sticks */
        assert_true(fabs(q + see(batch, MYR_Q, 1)) < 1e-12);
        if (k > 0 && before != 0 && v * before <= 0) { /* the farthest is where the last step ended */
            const double wanted = next_turn(amplitude, f);
            if (!(fabs(fabs(far) - wanted) < 2e-7 && fabs(amplitude - fabs(far) - lost) < lost * amplitude * amplitude / 4))
                fail_msg("turn %d at %.9f rad, closed form %.9f, small angles %.9f", turns + 1, far, wanted, amplitude - lost);
            amplitude = fabs(far), turns++;
        }
        if (v != 0)
            far = q, before = v;
        else
            before = 0;
    }
    print_message("%d half swings of %.6f rad each, at rest at %.6f rad\n", turns, lost, far);
    assert_true(turns == 7 && fabs(far) < f / WEIGHT && before == 0 && fabs(see(batch, MYR_Q, 0) - far) < 1e-12);
    assert_true(fabs(fabs(see(batch, MYR_ROW_IMPULSE, 0)) - 5e-4 * WEIGHT * sin(fabs(far))) < 1e-11);
    myr_batch_free(batch);
}

/* It falls onto its limit, lies on it to rounding, and limit and friction together carry the torque that gravity has there. */
static void a_limit_carries_it(void **state) {
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        const double f = rough ? 0.1 * WEIGHT : 0, limit = 0.6;
        myr_batch *batch = pendulum(f, limit, 2, "1e-3", 9.81);
        for (int env = 0; env < ENVS; env++) put(batch, MYR_Q, env, limit + 0.1 * env);
        MUST(myr_batch_step(batch, 4000));
        myr_stats stats;
        myr_batch_stats(batch, &stats);
        for (int env = 0; env < ENVS; env++) {
            assert_true(fabs(see(batch, MYR_Q, env) - limit) < 1e-11 && fabs(see(batch, MYR_V, env)) < 1e-11);
            assert_true(fabs(see(batch, MYR_ROW_IMPULSE, env) - 1e-3 * WEIGHT * sin(limit)) < 1e-11);
        }
        assert_true(stats.limit_violation_max < 1e-11 && stats.not_converged == 0);
        myr_batch_free(batch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_sticks_below_the_angle_and_breaks_loose_beyond),
        cmocka_unit_test(friction_alone_stops_it),
        cmocka_unit_test(a_swing_loses_as_much_each_time),
        cmocka_unit_test(a_limit_carries_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
