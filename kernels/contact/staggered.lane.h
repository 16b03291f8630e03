/* staggered: staggered projections for the full law (Le Lidec 2024 Algorithm 7; Kaufman et al. 2008): by turns
 *     lambda_N <- arg min 1/2 lambda_N' G_NN lambda_N + (c_N + G_NT lambda_T)' lambda_N   over lambda_N >= 0
 *     lambda_T <- arg min 1/2 lambda_T' G_TT lambda_T + (c_T + G_TN lambda_N)' lambda_T   over the discs |lambda_T| <= mu lambda_N
 * to a fixed point, which obeys the full law. Nothing says that there is convergence: where normal and tangent are strongly coupled,
 * turns go round in circles. So a lane whose residual has not been lower for PATIENCE turns takes only a part of each new lambda_N:
 * half the way, then a quarter, down to a twentieth. The paper does not have this. It changes no fixed point.
 *
 * Scalar rows are unknowns of both halves: the other half's contact impulses are held, and what a fixed point obeys is the same.
 *
 * Each half is a convex QP. ADMM solves it on a factorization of H + rho D, with over-relaxation 1.6 and rho by the ratio of the two
 * residuals. D is the contacts' mobilities, which takes a mass ratio between bodies out of it. It goes on from where it was a turn ago,
 * so that a fixed point costs few iterations. It ends where its residuals are a tenth of the bound, or of what the last turn moved if
 * that is more. What it has not reached after STEPS the next turn does. The turns are what `iterations` counts. */
#if defined(MYR_SOLVER)
MYR_SOLVER(STAGGERED, "staggered", solve_staggered, NCP, 1000,
           (n + m) * (n + m + 1) / 2 + (2 * n + m) * (2 * n + m + 1) / 2 + 17 * n + 11 * m)
#elif !defined(MYR_KERNELS_CONTACT_STAGGERED_LANE_H)
#define MYR_KERNELS_CONTACT_STAGGERED_LANE_H

#include "law.lane.h"
#include "project.lane.h"

/* One of the two QPs. Components: contact i has `wide` of them, at `first` of its triple; after all contacts' come the scalar rows. */
typedef struct {
    int size, wide, first, contacts;
    vf *factor;        /* L of H + rho D, rows of the lower triangle, 1 / L_kk on the diagonal */
    vf *z, *u, *x, *h; /* feasible iterate, multiplier / (rho d), the other iterate, linear term */
    vf *d;             /* D of contacts, then of rows */
    vf rho;
} stage;

/* The row that component k is; below 0: it is a contact's. */
static inline int stage_row(const stage *s, int k) { return k - s->wide * s->contacts; }
/* Of a component: its place among all contacts' numbers, whether the lane has it, its D, its impulse. */
static inline int stage_place(const stage *s, int k) { return 3 * (k / s->wide) + s->first + k % s->wide; }
static inline vm stage_has(const problem *p, const stage *s, int k) {
    const int row = stage_row(s, k);
    return row < 0 ? problem_has(p, k / s->wide) : problem_has_row(p, row);
}
static inline vf stage_weight(const stage *s, int k) {
    const int row = stage_row(s, k);
    return s->d[row < 0 ? k / s->wide : s->contacts + row];
}
static inline vf *stage_impulse(const problem *p, const stage *s, int k) {
    const int row = stage_row(s, k);
    return row < 0 ? p->lambda + stage_place(s, k) : p->rows.lambda + row;
}

/* Entry (k, l <= k) of H: G where the lane has both components, else the unit matrix's. */
static inline vf stage_entry(const problem *p, const stage *s, int k, int l) {
    const int row = stage_row(s, k), other = stage_row(s, l);
    const vf g = row < 0     ? problem_block(p, k / s->wide, l / s->wide)[3 * (s->first + k % s->wide) + s->first + l % s->wide]
                 : other < 0 ? problem_row_G(p, row)[stage_place(s, l)]
                             : problem_row_G(p, row)[3 * p->n + other];
    return vf_select(vm_and(stage_has(p, s, k), stage_has(p, s, l)), g, vf_set(k == l));
}

