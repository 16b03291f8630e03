/* bisection-paper: Algorithms 1 and 2 of Hwangbo 2018 as they are printed, with the hybrid gradient (15)-(16),
 * except that the sight test of Algorithm 1, line 13, has the sign that works: a point is visible where
 * grad h2 . (lambda - lambda_v0) < 0. beta_1, beta_2, beta_3 are not given in the paper; they are settings. Kept for
 * comparison: `bisection` solves the same model faster.
 *
 * Where mu appears in a denominator of (14), numerator and denominator are multiplied by it, so that mu = 0 is a case like any. */
#if defined(MYR_SOLVER)
MYR_SOLVER(BISECTION_PAPER, "bisection-paper", solve_bisection_paper, DISSIPATION, 10000, 0)
#elif !defined(MYR_KERNELS_CONTACT_BISECTION_PAPER_LANE_H)
#define MYR_KERNELS_CONTACT_BISECTION_PAPER_LANE_H

#include "block_sweeps.lane.h"
#include "kernels/math.lane.h"

typedef struct {
    v3 lambda;
    vf r;
} slip_point;

/* lambda(theta) by (14) and (13), which on the cone is lambda_z = r / mu. */
static inline slip_point paper_point(const slip_conic *s, vf theta) {
    vf sine, cosine;
    vf_sincos(theta, &sine, &cosine);
    const vf z = -(s->cz / vf_fma(s->mu, vf_fma(s->gx, cosine, s->gy * sine), s->gzz)), r = s->mu * z;
    return (slip_point){{r * cosine, r * sine, z}, r};
}

/* dE/dlambda . eta by the hybrid form, eta not normalized. */
static inline vf paper_gradient(const slip_conic *s, v3 l) {
    const vf ex = -vf_fma(s->gy * s->mu2, l.z, s->gzz * l.y), ey = vf_fma(s->gx * s->mu2, l.z, s->gzz * l.x);
    const vf wx = vf_fma(s->xx, l.x, vf_fma(s->xy, l.y, s->bx)), wy = vf_fma(s->yx, l.x, vf_fma(s->yy, l.y, s->by));
    return vf_fma(wx, ex, wy * ey);
}

static inline vm paper_in_sight(const slip_conic *s, slip_point at) {
    const v3 d = v3_sub(at.lambda, s->stop);
    const vf slope = vf_fma(at.lambda.x, d.x, vf_fnma(s->mu2 * at.lambda.z, d.z, at.lambda.y * d.y));
    return vm_and(vm_le(slope, vf_zero()), vm_ge(at.r, vf_zero()));
}

/* Algorithm 1 for the lanes of `todo`. */
static v3 slip_solve_paper(const problem *p, int i, v3 c, v3 stop, vm todo, const myr_solve_options *o) {
    enum { MOST_STEPS = 200, MOST_HALVINGS = 100 };
    const vf zero = vf_zero(), half = vf_set((real)0.5);
    slip_conic s = slip_conic_of(p, i, c, stop);
    vf theta = vf_atan2(stop.y, stop.x), before = theta;
    slip_point here = paper_point(&s, theta), past = here;
    const vf first = paper_gradient(&s, here.lambda);
    vf step = vf_set((real)o->beta1);
    step = vf_select(vm_gt(first, zero), -step, step);
    vm stepping = vm_andnot(todo, vm_eq(first, zero));
    /* from here on the gradient is taken with the sign that it has at first: a product less in each step's chain */
    const vf sign = vf_select(vm_lt(first, zero), vf_set(-1), vf_set(1));
    s.xx = sign * s.xx, s.xy = sign * s.xy, s.yx = sign * s.yx, s.yy = sign * s.yy, s.bx = sign * s.bx, s.by = sign * s.by;
    for (int k = 0; k < MOST_STEPS && vm_any(stepping); k++) { /* lines 7 to 23 */
        const vf next = theta + step;
        const slip_point there = paper_point(&s, next);
        const vm seen = paper_in_sight(&s, there);
        const vm crossed = vm_and(seen, vm_le(paper_gradient(&s, there.lambda), zero));
        const vm forward = vm_and(stepping, seen);
        before = vf_select(forward, theta, before);
        past.lambda = v3_select(forward, here.lambda, past.lambda);
        theta = vf_select(forward, next, theta);
        here.lambda = v3_select(forward, there.lambda, here.lambda);
        step = vf_select(seen, vf_set((real)o->beta3) * step, vf_set((real)o->beta2) * step);
        stepping = vm_andnot(stepping, crossed);
        /* below rounding, or further than half a turn: there is no sign to be found, and doubling on would end in infinity */
        const vf size = vf_abs(step);
        stepping = vm_and(stepping, vm_and(vm_gt(size, vf_set((real)MYR_EPSILON)), vm_lt(size, vf_set((real)3.2))));
    }
    vm halving = todo;
    const vf rounding = vf_set((real)(4 * MYR_EPSILON)), width = vf_set((real)o->slip_tolerance);
    for (int k = 0; k < MOST_HALVINGS; k++) { /* lines 24 to 33 */
        const v3 gap = v3_sub(past.lambda, here.lambda);
        const vf size = vf_abs(here.lambda.x) + vf_abs(here.lambda.y) + vf_abs(here.lambda.z);
        halving = vm_and(halving, vm_gt(vf_sqrt(v3_dot(gap, gap)), vf_fma(rounding, size, width)));
        if (!vm_any(halving)) break;
        const vf middle = half * (theta + before);
        const slip_point at = paper_point(&s, middle);
        const vm same = vm_gt(paper_gradient(&s, at.lambda), zero);
        const vm low = vm_and(halving, same), high = vm_andnot(halving, same);
        before = vf_select(low, middle, before);
        past.lambda = v3_select(low, at.lambda, past.lambda);
        theta = vf_select(high, middle, theta);
        here.lambda = v3_select(high, at.lambda, here.lambda);
    }
    return here.lambda;
}

static void solve_bisection_paper(problem *p, const myr_solve_options *o) { block_sweeps(p, o, slip_solve_paper); }

#endif
