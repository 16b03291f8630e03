/* A ray on a map, from one line of it to the next in plan.
 *
 * On a field lines are x = i, y = k, x - y = m. Where a ray crosses one, the height is linear between two samples; from crossing to
 * crossing its clearance is linear: the root is exact, and no triangle is tested. On columns lines lie half a cell aside, between two of
 * them the height is a sample's, and where a ray comes to lie under it there is a wall. Maps of both kinds have both families of lines.
 *
 * High above the ground a ray goes on by several cells at once: each block knows the highest sample of it and of the eight around it. How a
 * lane goes depends on itself alone; the others wait. */
#ifndef MYR_COLLISION_RAYS_MAP_LANE_H
#define MYR_COLLISION_RAYS_MAP_LANE_H

#include "rays_shapes.lane.h"
#include "robot/ground.lane.h"

enum { RAY_LINES = 24 }; /* crossed before a lane looks again whether it is high above the ground */

/* How a coordinate along a ray meets whole numbers. */
typedef struct ray_rate {
    vf step, per, never; /* +1 or -1; ray for each unit [m], 0 where none is met: then never is far */
} ray_rate;

INLINE ray_rate ray_rate_of(vf rate) {
    const vf zero = vf_zero(), one = vf_set(1);
    const vm still = vm_le(vf_abs(rate), vf_set(1 / RAY_FAR));
    return (ray_rate){vf_select(vm_gt(rate, zero), one, -one), vf_select(still, zero, one / vf_select(still, one, rate)),
                      vf_select(still, vf_set(RAY_FAR), zero)};
}

/* A ray as the map sees it. Numbers of samples from the one below its origin on. */
typedef struct ray_way {
    const lane_ground *g;
    vf u, v, z;            /* its origin: in that cell [cells]; above the height of the environment's 0 [m] */
    vf du, dv, dz;         /* for each metre; 0 where the lines of an axis are never crossed */
    ray_rate x, y, across; /* of du, dv, du - dv */
    vf leap;               /* how far it stays among the samples around its block [m] */
    vf fall;               /* way for each metre that it falls; 0: it does not */
    vf i, k;               /* that sample on the map */
    vf height;             /* of the environment's 0, in units */
    vf end;                /* where it ends [m] */
} ray_way;

/* What a ray meets of the map. */
typedef struct ray_hit {
    vf t;      /* RAY_FAR: nothing */
    vf within; /* a place on the ray within the segment that met something */
    v3 wall;   /* normal, of a wall; 0 else */
} ray_hit;

static inline ray_hit ray_no_hit(void) { return (ray_hit){vf_set(RAY_FAR), vf_zero(), v3_zero()}; }

INLINE vf ray_x(const ray_way *w, vf t) { return vf_fma(t, w->du, w->u); }
INLINE vf ray_y(const ray_way *w, vf t) { return vf_fma(t, w->dv, w->v); }
INLINE vf ray_z(const ray_way *w, vf t) { return vf_fma(t, w->dz, w->z); }

/* Sample (i, k) as the map counts with its edges. */
INLINE void ray_sample(const ray_way *w, vf i, vf k, vint *row, vint *column) {
    const struct myr_terrain *map = w->g->map;
    const real low = 1 - MYR_TERRAIN_EDGE, high = MYR_TERRAIN_EDGE - 3;
    *row = __builtin_convertvector(clamped(i + w->i, low, (real)map->nx + high), vint) + MYR_TERRAIN_EDGE;
    *column = __builtin_convertvector(clamped(k + w->k, low, (real)map->ny + high), vint) + MYR_TERRAIN_EDGE;
}

INLINE vint ray_number(const ray_way *w, vf i, vf k) {
    vint row, column;
    ray_sample(w, i, k, &row, &column);
    return row * w->g->map->stride + column;
}

/* Of samples, in units. */
INLINE vf ray_height(const ray_way *w, vint numbers) {
    const struct myr_terrain *map = w->g->map;
    const vint_lanes at = {numbers};
    if (map->steps) {
        vint_lanes steps;
        for (int lane = 0; lane < VN; lane++) steps.lane[lane] = map->steps[at.lane[lane]];
        return __builtin_convertvector(steps.v, vf);
    }
    union {
        vf v;
        real lane[VN];
    } heights;
    for (int lane = 0; lane < VN; lane++) heights.lane[lane] = (real)map->heights[at.lane[lane]];
    return heights.v;
}

