/* may skip: truth that none of the project's code computed lies in ../shared/oracles, which is not part of this tree
 * Bodies that are drawn: a change of the pseudo-inertia gives what worlds2/laws.json says, and a body that could be whatever is drawn;
 * the parameters vary-* are drawn in their ranges, and what no setting asks for stays. */
#include <math.h>
#include <stdlib.h>

#include "layouts/inertial.h"
#include "support/random_model.h"
#include "support/terrain_scene.h"

static void numbers(const json_t *of, const char *key, int n, double *out) {
    for (int k = 0; k < n; k++) out[k] = json_number_value(json_array_get(json_object_get(of, key), (size_t)k));
}

static const myr_body straight = {.align = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static void pseudo_inertias_are_those_of_the_oracle(void **state) {
    (void)state;
    json_t *all = laws_of_worlds(), *one;
    size_t n;
    double worst = 0;
    json_array_foreach(json_object_get(all, "pseudo_inertia"), n, one) {
        double com[3], inertia[6], change[MYR_PSEUDO_CHANGES], rows[MYR_INERTIAL_ROWS], want[10], got[10];
        numbers(one, "com", 3, com), numbers(one, "inertia", 6, inertia);
        change[0] = law_number(one, "alpha");
        numbers(one, "d", 3, change + 1), numbers(one, "s12_s23_s13", 3, change + 4), numbers(one, "t", 3, change + 7);
        want[0] = law_number(one, "mass_after");
        numbers(one, "com_after", 3, want + 1), numbers(one, "inertia_after", 6, want + 4);
        /* a body whose own axes lie along others: what is drawn is in the user's */
        const double c = 0.6, s = 0.8;
        const myr_body turned = {.align = {c, -s, 0, s, c, 0, 0, 0, 1}};
        const myr_body *bodies[] = {&straight, &turned};
        for (int b = 0; b < 2; b++) {
            myr_inertial_pack(bodies[b], law_number(one, "mass"), com, inertia, rows);
            myr_inertial_change(bodies[b], change, rows);
            got[0] = myr_inertial_mass(rows);
            myr_inertial_com(bodies[b], rows, got + 1);
            myr_inertial_inertia(bodies[b], rows, got + 4);
            for (int k = 0; k < 10; k++) worst = fmax(worst, fabs(got[k] - want[k]) / (1 + fabs(want[k])));
        }
    }
    assert_true(n >= 10);
    if (!(worst < 1e-12)) fail_msg("%zu bodies: worst difference %g", n, worst);
    json_decref(all);
}

/* Principal moments are positive, and none is more than the other two: tr(I) / 2 - I is positive definite, by its minors. */
static int could_be(double mass, const double I[6]) {
    const double half = (I[0] + I[1] + I[2]) / 2, xx = half - I[0], yy = half - I[1], zz = half - I[2], xy = -I[3], xz = -I[4], yz = -I[5];
    return mass > 0 && xx > 0 && xx * yy - xy * xy > 0 &&
           xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz) > 0;
}

static void any_change_is_a_body(void **state) {
    (void)state;
    random_source source = {11};
    const double com[3] = {0.1, -0.2, 0.05}, inertia[6] = {0.02, 0.03, 0.04, 0.001, -0.002, 0.003};
    assert_false(could_be(1, (const double[6]){0.01, 0.01, 0.03, 0, 0, 0})); /* the test itself tells bodies from others */
    for (int i = 0; i < 2000; i++) {
        double rows[MYR_INERTIAL_ROWS], change[MYR_PSEUDO_CHANGES], I[6];
        myr_inertial_pack(&straight, 2, com, inertia, rows);
        for (int k = 0; k < MYR_PSEUDO_CHANGES; k++) change[k] = random_uniform(&source, -1, 1);
        myr_inertial_change(&straight, change, rows);
        myr_inertial_inertia(&straight, rows, I);
        assert_true(could_be(myr_inertial_mass(rows), I));
        assert_true(fabs(myr_inertial_mass(rows) / 2 - exp(2 * change[0])) < 1e-13 * exp(2));
    }
    /* no change, and a body without mass */
    double rows[MYR_INERTIAL_ROWS], same[MYR_INERTIAL_ROWS];
    const double nothing[MYR_PSEUDO_CHANGES] = {0}, zero[6] = {0};
    myr_inertial_pack(&straight, 2, com, inertia, rows), memcpy(same, rows, sizeof rows);
    myr_inertial_change(&straight, nothing, rows);
    for (int k = 0; k < MYR_INERTIAL_ROWS; k++) assert_true(fabs(rows[k] - same[k]) < 1e-15);
    myr_inertial_pack(&straight, 0, zero, zero, rows);
    myr_inertial_change(&straight, nothing, rows);
    for (int k = 0; k < MYR_INERTIAL_ROWS; k++) assert_true(rows[k] == 0);
}

/* ---- what is drawn ---------------------------------------------------------------------------------------------------- */

enum { MANY = 200, LINKS = 3, DOFS = 8 };
#define JOINT(name, more) "<joint name='" name "' axis='0 1 0' " more "/>"
static const char *const arm =
    "<mujoco model='arm'><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/><geom size='.1' mass='4'/>"
    "<body pos='.2 0 0'>" JOINT(
        "a", "armature='.2' damping='.4' frictionloss='.1'") "<geom size='.05' pos='.1 0 0' mass='1'/>"
                                                             "<body pos='.2 0 0'>" JOINT(
                                                                 "b",
                                                                 "armature='.1' damping='.2'") "<geom size='.05' pos='.1 0 0' "
                                                                                               "mass='.5'/></body></body></body>"
                                                                                               "</worldbody><actuator><position joint='a' "
                                                                                               "kp='10' kv='1'/><position joint='b' "
                                                                                               "kp='10' kv='1'/></actuator></mujoco>";

