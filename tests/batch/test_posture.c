/* What `run` says of the robots at its end, against places in closed form: upright to 45 degrees and no further, on the back, under the
 * ground, in the ground, in each other; and the field MYR_CONTACT_DEPTH that it reads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/posture.c"
#include "cli/words.c"

#define MUST(call)                                                                                                                         \
    do {                                                                                                                                   \
        if ((call) != MYR_OK) fail_msg("%s: %s", #call, myr_message());                                                                    \
    } while (0)

static myr_settings settings_of(const char *precision) {
    myr_settings settings = myr_settings_default();
    MUST(myr_settings_set(&settings, "task", "none"));
    MUST(myr_settings_set(&settings, "precision", precision));
    return settings;
}

static myr_model *load(const char *name) {
    myr_model *model = NULL;
    MUST(myr_model_load(name, MYR_ROOT_AUTO, &model));
    return model;
}

/* A batch of the model whose environments have the positions q (envs, nq); what is said of them. */
static posture of_states(const myr_model *model, const char *precision, int64_t envs, const double *q) {
    const myr_settings settings = settings_of(precision);
    myr_batch *batch = NULL;
    posture end;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    MUST(myr_batch_set(batch, MYR_Q, NULL, envs, MYR_F64, q));
    const uint64_t before = myr_batch_hash(batch);
    MUST(posture_measure(batch, &settings, &end));
    assert_true(myr_batch_hash(batch) == before); /* the batch stays as it is */
    myr_batch_free(batch);
    return end;
}

static void near(double got, double wanted, double allowed, const char *what) {
    if (!(fabs(got - wanted) <= allowed)) fail_msg("%s: %.17g is not %.17g", what, got, wanted);
}

/* Turned by `angle` about an axis in the plane, `z` above the ground. */
static void place(double *q, double angle, double heading, double z) {
    q[2] = z;
    q[3] = cos(0.5 * angle);
    q[4] = sin(0.5 * angle) * cos(heading);
    q[5] = sin(0.5 * angle) * sin(heading);
    q[6] = 0;
}

static void upright_is_within_45_degrees_and_above_the_ground(void **state) {
    (void)state;
    const double degree = acos(-1) / 180;
    for (int lean = 0; lean <= 180; lean++)
        for (int heading = 0; heading < 360; heading += 45) {
            double q[7] = {0};
            if (lean == 45) continue;
            place(q, lean * degree, heading * degree, 0.3);
            assert_int_equal(posture_is_upright(q), lean < 45);
            q[2] = -0.3;
            assert_int_equal(posture_is_upright(q), 0);
        }
}

static void a_robot_stands_or_lies_on_its_back(void **state) {
    (void)state;
    enum { ENVS = 5, NQ = 19 };
    myr_model *anymal = load("anymal");
    double q[ENVS][NQ], home[NQ];
    static const char *const precisions[] = {"f64", "f32"};
    myr_model_home(anymal, home);
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < ENVS; i++) memcpy(q[i], home, sizeof home);
        posture end = of_states(anymal, precisions[p], ENVS, q[0]);
        near(end.upright, 1, 0, "all stand");
        near(end.base_height_p50, home[2], 1e-7, "height at home");
        near(end.penetration_max, 0, 1e-6, "nothing is in the ground");
        for (int i = 0; i < ENVS; i++) place(q[i], acos(-1), 0.3, 2); /* on the back, in the air */
        end = of_states(anymal, precisions[p], ENVS, q[0]);
        near(end.upright, 0, 0, "all on their backs");
        near(end.base_height_p50, 2, 1e-6, "height on the back");
        for (int i = 0; i < ENVS; i++) memcpy(q[i], home, sizeof home);
        for (int i = 0; i < 2; i++) place(q[i], acos(-1), 0.3, 2);
        near(of_states(anymal, precisions[p], ENVS, q[0]).upright, 0.6, 1e-15, "two of five on their backs");
    }
    myr_model_free(anymal);
}

static void what_is_in_the_ground_shows(void **state) {
    (void)state;
    enum { ENVS = 4100 }; /* more than are looked at at a time */
    myr_model *sphere = load("sphere");
    double home[7], *q = calloc(ENVS * 7, sizeof *q);
    assert_non_null(q);
    myr_model_home(sphere, home); /* it touches: its radius is its height */
    for (int i = 0; i < ENVS; i++) memcpy(q + 7 * i, home, sizeof home);
    for (int i = 0; i < ENVS; i++) q[7 * i + 2] = home[2] + (i % 2 ? 0.25 : -0.003); /* half in the air, half a little sunk */
    q[7 * (ENVS - 2) + 2] = -5;                                                      /* and one buried */
    const posture end = of_states(sphere, "f64", ENVS, q);
    near(end.penetration_p50, 0, 1e-12, "half of all touch nothing"); /* 2050 of 4100 */
    near(end.penetration_max, 5 + home[2], 1e-12, "the buried one");
    near(end.upright, 1 - 1.0 / ENVS, 1e-12, "the buried one is not upright");
    near(end.base_height_p50, home[2] - 0.003, 1e-12, "height");
    for (int i = 0; i < ENVS; i++) q[7 * i + 2] = home[2] - 0.003;
    near(of_states(sphere, "f64", ENVS, q).penetration_p50, 0.003, 1e-12, "all a little sunk");
    free(q);
    myr_model_free(sphere);
}

