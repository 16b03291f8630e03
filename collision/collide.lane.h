/* collide: body poses -> contact slots. A slot is a ball (a box corner: of radius 0) against the ground, or a feature of a pair of
 * geoms (pairs.lane.h); it is active where the step could close its gap (robot/window.lane.h). What comes out is the list of contacts that
 * some lane of the part has (occupied.lane.h), with point, friction and warm start. The ground is the plane z = options->ground, at
 * -infinity where there is none: nothing is low then. Contact frame on it: the world's axes. */
#ifndef MYR_COLLISION_COLLIDE_LANE_H
#define MYR_COLLISION_COLLIDE_LANE_H

#include "ground_slots.lane.h"
#include "pairs.lane.h"

static void collide(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    ground_look look = {vm_from_bits(p->alive), vf_set((real)p->options->ground), 0};
    window_open(p);
    w->occupied = w->touched = w->n_out = 0;
    if (r->mixed) w->crowd = vf_zero(), w->crowded = 0;
    for (int t = 0; t < r->n_trees; t++) v3_store(w->tree_at + 3 * t, tree_position(p, t));
    for (int s = 0; s < r->n_ground; s += r->bodies[r->slots[s].body].n_slots) {
        const int body = r->slots[s].body, is_base = r->bodies[body].joint == MYR_JOINT_FREE;
        if (r->bodies[body].gated || is_base)
            ground_slots(p, &look, body, is_base ? NULL : w->R + 9 * body);
        else
            ground_lone(p, &look, body);
    }
    contact_frames_level(p, 0, w->occupied);
    if (r->n_pairs) collide_pairs(p);
    w->found = w->occupied;
}

#endif
