/* prox: the fixed-point iteration of Lu 2015 (Algorithm 1) in its conic form, all contacts at once:
 *     lambda_N <- max(0, lambda_N - r w_N),   lambda_T <- disc_mu lambda_N (lambda_T - r w_T),   w = (G + zeta) lambda + c
 * with w rebuilt from lambda, and lambda_N new in the second. (The paper calls lambda p.) One factor r serves the whole problem,
 * Lu 2015 (32), r = 2 / (eta_max + eta_min), with the eigenvalues
 *   delassus  of G + zeta, or
 *   paper     of the paper's A, (13), the linearized model with four friction directions per contact. A is not symmetric, and its
 *             complex eigenvalues do not count in the paper. In sums and differences of opposite directions it is block triangular:
 *             the real eigenvalues are those of S G S, S = diag(sqrt 2, sqrt 2, 1) per contact, and zeta; the others are zeta +- 2 i.
 *             As in the paper zeta enters eta_min only.
 * prox-r sets r instead. r and zeta are counted in units of the mobility max_i tr(G_ii) / 3 (Lu's particle has 1). zeta is a means of
 * the iteration and no part of the problem: the residual is that of G, and so stays where zeta holds it (Lu 2015 Figs. 4, 5).
 * With r = 2 / eta_max, which a singular G gives, the stiffest direction would swing for ever. So r is not above 1.98 / eta_max of
 * G + zeta, which costs other directions one iteration in a hundred. */
#if defined(MYR_SOLVER)
MYR_SOLVER(PROX, "prox", solve_prox, NCP, 20000, 9 * n + 3 * m)
#elif !defined(MYR_KERNELS_CONTACT_PROX_LANE_H)
#define MYR_KERNELS_CONTACT_PROX_LANE_H

#include "law.lane.h"
#include "project.lane.h"

/* Largest eigenvalue of S G S, S = diag(t, t, 1) per contact, or, where `less` is above zero, of less - S G S; by power iteration. */
static vf prox_largest(problem *p, vf t, vf less) {
    enum { MOST_STEPS = 200 };
    const int n = p->n, m = p->rows.n;
    const vf zero = vf_zero(), one = vf_set(1), same = vf_set(MYR_DOUBLE ? (real)1e-12 : (real)1e-6);
    problem q = *p; /* the same matrix with another right-hand side */
    q.lambda = p->scratch, q.w = p->scratch + 3 * n, q.c = p->scratch + 6 * n;
    q.rows.lambda = p->scratch + 9 * n, q.rows.w = q.rows.lambda + m, q.rows.c = q.rows.w + m;
    static const real start[3] = {1, (real)0.6, (real)0.8}, growth[3] = {(real)-0.11, (real)0.17, (real)-0.23}; /* along no symmetry */
    vf rank = zero; /* of the contact among those that the lane has: where in p it lies depends on the neighbours */
    for (int i = 0; i < n; i++) {
        const vm has = problem_has(p, i);
        for (int a = 0; a < 3; a++) {
            q.lambda[3 * i + a] = vf_select(has, vf_fma(rank, vf_set(growth[a]), vf_set(start[a])), zero);
            q.c[3 * i + a] = zero;
        }
        rank = vf_select(has, rank + one, rank);
    }
    for (int k = 0; k < m; k++) {
        const vm has = problem_has_row(p, k);
        q.rows.lambda[k] = vf_select(has, vf_fma(rank, vf_set(growth[0]), vf_set(start[0])), zero);
        q.rows.c[k] = zero;
        rank = vf_select(has, rank + one, rank);
    }
    vf eta = zero;
    vm running = vm_all();
    for (int step = 0; step < MOST_STEPS && vm_any(running); step++) {
        vf size2 = zero, image = zero;
        for (int k = 0; k < 3 * n; k++) size2 = vf_fma(q.lambda[k], q.lambda[k], size2);
        for (int k = 0; k < m; k++) size2 = vf_fma(q.rows.lambda[k], q.rows.lambda[k], size2);
        const vf scale = one / vf_sqrt(vf_select(vm_gt(size2, zero), size2, one));
        for (int k = 0; k < 3 * n; k++) q.lambda[k] = scale * q.lambda[k] * (k % 3 == 2 ? one : t);
        for (int k = 0; k < m; k++) q.rows.lambda[k] = scale * q.rows.lambda[k];
        problem_velocity(&q);
        for (int k = 0; k < 3 * n; k++) {
            const vf x = k % 3 == 2 ? q.lambda[k] : q.lambda[k] / t, y = k % 3 == 2 ? q.w[k] : t * q.w[k];
            q.w[k] = vf_select(problem_has(p, k / 3), vf_select(vm_gt(less, zero), vf_fms(less, x, y), y), zero);
            image = vf_fma(x, q.w[k], image);
        }
        for (int k = 0; k < m; k++) {
            const vf x = q.rows.lambda[k], y = q.rows.w[k];
            q.rows.w[k] = vf_select(problem_has_row(p, k), vf_select(vm_gt(less, zero), vf_fms(less, x, y), y), zero);
            image = vf_fma(x, q.rows.w[k], image);
        }
        for (int k = 0; k < 3 * n; k++) q.lambda[k] = q.w[k];
        for (int k = 0; k < m; k++) q.rows.lambda[k] = q.rows.w[k];
        const vm settled = vm_le(vf_abs(image - eta), same * image);
        eta = vf_select(running, image, eta);
        running = vm_andnot(running, settled);
    }
    return eta;
}

