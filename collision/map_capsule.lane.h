/* A capsule on the map between its ends, which are balls: edges of the map that its axis lies across. Over a face the axis is nearest at an
 * end, so that between them only edges count. On each half of the axis it is, of the edges that the axis crosses, seen from above, and that
 * rise over the chord between the ground below both ends, the one over which the axis is the least high. Closest points of two lines have a
 * closed form. An edge that the axis does not cross may be nearer: it is left out.
 *
 * Tried: one contact for the whole axis, and only where it is lower than at both ends. What lies across two ridges then rocks, each of them
 * in turns; and what leans on one, with an end on the ground, sinks into it until it is the lower one. */
#ifndef MYR_COLLISION_MAP_CAPSULE_LANE_H
#define MYR_COLLISION_MAP_CAPSULE_LANE_H

#include "map_touch.h"
#include "robot/ground.lane.h"

#define MAP_MIDDLE_RISES 1e-4                    /* a share of the axis by which an edge rises over the chord: a plane has none */
#define MAP_PARALLEL (MYR_DOUBLE ? 1e-14 : 1e-7) /* squared sine below which two lines have no normal in common */

/* An axis from one end to the other, in cells, from a sample and its height on. How high it is over the ground at its first end, less what
 * an edge has to rise, and how much higher at the other. */
typedef struct map_rod {
    ground_spot spot;
    vf base;
    v3 from, along;
    vf over, more;
} map_rod;

/* The edge over which an axis is the least high, and by how much, where it crosses it. */
typedef struct map_edge {
    v3 from, along;
    vf over;
} map_edge;

/* The lines of the map that edges lie on: across x, across y, and diagonals. */
typedef enum { MAP_LINES_X, MAP_LINES_Y, MAP_LINES_DIAGONAL } map_lines;

/* Heights of a sample of the rod's own counting and of the one `aside` numbers on, in cells; whether they are columns. */
INLINE vm rod_heights(const lane_ground *g, const ground_origin *o, const map_rod *rod, vf i, vf k, int aside, vf h[2]) {
    const vf cell = vf_set(g->cell), slope = vf_set(g->slope);
    const ground_spot s = ground_spot_at(g, o, cell * (rod->spot.i + i), cell * (rod->spot.k + k), (real)0.5);
    ground_row(g, s.at, &h[0], 1), ground_row(g, s.at + aside, &h[1], 1);
    h[0] = slope * (h[0] - rod->base), h[1] = slope * (h[1] - rod->base);
    return ground_columns(g, &s);
}

/* All lines of a kind that the axis crosses, at most so many. Pillars end in the middle between samples, and their edges are level. */
static __attribute__((noinline)) void rod_crosses(const lane_ground *g, const ground_origin *o, const map_rod *rod, map_lines lines,
                                                  const int columns, int most, map_edge best[2]) {
    const vf zero = vf_zero(), one = vf_set(1), half = vf_set(columns ? (real)0.5 : 0);
    const v3 a = rod->from, d = rod->along;
    const vf from = (lines == MAP_LINES_X ? a.x : lines == MAP_LINES_Y ? a.y : a.x - a.y) - half;
    const vf way = lines == MAP_LINES_X ? d.x : lines == MAP_LINES_Y ? d.y : d.x - d.y;
    const vm crosses = vm_gt(vf_abs(way), zero);
    const vf end = from + way, inverse = one / vf_select(crosses, way, one), high = vf_max(from, end);
    vf line = zero - whole_below(zero - clamped(vf_min(from, end), (real)-1e6, (real)1e6));
    for (int n = 0; n < most; n++, line = line + one) {
        const vm may = vm_and(crosses, vm_le(line, high));
        if (!vm_any(may)) return;
        const vf t = vf_max(vf_min((line - from) * inverse, one), zero);
        const vf x = clamped(vf_fma(t, d.x, a.x), (real)-1e6, (real)1e6), y = clamped(vf_fma(t, d.y, a.y), (real)-1e6, (real)1e6);
        const vf i = lines == MAP_LINES_X ? line : whole_below(x + half);
        const vf k = lines == MAP_LINES_X ? whole_below(y + half) : lines == MAP_LINES_Y ? line : i - line;
        const int along_x = lines != MAP_LINES_X, along_y = lines != MAP_LINES_Y, stride = g->map->stride;
        vf h[2];
        const int aside = columns ? (lines == MAP_LINES_X ? stride : 1) : along_x * stride + along_y;
        const vm pillars = rod_heights(g, o, rod, i, k, aside, h);
        map_edge e;
        if (columns) {
            const vf top = vf_max(h[0], h[1]);
            e.from = (v3){lines == MAP_LINES_X ? i + half : i - half, lines == MAP_LINES_X ? k - half : k + half, top};
            e.along = (v3){vf_set((real)along_x), vf_set((real)along_y), zero};
            e.over = vf_fma(t, d.z, a.z) - top;
        } else {
            e.from = (v3){i, k, h[0]};
            e.along = (v3){vf_set((real)along_x), vf_set((real)along_y), h[1] - h[0]};
            e.over = vf_fma(t, d.z, a.z) - vf_fma(along_x ? x - i : y - k, e.along.z, h[0]);
        }
        vm rises = vm_and(may, vm_lt(e.over, vf_fma(t, rod->more, rod->over)));
        rises = columns ? vm_and(rises, vm_and(pillars, vm_not(vm_eq(h[0], h[1])))) : vm_andnot(rises, pillars);
        if (!vm_any(rises)) continue;
        const vm last = vm_ge(t, vf_set((real)0.5));
        for (int side = 0; side < 2; side++) {
            map_edge *b = &best[side];
            const vm better = vm_and(vm_lt(e.over, b->over), side ? vm_and(rises, last) : vm_andnot(rises, last));
            b->from = v3_select(better, e.from, b->from), b->along = v3_select(better, e.along, b->along);
            b->over = vf_select(better, e.over, b->over);
        }
    }
}

