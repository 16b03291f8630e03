/* What pair_lanes.h has that needs no lanes. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/hull.h"
#include "pair_lanes.h"

#define MYR_BUILT(isa) extern const pair_unit pair_unit_##isa##_f64, pair_unit_##isa##_f32;
#include "built_isas.def"
#undef MYR_BUILT

const pair_unit *pair_unit_at(int i) {
    static const pair_unit *const units[] = {
#define MYR_BUILT(isa) &pair_unit_##isa##_f64, &pair_unit_##isa##_f32,
#include "built_isas.def"
#undef MYR_BUILT
    };
    return i < (int)(sizeof units / sizeof *units) ? units[i] : NULL;
}

int pair_slots_of(myr_geom_type a, myr_geom_type b) {
#define MYR_PAIR(first, second, function, slots)                                                                                           \
    if (a == MYR_GEOM_##first && b == MYR_GEOM_##second) return slots;
#include "model/pairs.def"
#undef MYR_PAIR
    return 0;
}

/* The most of n x over the shape about its own origin; n in its axes. */
static double most_along(const myr_geom *g, const double n[3]) {
    const double *s = g->size;
    double most = -INFINITY;
    switch (g->type) {
    case MYR_GEOM_SPHERE: return s[0] * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    case MYR_GEOM_CAPSULE: return s[0] * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + s[1] * fabs(n[2]);
    case MYR_GEOM_BOX: return s[0] * fabs(n[0]) + s[1] * fabs(n[1]) + s[2] * fabs(n[2]);
    case MYR_GEOM_CYLINDER: return s[0] * hypot(n[0], n[1]) + s[1] * fabs(n[2]);
    default:
        for (int i = 0; i < g->n_points; i++)
            most = fmax(most, n[0] * g->points[3 * i] + n[1] * g->points[3 * i + 1] + n[2] * g->points[3 * i + 2]);
        return most;
    }
}

double pair_apart(const pair_shape *a, const pair_shape *b, const double n[3]) {
    double apart = 0, back[3], on[3];
    for (int k = 0; k < 3; k++) apart += n[k] * (a->position[k] - b->position[k]);
    for (int k = 0; k < 3; k++) back[k] = -(a->rotation[k] * n[0] + a->rotation[3 + k] * n[1] + a->rotation[6 + k] * n[2]);
    for (int k = 0; k < 3; k++) on[k] = b->rotation[k] * n[0] + b->rotation[3 + k] * n[1] + b->rotation[6 + k] * n[2];
    return apart - most_along(&a->geom, back) - most_along(&b->geom, on);
}

void pair_hull(pair_shape *shape, const double *points, int n) {
    shape->geom.type = MYR_GEOM_HULL;
    shape->geom.n_points = n;
    shape->geom.points = malloc(3 * (size_t)n * sizeof *points);
    if (!shape->geom.points) abort();
    memcpy(shape->geom.points, points, 3 * (size_t)n * sizeof *points);
    if (myr_hull_faces("hull", points, n, &shape->geom.faces, &shape->geom.n_faces)) abort();
}
