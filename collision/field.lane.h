/* A ball on a field: the closest point of the triangles around the nearest sample.
 *
 * Then no inner edge can catch: over a flat or a concave edge the closest point lies on a face. Peers collide triangle by triangle and
 * throw away by flags of edges what that makes of them (Box3D, Bullet).
 *
 * Lengths in cells, from the sample on. Eight triangles lie around it in the four cells; six of them have it for a corner. They hold every
 * point within half a cell of a place whose nearest sample it is. Of the two across, south-east and north-west, one at most has such a
 * point: that on the centre's side. Feet are judged by N = 1 + a a + b b times themselves, and distances compared as fractions h h / N:
 * nothing is divided before one has won. */
#ifndef MYR_COLLISION_FIELD_LANE_H
#define MYR_COLLISION_FIELD_LANE_H

#include "map_touch.h"
#include "robot/ground.lane.h"

enum { FIELD_FACES = 7, FIELD_ACROSS = 6 };

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

/* Of the triangle across on the centre's side: its edge on the inside, from (0, -1) to (1, 0) or from (-1, 0) to (0, 1). */
typedef struct field_across {
    vm south_east;
    vf low, high, corner; /* heights of that edge's ends and of the third corner */
    vf x, y;              /* the centre from the low end */
} field_across;

INLINE field_across field_across_of(const vf H[3][3], vf x, vf y) {
    const vm is = vm_ge(x, y);
    const vf one = vf_set(1);
    return (field_across){is,
                          vf_select(is, H[1][0], H[0][1]),
                          vf_select(is, H[2][1], H[1][2]),
                          vf_select(is, H[2][0], H[0][2]),
                          vf_select(is, x, x + one),
                          vf_select(is, y + one, y)};
}

/* All seven. H: heights around the sample, in cells above it; the centre at x, y, z. */
INLINE void field_faces(const vf H[3][3], const field_across *across, vf x, vf y, vf z, field_face f[FIELD_FACES]) {
    const vf zero = vf_zero(), east = H[2][1], west = -H[0][1], north = H[1][2], south = -H[1][0];
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
    const vf first = across->corner - across->low, second = across->high - across->corner;
    const vf a = vf_select(across->south_east, first, second), b = vf_select(across->south_east, second, first);
    at = field_face_of(&f[FIELD_ACROSS], a, b, vf_fnma(a, across->x, vf_fnma(b, across->y, z - across->low)), x, y);
    f[FIELD_ACROSS].inside = vm_gt(vf_select(across->south_east, at.x - at.y, at.y - at.x), f[FIELD_ACROSS].n);
}

/* The nearest of the faces at work. */
typedef struct field_best {
    vf square, n; /* the square of its distance is square / n */
    vf a, b, h;
} field_best;

/* Face f in its place, in the lanes `may` in which it is nearer: these. */
INLINE vm best_face(field_best *best, const field_face *f, vm may, vf square) {
    const vm better = vm_and(may, vm_lt(square * best->n, best->square * f->n));
    best->square = vf_select(better, square, best->square), best->n = vf_select(better, f->n, best->n);
    best->a = vf_select(better, f->a, best->a), best->b = vf_select(better, f->b, best->b), best->h = vf_select(better, f->h, best->h);
    return better;
}

static inline field_best no_face(void) { return (field_best){vf_set((real)MAP_FAR), vf_set(1), vf_zero(), vf_zero(), vf_zero()}; }

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
INLINE v3 field_edge(const vf H[3][3], const field_across *across, v3 p, vf *square) {
    field_spoke spoke = {vf_zero(), vf_set(1), vf_zero(), vf_zero(), vf_zero()};
    best_spoke(&spoke, 1, 0, H[2][1], p), best_spoke(&spoke, -1, 0, H[0][1], p);
    best_spoke(&spoke, 0, 1, H[1][2], p), best_spoke(&spoke, 0, -1, H[1][0], p);
    best_spoke(&spoke, 1, 1, H[2][2], p), best_spoke(&spoke, -1, -1, H[0][0], p);
    const vf t = spoke.along / spoke.length2;
    const v3 w = {vf_fnma(t, spoke.x, p.x), vf_fnma(t, spoke.y, p.y), vf_fnma(t, spoke.z, p.z)};
    *square = v3_dot(w, w);
    /* the one that does not meet there: along (1, 1, rise) */
    const vf rise = across->high - across->low, up = p.z - across->low;
    const vf length2 = vf_fma(rise, rise, vf_set(2)), along = vf_fma(up, rise, across->x + across->y), share = along / length2;
    const v3 other = {across->x - share, across->y - share, vf_fnma(share, rise, up)};
    const vf its = v3_dot(other, other);
    const vm better = vm_and(vm_and(vm_gt(along, vf_zero()), vm_lt(along, length2)), vm_lt(its, *square));
    *square = vf_select(better, its, *square);
    return v3_select(better, other, w);
}