/* Where the axis and the edge are closest. Under the edge, and where both lines are closest within both, the normal is that of the lines.
 * share: of the axis. Returns the lanes, of `may`, where that is between its ends. */
static vm rod_closest(const lane_ground *g, const map_rod *rod, const map_edge *e, vm may, map_touch *t, vf *share) {
    const vf zero = vf_zero(), one = vf_set(1), least = vf_set((real)1e-30);
    const v3 d = rod->along, r = v3_sub(rod->from, e->from), n = v3_cross(d, e->along);
    const vf dd = vf_max(v3_dot(d, d), least), de = v3_dot(d, e->along), ee = v3_dot(e->along, e->along), dr = v3_dot(d, r),
             er = v3_dot(e->along, r), nn = v3_dot(n, n);
    const vm parallel = vm_not(vm_gt(nn, vf_set((real)MAP_PARALLEL) * (dd * ee)));
    vf at = vf_max(vf_min((de * er - ee * dr) / vf_select(parallel, one, nn), one), zero);
    const vf s = vf_max(vf_min(vf_fma(de, at, er) / ee, one), zero);
    at = vf_max(vf_min(vf_fms(de, s, dr) / dd, one), zero);
    /* parallel: what of the way between them is across them */
    const v3 line = v3_select(parallel, v3_fma(zero - dr / dd, d, r), n);
    const vf length2 = v3_dot(line, line);
    const vm none = vm_not(vm_gt(length2, zero));
    const vf inverse = vf_select(vm_lt(line.z, zero), -one, one) / vf_sqrt(vf_select(none, one, length2));
    const v3 up = v3_select(none, (v3){zero, zero, one}, v3_scale(inverse, line)), w = v3_fma(at, d, v3_fma(zero - s, e->along, r));
    const vf apart = vf_sqrt(v3_dot(w, w));
    const vm under = vm_lt(e->over, zero), inner = vm_and(vm_gt(s, zero), vm_lt(s, one));
    const vm by_line = vm_or(vm_or(under, inner), vm_not(vm_gt(apart, zero)));
    t->normal = v3_select(by_line, up, v3_scale(one / vf_select(by_line, one, apart), w));
    t->distance = vf_set(g->cell) * vf_select(by_line, v3_dot(up, r), apart);
    t->flat = vm_none(), t->corner = v3_zero();
    *share = at;
    return vm_and(may, vm_or(under, vm_and(vm_gt(at, zero), vm_lt(at, one))));
}

/* The ground under an axis no longer than a block is level for all lanes: it lies in the block of its middle and those around. */
INLINE int rod_is_level(const lane_ground *g, const ground_origin *o, v3 a, v3 b, vm alive) {
    const vf half = vf_set((real)0.5);
    const ground_spot s = ground_spot_at(g, o, half * (a.x + b.x), half * (a.y + b.y), (real)0.5);
    vf low, high;
    ground_pair(g->map->range, s.block, &low, &high);
    return !vm_any(vm_andnot(alive, vm_eq(low, high)));
}

/* An axis from a [m] from the origin on, of so many metres. has: the lanes, of `alive`, that touch on each half; t[].distance is that of
 * the axis, at `share` of it. */
static __attribute__((noinline)) void map_rod_middle(const lane_ground *g, const ground_origin *o, v3 a, v3 along, real length, vm alive,
                                                     map_touch t[2], vf share[2], vm has[2]) {
    const v3 b = v3_add(a, along);
    has[0] = has[1] = vm_none();
    if (length * g->per_cell <= (real)MYR_TERRAIN_BLOCK && rod_is_level(g, o, a, b, alive)) return;
    const vf per = vf_set(g->per_cell), first = per * (a.z - ground_height(g, o, a.x, a.y));
    map_rod rod = {.spot = ground_spot_at(g, o, a.x, a.y, (real)0.5), .along = v3_scale(per, along)};
    ground_row(g, rod.spot.at, &rod.base, 1);
    rod.from = (v3){rod.spot.u, rod.spot.v, per * (a.z - vf_set(g->step) * (rod.base - o->height))};
    rod.over = first - vf_set((real)MAP_MIDDLE_RISES * length * g->per_cell);
    rod.more = per * (b.z - ground_height(g, o, b.x, b.y)) - first;
    const map_edge none = {v3_zero(), {vf_set(1), vf_zero(), vf_zero()}, vf_set((real)MAP_FAR)};
    map_edge e[2] = {none, none};
    const int most = (int)(length * g->per_cell) + 2, diagonals = (int)((real)1.4143 * length * g->per_cell) + 2;
    for (int lines = MAP_LINES_X; lines <= MAP_LINES_DIAGONAL && g->map->has_fields; lines++)
        rod_crosses(g, o, &rod, (map_lines)lines, 0, lines == MAP_LINES_DIAGONAL ? diagonals : most, e);
    for (int lines = MAP_LINES_X; lines <= MAP_LINES_Y && g->map->has_columns; lines++)
        rod_crosses(g, o, &rod, (map_lines)lines, 1, most, e);
    for (int side = 0; side < 2; side++) {
        const vm rises = vm_and(alive, vm_lt(e[side].over, vf_set((real)MAP_FAR)));
        if (vm_any(rises)) has[side] = rod_closest(g, &rod, &e[side], rises, &t[side], &share[side]);
    }
}

#endif
