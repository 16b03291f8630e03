/* Hwangbo 2018 Algorithm 2: relaxed sweeps over the contacts, each solved exactly for the impulses that the others have, until the law
 * holds. What Hwangbo 2018 Table I compares, a slipping contact's solve, is the caller's. */
#ifndef MYR_KERNELS_CONTACT_BLOCK_SWEEPS_LANE_H
#define MYR_KERNELS_CONTACT_BLOCK_SWEEPS_LANE_H

#include "bisection.lane.h"

/* What a slip solve needs of one contact. The energy (12) on the plane w_z = 0 has the gradient Gbar lambda_T + cbar. */
typedef struct {
    vf mu, mu2, gx, gy, gzz, cz; /* third row of G_ii, normal part of c' */
    vf xx, xy, yx, yy, bx, by;   /* Gbar and cbar of (16), tangential rows; the normal row is zero */
    v3 stop;                     /* lambda_v0 */
} slip_conic;

static inline slip_conic slip_conic_of(const problem *p, int i, v3 c, v3 stop) {
    const vf *g = problem_block(p, i, i);
    const vf ax = g[2] / g[8], ay = g[5] / g[8];
    return (slip_conic){p->mu[i],
                        p->mu[i] * p->mu[i],
                        g[2],
                        g[5],
                        g[8],
                        c.z,
                        vf_fnma(g[2], ax, g[0]) + p->ridge[i],
                        vf_fnma(g[2], ay, g[1]),
                        vf_fnma(g[5], ax, g[3]),
                        vf_fnma(g[5], ay, g[4]) + p->ridge[i],
                        vf_fnma(ax, c.z, c.x),
                        vf_fnma(ay, c.z, c.y),
                        stop};
}

/* Slip impulse of contact i given c' and the stopping impulse, in the lanes of `todo`. */
typedef v3 (*slip_solver)(const problem *p, int i, v3 c, v3 stop, vm todo, const myr_solve_options *o);

static inline __attribute__((always_inline)) void block_sweeps(problem *p, const myr_solve_options *o, slip_solver slip_solve_one) {
    single_prepare(p);
    problem_velocity(p);
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1);
    vf iterations = zero;
    vm running = problem_lanes(p), stalled = vm_none();
    real alpha = (real)o->alpha;
    for (int sweep = 0; sweep < o->max_sweeps && vm_any(running); sweep++) {
        vm visited = vm_none(), moved = vm_none();
        for (int i = 0; i < p->n; i++) {
            const vm todo = vm_and(running, problem_has(p, i));
            if (!vm_any(todo)) continue;
            const v3 old = v3_load(p->lambda + 3 * i), c = single_free_velocity(p, i), stop = single_stop(p, i);
            vm open, slip;
            single_modes(p->mu[i], c, stop, &open, &slip);
            v3 best = v3_select(open, v3_zero(), stop);
            slip = vm_and(slip, todo);
            if (vm_any(slip)) best = v3_select(slip, slip_solve_one(p, i, c, stop, slip, o), best);
            const v3 relaxed = v3_fma(vf_set(alpha), best, v3_scale(vf_set(1 - alpha), old)), now = v3_select(todo, relaxed, old);
            const v3 change = v3_sub(now, old);
            v3_store(p->lambda + 3 * i, now);
            problem_add_impulse(p, i, change);
            moved = vm_or(moved, vm_gt(v3_dot(change, change), vf_set((real)(4 * MYR_EPSILON * MYR_EPSILON)) * v3_dot(now, now)));
        }
        const vf inner = bound * vf_set((real)0.5);
        rows_sweep(p, running, vf_set(alpha), inner, &visited, &moved);
        vm wrong = rows_wrong(p, running, inner);
        for (int i = 0; i < p->n; i++) {
            const vm good = law_obeyed(p, i, v3_load(p->lambda + 3 * i), v3_load(p->w + 3 * i), inner);
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
