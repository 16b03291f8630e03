/* Two convex shapes as one: the difference of their cores, all points of a less all points of b, in b's axes, where b's corners are
 * constants and a's become constants by turning the direction. A sphere's core is its centre, a capsule's its axis; the others are all
 * core. */
#ifndef MYR_COLLISION_SUPPORT_LANE_H
#define MYR_COLLISION_SUPPORT_LANE_H

#include "manifold.lane.h"

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

/* The corner that is farthest along n. */
static v3 hull_corner(const lane_polytope *hull, v3 n) {
    const real *x = hull->corners;
    v3 at = v3_uniform(x);
    vf most = v3_dot(at, n);
    for (int i = 1; i < hull->n; i++) {
        const v3 here = v3_uniform(x += 3);
        const vf along = v3_dot(here, n);
        const vm more = vm_gt(along, most);
        most = vf_max(along, most);
        at = v3_select(more, here, at);
    }
    return at;
}

/* The point of the core that is farthest along n, both in its axes. */
static v3 core_farthest(const lane_solid *s, v3 n) {
    const vf zero = vf_zero();
    switch (s->type) {
    case MYR_GEOM_SPHERE: return v3_zero();
    case MYR_GEOM_CAPSULE: return (v3){zero, zero, vf_sign(n.z) * vf_set(s->size[1])};
    case MYR_GEOM_BOX: return (v3){vf_sign(n.x) * vf_set(s->size[0]), vf_sign(n.y) * vf_set(s->size[1]), vf_sign(n.z) * vf_set(s->size[2])};
    case MYR_GEOM_CYLINDER: {
        const vf across2 = vf_fma(n.x, n.x, n.y * n.y);
        const vm some = vm_gt(across2, vf_set((real)1e-30));
        const vf out = vf_set(s->size[0]) / vf_sqrt(vf_select(some, across2, vf_set(1)));
        return (v3){vf_select(some, out * n.x, vf_set(s->size[0])), vf_select(some, out * n.y, zero), vf_sign(n.z) * vf_set(s->size[1])};
    }
    default: return hull_corner(&s->hull, n);
    }
}

static inline real core_radius(const lane_solid *s) { return s->type == MYR_GEOM_SPHERE || s->type == MYR_GEOM_CAPSULE ? s->size[0] : 0; }

/* The point of the difference that is least along n, of the cores as they are and of those that are `share` as large; *on_b: the point of b
 * that the latter comes from. */
static __attribute__((noinline)) v3 convex_least(const convex *c, v3 n, real share, v3 *whole, v3 *on_b) {
    const v3 along = m3_mul_t(c->R, n), back = {-along.x, -along.y, -along.z};
    const v3 b = core_farthest(c->b, n), a = m3_mul(c->R, core_farthest(c->a, back));
    const vf size = vf_set(share);
    *whole = v3_add(c->d, v3_sub(a, b));
    *on_b = v3_scale(size, b);
    return v3_add(c->d, v3_scale(size, v3_sub(a, b)));
}

#endif