static void stage_factorize(const problem *p, stage *s) {
    const vf tiny = vf_set((real)MYR_EPSILON);
    for (int k = 0; k < s->size; k++) {
        vf *row = s->factor + k * (k + 1) / 2;
        for (int l = 0; l <= k; l++) {
            const vf *other = s->factor + l * (l + 1) / 2;
            const vf whole = k == l ? vf_fma(s->rho, stage_weight(s, k), stage_entry(p, s, k, k)) : stage_entry(p, s, k, l);
            vf left = whole;
            for (int m = 0; m < l; m++) left = vf_fnma(row[m], other[m], left);
            row[l] = k == l ? vf_set(1) / vf_sqrt(vf_max(left, tiny * whole)) : left * other[l];
        }
    }
}

static void stage_substitute(const stage *s, vf *x) {
    for (int k = 0; k < s->size; k++) {
        const vf *row = s->factor + k * (k + 1) / 2;
        vf left = x[k];
        for (int m = 0; m < k; m++) left = vf_fnma(row[m], x[m], left);
        x[k] = left * row[k];
    }
    for (int k = s->size - 1; k >= 0; k--) {
        x[k] = x[k] * s->factor[k * (k + 1) / 2 + k];
        for (int m = 0; m < k; m++) x[m] = vf_fnma(s->factor[k * (k + 1) / 2 + m], x[k], x[m]);
    }
}

/* Linear term of a half: the velocity less what its own impulses give. */
static void stage_begin(const problem *p, stage *s) {
    for (int k = 0; k < s->size; k++) {
        const int row = stage_row(s, k);
        vf h = row < 0 ? p->w[stage_place(s, k)] : p->rows.w[row];
        for (int l = 0; l < s->size; l++) {
            const vf g = l <= k ? stage_entry(p, s, k, l) : stage_entry(p, s, l, k);
            h = vf_fnma(g, *stage_impulse(p, s, l), h);
        }
        s->h[k] = vf_select(stage_has(p, s, k), h, vf_zero());
    }
}

/* Project what contact i proposes, in place. */
static inline void stage_project(const problem *p, const stage *s, int i, vf *y) {
    const vf zero = vf_zero();
    if (s->wide == 1)
        y[0] = vf_max(y[0], zero);
    else
        project_disc(p->mu[i] * p->lambda[3 * i + 2], &y[0], &y[1]);
    for (int a = 0; a < s->wide; a++) y[a] = vf_select(problem_has(p, i), y[a], zero);
}

/* What component k does when `next` is where it is projected to, and its residuals. */
static inline void stage_move(const problem *p, stage *s, int k, vm todo, vf ahead, vf next, vf *worst, vf *primal2, vf *dual2) {
    const vm has = stage_has(p, s, k);
    const vf d = stage_weight(s, k), off = vf_select(has, s->x[k] - next, vf_zero()), step = s->rho * (next - s->z[k]);
    *worst = vf_max(*worst, vf_max(vf_abs(off), d * vf_abs(step)));
    *primal2 = vf_fma(d * off, off, *primal2);
    *dual2 = vf_fma(d * step, step, *dual2);
    s->u[k] = vf_select(todo, vf_select(has, s->u[k] + ahead - next, vf_zero()), s->u[k]);
    s->z[k] = vf_select(todo, next, s->z[k]);
}

/* One ADMM iteration of the lanes in `todo`. Out: the larger of |x - z| [N s] and of rho d |z - z_before| [m/s], and both squared in the
 * metric D, in which they compare. */
static inline void stage_iterate(const problem *p, stage *s, vm todo, vf *worst, vf *primal2, vf *dual2) {
    const vf over = vf_set((real)1.6), rest = vf_set((real)-0.6);
    *worst = *primal2 = *dual2 = vf_zero();
    for (int k = 0; k < s->size; k++) {
        const vf weight = s->rho * stage_weight(s, k);
        s->x[k] = vf_fms(weight, s->z[k] - s->u[k], s->h[k]);
    }
    stage_substitute(s, s->x);
    for (int i = 0; i < p->n; i++) {
        vf y[2], ahead[2];
        for (int a = 0, k = s->wide * i; a < s->wide; a++, k++) {
            ahead[a] = vf_fma(over, s->x[k], rest * s->z[k]);
            y[a] = ahead[a] + s->u[k];
        }
        stage_project(p, s, i, y);
        for (int a = 0, k = s->wide * i; a < s->wide; a++, k++) stage_move(p, s, k, todo, ahead[a], y[a], worst, primal2, dual2);
    }
    for (int k = s->wide * s->contacts; k < s->size; k++) {
        const vf ahead = vf_fma(over, s->x[k], rest * s->z[k]), weight = s->rho * stage_weight(s, k);
        const vf next = row_project(row_stairs(p, stage_row(s, k)), ahead + s->u[k], weight, vf_set(1) / weight);
        stage_move(p, s, k, todo, ahead, vf_select(stage_has(p, s, k), next, vf_zero()), worst, primal2, dual2);
    }
}

