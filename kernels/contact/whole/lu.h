/* x = A^-1 b by elimination, four pivots at a time.
 *
 * One pivot at a time loads and stores what is left of the matrix for each, and what a pivot waits for is a store that the one before has
 * just made. Four of them are first eliminated among themselves, in registers; then every other row is loaded once, takes all four, and is
 * stored. Each element takes its products in the order of the pivots, so neither the four nor the width of registers changes a bit. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_LU_H
#define MYR_KERNELS_CONTACT_WHOLE_LU_H

#include "dense.h"

enum {
    PIVOTS = 4,
    SPAN = MYR_REGISTERS >= 32 ? 4 : 2 /* registers of a row that are at work at a time: those of four rows fit */
};

/* The order of a system that is solved by fours. Where n is not a multiple, rows and columns of the identity fill it up; the right-hand
 * side is column lu_order(n). */
static inline int lu_order(int n) { return (n + PIVOTS - 1) / PIVOTS * PIVOTS; }
static inline int lu_stride(int n) { return whole_stride(lu_order(n) + 1); }

/* Shape of a step: n rows of `stride`; pivots k..k + 3, whose columns begin with element `at` of the registers from column `from` on. */
typedef struct lu_step {
    double *A;
    size_t stride;
    int n, k, from, at;
    double *shares; /* 4 by row: what it takes of each pivot */
} lu_step;

INLINE vd *lu_row(const lu_step *s, int i, int column) { return (vd *)(void *)(s->A + (size_t)i * s->stride + column); }

/* The first registers of all rows, in which the pivots are: the pivots' own rows, divided by their pivots, then those behind. 0: a pivot is
 * lost. */
INLINE int lu_lead(const lu_step *s, const int count) {
    vd u[PIVOTS][SPAN];
    UNROLL for (int t = 0; t < PIVOTS; t++) {
        UNROLL for (int c = 0; c < count; c++) u[t][c] = lu_row(s, s->k + t, s->from)[c];
        double *mine = s->shares + PIVOTS * (s->k + t);
        UNROLL for (int e = 0; e < t; e++) {
            const vd share = vd_pick(u[t], s->at, e);
            mine[e] = share[0];
            UNROLL for (int c = 0; c < count; c++) u[t][c] = vd_fnma(share, u[e][c], u[t][c]);
        }
        const double pivot = vd_pick(u[t], s->at, t)[0];
        if (!(__builtin_fabs(pivot) > 1e-12)) return 0;
        const vd inverse = vd_set(mine[t] = 1 / pivot);
        UNROLL for (int c = 0; c < count; c++) lu_row(s, s->k + t, s->from)[c] = u[t][c] = u[t][c] * inverse;
    }
    for (int i = s->k + PIVOTS; i < s->n; i++) {
        vd a[SPAN], *row = lu_row(s, i, s->from);
        double *mine = s->shares + PIVOTS * i;
        UNROLL for (int c = 0; c < count; c++) a[c] = row[c];
        UNROLL for (int t = 0; t < PIVOTS; t++) {
            const vd share = vd_pick(a, s->at, t);
            mine[t] = share[0];
            UNROLL for (int c = 0; c < count; c++) a[c] = vd_fnma(share, u[t][c], a[c]);
        }
        UNROLL for (int c = 0; c < count; c++) row[c] = a[c];
    }
    return 1;
}

/* The same to registers further out, with the shares that are known by then. */
INLINE void lu_follow(const lu_step *s, int from, const int count) {
    vd u[PIVOTS][SPAN];
    UNROLL for (int t = 0; t < PIVOTS; t++) {
        const double *mine = s->shares + PIVOTS * (s->k + t);
        UNROLL for (int c = 0; c < count; c++) u[t][c] = lu_row(s, s->k + t, from)[c];
        UNROLL for (int e = 0; e < t; e++) UNROLL for (int c = 0; c < count; c++) u[t][c] = vd_fnma(vd_set(mine[e]), u[e][c], u[t][c]);
        UNROLL for (int c = 0; c < count; c++) lu_row(s, s->k + t, from)[c] = u[t][c] = u[t][c] * vd_set(mine[t]);
    }
    for (int i = s->k + PIVOTS; i < s->n; i++) {
        vd a[SPAN], *row = lu_row(s, i, from);
        const double *mine = s->shares + PIVOTS * i;
        UNROLL for (int c = 0; c < count; c++) a[c] = row[c];
        UNROLL for (int t = 0; t < PIVOTS; t++) UNROLL for (int c = 0; c < count; c++) a[c] = vd_fnma(vd_set(mine[t]), u[t][c], a[c]);
        UNROLL for (int c = 0; c < count; c++) row[c] = a[c];
    }
}

static int lu_pivots(const lu_step *s) {
    const int registers = ((int)s->stride - s->from) / WIDE;
    int found;
    switch (registers) {
#if MYR_WIDE >= 4 /* elsewhere four pivots take two registers */
    case 1: found = lu_lead(s, 1); break;
#endif
#if MYR_REGISTERS >= 32 /* SPAN is 4 */
    case 2: found = lu_lead(s, 2); break;
    case 3: found = lu_lead(s, 3); break;
#endif
    default: found = lu_lead(s, SPAN); break;
    }
    if (!found) return 0;
    for (int done = SPAN; done < registers; done += SPAN) {
        const int from = s->from + WIDE * done;
        switch (registers - done) {
        case 1: lu_follow(s, from, 1); break;
#if MYR_REGISTERS >= 32 /* SPAN is 4 */
        case 2: lu_follow(s, from, 2); break;
        case 3: lu_follow(s, from, 3); break;
#endif
        default: lu_follow(s, from, SPAN); break;
        }
    }
    return 1;
}

/* x = A^-1 b. A: lu_order(n) rows of lu_stride(n), those beyond n still to be filled; it is used up. shares: 4 lu_order(n) numbers of
 * scratch. 0 where a pivot is lost. Without an exchange of rows: what Newton's steps ask for is nearly semidefinite with a ridge, where
 * exchanges found the same steps on 2597 problems of humanoids and stacks, and took a third of the time. */
static int lu_solve(int n, double *A, double *shares, double *x) {
    const int order = lu_order(n);
    const size_t stride = (size_t)lu_stride(n);
    for (int i = n; i < order; i++) {
        memset(A + (size_t)i * stride, 0, stride * sizeof *A);
        A[(size_t)i * stride + (size_t)i] = 1;
    }
    for (int k = 0; k < order; k += PIVOTS) {
        const int from = k / WIDE * WIDE;
        const lu_step step = {A, stride, order, k, from, k - from, shares};
        if (!lu_pivots(&step)) return 0;
    }
    for (int i = 0; i < order; i++) x[i] = A[(size_t)i * stride + (size_t)order];
    for (int k = order - PIVOTS; k >= 0; k -= PIVOTS) { /* rows of the four, then all above, the last column first */
        const double *own = A + (size_t)k * stride + (size_t)k;
        double last[PIVOTS];
        UNROLL for (int t = PIVOTS - 1; t >= 0; t--) {
            last[t] = x[k + t];
            UNROLL for (int e = PIVOTS - 1; e > t; e--) last[t] = __builtin_fma(-own[(size_t)t * stride + (size_t)e], last[e], last[t]);
            x[k + t] = last[t];
        }
        for (int i = 0; i < k; i++) {
            const double *row = A + (size_t)i * stride + (size_t)k;
            double sum = x[i];
            UNROLL for (int t = PIVOTS - 1; t >= 0; t--) sum = __builtin_fma(-row[t], last[t], sum);
            x[i] = sum;
        }
    }
    return 1;
}

#endif
