/* Geoms of all types on a map or a plane, and what rays must meet there by the reference: of tests/collision/test_rays*.c. */
#ifndef MYR_TESTS_SUPPORT_RAYS_SCENE_H
#define MYR_TESTS_SUPPORT_RAYS_SCENE_H

#include "batch_scene.h"
#include "random_model.h"
#include "reference/rays.h"

enum { RAYS_MAPS = 5, RAYS_NX = 45, RAYS_NY = 37, RAYS_GEOMS = 24, RAYS_Q = 16, RAYS_BODIES = 3 };
enum { RAYS_PLANE, RAYS_FIELD, RAYS_COLUMNS, RAYS_MIXED, RAYS_FLOATS };
#define RAYS_CELL 0.1         /* [m] */
#define RAYS_GROUND_AT 0.0371 /* the setting `ground` of its batches [m] */
#define RAYS_RANGE 12.0       /* [m] */
extern const char *const rays_maps[RAYS_MAPS];
extern const char *const rays_precisions[2];

/* A free body `robot` with a hinge `arm`, a free body `other` and things fixed to the world; of each a geom of every type. Frame `eye` is
 * on the arm, turned anyhow. */
typedef struct rays_scene {
    int map, n_geoms, eye;
    myr_terrain *terrain; /* NULL: a plane */
    myr_model *model;
    ref_ray_map ground;
    double height[RAYS_NX * RAYS_NY];
    uint8_t columns[36];
    double (*planes)[REF_RAY_PLANES][4]; /* by geom */
    int n_planes[RAYS_GEOMS];
    myr_geom_info geom[RAYS_GEOMS];
} rays_scene;

rays_scene *rays_scene_make(int map);
void rays_scene_free(rays_scene *scene);
myr_settings rays_settings(const char *isa, int precision);
/* A batch of it in which every environment is elsewhere. */
myr_batch *rays_batch(const rays_scene *scene, const char *isa, int precision, int64_t envs, uint64_t seed);

/* Where an environment's bodies, its geoms and its map are, in double. */
typedef struct rays_places {
    double q[RAYS_Q], pose[RAYS_BODIES][7];
    ref_ray_shape shape[RAYS_GEOMS];
    ref_ray_map ground;
    double level; /* of the plane; the map's 0 [m] */
} rays_places;
void rays_where(const rays_scene *scene, const myr_batch *batch, int64_t env, rays_places *places);
/* The scene's frame in the world: position, axes. */
void rays_eye(const rays_scene *scene, const rays_places *places, double at[3], double turn[9]);

typedef struct rays_answer {
    ref_ray_hit hit;
    int geom;
} rays_answer;
rays_answer rays_reference(const rays_scene *scene, const rays_places *places, const ref_ray *ray, const myr_rays_options *options);
/* Fails unless the answer is the reference's within `bound` x steepness, or that of a ray right beside it: on an edge rounding may decide.
 * Returns whether it was one beside. */
int rays_judge(const rays_scene *scene, const rays_places *places, const ref_ray *ray, const myr_rays_options *options, double bound,
               const rays_answer *is, const char *what);

#endif
