#include "scan_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random_model.h"

const char *const scan_maps[MAPS] = {"field", "columns", "mixed", "floats"};
const char *const scan_precisions[2] = {"f32", "f64"};

void scan_make_map(scan_map *m, int kind, int period) {
    int16_t steps[NX * NY];
    float heights[NX * NY];
    random_source random = {7};
    myr_terrain_def def = myr_terrain_def_default();
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < NY; k++) {
            const int n = i * NY + k, again = period ? i % 16 * NY + k % 16 : n;
            const double draw = random_uniform(&random, -0.02, 0.02);
            const int rise = period ? RISE_X * (i / 16) + RISE_Y * (k / 16) : 0;
            steps[n] = (int16_t)(again == n ? lrint(draw / 0.005) : steps[again] + rise);
            heights[n] = again == n ? (float)draw : heights[again];
        }
    for (int b = 0; b < BLOCKS_X * BLOCKS_Y; b++)
        m->columns[b] = kind == COLUMNS || (kind == MIXED && (period ? b / BLOCKS_Y % 2 ^ b % BLOCKS_Y % 2 : random_below(&random, 2)));
    def.nx = NX, def.ny = NY, def.cell_m = SCAN_CELL, def.columns = m->columns, def.origin_i = 20, def.origin_k = 11;
    if (kind == FLOATS)
        def.heights_m = heights;
    else
        def.steps = steps;
    MUST(myr_terrain_create(&def, &m->terrain));
    MUST(myr_terrain_samples(m->terrain, heights));
    MUST(myr_terrain_kinds(m->terrain, m->columns));
    for (int n = 0; n < NX * NY; n++) { /* samples come in floats: whole steps are known to the last bit */
        const double sample = (double)heights[n], whole = 0.005 * steps[n];
        if (kind != FLOATS) assert_true(fabs(sample - whole) < 1e-7);
        m->height[n] = kind == FLOATS ? sample : whole;
    }
    m->reference = (ref_scan_map){NX, NY, MYR_TERRAIN_BLOCK, BLOCKS_Y, SCAN_CELL, m->height, m->columns};
}

myr_model *scan_model_on(const char *name, const myr_terrain *terrain) {
    myr_model *plane, *on;
    MUST(myr_model_open(name, NULL, &plane));
    MUST(myr_model_on(plane, terrain, &on));
    myr_model_free(plane);
    return on;
}

myr_settings scan_settings(const char *isa, int precision) {
    return scene_settings("isa", isa, "precision", scan_precisions[precision], "ground", "0.371", "threads", "2", NULL);
}

void scan_point(const double *place, const double heading[2], int j, double xy[2]) {
    const double ahead = -0.8 + 0.1 * (j / 11), left = -0.5 + 0.1 * (j % 11);
    xy[0] = place[0] + heading[0] * ahead - heading[1] * left, xy[1] = place[1] + heading[1] * ahead + heading[0] * left;
}

double scan_height_at(const scan_map *m, ref_scan_kind kind, const double ground_at[3], double x, double y) {
    const double u = x + ground_at[0] + 20 * SCAN_CELL, v = y + ground_at[1] + 11 * SCAN_CELL; /* from sample (0, 0) */
    return SCAN_GROUND + ref_scan_height(&m->reference, kind, u, v) - ground_at[2];
}

int scan_judge(const scan_map *m, ref_scan_kind kind, int jumps, int precision, const double ground_at[3], double x, double y, double got,
               const char *what) {
    const double want = scan_height_at(m, kind, ground_at, x, y), near = precision ? 1e-13 : 1e-6;
    const double bound = precision ? 1e-12 : 5e-7 + 1e-6 * fabs(want);
    if (fabs(got - want) <= bound) return 0;
    for (int n = 0; jumps && n < 9; n++)
        if (fabs(got - scan_height_at(m, kind, ground_at, x + near * (n / 3 - 1), y + near * (n % 3 - 1))) <= bound) return 1;
    fail_msg("%s: at %.17g %.17g: %.17g, should be %.17g (off by %g)", what, x, y, got, want, got - want);
    return 0;
}
