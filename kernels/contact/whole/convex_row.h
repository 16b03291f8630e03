/* Scalar pairs of the interior point of the convex model (convex.h): normals without friction, and the parts of a joint row.
 *
 * A row's impulse is a sum of three: friction a in [-f, f], and what either limit pushes, b1 >= 0 and b2 >= 0:
 *     x = a + b1 - b2,   0 <= b1 _|_ w - lo >= 0,   0 <= b2 _|_ hi - w >= 0,   w = q - p,   0 <= p _|_ f - a >= 0,   0 <= q _|_ f + a >= 0
 * Of a step dw each gives  d = alpha - beta dw,  and so the row  dx = sum alpha - (sum beta) dw. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_CONVEX_ROW_H
#define MYR_KERNELS_CONTACT_WHOLE_CONVEX_ROW_H

#include "whole.h"

/* Two numbers whose product is to vanish, and their steps. */
typedef struct pair_state {
    double x, z, dx, dz;
} pair_state;

static inline double pair_reach(double x, double dx) { return dx < 0 ? -x / dx : __builtin_inf(); }
static inline double pair_step(const pair_state *s) { return __builtin_fmin(pair_reach(s->x, s->dx), pair_reach(s->z, s->dz)); }
static inline void pair_move(pair_state *s, double step) {
    s->x = __builtin_fma(step, s->dx, s->x);
    s->z = __builtin_fma(step, s->dz, s->z);
}
/* sigma less the product, and less that of the last steps where `second` */
static inline double pair_off(const pair_state *s, double sigma, double second) {
    return __builtin_fma(-s->x, s->z, sigma) - (second > 0 ? second * (s->dx * s->dz) : 0);
}

enum { ROW_LOW, ROW_HIGH, ROW_BACK, ROW_AHEAD, ROW_PAIRS }; /* both limits; p, q: x of these is what of friction is left */

typedef struct row_state {
    int has[2], rubs; /* limits; friction */
    double end[2];
    pair_state pair[ROW_PAIRS];
    double alpha[3], beta[3]; /* of the limits; of friction */
    double sum;               /* of beta */
} row_state;

static row_state row_open(const whole_problem *p, int k, double scale) {
    row_state r = {.has = {p->lo[k] - p->lo[k] == 0, p->hi[k] - p->hi[k] == 0}, .rubs = p->f[k] > 0, .end = {p->lo[k], p->hi[k]}};
    for (int e = 0; e < ROW_PAIRS; e++) r.pair[e] = (pair_state){e < ROW_BACK ? scale : p->f[k], scale, 0, 0};
    return r;
}

static inline int row_moves(const row_state *r) { return r->has[0] || r->has[1] || r->rubs; }
static inline int row_has(const row_state *r, int e) { return e < ROW_BACK ? r->has[e] : r->rubs; }

static double row_impulse(const row_state *r) {
    double x = r->rubs ? 0.5 * (r->pair[ROW_AHEAD].x - r->pair[ROW_BACK].x) : 0; /* a: f + a less f - a, half of it */
    if (r->has[0]) x += r->pair[ROW_LOW].x;
    if (r->has[1]) x -= r->pair[ROW_HIGH].x;
    return x;
}

/* Largest product and their sum; returns how many. */
static int row_products(const row_state *r, double *sum) {
    int count = 0;
    for (int e = 0; e < ROW_PAIRS; e++)
        if (row_has(r, e)) *sum = __builtin_fma(r->pair[e].x, r->pair[e].z, *sum), count++;
    return count;
}

/* Targets at velocity w; `part` of what the slacks miss is to be made up. */
static void row_target(row_state *r, double w, double part, double sigma, double second) {
    const double sign[2] = {1, -1};
    r->sum = 0;
    for (int e = 0; e < 2; e++) { /* z = sign (w - end):  x dz + z dx = off,  dz = sign dw + miss */
        const pair_state *s = &r->pair[e];
        if (!r->has[e]) continue;
        const double miss = part * (sign[e] * (w - r->end[e]) - s->z);
        r->beta[e] = s->x / s->z;
        r->alpha[e] = (pair_off(s, sigma, second) - s->x * miss) / s->z;
        r->sum += r->beta[e];
    }
    if (!r->rubs) return;
    const pair_state *p = &r->pair[ROW_BACK], *q = &r->pair[ROW_AHEAD];
    /* dq - dp = dw + miss,  x_q dq + q da = off_q,  x_p dp - p da = off_p */
    const double miss = part * (w - q->z + p->z), inverse = q->z / q->x + p->z / p->x;
    r->beta[2] = 1 / inverse;
    r->alpha[2] = (pair_off(q, sigma, second) / q->x - pair_off(p, sigma, second) / p->x - miss) / inverse;
    r->sum += r->beta[2];
}

static inline double row_alpha(const row_state *r) {
    return (r->has[0] ? r->alpha[0] : 0) - (r->has[1] ? r->alpha[1] : 0) + (r->rubs ? r->alpha[2] : 0);
}

/* Steps of the pairs with that of the velocity. */
static void row_back(row_state *r, double w, double dw, double part, double sigma, double second) {
    const double sign[2] = {1, -1};
    for (int e = 0; e < 2; e++) {
        pair_state *s = &r->pair[e];
        if (!r->has[e]) continue;
        const double miss = part * (sign[e] * (w - r->end[e]) - s->z);
        s->dx = r->alpha[e] - sign[e] * r->beta[e] * dw;
        s->dz = sign[e] * dw + miss;
    }
    if (!r->rubs) return;
    pair_state *p = &r->pair[ROW_BACK], *q = &r->pair[ROW_AHEAD];
    const double da = r->alpha[2] - r->beta[2] * dw;
    const double off_q = pair_off(q, sigma, second), off_p = pair_off(p, sigma, second);
    q->dz = (off_q - q->z * da) / q->x, p->dz = (off_p + p->z * da) / p->x;
    q->dx = da, p->dx = -da;
}

static double row_step(const row_state *r) {
    double reach = __builtin_inf();
    for (int e = 0; e < ROW_PAIRS; e++)
        if (row_has(r, e)) reach = __builtin_fmin(reach, pair_step(&r->pair[e]));
    return reach;
}

static void row_move(row_state *r, double step) {
    for (int e = 0; e < ROW_PAIRS; e++)
        if (row_has(r, e)) pair_move(&r->pair[e], step);
}

#endif
