/* bisection-paper: Algorithms 1 and 2 of Hwangbo et al. 2018 (000) as they are printed, with the hybrid gradient (15)-(16),
 * except that the sight test of Algorithm 1, line 13, has the sign that works: a point is visible where
 * grad h2 . (lambda - lambda_v0) < 0. beta_1, beta_2, beta_3 are not given in the paper; they are settings. Kept for
 * comparison: `bisection` solves the same model faster.
 *
 * Where mu appears in a denominator of (14), numerator and denominator are multiplied by it, so that mu = 0 is a case like any. */
#if defined(MYR_SOLVER)
MYR_SOLVER(BISECTION_PAPER, "bisection-paper", solve_bisection_paper, DISSIPATION, 10000, 0)
#elif !defined(MYR_KERNELS_CONTACT_BISECTION_PAPER_LANE_H)
#define MYR_KERNELS_CONTACT_BISECTION_PAPER_LANE_H

#include "bisection.lane.h"
#include "kernels/math.lane.h"

/* What Algorithm 1 needs of one contact. */
typedef struct {
    vf mu, mu2, gx, gy, gzz, cz; /* third row of G_ii, normal part of c' */
    vf xx, xy, yx, yy, bx, by;   /* Gbar and cbar, tangential rows; the normal row is zero */
    v3 stop;                     /* lambda_v0 */
} slip_paper;

typedef struct {
    v3 lambda;
    vf r;
} slip_point;

/* lambda(theta) by (14) and (13). */
static inline slip_point paper_point(const slip_paper *s, vf theta) {
    vf sine, cosine;
    vf_sincos(theta, &sine, &cosine);
    const vf r = -(s->mu * s->cz) / vf_fma(s->mu, vf_fma(s->gx, cosine, s->gy * sine), s->gzz);
    const vf x = r * cosine, y = r * sine;
    return (slip_point){{x, y, -vf_fma(s->gx, x, vf_fma(s->gy, y, s->cz)) / s->gzz}, r};
}

/* dE/dlambda . eta by the hybrid form, eta not normalized. */
static inline vf paper_gradient(const slip_paper *s, v3 l) {
    const vf ex = -vf_fma(s->gy * s->mu2, l.z, s->gzz * l.y), ey = vf_fma(s->gx * s->mu2, l.z, s->gzz * l.x);
    const vf wx = vf_fma(s->xx, l.x, vf_fma(s->xy, l.y, s->bx)), wy = vf_fma(s->yx, l.x, vf_fma(s->yy, l.y, s->by));
    return vf_fma(wx, ex, wy * ey);
}

static inline vm paper_in_sight(const slip_paper *s, slip_point p) {
    const v3 d = v3_sub(p.lambda, s->stop);
    const vf slope = vf_fma(p.lambda.x, d.x, vf_fnma(s->mu2 * p.lambda.z, d.z, p.lambda.y * d.y));
    return vm_and(vm_le(slope, vf_zero()), vm_ge(p.r, vf_zero()));
}

/* Algorithm 1 for the lanes of `todo`. */
static v3 slip_solve_paper(const problem *p, int i, v3 c, v3 stop, vm todo, const myr_solve_options *o) {
    enum { MOST_STEPS = 200, MOST_HALVINGS = 100 };
    const vf zero = vf_zero(), half = vf_set((real)0.5);
    const vf *g = problem_block(p, i, i);
    const vf ax = g[2] / g[8], ay = g[5] / g[8];
    const slip_paper s = {p->mu[i],
                          p->mu[i] * p->mu[i],
                          g[2],
                          g[5],
                          g[8],
                          c.z,
                          vf_fnma(g[2], ax, g[0]),
                          vf_fnma(g[2], ay, g[1]),
                          vf_fnma(g[5], ax, g[3]),
                          vf_fnma(g[5], ay, g[4]),
                          vf_fnma(ax, c.z, c.x),
                          vf_fnma(ay, c.z, c.y),
                          stop};
    vf theta = vf_atan2(stop.y, stop.x), before = theta;
    slip_point here = paper_point(&s, theta), past = here;
    const vf first = paper_gradient(&s, here.lambda);
    vf step = vf_set((real)o->beta1);
    step = vf_select(vm_gt(first, zero), -step, step);
    vm stepping = vm_andnot(todo, vm_eq(first, zero));
    for (int k = 0; k < MOST_STEPS && vm_any(stepping); k++) { /* lines 7 to 23 */
        const vf next = theta + step;
        const slip_point there = paper_point(&s, next);
        const vm seen = paper_in_sight(&s, there);
        const vm crossed = vm_and(seen, vm_le(paper_gradient(&s, there.lambda) * first, zero));
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
        const vm same = vm_gt(paper_gradient(&s, at.lambda) * first, zero);
        const vm low = vm_and(halving, same), high = vm_andnot(halving, same);
        before = vf_select(low, middle, before);
        past.lambda = v3_select(low, at.lambda, past.lambda);
        theta = vf_select(high, middle, theta);
        here.lambda = v3_select(high, at.lambda, here.lambda);
    }
    return here.lambda;
}

/* Algorithm 2: relaxed sweeps over all contacts until the law holds. */
static void solve_bisection_paper(problem *p, const myr_solve_options *o) {
    single_prepare(p);
    problem_velocity(p);
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1);
    vf iterations = zero;
    vm running = vm_none(), stalled = vm_none();
    for (int i = 0; i < p->n; i++) running = vm_or(running, problem_has(p, i));
    real alpha = (real)o->alpha;
    for (int sweep = 0; sweep < o->max_sweeps && vm_any(running); sweep++) {
        vm wrong = vm_none(), moved = vm_none();
        for (int i = 0; i < p->n; i++) {
            const vm todo = vm_and(running, problem_has(p, i));
            if (!vm_any(todo)) continue;
            const v3 old = v3_load(p->lambda + 3 * i), c = single_free_velocity(p, i), stop = single_stop(p, i);
            vm open, slip;
            single_modes(p->mu[i], c, stop, &open, &slip);
            v3 best = v3_select(open, v3_zero(), stop);
            slip = vm_and(slip, todo);
            if (vm_any(slip)) best = v3_select(slip, slip_solve_paper(p, i, c, stop, slip, o), best);
            const v3 relaxed = v3_fma(vf_set(alpha), best, v3_scale(vf_set(1 - alpha), old)), now = v3_select(todo, relaxed, old);
            const v3 change = v3_sub(now, old);
            v3_store(p->lambda + 3 * i, now);
            problem_push(p, i, change);
            moved = vm_or(moved, vm_gt(v3_dot(change, change), vf_set((real)(4 * MYR_EPSILON * MYR_EPSILON)) * v3_dot(now, now)));
        }
        for (int i = 0; i < p->n; i++) {
            const vm good = law_obeyed(p, i, v3_load(p->lambda + 3 * i), v3_load(p->w + 3 * i), bound * vf_set((real)0.5));
            wrong = vm_or(wrong, vm_andnot(vm_and(running, problem_has(p, i)), good));
        }
        p->lanes_run += VN;
        p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(running));
        iterations = vf_select(running, iterations + one, iterations);
        stalled = vm_or(stalled, vm_and(running, vm_andnot(wrong, moved)));
        running = vm_and(running, vm_and(wrong, moved));
        alpha = (real)o->alpha_min + (real)o->gamma * (alpha - (real)o->alpha_min);
    }
    law_finish(p, bound, stalled, iterations, MYR_LAW_DISSIPATION);
}

#endif
