/* The part of a robot that is about vertices of a map that stick into its flat solids (collision/map_spikes.lane.h). Included by
 * robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_FLATS_LANE_H
#define MYR_ROBOT_ROBOT_FLATS_LANE_H

#include "flat.lane.h"

static size_t robot_flats_bytes(const myr_model *m) {
    size_t n = robot_round((size_t)m->n_flats * sizeof(lane_flat));
    for (int i = 0; i < m->n_flats; i++) n += robot_round(4 * (size_t)m->flats[i].n_planes * sizeof(real));
    return n;
}

static void robot_flat(const myr_model *m, const myr_flat *from, real *planes, lane_flat *flat) {
    double radius2 = 0;
    *flat = (lane_flat){.type = m->geoms[from->geom].type, .n_planes = from->n_planes, .planes = planes};
    for (int k = 0; k < 9; k++) flat->turn[k] = (real)from->turn[k];
    for (int k = 0; k < 3; k++) {
        flat->center[k] = (real)from->center[k], flat->half[k] = (real)from->half[k];
        radius2 += from->half[k] * from->half[k];
    }
    flat->radius = (real)__builtin_sqrt(radius2);
    for (int i = 0; i < from->n_planes; i++)
        for (int k = 0; k < 4; k++) planes[4 * i + k] = (real)from->planes[i][k];
}

static void robot_flats(robot *r, char *cursor) {
    const myr_model *m = r->model;
    lane_flat *flats = (lane_flat *)(void *)cursor;
    cursor += robot_round((size_t)m->n_flats * sizeof(lane_flat));
    r->flats = flats;
    for (int i = 0; i < m->n_flats; i++) {
        robot_flat(m, &m->flats[i], (real *)(void *)cursor, &flats[i]);
        cursor += robot_round(4 * (size_t)m->flats[i].n_planes * sizeof(real));
    }
}

#endif
