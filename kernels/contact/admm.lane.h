/* Proximal ADMM, the core of admm-ccp (Le Lidec 2024 Algorithm 3) and admm-ncp. With s = (0, 0, mu |gamma_T|) per contact where the
 * full law is wanted, else 0, and a proximal weight eta (0 in Algorithm 3),
 *     lambda <- (G + (eta + rho) I)^-1 (eta lambda + rho z - gamma - c - s)
 *     z      <- proj_K(lambda^ + gamma / rho),    lambda^ = alpha lambda + (1 - alpha) z  (over-relaxation)
 *     gamma  <- gamma + rho (lambda^ - z)
 * z is the answer: it lies in the cone, and -gamma is the velocity it is complementary to.
 *
 * rho starts at the geometric mean of the spectrum's ends and follows Le Lidec 2024 III-E: where one of the residuals lambda - z and rho (z
 * - z-), each by the size of what it compares, is more than `ratio` times the other, rho changes by kappa^power. Impulses and velocities
 * have different units, hence the sizes; rho is an inverse mass, as G. A lane whose rho stands still factors the same matrix to the same
 * bits when a neighbour's moves. */
#ifndef MYR_KERNELS_CONTACT_ADMM_LANE_H
#define MYR_KERNELS_CONTACT_ADMM_LANE_H

#include "cholesky.lane.h"
#include "cone.lane.h"
#include "kernels/math.lane.h"

/* Scratch: 12 n rows and a matrix, 9 n (n + 1) / 2. */
enum {
    ADMM_POWER_STEPS = 12,  /* for each end of the spectrum */
    ADMM_ADAPTIONS = 2000,  /* iterations in which rho may move: beyond, a fixed rho converges */
    ADMM_PATIENCE = 3000,   /* iterations without any progress that end as `stalled`; */
    ADMM_PATIENCE_END = 600 /* near rounding level */
};

typedef struct admm {
    vf *gamma, *last, *x, *rhs, *factor; /* 3 n each, then the factor; `last`: lambda of the iteration before */
    vf rho, inverse_rho, step, largest;  /* step: factor of rho; largest: eigenvalue, estimated */
    vf eta, shift;                       /* shift = eta + rho */
    vf alpha;
    int full; /* the full law: with s */
} admm;

static inline v3 admm_shift(const problem *p, const admm *a, int i, v3 gamma) {
    if (!a->full) return v3_zero();
    return (v3){vf_zero(), vf_zero(), p->mu[i] * vf_sqrt(vf_fma(gamma.x, gamma.x, gamma.y * gamma.y))};
}

/* x <- x / |x|; returns |x| */
static inline vf admm_normalize(vf *x, int m) {
    vf sum = vf_zero();
    for (int i = 0; i < m; i++) sum = vf_fma(x[i], x[i], sum);
    const vm some = vm_gt(sum, vf_zero());
    const vf length = vf_sqrt(sum), scale = vf_set(1) / vf_select(some, length, vf_set(1));
    for (int i = 0; i < m; i++) x[i] = x[i] * scale;
    return length;
}

/* Both ends of G's spectrum by power iteration, of G and of largest I - G. Where it starts depends on a lane's own contacts alone. */
static void admm_spectrum(const problem *p, const vf *G, vf *x, vf *y, vf *least, vf *largest) {
    const int m = 3 * p->n;
    const vf one = vf_set(1), zero = vf_zero();
    for (int end = 0; end < 2; end++) {
        const vf turn = vf_set((real)(end ? 0.7548776662466927 : 0.6180339887498949)); /* any sequence without a pattern */
        vf draw = vf_set((real)0.5), length = zero;
        for (int i = 0; i < m; i++) {
            const vm has = problem_has(p, i / 3);
            const vf next = draw + turn;
            draw = vf_select(has, next - vf_select(vm_ge(next, one), one, zero), draw);
            x[i] = vf_select(has, end ? draw - vf_set((real)0.5) : draw, zero);
        }
        admm_normalize(x, m);
        for (int step = 0; step < ADMM_POWER_STEPS; step++) {
            blocks_multiply(G, p->n, x, y);
            if (end)
                for (int i = 0; i < m; i++) y[i] = vf_fms(*largest, x[i], y[i]);
            length = admm_normalize(y, m);
            for (int i = 0; i < m; i++) x[i] = y[i];
        }
        if (!end)
            *largest = vf_set((real)1.05) * length; /* from below: a little more */
        else
            *least = *largest - length;
    }
    *largest = vf_select(vm_gt(*largest, zero), *largest, one);
}

