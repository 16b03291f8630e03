/* ctest: lanes
 * Vertices of a map that stick into boxes, cylinders and hulls, in lanes, are those of the scalar reference, on every instruction set, in
 * both precisions, at every origin; which vertices are sharp is what the reference says. */
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
#include "terrain/terrain.h"

enum { NX = 37, NY = 29, SOLIDS = 1024, KINDS = 5, PLANES = 14 };
static const char *const kind_names[KINDS] = {"rough", "leaning", "stairs", "spikes", "lone"};
#define REACH 0.05

typedef struct ground {
    int16_t steps[NX * NY];
    double height[NX * NY];
    ref_terrain reference;
    myr_terrain *map;
} ground;

static void make_ground(ground *g, int kind, int columns) {
    uint8_t kinds[64];
    random_source random = {11 + (uint64_t)kind};
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < NY; k++) {
            const double draw = random_uniform(&random, -1, 1);
            const double forms[KINDS] = {0.05 * draw, 0.03 * i - 0.045 * k, 0.1 * (i / 3), draw > 0.7 ? 0.2 : 0,
                                         i % 9 == 4 && k % 20 == 11 ? 0.2 : 0};
            g->steps[i * NY + k] = (int16_t)lrint(forms[kind] / 0.005), g->height[i * NY + k] = 0.005 * g->steps[i * NY + k];
        }
    memset(kinds, columns, sizeof kinds);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = NX, def.ny = NY, def.cell_m = 0.1, def.columns = kinds, def.origin_i = 5, def.origin_k = 9, def.steps = g->steps;
    assert_int_equal(myr_terrain_create(&def, &g->map), MYR_OK);
    g->reference = (ref_terrain){.nx = NX, .ny = NY, .columns = columns, .cell = 0.1, .height = g->height};
}

static void test_sharp(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int columns = 0; columns < 2; columns++) {
            ground g;
            int sharp = 0;
            make_ground(&g, kind, columns);
            for (int i = -3; i < NX + 3; i++)
                for (int k = -3; k < NY + 3; k++) {
                    const int at = myr_terrain_at(g.map, i, k), is = g.map->sharp[at / 8] >> at % 8 & 1;
                    if (is != ref_terrain_sharp(&g.reference, i, k))
                        fail_msg("%s, %s: vertex %d, %d is %ssharp", kind_names[kind], columns ? "columns" : "field", i, k,
                                 is ? "" : "not ");
                    if (is) assert_true(g.map->spiky[myr_terrain_block(g.map, i, k)]);
                    sharp += is && i > 1 && k > 1 && i < NX - 2 && k < NY - 2;
                }
            assert_int_equal(sharp > 0, kind != 1 || columns); /* a plane has none but at the map's border */
            myr_terrain_free(g.map);
        }
}

static void turn_of(random_source *random, double lean, double R[9]) {
    double q[4] = {random_uniform(random, -1, 1), lean * random_uniform(random, -1, 1), lean * random_uniform(random, -1, 1),
                   random_uniform(random, -1, 1)};
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= n;
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, turn, sizeof turn);
}

/* The reference's vertex in that quarter, or, where rounding decides, right beside it. */
static int same(const ground *g, ref_flat flat, int quarter, const flat_case *c, double near) {
    const double middle[3] = {flat.center[0], flat.center[1], flat.center[2]};
    for (int shift = 0; shift < 27; shift++) {
        flat.center[0] = middle[0] + near * (shift % 3 - 1), flat.center[1] = middle[1] + near * (shift / 3 % 3 - 1);
        flat.center[2] = middle[2] + near * (shift / 9 - 1);
        ref_spike want[4];
        ref_terrain_spikes(&g->reference, &flat, REACH, want);
        const ref_spike *w = &want[quarter];
        if (w->has != c->quarter[quarter].has) continue;
        if (!w->has || fabs(w->distance - c->quarter[quarter].distance) < 4 * near) return 1;
    }
    return 0;
}

static void judge(const map_unit *u, const ground *g, const ref_flat *flats, const flat_case *cases, int n, int *seen) {
    const double near = u->is_double ? 1e-12 : 1e-6;
    for (int lane = 0; lane < 4 * n; lane++) {
        const int quarter = lane % 4;
        const flat_case *c = &cases[lane / 4];
        const ref_flat *flat = &flats[lane / 4];
        const double *m = c->quarter[quarter].normal, *at = c->quarter[quarter].at;
        ref_spike want[4];
        ref_terrain_spikes(&g->reference, flat, REACH, want);
        const ref_spike *w = &want[quarter];
        const int is = c->quarter[quarter].has;
        seen[0] += is, seen[1] += is && c->quarter[quarter].distance < 0;
        if (is) { /* the place lies on the solid's surface, the vertex below it along the normal */
            double x[3], normal[3], surface[3];
            for (int k = 0; k < 3; k++)
                x[k] = flat->center[k] + at[k] - c->quarter[quarter].distance * m[k], surface[k] = flat->center[k] + at[k];
            if (flat->kind != REF_HULL || c->quarter[quarter].distance < 0) /* else it may lie beyond its face */
                assert_true(fabs(ref_flat_distance(flat, surface, normal)) < 4 * near);
            assert_true(fabs(ref_flat_distance(flat, x, normal) - c->quarter[quarter].distance) < 4 * near);
            assert_true(m[2] > 0);
        }
        const double cosine = w->normal[0] * m[0] + w->normal[1] * m[1] + w->normal[2] * m[2];
        if (is && w->has && fabs(w->distance - c->quarter[quarter].distance) <= near && cosine > 1 - (u->is_double ? 1e-9 : 1e-3)) {
            seen[2]++;
            continue;
        }
        if (!same(g, *flat, quarter, c, u->is_double ? 1e-9 : 1e-5))
            fail_msg("%s %s: solid %d at %.17g %.17g %.17g, quarter %d: %s %.17g, normal %g %g %g, should be %s %.17g, normal %g %g %g",
                     u->isa, u->is_double ? "f64" : "f32", (int)flat->kind, flat->center[0], flat->center[1], flat->center[2], quarter,
                     is ? "vertex" : "none", c->quarter[quarter].distance, m[0], m[1], m[2], w->has ? "vertex" : "none", w->distance,
                     w->normal[0], w->normal[1], w->normal[2]);
    }
}

