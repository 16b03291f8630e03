/* What the files of the types of geoms share, in lanes. All is in the geom's own axes, about the middle of the box that holds it. */
#ifndef MYR_COLLISION_GEOMS_GEOM_LANE_H
#define MYR_COLLISION_GEOMS_GEOM_LANE_H

#include "collision/manifold.lane.h"
#include "robot/flat.lane.h"

/* Of two faces that lean from a direction alike the first is the one that looks along it, unless the other does more by this much. */
#define FACING_MARGIN 1e-3

/* A polygon, counterclockwise from outside; of `n` corners in every lane, some of which may be the same. */
typedef struct shape_face {
    int n; /* 2: a line in all lanes */
    v3 normal, corner[MYR_FACE_CORNERS];
    vm area;   /* else all corners are on a line */
    real disc; /* the radius of the disc whose rim the corners are on; below 0: the polygon is all of the face */
} shape_face;

/* The axis nearest to +-n; neither y nor z: x. */
static inline void largest_axis(v3 n, vm *is_y, vm *is_z) {
    const vf x = vf_abs(n.x), y = vf_abs(n.y), z = vf_abs(n.z), less = vf_set((real)(1 - FACING_MARGIN));
    *is_z = vm_gt(less * z, vf_max(x, y));
    *is_y = vm_andnot(vm_gt(less * y, x), *is_z);
}

static inline v3 v3_turn(v3 a) { return (v3){-a.x, -a.y, -a.z}; }

/* The face in other axes, R from its own to them, with its middle at d. */
static void turn_flat(const vf *R, v3 d, shape_face *f) {
    f->normal = m3_mul(R, f->normal);
    for (int k = 0; k < f->n; k++) f->corner[k] = m3_mul_add(R, f->corner[k], d);
}

INLINE vf with_sign(vf size, vf sign) { return vf_select(vm_lt(sign, vf_zero()), -size, size); }

#endif
