/* The convex hull of points, each of them a corner, and each a slot: so many of them that slots at fixed corners would be too many have
 * MYR_HULL_SLOTS, at corners that the step chooses (model/hulls.c). */
#include <math.h>

#include "model/geoms.h"
#include "base/rotation.h"

static void hold_box(const myr_geom *g, myr_hold *out) {
    for (int k = 0; k < 3; k++) {
        double low = g->points[k], high = low;
        for (int i = 1; i < g->n_points; i++) {
            const double x = g->points[3 * i + k];
            low = x < low ? x : low, high = x > high ? x : high;
        }
        out->center[k] = 0.5 * (low + high), out->half[k] = 0.5 * (high - low);
    }
}

/* The ball, and the thinnest extent between the planes of its faces; before it has faces there is none. */
static void hold_ball(const myr_geom *g, myr_hold *out) {
    double reach2 = 0.0;
    out->least = 1e30;
    for (int i = 0; i < g->n_points; i++) {
        double d2 = 0.0;
        for (int k = 0; k < 3; k++) d2 += (g->points[3 * i + k] - out->center[k]) * (g->points[3 * i + k] - out->center[k]);
        reach2 = d2 > reach2 ? d2 : reach2;
    }
    for (int f = 0; f < g->n_faces; f++) {
        double low = 1e30;
        for (int i = 0; i < g->n_points; i++) low = fmin(low, myr_dot3(g->faces[f].normal, g->points + 3 * i));
        out->least = fmin(out->least, 0.5 * (g->faces[f].offset - low));
    }
    out->reach = sqrt(reach2);
}

/* The capsule of least volume, of those along its axes about its middle, that holds it. */
static void hold_rod(const myr_geom *g, myr_hold *out) {
    double least = 1e30;
    for (int axis = 0; axis < 3; axis++) {
        double radius2 = 0.0, half = 0.0;
        for (int pass = 0; pass < 2; pass++) /* its radius, then its length */
            for (int i = 0; i < g->n_points; i++) {
                double x[3], across2 = 0.0;
                for (int k = 0; k < 3; k++) x[k] = g->points[3 * i + k] - out->center[k], across2 += k == axis ? 0.0 : x[k] * x[k];
                if (!pass) {
                    radius2 = across2 > radius2 ? across2 : radius2;
                    continue;
                }
                const double beyond = fabs(x[axis]) - sqrt(radius2 - across2);
                half = beyond > half ? beyond : half;
            }
        const double radius = sqrt(radius2), volume = radius2 * (half + 2.0 / 3 * radius);
        if (volume < least) least = volume, out->rod_axis = axis, out->rod_half = half, out->rod_radius = radius;
    }
}

static void hold(const myr_geom *g, myr_hold *out) {
    *out = (myr_hold){.rod_axis = 2};
    hold_box(g, out);
    hold_ball(g, out);
    hold_rod(g, out);
}

static void farthest(const myr_geom *g, const double n[3], double at[3]) {
    int best = 0;
    double most = myr_dot3(g->points, n);
    for (int i = 1; i < g->n_points; i++) {
        const double here = myr_dot3(g->points + 3 * i, n);
        if (here > most) most = here, best = i;
    }
    myr_copy3(at, g->points + 3 * best);
}

static void place(const myr_geom *g, int feature, myr_slot *slot) { myr_copy3(slot->center, g->points + 3 * feature); }

const myr_geom_kind myr_geom_hull = {
    .n_slots = 0, .first_axis = 0, .on_map = MYR_SLOT_SPIKES, .hold = hold, .farthest = farthest, .place = place};
