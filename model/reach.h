/* Which pairs of geoms can meet at all, and which overlap by design: found by trying poses (model/reach.c). */
#ifndef MYR_MODEL_REACH_H
#define MYR_MODEL_REACH_H

#include "model.h"

/* A pair of geoms that the filters let through, and the outcome of the pose search for it. */
typedef enum { MYR_CAN_MEET = 0, MYR_NEVER_NEAR, MYR_ALWAYS_OVERLAPS } myr_fate;
typedef struct myr_candidate {
    int geom[2]; /* a < b */
    int own;     /* not asked for by name, and no free joint lies between the two: a robot with itself */
    myr_fate fate;
    double gap;     /* [m] least of all poses, at most 0 where they overlapped */
    double at_home; /* [m] by how much they overlap there */
    double share;   /* part of the poses tried in which they overlapped */
} myr_candidate;

/* Fills in fate, gap and share of n candidates, all of them own. The home pose must be known. */
myr_status myr_find_reach(const myr_model *model, myr_candidate *candidates, int n);

#endif
