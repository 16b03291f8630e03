/* Vertices of the map that stick into a box, a cylinder or a hull: its corners alone may stand to both sides of a spike. A sharp vertex
 * (terrain/sharp.c) below the solid is put against it in closed form; of a hull against the planes of its faces. The normal is that of the
 * solid's surface, reversed; one that does not lift is none of ours. In each quarter of the solid, seen along that of its axes which is the
 * most upright, the deepest vertex counts: what stands on four spikes has all of them.
 *
 * What is missed is a ridge between two vertices that crosses a face between its corners: features finer than a cell. */
#ifndef MYR_COLLISION_MAP_SPIKES_LANE_H
#define MYR_COLLISION_MAP_SPIKES_LANE_H

#include "geoms.lane.h"
#include "robot/ground.lane.h"

#define MAP_SPIKE_LIFTS 1e-3 /* the least z of a normal: beside an upright wall rounding would decide */

/* Where a solid is: its middle [m] from the origin, its axes (own -> world, row-major), how far above the ground it may be met, and half
 * the sides of the box around it along the world's axes. */
typedef struct map_flat {
    const lane_flat *is;
    v3 center;
    vf F[9], reach, extent[3];
} map_flat;

/* With its axes known. */
INLINE void map_flat_extent(map_flat *f) {
    const real *half = f->is->half;
    for (int k = 0; k < 3; k++) {
        const vf *row = f->F + 3 * k;
        f->extent[k] = vf_fma(vf_set(half[0]), vf_abs(row[0]), vf_fma(vf_set(half[1]), vf_abs(row[1]), vf_set(half[2]) * vf_abs(row[2])));
    }
}

/* By quarter: the deepest vertex, as the place of the solid's surface that it meets, from the middle, world axes. */
typedef struct map_spikes {
    vm has[MYR_SPIKE_SLOTS];
    vf distance[MYR_SPIKE_SLOTS];
    v3 normal[MYR_SPIKE_SLOTS], at[MYR_SPIKE_SLOTS]; /* normal: out of the ground */
} map_spikes;

/* Which of so many samples from some numbers on are sharp, a bit each. */
enum { SPIKES_AT_ONCE = 8 };
INLINE vint_lanes ground_sharp(const lane_ground *g, vint numbers) {
    const vint_lanes at = {numbers};
    vint_lanes out;
    for (int lane = 0; lane < VN; lane++) {
        const uint8_t *bits = g->map->sharp + (at.lane[lane] >> 3);
        out.lane[lane] = (bits[0] | bits[1] << 8) >> (at.lane[lane] & 7) & 0xff;
    }
    return out;
}

/* A vertex, v from the middle, where `may`: kept if it is the deepest of its quarter. */
static void keep_spike(const map_flat *f, v3 v, vm may, map_spikes *s) {
    const vf *F = f->F, zero = vf_zero();
    const v3 q = m3_mul_t(F, v);
    v3 out;
    const vf d = geom_distance(f->is, q, &out);
    const v3 n = v3_scale(vf_set(-1), m3_mul(F, out));
    may = vm_and(may, vm_gt(n.z, vf_set((real)MAP_SPIKE_LIFTS)));
    if (!vm_any(may)) return;
    const vf x = vf_abs(F[6]), y = vf_abs(F[7]), z = vf_abs(F[8]);
    const vm by_z = vm_and(vm_ge(z, x), vm_ge(z, y)), by_y = vm_andnot(vm_ge(y, x), by_z);
    const vm first = vm_gt(vf_select(by_z, q.x, vf_select(by_y, q.z, q.y)), zero);
    const vm second = vm_gt(vf_select(by_z, q.y, vf_select(by_y, q.x, q.z)), zero);
    const v3 at = v3_fma(d, n, v);
    for (int k = 0; k < MYR_SPIKE_SLOTS; k++) {
        vm mine = k & 1 ? vm_and(may, first) : vm_andnot(may, first);
        mine = k & 2 ? vm_and(mine, second) : vm_andnot(mine, second);
        mine = vm_and(mine, vm_lt(d, s->distance[k]));
        s->has[k] = vm_or(s->has[k], mine), s->distance[k] = vf_select(mine, d, s->distance[k]);
        s->normal[k] = v3_select(mine, n, s->normal[k]), s->at[k] = v3_select(mine, at, s->at[k]);
    }
}

