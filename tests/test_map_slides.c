/* Nothing catches on a map. Spheres, boxes, cylinders and hulls slide 10 m over flat maps without friction, along x, y and both diagonals,
 * and keep their speed; folds of one degree take what the law takes and nothing else; a wall stops what is across it alone; no ball falls
 * through, however fast; one in a valley rests; one that rolls down any triangle does so by the closed form.
 * ctest: heavy */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_scene.h"
#include "random_model.h"

enum { SIDE = 161, WAYS = 4, STARTS = 3 };
#define CELL 0.1
#define GRAVITY 9.81
#define DEGREE 0.017453292519943295

typedef double height_law(double x, double y);

/* Heights by a law, the middle sample at x = y = 0. */
static myr_terrain *map_of(height_law *law, int columns) {
    static float heights[SIDE * SIDE];
    static uint8_t kinds[(SIDE / 8 + 1) * (SIDE / 8 + 1)];
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) heights[i * SIDE + k] = (float)law(CELL * (i - SIDE / 2), CELL * (k - SIDE / 2));
    memset(kinds, columns, sizeof kinds);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = SIDE, def.cell_m = CELL, def.heights_m = heights, def.columns = kinds;
    myr_terrain *t;
    MUST(myr_terrain_create(&def, &t));
    return t;
}

typedef struct thing {
    const char *name, *geom;
    double height; /* of its centre over what it lies on [m] */
} thing;
static const thing things[] = {
    {"small sphere", "<geom type='sphere' size='.04' mass='1'/>", 0.04},
    {"large sphere", "<geom type='sphere' size='.15' mass='1'/>", 0.15},
    {"box", "<geom type='box' size='.12 .09 .05' mass='1'/>", 0.05},
    {"cylinder", "<geom type='cylinder' size='.1 .05' mass='1'/>", 0.05},
    {"capsule", "<geom type='capsule' size='.045 .1' euler='0 90 0' mass='1'/>", 0.045},
    {"hull", "<geom type='mesh' mesh='wedge' mass='1'/>", 0},
};
enum { THINGS = sizeof things / sizeof *things, ROLLS = 2 };

static myr_model *model_of(const thing *t, double friction) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "<mujoco><asset><mesh name='wedge' vertex='-.1 -.1 -.05 .1 -.1 -.05 -.1 .1 -.05 .1 .1 -.05 -.06 -.06 .05 .06 -.06 .05 -.06 .06 .05 "
        ".06 .06 .05'/></asset><default><geom friction='%g .005 .0001'/></default><worldbody><geom type='plane' size='1 1 1' "
        "friction='%g'/>"
        "<body><freejoint/>%s</body></worldbody></mujoco>",
        friction, friction, t->geom);
    myr_model *model;
    MUST(myr_model_open_text(text, strlen(text), t->name, NULL, &model));
    return model;
}

/* The model on a map, so many times. */
static myr_batch *batch_on(const thing *t, double friction, myr_terrain *terrain, const myr_settings *settings, int64_t envs) {
    myr_model *model = model_of(t, friction), *on;
    myr_batch *batch;
    MUST(myr_model_on(model, terrain, &on));
    MUST(myr_batch_create(on, envs, settings, MYR_SENSE_CONTACTS_BIT, &batch));
    myr_model_free(model), myr_model_free(on);
    return batch;
}

/* The lowest point of what lies flat, below its origin: of a hull, whose origin is its centre of mass, seen from the model. */
static double rest_height(const thing *t) {
    if (t->height > 0) return t->height;
    myr_settings settings = scene_settings("task", "none", "threads", "1", "dt", "0.002", "precision", "f64", NULL);
    myr_model *model = model_of(t, 1);
    myr_batch *batch;
    double q[7] = {0, 0, 0.08, 1, 0, 0, 0};
    MUST(myr_batch_create(model, 1, &settings, 0, &batch));
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_step(batch, 1500));
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    myr_batch_free(batch), myr_model_free(model);
    return q[2];
}

static double level(double x, double y) {
    (void)x, (void)y;
    return 0.25;
}

/* ---- flat ------------------------------------------------------------------------------------------------------------ */