static double spread(const double *x, int n, int stride, double *low, double *high) {
    *low = INFINITY, *high = -INFINITY;
    for (int i = 0; i < n; i++) *low = fmin(*low, x[i * stride]), *high = fmax(*high, x[i * stride]);
    return *high - *low;
}

/* Field, its component, nominal value, factors lowest and highest; all of the range is met to 5 %. */
static void assert_factor(const myr_batch *batch, myr_field field, int k, double nominal, double lowest, double highest) {
    static double x[MANY * 64];
    double low, high;
    const int n = myr_batch_components(batch, field);
    MUST(myr_batch_get(batch, field, NULL, MANY, MYR_F64, x));
    spread(x + k, MANY, n, &low, &high);
    const double width = (highest - lowest) * nominal, round = 1e-6 * nominal;
    if (!(low >= nominal * lowest - round && low <= nominal * lowest + 0.05 * width + round && high <= nominal * highest + round &&
          high >= nominal * highest - 0.05 * width - round))
        fail_msg("field %d, component %d: %g .. %g, not %g .. %g", field, k, low, high, nominal * lowest, nominal * highest);
}

static void factors_fill_their_ranges(void **state) {
    (void)state;
    myr_model *model;
    MUST(myr_model_open_text(arm, strlen(arm), "arm", NULL, &model));
    for (int drawn = 0; drawn < 2; drawn++)
        for (int p = 0; p < 2; p++) {
            myr_settings s = scene_settings("task", "hold", "precision", p ? "f64" : "f32", NULL);
            const char *const more[][2] = {{"vary-armature-low", "1"}, {"vary-armature-high", "1.05"},   {"vary-damping-low", "0.5"},
                                           {"vary-damping-high", "2"}, {"vary-dry-friction-low", "0.5"}, {"vary-dry-friction-high", "2"},
                                           {"vary-links", "0.1"},      {"vary-encoder", "0.02"},         {"vary-strength", "0.2"}};
            for (size_t k = 0; drawn && k < sizeof more / sizeof *more; k++) MUST(myr_settings_set(&s, more[k][0], more[k][1]));
            myr_batch *batch;
            MUST(myr_batch_create(model, MANY, &s, &batch));
            const double by = drawn; /* 0: as the model says */
            const double armature[] = {0.2, 0.1}, damping[] = {0.4, 0.2}, mass[] = {4, 1, 0.5};
            for (int j = 0; j < 2; j++) {
                assert_factor(batch, MYR_ARMATURE, 6 + j, armature[j], 1, 1 + 0.05 * by);
                assert_factor(batch, MYR_DAMPING, 6 + j, damping[j], 1 - 0.5 * by, 1 + by);
                assert_factor(batch, MYR_STRENGTH, j, 1, 1 - 0.2 * by, 1 + 0.2 * by);
            }
            assert_factor(batch, MYR_DRY_FRICTION, 0, 0.1, 1 - 0.5 * by, 1 + by);
            for (int b = 0; b < LINKS; b++) assert_factor(batch, MYR_MASS, b, mass[b], 1 - 0.1 * by, 1 + 0.1 * by);
            for (int b = 0; b < LINKS; b++) assert_factor(batch, MYR_COM, 3 * b, b ? 0.1 : 0, 1, 1);
            for (int b = 0; b < LINKS; b++) { /* inertia goes with mass */
                const double radius = b ? 0.05 : 0.1;
                assert_factor(batch, MYR_INERTIA, 6 * b, 0.4 * mass[b] * radius * radius, 1 - 0.1 * by, 1 + 0.1 * by);
            }
            myr_batch_free(batch);
        }
    myr_model_free(model);
}

/* The base keeps what vary-mass drew; links change about it, and each episode draws anew. */
static void pseudo_inertia_comes_on_top(void **state) {
    (void)state;
    myr_model *model;
    MUST(myr_model_open_text(arm, strlen(arm), "arm", NULL, &model));
    static double mass[3][MANY * LINKS];
    for (int k = 0; k < 3; k++) {
        myr_settings s = scene_settings("task", "hold", "precision", "f64", "vary-mass", "1", NULL);
        if (k > 0) MUST(myr_settings_set(&s, "vary-inertia", "0.1"));
        myr_batch *batch;
        MUST(myr_batch_create(model, MANY, &s, &batch));
        if (k == 2) MUST(myr_batch_reset(batch, NULL));
        MUST(myr_batch_get(batch, MYR_MASS, NULL, MANY, MYR_F64, mass[k]));
        myr_batch_free(batch);
    }
    double low, high, factor[MANY];
    for (int b = 0; b < LINKS; b++) {
        int same = 0;
        for (int i = 0; i < MANY; i++)
            factor[i] = mass[1][LINKS * i + b] / mass[0][LINKS * i + b], same += mass[1][LINKS * i + b] == mass[2][LINKS * i + b];
        spread(factor, MANY, 1, &low, &high);
        assert_true(low >= exp(-0.2) - 1e-12 && low < exp(-0.19) && high <= exp(0.2) + 1e-12 && high > exp(0.19));
        assert_int_equal(same, 0);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pseudo_inertias_are_those_of_the_oracle), cmocka_unit_test(any_change_is_a_body),
                                       cmocka_unit_test(factors_fill_their_ranges), cmocka_unit_test(pseudo_inertia_comes_on_top)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
