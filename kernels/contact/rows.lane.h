/* Scalar rows: a joint's position limits and dry friction in one law, a staircase between its velocity w and its impulse lambda.
 *
 *     lo < w < hi, w != 0:  lambda = -f sign(w)            w = lo:  lambda >= its value just inside
 *     w = 0 inside:         |lambda| <= f                  w = hi:  lambda <= its value just inside
 *
 * Limits alone have f = 0; friction alone has lo = -inf, hi = inf; with lo = hi the joint is locked. The staircase is monotone, so with a
 * penalty rho > 0 one point of it obeys lambda - w / rho = y:
 *
 *     lambda = clamp(y, -f, f), w = rho (lambda - y);   where that leaves [lo, hi]: w at that end, lambda = y + w / rho
 *
 * With rho = G_kk and y = lambda - w / G_kk this solves the row exactly for the impulses that the others have; with any other rho it is
 * the proximal step of ADMM, of prox and of Newton. */
#ifndef MYR_KERNELS_CONTACT_ROWS_LANE_H
#define MYR_KERNELS_CONTACT_ROWS_LANE_H

#include "problem.lane.h"

/* The row's three numbers in a lane. */
typedef struct stairs {
    vf f, lo, hi;
} stairs;

static inline stairs row_stairs(const problem *p, int k) { return (stairs){p->rows.f[k], p->rows.lo[k], p->rows.hi[k]}; }

/* The point of the staircase with lambda - w / rho = y: its lambda. inverse: 1 / rho. */
static inline vf row_project(stairs s, vf y, vf rho, vf inverse) {
    const vf held = vf_max(-s.f, vf_min(s.f, y)), w = rho * (held - y);
    const vf below = vf_select(vm_lt(w, s.lo), vf_fma(s.lo, inverse, y), held);
    return vf_select(vm_gt(w, s.hi), vf_fma(s.hi, inverse, y), below);
}

/* The nearest impulse that some velocity allows. */
static inline vf row_reach(stairs s, vf l) {
    const vf far = vf_set((real)__builtin_inf());
    const vf most = vf_select(vm_finite(s.lo), far, s.f), least = vf_select(vm_finite(s.hi), -far, -s.f);
    return vf_max(least, vf_min(most, l));
}

/* How far (lambda, w) is from the staircase, in the larger of |d lambda| and |d w|: the nearest of its five pieces, each along an axis. */
static inline vf row_distance(stairs s, vf l, vf w) {
    const vf zero = vf_zero(), none = vf_set((real)__builtin_inf());
    const vm negative = vm_lt(s.lo, zero), positive = vm_gt(s.hi, zero);
    const vf at_lo = vf_select(negative, s.f, -s.f), at_hi = vf_select(positive, -s.f, s.f);
    const vf out = vf_max(vf_max(s.lo - w, w - s.hi), zero); /* of [lo, hi] */
    const vf lower = vf_max(vf_abs(w - s.lo), vf_max(at_lo - l, zero)), upper = vf_max(vf_abs(w - s.hi), vf_max(l - at_hi, zero));
    const vf back = vf_max(vf_max(out, w), vf_abs(l - s.f)), ahead = vf_max(vf_max(out, -w), vf_abs(l + s.f));
    const vf still = vf_max(vf_abs(w), vf_max(vf_abs(l) - s.f, zero));
    const vm holds = vm_and(vm_le(s.lo, zero), vm_ge(s.hi, zero));
    vf nearest = vf_min(lower, upper);
    nearest = vf_min(nearest, vf_select(negative, back, none));
    nearest = vf_min(nearest, vf_select(positive, ahead, none));
    return vf_min(nearest, vf_select(holds, still, none));
}

/* The impulse that solves a row for the impulses that the others have: `old` and w are its own now, g is what it moves itself by. What
 * nothing can move has friction against its velocity, and no more. */
static inline vf row_alone(stairs s, vf old, vf w, vf g) {
    const vf zero = vf_zero(), one = vf_set(1);
    const vm moves = vm_gt(g, zero);
    const vf inverse = one / vf_select(moves, g, one), y = vf_fnma(w, inverse, old);
    const vf idle = vf_select(vm_gt(w, zero), -s.f, vf_select(vm_lt(w, zero), s.f, old));
    return vf_select(moves, row_project(s, y, g, inverse), idle);
}

/* One visit of every row in the lanes that run: rows that obey within `inner` are left alone, the others solved exactly and taken by
 * `alpha` of the way. Adds to the lanes in which a row was wrong, and to those in which an impulse moved. */
static inline void rows_sweep(problem *p, vm running, vf alpha, vf inner, vm *wrong, vm *moved) {
    for (int k = 0; k < p->rows.n; k++) {
        const stairs s = row_stairs(p, k);
        const vf old = p->rows.lambda[k], w = p->rows.w[k], g = problem_row_G(p, k)[3 * p->n + k];
        const vm todo = vm_andnot(vm_and(running, problem_has_row(p, k)), vm_le(row_distance(s, old, w), inner));
        if (!vm_any(todo)) continue;
        const vf best = row_alone(s, old, w, g);
        const vf now = vf_select(todo, vf_fma(alpha, best - old, old), old), change = now - old;
        p->rows.lambda[k] = now;
        problem_add_row_impulse(p, k, change);
        *wrong = vm_or(*wrong, todo);
        *moved = vm_or(*moved, vm_gt(vf_abs(change), vf_set((real)(2 * MYR_EPSILON)) * vf_abs(now)));
    }
}

/* Lanes of `running` in which a row is farther from its law than `bound`. */
static inline vm rows_wrong(const problem *p, vm running, vf bound) {
    vm wrong = vm_none();
    for (int k = 0; k < p->rows.n; k++) {
        const vm good = vm_le(row_distance(row_stairs(p, k), p->rows.lambda[k], p->rows.w[k]), bound); /* false for NaN */
        wrong = vm_or(wrong, vm_andnot(vm_and(running, problem_has_row(p, k)), good));
    }
    return wrong;
}

#endif