static void flat_keeps_speed(void **state) {
    (void)state;
    static const double ways[WAYS][2] = {{1, 0}, {0, 1}, {M_SQRT1_2, M_SQRT1_2}, {M_SQRT1_2, -M_SQRT1_2}};
    for (int columns = 0; columns < 2; columns++) {
        myr_terrain *terrain = map_of(level, columns);
        for (int n = 0; n < THINGS; n++)
            for (int exact = 0; exact < 2; exact++) {
                const myr_settings settings =
                    scene_settings("task", "none", "threads", "1", "dt", "0.005", "precision", exact ? "f64" : "f32", NULL);
                myr_batch *batch = batch_on(&things[n], 0, terrain, &settings, WAYS * STARTS);
                const double speed = 4, low = rest_height(&things[n]) + 0.25, tolerance = exact ? 1e-6 : 1e-4;
                for (int64_t e = 0; e < WAYS * STARTS; e++) {
                    const double *way = ways[e % WAYS], aside = 0.037 * (double)(e / WAYS);
                    const double q[7] = {-5 * way[0] + aside, -5 * way[1] - 1.7 * aside, low - 1e-7, 1, 0, 0, 0};
                    const double v[6] = {speed * way[0], speed * way[1]};
                    MUST(myr_batch_set(batch, MYR_Q, &e, 1, MYR_F64, q));
                    MUST(myr_batch_set(batch, MYR_V, &e, 1, MYR_F64, v));
                }
                for (int step = 0; step < 500; step++) { /* 10 m */
                    double q[7 * WAYS * STARTS], v[6 * WAYS * STARTS];
                    MUST(myr_batch_step(batch, 1));
                    MUST(myr_batch_get(batch, MYR_Q, NULL, WAYS * STARTS, MYR_F64, q));
                    MUST(myr_batch_get(batch, MYR_V, NULL, WAYS * STARTS, MYR_F64, v));
                    for (int e = 0; e < WAYS * STARTS; e++) {
                        const double *way = ways[e % WAYS], along = v[6 * e] * way[0] + v[6 * e + 1] * way[1];
                        if (fabs(along / speed - 1) > tolerance || fabs(v[6 * e] * way[1] - v[6 * e + 1] * way[0]) > speed * tolerance ||
                            fabs(q[7 * e + 2] - low) > 5e-6)
                            fail_msg("%s, %s, %s: at %g %g its speed is %.9g, not %g, and its height %.9g, not %.9g", things[n].name,
                                     columns ? "columns" : "field", exact ? "f64" : "f32", q[7 * e], q[7 * e + 1], along, speed,
                                     q[7 * e + 2], low);
                    }
                }
                myr_batch_free(batch);
            }
        myr_terrain_free(terrain);
    }
}

/* ---- folds ----------------------------------------------------------------------------------------------------------- */

/* Along x: level, up, level, down, ..., each for 0.8 m at an angle of one degree: concave and convex folds in turns. */
#define REACH 0.8
static const double slopes[4] = {0, 1, 0, -1};
static double folds(double x, double y) {
    (void)y;
    const double piece = floor(x / REACH + 1e-6), rest = x - REACH * piece, rise = tan(DEGREE) * REACH;
    const int k = ((int)piece % 4 + 4) % 4;
    const double base[4] = {0, 0, rise, rise};
    return base[k] + slopes[k] * tan(DEGREE) * rest;
}

/* The energy that is left is at most all of it, and at least what a fold leaves that takes the whole part along its normal; the height is
 * the ground's, or above it in flight; and no normal leans farther than a face. */