/* Of the lanes `may` those where a face is well apart from what was touched first. */
INLINE vm field_apart(const field_face *f, const map_touch *first, vm may) {
    const vf c = vf_fnma(f->a, first->normal.x, vf_fnma(f->b, first->normal.y, first->normal.z));
    return vm_and(may, vm_or(vm_lt(c, vf_zero()), vm_lt(c * c, vf_set((real)MAP_APART) * f->n)));
}
/* For the deepest: the square of h with its sign. */
INLINE vf field_signed(const field_face *f) { return vf_select(vm_lt(f->h, vf_zero()), -(f->h * f->h), f->h * f->h); }

/* The second contact: the nearest face whose foot lies inside, within `reach2` (the square, in cells), and whose normal is well apart from
 * the first. Returns the lanes that have one; *lies: where it lies across. */
INLINE vm field_second(const field_face f[FIELD_FACES], const map_touch *first, vf reach2, field_best *best, vm *lies) {
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
        *lies = best_face(best, &f[k], is, field_signed(&f[k]));
    }
    return vm_and(any, twice);
}

/* A point of the plane of a face that has won. */
INLINE v3 field_corner(const lane_ground *g, const ground_origin *o, const ground_spot *s, vm is, const field_across *across, vf base) {
    const vf cell = vf_set(g->cell), one = vf_set(1), zero = vf_zero();
    const vf west = vf_select(vm_andnot(is, across->south_east), one, zero), south = vf_select(vm_and(is, across->south_east), one, zero);
    return (v3){cell * (s->i - west), cell * (s->k - south),
                vf_fma(cell, vf_select(is, across->low, zero), vf_set(g->step) * (base - o->height))};
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
    const field_across across = field_across_of(H, p.x, p.y);
    field_face f[FIELD_FACES];
    field_faces(H, &across, p.x, p.y, p.z, f);
    field_best best = no_face(), other = no_face(); /* two chains of comparisons run side by side */
    vm lies = vm_none();                            /* across: the last of the even ones */
    UNROLL for (int k = 0; k < FIELD_FACES; k++) lies = best_face(k % 2 ? &other : &best, &f[k], f[k].inside, f[k].h * f[k].h);
    const field_face last = {other.a, other.b, other.n, other.h, vm_all()};
    lies = vm_andnot(lies, best_face(&best, &last, vm_all(), other.square));
    vf square;
    const v3 w = field_edge(H, &across, p, &square);
    const vf zero = vf_zero(), one = vf_set(1);
    const vm edge = vm_lt(square * best.n, vf_set((real)MAP_MARGIN) * best.square);
    const vm no_way = vm_and(edge, vm_not(vm_gt(square, zero))); /* the centre lies on the edge: up */
    const vf sign = vf_select(vm_and(edge, vm_lt(w.z, zero)), -one, one), length2 = vf_select(edge, square, best.n);
    const vf inverse = sign / vf_sqrt(vf_select(no_way, one, length2));
    const v3 way = v3_select(edge, v3_select(no_way, (v3){zero, zero, one}, w), (v3){zero - best.a, zero - best.b, one});
    map_touch t = {v3_scale(inverse, way), vf_set(g->cell) * (inverse * vf_select(edge, square, best.h)), vm_not(edge),
                   field_corner(g, o, s, lies, &across, base)};
    if (!second) return t;
    field_best f2;
    const vf reach1 = per * reach;
    *two = field_second(f, &t, reach1 * reach1, &f2, &lies);
    if (vm_any(*two)) {
        const vf inverse2 = one / vf_sqrt(f2.n);
        *second = (map_touch){v3_scale(inverse2, (v3){zero - f2.a, zero - f2.b, one}), vf_set(g->cell) * (inverse2 * f2.h), vm_all(),
                              field_corner(g, o, s, lies, &across, base)};
    }
    return t;
}

#endif
