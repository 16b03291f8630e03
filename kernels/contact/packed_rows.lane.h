/* Scalar rows packed by lane.
 *
 * The rows that some lane of a part has are more than any one lane does: hanging ANYmals have half a row each, the busiest of sixteen has
 * two or three, and together they have six. So the sweeps see as many rows as the busiest lane has: row t of a lane is its t-th. Order
 * within a lane stays, and what a lane does not have acts by impulses of zero, so not a bit depends on packing.
 *
 * Solvers that take rows by threes (cholesky.lane.h) want them packed always: which rows share a block, and so in which order their
 * products are added up, would else depend on the neighbours. */
#ifndef MYR_KERNELS_CONTACT_PACKED_ROWS_LANE_H
#define MYR_KERNELS_CONTACT_PACKED_ROWS_LANE_H

#include "problem.lane.h"

typedef struct packed_rows {
    scalar_rows own; /* the problem's; n = 0: nothing was packed */
    vf *rank;        /* of each: how many before it the lane has */
} packed_rows;

/* Lanes in which row k is the t-th. */
static inline vm packed_lanes(const packed_rows *r, int k, int t) {
    return vm_and(vm_gt(r->own.active[k], vf_zero()), vm_eq(r->rank[k], vf_set((real)t)));
}

static inline void packed_put(vm mine, vf *to, vf value) { *to = vf_select(mine, value, *to); }

/* What row k has in the lanes `mine`, in which it is the t-th. */
static void packed_fill(problem *p, const packed_rows *r, int k, int t, vm mine) {
    const int n = 3 * p->n;
    const vf *from = r->own.G + n * k + k * (k + 1) / 2;
    scalar_rows *to = &p->rows;
    vf *G = problem_row_G(p, t);
    for (int i = 0; i < n; i++) packed_put(mine, &G[i], from[i]);
    for (int j = 0; j < k; j++)
        for (int u = 0; u <= j && u < t; u++) {
            const vm both = vm_and(mine, packed_lanes(r, j, u));
            if (vm_any(both)) packed_put(both, &G[n + u], from[n + j]);
        }
    packed_put(mine, &G[n + t], from[n + k]);
    packed_put(mine, &to->c[t], r->own.c[k]);
    packed_put(mine, &to->f[t], r->own.f[k]);
    packed_put(mine, &to->lo[t], r->own.lo[k]);
    packed_put(mine, &to->hi[t], r->own.hi[k]);
    packed_put(mine, &to->active[t], r->own.active[k]);
    packed_put(mine, &to->lambda[t], r->own.lambda[k]);
    packed_put(mine, &to->R[t], r->own.R[k]);
}

/* The problem's rows become packed ones, `always` or where that makes them fewer. Returns the memory behind them. */
static vf *rows_pack(problem *p, packed_rows *r, vf *memory, int always) {
    const int m = p->rows.n;
    vf count = vf_zero();
    int most = 0;
    r->own = p->rows;
    r->rank = memory;
    for (int k = 0; k < m; k++) {
        r->rank[k] = count;
        count = count + r->own.active[k];
    }
    while (most < m && vm_any(vm_gt(count, vf_set((real)most)))) most++;
    if (most == m && !always) {
        r->own.n = 0;
        return memory;
    }
    memory += m;
    vf *const first = memory;
    memory = scalar_rows_open(&p->rows, p->n, most, memory);
    for (vf *e = first; e < memory; e++) *e = vf_zero();
    for (int k = 0; k < m; k++)
        for (int t = 0; t <= k && t < most; t++) {
            const vm mine = packed_lanes(r, k, t);
            if (vm_any(mine)) packed_fill(p, r, k, t, mine);
        }
    return memory;
}

/* Back, with the answers and the compliance that they have. */
static void rows_unpack(problem *p, const packed_rows *r) {
    if (r->own.n == 0) return;
    for (int k = 0; k < r->own.n; k++)
        for (int t = 0; t <= k && t < p->rows.n; t++) {
            const vm mine = packed_lanes(r, k, t);
            packed_put(mine, &r->own.lambda[k], p->rows.lambda[t]);
            packed_put(mine, &r->own.w[k], p->rows.w[t]);
            packed_put(mine, &r->own.R[k], p->rows.R[t]);
        }
    p->rows = r->own;
}

#endif
