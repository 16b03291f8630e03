/* hybrid: the sweeps of nsgs, soon with all contacts of a patch at once (patch_newton.lane.h), and for lanes that these leave open methods
 * that see all contacts of a robot at once (whole/).
 *
 * Sweeps are cheap where a few are enough: all lanes of a tile share them. Where contacts are redundant or have much to say to each other,
 * a lane would sweep on for hundreds of turns and its neighbours wait. So after hybrid_sweeps it leaves the tile and is finished by itself.
 * What a lane gets depends on its own problems alone.
 *
 * The neighbours wait for that, too: a lane that is long about it pauses (pause.lane.h). */
#if defined(MYR_SOLVER)
MYR_SOLVER(HYBRID, "hybrid", solve_hybrid, NCP, 2000, myr_hybrid_room(n, m, myr_solver_room(MYR_SOLVER_NSGS, n, m, v), v))
#elif !defined(MYR_KERNELS_CONTACT_HYBRID_LANE_H)
#define MYR_KERNELS_CONTACT_HYBRID_LANE_H

#include "nsgs.lane.h"
#include "pause.lane.h"
#include "whole/finish.h"
#include "whole/take.h"

enum { HYBRID_SWEEPS = 10, HYBRID_RUB = 2, HYBRID_LONG = 500, HYBRID_BRIEF = 50 };

#define HYBRID_ROUNDING 0x1p-24 /* of a float */
#define HYBRID_FLOOR 1e-6       /* the most that rounding is taken for; a tolerance of 1e-5 asks for more than that and is not touched */

/* Sweeps of each lane: ten, and one more for every two joints that rub. Where these are many they are most of the problem, and their
 * sweeps go on to the end; a matrix of so many numbers costs much more. */
static inline vf hybrid_sweeps(const problem *p, int most) {
    vf rub = vf_zero();
    for (int k = 0; k < p->rows.n; k++) rub = rub + vf_select(vm_gt(p->rows.f[k], vf_zero()), p->rows.active[k], vf_zero());
    return vf_min(vf_set((real)most), vf_set(HYBRID_SWEEPS) + vf_set((real)1 / HYBRID_RUB) * rub);
}

/* Steps and iterations of a lane by itself that are long: a quarter of the cap, and not few. */
static inline int hybrid_long(int max_sweeps) { return max_sweeps / 4 > HYBRID_LONG ? max_sweeps / 4 : HYBRID_LONG; }

/* The lanes of `open`, one by one; of those that end at the law, rounding to the batch's precision is all that may be left. Returns
 * those for which there is no solution. By itself: most solves never come here. */
static __attribute__((noinline)) vm hybrid_finish(problem *p, sweeps_end *end, int max_sweeps, unsigned open) {
    unsigned done = 0, hopeless = 0, was_long = 0, was_short = 0;
    for (int lane = 0; lane < VN; lane++) {
        if (!(open >> lane & 1u)) continue;
        const int left = max_sweeps - (int)lane_of(&end->iterations, lane), pauses = lane_of(&p->wait, lane) > 0;
        const int most = pauses && left > HYBRID_BRIEF ? HYBRID_BRIEF : left;
        whole_problem q;
        whole_take(&q, p, lane, end->memory);
        /* Where the sweeps left what only rounding can have left, another answer is no better, and may be another one: of a capsule between
         * two pads either end may have all of the load, and the law lets the other one go (bench/contact_yardstick, grip-60, tolerance
         * 1e-7). */
        const double bound = 0.3 * lane_of(&end->bound, lane),
                     floor = MYR_DOUBLE ? 0 : whole_clamp(whole_rounding(&q, HYBRID_ROUNDING), 0, HYBRID_FLOOR);
        const whole_end how = whole_finish(&q, bound > floor ? bound : floor, most);
        whole_give(&q, p, lane);
        lane_put(&end->iterations, lane, lane_of(&end->iterations, lane) + how.done);
        done |= (unsigned)how.good << lane;
        hopeless |= (unsigned)how.hopeless << lane;
        const int is_long = how.done >= hybrid_long(max_sweeps) || (how.done >= left && !how.good);
        was_long |= (unsigned)is_long << lane;
        was_short |= (unsigned)(!is_long && (how.good || !pauses)) << lane;
    }
    p->was_long = vm_or(p->was_long, vm_from_bits(was_long));
    p->was_short = vm_or(p->was_short, vm_from_bits(was_short));
    end->stalled = vm_or(vm_andnot(end->stalled, vm_from_bits(open)), vm_from_bits(done));
    return vm_from_bits(hopeless);
}

static void solve_hybrid(problem *p, const myr_solve_options *o) {
    sweeps_end end;
    vm hopeless = vm_none();
    checked_sweeps_run(p, o, hybrid_sweeps(p, o->max_sweeps), slip_coulomb, coulomb_obeyed, nsgs_share(), 1, 1, &end);
    const vm unsure = vm_or(vm_or(end.running, end.stalled), end.stepped);
    const vm may = vm_andnot(vm_and(unsure, vm_lt(end.iterations, vf_set((real)o->max_sweeps))), pause_full(p));
    if (vm_any(may)) {
        law_measure(p, MYR_LAW_NCP);
        const vm open = vm_andnot(may, vm_le(p->residual, end.bound));
        if (vm_any(open)) hopeless = hybrid_finish(p, &end, o->max_sweeps, vm_bits(open));
    }
    law_finish(p, end.bound, end.stalled, end.iterations, MYR_LAW_NCP);
    const vm open = vm_eq(p->status, vf_set(MYR_ITERATION_LIMIT));
    p->status = vf_select(vm_and(hopeless, open), vf_set(MYR_NO_SOLUTION), p->status);
    rows_unpack(p, &end.packed);
}

#endif
