/* The frame of an occupied slot: rows x, y, z of world axes, z along the normal, away from what the slot's body touches. A robot of legs
 * alone touches level ground and nothing else: its contacts have the world's axes, which are stored nowhere. That is chosen once for the
 * robot, with its variant. */
#ifndef MYR_ROBOT_CONTACT_FRAME_LANE_H
#define MYR_ROBOT_CONTACT_FRAME_LANE_H

#include "workspace.lane.h"

INLINE vf *contact_frame(const part *p, int n) { return p->w->slot_frame + 9 * n; }
static inline int contacts_are_level(const part *p) { return p->r->n_legs > 0; }

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

/* The world's axes, of contacts first..end - 1. */
static inline void contact_frames_level(const part *p, int first, int end) {
    if (contacts_are_level(p)) return;
    for (int n = first; n < end; n++) {
        vf *frame = contact_frame(p, n);
        UNROLL for (int i = 0; i < 9; i++) frame[i] = vf_set(i % 4 == 0 ? 1 : 0);
    }
}

/* Contact n has the frame of contact `from`. */
static inline void contact_frame_copy(const part *p, int n, int from) {
    if (!contacts_are_level(p)) memcpy(contact_frame(p, n), contact_frame(p, from), 9 * sizeof(vf));
}

#endif
