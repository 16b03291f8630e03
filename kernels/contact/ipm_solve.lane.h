/* The course of a solve by an interior point (ipm.lane.h): the matrix, starts, predictor and corrector, the active set, the answer. */
#ifndef MYR_KERNELS_CONTACT_IPM_SOLVE_LANE_H
#define MYR_KERNELS_CONTACT_IPM_SOLVE_LANE_H

#include "cholesky.lane.h"
#include "cone.lane.h"
#include "ipm_rows.lane.h"
#include "packed_rows.lane.h"
#include "unpivoted.lane.h"

/* ---- the matrix -------------------------------------------------------------------------------------------------------------------- */

/* Entries of G between two blocks, in their tangents. */
static inline __attribute__((always_inline)) void ipm_turn_block(const ipm *a, const vf *g, int i, int k, vf T[9]) {
    const vf ci = a->turn[2 * i], si = a->turn[2 * i + 1], ck = a->turn[2 * k], sk = a->turn[2 * k + 1];
    vf R[9];
    UNROLL for (int e = 0; e < 3; e++) {
        R[e] = vf_fma(ci, g[e], si * g[3 + e]);
        R[3 + e] = vf_fms(ci, g[3 + e], si * g[e]);
        R[6 + e] = g[6 + e];
    }
    UNROLL for (int r = 0; r < 9; r += 3) {
        T[r] = vf_fma(ck, R[r], sk * R[r + 1]);
        T[r + 1] = vf_fms(ck, R[r + 1], sk * R[r]);
        T[r + 2] = R[r + 2];
    }
}

static void ipm_factor(ipm *a, vf ridge) {
    const vf *g = a->G;
    const int b = a->blocks;
    for (int i = 0; i < b; i++) {
        for (int k = 0; k <= i; k++, g += 9) {
            vf T[9], *low = unpivoted_block(a->A, b, i, k), *high = unpivoted_block(a->A, b, k, i);
            ipm_turn_block(a, g, i, k, T);
            UNROLL for (int r = 0; r < 3; r++) UNROLL for (int c = 0; c < 3; c++) {
                low[3 * r + c] = a->keep[3 * i + r] * T[3 * r + c];
                if (k < i) high[3 * c + r] = a->keep[3 * k + c] * T[3 * r + c];
            }
        }
        vf *own = unpivoted_block(a->A, b, i, i);
        const vf *P = ipm_local(a, i);
        UNROLL for (int e = 0; e < 9; e++) own[e] = own[e] + P[e];
        UNROLL for (int e = 0; e < 3; e++) own[4 * e] = vf_fma(ridge, a->mobility[3 * i + e], own[4 * e]);
    }
    unpivoted_factor(a->A, b, a->least);
}

/* The step that u is the right side of: u in the turned tangents, dx and dw not. */
static void ipm_substitute(ipm *a) {
    unpivoted_solve(a->A, a->blocks, a->u);
    for (int i = 0; i < a->blocks; i++) v3_store(a->dx + 3 * i, ipm_turned_back(a, i, v3_load(a->u + 3 * i)));
    blocks_multiply(a->G, a->blocks, a->dx, a->dw);
}

/* ---- the course -------------------------------------------------------------------------------------------------------------------- */

/* What differs between the lanes of a solve. */
typedef struct ipm_course {
    vf iterations, start, age, last; /* start: number of the present one; age: iterations of it; last: its last step */
    vf target, polish;               /* of the authors' rule; sigma at which the active set is tried next */
    vf short_steps, lowest, since;   /* in a row; smallest sigma of this start, and iterations since it fell */
    vm running, fresh, plain;        /* fresh: to be started; plain: by the authors' rule */
} ipm_course;

