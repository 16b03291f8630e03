/* Nothing falls through a map, however fast: balls, boxes and cylinders are dropped at 10 m/s on 10 000 places of rough ground, of spikes,
 * of stairs and of pits, fields and columns. ctest: heavy */
#include <math.h>
#include <stdlib.h>

#include "support/random_model.h"
#include "reference/terrain.h"
#include "support/slide_scene.h"

enum { PLACES = 10000, STEPS = 60 };

/* A number of the sample's own, -1 .. 1. */
static double drawn(double x, double y) {
    random_source source = {1 + (uint64_t)(lrint(x / CELL) + SIDE) * 4096 + (uint64_t)(lrint(y / CELL) + SIDE)};
    return random_uniform(&source, -1, 1);
}
static double rough(double x, double y) { return 0.05 * drawn(x, y); }  /* legged_gym's */
static double spikes(double x, double y) { return 0.15 * drawn(x, y); } /* up to 72 degrees */
/* Pyramids of six steps, each as high as the highest of legged_gym, and 0.3 m wide. */
static double stairs(double x, double y) {
    const double along = fmod(x + 8, 4) - 2, across = fmod(y + 8, 4) - 2, out = fmax(fabs(along), fabs(across));
    return 0.23 * floor((2 - out) / 0.3 + 1e-6);
}
static double pits(double x, double y) { return drawn(0.3 * floor(x / 0.3), 0.3 * floor(y / 0.3)) > 0.3 ? -0.8 : 0; }

typedef struct drop {
    const char *name;
    height_law *law;
    int columns;
    const char *dt;
    int points;  /* whether boxes and cylinders are dropped, too: these touch with their points alone, so a wall may stand between */
    double deep; /* how far their centres may come below the ground between two points [m] */
    int wedged;  /* so many balls wider than a pillar may end wedged between two, pushed by turns into one and the other */
} drop;
static const drop drops[] = {
    {.name = "rough field", .law = rough, .columns = 0, .dt = "0.005", .points = 1, .deep = 0.1},
    {.name = "rough columns", .law = rough, .columns = 1, .dt = "0.005", .points = 1, .deep = 0.1},
    {.name = "a field of spikes", .law = spikes, .columns = 0, .dt = "0.01"},
    {.name = "spiky columns", .law = spikes, .columns = 1, .dt = "0.01", .wedged = 1},
    {.name = "stairs", .law = stairs, .columns = 1, .dt = "0.005"},
    {.name = "stairs as a field", .law = stairs, .columns = 0, .dt = "0.005"},
    {.name = "pits", .law = pits, .columns = 1, .dt = "0.005"},
    {.name = "pits as a field", .law = pits, .columns = 0, .dt = "0.005"},
};
enum { DROPS = sizeof drops / sizeof *drops };

static double q[7 * PLACES], v[6 * PLACES], fastest[PLACES], xy[2 * PLACES], ground[PLACES], samples[SIDE * SIDE];

static void start(myr_batch *batch, const myr_terrain *terrain, uint64_t seed) {
    random_source source = {seed};
    for (int e = 0; e < PLACES; e++) xy[2 * e] = random_uniform(&source, -7, 7), xy[2 * e + 1] = random_uniform(&source, -7, 7);
    MUST(myr_terrain_height(terrain, PLACES, xy, ground, NULL));
    for (int e = 0; e < PLACES; e++) {
        const double at[7] = {xy[2 * e], xy[2 * e + 1], fmax(ground[e], 0) + 0.5 + random_uniform(&source, 0, 0.1), 1};
        const double speed[6] = {random_uniform(&source, -3, 3), random_uniform(&source, -3, 3), -10};
        memcpy(q + 7 * e, at, sizeof at), memcpy(v + 6 * e, speed, sizeof speed);
    }
    MUST(myr_batch_set(batch, MYR_Q, NULL, PLACES, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, NULL, PLACES, MYR_F64, v));
}

/* A ball's centre gets no deeper into a wall or slope than it moved in one step until then, and is out of the ground in the end; one that
 * is wedged goes a step of 1 m/s into it. */
static void judge(const drop *d, const thing *t, const ref_terrain *reference, int step, double dt, int ball) {
    int wedged = 0;
    for (int e = 0; e < PLACES; e++) {
        const double *x = q + 7 * e;
        double depth = ground[e] - x[2], most = 0;
        if (depth < 0) continue;
        if (!ball) most = d->deep;
        if (ball && step < STEPS - 1) {
            depth = -ref_terrain_sphere(reference, x, 0).distance;
            most = dt * (fastest[e] + 9.81 * dt);
        }
        if (ball && step == STEPS - 1 && t->height > CELL && wedged < d->wedged) {
            wedged++;
            depth = -ref_terrain_sphere(reference, x, 0).distance, most = dt;
        }
        if (!(depth <= most))
            fail_msg("%s, %s, place %d, step %d: at %.9g %.9g its centre is at %.9g, the ground at %.9g: %.9g m deep, may be %.9g", t->name,
                     d->name, e, step, x[0], x[1], x[2], ground[e], depth, most);
    }
}

