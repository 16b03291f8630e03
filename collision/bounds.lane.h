/* Whether two shapes can be within reach of each other, by what holds them: boxes along their axes, rods, balls. Far cheaper than a look of
 * gjk.lane.h, or than the axes of two boxes; after the balls of collide_pairs most pairs end here.
 *
 * For any unit n the least of n x over a less the most over b is a bound on their distance; a bound on that, from what holds them, is one,
 * too. So it does not matter where the directions come from, nor how well: parallel rods need no care. Here they are the line between
 * nearest points of the two rods, and the axes of boxes and cylinders. */
#ifndef MYR_COLLISION_BOUNDS_LANE_H
#define MYR_COLLISION_BOUNDS_LANE_H

#include "geoms.lane.h"

/* What rounding, and looks that end before they are exact, may make of a distance: in terms of the balls around the shapes. */
#define BOUNDS_SLACK 0x1p-10

/* From b's rod to a's where they are nearest, not longer than one; in rounding any other vector. */
static inline v3 rods_direction(solid a, solid b, v3 d) {
    const vf one = vf_set(1), la = vf_set(a.is->rod_half), lb = vf_set(b.is->rod_half);
    const v3 ua = solid_axis(a, a.is->rod_axis), ub = solid_axis(b, b.is->rod_axis);
    const vf c = v3_dot(ua, ub), da = v3_dot(ua, d), db = v3_dot(ub, d);
    const vf sine2 = vf_max(vf_fnma(c, c, one), vf_set((real)1e-6));
    vf s = vf_clamp(vf_fms(c, db, da) / sine2, la);
    const vf t = vf_clamp(vf_fma(c, s, db), lb);
    s = vf_clamp(vf_fms(c, t, da), la);
    const v3 n = v3_fma(s, ua, v3_fma(-t, ub, d));
    return v3_scale(one / vf_sqrt(vf_max(v3_dot(n, n), vf_set((real)1e-12))), n);
}

/* Axes of `s` that may keep it from `other`; d from other to s. */
static inline vm bounds_axes(solid s, solid other, v3 d, vf reach, vm near) {
    for (int k = s.is->first_axis; k < 3; k++) {
        const v3 n = solid_axis(s, k);
        const vf both = vf_set(s.is->box[k]) + geom_along(other.is, m3_mul_t(other.R, n));
        near = vm_andnot(near, vm_gt(vf_abs(v3_dot(n, d)) - both, reach));
    }
    return near;
}

/* Of the lanes `near` those whose shapes may be within `reach` of each other; d: from b's centre to a's, world. */
static vm bounds_meet(solid a, solid b, v3 d, vm near, vf reach) {
    const v3 n = rods_direction(a, b, d);
    const vf both = geom_along(a.is, m3_mul_t(a.R, n)) + geom_along(b.is, m3_mul_t(b.R, n));
    reach = reach + vf_set((real)BOUNDS_SLACK * (a.is->reach + b.is->reach));
    near = vm_andnot(near, vm_gt(v3_dot(n, d) - both, reach));
    if (vm_any(near)) near = bounds_axes(b, a, d, reach, near);
    if (vm_any(near)) near = bounds_axes(a, b, d, reach, near);
    return near;
}

#endif
