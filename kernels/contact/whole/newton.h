/* Newton's method on a whole problem: a step of the semismooth method of Alart and Curnier (1991).
 *
 * x - w says of each contact what it does. One that opens has x = 0. One that closes has w_N = 0 and sticks, w_T = 0, or slides:
 * x_T = mu x_N e with e along x_T - w_T, of which the derivative is taken. A row is held at a velocity or has a known impulse. What has a
 * known impulse leaves the system; the rest is one dense linear system.
 *
 * Redundant contacts make it singular. So G has `ridge` on its diagonal, and the step is that of a proximal point: of the impulses that
 * the law allows, near the present ones. It moves no fixed point. Where the modes are right one step or two end the solve; where they go
 * round, the caller goes on with something slower. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_NEWTON_H
#define MYR_KERNELS_CONTACT_WHOLE_NEWTON_H

#include "whole.h"

static const double whole_ridge = 1e-4; /* of a diagonal of 1; 1e-3 and 1e-5 take a few more steps */

typedef struct whole_mode {
    int open, slides;
    double ex, ey, part; /* of a contact that slides: the direction; mu x_N over |x_T - w_T| */
} whole_mode;

static inline whole_mode whole_mode_of(const whole_problem *p, int i) {
    const double *x = p->x + 3 * i, *w = p->w + 3 * i, zx = x[0] - w[0], zy = x[1] - w[1], zn = x[2] - w[2];
    whole_mode mode = {.open = zn <= 0};
    const double reach = p->mu[i] * zn, length = whole_length(zx, zy);
    if (mode.open || length <= reach) return mode;
    mode.slides = 1;
    mode.ex = zx / length, mode.ey = zy / length, mode.part = reach / length;
    return mode;
}

/* A sliding contact's two tangential equations, in place of the rows of G at `row` and behind it. Of x_T - mu x_N e and of the derivative
 * of e only what is across e is left of G: part (I - e e') (G - I), and I - mu e n'. `own`: the column of its first number. */
static inline void whole_slide(const whole_mode *s, double mu, int stride, double *row, int own) {
    double *const next = row + stride, left = s->part * s->ey, right = s->part * s->ex;
    for (int j = 0; j < stride; j++) {
        const double across = __builtin_fma(left, row[j], -(right * next[j]));
        row[j] = s->ey * across, next[j] = -(s->ex * across);
    }
    row[own] += 1 - left * s->ey, next[own + 1] += 1 - right * s->ex;
    row[own + 1] += left * s->ex, next[own] += left * s->ex;
    row[own + 2] -= mu * s->ex, next[own + 2] -= mu * s->ey;
}

/* One step from p->x, p->w, into both; 0: there is none. */
static int whole_newton(whole_problem *p) {
    const int n = p->n, d = p->d;
    double *to = p->scratch[0], *w = p->scratch[1], *next = p->scratch[2];
    int *index = (int *)(void *)p->scratch[3], *at = index + d, free = 0;
    memcpy(next, p->x, (size_t)p->stride * sizeof *next);
    memcpy(w, p->w, (size_t)p->stride * sizeof *w);
    for (int i = 0; i < n; i++) {
        const int open = p->x[3 * i + 2] - p->w[3 * i + 2] <= 0;
        for (int a = 3 * i; a < 3 * i + 3; a++) {
            at[a] = open ? -1 : free;
            if (open)
                next[a] = 0;
            else
                index[free++] = a;
        }
    }
    for (int k = 0; k < p->m; k++) {
        const int i = 3 * n + k;
        int held;
        const double x = whole_row(p, k, p->x[i] - p->w[i], 1, &held, &to[i]);
        at[i] = held ? free : -1;
        if (held)
            index[free++] = i;
        else
            next[i] = x;
    }
    for (int j = 0; j < d; j++)
        if (next[j] != p->x[j]) dense_multiply(p->G + (size_t)j * (size_t)p->stride, p->stride, 1, &(double){next[j] - p->x[j]}, w);
    const int stride = whole_stride(free + 1); /* the right-hand side is the column behind the last */
    for (int i = 0; i < free; i++) {
        const double *from = p->G + (size_t)index[i] * (size_t)p->stride;
        double *row = p->matrix + (size_t)i * (size_t)stride;
        if (free == d)
            memcpy(row, from, (size_t)d * sizeof *row);
        else
            for (int j = 0; j < free; j++) row[j] = from[index[j]];
        for (int j = free; j < stride; j++) row[j] = 0;
        row[i] += whole_ridge;
        row[free] = index[i] < 3 * n ? -w[index[i]] : to[index[i]] - w[index[i]];
    }
    for (int i = 0; i < n; i++) {
        const int first = at[3 * i];
        const whole_mode s = whole_mode_of(p, i);
        if (first < 0 || !s.slides) continue;
        const double mu = p->mu[i], *x = p->x + 3 * i, sx = p->w[3 * i] - w[3 * i], sy = p->w[3 * i + 1] - w[3 * i + 1];
        double *row = p->matrix + (size_t)first * (size_t)stride;
        whole_slide(&s, mu, stride, row, first);
        const double along = s.part * __builtin_fma(s.ex, sx, s.ey * sy);
        row[free] = __builtin_fma(s.part, sx, -x[0]) + (mu * x[2] - along) * s.ex;
        row[stride + free] = __builtin_fma(s.part, sy, -x[1]) + (mu * x[2] - along) * s.ey;
    }
    double *step = p->scratch[0];
    if (!dense_solve(free, stride, p->matrix, step)) return 0;
    for (int i = 0; i < free; i++) next[index[i]] += step[i];
    for (int i = 0; i < n; i++) { /* into the cone, straight inwards */
        double *x = next + 3 * i;
        const double reach = p->mu[i] * x[2], length = whole_length(x[0], x[1]);
        const double part = !(x[2] > 0) ? 0 : length > reach ? reach / length : 1;
        x[0] *= part, x[1] *= part;
        if (!(x[2] > 0)) x[2] = 0;
    }
    memcpy(p->x, next, (size_t)p->stride * sizeof *next);
    whole_velocity(p);
    return 1;
}

#endif
