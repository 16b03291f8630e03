/* Contacts that a working set leaves out (collision/working_set.lane.h): does the law hold for them, too?
 *
 * One that is left out carries no impulse, and the law of an impulse of zero is
 *     w_N >= c_ref              Coulomb's, the box's, the diamond's, Hwangbo's
 *     w - c_ref in K*           the convex one
 * by the new velocity w of its point. How far it is from that counts in `residual` and `residual_ncp` as of every other contact. Where it
 * is farther than a solve may be, the lane takes it in, the worst of each patch, and is solved again from the impulses that it has, up to
 * RECHECKS times. Those taken in lie behind all others, so that a lane's own order does not depend on its neighbours. */
#ifndef MYR_CONSTRAINTS_LEFT_OUT_LANE_H
#define MYR_CONSTRAINTS_LEFT_OUT_LANE_H

#include "again.lane.h"
#include "collision/working_set.lane.h"
#include "kernels/contact/idle.lane.h"

/* How a body moves: turning, and the velocity of its point that is at `at`; base axes. */
typedef struct body_motion {
    v3 turning, velocity, at;
} body_motion;

/* By the velocity u, in base coordinates. */
static body_motion motion_of(const part *p, const vf *u, int body, v3 at) {
    const robot *r = p->r;
    const workspace *w = p->w;
    body_motion m = {v3_zero(), v3_zero(), at};
    for (int i = body; i >= 0; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        const vf *rate = u + b->v, *axis = w->axis + 3 * b->v;
        if (b->joint == MYR_JOINT_FREE) {
            const v3 turning = v3_load(rate + 3);
            m.velocity = v3_cross_add(turning, at, v3_add(v3_load(rate), m.velocity));
            m.turning = v3_add(turning, m.turning);
            return m;
        }
        const v3 arm = v3_sub(at, v3_load(w->p + 3 * i));
        for (int k = 0; k < b->nv; k++, axis += 3) {
            if (b->joint == MYR_JOINT_PRISMATIC) {
                m.velocity = v3_fma(rate[k], v3_load(axis), m.velocity);
                continue;
            }
            m.turning = v3_fma(rate[k], v3_load(axis), m.turning);
            m.velocity = v3_fma(rate[k], v3_cross(v3_load(axis), arm), m.velocity);
        }
    }
    return m;
}

INLINE v3 motion_at(const body_motion *m, v3 x) { return v3_cross_add(m->turning, v3_sub(x, m->at), m->velocity); }

/* One patch of those left out at work: up to `end` - 1. */
typedef struct out_patch {
    int end, entry;
    const lane_slot *slot;
    body_motion mine, other;
} out_patch;

/* Where the patch that begins at `first` ends. */
static inline int out_end(const workspace *w, int first) {
    int end = first;
    while (end < w->n_out && w->out[end].entry == w->out[first].entry) end++;
    return end;
}

/* The patch that begins at `first`; its motions by the velocity u. */
static out_patch out_patch_of(const part *p, const vf *u, int first) {
    const workspace *w = p->w;
    out_patch o = {.end = out_end(w, first), .entry = w->out[first].entry, .slot = &p->r->slots[w->out[first].slot]};
    o.mine = motion_of(p, u, o.slot->body, v3_load(w->slot_x + 3 * o.entry));
    if (o.slot->other_body >= 0) o.other = motion_of(p, u, o.slot->other_body, v3_load(w->slot_other_x + 3 * o.entry));
    return o;
}

/* The velocity of its contact k, axes of the contact. */
static v3 out_velocity(const part *p, const out_patch *o, int k) {
    const workspace *w = p->w;
    const lane_body *bodies = p->r->bodies;
    v3 v = m3_mul(w->R0 + 9 * bodies[o->slot->body].tree, motion_at(&o->mine, v3_load(w->out_x + 3 * k)));
    if (o->slot->other_body >= 0)
        v = v3_sub(v, m3_mul(w->R0 + 9 * bodies[o->slot->other_body].tree, motion_at(&o->other, v3_load(w->out_other_x + 3 * k))));
    const contact_ground *on = left_out_ground(p, k);
    return on ? m3_mul(on->frame, v) : contact_from_world(p, o->entry, v);
}

/* Before the solve: what the law asks of each. */
static void left_out_open(const part *p) {
    workspace *w = p->w;
    for (int k = 0; k < w->n_out; k++) w->out_ref[k] = -gap_opens(p, w->out_gap[k]);
    if (!w->n_out || !(p->options->terms.restitution > 0)) return;
    vf *free = w->push; /* scratch until positions are lifted */
    aside_copy(free, w->z, p->r->nv);
    solve_l(p->r, w, NULL, free);
    for (int first = 0; first < w->n_out;) {
        const out_patch before = out_patch_of(p, w->u, first), after = out_patch_of(p, free, first);
        for (int k = first; k < before.end; k++)
            w->out_ref[k] = gap_rebound(p, w->out_gap[k], w->out_ref[k], out_velocity(p, &before, k).z, out_velocity(p, &after, k).z);
        first = before.end;
    }
}

/* Squares of how far the worst of a lane is from the solver's law and from Coulomb's. */
typedef struct out_law {
    vf own2, ncp2;
} out_law;

