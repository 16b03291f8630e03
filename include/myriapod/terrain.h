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

#include "batch.h"
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
    int patch_levels, patch_columns; /* of a generated map: its patches are levels (along x) x columns (along y); else 0 */
    double resampled_m;              /* of a map read from a mesh: the largest height between the two surfaces [m]; else 0 */
} myr_terrain_info;
/* What a map is; all 0 where terrain is NULL. */
MYR_API void myr_terrain_get_info(const myr_terrain *terrain, myr_terrain_info *info);

/* Height [m] of the ground at n places xy (n, 2) [m], and its normal (n, 3), which may be NULL: of the triangle or pillar there. */
MYR_API myr_status myr_terrain_height(const myr_terrain *terrain, int64_t n, const double *xy, double *height, double *normal);

/* Heights [m] of all samples into out (nx, ny). */
MYR_API myr_status myr_terrain_samples(const myr_terrain *terrain, float *out);
/* Kinds of all blocks into out (blocks of x, blocks of y): 1: columns. */
MYR_API myr_status myr_terrain_kinds(const myr_terrain *terrain, uint8_t *out);

/* ---- generated maps ----
 * A plan says what a map is made of: square patches, `levels` rows of them along x and `columns` along y, and a level border around. All
 * patches of a column are of one kind, and their difficulty grows with the level. docs/terrain.md has the kinds and profiles. */

#define MYR_TERRAIN_KINDS 16 /* of a plan at most */

/* One kind of patch: its share of the columns, and its measures. What a kind does not use is ignored.
 *   kind       `from` and `to`              platform_m  border_m  width_m          range_m         count   others
 *   flat
 *   slope      slope; negative: a hollow    yes         yes
 *   rough      slope, as of `slope`         yes         yes                        noise [m]               noise_step_m, lattice_m
 *   waves      height [m]                               yes                                        waves
 *   stairs     riser [m]; negative: down    yes         yes       of a step
 *   obstacles  height [m]                   yes                                    sides [m]       number
 *   boxes      height [m]                   yes                   of a box
 *   stones     side of a stone [m]          yes                   between stones                           depth_m
 *   gap        width of the moat [m]        yes                                                            depth_m
 *   pit        depth [m]                    yes */
typedef struct myr_terrain_kind {
    char kind[MYR_TERRAIN_NAME];
    double share;        /* >= 0; shares are divided by their sum */
    double from, to;     /* the measure at difficulty 0 and 1, linear between */
    double platform_m;   /* side of the level square in the middle of the patch */
    double border_m;     /* rim of the patch that stays at 0 */
    double width_m;      /* of a step, of a box, between stones */
    double range_m[2];   /* least and most: of the noise, of the sides of obstacles */
    double noise_step_m; /* between two levels of the noise */
    double lattice_m;    /* between two places of the noise; linear between */
    double depth_m;      /* of what lies between stones, and of the moat */
    int count;           /* of obstacles; of waves on a patch's side */
} myr_terrain_kind;

/* What a map is generated from. Fill with myr_terrain_plan_default() or myr_terrain_plan_named() first. A patch has a multiple of
 * MYR_TERRAIN_BLOCK samples on a side, and the border is rounded up to one, so that a block lies in one patch and is of one kind. */
typedef struct myr_terrain_plan {
    int levels, columns;   /* of patches along x and along y, from 1 */
    double patch_m;        /* side of a patch; a whole number of blocks */
    double cell_m, step_m; /* as in myr_terrain_def */
    double border_m;       /* around all patches, level at 0 */
    double spread;         /* 0 .. 1: level i of n has the difficulty (i + spread U) / n, with U uniform in 0 .. 1 by patch */
    int n_kinds;           /* of the list that follows, 1 .. MYR_TERRAIN_KINDS */
    myr_terrain_kind kinds[MYR_TERRAIN_KINDS]; /* column j of n has the kind where j / n + 0.001 falls among the sums of the shares */
} myr_terrain_plan;

/* 10 levels x 20 columns of patches of 8 m, cells of 0.1 m, steps of 5 mm, a border of 8 m, spread 0, and no kind yet. */
MYR_API myr_terrain_plan myr_terrain_plan_default(void);
/* The plan of that name: "legged-gym", "isaac-lab", "mjlab", "flat", "stairs", "rough", "slopes", "stones". MYR_E_ARG: another name, and
 * the message has the nearest one; *plan is what it was. */
MYR_API myr_status myr_terrain_plan_named(const char *profile, myr_terrain_plan *plan);
/* The names that myr_terrain_plan_named knows, by number from 0; NULL past the last. */
MYR_API const char *myr_terrain_profile_name(int index);

/* The map of a plan: heights are whole steps, x = y = 0 is the middle of the patches. The same plan and seed give the same map on every
 * machine: what is drawn is by (seed, patch, number). On failure *out is NULL; MYR_E_ARG names what is out of range; MYR_E_LIMIT: too many
 * samples. Free with myr_terrain_free. */