/* What find_spikes goes through: places in samples, by lane. */
typedef struct spike_window {
    ground_spot spot;
    vf u, v, lowest; /* the middle, from the spot; below this no vertex is met, from the middle [m] */
} spike_window;

/* Some vertices of a row, from (i, k) on; those of `row` up to last_k. */
static void row_spikes(const lane_ground *g, const ground_origin *o, const map_flat *f, const spike_window *w, const int columns, vf i,
                       vf k, vf last_k, vm row, map_spikes *out) {
    const vf cell = vf_set(g->cell);
    const ground_spot at = ground_spot_at(g, o, cell * (w->spot.i + i), cell * (w->spot.k + k), (real)0.5);
    const vint_lanes sharp = ground_sharp(g, at.at);
    const unsigned lanes = vm_bits(row);
    unsigned some = 0;
    for (int lane = 0; lane < VN; lane++) some |= lanes >> lane & 1 ? (unsigned)sharp.lane[lane] : 0;
    for (; some; some &= some - 1) {
        const int m = __builtin_ctz(some);
        const vf its = k + vf_set((real)m), is = __builtin_convertvector(sharp.v >> m & 1, vf);
        vm may = vm_and(vm_and(row, vm_gt(is, vf_zero())), vm_le(its, last_k));
        if (!vm_any(may)) continue;
        if (g->map->has_columns && g->map->has_fields) {
            const ground_spot own = ground_spot_at(g, o, cell * (w->spot.i + i), cell * (w->spot.k + its), (real)0.5);
            const vm pillars = ground_columns(g, &own);
            may = columns ? vm_and(may, pillars) : vm_andnot(may, pillars);
        }
        vf h[4];
        ground_row(g, at.at + m, h, columns ? 2 : 1);
        if (columns) ground_row(g, at.at + (m + g->map->stride), h + 2, 2), h[0] = vf_max(vf_max(h[0], h[1]), vf_max(h[2], h[3]));
        const v3 vertex = {cell * (i - w->u), cell * (its - w->v), vf_set(g->step) * (h[0] - o->height) - f->center.z};
        may = vm_and(may, vm_ge(vertex.z, w->lowest));
        if (vm_any(may)) keep_spike(f, vertex, may, out);
    }
}

/* All vertices of one kind of ground below the solid. Corners of pillars lie in the middle between samples. */
static void find_spikes(const lane_ground *g, const ground_origin *o, const map_flat *f, const int columns, vm alive, map_spikes *out) {
    const vf zero = vf_zero(), one = vf_set(1), per = vf_set(g->per_cell), half = vf_set(columns ? (real)0.5 : 0);
    spike_window w = {.spot = ground_spot_at(g, o, f->center.x, f->center.y, (real)0.5)};
    w.u = w.spot.u - half, w.v = w.spot.v - half, w.lowest = zero - f->extent[2] - f->reach;
    const vf ex = per * f->extent[0], ey = per * f->extent[1];
    const vf first_i = zero - whole_below(zero - clamped(w.u - ex, (real)-1e6, (real)1e6)), last_i = w.u + ex;
    const vf first_k = zero - whole_below(zero - clamped(w.v - ey, (real)-1e6, (real)1e6)), last_k = w.v + ey;
    const int most = (int)(2 * f->is->radius * g->per_cell) + 2;
    vf i = first_i;
    for (int n = 0; n < most; n++, i = i + one) {
        const vm row = vm_and(alive, vm_le(i, last_i));
        if (!vm_any(row)) return;
        for (int m = 0; m < most; m += SPIKES_AT_ONCE) row_spikes(g, o, f, &w, columns, i, first_k + vf_set((real)m), last_k, row, out);
    }
}

