/* pgs: projected Gauss-Seidel as Hwangbo et al. 2018 write it, 000 (17)-(18): per contact a step along -v, the normal
 * clamped at zero, then the tangent projected on the disc of the new normal,
 *     lambda_z <- max(0, lambda_z - r_z v_z),        r_z = alpha / G_zz
 *     lambda_T <- disc_mu lambda_z (lambda_T - r_T v_T),   r_T = alpha / max(G_xx, G_yy)
 * Its fixed points obey the full law, which is what its residual measures. 000 stops on the sum of impulse changes and
 * penetration velocities; here those only say when it is worth measuring. */
#if defined(MYR_SOLVER)
MYR_SOLVER(PGS, "pgs", solve_pgs, NCP, 20000, 0)
#elif !defined(MYR_KERNELS_CONTACT_PGS_LANE_H)
#define MYR_KERNELS_CONTACT_PGS_LANE_H

#include "law.lane.h"

static inline v3 pgs_project(const problem *p, int i, v3 l, v3 w, vf alpha) {
    const vf zero = vf_zero(), one = vf_set(1);
    const vf *g = problem_block(p, i, i);
    const vf across = vf_max(g[0], g[4]);
    const vf rz = alpha / vf_select(vm_gt(g[8], zero), g[8], one), rt = alpha / vf_select(vm_gt(across, zero), across, one);
    const vf z = vf_max(vf_fnma(rz, w.z, l.z), zero), limit = p->mu[i] * z;
    const vf x = vf_fnma(rt, w.x, l.x), y = vf_fnma(rt, w.y, l.y), size2 = vf_fma(x, x, y * y);
    const vm outside = vm_gt(size2, limit * limit);
    const vf shrink = vf_select(outside, limit / vf_sqrt(vf_select(outside, size2, one)), one);
    return (v3){shrink * x, shrink * y, z};
}

static void solve_pgs(problem *p, const myr_solve_options *o) {
    problem_velocity(p);
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1), alpha = vf_set((real)o->pgs_alpha);
    vf iterations = zero;
    vm running = vm_none(), stalled = vm_none();
    for (int i = 0; i < p->n; i++) running = vm_or(running, problem_has(p, i));
    for (int sweep = 0; sweep < o->max_sweeps && vm_any(running); sweep++) {
        vm moved = vm_none(), unsettled = vm_none();
        for (int i = 0; i < p->n; i++) {
            const vm todo = vm_and(running, problem_has(p, i));
            if (!vm_any(todo)) continue;
            const v3 old = v3_load(p->lambda + 3 * i), w = v3_load(p->w + 3 * i);
            const v3 now = v3_select(todo, pgs_project(p, i, old, w, alpha), old), change = v3_sub(now, old);
            v3_store(p->lambda + 3 * i, now);
            problem_push(p, i, change);
            const vf change2 = v3_dot(change, change);
            moved = vm_or(moved, vm_gt(change2, vf_set((real)(MYR_EPSILON * MYR_EPSILON)) * v3_dot(now, now)));
            unsettled = vm_or(unsettled, vm_and(todo, vm_or(vm_gt(change2, bound * bound), vm_lt(w.z, -bound))));
        }
        p->lanes_run += VN;
        p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(running));
        iterations = vf_select(running, iterations + one, iterations);
        const vm still = vm_andnot(running, moved);
        stalled = vm_or(stalled, still);
        running = vm_andnot(running, still);
        if (vm_any(vm_andnot(running, unsettled))) { /* some lane looks settled: is it? */
            law_measure(p, MYR_LAW_NCP);
            running = vm_andnot(running, vm_and(vm_andnot(running, unsettled), vm_le(p->residual, bound)));
        }
    }
    law_finish(p, bound, stalled, iterations, MYR_LAW_NCP);
}

#endif