static void admm_open(problem *p, const myr_solve_options *o, admm *a) {
    const int n = p->n;
    const vf zero = vf_zero();
    a->gamma = p->scratch, a->last = a->gamma + 3 * n, a->x = a->last + 3 * n, a->rhs = a->x + 3 * n, a->factor = a->rhs + 3 * n;
    a->alpha = vf_set((real)o->admm_relaxation);
    cholesky_load(p, zero, a->factor);
    for (int i = 0; i < n; i++) { /* rows that a lane lacks have no part in the spectrum */
        vf *D = cholesky_block(a->factor, i, i);
        UNROLL for (int e = 0; e < 9; e += 4) D[e] = vf_select(problem_has(p, i), D[e], zero);
    }
    vf least;
    admm_spectrum(p, a->factor, a->x, a->rhs, &least, &a->largest);
    least = vf_max(vf_set((real)1e-6) * a->largest, least);
    a->step = vf_exp(vf_set((real)o->admm_power) * vf_log(a->largest / least));
    a->rho = o->admm_rho > 0 ? vf_set((real)o->admm_rho) * a->largest : vf_sqrt(a->largest * least);
    a->eta = vf_set((real)o->admm_eta) * a->largest;
    for (int i = 0; i < n; i++) { /* gamma of the warm start: minus the velocity, so far as it is in the dual cone */
        const vm has = problem_has(p, i);
        const v3 z = v3_load(p->lambda + 3 * i);
        v3 w = v3_load(p->w + 3 * i);
        if (a->full) w.z = vf_fma(p->mu[i], vf_sqrt(vf_fma(w.x, w.x, w.y * w.y)), w.z);
        const v3 back = {-w.x, -w.y, -w.z}, gamma = v3_sub(back, cone_project(p->mu[i], back)); /* Moreau: in minus the dual cone */
        v3_store(a->last + 3 * i, z);
        v3_store(a->gamma + 3 * i, v3_select(has, gamma, v3_zero()));
    }
}

static void admm_factor(const problem *p, admm *a) {
    a->shift = a->eta + a->rho;
    a->inverse_rho = vf_set(1) / a->rho;
    cholesky_load(p, a->shift, a->factor);
    cholesky_factor(a->factor, p->n);
}

typedef struct admm_errors {
    vf primal, dual;             /* largest |lambda - z|, rho |z - z-| */
    vf impulse, velocity, check; /* sizes of what they compare; finite where everything is */
} admm_errors;

/* One iteration of the lanes that run. */
static admm_errors admm_iterate(problem *p, admm *a, vm running) {
    const vf zero = vf_zero(), one = vf_set(1);
    admm_errors e = {zero, zero, zero, zero, zero};
    for (int i = 0; i < p->n; i++) {
        const vm has = problem_has(p, i);
        const v3 gamma = v3_load(a->gamma + 3 * i), c = v3_add(v3_load(p->c + 3 * i), admm_shift(p, a, i, gamma));
        const v3 pull = v3_fma(a->eta, v3_load(a->last + 3 * i), v3_scale(a->rho, v3_load(p->lambda + 3 * i)));
        const v3 rhs = v3_select(has, v3_sub(v3_sub(pull, gamma), c), v3_zero());
        v3_store(a->rhs + 3 * i, rhs);
        v3_store(a->x + 3 * i, rhs);
    }
    cholesky_solve(a->factor, p->n, a->x);
    for (int i = 0; i < p->n; i++) {
        const vm mine = vm_and(running, problem_has(p, i));
        const v3 l = v3_load(a->x + 3 * i), z = v3_load(p->lambda + 3 * i), gamma = v3_load(a->gamma + 3 * i);
        const v3 hat = v3_fma(a->alpha, l, v3_scale(one - a->alpha, z));
        const v3 next = cone_project(p->mu[i], v3_fma(a->inverse_rho, gamma, hat)), error = v3_sub(l, next), moved = v3_sub(next, z);
        const v3 push = v3_fma(a->rho, v3_sub(hat, next), gamma), last = v3_load(a->last + 3 * i);
        const v3 G_l = v3_sub(v3_load(a->rhs + 3 * i), v3_scale(a->shift, l));
        v3_store(p->lambda + 3 * i, v3_select(mine, next, z));
        v3_store(a->gamma + 3 * i, v3_select(mine, push, gamma));
        v3_store(a->last + 3 * i, v3_select(mine, l, last));
        e.check = e.check + vf_select(mine, (l.x + l.y + l.z) + (push.x + push.y + push.z), zero);
        e.primal = vf_max(e.primal, vf_select(mine, v3_size(error), zero));
        e.dual = vf_max(e.dual, vf_select(mine, vf_max(a->rho * v3_size(moved), a->eta * v3_size(v3_sub(l, last))), zero));
        e.impulse = vf_max(e.impulse, vf_select(mine, vf_max(v3_size(l), v3_size(next)), zero));
        e.velocity = vf_max(e.velocity, vf_select(mine, vf_max(v3_size(push), vf_max(v3_size(G_l), v3_size(v3_load(p->c + 3 * i)))), zero));
    }
    return e;
}

