/* Projections of one contact's impulse, and a step against its velocity that ends in one of them. */
#ifndef MYR_KERNELS_CONTACT_PROJECT_LANE_H
#define MYR_KERNELS_CONTACT_PROJECT_LANE_H

#include "problem.lane.h"

/* The nearest point to (x, y) of the disc |(x, y)| <= limit. */
static inline void project_disc(vf limit, vf *x, vf *y) {
    const vf one = vf_set(1), size2 = vf_fma(*x, *x, *y * *y);
    const vm outside = vm_gt(size2, limit * limit);
    const vf shrink = vf_select(outside, limit / vf_sqrt(vf_select(outside, size2, one)), one);
    *x = shrink * *x, *y = shrink * *y;
}

/* The nearest point to l of the cone |l_T| <= mu l_z. */
static inline v3 project_cone(vf mu, v3 l) {
    const vf zero = vf_zero(), one = vf_set(1), t2 = vf_fma(l.x, l.x, l.y * l.y), t = vf_sqrt(t2);
    const vm outside = vm_gt(t, mu * l.z), apex = vm_le(vf_fma(mu, t, l.z), zero);
    const vf z = vf_max(vf_fma(mu, t, l.z) / vf_fma(mu, mu, one), zero);
    const vf shrink = vf_select(outside, mu * z / vf_select(outside, vf_max(t, vf_set((real)1e-30)), one), one);
    const v3 flank = {shrink * l.x, shrink * l.y, vf_select(outside, z, l.z)};
    return v3_select(vm_and(outside, apex), v3_zero(), flank);
}

/* A step of `normal` and `tangent` against w: the normal clamped at zero, then the tangent projected on the disc of the new normal. */
static inline v3 project_disc_step(vf mu, v3 l, v3 w, vf normal, vf tangent) {
    const vf z = vf_max(vf_fnma(normal, w.z, l.z), vf_zero());
    vf x = vf_fnma(tangent, w.x, l.x), y = vf_fnma(tangent, w.y, l.y);
    project_disc(mu * z, &x, &y);
    return (v3){x, y, z};
}

/* The same with the box |x|, |y| <= mu z for the disc. */
static inline v3 project_box_step(vf mu, v3 l, v3 w, vf normal, vf tangent) {
    const vf z = vf_max(vf_fnma(normal, w.z, l.z), vf_zero()), limit = mu * z;
    const vf x = vf_max(-limit, vf_min(limit, vf_fnma(tangent, w.x, l.x)));
    const vf y = vf_max(-limit, vf_min(limit, vf_fnma(tangent, w.y, l.y)));
    return (v3){x, y, z};
}

/* The same step in all directions, then the nearest point of the cone. */
static inline v3 project_cone_step(vf mu, v3 l, v3 w, vf normal, vf tangent) {
    return project_cone(mu, (v3){vf_fnma(tangent, w.x, l.x), vf_fnma(tangent, w.y, l.y), vf_fnma(normal, w.z, l.z)});
}

#endif
