/* Joints that follow another in proportion: their limits and friction are rows of the one that they follow. By closed forms, in every
 * instruction set and precision. ctest: lanes */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "support/model_scene.h"

static const char *const precisions[] = {"f64", "f32"};
enum { ENVS = 17 };

#define ROTOR(name, inertia, joint)                                                                                                        \
    "<body name=\"" name "\"><joint name=\"" name "\" axis=\"0 0 1\" " joint "/>"                                                          \
    "<inertial mass=\"1e-3\" pos=\"0 0 0\" diaginertia=\"" inertia " " inertia " " inertia "\"/></body>"
#define FOLLOWS(one, of, law) "<joint name=\"" one "-" of "\" joint1=\"" one "\" joint2=\"" of "\" polycoef=\"" law "\"/>"
#define FILE_OF(bodies, equalities)                                                                                                        \
    "<mujoco><compiler angle=\"radian\"/><option gravity=\"0 0 0\" timestep=\"0.001\"/><worldbody>" bodies                                 \
    "</worldbody><equality>" equalities "</equality><actuator><motor joint=\"d\"/></actuator></mujoco>"

/* Rows of a model as joint, lower, upper, friction. */
static void rows_are(const char *text, int n, const double wanted[][4]) {
    myr_model *model = scene_read(text);
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_rows, n);
    for (int k = 0; k < n; k++) {
        myr_row_info row;
        MUST(myr_model_get_row(model, k, &row));
        assert_int_equal(row.joint, (int)wanted[k][0]);
        if (!(fabs(row.lower - wanted[k][1]) <= 1e-15 || row.lower == wanted[k][1])) fail_msg("row %d: lower %.17g", k, row.lower);
        if (!(fabs(row.upper - wanted[k][2]) <= 1e-15 || row.upper == wanted[k][2])) fail_msg("row %d: upper %.17g", k, row.upper);
        assert_true(fabs(row.dry_friction - wanted[k][3]) < 1e-15);
    }
    myr_model_free(model);
}

static void rows_are_those_of_the_leader(void **state) {
    (void)state;
    const double inf = (double)INFINITY;
    rows_are(FILE_OF(ROTOR("d", "1e-3", "range=\"-1 1\" frictionloss=\"0.1\"") ROTOR("one", "1e-3", "range=\"-0.5 9\" frictionloss=\"0.2\"")
                         ROTOR("two", "1e-3", "range=\"-0.3 0.5\" frictionloss=\"0.4\""),
                     FOLLOWS("one", "d", "0.1 -2 0 0 0") FOLLOWS("two", "one", "0 0.5 0 0 0")),
             1, (const double[][4]){{0, -0.45, 0.3, 0.1 + 2 * 0.2 + 0.4}}); /* one: d <= 0.3; two = 0.05 - d >= -0.3: d <= 0.35 */
    /* the leader has none of its own */
    rows_are(FILE_OF(ROTOR("one", "1e-3", "range=\"0 0.5\"") ROTOR("d", "1e-3", ""), FOLLOWS("one", "d", "0 1 0 0 0")), 1,
             (const double[][4]){{1, 0, 0.5, 0}});
    /* rows of their own: a law that is not a proportion, two leaders, a follower that stands still, two that follow each other */
    rows_are(FILE_OF(ROTOR("d", "1e-3", "") ROTOR("one", "1e-3", "range=\"-1 2\""), FOLLOWS("one", "d", "0 1 0.5 0 0")), 1,
             (const double[][4]){{1, -1, 2, 0}});
    rows_are(FILE_OF(ROTOR("d", "1e-3", "") ROTOR("e", "1e-3", "") ROTOR("one", "1e-3", "range=\"-1 2\""),
                     FOLLOWS("one", "d", "0 1 0 0 0") FOLLOWS("one", "e", "0 1 0 0 0")),
             1, (const double[][4]){{2, -1, 2, 0}});
    rows_are(FILE_OF(ROTOR("d", "1e-3", "") ROTOR("one", "1e-3", "range=\"-1 2\""), FOLLOWS("one", "d", "0.5 0 0 0 0")), 1,
             (const double[][4]){{1, -1, 2, 0}});
    rows_are(FILE_OF(ROTOR("d", "1e-3", "frictionloss=\"0.5\"") ROTOR("one", "1e-3", "frictionloss=\"0.25\""),
                     FOLLOWS("one", "d", "0 1 0 0 0") FOLLOWS("d", "one", "0 1 0 0 0")),
             2, (const double[][4]){{0, -inf, inf, 0.5}, {1, -inf, inf, 0.25}});
}

/* A leader with a millionth of its inertia behind it: accelerates by (torque - friction) / inertia, and stops where the follower ends. */
static void moves(const char *isa, const char *precision) {
    static const char text[] =
        FILE_OF(ROTOR("d", "1e-3", "frictionloss=\"0.01\"") ROTOR("one", "1e-9", "range=\"-0.4 9\" frictionloss=\"0.02\""),
                FOLLOWS("one", "d", "0.1 -2 0 0 0"));
    myr_model *model = scene_read(text);
    const myr_settings settings = scene_settings("task", "none", "isa", isa, "precision", precision, "tolerance", "1e-9", NULL);
    const double close = strcmp(precision, "f64") ? 1e-5 : 1e-10, torque = 0.15, inertia = 1e-3 + 4 * 1e-9, dt = 0.001;
    myr_batch *batch = NULL;
    if (myr_batch_create(model, ENVS, &settings, &batch) != MYR_OK) { /* not of this machine */
        myr_model_free(model);
        return;
    }
    double command[ENVS], q[ENVS][2], v[ENVS][2];
    for (int k = 0; k < ENVS; k++) command[k] = k == 3 ? 0.045 : torque; /* less than the friction of both moves nothing */
    MUST(myr_batch_set(batch, MYR_CONTROL, NULL, ENVS, MYR_F64, command));
    MUST(myr_batch_step(batch, 40));
    MUST(myr_batch_get(batch, MYR_V, NULL, ENVS, MYR_F64, v));
    for (int k = 0; k < ENVS; k++) {
        const double wanted = k == 3 ? 0 : 40 * dt * (torque - 0.01 - 2 * 0.02) / inertia;
        if (!(fabs(v[k][0] - wanted) <= close * 40)) fail_msg("%s, %s, %d: v %.9g, not %.9g", isa, precision, k, v[k][0], wanted);
        if (!(fabs(v[k][1] + 2 * wanted) <= close * 80)) fail_msg("%s, %s, %d: v %.9g, not %.9g", isa, precision, k, v[k][1], -2 * wanted);
    }
    MUST(myr_batch_step(batch, 300));
    MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
    for (int k = 0; k < ENVS; k++) {
        const double stop = k == 3 ? 0.04 : 0.25; /* 0.04: the nearest to 0 where the coupling holds, home */
        if (!(fabs(q[k][0] - stop) <= close)) fail_msg("%s, %s, %d: q %.9g, not %.9g", isa, precision, k, q[k][0], stop);
        if (!(fabs(q[k][1] - (0.1 - 2 * stop)) <= 2 * close)) fail_msg("%s, %s, %d: the follower is at %.9g", isa, precision, k, q[k][1]);
    }
    myr_batch_free(batch);
    myr_model_free(model);
}

static void leaders_feel_their_followers(void **state) {
    (void)state;
    for (int i = 0; isa_at(i / 2); i++) moves(isa_at(i / 2), precisions[i % 2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_those_of_the_leader), cmocka_unit_test(leaders_feel_their_followers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