/* The plane of the triangle at a place: height = low + a x + b y [units], of the cell from (i, k). */
typedef struct ray_face {
    vf i, k, low, a, b;
} ray_face;

INLINE ray_face ray_triangle(const ray_way *w, vf x, vf y) {
    ray_face f = {.i = whole_below(x), .k = whole_below(y)};
    const vm lower = vm_ge(x - f.i, y - f.k);
    const vint at = ray_number(w, f.i, f.k);
    vf near[2], far[2];
    ground_row(w->g, at, near, 2), ground_row(w->g, at + w->g->map->stride, far, 2);
    const vf middle = vf_select(lower, far[0], near[1]);
    f.low = near[0] - w->height;
    f.a = vf_select(lower, middle - near[0], far[1] - middle), f.b = vf_select(lower, far[1] - middle, middle - near[0]);
    return f;
}

/* How far above it the ray is at t [m]. */
INLINE vf ray_over(const ray_way *w, const ray_face *f, vf t) {
    const vf height = vf_fma(f->a, ray_x(w, t) - f->i, vf_fma(f->b, ray_y(w, t) - f->k, f->low));
    return vf_fnma(vf_set(w->g->step), height, ray_z(w, t));
}

/* The nearest sample, and the lanes in which it is of columns. */
INLINE vm ray_columns(const ray_way *w, vf i, vf k) {
    const struct myr_terrain *map = w->g->map;
    if (!map->has_columns) return vm_none();
    if (!map->has_fields) return vm_all();
    vint row, column;
    ray_sample(w, i, k, &row, &column);
    return vm_gt(ground_block(map->columns, (row >> 3) * map->block_stride + (column >> 3)), vf_zero());
}

/* The ground at t, as its nearest sample (i, k) has it: a triangle, or the level top of a pillar. */
INLINE ray_face ray_ground(const ray_way *w, vf t, vf i, vf k, vm columns) {
    const vf low = ray_height(w, ray_number(w, i, k)) - w->height, zero = vf_zero();
    ray_face f = ray_triangle(w, ray_x(w, t), ray_y(w, t));
    f.low = vf_select(columns, low, f.low), f.a = vf_select(columns, zero, f.a), f.b = vf_select(columns, zero, f.b);
    return f;
}

INLINE vf ray_half(vf x) { return whole_below(x + vf_set((real)0.5)); }

/* ---- ahead ------------------------------------------------------------------------------------------------------------- */

/* Lanes of `alive` that can go on without meeting anything, and how far: as long as the ray stays above all samples around its block, and
 * within them. again: those that may go on from there. */
INLINE vm ray_ahead(const ray_way *w, vf t, vm alive, vf *to, vm *again) {
    const struct myr_terrain *map = w->g->map;
    const vf zero = vf_zero();
    vint row, column;
    vf low, high;
    ray_sample(w, ray_half(ray_x(w, t)), ray_half(ray_y(w, t)), &row, &column);
    ground_pair(map->range, (row >> 3) * map->block_stride + (column >> 3), &low, &high);
    const vf top = vf_set(w->g->step) * (high - w->height), z = ray_z(w, t);
    const vf margin = vf_set((real)1e-5) * (vf_abs(z) + vf_abs(top)), spare = (z - top) - margin; /* more than rounding */
    const vf reach = vf_min(w->leap, vf_select(vm_gt(w->fall, zero), spare * w->fall, w->leap));
    const vm upright = vm_ge(w->leap, vf_set(RAY_FAR));
    /* less is not worth it, and would never end */
    const vm worth = vm_or(vm_and(upright, vm_gt(spare, margin)), vm_andnot(vm_ge(reach, vf_set((real)0.25) * w->leap), upright));
    const vm goes = vm_and(alive, vm_and(vm_gt(spare, zero), worth));
    *to = t + reach;
    *again = vm_and(goes, vm_ge(reach, w->leap));
    return goes;
}

