/* Nothing catches on a map. Spheres, the foot of an ANYmal, boxes, cylinders and hulls slide 10 m over flat maps without friction, along
 * x, y and both diagonals, and keep their speed, and so does a whole ANYmal, as on the plane; folds of one degree take what the law takes
 * and nothing else; a wall stops what is across it alone; a ball in a valley rests; one that rolls down any triangle does so by the closed
 * form.
 * ctest: heavy */
#include <math.h>

#include "support/slide_scene.h"

enum { WAYS = 4, STARTS = 3 };
#define GRAVITY 9.81
#define DEGREE 0.017453292519943295

static double level(double x, double y) {
    (void)x, (void)y;
    return 0.25;
}

/* ---- flat ------------------------------------------------------------------------------------------------------------ */

static const double ways[WAYS][2] = {{1, 0}, {0, 1}, {M_SQRT1_2, M_SQRT1_2}, {M_SQRT1_2, -M_SQRT1_2}};

static void flat_keeps_speed(void **state) {
    (void)state;
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

/* The whole ANYmal, its legs held by their motors as it stands: on the map as on the plane, to the bit, and as fast as it began. */
static void an_anymal_slides_as_on_the_plane(void **state) {
    (void)state;
    enum { STEPS = 1250, MOST = 40, ENVS = WAYS * STARTS };
    const double speed = 2, still = 0;
    for (int way = 0; way < 4; way++) {
        const int columns = way % 2, exact = way / 2;
        const myr_settings settings = scene_settings("task", "stand", "threads", "1", "dt", "0.004", "decimation", "1", "kp", "400", "kd",
                                                     "20", "precision", exact ? "f64" : "f32", NULL);
        myr_terrain *terrain = map_of(level, columns);
        myr_model *plane, *on;
        myr_batch *batch[2];
        MUST(myr_model_open("anymal", NULL, &plane));
        MUST(myr_model_on(plane, terrain, &on));
        for (int map = 0; map < 2; map++) {
            MUST(myr_batch_create(map ? on : plane, ENVS, &settings, &batch[map]));
            for (int64_t e = 0; e < ENVS; e++) {
                const double *go = ways[e % WAYS], aside = 0.037 * (double)(e / WAYS), v[18] = {speed * go[0], speed * go[1]};
                const double at[3] = {0, 0, 0.25};
                double q[MOST];
                MUST(myr_batch_get(batch[map], MYR_Q, &e, 1, MYR_F64, q));
                q[0] = -5 * go[0] + aside, q[1] = -5 * go[1] - 1.7 * aside;
                MUST(myr_batch_set(batch[map], MYR_Q, &e, 1, MYR_F64, q));
                MUST(myr_batch_set(batch[map], MYR_V, &e, 1, MYR_F64, v));
                MUST(myr_batch_set(batch[map], MYR_FRICTION, &e, 1, MYR_F64, &still));
                if (map) MUST(myr_batch_set(batch[map], MYR_GROUND_AT, &e, 1, MYR_F64, at));
            }
        }
        for (int step = 0; step < STEPS; step++) {
            double q[2][ENVS * 19], v[2][ENVS * 18];
            for (int map = 0; map < 2; map++) {
                MUST(myr_batch_step(batch[map], 1));
                MUST(myr_batch_get(batch[map], MYR_Q, NULL, ENVS, MYR_F64, q[map]));
                MUST(myr_batch_get(batch[map], MYR_V, NULL, ENVS, MYR_F64, v[map]));
            }
            assert_memory_equal(q[0], q[1], sizeof q[0]);
            assert_memory_equal(v[0], v[1], sizeof v[0]);
            for (int e = 0; e < ENVS; e++) {
                const double *x = q[1] + 19 * e, *u = v[1] + 18 * e, *go = ways[e % WAYS];
                const double along = u[0] * go[0] + u[1] * go[1], upright = 1 - 2 * (x[4] * x[4] + x[5] * x[5]);
                if (step > STEPS / 2 && (fabs(along / speed - 1) > 1e-3 || upright < 0.999 || fabs(u[2]) > 1e-3))
                    fail_msg("%d, %d, environment %d, step %d: %.9g m/s, upright %.9g, up %.9g", columns, exact, e, step, along, upright,
                             u[2]);
            }
        }
        myr_batch_free(batch[0]), myr_batch_free(batch[1]);
        myr_model_free(plane), myr_model_free(on);
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
    read_foot();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_keeps_speed),         cmocka_unit_test(an_anymal_slides_as_on_the_plane),
        cmocka_unit_test(folds_take_their_part),    cmocka_unit_test(a_wall_stops_what_is_across),
        cmocka_unit_test(a_ball_rests_in_a_valley), cmocka_unit_test(balls_roll_down_triangles),
        cmocka_unit_test(the_smallest_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
