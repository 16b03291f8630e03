/* free: M, h, torque -> the factors of M and the free velocity.
 *
 * M = L^T D L with L unit lower triangular and as sparse as the tree (an entry exists only between a dof and its
 * ancestors; Featherstone's branch-induced sparsity): eliminating from the tips to the root fills nothing in. A row of
 * M holds a dof's ancestors root first, so that a row is updated by a prefix of another row.
 * With y = L u the velocity update is u+ = L^-1 (z + D^-1 Y lambda), z = L u- + D^-1 L^-T dt (tau - h): the free
 * velocity L^-1 z itself is never needed. */
#ifndef MYR_DYNAMICS_FACTOR_LANE_H
#define MYR_DYNAMICS_FACTOR_LANE_H

#include "joint_friction.lane.h"
#include "legs_factor.lane.h"
#include "spin_damping.lane.h"

/* Row j of a run. */
static inline vf *run_row(const robot_run *run, vf *M, int j) { return M + run->row + run->depth * j + j * (j + 1) / 2; }

/* Eliminate the n dofs of a run, and with them substitute s <- L^-T s and z = L u + D^-1 s. Three parts: the run's own block, in registers;
 * the columns of the dofs above, one at a time through all n rows; and what these rows take from the rows of the dofs above, n products to
 * each entry. What does not depend on n, the compiler cannot unroll: there are `depth` columns and depth (depth + 1) / 2 entries. */
static inline __attribute__((always_inline)) void free_run(const part *p, const robot_run *run, vf *s, const int n) {
    workspace *w = p->w;
    const int depth = run->depth, *path = run->path;
    const vf *u = w->u, *own_u = u + run->dof, *extra = w->extra + run->dof;
    vf *rows[MAX_RUN], *columns = w->Y, l[MAX_RUN][MAX_RUN], inverse[MAX_RUN], own_s[MAX_RUN], lu[MAX_RUN];
    UNROLL for (int k = 0; k < n; k++) {
        rows[k] = run_row(run, w->M, k);
        UNROLL for (int e = 0; e <= k; e++) l[k][e] = rows[k][depth + e];
        l[k][k] = l[k][k] + extra[k];
        own_s[k] = s[run->dof + k];
        lu[k] = own_u[k];
    }
    UNROLL for (int k = n - 1; k >= 0; k--) {
        inverse[k] = vf_set(1) / l[k][k];
        UNROLL for (int e = k - 1; e >= 0; e--) {
            const vf mine = l[k][e] * inverse[k];
            UNROLL for (int f = 0; f <= e; f++) l[e][f] = vf_fnma(mine, l[k][f], l[e][f]);
            rows[k][depth + e] = l[k][e] = mine;
            own_s[e] = vf_fnma(mine, own_s[k], own_s[e]);
            lu[k] = vf_fma(mine, own_u[e], lu[k]);
        }
        w->dinv[run->dof + k] = inverse[k];
    }
    for (int f = 0; f < depth; f++) {
        vf x[MAX_RUN], *above = s + path[f], sum = *above;
        const vf rate = u[path[f]];
        UNROLL for (int k = 0; k < n; k++) x[k] = rows[k][f];
        UNROLL for (int k = n - 1; k >= 0; k--) {
            UNROLL for (int e = k - 1; e >= 0; e--) x[e] = vf_fnma(l[k][e], x[k], x[e]);
            const vf mine = x[k] * inverse[k];
            columns[f * n + k] = x[k];
            rows[k][f] = mine;
            sum = vf_fnma(mine, own_s[k], sum);
            lu[k] = vf_fma(mine, rate, lu[k]);
        }
        *above = sum;
    }
    UNROLL for (int k = 0; k < n; k++) w->z[run->dof + k] = vf_fma(inverse[k], own_s[k], lu[k]);
    for (int e = 0; e < depth; e++) {
        vf *to = w->M + p->r->m_row[path[e]], mine[MAX_RUN];
        UNROLL for (int k = 0; k < n; k++) mine[k] = rows[k][e];
        const vf *x = columns;
        for (vf *end = to + e + 1; to < end; to++, x += n) {
            vf sum = *to;
            UNROLL for (int k = n - 1; k >= 0; k--) sum = vf_fnma(mine[k], x[k], sum);
            *to = sum;
        }
    }
}

static void free_velocity_legs(const part *p) {
    factor_legs(p);
    substitute_legs(p);
}

static void free_velocity_tree(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt);
    const vf *damping_rows = p->options->varied & MYR_VARIED_JOINT ? field_rows(p, MYR_ROWS_damping) : NULL;
    vf *s = w->h; /* dt (tau - h), in h's place */
    for (int k = 0; k < r->nv; k++) {
        const vf damping = damping_rows ? damping_rows[PARTS * k] : vf_set(r->dof_damping[k]);
        s[k] = dt * (w->tau[k] - vf_fma(damping, w->u[k], s[k]));
    }
    for (int i = r->n_runs - 1; i >= 0; i--) RUN_SWITCH(r->runs[i].n, free_run, p, &r->runs[i], s)
}

static void free_velocity(const part *p) {
    spin_damping(p);
    joint_friction(p);
    p->r->variant->free_velocity(p);
}

static inline __attribute__((always_inline)) void solve_l_run(const workspace *w, const robot_run *run, const vf *t, vf *x, const int n) {
    const int depth = run->depth, *path = run->path;
    const vf *rows[MAX_RUN];
    vf y[MAX_RUN];
    UNROLL for (int k = 0; k < n; k++) {
        rows[k] = run_row(run, w->M, k);
        y[k] = t ? vf_fma(w->dinv[run->dof + k], t[run->dof + k], x[run->dof + k]) : x[run->dof + k];
    }
    for (int e = 0; e < depth; e++) {
        const vf above = x[path[e]];
        UNROLL for (int k = 0; k < n; k++) y[k] = vf_fnma(rows[k][e], above, y[k]);
    }
    UNROLL for (int k = 0; k < n; k++) {
        UNROLL for (int e = 0; e < k; e++) y[k] = vf_fnma(rows[k][depth + e], y[e], y[k]);
        x[run->dof + k] = y[k];
    }
}

static void solve_l_tree(const robot *r, const workspace *w, const vf *t, vf *x) {
    for (const robot_run *run = r->runs, *end = run + r->n_runs; run < end; run++) RUN_SWITCH(run->n, solve_l_run, w, run, t, x)
}

/* x <- L^-1 (x + D^-1 t), root to tips; t nullable. */
static void solve_l(const robot *r, const workspace *w, const vf *t, vf *x) { r->variant->solve_l(r, w, t, x); }

#endif
