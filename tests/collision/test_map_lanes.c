/* ctest: lanes
 * Balls on maps in lanes are where the scalar reference has them, on every instruction set, in both precisions, at every origin: fields and
 * columns, over faces, edges and vertices, below the surface, beyond the border. */
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
#include "reference/terrain.h"

/* robot/ground.lane.h: samples to each side that a ball sees */
static int ground_around(double radius, double cell) { return radius <= 0.5 * cell ? 1 : (int)ceil(radius / cell + 0.5); }

enum { NX = 37, NY = 29, BALLS = 4096, KINDS = 7 };
static const char *const kind_names[KINDS] = {"rough", "leaning", "stairs", "pits", "waves", "flat", "wall"};

typedef struct ground {
    int16_t steps[NX * NY];
    double height[NX * NY];
    ref_terrain reference;
    myr_terrain *map;
} ground;

/* Heights of 5 mm steps, or, where `floats`, any. */
static void make_ground(ground *g, int kind, int columns, int floats, double cell) {
    float heights[NX * NY];
    uint8_t kinds[64];
    random_source random = {11 + (uint64_t)kind};
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < NY; k++) {
            const double draw = random_uniform(&random, -1, 1);
            const double forms[KINDS] = {0.05 * draw,           0.3 * cell * i - 0.45 * cell * k,  0.1 * (i / 3),
                                         draw > 0.6 ? -0.4 : 0, 0.1 * sin(0.7 * i) * cos(0.5 * k), 0.125,
                                         i > NX / 2 ? 1 : 0};
            const int n = i * NY + k;
            g->steps[n] = (int16_t)lrint(forms[kind] / 0.005), heights[n] = (float)forms[kind];
            g->height[n] = floats ? (double)heights[n] : 0.005 * g->steps[n];
        }
    memset(kinds, columns, sizeof kinds);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = NX, def.ny = NY, def.cell_m = cell, def.columns = kinds, def.origin_i = 5, def.origin_k = 9;
    if (floats)
        def.heights_m = heights;
    else
        def.steps = g->steps;
    assert_int_equal(myr_terrain_create(&def, &g->map), MYR_OK);
    g->reference = (ref_terrain){.nx = NX, .ny = NY, .columns = columns, .cell = cell, .height = g->height};
}

/* A ball near the surface, in the map's own frame: sample (0, 0) at the origin. */
static void draw_ball(const ground *g, random_source *random, double radius, double at[3]) {
    const double cell = g->reference.cell, way = random_uniform(random, 0, 1);
    at[0] = random_uniform(random, -3, NX + 2) * cell, at[1] = random_uniform(random, -3, NY + 2) * cell;
    if (way < 0.2) at[0] = cell * floor(at[0] / cell);                   /* over an edge */
    if (way < 0.1) at[1] = cell * floor(at[1] / cell);                   /* over a vertex */
    if (way > 0.9) at[1] = at[0] + cell * floor((at[1] - at[0]) / cell); /* over a diagonal */
    const double up = random_uniform(random, -0.6, 1.4) * radius;
    at[2] = ref_terrain_height(&g->reference, at[0], at[1], NULL) + up;
}

static int shared(double x, double y, double bound) { return fabs(x - y) <= bound; }

/* The height at a place, or right beside it: at the foot of a wall rounding decides. */
static int is_height(const ground *g, const double at[3], double height, double near) {
    for (int k = 0; k < 9; k++)
        if (shared(height, ref_terrain_height(&g->reference, at[0] + near * (k / 3 - 1), at[1] + near * (k % 3 - 1), NULL), 2 * near))
            return 1;
    return 0;
}

/* What a ball on columns may touch beside its first contact: the top below its centre, and the walls beside it that rise above its centre.
 */
