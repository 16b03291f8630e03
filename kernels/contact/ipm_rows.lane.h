/* Scalar rows in an interior point (ipm.lane.h). The staircase of rows.lane.h is a sum of three monotone laws, lambda = a + b - c:
 *     friction     -f <= a <= f:  w = y - z,   0 <= z _|_ f - a >= 0,   0 <= y _|_ f + a >= 0
 *     lower limit  0 <= b _|_ w - lo >= 0
 *     upper limit  0 <= c _|_ hi - w >= 0
 * Each pair is held at sigma, and each law gives way by d lambda = -K dw. Side by side the K add up, and P is the inverse of their sum.
 * A joint whose limits are nearer to each other than the tolerance is locked: w = (lo + hi) / 2, whatever that takes. */
#ifndef MYR_KERNELS_CONTACT_IPM_ROWS_LANE_H
#define MYR_KERNELS_CONTACT_IPM_ROWS_LANE_H

#include "ipm.lane.h"

enum { ROW_A, ROW_Z, ROW_Y, ROW_B, ROW_LO, ROW_C, ROW_HI, ROW_STEPS, ROW_RZ = 2 * ROW_STEPS, ROW_RY, ROW_RB, ROW_RC };

/* One row: its place in vectors, its laws, and where it has none of them numbers that divide without harm. */
typedef struct ipm_row {
    int at;
    stairs s;
    vm has, locked, rubs, lower, upper;
    vf *q, scale, rub_scale, less, more; /* f - a, f + a */
    vf lo, hi;
} ipm_row;

static inline ipm_row ipm_row_of(const ipm *a, int k) {
    const problem *p = a->p;
    const vf one = vf_set(1), zero = vf_zero();
    ipm_row r = {.at = 3 * p->n + k, .s = row_stairs(p, k), .has = problem_has_row(p, k), .q = a->rows + IPM_ROW * k};
    r.locked = vm_and(r.has, vm_le(r.s.hi - r.s.lo, a->bound));
    const vm free = vm_andnot(r.has, r.locked);
    r.rubs = vm_and(free, vm_gt(r.s.f, zero)), r.lower = vm_and(free, vm_finite(r.s.lo)), r.upper = vm_and(free, vm_finite(r.s.hi));
    r.scale = a->speed * a->speed / a->mobility[r.at], r.rub_scale = vf_select(r.rubs, a->speed * r.s.f, one);
    r.less = vf_select(r.rubs, r.s.f - r.q[ROW_A], one), r.more = vf_select(r.rubs, r.s.f + r.q[ROW_A], one);
    r.lo = vf_select(r.lower, r.s.lo, zero), r.hi = vf_select(r.upper, r.s.hi, zero);
    return r;
}
static inline vf *ipm_row_local(const ipm *a, int at) { return ipm_local(a, at / 3) + 4 * (at % 3); }

/* Impulses from the warm start. A limit that is far away gets little. */
static inline void ipm_rows_start(ipm *a, vm todo, vf delta) {
    const vf zero = vf_zero(), one = vf_set(1), most = vf_set((real)0.9), near = delta * a->speed;
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        const vf l = a->p->rows.lambda[k], w = a->p->rows.w[k], push = near / a->mobility[r.at];
        const vf rub = vf_select(r.rubs, vf_max(-most * r.s.f, vf_min(most * r.s.f, l)), zero), rest = l - rub;
        const vf below = vf_max(w - r.lo, zero) + near, above = vf_max(r.hi - w, zero) + near;
        const vf b = vf_max(rest, zero) + push * vf_min(one, near / below), c = vf_max(-rest, zero) + push * vf_min(one, near / above);
        for (int e = 0; e < IPM_ROW; e++) ipm_put(&r.q[e], todo, zero);
        ipm_put(&r.q[ROW_A], todo, rub);
        ipm_put(&r.q[ROW_B], todo, vf_select(r.lower, b, zero));
        ipm_put(&r.q[ROW_C], todo, vf_select(r.upper, c, zero));
        ipm_put(&a->x[r.at], todo, vf_select(r.locked, l, r.q[ROW_A] + r.q[ROW_B] - r.q[ROW_C]));
    }
}

static inline void ipm_rows_begin(ipm *a, vm todo, vf delta) {
    const vf zero = vf_zero(), near = delta * a->speed;
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        const vf w = a->w[r.at];
        ipm_put(&r.q[ROW_Z], todo, vf_max(-w, zero) + near);
        ipm_put(&r.q[ROW_Y], todo, vf_max(w, zero) + near);
        ipm_put(&r.q[ROW_LO], todo, vf_max(w - r.lo, zero) + near);
        ipm_put(&r.q[ROW_HI], todo, vf_max(r.hi - w, zero) + near);
    }
}

