/* Working sets: of the contacts of one patch three or four enter the problem where there are more (setting working-sets).
 *
 * A foot of seven capsules has fourteen contacts with the ground, and six numbers say how it moves. What it is pushed with may be spread
 * over the fourteen in many ways; Gauss-Seidel does not come to an end with them, and every one costs rows of G. So a solve begins with
 * the few of them that span most, and those left out carry no impulse. Whether the law holds for these, too, is looked at afterwards
 * (constraints/left_out.lane.h): what passes is a solution of the full problem.
 *
 * What its own velocity does not take to the surface, and had no impulse in the last step, is only near (robot/window.lane.h): it stays
 * out, but for the deepest where nothing else is in reach. Of a hand of boxes with a cube two contacts of five are only near, and its
 * steps took twice as long with them.
 *
 * Of the others of one patch with one friction coefficient a lane that has more than four takes
 *   a   the deepest at the end of the step, by its own velocity; but what is deep now (constraints/lift.lane.h) comes first
 *   b   the farthest from a
 *   t   the farthest from the line through a and b, so that the triangle is the largest
 *   d   the farthest outside of this triangle, of those that lie on the surface or had an impulse in the last step: what stands on four
 *       corners with its weight on the diagonal would else come and go on three
 * and of b and t those that had an impulse count LOADED times as far, before all others: a set that carries stays. b and t must be farther
 * than SPOT and NARROW: points in one place, or on one line, need no more. The choice is of the lane's own numbers.
 *
 * Tried, a G1 that dances on feet of seven capsules: always a fourth (a tenth fewer second solves, and a fifth slower, as four are
 * redundant); distances less what the patch must turn for a point to close (a tenth fewer, no faster). Three of four corners: a limp biped
 * takes two thirds of the time, a limp h1 a fifth more, and what lands flat solves twice. */
#ifndef MYR_COLLISION_WORKING_SET_LANE_H
#define MYR_COLLISION_WORKING_SET_LANE_H

#include "occupied.lane.h"
#include "robot/window.lane.h"

#define LOADED 1000.0
#define NARROW 1e-3 /* of c, as a part of the length of a b */
#define SPOT 1e-4   /* of b [m] */

/* The best so far of one place of the set. */
typedef struct corner {
    vf worth, index;
    v3 at;
} corner;

INLINE void corner_better(corner *b, vm may, vf worth, int k, v3 x) {
    const vm better = vm_and(may, vm_gt(worth, b->worth)); /* false for NaN; the first of equal ones */
    b->worth = vf_select(better, worth, b->worth);
    b->index = vf_select(better, vf_set((real)k), b->index);
    b->at = v3_select(better, x, b->at);
}

/* The map that candidate k touches. */
INLINE contact_ground *candidate_ground(const workspace *w, int k) { return &((contact_ground *)(void *)w->out_ground)[k]; }

/* Slot s, which the lanes `active` touch with, at x: taken note of until the patch is complete. ends: its gap at the end of the step, by
 * its own velocity. on: the map there, or NULL. */
INLINE void candidate_add(workspace *w, int s, vm active, v3 x, vf gap, vf ends, const contact_ground *on) {
    const int k = w->n_out++;
    w->out_ends[k] = ends;
    if (on && on != candidate_ground(w, k)) *candidate_ground(w, k) = *on;
    w->out[k].slot = s;
    w->out_active[k] = vf_select(active, vf_set(1), vf_zero());
    w->out_gap[k] = gap;
    v3_store(w->out_x + 3 * k, x);
}

/* The map that a candidate, or one left out, touches; NULL: none. */
INLINE const contact_ground *left_out_ground(const part *p, int k) {
    return p->r->ground.map && p->r->slots[p->w->out[k].slot].on_ground ? candidate_ground(p->w, k) : NULL;
}

/* Candidates first..end - 1 at work: those of them that rub as one slot does. */
typedef struct candidates {
    const part *p;
    int first, end;
    const lane_slot *like;
    v3 normal;
} candidates;