/* All that can be gone so from t on. Returns which lanes went. */
INLINE vm ray_leaps(const ray_way *w, vf *t, vm *alive) {
    vm moved = vm_none(), again = *alive;
    while (vm_any(again)) {
        vf to;
        const vm goes = ray_ahead(w, *t, again, &to, &again);
        *t = vf_select(goes, to, *t);
        moved = vm_or(moved, goes), *alive = vm_and(*alive, vm_lt(*t, w->end)), again = vm_and(again, *alive);
    }
    return moved;
}

/* ---- lines ------------------------------------------------------------------------------------------------------------- */

/* One family of lines: the next one, and where it is crossed. */
typedef struct ray_lines {
    vf next, t;
} ray_lines;

INLINE void ray_lines_at(ray_lines *l, const ray_rate *rate, vf from) { l->t = vf_fma(l->next - from, rate->per, rate->never); }

/* Lines at whole numbers of a coordinate that is `from` where the ray begins, and x now. */
INLINE ray_lines ray_lines_of(const ray_rate *rate, vf from, vf x) {
    const vf below = whole_below(x);
    ray_lines l = {.next = below + vf_max(rate->step, vf_zero())};
    ray_lines_at(&l, rate, from);
    return l;
}

INLINE void ray_lines_cross(ray_lines *l, const ray_rate *rate, vf from, vm which) {
    l->next = l->next + vf_select(which, rate->step, vf_zero());
    ray_lines_at(l, rate, from);
}

INLINE ray_lines ray_lines_select(vm m, const ray_lines *a, const ray_lines *b) {
    return (ray_lines){vf_select(m, a->next, b->next), vf_select(m, a->t, b->t)};
}

/* Where clearance falls from c to less than 0, from t to end. */
INLINE vf ray_root(vf t, vf end, vf c, vf less) { return vf_fma(end - t, c / (c - less), t); }

/* ---- a field ----------------------------------------------------------------------------------------------------------- */

typedef struct ray_field {
    vf t, c, i, k; /* where it is, its clearance there, the cell that it enters */
    ray_lines x, y, across;
} ray_field;

static ray_field ray_field_at(const ray_way *w, vf t) {
    const vf x = ray_x(w, t), y = ray_y(w, t);
    const ray_face face = ray_triangle(w, x, y);
    return (ray_field){t,
                       ray_over(w, &face, t),
                       face.i,
                       face.k,
                       ray_lines_of(&w->x, w->u, x),
                       ray_lines_of(&w->y, w->v, y),
                       ray_lines_of(&w->across, w->u - w->v, x - y)};
}

static void ray_field_select(vm m, const ray_field *a, ray_field *b) {
    b->t = vf_select(m, a->t, b->t), b->c = vf_select(m, a->c, b->c);
    b->i = vf_select(m, a->i, b->i), b->k = vf_select(m, a->k, b->k);
    b->x = ray_lines_select(m, &a->x, &b->x), b->y = ray_lines_select(m, &a->y, &b->y);
    b->across = ray_lines_select(m, &a->across, &b->across);
}

INLINE vm ray_field_lines(const ray_way *w, ray_field *f, vm alive, ray_hit *hit) {
    const vf zero = vf_zero(), one = vf_set(1), stride = vf_set((real)w->g->map->stride);
    for (int n = 0; n < RAY_LINES && vm_any(alive); n++) {
        const vf t = vf_max(vf_min(f->x.t, vf_min(f->y.t, f->across.t)), f->t);
        const vm on_x = vm_le(f->x.t, t), on_y = vm_andnot(vm_le(f->y.t, t), on_x), on_across = vm_not(vm_or(on_x, on_y));
        const vf i = vf_select(on_x, f->x.next, f->i), k = vf_select(on_y, f->y.next, vf_select(on_across, i - f->across.next, f->k));
        const vint at = ray_number(w, i, k);
        const vint other = at + __builtin_convertvector(vf_select(on_x, one, vf_select(on_y, stride, stride + one)), vint);
        const vf share = vf_max(vf_min(vf_select(on_x, ray_y(w, t) - k, ray_x(w, t) - i), one), zero);
        const vf first = ray_height(w, at), height = vf_fma(share, ray_height(w, other) - first, first - w->height);
        const vf c = vf_fnma(vf_set(w->g->step), height, ray_z(w, t));
        const vm meets = vm_and(alive, vm_and(vm_ge(f->c, zero), vm_lt(c, zero)));
        hit->t = vf_select(meets, ray_root(f->t, t, f->c, c), hit->t);
        hit->within = vf_select(meets, vf_set((real)0.5) * (f->t + vf_min(t, w->end)), hit->within);
        alive = vm_and(vm_andnot(alive, meets), vm_lt(t, w->end));
        f->t = t, f->c = c;
        f->i = f->i + vf_select(on_x, w->x.step, zero), f->k = f->k + vf_select(on_y, w->y.step, zero);
        ray_lines_cross(&f->x, &w->x, w->u, on_x), ray_lines_cross(&f->y, &w->y, w->v, on_y);
        ray_lines_cross(&f->across, &w->across, w->u - w->v, on_across);
    }
    return alive;
}

