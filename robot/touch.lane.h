/* Which slots the occupied contacts are, for warm starts and sensors (collision/occupied.lane.h makes the touches). */
#ifndef MYR_ROBOT_TOUCH_LANE_H
#define MYR_ROBOT_TOUCH_LANE_H

#include "workspace.lane.h"

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
