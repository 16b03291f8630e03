/* Rays: how far away something is along given directions, and what it is. Lidars, depth cameras, range finders (docs/rays.md).
 *
 * A ray meets a surface at the least distance >= 0 at which a point of it lies there. Closed shapes (sphere, capsule, cylinder, box, hull)
 * are seen from both sides: a ray that begins within one sees where it leaves. The ground, plane or map, is seen from above alone. */
#ifndef MYRIAPOD_RAYS_H
#define MYRIAPOD_RAYS_H

#include <stdint.h>

#include "batch.h"
#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MYR_RAYS_WORLD (-1)    /* a frame: the world's */
#define MYR_RAYS_MOST 65536    /* rays of an environment in one call at most */
#define MYR_RAYS_FARTHEST 1000 /* range, and of an origin's numbers, at most [m] */

/* Along which axes the directions, and the origins from the frame's origin on, are given. */
typedef enum myr_rays_axes {
    MYR_RAYS_FRAME_AXES,   /* the frame's: they turn with it in every way */
    MYR_RAYS_HEADING_AXES, /* z the world's, x where the frame's x axis points to, seen from above (terrain.h, scans) */
    MYR_RAYS_WORLD_AXES
} myr_rays_axes;

/* Which geoms a ray passes through beside those that are not looked for. */
typedef enum myr_rays_exclude {
    MYR_RAYS_EXCLUDE_NONE,
    MYR_RAYS_EXCLUDE_BODY, /* of `body` */
    MYR_RAYS_EXCLUDE_TREE  /* of all bodies of the tree that `body` is in */
} myr_rays_exclude;

/* What `geom` is where no geom is met. */
enum { MYR_RAYS_GROUND = -1, MYR_RAYS_NOTHING = -2 };

/* Fill with myr_rays_options_default() first. */
typedef struct myr_rays_options {
    int frame;          /* MYR_RAYS_WORLD, or a frame of the model (myr_model_find_frame) */
    myr_rays_axes axes; /* of a frame */
    int ground, shapes; /* 1: looked for: the plane or map; the model's geoms, those fixed to the world too, whether or not they touch */
    myr_rays_exclude exclude; /* among the geoms */
    int body;                 /* of the model; -1: those fixed to the world */
    int own_rays;             /* 0: all environments have the same rays, (rays, 3); 1: each has its own, (n, rays, 3) */
    double range_m;           /* what is farther away is not seen, above 0 and at most MYR_RAYS_FARTHEST */
    myr_type type;            /* of `distance` and `normal`, MYR_F32 or MYR_F64 */
} myr_rays_options;

/* World frame, the ground and all geoms, nothing excluded, the same rays for all, 100 m, MYR_F32. */
MYR_API myr_rays_options myr_rays_options_default(void);

/* Cast `rays` rays (1 .. MYR_RAYS_MOST) in each of n environments ids[i] (NULL: 0 .. n - 1), as the environments are now; in quarantine,
 * too. Arrays are row-major and the caller's.
 *   origin     (rays, 3) or (n, rays, 3) [m] in the frame; NULL: its origin
 *   direction  likewise, of any length
 *   distance   (n, rays) out [m] of `type`: INFINITY where nothing is met; NaN where the frame's pose is not finite
 *   normal     (n, rays, 3) out, world axes, of `type`, nullable: out of the shape, up from the ground; 0 where nothing is met
 *   geom       (n, rays) out, nullable: which of the model's geoms, MYR_RAYS_GROUND, MYR_RAYS_NOTHING
 * Changes nothing of the batch; the first call that looks for geoms makes a table of them, and no other allocates. Same bits for any thread
 * count, instruction set and company of other environments.
 * MYR_E_ARG: an option or an id is out of range, an origin or a direction is not finite, a direction is zero; the message says which, and
 * nothing is written. MYR_E_MEMORY: for the table. */
MYR_API myr_status myr_batch_rays(myr_batch *batch, const int64_t *ids, int64_t n, int rays, const double *origin, const double *direction,
                                  const myr_rays_options *options, void *distance, void *normal, int32_t *geom);

/* ---- patterns: rays as sensors have them ------------------------------------------------------------------------------- */

typedef enum myr_ray_kind {
    MYR_RAYS_GRID,   /* nx x ny parallel rays along -z, cell_m apart about (x_m, y_m), y fast, both rising */
    MYR_RAYS_RING,   /* n parallel rays along -z on a circle of radius_m: the first one at +x, then to the left */
    MYR_RAYS_LIDAR,  /* rows x columns from the origin, columns fast: row by row of elevation, upwards, in each the azimuth to the left */
    MYR_RAYS_PINHOLE /* height x width from the origin, the upper left pixel first: along -z, +x to the right, +y up, as MuJoCo's cameras */
} myr_ray_kind;

/* Fill with myr_ray_pattern_default() first. What the kind does not name is not looked at. Angles in rad. */
typedef struct myr_ray_pattern {
    myr_ray_kind kind;
    int nx, ny;          /* grid */
    double cell_m;       /* grid: above 0 */
    double x_m, y_m;     /* grid: its middle */
    int n;               /* ring */
    double radius_m;     /* ring: above 0 */
    int rows, columns;   /* lidar */
    double elevation[2]; /* lidar: of the first and the last row, above the xy plane; one row: in the middle */
    double azimuth[2];   /* lidar: of the first column, and where the turn ends; columns divide the way from there to here, and the last one
                            lies one part before it */
    int width, height;   /* pinhole: pixels; rays go through their centres */
    double fovy;         /* pinhole: angle of view from the lower to the upper edge, above 0 and below pi */
} myr_ray_pattern;

/* grid of 17 x 11, 0.1 m apart; ring of 6, 0.03 m; lidar of 16 x 360, elevation -15 to 15 degrees, azimuth -pi to pi; pinhole of 32 x 24,
 * 60 degrees. */
MYR_API myr_ray_pattern myr_ray_pattern_default(myr_ray_kind kind);
/* How many rays it has; 0 where that is less than 1 or more than MYR_RAYS_MOST, or pattern is NULL. */
MYR_API int myr_ray_pattern_count(const myr_ray_pattern *pattern);
/* Its rays: origin (count, 3) [m], nullable, and direction (count, 3), unit vectors. MYR_E_ARG: something is out of range. */
MYR_API myr_status myr_ray_pattern_rays(const myr_ray_pattern *pattern, double *origin, double *direction);

#ifdef __cplusplus
}
#endif
#endif