static ipm ipm_open(problem *p, vf bound, vf *memory) {
    ipm a = {.p = p, .blocks = blocks_count(p), .bound = bound, .second = vm_none(), .met = vm_all(), .sigma = vf_zero()};
    const vf zero = vf_zero(), one = vf_set(1), third = vf_set((real)(1.0 / 3));
    const int b = a.blocks, m = 3 * b;
    a.G = memory, a.A = a.G + cholesky_size(b), a.local = a.A + 9 * b * b;
    a.x = a.local + 9 * b, a.w = a.x + m, a.u = a.w + m, a.dx = a.u + m, a.dw = a.dx + m, a.best = a.dw + m;
    a.keep = a.best + m, a.mobility = a.keep + m, a.least = a.mobility + m, a.turn = a.least + m;
    a.state = a.turn + 2 * b, a.rows = a.state + IPM_STATE * p->n;
    cholesky_load(p, zero, a.G);
    ipm_clear(a.x, 9 * m);
    vf speed = zero, moved = zero;
    for (int k = 0; k < m; k++) {
        const vm has = blocks_has(p, k);
        const int row = k - 3 * p->n, i = k / 3;
        const vf *own = cholesky_block(a.G, i, i);
        const vf size = row < 0 ? third * (own[0] + own[4] + own[8]) : own[4 * (k % 3)];
        a.mobility[k] = vf_select(vm_and(has, vm_gt(size, zero)), size, one);
        a.least[k] = vf_set((real)(4 * MYR_EPSILON)) * a.mobility[k];
        if (row >= p->rows.n) continue;
        speed = vf_max(speed, vf_select(has, vf_abs(row < 0 ? p->c[k] : p->rows.c[row]), zero));
        moved = vf_max(moved, vf_select(has, vf_abs(row < 0 ? p->w[k] : p->rows.w[row]), zero));
    }
    speed = vf_select(vm_gt(speed, zero), speed, moved);
    a.speed = vf_select(vm_gt(speed, zero), speed, one);
    for (int i = 0; i < b; i++) a.turn[2 * i] = one, a.turn[2 * i + 1] = zero;
    return a;
}

/* w = G x + c */
static void ipm_velocity(ipm *a) {
    const problem *p = a->p;
    blocks_multiply(a->G, a->blocks, a->x, a->w);
    for (int k = 0; k < 3 * p->n; k++) a->w[k] = vf_select(blocks_has(p, k), a->w[k] + p->c[k], vf_zero());
    for (int k = 0; k < p->rows.n; k++) {
        const int at = 3 * p->n + k;
        a->w[at] = vf_select(blocks_has(p, at), a->w[at] + p->rows.c[k], vf_zero());
    }
}

/* How far in a start lies, in the scales of the contacts: near the last impulses; else from no impulse. */
static vf ipm_depth(const ipm_course *s, vm warm) {
    static const real depths[IPM_STARTS] = {1, 100, 10, (real)0.1, (real)0.1};
    vf depth = vf_set(depths[0]);
    for (int e = 1; e < IPM_STARTS; e++) depth = vf_select(vm_eq(s->start, vf_set((real)e)), vf_set(depths[e]), depth);
    return vf_select(vm_and(warm, vm_eq(s->start, vf_zero())), vf_set((real)0.1), depth);
}

static void ipm_start(ipm *a, const ipm_cone *cone, ipm_course *s) {
    problem *p = a->p;
    const vf zero = vf_zero();
    const vm again = vm_and(s->fresh, vm_gt(s->start, zero));
    vm warm = vm_none();
    for (int k = 0; k < 3 * p->n; k++) {
        ipm_put(&p->lambda[k], again, zero);
        warm = vm_or(warm, vm_not(vm_eq(p->lambda[k], zero)));
    }
    for (int k = 0; k < p->rows.n; k++) {
        ipm_put(&p->rows.lambda[k], again, zero);
        warm = vm_or(warm, vm_not(vm_eq(p->rows.lambda[k], zero)));
    }
    if (vm_any(again)) problem_velocity(p);
    const vf depth = ipm_depth(s, warm);
    for (int k = 0; k < 3 * a->blocks; k++) {
        ipm_put(&a->u[k], s->fresh, zero);
        ipm_put(&a->dx[k], s->fresh, zero);
        ipm_put(&a->dw[k], s->fresh, zero);
    }
    for (int i = 0; i < p->n; i++) cone->start(a, i, s->fresh, depth);
    ipm_rows_start(a, s->fresh, depth);
    ipm_velocity(a);
    for (int i = 0; i < p->n; i++) cone->begin(a, i, s->fresh, depth);
    ipm_rows_begin(a, s->fresh, depth);
    ipm_put(&s->age, s->fresh, zero);
    ipm_put(&s->short_steps, s->fresh, zero);
    ipm_put(&s->since, s->fresh, zero);
    ipm_put(&s->lowest, s->fresh, vf_set((real)__builtin_inf()));
    ipm_put(&s->last, s->fresh, vf_set(1));
    ipm_put(&s->polish, s->fresh, vf_set((real)0.01));
    s->plain = vm_or(vm_eq(s->start, vf_set(2)), vm_eq(s->start, vf_set(4)));
}

