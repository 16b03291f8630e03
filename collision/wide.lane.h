/* A ball larger than half a cell on a map: the same closest point and the same rules as in field.lane.h and pillars.lane.h, over as many
 * samples as the ball is wide. Torsos and heads of humanoids come here, feet do not: a loop is good enough. */
#ifndef MYR_COLLISION_WIDE_LANE_H
#define MYR_COLLISION_WIDE_LANE_H

#include "field.lane.h"
#include "pillars.lane.h"

enum { WIDE_MOST = 5, WIDE_ROW = 2 * WIDE_MOST + 1 };
_Static_assert((int)WIDE_MOST < (int)GROUND_AROUND, "samples of a window are there");

/* Heights in a window around the nearest sample, in cells above it (columns: in metres above the origin's 0). */
typedef struct wide_heights {
    int half; /* samples from the middle to each side */
    vf h[WIDE_ROW][WIDE_ROW];
} wide_heights;

static void wide_read(const lane_ground *g, vint at, int half, wide_heights *w) {
    w->half = half;
    for (int i = 0; i <= 2 * half; i++)
        for (int k = 0; k <= 2 * half; k++) ground_row(g, at + ((i - half) * g->map->stride + k - half), &w->h[i][k], 1);
}

/* ---- a field -------------------------------------------------------------------------------------------------------- */

/* Face `upper` of the cell from (i, k): through its corners (0, 0), (1, 1) and (1, 0) or, upper, (0, 1). The centre from the middle sample.
 */
static field_face wide_face(const wide_heights *w, int i, int k, int upper, v3 p) {
    const vf one = vf_set(1), zero = vf_zero(), low = w->h[i][k], far = w->h[i + 1][k + 1],
             middle = upper ? w->h[i][k + 1] : w->h[i + 1][k];
    const vf x = p.x - vf_set((real)(i - w->half)), y = p.y - vf_set((real)(k - w->half));
    const vf a = upper ? far - middle : middle - low, b = upper ? middle - low : far - middle;
    field_face f;
    const field_foot at = field_face_of(&f, a, b, vf_fnma(a, x, vf_fnma(b, y, p.z - low)), x, y);
    const vf first = upper ? at.y : at.x, second = upper ? at.x : at.y;
    f.inside = vm_and(vm_and(vm_ge(second, zero), vm_ge(first, second)), vm_le(first, one * f.n));
    return f;
}

/* The edge from (i, k) by (di, dk): the way from its closest point to the centre, kept where it is shorter. */
static void wide_edge(const wide_heights *w, int i, int k, int di, int dk, v3 p, v3 *best, vf *square) {
    const vf zero = vf_zero(), one = vf_set(1), rise = w->h[i + di][k + dk] - w->h[i][k];
    const v3 from = {p.x - vf_set((real)(i - w->half)), p.y - vf_set((real)(k - w->half)), p.z - w->h[i][k]};
    const vf along = vf_fma(vf_set((real)di), from.x, vf_fma(vf_set((real)dk), from.y, rise * from.z));
    const vf t = vf_max(vf_min(along / vf_fma(rise, rise, vf_set((real)(di + dk))), one), zero);
    const v3 way = {vf_fnma(t, vf_set((real)di), from.x), vf_fnma(t, vf_set((real)dk), from.y), vf_fnma(t, rise, from.z)};
    const vf its = v3_dot(way, way);
    const vm better = vm_lt(its, *square);
    *best = v3_select(better, way, *best), *square = vf_select(better, its, *square);
}

/* The nearest of the faces at work, and the corner of its cell: which one, and its height. */
typedef struct wide_best {
    field_best face;
    vf i, k, low;
} wide_best;

INLINE void wide_better(wide_best *best, const wide_heights *w, int i, int k, const field_face *f, vm may, vf square) {
    const vm better = best_face(&best->face, f, may, square);
    best->i = vf_select(better, vf_set((real)i), best->i), best->k = vf_select(better, vf_set((real)k), best->k);
    best->low = vf_select(better, w->h[i][k], best->low);
}

