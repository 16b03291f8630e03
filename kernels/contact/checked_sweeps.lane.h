/* Sweeps over the contacts, each solved exactly for the impulses that the others have, that check before they solve: a contact that obeys
 * the law is left alone, a lane in which a full sweep found nothing to do is done and frozen. What a slipping contact is solved by,
 * and under which law, is the caller's. */
#ifndef MYR_KERNELS_CONTACT_CHECKED_SWEEPS_LANE_H
#define MYR_KERNELS_CONTACT_CHECKED_SWEEPS_LANE_H

#include "held_rows.lane.h"
#include "packed_rows.lane.h"
#include "patch_newton.lane.h"

/* Does contact i open, stick or slide against (ux, uy), each within the bound? The squares of law_own without its root and division: the
 * sliding test compares squared cross product and bound, and the cone test its edges. */
static inline vm mode_obeyed(vf mu, v3 l, v3 w, vf ux, vf uy, vf bound) {
    const vf zero = vf_zero(), bound2 = bound * bound, limit = mu * l.z;
    const vf wt2 = vf_fma(w.x, w.x, w.y * w.y), lt2 = vf_fma(l.x, l.x, l.y * l.y);
    const vm open = vm_and(vm_le(vf_fma(l.z, l.z, lt2), zero), vm_ge(w.z, -bound));
    const vf wide = limit + bound, tight = vf_max(limit - bound, zero);
    const vm inside = vm_and(vm_ge(l.z, zero), vm_le(lt2, wide * wide));
    const vm stick = vm_and(inside, vm_le(vf_fma(w.z, w.z, wt2), bound2));
    const vf along = vf_fma(ux, w.x, uy * w.y), across = vf_fms(ux, w.y, uy * w.x), u2 = vf_fma(ux, ux, uy * uy);
    const vm ray = vm_or(vm_and(vm_le(along, zero), vm_le(across * across, bound2 * u2)), vm_le(wt2, bound2));
    const vm slide = vm_and(vm_and(inside, vm_ge(lt2, tight * tight)), vm_and(vm_le(vf_abs(w.z), bound), ray));
    return vm_or(open, vm_or(stick, slide));
}

/* Hwangbo's law, and Coulomb's. */
static inline vm law_obeyed(const problem *p, int i, v3 l, v3 w, vf bound) {
    vf ux, uy;
    slide_direction(p, i, l, &ux, &uy);
    return mode_obeyed(p->mu[i], l, w, ux, uy, bound);
}
static inline vm coulomb_obeyed(const problem *p, int i, v3 l, v3 w, vf bound) { return mode_obeyed(p->mu[i], l, w, l.x, l.y, bound); }

/* Slip impulse of contact i given c' and the stopping impulse; `old`: the present one, where the search starts; `slip`: lanes that want it.
 */
typedef v3 (*slip_visit)(const problem *p, int i, v3 c, v3 stop, v3 old, vm slip, int steps);
typedef vm (*obeyed_test)(const problem *p, int i, v3 l, v3 w, vf bound);

/* How sweeps ended. Rows are still packed. */
typedef struct sweeps_end {
    vf bound, iterations;
    vm running, stalled; /* lanes that ran into the cap, and those in which nothing moved any more */
    vm stepped;          /* lanes in which patches were visited at once */
    packed_rows packed;
    vf *memory; /* behind the packed rows */
} sweeps_end;

/* Lanes of a visit in which a contact does not obey. */
INLINE vm patch_wrong(const problem *p, const patch_visit *v, vm running, obeyed_test obeyed, vf inner) {
    vm wrong = vm_none();
    for (int k = 0; k < v->n; k++) {
        const int i = v->at[k];
        const vm good = obeyed(p, i, v3_load(p->lambda + 3 * i), v3_load(p->w + 3 * i), inner);
        wrong = vm_or(wrong, vm_andnot(vm_from_bits(v->lanes[k]), good));
    }
    return vm_and(running, wrong);
}

/* `most`: sweeps of each lane, one at least. `share`: how much of the bound the check of a contact may use, so that the residual of all is
 * within it. `hold`: rows at an end are held there (held_rows.lane.h), else visited after the contacts. `patches`: contacts of a patch are
 * visited at once, where the problem knows patches; of Coulomb's law. */
