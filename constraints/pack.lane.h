/* Contacts packed by lane.
 *
 * The slots that some lane of a part uses are more than any one lane does: of ANYmal's twelve a tumbling tile uses eight, a robot
 * one or two. So the solver's problem has a row of G per contact of the busiest lane, not per slot: contact t of a lane is its t-th
 * active slot. Order within a lane stays, and what a lane does not have acts by impulses of zero, so not a bit depends on packing.
 *
 * For robots with legs whose slots meet in the root alone (robot->packable): a slot then brings its own block of G, and the blocks between
 * contacts come from the root's entries of Y. And for robots whose own links touch (robot->mixed; mixed_assemble.lane.h), of whose hundreds
 * of slots a lane uses a dozen, and the next lane another dozen. Their contacts are always packed: what a robot may have at once is bounded
 * by the setting `contacts`, and neighbours do not count against it. */
#ifndef MYR_CONSTRAINTS_PACK_LANE_H
#define MYR_CONSTRAINTS_PACK_LANE_H

#include "robot/workspace.lane.h"

/* Which contacts the entries of a mixed robot are, which entry begins each contact, and which runs its bodies hang on. */
static void mixed_open(workspace *w, const robot *r, int most) {
    int count[VN] = {0};
    for (int t = 0; t < most; t++) w->mix[t] = (mixed_contact){0, -1};
    for (int n = 0; n < w->occupied; n++) {
        mixed_entry *is = &w->entry[n];
        const uint64_t runs = r->slots[w->slot[n]].runs;
        *is = (mixed_entry){most, 0};
        for (unsigned lanes = vm_bits(vm_gt(w->slot_active[n], vf_zero())); lanes; lanes &= lanes - 1) {
            const int t = count[__builtin_ctz(lanes)]++;
            mixed_contact *mix = &w->mix[t];
            mix->runs |= runs;
            if (mix->first < 0) mix->first = n;
            if (t < is->low) is->low = t;
            if (t >= is->high) is->high = t + 1;
        }
    }
}

/* The problem's contacts are the occupied slots themselves, or packed where that makes them fewer. */
static void pack_open(const part *p) {
    workspace *w = p->w;
    int most = 0;
    w->packed = 0;
    if (p->r->packable || p->r->mixed) {
        vf count = vf_zero();
        for (int s = 0; s < w->occupied; s++) {
            w->slot_rank[s] = count;
            count = count + w->slot_active[s];
        }
        while (most < w->occupied && vm_any(vm_gt(count, vf_set((real)most)))) most++;
        w->packed = most < w->occupied || p->r->mixed;
        if (p->r->mixed) mixed_open(w, p->r, most);
        for (int t = 0; t < most; t++) w->packed_active[t] = vf_select(vm_gt(count, vf_set((real)t)), vf_set(1), vf_zero());
    }
    w->filled = 0;
    w->contact.n = w->packed ? most : w->occupied;
    w->contact.active = w->packed ? w->packed_active : w->slot_active;
    w->contact.mu = w->packed ? w->packed_mu : w->slot_mu;
    w->contact.lambda = w->packed ? w->packed_lambda : w->slot_lambda;
}

/* The contacts that slot s may be: pack_from .. pack_end - 1. */
static inline int pack_from(const part *p, int s) { return !p->w->packed ? s : p->r->mixed ? p->w->entry[s].low : 0; }
static inline int pack_end(const part *p, int s) {
    if (p->r->mixed) return p->w->entry[s].high;
    return s < p->w->contact.n ? s + 1 : p->w->contact.n;
}

/* Lanes in which slot s is contact t. */
static inline vm pack_lanes(const workspace *w, int s, int t) {
    return vm_and(vm_gt(w->slot_active[s], vf_zero()), vm_eq(w->slot_rank[s], vf_set((real)t)));
}

/* Some ball touches a floor and a wall at once. */
static int pack_has_twins(const part *p) {
    if (!p->r->ground.map) return 0;
    for (int s = 0; s < p->w->occupied; s++)
        if (p->r->slots[p->w->slot[s]].twin == MYR_SLOT_SECOND) return 1;
    return 0;
}

