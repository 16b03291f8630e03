/* The step of the interior point over the tree. Contact i says, its slacks eliminated, P_i dlambda_i + dw_i = h_i (ipm_cone_law.lane.h), so
 *
 *     dlambda_i = K_i (h_i - dw_i),    K_i = (P_i + e)^-1
 *
 * which joins its body's block as a stiffness does, and bodies and joints are eliminated as without contacts (articulated.lane.h):
 * time linear in bodies and contacts. In the tangents that the law turns P is triangular. Where a contact sticks P goes to nothing, and e,
 * a small part of the mobility, keeps K from drowning the body's own block in its rounding; what it leaves, the next step removes. */
#ifndef MYR_MAXIMAL_TREE_DIRECTION_LANE_H
#define MYR_MAXIMAL_TREE_DIRECTION_LANE_H

#include "touched_newton.lane.h"
#include "tree_point.lane.h"

/* e, of the mobility. In float ten times less than for touched_newton.lane.h, which has G to settle what is nearly redundant; another
 * tenth, and more steps end in rounding. */
#define TREE_GIVE (MYR_DOUBLE ? (real)1e-6 : (real)1e-4)

/* K of contact n in its turned tangents, by rows. */
static void tree_stiffness(const tree_ipm *t, int n, vf K[9]) {
    const ipm *a = &t->a;
    const vf *P = ipm_local(a, n), zero = vf_zero(), one = vf_set(1), give = vf_set(TREE_GIVE) * a->mobility[3 * n];
    const vm has = problem_has(&t->q, n), x = vm_and(has, vm_gt(a->keep[3 * n], zero)), y = vm_and(has, vm_gt(a->keep[3 * n + 1], zero));
    const vf kx = vf_select(x, one / vf_select(x, P[0] + give, one), zero), ky = vf_select(y, one / vf_select(y, P[4] + give, one), zero),
             kz = vf_select(has, one / vf_select(has, P[8] + give, one), zero);
    K[3] = K[6] = K[7] = zero;
    K[0] = kx, K[4] = ky, K[8] = kz;
    K[5] = -(ky * P[5] * kz);
    K[1] = -(kx * P[1] * ky);
    K[2] = -(kx * vf_fma(P[1], K[5], P[2] * kz));
}

/* That of a row: what does not push has none. */
static vf tree_row_stiffness(const tree_ipm *t, int k) {
    const ipm *a = &t->a;
    const int at = 3 * t->q.n + k;
    const vm acts = vm_and(problem_has_row(&t->q, k), vm_gt(a->keep[at], vf_zero()));
    const vf P = vf_fma(vf_set(TREE_GIVE), a->mobility[at], *ipm_row_local(a, at)), one = vf_set(1);
    return vf_select(acts, one / vf_select(acts, P, one), vf_zero());
}

/* The factors of the derivative at t->u, whose increments are the present ones, with the stiffness of contacts and rows. */
static void tree_factor(const part *p, tree_ipm *t) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf zero = vf_zero();
    articulated_open(p, t->u);
    for (int n = 0; n < t->q.n; n++) {
        const vf c = t->a.turn[2 * n], s = t->a.turn[2 * n + 1];
        vf K[9], R[9], *gain = mw->gain + 12 * n;
        tree_stiffness(t, n, K);
        for (int e = 0; e < 9; e += 3) { /* columns back into the contact's axes, then rows */
            R[e] = vf_fms(c, K[e], s * K[e + 1]);
            R[e + 1] = vf_fma(s, K[e], c * K[e + 1]);
            R[e + 2] = K[e + 2];
        }
        for (int e = 0; e < 3; e++) {
            gain[e] = zero;
            gain[3 + e] = vf_fms(c, R[e], s * R[3 + e]);
            gain[6 + e] = vf_fma(s, R[e], c * R[3 + e]);
            gain[9 + e] = R[6 + e];
        }
        slot_block(p, n);
    }
    for (int k = 0; k < t->q.rows.n; k++) {
        const lane_row *r = &p->r->rows[w->row[k]];
        mw->diagonal[r->dof] = vf_fma(vf_set(r->length * r->length), tree_row_stiffness(t, k), mw->diagonal[r->dof]);
    }
    articulated_factor(p, t->u);
}

