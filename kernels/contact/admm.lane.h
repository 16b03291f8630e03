/* Proximal ADMM, the core of admm-ccp (Le Lidec 2024 Algorithm 3) and admm-ncp. With D the contacts' mobilities, tr G_ii / 3 per contact,
 * s = (0, 0, mu |gamma_T|) per contact where the full law is wanted, else 0, and a proximal weight eta (0 in Algorithm 3),
 *     lambda <- (G + (eta + rho) D)^-1 (eta D lambda + rho D z - gamma - c - s)
 *     z      <- proj_K(lambda^ + (rho D)^-1 gamma),   lambda^ = alpha lambda + (1 - alpha) z  (over-relaxation)
 *     gamma  <- gamma + rho D (lambda^ - z)
 * z is the answer: it lies in the cone, and -gamma is the velocity it is complementary to. Algorithm 3 has D = I: where masses are
 * unequal one rho is then too large for the heavy bodies or too small for the light ones, and in float G + rho I has lost the former.
 * A scalar row's z is the point of its staircase at penalty rho D. D is one number per contact or row, so that it leaves cones as they are.
 * It measures impulses by D^1/2 and velocities by D^-1/2, and rho, eta and the spectrum, which is that of D^-1/2 G D^-1/2, are without
 * units.
 *
 * rho starts at the geometric mean of the spectrum's ends. As in Le Lidec 2024 III-E it changes where one of the residuals lambda - z and
 * rho D (z - z-), each by the size of what it compares, is more than `ratio` times the other, but at once by as many steps of
 * kappa^power as balance them, and after 10, 15, 22, .. iterations only: between changes it rests, longer each time, and with a fixed
 * rho the convex iteration converges whatever rho is. A lane whose rho stands still factors the same matrix to the same bits when a
 * neighbour's moves. */
#ifndef MYR_KERNELS_CONTACT_ADMM_LANE_H
#define MYR_KERNELS_CONTACT_ADMM_LANE_H

#include "cholesky.lane.h"
#include "cone.lane.h"
#include "kernels/math.lane.h"
#include "packed_rows.lane.h"
#include "whole/convex.h"
#include "whole/take.h"

/* Scratch for b blocks: 21 b, and a matrix, 9 b (b + 1) / 2. */
enum {
    ADMM_POWER_STEPS = 12,             /* for each end of the spectrum */
    ADMM_FIRST = 10,                   /* iterations before rho may move; then each time half as many again, */
    ADMM_ADAPTIONS = 50000,            /* up to here */
    ADMM_PATIENCE = 1000,              /* iterations without progress after which the full law, which may go round in circles, */
    ADMM_TRIES = 4,                    /* goes on with a tenth of rho, so many times, and then ends; */
    ADMM_PATIENCE_REST = 600,          /* and either law where all that moves is rounding: */
    ADMM_ROUNDING = 32,                /* both residuals below so many roundings of what they compare, */
    ADMM_ATTAINED = 4,                 /* or the law's below so many of the sum G lambda + c, which is looked at */
    ADMM_LOOK = 64,                    /* every so many iterations */
    ADMM_LONG = MYR_DOUBLE ? 300 : 500 /* iterations after which the convex law is finished by an interior point, a lane by itself */
};