/* A face that has won. */
static map_touch wide_flat(const lane_ground *g, const ground_origin *o, const ground_spot *s, const wide_heights *w, const wide_best *best,
                           vf base) {
    const field_best *f = &best->face;
    const vf cell = vf_set(g->cell), zero = vf_zero(), one = vf_set(1), inverse = one / vf_sqrt(f->n), half = vf_set((real)w->half);
    map_touch t = {.normal = v3_scale(inverse, (v3){zero - f->a, zero - f->b, one}), .distance = cell * (inverse * f->h), .flat = vm_all()};
    t.corner = (v3){cell * (s->i + (best->i - half)), cell * (s->k + (best->k - half)),
                    vf_fma(cell, best->low, vf_set(g->step) * (base - o->height))};
    return t;
}

/* As field_ball. */
static __attribute__((noinline)) map_touch wide_field(const lane_ground *g, const ground_origin *o, v3 center, const ground_spot *s,
                                                      int half, map_touch *second, vf reach, vm *two) {
    wide_heights w;
    wide_read(g, s->at, half, &w);
    const vf base = w.h[half][half], slope = vf_set(g->slope), per = vf_set(g->per_cell);
    for (int i = 0; i <= 2 * half; i++)
        for (int k = 0; k <= 2 * half; k++) w.h[i][k] = slope * (w.h[i][k] - base);
    const v3 p = {s->u, s->v, per * (center.z - vf_set(g->step) * (base - o->height))};
    wide_best best = {no_face(), vf_zero(), vf_zero(), vf_zero()};
    vf square = vf_set((real)MAP_FAR);
    v3 way = {vf_zero(), vf_zero(), vf_zero()};
    for (int i = 0; i <= 2 * half; i++)
        for (int k = 0; k <= 2 * half; k++) {
            if (i < 2 * half) wide_edge(&w, i, k, 1, 0, p, &way, &square);
            if (k < 2 * half) wide_edge(&w, i, k, 0, 1, p, &way, &square);
            if (i == 2 * half || k == 2 * half) continue;
            wide_edge(&w, i, k, 1, 1, p, &way, &square);
            for (int upper = 0; upper < 2; upper++) {
                const field_face f = wide_face(&w, i, k, upper, p);
                wide_better(&best, &w, i, k, &f, f.inside, f.h * f.h);
            }
        }
    const vm edge = vm_lt(square * best.face.n, vf_set((real)MAP_MARGIN) * best.face.square);
    map_touch t = wide_flat(g, o, s, &w, &best, base);
    const vf length = vf_sqrt(square), under = vf_select(vm_lt(way.z, vf_zero()), vf_set(-1), vf_set(1));
    const vm no_way = vm_and(edge, vm_not(vm_gt(length, vf_zero()))); /* the centre lies on the edge: up */
    const v3 out = v3_scale(under / vf_select(no_way, vf_set(1), length), way);
    t.normal = v3_select(edge, v3_select(no_way, (v3){vf_zero(), vf_zero(), vf_set(1)}, out), t.normal);
    t.distance = vf_select(edge, vf_set(g->cell) * (under * length), t.distance);
    t.flat = vm_not(edge);
    if (!second) return t;
    wide_best other = {no_face(), vf_zero(), vf_zero(), vf_zero()};
    vm any = vm_none();
    const vf reach2 = per * reach * (per * reach);
    for (int i = 0; i < 2 * half; i++)
        for (int k = 0; k < 2 * half; k++)
            for (int upper = 0; upper < 2; upper++) {
                const field_face f = wide_face(&w, i, k, upper, p);
                const vm may = field_apart(&f, &t, vm_and(f.inside, vm_le(f.h * f.h, reach2 * f.n)));
                any = vm_or(any, may);
                wide_better(&other, &w, i, k, &f, may, field_signed(&f));
            }
    *two = any;
    if (vm_any(any)) *second = wide_flat(g, o, s, &w, &other, base);
    return t;
}

/* ---- columns -------------------------------------------------------------------------------------------------------- */

/* How far a place is from a pillar's square along one axis, with sign; 0 within. */
static vf wide_beside(vf x, vf half) { return vf_select(vm_gt(x, half), x - half, vf_select(vm_lt(x, -half), x + half, vf_zero())); }

