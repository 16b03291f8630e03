/* A height scan in double, written from its definition: what the lanes' scan is to be judged by. */
#ifndef MYR_TESTS_REFERENCE_SCAN_H
#define MYR_TESTS_REFERENCE_SCAN_H

#include <stdint.h>

typedef enum ref_scan_kind { REF_EXACT, REF_BILINEAR, REF_MIN3, REF_NEAREST } ref_scan_kind;

/* A map as its samples say it: sample (i, k) at x = i cell, y = k cell; kinds by blocks of `block` samples, 1: columns. */
typedef struct ref_scan_map {
    int nx, ny, block, blocks_y;
    double cell;
    const double *height;   /* (nx, ny) [m] */
    const uint8_t *columns; /* (blocks of x, blocks of y) */
} ref_scan_map;

double ref_scan_height(const ref_scan_map *map, ref_scan_kind kind, double x, double y);

/* Where the x axis of a quaternion (w x y z, of any length) points to, seen from above: cosine and sine. */
void ref_scan_heading(const double quaternion[4], double heading[2]);

#endif