/* What is of one patch: problem.patch. What walks on points has patches where it lies, and few sweeps anyway: there only a ball's two
 * contacts are one. Sweeps over them go round, away from an impulse that was right; steps of both at once stay with it. */
static void pack_patches(const part *p) {
    workspace *w = p->w;
    const robot *r = p->r;
    w->contact.paired = r->packable && pack_has_twins(p);
    w->contact.patch = NULL;
    if (!r->has_patches || (r->packable && !w->contact.paired)) return;
    for (int s = 0; s < w->occupied; s++) {
        const lane_slot *slot = &r->slots[w->slot[s]];
        const int pair = w->slot[s] - (slot->twin == MYR_SLOT_SECOND);
        const vf own = vf_set((real)(w->contact.paired ? pair : slot->patch));
        for (int t = pack_from(p, s), end = pack_end(p, s); t < end; t++)
            w->patch[t] = w->packed ? vf_select(pack_lanes(w, s, t), own, w->patch[t]) : own;
    }
    w->contact.patch = w->patch;
}

/* Slot s to the contacts that it is: the root's entries of Y, c, its own block of G (xx xy xz yy yz zz), mu, warm start. Lanes that
 * have no contact t keep what the first comer brought, without an impulse. */
static inline __attribute__((always_inline)) void pack_slot(const part *p, int s, vf y[3][ROOT + MAX_LEG], const vf c[3], const vf g[6]) {
    workspace *w = p->w;
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const vf *lambda = w->slot_lambda + 3 * s, mu = w->slot_mu[s];
    for (int t = 0; t <= s && t < w->contact.n; t++) {
        const vm mine = pack_lanes(w, s, t);
        if (!vm_any(mine)) continue;
        vf *to_y = w->packed_y + 3 * ROOT * t, *to_c = w->contact.c + 3 * t, *to_l = w->packed_lambda + 3 * t;
        vf *G = problem_block(&w->contact, t, t);
        if (t == w->filled) {
            w->filled++;
            UNROLL for (int i = 0; i < 3 * ROOT; i++) to_y[i] = y[i / ROOT][i % ROOT];
            UNROLL for (int i = 0; i < 9; i++) G[i] = g[at[i]];
            UNROLL for (int i = 0; i < 3; i++) to_c[i] = c[i], to_l[i] = vf_select(mine, lambda[i], vf_zero());
            w->packed_mu[t] = mu;
        } else {
            UNROLL for (int i = 0; i < 3 * ROOT; i++) to_y[i] = vf_select(mine, y[i / ROOT][i % ROOT], to_y[i]);
            UNROLL for (int i = 0; i < 9; i++) G[i] = vf_select(mine, g[at[i]], G[i]);
            UNROLL for (int i = 0; i < 3; i++) to_c[i] = vf_select(mine, c[i], to_c[i]), to_l[i] = vf_select(mine, lambda[i], to_l[i]);
            w->packed_mu[t] = vf_select(mine, mu, w->packed_mu[t]);
        }
    }
}

/* to += a for occupied slot s in these lanes: three numbers of each contact that it is. */
static inline void pack_add(const part *p, int s, vm lanes, v3 a, vf *to) {
    const workspace *w = p->w;
    for (int t = pack_from(p, s), end = pack_end(p, s); t < end; t++) {
        const vm mine = vm_and(lanes, w->packed ? pack_lanes(w, s, t) : vm_gt(w->slot_active[s], vf_zero()));
        const v3 old = v3_load(to + 3 * t);
        if (vm_any(mine)) v3_store(to + 3 * t, v3_select(mine, v3_add(old, a), old));
    }
}

/* Impulses of the contacts back to their slots. */
static inline void pack_return(const part *p) {
    const workspace *w = p->w;
    if (!w->packed) return;
    for (int s = 0; s < w->occupied; s++) {
        v3 l = v3_zero();
        for (int t = pack_from(p, s), end = pack_end(p, s); t < end; t++)
            l = v3_select(pack_lanes(w, s, t), v3_load(w->packed_lambda + 3 * t), l);
        v3_store(w->slot_lambda + 3 * s, l);
    }
}

#endif
