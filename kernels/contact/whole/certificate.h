/* Proof that a whole problem has no solution: impulses that cost nothing and would stop what cannot be stopped.
 *
 * Let y >= 0 on some normals and, on rows, point the way that a limit pushes, with G y = 0. Whatever the impulses are, y.w = y.c then. But
 * the law asks w_N >= 0 of each of these normals and the limit's velocity of each of these rows, and so y.w >= y.b, b the limits. Where y.c
 * < y.b nothing obeys (Farkas). A slider that its limit pulls through the floor is such a problem. ADMM finds y: what no impulse can settle
 * makes its impulses grow for ever, and their growth, rid of its tangents, is y. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_CERTIFICATE_H
#define MYR_KERNELS_CONTACT_WHOLE_CERTIFICATE_H

#include "admm.h"

static int whole_unsolvable(whole_problem *p, const whole_admm *a) {
    double *y = p->scratch[0], *Gy = p->scratch[1], most = 0, cost = 0, apart = 0, size = 0;
    memset(y, 0, (size_t)p->stride * sizeof *y);
    memset(Gy, 0, (size_t)p->stride * sizeof *Gy);
    for (int i = 2; i < 3 * p->n; i += 3) y[i] = whole_most(a->x[i] - a->last[i], 0);
    for (int k = 0; k < p->m; k++) {
        const int i = 3 * p->n + k;
        const double grows = a->x[i] - a->last[i], at = grows > 0 ? p->lo[k] : p->hi[k];
        y[i] = at - at == 0 ? grows : 0; /* no limit there: no impulse beyond the friction's */
    }
    for (int i = 0; i < p->d; i++) most = whole_most(most, __builtin_fabs(y[i]));
    if (!(most > 0)) return 0;
    for (int i = 0; i < p->d; i++) y[i] = y[i] > -1e-6 * most && y[i] < 1e-6 * most ? 0 : y[i] / most;
    dense_multiply(p->G, p->stride, p->d, y, Gy);
    for (int i = 0; i < p->d; i++) {
        const int row = i - 3 * p->n;
        const double bound = row < 0 || y[i] == 0 ? 0 : y[i] > 0 ? p->lo[row] : p->hi[row];
        cost = whole_most(cost, __builtin_fabs(Gy[i]));
        apart = __builtin_fma(y[i], p->c[i] - bound, apart);
        size += __builtin_fabs(y[i]) * whole_most(__builtin_fabs(p->c[i]), __builtin_fabs(bound));
    }
    return cost < 1e-6 && apart < -1e-3 * size;
}

#endif
