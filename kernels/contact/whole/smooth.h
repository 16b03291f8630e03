/* A smoothing Newton method on a whole problem (Chen and Mangasarian 1996; for cones Fukushima, Luo and Tseng 2002): for what plain
 * Newton's steps go round in.
 *
 * The law is x = P(z), z = x - w, with P what it makes of z: the normal to zero or more, the tangent into the disc of that normal, a row
 * onto its staircase. Every max(0, a) of P becomes  soft(a) = (a + sqrt(a a + 4 e e)) / 2,  which has a derivative everywhere, and a step
 * is one of Newton's on x - P_e(z) = 0, every number at once, with `ridge` on the diagonal as in newton.h. e goes to a part of itself when
 * the equation is met to it, and back up a little where it is not met for a while.
 *
 * Of 165 problems of a dancing G1 that ADMM took 100 to 2000 iterations for, the median takes 9 of these steps and 95 of 100 at most 31.
 * Tried: a line search on the equation (twice the steps: it follows the bends of the law), larger and smaller ridges. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_SMOOTH_H
#define MYR_KERNELS_CONTACT_WHOLE_SMOOTH_H

#include "whole.h"

enum { SMOOTH_WAIT = 4 }; /* steps in which the equation may be farther from met than e */
static const double smooth_ridge = 5e-4, smooth_first = 0.3, smooth_less = 0.2, smooth_more = 10, smooth_met = 2; /* firsts: of the scale */

/* max(0, a), and its derivative. */
typedef struct smoothed {
    double value, slope;
} smoothed;

static inline smoothed soft_most(double a, double e) {
    const double root = __builtin_sqrt(__builtin_fma(a, a, 4 * (e * e)));
    return (smoothed){0.5 * (a + root), root > 0 ? 0.5 * (1 + a / root) : 0.5};
}

/* The derivative of P at a contact: of its tangent by z_T, symmetric, and by z_N; of its normal by z_N. */
typedef struct smooth_contact {
    double xx, xy, yy, xn, yn, nn;
    double to[3]; /* P */
} smooth_contact;

static smooth_contact smooth_contact_of(const whole_problem *p, int i, double e) {
    const double *x = p->x + 3 * i, *w = p->w + 3 * i, zx = x[0] - w[0], zy = x[1] - w[1], mu = p->mu[i];
    const smoothed normal = soft_most(x[2] - w[2], e);
    const double length = whole_length(zx, zy), reach = mu * normal.value;
    const smoothed over = soft_most(length - reach, e);
    const double most = over.value + reach; /* max(length, reach) */
    const double part = most > 0 ? reach / most : 0, inverse = most > 0 ? 1 / most : 0, unit = length > 0 ? 1 / length : 0;
    const double by_length = -(part * inverse) * over.slope, by_reach = __builtin_fma(-(part * inverse), 1 - over.slope, inverse);
    const double along = by_length * unit, across = by_reach * (mu * normal.slope);
    return (smooth_contact){.xx = __builtin_fma(along * zx, zx, part),
                            .xy = along * zx * zy,
                            .yy = __builtin_fma(along * zy, zy, part),
                            .xn = across * zx,
                            .yn = across * zy,
                            .nn = normal.slope,
                            .to = {part * zx, part * zy, normal.value}};
}

/* min(high, max(low, a)); either may be infinite. */
static smoothed soft_clamp(double a, double low, double high, double e) {
    const int below = low - low == 0, above = high - high == 0;
    const smoothed up = below ? soft_most(a - low, e) : (smoothed){a, 1}, down = above ? soft_most(a - high, e) : (smoothed){0, 0};
    if (below) return (smoothed){low + up.value - down.value, up.slope - down.slope};
    return (smoothed){a - down.value, 1 - down.slope};
}

/* P of row k at z, and its derivative. */
static smoothed smooth_row_of(const whole_problem *p, int k, double z, double e) {
    const double f = p->f[k];
    const smoothed held = f > 0 ? soft_clamp(z, -f, f, e) : (smoothed){0, 0}, w = soft_clamp(held.value - z, p->lo[k], p->hi[k], e);
    return (smoothed){z + w.value, 1 + w.slope * (held.slope - 1)};
}