static __attribute__((noinline)) ray_hit ray_on_field(const ray_way *w, vf t, vm alive) {
    ray_hit hit = ray_no_hit();
    ray_leaps(w, &t, &alive);
    ray_field f = ray_field_at(w, t);
    for (;;) {
        alive = ray_field_lines(w, &f, alive, &hit);
        if (!vm_any(alive)) return hit;
        t = f.t;
        const vm moved = ray_leaps(w, &t, &alive);
        if (!vm_any(moved)) continue;
        const ray_field there = ray_field_at(w, t);
        ray_field_select(moved, &there, &f);
    }
}

/* ---- columns, and maps of both kinds ------------------------------------------------------------------------------------ */

typedef struct ray_pillars {
    vf t, i, k;                    /* where it is; the nearest sample */
    vm outside, columns;           /* above all ground up to there; the segment before was of a pillar */
    v3 wall;                       /* normal of the line crossed last, where that may be a wall; 0 else */
    ray_lines x, y;                /* between samples */
    ray_lines at_x, at_y, at_both; /* of triangles */
} ray_pillars;

/* mixed: the map has fields, too. */
INLINE ray_pillars ray_pillars_at(const ray_way *w, vf t, const int mixed) {
    const vf half = vf_set((real)0.5), x = ray_x(w, t), y = ray_y(w, t);
    ray_pillars f = {.t = t, .i = ray_half(x), .k = ray_half(y), .columns = vm_all(), .wall = v3_zero()};
    f.x = ray_lines_of(&w->x, w->u + half, x + half), f.y = ray_lines_of(&w->y, w->v + half, y + half);
    f.at_x = ray_lines_of(&w->x, w->u, x), f.at_y = ray_lines_of(&w->y, w->v, y);
    f.at_both = ray_lines_of(&w->across, w->u - w->v, x - y);
    if (mixed) {
        f.columns = ray_columns(w, f.i, f.k);
        const ray_face face = ray_ground(w, t, f.i, f.k, f.columns);
        f.outside = vm_ge(ray_over(w, &face, t), vf_zero());
    } else {
        f.outside = vm_ge(ray_z(w, t), vf_set(w->g->step) * (ray_height(w, ray_number(w, f.i, f.k)) - w->height));
    }
    return f;
}

static vm vm_choose(vm m, vm a, vm b) { return vm_or(vm_and(m, a), vm_andnot(b, m)); }

INLINE void ray_pillars_select(vm m, const ray_pillars *a, ray_pillars *b) {
    b->t = vf_select(m, a->t, b->t), b->i = vf_select(m, a->i, b->i), b->k = vf_select(m, a->k, b->k);
    b->outside = vm_choose(m, a->outside, b->outside), b->columns = vm_choose(m, a->columns, b->columns);
    b->wall = v3_select(m, a->wall, b->wall);
    b->x = ray_lines_select(m, &a->x, &b->x), b->y = ray_lines_select(m, &a->y, &b->y);
    b->at_x = ray_lines_select(m, &a->at_x, &b->at_x), b->at_y = ray_lines_select(m, &a->at_y, &b->at_y);
    b->at_both = ray_lines_select(m, &a->at_both, &b->at_both);
}

