/* Maps that scans are taken of, robots on them, and what a scan must see there by the reference: of tests/collision/test_scan*.c. */
#ifndef MYR_TESTS_SUPPORT_SCAN_SCENE_H
#define MYR_TESTS_SUPPORT_SCAN_SCENE_H

#include "batch_scene.h"
#include "reference/scan.h"

enum { NX = 61, NY = 53, BLOCKS_X = 8, BLOCKS_Y = 7, MOST_Q = 32, MOST_ENVS = 17, POINTS = 187, MAPS = 4, KINDS = 4 };
enum { FIELD, COLUMNS, MIXED, FLOATS };
enum { RISE_X = 37, RISE_Y = -23 }; /* steps from a map's patch to the next one, where it repeats itself */
#define SCAN_CELL 0.1               /* [m] */
#define SCAN_GROUND 0.371           /* the setting `ground` of its batches [m] */
extern const char *const scan_maps[MAPS];
extern const char *const scan_precisions[2];

typedef struct scan_map {
    double height[NX * NY];
    uint8_t columns[BLOCKS_X * BLOCKS_Y];
    ref_scan_map reference;
    myr_terrain *terrain;
} scan_map;

/* Heights of -20 .. 20 mm in steps of 5, or any where the map is of floats. `period`: they repeat after 16 samples, a whole map's so many
 * steps higher. */
void scan_make_map(scan_map *m, int kind, int period);
myr_model *scan_model_on(const char *name, const myr_terrain *terrain);
myr_settings scan_settings(const char *isa, int precision);

/* Where point j of a default scan is, by its definition. */
void scan_point(const double *place, const double heading[2], int j, double xy[2]);
/* World place and height there, as the environment has them, by the reference. */
double scan_height_at(const scan_map *m, ref_scan_kind kind, const double ground_at[3], double x, double y);
/* Where a height jumps, rounding of the place may decide: then it is that of a place right beside. Returns whether it was. */
int scan_judge(const scan_map *m, ref_scan_kind kind, int jumps, int precision, const double ground_at[3], double x, double y, double got,
               const char *what);

#endif