/* K b in turned tangents. */
static v3 tree_stiff(const tree_ipm *t, int n, v3 b) {
    vf K[9];
    tree_stiffness(t, n, K);
    return m3_mul(K, b);
}

/* Steps of everything towards products of t->a.sigma. Returns the largest 1 / (step that ends at a boundary). */
static vf tree_direction(const part *p, tree_ipm *t) {
    const robot *r = p->r;
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    ipm *a = &t->a;
    vf reach = vf_zero();
    for (int i = 0; i < 6 * r->n_bodies; i++) w->force[i] = vf_zero();
    for (int k = 0; k < r->nv; k++) t->du[k] = mw->unmet[k];
    for (int n = 0; n < t->q.n; n++) {
        ipm_cone_right(a, n);
        const v3 h = v3_load(a->u + 3 * n), push = ipm_turned_back(a, n, tree_stiff(t, n, h));
        screw forces[3], rates[3];
        vf *force = w->force + 6 * r->slots[w->slot[n]].body;
        slot_screws(p, n, forces, rates);
        v3_store(t->h + 3 * n, h);
        const screw old = screw_load(force),
                    now = screw_fma(push.x, forces[0], screw_fma(push.y, forces[1], screw_fma(push.z, forces[2], old)));
        screw_store(force, screw_select(problem_has(&t->q, n), now, old));
    }
    ipm_rows_right(a);
    for (int k = 0; k < t->q.rows.n; k++) {
        const lane_row *row_k = &r->rows[w->row[k]];
        const vf push = tree_row_stiffness(t, k) * a->u[3 * t->q.n + k];
        vf *pull = &t->du[row_k->dof];
        *pull = vf_select(problem_has_row(&t->q, k), vf_fnma(vf_set(row_k->length), push, *pull), *pull);
    }
    articulated_substitute(p, t->du);
    for (int k = 0; k < r->nv; k++) t->du[k] = -t->du[k];
    for (int n = 0; n < t->q.n; n++) {
        const screw twist = screw_load(w->force + 6 * r->slots[w->slot[n]].body); /* of -du */
        screw forces[3], rates[3];
        slot_screws(p, n, forces, rates);
        const v3 dw = {-screw_dot(rates[0], twist), -screw_dot(rates[1], twist), -screw_dot(rates[2], twist)};
        const v3 step = tree_stiff(t, n, v3_sub(v3_load(t->h + 3 * n), ipm_turned(a, n, dw)));
        v3_store(a->dw + 3 * n, dw);
        v3_store(a->u + 3 * n, step);
        v3_store(a->dx + 3 * n, ipm_turned_back(a, n, step));
        reach = ipm_cone_back(a, n, reach);
        const vf *q = ipm_state(a, n);
        v3_store(t->h + 3 * n, ipm_turned_back(a, n, (v3){q[CONE_DTU], q[CONE_DTP], vf_zero()}));
    }
    for (int k = 0; k < t->q.rows.n; k++) {
        const int at = 3 * t->q.n + k;
        const lane_row *row_k = &r->rows[w->row[k]];
        a->dw[at] = vf_set(row_k->length) * t->du[row_k->dof];
        a->dx[at] = tree_row_stiffness(t, k) * (a->u[at] - a->dw[at]);
    }
    return ipm_rows_back(a, reach);
}

/* The mean product after this part of the step. */
static vf tree_ahead(tree_ipm *t, vf step) {
    ipm_pairs sum = {vf_zero(), vf_zero(), vf_zero()};
    for (int n = 0; n < t->q.n; n++) ipm_cone_pairs(&t->a, n, step, &sum);
    ipm_rows_pairs(&t->a, step, &sum);
    return vf_max(sum.sum, vf_zero()) / vf_max(sum.count, vf_set(1));
}

#endif