static void ipm_matrix(ipm *a, const ipm_cone *cone) {
    for (int i = 0; i < a->p->n; i++) cone->open(a, i);
    ipm_rows_open(a);
}

static ipm_pairs ipm_look(ipm *a, const ipm_cone *cone, vf step) {
    ipm_pairs t = {vf_zero(), vf_zero(), vf_zero()};
    for (int i = 0; i < a->p->n; i++) cone->pairs(a, i, step, &t);
    ipm_rows_pairs(a, step, &t);
    return t;
}
/* Mean of the products. */
static inline vf ipm_mean(const ipm_pairs *t) {
    const vf one = vf_set(1);
    return vf_max(t->sum, vf_zero()) / vf_max(t->count, one);
}

/* The residual of p->lambda, and whether it is the nearest so far. Returns the lanes of `todo` that are done: the law is met with room to
 * spare, or for the second time. The step after the first that meets the bound mostly leaves nothing, and is worth taking. */
static vm ipm_judge(ipm *a, const ipm_cone *cone, vm todo) {
    problem *p = a->p;
    problem_velocity(p);
    law_measure(p, cone->law);
    const vm better = vm_and(todo, vm_lt(p->residual, a->best_residual));
    ipm_put(&a->best_residual, better, p->residual);
    for (int k = 0; k < 3 * p->n; k++) ipm_put(&a->best[k], better, p->lambda[k]);
    for (int k = 0; k < p->rows.n; k++) ipm_put(&a->best[3 * p->n + k], better, p->rows.lambda[k]);
    const vm met = vm_le(p->residual, a->bound), well = vm_le(p->residual, vf_set((real)0.1) * a->bound);
    const vm done = vm_and(todo, vm_or(well, vm_and(met, a->met)));
    a->met = vm_or(vm_and(todo, met), vm_andnot(a->met, todo));
    return done;
}

/* The answer that an interior point stands for: x, but what opens has no impulse. */
static void ipm_answer(ipm *a, vm todo) {
    problem *p = a->p;
    const vf zero = vf_zero();
    for (int i = 0; i < p->n; i++) {
        const v3 x = v3_load(a->x + 3 * i);
        const vm shut = vm_gt(x.z * a->mobility[3 * i], a->w[3 * i + 2]);
        const v3 l = v3_select(shut, (v3){x.x + zero, x.y + zero, x.z + zero}, v3_zero());
        v3_store(p->lambda + 3 * i, v3_select(vm_and(todo, problem_has(p, i)), l, v3_load(p->lambda + 3 * i)));
    }
    ipm_rows_answer(a, todo);
}

static inline void ipm_count(problem *p, ipm_course *s, vm lanes) {
    p->lanes_run += VN;
    p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(lanes));
    s->iterations = vf_select(lanes, s->iterations + vf_set(1), s->iterations);
}

/* Steps of Newton's method on the active set, from p->lambda, while they bring it nearer to the law. Where contacts are redundant G alone
 * does not say how they share their load: the ridge keeps them to what they have, and moves no answer. */
static void ipm_polish(ipm *a, const ipm_cone *cone, ipm_course *s, vm todo, vf most) {
    problem *p = a->p;
    const vf ridge = vf_set((real)(MYR_DOUBLE ? 1e-7 : 3e-5));
    for (int step = 0; step < IPM_POLISH && vm_any(todo); step++) {
        const vf before = p->residual;
        for (int i = 0; i < p->n; i++) cone->active(a, i);
        ipm_rows_active(a);
        ipm_factor(a, ridge);
        ipm_substitute(a);
        ipm_count(p, s, todo);
        for (int k = 0; k < 3 * p->n; k++) {
            const vm mine = vm_and(todo, problem_has(p, k / 3)), gone = vm_eq(a->keep[3 * (k / 3) + 2], vf_zero());
            ipm_put(&p->lambda[k], mine, vf_select(gone, vf_zero(), p->lambda[k] + a->dx[k]));
        }
        for (int k = 0; k < p->rows.n; k++)
            ipm_put(&p->rows.lambda[k], vm_and(todo, problem_has_row(p, k)), p->rows.lambda[k] + a->dx[3 * p->n + k]);
        const vm done = ipm_judge(a, cone, todo);
        s->running = vm_andnot(s->running, done);
        todo = vm_and(vm_andnot(todo, done), vm_and(vm_lt(p->residual, before), vm_lt(s->iterations, most)));
    }
}

