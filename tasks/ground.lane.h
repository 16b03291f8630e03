/* What tasks have to do with a map: how high the ground is below a robot, where the map ends, and the patches of a generated one: where an
 * episode starts on it, and the level on which the next one does (the curriculum of Rudin 2022, legged_gym). */
#ifndef MYR_TASKS_GROUND_LANE_H
#define MYR_TASKS_GROUND_LANE_H

#include "robot/ground.lane.h"
#include "robot/workspace.lane.h"
#include "tasks/draw.lane.h"
#include "terrain/curriculum.h"

#define GROUND_STANCE 0.5 /* a robot at its start stands within so much of its base, along x and y [m] */

/* Height of the ground below the first base, above that of the plane or of the map's 0 [m]. */
static inline vf ground_below_base(const part *p) {
    if (!p->r->ground.map) return vf_zero();
    const ground_origin o = ground_origin_of(p);
    return ground_height(&p->r->ground, &o, field_rows(p, MYR_ROWS_q)[0], field_rows(p, MYR_ROWS_q)[PARTS]);
}

/* Lanes whose base is beyond the map, or about as far from its origin as a map lets it go. */
static inline vm ground_ends(const part *p) {
    const lane_ground *g = &p->r->ground;
    if (!g->map) return vm_none();
    const ground_origin o = ground_origin_of(p);
    const vf x = field_rows(p, MYR_ROWS_q)[0], y = field_rows(p, MYR_ROWS_q)[PARTS];
    const vf i = vf_fma(vf_set(g->per_cell), x, o.i), k = vf_fma(vf_set(g->per_cell), y, o.k), zero = vf_zero();
    const vf most = vf_set((real)(MYR_TERRAIN_RANGE_M - 1)), nx = vf_set((real)(g->map->nx - 1)), ny = vf_set((real)(g->map->ny - 1));
    const vm beyond = vm_or(vm_or(vm_lt(i, zero), vm_lt(k, zero)), vm_or(vm_gt(i, nx), vm_gt(k, ny)));
    return vm_or(beyond, vm_or(vm_gt(vf_abs(x), most), vm_gt(vf_abs(y), most)));
}

/* The next level by how far the robot came: task.leave. */
static inline void ground_climb(drawing *d) {
    const myr_settings *s = d->options->settings;
    const myr_terrain *t = d->model->terrain;
    if (!s->curriculum || s->episode_s <= 0) return;
    real *level = draw_row(d, MYR_ROWS_patch, 0);
    const int column = (int)*draw_row(d, MYR_ROWS_patch, 1);
    const double x = (double)*draw_row(d, MYR_ROWS_q, 0), y = (double)*draw_row(d, MYR_ROWS_q, 1);
    const double u = (double)*draw_row(d, MYR_ROWS_command, 0), v = (double)*draw_row(d, MYR_ROWS_command, 1);
    const double size = myr_terrain_patch_at(t, 0, 0)->size_m;
    const int next =
        myr_terrain_next_level((int)*level, t->levels, size, sqrt(x * x + y * y), sqrt(u * u + v * v), s->episode_s, (double)draw(d, 0, 1));
    double at[3];
    myr_terrain_origin(t, next, column, at);
    *level = (real)next;
    for (int k = 0; k < 3; k++) *draw_row(d, MYR_ROWS_ground_at, k) = (real)at[k];
}

/* Where on its patch an episode starts: anywhere about the middle, on the highest sample within the stance. */
static inline void ground_start(drawing *d) {
    const myr_terrain *t = d->model->terrain;
    if (!t) return;
    const real spread = myr_terrain_is_generated(t) ? (real)d->options->settings->start_spread : 0;
    real *x = draw_row(d, MYR_ROWS_q, 0), *y = draw_row(d, MYR_ROWS_q, 1);
    if (spread > 0) *x += draw_about_zero(d, (double)spread), *y += draw_about_zero(d, (double)spread);
    const double i = (double)*draw_row(d, MYR_ROWS_ground_at, 0) + (double)*x / t->cell,
                 k = (double)*draw_row(d, MYR_ROWS_ground_at, 1) + (double)*y / t->cell;
    if (!(fabs(i) < 1e8 && fabs(k) < 1e8)) return; /* a place that is NaN, say, stops the robot in its first step */
    const double highest = myr_terrain_highest(t, (int)floor(i + 0.5), (int)floor(k + 0.5), (int)ceil(GROUND_STANCE / t->cell));
    *draw_row(d, MYR_ROWS_q, 2) += (real)(t->step * (highest - (double)*draw_row(d, MYR_ROWS_ground_at, 2)));
}

#endif