INLINE int candidate_is(const candidates *c, int k) { return slots_rub_alike(&c->p->r->slots[c->p->w->out[k].slot], c->like); }
INLINE vm candidate_has(const candidates *c, int k) { return vm_gt(c->p->w->out_active[k], vf_zero()); }

/* Lanes in which it had an impulse in the last step; 1, and there `more`. */
INLINE vm candidate_loaded(const candidates *c, int k) {
    const vf *impulse = row(c->p, c->p->r->slots[c->p->w->out[k].slot].row);
    return vm_gt(impulse[2 * PARTS], vf_zero());
}
/* It has it, and it is more than near. */
INLINE vm candidate_may(const candidates *c, int k) {
    const workspace *w = c->p->w;
    const vm soon = vm_or(vm_le(w->out_gap[k], w->closed), vm_le(w->out_ends[k], w->closed));
    return vm_and(candidate_has(c, k), vm_or(soon, candidate_loaded(c, k)));
}
INLINE vf candidate_weight(const candidates *c, int k, real more) { return vf_select(candidate_loaded(c, k), vf_set(more), vf_set(1)); }

/* Twice the area, with its sign, of the triangle x, y, z about the normal. */
INLINE vf candidate_area(const candidates *c, v3 x, v3 y, v3 z) { return v3_dot(v3_sub(z, x), v3_cross(c->normal, v3_sub(y, x))); }

#define EACH_CANDIDATE(c, k)                                                                                                               \
    for (int k = (c)->first; k < (c)->end; k++)                                                                                            \
        if (candidate_is(c, k))

/* Which of them each lane takes, in w->out_chosen. */
static void candidates_choose(const candidates *c) {
    const workspace *w = c->p->w;
    const vf zero = vf_zero(), none = vf_set(-1);
    vf count = zero;
    vm near = vm_none();
    EACH_CANDIDATE(c, k) {
        const vm may = candidate_may(c, k);
        count = count + vf_select(may, vf_set(1), zero);
        near = vm_or(near, vm_andnot(candidate_has(c, k), may));
        w->out_chosen[k] = vf_select(may, vf_set(1), zero);
    }
    const vm many = vm_gt(count, vf_set(FEW_SLOTS));
    if (!vm_any(vm_or(many, near))) return;
    corner a = {vf_set((real)-1e30), none, v3_zero()};
    const vf depth = vf_set((real)window_deep(c->p)), rest = vf_set((real)0.5) * depth;
    const vm some = vm_gt(count, zero);
    EACH_CANDIDATE(c, k) {
        const vm may = vm_or(candidate_may(c, k), vm_andnot(candidate_has(c, k), some));
        const vf gap = w->out_gap[k], soon = vf_select(candidate_loaded(c, k), rest, zero) - w->out_ends[k];
        corner_better(&a, may, vf_select(vm_lt(gap, zero - depth), vf_set(1) - gap, soon), k, v3_load(w->out_x + 3 * k));
    }
    EACH_CANDIDATE(c, k) {
        const vm deepest = vm_andnot(vm_and(near, vm_eq(vf_set((real)k), a.index)), some);
        w->out_chosen[k] = vf_select(deepest, vf_set(1), w->out_chosen[k]);
    }
    if (!vm_any(many)) return;
    corner b = {vf_set((real)(SPOT * SPOT)), none, a.at};
    EACH_CANDIDATE(c, k) {
        const v3 x = v3_load(w->out_x + 3 * k), arm = v3_sub(x, a.at);
        corner_better(&b, candidate_may(c, k), v3_dot(arm, arm) * candidate_weight(c, k, (real)(LOADED * LOADED)), k, x);
    }
    const v3 ab = v3_sub(b.at, a.at);
    corner t = {vf_set((real)NARROW) * v3_dot(ab, ab), none, a.at};
    EACH_CANDIDATE(c, k) {
        const v3 x = v3_load(w->out_x + 3 * k);
        corner_better(&t, candidate_may(c, k), vf_abs(candidate_area(c, a.at, b.at, x)) * candidate_weight(c, k, (real)LOADED), k, x);
    }
    const vf area = candidate_area(c, a.at, b.at, t.at), side = vf_select(vm_lt(area, zero), vf_set(-1), vf_set(1));
    corner d = {vf_set((real)NARROW) * vf_abs(area), none, a.at};
    EACH_CANDIDATE(c, k) { /* farthest outside of one of the three edges */
        const v3 x = v3_load(w->out_x + 3 * k);
        const vf inside = vf_min(side * candidate_area(c, a.at, b.at, x),
                                 vf_min(side * candidate_area(c, b.at, t.at, x), side * candidate_area(c, t.at, a.at, x)));
        const vm lies = vm_or(candidate_loaded(c, k), vm_le(w->out_gap[k], w->closed));
        corner_better(&d, vm_and(candidate_may(c, k), lies), zero - inside, k, x);
    }
    EACH_CANDIDATE(c, k) {
        const vf i = vf_set((real)k);
        const vm in = vm_or(vm_or(vm_eq(i, a.index), vm_eq(i, b.index)), vm_or(vm_eq(i, t.index), vm_eq(i, d.index)));
        w->out_chosen[k] = vf_select(vm_andnot(many, in), zero, w->out_chosen[k]);
    }
}

