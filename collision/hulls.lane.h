/* The slots of a hull of many corners against the ground: in four directions around the way down (a sixteenth off it) the corner that is
 * farthest, and the lowest of all others. So what stands on flat ground stands on the extremes of its sole, and no corner is ever lower
 * than all that are looked at, but for a hundred-thousandth of the hull's size.
 *
 * Directions go by the hull's own axes. Ties within HULL_MARGIN go to the lowest index, so rounding cannot change the choice. */
#ifndef MYR_COLLISION_HULLS_LANE_H
#define MYR_COLLISION_HULLS_LANE_H

#include "robot/place.lane.h"

#define HULL_MARGIN 1e-5 /* share of the hull's radius */
#define HULL_ASIDE 0x1p-4
#define HULL_NOWHERE 1e6 /* [m] above: the place of a slot whose corner another slot has already */

/* The corner that is least along `along`, of those that are none of the n `taken`. */
static vf hull_least(const lane_hull *hull, v3 along, const vf *taken, int n, v3 *at) {
    const vf margin = vf_set((real)HULL_MARGIN * hull->radius);
    vf least = vf_set((real)1e30), which = vf_set(-1);
    *at = v3_uniform(hull->corners);
    for (int i = 0; i < hull->n; i++) {
        const v3 corner = v3_uniform(hull->corners + 3 * i);
        const vf height = v3_dot(along, corner), number = vf_set((real)i);
        vm better = vm_lt(height, least - margin);
        for (int k = 0; k < n; k++) better = vm_andnot(better, vm_eq(taken[k], number));
        least = vf_select(better, height, least);
        which = vf_select(better, number, which);
        *at = v3_select(better, corner, *at);
    }
    return which;
}

/* Two directions across `up`, from the two axes of the hull that lean from it the most; between the axes, as soles have edges along them.
 */
static void hull_across(const lane_hull *hull, v3 up, v3 *p, v3 *q) {
    const real *t = hull->turn;
    const v3 x = v3_uniform((const real[3]){t[0], t[3], t[6]}), y = v3_uniform((const real[3]){t[1], t[4], t[7]}),
             z = v3_uniform((const real[3]){t[2], t[5], t[8]});
    const vf ax = vf_abs(v3_dot(x, up)), ay = vf_abs(v3_dot(y, up)), az = vf_abs(v3_dot(z, up));
    const vm is_z = vm_gt(az, vf_max(ax, ay)), is_y = vm_andnot(vm_gt(ay, ax), is_z);
    const v3 a = v3_select(is_z, x, v3_select(is_y, z, y)), flat = v3_fma(-v3_dot(a, up), up, a);
    const v3 u = v3_scale(vf_set(1) / vf_sqrt(v3_dot(flat, flat)), flat), v = v3_cross(up, u);
    const vf c = vf_set((real)(0.79 * HULL_ASIDE)), s = vf_set((real)(0.61 * HULL_ASIDE));
    *p = v3_fma(c, u, v3_scale(s, v));
    *q = v3_fma(c, v, v3_scale(-s, u));
}

/* Where its slots are, in the body's axes, in which `up` points up. */
static __attribute__((noinline)) void hull_points(const lane_hull *hull, v3 up, v3 at[MYR_HULL_SLOTS]) {
    v3 p, q;
    vf which[MYR_HULL_SLOTS];
    hull_across(hull, up, &p, &q);
    const v3 along[] = {v3_sub(up, p), v3_sub(up, q), v3_add(up, p), v3_add(up, q)};
    const v3 away = v3_scale(vf_set((real)HULL_NOWHERE), up);
    for (int k = 0; k < MYR_HULL_SLOTS; k++) {
        const int last = k == MYR_HULL_SLOTS - 1;
        which[k] = hull_least(hull, last ? up : along[k], which, last ? k : 0, &at[k]);
        vm again = vm_none();
        for (int j = 0; j < k; j++) again = vm_or(again, vm_eq(which[k], which[j]));
        at[k] = v3_select(again, v3_add(at[k], away), at[k]);
    }
}

#endif
