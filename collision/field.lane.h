/* A ball on a field: the closest point of the triangles around the nearest sample.
 *
 * Then no inner edge can catch: over a flat or a concave edge the closest point lies on a face. Peers collide triangle by triangle and
 * throw away by flags of edges what that makes of them (Box3D, Bullet).
 *
 * Lengths in cells, from the sample on. Eight triangles lie around it in the four cells; six of them have it for a corner. They hold every
 * point within half a cell of a place whose nearest sample it is. Feet are judged by N = 1 + a a + b b times themselves, and distances
 * compared as fractions h h / N: nothing is divided before one has won. */
#ifndef MYR_COLLISION_FIELD_LANE_H
#define MYR_COLLISION_FIELD_LANE_H

#include "map_touch.h"
#include "robot/ground.lane.h"

enum { FIELD_FACES = 8 };

/* A triangle: slopes, N, how far the centre is above its plane at the centre's place, and whether the foot of the centre lies in it. */
typedef struct field_face {
    vf a, b, n, h;
    vm inside;
} field_face;

/* The foot of the centre on a face, times N. */
typedef struct field_foot {
    vf x, y;
} field_foot;

INLINE field_foot field_face_of(field_face *f, vf a, vf b, vf h, vf x, vf y) {
    f->a = a, f->b = b, f->h = h;
    f->n = vf_fma(a, a, vf_fma(b, b, vf_set(1)));
    return (field_foot){vf_fma(h, a, f->n * x), vf_fma(h, b, f->n * y)};
}

/* All eight. H: heights around the sample, in cells above it; the centre at x, y, z. Faces 6 and 7 lie across from the sample: through
 * (0, -1) and (-1, 0). */
INLINE void field_faces(const vf H[3][3], vf x, vf y, vf z, field_face f[FIELD_FACES]) {
    const vf zero = vf_zero(), one = vf_set(1), east = H[2][1], west = -H[0][1], north = H[1][2], south = -H[1][0];
    const vf along_east = vf_fnma(east, x, z), along_west = vf_fnma(west, x, z);
    field_foot at;
    /* planes through the sample: h = z - a x - b y */
#define THROUGH(k, a_, b_, base, INSIDE)                                                                                                   \
    at = field_face_of(&f[k], a_, b_, vf_fnma(b_, y, base), x, y);                                                                         \
    f[k].inside = INSIDE
    THROUGH(0, east, H[2][2] - H[2][1], along_east, vm_and(vm_ge(at.y, zero), vm_ge(at.x, at.y)));
    THROUGH(1, east, south, along_east, vm_and(vm_and(vm_ge(at.x, zero), vm_le(at.y, zero)), vm_le(at.x - at.y, f[1].n)));
    THROUGH(2, west, H[0][1] - H[0][0], along_west, vm_and(vm_le(at.y, zero), vm_le(at.x, at.y)));
    THROUGH(3, west, north, along_west, vm_and(vm_and(vm_le(at.x, zero), vm_ge(at.y, zero)), vm_le(at.y - at.x, f[3].n)));
    THROUGH(4, H[2][2] - H[1][2], north, vf_fnma(H[2][2] - H[1][2], x, z), vm_and(vm_ge(at.x, zero), vm_ge(at.y, at.x)));
    THROUGH(5, H[1][0] - H[0][0], south, vf_fnma(H[1][0] - H[0][0], x, z), vm_and(vm_le(at.x, zero), vm_le(at.y, at.x)));
#undef THROUGH
    const vf a6 = H[2][0] - H[1][0], b6 = H[2][1] - H[2][0], a7 = H[1][2] - H[0][2], b7 = H[0][2] - H[0][1];
    at = field_face_of(&f[6], a6, b6, vf_fnma(a6, x, vf_fnma(b6, y + one, z - H[1][0])), x, y);
    f[6].inside = vm_gt(at.x - at.y, f[6].n);
    at = field_face_of(&f[7], a7, b7, vf_fnma(a7, x + one, vf_fnma(b7, y, z - H[0][1])), x, y);
    f[7].inside = vm_gt(at.y - at.x, f[7].n);
}

/* The nearest of the faces at work. */
typedef struct field_best {
    vf square, n; /* the square of its distance is square / n */
    vf a, b, h, which;
} field_best;

INLINE void best_face(field_best *best, const field_face *f, vm may, vf square, const int k) {
    const vm better = vm_and(may, vm_lt(square * best->n, best->square * f->n));
    best->square = vf_select(better, square, best->square), best->n = vf_select(better, f->n, best->n);
    best->a = vf_select(better, f->a, best->a), best->b = vf_select(better, f->b, best->b), best->h = vf_select(better, f->h, best->h);
    best->which = vf_select(better, vf_set((real)k), best->which);
}

