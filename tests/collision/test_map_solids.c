/* What lies across features of a map rests on them: a capsule over ridges and over single pillars, between its ends. On rough ground it
 * lies no deeper than the scalar reference allows, and far less deep than balls at its ends alone. ctest: heavy */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/random_model.h"
#include "reference/terrain_solids.h"
#include "terrain/terrain.h"

enum { SIDE = 61 };
#define CELL 0.1
#define HEIGHT 0.2 /* of ridges and pillars */

static float heights[SIDE * SIDE];

/* Heights by the sample, the middle one at x = y = 0. */
typedef double height_law(int i, int k);
static myr_terrain *map_of(height_law *law, int columns) {
    static uint8_t kinds[(SIDE / 8 + 1) * (SIDE / 8 + 1)];
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) heights[i * SIDE + k] = (float)law(i - SIDE / 2, k - SIDE / 2);
    memset(kinds, columns, sizeof kinds);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = SIDE, def.cell_m = CELL, def.heights_m = heights, def.columns = kinds;
    myr_terrain *t;
    MUST(myr_terrain_create(&def, &t));
    return t;
}

typedef struct thing {
    const char *name, *geom;
    double half; /* from its centre down to what it lies on [m] */
} thing;

static myr_batch *batch_on(const thing *t, myr_terrain *terrain, const myr_settings *settings, int64_t envs) {
    char text[1500];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='wedge' vertex='-.25 -.2 -.05 .25 -.2 -.05 -.25 .2 -.05 .25 .2 -.05 -.25 -.2 .05 .25 -.2 .05 -.25 "
             ".2 .05 "
             ".25 .2 .05 .3 0 0 -.3 0 0'/></asset><default><geom friction='.8 .005 .0001'/></default><worldbody><geom type='plane' size='1 "
             "1 1' friction='.8'/>"
             "<body><freejoint/>%s</body></worldbody></mujoco>",
             t->geom);
    myr_model *model, *on;
    myr_batch *batch;
    MUST(myr_model_open_text(text, strlen(text), t->name, NULL, &model));
    MUST(myr_model_on(model, terrain, &on));
    myr_settings shown = *settings;
    shown.sense_contacts = 1;
    MUST(myr_batch_create(on, envs, &shown, &batch));
    myr_model_free(model), myr_model_free(on);
    return batch;
}

/* ---- on features ----------------------------------------------------------------------------------------------------- */

static double ridges(int i, int k) {
    (void)k;
    return abs(i) == 1 ? HEIGHT : 0;
}
static double pillars(int i, int k) { return k == 0 ? ridges(i, k) : 0; }

static double four(int i, int k) { return abs(i) == 1 && abs(k) == 1 ? HEIGHT : 0; }

static const thing flats[] = {
    {"box", "<geom type='box' size='.25 .22 .05' mass='1'/>", 0.05},
    {"cylinder", "<geom type='cylinder' size='.22 .05' mass='1'/>", 0.05},
    {"hull", "<geom type='mesh' mesh='wedge' mass='1'/>", 0.05},
};
static const thing capsule = {"capsule", "<geom type='capsule' size='.045 .18' euler='0 90 0' mass='1'/>", 0.045};

/* Dropped level from 1 cm above, it lies there after 2 s. */
static void rests_on(const thing *t, height_law *law, int columns) {
    myr_terrain *terrain = map_of(law, columns);
    for (int exact = 0; exact < 2; exact++) {
        enum { ENVS = 5 };
        const myr_settings settings =
            scene_settings("task", "none", "threads", "1", "dt", "0.002", "precision", exact ? "f64" : "f32", NULL);
        myr_batch *batch = batch_on(t, terrain, &settings, ENVS);
        double q[7 * ENVS], v[6 * ENVS];
        for (int e = 0; e < ENVS; e++) {
            const double start[7] = {0.01 * (e - 2), 0.002 * e, HEIGHT + t->half + 0.01, 1};
            memcpy(q + 7 * e, start, sizeof start);
        }
        MUST(myr_batch_set(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        MUST(myr_batch_step(batch, 1000));
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, ENVS, MYR_F64, v));
        for (int e = 0; e < ENVS; e++) {
            double speed = 0;
            for (int k = 0; k < 6; k++) speed = fmax(speed, fabs(v[6 * e + k]));
            if (fabs(q[7 * e + 2] - HEIGHT - t->half) > 2e-5 || speed > 1e-4)
                fail_msg("%s, %s, %s, environment %d: at %.9g %.9g %.9g, not %.9g high, moving at %.3g", t->name,
                         columns ? "columns" : "field", exact ? "f64" : "f32", e, q[7 * e], q[7 * e + 1], q[7 * e + 2], HEIGHT + t->half,
                         speed);
        }
        myr_batch_free(batch);
    }
    myr_terrain_free(terrain);
}

