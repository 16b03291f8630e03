/* The ground as a map of heights: an array, or a generated one with patches by kind and level.
 *
 *     myr_terrain_create(&def, &terrain)
 *     myr_model_on(model, terrain, &on_map)      batches of on_map walk on it
 *
 * Units SI, world z up. Sample (i, k) lies at x = (i - origin_i) cell, y = (k - origin_k) cell. Beyond the border the height of the nearest
 * sample of the border goes on. The ground is solid below its surface: what is under it is pushed up, however deep.
 *
 * A map consists of blocks of MYR_TERRAIN_BLOCK x MYR_TERRAIN_BLOCK samples. A block is one of two kinds:
 *   field    triangles between samples: the cell from sample (i, k) to (i + 1, k + 1) is cut along the line between these two, as MuJoCo's
 *   columns  each sample is a pillar with vertical walls, the square of side `cell` around it: stairs, stones, gaps
 * What is near decides by the block of the sample that is nearest to it. Threads: any may read a map; none may write one. */
#ifndef MYRIAPOD_TERRAIN_H
#define MYRIAPOD_TERRAIN_H

#include <stdint.h>

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_terrain myr_terrain;

#define MYR_TERRAIN_BLOCK 8
#define MYR_TERRAIN_SIDE 16384        /* samples along x, and along y, at most */
#define MYR_TERRAIN_SAMPLES (1 << 26) /* samples of a map at most */
#define MYR_TERRAIN_RANGE_M 64        /* how far from its origin a robot may go, along x and along y [m] */
#define MYR_TERRAIN_NAME 16

/* What a map is made of. Fill with myr_terrain_def_default() first. Arrays are copied; y is the fast index. */
typedef struct myr_terrain_def {
    int nx, ny;              /* samples along x and y, 2 .. MYR_TERRAIN_SIDE */
    double cell_m;           /* between two samples, 1 mm .. 100 m */
    double step_m;           /* unit of `steps`: 1 um .. 1 m; 5 mm */
    const int16_t *steps;    /* (nx, ny) heights in whole steps; NULL: heights_m */
    const float *heights_m;  /* (nx, ny) heights, within 10 km; NULL: steps */
    int origin_i, origin_k;  /* the sample at x = y = 0; -1: the middle one, (nx - 1) / 2 and (ny - 1) / 2 */
    const uint8_t *columns;  /* (blocks of x, blocks of y): 1: columns, 0: a field. NULL: all are fields */
    const uint8_t *friction; /* (blocks of x, blocks of y): factor on the friction coefficient, in 128ths. NULL: 1 */
} myr_terrain_def;

/* step 5 mm, origin in the middle, all else 0. */
MYR_API myr_terrain_def myr_terrain_def_default(void);

/* A map. On failure *out is NULL; MYR_E_ARG names what is out of range, and the sample that is not finite; MYR_E_LIMIT: too many samples.
 * Free with myr_terrain_free; a model on it holds a reference of its own. */
MYR_API myr_status myr_terrain_create(const myr_terrain_def *def, myr_terrain **out);
MYR_API void myr_terrain_free(myr_terrain *terrain); /* NULL is fine */

typedef struct myr_terrain_info {
    int nx, ny, origin_i, origin_k;
    int blocks_x, blocks_y;
    int is_whole; /* heights are whole steps */
    int has_fields, has_columns;
    double cell_m, step_m;      /* step_m 0: heights are floats */
    double lowest_m, highest_m; /* of all samples */
    uint64_t hash;              /* of all that a robot may feel: maps of one hash are one ground */
    size_t bytes;
} myr_terrain_info;
/* What a map is; all 0 where terrain is NULL. */
MYR_API void myr_terrain_get_info(const myr_terrain *terrain, myr_terrain_info *info);

/* Height [m] of the ground at n places xy (n, 2) [m], and its normal (n, 3), which may be NULL: of the triangle or pillar there. */
MYR_API myr_status myr_terrain_height(const myr_terrain *terrain, int64_t n, const double *xy, double *height, double *normal);

/* Heights [m] of all samples into out (nx, ny). */
MYR_API myr_status myr_terrain_samples(const myr_terrain *terrain, float *out);
/* Kinds of all blocks into out (blocks of x, blocks of y): 1: columns. */
MYR_API myr_status myr_terrain_kinds(const myr_terrain *terrain, uint8_t *out);

/* The model on a map in place of its plane: all else is the same, and shared. A ball (a sphere, an end of a capsule) has two contact slots
 * there, as it may touch a floor and a wall at once; so slots have other numbers than on the plane. The setting `ground` is the height of
 * the map's 0. A model that is on a map already is put on this one. On failure *out is NULL. MYR_E_ARG: a ball is larger than the map's
 * cells allow, and the message says with which it would do. */
MYR_API myr_status myr_model_on(const myr_model *model, const myr_terrain *terrain, myr_model **out);

#ifdef __cplusplus
}
#endif
#endif
