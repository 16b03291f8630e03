/* Pairs with a cylinder or a hull that have no closed form: direction by gjk.lane.h; if a face looks along it, what lies on that face by
 * clip.lane.h; if lines lie along each other, both ends of what they share (lines.lane.h); else the one point where they are nearest.
 * Everything in the second geom's axes. */
#ifndef MYR_COLLISION_CONVEX_LANE_H
#define MYR_COLLISION_CONVEX_LANE_H

#include "capsule_box.lane.h"
#include "clip.lane.h"
#include "gjk.lane.h"
#include "lines.lane.h"

/* Two shapes that are near: their direction, and whose face looks along it. */
typedef struct encounter {
    convex c;
    convex_gap at;
    vf radius;     /* of both cores together */
    vm touching;   /* lanes that have any contact */
    vm on_a, on_b; /* the face is a's, or b's */
    shape_face face_a, face_b;
} encounter;

static vm looks_along(v3 normal, v3 n) {
    const v3 off = v3_sub(normal, n);
    return vm_le(v3_dot(off, off), vf_set((real)FACE_ALIGNED));
}

/* 0: nothing touches in any lane. */
static int convex_meet(solid a, solid b, v3 d, vm near, vf reach, manifold *m, encounter *e) {
    for (int k = 0; k < MOST_FEATURES; k++) m->gap[k] = vf_set(1), m->at[k] = v3_zero();
    m->normal = world_up();
    e->c = convex_of(a, b, d);
    e->radius = vf_set(a.is->radius + b.is->radius);
    convex_nearest(&e->c, near, reach + e->radius, &e->at);
    e->touching = vm_and(near, vm_le(e->at.apart, reach + e->radius));
    if (!vm_any(e->touching)) return 0;
    m->normal = v3_select(e->touching, m3_mul(b.R, e->at.normal), m->normal);
    return 1;
}

/* The point where the cores are nearest, as feature k. */
static void touch_point(const encounter *e, solid b, vm where, int k, manifold *m) {
    const vf half = vf_set((real)0.5), aside = vf_set(e->c.b->radius - e->c.a->radius);
    const v3 middle = v3_scale(half, v3_fma(aside, e->at.normal, v3_add(e->at.on_a, e->at.on_b)));
    m->gap[k] = vf_select(where, e->at.apart - e->radius, m->gap[k]);
    m->at[k] = v3_select(where, m3_mul(b.R, middle), m->at[k]);
}

/* The faces that look at each other; where the direction is nearly a face's it becomes that. */
static void convex_faces(encounter *e, solid b, manifold *m) {
    const v3 n = e->at.normal, back = v3_turn(n);
    geom_flat(e->c.a, m3_mul_t(e->c.R, back), &e->face_a);
    turn_flat(e->c.R, e->c.d, &e->face_a);
    geom_flat(e->c.b, n, &e->face_b);
    e->on_a = e->face_a.n > 2 ? vm_and(e->touching, vm_and(e->face_a.area, looks_along(e->face_a.normal, back))) : vm_none();
    e->on_b = vm_and(e->touching, vm_andnot(vm_and(e->face_b.area, looks_along(e->face_b.normal, n)), e->on_a));
    const v3 of_a = v3_turn(e->face_a.normal);
    e->at.normal = v3_select(e->on_a, of_a, v3_select(e->on_b, e->face_b.normal, n));
    m->normal = v3_select(e->touching, m3_mul(b.R, e->at.normal), m->normal);
}

/* The ball of this radius about x over the face of b, as feature k. */
static void touch_face(const encounter *e, solid b, vm where, v3 x, vf radius, int k, manifold *m) {
    const v3 n = e->at.normal;
    const vf gap = v3_dot(n, v3_sub(x, e->face_b.corner[0])) - radius;
    m->gap[k] = vf_select(where, gap, m->gap[k]);
    m->at[k] = v3_select(where, m3_mul(b.R, v3_fma(-vf_fma(vf_set((real)0.5), gap, radius), n, x)), m->at[k]);
}

/* A ball. Over a face the normal is the face's own: in float that of the search is 1e-6 rad off, and a ball on a level face rolled 46 mm
 * in 100 s. */
static void convex_point(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    encounter e;
    if (!convex_meet(a, b, d, near, reach, m, &e)) return;
    geom_flat(e.c.b, e.at.normal, &e.face_b);
    e.on_b = vm_and(e.touching, vm_and(e.face_b.area, looks_along(e.face_b.normal, e.at.normal)));
    touch_point(&e, b, vm_andnot(e.touching, e.on_b), 0, m);
    if (!vm_any(e.on_b)) return;
    e.at.normal = e.face_b.normal;
    m->normal = v3_select(e.on_b, m3_mul(b.R, e.at.normal), m->normal);
    touch_face(&e, b, e.on_b, e.c.d, vf_set(a.is->size[0]), 0, m);
}

