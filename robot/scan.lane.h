/* The height scan: heights of the ground at points about a place that go along with its heading.
 *
 * The place is cut into a sample of the map and a rest, so that a point's rounding is that of a length within the pattern, wherever on the
 * map that lies: equal places have equal bits. Points go through in blocks: where they are, in lanes; their samples, lane by lane; their
 * heights, in lanes. A point takes half the time that it takes with ground_height, which does all three for one place (AVX2). */
#ifndef MYR_ROBOT_SCAN_LANE_H
#define MYR_ROBOT_SCAN_LANE_H

#include "place.lane.h"
#include "scan.h"

/* Where it is, world [m], and where its x axis points to, seen from above: a unit vector. */
typedef struct scan_pose {
    v3 at;
    vf c, s;
} scan_pose;

/* Of an axis (x, y, _) of length 1. One that stands upright to rounding, or is NaN, points ahead. */
static inline scan_pose scan_pose_of(v3 at, vf x, vf y) {
    const vf square = vf_fma(x, x, y * y), length = vf_sqrt(square);
    const vm lies = vm_and(vm_gt(square, vf_set(MYR_DOUBLE ? (real)1e-28 : (real)1e-12)), vm_finite(square));
    return (scan_pose){at, vf_select(lies, x / length, vf_set(1)), vf_select(lies, y / length, vf_zero())};
}

/* The base of a tree: its floating root; of a tree that is fixed to the world, the world's origin. */
static inline scan_pose scan_base(const part *p, int tree) {
    const lane_body *root = &p->r->bodies[p->r->tree_root[tree]];
    if (root->joint != MYR_JOINT_FREE) return (scan_pose){v3_zero(), vf_set(1), vf_zero()};
    const vf *q = field_rows(p, MYR_ROWS_q) + PARTS * (root->q + 3);
    const vf w = q[0], x = q[PARTS], y = q[2 * PARTS], z = q[3 * PARTS];
    const vf scale = vf_set(2) / vf_fma(w, w, vf_fma(x, x, vf_fma(y, y, z * z)));
    return scan_pose_of(tree_position(p, tree), vf_fnma(scale, vf_fma(y, y, z * z), vf_set(1)), scale * vf_fma(x, y, w * z));
}

enum { SCAN_BLOCK = 8 }; /* points */

typedef float vsingle __attribute__((vector_size(4 * VN)));
typedef union scan_ints {
    vint v[SCAN_BLOCK];
    int32_t of[SCAN_BLOCK * VN];
} scan_ints;
typedef union scan_floats {
    vsingle v[SCAN_BLOCK];
    float of[SCAN_BLOCK * VN];
} scan_floats;

/* What is the same for all points of a part. */
typedef struct scan_look {
    const lane_ground *g;
    vf u, v;          /* the place in its cell */
    vf from;          /* to sample i, k, so far that all points are ahead of it, in cells: there the whole part is the number below */
    vf i, k;          /* on the map */
    vint row, column; /* the same, counted with the edges; where `inside` */
    vf c, s;          /* heading, in cells per metre */
    vf height, level; /* of the map, which is 0, in units; where that lies, world z [m] */
    int inside;       /* no point is beyond the border's edges */
    int mixed;        /* fields and columns: asked by block */
    myr_scan_kind kind;
} scan_look;

/* A block of points: their cells, the samples of these. */
typedef struct scan_cells {
    vf u[SCAN_BLOCK], v[SCAN_BLOCK];
    scan_ints at, block;
    scan_ints near, far;                  /* whole heights: two of a row along y in a word, and of the row behind it */
    scan_floats near0, near1, far0, far1; /* heights that are floats */
    scan_ints columns;
} scan_cells;

/* Heights of a cell's corners, in units: of sample (i, k), its neighbours along y, along x, along both. */
typedef struct scan_corners {
    vf near0, near1, far0, far1;
} scan_corners;

