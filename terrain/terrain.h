/* A map of heights as the other rooms see it. Immutable after terrain/terrain.c made it. Heights lie in rows of y, with MYR_TERRAIN_EDGE
 * samples more on each side that repeat the border: sample (i, k) is number (i + EDGE) * stride + k + EDGE, and a reader of a few samples
 * around one that is clamped into the edges reads what is there. Blocks likewise, with MYR_TERRAIN_FRAME more on each side. */
#ifndef MYR_TERRAIN_TERRAIN_H
#define MYR_TERRAIN_TERRAIN_H

#include <stdatomic.h>
#include <stdint.h>

#include "model/model.h"
#include "myriapod/terrain.h"

enum { MYR_TERRAIN_FRAME = 2, MYR_TERRAIN_EDGE = MYR_TERRAIN_FRAME * MYR_TERRAIN_BLOCK };
#define MYR_TERRAIN_REACH 4.0 /* the largest ball, in cells (collision/wide.lane.h) */

struct myr_terrain {
    atomic_int references;
    int nx, ny, origin_i, origin_k;
    int stride;        /* from a sample to the next along x */
    int block_stride;  /* likewise, of blocks */
    double cell, step; /* [m]; step: of one unit of height, 1 where these are floats */
    int16_t *steps;    /* NULL: heights */
    float *heights;    /* [m]; NULL: steps */
    uint8_t *columns;  /* by block: 1: columns */
    uint8_t *friction; /* by block, 128ths; NULL: 1 everywhere */
    float (*range)[2]; /* by block: the lowest and the highest sample of it and of the eight around it, in steps or metres */
    void *around;      /* by sample: the lowest and the highest of it and of the eight around it; two int16_t or two floats */
    uint8_t *sharp;    /* by sample, a bit each: its vertex sticks into what lies over it (terrain/sharp.c) */
    uint8_t *spiky;    /* by block: 1: it has such samples */
    int has_fields, has_columns, has_sharp;
    double lowest, highest; /* [m] */
    uint64_t hash;
    size_t bytes;
    int levels, patch_columns;  /* 0: the map was not generated */
    myr_terrain_patch *patches; /* (levels, patch_columns) */
    double resampled;           /* [m] from a mesh: how far from its surface; else 0 */
};

myr_terrain *myr_terrain_retain(const myr_terrain *terrain);

/* Boxes, cylinders and hulls that touch the ground (flats.c): vertices of a map may stick into them. */
int myr_is_flat(const myr_geom *geom);
/* Fills flats of a model whose slots are those on a map. */
myr_status myr_find_flats(myr_model *model);

static inline int myr_terrain_is_generated(const myr_terrain *terrain) { return terrain && terrain->levels > 0; }
static inline const myr_terrain_patch *myr_terrain_patch_at(const myr_terrain *t, int level, int column) {
    return &t->patches[level * t->patch_columns + column];
}

/* Fills sharp and spiky, which are 0, of a map whose frame has so many rows. */
void myr_terrain_find_sharp(myr_terrain *terrain, int rows);

/* Where environment `env` begins its first episode on a generated map: columns in turns, the level uniform among the first so many by
 * (seed, env). By its own number alone: splitting a batch changes nothing. */
void myr_terrain_start(const myr_terrain *terrain, int64_t env, uint64_t seed, int first_levels, int *level, int *column);
/* The middle of a patch as MYR_ROWS_ground_at has it: samples, and units of height. */
void myr_terrain_origin(const myr_terrain *terrain, int level, int column, double at[3]);
/* The highest sample within `half` samples of (i, k) along both axes, in units. */
double myr_terrain_highest(const myr_terrain *terrain, int i, int k, int half);

/* A place in metres, as MYR_GROUND_AT has it, to the nearest sample and unit of height there, and back. What is not finite becomes
 * no number; places end a million samples from the first. */
void myr_terrain_place(const myr_terrain *terrain, double at[3]);
void myr_terrain_metres(const myr_terrain *terrain, double at[3]);

/* Number of sample (i, k), and of the block that it lies in; i and k from -EDGE to n + EDGE - 1. */
static inline int myr_terrain_at(const myr_terrain *t, int i, int k) { return (i + MYR_TERRAIN_EDGE) * t->stride + k + MYR_TERRAIN_EDGE; }
static inline int myr_terrain_block(const myr_terrain *t, int i, int k) {
    return (i + MYR_TERRAIN_EDGE) / MYR_TERRAIN_BLOCK * t->block_stride + (k + MYR_TERRAIN_EDGE) / MYR_TERRAIN_BLOCK;
}
/* Height of a sample by its number, in steps or metres. */
static inline double myr_terrain_unit(const myr_terrain *t, int at) { return t->steps ? (double)t->steps[at] : (double)t->heights[at]; }

#endif
