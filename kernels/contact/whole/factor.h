/* L D L' of a symmetric matrix that is semidefinite but for rounding, in the order of its columns. A pivot that rounding leaves below its
 * share of the diagonal is raised to it, as in cholesky.lane.h. Columns lie as dense.h has them; only rows from the diagonal on count. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_FACTOR_H
#define MYR_KERNELS_CONTACT_WHOLE_FACTOR_H

#include "dense.h"

static const double factor_least = 0x1p-50; /* four roundings */

/* In place: D on the diagonal, L below it. least: a column of scratch. */
static void factor_ldl(int n, int stride, double *A, double *least) {
    for (int k = 0; k < n; k++) least[k] = factor_least * A[(size_t)k * (size_t)stride + (size_t)k];
    for (int k = 0; k < n; k++) {
        double *own = A + (size_t)k * (size_t)stride;
        if (own[k] < least[k]) own[k] = least[k];
        const double inverse = 1 / own[k];
        for (int j = k + 1; j < n; j++) {
            const double share = own[j] * inverse;
            if (share != 0) dense_subtract(A + (size_t)j * (size_t)stride, stride, 1, &share, 1, own, j / WHOLE_PAD * WHOLE_PAD);
        }
        for (int j = k + 1; j < n; j++) own[j] *= inverse;
    }
}

/* x <- A^-1 x */
static void factor_solve(int n, int stride, const double *A, double *x) {
    for (int k = 0; k < n; k++) {
        const double *own = A + (size_t)k * (size_t)stride;
        for (int j = k + 1; j < n; j++) x[j] = __builtin_fma(-own[j], x[k], x[j]);
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *own = A + (size_t)k * (size_t)stride;
        double sum = x[k] / own[k];
        for (int j = k + 1; j < n; j++) sum = __builtin_fma(-own[j], x[j], sum);
        x[k] = sum;
    }
}

#endif
