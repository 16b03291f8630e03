/* Anderson's mixing of the passes of variational.lane.h (Anderson 1965; Walker and Ni 2011): where a pass brings what is left down by
 * little, the next point is not where the last pass led but where the last few passes together say that the next ones would lead.
 *
 * A pass leads from u to g(u), f = g(u) - u. With the changes from pass to pass, dF and dG, of up to ANDERSON_DEPTH passes,
 *
 *     u+ = g - sum gamma_i dG_i,     gamma = argmin |f - sum gamma_i dF_i|
 *
 * in the norm of the kinetic energy. For a pass that is nearly linear this is GMRES: bodies that turn by half a radian in a step make M a
 * poor derivative, but in few directions. Each lane mixes its own passes. */
#ifndef MYR_MAXIMAL_MIXING_LANE_H
#define MYR_MAXIMAL_MIXING_LANE_H

#include "factor_products.lane.h"
#include "workspace.lane.h"

enum { ANDERSON_DEPTH = 4, MIX_FROM = 3 };

/* Rows of mw->anderson: f and g of the last pass; then their changes, the newest at `count` - 1 modulo ANDERSON_DEPTH; then what L makes of
 * f and of its changes. */
typedef struct mixing {
    vf *f, *g, *dF[ANDERSON_DEPTH], *dG[ANDERSON_DEPTH], *y, *dY[ANDERSON_DEPTH];
    int count; /* passes that have been seen */
} mixing;

static mixing mixing_open(const part *p) {
    const int nv = p->r->nv;
    vf *at = maximal_of(p)->anderson;
    mixing m = {.f = at, .g = at + nv, .y = at + 2 * nv};
    at += 3 * nv;
    for (int i = 0; i < ANDERSON_DEPTH; i++, at += 3 * nv) m.dF[i] = at, m.dG[i] = at + nv, m.dY[i] = at + 2 * nv;
    return m;
}

/* a . b over D of M = L^T D L. */
static inline vf mixing_dot(const part *p, const vf *a, const vf *b) {
    vf sum = vf_zero();
    for (int k = 0; k < p->r->nv; k++) sum = vf_fma(a[k] * b[k], vf_set(1) / p->w->dinv[k], sum);
    return sum;
}

/* gamma of n changes by Cholesky; a direction that is negligible beside the others gets 0. */
static void mixing_solve(vf A[ANDERSON_DEPTH][ANDERSON_DEPTH], vf b[ANDERSON_DEPTH], int n) {
    const vf least = vf_set(MYR_DOUBLE ? (real)1e-14 : (real)1e-6), zero = vf_zero(), one = vf_set(1);
    vf inverse[ANDERSON_DEPTH];
    for (int i = 0; i < n; i++) {
        vf pivot = A[i][i];
        for (int k = 0; k < i; k++) pivot = vf_fnma(A[i][k], A[i][k] * inverse[k], pivot);
        const vm good = vm_gt(pivot, least * A[i][i]);
        inverse[i] = vf_select(good, one / vf_select(good, pivot, one), zero);
        for (int j = i + 1; j < n; j++)
            for (int k = 0; k < i; k++) A[j][i] = vf_fnma(A[j][k], A[i][k] * inverse[k], A[j][i]);
        for (int k = 0; k < i; k++) b[i] = vf_fnma(A[i][k] * inverse[k], b[k], b[i]);
    }
    for (int i = 0; i < n; i++) b[i] = inverse[i] * b[i];
    for (int i = n - 1; i >= 0; i--)
        for (int k = i + 1; k < n; k++) b[i] = vf_fnma(A[k][i] * inverse[i], b[k], b[i]);
}

/* A pass in which no lane had one of M: they count too, else what a lane remembers would depend on its neighbours. */
static void mix_nothing(const part *p, mixing *m) {
    const int slot = m->count++ % ANDERSON_DEPTH;
    for (int k = 0; k < p->r->nv; k++) m->dF[slot][k] = m->dG[slot][k] = vf_zero();
}

/* A pass led from `from` to u; u becomes the point of the next one in the lanes `open`. Nothing is mixed before the third: most steps
 * need none. Returns whether it was. */
static int mix(const part *p, mixing *m, const vf *from, vm open, vf *u) {
    const int nv = p->r->nv, slot = m->count % ANDERSON_DEPTH;
    for (int k = 0; k < nv; k++) { /* the other lanes' pass was none: they remember their last */
        const vf now = u[k] - from[k], zero = vf_zero();
        m->dF[slot][k] = vf_select(open, now - m->f[k], zero), m->f[k] = vf_select(open, now, m->f[k]);
        m->dG[slot][k] = vf_select(open, u[k] - m->g[k], zero), m->g[k] = vf_select(open, u[k], m->g[k]);
    }
    m->count++;
    const int n = m->count - 1 < ANDERSON_DEPTH ? m->count - 1 : ANDERSON_DEPTH; /* the first has no change */
    if (m->count < MIX_FROM) return 0;
    factor_times(p, m->f, m->y);
    for (int i = 0; i < n; i++) factor_times(p, m->dF[(m->count - 1 - i) % ANDERSON_DEPTH], m->dY[(m->count - 1 - i) % ANDERSON_DEPTH]);
    vf A[ANDERSON_DEPTH][ANDERSON_DEPTH], gamma[ANDERSON_DEPTH];
    const vf *dG[ANDERSON_DEPTH];
    for (int i = 0; i < n; i++) {
        const int at = (m->count - 1 - i) % ANDERSON_DEPTH; /* newest first */
        gamma[i] = mixing_dot(p, m->dY[at], m->y);
        dG[i] = m->dG[at];
        for (int j = 0; j <= i; j++) A[i][j] = mixing_dot(p, m->dY[at], m->dY[(m->count - 1 - j) % ANDERSON_DEPTH]);
    }
    mixing_solve(A, gamma, n);
    for (int k = 0; k < nv; k++) {
        vf next = u[k];
        for (int i = 0; i < n; i++) next = vf_fnma(gamma[i], dG[i][k], next);
        u[k] = vf_select(vm_and(open, vm_finite(next)), next, u[k]);
    }
    return 1;
}

#endif