static void solids(const map_unit *u, const ground *g, int kind, ref_flat_kind type, const double half[3]) {
    random_source random = {3 + (uint64_t)type};
    double planes[PLANES][4];
    for (int i = 0; i < PLANES; i++) { /* a box with cut corners */
        const double n[3] = {i < 6 ? (i / 2 == 0) * (2 * (i % 2) - 1) : (i & 1 ? 1 : -1),
                             i < 6 ? (i / 2 == 1) * (2 * (i % 2) - 1) : (i & 2 ? 1 : -1),
                             i < 6         ? (i / 2 == 2) * (2 * (i % 2) - 1)
                             : (i - 6) & 4 ? 1
                                           : -1};
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) planes[i][k] = u->is_double ? n[k] / length : (double)(float)(n[k] / length);
        planes[i][3] = i < 6 ? half[i / 2] : 0.8 * (half[0] + half[1] + half[2]) / length;
    }
    int seen[3] = {0};
    for (int solids = SOLIDS, n; solids > 0; solids -= n) {
        flat_case cases[MAP_TEST_LANES];
        ref_flat flats[MAP_TEST_LANES];
        n = 1 + (int)random_uniform(&random, 0, u->lanes - 1e-9);
        memset(cases, 0, sizeof cases);
        for (int b = 0; b < n; b++) {
            flat_case *c = &cases[b];
            ref_flat *f = &flats[b];
            *f = (ref_flat){.kind = type, .n_planes = PLANES, .planes = (const double(*)[4])planes};
            memcpy(f->half, half, sizeof f->half);
            turn_of(&random, b % 3 ? 0.3 : 2, c->turn);
            c->origin_i = (int)random_uniform(&random, 0, NX - 1), c->origin_k = (int)random_uniform(&random, 0, NY - 1);
            c->origin_height = 7;
            const double inside = kind == 1 ? 6 : -1, at[3] = {0.1 * c->origin_i, 0.1 * c->origin_k, 0.035};
            const double x = 0.1 * random_uniform(&random, inside, NX - 1 - inside),
                         y = 0.1 * random_uniform(&random, inside, NY - 1 - inside);
            double reach = 0;
            for (int k = 0; k < 3; k++) reach += fabs(c->turn[6 + k]) * half[k];
            const double z =
                ref_terrain_height(&g->reference, x, y, NULL) + (kind == 3 ? 0.2 : 0.03) + random_uniform(&random, 0.2, 1.1) * reach;
            const double center[3] = {x, y, z};
            for (int k = 0; k < 3; k++) {
                c->center[k] = u->is_double ? center[k] - at[k] : (double)(float)(center[k] - at[k]);
                f->center[k] = c->center[k] + at[k];
            }
            for (int k = 0; k < 9; k++) f->turn[k] = c->turn[k] = u->is_double ? c->turn[k] : (double)(float)c->turn[k];
        }
        u->run_flats(g->map, (int)type, half, (const double(*)[4])planes, PLANES, REACH, cases, n);
        judge(u, g, flats, cases, n, seen);
    }
    if (kind == 1 && !g->reference.columns) {
        assert_int_equal(seen[0], 0); /* a plane has no sharp vertices */
        return;
    }
    if (seen[0] < (kind == 4 ? 5 : SOLIDS / 8) || seen[1] < (kind == 4 ? 5 : SOLIDS / 20) || seen[2] < 9 * seen[0] / 10)
        fail_msg("%s %s: solid %d on %s: %d vertices, %d within, %d to rounding", u->isa, u->is_double ? "f64" : "f32", (int)type,
                 kind_names[kind], seen[0], seen[1], seen[2]);
}

static void test_spikes(void **state) {
    (void)state;
    static const double sizes[3][3] = {{0.19, 0.11, 0.06}, {0.17, 0.17, 0.05}, {0.21, 0.16, 0.1}}, large[3] = {0.45, 0.3, 0.1};
    for (int kind = 0; kind < KINDS; kind++)
        for (int columns = 0; columns < 2; columns++) {
            ground g;
            make_ground(&g, kind, columns);
            for (int i = 0; map_unit_at(i); i++) {
                if (!myr_isa_present(map_unit_at(i)->isa)) continue;
                for (int type = 0; type < 3; type++) solids(map_unit_at(i), &g, kind, (ref_flat_kind)type, sizes[type]);
                if (kind == 3) solids(map_unit_at(i), &g, kind, REF_BOX, large);
            }
            myr_terrain_free(g.map);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sharp), cmocka_unit_test(test_spikes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