static int column_second(const ref_terrain *t, const double center[3], double reach, const double first[3], ref_ground_contact *second) {
    int found = 0;
    for (int way = 0; way < 5; way++) {
        const double n[3] = {way == 1 ? 1 : way == 2 ? -1 : 0, way == 3 ? 1 : way == 4 ? -1 : 0, way ? 0 : 1};
        const double cosine = n[0] * first[0] + n[1] * first[1] + n[2] * first[2], own = ref_terrain_height(t, center[0], center[1], NULL);
        double distance = center[2] - own;
        if (distance < 0) return 0;
        for (int cells = 1; way && cells <= (int)(reach / t->cell + 2); cells++) { /* against the normal lies the wall */
            const double x = center[0] - n[0] * cells * t->cell, y = center[1] - n[1] * cells * t->cell;
            distance = INFINITY;
            if (ref_terrain_height(t, x, y, NULL) <= center[2]) continue;
            const double middle = way < 3 ? t->cell * floor(x / t->cell + 0.5) : t->cell * floor(y / t->cell + 0.5);
            distance = fabs((way < 3 ? center[0] : center[1]) - middle) - 0.5 * t->cell;
            break;
        }
        if (distance > reach || (cosine >= 0 && cosine * cosine >= 0.883) || (found && distance >= second->distance)) continue;
        found = 1, second->distance = distance;
        memcpy(second->normal, n, sizeof n);
    }
    return found;
}

/* In a corner of walls several are as near: the one that was found has its foot on the ground, and faces away from the first contact. */
static int is_foot(const ground *g, const map_case *c, const double at[3], double near) {
    const double *n = c->second_normal, *m = c->normal, cosine = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
    if (g->reference.columns || (cosine > 0 && cosine * cosine >= 0.883) || !(n[2] > 0)) return 0;
    double foot[3];
    for (int k = 0; k < 3; k++) foot[k] = at[k] - c->second_distance * n[k];
    return shared(foot[2], ref_terrain_height(&g->reference, foot[0], foot[1], NULL), 4 * near / n[2]);
}

/* The second contact is the reference's, but where rounding decides whether there is one, or which. */
static int same_second(const ground *g, const map_case *c, const double at[3], double near) {
    const double radius = c->reach;
    for (int shift = 0; shift < 27; shift++) {
        const double moved[3] = {at[0] + near * (shift % 3 - 1), at[1] + near * (shift / 3 % 3 - 1), at[2] + near * (shift / 9 - 1)};
        ref_ground_contact want;
        int has;
        if (g->reference.columns)
            has = column_second(&g->reference, moved, radius, c->normal, &want);
        else
            has = ref_terrain_second(&g->reference, moved, radius, c->normal, &want), want.distance += radius;
        if (has != c->two) continue;
        if (!has) return 1;
        const double n = want.normal[0] * c->second_normal[0] + want.normal[1] * c->second_normal[1] + want.normal[2] * c->second_normal[2];
        if (shared(want.distance, c->second_distance, 4 * near) && (n > 1 - 4 * near || is_foot(g, c, at, near))) return 1;
    }
    return 0;
}

/* n cases of one unit: by the reference, distances always; normals unless two features are as near. */
static void judge(const map_unit *u, const ground *g, map_case *cases, int n, const double (*at)[3], int *seen) {
    const double cell = g->reference.cell, near = u->is_double ? 1e-12 : 1e-6, radius = cases->radius;
    const double seen_to = (ground_around(radius, cell) - 0.51) * cell;
    u->run(g->map, cases, n);
    for (int b = 0; b < n; b++) {
        const map_case *c = &cases[b];
        const double over = at[b][2] - ref_terrain_height(&g->reference, at[b][0], at[b][1], NULL);
        const ref_ground_contact want = ref_terrain_sphere(&g->reference, at[b], 0);
        if (fabs(want.distance) > seen_to) continue; /* farther than what is looked at */
        seen[0]++;
        if (fabs(over) > 1e-5 && !shared(c->distance, want.distance, near * (1 + 10 * fabs(want.distance))))
            fail_msg("%s %s: ball at %.17g %.17g %.17g: distance %.17g, should be %.17g", u->isa, u->is_double ? "f64" : "f32", at[b][0],
                     at[b][1], at[b][2], c->distance, want.distance);
        const double length = sqrt(c->normal[0] * c->normal[0] + c->normal[1] * c->normal[1] + c->normal[2] * c->normal[2]);
        assert_true(shared(length, 1, u->is_double ? 1e-14 : 1e-6));
        seen[2] += c->two;
        if (want.distance > 0.01 * cell && !same_second(g, c, at[b], u->is_double ? 1e-9 : 2e-5))
            fail_msg("%s %s: ball at %.17g %.17g %.17g: second contact %d at %g, normal %g %g %g, is not the reference's; first %g %g %g",
                     u->isa, u->is_double ? "f64" : "f32", at[b][0], at[b][1], at[b][2], c->two, c->second_distance, c->second_normal[0],
                     c->second_normal[1], c->second_normal[2], c->normal[0], c->normal[1], c->normal[2]);
        if (fabs(want.distance) < 0.01 * cell) continue; /* a direction of two near points */
        /* the closest point by the normal must be as near: whatever feature it is, it is one of the closest */
        double moved[3];
        for (int k = 0; k < 3; k++) moved[k] = at[b][k] - want.distance * c->normal[k] * 0.5;
        const ref_ground_contact half = ref_terrain_sphere(&g->reference, moved, 0);
        if (!shared(half.distance, want.distance / 2, u->is_double ? 1e-9 : 1e-5))
            fail_msg("%s %s: ball at %.17g %.17g %.17g: normal %g %g %g, should be %g %g %g", u->isa, u->is_double ? "f64" : "f32",
                     at[b][0], at[b][1], at[b][2], c->normal[0], c->normal[1], c->normal[2], want.normal[0], want.normal[1],
                     want.normal[2]);
        if (isfinite(c->plane)) seen[1]++, assert_true(shared(c->plane, c->distance, u->is_double ? 1e-13 : 1e-6));
        if (!is_height(g, at[b], c->height + 0.005 * c->origin_height, u->is_double ? 1e-12 : 2e-6))
            fail_msg("%s %s: ground at %.17g %.17g: %.17g, should be %.17g", u->isa, u->is_double ? "f64" : "f32", at[b][0], at[b][1],
                     c->height, at[b][2] - over - 0.005 * c->origin_height);
    }
}

