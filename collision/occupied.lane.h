/* The list of contacts that collide finds, packed by lane within a patch: what two bodies (or a body and the ground) share.
 *
 * A box that tumbles uses all of its eight corners somewhere in a tile, and each robot one or two of them. So a place in the list is not a
 * corner but the first, second, ... of the patch that a lane touches with: entry n of a patch is each lane's own. Order within a lane
 * stays, and what a lane does not have acts by an impulse of zero, so not a bit depends on it. Whatever has to know which slot it was (warm
 * starts, sensors) goes through the touches. */
#ifndef MYR_COLLISION_OCCUPIED_LANE_H
#define MYR_COLLISION_OCCUPIED_LANE_H

#include "robot/contact_frame.lane.h"
#include "robot/touch.lane.h"

/* A patch at work. */
typedef struct patch {
    int first, end;  /* its entries */
    int first_touch; /* its slots that some lane uses, as far as they are known */
    int shared;      /* some entry is one slot in one lane and another in another */
    vf count;        /* entries that each lane has */
} patch;

static inline patch patch_open(const workspace *w) { return (patch){w->occupied, w->occupied, w->touched, 0, vf_zero()}; }

/* The list says that slot s is in entries first..end - 1. A lone one has its entry to itself. */
static inline void touch_note(workspace *w, int s, int first, int end, int alone) {
    w->touch[w->touched++] = (slot_touch){s, first, end, alone};
}

/* Entry n begins with slot s: all that lanes without it get is harmless. `on`: the map where it touches; NULL: no map does. */
INLINE void entry_begin(const part *p, int n, int s, vm mine, v3 x, vf gap, const contact_ground *on) {
    workspace *w = p->w;
    const lane_slot *slot = &p->r->slots[s];
    const vf *impulse = row(p, slot->row);
    const vm warm = p->options->solve.warm_start ? mine : vm_none();
    ((int *)(size_t)w->slot)[n] = s;
    w->occupied = n + 1;
    v3_store(w->slot_x + 3 * n, x);
    w->slot_active[n] = vf_select(mine, vf_set(1), vf_zero());
    w->slot_gap[n] = gap;
    w->slot_mu[n] = slot_friction(p, slot);
    UNROLL for (int k = 0; k < 3; k++) w->slot_lambda[3 * n + k] = vf_select(warm, impulse[PARTS * k], vf_zero());
    if (on) contact_grounded(p, n, mine, on, 1);
}

/* Entry n is slot s in these lanes, which had none. */
static inline void entry_join(const part *p, int n, int s, vm mine, v3 x, vf gap, const contact_ground *on) {
    workspace *w = p->w;
    const lane_slot *slot = &p->r->slots[s];
    const vf *impulse = row(p, slot->row);
    const vf mu = slot_friction(p, slot);
    vf *lambda = w->slot_lambda + 3 * n;
    v3_store(w->slot_x + 3 * n, v3_select(mine, x, v3_load(w->slot_x + 3 * n)));
    w->slot_active[n] = vf_select(mine, vf_set(1), w->slot_active[n]);
    w->slot_gap[n] = vf_select(mine, gap, w->slot_gap[n]);
    w->slot_mu[n] = vf_select(mine, mu, w->slot_mu[n]);
    if (on) contact_grounded(p, n, mine, on, 0);
    if (!p->options->solve.warm_start) return;
    UNROLL for (int k = 0; k < 3; k++) lambda[k] = vf_select(mine, impulse[PARTS * k], lambda[k]);
}

/* Those of the lanes, which have one contact more, that have room for it. The others are quarantined: robots fall alone, whatever their
 * neighbours have. */
static inline vm entry_fits(const part *p, vm active) {
    workspace *w = p->w;
    const vm fits = vm_and(active, vm_lt(w->crowd, vf_set((real)p->r->n_contacts)));
    w->crowded |= vm_bits(vm_andnot(active, fits));
    w->crowd = w->crowd + vf_select(fits, vf_set(1), vf_zero());
    return fits;
}

/* Slot s of the patch, in the lanes that touch with it. Mostly it is the next contact of all of them. */
static void patch_add(const part *p, patch *f, int s, vm active, v3 x, vf gap, const contact_ground *on) {
    workspace *w = p->w;
    const vf entry = vf_select(active, vf_set((real)f->first) + f->count, vf_set(-1));
    const vm next = vm_eq(entry, vf_set((real)f->end));
    w->touch_entry[w->touched] = entry;
    for (int n = f->first; n < f->end && vm_bits(next) != vm_bits(active); n++) {
        const vm mine = vm_eq(entry, vf_set((real)n));
        if (!vm_any(mine)) continue;
        entry_join(p, n, s, mine, x, gap, on);
        f->shared = 1;
    }
    if (vm_any(next)) entry_begin(p, f->end++, s, next, x, gap, on);
    f->count = f->count + vf_select(active, vf_set(1), vf_zero());
    touch_note(w, s, f->first, f->end, 0);
}

/* Where no entry is shared, each touch has its own. */
static inline void patch_close(const workspace *w, const patch *f) {
    slot_touch *touch = w->touch + f->first_touch;
    if (f->shared) return;
    for (int n = f->first; n < f->end; n++, touch++) touch->first = n, touch->end = n + 1, touch->alone = 1;
}

#endif
