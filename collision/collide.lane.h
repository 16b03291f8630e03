/* collide: body poses -> contact slots. A slot is a ball (a box corner: of radius 0) against the ground, or a feature of a pair of
 * geoms (pairs.lane.h); it is active where the step could close its gap (robot/window.lane.h). What comes out is the list of contacts that
 * some lane of the part has (occupied.lane.h), with point, friction and warm start. The ground is the plane z = options->ground, at
 * -infinity where there is none: nothing is low then. Contact frame on it: the world's axes. */
#ifndef MYR_COLLISION_COLLIDE_LANE_H
#define MYR_COLLISION_COLLIDE_LANE_H

#include "pairs.lane.h"
#include "robot/hulls.lane.h"
#include "robot/window.lane.h"
#include "working_set.lane.h"

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
        candidate_add(w, s, active, low, gap, ends);
        return;
    }
    if (f) {
        patch_add(p, f, s, active, low, window_rests(p, gap, gap));
        return;
    }
    touch_note(w, s, w->occupied, w->occupied + 1, 1);
    entry_begin(p, w->occupied, s, active, low, window_rests(p, gap, gap));
}

INLINE body_place ground_body(const part *p, const ground_look *look, int body, v3 up) {
    const v3 base = v3_load(p->w->tree_at + 3 * p->r->bodies[body].tree), origin = v3_load(p->w->p + 3 * body);
    return (body_place){origin, up, (base.z - look->ground) + v3_dot(up, origin)};
}

static void collide(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    ground_look look = {vm_from_bits(p->alive), vf_set((real)p->options->ground), 0};
    w->occupied = w->touched = w->n_out = 0;
    if (r->mixed) w->crowd = vf_zero(), w->crowded = 0;
    for (int t = 0; t < r->n_trees; t++) v3_store(w->tree_at + 3 * t, tree_position(p, t));
    for (int s = 0; s < r->n_ground;) {
        const int i = r->slots[s].body;
        const lane_body *b = &r->bodies[i];
        const int is_base = b->joint == MYR_JOINT_FREE, end = s + b->n_slots;
        const v3 up = v3_load(w->R0 + 9 * b->tree + 6); /* world z in base axes */
        if (!b->gated && !is_base) {
            const body_place at = ground_body(p, &look, i, up);
            ground_slot(p, &look, s, &at, v3_load(w->slot_at + 3 * s), NULL);
        } else if (!b->gated || (is_base ? body_low(p, b, v3_uniform(b->ball), window_of(p, i, v3_uniform(b->ball))) : w->low[i])) {
            const body_place at = ground_body(p, &look, i, up);
            patch f = patch_open(w);
            const int first = w->n_out;
            look.chooses = p->options->working_sets && b->n_slots > FEW_SLOTS;
            for (; s < end; s++) {
                const lane_slot *slot = &r->slots[s];
                if (is_base && slot->hull && slot->feature == 0) {
                    v3 points[MYR_HULL_SLOTS];
                    hull_points(&r->hulls[slot->hull - 1], up, points);
                    for (int k = 0; k < MYR_HULL_SLOTS; k++) v3_store(w->slot_at + 3 * (s + k), points[k]);
                }
                const v3 arm = !is_base || slot->hull ? v3_load(w->slot_at + 3 * s)
                               : slot->rim            ? rim_point(slot, up)
                                                      : v3_uniform(slot->center);
                ground_slot(p, &look, s, &at, arm, &f);
            }
            if (look.chooses) patch_choose(p, &f, first, up);
            look.chooses = 0;
            patch_close(w, &f);
        }
        s = end;
    }
    contact_frames_level(p, 0, w->occupied);
    if (r->n_pairs) collide_pairs(p);
    w->found = w->occupied;
}

#endif