static void folds_take_their_part(void **state) {
    (void)state;
    myr_terrain *terrain = map_of(folds, 0);
    for (int n = 0; n < ROLLS; n++)
        for (int exact = 0; exact < 2; exact++) {
            enum { ENVS = 7 };
            const myr_settings settings =
                scene_settings("task", "none", "threads", "1", "dt", "0.001", "precision", exact ? "f64" : "f32", NULL);
            myr_batch *batch = batch_on(&things[n], 0, terrain, &settings, ENVS);
            const double speed = 2, radius = things[n].height, tolerance = exact ? 2e-6 : 2e-4,
                         steepest = sin(DEGREE) + (exact ? 1e-6 : 1e-5);
            double energy[ENVS];
            int crossed[ENVS] = {0};
            for (int64_t e = 0; e < ENVS; e++) {
                const double q[7] = {-5.5, -3 + 0.313 * (double)e, folds(-5.5, 0) + radius, 1, 0, 0, 0}, v[6] = {speed};
                MUST(myr_batch_set(batch, MYR_Q, &e, 1, MYR_F64, q));
                MUST(myr_batch_set(batch, MYR_V, &e, 1, MYR_F64, v));
                energy[e] = NAN;
            }
            for (int step = 0; step < 5000; step++) {
                double q[7 * ENVS], v[6 * ENVS], normal[6 * ENVS];
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
                MUST(myr_batch_get(batch, MYR_V, NULL, ENVS, MYR_F64, v));
                MUST(myr_batch_get(batch, MYR_CONTACT_NORMAL, NULL, ENVS, MYR_F64, normal));
                for (int e = 0; e < ENVS; e++) {
                    const double *x = q + 7 * e, *u = v + 6 * e;
                    const double now = 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) + GRAVITY * x[2];
                    const int fold = (int)floor((x[0] + 5.5) / REACH);
                    if (step < 20) {
                        energy[e] = now;
                        continue;
                    }
                    if (fold > crossed[e]) crossed[e] = fold;
                    const double kinetic = 0.5 * speed * speed, most = kinetic * (1 - pow(cos(DEGREE), 4 * (crossed[e] + 1)));
                    if (now > energy[e] + kinetic * tolerance * (1 + crossed[e]) ||
                        now < energy[e] - most - kinetic * tolerance * (1 + step / 100))
                        fail_msg("%s, %s, lane %d: at x = %g energy is %.9g after %.9g", things[n].name, exact ? "f64" : "f32", e, x[0],
                                 now, energy[e]);
                    if (fabs(u[1]) > speed * tolerance) fail_msg("%s: at x = %g it moves aside by %g m/s", things[n].name, x[0], u[1]);
                    /* what a step goes past a fold before it is seen */
                    if (x[2] < folds(x[0], 0) + radius - (exact ? 5e-6 : 2e-5) - 2 * sin(DEGREE) * speed * 0.001)
                        fail_msg("%s: at x = %g it is at %.9g, in the ground", things[n].name, x[0], x[2]);
                    for (int k = 0; k < 2; k++) {
                        const double *normals = normal + 6 * e + 3 * k;
                        if (fabs(normals[0]) > steepest || fabs(normals[1]) > (exact ? 1e-9 : 1e-6))
                            fail_msg("%s: at x = %g a normal is %g %g %g", things[n].name, x[0], normals[0], normals[1], normals[2]);
                    }
                }
            }
            for (int e = 0; e < ENVS; e++) assert_true(crossed[e] >= 10);
            myr_batch_free(batch);
        }
    myr_terrain_free(terrain);
}

/* ---- a wall ---------------------------------------------------------------------------------------------------------- */

static double step_up(double x, double y) {
    (void)y;
    return x > 0.04 ? 0.2 : 0;
}

/* A ball that meets a riser of columns keeps what is along it, and what is across it stops; it stays beside it. */
static void a_wall_stops_what_is_across(void **state) {
    (void)state;
    myr_terrain *terrain = map_of(step_up, 1);
    for (int n = 0; n < ROLLS; n++) {
        const myr_settings settings = scene_settings("task", "none", "threads", "1", "dt", "0.002", "precision", "f64", NULL);
        myr_batch *batch = batch_on(&things[n], 0, terrain, &settings, 1);
        const double radius = things[n].height, wall = 0.05; /* between the samples at 0 and 0.1 */
        double q[7] = {-0.5, -2, radius, 1, 0, 0, 0}, v[6] = {1, 1};
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, v));
        MUST(myr_batch_step(batch, 1500));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
        if (fabs(q[0] - (wall - radius)) > 2e-5 || fabs(v[0]) > 1e-6 || fabs(v[1] - 1) > 1e-6 || fabs(q[2] - radius) > 2e-5)
            fail_msg("%s: beside the wall at %.9g %.9g with %.9g %.9g m/s", things[n].name, q[0], q[2], v[0], v[1]);
        myr_batch_free(batch);
    }
    myr_terrain_free(terrain);
}

