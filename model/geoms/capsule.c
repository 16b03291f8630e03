/* A ball along a line: sizes are its radius and half the line, which lies on z. Slots: its ends, at +z and at -z. */
#include "model/geoms.h"

static void hold(const myr_geom *g, myr_hold *out) {
    const double r = g->size[0], h = g->size[1];
    *out = (myr_hold){.half = {r, r, r + h}, .reach = r + h, .rod_axis = 2, .rod_half = h, .rod_radius = r, .least = r};
}

static void farthest(const myr_geom *g, const double n[3], double at[3]) {
    at[0] = at[1] = 0.0;
    at[2] = myr_signed_as(g->size[1], n[2]);
}

static void place(const myr_geom *g, int feature, myr_slot *slot) {
    slot->center[0] = slot->center[1] = 0.0;
    slot->center[2] = feature ? -g->size[1] : g->size[1];
}

const myr_geom_kind myr_geom_capsule = {.n_slots = 2,
                                        .is_round = 1,
                                        .is_closed = 1,
                                        .first_axis = 3,
                                        .on_map = MYR_SLOT_MIDDLE,
                                        .hold = hold,
                                        .farthest = farthest,
                                        .place = place};