/* Solves for the step to sigma; returns the largest 1 / (step that ends at a boundary). */
static vf ipm_direction(ipm *a, const ipm_cone *cone) {
    vf reach = vf_zero();
    for (int i = 0; i < a->p->n; i++) cone->right(a, i);
    ipm_rows_right(a);
    ipm_substitute(a);
    for (int i = 0; i < a->p->n; i++) reach = cone->back(a, i, reach);
    return ipm_rows_back(a, reach);
}

/* The authors' target: a tenth of the last one where the relaxed equations are met to it. */
static void ipm_target(ipm *a, const ipm_cone *cone, ipm_course *s, vf sigma) {
    ipm_put(&s->target, vm_eq(s->age, vf_zero()), sigma);
    a->sigma = s->target;
    const ipm_pairs t = ipm_look(a, cone, vf_zero());
    ipm_put(&s->target, vm_lt(vf_sqrt(t.off2), s->target), vf_set((real)0.1) * s->target);
}

/* Half the step, and again, until what the relaxed equations leave is less than before. */
static vf ipm_halve(ipm *a, const ipm_cone *cone, vm plain, vf step) {
    const vf before = ipm_look(a, cone, vf_zero()).off2;
    for (int k = 0; k < IPM_HALVES && vm_any(plain); k++) {
        plain = vm_andnot(plain, vm_lt(ipm_look(a, cone, step).off2, before));
        step = vf_select(plain, vf_set((real)0.5) * step, step);
    }
    return step;
}

/* One step of the lanes that run. sigma: their mean product; least: the smallest worth aiming at. Returns the lanes that got on. */
static vm ipm_step(ipm *a, const ipm_cone *cone, ipm_course *s, vf sigma, vf least) {
    const vm again = vm_gt(s->start, vf_zero()); /* and then with more care */
    const vf zero = vf_zero(), one = vf_set(1), share = vf_select(again, vf_set((real)0.9), vf_set((real)0.995));
    const vm plain = vm_and(s->running, s->plain);
    if (vm_any(plain)) ipm_target(a, cone, s, sigma);
    a->second = vm_none(), a->sigma = zero;
    const vf affine = one / vf_max(one, ipm_direction(a, cone));
    const ipm_pairs ahead = ipm_look(a, cone, affine);
    const vf left = vf_min(one, ipm_mean(&ahead) / sigma), centre = vf_max(left * left * left, vf_select(again, vf_set((real)0.1), zero));
    /* after a short step back to the middle */
    const vf target = vf_select(vm_lt(s->last, vf_set((real)0.3)), sigma, centre * sigma);
    a->second = vm_not(s->plain);
    a->sigma = vf_max(vf_select(s->plain, s->target, target), least);
    vf step = share / vf_max(share, ipm_direction(a, cone));
    if (vm_any(plain)) step = ipm_halve(a, cone, plain, step);
    vf check = step;
    for (int k = 0; k < 3 * a->blocks; k++) check = check + a->dx[k] + a->dw[k];
    const vm fine = vm_and(s->running, vm_finite(check));
    for (int i = 0; i < a->p->n; i++) cone->move(a, i, fine, step);
    ipm_rows_move(a, fine, step);
    s->last = vf_select(fine, step, zero);
    return fine;
}

/* Lanes that run and come with impulses: what stays as it was has its answer in a step or two on the active set. The others start near
 * what came nearest. */
static void ipm_warm(ipm *a, const ipm_cone *cone, ipm_course *s, vf most) {
    problem *p = a->p;
    vm warm = vm_none();
    for (int k = 0; k < 3 * p->n; k++) warm = vm_or(warm, vm_not(vm_eq(p->lambda[k], vf_zero())));
    for (int k = 0; k < p->rows.n; k++) warm = vm_or(warm, vm_not(vm_eq(p->rows.lambda[k], vf_zero())));
    warm = vm_and(warm, s->running);
    if (!vm_any(warm)) return;
    ipm_polish(a, cone, s, warm, most);
    for (int k = 0; k < 3 * p->n; k++) ipm_put(&p->lambda[k], s->running, a->best[k]);
    for (int k = 0; k < p->rows.n; k++) ipm_put(&p->rows.lambda[k], s->running, a->best[3 * p->n + k]);
}

