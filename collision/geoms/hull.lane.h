/* A convex hull in lanes: about the middle of its points. */
#ifndef MYR_COLLISION_GEOMS_HULL_LANE_H
#define MYR_COLLISION_GEOMS_HULL_LANE_H

#include "collision/map_touch.h"
#include "geom.lane.h"

/* A bound: of the box and of the capsule that hold it. */
static inline vf hull_along(const lane_solid *s, v3 n) {
    const vf x = vf_abs(n.x), y = vf_abs(n.y), z = vf_abs(n.z);
    const vf box = vf_fma(vf_set(s->box[0]), x, vf_fma(vf_set(s->box[1]), y, vf_set(s->box[2]) * z));
    return vf_min(box, vf_fma(vf_set(s->rod_half), s->rod_axis == 0 ? x : s->rod_axis == 1 ? y : z, vf_set(s->rod_radius)));
}

/* The corner that is farthest along n. */
static v3 hull_farthest(const lane_solid *s, v3 n) {
    const lane_polytope *hull = &s->hull;
    const real *x = hull->corners;
    v3 at = v3_uniform(x);
    vf most = v3_dot(at, n);
    for (int i = 1; i < hull->n; i++) {
        const v3 here = v3_uniform(x += 3);
        const vf along = v3_dot(here, n);
        const vm more = vm_gt(along, most);
        most = vf_max(along, most);
        at = v3_select(more, here, at);
    }
    return at;
}

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

static void hull_flat(const lane_solid *s, v3 n, shape_face *out) { hull_face(&s->hull, hull_facing(&s->hull, n), out); }

/* First order where the nearest point of the hull lies on an edge or a corner. */
INLINE vf hull_distance(const lane_flat *f, v3 q, v3 *out) {
    vf most = vf_set((real)-MAP_FAR);
    *out = v3_zero();
    for (int i = 0; i < f->n_planes; i++) {
        const v3 n = v3_uniform(f->planes + 4 * i);
        const vf d = v3_dot(n, q) - vf_set(f->planes[4 * i + 3]);
        const vm more = vm_gt(d, most);
        most = vf_select(more, d, most), *out = v3_select(more, n, *out);
    }
    return most;
}

#endif
