/* Convex hulls of points. `name` is the geom's, for messages. */
#ifndef MYR_MODEL_HULL_H
#define MYR_MODEL_HULL_H

#include "description.h"

enum { MYR_MAX_POINTS = 4 << 20 };

/* Triangles of the hull, three numbers of points each, counterclockwise from outside; the caller's. */
myr_status myr_hull_triangles(const char *name, const double *points, int n, int **triangles, int *n_triangles);

/* Of n corners of a hull keep `most`, the first *kept of them in their order: in turn the one that is farthest outside of what is kept.
 * *error: the largest distance from a corner to what is kept (hull_reduce.c). */
myr_status myr_hull_reduce(const char *name, double *corners, int n, int most, int *kept, double *error);

/* Faces of the hull of n corners, at most MYR_MAX_CORNERS and all of them corners; the caller's (hull_faces.c). */
myr_status myr_hull_faces(const char *name, const double *corners, int n, myr_face **faces, int *n_faces);

/* Planes of a hull's faces, for what is inside: normal, and distance from `middle`; the caller's. A geom that is in no pair has no faces
 * yet; a needle has none that count: *planes is NULL. */
myr_status myr_hull_planes(const myr_geom *geom, const double middle[3], double (**planes)[4], int *n_planes);

#endif
