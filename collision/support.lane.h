/* Two convex shapes as one: the difference of their cores, all points of a less all points of b, in b's axes, where b's corners are
 * constants and a's become constants by turning the direction. A sphere's core is its centre, a capsule's its axis; the others are all
 * core. */
#ifndef MYR_COLLISION_SUPPORT_LANE_H
#define MYR_COLLISION_SUPPORT_LANE_H

#include "geoms.lane.h"

typedef struct convex {
    const lane_solid *a, *b;
    vf R[9];    /* a's axes -> b's */
    v3 d;       /* from b's centre to a's, b's axes */
    real scale; /* the sum of the radii of the balls that hold them */
} convex;

static convex convex_of(solid a, solid b, v3 d) {
    convex c = {.a = a.is, .b = b.is, .d = m3_mul_t(b.R, d), .scale = a.is->reach + b.is->reach};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.R[3 * i + j] = v3_dot(solid_axis(b, i), solid_axis(a, j));
    return c;
}

/* The point of the difference that is least along n, of the cores as they are and of those that are `share` as large; *on_b: the point of b
 * that the latter comes from. */
static __attribute__((noinline)) v3 convex_least(const convex *c, v3 n, real share, v3 *whole, v3 *on_b) {
    const v3 along = m3_mul_t(c->R, n), back = {-along.x, -along.y, -along.z};
    const v3 b = geom_farthest(c->b, n), a = m3_mul(c->R, geom_farthest(c->a, back));
    const vf size = vf_set(share);
    *whole = v3_add(c->d, v3_sub(a, b));
    *on_b = v3_scale(size, b);
    return v3_add(c->d, v3_scale(size, v3_sub(a, b)));
}

#endif
