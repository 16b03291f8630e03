/* A ball: its core is its centre. */
#include "model/geoms.h"

static void hold(const myr_geom *g, myr_hold *out) {
    const double r = g->size[0];
    *out = (myr_hold){.half = {r, r, r}, .reach = r, .rod_axis = 2, .rod_radius = r, .least = r};
}

static void farthest(const myr_geom *g, const double n[3], double at[3]) {
    (void)g, (void)n;
    at[0] = at[1] = at[2] = 0.0;
}

static void place(const myr_geom *g, int feature, myr_slot *slot) {
    (void)feature;
    farthest(g, slot->center, slot->center);
}

const myr_geom_kind myr_geom_sphere = {
    .n_slots = 1, .is_round = 1, .is_closed = 1, .first_axis = 3, .hold = hold, .farthest = farthest, .place = place};
