/* Spheres and capsules against each other and against boxes. */
#ifndef MYR_COLLISION_ROUND_LANE_H
#define MYR_COLLISION_ROUND_LANE_H

#include "manifold.lane.h"

/* Ball around `d` against a ball around `origin`. */
static inline void ball_ball(manifold *m, int k, v3 d, vf radius, v3 origin, vf other, v3 otherwise) {
    vf distance;
    m->normal = direction(v3_sub(d, origin), otherwise, &distance);
    touch_ball(m, k, d, distance - other, radius);
}

static void sphere_sphere(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    (void)near, (void)reach;
    ball_ball(m, 0, d, vf_set(a.is->size[0]), v3_zero(), vf_set(b.is->size[0]), world_up());
}

/* A point on the capsule's axis has a normal across the axis. */
static void sphere_capsule(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    (void)near, (void)reach;
    const v3 axis = solid_axis(b, 2), nearest = v3_scale(vf_clamp(v3_dot(d, axis), vf_set(b.is->size[1])), axis);
    ball_ball(m, 0, d, vf_set(a.is->size[0]), nearest, vf_set(b.is->size[0]), solid_axis(b, 0));
}

/* Axes nearer to parallel than this (squared sine: 0.06 degrees) touch along a line: at a crossing angle below, the middle of a line of
 * 1 m between capsules of 0.1 m is 1 um nearer than its ends. */
#define CAPSULES_PARALLEL 1e-6

/* One point where the axes are nearest; near parallel ones, both ends of the stretch that they share. */
static void capsule_capsule(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    (void)near, (void)reach;
    const vf ra = vf_set(a.is->size[0]), ha = vf_set(a.is->size[1]), rb = vf_set(b.is->size[0]), hb = vf_set(b.is->size[1]),
             one = vf_set(1);
    const v3 u = solid_axis(a, 2), w = solid_axis(b, 2), across = v3_cross(u, w);
    const vf c = v3_dot(u, w), e = v3_dot(u, d), f = v3_dot(w, d), sine2 = v3_dot(across, across);
    const vm parallel = vm_lt(sine2, vf_set((real)CAPSULES_PARALLEL));
    const vf free = vf_fms(c, f, e) / vf_select(parallel, one, sine2);
    vf s = vf_clamp(vf_select(parallel, vf_zero(), free), ha);
    vf t = vf_clamp(vf_fma(c, s, f), hb);
    s = vf_clamp(vf_fms(c, t, e), ha);
    /* the stretch of a, between the feet of b's ends */
    const vf end0 = vf_fms(c, hb, e), end1 = -vf_fma(c, hb, e);
    const vf low = vf_max(-ha, vf_min(end0, end1)), high = vf_min(ha, vf_max(end0, end1));
    const vm shared = vm_and(parallel, vm_gt(high, low));
    const vf middle = vf_set((real)0.5) * (low + high);
    s = vf_select(shared, middle, s);
    t = vf_select(shared, vf_clamp(vf_fma(c, middle, f), hb), t);
    vf distance;
    const v3 sideways = direction(across, solid_axis(b, 0), &distance), from = v3_fma(-t, w, v3_fma(s, u, d));
    m->normal = direction(from, sideways, &distance);
    const vf at[2] = {vf_select(shared, low, s), high};
    for (int k = 0; k < 2; k++) {
        const vf other = vf_select(shared, vf_clamp(vf_fma(c, at[k], f), hb), t);
        const v3 center = v3_fma(at[k], u, d);
        touch_ball(m, k, center, v3_dot(m->normal, v3_fma(-other, w, center)) - rb, ra);
    }
    m->gap[1] = vf_select(shared, m->gap[1], one);
}

static inline v3 box_half(solid box) { return v3_uniform(box.is->size); }

/* Where along the box's axis k, sign included, a thing that reaches `reach` beyond its centre x must move least to get out. */
static inline v3 box_way_out(v3 half, v3 x, v3 reach, vf *depth) {
    const vf dx = half.x - vf_abs(x.x) + reach.x, dy = half.y - vf_abs(x.y) + reach.y, dz = half.z - vf_abs(x.z) + reach.z,
             zero = vf_zero();
    const vm y = vm_lt(dy, dx), z = vm_lt(dz, vf_min(dx, dy));
    *depth = vf_select(z, dz, vf_select(y, dy, dx));
    return (v3){vf_select(vm_or(y, z), zero, vf_sign(x.x)), vf_select(z, zero, vf_select(y, vf_sign(x.y), zero)),
                vf_select(z, vf_sign(x.z), zero)};
}

static inline v3 box_excess(v3 half, v3 x) {
    return (v3){x.x - vf_clamp(x.x, half.x), x.y - vf_clamp(x.y, half.y), x.z - vf_clamp(x.z, half.z)};
}

static void sphere_box(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    (void)near, (void)reach;
    const v3 half = box_half(b), x = m3_mul_t(b.R, d), out = box_excess(half, x);
    vf distance, depth;
    const v3 inside = box_way_out(half, x, v3_zero(), &depth), local = direction(out, inside, &distance);
    m->normal = m3_mul(b.R, local);
    touch_ball(m, 0, d, vf_select(vm_gt(distance, vf_zero()), distance, -depth), vf_set(a.is->size[0]));
}

#endif
