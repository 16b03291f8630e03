/* The scheme dynamics=maximal-tree: poses and what touches, and then nothing but the interior point over the tree. No M is made, none of
 * its factors, no Jacobian of a contact through them and no G, so that the time of a step is linear in bodies and contacts (Brüdigam 2021,
 * Figs. 4 and 5).
 *
 * Of the problem (G, c, mu) the answer's residual still wants scales: mobilities of contacts and rows, the diagonal of G, which the factors
 * give in linear time, too; and for c the velocities with which the step begins. */
#ifndef MYR_MAXIMAL_TREE_STEP_LANE_H
#define MYR_MAXIMAL_TREE_STEP_LANE_H

#include "ipm_tree.lane.h"
#include "constraints/joint_rows.lane.h"
#include "constraints/terms.lane.h"

/* What the scheme does not do is refused by name. */
static myr_status tree_check(const myr_settings *settings, const myr_model *m) {
    const char *scheme = "'dynamics' is 'maximal-tree', which";
    if (m->n_loops) return myr_fail(MYR_E_ARG, "%s needs a tree; '%s' of the model '%s' closes a loop", scheme, m->loops[0].name, m->name);
    if (m->n_pairs)
        return myr_fail(MYR_E_ARG,
                        "%s takes contacts with the ground alone; in the model '%s' the geoms '%s' and '%s' may touch each other", scheme,
                        m->name, m->geoms[m->pairs[0].geom[0]].name, m->geoms[m->pairs[0].geom[1]].name);
    if (settings->compliance > 0 || settings->compliance_tangent > 0) return myr_fail(MYR_E_ARG, "%s has no 'compliance'", scheme);
    if (strcmp(settings->joint_friction, "implicit") == 0) return myr_fail(MYR_E_ARG, "%s has no 'joint-friction' = 'implicit'", scheme);
    return MYR_OK;
}

/* Of every body the 6 x 6 block of A^-1 that is its own, into mw->block: the twist that wrenches on it give it. From the root outwards, in
 * time linear in bodies: what its joint gives way by, and what it hands on to the parent. */
static void tree_give(const part *p) {
    const robot *r = p->r;
    const maximal_workspace *mw = maximal_of(p);
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        vf *D = mw->block + 36 * i;
        for (int e = 0; e < 36; e++) D[e] = b->parent < 0 ? vf_zero() : mw->block[36 * b->parent + e];
        for (int dof = b->v; dof < b->v + b->nv; dof++) {
            const screw begin = screw_load(mw->screw_begin + 6 * dof);
            const vf inverse = mw->pivot_inverse[dof], *s = mw->screw_end + 6 * dof;
            const screw taken = block_times(D, screw_load(mw->screw_column + 6 * dof)); /* D U */
            for (int e = 0; e < 6; e++) {                                               /* D (1 - U s2' / pivot) */
                const vf share = -(inverse * (e < 3 ? (&taken.linear.x)[e] : (&taken.angular.x)[e - 3]));
                screw_store(D + 6 * e, screw_fma(share, begin, screw_load(D + 6 * e)));
            }
            /* what the joint moves by: s3 (row' of that + s2' / pivot) less */
            const screw row = screw_fma(inverse, begin, block_times_t(D, screw_load(mw->screw_row + 6 * dof)));
            for (int e = 0; e < 6; e++) screw_store(D + 6 * e, screw_fma(-s[e], row, screw_load(D + 6 * e)));
        }
    }
}

/* How far dof `dof` of body i gives way to an impulse along it. */
static inline vf tree_dof_give(const part *p, int i, int dof) {
    const maximal_workspace *mw = maximal_of(p);
    const lane_body *b = &p->r->bodies[i];
    if (b->parent < 0 || b->nv > 1) return mw->pivot_inverse[dof];
    const screw twist = block_times(mw->block + 36 * b->parent, screw_load(mw->screw_column + 6 * dof));
    return vf_fnma(mw->pivot_inverse[dof], screw_dot(screw_load(mw->screw_row + 6 * dof), twist), mw->pivot_inverse[dof]);
}

/* The mobility of occupied slot n, the mean of its three directions. */
static inline vf tree_slot_give(const part *p, int n) {
    const vf *D = maximal_of(p)->block + 36 * p->r->slots[p->w->slot[n]].body;
    screw forces[3], rates[3];
    vf sum = vf_zero();
    slot_screws(p, n, forces, rates);
    for (int e = 0; e < 3; e++) sum = sum - screw_dot(rates[e], block_times(D, forces[e]));
    return vf_set((real)(1.0 / 3)) * sum;
}

