/* Interior points of contact problems (Brüdigam 2021; predictor and corrector as in Mehrotra 1992): what ipm-diamond and ipm-cone share.
 * Every pair of the law, a product that is to vanish, is held at sigma > 0 times the scale of its contact while Newton's method solves for
 * impulses and slacks, and sigma goes to 0.
 *
 * With the slacks eliminated contact i says  P_i dlambda_i + dw_i = h_i, three numbers, P_i unsymmetric; dw = G dlambda makes it
 *     (G + P) dlambda = h,
 * one matrix per lane. P pins what opens and what slides (to the edge of the cone), and leaves what sticks to G. Where G is singular, P and
 * a ridge of some roundings of its diagonal make up for it. Each contact turns its tangents so that the direction that its P pins is the
 * first: it is eliminated first, and rounding does not spill.
 *
 * Steps end at 0.995 of the way to the nearest boundary, the same for all numbers of a lane. Contacts start with slacks of the size of the
 * problem's velocity and with the impulses that would stop it, or near the last ones. The law is not convex, and where steps do not get on
 * the lane starts again from farther in, with steps of 0.9 and sigma at a tenth at least; every second time by the authors' own rule: sigma
 * falls to a tenth whenever the residual of the relaxed equations is less than it, and steps are halved until that residual falls.
 *
 * The end. At sigma a contact that just touches, or just sticks, is known to sqrt(sigma) only, and in float the gap between an impulse and
 * the cone is gone in rounding long before. So from a sigma of a hundredth on a lane tries the active set that it sees: up to three Newton
 * steps on lambda = P(lambda - w) (Alart and Curnier 1991), through the same matrix with other P. Most lanes end so, in half the
 * iterations. Where the law is not met, the interior point goes on from where it was, and tries again at a twentieth of that sigma.
 *
 * A lane that comes with impulses tries the active set that they show before anything else: robots that stand end there in one step, and on
 * the trot a solve takes half of the time that it took from the inside. */
#ifndef MYR_KERNELS_CONTACT_IPM_LANE_H
#define MYR_KERNELS_CONTACT_IPM_LANE_H

#include "rows.lane.h"

enum {
    IPM_STATE = 32,    /* registers of a contact's slacks, their steps and what is kept between them */
    IPM_ROW = 20,      /* likewise of a row */
    IPM_POLISH = 3,    /* steps on an active set in a row */
    IPM_HALVES = 10,   /* of a step by the authors' rule */
    IPM_PATIENCE = 20, /* iterations of one start without a smaller sigma */
    IPM_STARTS = 5
};

/* What the lanes of a solver hold. Vectors have 3 numbers for each block. */
typedef struct ipm {
    problem *p;
    int blocks;
    vf *G, *A, *local;       /* G as cholesky_load has it; the matrix and its factors; the diagonal blocks of P */
    vf *x, *w, *u, *dx, *dw; /* impulses and their velocities; right side and step in the turned tangents; steps */
    vf *keep;                /* 1; 0: P's row stands alone, without G's */
    vf *turn;                /* cosine and sine of each block's tangents */
    vf *mobility;            /* of each component */
    vf *least;               /* pivots */
    vf *state, *rows;
    vf *best; /* the answer nearest to the law so far, and */
    vf best_residual;
    vf speed;  /* largest |c| */
    vf sigma;  /* of the step: the target, */
    vm second; /* and where it takes the products of the step before into account */
    vf bound;
    vm met; /* the law was met to it at the last look */
} ipm;

/* Products of a lane's pairs over their scales. */
typedef struct ipm_pairs {
    vf sum, count, off2; /* off2: squares of what the relaxed equations leave */
} ipm_pairs;

/* The part of a cone. `i` is a contact, steps of slacks are kept until the next ones. */
typedef struct ipm_cone {
    myr_law law;
    void (*start)(ipm *a, int i, vm todo, vf delta);     /* impulse inside the cone, delta of its scale away from the edge */
    void (*begin)(ipm *a, int i, vm todo, vf delta);     /* slacks for it and its velocity */
    void (*open)(ipm *a, int i);                         /* tangents and P */
    void (*pairs)(ipm *a, int i, vf step, ipm_pairs *t); /* after a part of the step */
    void (*right)(ipm *a, int i);                        /* h, into u */
    vf (*back)(ipm *a, int i, vf reach);                 /* steps of the slacks; the largest of 1 / (step that ends at the boundary) */
    void (*move)(ipm *a, int i, vm todo, vf step);
    void (*active)(ipm *a, int i); /* tangents, P and h of the active set that p->lambda and p->w show */
} ipm_cone;

static inline vf *ipm_local(const ipm *a, int i) { return a->local + 9 * i; }
static inline vf *ipm_state(const ipm *a, int i) { return a->state + IPM_STATE * i; }
/* Scale of the products of contact i: impulse times velocity. */
static inline vf ipm_scale(const ipm *a, int i) { return a->speed * a->speed / a->mobility[3 * i]; }

