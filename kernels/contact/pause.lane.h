/* What a lane may cost its neighbours: the pauses of lanes that a solver takes out of their tile (hybrid.lane.h).
 *
 * Nearly all of them end within a few iterations. One whose problem no iteration gets hold of, a robot under a hundred thousand times its
 * weight, would take the whole cap in every step, and its batch a hundred times as long. So after its second long solve a lane pauses for
 * one step, after the next ones for 3, 15 and 255, until one is short. In the first two pauses it may still be brief about it, and if that
 * ends the solve the pause is over: a robot that falls has long solves in a row and easy ones between them. In longer ones it uses only
 * sweeps. Its residual and status say what that leaves open. One long solve has no consequence.
 *
 * Both numbers are the lane's own and part of its state: they are saved with it, and go when it is reset or its q is written. */
#ifndef MYR_KERNELS_CONTACT_PAUSE_LANE_H
#define MYR_KERNELS_CONTACT_PAUSE_LANE_H

#include "problem.lane.h"

enum { PAUSE_MOST = 255 }; /* steps: who is always long is so in one of 256 */

/* Lanes that only sweep. */
static inline vm pause_full(const problem *p) { return vm_and(vm_gt(p->wait, vf_zero()), vm_ge(p->pause, vf_set(PAUSE_MOST))); }

/* After a step, in the lanes `good`. */
static inline void pause_step(problem *p, vm good) {
    const vf zero = vf_zero(), one = vf_set(1), waited = vf_max(p->wait - one, zero);
    const vm was_long = vm_and(good, p->was_long), was_short = vm_andnot(vm_and(good, p->was_short), p->was_long);
    p->wait = vf_select(was_long, p->pause, vf_select(was_short, zero, vf_select(good, waited, p->wait)));
    const vf longer = vf_max(vf_min(p->pause * (p->pause + vf_set(2)), vf_set(PAUSE_MOST)), one); /* 0, 1, 3, 15, 255 */
    p->pause = vf_select(was_long, longer, vf_select(was_short, zero, p->pause));
    p->was_long = p->was_short = vm_none();
}

/* Lanes that begin anew. */
static inline void pause_end(problem *p, vm lanes) {
    p->wait = vf_select(lanes, vf_zero(), p->wait);
    p->pause = vf_select(lanes, vf_zero(), p->pause);
}

#endif
