/* The friction cone K = { |x_T| <= mu x_N }: what the solvers of the whole cone share. */
#ifndef MYR_KERNELS_CONTACT_CONE_LANE_H
#define MYR_KERNELS_CONTACT_CONE_LANE_H

#include "law.lane.h"

/* The nearest point of K. x + 0 turns -0 into +0, so that the sign of a zero tells nothing of the way to it. */
static inline v3 cone_project(vf mu, v3 x) {
    const vf zero = vf_zero(), one = vf_set(1);
    const vf t = vf_sqrt(vf_fma(x.x, x.x, x.y * x.y));
    const vm inside = vm_le(t, mu * x.z), polar = vm_andnot(vm_le(vf_fma(mu, t, x.z), zero), inside);
    const vf z = vf_fma(mu, t, x.z) / vf_fma(mu, mu, one);
    const vf shrink = mu * z / vf_select(vm_eq(t, zero), one, t);
    const v3 side = {shrink * x.x, shrink * x.y, z};
    const v3 y = v3_select(inside, x, v3_select(polar, v3_zero(), side));
    return (v3){y.x + zero, y.y + zero, y.z + zero};
}

static inline vf v3_size(v3 a) { return vf_max(vf_max(vf_abs(a.x), vf_abs(a.y)), vf_abs(a.z)); }

#endif
