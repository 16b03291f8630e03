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

#include "pack.lane.h"
#include "robot/window.lane.h"

/* c_ref of an occupied slot without restitution, and the lanes where it is closed. */
static inline vf slot_reference(const part *p, int n, vm *closed) {
    const vf gap = p->w->slot_gap[n], zero = vf_zero();
    *closed = vm_le(gap, vf_set(p->options->landing && !p->options->maximal ? (real)SKIN : 0));
    return -(vf_set(p->per_dt) * vf_select(*closed, vf_set((real)p->options->terms.baumgarte) * vf_min(gap, zero), gap));
}

/* The larger of that and what an impact asks for; `free`: its normal velocity without impulses. */
static inline vf slot_rebound(const part *p, int n, vf still, vm closed, vf approach, vf free) {
    const myr_contact_terms *o = &p->options->terms;
    const vm fast = vm_lt(approach, vf_set((real)-o->restitution_speed));
    const vm impact = vm_and(fast, vm_or(closed, vm_lt(vf_fma(vf_set(p->dt), free, p->w->slot_gap[n]), vf_zero())));
    return vf_select(impact, vf_max(still, -(vf_set((real)o->restitution) * approach)), still);
}

static void contact_terms(const part *p) {
    const myr_contact_terms *o = &p->options->terms;
    workspace *w = p->w;
    problem *c = &w->contact;
    for (int n = 0; n < w->occupied; n++) {
        vm closed;
        const vf still = slot_reference(p, n, &closed), approach = o->restitution > 0 ? occupied_nears(p, w->u, n) : vf_zero();
        const vm has = vm_gt(w->slot_active[n], vf_zero());
        if (!(o->restitution > 0) && !vm_any(vm_andnot(has, vm_eq(still, vf_zero())))) continue; /* what rests */
        for (int t = pack_from(p, n), end = pack_end(p, n); t < end; t++) {
            const vm mine = w->packed ? pack_lanes(w, n, t) : has;
            vf *normal = c->c + 3 * t + 2;
            const vf wanted = o->restitution > 0 ? slot_rebound(p, n, still, closed, approach, *normal) : still;
            *normal = vf_select(mine, *normal - wanted, *normal);
        }
    }
    c->compliant = o->compliance_N > 0 || o->compliance_T > 0;
    for (int t = 0; t < c->n && c->compliant; t++) {
        c->R[3 * t] = c->R[3 * t + 1] = vf_set((real)o->compliance_T);
        c->R[3 * t + 2] = vf_set((real)o->compliance_N);
    }
}

#endif
