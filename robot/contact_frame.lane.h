/* The frame of an occupied slot: rows x, y, z of world axes, z along the normal, away from what the slot's body touches. A robot of legs
 * alone on a plane touches level ground and nothing else: its contacts have the world's axes, which are stored nowhere. That is chosen once
 * for the robot (robot->level). */
#ifndef MYR_ROBOT_CONTACT_FRAME_LANE_H
#define MYR_ROBOT_CONTACT_FRAME_LANE_H

#include "workspace.lane.h"

/* Axes of the contact frame: z the normal, x the world's x along the plane (the world's y where the normal is nearly x). */
static inline void contact_axes(v3 z, vf F[9]) {
    const vf zero = vf_zero(), one = vf_set(1);
    const vm steep = vm_gt(vf_abs(z.x), vf_set((real)0.9));
    const vf share = vf_select(steep, z.y, z.x);
    const v3 along = {vf_fnma(share, z.x, vf_select(steep, zero, one)), vf_fnma(share, z.y, vf_select(steep, one, zero)), -(share * z.z)};
    const v3 x = v3_scale(one / vf_sqrt(v3_dot(along, along)), along);
    v3_store(F, x);
    v3_store(F + 3, v3_cross(z, x));
    v3_store(F + 6, z);
}

/* The ground where something touches a map: axes, and the factor on the friction coefficient. */
typedef struct contact_ground {
    vf frame[9], rough;
} contact_ground;

INLINE vf *contact_frame(const part *p, int n) { return p->w->slot_frame + 9 * n; }
static inline int contacts_are_level(const part *p) { return p->r->level; }

/* Axis a = 0, 1, 2 of contact n: in world axes, and in those of the base that R0 turns to the world. */
INLINE v3 contact_axis(const part *p, int n, int a) {
    const vf zero = vf_zero(), one = vf_set(1);
    if (contacts_are_level(p)) return (v3){a == 0 ? one : zero, a == 1 ? one : zero, a == 2 ? one : zero};
    return v3_load(contact_frame(p, n) + 3 * a);
}
INLINE v3 contact_axis_in_base(const part *p, int n, int a, const vf *R0) {
    return contacts_are_level(p) ? v3_load(R0 + 3 * a) : m3_mul_t(R0, v3_load(contact_frame(p, n) + 3 * a));
}

/* A vector of the contact's axes in those of the world, and back. */
INLINE v3 contact_to_world(const part *p, int n, v3 x) { return contacts_are_level(p) ? x : m3_mul_t(contact_frame(p, n), x); }
INLINE v3 contact_from_world(const part *p, int n, v3 x) { return contacts_are_level(p) ? x : m3_mul(contact_frame(p, n), x); }

/* Where contact n is in the world, as the step solved it: the poses are those before the step. */
static inline v3 contact_place(const part *p, int n) {
    const workspace *w = p->w;
    const int tree = p->r->bodies[p->r->slots[w->slot[n]].body].tree;
    return v3_add(v3_load(w->tree_at + 3 * tree), m3_mul(w->R0 + 9 * tree, v3_load(w->slot_x + 3 * n)));
}

/* The world's axes, of contacts first..end - 1. */
static inline void contact_frames_level(const part *p, int first, int end) {
    if (contacts_are_level(p)) return;
    for (int n = first; n < end; n++) {
        vf *frame = contact_frame(p, n);
        UNROLL for (int i = 0; i < 9; i++) frame[i] = vf_set(i % 4 == 0 ? 1 : 0);
    }
}

/* Contact n touches a map: in the lanes `mine`, or, where `begins`, in all. */
static inline void contact_grounded(const part *p, int n, vm mine, const contact_ground *on, const int begins) {
    vf *frame = contact_frame(p, n), *mu = &p->w->slot_mu[n];
    UNROLL for (int i = 0; i < 9; i++) frame[i] = begins ? on->frame[i] : vf_select(mine, on->frame[i], frame[i]);
    *mu = begins ? *mu * on->rough : vf_select(mine, *mu * on->rough, *mu);
}

/* Contact n has the frame of contact `from`. */
static inline void contact_frame_copy(const part *p, int n, int from) {
    if (!contacts_are_level(p)) memcpy(contact_frame(p, n), contact_frame(p, from), 9 * sizeof(vf));
}

#endif
