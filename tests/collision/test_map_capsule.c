/* ctest: lanes
 * What a capsule touches between its ends, in lanes, is what the scalar reference says, on every instruction set, in both precisions, at
 * every origin: edges of fields and of pillars, over and under them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/kernels.h"
#include "map_lanes/map_lanes.h"
#include "support/random_model.h"
#include "reference/terrain_solids.h"

enum { NX = 37, NY = 29, RODS = 4096, KINDS = 7 };
static const char *const kind_names[KINDS] = {"rough", "leaning", "stairs", "spikes", "waves", "ridge", "lone"};

typedef struct ground {
    int16_t steps[NX * NY];
    double height[NX * NY];
    ref_terrain reference;
    myr_terrain *map;
} ground;

static void make_ground(ground *g, int kind, int columns, double cell) {
    uint8_t kinds[64];
    random_source random = {11 + (uint64_t)kind};
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < NY; k++) {
            const double draw = random_uniform(&random, -1, 1);
            const double forms[KINDS] = {0.05 * draw,
                                         0.3 * cell * i - 0.45 * cell * k,
                                         0.1 * (i / 3),
                                         draw > 0.7 ? 0.2 : 0,
                                         0.1 * sin(0.7 * i) * cos(0.5 * k),
                                         0.5 * cell * (14 - abs(i + k - 30)),
                                         i % 9 == 4 && k % 20 == 11 ? 0.2 : 0};
            g->steps[i * NY + k] = (int16_t)lrint(forms[kind] / 0.005), g->height[i * NY + k] = 0.005 * g->steps[i * NY + k];
        }
    memset(kinds, columns, sizeof kinds);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = NX, def.ny = NY, def.cell_m = cell, def.columns = kinds, def.origin_i = 5, def.origin_k = 9, def.steps = g->steps;
    assert_int_equal(myr_terrain_create(&def, &g->map), MYR_OK);
    g->reference = (ref_terrain){.nx = NX, .ny = NY, .columns = columns, .cell = cell, .height = g->height};
}

/* An axis near the surface, in the map's own frame, from so many cells inside of its border on: now and then along x, level, or steep. */
static void draw_rod(const ground *g, random_source *random, double length, double inside, double from[3], double along[3]) {
    const double cell = g->reference.cell, way = random_uniform(random, 0, 1), turn = random_uniform(random, -M_PI, M_PI),
                 lean = way < 0.1   ? 0
                        : way < 0.2 ? random_uniform(random, 1, 1.5)
                                    : random_uniform(random, -0.5, 0.5);
    along[0] = length * cos(lean) * (way > 0.9 ? 1 : cos(turn)), along[1] = length * cos(lean) * (way > 0.9 ? 0 : sin(turn));
    along[2] = length * sin(lean);
    from[0] = random_uniform(random, inside, NX - 1 - inside) * cell;
    from[1] = random_uniform(random, inside, NY - 1 - inside) * cell;
    double up = -INFINITY;
    for (int k = 0; k <= 20; k++) {
        const double x = from[0] + along[0] * k / 20, y = from[1] + along[1] * k / 20;
        up = fmax(up, ref_terrain_height(&g->reference, x, y, NULL) - along[2] * k / 20);
    }
    from[2] = up + random_uniform(random, -0.1, 0.5) * cell;
}

/* The reference's contact there, or, where rounding decides, right beside it. */
static int same(const ground *g, const rod_case *c, int half, const double from[3], double near) {
    for (int shift = 0; shift < 81; shift++) {
        double a[3], b[3];
        for (int k = 0; k < 3; k++) a[k] = from[k], b[k] = from[k] + c->along[k];
        a[0] += near * (shift % 3 - 1), b[1] += near * (shift / 3 % 3 - 1), a[2] += near * (shift / 9 % 3 - 1);
        b[2] += near * (shift / 27 - 1);
        ref_middle want;
        const int has = ref_terrain_middle(&g->reference, a, b, half, &want);
        if (has != c->half[half].has) continue;
        if (!has) return 1;
        const double *m = c->half[half].normal, n = want.normal[0] * m[0] + want.normal[1] * m[1] + want.normal[2] * m[2];
        if (fabs(want.distance - c->half[half].distance) <= 4 * near && n > 1 - 1e3 * near) return 1;
    }
    return 0;
}