static void none_falls_through(void **state) {
    (void)state;
    for (int k = 0; k < DROPS; k++) {
        const drop *d = &drops[k];
        myr_terrain *terrain = map_of(d->law, d->columns);
        for (int i = 0; i < SIDE * SIDE; i++)
            samples[i] = (double)(float)d->law(CELL * (i / SIDE - SIDE / 2), CELL * (i % SIDE - SIDE / 2));
        const double corner = -CELL * (SIDE / 2);
        const ref_terrain reference = {SIDE, SIDE, d->columns, CELL, corner, corner, samples};
        for (int n = 0; n < (d->points ? CYLINDER + 1 : ROLLS); n++) {
            const myr_settings settings = scene_settings("task", "none", "dt", d->dt, "threads", "2", NULL);
            myr_batch *batch = batch_on(&things[n], 0.5, terrain, &settings, PLACES);
            start(batch, terrain, 17 + (uint64_t)n);
            for (int step = 0; step < STEPS; step++) {
                MUST(myr_batch_get(batch, MYR_V, NULL, PLACES, MYR_F64, v));
                for (int e = 0; e < PLACES; e++) {
                    const double *u = v + 6 * e, speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
                    fastest[e] = step ? fmax(fastest[e], speed) : speed;
                }
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_Q, NULL, PLACES, MYR_F64, q));
                for (int e = 0; e < PLACES; e++) xy[2 * e] = q[7 * e], xy[2 * e + 1] = q[7 * e + 1];
                MUST(myr_terrain_height(terrain, PLACES, xy, ground, NULL));
                judge(d, &things[n], &reference, step, atof(d->dt), n < ROLLS);
            }
            myr_batch_free(batch);
        }
        myr_terrain_free(terrain);
    }
}

static double plateau(double x, double y) {
    (void)y;
    return x > 0.04 ? 0.3 : 0;
}

/* Balls at 40 m/s, two cells in a step, come from over low ground and land on a plateau within a step behind its edge, which they have not
 * seen from where they were. They meet what is below the place where they will be, and none gets into it. */
static void fast_balls_land_on_what_is_ahead(void **state) {
    (void)state;
    const double fall = 3, speed = 40;
    for (int columns = 0; columns < 2; columns++) {
        const double edge = columns ? CELL / 2 : CELL;
        myr_terrain *terrain = map_of(plateau, columns);
        for (int n = 0; n < ROLLS; n++) {
            if (things[n].height > CELL / 2) continue; /* a wide ball sees farther than it moves */
            const myr_settings settings = scene_settings("task", "none", "dt", "0.005", "precision", "f64", "threads", "1", NULL);
            myr_batch *batch = batch_on(&things[n], 0, terrain, &settings, PLACES);
            random_source source = {3};
            int landed = 0;
            for (int e = 0; e < PLACES; e++) {
                const double from = random_uniform(&source, -0.6, -0.2), to = edge + random_uniform(&source, 0.001, 0.1);
                const double time = (to - from) / speed, low = 0.3 + things[n].height + fall * time + 0.5 * 9.81 * time * (time + 0.005);
                const double at[7] = {from, random_uniform(&source, -7, 7), low, 1}, going[6] = {speed, 0, -fall};
                memcpy(q + 7 * e, at, sizeof at), memcpy(v + 6 * e, going, sizeof going);
            }
            MUST(myr_batch_set(batch, MYR_Q, NULL, PLACES, MYR_F64, q));
            MUST(myr_batch_set(batch, MYR_V, NULL, PLACES, MYR_F64, v));
            for (int step = 0; step < 20; step++) {
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_Q, NULL, PLACES, MYR_F64, q));
                for (int e = 0; e < PLACES; e++) {
                    const double *x = q + 7 * e, over = x[2] - 0.3 - things[n].height;
                    if (x[0] < edge) continue;
                    landed += over < 1e-4;
                    if (over < -1e-5)
                        fail_msg("%s, %s, place %d, step %d: at x = %.9g it is %.9g m in the plateau", things[n].name,
                                 columns ? "columns" : "field", e, step, x[0], -over);
                }
            }
            assert_true(landed > PLACES);
            myr_batch_free(batch);
        }
        myr_terrain_free(terrain);
    }
}

int main(void) {
    read_foot();
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_falls_through), cmocka_unit_test(fast_balls_land_on_what_is_ahead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