/* Features 0 and 1: the ends of what two lines share, in the lanes that it returns. */
static vm touch_line(const encounter *e, solid b, vm where, manifold *m) {
    const v3 n = e->at.normal;
    const vf half = vf_set((real)0.5), aside = vf_set(e->c.b->radius - e->c.a->radius);
    shape_line la, lb;
    v3 on_a[2], on_b[2];
    if (!vm_any(where)) return where;
    farthest_line(&e->face_a, v3_turn(n), &la);
    farthest_line(&e->face_b, n, &lb);
    if (e->face_a.disc >= 0) la.has = vm_andnot(la.has, e->face_a.area); /* a rim has no edges */
    if (e->face_b.disc >= 0) lb.has = vm_andnot(lb.has, e->face_b.area);
    /* the two ends are told apart along this direction of a: edges of usual shapes are not perpendicular to it */
    const v3 sense = m3_mul(e->c.R, (v3){vf_set((real)0.41), vf_set((real)0.37), vf_set((real)0.83)});
    where = vm_and(where, shared_stretch(&la, &lb, sense, on_a, on_b));
    if (!vm_any(where)) return where;
    for (int k = 0; k < 2; k++) {
        const v3 middle = v3_scale(half, v3_fma(aside, n, v3_add(on_a[k], on_b[k])));
        m->gap[k] = vf_select(where, v3_dot(n, v3_sub(on_a[k], on_b[k])) - e->radius, m->gap[k]);
        m->at[k] = v3_select(where, m3_mul(b.R, middle), m->at[k]);
    }
    return where;
}

/* A capsule over a face of b: both ends of the part over it. Along a line of b: both ends of what they share. Else slot 2. */
static void convex_line(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    encounter e;
    if (!convex_meet(a, b, d, near, reach, m, &e)) return;
    convex_faces(&e, b, m);
    vm over = vm_none();
    if (vm_any(e.on_b)) {
        outline o;
        const v3 x = e.face_a.corner[0], along = v3_sub(e.face_a.corner[1], x);
        vf t[2];
        outline_of(&e.face_b, vf_set((real)FACE_MARGIN * b.is->least), &o);
        outline_cut(&o, x, along, &t[0], &t[1]);
        over = vm_and(e.on_b, vm_le(t[0], t[1]));
        for (int k = 0; k < 2; k++) {
            const vm here = k ? vm_and(over, vm_lt(t[0], t[1])) : over;
            touch_face(&e, b, here, v3_fma(t[k], along, x), vf_set(a.is->size[0]), k, m);
        }
    }
    over = vm_or(over, touch_line(&e, b, vm_andnot(e.touching, over), m));
    touch_point(&e, b, vm_andnot(e.touching, over), 2, m);
}

/* Two directions across n, from the axes of a that lean from it the most; between the axes, as faces have edges along them. */
static void clip_directions(const vf *R, v3 n, v3 along[2]) {
    const v3 x = {R[0], R[3], R[6]}, y = {R[1], R[4], R[7]}, z = {R[2], R[5], R[8]};
    vm is_y, is_z;
    largest_axis((v3){v3_dot(x, n), v3_dot(y, n), v3_dot(z, n)}, &is_y, &is_z);
    const v3 a = v3_select(is_z, x, v3_select(is_y, z, y)), across = v3_fma(-v3_dot(a, n), n, a);
    const v3 u = v3_scale(vf_set(1) / vf_sqrt(v3_dot(across, across)), across), v = v3_cross(n, u);
    const vf c = vf_set((real)0.79), s = vf_set((real)0.61);
    along[0] = v3_fma(c, u, v3_scale(s, v));
    along[1] = v3_fma(c, v, v3_scale(-s, u));
}

/* Slots 0 .. 3, and 4: the deepest if it is not among them. Where no face looks along the direction 0 and 1 along a line, else 4. */
static void convex_area(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    encounter e;
    clip_kept k;
    if (!convex_meet(a, b, d, near, reach, m, &e)) return;
    convex_faces(&e, b, m);
    const real least = a.is->least < b.is->least ? a.is->least : b.is->least;
    const vf half = vf_set((real)0.5), margin = vf_set((real)FACE_MARGIN * least), none = vf_set(-1);
    vm any = vm_none();
    k.margin = vf_set((real)CLIP_MARGIN * least);
    k.highest = reach + k.margin;
    keep_none(&k);
    if (vm_any(vm_or(e.on_a, e.on_b))) {
        outline oa, ob;
        clip_directions(e.c.R, e.at.normal, k.along);
        outline_of(&e.face_a, margin, &oa);
        outline_of(&e.face_b, margin, &ob);
        if (vm_any(e.on_a)) clip_faces(&oa, &ob, e.on_a, &k);
        if (vm_any(e.on_b)) clip_faces(&ob, &oa, e.on_b, &k);
        const v3 down = v3_select(e.on_a, e.at.normal, v3_turn(e.at.normal)); /* into the face */
        vm deepest = vm_ge(k.least_which, vf_zero());
        any = deepest;
        for (int i = 0; i < CLIP_KEPT; i++) {
            vm here = vm_gt(k.which[i], none);
            for (int j = 0; j < i; j++) here = vm_andnot(here, vm_eq(k.which[i], k.which[j]));
            m->gap[i] = vf_select(here, k.height[i], m->gap[i]);
            m->at[i] = v3_select(here, m3_mul(b.R, v3_fma(half * k.height[i], down, k.at[i])), m->at[i]);
            deepest = vm_and(deepest, vm_or(vm_not(here), vm_gt(k.height[i], k.least + k.margin)));
        }
        m->gap[4] = vf_select(deepest, k.least, m->gap[4]);
        m->at[4] = v3_select(deepest, m3_mul(b.R, v3_fma(half * k.least, down, k.least_at)), m->at[4]);
    }
    any = vm_or(any, touch_line(&e, b, vm_andnot(e.touching, any), m));
    touch_point(&e, b, vm_andnot(e.touching, any), 4, m);
}

#endif
