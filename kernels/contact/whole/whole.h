/* A whole problem: one environment's, taken out of its lanes, every contact and row at once, in double.
 *
 * Sweeps visit contacts one by one. They need few visits where contacts have little to say to each other, and hundreds where they have
 * much: the corners of a flat foot, a stack, a hand. What they leave open is a lane here and a lane there, and methods that see all
 * contacts at once ask for a dense matrix. So such a lane leaves its tile: its problem is solved by itself, and registers run along the
 * columns of its matrix instead of across environments. No neighbour has a part in it, and double costs one problem, not sixteen.
 *
 * All arithmetic is by element, in the order that is written, and only products that are written as fma are fused: the bits are the same
 * whatever the width of registers.
 *
 * Contacts and rows are measured by their own mobility D, tr G_ii / 3 or G_kk, as in admm.lane.h: x = D^1/2 lambda, velocities are divided
 * by D^1/2, and what is called G here is D^-1/2 G D^-1/2, with a diagonal of about 1. Cones stay as they are. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_H
#define MYR_KERNELS_CONTACT_WHOLE_H

#include "lu.h"
#include "kernels/contact/problem.lane.h"

enum { WHOLE_SCRATCH = 9 }; /* vectors: the first four are a step's, the others may be kept */

typedef struct whole_problem {
    int n, m, d, stride;                     /* contacts, rows, numbers: d = 3 n + m; doubles from column to column */
    double *G, *matrix;                      /* d columns; `matrix`: what a method factors, room for lu.h */
    double *c, *x, *w;                       /* w = G x + c */
    double *root, *scale;                    /* D^1/2 and its inverse */
    double *mu;                              /* n */
    double *f, *lo, *hi;                     /* m */
    double *best;                            /* the x that came nearest to the law */
    double *scratch[WHOLE_SCRATCH], *shares; /* of lu.h */
    int *place;                              /* of each number in the lanes' problem: its component, or 3 p->n and the row */
} whole_problem;

static inline double whole_most(double a, double b) { return a > b ? a : b; }
static inline double whole_clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
static inline double whole_length(double x, double y) { return __builtin_sqrt(__builtin_fma(x, x, y * y)); }

/* w = c + G x */
static inline void whole_velocity(whole_problem *p) {
    memcpy(p->w, p->c, (size_t)p->stride * sizeof *p->w);
    dense_multiply(p->G, p->stride, p->d, p->x, p->w);
}

/* The point of row k's staircase with x - w / rho = y, as row_project of rows.lane.h. `held`: 1 where its velocity is what it holds, `at`.
 */
static inline double whole_row(const whole_problem *p, int k, double y, double rho, int *held, double *at) {
    const double f = p->f[k], x = whole_clamp(y, -f, f), w = rho * (x - y);
    *held = 1;
    if (w < p->lo[k]) {
        *at = p->lo[k];
        return y + p->lo[k] / rho;
    }
    if (w > p->hi[k]) {
        *at = p->hi[k];
        return y + p->hi[k] / rho;
    }
    *at = 0;
    *held = x > -f && x < f;
    return x;
}

/* How far from the law: x less what the law makes of x - w, in the larger of impulses [N s] and velocities [m/s] that this is. A contact:
 * the normal to zero or more, then the tangent into the disc of that normal (Alart and Curnier 1991). NaN where some number is not finite.
 */
static double whole_error(const whole_problem *p) {
    double worst = 0, check = 0;
    for (int i = 0; i < p->n; i++) {
        const double *x = p->x + 3 * i, *w = p->w + 3 * i, root = p->root[3 * i];
        const double zx = x[0] - w[0], zy = x[1] - w[1], zn = whole_most(x[2] - w[2], 0);
        const double reach = p->mu[i] * zn, length = whole_length(zx, zy), part = length > reach ? reach / length : 1;
        const double side = whole_length(x[0] - part * zx, x[1] - part * zy), off = whole_most(side, __builtin_fabs(x[2] - zn));
        worst = whole_most(worst, off * whole_most(root, 1 / root));
        check += off;
    }
    for (int k = 0; k < p->m; k++) {
        const int i = 3 * p->n + k;
        int held;
        double at;
        const double off = __builtin_fabs(p->x[i] - whole_row(p, k, p->x[i] - p->w[i], 1, &held, &at)), root = p->root[i];
        worst = whole_most(worst, off * whole_most(root, 1 / root));
        check += off;
    }
    return worst + 0 * check;
}

/* What roundings of the lanes' precision may make of the velocities [m/s]: four of `one`, of all that is added up. Two pads that squeeze a
 * thing with forty times its weight add up a hundred times what is left of the sum. */
static double whole_rounding(const whole_problem *p, double one) {
    double worst = 0;
    for (int i = 0; i < p->d; i++) {
        const double *row = p->G + (size_t)i * (size_t)p->stride; /* G is symmetric */
        double sum = 0;
        for (int k = 0; k < p->d; k++) sum = __builtin_fma(__builtin_fabs(row[k]), __builtin_fabs(p->x[k]), sum);
        worst = whole_most(worst, sum * p->root[i]);
    }
    return 4 * one * worst;
}

/* Lays the arrays out; myr_whole_bytes is their room. A vector is as long as a row of `matrix` may be. What is beyond d in each is zero and
 * stays so. */
static void whole_open(whole_problem *q, int n, int m, void *memory) {
    q->n = n, q->m = m, q->d = 3 * n + m, q->stride = whole_stride(q->d);
    double *at = (double *)(((uintptr_t)memory + 63) / 64 * 64);
    const size_t row = (size_t)lu_stride(q->d), matrix = (size_t)q->stride * (size_t)q->d, more = row * (size_t)lu_order(q->d);
    double **const lists[] = {&q->c, &q->x, &q->w, &q->root, &q->scale, &q->best};
    const size_t n_lists = sizeof lists / sizeof *lists;
    q->G = at, q->matrix = at + matrix;
    at += matrix + more;
    memset(at, 0, (n_lists + WHOLE_SCRATCH) * row * sizeof *at);
    for (size_t k = 0; k < n_lists; k++) *lists[k] = at, at += row;
    for (size_t k = 0; k < WHOLE_SCRATCH; k++) q->scratch[k] = at, at += row;
    q->shares = at, at += PIVOTS * lu_order(q->d);
    q->mu = at, q->f = at + n, q->lo = q->f + m, q->hi = q->lo + m;
    q->place = (int *)(void *)(q->hi + m);
}

#endif