/* Contacts as they are, not packed, and what they are to have of velocity along the normal. */
static void tree_contacts(const part *p) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    problem *c = &w->contact;
    w->packed = 0;
    c->n = w->occupied, c->active = w->slot_active, c->mu = w->slot_mu, c->lambda = w->slot_lambda, c->compliant = 0;
    for (int n = 0; n < w->occupied; n++) {
        mw->slot_ref[n] = -slot_opens(p, n);
        if (p->options->terms.restitution > 0) {
            const vf nears = occupied_nears(p, w->u, n), free = vf_fma(vf_set(p->dt), field(p, MYR_ROWS_gravity, 2), nears);
            mw->slot_ref[n] = gap_rebound(p, w->slot_gap[n], mw->slot_ref[n], nears, free);
        }
        mw->slot_size[n] = tree_slot_give(p, n);
        vf *G = problem_block(c, n, n);
        for (int e = 0; e < 9; e++) G[e] = e % 4 ? vf_zero() : mw->slot_size[n];
    }
}

/* Rows that may act: whatever passes the coarse test, as there is no free velocity to know better by. */
static void tree_rows(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    scalar_rows *rows = &w->contact.rows;
    rows->n = 0;
    if (!r->n_rows) return;
    joint_rows_near(p);
    for (int n = 0; n < w->near; n++) {
        const int k = w->row[n];
        const lane_row *row_k = &r->rows[k];
        const int i = r->dof_body[row_k->dof];
        const vf length = vf_set(row_k->length), free = length * w->u[row_k->dof];
        const vm near = joint_row_near(p, row_k, joint_row_limits(p, k), field(p, MYR_ROWS_q, row_k->q), field(p, MYR_ROWS_v, row_k->dof),
                                       *row(p, row_k->row));
        joint_row_open(p, k, n, free);
        rows->active[n] = vf_select(vm_and(vm_from_bits(p->alive), near), vf_set(1), vf_zero());
        mw->row_size[n] = length * length * tree_dof_give(p, i, row_k->dof);
        problem_row_G(&w->contact, n)[3 * w->contact.n + n] = mw->row_size[n];
    }
    rows->n = w->near;
}

/* c, and what the residual of the law may be. */
static vf tree_bound(const part *p) {
    workspace *w = p->w;
    problem *c = &w->contact;
    for (int n = 0; n < c->n; n++) {
        v3_store(c->c + 3 * n, v3_select(problem_has(c, n), tree_slot_velocity(p, n, w->u), v3_zero()));
        v3_store(c->w + 3 * n, v3_load(c->c + 3 * n));
    }
    for (int n = 0; n < c->rows.n; n++) c->rows.w[n] = c->rows.c[n];
    return MYR_UNIT(myr_solve_measure)(c, &p->options->solve);
}

/* After collide. Velocities into w->z, impulses into the slots and rows. */
static void step_tree(const part *p) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    problem *c = &w->contact;
    const myr_solve_options *o = &p->options->solve;
    const vm alive = vm_from_bits(p->alive);
    tree_ipm t;
    momentum_before(p);
    w->spun = increments_spun(p);
    momentum_residual(p, w->u, mw->unmet); /* for the increments */
    articulated_open(p, w->u);
    articulated_factor(p, w->u);
    tree_give(p);
    bend_rounds(p);
    tree_contacts(p);
    tree_rows(p);
    ipm_tree(p, &t, alive, tree_bound(p));
    const vf *lambda = t.best + p->r->nv, *rows = lambda + 3 * c->n;
    const vm some = vm_finite(t.best_left); /* else every point that was looked at turns too far or is NaN: the state must show it */
    for (int k = 0; k < p->r->nv; k++) w->z[k] = vf_select(some, t.best[k], vf_set((real)__builtin_nan("")));
    for (int i = 0; i < 3 * c->n; i++) c->lambda[i] = t.q.lambda[i] = lambda[i];
    for (int k = 0; k < c->rows.n; k++) c->rows.lambda[k] = t.q.rows.lambda[k] = rows[k];
    tree_answer(p, &t, w->z);
    MYR_UNIT(myr_solve_measure)(&t.q, o);
    const vm done = vm_le(t.best_left, vf_set(1));
    c->residual = vf_max(t.q.residual, t.left), c->residual_ncp = vf_max(t.q.residual_ncp, t.left);
    c->status = vf_select(done, vf_set(MYR_CONVERGED), vf_set(MYR_ITERATION_LIMIT));
    c->iterations = t.iterations, w->passes = vf_set(1);
    const unsigned lost = vm_bits(vm_andnot(vm_finite(t.begins), some));
    w->spun = (w->spun | lost | increments_spun(p)) & p->alive;
}

#endif
