/* Faces of boxes, cylinders and hulls, and what of a capsule or of a cylinder's side is flat: a line. In the shape's own axes. */
#ifndef MYR_COLLISION_FACES_LANE_H
#define MYR_COLLISION_FACES_LANE_H

#include "capsule_box.lane.h"
#include "support.lane.h"

/* A polygon, counterclockwise from outside; of `n` corners in every lane, some of which may be the same. */
typedef struct shape_face {
    int n;
    v3 normal, corner[MYR_FACE_CORNERS];
    vm area; /* else all corners are on a line */
} shape_face;

static inline v3 v3_turn(v3 a) { return (v3){-a.x, -a.y, -a.z}; }

/* Number of the hull's face whose normal is nearest to n. Of two that lean from it alike, as on both sides of an edge, the first; that is
 * what the margin is for, which vanishes where a face looks along n. */
static vf hull_facing(const lane_polytope *hull, v3 n) {
    const real *f = hull->faces;
    const vf one = vf_set(1), margin = vf_set((real)FACING_MARGIN);
    vf most = v3_dot(v3_uniform(f), n), which = vf_zero();
    for (int i = 1; i < hull->n_faces; i++) {
        const vf along = v3_dot(v3_uniform(f += FACE_REALS), n);
        const vm better = vm_gt(vf_fnma(margin, one - along, along), most);
        which = vf_select(better, vf_set((real)i), which);
        most = vf_select(better, along, most);
    }
    return which;
}

static void hull_face(const lane_polytope *hull, vf which, shape_face *out) {
    out->n = MYR_FACE_CORNERS;
    out->area = vm_all();
    out->normal = v3_zero();
    for (int k = 0; k < MYR_FACE_CORNERS; k++) out->corner[k] = v3_zero();
    for (int i = 0; i < hull->n_faces; i++) {
        const real *f = hull->faces + FACE_REALS * i;
        const vm mine = vm_eq(which, vf_set((real)i));
        if (!vm_any(mine)) continue;
        out->normal = v3_select(mine, v3_uniform(f), out->normal);
        for (int k = 0; k < MYR_FACE_CORNERS; k++) out->corner[k] = v3_select(mine, v3_uniform(f + 4 + 3 * k), out->corner[k]);
    }
}

static void box_flat(const real *half, v3 n, shape_face *out) {
    const vf zero = vf_zero();
    vm is_y, is_z;
    largest_axis(n, &is_y, &is_z);
    const vf sign = vf_select(is_z, vf_sign(n.z), vf_select(is_y, vf_sign(n.y), vf_sign(n.x)));
    out->n = 4;
    out->area = vm_all();
    out->normal = (v3){vf_select(vm_or(is_y, is_z), zero, sign), vf_select(is_y, sign, zero), vf_select(is_z, sign, zero)};
    for (int k = 0; k < 4; k++) {
        const vf u = k == 1 || k == 2 ? sign : -sign, v = vf_set(k >= 2 ? 1 : -1);
        const vf sx = vf_select(is_z, u, vf_select(is_y, v, sign)), sy = vf_select(is_z, v, vf_select(is_y, sign, u)),
                 sz = vf_select(is_z, sign, vf_select(is_y, u, v));
        out->corner[k] = (v3){vf_set(half[0]) * sx, vf_set(half[1]) * sy, vf_set(half[2]) * sz};
    }
}

/* A cap is an octagon with a corner where the rim is farthest along n; upright, on the x axis. Beyond 45 degrees it is the side that faces
 * n: a line, whose end is that same corner. */
static void cylinder_flat(const real *size, v3 n, shape_face *out) {
    const vf r = vf_set(size[0]), h = vf_set(size[1]), zero = vf_zero(), one = vf_set(1), sign = vf_sign(n.z);
    const vf across2 = vf_fma(n.x, n.x, n.y * n.y);
    const vm lean = vm_gt(across2, vf_set((real)(MYR_RIM_UPRIGHT * MYR_RIM_UPRIGHT)));
    const vf scale = one / vf_sqrt(vf_select(lean, across2, one)), x = vf_select(lean, scale * n.x, one),
             y = vf_select(lean, scale * n.y, zero);
    static const real c[8] = {1,  (real)0.70710678118654752,  0, -(real)0.70710678118654752,
                              -1, -(real)0.70710678118654752, 0, (real)0.70710678118654752};
    out->n = 8;
    out->area = vm_ge(n.z * n.z, across2);
    out->normal = v3_select(out->area, (v3){zero, zero, sign}, (v3){x, y, zero});
    for (int k = 0; k < 8; k++) {
        const vf cosine = vf_set(c[k]), sine = sign * vf_set(c[(k + 6) % 8]);
        const v3 rim = {r * vf_fms(cosine, x, sine * y), r * vf_fma(cosine, y, sine * x), sign * h};
        const v3 end = {r * x, r * y, k < 4 ? h : -h};
        out->corner[k] = v3_select(out->area, rim, end);
    }
}

/* The face that looks along n the most. */
static void shape_flat(const lane_solid *s, v3 n, shape_face *out) {
    switch (s->type) {
    case MYR_GEOM_BOX: box_flat(s->size, n, out); break;
    case MYR_GEOM_CYLINDER: cylinder_flat(s->size, n, out); break;
    case MYR_GEOM_HULL: hull_face(&s->hull, hull_facing(&s->hull, n), out); break;
    default:
        out->n = 2;
        out->normal = n;
        out->corner[0] = (v3){vf_zero(), vf_zero(), vf_set(-s->size[1])};
        out->corner[1] = (v3){vf_zero(), vf_zero(), vf_set(s->size[1])};
        out->area = vm_none();
    }
}

static void turn_flat(const vf *R, v3 d, shape_face *f) {
    f->normal = m3_mul(R, f->normal);
    for (int k = 0; k < f->n; k++) f->corner[k] = m3_mul_add(R, f->corner[k], d);
}

#endif
