/* A point of the interior point over the tree (ipm_tree.lane.h): velocities u, impulses and slacks, and what they leave of the equation of
 * momentum.lane.h and of the contact law at the end of the step. Nothing of M or G is asked for: the equation comes from the bodies, with
 * the contacts' impulses as wrenches on them, and the contacts' velocities from how far their bodies go. Contacts are the occupied slots
 * as they are, not packed. */
#ifndef MYR_MAXIMAL_TREE_POINT_LANE_H
#define MYR_MAXIMAL_TREE_POINT_LANE_H

#include "articulated.lane.h"
#include "bend.lane.h"
#include "kernels/contact/ipm_cone_law.lane.h"
#include "kernels/contact/ipm_rows.lane.h"

/* Slacks that a step moves: of a contact s, t0 and t_T, of a row those of ipm_rows.lane.h. */
enum { TREE_SLACKS = 4 };

typedef struct tree_ipm {
    ipm a;         /* its contacts are the occupied slots */
    problem q;     /* what `a` sees as the problem */
    vf *u, *du;    /* velocities and their step */
    vf *was;       /* u, impulses and slacks before the step, */
    vf *centre;    /* and of the last point near the path */
    vf *h;         /* 3 for each contact: the right side that the slacks leave */
    vf *weight;    /* of the equation's rows in its squares */
    vf *best;      /* u and impulses of the answer that leaves least, */
    vf best_left;  /* over the tolerance */
    vf left, off2; /* of the equation: the largest row, and weighted squares with those of the velocities */
    vf iterations; /* that each lane took */
    vf begins;     /* what the velocities before the step leave of the equation: finite where they are */
    vm inside;     /* no body turns too far */
} tree_ipm;

static inline vf *tree_slack(const tree_ipm *t, int n, int e) {
    static const int at[TREE_SLACKS] = {IPM_S, CONE_T0, CONE_TX, CONE_TY};
    return ipm_state(&t->a, n) + at[e];
}

/* Velocity of occupied slot n in the present increments, along the axes of its contact, as the law sees it. */
static v3 tree_slot_velocity(const part *p, int n, const vf *u) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const int i = r->slots[w->slot[n]].body, root = r->tree_root[r->bodies[i].tree];
    const v3 base = r->tree_floating[r->bodies[i].tree] ? v3_load(w->u + r->bodies[root].v) : v3_zero(); /* increments are without it */
    v3 out = ground_velocity(p, n, i, u, vf_set(1), v3_sub(v3_zero(), base));
    out.z = out.z - mw->slot_ref[n];
    return out;
}

/* The impulse l of occupied slot n, taken from what pushes its body in the lanes that have it. */
static void tree_slot_push(const part *p, int n, vm has, v3 l) {
    const workspace *w = p->w;
    const int i = p->r->slots[w->slot[n]].body;
    const v3 f = m3_mul_t(w->R0 + 9 * p->r->bodies[i].tree, l), arm = v3_sub(v3_load(w->slot_x + 3 * n), v3_load(w->p + 3 * i));
    vf *force = w->force + 6 * i;
    const screw old = screw_load(force), now = {v3_sub(old.linear, f), v3_sub(old.angular, v3_cross(arm, f))};
    screw_store(force, screw_select(has, now, old));
}

/* What u, with impulses x by slot and row, leaves: mw->unmet by dof, `velocity` of slots, then rows. */
static void tree_evaluate(const part *p, tree_ipm *t, const vf *u, const vf *x, const vf *rows_x, vf *velocity) {
    const robot *r = p->r;
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf zero = vf_zero();
    vf most = zero, all = zero, squares = zero;
    momentum_residual(p, u, mw->unmet);
    t->inside = vm_gt(mw->least_turn, vf_set((real)TURN_MOST));
    for (int i = 0; i < 6 * r->n_bodies; i++) w->force[i] = zero;
    for (int n = 0; n < w->occupied; n++) {
        const vm has = problem_has(&t->q, n);
        tree_slot_push(p, n, has, v3_load(x + 3 * n));
        v3_store(velocity + 3 * n, v3_select(has, tree_slot_velocity(p, n, u), v3_zero()));
    }
    momentum_more(p, mw->unmet); /* though nothing touches in any lane: what is zero here must not depend on the others */
    for (int n = 0; n < t->q.rows.n; n++) {
        const lane_row *row_n = &r->rows[w->row[n]];
        const vm has = problem_has_row(&t->q, n);
        const vf length = vf_set(row_n->length);
        vf *unmet = &mw->unmet[row_n->dof];
        *unmet = vf_select(has, vf_fnma(length, rows_x[n], *unmet), *unmet);
        velocity[3 * w->occupied + n] = vf_select(has, length * u[row_n->dof], zero);
    }
    for (int k = 0; k < r->nv; k++) {
        most = vf_max(most, vf_abs(mw->unmet[k])), all = all + mw->unmet[k];
        squares = vf_fma(mw->unmet[k] * mw->unmet[k], t->weight[k], squares);
    }
    t->left = vf_select(vm_eq(all, all), most, vf_set((real)__builtin_inf()));
    t->off2 = squares;
}