typedef struct admm {
    vf *gamma, *last, *x, *rhs;         /* 3 for each block; `last`: lambda of the iteration before */
    vf *metric, *factor;                /* D, D^1/2, D^-1/2 of each contact, then of each row; the matrix */
    vf rho, inverse_rho, step, largest; /* step: logarithm of a step of rho; largest: eigenvalue, estimated */
    vf eta, shift;                      /* shift = eta + rho */
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

/* D, D^1/2 and D^-1/2 of every contact. One that nothing can move has no scale of its own. */
static void admm_metric(const problem *p, admm *a) {
    const vf zero = vf_zero(), one = vf_set(1), third = vf_set((real)(1.0 / 3));
    for (int i = 0; i < p->n; i++) {
        const vf *g = problem_block(p, i, i);
        const vf mean = third * (g[0] + g[4] + g[8]);
        const vf D = vf_select(vm_and(problem_has(p, i), vm_gt(mean, zero)), mean, one), root = vf_sqrt(D);
        v3_store(a->metric + 3 * i, (v3){D, root, one / root});
    }
    for (int k = 0; k < p->rows.n; k++) {
        const vf own = problem_row_G(p, k)[3 * p->n + k];
        const vf D = vf_select(vm_and(problem_has_row(p, k), vm_gt(own, zero)), own, one), root = vf_sqrt(D);
        v3_store(a->metric + 3 * (p->n + k), (v3){D, root, one / root});
    }
}

/* D^-1/2 of a component, 0 where the lane lacks it. */
static inline vf admm_component(const problem *p, const admm *a, int i) {
    const int k = i - 3 * p->n, at = k < 0 ? i / 3 : p->n + k;
    return k < p->rows.n ? vf_select(blocks_has(p, i), a->metric[3 * at + 2], vf_zero()) : vf_zero();
}

/* A <- D^-1/2 A D^-1/2, and 0 in the rows that a lane lacks, which have no part in the spectrum */
static void admm_scale(const problem *p, const admm *a, vf *A) {
    for (int i = 0; i < p->n; i++) {
        const vf mine = vf_select(problem_has(p, i), a->metric[3 * i + 2], vf_zero());
        for (int k = 0; k <= i; k++, A += 9) {
            const vf both = mine * a->metric[3 * k + 2];
            UNROLL for (int e = 0; e < 9; e++) A[e] = A[e] * both;
        }
    }
    for (int i = p->n; i < blocks_count(p); i++)
        for (int k = 0; k <= i; k++, A += 9)
            for (int e = 0; e < 9; e++) A[e] = A[e] * (admm_component(p, a, 3 * i + e / 3) * admm_component(p, a, 3 * k + e % 3));
}

/* Both ends of the spectrum of what is in G by power iteration, of it and of largest I - it. Where it starts depends on a lane's own
 * contacts alone. */
static void admm_spectrum(const problem *p, const vf *G, vf *x, vf *y, vf *least, vf *largest) {
    const int m = 3 * blocks_count(p);
    const vf one = vf_set(1), zero = vf_zero();
    for (int end = 0; end < 2; end++) {
        const vf turn = vf_set((real)(end ? 0.7548776662466927 : 0.6180339887498949)); /* any sequence without a pattern */
        vf draw = vf_set((real)0.5), length = zero;
        for (int i = 0; i < m; i++) {
            const vm has = blocks_has(p, i);
            const vf next = draw + turn;
            draw = vf_select(has, next - vf_select(vm_ge(next, one), one, zero), draw);
            x[i] = vf_select(has, end ? draw - vf_set((real)0.5) : draw, zero);
        }
        admm_normalize(x, m);
        for (int step = 0; step < ADMM_POWER_STEPS; step++) {
            blocks_multiply(G, blocks_count(p), x, y);
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

static void admm_open(problem *p, const myr_solve_options *o, admm *a, vf *memory) {
    const int n = p->n, blocks = blocks_count(p);
    a->gamma = memory, a->last = a->gamma + 3 * blocks, a->x = a->last + 3 * blocks, a->rhs = a->x + 3 * blocks;
    a->metric = a->rhs + 3 * blocks, a->factor = a->metric + 9 * blocks;
    a->alpha = vf_set((real)o->admm_relaxation);
    admm_metric(p, a);
    cholesky_load(p, vf_zero(), a->factor);
    admm_scale(p, a, a->factor);
    vf least;
    admm_spectrum(p, a->factor, a->x, a->rhs, &least, &a->largest);
    least = vf_max(vf_set((real)1e-6) * a->largest, least);
    a->step = vf_set((real)o->admm_power) * vf_log(a->largest / least);
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
    for (int k = 0; k < 3 * (blocks - n); k++) a->rhs[3 * n + k] = a->x[3 * n + k] = vf_zero();
    for (int k = 0; k < p->rows.n; k++) {
        const vf w = vf_max(p->rows.lo[k], vf_min(p->rows.hi[k], p->rows.w[k]));
        a->last[3 * n + k] = p->rows.lambda[k];
        a->gamma[3 * n + k] = vf_select(problem_has_row(p, k), -w, vf_zero());
    }
}

static void admm_factor(const problem *p, admm *a) {
    a->shift = a->eta + a->rho;
    a->inverse_rho = vf_set(1) / a->rho;
    cholesky_load(p, vf_zero(), a->factor);
    for (int i = 0; i < p->n; i++) {
        vf *A = cholesky_block(a->factor, i, i);
        const vf mine = vf_select(problem_has(p, i), a->shift * a->metric[3 * i], vf_zero());
        UNROLL for (int e = 0; e < 9; e += 4) A[e] = A[e] + mine;
    }
    for (int k = 0; k < p->rows.n; k++) {
        const int i = p->n + k / 3;
        vf *own = cholesky_block(a->factor, i, i) + 4 * (k % 3);
        *own = *own + vf_select(problem_has_row(p, k), a->shift * a->metric[3 * (p->n + k)], vf_zero());
    }
    cholesky_factor(a->factor, blocks_count(p));
}

static inline v3 v3_abs(v3 a) { return (v3){vf_abs(a.x), vf_abs(a.y), vf_abs(a.z)}; }

typedef struct admm_errors {
    vf primal, dual;             /* largest D^1/2 |lambda - z|, D^-1/2 rho D |z - z-| */
    vf impulse, velocity, check; /* sizes of what they compare; finite where everything is */
    vf miss, slip;               /* both residuals as velocities [m/s]: largest D |lambda - z|, rho D |z - z-| */
} admm_errors;

/* Right-hand side of the rows. */
static void admm_rows_open(const problem *p, const admm *a) {
    for (int k = 0; k < p->rows.n; k++) {
        const int at = 3 * p->n + k;
        const vf near = vf_fma(a->eta, a->last[at], a->rho * p->rows.lambda[k]), pull = a->metric[3 * (p->n + k)] * near;
        a->x[at] = a->rhs[at] = vf_select(problem_has_row(p, k), pull - a->gamma[at] - p->rows.c[k], vf_zero());
    }
}

/* What an iteration does to the rows, and to the errors. */
static void admm_rows(problem *p, admm *a, vm running, admm_errors *e) {
    const vf zero = vf_zero(), one = vf_set(1);
    for (int k = 0; k < p->rows.n; k++) {
        const int at = 3 * p->n + k;
        const vm mine = vm_and(running, problem_has_row(p, k));
        const v3 metric = v3_load(a->metric + 3 * (p->n + k));
        const vf D = metric.x, root = metric.y, inverse = metric.z, weight = a->rho * D, soft = a->inverse_rho * (inverse * inverse);
        const vf l = a->x[at], z = p->rows.lambda[k], gamma = a->gamma[at], last = a->last[at];
        const vf hat = vf_fma(a->alpha, l, (one - a->alpha) * z),
                 next = row_project(row_stairs(p, k), vf_fma(soft, gamma, hat), weight, soft);
        const vf push = vf_fma(weight, hat - next, gamma), G_l = a->rhs[at] - a->shift * D * l;
        p->rows.lambda[k] = vf_select(mine, next, z);
        a->gamma[at] = vf_select(mine, push, gamma);
        a->last[at] = vf_select(mine, l, last);
        e->check = e->check + vf_select(mine, l + push, zero);
        const vf off = root * vf_abs(l - next), slip = root * vf_max(a->rho * vf_abs(next - z), a->eta * vf_abs(l - last));
        const vf speed = inverse * vf_max(vf_abs(push), vf_max(vf_abs(G_l), vf_abs(p->rows.c[k])));
        e->primal = vf_max(e->primal, vf_select(mine, off, zero));
        e->dual = vf_max(e->dual, vf_select(mine, slip, zero));
        e->miss = vf_max(e->miss, vf_select(mine, root * off, zero));
        e->slip = vf_max(e->slip, vf_select(mine, root * slip, zero));
        e->impulse = vf_max(e->impulse, vf_select(mine, root * vf_max(vf_abs(l), vf_abs(next)), zero));
        e->velocity = vf_max(e->velocity, vf_select(mine, speed, zero));
    }
}

/* One iteration of the lanes that run. */
static admm_errors admm_iterate(problem *p, admm *a, vm running) {
    const vf zero = vf_zero(), one = vf_set(1);
    admm_errors e = {zero, zero, zero, zero, zero, zero, zero};
    for (int i = 0; i < p->n; i++) {
        const vm has = problem_has(p, i);
        const v3 gamma = v3_load(a->gamma + 3 * i), c = v3_add(v3_load(p->c + 3 * i), admm_shift(p, a, i, gamma));
        const v3 near = v3_fma(a->eta, v3_load(a->last + 3 * i), v3_scale(a->rho, v3_load(p->lambda + 3 * i)));
        const v3 pull = v3_scale(a->metric[3 * i], near);
        const v3 rhs = v3_select(has, v3_sub(v3_sub(pull, gamma), c), v3_zero());
        v3_store(a->rhs + 3 * i, rhs);
        v3_store(a->x + 3 * i, rhs);
    }
    admm_rows_open(p, a);
    cholesky_solve(a->factor, blocks_count(p), a->x);
    for (int i = 0; i < p->n; i++) {
        const vm mine = vm_and(running, problem_has(p, i));
        const vf D = a->metric[3 * i], root = a->metric[3 * i + 1], inverse = a->metric[3 * i + 2];
        const v3 l = v3_load(a->x + 3 * i), z = v3_load(p->lambda + 3 * i), gamma = v3_load(a->gamma + 3 * i);
        const v3 hat = v3_fma(a->alpha, l, v3_scale(one - a->alpha, z));
        const v3 next = cone_project(p->mu[i], v3_fma(a->inverse_rho * (inverse * inverse), gamma, hat)), error = v3_sub(l, next),
                 moved = v3_sub(next, z);
        const v3 push = v3_fma(a->rho * D, v3_sub(hat, next), gamma), last = v3_load(a->last + 3 * i);
        const v3 G_l = v3_sub(v3_load(a->rhs + 3 * i), v3_scale(a->shift * D, l));
        v3_store(p->lambda + 3 * i, v3_select(mine, next, z));
        v3_store(a->gamma + 3 * i, v3_select(mine, push, gamma));
        v3_store(a->last + 3 * i, v3_select(mine, l, last));
        e.check = e.check + vf_select(mine, (l.x + l.y + l.z) + (push.x + push.y + push.z), zero);
        const vf off = root * v3_size(error), slip = root * vf_max(a->rho * v3_size(moved), a->eta * v3_size(v3_sub(l, last)));
        const vf speed = inverse * vf_max(v3_size(push), vf_max(v3_size(G_l), v3_size(v3_load(p->c + 3 * i))));
        e.primal = vf_max(e.primal, vf_select(mine, off, zero));
        e.dual = vf_max(e.dual, vf_select(mine, slip, zero));
        e.miss = vf_max(e.miss, vf_select(mine, root * off, zero));
        e.slip = vf_max(e.slip, vf_select(mine, root * slip, zero));
        e.impulse = vf_max(e.impulse, vf_select(mine, root * vf_max(v3_size(l), v3_size(next)), zero));
        e.velocity = vf_max(e.velocity, vf_select(mine, speed, zero));
    }
    admm_rows(p, a, running, &e);
    return e;
}

/* rho of the lanes where one residual is out of proportion; returns those in which it changed. rho D (z - z-) grows with rho and
 * lambda - z falls, so that the root of their ratio is the change that balances them. */
static vm admm_adapt(admm *a, const admm_errors *e, vf ratio, vm running) {
    const vf tiny = vf_set((real)1e-30), most = vf_set((real)4.605170185988091), zero = vf_zero(); /* at once by 100 at most */
    const vf primal = vf_max(e->primal * e->velocity, tiny), dual = vf_max(e->dual * e->impulse, tiny);
    const vf low = vf_set((real)1e-6) * a->largest, high = vf_set((real)1e4) * a->largest;
    const vm apart = vm_and(vm_or(vm_gt(primal, ratio * dual), vm_gt(dual, ratio * primal)), vm_gt(a->step, zero));
    const vf wanted = vf_max(-most, vf_min(most, vf_set((real)0.5) * vf_log(primal / dual)));
    const vf steps = vf_whole(wanted / vf_select(apart, a->step, vf_set(1)));
    const vf rho = vf_max(low, vf_min(high, a->rho * vf_exp(steps * a->step)));
    const vm changed = vm_and(vm_and(running, apart), vm_not(vm_eq(rho, a->rho)));
    a->rho = vf_select(changed, rho, a->rho);
    return changed;
}

/* The lanes whose residual is no more than rounding makes of w = G lambda + c, whose terms may cancel. Overwrites a->x. */
static vm admm_attained(problem *p, const admm *a, myr_law law) {
    const vf zero = vf_zero();
    vf terms = zero;
    for (int i = 0; i < p->n; i++) {
        const v3 mine = v3_abs(v3_load(p->lambda + 3 * i));
        v3 sum = v3_abs(v3_load(p->c + 3 * i));
        for (int k = 0; k <= i; k++) {
            vf g[9];
            UNROLL for (int e = 0; e < 9; e++) g[e] = vf_abs(problem_block(p, i, k)[e]);
            sum = m3_mul_add(g, v3_abs(v3_load(p->lambda + 3 * k)), sum);
            if (k < i) v3_store(a->x + 3 * k, m3_mul_t_add(g, mine, v3_load(a->x + 3 * k)));
        }
        v3_store(a->x + 3 * i, sum);
    }
    for (int k = 0; k < p->rows.n; k++) { /* G's lower rows, each for itself and for what lies before it */
        const vf *g = problem_row_G(p, k), mine = vf_abs(p->rows.lambda[k]);
        vf sum = vf_abs(p->rows.c[k]);
        for (int i = 0; i < 3 * p->n; i++) {
            sum = vf_fma(vf_abs(g[i]), vf_abs(p->lambda[i]), sum);
            a->x[i] = vf_fma(vf_abs(g[i]), mine, a->x[i]);
        }
        for (int j = 0; j <= k; j++) {
            const vf size = vf_abs(g[3 * p->n + j]);
            sum = vf_fma(size, vf_abs(p->rows.lambda[j]), sum);
            if (j < k) a->x[3 * p->n + j] = vf_fma(size, mine, a->x[3 * p->n + j]);
        }
        a->x[3 * p->n + k] = sum;
    }
    for (int k = 0; k < p->rows.n; k++) terms = vf_max(terms, vf_select(problem_has_row(p, k), a->x[3 * p->n + k], zero));
    for (int i = 0; i < p->n; i++) terms = vf_max(terms, vf_select(problem_has(p, i), v3_size(v3_load(a->x + 3 * i)), zero));
    problem_velocity(p);
    law_measure(p, law);
    return vm_le(p->residual, vf_set((real)(ADMM_ATTAINED * MYR_EPSILON)) * terms);
}

/* Lanes of `open` by an interior point, one by one; what it comes nearest with. Returns those that it brought to the law. */
static __attribute__((noinline)) vm admm_finish(problem *p, vf *memory, vm open, vf bound, vf *iterations, int most) {
    unsigned done = 0;
    for (int lane = 0; lane < VN; lane++) {
        if (!(vm_bits(open) >> lane & 1u)) continue;
        whole_problem q;
        whole_take(&q, p, lane, memory);
        char *more = (char *)memory + myr_whole_bytes(q.n, q.m);
        const double want = lane_of(&bound, lane);
        const convex_best found =
            convex_solve(&q, (void *)(((uintptr_t)more + 63) / 64 * 64), 0.3 * want, most - (int)lane_of(iterations, lane));
        lane_put(iterations, lane, lane_of(iterations, lane) + found.done);
        if (!(found.least <= want)) continue;
        whole_give(&q, p, lane);
        done |= 1u << lane;
    }
    return vm_from_bits(done);
}

static void admm_solve(problem *p, const myr_solve_options *o, myr_law law) {
    packed_rows packed = {0};
    vf *memory = p->rows.n > 1 ? rows_pack(p, &packed, p->scratch, 1) : p->scratch;
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1), ratio = vf_set((real)o->admm_ratio);
    const vf nearly = bound + bound, less = vf_set((real)0.99), rounding = vf_set((real)(ADMM_ROUNDING * MYR_EPSILON)),
             far = vf_set((real)__builtin_inf());
    vf iterations = zero, best_primal = far, best_dual = far, since = zero, tries = zero, wait = zero;
    vm running = problem_lanes(p), stalled = vm_none();
    for (int i = 0; i < p->n; i++) {
        v3_store(p->lambda + 3 * i, v3_select(problem_has(p, i), cone_project(p->mu[i], v3_load(p->lambda + 3 * i)), v3_zero()));
    }
    problem_velocity(p);
    law_measure(p, law);
    running = vm_andnot(running, vm_le(p->residual, bound));
    if (vm_any(running)) {
        admm a = {.full = law == MYR_LAW_NCP};
        vm changed = running;
        int next = ADMM_FIRST;
        admm_open(p, o, &a, memory);
        for (int k = 1; k <= o->max_sweeps && vm_any(running); k++) {
            if (vm_any(changed)) admm_factor(p, &a);
            const admm_errors e = admm_iterate(p, &a, running);
            p->lanes_run += VN;
            p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(running));
            iterations = vf_select(running, iterations + one, iterations);
            wait = wait - one;
            const vm close = vm_and(vm_le(e.slip, nearly), vm_le(e.miss * a.largest, nearly));
            const vm look = vm_and(vm_and(running, close), vm_le(wait, zero));
            if (vm_any(look)) {
                problem_velocity(p);
                law_measure(p, law);
                running = vm_andnot(running, vm_and(look, vm_le(p->residual, bound)));
                wait = vf_select(look, vf_set(4), wait);
            }
            const vm some = vm_and(vm_gt(e.impulse, zero), vm_gt(e.velocity, zero));
            const vf primal = e.primal / vf_select(some, e.impulse, one), dual = e.dual / vf_select(some, e.velocity, one);
            const vm better_primal = vm_lt(primal, less * best_primal), better_dual = vm_lt(dual, less * best_dual);
            best_primal = vf_select(better_primal, primal, best_primal);
            best_dual = vf_select(better_dual, dual, best_dual);
            since = vf_select(vm_or(better_primal, better_dual), zero, since + one);
            const vm broken = vm_andnot(running, vm_finite(e.check));
            const vm give = k == ADMM_LONG ? running : k < ADMM_LONG ? broken : vm_none();
            if (!a.full && vm_any(give)) {
                const vm found = admm_finish(p, a.factor + cholesky_size(blocks_count(p)), give, bound, &iterations, o->max_sweeps);
                stalled = vm_or(stalled, found); /* where the lane's precision cannot hold the answer to the bound */
                running = vm_andnot(running, found);
            }
            const vm rest = vm_and(vm_le(primal, rounding), vm_le(dual, rounding));
            const vm still = vm_and(running, vm_gt(since, vf_set(ADMM_PATIENCE_REST)));
            vm settled = vm_and(still, rest);
            if (k % ADMM_LOOK == 0 && vm_any(still)) settled = vm_or(settled, vm_and(still, admm_attained(p, &a, law)));
            const vm lost = a.full ? vm_and(running, vm_gt(since, vf_set(ADMM_PATIENCE))) : vm_none(); /* convex: only slow going */
            const vm circles = vm_and(lost, vm_gt(tries, vf_set(ADMM_TRIES - (real)0.5)));
            stalled = vm_or(stalled, settled);
            running = vm_andnot(running, vm_or(settled, vm_or(circles, broken)));
            changed = vm_and(running, lost);
            a.rho = vf_select(changed, vf_set((real)0.1) * a.rho, a.rho);
            tries = vf_select(changed, tries + one, tries);
            if (k == next && k <= ADMM_ADAPTIONS) {
                next += next / 2;
                changed = vm_or(changed, admm_adapt(&a, &e, ratio, vm_and(running, vm_le(tries, zero))));
            }
            if (!vm_any(changed)) continue;
            best_primal = vf_select(changed, far, best_primal);
            best_dual = vf_select(changed, far, best_dual);
            since = vf_select(changed, zero, since);
        }
    }
    problem_velocity(p);
    law_finish(p, bound, stalled, iterations, law);
    rows_unpack(p, &packed);
}

#endif
