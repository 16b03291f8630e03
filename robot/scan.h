/* A scan as lane code takes it: points about a base or a frame, and which numbers of the ground there. */
#ifndef MYR_ROBOT_SCAN_H
#define MYR_ROBOT_SCAN_H

#include "myriapod/batch.h"
#include "myriapod/terrain.h"

/* Points about a place, x ahead and y to the left of its heading. */
typedef struct myr_scan_pattern {
    const double *points; /* (n, 2) [m] */
    int n;                /* 1 or more */
    double reach;         /* no point is farther ahead, or to a side, than this [m] */
} myr_scan_pattern;

struct myr_scan_job {
    myr_scan_pattern pattern;
    myr_scan_kind kind;
    myr_scan_value value;
    int least; /* the least of the points' values alone */
    int frame; /* MYR_SCAN_BASE: the first tree's base */
    myr_type type;
    void *out; /* (environments, n), or (environments) where `least` */
};

#endif
