/* The law of one contact in scalar double, by the definitions of docs/contact.md: what answers to bare problems are judged by, and what the
 * solvers of large problems stop at. Impulses and velocities are scaled by the caller. */
#ifndef MYR_KERNELS_CONTACT_LARGE_LAW_H
#define MYR_KERNELS_CONTACT_LARGE_LAW_H

#include <math.h>

static inline double length2(double x, double y) { return sqrt(x * x + y * y); }
static inline double max2(double a, double b) { return a > b ? a : b; }
static inline double max3(double a, double b, double c) { return max2(max2(a, b), c); }
static inline double min2(double a, double b) { return a < b ? a : b; }

/* Distance from K_mu = { |x_T| <= mu x_N } of a point with |x_T| = t, x_N = n. */
static inline double cone_distance(double t, double n, double mu) {
    if (t <= mu * n) return 0;
    if (mu * t <= -n) return length2(t, n); /* nearest point is the apex */
    return (t - mu * n) / sqrt(1 + mu * mu);
}

/* Distance of s = w + (0, 0, mu |w_T|) from the dual cone { mu |s_T| <= s_N }: with |s_T| = |w_T| that is { w_N >= 0 }. */
static inline double dual_distance(double slip, double w_N, double mu) {
    const double s_N = w_N + mu * slip;
    if (w_N >= 0) return 0;
    if (slip <= -mu * s_N) return length2(slip, s_N);
    return -w_N / sqrt(1 + mu * mu);
}

/* Full law: K_mu > l _|_ s in K*_mu with s = w + (0, 0, mu |w_T|). */
static inline double law_violation(const double l[3], const double w[3], double mu) {
    const double slip = length2(w[0], w[1]), s_N = w[2] + mu * slip;
    const double product = fabs(l[0] * w[0] + l[1] * w[1] + l[2] * s_N);
    return max3(cone_distance(length2(l[0], l[1]), l[2], mu), dual_distance(slip, w[2], mu), product);
}

/* The convex model: K > l _|_ w in K*. */
static inline double convex_violation(const double l[3], const double w[3], double mu) {
    const double slip = length2(w[0], w[1]), under = mu * slip - w[2];
    const double dual = under <= 0 ? 0 : slip <= -mu * w[2] ? length2(slip, w[2]) : under / sqrt(1 + mu * mu);
    return max3(cone_distance(length2(l[0], l[1]), l[2], mu), dual, fabs(l[0] * w[0] + l[1] * w[1] + l[2] * w[2]));
}

#endif
