/* What solids other than spheres meet on a map, in double and by brute force, by the laws of collision/map_capsule.lane.h
 * and collision/map_spikes.lane.h. */
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

/* A box, a cylinder about its z axis (half: radius, radius, half its length) or a hull by its planes (normal, distance), about its middle.
 */
typedef enum { REF_BOX, REF_CYLINDER, REF_HULL } ref_flat_kind;
typedef struct ref_flat {
    ref_flat_kind kind;
    double half[3], center[3], turn[9]; /* turn: own axes -> world, row-major */
    int n_planes;
    const double (*planes)[4];
} ref_flat;

/* Does vertex (i, k) stick into what lies over it: one of its edges is convex by more than 5 degrees; of columns, pillars of more than one
 * height meet at the corner behind pillar (i, k). */
int ref_terrain_sharp(const ref_terrain *t, int i, int k);
/* How far a place is outside of a solid, and the normal of the solid's surface there. */
double ref_flat_distance(const ref_flat *flat, const double x[3], double normal[3]);

/* The deepest vertex in a quarter of the solid, as seen along its most upright axis; normal: from the ground. */
typedef struct ref_spike {
    int has;
    double distance, normal[3], vertex[3];
} ref_spike;
/* Of the vertices that are no more than `reach` below the lowest point of it. */
void ref_terrain_spikes(const ref_terrain *t, const ref_flat *flat, double reach, ref_spike out[4]);

#endif