static out_law left_out_look(const part *p) {
    workspace *w = p->w;
    const vf zero = vf_zero(), one = vf_set(1);
    const myr_law law = myr_solvers[p->options->solve.solver].law;
    out_law worst = {zero, zero};
    const lane_slot *last = NULL;
    vf mu = zero, flank = one;
    for (int first = 0; first < w->n_out;) {
        const out_patch o = out_patch_of(p, w->z, first);
        for (int k = first; k < o.end; k++) {
            const lane_slot *own = &p->r->slots[w->out[k].slot];
            if (!last || !slots_rub_alike(own, last)) /* mostly all do */
                last = own, mu = slot_friction(p, own), flank = one / vf_fma(mu, mu, one);
            const vm has = vm_gt(w->out_active[k], zero);
            const contact_ground *on = left_out_ground(p, k);
            if (on) last = NULL, mu = slot_friction(p, own) * on->rough, flank = one / vf_fma(mu, mu, one);
            v3 v = out_velocity(p, &o, k);
            v.z = v.z - w->out_ref[k];
            const vf ncp2 = idle_ncp2(mu, v, flank);
            const vf own2 = law == MYR_LAW_NCP ? ncp2 : law == MYR_LAW_CCP ? idle_ccp2(mu, v, flank) : idle_closes2(v);
            w->out_own[k] = vf_select(has, own2, zero);
            worst.own2 = vf_max(worst.own2, w->out_own[k]);
            worst.ncp2 = vf_max(worst.ncp2, vf_select(has, ncp2, zero));
        }
        first = o.end;
    }
    return worst;
}

/* The touch of slot s, which some lanes take in as entry n. The list stays in slot order. */
static void left_out_touch(const part *p, int s, int n, vm mine) {
    workspace *w = p->w;
    int t = 0;
    while (t < w->touched && w->touch[t].slot < s) t++;
    slot_touch *touch = &w->touch[t];
    vf at = vf_set(-1);
    if (t < w->touched && touch->slot == s) {
        at = w->touch_entry[t];
        if (touch->alone) at = vf_select(vm_gt(w->slot_active[touch->first], vf_zero()), vf_set((real)touch->first), vf_set(-1));
    } else {
        for (int k = w->touched++; k > t; k--) w->touch[k] = w->touch[k - 1], w->touch_entry[k] = w->touch_entry[k - 1];
        touch->first = n;
    }
    w->touch_entry[t] = vf_select(mine, vf_set((real)n), at);
    *touch = (slot_touch){s, touch->first, n + 1, 0};
}

/* Contact k becomes entry n in the lanes `mine`; `begins`: it is the first there. */
static void left_out_enter(const part *p, int k, int n, vm mine, int begins) {
    workspace *w = p->w;
    const int s = w->out[k].slot;
    const v3 x = v3_load(w->out_x + 3 * k);
    const contact_ground *on = left_out_ground(p, k);
    if (begins)
        entry_begin(p, n, s, mine, x, w->out_gap[k], on);
    else
        entry_join(p, n, s, mine, x, w->out_gap[k], on);
    UNROLL for (int a = 0; a < 3; a++) w->slot_lambda[3 * n + a] = vf_zero(); /* it had none in this step */
    if (!on) contact_frame_copy(p, n, w->out[k].entry);
    if (p->r->slots[s].other_body >= 0) {
        vf *other = w->slot_other_x + 3 * n;
        const v3 y = v3_load(w->out_other_x + 3 * k);
        v3_store(other, begins ? y : v3_select(mine, y, v3_load(other)));
    }
    w->out_active[k] = vf_select(mine, vf_zero(), w->out_active[k]);
    left_out_touch(p, s, n, mine);
}

/* Takes in what is farther from the law than a solve may be, of each patch the worst, in the lanes `may`. Returns the lanes that took. */
static vm left_out_take(const part *p, vm may) {
    workspace *w = p->w;
    const vf bound2 = w->contact.bound * w->contact.bound;
    vm took = vm_none();
    for (int first = 0, end; first < w->n_out; first = end) {
        end = out_end(w, first);
        vf worst = bound2;
        for (int k = first; k < end; k++) worst = vf_max(worst, w->out_own[k]);
        vm todo = vm_and(may, vm_gt(worst, bound2));
        took = vm_or(took, todo);
        const int n = w->occupied;
        for (int k = first; k < end && vm_any(todo); k++) {
            const vm mine = vm_and(todo, vm_eq(w->out_own[k], worst));
            if (!vm_any(mine)) continue;
            left_out_enter(p, k, n, mine, w->occupied == n);
            todo = vm_andnot(todo, mine);
        }
    }
    return took;
}

/* The worst of those left out counts as any other contact. */
static void left_out_count(problem *c, const out_law *worst) {
    const vf own = vf_sqrt(worst->own2);
    const vm open = vm_andnot(vm_eq(c->status, vf_set(MYR_CONVERGED)), vm_le(own, c->bound));
    c->residual = vf_max(c->residual, own);
    c->residual_ncp = vf_max(c->residual_ncp, vf_sqrt(worst->ncp2));
    c->status = vf_select(open, vf_set(MYR_ITERATION_LIMIT), c->status);
}

#endif