static void ipm_solve(problem *p, const myr_solve_options *o, const ipm_cone *cone) {
    packed_rows packed = {0};
    vf *memory = p->rows.n > 1 ? rows_pack(p, &packed, p->scratch, 1) : p->scratch;
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1), most = vf_set((real)o->max_sweeps);
    problem_velocity(p);
    ipm a = ipm_open(p, bound, memory);
    ipm_course s = {.iterations = zero,
                    .start = zero,
                    .age = zero,
                    .last = one,
                    .target = one,
                    .polish = zero,
                    .short_steps = zero,
                    .lowest = one,
                    .since = zero};
    vf least = vf_set((real)__builtin_inf());
    for (int k = 0; k < 3 * a.blocks; k++) least = vf_min(least, vf_select(blocks_has(p, k), a.mobility[k], least));
    least = vf_set((real)0.01) * least * vf_square(bound / a.speed);
    least = vf_max(vf_set((real)(0.01 * MYR_EPSILON * MYR_EPSILON)), vf_min(least, vf_set((real)1e-3)));
    a.best_residual = vf_set((real)__builtin_inf());
    s.running = problem_lanes(p), s.plain = vm_none();
    vm stalled = vm_none();
    s.running = vm_andnot(s.running, ipm_judge(&a, cone, s.running));
    ipm_warm(&a, cone, &s, most);
    s.fresh = s.running;
    while (vm_any(s.running)) {
        if (vm_any(s.fresh)) ipm_start(&a, cone, &s);
        ipm_matrix(&a, cone);
        const ipm_pairs now = ipm_look(&a, cone, zero);
        const vf sigma = ipm_mean(&now);
        const vm wanted = vm_and(s.running, vm_and(vm_le(sigma, s.polish), vm_gt(s.age, zero)));
        if (vm_any(wanted)) {
            ipm_polish(&a, cone, &s, wanted, most);
            ipm_put(&s.polish, wanted, vf_set((real)0.05) * sigma);
            s.running = vm_and(s.running, vm_lt(s.iterations, most));
            if (!vm_any(s.running)) break;
            ipm_matrix(&a, cone);
        }
        ipm_factor(&a, vf_set((real)(16 * MYR_EPSILON)));
        const vm fine = ipm_step(&a, cone, &s, sigma, least);
        ipm_count(p, &s, s.running);
        ipm_velocity(&a);
        ipm_answer(&a, fine);
        s.running = vm_andnot(s.running, ipm_judge(&a, cone, fine));
        s.age = s.age + one;
        const vm lower = vm_lt(sigma, vf_set((real)0.9) * s.lowest);
        s.lowest = vf_select(lower, sigma, s.lowest);
        s.since = vf_select(lower, zero, s.since + one);
        s.short_steps = vf_select(vm_lt(s.last, vf_set((real)1e-3)), s.short_steps + one, zero);
        const vm stuck = vm_or(vm_ge(s.short_steps, vf_set(2)), vm_ge(s.since, vf_set(IPM_PATIENCE)));
        const vm lost = vm_or(stuck, vm_not(fine));
        /* the law is met as well as it can be; or what is left is rounding */
        const vm enough = vm_or(vm_and(lost, vm_le(a.best_residual, bound)), vm_le(sigma, least + least));
        const vm there = vm_and(s.running, enough);
        s.fresh = vm_and(vm_andnot(s.running, there), lost);
        s.start = vf_select(s.fresh, s.start + one, s.start);
        const vm spent = vm_or(there, vm_ge(s.start, vf_set(IPM_STARTS)));
        stalled = vm_or(stalled, there);
        s.running = vm_and(vm_andnot(s.running, spent), vm_lt(s.iterations, most));
        s.fresh = vm_and(s.fresh, s.running);
    }
    for (int k = 0; k < 3 * p->n; k++) p->lambda[k] = a.best[k];
    for (int k = 0; k < p->rows.n; k++) p->rows.lambda[k] = a.best[3 * p->n + k];
    problem_velocity(p);
    law_finish(p, bound, stalled, s.iterations, cone->law);
    rows_unpack(p, &packed);
}

#endif
