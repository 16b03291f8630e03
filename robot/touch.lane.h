/* Which slots the occupied contacts are, for warm starts and sensors (collision/occupied.lane.h makes the touches); how a slot rubs. */
#ifndef MYR_ROBOT_TOUCH_LANE_H
#define MYR_ROBOT_TOUCH_LANE_H

#include "workspace.lane.h"

/* Friction coefficient of a slot: its own, times the environment's factor, times those of its friction groups. */
INLINE vf slot_friction(const part *p, const lane_slot *s) {
    vf mu = vf_set(s->friction) * *field_rows(p, MYR_ROWS_friction);
    for (int k = 0; k < 2 && s->rubs[k]; k++) mu = mu * *row(p, s->rubs[k]);
    return mu;
}

/* Do two have one coefficient, whatever the factors? */
INLINE int slots_rub_alike(const lane_slot *a, const lane_slot *b) {
    return a->friction == b->friction && a->rubs[0] == b->rubs[0] && a->rubs[1] == b->rubs[1];
}

/* Lanes in which touch t is entry n. */
static inline vm touch_lanes(const workspace *w, int t, int n) { return vm_eq(w->touch_entry[t], vf_set((real)n)); }

/* Likewise, of any touch. */
static inline vm contact_lanes(const workspace *w, int t, int n) {
    return w->touch[t].alone ? vm_gt(w->slot_active[n], vf_zero()) : touch_lanes(w, t, n);
}

/* The impulse of touch t's slot, which is not alone. */
static inline v3 touch_impulse(const workspace *w, int t) {
    const slot_touch *is = &w->touch[t];
    v3 l = v3_zero();
    for (int n = is->first; n < is->end; n++) l = v3_select(touch_lanes(w, t, n), v3_load(w->slot_lambda + 3 * n), l);
    return l;
}

#endif
