/* Cholesky factors of matrices in blocks of contacts, one matrix per lane: packed as G is, blocks (i, k <= i) of 9, row-major. Scalar rows
 * come behind the contacts by threes, the last block filled up with rows of the unit matrix. Row by row,
 * each block a sum of products of two rows that lie one after the other in memory, kept in registers until it is done: of 36 x 36 the
 * lower half are 42 KB, so what is read once should be used at once. On the diagonal a factor holds the inverse of its entries. */
#ifndef MYR_KERNELS_CONTACT_CHOLESKY_LANE_H
#define MYR_KERNELS_CONTACT_CHOLESKY_LANE_H

#include "problem.lane.h"

static inline int cholesky_size(int n) { return 9 * n * (n + 1) / 2; }
static inline vf *cholesky_block(vf *A, int i, int k) { return A + 9 * (i * (i + 1) / 2 + k); }

/* Blocks that hold the contacts and, three to a block, the rows. */
static inline int blocks_count(const problem *p) { return p->n + (p->rows.n + 2) / 3; }
/* Does the lane have component i of a vector over these blocks? */
static inline vm blocks_has(const problem *p, int i) {
    const int k = i - 3 * p->n;
    return k < 0 ? problem_has(p, i / 3) : k < p->rows.n ? problem_has_row(p, k) : vm_none();
}
/* Entry (i, j <= i) of G where i is a row's component. */
static inline vf blocks_row_entry(const problem *p, int i, int j) {
    const int k = i - 3 * p->n;
    return k < p->rows.n ? problem_row_G(p, k)[j] : vf_zero();
}

/* The blocks of scalar rows: A as cholesky_load leaves it of the contacts, from block p->n on. */
static void cholesky_load_rows(const problem *p, vf shift, vf *A) {
    const vf zero = vf_zero(), one = vf_set(1);
    for (int i = p->n; i < blocks_count(p); i++)
        for (int k = 0; k <= i; k++, A += 9)
            for (int e = 0; e < 9; e++) {
                const int row = 3 * i + e / 3, column = 3 * k + e % 3, low = row > column ? row : column,
                          high = row > column ? column : row;
                const vm both = vm_and(blocks_has(p, row), blocks_has(p, column));
                const vf g = vf_select(both, blocks_row_entry(p, low, high), zero);
                A[e] = row == column ? vf_select(both, g + shift, one) : g;
            }
}

/* A = G + shift I for the contacts and rows that a lane has; those it lacks are rows of the unit matrix. */
static void cholesky_load(const problem *p, vf shift, vf *A) {
    const vf zero = vf_zero(), one = vf_set(1);
    for (int i = 0; i < p->n; i++) {
        const vm has = problem_has(p, i);
        for (int k = 0; k <= i; k++, A += 9) {
            const vf *g = problem_block(p, i, k);
            const vm both = vm_and(has, problem_has(p, k));
            UNROLL for (int e = 0; e < 9; e++) A[e] = vf_select(both, g[e], zero);
        }
        UNROLL for (int e = 0; e < 9; e += 4)(A - 9)[e] = vf_select(has, (A - 9)[e] + shift, one);
    }
    if (p->rows.n) cholesky_load_rows(p, shift, A);
}

/* S -= sum of A_j B_j' over `count` blocks */
static inline __attribute__((always_inline)) void cholesky_subtract(vf S[9], const vf *A, const vf *B, int count) {
    for (int j = 0; j < count; j++, A += 9, B += 9)
        UNROLL for (int c = 0; c < 3; c++) UNROLL for (int r = 0; r < 3; r++) UNROLL for (int e = 0; e < 3; e++) S[3 * r + c] =
            vf_fnma(A[3 * r + e], B[3 * c + e], S[3 * r + c]);
}

/* In place. A pivot that rounding leaves below its share of the diagonal is raised to it: a matrix that is semidefinite to rounding has
 * a factor too. One that is not definite at all, or not finite, becomes NaN. */