/* How far friction gives way. */
static inline vf ipm_row_rub(const ipm_row *r) {
    const vf stiff = r->q[ROW_Z] / r->less + r->q[ROW_Y] / r->more;
    return vf_select(r->rubs, vf_set(1) / vf_select(r->rubs, stiff, vf_set(1)), vf_zero());
}
static inline vf ipm_row_way(const ipm_row *r) {
    const vf zero = vf_zero();
    const vf b = vf_select(r->lower, r->q[ROW_B] / r->q[ROW_LO], zero), c = vf_select(r->upper, r->q[ROW_C] / r->q[ROW_HI], zero);
    return ipm_row_rub(r) + b + c;
}

static inline void ipm_rows_open(ipm *a) {
    const vf zero = vf_zero(), one = vf_set(1);
    for (int i = a->p->n; i < a->blocks; i++) ipm_clear(ipm_local(a, i), 9);
    for (int i = 3 * a->p->n; i < 3 * a->blocks; i++) a->keep[i] = one, a->u[i] = zero;
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        const vf way = ipm_row_way(&r), inverse = one / vf_select(vm_gt(way, zero), way, one);
        const vm alone = vm_andnot(vm_andnot(r.has, r.locked), vm_gt(way, zero)); /* nothing there that pushes */
        a->keep[r.at] = vf_select(alone, zero, one);
        *ipm_row_local(a, r.at) = vf_select(alone, a->mobility[r.at], vf_select(vm_andnot(r.has, r.locked), inverse, zero));
    }
}

static inline void ipm_rows_pairs(ipm *a, vf step, ipm_pairs *t) {
    const vf one = vf_set(1);
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        vf now[ROW_STEPS];
        for (int e = 0; e < ROW_STEPS; e++) now[e] = vf_fma(step, r.q[ROW_STEPS + e], r.q[e]);
        ipm_pair(t, r.rubs, now[ROW_Z] * (r.s.f - now[ROW_A]), one / r.rub_scale, a->sigma);
        ipm_pair(t, r.rubs, now[ROW_Y] * (r.s.f + now[ROW_A]), one / r.rub_scale, a->sigma);
        ipm_pair(t, r.lower, now[ROW_B] * now[ROW_LO], one / r.scale, a->sigma);
        ipm_pair(t, r.upper, now[ROW_C] * now[ROW_HI], one / r.scale, a->sigma);
    }
}

/* What the linear equations of the row's velocity leave: friction, lower, upper. */
static inline v3 ipm_row_gaps(const ipm *a, const ipm_row *r) {
    const vf w = a->w[r->at];
    return (v3){w - (r->q[ROW_Y] - r->q[ROW_Z]), r->q[ROW_LO] - (w - r->lo), r->q[ROW_HI] - (r->hi - w)};
}

static inline void ipm_rows_right(ipm *a) {
    const vf zero = vf_zero(), half = vf_set((real)0.5);
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        const vf *d = r.q + ROW_STEPS, rub = a->sigma * r.rub_scale, limit = a->sigma * r.scale;
        const v3 gap = ipm_row_gaps(a, &r);
        const vm second = a->second;
        r.q[ROW_RZ] = rub - r.q[ROW_Z] * r.less + vf_select(second, d[ROW_A] * d[ROW_Z], zero);
        r.q[ROW_RY] = rub - r.q[ROW_Y] * r.more - vf_select(second, d[ROW_A] * d[ROW_Y], zero);
        r.q[ROW_RB] = limit - r.q[ROW_B] * r.q[ROW_LO] - vf_select(second, d[ROW_B] * d[ROW_LO], zero);
        r.q[ROW_RC] = limit - r.q[ROW_C] * r.q[ROW_HI] - vf_select(second, d[ROW_C] * d[ROW_HI], zero);
        const vf rubs = vf_select(r.rubs, ipm_row_rub(&r) * (r.q[ROW_RY] / r.more - r.q[ROW_RZ] / r.less - gap.x), zero);
        const vf b = vf_select(r.lower, vf_fma(r.q[ROW_B], gap.y, r.q[ROW_RB]) / r.q[ROW_LO], zero);
        const vf c = vf_select(r.upper, vf_fma(r.q[ROW_C], gap.z, r.q[ROW_RC]) / r.q[ROW_HI], zero);
        const vf off = a->x[r.at] - (r.q[ROW_A] + r.q[ROW_B] - r.q[ROW_C]); /* by rounding */
        const vf free = (rubs + b - c - off) * *ipm_row_local(a, r.at), locked = half * (r.s.lo + r.s.hi) - a->w[r.at];
        a->u[r.at] = vf_select(r.locked, locked, vf_select(vm_gt(a->keep[r.at], zero), free, zero));
    }
}

