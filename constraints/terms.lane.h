/* What the contact problem holds beyond G and J times the free velocity: c_ref along the normal, and compliance.
 *
 *   c_N -= c_ref      open, gap phi > 0:     -phi / dt, so that the contact may close at the end of the step and not before
 *                     closed:                baumgarte (-phi) / dt where it is deep, else 0
 *                     impact:                -restitution v_N(u-), where that is more
 *
 * The gap's share (slot_opens) is where each assembly begins its c_N. What an impact asks for comes after it, as it wants the whole of c_N.
 *
 * An impact is a contact that nears faster than the threshold and is closed or would be at the end of the step. The larger of
 * rebound and correction counts, not their sum: a ball that is found a little deep would otherwise leave faster than it came.
 *
 * J u- is taken from the bodies, not from Y: Y has gone through L, and robots without restitution should not pay for L u-. */
#ifndef MYR_CONSTRAINTS_TERMS_LANE_H
#define MYR_CONSTRAINTS_TERMS_LANE_H

#include "pack.lane.h"
#include "robot/window.lane.h"

/* What a gap adds to c_N, -c_ref without an impact. */
INLINE vf gap_opens(const part *p, vf gap) {
    const myr_contact_terms *o = &p->options->terms;
    const vf zero = vf_zero();
    const vf stays = o->baumgarte > 0 ? vf_set((real)o->baumgarte) * vf_min(gap, zero) : zero;
    return vf_set(p->per_dt) * vf_select(vm_le(gap, zero), stays, gap);
}

/* That of occupied slot n, in the lanes that have it. */
INLINE vf slot_opens(const part *p, int n) { return gap_opens(p, p->w->slot_gap[n]); }

/* c_ref of an impact, or `still` where there is none; nears, free: its normal velocity before the step, and without impulses. */
static inline vf gap_rebound(const part *p, vf gap, vf still, vf nears, vf free) {
    const myr_contact_terms *o = &p->options->terms;
    const vm fast = vm_lt(nears, vf_set((real)-o->restitution_speed));
    const vm meets = vm_le(vf_min(gap, vf_fma(vf_set(p->dt), free, gap)), vf_zero());
    return vf_select(vm_and(fast, meets), vf_max(still, -(vf_set((real)o->restitution) * nears)), still);
}

/* c_N, which has the gap's share by now, where an impact asks for more. */
static void contact_impacts(const part *p) {
    workspace *w = p->w;
    for (int n = 0; n < w->occupied; n++) {
        const vf nears = occupied_nears(p, w->u, n), still = -slot_opens(p, n);
        for (int t = pack_from(p, n), end = pack_end(p, n); t < end; t++) {
            const vm mine = w->packed ? pack_lanes(w, n, t) : vm_gt(w->slot_active[n], vf_zero());
            vf *normal = w->contact.c + 3 * t + 2;
            const vf free = *normal + still;
            *normal = vf_select(mine, free - gap_rebound(p, w->slot_gap[n], still, nears, free), *normal);
        }
    }
}

static void contact_terms(const part *p) {
    const myr_contact_terms *o = &p->options->terms;
    problem *c = &p->w->contact;
    if (o->restitution > 0) contact_impacts(p);
    c->compliant = o->compliance_N > 0 || o->compliance_T > 0; /* of this step: a solver may have chosen one in the last */
    for (int t = 0; t < c->n && c->compliant; t++) {
        c->R[3 * t] = c->R[3 * t + 1] = vf_set((real)o->compliance_T);
        c->R[3 * t + 2] = vf_set((real)o->compliance_N);
    }
}

#endif