static void balls(int kind, int columns, int floats, double cells) {
    ground g;
    make_ground(&g, kind, columns, floats, floats ? 0.07 : 0.1);
    for (int i = 0; map_unit_at(i); i++) {
        const map_unit *u = map_unit_at(i);
        if (!myr_isa_present(u->isa)) continue;
        random_source random = {3};
        int seen[3] = {0};
        const double radius = cells * g.reference.cell;
        for (int balls = cells > 0.5 ? BALLS / 8 : BALLS, n; balls > 0; balls -= n) { /* as many, however wide the lanes are */
            map_case cases[MAP_TEST_LANES];
            double at[MAP_TEST_LANES][3];
            n = 1 + (int)random_uniform(&random, 0, u->lanes - 1e-9);
            memset(cases, 0, sizeof cases);
            for (int b = 0; b < n; b++) {
                map_case *c = &cases[b];
                draw_ball(&g, &random, radius, at[b]);
                c->origin_i = (int)random_uniform(&random, 0, NX - 1), c->origin_k = (int)random_uniform(&random, 0, NY - 1);
                c->origin_height = floats ? 0 : 7;
                const double cell = g.reference.cell, lift = 0.005 * c->origin_height;
                c->center[0] = at[b][0] - cell * c->origin_i, c->center[1] = at[b][1] - cell * c->origin_k, c->center[2] = at[b][2] - lift;
                if (!u->is_double) /* what the lanes get */
                    for (int k = 0; k < 3; k++) c->center[k] = (double)(float)c->center[k];
                at[b][0] = c->center[0] + cell * c->origin_i, at[b][1] = c->center[1] + cell * c->origin_k, at[b][2] = c->center[2] + lift;
                c->later[0] = c->center[0], c->later[1] = c->center[1], c->radius = radius, c->reach = 0.95 * radius;
            }
            judge(u, &g, cases, n, (const double(*)[3])at, seen);
        }
        if (seen[0] < BALLS / (cells > 0.5 ? 32 : 4))
            fail_msg("%s: only %d balls of kind %s were judged", u->isa, seen[0], kind_names[kind]);
        if (seen[1] <= 40) fail_msg("%s: kind %s, %g cells: only %d balls lay on faces", u->isa, kind_names[kind], cells, seen[1]);
        if (kind == 3) assert_true(seen[2] > 5); /* pits */
    }
    myr_terrain_free(g.map);
}

static const double sizes[] = {0.42, 0.5, 0.8, 1.7, 4};

static void test_fields(void **state) {
    (void)state;
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        for (int kind = 0; kind < KINDS; kind++) balls(kind, 0, 0, sizes[size]);
        balls(0, 0, 1, sizes[size]), balls(4, 0, 1, sizes[size]);
    }
}

static void test_columns(void **state) {
    (void)state;
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        for (int kind = 0; kind < KINDS; kind++) balls(kind, 1, 0, sizes[size]);
        balls(0, 1, 1, sizes[size]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