INLINE vm ray_pillars_lines(const ray_way *w, ray_pillars *f, vm alive, ray_hit *hit, const int mixed) {
    const vf zero = vf_zero(), half = vf_set((real)0.5);
    for (int n = 0; n < RAY_LINES && vm_any(alive); n++) {
        vf t = vf_min(f->x.t, f->y.t);
        if (mixed) t = vf_min(t, vf_min(f->at_x.t, vf_min(f->at_y.t, f->at_both.t)));
        t = vf_max(t, f->t);
        const vf middle = half * (f->t + vf_min(t, w->end));
        vm columns = vm_all();
        vf begins, ends;
        if (mixed) {
            columns = ray_columns(w, f->i, f->k);
            const ray_face face = ray_ground(w, middle, f->i, f->k, columns);
            begins = ray_over(w, &face, f->t), ends = ray_over(w, &face, t);
        } else {
            const vf top = vf_set(w->g->step) * (ray_height(w, ray_number(w, f->i, f->k)) - w->height);
            begins = ray_z(w, f->t) - top, ends = ray_z(w, t) - top;
        }
        /* from one triangle to the next that is rounding, and of a ray that rises no hit */
        const vm walls = vm_or(columns, f->columns), lower = vm_or(walls, vm_lt(ends, begins));
        const vm enters = vm_and(vm_and(alive, f->outside), vm_and(vm_lt(begins, zero), lower));
        const vm meets = vm_and(alive, vm_and(vm_ge(begins, zero), vm_lt(ends, zero))), wall = vm_and(enters, walls);
        hit->t = vf_select(enters, f->t, vf_select(meets, ray_root(f->t, t, begins, ends), hit->t));
        hit->within = vf_select(vm_or(enters, meets), middle, hit->within);
        hit->wall = v3_select(wall, f->wall, hit->wall);
        alive = vm_and(vm_andnot(alive, vm_or(enters, meets)), vm_lt(t, w->end));
        const vm on_x = vm_le(f->x.t, t), on_y = vm_andnot(vm_le(f->y.t, t), on_x);
        f->t = t, f->outside = vm_ge(ends, zero), f->columns = columns;
        f->wall = (v3){vf_select(on_x, -w->x.step, zero), vf_select(on_y, -w->y.step, zero), zero};
        f->i = f->i + vf_select(on_x, w->x.step, zero), f->k = f->k + vf_select(on_y, w->y.step, zero);
        ray_lines_cross(&f->x, &w->x, w->u + half, on_x), ray_lines_cross(&f->y, &w->y, w->v + half, on_y);
        if (!mixed) continue;
        const vm none = vm_not(vm_or(on_x, on_y)), at_x = vm_and(none, vm_le(f->at_x.t, t));
        const vm at_y = vm_andnot(vm_and(none, vm_le(f->at_y.t, t)), at_x), at_both = vm_andnot(none, vm_or(at_x, at_y));
        ray_lines_cross(&f->at_x, &w->x, w->u, at_x), ray_lines_cross(&f->at_y, &w->y, w->v, at_y);
        ray_lines_cross(&f->at_both, &w->across, w->u - w->v, at_both);
    }
    return alive;
}

INLINE ray_hit ray_on_pillars(const ray_way *w, vf t, vm alive, const int mixed) {
    ray_hit hit = ray_no_hit();
    ray_leaps(w, &t, &alive);
    ray_pillars f = ray_pillars_at(w, t, mixed);
    for (;;) {
        alive = ray_pillars_lines(w, &f, alive, &hit, mixed);
        if (!vm_any(alive)) return hit;
        t = f.t;
        const vm moved = ray_leaps(w, &t, &alive);
        if (!vm_any(moved)) continue;
        const ray_pillars there = ray_pillars_at(w, t, mixed);
        ray_pillars_select(moved, &there, &f);
    }
}

static __attribute__((noinline)) ray_hit ray_on_columns(const ray_way *w, vf t, vm alive) { return ray_on_pillars(w, t, alive, 0); }
static __attribute__((noinline)) ray_hit ray_on_mixed(const ray_way *w, vf t, vm alive) { return ray_on_pillars(w, t, alive, 1); }

