/* The ground as a map, in double and by brute force: what the lanes are to be judged by.
 *
 * A map is heights on a square lattice; sample (i, k) is at x0 + i cell, y0 + k cell, and beyond the border the nearest sample's height
 * goes on. A field is triangles: cell (i, k) is cut from (i, k) to (i + 1, k + 1), as MuJoCo cuts it. Columns are pillars: sample (i, k) is
 * the square of side `cell` around it, with vertical walls. Both are solid below. */
#ifndef MYR_TESTS_REFERENCE_TERRAIN_H
#define MYR_TESTS_REFERENCE_TERRAIN_H

typedef struct ref_terrain {
    int nx, ny, columns;  /* columns: 0: a field */
    double cell, x0, y0;  /* [m] */
    const double *height; /* nx x ny, i slow [m] */
} ref_terrain;

/* A contact of a sphere: distance of its surface (+: apart), and the direction out of the ground. */
typedef struct ref_ground_contact {
    double distance, normal[3];
} ref_ground_contact;

/* Height of the ground at (x, y), and its normal there (nullable). */
double ref_terrain_height(const ref_terrain *t, double x, double y, double normal[3]);
/* By the closest point of the surface; where the centre is under it, by the closest way out. */
ref_ground_contact ref_terrain_sphere(const ref_terrain *t, const double center[3], double radius);
/* The second contact of a sphere on a field, in a valley: of the faces whose foot lies inside and is within the radius, the nearest whose
 * normal is more than 20 degrees off the first. 0: there is none. */
int ref_terrain_second(const ref_terrain *t, const double center[3], double radius, const double first[3], ref_ground_contact *second);

#endif
