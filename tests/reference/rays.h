/* Rays in double, written from their definition and by brute force: what the lanes' rays are to be judged by.
 *
 * A ray meets a surface at the least t >= 0 at which origin + t direction lies on it. Closed shapes are seen from both sides, so a ray that
 * begins inside sees where it leaves. A plane and a map are seen from above alone: the direction and the normal point against each other.
 */
#ifndef MYR_TESTS_REFERENCE_RAYS_H
#define MYR_TESTS_REFERENCE_RAYS_H

#include <stdint.h>

enum { REF_RAY_PLANES = 2048 }; /* of a hull at most */

typedef struct ref_ray {
    double origin[3], direction[3]; /* the direction of length 1 */
} ref_ray;

/* distance: infinity where nothing is met. normal: out of the shape. */
typedef struct ref_ray_hit {
    double distance, normal[3];
} ref_ray_hit;

typedef enum ref_ray_type { REF_RAY_SPHERE, REF_RAY_CAPSULE, REF_RAY_CYLINDER, REF_RAY_BOX, REF_RAY_HULL } ref_ray_type;

typedef struct ref_ray_shape {
    ref_ray_type type;
    double at[3], turn[9];     /* its axes -> world, row-major */
    double size[3];            /* radius | radius, half length along z | half lengths */
    const double (*planes)[4]; /* hull: outward normal and offset of each face */
    int n_planes;
} ref_ray_shape;

/* Sample (i, k) is at x0 + i cell, y0 + k cell; beyond the border the nearest sample goes on. Kinds by blocks of `block` samples, 1:
 * columns; what is near goes by the block of the nearest sample. Where the height jumps there is a wall. */
typedef struct ref_ray_map {
    int nx, ny, block, blocks_y;
    double cell, x0, y0;
    const double *height;   /* (nx, ny) [m] */
    const uint8_t *columns; /* (blocks of x, blocks of y) */
} ref_ray_map;

/* Planes of all faces of the hull of n points, (n, 3); a face of more corners comes more than once. Returns how many. */
int ref_ray_planes(const double *points, int n, double planes[REF_RAY_PLANES][4]);
ref_ray_hit ref_ray_shape_hit(const ref_ray_shape *shape, const ref_ray *ray);
ref_ray_hit ref_ray_plane_hit(const double at[3], const double normal[3], const ref_ray *ray);
/* Up to `range` away. */
ref_ray_hit ref_ray_map_hit(const ref_ray_map *map, const ref_ray *ray, double range);

#endif