static inline void ipm_turn(const ipm *a, int i, vf x, vf y) {
    const vf one = vf_set(1), zero = vf_zero(), size = vf_sqrt(vf_fma(x, x, y * y));
    const vm some = vm_and(vm_gt(size, zero), vm_finite(size));
    const vf inverse = one / vf_select(some, size, one);
    a->turn[2 * i] = vf_select(some, x * inverse, one);
    a->turn[2 * i + 1] = vf_select(some, y * inverse, zero);
}
static inline v3 ipm_turned(const ipm *a, int i, v3 b) {
    const vf c = a->turn[2 * i], s = a->turn[2 * i + 1];
    return (v3){vf_fma(c, b.x, s * b.y), vf_fms(c, b.y, s * b.x), b.z};
}
static inline v3 ipm_turned_back(const ipm *a, int i, v3 b) {
    const vf c = a->turn[2 * i], s = a->turn[2 * i + 1];
    return (v3){vf_fms(c, b.x, s * b.y), vf_fma(s, b.x, c * b.y), b.z};
}

/* Has contact i friction worth the name? Else its tangents have no pairs, and stay where they are: at zero. */
static inline vm ipm_rough(const ipm *a, int i) { return vm_gt(a->p->mu[i], vf_set((real)(1e-2 * MYR_EPSILON))); }
static inline void ipm_smooth(const ipm *a, int i, vm smooth) {
    for (int e = 0; e < 2; e++) {
        vf *own = ipm_local(a, i) + 4 * e;
        a->keep[3 * i + e] = vf_select(smooth, vf_zero(), a->keep[3 * i + e]);
        *own = vf_select(smooth, a->mobility[3 * i], *own);
    }
}

static inline void ipm_clear(vf *x, int n) {
    for (int e = 0; e < n; e++) x[e] = vf_zero();
}
static inline void ipm_put(vf *to, vm mine, vf value) { *to = vf_select(mine, value, *to); }
/* 1 / (step along d that brings x > 0 to zero) */
static inline vf ipm_reach(vf reach, vf x, vf d) { return vf_max(reach, -d / x); }
static inline void ipm_pair(ipm_pairs *t, vm has, vf product, vf inverse_scale, vf sigma) {
    const vf share = vf_select(has, product * inverse_scale, vf_zero()), off = share - vf_select(has, sigma, vf_zero());
    t->sum = t->sum + share;
    t->count = t->count + vf_select(has, vf_set(1), vf_zero());
    t->off2 = vf_fma(off, off, t->off2);
}

/* ---- the normal, which every cone has: gamma >= 0, s = w_N >= 0 ----------------------------------------------------------------- */

enum { IPM_S, IPM_DS, IPM_MORE }; /* of a contact's state; a cone has the rest */

static inline void ipm_normal_begin(ipm *a, int i, vm todo, vf delta) {
    vf *q = ipm_state(a, i);
    for (int e = 0; e < IPM_STATE; e++) ipm_put(&q[e], todo, vf_zero());
    ipm_put(&q[IPM_S], todo, vf_fma(delta, a->speed, vf_max(a->w[3 * i + 2], vf_zero())));
}
static inline vf ipm_gamma(const ipm *a, int i, vm has) { return vf_select(has, a->x[3 * i + 2], vf_set(1)); }
static inline void ipm_normal_open(ipm *a, int i, vm has) {
    ipm_clear(ipm_local(a, i), 9);
    for (int e = 0; e < 3; e++) a->keep[3 * i + e] = vf_set(1);
    ipm_local(a, i)[8] = vf_select(has, ipm_state(a, i)[IPM_S] / ipm_gamma(a, i, has), vf_zero());
}
static inline void ipm_normal_pairs(ipm *a, int i, vm has, vf step, ipm_pairs *t) {
    const vf *q = ipm_state(a, i), one = vf_set(1);
    const vf gamma = vf_fma(step, a->dx[3 * i + 2], a->x[3 * i + 2]), s = vf_fma(step, q[IPM_DS], q[IPM_S]);
    const vf gap = vf_select(has, (q[IPM_S] - a->w[3 * i + 2]) * (one - step) / a->speed, vf_zero());
    ipm_pair(t, has, gamma * s, one / ipm_scale(a, i), a->sigma);
    t->off2 = vf_fma(gap, gap, t->off2);
}
static inline vf ipm_normal_target(const ipm *a, int i) { /* of gamma s, less what it is */
    const vf *q = ipm_state(a, i);
    const vf bend = vf_select(a->second, a->dx[3 * i + 2] * q[IPM_DS], vf_zero());
    return vf_fms(a->sigma, ipm_scale(a, i), vf_fma(a->x[3 * i + 2], q[IPM_S], bend));
}
static inline void ipm_normal_right(ipm *a, int i, vm has) {
    const vf gap = ipm_state(a, i)[IPM_S] - a->w[3 * i + 2];
    a->u[3 * i + 2] = vf_select(has, ipm_normal_target(a, i) / ipm_gamma(a, i, has) + gap, vf_zero());
}
static inline vf ipm_normal_back(ipm *a, int i, vm has, vf reach) {
    vf *q = ipm_state(a, i);
    const vf one = vf_set(1);
    q[IPM_DS] = vf_select(has, a->dw[3 * i + 2] - (q[IPM_S] - a->w[3 * i + 2]), vf_zero());
    reach = ipm_reach(reach, ipm_gamma(a, i, has), vf_select(has, a->dx[3 * i + 2], vf_zero()));
    return ipm_reach(reach, vf_select(has, q[IPM_S], one), q[IPM_DS]);
}

#endif