static vf prox_factor(problem *p, const myr_solve_options *o, vf mobility, vf zeta) {
    const vf zero = vf_zero(), one = vf_set(1), two = vf_set(2);
    if (o->prox_r > 0) return vf_set((real)o->prox_r) / mobility;
    const vf most = prox_largest(p, one, zero), sum = o->prox_paper ? prox_largest(p, vf_set((real)1.4142135623730951), zero) + zeta
                                                                    : most + vf_max(most - prox_largest(p, one, most), zero) + two * zeta;
    const vf highest = vf_set((real)1.98) / vf_select(vm_gt(most, zero), most + zeta, one);
    return vf_min(two / vf_select(vm_gt(sum, zero), sum, one), highest);
}

static void solve_prox(problem *p, const myr_solve_options *o) {
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1);
    vf iterations = zero, mobility = zero;
    vm running = problem_lanes(p), stalled = vm_none();
    for (int i = 0; i < p->n; i++) {
        const vf *g = problem_block(p, i, i);
        mobility = vf_max(mobility, vf_select(problem_has(p, i), (g[0] + g[4] + g[8]) * vf_set((real)(1.0 / 3.0)), zero));
    }
    for (int k = 0; k < p->rows.n; k++)
        mobility = vf_max(mobility, vf_select(problem_has_row(p, k), problem_row_G(p, k)[3 * p->n + k], zero));
    mobility = vf_select(vm_gt(mobility, zero), mobility, one);
    const vf zeta = vf_set((real)o->prox_zeta) * mobility, r = prox_factor(p, o, mobility, zeta);
    problem_velocity(p);
    for (int sweep = 0; sweep < o->max_sweeps && vm_any(running); sweep++) {
        vm moved = vm_none(), unsettled = vm_none();
        for (int i = 0; i < p->n; i++) {
            const vm todo = vm_and(running, problem_has(p, i));
            const v3 old = v3_load(p->lambda + 3 * i), w = v3_fma(zeta, old, v3_load(p->w + 3 * i));
            const v3 now = v3_select(todo, project_disc_step(p->mu[i], old, w, r, r), old), change = v3_sub(now, old);
            v3_store(p->lambda + 3 * i, now);
            const vf change2 = v3_dot(change, change);
            moved = vm_or(moved, vm_gt(change2, vf_set((real)(MYR_EPSILON * MYR_EPSILON)) * v3_dot(now, now)));
            unsettled = vm_or(unsettled, vm_and(todo, vm_or(vm_gt(change2, bound * bound), vm_lt(w.z, -bound))));
        }
        for (int k = 0; k < p->rows.n; k++) {
            const vm todo = vm_and(running, problem_has_row(p, k));
            const vf old = p->rows.lambda[k], w = vf_fma(zeta, old, p->rows.w[k]);
            const vf now = vf_select(todo, row_project(row_stairs(p, k), vf_fnma(r, w, old), one / r, r), old), change = vf_abs(now - old);
            p->rows.lambda[k] = now;
            moved = vm_or(moved, vm_gt(change, vf_set((real)MYR_EPSILON) * vf_abs(now)));
            unsettled = vm_or(unsettled, vm_and(todo, vm_gt(change, bound)));
        }
        problem_velocity(p);
        running = sweep_close(p, running, moved, unsettled, bound, MYR_LAW_NCP, &iterations, &stalled);
    }
    law_finish(p, bound, stalled, iterations, MYR_LAW_NCP);
}

#endif