MYR_API myr_status myr_terrain_generate(const myr_terrain_plan *plan, uint64_t seed, myr_terrain **out);
/* The map of the plan of that name, as it is: myr_terrain_plan_named, then myr_terrain_generate; fails as these do. It is what the settings
 * `terrain` and `terrain-seed` put robots on. */
MYR_API myr_status myr_terrain_generate_named(const char *profile, uint64_t seed, myr_terrain **out);

/* A patch of a generated map. Patches are not part of the map's hash: it is of what a robot feels. */
typedef struct myr_terrain_patch {
    char kind[MYR_TERRAIN_NAME];
    int level, column;
    int i, k;          /* the sample at its centre */
    double at_m[3];    /* that sample, and the highest one within 1 m of it along x and y: an origin for MYR_GROUND_AT */
    double size_m;     /* side */
    double difficulty; /* 0 .. 1 */
} myr_terrain_patch;
/* What lies at a level and column. MYR_E_ARG: the map was not generated, or has fewer; *out is what it was. */
MYR_API myr_status myr_terrain_get_patch(const myr_terrain *terrain, int level, int column, myr_terrain_patch *out);

/* ---- files (docs/terrain-files.md) ------------------------------------------------------------------------------------------------ */

/* What a file does not say of itself. Fill with myr_terrain_read_options_default() first. A .npz says all of it; nothing here acts then. */
typedef struct myr_terrain_read_options {
    double cell_m; /* between two samples [m]; 0: not given, an error where the file needs it */
    double step_m; /* .npy of whole numbers: the height of 1 [m] */
    double low_m,
        high_m; /* .png: heights of value 0 and of the largest value that its depth can hold. .bin: of its least and its largest [m] */
    int origin_i, origin_k; /* as in myr_terrain_def; -1: the middle sample, of a mesh the one at its x = y = 0 where it has that */
    int columns;            /* .npy, .png, .bin: 1: all blocks are columns; 0: fields */
} myr_terrain_read_options;

/* step 5 mm, origin -1, all else 0. */
MYR_API myr_terrain_read_options myr_terrain_read_options_default(void);

/* A map from a file, by the ending of its name:
 *   .npz        what myr_terrain_save writes: all of the map, with the same hash
 *   .npy        an array (nx, ny) of int16, int32 (whole steps within int16), float32 or float64 (metres); little endian, C order
 *   .png        8 or 16 bit grey; a column of the image is one x, and its first row is the largest y
 *   .bin        a height field of MuJoCo: int32 rows, columns, then float32 data; a column is one x, and its first row is the smallest y
 *   .obj, .stl  a mesh, z up: the height at each sample, and the largest height between the two surfaces in myr_terrain_info
 * A mesh must cover its rectangle, and no vertical line may meet it twice: walls, overhangs, closed bodies and holes are refused. options
 * NULL: the default ones. On failure *out is NULL. MYR_E_FILE: it cannot be opened or is not a regular file; MYR_E_FORMAT: what is wrong
 * with it, and where; MYR_E_LIMIT: more samples than a map may have, found before room is made for them; MYR_E_ARG: an option. The message
 * names the file. */
MYR_API myr_status myr_terrain_read(const char *path, const myr_terrain_read_options *options, myr_terrain **out);

/* All of a map into one .npz, which numpy.load reads: `version` 1; `steps` int16 or `heights_m` float32 (nx, ny); `cell_m`; `step_m` with
 * steps; `origin` (i, k); `columns` uint8 (blocks of x, blocks of y); `friction` likewise, where the map has it. The path never holds half
 * a file. MYR_E_ARG: the name does not end in .npz; MYR_E_FILE: it cannot be written. */
MYR_API myr_status myr_terrain_save(const myr_terrain *terrain, const char *path);

#define MYR_TERRAIN_NOTE 1024  /* bytes of a note, its 0 included */
#define MYR_TERRAIN_BOXES 1000 /* of an MJCF at most */

/* The same ground for MuJoCo: an MJCF at `path`, which ends in .xml, whose world holds it where the map has it; <include> puts it beside a
 * robot. A map of columns alone that is at most MYR_TERRAIN_BOXES level rectangles becomes boxes, and their walls stay vertical. Any other
 * map becomes an <hfield>, its heights in a binary file of the same name that ends in .bin. note (NULL: not wanted) gets what is lost, ""
 * if nothing is, and the file has it in a comment: walls of columns become slopes over one cell, and factors on friction are left out. In
 * MuJoCo the ground ends at the map's border. MYR_E_ARG: the name; MYR_E_FILE: a file cannot be written. */
MYR_API myr_status myr_terrain_export_mjcf(const myr_terrain *terrain, const char *path, char note[MYR_TERRAIN_NOTE]);