static void judge(const map_unit *u, const ground *g, rod_case *cases, int n, const double (*from)[3], int *seen) {
    u->run_rods(g->map, cases, n);
    for (int lane = 0; lane < 2 * n; lane++) {
        const int half = lane % 2;
        const rod_case *c = &cases[lane / 2];
        const double *m = c->half[half].normal, near = u->is_double ? 1e-12 : 1e-6;
        double a[3], end[3];
        for (int k = 0; k < 3; k++) a[k] = from[lane / 2][k], end[k] = a[k] + c->along[k];
        ref_middle want;
        const int has = ref_terrain_middle(&g->reference, a, end, half, &want), is = c->half[half].has;
        if (is) assert_true(fabs(sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) - 1) < (u->is_double ? 1e-14 : 1e-6));
        seen[0] += is, seen[1] += is && c->half[half].distance < 0;
        if (has && is && fabs(want.distance - c->half[half].distance) <= near &&
            fabs(want.share - c->half[half].share) < (u->is_double ? 1e-8 : 1e-2)) {
            seen[2]++;
            continue;
        }
        if (!same(g, c, half, a, u->is_double ? 1e-9 : 2e-5))
            fail_msg("%s %s: axis from %.17g %.17g %.17g along %.17g %.17g %.17g, half %d: %s at %.9g, distance %.17g, normal %g %g %g, "
                     "should be %s at %.9g, %.17g, normal %g %g %g",
                     u->isa, u->is_double ? "f64" : "f32", a[0], a[1], a[2], c->along[0], c->along[1], c->along[2], half,
                     is ? "contact" : "none", c->half[half].share, c->half[half].distance, m[0], m[1], m[2], has ? "contact" : "none",
                     want.share, want.distance, want.normal[0], want.normal[1], want.normal[2]);
    }
}

static void rods(int kind, int columns, double cells) {
    ground g;
    make_ground(&g, kind, columns, 0.1);
    for (int i = 0; map_unit_at(i); i++) {
        const map_unit *u = map_unit_at(i);
        if (!myr_isa_present(u->isa)) continue;
        random_source random = {3};
        int seen[3] = {0};
        const double cell = g.reference.cell, length = cells * cell;
        for (int rods = cells > 4 ? RODS / 8 : RODS, n; rods > 0; rods -= n) {
            rod_case cases[MAP_TEST_LANES];
            double from[MAP_TEST_LANES][3];
            n = 1 + (int)random_uniform(&random, 0, u->lanes - 1e-9);
            memset(cases, 0, sizeof cases);
            for (int b = 0; b < n; b++) {
                rod_case *c = &cases[b];
                draw_rod(&g, &random, length, kind == 1 ? cells + 0.5 : -1, from[b], c->along);
                c->origin_i = (int)random_uniform(&random, 0, NX - 1), c->origin_k = (int)random_uniform(&random, 0, NY - 1);
                c->origin_height = 7, c->length = length;
                const double at[3] = {cell * c->origin_i, cell * c->origin_k, 0.035};
                for (int k = 0; k < 3; k++) {
                    c->from[k] = from[b][k] - at[k];
                    if (!u->is_double) c->from[k] = (double)(float)c->from[k], c->along[k] = (double)(float)c->along[k];
                    from[b][k] = c->from[k] + at[k];
                }
            }
            judge(u, &g, cases, n, (const double(*)[3])from, seen);
        }
        if (kind == 1 && !columns) {
            assert_int_equal(seen[0], 0); /* a plane has no edges */
            continue;
        }
        if (seen[0] < (kind == 6 ? 4 : RODS / 64) || seen[1] < (kind == 6 ? 1 : 5) || seen[2] < 9 * seen[0] / 10)
            fail_msg("%s %s: %s, %g cells, %s: %d contacts, %d below, %d to rounding", u->isa, u->is_double ? "f64" : "f32",
                     columns ? "columns" : "field", cells, kind_names[kind], seen[0], seen[1], seen[2]);
    }
    myr_terrain_free(g.map);
}

static const double lengths[] = {0.7, 2.3, 11};

static void test_fields(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
        for (int kind = 0; kind < KINDS; kind++) rods(kind, 0, lengths[n]);
}

static void test_columns(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
        for (int kind = 0; kind < KINDS; kind++) rods(kind, 1, lengths[n]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