/* As pillars_ball; s: the nearest sample. */
static __attribute__((noinline)) map_touch wide_pillars(const lane_ground *g, const ground_origin *o, v3 center, const ground_spot *s,
                                                        int half, map_touch *second, vf reach, vm *two) {
    const vf zero = vf_zero(), one = vf_set(1), cell = vf_set(g->cell), side = vf_set((real)0.5 * g->cell), step = vf_set(g->step);
    wide_heights w;
    wide_read(g, s->at, half, &w);
    for (int i = 0; i <= 2 * half; i++)
        for (int k = 0; k <= 2 * half; k++) w.h[i][k] = step * (w.h[i][k] - o->height);
    const vf own = w.h[half][half], up = center.z - own;
    const vm buried = vm_lt(center.z, own);
    vf square = up * up, wall_x = zero, wall_y = zero;
    v3 way = {zero, zero, up};
    const vf far = vf_set((real)MAP_FAR);
    vf ways[5] = {up, far, far, far, far}, walls[5] = {zero, zero, zero, zero, zero}; /* the top; walls to the west, east, south, north */
    for (int i = 0; i <= 2 * half; i++)
        for (int k = 0; k <= 2 * half; k++) {
            if (i == half && k == half) continue;
            const vf di = vf_set((real)(i - half)), dk = vf_set((real)(k - half));
            const vf x = center.x - cell * (s->i + di), y = center.y - cell * (s->k + dk), over = center.z - w.h[i][k];
            const v3 e = {wide_beside(x, side), wide_beside(y, side), vf_select(buried, vf_min(over, zero), vf_max(over, zero))};
            const vf its = v3_dot(e, e);
            const vm better = vm_lt(its, vf_set((real)MAP_MARGIN) * square);
            const vf edge_x = cell * (s->i + di + vf_select(vm_gt(e.x, zero), vf_set((real)0.5), vf_set((real)-0.5)));
            const vf edge_y = cell * (s->k + dk + vf_select(vm_gt(e.y, zero), vf_set((real)0.5), vf_set((real)-0.5)));
            square = vf_select(better, its, square), way = v3_select(better, e, way);
            wall_x = vf_select(better, edge_x, wall_x), wall_y = vf_select(better, edge_y, wall_y);
            const vm stands = vm_andnot(vm_lt(over, zero), buried);
            if (i != half && k != half) continue;
            const int side_of = k == half ? 1 + (i > half) : 3 + (k > half);
            const vf beside = vf_abs(k == half ? e.x : e.y);
            const vm nearer = vm_and(stands, vm_lt(beside, ways[side_of]));
            ways[side_of] = vf_select(nearer, beside, ways[side_of]);
            walls[side_of] = vf_select(nearer, k == half ? edge_x : edge_y, walls[side_of]);
        }
    const vm no_x = vm_eq(way.x, zero), no_y = vm_eq(way.y, zero), no_z = vm_eq(way.z, zero), top = vm_and(no_x, no_y);
    const vm on_x = vm_andnot(vm_and(no_y, no_z), top), on_y = vm_andnot(vm_and(no_x, no_z), top);
    const vf length = vf_sqrt(square), sign = vf_select(buried, -one, one);
    const vf side_x = vf_select(vm_lt(way.x, zero), -sign, sign), side_y = vf_select(vm_lt(way.y, zero), -sign, sign);
    map_touch t = {.normal = v3_scale(sign / vf_select(vm_gt(length, zero), length, one), way),
                   .distance = vf_select(top, up, sign * length),
                   .flat = vm_or(top, vm_or(on_x, on_y)),
                   .corner = {wall_x, wall_y, own}};
    t.normal = v3_select(on_x, (v3){side_x, zero, zero}, v3_select(on_y, (v3){zero, side_y, zero}, t.normal));
    t.normal = v3_select(top, (v3){zero, zero, one}, t.normal);
    if (!second) return t;
    vf nearest = vf_set((real)MAP_FAR);
    *two = vm_none(), *second = t;
    for (int k = 0; k < 5; k++) {
        const v3 n = {vf_set(k == 1 ? 1 : k == 2 ? -1 : 0), vf_set(k == 3 ? 1 : k == 4 ? -1 : 0), k ? zero : one};
        const vm apart = map_apart(n, t.normal);
        const vm better = vm_andnot(vm_and(apart, vm_and(vm_le(ways[k], reach), vm_lt(ways[k], nearest))), buried);
        nearest = vf_select(better, ways[k], nearest);
        *two = vm_or(*two, better);
        second->normal = v3_select(better, n, second->normal), second->distance = vf_select(better, ways[k], second->distance);
        second->flat = vm_or(second->flat, better);
        if (k == 1 || k == 2) second->corner.x = vf_select(better, walls[k], second->corner.x);
        if (k > 2) second->corner.y = vf_select(better, walls[k], second->corner.y);
    }
    return t;
}

#endif
