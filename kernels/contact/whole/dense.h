/* Dense matrices in double, registers along their columns (or rows): what methods for a whole problem spend their time in. Columns lie
 * `stride` doubles apart, a multiple of WHOLE_PAD, from 64-byte boundaries on. Each element has its own sum, taken in the order of the
 * columns, so the width of registers changes no bit. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_DENSE_H
#define MYR_KERNELS_CONTACT_WHOLE_DENSE_H

#include <stddef.h>
#include <string.h>

#include "kernels/lane.h"

enum { WHOLE_PAD = 8 };
static inline int whole_stride(int d) { return (d + WHOLE_PAD - 1) / WHOLE_PAD * WHOLE_PAD; }

enum {
    WIDE = MYR_WIDE,
    PANEL = 8 /* registers of a column that are at work at a time */
};

/* Call a panel's function with its count as a constant. */
#define PANEL_SWITCH(count, function, ...)                                                                                                 \
    switch (count) {                                                                                                                       \
        COUNT_CASES_6(function, __VA_ARGS__)                                                                                               \
    case 7: function(__VA_ARGS__, 7); break;                                                                                               \
    default: function(__VA_ARGS__, 8); break;                                                                                              \
    }

static inline __attribute__((always_inline)) void panel_multiply(const double *A, size_t stride, int columns, const double *x, double *y,
                                                                 const int count) {
    vd sum[PANEL];
    UNROLL for (int i = 0; i < count; i++) memcpy(&sum[i], y + WIDE * i, sizeof(vd));
    for (int j = 0; j < columns; j++, A += stride) {
        const vd share = vd_set(x[j]);
        UNROLL for (int i = 0; i < count; i++) sum[i] = vd_fma(share, *(const vd *)(const void *)(A + WIDE * i), sum[i]);
    }
    UNROLL for (int i = 0; i < count; i++) memcpy(y + WIDE * i, &sum[i], sizeof(vd));
}

/* y += A x, all rows up to the stride */
static inline void dense_multiply(const double *A, int stride, int columns, const double *x, double *y) {
    for (int row = 0; row < stride; row += WIDE * PANEL) {
        const int count = (stride - row) / WIDE;
        PANEL_SWITCH(count, panel_multiply, A + row, (size_t)stride, columns, x, y + row)
    }
}

static inline __attribute__((always_inline)) void panel_subtract(double *A, size_t stride, int columns, const double *share, size_t step,
                                                                 const double *x, const int count) {
    vd held[PANEL];
    UNROLL for (int i = 0; i < count; i++) memcpy(&held[i], x + WIDE * i, sizeof(vd));
    for (int j = 0; j < columns; j++, A += stride, share += step) {
        const vd by = vd_set(-*share);
        UNROLL for (int i = 0; i < count; i++) {
            vd *to = (vd *)(void *)(A + WIDE * i);
            *to = vd_fma(by, held[i], *to);
        }
    }
}

/* A_j -= share_j x for some columns, of each the rows from `row`, a multiple of WHOLE_PAD, on; shares lie `step` apart. */
static inline void dense_subtract(double *A, int stride, int columns, const double *share, size_t step, const double *x, int row) {
    for (; row < stride; row += WIDE * PANEL) {
        const int count = (stride - row) / WIDE;
        PANEL_SWITCH(count, panel_subtract, A + row, (size_t)stride, columns, share, step, x + row)
    }
}

/* A <- -A^-1 of a symmetric definite matrix, by exchanges of all pivots in turn. share, held: columns. */
static void dense_invert(int n, int stride, double *A, double *share, double *held) {
    for (int k = 0; k < n; k++) {
        double *own = A + (size_t)k * (size_t)stride;
        const double inverse = 1 / own[k];
        for (int i = 0; i < stride; i++) held[i] = own[i], share[i] = own[i] * inverse;
        held[k] = own[k] - 1; /* row k becomes share: a number stored into a register's line by itself would hold up its next load */
        dense_subtract(A, stride, k, share, 1, held, 0);
        dense_subtract(own + stride, stride, n - k - 1, share + k + 1, 1, held, 0);
        memcpy(own, share, (size_t)stride * sizeof *own);
        own[k] = -inverse;
    }
}

#endif
