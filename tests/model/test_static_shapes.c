/* ctest: law
 * Shapes of the world are there for robots: an ANYmal stands on a mesh that a scene has in its world, where MYR_WORLD_AT puts it; a map
 * below does not carry them along; what is looked at together is what would be looked at one by one; and what was dropped for where a
 * shape is says so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random_model.h"
#include "support/world_scene.h"

static myr_model *open_text(const char *text, myr_self_collision self) {
    myr_load_options options = myr_load_options_default();
    myr_model *model;
    options.self_collision = self;
    MUST(myr_model_open_text(text, strlen(text), "scene", &options, &model));
    return model;
}

static void put(myr_batch *batch, int64_t env, int shape, double x, double y, double z) {
    double place[3 * WORLD_SHAPES];
    assert_true(myr_batch_components(batch, MYR_WORLD_AT) <= 3 * WORLD_SHAPES);
    MUST(myr_batch_get(batch, MYR_WORLD_AT, &env, 1, MYR_F64, place));
    place[3 * shape] = x, place[3 * shape + 1] = y, place[3 * shape + 2] = z;
    MUST(myr_batch_set(batch, MYR_WORLD_AT, &env, 1, MYR_F64, place));
}

/* ---- standing ------------------------------------------------------------------------------------------------------- */

/* A table of 2 x 2 m, 0.1 m thick, whose origin is a corner of its underside. */
static myr_model *anymal_and_table(double z) {
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco model='table'><asset><mesh name='top' vertex='0 0 0 2 0 0 0 2 0 2 2 0 0 0 .1 2 0 .1 0 2 .1 2 2 .1'/></asset>"
             "<worldbody><geom name='top' type='mesh' mesh='top' pos='-1 -1 %.17g'/><body pos='9 0 0'><freejoint/><geom "
             "size='.1'/></body></worldbody></mujoco>",
             z);
    myr_model *table = open_text(text, MYR_SELF_BY_FILE), *robot, *both;
    myr_builder *b;
    MUST(myr_model_open("anymal", NULL, &robot));
    MUST(myr_builder_create("ANYmal and table", &b));
    MUST(myr_builder_add_model(b, robot, NULL));
    MUST(myr_builder_add_model(b, table, NULL));
    MUST(myr_builder_compile(b, &both));
    myr_builder_free(b), myr_model_free(table), myr_model_free(robot);
    return both;
}

static double height(const myr_batch *batch, int64_t env) {
    double q[64];
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    return q[2];
}

/* What a standing ANYmal of the task `stand` begins with, put to another robot of the same joints. */
static void stand_like(const myr_batch *alone, myr_batch *batch, int64_t env, double up) {
    static const myr_field fields[] = {MYR_TARGET, MYR_KP, MYR_KD};
    const int64_t first = 0;
    double x[64], q[64];
    for (int f = 0; f < 3; f++) {
        MUST(myr_batch_get(alone, fields[f], &first, 1, MYR_F64, x));
        MUST(myr_batch_set(batch, fields[f], &env, 1, MYR_F64, x));
    }
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_get(alone, MYR_Q, &first, 1, MYR_F64, q)); /* the robot's joints come first */
    q[2] += up;
    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
}

/* On the table at three heights: the same posture as on a plane, by so much higher. */
static void anymal_stands_on_a_mesh(void **state) {
    (void)state;
    enum { ENVS = 4 };
    static const double top[ENVS] = {0, 0.3, 1, -0.25};
    myr_model *model = anymal_and_table(0.5), *robot;
    const myr_settings settings = scene_settings("task", "none", "threads", "1", "precision", "f64", "dt", "0.002", "ground", "off", NULL),
                       plane = scene_settings("task", "stand", "threads", "1", "precision", "f64", "dt", "0.002", NULL);
    myr_batch *batch, *alone;
    MUST(myr_model_open("anymal", NULL, &robot));
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    MUST(myr_batch_create(robot, 1, &plane, &alone));
    for (int64_t e = 0; e < ENVS; e++) {
        put(batch, e, 0, -1, -1, top[e] - 0.1);
        stand_like(alone, batch, e, top[e]);
    }
    MUST(myr_batch_step(batch, 1500));
    MUST(myr_batch_step(alone, 1500));
    for (int64_t e = 0; e < ENVS; e++) {
        const double z = height(batch, e) - top[e], wanted = height(alone, 0);
        assert_true(world_contacts(batch, e) == 4);
        if (fabs(z - wanted) > 1e-6) fail_msg("on a table at %g it is %.9f high, on a plane %.9f", top[e], z, wanted);
    }
    myr_batch_free(batch), myr_batch_free(alone);
    myr_model_free(robot), myr_model_free(model);
}

/* ---- on a map --------------------------------------------------------------------------------------------------------- */