/* The point's own equations: those above, the gaps between velocities and slacks, and the matrices of the contacts (`open`). */
static void tree_look(const part *p, tree_ipm *t) {
    ipm *a = &t->a;
    tree_evaluate(p, t, t->u, a->x, a->x + 3 * t->q.n, a->w);
    vf gaps = vf_zero();
    for (int n = 0; n < t->q.n; n++) {
        const vm has = problem_has(&t->q, n);
        const v3 v = v3_load(a->w + 3 * n);
        const vf x = *tree_slack(t, n, 2) - v.x, y = *tree_slack(t, n, 3) - v.y, z = *tree_slack(t, n, 0) - v.z;
        gaps = vf_select(has, vf_fma(x, x, vf_fma(y, y, vf_fma(z, z, gaps))), gaps);
        ipm_cone_open(a, n);
    }
    for (int k = 0; k < t->q.rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        const v3 gap = ipm_row_gaps(a, &r);
        gaps = vf_select(r.rubs, vf_fma(gap.x, gap.x, gaps), gaps);
        gaps = vf_select(r.lower, vf_fma(gap.y, gap.y, gaps), gaps);
        gaps = vf_select(r.upper, vf_fma(gap.z, gap.z, gaps), gaps);
    }
    ipm_rows_open(a);
    t->off2 = vf_fma(gaps, vf_set(1) / (a->speed * a->speed), t->off2);
}

/* Products of the pairs at this point, against sigma. */
static ipm_pairs tree_pairs(tree_ipm *t, vf sigma) {
    ipm_pairs sum = {vf_zero(), vf_zero(), vf_zero()};
    t->a.sigma = sigma;
    for (int n = 0; n < t->q.n; n++) ipm_cone_pairs(&t->a, n, vf_zero(), &sum);
    ipm_rows_pairs(&t->a, vf_zero(), &sum);
    return sum;
}

/* u, impulses and slacks of these lanes into `to`; or from there, `step` of the way along their steps. */
static void tree_keep(tree_ipm *t, int nv, vm lanes, vf *to) {
    for (int k = 0; k < nv; k++) ipm_put(to++, lanes, t->u[k]);
    for (int n = 0; n < t->q.n; n++) {
        for (int e = 0; e < 3; e++) ipm_put(to++, lanes, t->a.x[3 * n + e]);
        for (int e = 0; e < TREE_SLACKS; e++) ipm_put(to++, lanes, *tree_slack(t, n, e));
    }
    for (int k = 0; k < t->q.rows.n; k++) {
        ipm_put(to++, lanes, t->a.x[3 * t->q.n + k]);
        for (int e = 0; e < ROW_STEPS; e++) ipm_put(to++, lanes, t->a.rows[IPM_ROW * k + e]);
    }
}

static inline void tree_put(vf *to, vm lanes, vf step, vf d, const vf **from) {
    const vf was = *(*from)++;
    *to = vf_select(lanes, vf_select(vm_gt(step, vf_zero()), vf_fma(step, d, was), was), *to);
}

static void tree_move(tree_ipm *t, int nv, vm lanes, const vf *from, vf step) {
    const ipm *a = &t->a;
    for (int k = 0; k < nv; k++) tree_put(&t->u[k], lanes, step, t->du[k], &from);
    for (int n = 0; n < t->q.n; n++) {
        const vf *d = t->h + 3 * n, slack[TREE_SLACKS] = {ipm_state(a, n)[IPM_DS], ipm_state(a, n)[CONE_DT0], d[0], d[1]};
        for (int e = 0; e < 3; e++) tree_put(&a->x[3 * n + e], lanes, step, a->dx[3 * n + e], &from);
        for (int e = 0; e < TREE_SLACKS; e++) tree_put(tree_slack(t, n, e), lanes, step, slack[e], &from);
    }
    for (int k = 0; k < t->q.rows.n; k++) {
        vf *q = a->rows + IPM_ROW * k;
        tree_put(&a->x[3 * t->q.n + k], lanes, step, a->dx[3 * t->q.n + k], &from);
        for (int e = 0; e < ROW_STEPS; e++) tree_put(&q[e], lanes, step, q[ROW_STEPS + e], &from);
    }
}

#endif