/* ---- all ----------------------------------------------------------------------------------------------------------------- */

/* Out of what was met. */
static v3 ray_map_normal(const ray_way *w, const ray_hit *hit) {
    const vf zero = vf_zero(), one = vf_set(1), x = ray_x(w, hit->within), y = ray_y(w, hit->within);
    vf a = zero, b = zero;
    if (w->g->map->has_fields) {
        const ray_face face = ray_triangle(w, x, y);
        const vm columns = ray_columns(w, ray_half(x), ray_half(y));
        const vf slope = vf_set(w->g->slope);
        a = vf_select(columns, zero, slope * face.a), b = vf_select(columns, zero, slope * face.b);
    }
    const vf inverse = one / vf_sqrt(vf_fma(a, a, vf_fma(b, b, one)));
    const vm wall = vm_gt(vf_abs(hit->wall.x) + vf_abs(hit->wall.y), zero);
    return v3_select(wall, hit->wall, (v3){zero - a * inverse, zero - b * inverse, inverse});
}

/* What rays from o along the unit vectors d (world) meet of the map, nearer than `range`: where, RAY_FAR if nothing; `level`: height of the
 * map's 0. */
static vf ray_map(const lane_ground *g, const ground_origin *origin, vf level, v3 o, v3 d, vf range, vm alive, v3 *normal) {
    const vf most = vf_set((real)(1 << 29)), per = vf_set(g->per_cell), zero = vf_zero(), still = vf_set(1 / RAY_FAR);
    const vf u = vf_max(vf_min(per * o.x, most), -most), v = vf_max(vf_min(per * o.y, most), -most);
    const vf i = whole_below(u), k = whole_below(v);
    ray_way w; /* one that is filled with zeros first takes as long as some crossings */
    w.g = g, w.u = u - i, w.v = v - k, w.z = o.z - level, w.du = per * d.x, w.dv = per * d.y, w.dz = d.z;
    w.i = i + origin->i, w.k = k + origin->k, w.height = origin->height;
    w.du = vf_select(vm_gt(vf_abs(w.du), still), w.du, zero), w.dv = vf_select(vm_gt(vf_abs(w.dv), still), w.dv, zero);
    w.x = ray_rate_of(w.du), w.y = ray_rate_of(w.dv), w.across = ray_rate_of(w.du - w.dv);
    const vm falls = vm_lt(d.z, -still), rises = vm_gt(d.z, still);
    const vf steep = vf_set(1) / vf_select(vm_or(falls, rises), vf_abs(d.z), vf_set(1)), rate = vf_max(vf_abs(w.du), vf_abs(w.dv));
    w.leap = vf_min(vf_set((real)(MYR_TERRAIN_BLOCK - 1)) / vf_max(rate, still), vf_set(RAY_FAR));
    w.fall = vf_select(falls, steep, zero);
    /* nothing is above the highest sample */
    const vf highest = vf_set((real)(g->map->highest / g->map->step)) - w.height;
    const vf top = vf_set(g->step) * highest, over = w.z - vf_fma(vf_set((real)1e-5), vf_abs(w.z) + vf_abs(top), top);
    const vm high = vm_gt(over, zero);
    const vf way = vf_abs(over) * steep;
    const vf begins = vf_select(vm_and(high, falls), way, zero);
    const vf out = vf_fma(vf_set((real)4e-5) * steep, vf_abs(w.z) + vf_abs(top), way);
    w.end = vf_select(vm_andnot(rises, high), vf_min(range, out), range);
    alive = vm_and(vm_andnot(alive, vm_andnot(high, falls)), vm_lt(begins, w.end));
    const ray_hit hit = !g->map->has_columns  ? ray_on_field(&w, begins, alive)
                        : !g->map->has_fields ? ray_on_columns(&w, begins, alive)
                                              : ray_on_mixed(&w, begins, alive);
    const vm meets = vm_le(hit.t, range);
    if (normal && vm_any(meets)) *normal = ray_map_normal(&w, &hit);
    return vf_select(meets, hit.t, vf_set(RAY_FAR));
}

#endif
