/* recheck: joint limits that a solve passes unseen (setting limit-recheck). A row exists where its limit is within reach of a window that
 * was drawn before the solve (joint_rows.lane.h). A blow that the window does not foresee takes the joint past a farther limit. So the new
 * velocity is looked at, and lanes in which it goes past a limit that their problem did not have get that row and are solved again, from
 * the impulses that they have. A row that stops one joint may throw the next one, up to RECHECKS times.
 *
 * The problem is assembled anew, not patched: the order of rows is that of joints whoever has them, a solver may have added a compliance
 * to G, and this is rare. Lanes that need no second solve are out of it (their `active` is 0) and get back what they had, so that what a
 * neighbour needs does not show. */
#ifndef MYR_CONSTRAINTS_RECHECK_LANE_H
#define MYR_CONSTRAINTS_RECHECK_LANE_H

#include "apply.lane.h"
#include "assemble.lane.h"
#include "kernels/contact/solve.h"

enum { RECHECKS = 4 };

/* What is put aside: pieces of w->kept. */
typedef struct recheck_kept {
    vf *z, *answers, *lambda, *active, *row_lambda, *row_active; /* rows by their index in the robot, both after the first solve */
} recheck_kept;

static recheck_kept recheck_open(const part *p) {
    const robot *r = p->r;
    vf *z = p->w->kept, *answers = z + r->nv, *lambda = answers + 4, *active = lambda + 3 * r->n_slots, *row_lambda = active + r->n_slots;
    return (recheck_kept){z, answers, lambda, active, row_lambda, row_lambda + r->n_rows};
}

static inline void recheck_copy(vf *to, const vf *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}

/* Impulses of the rows by robot row, and the lanes that have them. */
static void recheck_rows(const part *p, const recheck_kept *k) {
    const workspace *w = p->w;
    for (int i = 0; i < p->r->n_rows; i++) k->row_lambda[i] = k->row_active[i] = vf_zero();
    for (int n = 0; n < w->contact.rows.n; n++) {
        k->row_lambda[w->row[n]] = w->contact.rows.lambda[n];
        k->row_active[w->row[n]] = w->contact.rows.active[n];
    }
}

/* Lanes whose new velocity, in z, goes past a limit that they had no row for; where, is added to w->row_passed. */
static vm recheck_passed(const part *p, const recheck_kept *k) {
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

/* The problem with the rows of w->row_passed, in the lanes `again` alone, started from the last impulses. */
static void recheck_assemble(const part *p, const recheck_kept *k, vm again) {
    workspace *w = p->w;
    problem *c = &w->contact;
    const vf zero = vf_zero();
    w->recheck = 1;
    assemble(p);
    w->recheck = 0;
    for (int n = 0; n < c->rows.n; n++) {
        const int i = w->row[n];
        k->row_active[i] = c->rows.active[n];
        c->rows.active[n] = vf_select(again, c->rows.active[n], zero);
        c->rows.lambda[n] = vf_select(again, k->row_lambda[i], zero);
    }
    recheck_copy(k->lambda, c->lambda, 3 * c->n); /* apply has given them back to the slots, from where assemble takes them */
    recheck_copy(k->active, c->active, c->n);
    for (int n = 0; n < c->n; n++) {
        c->active[n] = vf_select(again, c->active[n], zero);
        for (int a = 3 * n; a < 3 * n + 3; a++) c->lambda[a] = vf_select(again, c->lambda[a], zero);
    }
}

/* The other lanes' impulses, who has what, and answers as they were; the iterations of all solves of a lane add up. */
static void recheck_return(const part *p, const recheck_kept *k, vm again) {
    const workspace *w = p->w;
    problem *c = &p->w->contact;
    vf *answers[] = {&c->residual, &c->residual_ncp, &c->status};
    for (int n = 0; n < c->n; n++) c->active[n] = k->active[n];
    for (int a = 0; a < 3 * c->n; a++) c->lambda[a] = vf_select(again, c->lambda[a], k->lambda[a]);
    for (int n = 0; n < c->rows.n; n++) {
        c->rows.active[n] = k->row_active[w->row[n]];
        c->rows.lambda[n] = vf_select(again, c->rows.lambda[n], k->row_lambda[w->row[n]]);
    }
    for (int a = 0; a < 3; a++) *answers[a] = vf_select(again, *answers[a], k->answers[a]);
    c->iterations = vf_select(again, k->answers[3] + c->iterations, k->answers[3]);
}

/* apply, and what `limit-recheck` asks for. */
static void apply_rechecked(const part *p) {
    workspace *w = p->w;
    problem *c = &w->contact;
    if (!p->options->limit_recheck || !p->r->n_rows) {
        apply(p);
        return;
    }
    const recheck_kept k = recheck_open(p);
    for (int i = 0; i < p->r->n_rows; i++) w->row_passed[i] = vf_zero();
    recheck_copy(k.z, w->z, p->r->nv);
    apply(p);
    for (int pass = 0; pass < RECHECKS; pass++) {
        recheck_rows(p, &k);
        const vm again = recheck_passed(p, &k);
        if (!vm_any(again)) return;
        k.answers[0] = c->residual, k.answers[1] = c->residual_ncp, k.answers[2] = c->status, k.answers[3] = c->iterations;
        recheck_copy(w->z, k.z, p->r->nv);
        recheck_assemble(p, &k, again);
        MYR_UNIT(myr_solve)(c, &p->options->solve);
        recheck_return(p, &k, again);
        apply(p);
    }
}

#endif
