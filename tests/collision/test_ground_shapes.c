/* Cylinders and convex hulls on the ground: where their slots are, in lanes and when they stand, lie and lean; and which points are refused
 * as a hull. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "kernels/kernels.h"
#include "model/model.h"
#include "support/model_scene.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"
#include "reference/small.h"

#define RADIUS 0.1
#define HALF 0.3

/* A body whose cylinder (or hull) sits anyhow in it; on a free joint, or at the end of a hinged arm. */
static myr_model *carry(const myr_geom_def *shape, int free) {
    myr_builder *b = scene_builder();
    myr_geom_def geom = *shape;
    geom.body = free ? scene_body(b, "body", -1, MYR_JOINT_FREE, 0, 0, 0) : scene_body(b, "arm", -1, MYR_JOINT_FREE, 0, 0, 0);
    if (!free) geom.body = scene_body(b, "body", geom.body, MYR_JOINT_BALL, 0.1, 0.2, 0.3);
    MUST(myr_builder_geom(b, &geom, NULL));
    myr_model *model = scene_compile(b);
    myr_builder_free(b);
    return model;
}

static myr_geom_def cylinder(void) {
    myr_geom_def def = myr_geom_def_default();
    def.type = MYR_GEOM_CYLINDER;
    def.size_m[0] = RADIUS, def.size_m[1] = HALF;
    def.position_m[0] = 0.05, def.position_m[2] = -0.02;
    def.quaternion[0] = 0.6, def.quaternion[1] = 0.1, def.quaternion[2] = -0.5, def.quaternion[3] = 0.6;
    return def;
}

/* Lowest point of a cap: centre less radius along what of z is in the cap's plane. */
static double cap_height(const double center[3], const double axis[3]) { return center[2] - RADIUS * sqrt(fmax(0, 1 - axis[2] * axis[2])); }

/* In poses that reach into the ground: each cap's slot is at the cap's lowest point and active with it; the others are on the lower rim. */
static void rims_have_their_lowest_points(void **state) {
    enum { ENVS = 100 };
    const myr_geom_def shape = cylinder();
    (void)state;
    for (int free = 0; free < 2; free++)
        for (int p = 0; p < 2; p++) {
            myr_model *model = carry(&shape, free);
            myr_batch *batch = NULL;
            reference_state reference;
            random_source source = {9};
            const double tolerance = p ? 1e-12 : 2e-6, zero[16] = {0}, none[3] = {0};
            int active[4] = {0}, level = 0;
            myr_settings settings = scene_settings("precision", p ? "f64" : "f32", "task", "none", "threads", "1", NULL);
            assert_int_equal(model->n_slots, 4);
            assert_true(reference_init(&reference, model));
            settings.sense_contacts = 1;
            MUST(myr_batch_create(model, ENVS, &settings, &batch));
            for (int64_t env = 0; env < ENVS; env++) {
                double q[16], v[16], tau[16], point[4][3], normal[4][3], rotation[9], geom[9], turned[9], center[2][3], axis[3];
                random_state(&source, model, 0, 0, q, v, tau);
                q[2] = random_uniform(&source, -0.5, 0.1);
                if (env % 10 == 0 && free) { /* upright to rounding: the geom's axis on the world's z, either way */
                    double back[4] = {shape.quaternion[0], -shape.quaternion[1], -shape.quaternion[2], -shape.quaternion[3]};
                    memcpy(q + 3, back, sizeof back);
                    if (env % 20 == 0) q[3] = -back[1], q[4] = back[0], q[5] = -back[3], q[6] = back[2]; /* half a turn about x before it */
                    const double length = sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
                    for (int k = 3; k < 7; k++) q[k] /= length;
                    q[2] = 0.25;
                    level++;
                }
                MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
                MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, zero));
                MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q)); /* as stored */
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_CONTACT_POINT, &env, 1, MYR_F64, point));
                MUST(myr_batch_get(batch, MYR_CONTACT_NORMAL, &env, 1, MYR_F64, normal));
                MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
                reference_compute(&reference, q, zero, zero, none);
                const reference_body *body = &reference.bodies[model->geoms[0].body];
                memcpy(rotation, body->rotation, sizeof rotation);
                memcpy(geom, model->geoms[0].rotation, sizeof geom);
                mul33(rotation, geom, turned);
                mul3(rotation, model->geoms[0].position, axis);
                for (int k = 0; k < 3; k++)
                    for (int c = 0; c < 2; c++) center[c][k] = body->position[k] + axis[k] + (c ? -HALF : HALF) * turned[3 * k + 2];
                for (int k = 0; k < 3; k++) axis[k] = turned[3 * k + 2];
                const int lower = axis[2] > 0;
                for (int s = 0; s < 4; s++) {
                    const int cap = s < 2 ? s : lower, on = normal[s][2] != 0;
                    active[s] += on;
                    const double height = cap_height(center[cap], axis), slack = 1.1e-4 * 2 * RADIUS;
                    if (s < 2 && fabs(height) > slack) assert_int_equal(on, height < 0);
                    if (!on) continue;
                    double d[3];
                    for (int k = 0; k < 3; k++) d[k] = point[s][k] - center[cap][k];
                    assert_true(fabs(sqrt(dot(d, d)) - RADIUS) < 10 * tolerance && fabs(dot(d, axis)) < 10 * tolerance);
                    if (s < 2)
                        assert_true(fabs(point[s][2] - height) < (sqrt(1 - fmin(1, axis[2] * axis[2])) > 2e-4 ? 10 * tolerance : slack));
                }
                const double *at[3] = {point[lower], point[2], point[3]};
                for (int i = 0; i < 3 && normal[lower][2] != 0 && normal[2][2] != 0 && normal[3][2] != 0; i++) { /* 120 degrees apart */
                    double gap[3];
                    for (int k = 0; k < 3; k++) gap[k] = at[i][k] - at[(i + 1) % 3][k];
                    assert_true(fabs(sqrt(dot(gap, gap)) - RADIUS * sqrt(3)) < 20 * tolerance);
                }
            }
            assert_true(active[0] > 20 && active[1] > 20 && active[2] > 10 && active[3] > 10 && (!free || level == ENVS / 10));
            reference_free(&reference);
            myr_batch_free(batch);
            myr_model_free(model);
        }
}

