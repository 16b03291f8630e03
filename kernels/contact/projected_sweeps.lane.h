/* Projected Gauss-Seidel sweeps, Hwangbo 2018 (17)-(18), Le Lidec 2024 Algorithms 1, 2 and 6. Contact after contact makes a step
 * against its velocity and projects it. The solvers differ in the steps and in the projection. Some relax what comes out,
 * Le Lidec 2024 (25):
 *     lambda <- relaxation lambda_projected + (1 - relaxation) lambda
 *
 * An impulse that relaxation lets fade is gone where it is too small to matter, within the bound or below rounding beside |c| times the
 * step: else open contacts would keep traces of impulses for ever, down to numbers that the processor is slow with.
 *
 * The residual is measured where a lane looks settled: no impulse changed by more than the bound, no contact sinks faster than it. */
#ifndef MYR_KERNELS_CONTACT_PROJECTED_SWEEPS_LANE_H
#define MYR_KERNELS_CONTACT_PROJECTED_SWEEPS_LANE_H

#include "law.lane.h"
#include "project.lane.h"

/* Impulse after a step from l at velocity w, projected. */
typedef v3 (*sweep_projection)(vf mu, v3 l, v3 w, vf normal, vf tangent);
/* Steps [kg] along normal and tangent for the diagonal block g. */
typedef void (*sweep_steps)(const vf *g, vf *normal, vf *tangent);

/* p->scratch holds the steps: 2 n rows. `relaxation` 1: not relaxed. */
static inline __attribute__((always_inline)) void projected_sweeps(problem *p, const myr_solve_options *o, sweep_steps steps,
                                                                   sweep_projection project, real step_scale, real relaxation,
                                                                   myr_law law) {
    problem_velocity(p);
    const vf bound = law_bound(p, o), zero = vf_zero(), trace = bound / vf_set(relaxation);
    vf iterations = zero, dust = zero;
    vm running = problem_lanes(p), stalled = vm_none();
    for (int i = 0; i < p->n; i++) {
        vf normal, tangent;
        const v3 c = v3_load(p->c + 3 * i);
        const vf speed = vf_max(vf_max(vf_abs(c.x), vf_abs(c.y)), vf_abs(c.z));
        dust = vf_max(dust, vf_select(problem_has(p, i), vf_set((real)MYR_EPSILON) * speed, zero));
        steps(problem_block(p, i, i), &normal, &tangent);
        p->scratch[2 * i] = vf_set(step_scale) / normal;
        p->scratch[2 * i + 1] = vf_set(step_scale) / tangent;
    }
    for (int sweep = 0; sweep < o->max_sweeps && vm_any(running); sweep++) {
        vm moved = vm_none(), unsettled = vm_none();
        for (int i = 0; i < p->n; i++) {
            const vm todo = vm_and(running, problem_has(p, i));
            if (!vm_any(todo)) continue;
            const v3 old = v3_load(p->lambda + 3 * i), w = v3_load(p->w + 3 * i);
            v3 best = project(p->mu[i], old, w, p->scratch[2 * i], p->scratch[2 * i + 1]);
            if (relaxation != 1) {
                const vm faded = vm_and(vm_eq(best.z, zero), vm_le(vf_abs(old.z), vf_max(trace, dust * p->scratch[2 * i])));
                best = v3_fma(vf_set(relaxation), best, v3_scale(vf_set(1 - relaxation), old));
                best = v3_select(faded, v3_zero(), best);
            }
            const v3 now = v3_select(todo, best, old), change = v3_sub(now, old);
            v3_store(p->lambda + 3 * i, now);
            problem_add_impulse(p, i, change);
            const vf change2 = v3_dot(change, change);
            moved = vm_or(moved, vm_gt(change2, vf_set((real)(MYR_EPSILON * MYR_EPSILON)) * v3_dot(now, now)));
            unsettled = vm_or(unsettled, vm_and(todo, vm_or(vm_gt(change2, bound * bound), vm_lt(w.z, -bound))));
        }
        rows_sweep(p, running, vf_set(relaxation), bound * vf_set((real)0.5), &unsettled, &moved);
        running = sweep_close(p, running, moved, unsettled, bound, law, &iterations, &stalled);
    }
    law_finish(p, bound, stalled, iterations, law);
}

/* What a step may divide by: 1 where nothing can be moved. */
static inline vf sweep_divisor(vf g) { return vf_select(vm_gt(g, vf_zero()), g, vf_set(1)); }

/* Le Lidec's steps, 1 / G_zz and 1 / min(G_xx, G_yy). The larger of the two mobilities would be safe; with the smaller, a sticking contact
 * that moves much more easily along one tangent than along the other is driven past its rest point by more than it was away from it. A
 * contact that cannot move along one of them takes the other's step. */
static inline void sweep_steps_lelidec(const vf *g, vf *normal, vf *tangent) {
    const vf larger = vf_max(g[0], g[4]), smaller = vf_min(g[0], g[4]);
    const vm locked = vm_not(vm_gt(smaller, vf_set((real)(MYR_EPSILON)) * larger));
    *normal = sweep_divisor(g[8]);
    *tangent = sweep_divisor(vf_select(locked, larger, smaller));
}

#endif
