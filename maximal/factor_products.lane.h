/* Products with the factors of M = L^T D L, for any tree: rows of L by runs of dofs (factor.lane.h), whose counts the compiler knows. */
#ifndef MYR_MAXIMAL_FACTOR_PRODUCTS_LANE_H
#define MYR_MAXIMAL_FACTOR_PRODUCTS_LANE_H

#include "dynamics/factor.lane.h"

INLINE void factor_rows(const workspace *w, const robot_run *run, const vf *rows[MAX_RUN], const int n) {
    UNROLL for (int k = 0; k < n; k++) rows[k] = run_row(run, w->M, k);
}

INLINE void factor_times_run(const workspace *w, const robot_run *run, const vf *x, vf *out, const int n) {
    const vf *rows[MAX_RUN], *mine = x + run->dof;
    vf sum[MAX_RUN];
    factor_rows(w, run, rows, n);
    UNROLL for (int k = 0; k < n; k++) {
        sum[k] = mine[k];
        UNROLL for (int e = 0; e < k; e++) sum[k] = vf_fma(rows[k][run->depth + e], mine[e], sum[k]);
    }
    for (int f = 0; f < run->depth; f++) {
        const vf above = x[run->path[f]];
        UNROLL for (int k = 0; k < n; k++) sum[k] = vf_fma(rows[k][f], above, sum[k]);
    }
    UNROLL for (int k = 0; k < n; k++) out[run->dof + k] = sum[k];
}

/* out = L x */
static void factor_times(const part *p, const vf *x, vf *out) {
    const robot *r = p->r;
    for (const robot_run *run = r->runs, *end = run + r->n_runs; run < end; run++) RUN_SWITCH(run->n, factor_times_run, p->w, run, x, out)
}

INLINE void factor_times_t_run(const workspace *w, const robot_run *run, vf *x, const int n) {
    const vf *rows[MAX_RUN];
    vf own[MAX_RUN];
    factor_rows(w, run, rows, n);
    UNROLL for (int k = 0; k < n; k++) own[k] = x[run->dof + k];
    for (int f = 0; f < run->depth; f++) {
        vf *above = x + run->path[f], sum = *above;
        UNROLL for (int k = 0; k < n; k++) sum = vf_fma(rows[k][f], own[k], sum);
        *above = sum;
    }
    UNROLL for (int e = 0; e < n; e++) {
        vf sum = own[e];
        UNROLL for (int k = e + 1; k < n; k++) sum = vf_fma(rows[k][run->depth + e], own[k], sum);
        x[run->dof + e] = sum;
    }
}

/* x <- L^T x. From the roots to the tips: what a run adds to its ancestors is its own as it was. */
static void factor_times_t(const part *p, vf *x) {
    const robot *r = p->r;
    for (const robot_run *run = r->runs, *end = run + r->n_runs; run < end; run++) RUN_SWITCH(run->n, factor_times_t_run, p->w, run, x)
}

INLINE void factor_solve_t_run(const workspace *w, const robot_run *run, vf *x, const int n) {
    const vf *rows[MAX_RUN];
    vf own[MAX_RUN];
    factor_rows(w, run, rows, n);
    UNROLL for (int k = 0; k < n; k++) own[k] = x[run->dof + k];
    UNROLL for (int k = n - 1; k > 0; k--) UNROLL for (int e = 0; e < k; e++) own[e] = vf_fnma(rows[k][run->depth + e], own[k], own[e]);
    UNROLL for (int k = 0; k < n; k++) x[run->dof + k] = own[k];
    for (int f = 0; f < run->depth; f++) {
        vf *above = x + run->path[f], sum = *above;
        UNROLL for (int k = n - 1; k >= 0; k--) sum = vf_fnma(rows[k][f], own[k], sum);
        *above = sum;
    }
}

/* x <- L^-T x */
static void factor_solve_t(const part *p, vf *x) {
    const robot *r = p->r;
    for (int i = r->n_runs - 1; i >= 0; i--) RUN_SWITCH(r->runs[i].n, factor_solve_t_run, p->w, &r->runs[i], x)
}

#endif