/* The first height field of an MJCF's world as a map of fields: level, not turned, at any place and height. Its data is PNG, MuJoCo's
 * binary or `elevation`. myr_model_open leaves height fields out, with a warning; myr_model_on puts the model on this one. A sample lies at
 * x = y = 0: where the field has none there, the map is moved by at most half a cell. Cells that are not square are resampled
 * (myr_terrain_info has by how much). note (NULL: not wanted) gets all that differs from MuJoCo's ground, by name: that move, the
 * resampling, other height fields, planes; "" if nothing does. On failure *out is NULL. MYR_E_FILE, MYR_E_FORMAT, MYR_E_LIMIT: as
 * myr_terrain_read, with file, line and element; MYR_E_FORMAT also: there is no such field, or x = y = 0 lies outside of it. */
MYR_API myr_status myr_terrain_from_mjcf(const char *path, char note[MYR_TERRAIN_NOTE], myr_terrain **out);

/* The model on a map in place of its plane: all else is the same, and shared. A ball (a sphere, an end of a capsule) has two contact slots
 * there, as it may touch a floor and a wall at once; a capsule two more, between its ends; boxes, cylinders and hulls four, for vertices of
 * the map. So slots have other numbers than on the plane (docs/models.md, Slots). The setting `ground` is the height of the map's 0. A
 * model that is on a map already is put on this one. On failure *out is NULL. MYR_E_ARG: a ball is larger than the map's cells allow, and
 * the message says with which it would do. MYR_E_MEMORY. */
MYR_API myr_status myr_model_on(const myr_model *model, const myr_terrain *terrain, myr_model **out);
/* The map that a model is on; NULL: a plane. It is the model's. */
MYR_API const myr_terrain *myr_model_terrain(const myr_model *model);

/* ---- scans: the ground below points that go along with a robot (docs/terrain-scan.md) ---------------------------------- */

/* Which height a point has. On a plane all four are the same. */
typedef enum myr_scan_kind {
    MYR_SCAN_EXACT,    /* of what robots touch: the triangle or pillar there */
    MYR_SCAN_BILINEAR, /* between the four samples of the cell; of columns, too */
    MYR_SCAN_MIN3,     /* the least of samples (i, k), (i + 1, k), (i, k + 1) of the cell: legged_gym's */
    MYR_SCAN_NEAREST   /* of the nearest sample */
} myr_scan_kind;

/* How points lie about the place, which is the origin of the base or frame: x ahead, where its x axis points to, seen from above; y to the
 * left of that; z is the world's. Where the x axis stands upright, ahead is the world's x. */
typedef enum myr_scan_shape {
    MYR_SCAN_GRID, /* nx x ny points, y fast */
    MYR_SCAN_RING, /* n points, the first one ahead, then to the left */
    MYR_SCAN_LIST  /* n points as given */
} myr_scan_shape;

/* Which number a point gives. */
typedef enum myr_scan_value {
    MYR_SCAN_HEIGHT,   /* the ground's world z there [m]: that of the map from the environment's origin on, and the setting `ground` */
    MYR_SCAN_CLEARANCE /* by how much the place is above that [m] */
} myr_scan_value;

#define MYR_SCAN_BASE (-1)    /* the base of the model's first tree: its floating root, or the world's origin where it is fixed */
#define MYR_SCAN_MOST 4096    /* points at most */
#define MYR_SCAN_FARTHEST 100 /* how far from the place a point may be, along x and along y [m] */

/* Fill with myr_scan_default() first. What the shape does not name is not looked at. */
typedef struct myr_scan {
    myr_scan_kind kind;
    myr_scan_shape shape;
    myr_scan_value value;
    int least;            /* 1: of all points' values the least one alone */
    int frame;            /* whose place: MYR_SCAN_BASE, or a frame of the model (myr_model_find_frame) */
    int nx, ny;           /* grid: points along x and y, */
    double cell_m;        /* between two of them, above 0, */
    double x_m, y_m;      /* its middle */
    int n;                /* ring, list: points */
    double radius_m;      /* ring: above 0 */
    const double *points; /* list: (n, 2) x, y [m]; read by the calls alone */
} myr_scan;

/* legged_gym's: 17 x 11 points about the base, 0.1 m apart, x -0.8 .. 0.8, y -0.5 .. 0.5; exact heights. For a ring: 6 points, 0.03 m. */
MYR_API myr_scan myr_scan_default(void);
/* How many points a scan has; 0 where that is less than 1 or more than MYR_SCAN_MOST, or scan is NULL. */
MYR_API int myr_scan_points(const myr_scan *scan);

/* The ground below the points of every environment, as the environments are now: out is the caller's, of `type`, MYR_F32 or MYR_F64, and
 * (envs, points), or (envs) where `least`. mask: (envs) bytes, nonzero: scan it; rows of the others stay as they are. NULL: all. In
 * quarantine, too: of the state that an environment has. One whose pose is not finite gets NaN.
 * Allocates nothing, changes nothing of the batch. Same bits for any thread count, instruction set and company of other environments.
 * MYR_E_ARG: something of the scan is out of range, and the message says what may be; out is as it was then. MYR_E_STATE: there is
 * no ground (setting `ground`). */
MYR_API myr_status myr_batch_scan(myr_batch *batch, const myr_scan *scan, const uint8_t *mask, myr_type type, void *out);

#ifdef __cplusplus
}
#endif
#endif