/* A ball on a box 0.5 m high, and another on the map beside it. Wherever on the map that is, the box stays in the environment's frame. */
static void a_map_does_not_carry_them(void **state) {
    (void)state;
    enum { ENVS = 5, SIDE = 64 };
    static float heights[SIDE * SIDE];
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) heights[i * SIDE + k] = 0.125f * (float)(i / 16) + 0.0625f * (float)(k / 16);
    myr_terrain_def def = myr_terrain_def_default();
    myr_terrain *terrain;
    def.nx = def.ny = SIDE, def.cell_m = 0.25, def.heights_m = heights;
    MUST(myr_terrain_create(&def, &terrain));
    myr_model *plane =
                  open_text("<mujoco><worldbody><geom type='plane' size='1 1 1'/><geom type='box' size='.3 .3 .25' pos='0 0 .25'/><body "
                            "pos='.01 0 .62'><freejoint/><geom size='.1'/></body><body pos='0 1 .2'><freejoint/><geom "
                            "size='.1'/></body></worldbody></mujoco>",
                            MYR_SELF_BY_FILE),
              *model;
    MUST(myr_model_on(plane, terrain, &model));
    const myr_settings settings = scene_settings("task", "none", "threads", "1", "precision", "f64", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    const double at[ENVS][3] = {{-6, -6, 0}, {-2, -6, 0.125}, {2, -2, 0.3125}, {6, 6, 0.5625}, {-2, -6, -0.375}};
    double place[3], q[14];
    for (int64_t e = 0; e < ENVS; e++) MUST(myr_batch_set(batch, MYR_GROUND_AT, &e, 1, MYR_F64, at[e]));
    MUST(myr_batch_step(batch, 200));
    for (int64_t e = 0; e < ENVS; e++) {
        MUST(myr_batch_get(batch, MYR_WORLD_AT, &e, 1, MYR_F64, place));
        MUST(myr_batch_get(batch, MYR_Q, &e, 1, MYR_F64, q));
        assert_true(place[0] == 0 && place[1] == 0 && place[2] == 0.25);
        if (e == 4) { /* there the map is higher than the box: it lifts both balls, and the box stays below */
            assert_true(q[2] > 0.59 && q[9] > 0.59);
            continue;
        }
        if (fabs(q[2] - 0.6) > 1e-6) fail_msg("environment %d: the ball on the box is at %.9f", (int)e, q[2]);
        if (fabs(q[9] - 0.1) > 1e-6) fail_msg("environment %d: the ball on the map is at %.9f", (int)e, q[9]);
    }
    /* the box goes away: its ball falls onto the map */
    for (int64_t e = 0; e < ENVS; e++) put(batch, e, 0, 5, 5, 0.25);
    MUST(myr_batch_step(batch, 400));
    for (int64_t e = 0; e < 4; e++) {
        MUST(myr_batch_get(batch, MYR_Q, &e, 1, MYR_F64, q));
        if (fabs(q[2] - 0.1) > 1e-6) fail_msg("environment %d: without the box its ball is at %.9f", (int)e, q[2]);
    }
    myr_batch_free(batch);
    myr_model_free(plane), myr_model_free(model), myr_terrain_free(terrain);
}

/* ---- many of them --------------------------------------------------------------------------------------------------- */

/* A body of a box, two balls on arms, and one inside of the box, that touches nothing: with it the body has pairs enough with every shape
 * to be looked at as a whole (collision/pairs.lane.h); without it and one ball it has too few. What flies through a field of shapes then
 * has the same bits. */
