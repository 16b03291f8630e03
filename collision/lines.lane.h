/* Where two lines lie along each other: a cylinder's side or a capsule on another's, or on an edge of a hull or a box. One point would be
 * anywhere on the stretch that they share, so that what lies there rocks; its two ends hold it. */
#ifndef MYR_COLLISION_LINES_LANE_H
#define MYR_COLLISION_LINES_LANE_H

#include "geoms.lane.h"

/* Lines nearer to parallel than this (squared sine) share a stretch, as capsules do. An edge is one of those that are farthest along the
 * direction if its ends differ by less than this, too. */
#define LINES_PARALLEL CAPSULES_PARALLEL

typedef struct shape_line {
    v3 from, along;
    vf length2;
    vm has;
} shape_line;

/* The line of the flat `f` that is farthest along n: the longest edge that lies across n, or all of what is a line anyway. */
static void farthest_line(const shape_face *f, v3 n, shape_line *out) {
    vf most = v3_dot(n, f->corner[0]), height[MYR_FACE_CORNERS];
    *out = (shape_line){v3_zero(), v3_zero(), vf_zero(), vm_none()};
    for (int k = 0; k < f->n; k++) height[k] = v3_dot(n, f->corner[k]), most = vf_max(most, height[k]);
    for (int k = 0; k < f->n; k++) {
        const int next = (k + 1) % f->n;
        const v3 along = v3_sub(f->corner[next], f->corner[k]);
        const vf length2 = v3_dot(along, along), below = most - vf_min(height[k], height[next]);
        const vm edge = vm_and(vm_le(below * below, vf_set((real)LINES_PARALLEL) * length2), vm_gt(length2, out->length2));
        out->from = v3_select(edge, f->corner[k], out->from);
        out->along = v3_select(edge, along, out->along);
        out->length2 = vf_select(edge, length2, out->length2);
        out->has = vm_or(out->has, edge);
    }
}

/* The two ends of what they share, on a and on b, in the order of `sense`, a direction that turns with a: whichever way round an edge was
 * found, an end keeps its place. The lanes that share anything. */
static vm shared_stretch(const shape_line *a, const shape_line *b, v3 sense, v3 on_a[2], v3 on_b[2]) {
    const vf zero = vf_zero(), one = vf_set(1);
    const v3 across = v3_cross(a->along, b->along);
    vm shared = vm_and(vm_and(a->has, b->has), vm_lt(v3_dot(across, across), vf_set((real)LINES_PARALLEL) * (a->length2 * b->length2)));
    if (!vm_any(shared)) return shared;
    const vf over_a = one / vf_select(shared, a->length2, one), over_b = one / vf_select(shared, v3_dot(a->along, b->along), one);
    /* b's ends, in shares of a */
    const vf first = over_a * v3_dot(a->along, v3_sub(b->from, a->from)), last = vf_fma(over_a, v3_dot(a->along, b->along), first);
    const vf low = vf_max(zero, vf_min(first, last)), high = vf_min(one, vf_max(first, last));
    const vm turned = vm_lt(v3_dot(a->along, sense), zero);
    const vf t[2] = {vf_select(turned, high, low), vf_select(turned, low, high)};
    shared = vm_and(shared, vm_gt(high, low));
    for (int k = 0; k < 2; k++) {
        on_a[k] = v3_fma(t[k], a->along, a->from);
        on_b[k] = v3_fma((t[k] - first) * (a->length2 * over_b), b->along, b->from);
    }
    return shared;
}

#endif
