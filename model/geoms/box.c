/* A box: sizes are half its sides. Slots: its corners; bits of the number are the signs along x, y and z. */
#include <math.h>

#include "model/geoms.h"
#include "base/rotation.h"

/* The rod lies along its longest side. */
static void hold(const myr_geom *g, myr_hold *out) {
    const double *half = g->size;
    *out = (myr_hold){.half = {half[0], half[1], half[2]}, .reach = sqrt(myr_dot3(half, half)), .rod_axis = 2};
    for (int k = 0; k < 3; k++)
        if (half[k] > half[out->rod_axis]) out->rod_axis = k;
    const double a = half[(out->rod_axis + 1) % 3], b = half[(out->rod_axis + 2) % 3];
    out->rod_half = half[out->rod_axis], out->rod_radius = sqrt(a * a + b * b);
    out->least = fmin(half[0], fmin(half[1], half[2]));
}

static void farthest(const myr_geom *g, const double n[3], double at[3]) {
    for (int k = 0; k < 3; k++) at[k] = myr_signed_as(g->size[k], n[k]);
}

static void place(const myr_geom *g, int feature, myr_slot *slot) {
    for (int k = 0; k < 3; k++) slot->center[k] = (feature >> k & 1) ? g->size[k] : -g->size[k];
}

const myr_geom_kind myr_geom_box = {
    .n_slots = 8, .is_closed = 1, .first_axis = 0, .on_map = MYR_SLOT_SPIKES, .hold = hold, .farthest = farthest, .place = place};