/* rho of the lanes where one residual is out of proportion; returns those in which it changed. */
static vm admm_adapt(admm *a, const admm_errors *e, vf ratio, vm running) {
    const vf primal = e->primal * e->velocity, dual = e->dual * e->impulse;
    const vf low = vf_set((real)1e-6) * a->largest, high = vf_set((real)1e4) * a->largest;
    vf rho = vf_select(vm_gt(primal, ratio * dual), a->rho * a->step, a->rho);
    rho = vf_select(vm_gt(dual, ratio * primal), a->rho / a->step, rho);
    rho = vf_max(low, vf_min(high, rho));
    const vm changed = vm_andnot(running, vm_eq(rho, a->rho));
    a->rho = vf_select(changed, rho, a->rho);
    return changed;
}

static void admm_solve(problem *p, const myr_solve_options *o, myr_law law) {
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1), ratio = vf_set((real)o->admm_ratio);
    const vf nearly = bound + bound, rounding = vf_set((real)(1e4 * MYR_EPSILON));
    vf iterations = zero, best_primal = vf_set((real)__builtin_inf()), best_dual = best_primal, since = zero, wait = zero;
    vm running = vm_none(), stalled = vm_none();
    for (int i = 0; i < p->n; i++) {
        running = vm_or(running, problem_has(p, i));
        v3_store(p->lambda + 3 * i, v3_select(problem_has(p, i), cone_project(p->mu[i], v3_load(p->lambda + 3 * i)), v3_zero()));
    }
    problem_velocity(p);
    law_measure(p, law);
    running = vm_andnot(running, vm_le(p->residual, bound));
    if (vm_any(running)) {
        admm a = {.full = law == MYR_LAW_NCP};
        vm changed = running;
        admm_open(p, o, &a);
        for (int k = 0; k < o->max_sweeps && vm_any(running); k++) {
            if (vm_any(changed)) admm_factor(p, &a);
            const admm_errors e = admm_iterate(p, &a, running);
            p->lanes_run += VN;
            p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(running));
            iterations = vf_select(running, iterations + one, iterations);
            wait = wait - one;
            const vm close = vm_and(vm_le(e.dual, nearly), vm_le(e.primal * a.largest, nearly));
            const vm look = vm_and(vm_and(running, close), vm_le(wait, zero));
            if (vm_any(look)) {
                problem_velocity(p);
                law_measure(p, law);
                running = vm_andnot(running, vm_and(look, vm_le(p->residual, bound)));
                wait = vf_select(look, vf_set(4), wait);
            }
            const vm some = vm_and(vm_gt(e.impulse, zero), vm_gt(e.velocity, zero));
            const vf primal = e.primal / vf_select(some, e.impulse, one), dual = e.dual / vf_select(some, e.velocity, one);
            const vf less = vf_set((real)0.9);
            const vm better_primal = vm_lt(primal, less * best_primal), better_dual = vm_lt(dual, less * best_dual);
            const vm better = vm_or(better_primal, better_dual);
            best_primal = vf_select(better_primal, primal, best_primal);
            best_dual = vf_select(better_dual, dual, best_dual);
            since = vf_select(better, zero, since + one);
            const vf patience =
                vf_select(vm_lt(vf_max(best_primal, best_dual), rounding), vf_set(ADMM_PATIENCE_END), vf_set(ADMM_PATIENCE));
            const vm ended = vm_and(running, vm_or(vm_gt(since, patience), vm_not(vm_finite(e.check))));
            stalled = vm_or(stalled, ended);
            running = vm_andnot(running, ended);
            changed = k < ADMM_ADAPTIONS ? admm_adapt(&a, &e, ratio, running) : vm_none();
        }
    }
    problem_velocity(p);
    law_finish(p, bound, stalled, iterations, law);
}

#endif
