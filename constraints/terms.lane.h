/* What the contact problem holds beyond G and J times the free velocity, where the settings ask for it: c_ref along the
 * normal, and compliance.
 *
 *   c_N -= c_ref      open, gap phi > 0:   -phi / dt, so that the contact may close at the end of the step and not before
 *                     closed, phi <= 0:    baumgarte (-phi) / dt
 *                     impact:              -restitution v_N(u-), where that is more
 *
 * An impact is a contact that nears faster than the threshold and is closed or would be at the end of the step. The larger of
 * rebound and correction counts, not their sum: a ball that is found a little deep would otherwise leave faster than it came.
 *
 * J u- is taken from the bodies, not from Y: Y has gone through L, and robots without restitution should not pay for L u-. */
#ifndef MYR_CONSTRAINTS_TERMS_LANE_H
#define MYR_CONSTRAINTS_TERMS_LANE_H

#include "dynamics/kinematics.lane.h"
#include "pack.lane.h"

/* Velocity before the step of the point x (base frame) of a body, base axes. */
static inline v3 point_velocity(const part *p, int body, v3 x) {
    const robot *r = p->r;
    const workspace *w = p->w;
    v3 sum = v3_zero();
    for (int i = body; i >= 0; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        if (b->joint == MYR_JOINT_FREE) {
            sum = v3_add(sum, v3_cross_add(v3_load(w->u + b->v + 3), x, v3_load(w->u + b->v)));
            continue;
        }
        const v3 arm = v3_sub(x, v3_load(w->p + 3 * i));
        for (int k = 0; k < b->nv; k++) {
            const v3 axis = v3_load(w->axis + 3 * (b->v + k));
            sum = v3_fma(w->u[b->v + k], dof_is_linear(b, k) ? axis : v3_cross(axis, arm), sum);
        }
    }
    return sum;
}

/* v_N(u-) of an occupied slot: of the body, or of the pair's first body less that of its second. */
static inline vf slot_approach(const part *p, int n) {
    const lane_slot *slot = &p->r->slots[p->w->slot[n]];
    const vf *R0 = p->w->R0 + 9 * p->r->bodies[slot->body].tree;
    const v3 mine = point_velocity(p, slot->body, v3_load(p->w->slot_x + 3 * n));
    if (slot->pair < 0) return v3_dot(v3_load(R0 + 6), mine);
    const v3 normal = v3_load(p->w->slot_frame + 9 * n + 6);
    const vf nears = v3_dot(normal, m3_mul(R0, mine));
    if (slot->other_body < 0) return nears;
    const vf *other_R0 = p->w->R0 + 9 * p->r->bodies[slot->other_body].tree;
    return nears - v3_dot(normal, m3_mul(other_R0, point_velocity(p, slot->other_body, v3_load(p->w->slot_other_x + 3 * n))));
}

/* c_ref of an occupied slot, `free` its normal velocity without impulses. */
static inline vf slot_reference(const part *p, int n, vf approach, vf free) {
    const myr_contact_terms *o = &p->options->terms;
    const vf zero = vf_zero(), dt = vf_set(p->dt), gap = p->w->slot_gap[n];
    const vm open = vm_gt(gap, zero);
    const vf reach = -(gap / dt), still = vf_select(open, reach, vf_set((real)o->baumgarte) * reach);
    const vm fast = vm_lt(approach, vf_set((real)-o->restitution_speed)), closes = vm_lt(vf_fma(dt, free, gap), zero);
    const vm impact = vm_and(fast, vm_or(closes, vm_not(open)));
    return vf_select(impact, vf_max(still, -(vf_set((real)o->restitution) * approach)), still);
}

static void contact_terms(const part *p) {
    const myr_contact_terms *o = &p->options->terms;
    workspace *w = p->w;
    problem *c = &w->contact;
    for (int n = 0; n < w->occupied; n++) {
        const vf approach = o->restitution > 0 ? slot_approach(p, n) : vf_zero();
        for (int t = pack_from(p, n), end = pack_end(p, n); t < end; t++) {
            const vm mine = w->packed ? pack_lanes(w, n, t) : vm_gt(w->slot_active[n], vf_zero());
            vf *normal = c->c + 3 * t + 2;
            *normal = vf_select(mine, *normal - slot_reference(p, n, approach, *normal), *normal);
        }
    }
    c->compliant = o->compliance_N > 0 || o->compliance_T > 0;
    for (int t = 0; t < c->n && c->compliant; t++) {
        c->R[3 * t] = c->R[3 * t + 1] = vf_set((real)o->compliance_T);
        c->R[3 * t + 2] = vf_set((real)o->compliance_N);
    }
}

#endif
