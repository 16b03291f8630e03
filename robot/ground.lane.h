/* The map in lanes: which samples a lane is near, and their heights. Each lane has an origin of its own, a sample of the map (i, k) and the
 * height there that counts as 0; whole heights are subtracted before they become reals, so that equal places have equal bits wherever they
 * lie. Indices are computed in integers, loads go lane by lane: as fast as gathers where there are any, and the same code everywhere. */
#ifndef MYR_ROBOT_GROUND_LANE_H
#define MYR_ROBOT_GROUND_LANE_H

#include <math.h>
#include <string.h>

#include "kernels/lane.h"
#include "terrain/terrain.h"

typedef int32_t vint __attribute__((vector_size(4 * VN)));
typedef uint32_t vword __attribute__((vector_size(4 * VN)));
typedef union vint_lanes {
    vint v;
    int32_t lane[VN];
} vint_lanes;

_Static_assert(MYR_TERRAIN_BLOCK == 8, "blocks are found by shifts");

typedef struct lane_ground {
    const struct myr_terrain *map; /* NULL: a plane */
    real cell, per_cell;           /* [m], [1/m] */
    real step, slope;              /* of one unit of height: [m], and in cells */
} lane_ground;

/* Where a lane's world begins. */
typedef struct ground_origin {
    vf i, k, height; /* a sample, and its height in units */
} ground_origin;

static inline lane_ground ground_of(const struct myr_terrain *map) {
    if (!map) return (lane_ground){NULL, 0, 0, 0, 0};
    return (lane_ground){map, (real)map->cell, (real)(1 / map->cell), (real)map->step, (real)(map->step / map->cell)};
}

/* The largest whole number that is not above x, |x| < 2^30. */
INLINE vf whole_below(vf x) {
    const vf whole = __builtin_convertvector(__builtin_convertvector(x, vint), vf);
    return vf_select(vm_lt(x, whole), whole - vf_set(1), whole);
}
/* NaN, too, goes to one of the ends. */
INLINE vf clamped(vf x, real low, real high) { return vf_max(vf_min(x, vf_set(high)), vf_set(low)); }

/* So many samples around a spot may be read, and beyond the border look as the border does. */
enum { GROUND_AROUND = 6 };
_Static_assert(2 * (int)GROUND_AROUND + 4 <= (int)MYR_TERRAIN_EDGE, "beyond the border, nothing else is seen");

/* So many samples to each side does a ball see: all that is within its radius. */
static inline int ground_around(double radius, double cell) { return radius <= 0.5 * cell ? 1 : (int)ceil(radius / cell + 0.5); }

/* A sample of the map that a lane is near, and what lies around it. */
typedef struct ground_spot {
    vf i, k;    /* from the origin, whole numbers */
    vf u, v;    /* how far from it, in cells */
    vint at;    /* its number; of a sample beyond the border: of one of the edge, which looks the same */
    vint block; /* the number of its block */
} ground_spot;

/* The sample whose number is the largest below a place [m], `aside` (in cells) to the left of it: 0.5 gives the nearest. */
INLINE ground_spot ground_spot_at(const lane_ground *g, const ground_origin *o, vf x, vf y, const real aside) {
    const struct myr_terrain *t = g->map;
    const vf most = vf_set((real)(1 << 29)), per = vf_set(g->per_cell);
    const vf u = vf_max(vf_min(per * x, most), -most), v = vf_max(vf_min(per * y, most), -most);
    ground_spot s = {.i = whole_below(u + vf_set(aside)), .k = whole_below(v + vf_set(aside))};
    s.u = u - s.i, s.v = v - s.k;
    const real low = GROUND_AROUND - MYR_TERRAIN_EDGE, high = MYR_TERRAIN_EDGE - 4 - GROUND_AROUND;
    const vint edge = (vint){0} + MYR_TERRAIN_EDGE;
    const vint i = __builtin_convertvector(clamped(s.i + o->i, low, (real)t->nx + high), vint) + edge;
    const vint k = __builtin_convertvector(clamped(s.k + o->k, low, (real)t->ny + high), vint) + edge;
    s.at = i * t->stride + k;
    s.block = (i >> 3) * t->block_stride + (k >> 3);
    return s;
}

