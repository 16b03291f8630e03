/* A lane's problem out of its lanes, and its answer back. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_TAKE_H
#define MYR_KERNELS_CONTACT_WHOLE_TAKE_H

#include "whole.h"

static inline double lane_of(const vf *row, int lane) { return (double)((const real *)(const void *)row)[lane]; }
static inline void lane_put(vf *row, int lane, double value) { ((real *)(void *)row)[lane] = (real)value; }

/* to_j = scale_j scale g_j for the first `count` rows of an index list; 0 from there to the stride. The list is read by eights, up to
 * seven behind its end. Each number lies in a line of memory of its own: taken one by one, most of the time goes into waiting for them. */
static inline void take_row(const whole_problem *q, const vf *from, const int *index, int count, double scale, int lane, double *to) {
#if MYR_VD_MASKS
    for (int j = 0; j < q->stride; j += WIDE) {
        const int left = count - j;
        const unsigned mask = left >= WIDE ? 0xff : left > 0 ? (1u << left) - 1u : 0;
        vd numbers = vd_set(0);
        if (mask) numbers = vd_gather(from, index + j, mask, lane) * (vd_set(scale) * *(const vd *)(const void *)(q->scale + j));
        *(vd *)(void *)(to + j) = numbers;
    }
#else
    for (int j = 0; j < count; j++) to[j] = lane_of(from + index[j], lane) * (scale * q->scale[j]);
    for (int j = count; j < q->stride; j++) to[j] = 0;
#endif
}

/* The upper half of G from the lower. */
#if MYR_VD_MASKS
static void take_mirror(whole_problem *q) {
    const size_t stride = (size_t)q->stride;
    for (int i = 0; i < q->d; i += 8)
        for (int j = i; j < q->stride; j += 8) { /* rows from j on, columns from i on, to rows i and columns j */
            vd block[8];
            UNROLL for (int k = 0; k < 8; k++) block[k] =
                j + k < q->d ? *(const vd *)(const void *)(q->G + (size_t)(j + k) * stride + i) : vd_set(0);
            vd_turn(block);
            for (int k = 0; k < 8 && i + k < q->d; k++) {
                vd *to = (vd *)(void *)(q->G + (size_t)(i + k) * stride + j);
                *to = j > i ? block[k] : vd_keep((2u << k) - 1u, *to, block[k]);
            }
        }
}
#else
static void take_mirror(whole_problem *q) {
    for (int i = 0; i < q->d; i++)
        for (int j = 0; j < i; j++) q->G[(size_t)j * (size_t)q->stride + (size_t)i] = q->G[(size_t)i * (size_t)q->stride + (size_t)j];
}
#endif

/* G by rows, as far as the lanes' problem has them: contact i of that has 9 numbers for each contact up to i, a joint row 3 for each
 * contact, then its own. */
static void take_matrix(whole_problem *q, const problem *p, int lane) {
    int *const contact = (int *)(void *)q->scratch[0], contacts = 3 * q->n; /* where in a contact's rows each number's column is */
    for (int j = 0; j < contacts; j++) contact[j] = 9 * (q->place[j] / 3) + q->place[j] % 3;
    for (int i = 0; i < q->d; i++) {
        double *to = q->G + (size_t)i * (size_t)q->stride;
        const int place = q->place[i];
        if (i < contacts)
            take_row(q, problem_block(p, place / 3, 0) + 3 * (place % 3), contact, i - i % 3 + 3, q->scale[i], lane, to);
        else
            take_row(q, problem_row_G(p, place - 3 * p->n), q->place, i + 1, q->scale[i], lane, to);
    }
    take_mirror(q);
}

/* The lane's problem, with the impulses that it has. */
static void whole_take(whole_problem *q, const problem *p, int lane, void *memory) {
    int n = 0, m = 0, at = 0;
    for (int i = 0; i < p->n; i++) n += lane_of(p->active + i, lane) > 0;
    for (int k = 0; k < p->rows.n; k++) m += lane_of(p->rows.active + k, lane) > 0;
    whole_open(q, n, m, memory);
    for (int i = 0; i < p->n; i++) {
        if (!(lane_of(p->active + i, lane) > 0)) continue;
        double trace = 0;
        for (int a = 0; a < 3; a++) trace += lane_of(problem_block(p, i, i) + 4 * a, lane);
        const double root = trace > 0 ? __builtin_sqrt(trace / 3) : 1;
        q->mu[at / 3] = lane_of(p->mu + i, lane);
        for (int a = 3 * i; a < 3 * i + 3; a++, at++) {
            q->place[at] = a, q->root[at] = root, q->scale[at] = 1 / root;
            q->c[at] = lane_of(p->c + a, lane) / root;
            q->x[at] = lane_of(p->lambda + a, lane) * root;
        }
    }
    const scalar_rows *r = &p->rows;
    for (int k = 0; k < r->n; k++) {
        if (!(lane_of(r->active + k, lane) > 0)) continue;
        const int own = at - 3 * n;
        const double g = lane_of(problem_row_G(p, k) + 3 * p->n + k, lane), root = g > 0 ? __builtin_sqrt(g) : 1;
        q->place[at] = 3 * p->n + k, q->root[at] = root, q->scale[at] = 1 / root;
        q->f[own] = lane_of(r->f + k, lane) * root;
        q->lo[own] = lane_of(r->lo + k, lane) / root, q->hi[own] = lane_of(r->hi + k, lane) / root;
        q->c[at] = lane_of(r->c + k, lane) / root;
        q->x[at] = lane_of(r->lambda + k, lane) * root;
        at++;
    }
    take_matrix(q, p, lane);
}

/* Impulses back to the lane, and the velocities that go with what its precision holds of them. */
static void whole_give(whole_problem *q, problem *p, int lane) {
    const int first = 3 * p->n;
    for (int i = 0; i < q->d; i++) {
        vf *to = q->place[i] < first ? p->lambda + q->place[i] : p->rows.lambda + (q->place[i] - first);
        lane_put(to, lane, q->x[i] / q->root[i]);
        q->x[i] = lane_of(to, lane) * q->root[i];
    }
    whole_velocity(q);
    for (int i = 0; i < q->d; i++) {
        vf *to = q->place[i] < first ? p->w + q->place[i] : p->rows.w + (q->place[i] - first);
        lane_put(to, lane, q->w[i] * q->root[i] + 0.0); /* no -0, as problem_velocity leaves none */
    }
}

#endif