static inline field_best no_face(void) {
    return (field_best){vf_set((real)MAP_FAR), vf_set(1), vf_zero(), vf_zero(), vf_zero(), vf_zero()};
}

/* Of the edges that meet in the sample: which has the centre's foot on it, farthest out. All of them leave w w = p p - (p e)^2 / e e. */
typedef struct field_spoke {
    vf along, length2, x, y, z; /* p e, e e, and e */
} field_spoke;

INLINE void best_spoke(field_spoke *best, real x, real y, vf z, v3 p) {
    const vf along = vf_fma(vf_set(x), p.x, vf_fma(vf_set(y), p.y, z * p.z)), length2 = vf_fma(z, z, vf_set(x * x + y * y));
    const vm better = vm_and(vm_and(vm_gt(along, vf_zero()), vm_lt(along, length2)),
                             vm_gt(along * along * best->length2, best->along * best->along * length2));
    best->along = vf_select(better, along, best->along), best->length2 = vf_select(better, length2, best->length2);
    best->x = vf_select(better, vf_set(x), best->x), best->y = vf_select(better, vf_set(y), best->y),
    best->z = vf_select(better, z, best->z);
}

/* From the closest point of all edges and of the sample to the centre; *square: of its length. Not p p e e - (p e)^2, which cancels. */
INLINE v3 field_edge(const vf H[3][3], v3 p, vf *square) {
    field_spoke spoke = {vf_zero(), vf_set(1), vf_zero(), vf_zero(), vf_zero()};
    best_spoke(&spoke, 1, 0, H[2][1], p), best_spoke(&spoke, -1, 0, H[0][1], p);
    best_spoke(&spoke, 0, 1, H[1][2], p), best_spoke(&spoke, 0, -1, H[1][0], p);
    best_spoke(&spoke, 1, 1, H[2][2], p), best_spoke(&spoke, -1, -1, H[0][0], p);
    const vf t = spoke.along / spoke.length2;
    v3 w = {vf_fnma(t, spoke.x, p.x), vf_fnma(t, spoke.y, p.y), vf_fnma(t, spoke.z, p.z)};
    *square = v3_dot(w, w);
    for (int side = 0; side < 2; side++) { /* the two that do not meet there: from (0, -1) to (1, 0), from (-1, 0) to (0, 1) */
        const vf one = vf_set(1), low = side ? H[0][1] : H[1][0], rise = (side ? H[1][2] : H[2][1]) - low;
        const v3 from = {side ? p.x + one : p.x, side ? p.y : p.y + one, p.z - low};
        const vf length2 = vf_fma(rise, rise, vf_set(2)), along = vf_fma(from.z, rise, from.x + from.y), share = along / length2;
        const v3 other = {from.x - share, from.y - share, vf_fnma(share, rise, from.z)};
        const vf its = v3_dot(other, other);
        const vm better = vm_and(vm_and(vm_gt(along, vf_zero()), vm_lt(along, length2)), vm_lt(its, *square));
        w = v3_select(better, other, w), *square = vf_select(better, its, *square);
    }
    return w;
}

/* Of the lanes `may` those where a face is well apart from what was touched first. */
INLINE vm field_apart(const field_face *f, const map_touch *first, vm may) {
    const vf c = vf_fnma(f->a, first->normal.x, vf_fnma(f->b, first->normal.y, first->normal.z));
    return vm_and(may, vm_or(vm_lt(c, vf_zero()), vm_lt(c * c, vf_set((real)MAP_APART) * f->n)));
}
/* For the deepest: the square of h with its sign. */
INLINE vf field_signed(const field_face *f) { return vf_select(vm_lt(f->h, vf_zero()), -(f->h * f->h), f->h * f->h); }

/* The second contact: the nearest face whose foot lies inside, within `reach2` (the square, in cells), and whose normal is well apart from
 * the first. Returns the lanes that have one. */
INLINE vm field_second(const field_face f[FIELD_FACES], const map_touch *first, vf reach2, field_best *best) {
    vm once = vm_andnot(vm_all(), first->flat), twice = vm_none(), may[FIELD_FACES];
    *best = no_face();
    UNROLL for (int k = 0; k < FIELD_FACES; k++) {
        may[k] = vm_and(f[k].inside, vm_le(f[k].h * f[k].h, reach2 * f[k].n));
        twice = vm_or(twice, vm_and(once, may[k])), once = vm_or(once, may[k]);
    }
    if (!vm_any(twice)) return vm_none(); /* on a plane no lane comes further */
    vm any = vm_none();
    best->square = vf_set((real)MAP_FAR), best->n = vf_set(1);
    for (int k = 0; k < FIELD_FACES; k++) {
        const vm is = field_apart(&f[k], first, may[k]);
        any = vm_or(any, is);
        best_face(best, &f[k], is, field_signed(&f[k]), k);
    }
    return vm_and(any, twice);
}