/* The length of x - P_e(z). */
static double smooth_off(const whole_problem *p, double e) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        const smooth_contact c = smooth_contact_of(p, i, e);
        for (int a = 0; a < 3; a++) {
            const double off = p->x[3 * i + a] - c.to[a];
            sum = __builtin_fma(off, off, sum);
        }
    }
    for (int i = 3 * p->n; i < p->d; i++) {
        const double off = p->x[i] - smooth_row_of(p, i - 3 * p->n, p->x[i] - p->w[i], e).value;
        sum = __builtin_fma(off, off, sum);
    }
    return __builtin_sqrt(sum);
}

/* A row of the matrix: a x, b y and c z are what three rows of G count; the rest is zero. */
static inline void smooth_fill(const whole_problem *p, double *row, int stride, int first, double a, double b, double c) {
    const double *x = p->G + (size_t)first * (size_t)p->stride, *y = x + p->stride, *z = y + p->stride;
    for (int j = 0; j < p->stride; j += WIDE) {
        const vd sum = vd_fma(vd_set(a), *(const vd *)(const void *)(x + j), vd_set(b) * *(const vd *)(const void *)(y + j));
        *(vd *)(void *)(row + j) = vd_fma(vd_set(c), *(const vd *)(const void *)(z + j), sum);
    }
    for (int j = p->stride; j < stride; j += WIDE) *(vd *)(void *)(row + j) = vd_set(0);
}

/* I - P' (I - G), with the ridge, and minus the equation, P_e(z) - x, beside it. */
static void smooth_matrix(whole_problem *p, double e) {
    const int stride = lu_stride(p->d), right = lu_order(p->d);
    for (int i = 0; i < p->n; i++) {
        const smooth_contact c = smooth_contact_of(p, i, e);
        double *x = p->matrix + (size_t)(3 * i) * (size_t)stride, *y = x + stride, *z = y + stride;
        smooth_fill(p, x, stride, 3 * i, c.xx, c.xy, c.xn);
        smooth_fill(p, y, stride, 3 * i, c.xy, c.yy, c.yn);
        smooth_fill(p, z, stride, 3 * i, 0, 0, c.nn);
        x[3 * i] += 1 - c.xx + smooth_ridge, x[3 * i + 1] -= c.xy, x[3 * i + 2] -= c.xn;
        y[3 * i] -= c.xy, y[3 * i + 1] += 1 - c.yy + smooth_ridge, y[3 * i + 2] -= c.yn;
        z[3 * i + 2] += 1 - c.nn + smooth_ridge;
        x[right] = c.to[0] - p->x[3 * i], y[right] = c.to[1] - p->x[3 * i + 1], z[right] = c.to[2] - p->x[3 * i + 2];
    }
    for (int i = 3 * p->n; i < p->d; i++) {
        double *row = p->matrix + (size_t)i * (size_t)stride;
        const double *own = p->G + (size_t)i * (size_t)p->stride;
        const smoothed to = smooth_row_of(p, i - 3 * p->n, p->x[i] - p->w[i], e);
        for (int j = 0; j < stride; j++) row[j] = j < p->d ? to.slope * own[j] : 0;
        row[i] += 1 - to.slope + smooth_ridge, row[right] = to.value - p->x[i];
    }
}

typedef struct whole_smooth {
    double e, most; /* of now and at first */
    int since;      /* steps since e went down */
} whole_smooth;

/* From p->x, p->w. */
static whole_smooth whole_smooth_open(const whole_problem *p) {
    double scale = 1e-12;
    for (int i = 0; i < p->d; i++) scale = whole_most(scale, whole_most(__builtin_fabs(p->c[i]), __builtin_fabs(p->x[i])));
    return (whole_smooth){smooth_first * scale, smooth_first * scale, 0};
}

/* One step from p->x, p->w, into both; 0: there is none. */
static int whole_smooth_step(whole_problem *p, whole_smooth *s) {
    double *move = p->scratch[0];
    smooth_matrix(p, s->e);
    if (!lu_solve(p->d, p->matrix, p->shares, move)) return 0;
    for (int i = 0; i < p->d; i++) p->x[i] += move[i];
    whole_velocity(p);
    s->since++;
    if (smooth_off(p, s->e) < smooth_met * s->e)
        s->e = whole_most(smooth_less * s->e, 1e-12), s->since = 0;
    else if (s->since >= SMOOTH_WAIT)
        s->e = s->e * smooth_more < s->most ? s->e * smooth_more : s->most, s->since = 0;
    return 1;
}

#endif