/* Gaps of the candidates from `first` on as the step goes by them. Returns whether some lane has to choose. */
static int candidates_rest(const part *p, int first) {
    const workspace *w = p->w;
    const vf zero = vf_zero();
    vf farthest = vf_set((real)-1e30), count = zero;
    vm late = vm_none();
    for (int k = first; k < w->n_out; k++) {
        const vf gap = w->out_gap[k];
        const vm has = vm_gt(w->out_active[k], zero);
        farthest = vf_select(has, vf_max(farthest, gap), farthest);
        count = count + w->out_active[k];
        late = vm_or(late, vm_andnot(has, vm_le(vf_min(gap, w->out_ends[k]), w->closed)));
    }
    for (int k = first; k < w->n_out; k++) w->out_gap[k] = window_rests(p, w->out_gap[k], farthest);
    return vm_any(vm_or(late, vm_gt(count, vf_set(FEW_SLOTS))));
}

/* Candidates first..end - 1 choose, those of each friction coefficient among themselves. */
static void candidates_choose_all(const part *p, int first, v3 normal) {
    const workspace *w = p->w;
    candidates c = {p, first, w->n_out, NULL, normal};
    for (int k = first; k < c.end; k++) {
        int before = first; /* mostly all rub as the first */
        c.like = &p->r->slots[w->out[k].slot];
        while (!candidate_is(&c, before)) before++;
        if (before == k) candidates_choose(&c);
    }
}

/* The patch from its candidates, which lie from `first` on: those chosen become its entries, the others stay in the list of those left
 * out. normal: of the contacts, in the axes that their places are in. */
static void patch_choose(const part *p, patch *f, int first, v3 normal) {
    workspace *w = p->w;
    const int end = w->n_out, some = candidates_rest(p, first);
    if (some) candidates_choose_all(p, first, normal);
    w->n_out = first;
    for (int k = first; k < end; k++) {
        const vm active = vm_gt(w->out_active[k], vf_zero()), chosen = some ? vm_gt(w->out_chosen[k], vf_zero()) : active;
        const vm rest = vm_andnot(active, chosen);
        const v3 x = v3_load(w->out_x + 3 * k);
        const vf gap = w->out_gap[k];
        const int slot = w->out[k].slot;
        const contact_ground *on = left_out_ground(p, k);
        if (vm_any(chosen)) patch_add(p, f, slot, chosen, x, gap, on);
        if (!vm_any(rest)) continue;
        candidate_add(w, slot, rest, x, gap, gap, on);
        w->out[w->n_out - 1].entry = f->first;
    }
}

#endif
