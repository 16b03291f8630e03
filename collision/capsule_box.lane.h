/* A capsule against a box: the part of its axis over a face (both ends of it), or one point near an edge or a corner. */
#ifndef MYR_COLLISION_CAPSULE_BOX_LANE_H
#define MYR_COLLISION_CAPSULE_BOX_LANE_H

#include "geoms/geom.lane.h"
#include "round.lane.h"

/* What a box counts as over its face: this much more than the face, relatively, so that rounding takes no point away that lies on
 * the edge of it. */
#define FACE_MARGIN 0x1p-12
/* A direction nearer to a face's than this (squared tangent) is the face's. */
#define FACE_ALIGNED 1e-6
/* Slope of half the squared distance between the box and the point x + t along, over t. */
static inline vf slope_at(v3 half, v3 x, v3 along, vf t) { return v3_dot(box_excess(half, v3_fma(t, along, x)), along); }

static inline vf root_between(vf t0, vf g0, vf t1, vf g1) {
    const vf rise = g1 - g0;
    const vm some = vm_gt(rise, vf_zero());
    return vf_select(some, t0 - g0 * ((t1 - t0) / vf_select(some, rise, vf_set(1))), t0);
}

/* The t in [-h, h] at which x + t along is nearest to the box; the middle of them where many are. The slope is linear between the
 * crossings with the six planes and never falls, so that its roots lie between its last negative and its first positive corner. */
static vf nearest_on_axis(v3 half, v3 x, v3 along, vf h) {
    const vf zero = vf_zero(), least = vf_set((real)1e-20);
    const vf at[3] = {x.x, x.y, x.z}, d[3] = {along.x, along.y, along.z}, half_of[3] = {half.x, half.y, half.z};
    const vf g0 = slope_at(half, x, along, -h), g1 = slope_at(half, x, along, h);
    /* last with g < 0, first with g >= 0; last with g <= 0, first with g > 0 */
    vf low = -h, low_g = g0, low_next = h, low_next_g = g1, high_last = -h, high_last_g = g0, high = h, high_g = g1;
    for (int k = 0; k < 6; k++) {
        const vf slow = d[k / 2], safe = vf_select(vm_lt(vf_abs(slow), least), least, slow);
        const vf t = vf_clamp(((k & 1 ? half_of[k / 2] : -half_of[k / 2]) - at[k / 2]) / safe, h), g = slope_at(half, x, along, t);
        const vm below = vm_lt(g, zero), above = vm_gt(g, zero);
        const vm new_low = vm_and(below, vm_gt(t, low)), new_next = vm_andnot(vm_lt(t, low_next), below);
        const vm new_last = vm_andnot(vm_gt(t, high_last), above), new_high = vm_and(above, vm_lt(t, high));
        low = vf_select(new_low, t, low), low_g = vf_select(new_low, g, low_g);
        low_next = vf_select(new_next, t, low_next), low_next_g = vf_select(new_next, g, low_next_g);
        high_last = vf_select(new_last, t, high_last), high_last_g = vf_select(new_last, g, high_last_g);
        high = vf_select(new_high, t, high), high_g = vf_select(new_high, g, high_g);
    }
    const vf first = vf_select(vm_lt(g0, zero), vf_select(vm_lt(g1, zero), h, root_between(low, low_g, low_next, low_next_g)), -h);
    const vf last = vf_select(vm_gt(g1, zero), vf_select(vm_gt(g0, zero), -h, root_between(high_last, high_last_g, high, high_g)), h);
    return vf_set((real)0.5) * (first + last);
}

/* [t0, t1] cut to where |x + t along| <= half */
static inline void cut_to_slab(vf half, vf x, vf along, vf *t0, vf *t1) {
    const vf least = vf_set((real)1e-20), safe = vf_select(vm_lt(vf_abs(along), least), least, along);
    const vf a = (-half - x) / safe, b = (half - x) / safe;
    *t0 = vf_max(*t0, vf_min(a, b));
    *t1 = vf_min(*t1, vf_max(a, b));
}

/* Along an edge, parallel to it: both ends of what lies beside it, not the middle alone. In rounding, what counts as parallel is as for two
 * capsules (CAPSULES_PARALLEL). n: from the edge to the axis, box axes. */