INLINE void checked_sweeps_run(problem *p, const myr_solve_options *o, vf most, slip_visit visit, obeyed_test obeyed, vf share, int hold,
                               int patches, sweeps_end *end) {
    enum { PATCH_FROM = 3 };   /* sweeps contact by contact before patches are visited at once, but where nothing carries yet */
    enum { FULL_SWEEPS = 10 }; /* sweeps at full step before the relaxation of Hwangbo 2018 sets in */
    enum { HOLD_SWEEPS = 20 }; /* a row that comes and goes for longer is let go: with friction that may never end */
    end->packed = (packed_rows){0};
    end->memory = p->rows.n > 1 ? rows_pack(p, &end->packed, p->scratch, 0) : p->scratch;
    single_prepare(p);
    problem_velocity(p);
    const vf bound = law_bound(p, o), inner = bound * share;
    const vf zero = vf_zero(), one = vf_set(1);
    const int planned = patches && p->patch;
    const vm fresh = planned ? patch_fresh(p) : vm_none();
    vf *const plan_memory = end->memory;
    patch_plan plan = {0};
    vm stepped = vm_none();
    if (planned) end->memory += patch_plan_room(p->n);
    vf iterations = zero;
    vm running = problem_lanes(p), stalled = vm_none(), capped = vm_none();
    real alpha = (real)o->alpha;
    held_rows held = {0};
    if (p->rows.n > 0 && hold) held_rows_open(p, &held, end->memory, running, inner);
    for (int sweep = 0; sweep < o->max_sweeps && vm_any(running); sweep++) {
        vm wrong = vm_none(), moved = vm_none();
        const int steps = sweep < FULL_SWEEPS ? o->slip_steps : 4 * o->slip_steps;
        const vm one_by_one = !planned ? running : sweep < PATCH_FROM ? vm_andnot(running, fresh) : vm_none();
        const int ones = vm_any(one_by_one) ? p->n : 0, rest = planned && vm_any(vm_andnot(running, one_by_one));
        if (rest && !plan.n) plan = patch_plan_of(p, plan_memory);
        for (int k = 0; k < ones + (rest ? plan.n : 0); k++) {
            const patch_visit *v = k < ones ? NULL : &plan.visit[k - ones];
            const int i = v ? v->at[0] : k;
            const vm mine = v ? vm_andnot(running, one_by_one) : one_by_one;
            if (v && v->n > 1) {
                const vm todo = patch_wrong(p, v, mine, obeyed, inner);
                if (vm_any(todo)) moved = vm_or(moved, patch_newton(p, v, todo, sweep, inner));
                wrong = vm_or(wrong, todo), stepped = vm_or(stepped, todo);
                continue;
            }
            const v3 old = v3_load(p->lambda + 3 * i), w = v3_load(p->w + 3 * i);
            const vm has = v ? vm_from_bits(v->lanes[0]) : problem_has(p, i);
            const vm todo = vm_andnot(vm_and(mine, has), obeyed(p, i, old, w, inner));
            if (!vm_any(todo)) continue;
            const v3 c = single_free_velocity(p, i), stop = single_stop(p, i);
            vm open, slip;
            single_modes(p->mu[i], c, stop, &open, &slip);
            v3 best = v3_select(open, v3_zero(), stop);
            slip = vm_and(slip, todo);
            if (vm_any(slip)) best = v3_select(slip, visit(p, i, c, stop, old, slip, steps), best);
            const v3 step = v3_scale(vf_set(alpha), v3_sub(best, old));
            const v3 relaxed = v3_select(open, v3_scale(one - vf_set(alpha), old), v3_add(old, step));
            const v3 now = v3_select(todo, relaxed, old); /* other lanes keep even the sign of a zero, which old + 0 would not */
            v3_store(p->lambda + 3 * i, now);
            problem_add_impulse(p, i, v3_sub(now, old));
            const v3 change = v3_sub(now, old);
            const vf size2 = v3_dot(now, now), change2 = v3_dot(change, change);
            wrong = vm_or(wrong, todo);
            moved = vm_or(moved, vm_and(todo, vm_gt(change2, vf_set((real)(4 * MYR_EPSILON * MYR_EPSILON)) * size2)));
        }
        if (p->rows.n > 0) { /* masks of their own: with their address taken those of all solves would live in memory */
            vm rows_wrong = wrong, rows_moved = moved;
            if (hold)
                held_rows_sweep(p, &held, running, vf_set(alpha), inner, sweep < HOLD_SWEEPS ? ROWS_HOLD : ROWS_STAY, &rows_wrong,
                                &rows_moved);
            else
                rows_sweep(p, running, vf_set(alpha), inner, &rows_wrong, &rows_moved);
            wrong = rows_wrong, moved = rows_moved;
        }
        p->lanes_run += VN;
        p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(running));
        iterations = vf_select(running, iterations + one, iterations);
        stalled = vm_or(stalled, vm_and(running, vm_andnot(wrong, moved)));
        running = vm_and(running, vm_and(wrong, moved));
        const vm spent = vm_and(running, vm_ge(iterations, most));
        capped = vm_or(capped, spent), running = vm_andnot(running, spent);
        if (sweep >= FULL_SWEEPS) alpha = (real)o->alpha_min + (real)o->gamma * (alpha - (real)o->alpha_min);
    }
    if (p->rows.n > 0 && hold) held_rows_close(p, &held);
    if (vm_any(stepped)) patch_settle(p, stepped, plan_memory);
    end->bound = bound, end->iterations = iterations, end->running = vm_or(running, capped), end->stalled = stalled, end->stepped = stepped;
}

/* The end of a solve that is not measured: residuals read 0. */
static inline void law_obeyed_by_all(problem *p, vf bound, vf iterations) {
    p->residual = p->residual_ncp = vf_zero(), p->status = vf_set(MYR_CONVERGED);
    p->iterations = iterations, p->bound = bound;
}

static inline __attribute__((always_inline)) void checked_sweeps(problem *p, const myr_solve_options *o, slip_visit visit,
                                                                 obeyed_test obeyed, vf share, myr_law law, int hold) {
    sweeps_end end;
    checked_sweeps_run(p, o, vf_set((real)o->max_sweeps), visit, obeyed, share, hold, 0, &end);
    if (p->unasked && !vm_any(vm_or(end.running, end.stalled))) /* each contact was found to obey within the bound; to measure is 1 % */
        law_obeyed_by_all(p, end.bound, end.iterations);
    else
        law_finish(p, end.bound, end.stalled, end.iterations, law);
    rows_unpack(p, &end.packed);
}

#endif
