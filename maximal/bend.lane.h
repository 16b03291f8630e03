/* Contacts at the end of the step: their velocities from how far bodies really go, where J u takes the first order of it.
 *
 * Along the tangents the law of Brüdigam 2021 asks for the velocity of the contact point by the body's v and w of the
 * interval, lever arms as the step begins; along the normal for (phi(z3) - phi(z2)) / dt, phi the distance of the ball's lowest point. What
 * that is beyond J u is here called its bend: it is of order dt w^2.
 *
 * The distance is exact against the ground, whose normal is one everywhere. The rim of a cylinder, and what touches between two bodies, are
 * other points when the bodies have turned: these take the normal velocity of the point, which has no error that grows with their spin. */
#ifndef MYR_MAXIMAL_BEND_LANE_H
#define MYR_MAXIMAL_BEND_LANE_H

#include "momentum.lane.h"
#include "constraints/pack.lane.h"
#include "robot/contact_frame.lane.h"
#include "robot/touch.lane.h"

/* Radii of the occupied slots' balls, -1 for a rim. An entry may be another slot in each lane, and then touches say which. These schemes
 * leave no contact out of their problems, so none comes later. */
static void bend_rounds(const part *p) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const lane_slot *slots = p->r->slots;
    for (int n = 0; n < w->occupied; n++) {
        const lane_slot *slot = &slots[w->slot[n]];
        mw->slot_round[n] = vf_set(slot->rim ? -1 : slot->radius);
    }
    for (int t = 0; t < w->touched; t++) {
        const slot_touch *touch = &w->touch[t];
        const lane_slot *slot = &slots[touch->slot];
        const vf radius = vf_set(slot->rim ? -1 : slot->radius);
        if (touch->alone) continue;
        for (int n = touch->first; n < touch->end; n++) mw->slot_round[n] = vf_select(touch_lanes(w, t, n), radius, mw->slot_round[n]);
    }
}

/* Velocity of the point x of body i by v and w of the present increments, over dt; base axes, less that of the base before the step. `way`:
 * -1 where the increments are those of a step backwards, else 1. */
static inline v3 bent_velocity(const part *p, int i, const vf *u, vf way, v3 x) {
    const lane_body *b = &p->r->bodies[i];
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const quat t = quat_load(mw->turned + 4 * i);
    const v3 com = v3_load(mw->central + CENTRAL * i + 1), lever = v3_sub(x, v3_load(w->p + 3 * i));
    const vf per_dt = vf_set(p->per_dt), twice = vf_set(2 * p->per_dt);
    const v3 v = v3_scale(per_dt, v3_add(v3_load(mw->shift + 3 * i), quat_moves(t, com)));
    v3 sum = v3_fma(twice, v3_cross(t.eta, v3_sub(lever, com)), v);
    if (b->wheel) sum = v3_fma(way * u[b->v], v3_cross(v3_load(w->axis + 3 * b->v), lever), sum);
    return sum;
}

/* The same by J u. */
static inline v3 straight_velocity(const part *p, int body, const vf *u, vf way, v3 x) {
    const robot *r = p->r;
    const workspace *w = p->w;
    v3 sum = v3_zero();
    for (int i = body; i >= 0; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        if (b->joint == MYR_JOINT_FREE) {
            const v3 v = v3_sub(v3_load(u + b->v), v3_load(w->u + b->v));
            sum = v3_add(sum, v3_cross_add(v3_load(u + b->v + 3), x, v));
            continue;
        }
        const v3 arm = v3_sub(x, v3_load(w->p + 3 * i));
        for (int k = 0; k < b->nv; k++) {
            const v3 axis = v3_load(w->axis + 3 * (b->v + k));
            sum = v3_fma(u[b->v + k], dof_is_linear(b, k) ? axis : v3_cross(axis, arm), sum);
        }
    }
    return v3_scale(way, sum);
}

/* Velocity, less `less`, of occupied slot n, where body i touches the ground: of the point along the tangents, along the normal as its
 * distance goes. `less` in base axes, the answer in those of the world. */
static v3 ground_velocity(const part *p, int n, int i, const vf *u, vf way, v3 less) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf *R0 = w->R0 + 9 * p->r->bodies[i].tree, radius = mw->slot_round[n], per_dt = vf_set(p->per_dt);
    const v3 x = v3_load(w->slot_x + 3 * n), up = v3_load(R0 + 6);
    const v3 point = m3_mul(R0, v3_sub(bent_velocity(p, i, u, way, x), less));
    const v3 center = v3_sub(v3_fma(radius, up, x), v3_load(w->p + 3 * i));
    const v3 goes = v3_add(v3_load(mw->shift + 3 * i), quat_moves(quat_load(mw->turned + 4 * i), center));
    const vf rises = v3_dot(up, v3_sub(v3_scale(per_dt, goes), less));
    return (v3){point.x, point.y, vf_select(vm_ge(radius, vf_zero()), rises, point.z)};
}

/* Its bend. */
static v3 ground_bend(const part *p, int n, int i, const vf *u, vf way) {
    return ground_velocity(p, n, i, u, way, straight_velocity(p, i, u, way, v3_load(p->w->slot_x + 3 * n)));
}

/* Bend of the point x of a body, in the world. */
static v3 body_bend(const part *p, int i, const vf *u, vf way, v3 x) {
    const v3 bend = v3_sub(bent_velocity(p, i, u, way, x), straight_velocity(p, i, u, way, x));
    return m3_mul(p->w->R0 + 9 * p->r->bodies[i].tree, bend);
}

/* That of occupied slot n, axes of the contact. */
static inline v3 slot_bend(const part *p, int n, const vf *u, vf way) {
    const workspace *w = p->w;
    const lane_slot *slot = &p->r->slots[w->slot[n]];
    if (slot->on_ground) return ground_bend(p, n, slot->body, u, way);
    v3 bend = body_bend(p, slot->body, u, way, v3_load(w->slot_x + 3 * n));
    if (slot->other_body >= 0) bend = v3_sub(bend, body_bend(p, slot->other_body, u, way, v3_load(w->slot_other_x + 3 * n)));
    return contact_from_world(p, n, bend);
}

/* Velocities of the contacts, and their free velocities, to those of the step u: mw->slot_bend becomes that of u. */
static void bend_contacts(const part *p, const vf *u) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    for (int n = 0; n < w->occupied; n++) {
        const v3 bend = slot_bend(p, n, u, vf_set(1)), change = v3_sub(bend, v3_load(mw->slot_bend + 3 * n));
        pack_add(p, n, vm_all(), change, w->contact.w);
        pack_add(p, n, vm_all(), change, w->contact.c);
        v3_store(mw->slot_bend + 3 * n, bend);
    }
}

/* A first guess from the step before, of which the increments are: bends are even in dt. */
static void bend_begin(const part *p) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    for (int n = 0; n < w->occupied; n++) v3_store(mw->slot_bend + 3 * n, slot_bend(p, n, w->u, vf_set(-1)));
}

/* Free velocities that were assembled anew. */
static void bend_free(const part *p) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    for (int n = 0; n < w->occupied; n++) pack_add(p, n, vm_all(), v3_load(mw->slot_bend + 3 * n), w->contact.c);
}

#endif
