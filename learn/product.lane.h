/* The product that a network is made of: C = start + A B, columns of B and C in lanes, A one number at a time.
 * Each number of C is one chain of fused sums over the depth, in order: how the product is cut into tiles does not show in its bits.
 * Forward: A samples, B weights. Gradient by the input: A slopes, B turned weights. Gradient by the weights: A the input, turned by its
 * strides, B slopes, over the samples. */
#ifndef MYR_LEARN_PRODUCT_LANE_H
#define MYR_LEARN_PRODUCT_LANE_H

#include "kernels/load.lane.h"

typedef struct product {
    int rows, depth; /* 1 at least */
    const float *a;
    ptrdiff_t a_row, a_step;
    const float *b;
    ptrdiff_t b_step;
    const float *start; /* row i at start + i * start_row: biases 0, C itself, or zeros 0 */
    ptrdiff_t start_row;
    float *c;
    ptrdiff_t c_row;
} product;

/* A tile of R rows and V registers, from row i and column j on. The depth is 1 at least: GCC keeps the sums of a loop that may not run in
 * memory as well, which costs a tile 40 cycles. Rows have a pointer for every four: offsets of twelve do not fit the registers. */
INLINE void product_tile(const product *p, int i0, int j0, const int R, const int V) {
    vf sum[12][4];
    const ptrdiff_t a_row = p->a_row, a_step = p->a_step, b_step = p->b_step;
    const float *b = p->b + j0, *a[3];
    UNROLL for (int g = 0; g < (R + 3) / 4; g++) a[g] = p->a + (i0 + 4 * g) * a_row;
    UNROLL for (int i = 0; i < R; i++) {
        UNROLL for (int j = 0; j < V; j++) sum[i][j] = load(p->start + (i0 + i) * p->start_row + j0 + j * VN);
    }
    int left_over = p->depth;
    do {
        vf right[4];
        UNROLL for (int j = 0; j < V; j++) right[j] = load(b + j * VN);
        UNROLL for (int i = 0; i < R; i++) {
            const vf left = vf_set(a[i / 4][i % 4 * a_row]);
            UNROLL for (int j = 0; j < V; j++) sum[i][j] = vf_fma(left, right[j], sum[i][j]);
        }
        UNROLL for (int g = 0; g < (R + 3) / 4; g++) a[g] += a_step;
        b += b_step;
    } while (--left_over > 0);
    UNROLL for (int i = 0; i < R; i++) { UNROLL for (int j = 0; j < V; j++) store(p->c + (i0 + i) * p->c_row + j0 + j * VN, sum[i][j]); }
}

/* A strip of V registers: as many rows at a time as registers hold. */
#define PRODUCT_STRIP(V, MOST)                                                                                                             \
    static void product_strip_##V(const product *p, int j0) {                                                                              \
        int i = 0;                                                                                                                         \
        for (; i + (MOST) <= p->rows; i += (MOST)) product_tile(p, i, j0, MOST, V);                                                        \
        for (; i + 4 <= p->rows; i += 4) product_tile(p, i, j0, 4, V);                                                                     \
        for (; i < p->rows; i++) product_tile(p, i, j0, 1, V);                                                                             \
    }
#if MYR_REGISTERS >= 32
enum { PRODUCT_WIDEST = 4 };
PRODUCT_STRIP(1, 12)
PRODUCT_STRIP(2, 12)
PRODUCT_STRIP(4, 6)
#else
enum { PRODUCT_WIDEST = 2 };
PRODUCT_STRIP(1, 12)
PRODUCT_STRIP(2, 6)
#endif

static void product_all(const product *p, int columns) {
    int j = 0;
#if MYR_REGISTERS >= 32
    for (; j + 4 * VN <= columns; j += 4 * VN) product_strip_4(p, j);
#endif
    for (; j + 2 * VN <= columns; j += 2 * VN) product_strip_2(p, j);
    for (; j < columns; j += VN) product_strip_1(p, j);
}

#endif