static void a_glance_at_all_misses_nothing(void **state) {
    (void)state;
    enum { SIDE = 5, ENVS = 40, GEOMS = SIDE * SIDE + 4 };
    static char text[8000];
    size_t n = (size_t)snprintf(text, sizeof text, "<mujoco><worldbody>");
    for (int i = 0; i < SIDE * SIDE; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "<geom type='%s' size='.2 .2 .2' pos='%g %g 0'/>", i % 2 ? "box" : "sphere",
                              1.1 * (i / SIDE - SIDE / 2), 1.1 * (i % SIDE - SIDE / 2));
    snprintf(text + n, sizeof text - n,
             "<body name='body' pos='0 0 1'><freejoint/><geom name='hull' type='box' size='.12 .1 .08'/><geom name='inside' size='.01'/>"
             "<geom name='fixed' size='.05' pos='.05 0 0' contype='0' conaffinity='0'/><body pos='.3 0 0'><joint axis='0 1 0'/><geom "
             "name='arm' size='.06' pos='.5 0 0'/></body></body></worldbody></mujoco>");
    myr_model *model = open_text(text, MYR_SELF_OFF);
    uint8_t all[GEOMS], few[GEOMS];
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_true(info.n_geoms <= GEOMS && info.n_world == SIDE * SIDE);
    memset(all, 1, sizeof all), memset(few, 1, sizeof few);
    for (int g = 0; g < info.n_geoms; g++) {
        myr_geom_info geom;
        MUST(myr_model_get_geom(model, g, &geom));
        if (strcmp(geom.name, "inside") == 0) few[g] = 0;
    }
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = scene_settings("task", "none", "threads", "1", "precision", p ? "f64" : "f32", "ground", "off", NULL);
        myr_batch *whole, *single;
        MUST(myr_batch_create(model, ENVS, &settings, &whole));
        MUST(myr_batch_create(model, ENVS, &settings, &single));
        MUST(myr_batch_set_collision(whole, all));
        MUST(myr_batch_set_collision(single, few));
        double none[3 * ENVS] = {0};
        MUST(myr_batch_set(whole, MYR_GRAVITY, NULL, ENVS, MYR_F64, none));
        MUST(myr_batch_set(single, MYR_GRAVITY, NULL, ENVS, MYR_F64, none));
        for (int64_t e = 0; e < ENVS; e++) {
            random_source source = {(uint64_t)(5 * e + 2)};
            double q[16], v[16];
            MUST(myr_batch_get(whole, MYR_Q, &e, 1, MYR_F64, q));
            for (int k = 0; k < 2; k++) q[k] = random_uniform(&source, -4, 4);
            for (int k = 0; k < 2; k++) v[k] = -q[k] + random_uniform(&source, -1, 1);
            v[2] = random_uniform(&source, -4, -1);
            for (int k = 3; k < 7; k++) v[k] = random_uniform(&source, -8, 8);
            if (e % 8 == 7) v[0] *= 20, v[1] *= 20;
            if (e % 8 == 6) { /* its arm ahead, along a row of shapes, which it meets from far within a step */
                q[0] = -4 + 0.01 * (double)e, q[1] = q[2] = 0;
                for (int k = 0; k < 7; k++) v[k] = k ? 0 : 20 + (double)e;
            }
            MUST(myr_batch_set(whole, MYR_Q, &e, 1, MYR_F64, q));
            MUST(myr_batch_set(single, MYR_Q, &e, 1, MYR_F64, q));
            MUST(myr_batch_set(whole, MYR_V, &e, 1, MYR_F64, v));
            MUST(myr_batch_set(single, MYR_V, &e, 1, MYR_F64, v));
        }
        int touched = 0;
        for (int step = 0; step < 150; step++) {
            MUST(myr_batch_step(whole, 1));
            MUST(myr_batch_step(single, 1));
            for (int64_t e = 0; e < ENVS; e++) {
                world_same(p ? "double" : "float", whole, e, single, e);
                touched += world_contacts(whole, e) > 0;
            }
        }
        if (touched < 100) fail_msg("only %d steps with contacts", touched);
        myr_batch_free(whole), myr_batch_free(single);
    }
    myr_model_free(model);
}

/* ---- what was dropped ------------------------------------------------------------------------------------------------- */

/* An arm fixed to the world, one box that it reaches, one that it does not. */
static void a_shape_of_dropped_pairs_stays(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><worldbody><geom name='near' type='box' size='.1 .1 .1' pos='0 .5 .5'/><geom name='far' type='box' size='.1 .1 .1' "
        "pos='5 0 .5'/><body pos='0 0 1'><joint axis='1 0 0'/><geom type='capsule' size='.05' fromto='0 0 0 0 0 "
        "-.6'/></body></worldbody></mujoco>";
    myr_model *pruned = open_text(text, MYR_SELF_AUTO), *all = open_text(text, MYR_SELF_ALL);
    const myr_settings settings = scene_settings("task", "none", "threads", "1", NULL);
    myr_batch *a, *b;
    MUST(myr_batch_create(pruned, 2, &settings, &a));
    MUST(myr_batch_create(all, 2, &settings, &b));
    double place[12];
    MUST(myr_batch_get(a, MYR_WORLD_AT, NULL, 2, MYR_F64, place));
    place[6] = 0.25;
    MUST(myr_batch_set(a, MYR_WORLD_AT, NULL, 2, MYR_F64, place));
    place[9] = 1;
    MUST_FAIL(myr_batch_set(a, MYR_WORLD_AT, NULL, 2, MYR_F64, place), MYR_E_ARG, "`far` stays where it is");
    MUST_FAIL(myr_batch_set(a, MYR_WORLD_AT, NULL, 2, MYR_F64, place), MYR_E_ARG, "along x in environment 1");
    MUST(myr_batch_get(a, MYR_WORLD_AT, NULL, 2, MYR_F64, place));
    assert_true(place[9] == 5 && place[6] == 0.25);
    place[9] = 1;
    MUST(myr_batch_set(b, MYR_WORLD_AT, NULL, 2, MYR_F64, place));
    myr_batch_free(a), myr_batch_free(b);
    myr_model_free(pruned), myr_model_free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anymal_stands_on_a_mesh),
        cmocka_unit_test(a_map_does_not_carry_them),
        cmocka_unit_test(a_glance_at_all_misses_nothing),
        cmocka_unit_test(a_shape_of_dropped_pairs_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
