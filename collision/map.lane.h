/* A ball on the map, whichever kind it is. What is farther than half a cell (of a wide ball, some cells) is beyond the samples looked at; a
 * body that moves so fast that it could reach the ground all the same meets the triangle or pillar below the place where it would be after
 * the step: it is never refused, and never falls through. */
#ifndef MYR_COLLISION_MAP_LANE_H
#define MYR_COLLISION_MAP_LANE_H

#include "field.lane.h"
#include "pillars.lane.h"
#include "wide.lane.h"

/* The plane of what is below a place. */
INLINE map_touch map_below(const lane_ground *g, const ground_origin *o, v3 center, vf x, vf y) {
    const vf zero = vf_zero(), one = vf_set(1);
    ground_below t = {zero, zero, {x, y, zero}};
    if (g->map->has_fields) t = ground_triangle(g, o, x, y);
    if (g->map->has_columns) {
        const ground_spot s = ground_spot_at(g, o, x, y, (real)0.5);
        const vm columns = ground_columns(g, &s);
        vf top;
        ground_row(g, s.at, &top, 1);
        t.a = vf_select(columns, zero, t.a), t.b = vf_select(columns, zero, t.b);
        t.corner.z = vf_select(columns, vf_set(g->step) * (top - o->height), t.corner.z);
    }
    const vf inverse = one / vf_sqrt(vf_fma(t.a, t.a, vf_fma(t.b, t.b, one)));
    const v3 n = v3_scale(inverse, (v3){zero - t.a, zero - t.b, one});
    return (map_touch){.normal = n, .distance = v3_dot(n, v3_sub(center, t.corner)), .flat = vm_all(), .corner = t.corner};
}

INLINE map_touch map_touch_select(vm m, map_touch a, map_touch b) {
    return (map_touch){v3_select(m, a.normal, b.normal), vf_select(m, a.distance, b.distance),
                       vm_or(vm_and(m, a.flat), vm_andnot(b.flat, m)), v3_select(m, a.corner, b.corner)};
}

INLINE map_touch map_field(const lane_ground *g, const ground_origin *o, v3 center, const ground_spot *s, int around, map_touch *second,
                           vf reach, vm *two) {
    if (around > 1) return wide_field(g, o, center, s, around, second, reach, two);
    return field_ball(g, o, center, s, second, reach, two);
}
INLINE map_touch map_pillars(const lane_ground *g, const ground_origin *o, v3 center, const ground_spot *s, int around, map_touch *second,
                             vf reach, vm *two) {
    if (around > 1) return wide_pillars(g, o, center, s, around, second, reach, two);
    return pillars_ball(g, o, center, second, reach, two);
}

/* A centre [m] from the origin; around: ground_around() of the ball; later: x and y after the step. second: NULL, or where a contact beside
 * it, within `reach` [m], goes in the lanes *two; it is written where there are any. */
static inline map_touch map_ball(const lane_ground *g, const ground_origin *o, v3 center, v3 later, int around, map_touch *second, vf reach,
                                 vm *two) {
    const ground_spot s = ground_spot_at(g, o, center.x, center.y, (real)0.5);
    map_touch t;
    if (!g->map->has_columns)
        t = map_field(g, o, center, &s, around, second, reach, two);
    else if (!g->map->has_fields)
        t = map_pillars(g, o, center, &s, around, second, reach, two);
    else { /* both kinds: where one has a lane, for that */
        const vm columns = ground_columns(g, &s);
        map_touch other;
        vm has = vm_none();
        t = map_field(g, o, center, &s, around, second, reach, two);
        if (vm_any(columns)) {
            t = map_touch_select(columns, map_pillars(g, o, center, &s, around, second ? &other : NULL, reach, &has), t);
            if (second && vm_any(vm_and(columns, has))) *second = vm_any(*two) ? map_touch_select(columns, other, *second) : other;
            if (second) *two = vm_or(vm_and(columns, has), vm_andnot(*two, columns));
        }
    }
    const vf half = vf_set(((real)around - (real)0.5) * g->cell);
    const vm sunk = vm_lt(t.distance, vf_zero()), near = vm_le(vf_abs(t.distance), half);
    const vm fast = vm_not(vm_le(reach, half)), far = vm_andnot(vm_or(sunk, fast), near); /* others are far and stay so */
    if (!vm_any(vm_or(far, fast))) return t;
    const vm up = vm_and(sunk, far);
    const map_touch next = map_below(g, o, center, vf_select(up, center.x, later.x), vf_select(up, center.y, later.y));
    if (second) { /* near ground that is not where the step ends */
        const vm ends = vm_andnot(vm_andnot(vm_and(fast, map_apart(next.normal, t.normal)), far), *two);
        if (vm_any(ends)) *second = vm_any(*two) ? map_touch_select(ends, next, *second) : next;
        *two = vm_or(vm_andnot(*two, far), ends);
    }
    return map_touch_select(far, next, t);
}

#endif