static void cholesky_factor(vf *A, int n) {
    const vf one = vf_set(1), least = vf_set((real)(4 * MYR_EPSILON));
    for (int i = 0; i < n; i++) {
        vf *row = cholesky_block(A, i, 0);
        for (int k = 0; k < i; k++) {
            vf S[9];
            const vf *other = cholesky_block(A, k, 0), *D = other + 9 * k;
            UNROLL for (int e = 0; e < 9; e++) S[e] = row[9 * k + e];
            cholesky_subtract(S, row, other, k);
            UNROLL for (int r = 0; r < 9; r += 3) {
                const vf x = S[r] * D[0], y = vf_fnma(x, D[3], S[r + 1]) * D[4];
                v3_store(row + 9 * k + r, (v3){x, y, vf_fnma(x, D[6], vf_fnma(y, D[7], S[r + 2])) * D[8]});
            }
        }
        vf S[9], *D = row + 9 * i;
        UNROLL for (int e = 0; e < 9; e++) S[e] = D[e];
        const vf floor0 = least * S[0], floor1 = least * S[4], floor2 = least * S[8];
        cholesky_subtract(S, row, row, i);
        D[0] = one / vf_sqrt(vf_select(vm_lt(S[0], floor0), floor0, S[0]));
        D[3] = S[3] * D[0];
        D[6] = S[6] * D[0];
        const vf second = vf_fnma(D[3], D[3], S[4]);
        D[4] = one / vf_sqrt(vf_select(vm_lt(second, floor1), floor1, second));
        D[7] = vf_fnma(D[6], D[3], S[7]) * D[4];
        const vf third = vf_fnma(D[6], D[6], vf_fnma(D[7], D[7], S[8]));
        D[8] = one / vf_sqrt(vf_select(vm_lt(third, floor2), floor2, third));
    }
}

/* x <- A^-1 x, with A's factor */
static void cholesky_solve(const vf *A, int n, vf *x) {
    const vf *row = A;
    for (int i = 0; i < n; i++, row += 9) {
        v3 s = v3_load(x + 3 * i);
        for (int k = 0; k < i; k++, row += 9) {
            const v3 y = v3_load(x + 3 * k);
            s.x = vf_fnma(row[0], y.x, vf_fnma(row[1], y.y, vf_fnma(row[2], y.z, s.x)));
            s.y = vf_fnma(row[3], y.x, vf_fnma(row[4], y.y, vf_fnma(row[5], y.z, s.y)));
            s.z = vf_fnma(row[6], y.x, vf_fnma(row[7], y.y, vf_fnma(row[8], y.z, s.z)));
        }
        s.x = s.x * row[0];
        s.y = vf_fnma(row[3], s.x, s.y) * row[4];
        s.z = vf_fnma(row[6], s.x, vf_fnma(row[7], s.y, s.z)) * row[8];
        v3_store(x + 3 * i, s);
    }
    for (int i = n - 1; i >= 0; i--) {
        const vf *line = A + 9 * (i * (i + 1) / 2), *D = line + 9 * i;
        v3 s = v3_load(x + 3 * i);
        s.z = s.z * D[8];
        s.y = vf_fnma(D[7], s.z, s.y) * D[4];
        s.x = vf_fnma(D[3], s.y, vf_fnma(D[6], s.z, s.x)) * D[0];
        v3_store(x + 3 * i, s);
        for (int k = 0; k < i; k++, line += 9) {
            vf *to = x + 3 * k;
            const v3 y = v3_load(to);
            v3_store(to, (v3){vf_fnma(line[0], s.x, vf_fnma(line[3], s.y, vf_fnma(line[6], s.z, y.x))),
                              vf_fnma(line[1], s.x, vf_fnma(line[4], s.y, vf_fnma(line[7], s.z, y.y))),
                              vf_fnma(line[2], s.x, vf_fnma(line[5], s.y, vf_fnma(line[8], s.z, y.z)))});
        }
    }
}

/* y = A x of a symmetric matrix so packed; every block is read once. */
static void blocks_multiply(const vf *A, int n, const vf *x, vf *y) {
    for (int i = 0; i < n; i++) {
        const v3 xi = v3_load(x + 3 * i);
        v3 s = v3_zero();
        for (int k = 0; k < i; k++, A += 9) {
            s = m3_mul_add(A, v3_load(x + 3 * k), s);
            v3_store(y + 3 * k, m3_mul_t_add(A, xi, v3_load(y + 3 * k)));
        }
        v3_store(y + 3 * i, m3_mul_add(A, xi, s));
        A += 9;
    }
}

#endif
