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

#include "kernels/contact/ridge.h"
#include "whole.h"

/* Where a contact that closes slides to: the direction; mu x_N over |x_T - w_T|. */
typedef struct whole_mode {
    int slides;
    double ex, ey, part;
} whole_mode;

static inline whole_mode whole_mode_of(const whole_problem *p, int i) {
    const double *x = p->x + 3 * i, *w = p->w + 3 * i, zx = x[0] - w[0], zy = x[1] - w[1];
    const double reach = p->mu[i] * (x[2] - w[2]), length = whole_length(zx, zy);
    if (length <= reach) return (whole_mode){0};
    return (whole_mode){1, zx / length, zy / length, reach / length};
}

/* A sliding contact's two tangential equations, in place of the rows of G at `row` and behind it. Of x_T - mu x_N e and of the derivative
 * of e only what is across e is left of G: part (I - e e') (G - I), and I - mu e n'. `own`: the column of its first number. */
static inline void whole_slide(const whole_mode *s, double mu, int stride, double *row, int own) {
    double *const next = row + stride, left = s->part * s->ey, right = s->part * s->ex;
    const vd by_left = vd_set(left), by_right = vd_set(-right), ex = vd_set(-s->ex), ey = vd_set(s->ey);
    for (int j = 0; j < stride; j += WIDE) {
        vd *a = (vd *)(void *)(row + j), *b = (vd *)(void *)(next + j);
        const vd across = vd_fma(by_left, *a, by_right * *b);
        *a = ey * across, *b = ex * across;
    }
    row[own] += 1 - left * s->ey, next[own + 1] += 1 - right * s->ex;
    row[own + 1] += left * s->ex, next[own] += left * s->ex;
    row[own + 2] -= mu * s->ex, next[own + 2] -= mu * s->ey;
}

/* What a step solves for: numbers whose impulse is not known. */
typedef struct newton_step {
    int free, stride, right; /* how many; of rows of `matrix`; column of the right-hand side */
    int *index, *at;         /* which number each is; where each number is, -1: it is known */
    unsigned char *unknown;  /* a bit for each number, eight to one of these: it is one of them */
    double *to;              /* velocities that rows are held at */
    double *next, *w;        /* impulses, as far as they are known, and the velocities with these */
} newton_step;

/* Opens and holds what x - w says. */
static newton_step newton_open(const whole_problem *p) {
    newton_step s = {.to = p->scratch[0], .w = p->scratch[1], .next = p->scratch[2], .index = (int *)(void *)p->scratch[3]};
    s.at = s.index + p->d;
    s.unknown = (unsigned char *)(void *)p->shares; /* its room: lu.h comes later */
    memset(s.unknown, 0, (size_t)p->stride / 8);
    memcpy(s.next, p->x, (size_t)p->stride * sizeof *s.next);
    memcpy(s.w, p->w, (size_t)p->stride * sizeof *s.w);
    for (int i = 0; i < p->d; i++) {
        const int contact = i < 3 * p->n, normal = i - i % 3 + 2;
        int unknown = 1;
        double x = 0;
        if (contact)
            unknown = !(p->x[normal] - p->w[normal] <= 0);
        else
            x = whole_row(p, i - 3 * p->n, p->x[i] - p->w[i], 1, &unknown, &s.to[i]);
        s.at[i] = unknown ? s.free : -1;
        s.unknown[i / 8] |= (unsigned char)(unknown << i % 8);
        if (unknown)
            s.index[s.free++] = i;
        else
            s.next[i] = x;
    }
    for (int j = 0; j < p->d; j++)
        if (s.next[j] != p->x[j]) dense_multiply(p->G + (size_t)j * (size_t)p->stride, p->stride, 1, &(double){s.next[j] - p->x[j]}, s.w);
    s.stride = lu_stride(s.free), s.right = lu_order(s.free);
    return s;
}

/* Of d numbers those that are unknown, closed up. Behind them come zeros, fewer than a register has: maybe into the next row. */
INLINE void newton_gather(const newton_step *s, int d, const double *from, double *to) {
#if MYR_VD_MASKS
    for (int j = 0; j < d; j += WIDE) {
        vd_compress(to, s->unknown[j / WIDE], *(const vd *)(const void *)(from + j));
        to += __builtin_popcount(s->unknown[j / WIDE]);
    }
#else
    (void)d;
    for (int j = 0; j < s->free; j++) to[j] = from[s->index[j]];
#endif
}

/* The system: rows of G with the ridge, and what sliding makes of them. */
static void newton_fill(whole_problem *p, const newton_step *s, double ridge) {
    const int n = p->n, free = s->free, stride = s->stride, *index = s->index;
    for (int i = 0; i < free; i++) {
        const double *from = p->G + (size_t)index[i] * (size_t)p->stride;
        double *row = p->matrix + (size_t)i * (size_t)stride;
        for (int j = 0; j < stride; j += WIDE) *(vd *)(void *)(row + j) = vd_set(0);
        newton_gather(s, p->d, from, row);
        row[i] += ridge;
        row[s->right] = index[i] < 3 * n ? -s->w[index[i]] : s->to[index[i]] - s->w[index[i]];
    }
    for (int i = 0; i < n; i++) {
        const int first = s->at[3 * i];
        if (first < 0) continue;
        const whole_mode mode = whole_mode_of(p, i);
        if (!mode.slides) continue;
        const double mu = p->mu[i], *x = p->x + 3 * i, sx = p->w[3 * i] - s->w[3 * i], sy = p->w[3 * i + 1] - s->w[3 * i + 1];
        double *row = p->matrix + (size_t)first * (size_t)stride;
        whole_slide(&mode, mu, stride, row, first);
        const double along = mode.part * __builtin_fma(mode.ex, sx, mode.ey * sy);
        row[s->right] = __builtin_fma(mode.part, sx, -x[0]) + (mu * x[2] - along) * mode.ex;
        row[stride + s->right] = __builtin_fma(mode.part, sy, -x[1]) + (mu * x[2] - along) * mode.ey;
    }
}

/* One step from p->x, p->w, into both; 0: there is none. The new impulses may lie outside of their cones: what a step makes of them is a
 * guess at the modes, and brought back to the cone it is a worse one. */
static int whole_newton(whole_problem *p, double ridge) {
    const newton_step s = newton_open(p);
    double *move = p->scratch[0];
    newton_fill(p, &s, ridge);
    if (!lu_solve(s.free, p->matrix, p->shares, move)) return 0;
    for (int i = 0; i < s.free; i++) s.next[s.index[i]] += move[i];
    memcpy(p->x, s.next, (size_t)p->stride * sizeof *s.next);
    whole_velocity(p);
    return 1;
}

#endif
