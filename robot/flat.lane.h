/* A flat solid on a map: what vertices of the map stick into (collision/map_spikes.lane.h). */
#ifndef MYR_ROBOT_FLAT_LANE_H
#define MYR_ROBOT_FLAT_LANE_H

#include "kernels/lane.h"
#include "model/model.h"

/* A box, cylinder or hull, about the middle of a box that holds it. */
typedef struct lane_flat {
    myr_geom_type type;
    real center[3], turn[9]; /* in the body's aligned frame: from its origin; own axes -> aligned */
    real half[3], radius;    /* of the box around it, and of the ball around that */
    int n_planes;
    const real *planes; /* hull: (n_planes, 4), normal and distance from the middle */
} lane_flat;

#endif
