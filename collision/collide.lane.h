/* collide: body poses -> contact slots. A slot is a ball (a box corner: of radius 0) against the ground, or a feature of a pair of
 * geoms (pairs.lane.h); it is active where the step could close its gap (robot/window.lane.h). What comes out is the list of contacts that
 * some lane of the part has (occupied.lane.h), with point, friction, frame and warm start. The ground is the plane z = options->ground, at
 * -infinity where there is none: nothing is low then; or a map, whose 0 is there. Frame of a contact with the plane: the world's axes. */
#ifndef MYR_COLLISION_COLLIDE_LANE_H
#define MYR_COLLISION_COLLIDE_LANE_H

#include "map_slots.lane.h"
#include "pairs.lane.h"

static void collide_ground(const part *p) {
    const robot *r = p->r;
    const workspace *w = p->w;
    ground_look look = {vm_from_bits(p->alive), vf_set((real)p->options->ground), 0};
    for (int s = 0; s < r->n_ground; s += r->bodies[r->slots[s].body].n_slots) {
        const int body = r->slots[s].body, is_base = r->bodies[body].joint == MYR_JOINT_FREE;
        if (r->bodies[body].gated || is_base)
            ground_slots(p, &look, body, is_base ? NULL : w->R + 9 * body);
        else
            ground_lone(p, &look, body);
    }
    contact_frames_level(p, 0, w->occupied);
}

/* Lanes that are too far from their origin stop here, as their places would lose bits; and those whose origin is NaN. */
static unsigned off_map(const part *p, const ground_origin *o) {
    const vf most = vf_set((real)MYR_TERRAIN_RANGE_M);
    vm off = vm_not(vm_finite(o->i + (o->k + o->height)));
    for (int t = 0; t < p->r->n_trees; t++) {
        const v3 at = v3_load(p->w->tree_at + 3 * t);
        off = vm_or(off, vm_or(vm_gt(vf_abs(at.x), most), vm_gt(vf_abs(at.y), most)));
    }
    return vm_bits(off);
}

static void collide_map(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    map_look look = {{vm_from_bits(p->alive), vf_set((real)p->options->ground), 0}, ground_origin_of(p)};
    w->strayed = off_map(p, &look.origin);
    for (int s = 0; s < r->n_ground; s += r->bodies[r->slots[s].body].n_slots) {
        const int body = r->slots[s].body, is_base = r->bodies[body].joint == MYR_JOINT_FREE;
        look.ground.alive = vm_from_bits(p->alive);
        if (r->bodies[body].gated || is_base)
            map_slots(p, &look, body, is_base ? NULL : w->R + 9 * body);
        else
            map_lone(p, &look, body);
    }
}

static void collide(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    window_open(p);
    w->occupied = w->touched = w->n_out = 0;
    if (r->mixed) w->crowd = vf_zero(), w->crowded = 0;
    for (int t = 0; t < r->n_trees; t++) v3_store(w->tree_at + 3 * t, tree_position(p, t));
    if (r->ground.map)
        collide_map(p);
    else
        collide_ground(p);
    if (r->n_pairs) collide_pairs(p);
    w->found = w->occupied;
}

#endif