/* Lanes, of `alive`, in which the ground below the solid gets as high as that: by squares of nine samples. */
static __attribute__((noinline)) vm map_flat_near(const lane_ground *g, const ground_origin *o, const map_flat *f, vm alive) {
    const vf zero = vf_zero(), one = vf_set(1), per = vf_set(g->per_cell), cell = vf_set(g->cell),
             lowest = f->center.z - f->extent[2] - f->reach;
    const ground_spot s = ground_spot_at(g, o, f->center.x, f->center.y, (real)0.5);
    const vf ex = per * f->extent[0], ey = per * f->extent[1];
    const vf first_i = whole_below(clamped(s.u - ex, (real)-1e6, (real)1e6)), last_i = zero - whole_below(zero - s.u - ex);
    const vf first_k = whole_below(clamped(s.v - ey, (real)-1e6, (real)1e6)), last_k = zero - whole_below(zero - s.v - ey);
    const int most = (int)(2 * f->is->radius * g->per_cell) + 3;
    vm near = vm_none();
    for (int n = 0; n < most; n += 3) {
        const vf i = first_i + vf_set((real)n);
        const vm row = vm_and(alive, vm_le(i, last_i));
        if (!vm_any(row)) break;
        for (int m = 0; m < most; m += 3) {
            const vf k = first_k + vf_set((real)m);
            const vm square = vm_and(row, vm_le(k, last_k));
            if (!vm_any(square)) break;
            const ground_spot middle = ground_spot_at(g, o, cell * (s.i + i + one), cell * (s.k + k + one), (real)0.5);
            vf low, high;
            ground_range(g, middle.at, &low, &high);
            near = vm_or(near, vm_andnot(square, vm_lt(vf_set(g->step) * (high - o->height), lowest)));
        }
    }
    return near;
}

/* Blocks with sharp vertices around a solid no wider than a block, which lies in those of its corners, for any lane. */
INLINE int has_spikes(const lane_ground *g, const ground_origin *o, const map_flat *f, vm alive) {
    if (2 * f->is->radius * g->per_cell > (real)(MYR_TERRAIN_BLOCK - 1)) return 1;
    const vf high = vf_set(f->is->radius), low = high + vf_set((real)(g->map->has_columns ? 0.5 * g->cell : 0));
    for (int k = 0; k < 4; k++) {
        const vf x = k & 1 ? f->center.x + high : f->center.x - low, y = k & 2 ? f->center.y + high : f->center.y - low;
        const ground_spot s = ground_spot_at(g, o, x, y, (real)0.5);
        if (vm_any(vm_and(alive, vm_gt(ground_block(g->map->spiky, s.block), vf_zero())))) return 1;
    }
    return 0;
}

/* Returns whether some lane of `alive` has a vertex to look at. */
static __attribute__((noinline)) int map_flat_spikes(const lane_ground *g, const ground_origin *o, const map_flat *f, vm alive,
                                                     map_spikes *out) {
    if (!has_spikes(g, o, f, alive)) return 0;
    vm any = vm_none();
    for (int k = 0; k < MYR_SPIKE_SLOTS; k++) {
        out->has[k] = vm_none(), out->distance[k] = vf_set((real)MAP_FAR);
        out->normal[k] = (v3){vf_zero(), vf_zero(), vf_set(1)}, out->at[k] = v3_zero();
    }
    if (g->map->has_fields) find_spikes(g, o, f, 0, alive, out);
    if (g->map->has_columns) find_spikes(g, o, f, 1, alive, out);
    for (int k = 0; k < MYR_SPIKE_SLOTS; k++) any = vm_or(any, out->has[k]);
    return vm_any(any);
}

#endif
