/* recheck: what a solve did not know of. The new velocity is looked at, and lanes in which it breaks a law that their problem did not have
 * are solved again with it, from the impulses that they have. That may break the next one, up to RECHECKS times.
 *
 * Contacts that working sets leave out: left_out.lane.h. Joint limits (setting limit-recheck): a row exists where its limit is within reach
 * of a window that was drawn before the solve (joint_rows.lane.h), and a blow that the window does not foresee takes the joint past a
 * farther limit. */
#ifndef MYR_CONSTRAINTS_RECHECK_LANE_H
#define MYR_CONSTRAINTS_RECHECK_LANE_H

#include "again.lane.h"
#include "left_out.lane.h"

/* Lanes whose new velocity, in z, goes past a limit that they had no row for; where, is added to w->row_passed. */
static vm recheck_passed(const part *p, const aside *k) {
    const workspace *w = p->w;
    const vf zero = vf_zero(), dt = vf_set(p->dt);
    const vm alive = vm_from_bits(p->alive);
    vm any = vm_none();
    for (int i = 0; i < p->r->n_rows; i++) {
        const lane_row *r = &p->r->rows[i];
        const stairs s = joint_row_limits(p, i);
        const vf end = vf_fma(dt, row_rate(r, w->z, 1), row_position(p, r));
        const vm out = vm_or(vm_lt(end, s.lo), vm_gt(end, s.hi)); /* false for NaN */
        const vm past = vm_andnot(vm_and(alive, out), vm_gt(k->row_active[i], zero));
        w->row_passed[i] = vf_select(past, vf_set(1), w->row_passed[i]);
        any = vm_or(any, past);
    }
    return any;
}

/* apply, and what was not in the problem. */
static void apply_rechecked(const part *p) {
    workspace *w = p->w;
    const int rows = p->options->limit_recheck && p->r->n_rows, looks = rows || w->n_out;
    if (!looks) {
        apply(p);
        return;
    }
    const aside k = aside_open(p);
    left_out_open(p);
    aside_copy(k.z, w->z, p->r->nv);
    apply(p);
    out_law worst = left_out_look(p);
    for (int i = 0; i < p->r->n_rows; i++) w->row_passed[i] = vf_zero();
    for (int pass = 0; pass < RECHECKS; pass++) {
        aside_rows(p, &k);
        const vm again = vm_or(rows ? recheck_passed(p, &k) : vm_none(), left_out_take(p, vm_from_bits(p->alive)));
        if (!vm_any(again)) break;
        aside_answers(p, &k);
        aside_copy(w->z, k.z, p->r->nv);
        assemble_again(p, &k, again);
        MYR_UNIT(myr_solve)(&w->contact, &p->options->solve);
        aside_apply(p, &k, again);
        worst = left_out_look(p);
    }
    left_out_count(&w->contact, &worst);
}

#endif