static inline void along_edge(manifold *m, vm where, v3 d, v3 half, v3 x, v3 along, v3 axis, v3 n, vf h, vf radius) {
    const vf zero = vf_zero(), one = vf_set(1), slant = vf_set((real)CAPSULES_PARALLEL);
    const vf at[3] = {x.x, x.y, x.z}, by[3] = {along.x, along.y, along.z}, side[3] = {n.x, n.y, n.z}, size[3] = {half.x, half.y, half.z};
    vm parallel[3], any = vm_none();
    vf t0 = -h, t1 = h;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const vf aside2 = vf_fma(by[i], by[i], by[j] * by[j]);
        parallel[k] = vm_and(where, vm_and(vm_lt(aside2, slant), vm_lt(side[k] * side[k], slant)));
        any = vm_or(any, parallel[k]);
    }
    if (!vm_any(any)) return;
    vf edge = zero; /* of n x over the box: how far the edge is out */
    for (int k = 0; k < 3; k++) {
        vf s0 = -h, s1 = h;
        cut_to_slab(size[k], at[k], by[k], &s0, &s1);
        t0 = vf_select(parallel[k], s0, t0), t1 = vf_select(parallel[k], s1, t1);
        edge = edge + vf_select(parallel[k], zero, size[k] * vf_abs(side[k]));
    }
    const vm shared = vm_and(any, vm_gt(t1, t0));
    const vf ends[2] = {t0, t1};
    for (int k = 0; k < 2; k++) {
        const v3 center = v3_fma(ends[k], axis, d);
        const vf gap = v3_dot(n, v3_fma(ends[k], along, x)) - edge - radius;
        m->gap[k] = vf_select(shared, gap, m->gap[k]);
        m->at[k] = v3_select(shared, v3_fma(-vf_fma(vf_set((real)0.5), gap, radius), m->normal, center), m->at[k]);
    }
    m->gap[2] = vf_select(shared, one, m->gap[2]);
}

static void capsule_box(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    (void)near, (void)reach;
    const vf radius = vf_set(a.is->size[0]), h = vf_set(a.is->size[1]), zero = vf_zero(), one = vf_set(1);
    const v3 half = box_half(b), x = m3_mul_t(b.R, d), along = m3_mul_t(b.R, solid_axis(a, 2));
    const vf t = nearest_on_axis(half, x, along, h);
    const v3 out = box_excess(half, v3_fma(t, along, x));
    const v3 extent = {h * vf_abs(along.x), h * vf_abs(along.y), h * vf_abs(along.z)};
    vf distance, depth;
    const v3 inside = box_way_out(half, x, extent, &depth), round = direction(out, inside, &distance);
    /* the face that `round` points out of, if it does */
    const vf xx = out.x * out.x, yy = out.y * out.y, zz = out.z * out.z, aligned = vf_set((real)FACE_ALIGNED);
    const vm deep = vm_not(vm_gt(distance, zero));
    const vm over_x = vm_le(yy + zz, aligned * xx), over_y = vm_le(xx + zz, aligned * yy), over_z = vm_le(xx + yy, aligned * zz);
    const vm over = vm_or(deep, vm_or(over_x, vm_or(over_y, over_z)));
    const v3 side = {vf_select(over_x, vf_sign(out.x), zero), vf_select(over_y, vf_sign(out.y), zero),
                     vf_select(over_z, vf_sign(out.z), zero)};
    const v3 face = v3_select(deep, inside, side);
    v3 normal = v3_select(over, face, round);
    m->normal = m3_mul(b.R, normal);
    const vf wide = vf_set((real)(1 + FACE_MARGIN)), all = vf_set((real)1e15);
    const vf face_half = v3_dot((v3){vf_abs(face.x), vf_abs(face.y), vf_abs(face.z)}, half);
    vf t0 = -h, t1 = h;
    cut_to_slab(vf_select(vm_eq(face.x, zero), wide * half.x, all), x.x, along.x, &t0, &t1);
    cut_to_slab(vf_select(vm_eq(face.y, zero), wide * half.y, all), x.y, along.y, &t0, &t1);
    cut_to_slab(vf_select(vm_eq(face.z, zero), wide * half.z, all), x.z, along.z, &t0, &t1);
    const vm empty = vm_gt(t0, t1);
    t0 = vf_select(empty, t, t0);
    const vf ends[2] = {t0, t1};
    const v3 axis = solid_axis(a, 2);
    for (int k = 0; k < 2; k++) touch_ball(m, k, v3_fma(ends[k], axis, d), v3_dot(face, v3_fma(ends[k], along, x)) - face_half, radius);
    touch_ball(m, 2, v3_fma(t, axis, d), distance, radius);
    m->gap[0] = vf_select(over, m->gap[0], one);
    m->gap[1] = vf_select(vm_and(over, vm_gt(t1, t0)), m->gap[1], one);
    m->gap[2] = vf_select(over, one, m->gap[2]);
    along_edge(m, vm_not(over), d, half, x, along, axis, normal, h, radius);
}

#endif
