/* recheck: what a solve passes unseen. A row exists where its limit is within reach of a window that was drawn before the solve, and so
 * does a contact (joint_rows.lane.h, robot/window.lane.h). A blow that the window does not foresee takes a joint past a farther limit
 * (setting limit-recheck), a point through a farther surface (setting landing). So the new velocity is looked at. Lanes in which it goes
 * past what their problem did not have get that, and are solved again, from the impulses that they have. What stops one thing may throw the
 * next one: up to MYR_RECHECKS times. */
#ifndef MYR_CONSTRAINTS_RECHECK_LANE_H
#define MYR_CONSTRAINTS_RECHECK_LANE_H

#include "again.lane.h"
#include "collision/collide.lane.h"

/* Lanes whose new velocity, in z, goes past a limit that they had no row for; where, is added to w->row_passed. */
static vm recheck_passed(const part *p, const aside *k) {
    const workspace *w = p->w;
    const vf zero = vf_zero(), dt = vf_set(p->dt);
    const vm alive = vm_from_bits(p->alive);
    vm any = vm_none();
    for (int i = 0; i < p->r->n_rows; i++) {
        const lane_row *r = &p->r->rows[i];
        const stairs s = joint_row_limits(p, i);
        const vf end = vf_fma(dt, w->z[r->dof], field(p, MYR_ROWS_q, r->q));
        const vm out = vm_or(vm_lt(end, s.lo), vm_gt(end, s.hi)); /* false for NaN */
        const vm past = vm_andnot(vm_and(alive, out), vm_gt(k->row_active[i], zero));
        w->row_passed[i] = vf_select(past, vf_set(1), w->row_passed[i]);
        any = vm_or(any, past);
    }
    return any;
}

/* The impulses so far to where collide takes them from; what was there is put aside (apply.lane.h gives it back). */
static void landing_stash(const part *p) {
    workspace *w = p->w;
    const vm alive = vm_from_bits(p->alive);
    for (int k = 0; k < w->touched; k++) {
        const slot_touch *touch = &w->touch[k];
        vf *impulse = row(p, p->r->slots[touch->slot].row);
        const v3 lambda = touch->alone ? v3_load(w->slot_lambda + 3 * touch->first) : touch_impulse(w, k);
        int i = 0;
        while (i < w->stashed && w->stash_slot[i] != touch->slot) i++;
        if (i == w->stashed) {
            w->stash_slot[w->stashed++] = touch->slot;
            for (int e = 0; e < 3; e++) w->stash[3 * i + e] = impulse[PARTS * e];
        }
        const vf l[3] = {lambda.x, lambda.y, lambda.z}, zero = vf_zero();
        const vm has = touch->alone ? vm_gt(w->slot_active[touch->first], zero) : vm_ge(w->touch_entry[k], zero);
        const vm mine = vm_and(alive, has); /* the others keep what they had: whether a neighbour touches must not show */
        for (int e = 0; e < 3; e++) impulse[PARTS * e] = vf_select(mine, l[e], impulse[PARTS * e]);
    }
}

static vf contacts_of_lanes(const workspace *w) {
    vf n = vf_zero();
    for (int i = 0; i < w->occupied; i++) n = n + w->slot_active[i];
    return n;
}

/* Lanes that have contacts by the new velocity that they did not have. The list is made anew for all; the others' contacts are what they
 * were.
 */
static vm landing_passed(const part *p) {
    workspace *w = p->w;
    const vm doubt = vm_and(vm_from_bits(p->alive), window_passed(p, w->z));
    if (!vm_any(doubt)) return vm_none();
    vf *tried = w->tried + w->tries * p->r->nv;
    const vf before = contacts_of_lanes(w);
    for (int k = 0; k < p->r->nv; k++) tried[k] = vf_select(doubt, w->z[k], w->tried[k]); /* the free velocity: it adds nothing */
    w->tries++;
    landing_stash(p);
    collide(p);
    return vm_and(doubt, vm_gt(contacts_of_lanes(w), before));
}

/* apply, and what the new velocity has passed. */
static void apply_rechecked(const part *p) {
    workspace *w = p->w;
    const int rows = p->options->limit_recheck && p->r->n_rows, maximal = p->options->maximal;
    int slots = !maximal && window_likely(p);
    if (!rows && !slots && !maximal) {
        apply(p);
        return;
    }
    const aside k = aside_open(p);
    aside_copy(k.z, w->z, p->r->nv);
    apply(p);
    if (!rows && !slots) return;
    for (int i = 0; i < p->r->n_rows; i++) w->row_passed[i] = vf_zero();
    for (int pass = 0; pass < MYR_RECHECKS; pass++) {
        vm again = vm_none();
        if (rows) aside_rows(p, &k);
        if (rows) again = recheck_passed(p, &k);
        if (slots) again = vm_or(again, landing_passed(p));
        if (!vm_any(again)) return;
        if (!rows) aside_rows(p, &k);
        aside_answers(p, &k);
        aside_copy(w->z, k.z, p->r->nv);
        assemble_again(p, &k, again);
        if (slots) slots = window_likely(p);
        MYR_UNIT(myr_solve)(&w->contact, &p->options->solve);
        aside_apply(p, &k, again);
    }
}

#endif
