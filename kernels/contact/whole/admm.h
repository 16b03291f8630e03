/* Proximal ADMM on a whole problem: the iteration of admm.lane.h with D in the numbers already, for what Newton's steps do not end.
 *
 *     y     <- (G + (eta + rho) I)^-1 (eta y + rho x - gamma - c - s),   s = (0, 0, mu |gamma_T|) for each contact
 *     x     <- the point of cone or staircase nearest to y + gamma / rho
 *     gamma <- gamma + rho (y - x)
 *
 * The matrix is inverted, not factored: a product with its columns is one stream of fmas, where two triangular solves are chains of
 * short ones, and one inversion serves many iterations. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_ADMM_H
#define MYR_KERNELS_CONTACT_WHOLE_ADMM_H

#include "whole.h"

typedef struct whole_admm {
    double *y, *gamma, *last, *rhs;
    double *x;         /* its own: Newton's steps from it do not count when they fail */
    double rho;        /* of a diagonal of 1 */
    int done, balance; /* iterations; when rho is next looked at */
} whole_admm;

static const double whole_eta = 1e-6;

/* matrix <- -(G + (eta + rho) I)^-1 */
static void whole_invert(whole_problem *p, double shift) {
    memcpy(p->matrix, p->G, (size_t)p->stride * (size_t)p->d * sizeof *p->G);
    for (int k = 0; k < p->d; k++) p->matrix[(size_t)k * (size_t)p->stride + (size_t)k] += shift;
    dense_invert(p->d, p->stride, p->matrix, p->scratch[0], p->scratch[1]);
}

/* From p->x and p->w. */
static void whole_admm_open(whole_problem *p, whole_admm *a) {
    *a = (whole_admm){.y = p->scratch[4], .gamma = p->scratch[5], .last = p->scratch[6], .rhs = p->scratch[7], .x = p->scratch[8]};
    a->rho = 0.03;
    a->balance = 10;
    memcpy(a->x, p->x, (size_t)p->stride * sizeof *a->x);
    memcpy(a->y, p->x, (size_t)p->stride * sizeof *a->y);
    for (int i = 0; i < p->n; i++) { /* minus the velocity, so far as it is in the dual cone */
        const double *w = p->w + 3 * i, mu = p->mu[i], slip = whole_length(w[0], w[1]), normal = __builtin_fma(mu, slip, w[2]);
        double *gamma = a->gamma + 3 * i;
        gamma[0] = -w[0], gamma[1] = -w[1], gamma[2] = -whole_most(normal, mu * slip);
    }
    for (int k = 3 * p->n; k < p->d; k++) a->gamma[k] = -whole_clamp(p->w[k], p->lo[k - 3 * p->n], p->hi[k - 3 * p->n]);
}

/* The nearest point of the cone, in place. */
static inline void whole_cone(double mu, double *x) {
    const double length = whole_length(x[0], x[1]);
    if (length <= mu * x[2]) return;
    const double z = __builtin_fma(mu, length, x[2]) / __builtin_fma(mu, mu, 1);
    const double part = z > 0 ? mu * z / length : 0;
    x[0] *= part, x[1] *= part, x[2] = z > 0 ? z : 0;
}

/* Both residuals, each by the size of what it compares. */
typedef struct whole_balance {
    double primal, dual, impulse, velocity;
} whole_balance;

static whole_balance admm_balance(const whole_problem *p, const whole_admm *a) {
    whole_balance e = {0, 0, 1e-30, 1e-30};
    for (int i = 0; i < p->d; i++) {
        e.primal = whole_most(e.primal, __builtin_fabs(a->y[i] - a->x[i]));
        e.dual = whole_most(e.dual, a->rho * __builtin_fabs(a->x[i] - a->last[i]));
        e.impulse = whole_most(e.impulse, __builtin_fabs(a->x[i]));
        e.velocity = whole_most(e.velocity, whole_most(__builtin_fabs(a->gamma[i]), __builtin_fabs(p->c[i])));
    }
    return e;
}

static void whole_admm_iterate(whole_problem *p, whole_admm *a) {
    const int d = p->d;
    /* less all that, as minus the inverse is kept */
    for (int i = 0; i < d; i++) a->rhs[i] = a->gamma[i] + p->c[i] - __builtin_fma(whole_eta, a->y[i], a->rho * a->x[i]);
    for (int i = 0; i < p->n; i++) a->rhs[3 * i + 2] += p->mu[i] * whole_length(a->gamma[3 * i], a->gamma[3 * i + 1]);
    memset(a->y, 0, (size_t)p->stride * sizeof *a->y);
    dense_multiply(p->matrix, p->stride, d, a->rhs, a->y);
    memcpy(a->last, a->x, (size_t)p->stride * sizeof *a->last);
    for (int i = 0; i < d; i++) a->x[i] = a->y[i] + a->gamma[i] / a->rho;
    for (int i = 0; i < p->n; i++) whole_cone(p->mu[i], a->x + 3 * i);
    for (int k = 0; k < p->m; k++) {
        int held;
        double at;
        a->x[3 * p->n + k] = whole_row(p, k, a->x[3 * p->n + k], a->rho, &held, &at);
    }
    for (int i = 0; i < d; i++) a->gamma[i] = __builtin_fma(a->rho, a->y[i] - a->x[i], a->gamma[i]);
}

/* `count` iterations; p->x, p->w are its answer then. What the matrix had before is gone. rho follows the two
 * residuals at iterations 10, 15, 22, .. only: between changes it rests, longer each time. */
static void whole_admm_run(whole_problem *p, whole_admm *a, int count) {
    int fresh = 1; /* rho is not that of the inverse */
    for (int k = 0; k < count; k++) {
        if (fresh) whole_invert(p, a->rho + whole_eta);
        fresh = 0;
        whole_admm_iterate(p, a);
        if (++a->done != a->balance) continue;
        const whole_balance e = admm_balance(p, a);
        a->balance += a->balance / 2;
        const double primal = whole_most(e.primal * e.velocity, 1e-200), dual = whole_most(e.dual * e.impulse, 1e-200);
        if (primal <= 4 * dual && dual <= 4 * primal) continue;
        const double change = whole_clamp(__builtin_sqrt(primal / dual), 0.01, 100);
        a->rho = whole_clamp(a->rho * change, 1e-6, 1e4);
        fresh = 1;
    }
    memcpy(p->x, a->x, (size_t)p->stride * sizeof *a->x);
    whole_velocity(p);
}

#endif
