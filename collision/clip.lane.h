/* What two flat things share, one of them lying on the other: the corners of the one cut to the other's outline, and the other's that lie
 * under it. Of these four remain, those farthest in four directions that turn with the first geom, and the deepest if it is deeper than
 * they are. So what rocks or slides keeps its slots until another corner is the farthest by more than rounding. */
#ifndef MYR_COLLISION_CLIP_LANE_H
#define MYR_COLLISION_CLIP_LANE_H

#include "geoms.lane.h"

/* Numbers that are not this much apart count as equal, the first one coming first; of the lesser of both least half extents. */
#define CLIP_MARGIN 1e-3

/* What lies under the other: a face with its outline. */
typedef struct outline {
    const shape_face *face;
    v3 center, side[MYR_FACE_CORNERS]; /* center: of a disc */
    vf bound[MYR_FACE_CORNERS];        /* within: side x <= bound */
    vf margin;
} outline;

static inline int is_disc(const outline *o) { return o->face->disc >= 0; }

/* `margin`: this much more than the face counts as the face. */
static void outline_of(const shape_face *face, vf margin, outline *o) {
    o->face = face;
    o->margin = margin;
    o->center = v3_scale(vf_set((real)0.5), v3_add(face->corner[0], face->corner[face->n / 2]));
    if (is_disc(o)) return;
    for (int k = 0; k < face->n; k++) {
        const v3 from = face->corner[k], along = v3_sub(face->corner[(k + 1) % face->n], from);
        o->side[k] = v3_cross(along, face->normal);
        o->bound[k] = vf_fma(margin, vf_sqrt(v3_dot(along, along)), v3_dot(o->side[k], from));
    }
}

/* The part [t0, t1] of x + t along over the face. */
static void outline_cut(const outline *o, v3 x, v3 along, vf *t0, vf *t1) {
    const vf zero = vf_zero(), one = vf_set(1), never = vf_set(2);
    *t0 = zero, *t1 = one;
    if (is_disc(o)) {
        const v3 n = o->face->normal, from = v3_sub(x, o->center);
        const v3 p = v3_fma(-v3_dot(n, from), n, from), q = v3_fma(-v3_dot(n, along), n, along);
        const vf r = vf_set(o->face->disc) + o->margin, a = v3_dot(q, q), b = v3_dot(p, q), c = vf_fms(r, r, v3_dot(p, p));
        const vf root2 = vf_fma(a, c, b * b), root = vf_sqrt(vf_max(root2, zero));
        const vm moves = vm_gt(a, vf_set((real)1e-30));
        const vf scale = one / vf_select(moves, a, one);
        *t0 = vf_select(moves, vf_max(zero, scale * (-b - root)), zero);
        *t1 = vf_select(moves, vf_min(one, scale * (root - b)), one);
        const vm out = vm_or(vm_and(moves, vm_lt(root2, zero)), vm_andnot(vm_lt(c, zero), moves));
        *t0 = vf_select(out, never, *t0);
        return;
    }
    for (int k = 0; k < o->face->n; k++) {
        const vf f = v3_dot(o->side[k], x) - o->bound[k], df = v3_dot(o->side[k], along);
        const vm out = vm_gt(df, zero), in = vm_lt(df, zero), either = vm_or(out, in);
        const vf t = -f / vf_select(either, df, one);
        *t1 = vf_select(out, vf_min(*t1, t), *t1);
        *t0 = vf_select(in, vf_max(*t0, t), vf_select(vm_andnot(vm_gt(f, zero), either), never, *t0));
    }
}

/* Whether x, in the plane of the face, is on it. */
static vm outline_holds(const outline *o, v3 x) {
    vm on = vm_all();
    if (is_disc(o)) {
        const v3 from = v3_sub(x, o->center);
        const vf r = vf_set(o->face->disc);
        return vm_le(v3_dot(from, from), r * r);
    }
    for (int k = 0; k < o->face->n; k++) on = vm_and(on, vm_le(v3_dot(o->side[k], x), o->bound[k]));
    return on;
}

enum { CLIP_KEPT = 4 };
typedef struct clip_kept {
    v3 along[2];        /* the directions, and those against them */
    vf margin, highest; /* what is higher than that above the face is of no interest */
    vf far[CLIP_KEPT], which[CLIP_KEPT], height[CLIP_KEPT], least, least_which;
    v3 at[CLIP_KEPT], least_at;
} clip_kept;

static void keep_none(clip_kept *k) {
    for (int i = 0; i < CLIP_KEPT; i++)
        k->far[i] = vf_set((real)-1e30), k->which[i] = vf_set(-1), k->height[i] = vf_set(1), k->at[i] = v3_zero();
    k->least = vf_set((real)1e30), k->least_which = vf_set(-1), k->least_at = v3_zero();
}

static void keep_offer(clip_kept *k, vm where, int number, v3 x, vf height) {
    where = vm_and(where, vm_le(height, k->highest));
    if (!vm_any(where)) return;
    const vf which = vf_set((real)number), along[2] = {v3_dot(k->along[0], x), v3_dot(k->along[1], x)};
    for (int i = 0; i < CLIP_KEPT; i++) {
        const vf far = i < 2 ? along[i] : -along[i - 2];
        const vm better = vm_and(where, vm_gt(far, k->far[i] + k->margin));
        k->far[i] = vf_select(better, far, k->far[i]);
        k->which[i] = vf_select(better, which, k->which[i]);
        k->height[i] = vf_select(better, height, k->height[i]);
        k->at[i] = v3_select(better, x, k->at[i]);
    }
    const vm deeper = vm_and(where, vm_lt(height, k->least - k->margin));
    k->least = vf_select(deeper, height, k->least);
    k->least_which = vf_select(deeper, which, k->least_which);
    k->least_at = v3_select(deeper, x, k->least_at);
}

/* `top` lies on `under`: points of the top's face, heights above the other. */
static void clip_faces(const outline *under, const outline *top, vm where, clip_kept *k) {
    const shape_face *low = under->face, *high = top->face;
    const vf one = vf_set(1), ground = v3_dot(low->normal, low->corner[0]);
    for (int i = 0; i < high->n; i++) {
        const v3 x = high->corner[i], along = v3_sub(high->corner[(i + 1) % high->n], x);
        vf t0, t1;
        outline_cut(under, x, along, &t0, &t1);
        const vm enters = vm_and(where, vm_le(t0, t1)), leaves = vm_and(enters, vm_and(vm_lt(t0, t1), vm_lt(t1, one)));
        if (!vm_any(enters)) continue;
        const v3 in = v3_fma(t0, along, x), out = v3_fma(t1, along, x);
        keep_offer(k, enters, 2 * i, in, v3_dot(low->normal, in) - ground);
        if (vm_any(leaves)) keep_offer(k, leaves, 2 * i + 1, out, v3_dot(low->normal, out) - ground);
    }
    const vf slope = v3_dot(low->normal, high->normal);
    const vm faces = vm_and(where, vm_and(high->area, vm_lt(slope, vf_set((real)-1e-3))));
    if (!vm_any(faces)) return;
    const vf scale = one / vf_select(faces, slope, one);
    for (int i = 0; i < low->n; i++) {
        const v3 x = low->corner[i];
        const vf height = v3_dot(v3_sub(high->corner[0], x), high->normal) * scale;
        const v3 above = v3_fma(height, low->normal, x);
        keep_offer(k, vm_and(faces, outline_holds(top, above)), 2 * MYR_FACE_CORNERS + i, above, height);
    }
}

#endif
