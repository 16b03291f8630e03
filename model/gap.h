/* How far two shapes are apart, one pair at a time and in double: what loading asks of many pairs. The step has its own, in lanes
 * (collision/gjk.lane.h). */
#ifndef MYR_MODEL_GAP_H
#define MYR_MODEL_GAP_H

#include "model.h"
#include "base/rotation.h"

/* A geom as the search sees it: a core, and how much rounding lies around it. `pose`: of the geom's frame, in any common frame. */
typedef struct myr_shape {
    const myr_geom *geom;
    double radius;            /* of the rounding */
    double center[3], reach;  /* of a ball that holds all of it, geom's frame */
    double position[3], R[9]; /* in the ALIGNED frame of its body, or in the world */
    myr_pose pose;
} myr_shape;

typedef struct myr_gap {
    double gap;              /* [m]; at or below 0 they touch or overlap, and the rest says nothing */
    int is_bound;            /* 1: it is at least so much, and more than was asked for */
    double normal[3];        /* from b into a */
    double at_a[3], at_b[3]; /* of the cores, where these are nearest */
} myr_gap;

/* What does not depend on the pose. `align`: of the geom's body, NULL for the world's. */
void myr_shape_make(const myr_geom *geom, const double *align, myr_shape *shape);

/* Distances of more than `enough` need no more than a lower bound. */
void myr_shape_gap(const myr_shape *a, const myr_shape *b, double enough, myr_gap *out);

/* By how much one of two that overlap has to be moved until they do not; 0: they do not. It may be found too large, where the least way out
 * is not near to any of the directions that are tried. */
double myr_shape_overlap(const myr_shape *a, const myr_shape *b);

#endif