static myr_batch *rest(const myr_model *model, const double *q, int steps) {
    myr_batch *batch = NULL;
    myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", NULL);
    settings.sense_contacts = 1;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    if (q) MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_step(batch, steps));
    return batch;
}

static int touching(const myr_batch *batch, int slots, double *weight) {
    double impulse[64][3];
    int n = 0;
    MUST(myr_batch_get(batch, MYR_IMPULSE, NULL, 1, MYR_F64, impulse));
    *weight = 0;
    for (int s = 0; s < slots; s++) n += impulse[s][2] > 0, *weight += impulse[s][2] / 1e-3;
    return n;
}

static void cylinders_stand_lie_and_roll(void **state) {
    (void)state;
    myr_geom_def shape = myr_geom_def_default();
    shape.type = MYR_GEOM_CYLINDER;
    shape.size_m[0] = RADIUS, shape.size_m[1] = HALF;
    myr_model *model = carry(&shape, 1);
    double home[7], q[7], v[6], weight;
    myr_model_home(model, home);
    assert_true(fabs(home[2] - HALF) < 1e-15); /* standing on its cap */
    home[2] -= 1e-6;
    myr_batch *batch = rest(model, home, 1000);
    assert_int_equal(touching(batch, 4, &weight), 3);
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    for (int k = 0; k < 7; k++) assert_true(fabs(q[k] - home[k]) < 1e-5);
    assert_true(fabs(weight - 9.81) < 0.05);
    myr_batch_free(batch);

    double lying[7] = {0, 0, RADIUS - 1e-6, sqrt(0.5), 0, sqrt(0.5), 0}; /* axis along x */
    batch = rest(model, lying, 1000);
    assert_int_equal(touching(batch, 4, &weight), 2);
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    assert_true(fabs(q[2] - lying[2]) < 1e-5 && fabs(weight - 9.81) < 0.05);
    /* rolls along y without slipping, and keeps its height */
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, lying));
    double world[6] = {0, 0.5, 0, 0, 0, 0}, spin[3] = {-0.5 / RADIUS, 0, 0}, rotation[9], back[9];
    reference_quaternion_rotation(lying + 3, rotation);
    transpose(rotation, back);
    mul3(back, spin, world + 3); /* body axes */
    MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, world));
    MUST(myr_batch_step(batch, 1000));
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
    assert_true(fabs(v[1] - 0.5) < 1e-3 && fabs(q[1] - 0.5) < 1e-3 && fabs(q[0]) < 1e-3);
    assert_true(fabs(q[2] - RADIUS) < 1e-3);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void hulls_have_corners(void **state) {
    enum { POINTS = 200 };
    (void)state;
    double points[POINTS][3];
    random_source source = {12};
    /* a box's corners, among points within it and on its faces and edges */
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) points[i][k] = random_uniform(&source, -0.1, 0.1);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) points[20 + 7 * i][k] = i >> k & 1 ? 0.1 : -0.1;
    points[0][0] = 0.1, points[1][2] = -0.1;
    myr_geom_def shape = myr_geom_def_default();
    shape.type = MYR_GEOM_HULL;
    shape.points_m = points[0];
    shape.n_points = POINTS;
    myr_model *model = carry(&shape, 1);
    myr_geom_info info;
    MUST(myr_model_get_geom(model, 0, &info));
    assert_int_equal(info.n_points, 8);
    assert_int_equal(info.n_slots, 8);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) assert_true(info.points_m[3 * i + k] == (i >> k & 1 ? 0.1 : -0.1)); /* in the order given */
    double home[7], q[7], weight;
    myr_model_home(model, home);
    assert_true(fabs(home[2] - 0.1) < 1e-15);
    home[2] -= 1e-6;
    myr_batch *batch = rest(model, home, 500);
    assert_int_equal(touching(batch, 8, &weight), 4);
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    for (int k = 0; k < 7; k++) assert_true(fabs(q[k] - home[k]) < 1e-5);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void what_is_no_hull(void **state) {
    enum { POINTS = 300 };
    (void)state;
    double points[POINTS][3];
    random_source source = {13};
    myr_builder *b = scene_builder();
    myr_geom_def def = myr_geom_def_default();
    def.name = "stone";
    def.body = scene_body(b, "body", -1, MYR_JOINT_FREE, 0, 0, 0);
    def.type = MYR_GEOM_HULL;
    MUST_FAIL(myr_builder_geom(b, &def, NULL), MYR_E_ARG, "points_m");
    for (int i = 0; i < POINTS; i++) { /* on a ball: all are corners */
        double length;
        do {
            for (int k = 0; k < 3; k++) points[i][k] = random_uniform(&source, -1, 1);
            length = sqrt(dot(points[i], points[i]));
        } while (length < 0.1 || length > 1);
        for (int k = 0; k < 3; k++) points[i][k] /= length;
    }
    def.points_m = points[0];
    def.n_points = 3;
    MUST_FAIL(myr_builder_geom(b, &def, NULL), MYR_E_ARG, "n_points is 3");
    def.n_points = POINTS;
    MUST_FAIL(myr_builder_geom(b, &def, NULL), MYR_E_LIMIT, "300 corners");
    def.n_points = 64;
    MUST(myr_builder_geom(b, &def, NULL));
    points[7][1] = NAN;
    MUST_FAIL(myr_builder_geom(b, &def, NULL), MYR_E_ARG, "point 7");
    for (int i = 0; i < POINTS; i++) points[i][1] = 0.5;
    MUST_FAIL(myr_builder_geom(b, &def, NULL), MYR_E_ARG, "plane");
    for (int i = 0; i < POINTS; i++) points[i][0] = points[i][2] = 0.5;
    MUST_FAIL(myr_builder_geom(b, &def, NULL), MYR_E_ARG, "`stone`");
    def.type = MYR_GEOM_CYLINDER;
    def.size_m[0] = 0.1, def.size_m[1] = -1;
    MUST_FAIL(myr_builder_geom(b, &def, NULL), MYR_E_ARG, "size_m[1]");
    def.type = (myr_geom_type)(MYR_GEOM_HULL + 1);
    MUST_FAIL(myr_builder_geom(b, &def, NULL), MYR_E_ARG, "type");
    /* and touch what is on another tree */
    def.type = MYR_GEOM_SPHERE, def.body = scene_body(b, "ball", -1, MYR_JOINT_FREE, 0, 0, 0);
    int ball;
    MUST(myr_builder_geom(b, &def, &ball));
    myr_model *model = scene_compile(b);
    assert_int_equal(model->n_pairs, 1);
    assert_int_equal(model->n_slots, 7); /* five of the hull against the ground, the ball's, the pair's */
    myr_model_free(model);
    myr_builder_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rims_have_their_lowest_points), cmocka_unit_test(cylinders_stand_lie_and_roll),
                                       cmocka_unit_test(hulls_have_corners), cmocka_unit_test(what_is_no_hull)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
