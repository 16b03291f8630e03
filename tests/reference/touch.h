/* How far two shapes are from each other, one pair at a time in double, by other ways than the lanes': nearest points by projection and
 * a search along the capsule's axis; boxes by their fifteen axes in the world and by cutting one polygon to another. */
#ifndef MYR_TESTS_REFERENCE_TOUCH_H
#define MYR_TESTS_REFERENCE_TOUCH_H

#include "model/model.h"

typedef struct reference_shape {
    myr_geom_type type; /* sphere, capsule or box */
    double size[3];     /* as in myr_geom_def */
    double position[3], rotation[9];
} reference_shape;

/* Distance of a point from the shape without its radius (the centre, the axis, the solid box); nearest is on it. */
double reference_core_distance(const reference_shape *shape, const double point[3], double nearest[3]);
double reference_radius(const reference_shape *shape);

/* The same between two shapes, not both boxes; nearest_a is on a's core. */
double reference_cores_distance(const reference_shape *a, const reference_shape *b, double nearest_a[3], double nearest_b[3]);

/* Two boxes: least overlap over the axes (negative; positive: apart), of all fifteen and of the six faces. */
void reference_boxes(const reference_shape *a, const reference_shape *b, double *all, double *faces);

/* Area of the part of a face polygon that lies over another box's face: b's face most opposed to the unit `normal`, which is along an
 * axis of a and points from a to b, cut to that face of a. */
double reference_shared_area(const reference_shape *a, const reference_shape *b, const double normal[3]);

#endif