static inline scan_look scan_open(const part *p, const scan_pose *at, const myr_scan_pattern *pattern, myr_scan_kind kind) {
    const lane_ground *g = &p->r->ground;
    const struct myr_terrain *t = g->map;
    const vf *origin = field_rows(p, MYR_ROWS_ground_at);
    const vf per = vf_set(g->per_cell), most = vf_set((real)(1 << 29));
    const int reach = (int)(pattern->reach * 1.5 / t->cell) + 2; /* samples; turned, it is longer */
    scan_look l = {.g = g, .c = per * at->c, .s = per * at->s, .height = origin[2 * PARTS], .kind = kind};
    if (kind == MYR_SCAN_EXACT && !t->has_fields) l.kind = MYR_SCAN_NEAREST;
    l.mixed = l.kind == MYR_SCAN_EXACT && t->has_columns;
    const vf u = vf_max(vf_min(per * at->at.x, most), -most), v = vf_max(vf_min(per * at->at.y, most), -most);
    const vf i = whole_below(u), k = whole_below(v), from = vf_set((real)reach + (l.kind == MYR_SCAN_NEAREST ? (real)0.5 : 0));
    l.u = u - i, l.v = v - k, l.from = from;
    l.i = (i + origin[0]) - vf_set((real)reach), l.k = (k + origin[PARTS]) - vf_set((real)reach);
    /* NaN where the place is NaN: what is found then lies on the map somewhere */
    l.level = vf_fma(vf_zero(), (at->at.x + at->at.y) + at->at.z, vf_set((real)p->options->ground));
    const real low = -MYR_TERRAIN_EDGE, wide = (real)(2 * reach + 2 - MYR_TERRAIN_EDGE);
    const vm along_x = vm_and(vm_ge(l.i, vf_set(low)), vm_le(l.i, vf_set((real)t->nx - wide)));
    const vm along_y = vm_and(vm_ge(l.k, vf_set(low)), vm_le(l.k, vf_set((real)t->ny - wide)));
    l.inside = !vm_any(vm_not(vm_and(along_x, along_y)));
    l.row = __builtin_convertvector(clamped(l.i, low, (real)t->nx), vint) + MYR_TERRAIN_EDGE;
    l.column = __builtin_convertvector(clamped(l.k, low, (real)t->ny), vint) + MYR_TERRAIN_EDGE;
    return l;
}

/* Points j, j + 1, .., the last one instead of those behind it. */
INLINE void scan_find(const scan_look *l, const myr_scan_pattern *pattern, int j, scan_cells *cells, const int inside, const int mixed) {
    const struct myr_terrain *t = l->g->map;
    const real low = 2 - MYR_TERRAIN_EDGE, high = MYR_TERRAIN_EDGE - 3;
    for (int b = 0; b < SCAN_BLOCK; b++) {
        const double *xy = pattern->points + 2 * (j + b < pattern->n ? j + b : pattern->n - 1);
        const vf x = vf_set((real)xy[0]), y = vf_set((real)xy[1]);
        const vf u = vf_fma(l->c, x, vf_fnma(l->s, y, l->u)), v = vf_fma(l->s, x, vf_fma(l->c, y, l->v));
        const vint whole_u = __builtin_convertvector(u + l->from, vint), whole_v = __builtin_convertvector(v + l->from, vint);
        const vf below_u = __builtin_convertvector(whole_u, vf), below_v = __builtin_convertvector(whole_v, vf);
        cells->u[b] = u - (below_u - l->from), cells->v[b] = v - (below_v - l->from);
        vint row = l->row + whole_u, column = l->column + whole_v;
        if (!inside) {
            row = __builtin_convertvector(clamped(below_u + l->i, low, (real)t->nx + high), vint) + MYR_TERRAIN_EDGE;
            column = __builtin_convertvector(clamped(below_v + l->k, low, (real)t->ny + high), vint) + MYR_TERRAIN_EDGE;
        }
        cells->at.v[b] = row * t->stride + column;
        if (!mixed) continue;
        const vf half = vf_set((real)0.5); /* by the block of the nearest sample */
        const vint near_row = row + __builtin_convertvector(cells->u[b] + half, vint);
        const vint near_column = column + __builtin_convertvector(cells->v[b] + half, vint);
        cells->block.v[b] = (near_row >> 3) * t->block_stride + (near_column >> 3);
    }
}

static inline void scan_fetch(const scan_look *l, scan_cells *cells) {
    const struct myr_terrain *t = l->g->map;
    const int stride = t->stride, nearest = l->kind == MYR_SCAN_NEAREST;
    const int32_t *at = cells->at.of;
    if (t->steps && nearest)
        for (int e = 0; e < SCAN_BLOCK * VN; e++) cells->near.of[e] = t->steps[at[e]];
    else if (t->steps)
        for (int e = 0; e < SCAN_BLOCK * VN; e++) {
            memcpy(&cells->near.of[e], t->steps + at[e], sizeof(int32_t));
            memcpy(&cells->far.of[e], t->steps + at[e] + stride, sizeof(int32_t));
        }
    else if (nearest)
        for (int e = 0; e < SCAN_BLOCK * VN; e++) cells->near0.of[e] = t->heights[at[e]];
    else
        for (int e = 0; e < SCAN_BLOCK * VN; e++) {
            const float *near = t->heights + at[e], *far = near + stride;
            cells->near0.of[e] = near[0], cells->near1.of[e] = near[1], cells->far0.of[e] = far[0], cells->far1.of[e] = far[1];
        }
    for (int e = 0; l->mixed && e < SCAN_BLOCK * VN; e++) cells->columns.of[e] = t->columns[cells->block.of[e]];
}

