/* Pairs of geoms in the lanes of any unit, without a robot around them: for tests and for bench/speed/pair_cost.c. */
#ifndef MYR_TESTS_PAIR_LANES_H
#define MYR_TESTS_PAIR_LANES_H

#include "model/model.h"

enum { PAIR_FEATURES = 9, PAIR_LANES = 16 };

typedef struct pair_shape {
    myr_geom geom; /* type, size, and of hulls points and faces */
    double position[3], rotation[9];
} pair_shape;

typedef struct pair_answer {
    double normal[3]; /* from b into a */
    int slots;
    double gap[PAIR_FEATURES], at[PAIR_FEATURES][3]; /* world; gap 1: it does not have the feature */
} pair_answer;

/* One geom, seen along a direction; about the middle of the box that holds it. */
typedef struct pair_view {
    double middle[3], along, farthest[3]; /* middle: of the geom's own frame; the bound, the point of the core */
    int corners, is_area;                 /* of the face, or line, that looks there the most */
    double normal[3], corner[MYR_FACE_CORNERS][3];
} pair_view;

typedef struct pair_unit {
    const char *isa, *precision;
    int lanes;
    /* One pair of shapes, which must be in the order of model/pairs.def, in n <= lanes poses of each: positions 3, rotations 9. */
    void (*meet)(const pair_shape *a, const pair_shape *b, const double *poses_a, const double *poses_b, int n, double reach,
                 pair_answer *answers);
    /* Of such poses: whether the bounds of bounds.lane.h end it, and the distance of the cores less their radii that a look finds. */
    void (*bounds)(const pair_shape *a, const pair_shape *b, const double *poses_a, const double *poses_b, int n, double reach, int *ends,
                   double *apart);
    /* A shape along n <= lanes unit directions in its axes. */
    void (*view)(const pair_shape *shape, const double (*directions)[3], int n, pair_view *views);
    /* Seconds for `repeats` passes over `n` such sets of poses, `lanes` each. */
    double (*time)(const pair_shape *a, const pair_shape *b, const double *poses_a, const double *poses_b, int n, double reach,
                   int repeats);
} pair_unit;

#define PAIR_POSE 12 /* position, rotation row-major */

/* Unit i; NULL past the last. Not all of them may run here: myr_isa_present. */
const pair_unit *pair_unit_at(int i);

/* Slots of a pair, 0: it is not in model/pairs.def in this order. */
int pair_slots_of(myr_geom_type a, myr_geom_type b);

/* Whether a direction is as good as it can be: the least of n x over a less the most over b [m]. */
double pair_apart(const pair_shape *a, const pair_shape *b, const double n[3]);

/* A hull of points about the geom's origin; its memory is the shape's for good. */
void pair_hull(pair_shape *shape, const double *points, int n);

#endif