/* `n` heights (1 to 4) of a row, from sample number `at` on, in units. */
INLINE void ground_row(const lane_ground *g, vint numbers, vf *out, const int n) {
    const vint_lanes at = {numbers};
    if (g->map->steps) {
        vint_lanes low, high;
        for (int lane = 0; lane < VN; lane++) {
            uint64_t four;
            memcpy(&four, g->map->steps + at.lane[lane], sizeof four);
            low.lane[lane] = (int32_t)(uint32_t)four, high.lane[lane] = (int32_t)(uint32_t)(four >> 32);
        }
        out[0] = __builtin_convertvector((vint)((vword)low.v << 16) >> 16, vf);
        if (n > 1) out[1] = __builtin_convertvector(low.v >> 16, vf);
        if (n > 2) out[2] = __builtin_convertvector((vint)((vword)high.v << 16) >> 16, vf);
        if (n > 3) out[3] = __builtin_convertvector(high.v >> 16, vf);
        return;
    }
    for (int j = 0; j < n; j++) {
        union {
            vf v;
            real lane[VN];
        } height;
        for (int lane = 0; lane < VN; lane++) height.lane[lane] = (real)g->map->heights[at.lane[lane] + j];
        out[j] = height.v;
    }
}

/* A number of each block, such as its kind. */
INLINE vf ground_block(const uint8_t *of_block, vint numbers) {
    const vint_lanes block = {numbers};
    vint_lanes out;
    for (int lane = 0; lane < VN; lane++) out.lane[lane] = of_block[block.lane[lane]];
    return __builtin_convertvector(out.v, vf);
}

/* Two numbers of each sample or block. */
INLINE void ground_pair(const float (*pairs)[2], vint numbers, vf *first, vf *second) {
    const vint_lanes at = {numbers};
    union {
        vf v;
        real lane[VN];
    } a, b;
    for (int lane = 0; lane < VN; lane++) a.lane[lane] = (real)pairs[at.lane[lane]][0], b.lane[lane] = (real)pairs[at.lane[lane]][1];
    *first = a.v, *second = b.v;
}

/* Of the lanes `alive` those where what reaches down to `lowest` [m], and so far aside of a place, is not above all ground there. */
static inline vm ground_within(const lane_ground *g, const ground_origin *o, v3 at, real aside, vf lowest, vm alive) {
    if (aside * g->per_cell > (real)(MYR_TERRAIN_BLOCK - 1)) return alive;
    const ground_spot s = ground_spot_at(g, o, at.x, at.y, (real)0.5);
    vf least, most;
    ground_pair(g->map->range, s.block, &least, &most);
    const vf high = vf_set(g->step) * (most - o->height);
    return vm_andnot(alive, vm_gt(lowest, vf_fma(vf_set((real)1e-5), vf_abs(lowest) + vf_abs(high), high)));
}

/* The lowest and the highest of a sample and of the eight around it, in units. */
INLINE void ground_range(const lane_ground *g, vint numbers, vf *low, vf *high) {
    if (!g->map->steps) {
        ground_pair(g->map->around, numbers, low, high);
        return;
    }
    const int16_t *const pairs = g->map->around;
    const vint_lanes at = {numbers};
    vint_lanes both;
    for (int lane = 0; lane < VN; lane++) memcpy(&both.lane[lane], pairs + 2 * (size_t)at.lane[lane], sizeof both.lane[lane]);
    *low = __builtin_convertvector((vint)((vword)both.v << 16) >> 16, vf);
    *high = __builtin_convertvector(both.v >> 16, vf);
}

/* Lanes in which the spot lies in columns. */
INLINE vm ground_columns(const lane_ground *g, const ground_spot *s) {
    if (!g->map->has_columns) return vm_none();
    if (!g->map->has_fields) return vm_all();
    return vm_gt(ground_block(g->map->columns, s->block), vf_zero());
}

/* The plane of the triangle below a place: its slopes, and a point of it [m]. */
typedef struct ground_below {
    vf a, b;
    v3 corner;
} ground_below;

INLINE ground_below ground_triangle(const lane_ground *g, const ground_origin *o, vf x, vf y) {
    const ground_spot s = ground_spot_at(g, o, x, y, 0);
    vf near[2], far[2];
    ground_row(g, s.at, near, 2), ground_row(g, s.at + g->map->stride, far, 2);
    const vm lower = vm_ge(s.u, s.v);
    const vf middle = vf_select(lower, far[0], near[1]), slope = vf_set(g->slope), cell = vf_set(g->cell);
    return (ground_below){slope * vf_select(lower, middle - near[0], far[1] - middle),
                          slope * vf_select(lower, far[1] - middle, middle - near[0]),
                          {cell * s.i, cell * s.k, vf_set(g->step) * (near[0] - o->height)}};
}

/* Height of the ground at a place, above the origin's [m]. */
static inline vf ground_height(const lane_ground *g, const ground_origin *o, vf x, vf y) {
    const ground_below t = ground_triangle(g, o, x, y);
    const vf field = vf_fma(t.a, x - t.corner.x, vf_fma(t.b, y - t.corner.y, t.corner.z));
    if (!g->map->has_columns) return field;
    const ground_spot s = ground_spot_at(g, o, x, y, (real)0.5);
    vf top;
    ground_row(g, s.at, &top, 1);
    return vf_select(ground_columns(g, &s), vf_set(g->step) * (top - o->height), field);
}

#endif
