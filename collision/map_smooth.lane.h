/* Which way is up for what chooses its places by that: the rim of a cylinder, the corners of a hull. On a slope of 30 degrees the lowest
 * line of a cylinder lies 30 degrees off the one that touches, and the cylinder would be deeper in it by a seventh of its radius. So it is
 * the normal of the ground around the shape: central differences of heights that are bilinear between samples, so that it is continuous. */
#ifndef MYR_COLLISION_MAP_SMOOTH_LANE_H
#define MYR_COLLISION_MAP_SMOOTH_LANE_H

#include "robot/ground.lane.h"

/* Height of a field at a place, bilinear between the samples of its cell [m]. */
INLINE vf smooth_height(const lane_ground *g, const ground_origin *o, vf x, vf y) {
    const ground_spot s = ground_spot_at(g, o, x, y, 0);
    vf near[2], far[2];
    ground_row(g, s.at, near, 2), ground_row(g, s.at + g->map->stride, far, 2);
    const vf a = vf_fma(s.v, near[1] - near[0], near[0] - o->height), b = vf_fma(s.v, far[1] - far[0], far[0] - o->height);
    return vf_set(g->step) * vf_fma(s.u, b - a, a);
}

/* The normal around a place, by heights `reach` to each side (at least a cell). *leans: the lanes where it is not straight up. Columns have
 * level tops: there it is. */
static __attribute__((noinline)) v3 map_smooth_normal(const lane_ground *g, const ground_origin *o, vf x, vf y, real reach, vm *leans) {
    const vf zero = vf_zero(), one = vf_set(1), aside = vf_set(reach < g->cell ? g->cell : reach);
    const v3 straight = {zero, zero, one};
    *leans = vm_none();
    if (!g->map->has_fields) return straight;
    const vf per = vf_set((real)0.5) / aside;
    const vf a = per * (smooth_height(g, o, x + aside, y) - smooth_height(g, o, x - aside, y));
    const vf b = per * (smooth_height(g, o, x, y + aside) - smooth_height(g, o, x, y - aside));
    *leans = vm_not(vm_and(vm_eq(a, zero), vm_eq(b, zero)));
    if (g->map->has_columns) {
        const ground_spot s = ground_spot_at(g, o, x, y, (real)0.5);
        *leans = vm_andnot(*leans, ground_columns(g, &s));
    }
    const v3 n = v3_scale(one / vf_sqrt(vf_fma(a, a, vf_fma(b, b, one))), (v3){zero - a, zero - b, one});
    return v3_select(*leans, n, straight);
}

#endif
