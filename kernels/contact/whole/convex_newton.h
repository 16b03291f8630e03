/* The end of the interior point of the convex model (convex.h): Newton's steps on x = P(x - w), P the nearest point of the cone or the
 * staircase, as newton.h has them for the full law.
 *
 * The law's own distance forgives much: where a contact slides, impulse and velocity that are an angle e from opposite have a product of
 * e^2 alone, and an interior point that meets 1e-12 by that may have velocities wrong by 1e-6. So |x - P(x - w)| counts, too. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_CONVEX_NEWTON_H
#define MYR_KERNELS_CONTACT_WHOLE_CONVEX_NEWTON_H

#include "smooth.h"
#include "whole.h"

/* Of a diagonal of G of 1; as in newton.h it moves no answer. */
static const double convex_newton_ridge = 1e-9;

/* P of a contact, and its derivative, symmetric: xx xy yy xn yn nn. */
typedef struct convex_point {
    double to[3], by[6];
} convex_point;

static convex_point convex_nearest(double mu, double x, double y, double z) {
    const double t = whole_length(x, y);
    if (t <= mu * z) return (convex_point){{x, y, z}, {1, 0, 1, 0, 0, 1}};
    const double height = __builtin_fma(mu, t, z);
    if (height <= 0) return (convex_point){{0}, {0}};
    const double flank = 1 / __builtin_fma(mu, mu, 1), n = height * flank, ex = x / t, ey = y / t, part = mu * n / t;
    const double along = mu * mu * flank - part, both = mu * flank;
    return (convex_point){
        {mu * n * ex, mu * n * ey, n},
        {__builtin_fma(along * ex, ex, part), along * ex * ey, __builtin_fma(along * ey, ey, part), both * ex, both * ey, flank}};
}

static inline convex_point convex_next(const whole_problem *p, int i) {
    const double *x = p->x + 3 * i, *w = p->w + 3 * i;
    return convex_nearest(p->mu[i], x[0] - w[0], x[1] - w[1], x[2] - w[2]);
}

/* The largest |x - P(x - w)|, as velocities [m/s]. */
static double convex_off(const whole_problem *p) {
    double worst = 0, check = 0;
    for (int i = 0; i < 3 * p->n; i += 3) {
        const convex_point next = convex_next(p, i / 3);
        for (int e = i; e < i + 3; e++) {
            const double off = p->root[e] * __builtin_fabs(p->x[e] - next.to[e - i]);
            worst = whole_most(worst, off), check += off;
        }
    }
    for (int i = 3 * p->n; i < p->d; i++) {
        int held;
        double at;
        const double off = p->root[i] * __builtin_fabs(p->x[i] - whole_row(p, i - 3 * p->n, p->x[i] - p->w[i], 1, &held, &at));
        worst = whole_most(worst, off), check += off;
    }
    return worst + 0 * check;
}

/* Impulses into their cones. */
static void convex_inside(whole_problem *p) {
    for (int i = 0; i < p->n; i++) {
        double *x = p->x + 3 * i;
        const convex_point to = convex_nearest(p->mu[i], x[0], x[1], x[2]);
        memcpy(x, to.to, sizeof to.to);
    }
    whole_velocity(p);
}

/* One step from p->x, p->w, into both; 0: there is none. The matrix is I - P' (I - G). */
static int convex_newton(whole_problem *p) {
    const int stride = lu_stride(p->d), right = lu_order(p->d);
    double *move = p->scratch[0];
    for (int i = 0; i < 3 * p->n; i += 3) {
        const convex_point next = convex_next(p, i / 3);
        const double *b = next.by;
        double *x = p->matrix + (size_t)i * (size_t)stride, *y = x + stride, *z = y + stride;
        smooth_fill(p, x, stride, i, b[0], b[1], b[3]);
        smooth_fill(p, y, stride, i, b[1], b[2], b[4]);
        smooth_fill(p, z, stride, i, b[3], b[4], b[5]);
        x[i] += 1 - b[0] + convex_newton_ridge, x[i + 1] -= b[1], x[i + 2] -= b[3];
        y[i] -= b[1], y[i + 1] += 1 - b[2] + convex_newton_ridge, y[i + 2] -= b[4];
        z[i] -= b[3], z[i + 1] -= b[4], z[i + 2] += 1 - b[5] + convex_newton_ridge;
        x[right] = next.to[0] - p->x[i], y[right] = next.to[1] - p->x[i + 1], z[right] = next.to[2] - p->x[i + 2];
    }
    for (int i = 3 * p->n; i < p->d; i++) {
        int held;
        double at, *row = p->matrix + (size_t)i * (size_t)stride;
        const double *own = p->G + (size_t)i * (size_t)p->stride, to = whole_row(p, i - 3 * p->n, p->x[i] - p->w[i], 1, &held, &at);
        for (int j = 0; j < stride; j++) row[j] = held && j < p->d ? own[j] : 0;
        row[i] += (held ? 0 : 1) + convex_newton_ridge, row[right] = to - p->x[i];
    }
    if (!lu_solve(p->d, p->matrix, p->shares, move)) return 0;
    for (int i = 0; i < p->d; i++) p->x[i] += move[i];
    whole_velocity(p);
    return 1;
}

#endif
