/* A box in lanes. */
#ifndef MYR_COLLISION_GEOMS_BOX_LANE_H
#define MYR_COLLISION_GEOMS_BOX_LANE_H

#include "geom.lane.h"

static inline vf box_along(const lane_solid *s, v3 n) {
    return vf_fma(vf_set(s->box[0]), vf_abs(n.x), vf_fma(vf_set(s->box[1]), vf_abs(n.y), vf_set(s->box[2]) * vf_abs(n.z)));
}

static inline v3 box_farthest(const lane_solid *s, v3 n) {
    return (v3){vf_sign(n.x) * vf_set(s->size[0]), vf_sign(n.y) * vf_set(s->size[1]), vf_sign(n.z) * vf_set(s->size[2])};
}

static void box_flat(const lane_solid *s, v3 n, shape_face *out) {
    const real *half = s->size;
    const vf zero = vf_zero();
    vm is_y, is_z;
    largest_axis(n, &is_y, &is_z);
    const vf sign = vf_select(is_z, vf_sign(n.z), vf_select(is_y, vf_sign(n.y), vf_sign(n.x)));
    out->n = 4;
    out->area = vm_all();
    out->normal = (v3){vf_select(vm_or(is_y, is_z), zero, sign), vf_select(is_y, sign, zero), vf_select(is_z, sign, zero)};
    for (int k = 0; k < 4; k++) {
        const vf u = k == 1 || k == 2 ? sign : -sign, v = vf_set(k >= 2 ? 1 : -1);
        const vf sx = vf_select(is_z, u, vf_select(is_y, v, sign)), sy = vf_select(is_z, v, vf_select(is_y, sign, u)),
                 sz = vf_select(is_z, sign, vf_select(is_y, u, v));
        out->corner[k] = (v3){vf_set(half[0]) * sx, vf_set(half[1]) * sy, vf_set(half[2]) * sz};
    }
}

INLINE vf box_distance(const lane_flat *f, v3 q, v3 *out) {
    const vf zero = vf_zero(), one = vf_set(1);
    const vf a = vf_abs(q.x) - vf_set(f->half[0]), b = vf_abs(q.y) - vf_set(f->half[1]), c = vf_abs(q.z) - vf_set(f->half[2]);
    const v3 over = {vf_max(a, zero), vf_max(b, zero), vf_max(c, zero)};
    const vf length = vf_sqrt(v3_dot(over, over)), most = vf_max(a, vf_max(b, c));
    const vm outside = vm_gt(length, zero), by_z = vm_and(vm_ge(c, a), vm_ge(c, b)), by_y = vm_andnot(vm_ge(b, a), by_z);
    const v3 face = {vf_select(vm_or(by_z, by_y), zero, one), vf_select(by_y, one, zero), vf_select(by_z, one, zero)};
    const v3 n = v3_select(outside, v3_scale(one / vf_select(outside, length, one), over), face);
    *out = (v3){with_sign(n.x, q.x), with_sign(n.y, q.y), with_sign(n.z, q.z)};
    return vf_select(outside, length, most);
}

#endif
