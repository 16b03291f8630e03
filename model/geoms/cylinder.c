/* A cylinder: sizes are its radius and half its length, along z. Slots: where the rim of each cap is lowest, first that at +z, and two more
 * beside the lowest place of the lower cap. */
#include <math.h>

#include "model/geoms.h"

static void hold(const myr_geom *g, myr_hold *out) {
    const double r = g->size[0], h = g->size[1];
    *out = (myr_hold){.half = {r, r, h}, .reach = sqrt(r * r + h * h), .rod_axis = 2, .rod_half = h, .rod_radius = r, .least = fmin(r, h)};
}

static void farthest(const myr_geom *g, const double n[3], double at[3]) {
    const double across = sqrt(n[0] * n[0] + n[1] * n[1]), *size = g->size;
    at[0] = across > 0.0 ? size[0] * n[0] / across : size[0];
    at[1] = across > 0.0 ? size[0] * n[1] / across : 0.0;
    at[2] = myr_signed_as(size[1], n[2]);
}

static void place(const myr_geom *g, int feature, myr_slot *slot) {
    const double h = g->size[1];
    slot->center[0] = slot->center[1] = 0.0;
    slot->center[2] = feature == 0 ? h : feature == 1 ? -h : 0.0;
    slot->rim = feature < 2 ? MYR_RIM_CAP : feature == 2 ? MYR_RIM_LEFT : MYR_RIM_RIGHT;
    slot->rim_radius = g->size[0];
    slot->half = h;
    slot->axis[2] = slot->side[0] = 1.0;
}

const myr_geom_kind myr_geom_cylinder = {
    .n_slots = 4, .is_closed = 1, .first_axis = 2, .on_map = MYR_SLOT_SPIKES, .hold = hold, .farthest = farthest, .place = place};
