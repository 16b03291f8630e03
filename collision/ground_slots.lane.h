/* The slots of bodies against the ground: where they are, which are near, and the contacts that they are. A body of several is looked at
 * only where the ball around them is low enough. */
#ifndef MYR_COLLISION_GROUND_SLOTS_LANE_H
#define MYR_COLLISION_GROUND_SLOTS_LANE_H

#include "hulls.lane.h"
#include "robot/window.lane.h"
#include "working_set.lane.h"

/* May a slot of this body touch the ground in some lane? `at`: centre of the ball that holds them, base frame. Where not,
 * each would be found inactive in every lane: what is added is more than rounding can make of their heights. */
static inline int body_low(const part *p, const lane_body *b, v3 at, vf reach) {
    const vf z = tree_position(p, b->tree).z, scale = vf_abs(z) + vf_abs(at.x) + vf_abs(at.y) + vf_abs(at.z);
    const vf over =
        z - vf_set((real)p->options->ground) + v3_dot(v3_load(p->w->R0 + 9 * b->tree + 6), at) - vf_set((real)1.0001 * b->ball_radius);
    const vm high = vm_gt(vf_fnma(vf_set((real)1e-5), scale, over), reach);
    return vm_any(vm_andnot(vm_from_bits(p->alive), high)); /* no number: low */
}

/* Where the ball of a cylinder's slot is, in the body's axes, in which `up` points up (model/model.h). */
static v3 rim_point(const lane_slot *slot, v3 up) {
    const v3 axis = v3_uniform(slot->axis), center = v3_uniform(slot->center), side = v3_uniform(slot->side);
    const vf lean = v3_dot(axis, up), half = vf_set((real)0.5), third = vf_set((real)0.86602540378443865);
    const v3 across = v3_fma(-lean, axis, up); /* of length sine of the lean */
    const vf sine2 = v3_dot(across, across), upright = vf_set((real)(MYR_RIM_UPRIGHT * MYR_RIM_UPRIGHT));
    const vm leans = vm_gt(sine2, upright);
    const v3 down = v3_select(leans, v3_scale(vf_set(-1) / vf_sqrt(vf_select(leans, sine2, vf_set(1))), across), side);
    const vf radius = vf_set(slot->rim_radius);
    if (slot->rim == MYR_RIM_CAP) return v3_fma(radius, down, center);
    const vf to_cap = vf_select(vm_gt(lean, vf_zero()), vf_set(-slot->half), vf_set(slot->half));
    const v3 aside = v3_scale(slot->rim == MYR_RIM_LEFT ? third : -third, v3_cross(axis, down));
    return v3_fma(radius, v3_fma(-half, down, aside), v3_fma(to_cap, axis, center));
}

/* What all bodies' slots are looked at with. */
typedef struct ground_look {
    vm alive;
    vf ground;
    int chooses; /* the body's contacts are candidates for a working set */
} ground_look;

/* Where a body is: its origin, base axes, and how high above the ground. Gaps of its slots are sums of that height, which is the same for
 * all, and of lengths within the body: so those of one flat foot are one plane's, but for rounding of these. */
typedef struct body_place {
    v3 origin, up;
    vf height;
} body_place;

/* Slot s; arm: centre of its ball from the body's origin, base axes. */
static inline __attribute__((always_inline)) void ground_slot(const part *p, const ground_look *look, int s, const body_place *at, v3 arm,
                                                              patch *f) {
    workspace *w = p->w;
    const v3 up = at->up;
    const vf radius = vf_set(p->r->slots[s].radius), gap = at->height + (v3_dot(up, arm) - radius);
    const v3 low = v3_sub(v3_add(at->origin, arm), v3_scale(radius, up));
    const vf ends = window_ends(p, gap, twist_along(p, p->r->slots[s].body, low, up));
    vm active = vm_and(look->alive, window_reached(p, gap, ends));
    if (!vm_any(active)) return;
    if (p->r->mixed && !vm_any(active = entry_fits(p, active))) return;
    if (look->chooses) {
        candidate_add(w, s, active, low, gap, ends, NULL);
        return;
    }
    if (f) {
        patch_add(p, f, s, active, low, window_rests(p, gap, gap), NULL);
        return;
    }
    touch_note(w, s, w->occupied, w->occupied + 1, 1);
    entry_begin(p, w->occupied, s, active, low, window_rests(p, gap, gap), NULL);
}

INLINE body_place ground_body(const part *p, const ground_look *look, int body, v3 up) {
    const v3 base = v3_load(p->w->tree_at + 3 * p->r->bodies[body].tree), origin = v3_load(p->w->p + 3 * body);
    return (body_place){origin, up, (base.z - look->ground) + v3_dot(up, origin)};
}

/* A body of several slots, or the base of its tree. R: its axes in those of the base, NULL where they are these. */
static void ground_slots(const part *p, ground_look *look, int body, const vf *R) {
    workspace *w = p->w;
    const lane_body *b = &p->r->bodies[body];
    const v3 up = v3_load(w->R0 + 9 * b->tree + 6), ball = v3_uniform(b->ball); /* world z in base axes */
    const v3 center = R ? v3_add(v3_load(w->p + 3 * body), m3_mul(R, ball)) : ball;
    if (b->gated && !body_low(p, b, center, window_of(p, body, center))) return;
    const body_place at = ground_body(p, look, body, up);
    const v3 own_up = R ? m3_mul_t(R, up) : up;
    v3 corners[MYR_HULL_SLOTS];
    patch f = patch_open(w);
    const int first = w->n_out;
    look->chooses = p->options->working_sets && b->n_places > FEW_SLOTS;
    for (int s = b->slot; s < b->slot + b->n_slots; s++) {
        const lane_slot *slot = &p->r->slots[s];
        if (slot->hull && slot->feature == 0) hull_points(&p->r->hulls[slot->hull - 1], own_up, corners);
        const v3 own = slot->hull ? corners[slot->feature] : slot->rim ? rim_point(slot, own_up) : v3_uniform(slot->center);
        ground_slot(p, look, s, &at, R ? m3_mul(R, own) : own, &f);
    }
    if (look->chooses) patch_choose(p, &f, first, up);
    look->chooses = 0;
    patch_close(w, &f);
}

/* A body with one slot, other than a base: kinematics has its place. */
INLINE void ground_lone(const part *p, const ground_look *look, int body) {
    const lane_body *b = &p->r->bodies[body];
    const body_place at = ground_body(p, look, body, v3_load(p->w->R0 + 9 * b->tree + 6));
    ground_slot(p, look, b->slot, &at, v3_load(p->w->ball_at + 3 * body), NULL);
}

#endif
