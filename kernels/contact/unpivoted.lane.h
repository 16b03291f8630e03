/* LU factors of unsymmetric matrices in blocks of contacts, one matrix per lane: blocks (i, k) of 9, row-major, all b b of them; block rows
 * one after the other. No pivoting: lanes would want different ones. The interior point's matrices are G plus blocks whose symmetric parts
 * are not negative, but for the coupling of friction with the normal, so that pivots are mostly positive; one that is smaller than its
 * share of the component's own mobility is replaced by that share, with its sign, in its lane alone, and the residual tells. */
#ifndef MYR_KERNELS_CONTACT_UNPIVOTED_LANE_H
#define MYR_KERNELS_CONTACT_UNPIVOTED_LANE_H

#include "kernels/lane.h"

static inline vf *unpivoted_block(vf *A, int b, int i, int k) { return A + 9 * (i * b + k); }

/* S -= sum of A_j B_j over `count` blocks, those of A one after the other, those of B a block row apart */
static inline __attribute__((always_inline)) void unpivoted_subtract(vf S[9], const vf *A, const vf *B, int b, int count) {
    for (int j = 0; j < count; j++, A += 9, B += 9 * b)
        UNROLL for (int r = 0; r < 3; r++) UNROLL for (int e = 0; e < 3; e++) UNROLL for (int c = 0; c < 3; c++) S[3 * r + c] =
            vf_fnma(A[3 * r + e], B[3 * e + c], S[3 * r + c]);
}

/* 1 / pivot, `least` > 0 at least in size. */
static inline vf unpivoted_pivot(vf pivot, vf least) {
    const vf small = vf_select(vm_lt(pivot, vf_zero()), -least, least);
    return vf_set(1) / vf_select(vm_lt(vf_abs(pivot), least), small, pivot);
}

/* The block on the diagonal: L's ones are not kept, U has the inverse of its diagonal. */
static inline void unpivoted_diagonal(vf S[9], const vf least[3]) {
    S[0] = unpivoted_pivot(S[0], least[0]);
    S[3] = S[3] * S[0], S[6] = S[6] * S[0];
    S[4] = unpivoted_pivot(vf_fnma(S[3], S[1], S[4]), least[1]);
    S[5] = vf_fnma(S[3], S[2], S[5]);
    S[7] = vf_fnma(S[6], S[1], S[7]) * S[4];
    S[8] = unpivoted_pivot(vf_fnma(S[7], S[5], vf_fnma(S[6], S[2], S[8])), least[2]);
}

/* In place, with the least pivot of each component. */
static void unpivoted_factor(vf *A, int b, const vf *least) {
    for (int i = 0; i < b; i++)
        for (int k = 0; k < b; k++) {
            vf S[9], *to = unpivoted_block(A, b, i, k);
            UNROLL for (int e = 0; e < 9; e++) S[e] = to[e];
            unpivoted_subtract(S, unpivoted_block(A, b, i, 0), unpivoted_block(A, b, 0, k), b, k < i ? k : i);
            if (k < i) { /* S U_kk^-1 */
                const vf *D = unpivoted_block(A, b, k, k);
                UNROLL for (int r = 0; r < 9; r += 3) {
                    S[r] = S[r] * D[0];
                    S[r + 1] = vf_fnma(S[r], D[1], S[r + 1]) * D[4];
                    S[r + 2] = vf_fnma(S[r + 1], D[5], vf_fnma(S[r], D[2], S[r + 2])) * D[8];
                }
            } else if (k > i) { /* L_ii^-1 S */
                const vf *D = unpivoted_block(A, b, i, i);
                UNROLL for (int c = 0; c < 3; c++) {
                    S[3 + c] = vf_fnma(D[3], S[c], S[3 + c]);
                    S[6 + c] = vf_fnma(D[7], S[3 + c], vf_fnma(D[6], S[c], S[6 + c]));
                }
            } else
                unpivoted_diagonal(S, least + 3 * i);
            UNROLL for (int e = 0; e < 9; e++) to[e] = S[e];
        }
}

/* x <- A^-1 x, with A's factors */
static void unpivoted_solve(const vf *A, int b, vf *x) {
    for (int i = 0; i < b; i++) {
        const vf *row = A + 9 * i * b, *D = row + 9 * i;
        v3 s = v3_load(x + 3 * i);
        for (int k = 0; k < i; k++, row += 9) {
            const v3 y = v3_load(x + 3 * k);
            s.x = vf_fnma(row[0], y.x, vf_fnma(row[1], y.y, vf_fnma(row[2], y.z, s.x)));
            s.y = vf_fnma(row[3], y.x, vf_fnma(row[4], y.y, vf_fnma(row[5], y.z, s.y)));
            s.z = vf_fnma(row[6], y.x, vf_fnma(row[7], y.y, vf_fnma(row[8], y.z, s.z)));
        }
        s.y = vf_fnma(D[3], s.x, s.y);
        s.z = vf_fnma(D[6], s.x, vf_fnma(D[7], s.y, s.z));
        v3_store(x + 3 * i, s);
    }
    for (int i = b - 1; i >= 0; i--) {
        const vf *D = A + 9 * (i * b + i), *row = D + 9;
        v3 s = v3_load(x + 3 * i);
        for (int k = i + 1; k < b; k++, row += 9) {
            const v3 y = v3_load(x + 3 * k);
            s.x = vf_fnma(row[0], y.x, vf_fnma(row[1], y.y, vf_fnma(row[2], y.z, s.x)));
            s.y = vf_fnma(row[3], y.x, vf_fnma(row[4], y.y, vf_fnma(row[5], y.z, s.y)));
            s.z = vf_fnma(row[6], y.x, vf_fnma(row[7], y.y, vf_fnma(row[8], y.z, s.z)));
        }
        s.z = s.z * D[8];
        s.y = vf_fnma(D[5], s.z, s.y) * D[4];
        s.x = vf_fnma(D[1], s.y, vf_fnma(D[2], s.z, s.x)) * D[0];
        v3_store(x + 3 * i, s);
    }
}

#endif