/* A face that has won. */
INLINE map_touch field_flat(const lane_ground *g, const ground_origin *o, const ground_spot *s, const field_best *f, vf base,
                            const vf H[3][3]) {
    const vf cell = vf_set(g->cell), zero = vf_zero(), one = vf_set(1), inverse = one / vf_sqrt(f->n);
    const vm south = vm_eq(f->which, vf_set(6)), west = vm_eq(f->which, vf_set(7));
    map_touch t = {.normal = v3_scale(inverse, (v3){zero - f->a, zero - f->b, one}), .distance = cell * (inverse * f->h), .flat = vm_all()};
    const vf up = vf_select(south, H[1][0], vf_select(west, H[0][1], zero));
    t.corner = (v3){cell * (s->i - vf_select(west, one, zero)), cell * (s->k - vf_select(south, one, zero)),
                    vf_fma(cell, up, vf_set(g->step) * (base - o->height))};
    return t;
}

/* No lane has a slope around it. */
INLINE int field_is_level(const vf H[3][3]) {
    vf most = vf_abs(H[0][0]);
    for (int i = 1; i < 9; i++) most = vf_max(most, vf_abs(H[i / 3][i % 3]));
    return !vm_any(vm_gt(most, vf_zero()));
}

/* A ball's centre at `center` [m] from the origin, by the samples around the nearest one. seconds: NULL, or where a second contact within
 * `reach` [m] goes; *two: the lanes that have one. */
INLINE map_touch field_ball(const lane_ground *g, const ground_origin *o, v3 center, const ground_spot *s, map_touch *second, vf reach,
                            vm *two) {
    vf H[3][3];
    for (int i = 0; i < 3; i++) ground_row(g, s->at + ((i - 1) * g->map->stride - 1), H[i], 3);
    const vf base = H[1][1], slope = vf_set(g->slope), per = vf_set(g->per_cell);
    for (int i = 0; i < 9; i++) H[i / 3][i % 3] = slope * (H[i / 3][i % 3] - base);
    const vf z = per * (center.z - vf_set(g->step) * (base - o->height));
    const v3 p = {s->u, s->v, z};
    if (field_is_level(H)) { /* what is below is all that has to be said, with the bits of the long way */
        map_touch t = {.normal = {vf_zero(), vf_zero(), vf_set(1)}, .distance = vf_set(g->cell) * z, .flat = vm_all()};
        t.corner = (v3){vf_set(g->cell) * s->i, vf_set(g->cell) * s->k, vf_set(g->step) * (base - o->height)};
        if (second) *two = vm_none();
        return t;
    }
    field_face f[FIELD_FACES];
    field_faces(H, p.x, p.y, p.z, f);
    field_best best = no_face(), other = no_face(); /* two chains of comparisons run side by side */
    UNROLL for (int k = 0; k < FIELD_FACES; k++) best_face(k % 2 ? &other : &best, &f[k], f[k].inside, f[k].h * f[k].h, k);
    {
        const field_face last = {other.a, other.b, other.n, other.h, vm_all()};
        const vf which = best.which;
        const vm better = vm_lt(other.square * best.n, best.square * other.n);
        best_face(&best, &last, vm_all(), other.square, 0);
        best.which = vf_select(better, other.which, which);
    }
    vf square;
    const v3 w = field_edge(H, p, &square);
    const vm edge = vm_lt(square * best.n, vf_set((real)MAP_MARGIN) * best.square);
    map_touch t = field_flat(g, o, s, &best, base, H);
    const vf length = vf_sqrt(square), under = vf_select(vm_lt(w.z, vf_zero()), vf_set(-1), vf_set(1));
    const vm no_way = vm_and(edge, vm_not(vm_gt(length, vf_zero()))); /* the centre lies on the edge: up */
    const vf inverse = under / vf_select(no_way, vf_set(1), length);
    const v3 way = v3_select(no_way, (v3){vf_zero(), vf_zero(), vf_set(1)}, v3_scale(inverse, w));
    t.normal = v3_select(edge, way, t.normal);
    t.distance = vf_select(edge, vf_set(g->cell) * (under * length), t.distance);
    t.flat = vm_not(edge);
    if (!second) return t;
    field_best f2;
    const vf reach1 = per * reach;
    *two = field_second(f, &t, reach1 * reach1, &f2);
    if (vm_any(*two)) *second = field_flat(g, o, s, &f2, base, H);
    return t;
}

#endif