INLINE scan_corners scan_corners_of(const scan_cells *cells, int b, const int floats) {
    if (floats)
        return (scan_corners){__builtin_convertvector(cells->near0.v[b], vf), __builtin_convertvector(cells->near1.v[b], vf),
                              __builtin_convertvector(cells->far0.v[b], vf), __builtin_convertvector(cells->far1.v[b], vf)};
    const vint near = cells->near.v[b], far = cells->far.v[b];
    return (scan_corners){__builtin_convertvector((vint)((vword)near << 16) >> 16, vf), __builtin_convertvector(near >> 16, vf),
                          __builtin_convertvector((vint)((vword)far << 16) >> 16, vf), __builtin_convertvector(far >> 16, vf)};
}

/* The triangle's height over the origin's, units: from (i, k) along the axis that is ahead, then along the other. */
INLINE vf scan_triangle(const scan_look *l, const scan_corners *h, vf u, vf v) {
    const vf middle = vf_select(vm_ge(u, v), h->far0, h->near1);
    return vf_fma(vf_max(u, v), middle - h->near0, vf_fma(vf_min(u, v), h->far1 - middle, h->near0 - l->height));
}

INLINE vf scan_nearest(const scan_corners *h, vf u, vf v) {
    const vf half = vf_set((real)0.5);
    const vm ahead = vm_ge(u, half);
    return vf_select(vm_ge(v, half), vf_select(ahead, h->far1, h->near1), vf_select(ahead, h->far0, h->near0));
}

INLINE vf scan_bilinear(const scan_look *l, const scan_corners *h, vf u, vf v) {
    const vf across = h->near1 - h->near0, behind = h->far1 - h->far0;
    return vf_fma(u, h->far0 - h->near0, vf_fma(v, vf_fma(u, behind - across, across), h->near0 - l->height));
}

/* Heights of a block's points [m]. */
INLINE void scan_heights(const scan_look *l, const scan_cells *cells, int n, vf *out, const int floats) {
    const vf step = vf_set(l->g->step);
    for (int b = 0; b < n; b++) {
        const vf u = cells->u[b], v = cells->v[b];
        vf height;
        if (l->kind == MYR_SCAN_NEAREST) {
            height = floats ? __builtin_convertvector(cells->near0.v[b], vf) : __builtin_convertvector(cells->near.v[b], vf);
            height = height - l->height;
        } else {
            const scan_corners h = scan_corners_of(cells, b, floats);
            if (l->kind == MYR_SCAN_EXACT) {
                height = scan_triangle(l, &h, u, v);
                if (l->mixed)
                    height = vf_select(vm_gt(__builtin_convertvector(cells->columns.v[b], vf), vf_zero()),
                                       scan_nearest(&h, u, v) - l->height, height);
            } else if (l->kind == MYR_SCAN_BILINEAR) {
                height = scan_bilinear(l, &h, u, v);
            } else {
                height = vf_min(vf_min(h.near0, h.near1), h.far0) - l->height;
            }
        }
        out[b] = vf_fma(step, height, l->level);
    }
}

/* World z of a plane [m]; NaN where the place is. */
static inline vf scan_plane(const part *p, v3 at) { return vf_fma(vf_zero(), (at.x + at.y) + at.z, vf_set((real)p->options->ground)); }

/* World z of the ground [m] at each point of the pattern about a pose, n of them into `out`; -infinity without ground; NaN where the pose
 * is NaN. */
static void scan_ground(const part *p, const scan_pose *at, const myr_scan_pattern *pattern, myr_scan_kind kind, vf *out) {
    if (!p->r->ground.map) {
        const vf level = scan_plane(p, at->at);
        for (int j = 0; j < pattern->n; j++) out[j] = level;
        return;
    }
    const scan_look l = scan_open(p, at, pattern, kind);
    scan_cells cells;
    for (int j = 0; j < pattern->n; j += SCAN_BLOCK) {
        const int left = pattern->n - j, n = left < SCAN_BLOCK ? left : SCAN_BLOCK;
        if (l.inside && l.mixed)
            scan_find(&l, pattern, j, &cells, 1, 1);
        else if (l.inside)
            scan_find(&l, pattern, j, &cells, 1, 0);
        else
            scan_find(&l, pattern, j, &cells, 0, 1);
        scan_fetch(&l, &cells);
        if (p->r->ground.map->steps)
            scan_heights(&l, &cells, n, out + j, 0);
        else
            scan_heights(&l, &cells, n, out + j, 1);
    }
}

#endif
