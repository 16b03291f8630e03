/* Hulls of many corners on the ground: five slots of them, which hold the lowest corner in every pose, stand still with the right weight
 * and add no energy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "model/model.h"
#include "support/model_scene.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"
#include "reference/small.h"

enum { SIDES = 16, CORNERS = 2 * SIDES };

/* A drum of 16 sides, or one with a rim that is rounded once: a smaller cap below. */
static int drum(double points[][3], int rounded) {
    int n = 0;
    for (int level = 0; level < 2 + rounded; level++)
        for (int i = 0; i < SIDES; i++, n++) {
            const double radius = level == 2 ? 0.08 : 0.1, turn = 2 * acos(-1.0) * i / SIDES;
            points[n][0] = radius * cos(turn), points[n][1] = radius * sin(turn);
            points[n][2] = level == 0 ? 0.05 : level == 1 ? -0.05 : -0.06;
        }
    return n;
}

static myr_model *carry(double points[][3], int n, int floats) {
    myr_builder *b = scene_builder();
    myr_geom_def geom = myr_geom_def_default();
    geom.type = MYR_GEOM_HULL, geom.points_m = points[0], geom.n_points = n;
    geom.body = scene_body(b, "body", -1, MYR_JOINT_FREE, 0, 0, 0);
    if (!floats) {
        geom.body = scene_body(b, "arm", geom.body, MYR_JOINT_BALL, 0.1, 0.2, 0.3);
        geom.position_m[0] = 0.05, geom.position_m[2] = -0.02;
        geom.quaternion[0] = 0.6, geom.quaternion[1] = 0.1, geom.quaternion[2] = -0.5, geom.quaternion[3] = 0.6;
    }
    MUST(myr_builder_geom(b, &geom, NULL));
    myr_model *model = scene_compile(b);
    myr_builder_free(b);
    return model;
}

static void corners_in_world(const myr_model *model, const reference_body *body, double at[][3]) {
    const myr_geom *g = &model->geoms[0];
    for (int i = 0; i < g->n_points; i++) {
        double local[3], x[3];
        mul3(g->rotation, g->points + 3 * i, local);
        for (int k = 0; k < 3; k++) local[k] += g->position[k];
        mul3(body->rotation, local, x);
        for (int k = 0; k < 3; k++) at[i][k] = body->position[k] + x[k];
    }
}

static void the_lowest_corner_is_among_them(void **state) {
    enum { ENVS = 400 };
    (void)state;
    for (int floats = 0; floats < 2; floats++)
        for (int p = 0; p < 2; p++) {
            double points[3 * SIDES][3], none[3] = {0}, zero[16] = {0};
            myr_model *model = carry(points, drum(points, 1), floats);
            myr_batch *batch = NULL;
            reference_state reference;
            random_source source = {21};
            const double tolerance = p ? 1e-12 : 3e-6;
            int together = 0;
            myr_settings settings = scene_settings("precision", p ? "f64" : "f32", "task", "none", "threads", "1", NULL);
            assert_int_equal(model->n_slots, 5);
            assert_true(reference_init(&reference, model));
            settings.sense_contacts = 1;
            MUST(myr_batch_create(model, ENVS, &settings, &batch));
            for (int64_t env = 0; env < ENVS; env++) {
                double q[16], v[16], tau[16];
                random_state(&source, model, 0, 0, q, v, tau);
                q[2] = random_uniform(&source, -0.3, 0.1);
                MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
                MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, zero));
            }
            double *all = calloc(ENVS, sizeof(double[16])), (*touch)[5][3] = calloc(ENVS, sizeof *touch),
                   (*up)[5][3] = calloc(ENVS, sizeof *up);
            assert_true(all && touch && up);
            MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, all));
            MUST(myr_batch_step(batch, 1));
            MUST(myr_batch_get(batch, MYR_CONTACT_POINT, NULL, ENVS, MYR_F64, touch));
            MUST(myr_batch_get(batch, MYR_CONTACT_NORMAL, NULL, ENVS, MYR_F64, up));
            for (int env = 0; env < ENVS; env++) {
                double at[3 * SIDES][3], lowest = 1, lowest_point = 1;
                int corner[5], n = 0;
                reference_compute(&reference, all + model->nq * env, zero, zero, none);
                corners_in_world(model, &reference.bodies[model->geoms[0].body], at);
                for (int i = 0; i < model->geoms[0].n_points; i++) lowest = fmin(lowest, at[i][2]);
                for (int s = 0; s < 5; s++) {
                    if (up[env][s][2] == 0) continue;
                    double least = 1;
                    for (int i = 0; i < model->geoms[0].n_points; i++) {
                        double d[3];
                        for (int k = 0; k < 3; k++) d[k] = touch[env][s][k] - at[i][k];
                        if (sqrt(dot(d, d)) < least) least = sqrt(dot(d, d)), corner[n] = i;
                    }
                    assert_true(least < 10 * tolerance); /* it is a corner, no other slot's, and below the ground */
                    for (int e = 0; e < n; e++) assert_true(corner[e] != corner[n]);
                    assert_true(at[corner[n]][2] < tolerance);
                    lowest_point = fmin(lowest_point, at[corner[n]][2]);
                    n++;
                }
                if (fabs(lowest) > 2e-6) assert_int_equal(n > 0, lowest < 0);
                if (n) assert_true(lowest_point < lowest + 1.5e-6 + tolerance);
                together += n;
            }
            assert_true(together > ENVS);
            free(all);
            free(touch);
            free(up);
            reference_free(&reference);
            myr_batch_free(batch);
            myr_model_free(model);
        }
}