/* rho by the root of the ratio of the residuals, where they are far apart; u is a multiplier divided by rho. */
static void stage_adapt(const problem *p, stage *s, vm todo, vf primal2, vf dual2) {
    const vf least = vf_set((real)1e-6), most = vf_set((real)1e6), one = vf_set(1), zero = vf_zero();
    vf size2 = zero, force2 = zero;
    for (int k = 0; k < s->size; k++) {
        const vf d = stage_weight(s, k);
        size2 = vf_fma(d * s->z[k], s->z[k], size2);
        force2 = vf_fma(s->h[k] / d, s->h[k], force2);
    }
    const vm sized = vm_and(vm_gt(size2, zero), vm_gt(force2, zero));
    primal2 = vf_select(sized, primal2 * force2, primal2);
    dual2 = vf_select(sized, dual2 * size2, dual2);
    const vm low = vm_gt(primal2, vf_set(25) * dual2), high = vm_gt(dual2, vf_set(25) * primal2);
    const vm some = vm_and(vm_and(todo, vm_or(low, high)), vm_and(vm_gt(primal2, zero), vm_gt(dual2, zero)));
    if (!vm_any(some)) return;
    const vf ratio = vf_sqrt(vf_sqrt(vf_select(some, primal2, one) / vf_select(some, dual2, one)));
    const vf bounded = vf_max(vf_set((real)0.1), vf_min(vf_set(10), ratio));
    const vf rho = vf_select(some, vf_max(least, vf_min(most, s->rho * bounded)), s->rho);
    const vf shrink = vf_select(some, s->rho / rho, one);
    for (int k = 0; k < s->size; k++) s->u[k] = vf_select(some, shrink * s->u[k], s->u[k]);
    s->rho = rho;
    stage_factorize(p, s);
}

/* Solve a half in the lanes of `todo` to `target`; its impulses into p->lambda. */
static void stage_solve(problem *p, stage *s, vm todo, vf target, int adapting) {
    enum { STEPS = 200, ADAPT_EVERY = 10 };
    const vm wanted = todo;
    stage_begin(p, s);
    for (int step = 1; step <= STEPS && vm_any(todo); step++) {
        vf worst, primal2, dual2;
        stage_iterate(p, s, todo, &worst, &primal2, &dual2);
        todo = vm_andnot(todo, vm_le(worst, target));
        if (adapting && step % ADAPT_EVERY == 0) stage_adapt(p, s, todo, primal2, dual2);
    }
    for (int k = 0; k < s->size; k++) {
        vf *l = stage_impulse(p, s, k);
        *l = vf_select(wanted, s->z[k] + vf_zero(), *l);
    }
}