/* ---- falls ----------------------------------------------------------------------------------------------------------- */

static uint64_t rough_seed;
static double rough_height;
static double rough(double x, double y) {
    (void)x, (void)y;
    random_source source = {rough_seed++};
    return random_uniform(&source, -rough_height, rough_height);
}

/* Dropped at 10 m/s on 10 000 places of rough ground (5 cm: legged_gym's, in steps of 5 ms) and as many of spikes (steps of 10 ms). A
 * ball's centre gets no deeper into a wall or slope beside it than it moves in a step, and is out of it in the end. Boxes and cylinders
 * touch with their points alone: a spike of the map may stand between these. */
static void none_falls_through(void **state) {
    (void)state;
    enum { ENVS = 2500, STEPS = 60 };
    static double q[7 * ENVS], v[6 * ENVS], xy[2 * ENVS], height[ENVS];
    for (int way = 0; way < 4; way++) {
        const int columns = way % 2, spikes = way / 2;
        rough_seed = 1, rough_height = spikes ? 0.15 : 0.05;
        myr_terrain *terrain = map_of(rough, columns);
        for (int n = 0; n < (spikes ? 2 : 4); n++) {
            const myr_settings settings = scene_settings("task", "none", "dt", spikes ? "0.01" : "0.005", "threads", "2", NULL);
            myr_batch *batch = batch_on(&things[n], 0.5, terrain, &settings, ENVS);
            random_source source = {17 + (uint64_t)n};
            for (int e = 0; e < ENVS; e++) {
                const double start[7] = {random_uniform(&source, -7, 7), random_uniform(&source, -7, 7),
                                         0.5 + random_uniform(&source, 0, 0.1), 1};
                memcpy(q + 7 * e, start, sizeof start);
                memset(v + 6 * e, 0, 6 * sizeof *v);
                v[6 * e + 2] = -10, v[6 * e] = random_uniform(&source, -3, 3), v[6 * e + 1] = random_uniform(&source, -3, 3);
            }
            MUST(myr_batch_set(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
            MUST(myr_batch_set(batch, MYR_V, NULL, ENVS, MYR_F64, v));
            for (int step = 0; step < STEPS; step++) {
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
                for (int e = 0; e < ENVS; e++) xy[2 * e] = q[7 * e], xy[2 * e + 1] = q[7 * e + 1];
                MUST(myr_terrain_height(terrain, ENVS, xy, height, NULL));
                for (int e = 0; e < ENVS; e++)
                    if (!(q[7 * e + 2] > height[e] - (n > 1              ? 2 * rough_height
                                                      : step < STEPS - 1 ? (columns  ? 2 * rough_height
                                                                            : spikes ? 0.12
                                                                                     : 0.06)
                                                                         : 0)))
                        fail_msg("%s on %s, step %d: at %g %g its centre is at %g, and the ground at %g", things[n].name,
                                 columns ? "columns" : "a field", step, xy[2 * e], xy[2 * e + 1], q[7 * e + 2], height[e]);
            }
            myr_batch_free(batch);
        }
        myr_terrain_free(terrain);
    }
}

/* ---- rest and rolling ------------------------------------------------------------------------------------------------ */

static double valley(double x, double y) {
    (void)y;
    return 0.6 * fabs(x);
}

/* A ball in a valley comes to rest, and then stays for 100 s. */
static void a_ball_rests_in_a_valley(void **state) {
    (void)state;
    myr_terrain *terrain = map_of(valley, 0);
    const myr_settings settings =
        scene_settings("task", "none", "threads", "1", "dt", "0.005", "precision", "f64", "tolerance", "1e-10", NULL);
    for (int n = 0; n < ROLLS; n++) {
        myr_batch *batch = batch_on(&things[n], 1, terrain, &settings, 1);
        double q[7] = {0.3, 0, 0.5, 1, 0, 0, 0}, later[7];
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_step(batch, 4000));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_step(batch, 20000));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, later));
        for (int k = 0; k < 3; k++)
            if (fabs(later[k] - q[k]) > 1e-9) fail_msg("%s: %d was at %.12g and is at %.12g", things[n].name, k, q[k], later[k]);
        assert_true(fabs(q[0]) < 1e-6);
        myr_batch_free(batch);
    }
    myr_terrain_free(terrain);
}

