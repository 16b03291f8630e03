/* The step's problem once more, for some lanes of a part: assembled anew and started from the impulses that it has. The other lanes are out
 * of it (their `active` is 0) and get back what they had, so that what a neighbour needs does not show.
 *
 * It is assembled anew, not patched: the order of rows is that of joints whichever lane has them, and a solver may have added a compliance
 * to G.
 */
#ifndef MYR_CONSTRAINTS_AGAIN_LANE_H
#define MYR_CONSTRAINTS_AGAIN_LANE_H

#include "apply.lane.h"
#include "assemble.lane.h"
#include "kernels/contact/solve.h"
#include "robot/scheme.h"

/* What is put aside: pieces of w->kept. */
typedef struct aside {
    vf *z, *answers, *lambda, *w, *active, *row_lambda, *row_active; /* rows by their index in the robot, both after the first solve */
} aside;

static aside aside_open(const part *p) {
    const robot *r = p->r;
    vf *z = p->w->kept, *answers = z + r->nv, *lambda = answers + 5, *w = lambda + 3 * r->n_contacts, *active = w + 3 * r->n_contacts;
    vf *row_lambda = active + r->n_contacts;
    return (aside){z, answers, lambda, w, active, row_lambda, row_lambda + r->n_rows};
}

static inline void aside_copy(vf *to, const vf *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}

/* Impulses of the rows by robot row, and the lanes that have them. */
static void aside_rows(const part *p, const aside *k) {
    const workspace *w = p->w;
    for (int i = 0; i < p->r->n_rows; i++) k->row_lambda[i] = k->row_active[i] = vf_zero();
    for (int n = 0; n < w->contact.rows.n; n++) {
        k->row_lambda[w->row[n]] = w->contact.rows.lambda[n];
        k->row_active[w->row[n]] = w->contact.rows.active[n];
    }
}

/* The assembled problem in the lanes `again` alone, started from the last impulses. */
static void aside_put(const part *p, const aside *k, vm again) {
    workspace *w = p->w;
    problem *c = &w->contact;
    const vf zero = vf_zero();
    for (int n = 0; n < c->rows.n; n++) {
        const int i = w->row[n];
        k->row_active[i] = c->rows.active[n];
        c->rows.active[n] = vf_select(again, c->rows.active[n], zero);
        c->rows.lambda[n] = vf_select(again, k->row_lambda[i], zero);
    }
    aside_copy(k->lambda, c->lambda, 3 * c->n); /* apply has given them back to the slots, from where assemble takes them */
    aside_copy(k->w, c->w, 3 * c->n);
    aside_copy(k->active, c->active, c->n);
    for (int n = 0; n < c->n; n++) {
        c->active[n] = vf_select(again, c->active[n], zero);
        for (int a = 3 * n; a < 3 * n + 3; a++) c->lambda[a] = vf_select(again, c->lambda[a], zero);
    }
}

/* Assembled anew; rows that a lane has it keeps, and those of w->row_passed. */
static void assemble_again(const part *p, const aside *k, vm again) {
    p->w->recheck = 1;
    assemble(p);
    p->w->recheck = 0;
    if (p->options->scheme->again) p->options->scheme->again(p); /* before the others are out of it: they keep theirs */
    aside_put(p, k, again);
}

/* The answers so far, before a problem is solved again. */
static inline void aside_answers(const part *p, const aside *k) {
    const problem *c = &p->w->contact;
    k->answers[0] = c->residual, k->answers[1] = c->residual_ncp, k->answers[2] = c->status, k->answers[3] = c->iterations;
    k->answers[4] = c->bound;
}

/* apply, with the other lanes' impulses and who has what as they were, and then their answers: to close loops judges all lanes anew, by
 * what the last assembly made of them. The iterations of all solves of a lane add up. */
static void aside_apply(const part *p, const aside *k, vm again) {
    const workspace *w = p->w;
    problem *c = &p->w->contact;
    vf *answers[] = {&c->residual, &c->residual_ncp, &c->status};
    for (int n = 0; n < c->n; n++) c->active[n] = k->active[n];
    for (int a = 0; a < 3 * c->n; a++) {
        c->lambda[a] = vf_select(again, c->lambda[a], k->lambda[a]);
        c->w[a] = vf_select(again, c->w[a], k->w[a]);
    }
    for (int n = 0; n < c->rows.n; n++) {
        c->rows.active[n] = k->row_active[w->row[n]];
        c->rows.lambda[n] = vf_select(again, c->rows.lambda[n], k->row_lambda[w->row[n]]);
    }
    apply(p);
    for (int a = 0; a < 3; a++) *answers[a] = vf_select(again, *answers[a], k->answers[a]);
    c->bound = vf_select(again, c->bound, k->answers[4]);
    c->iterations = vf_select(again, k->answers[3] + c->iterations, k->answers[3]);
}

#endif
