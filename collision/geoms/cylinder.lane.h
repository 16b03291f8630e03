/* A cylinder in lanes. */
#ifndef MYR_COLLISION_GEOMS_CYLINDER_LANE_H
#define MYR_COLLISION_GEOMS_CYLINDER_LANE_H

#include "geom.lane.h"

static inline vf cylinder_along(const lane_solid *s, v3 n) {
    return vf_fma(vf_set(s->size[1]), vf_abs(n.z), vf_set(s->size[0]) * vf_sqrt(vf_fma(n.x, n.x, n.y * n.y)));
}

static inline v3 cylinder_farthest(const lane_solid *s, v3 n) {
    const vf across2 = vf_fma(n.x, n.x, n.y * n.y);
    const vm some = vm_gt(across2, vf_set((real)1e-30));
    const vf out = vf_set(s->size[0]) / vf_sqrt(vf_select(some, across2, vf_set(1)));
    return (v3){vf_select(some, out * n.x, vf_set(s->size[0])), vf_select(some, out * n.y, vf_zero()), vf_sign(n.z) * vf_set(s->size[1])};
}

/* A cap is an octagon with a corner where the rim is farthest along n; upright, on the x axis. Beyond 45 degrees it is the side that faces
 * n: a line, whose end is that same corner. */
static void cylinder_flat(const lane_solid *s, v3 n, shape_face *out) {
    const vf r = vf_set(s->size[0]), h = vf_set(s->size[1]), zero = vf_zero(), one = vf_set(1), sign = vf_sign(n.z);
    const vf across2 = vf_fma(n.x, n.x, n.y * n.y);
    const vm lean = vm_gt(across2, vf_set((real)(MYR_RIM_UPRIGHT * MYR_RIM_UPRIGHT)));
    const vf scale = one / vf_sqrt(vf_select(lean, across2, one)), x = vf_select(lean, scale * n.x, one),
             y = vf_select(lean, scale * n.y, zero);
    static const real c[8] = {1,  (real)0.70710678118654752,  0, -(real)0.70710678118654752,
                              -1, -(real)0.70710678118654752, 0, (real)0.70710678118654752};
    out->n = 8, out->disc = s->size[0];
    out->area = vm_ge(n.z * n.z, across2);
    out->normal = v3_select(out->area, (v3){zero, zero, sign}, (v3){x, y, zero});
    for (int k = 0; k < 8; k++) {
        const vf cosine = vf_set(c[k]), sine = sign * vf_set(c[(k + 6) % 8]);
        const v3 rim = {r * vf_fms(cosine, x, sine * y), r * vf_fma(cosine, y, sine * x), sign * h};
        const v3 end = {r * x, r * y, k < 4 ? h : -h};
        out->corner[k] = v3_select(out->area, rim, end);
    }
}

/* Of what lies beyond two extents by a and b, or inside of both: how far it is outside, and which share of the way out goes along each. */
INLINE vf excess_of_two(vf a, vf b, vf *along_a, vf *along_b) {
    const vf zero = vf_zero(), one = vf_set(1), x = vf_max(a, zero), y = vf_max(b, zero);
    const vf length = vf_sqrt(vf_fma(x, x, y * y));
    const vm outside = vm_gt(length, zero), first = vm_ge(a, b);
    const vf inverse = one / vf_select(outside, length, one);
    *along_a = vf_select(outside, inverse * x, vf_select(first, one, zero));
    *along_b = vf_select(outside, inverse * y, vf_select(first, zero, one));
    return vf_select(outside, length, vf_max(a, b));
}

INLINE vf cylinder_distance(const lane_flat *f, v3 q, v3 *out) {
    const vf around = vf_sqrt(vf_fma(q.x, q.x, q.y * q.y)), one = vf_set(1);
    const vm on_axis = vm_not(vm_gt(around, vf_zero()));
    const vf inverse = one / vf_select(on_axis, one, around);
    vf side, up;
    const vf d = excess_of_two(around - vf_set(f->half[0]), vf_abs(q.z) - vf_set(f->half[2]), &side, &up);
    *out = (v3){side * vf_select(on_axis, one, inverse * q.x), side * inverse * q.y, with_sign(up, q.z)};
    return d;
}

#endif