static inline vf ipm_rows_back(ipm *a, vf reach) {
    const vf zero = vf_zero(), one = vf_set(1);
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        const v3 gap = ipm_row_gaps(a, &r);
        const vf dw = a->dw[r.at], *q = r.q;
        vf *d = r.q + ROW_STEPS;
        d[ROW_A] = vf_select(r.rubs, ipm_row_rub(&r) * (q[ROW_RY] / r.more - q[ROW_RZ] / r.less - gap.x - dw), zero);
        d[ROW_Z] = vf_select(r.rubs, vf_fma(q[ROW_Z], d[ROW_A], q[ROW_RZ]) / r.less, zero);
        d[ROW_Y] = vf_select(r.rubs, vf_fnma(q[ROW_Y], d[ROW_A], q[ROW_RY]) / r.more, zero);
        d[ROW_LO] = vf_select(r.lower, dw - gap.y, zero);
        d[ROW_B] = vf_select(r.lower, vf_fnma(q[ROW_B], d[ROW_LO], q[ROW_RB]) / q[ROW_LO], zero);
        d[ROW_HI] = vf_select(r.upper, -dw - gap.z, zero);
        d[ROW_C] = vf_select(r.upper, vf_fnma(q[ROW_C], d[ROW_HI], q[ROW_RC]) / q[ROW_HI], zero);
        reach = ipm_reach(reach, r.less, -d[ROW_A]);
        reach = ipm_reach(reach, r.more, d[ROW_A]);
        reach = ipm_reach(reach, vf_select(r.rubs, q[ROW_Z], one), d[ROW_Z]);
        reach = ipm_reach(reach, vf_select(r.rubs, q[ROW_Y], one), d[ROW_Y]);
        for (int e = ROW_B; e <= ROW_HI; e++) reach = ipm_reach(reach, vf_select(e < ROW_C ? r.lower : r.upper, q[e], one), d[e]);
    }
    return reach;
}

static inline void ipm_rows_move(ipm *a, vm todo, vf step) {
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        for (int e = 0; e < ROW_STEPS; e++) ipm_put(&r.q[e], todo, vf_fma(step, r.q[ROW_STEPS + e], r.q[e]));
        ipm_put(&a->x[r.at], vm_and(todo, r.has), vf_fma(step, a->dx[r.at], a->x[r.at]));
    }
}

/* Which piece of the staircase the row is on, by impulse and velocity together: 1 where that is one of the two with a known impulse. */
static inline vm ipm_row_piece(stairs s, vf l, vf w, vf g, vf *impulse, vf *velocity) {
    const vf y = l - w / g, held = vf_max(-s.f, vf_min(s.f, y)), v = g * (held - y);
    const vm below = vm_lt(v, s.lo), above = vm_gt(v, s.hi);
    *impulse = held;
    *velocity = vf_select(below, s.lo, vf_select(above, s.hi, vf_zero()));
    return vm_not(vm_or(vm_or(below, above), vm_lt(vf_abs(y), s.f)));
}

/* Of the lanes `todo`, the answer that x stands for. */
static inline void ipm_rows_answer(ipm *a, vm todo) {
    const vf zero = vf_zero();
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        vf impulse, velocity;
        const vm flat = ipm_row_piece(r.s, a->x[r.at], a->w[r.at], a->mobility[r.at], &impulse, &velocity);
        const vf l = row_reach(r.s, vf_select(flat, impulse, a->x[r.at])) + zero;
        ipm_put(&a->p->rows.lambda[k], vm_and(todo, r.has), l);
    }
}

static inline void ipm_rows_active(ipm *a) {
    const vf zero = vf_zero(), one = vf_set(1);
    for (int i = a->p->n; i < a->blocks; i++) ipm_clear(ipm_local(a, i), 9);
    for (int i = 3 * a->p->n; i < 3 * a->blocks; i++) a->keep[i] = one, a->u[i] = zero;
    for (int k = 0; k < a->p->rows.n; k++) {
        const ipm_row r = ipm_row_of(a, k);
        const vf l = a->p->rows.lambda[k], w = a->p->rows.w[k], g = a->mobility[r.at];
        vf impulse, velocity;
        const vm flat = vm_and(r.has, ipm_row_piece(r.s, l, w, g, &impulse, &velocity));
        a->keep[r.at] = vf_select(flat, zero, one);
        *ipm_row_local(a, r.at) = vf_select(flat, g, zero);
        a->u[r.at] = vf_select(flat, g * (impulse - l), vf_select(r.has, velocity - w, zero));
    }
}

#endif