static vf *stage_open(const problem *p, stage *s, int wide, int first, vf *memory) {
    const vf zero = vf_zero(), one = vf_set(1);
    *s = (stage){.size = wide * p->n + p->rows.n, .wide = wide, .first = first, .contacts = p->n, .rho = vf_set((real)0.1)};
    s->factor = memory, memory += s->size * (s->size + 1) / 2;
    s->z = memory, memory += s->size;
    s->u = memory, memory += s->size;
    s->x = memory, memory += s->size;
    s->h = memory, memory += s->size;
    s->d = memory, memory += p->n + p->rows.n;
    for (int i = 0; i < p->n; i++) {
        const vf *g = problem_block(p, i, i);
        const vf size = wide == 1 ? g[8] : vf_set((real)0.5) * (g[0] + g[4]);
        s->d[i] = vf_select(vm_and(problem_has(p, i), vm_gt(size, zero)), size, one);
    }
    for (int k = 0; k < p->rows.n; k++) {
        const vf own = problem_row_G(p, k)[3 * p->n + k];
        s->d[p->n + k] = vf_select(vm_and(problem_has_row(p, k), vm_gt(own, zero)), own, one);
    }
    for (int k = 0; k < s->size; k++) {
        const int row = stage_row(s, k);
        const vf w = row < 0 ? p->w[stage_place(s, k)] : vf_max(p->rows.lo[row], vf_min(p->rows.hi[row], p->rows.w[row]));
        s->z[k] = *stage_impulse(p, s, k);
        /* optimal is rho d u = -w where z is at its limit; at a fixed point the multiplier is the velocity */
        s->u[k] = vf_select(stage_has(p, s, k), -(w / (s->rho * stage_weight(s, k))), zero);
    }
    stage_factorize(p, s);
    return memory;
}

static void solve_staggered(problem *p, const myr_solve_options *o) {
    enum { ADAPTING_TURNS = 30, PATIENCE = 20 };
    problem_velocity(p);
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1), tenth = vf_set((real)0.1), least_share = vf_set((real)0.05);
    vf iterations = zero, change = vf_set((real)1e30), best = vf_set((real)__builtin_inf()), since = zero, share = one;
    vm running = problem_lanes(p), stalled = vm_none();
    stage normal, tangent;
    vf *before = stage_open(p, &tangent, 2, 0, stage_open(p, &normal, 1, 2, p->scratch)); /* 3 n, then rows: what a turn started from */
    law_measure(p, MYR_LAW_NCP);
    for (int turn = 0; turn < o->max_sweeps && vm_any(running); turn++) {
        const vf target = turn ? vf_max(tenth * bound, vf_min(tenth * change, p->residual)) : tenth * bound;
        for (int k = 0; k < 3 * p->n; k++) before[k] = p->lambda[k];
        for (int k = 0; k < p->rows.n; k++) before[3 * p->n + k] = p->rows.lambda[k];
        stage_solve(p, &normal, running, target, turn < ADAPTING_TURNS);
        for (int i = 0; i < p->n; i++) {
            vf *l = p->lambda + 3 * i + 2;
            *l = vf_select(running, vf_fma(share, *l - before[3 * i + 2], before[3 * i + 2]), *l);
        }
        problem_velocity(p);
        stage_solve(p, &tangent, running, target, turn < ADAPTING_TURNS);
        problem_velocity(p);
        law_measure(p, MYR_LAW_NCP);
        vm moved = vm_none();
        vf most = zero;
        for (int k = 0; k < 3 * p->n; k++) {
            const vf off = vf_abs(p->lambda[k] - before[k]);
            most = vf_max(most, off);
            moved = vm_or(moved, vm_gt(off, vf_set((real)MYR_EPSILON) * vf_abs(p->lambda[k])));
        }
        for (int k = 0; k < p->rows.n; k++) {
            const vf off = vf_abs(p->rows.lambda[k] - before[3 * p->n + k]);
            most = vf_max(most, off);
            moved = vm_or(moved, vm_gt(off, vf_set((real)MYR_EPSILON) * vf_abs(p->rows.lambda[k])));
        }
        change = most;
        p->lanes_run += VN;
        p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(running));
        iterations = vf_select(running, iterations + one, iterations);
        const vm better = vm_lt(p->residual, best);
        best = vf_select(better, p->residual, best);
        since = vf_select(better, zero, since + one);
        const vm cycling = vm_ge(since, vf_set(PATIENCE));
        /* in float, rounding may keep things moving for ever */
        const vm weary = MYR_DOUBLE ? vm_none() : vm_and(cycling, vm_le(share, least_share));
        share = vf_select(cycling, vf_max(least_share, vf_set((real)0.5) * share), share);
        since = vf_select(cycling, zero, since);
        const vm done = vm_le(p->residual, bound), still = vm_andnot(vm_and(running, vm_or(vm_not(moved), weary)), done);
        stalled = vm_or(stalled, still);
        running = vm_andnot(vm_andnot(running, still), done);
    }
    law_finish(p, bound, stalled, iterations, MYR_LAW_NCP);
}

#endif
