/* collide: body poses -> contact slots. A slot is a ball (a box corner: of radius 0) against the ground, or a feature of a pair of
 * geoms (pairs.lane.h); it is active where its gap phi <= 0, or within the setting `gap`. What comes out is the list of slots that some
 * lane of the part uses, with point, friction and warm start. Contact frame on the ground's plane: the world's axes. */
#ifndef MYR_COLLISION_COLLIDE_LANE_H
#define MYR_COLLISION_COLLIDE_LANE_H

#include "pairs.lane.h"
#include "robot/place.lane.h"

/* Height of the ground below (x, y) [m], world. A plane for now; terrain will answer per lane, with a normal. */
static inline vf ground_height(vf x, vf y) {
    (void)x, (void)y;
    return vf_zero();
}

/* The slots of body i against the ground that some lane uses, after n others; returns how many there are then. */
static int collide_body(const part *p, int i, int *occupied, int n) {
    const robot *r = p->r;
    workspace *w = p->w;
    const lane_body *b = &r->bodies[i];
    const vm alive = vm_from_bits(p->alive);
    const vf reach = vf_set((real)p->options->terms.gap), *friction = field_rows(p, MYR_ROWS_friction);
    const int keep_gap = slot_gap_wanted(p), warm_start = p->options->solve.warm_start, is_base = b->joint == MYR_JOINT_FREE;
    const v3 base = v3_load(w->tree_at + 3 * b->tree), up = v3_load(w->R0 + 9 * b->tree + 6); /* world z in base axes */
    if (b->gated && !(is_base ? body_low(p, b, v3_uniform(b->ball)) : w->low[i])) return n;
    for (int s = b->slot; s < b->slot + b->n_slots; s++) {
        const lane_slot *slot = &r->slots[s];
        const v3 x = !is_base ? v3_load(w->slot_at + 3 * s) : slot->rim ? rim_point(slot, up) : v3_uniform(slot->center);
        const vf height = base.z + v3_dot(up, x), radius = vf_set(slot->radius);
        const vf gap = height - radius - ground_height(base.x, base.y);
        const vm active = vm_and(alive, vm_le(gap, reach));
        if (!vm_any(active)) continue;
        occupied[n] = s;
        v3_store(w->slot_x + 3 * n, v3_sub(x, v3_scale(radius, up)));
        w->slot_active[n] = vf_select(active, vf_set(1), vf_zero());
        if (keep_gap) w->slot_gap[n] = gap;
        w->slot_mu[n] = vf_set(slot->friction) * *friction;
        const vf *impulse = row(p, slot->row);
        const vm warm = warm_start ? active : vm_none();
        UNROLL for (int k = 0; k < 3; k++) w->slot_lambda[3 * n + k] = vf_select(warm, impulse[PARTS * k], vf_zero());
        n++;
    }
    return n;
}

static void collide(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    int *occupied = (int *)(void *)w->slot;
    int n = 0;
    for (int t = 0; t < r->n_trees; t++) v3_store(w->tree_at + 3 * t, tree_position(p, t));
    for (int i = 0; i < r->n_bodies; i++)
        if (r->bodies[i].n_slots) n = collide_body(p, i, occupied, n);
    w->occupied = r->n_pairs ? collide_pairs(p, occupied, n) : n;
}

#endif