static void what_is_in_each_other_shows(void **state) {
    (void)state;
    myr_model *stack = load("stack-2");
    double q[14];
    myr_model_home(stack, q);
    near(of_states(stack, "f64", 1, q).penetration_max, 0.2 - (q[9] - q[2]), 1e-12, "a stack at home");
    q[7 + 2] -= 0.01; /* the upper cube into the lower */
    const posture end = of_states(stack, "f64", 1, q);
    near(end.penetration_max, 0.2 - (q[9] - q[2]), 1e-12, "cube in cube");
    near(end.base_height_p50, q[2], 1e-12, "the first floating root");
    myr_model_free(stack);
}

static void unknown_is_not_zero(void **state) {
    (void)state;
    myr_model *pendulum = load("double-pendulum");
    const double hanging[2] = {0};
    posture end = of_states(pendulum, "f64", 1, hanging);
    assert_true(isnan(end.upright) && isnan(end.base_height_p50) && isnan(end.penetration_p50) && isnan(end.penetration_max));
    myr_model_free(pendulum);
    /* who is in quarantine is not judged */
    myr_model *sphere = load("sphere");
    const myr_settings settings = settings_of("f64");
    myr_batch *batch = NULL;
    const int64_t second = 1;
    const double nowhere[6] = {NAN}, low[7] = {0, 0, -1, 1, 0, 0, 0};
    MUST(myr_batch_create(sphere, 2, &settings, &batch));
    MUST(myr_batch_set(batch, MYR_V, &second, 1, MYR_F64, nowhere));
    MUST(myr_batch_step(batch, 3));
    MUST(myr_batch_set(batch, MYR_Q, &second, 1, MYR_F64, low));
    MUST(posture_measure(batch, &settings, &end));
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    assert_int_equal(stats.quarantined, 1);
    near(end.upright, 1, 0, "the healthy one");
    near(end.penetration_max, 0, 1e-4, "the healthy one");
    myr_batch_free(batch);
    myr_model_free(sphere);
}

/* The field itself: of the last step, one number per slot, zero where apart, and with the terms of soft contacts as without. */
static void depths_are_of_the_last_step(void **state) {
    (void)state;
    static const char *const compliance[] = {"0", "1e-4"};
    myr_model *sphere = load("sphere");
    for (int soft = 0; soft < 2; soft++) {
        myr_settings settings = settings_of("f64");
        MUST(myr_settings_set(&settings, "compliance", compliance[soft]));
        myr_batch *batch = NULL;
        double home[7], q[2][7], depth[2];
        myr_model_home(sphere, home);
        memcpy(q[0], home, sizeof home);
        memcpy(q[1], home, sizeof home);
        q[0][2] -= 0.02;
        q[1][2] += 0.02;
        settings.sense_contacts = 1;
        MUST(myr_batch_create(sphere, 2, &settings, &batch));
        assert_int_equal(myr_batch_components(batch, MYR_CONTACT_DEPTH), 1);
        MUST(myr_batch_set(batch, MYR_Q, NULL, 2, MYR_F64, q));
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_CONTACT_DEPTH, NULL, 2, MYR_F64, depth));
        near(depth[0], 0.02, 1e-12, "sunk");
        near(depth[1], 0, 0, "in the air");
        const double fast = -30; /* [m/s]: it meets the ground within the step */
        double v[2][6] = {{0}};
        v[1][2] = fast;
        MUST(myr_batch_set(batch, MYR_Q, NULL, 2, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, NULL, 2, MYR_F64, v));
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_CONTACT_DEPTH, NULL, 2, MYR_F64, depth));
        near(depth[1], -0.02, 1e-12, "met in the step");
        myr_batch_free(batch);
    }
    /* at rest a soft contact lies compliance * weight deep */
    myr_settings settings = settings_of("f64");
    myr_batch *batch = NULL;
    double depth;
    MUST(myr_settings_set(&settings, "compliance", "1e-3"));
    MUST(myr_settings_set(&settings, "tolerance", "1e-12"));
    MUST(myr_settings_set(&settings, "dissipation-time", "0.049"));
    MUST(myr_settings_set(&settings, "baumgarte", "0.02")); /* dt / (dt + dissipation-time): a spring */
    settings.sense_contacts = 1;
    MUST(myr_batch_create(sphere, 1, &settings, &batch));
    MUST(myr_batch_step(batch, 5000));
    MUST(myr_batch_get(batch, MYR_CONTACT_DEPTH, NULL, 1, MYR_F64, &depth));
    near(depth, 1e-3 * 9.81, 1e-8, "compliance times weight");
    myr_batch_free(batch);
    myr_model_free(sphere);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upright_is_within_45_degrees_and_above_the_ground),
        cmocka_unit_test(a_robot_stands_or_lies_on_its_back),
        cmocka_unit_test(what_is_in_the_ground_shows),
        cmocka_unit_test(what_is_in_each_other_shows),
        cmocka_unit_test(unknown_is_not_zero),
        cmocka_unit_test(depths_are_of_the_last_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