static double lean_x, lean_y;
static double leaning(double x, double y) { return lean_x * x + lean_y * y; }

/* Down a leaning plane of triangles, however it leans: 5/7 g sin of the angle, on the line of steepest descent. */
static void balls_roll_down_triangles(void **state) {
    (void)state;
    for (int way = 0; way < 8; way++) {
        lean_x = 0.2 * cos(0.9 * way), lean_y = 0.2 * sin(0.9 * way);
        myr_terrain *terrain = map_of(leaning, 0);
        const myr_settings settings = scene_settings("task", "none", "threads", "1", "dt", "0.001", "precision", "f64", NULL);
        const double steep2 = lean_x * lean_x + lean_y * lean_y, length = sqrt(1 + steep2), radius = 0.04, dt = 0.001;
        const double normal[3] = {-lean_x / length, -lean_y / length, 1 / length};
        myr_batch *batch = batch_on(&things[0], 1, terrain, &settings, 1);
        double q[7] = {0.013 + radius * normal[0], 0.029 + radius * normal[1], leaning(0.013, 0.029) + radius * normal[2], 1, 0, 0, 0},
               x[7];
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        enum { STEPS = 1500 };
        MUST(myr_batch_step(batch, STEPS));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, x));
        /* a step of the integrator: v += a dt, x += v dt */
        const double a = 5.0 / 7 * GRAVITY * sqrt(steep2) / length, gone = 0.5 * a * dt * dt * STEPS * (STEPS + 1);
        const double down[3] = {-lean_x / (sqrt(steep2) * length), -lean_y / (sqrt(steep2) * length), -sqrt(steep2) / length};
        for (int k = 0; k < 3; k++)
            if (fabs(x[k] - q[k] - gone * down[k]) > 2e-5)
                fail_msg("leaning %g %g: component %d has gone %.9g, not %.9g", lean_x, lean_y, k, x[k] - q[k], gone * down[k]);
        myr_batch_free(batch);
        myr_terrain_free(terrain);
    }
}

/* The smallest map, two samples by two, is ground like any other. */
static void the_smallest_map(void **state) {
    (void)state;
    const float heights[4] = {0.25f, 0.25f, 0.25f, 0.25f};
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = 2, def.cell_m = 5, def.heights_m = heights;
    myr_terrain *terrain;
    MUST(myr_terrain_create(&def, &terrain));
    const myr_settings settings = scene_settings("task", "none", "threads", "1", "dt", "0.005", "precision", "f64", NULL);
    for (int n = 0; n < THINGS; n++) {
        myr_batch *batch = batch_on(&things[n], 0.5, terrain, &settings, 1);
        const double low = 0.25 + rest_height(&things[n]);
        double q[7] = {1.3, 0.7, low + 0.1, 1, 0, 0, 0};
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_step(batch, 400));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        if (fabs(q[0] - 1.3) > 1e-6 || fabs(q[1] - 0.7) > 1e-6 || fabs(q[2] - low) > 2e-5)
            fail_msg("%s: thrown to %.9g %.9g %.9g", things[n].name, q[0], q[1], q[2]);
        myr_batch_free(batch);
    }
    myr_terrain_free(terrain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_keeps_speed),   cmocka_unit_test(folds_take_their_part),    cmocka_unit_test(a_wall_stops_what_is_across),
        cmocka_unit_test(none_falls_through), cmocka_unit_test(a_ball_rests_in_a_valley), cmocka_unit_test(balls_roll_down_triangles),
        cmocka_unit_test(the_smallest_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
