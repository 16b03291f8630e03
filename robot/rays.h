/* Rays as lane code takes them: origins and directions, the shapes of the model, and where the answers go. */
#ifndef MYR_ROBOT_RAYS_H
#define MYR_ROBOT_RAYS_H

#include "myriapod/rays.h"

/* A geom of the model as rays see it: about the middle of a box that holds it. Its numbers are double; lanes round them. */
typedef struct myr_ray_shape {
    int body, tree; /* -1: fixed to the world */
    int world;      /* which of those fixed to the world; -1: it moves */
    myr_geom_type type;
    double at[3], turn[9];     /* in the body's ALIGNED frame: middle; its axes -> body, row-major */
    double middle[3];          /* of one fixed to the world: from its position to there */
    double size[3], reach;     /* reach: of a ball that holds it */
    int n_planes;              /* hull: */
    const double (*planes)[4]; /* outward normal and distance from the middle of each face */
} myr_ray_shape;

/* All geoms of a model, in its order. */
typedef struct myr_ray_shapes {
    int n;
    const myr_ray_shape *shape;
} myr_ray_shapes;

/* Room of a worker for where the shapes are, in bytes; of any precision and instruction set. */
static inline size_t myr_ray_room(int shapes) { return (size_t)shapes * 12 * 64; }

struct myr_ray_job {
    const myr_rays_options *options;
    const myr_ray_shapes *shapes; /* NULL: none is looked for */
    int rays;
    const double *origin, *direction; /* origin NULL: zeros */
    void *distance, *normal;          /* normal, geom: NULL: not wanted */
    int32_t *geom;
};

#endif