static void a_capsule_lies_across(void **state) {
    (void)state;
    for (int columns = 0; columns < 2; columns++) rests_on(&capsule, ridges, columns);
    rests_on(&capsule, pillars, 1);
}

/* Wider than the spikes that it stands on: its corners and rims hang to all sides of them. */
static void flat_solids_stand_on_spikes(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof flats / sizeof *flats; n++)
        for (int columns = 0; columns < 2; columns++) rests_on(&flats[n], four, columns);
}

/* ---- on a slope ------------------------------------------------------------------------------------------------------ */

#define LEAN (M_PI / 6)
static double slope(int i, int k) {
    (void)k;
    return tan(LEAN) * CELL * i;
}

/* A wheel rolls down a slope of 30 degrees by two thirds of g sin, and stays on it: what touches is not what is lowest. */
static void a_wheel_stays_on_its_slope(void **state) {
    (void)state;
    static const thing wheel = {"wheel", "<geom type='cylinder' size='.1 .05' euler='90 0 0' mass='1'/>", 0.1};
    myr_terrain *terrain = map_of(slope, 0);
    for (int exact = 0; exact < 2; exact++) {
        const myr_settings settings =
            scene_settings("task", "none", "threads", "1", "dt", "0.001", "precision", exact ? "f64" : "f32", NULL);
        myr_batch *batch = batch_on(&wheel, terrain, &settings, 1);
        double q[7] = {1.5 - 0.1 * sin(LEAN), 0.013, 1.5 * tan(LEAN) + 0.1 * cos(LEAN), 1}, v[6];
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        for (int step = 1; step <= 800; step++) {
            MUST(myr_batch_step(batch, 1));
            MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
            MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
            const double over = q[2] * cos(LEAN) - q[0] * sin(LEAN), speed = hypot(v[0], v[2]),
                         should = 9.81 * sin(LEAN) / 1.5 * 0.001 * step;
            if (fabs(over - 0.1) > (exact ? 2e-6 : 2e-5) || fabs(speed / should - 1) > 0.01)
                fail_msg("%s: step %d: %.9g m over the slope, %.9g m/s, should be %.9g", exact ? "f64" : "f32", step, over, speed, should);
        }
        myr_batch_free(batch);
    }
    myr_terrain_free(terrain);
}

/* ---- on rough ground ------------------------------------------------------------------------------------------------- */

/* As legged_gym has it: +-5 cm at every second sample along both axes, linear between. */
static double lattice(int i, int k) {
    random_source source = {(uint64_t)(1000 * (i / 2 + SIDE) + k / 2 + SIDE)};
    return random_uniform(&source, -0.05, 0.05);
}
static double rough(int i, int k) {
    const int x = i + SIDE + 1, y = k + SIDE + 1, right = x % 2, up = y % 2; /* from 0 on */
    const double low = 0.5 * (lattice(x, y) + lattice(x + right, y)), high = 0.5 * (lattice(x, y + up) + lattice(x + right, y + up));
    return 0.5 * (low + high);
}

/* How deep capsules of that size along their x axes lie [m], exactly. */
static double depth_of(const ref_terrain *reference, const double q[7]) {
    const double w = q[3], i = q[4], j = q[5], k = q[6];
    const double axis[3] = {1 - 2 * (j * j + k * k), 2 * (i * j + k * w), 2 * (i * k - j * w)};
    double a[3], b[3];
    for (int c = 0; c < 3; c++) a[c] = q[c] + 0.18 * axis[c], b[c] = q[c] - 0.18 * axis[c];
    return 0.045 - ref_terrain_rod(reference, a, b);
}