/* Standing on its sole: the weight is carried, nothing moves and no contact comes or goes. */
static void what_stands_stays(void **state) {
    (void)state;
    for (int rounded = 0; rounded < 2; rounded++)
        for (int p = 0; p < 2; p++) {
            double points[3 * SIDES][3], home[7], q[7], impulse[5][3];
            myr_model *model = carry(points, drum(points, rounded), 1);
            myr_batch *batch = NULL;
            int touching[5] = {0};
            const myr_settings settings = scene_settings("precision", p ? "f64" : "f32", "task", "none", "threads", "1", NULL);
            MUST(myr_batch_create(model, 1, &settings, &batch));
            myr_model_home(model, home);
            assert_true(fabs(home[2] - (rounded ? 0.06 : 0.05)) < 1e-15);
            home[2] -= 1e-5;
            home[3] = cos(0.3), home[6] = sin(0.3);
            MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, home));
            MUST(myr_batch_step(batch, 200));
            for (int step = 0; step < 5000; step++) {
                double weight = 0;
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_IMPULSE, NULL, 1, MYR_F64, impulse));
                for (int s = 0; s < 5; s++) touching[s] += impulse[s][2] > 0, weight += impulse[s][2] / 1e-3;
                if (!(fabs(weight - 9.81) < 0.02)) fail_msg("step %d: it weighs %g N", step, weight);
            }
            for (int s = 0; s < 5; s++) assert_true(touching[s] == 0 || touching[s] == 5000);
            assert_true(touching[0] && touching[1] && touching[2] && touching[3]);
            MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
            for (int k = 0; k < 7; k++) assert_true(fabs(q[k] - home[k]) < 3e-5);
            myr_batch_free(batch);
            myr_model_free(model);
        }
}

/* Thrown anyhow it loses energy until it lies: its height and speed never say more than they did, but for what a step of gravity is, and
 * for its weight times the depth that a step begins with: that comes out (setting landing). Never more than it fell with. */
static void what_falls_gains_nothing(void **state) {
    enum { ENVS = 32, STEPS = 3000 };
    (void)state;
    double points[3 * SIDES][3], q[ENVS][7], v[ENVS][6], before[ENVS], first[ENVS], depth[ENVS][5];
    myr_model *model = carry(points, drum(points, 1), 1);
    myr_batch *batch = NULL;
    random_source source = {5};
    myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", NULL);
    settings.sense_contacts = 1;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    for (int e = 0; e < ENVS; e++) {
        double tau[16];
        random_state(&source, model, 0, 0, q[e], v[e], tau);
        q[e][2] = 0.3, before[e] = INFINITY;
        for (int k = 0; k < 6; k++) v[e][k] = random_uniform(&source, -1, 1);
    }
    MUST(myr_batch_set(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, NULL, ENVS, MYR_F64, v));
    for (int step = 0; step < STEPS; step++) {
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, ENVS, MYR_F64, v));
        MUST(myr_batch_get(batch, MYR_CONTACT_DEPTH, NULL, ENVS, MYR_F64, depth));
        for (int e = 0; e < ENVS; e++) { /* 1 kg, 0.01 kg m^2; v and q of one step: the height is of the step's end */
            const double energy = 9.81 * q[e][2] + 0.5 * dot(v[e], v[e]) + 0.005 * dot(v[e] + 3, v[e] + 3);
            double deepest = 0;
            for (int s = 0; s < 5; s++) deepest = fmax(deepest, depth[e][s]);
            if (!step) first[e] = energy;
            if (!(energy < before[e] + 9.81 * deepest + 1e-4 && energy < first[e] + 1e-4))
                fail_msg("environment %d, step %d: from %.9g J to %.9g J, %g m deep", e, step, before[e], energy, deepest);
            before[e] = energy;
        }
    }
    for (int e = 0; e < ENVS; e++)
        if (!(before[e] < 9.81 * 0.12)) fail_msg("environment %d still has %g J", e, before[e]);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_lowest_corner_is_among_them), cmocka_unit_test(what_stands_stays),
                                       cmocka_unit_test(what_falls_gains_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
