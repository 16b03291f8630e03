/* hybrid: the sweeps of nsgs, and for lanes that these leave open methods that see all contacts at once (whole/).
 *
 * Sweeps are cheap where a few are enough: all lanes of a tile share them. Where contacts are redundant or have much to say to each other,
 * a lane would sweep on for hundreds of turns and its neighbours wait. So after HYBRID_SWEEPS it leaves the tile and is finished by itself.
 * What a lane gets depends on its own problem alone. */
#if defined(MYR_SOLVER)
MYR_SOLVER(HYBRID, "hybrid", solve_hybrid, NCP, 2000, myr_solver_room(MYR_SOLVER_NSGS, n, m, v) + myr_whole_bytes(n, m) / v + 1)
#elif !defined(MYR_KERNELS_CONTACT_HYBRID_LANE_H)
#define MYR_KERNELS_CONTACT_HYBRID_LANE_H

#include "nsgs.lane.h"
#include "whole/finish.h"
#include "whole/take.h"

enum { HYBRID_SWEEPS = 10 };

/* The lanes of `open`, one by one; of those that end at the law, rounding to the batch's precision is all that may be left. Returns
 * those for which there is no solution. By itself: most solves never come here. */
static __attribute__((noinline)) vm hybrid_finish(problem *p, sweeps_end *end, int most, unsigned open) {
    unsigned done = 0, hopeless = 0;
    for (int lane = 0; lane < VN; lane++) {
        if (!(open >> lane & 1u)) continue;
        whole_problem q;
        whole_take(&q, p, lane, end->memory);
        const whole_end how = whole_finish(&q, 0.3 * lane_of(&end->bound, lane), most);
        whole_give(&q, p, lane);
        lane_put(&end->iterations, lane, lane_of(&end->iterations, lane) + how.done);
        done |= (unsigned)how.good << lane;
        hopeless |= (unsigned)how.hopeless << lane;
    }
    end->stalled = vm_or(vm_andnot(end->stalled, vm_from_bits(open)), vm_from_bits(done));
    return vm_from_bits(hopeless);
}

static void solve_hybrid(problem *p, const myr_solve_options *o) {
    sweeps_end end;
    vm hopeless = vm_none();
    const int sweeps = o->max_sweeps < HYBRID_SWEEPS ? o->max_sweeps : HYBRID_SWEEPS;
    checked_sweeps_run(p, o, sweeps, slip_coulomb, coulomb_obeyed, nsgs_share(), 1, &end);
    const vm unsure = vm_or(end.running, end.stalled);
    if (vm_any(unsure) && o->max_sweeps > sweeps) {
        law_measure(p, MYR_LAW_NCP);
        const vm open = vm_andnot(unsure, vm_le(p->residual, end.bound));
        if (vm_any(open)) hopeless = hybrid_finish(p, &end, o->max_sweeps - sweeps, vm_bits(open));
    }
    law_finish(p, end.bound, end.stalled, end.iterations, MYR_LAW_NCP);
    const vm open = vm_eq(p->status, vf_set(MYR_ITERATION_LIMIT));
    p->status = vf_select(vm_and(hopeless, open), vf_set(MYR_NO_SOLUTION), p->status);
    rows_unpack(p, &end.packed);
}

#endif
