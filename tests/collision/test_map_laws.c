/* What the shape of a map does to a body that moves: a riser of a field is a slope over one cell, which a ball goes up as far as its energy
 * takes it, while one of columns stops it; and a block's factor on friction says how far a box slides.
 * ctest: heavy */
#include <math.h>

#include "support/slide_scene.h"

#define GRAVITY 9.81
#define DT 5e-4 /* where a ball meets a riser [s] */

/* ---- a riser --------------------------------------------------------------------------------------------------------- */

enum { RISES = 3 };
static const double risers[RISES] = {0.05, 0.1, 0.2}; /* 27, 45 and 63 degrees where they are a field */
static double riser;
static double step_up(double x, double y) {
    (void)y;
    return x > 0.04 ? riser : 0; /* between the samples at 0 and 0.1 */
}

/* How far a ball at so many m/s gets up, sideways and back. */
typedef struct way {
    double highest, furthest, q[7], v[6];
} way;
static way run(const thing *t, int columns, double speed) {
    const myr_settings settings = scene_settings("task", "none", "threads", "1", "dt", "5e-4", "precision", "f64", NULL);
    myr_terrain *terrain = map_of(step_up, columns);
    myr_batch *batch = batch_on(t, 0, terrain, &settings, 1);
    way w = {.highest = -1, .furthest = -1};
    const double q[7] = {-0.3, 0.013, t->height, 1}, v[6] = {speed, 0.5};
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, v));
    for (int step = 0; step < 1600; step++) {
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, w.q));
        w.highest = fmax(w.highest, w.q[2] - t->height), w.furthest = fmax(w.furthest, w.q[0]);
    }
    MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, w.v));
    myr_batch_free(batch);
    myr_terrain_free(terrain);
    return w;
}

/* Without friction the blow takes what is along the slope's normal: v cos of the angle is left, and lifts the ball by its square over 2 g.
 * It comes back down, and the blow at the foot takes its part again; what is along the riser nothing changes. */
static void a_riser_of_a_field_is_a_slope(void **state) {
    (void)state;
    int seen = 0;
    for (int k = 0; k < RISES; k++)
        for (int n = 0; n < ROLLS; n++) {
            riser = risers[k];
            const thing *t = &things[n];
            const double cosine = CELL / hypot(CELL, riser), left = 1.0 * cosine, rise = left * left / (2 * GRAVITY);
            if (t->height > CELL / 2) continue;                   /* a wide ball leans on the upper edge, too */
            assert_true(rise < riser - t->height * (1 - cosine)); /* it does not get there */
            seen++;
            const way w = run(t, 0, 1.0);
            if (fabs(w.highest - rise) > 2 * left * DT) /* the blow and the turn each lie within a step */
                fail_msg("%s, riser of %g m: lifted by %.9g m, not %.9g", t->name, riser, w.highest, rise);
            if (fabs(w.v[1] - 0.5) > 1e-6 || fabs(w.v[0] + cosine * left) > 0.02)
                fail_msg("%s, riser of %g m: comes back at %.9g, along it %.9g", t->name, riser, w.v[0], w.v[1]);
        }
    assert_int_equal(seen, 2 * RISES);
}

static void a_riser_of_columns_stops(void **state) {
    (void)state;
    for (int k = 0; k < RISES; k++)
        for (int n = 0; n < ROLLS; n++) {
            riser = risers[k];
            const thing *t = &things[n];
            if (t->height > riser) continue; /* a ball whose centre is above the edge is lifted by it */
            const way w = run(t, 1, 1.0);
            if (w.highest > 1e-5 || fabs(w.furthest - (CELL / 2 - t->height)) > 1e-4 || fabs(w.v[0]) > 1e-6 || fabs(w.v[1] - 0.5) > 1e-6)
                fail_msg("%s, riser of %g m: lifted by %.9g m, got to %.9g, has %.9g and %.9g m/s", t->name, riser, w.highest, w.furthest,
                         w.v[0], w.v[1]);
        }
}

/* ---- friction -------------------------------------------------------------------------------------------------------- */

enum { FACTORS = 4 };
static const uint8_t factors[FACTORS] = {128, 64, 32, 255}; /* in 128ths */

/* A box at 2 m/s stops after v^2 / (2 f mu g), on blocks of each factor and of both kinds. */
static void a_blocks_factor_says_how_far_a_box_slides(void **state) {
    (void)state;
    enum { SAMPLES = 128, BLOCKS = SAMPLES / 8 };
    const double speed = 2, friction = 0.3, dt = 0.001;
    static float heights[SAMPLES * SAMPLES];
    static uint8_t kinds[BLOCKS * BLOCKS], shares[BLOCKS * BLOCKS];
    for (int columns = 0; columns < 2; columns++) {
        myr_terrain_def def = myr_terrain_def_default();
        myr_terrain *terrain;
        for (int b = 0; b < BLOCKS * BLOCKS; b++) kinds[b] = (uint8_t)columns, shares[b] = factors[b % BLOCKS / (BLOCKS / FACTORS)];
        def.nx = def.ny = SAMPLES, def.cell_m = CELL, def.heights_m = heights, def.columns = kinds, def.friction = shares;
        def.origin_i = def.origin_k = 0;
        MUST(myr_terrain_create(&def, &terrain));
        const myr_settings settings =
            scene_settings("task", "none", "threads", "1", "dt", "0.001", "precision", "f64", "tolerance", "1e-9", NULL);
        const thing *t = &things[BOX];
        myr_batch *batch = batch_on(t, friction, terrain, &settings, FACTORS);
        for (int64_t e = 0; e < FACTORS; e++) {
            const double q[7] = {1, CELL * (SAMPLES / FACTORS) * ((double)e + 0.5), t->height, 1}, v[6] = {speed};
            MUST(myr_batch_set(batch, MYR_Q, &e, 1, MYR_F64, q));
            MUST(myr_batch_set(batch, MYR_V, &e, 1, MYR_F64, v));
        }
        MUST(myr_batch_step(batch, 6000));
        for (int64_t e = 0; e < FACTORS; e++) {
            double q[7], v[6];
            MUST(myr_batch_get(batch, MYR_Q, &e, 1, MYR_F64, q));
            MUST(myr_batch_get(batch, MYR_V, &e, 1, MYR_F64, v));
            const double slowing = factors[e] / 128.0 * friction * GRAVITY, wanted = speed * speed / (2 * slowing);
            /* v is lowered before x moves: half a step's way is missing */
            if (fabs(q[0] - 1 - wanted + 0.5 * speed * dt) > 1e-3 * wanted || fabs(v[0]) > 1e-6)
                fail_msg("%s, factor %d/128: slid %.9g m, not %.9g, and has %.9g m/s", columns ? "columns" : "field", factors[e], q[0] - 1,
                         wanted, v[0]);
        }
        myr_batch_free(batch);
        myr_terrain_free(terrain);
    }
}

int main(void) {
    read_foot();
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_riser_of_a_field_is_a_slope), cmocka_unit_test(a_riser_of_columns_stops),
                                       cmocka_unit_test(a_blocks_factor_says_how_far_a_box_slides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