/* What the edges that an axis does not cross, seen from above, let in is a few mm; what balls at its ends alone let in is all of it. */
static void a_capsule_sinks_no_deeper(void **state) {
    (void)state;
    enum { ENVS = 1000 };
    static double q[7 * ENVS], height[SIDE * SIDE];
    static const thing balls = {"two balls",
                                "<inertial pos='0 0 0' mass='1' diaginertia='.001 .0123 .0123'/><geom type='sphere' size='.045' pos='.18 0 "
                                "0'/><geom type='sphere' size='.045' pos='-.18 0 0'/>",
                                0.045};
    myr_terrain *terrain = map_of(rough, 0);
    for (int n = 0; n < SIDE * SIDE; n++) height[n] = (double)heights[n];
    const ref_terrain reference = {
        .nx = SIDE, .ny = SIDE, .cell = CELL, .x0 = -CELL * (SIDE / 2), .y0 = -CELL * (SIDE / 2), .height = height};
    const myr_settings settings = scene_settings("task", "none", "dt", "0.005", "threads", "2", NULL);
    for (int way = 0; way < 2; way++) {
        myr_batch *batch = batch_on(way ? &balls : &capsule, terrain, &settings, ENVS);
        random_source source = {8};
        int deep[3] = {0};
        for (int e = 0; e < ENVS; e++) {
            const double turn = random_uniform(&source, -1.5, 1.5);
            const double start[7] = {random_uniform(&source, -2, 2), random_uniform(&source, -2, 2), 0.3, cos(turn), 0, 0, sin(turn)};
            memcpy(q + 7 * e, start, sizeof start);
        }
        MUST(myr_batch_set(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        MUST(myr_batch_step(batch, 600));
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        for (int e = 0; e < ENVS; e++) {
            const double depth = depth_of(&reference, q + 7 * e);
            deep[0] += depth > 1e-3, deep[1] += depth > 3e-3, deep[2] += depth > 1e-2;
        }
        print_message("%s: of %d, %d are deeper than 1 mm, %d than 3 mm, %d than 10 mm\n", way ? balls.name : capsule.name, ENVS, deep[0],
                      deep[1], deep[2]);
        assert_true(way ? deep[2] > ENVS / 3 : deep[0] < ENVS / 20 && deep[1] < ENVS / 100);
        myr_batch_free(batch);
    }
    myr_terrain_free(terrain);
}

/* How deep the deepest sharp vertex of the map is in a solid [m], where its normal lifts. */
static double spike_depth(const ref_terrain *reference, ref_flat flat, const double x[7]) {
    const double w = x[3], i = x[4], j = x[5], k = x[6];
    const double turn[9] = {1 - 2 * (j * j + k * k), 2 * (i * j - w * k),     2 * (i * k + w * j),
                            2 * (i * j + w * k),     1 - 2 * (i * i + k * k), 2 * (j * k - w * i),
                            2 * (i * k - w * j),     2 * (j * k + w * i),     1 - 2 * (i * i + j * j)};
    memcpy(flat.turn, turn, sizeof turn), memcpy(flat.center, x, sizeof flat.center);
    ref_spike spikes[4];
    double depth = 0;
    ref_terrain_spikes(reference, &flat, 0, spikes);
    for (int n = 0; n < 4; n++)
        if (spikes[n].has) depth = fmax(depth, -spikes[n].distance);
    return depth;
}

/* And many do where those of the map are not looked at. */
static void no_vertex_gets_in(void **state) {
    (void)state;
    enum { ENVS = 1000 };
    static double q[7 * ENVS], height[SIDE * SIDE];
    static const ref_flat shapes[2] = {{.kind = REF_BOX, .half = {0.25, 0.22, 0.05}}, {.kind = REF_CYLINDER, .half = {0.22, 0.22, 0.05}}};
    myr_terrain *terrain = map_of(rough, 0);
    for (int n = 0; n < SIDE * SIDE; n++) height[n] = (double)heights[n];
    const ref_terrain reference = {
        .nx = SIDE, .ny = SIDE, .cell = CELL, .x0 = -CELL * (SIDE / 2), .y0 = -CELL * (SIDE / 2), .height = height};
    const myr_settings settings = scene_settings("task", "none", "dt", "0.005", "threads", "2", NULL);
    for (int run = 0; run < 4; run++) {
        const int way = run % 2, blind = run / 2;
        terrain->has_sharp = !blind;
        myr_batch *batch = batch_on(&flats[way], terrain, &settings, ENVS);
        random_source source = {8};
        int deep[3] = {0};
        for (int e = 0; e < ENVS; e++) {
            double start[7] = {random_uniform(&source, -2, 2), random_uniform(&source, -2, 2), 0.4}, length = 0;
            for (int k = 3; k < 7; k++) start[k] = random_uniform(&source, -1, 1), length += start[k] * start[k];
            for (int k = 3; k < 7; k++) start[k] /= sqrt(length);
            memcpy(q + 7 * e, start, sizeof start);
        }
        MUST(myr_batch_set(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        MUST(myr_batch_step(batch, 600));
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        for (int e = 0; e < ENVS; e++) {
            const double depth = spike_depth(&reference, shapes[way], q + 7 * e);
            deep[0] += depth > 1e-4, deep[1] += depth > 1e-3, deep[2] += depth > 1e-2;
        }
        print_message("%s%s: of %d, %d have a vertex deeper within than 0.1 mm, %d than 1 mm, %d than 10 mm\n", flats[way].name,
                      blind ? " by its points alone" : "", ENVS, deep[0], deep[1], deep[2]);
        assert_true(blind ? deep[2] > ENVS / 4 : deep[0] < ENVS / 50 && deep[1] < ENVS / 200 && !deep[2]);
        myr_batch_free(batch);
    }
    myr_terrain_free(terrain);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_capsule_lies_across), cmocka_unit_test(flat_solids_stand_on_spikes),
                                       cmocka_unit_test(a_wheel_stays_on_its_slope), cmocka_unit_test(a_capsule_sinks_no_deeper),
                                       cmocka_unit_test(no_vertex_gets_in)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
