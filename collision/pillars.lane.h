/* A ball on columns: the closest point of the four pillars around the nearest corner of pillars. Each is a box without a bottom that fills
 * its quarter; what is free lies over them. Inner edges of level pillars cannot catch: the closest point of the union is on a top. */
#ifndef MYR_COLLISION_PILLARS_LANE_H
#define MYR_COLLISION_PILLARS_LANE_H

#include "map_touch.h"
#include "robot/ground.lane.h"

/* Lengths in metres, from the corner on; heights above the origin's. */
INLINE map_touch pillars_ball(const lane_ground *g, const ground_origin *o, v3 center, map_touch *second, vf reach, vm *two) {
    const vf zero = vf_zero(), one = vf_set(1), cell = vf_set(g->cell), half = vf_set((real)0.5), step = vf_set(g->step);
    const ground_spot s = ground_spot_at(g, o, center.x, center.y, 0);
    vf h[2][2];
    for (int i = 0; i < 2; i++) {
        ground_row(g, s.at + i * g->map->stride, h[i], 2);
        for (int k = 0; k < 2; k++) h[i][k] = step * (h[i][k] - o->height);
    }
    const v3 at = {cell * (s.i + half), cell * (s.k + half), zero};
    const vf x = center.x - at.x, y = center.y - at.y, z = center.z;
    const vm east = vm_ge(x, zero), north = vm_ge(y, zero);
    /* own pillar, the neighbour along x, the one along y, the one across */
    const vf south_own = vf_select(east, h[1][0], h[0][0]), north_own = vf_select(east, h[1][1], h[0][1]);
    const vf south_next = vf_select(east, h[0][0], h[1][0]), north_next = vf_select(east, h[0][1], h[1][1]);
    const vf own = vf_select(north, north_own, south_own), along_x = vf_select(north, north_next, south_next),
             along_y = vf_select(north, south_own, north_own), across = vf_select(north, south_next, north_next);
    const vm buried = vm_lt(z, own);
    const vf heights[4] = {own, along_x, along_y, across}, up = z - own;
    vf best = up * up, which = zero;
    v3 w = {zero, zero, up};
    for (int k = 1; k < 4; k++) {
        const vf over = z - heights[k];
        const v3 e = {k & 1 ? x : zero, k & 2 ? y : zero, vf_select(buried, vf_min(over, zero), vf_max(over, zero))};
        const vf square = v3_dot(e, e);
        const vm better = vm_lt(square, vf_set((real)MAP_MARGIN) * best);
        best = vf_select(better, square, best), which = vf_select(better, vf_set((real)k), which);
        w = v3_select(better, e, w);
    }
    /* w leads from the closest point to the centre, or, where that is buried, the other way round */
    const vf side_x = vf_select(east, one, -one), side_y = vf_select(north, one, -one), sign = vf_select(buried, -one, one);
    const vm level = vm_eq(w.z, zero), top = vm_eq(which, zero);
    const vm wall_x = vm_and(level, vm_eq(which, one)), wall_y = vm_and(level, vm_eq(which, one + one));
    const vf length = vf_sqrt(best), inverse = sign / vf_select(vm_gt(length, zero), length, one);
    map_touch t = {
        .normal = v3_scale(inverse, w), .distance = vf_select(top, up, sign * length), .flat = vm_or(top, vm_or(wall_x, wall_y))};
    t.normal = v3_select(top, (v3){zero, zero, one}, t.normal);
    t.normal = v3_select(wall_x, (v3){sign * side_x, zero, zero}, v3_select(wall_y, (v3){zero, sign * side_y, zero}, t.normal));
    t.corner = (v3){at.x, at.y, own};
    if (!second) return t;
    *two = vm_none();
    const vm walls = vm_or(vm_and(vm_gt(along_x, z), vm_le(vf_abs(x), reach)), vm_and(vm_gt(along_y, z), vm_le(vf_abs(y), reach)));
    if (!vm_any(vm_or(walls, vm_not(top)))) return t; /* over the tops */
    /* a floor and a wall at once */
    const vf ways[3] = {up, vf_abs(x), vf_abs(y)};
    const vm stands[3] = {vm_not(buried), vm_andnot(vm_gt(along_x, z), buried), vm_andnot(vm_gt(along_y, z), buried)};
    vf nearest = vf_set((real)MAP_FAR);
    *second = t;
    for (int k = 0; k < 3; k++) {
        const v3 n = {k == 1 ? side_x : zero, k == 2 ? side_y : zero, k ? zero : one};
        const vm apart = map_apart(n, t.normal);
        const vm better = vm_and(vm_and(stands[k], apart), vm_and(vm_le(ways[k], reach), vm_lt(ways[k], nearest)));
        nearest = vf_select(better, ways[k], nearest);
        *two = vm_or(*two, better);
        second->normal = v3_select(better, n, second->normal), second->distance = vf_select(better, ways[k], second->distance);
        second->flat = vm_or(second->flat, better);
    }
    return t;
}

#endif
