/* What solids other than spheres meet on a map, in double and by brute force, by the law of collision/map_capsule.lane.h. */
#ifndef MYR_TESTS_REFERENCE_TERRAIN_SOLIDS_H
#define MYR_TESTS_REFERENCE_TERRAIN_SOLIDS_H

#include "terrain.h"

/* A contact of a capsule between its ends: where on the axis (0 .. 1), its distance from an edge of the map, out of the ground. */
typedef struct ref_middle {
    double share, distance, normal[3];
} ref_middle;

/* On half 0 or 1 of the axis from a to b: of the map's edges that it crosses, seen from above, and that rise over the chord between the
 * ground below both ends by more than 1e-4 of its length, the one over which it is the least high; closest points of it and the axis. Where
 * the axis is under it: the lines', the normal upwards. 0: there is none, or the closest point of the axis is an end. */
int ref_terrain_middle(const ref_terrain *t, const double a[3], const double b[3], int half, ref_middle *out);

/* How far a segment that does not meet a field is from it. */
double ref_terrain_rod(const ref_terrain *t, const double a[3], const double b[3]);

#endif
