/* Balls, capsules and flat solids on a map (collision/map.lane.h, map_capsule.lane.h, map_spikes.lane.h) in the lanes of any unit, without
 * a robot around them.
 */
#ifndef MYR_TESTS_MAP_LANES_H
#define MYR_TESTS_MAP_LANES_H

#include "myriapod/terrain.h"

enum { MAP_TEST_LANES = 16 };

/* One lane's ball, and what it meets. */
typedef struct map_case {
    int origin_i, origin_k;
    double origin_height;              /* in units of the map */
    double radius;                     /* of all that are run together [m] */
    double center[3], later[2], reach; /* [m], from the origin */
    double distance, normal[3];        /* of the centre */
    double plane;                      /* likewise, by normal and corner; NaN where it is not flat */
    int two;
    double second_distance, second_normal[3];
    double height;
} map_case;

/* One lane's axis of a capsule, and what it meets on each half between its ends. */
typedef struct rod_case {
    int origin_i, origin_k;
    double origin_height;     /* in units of the map */
    double length;            /* of all that are run together [m] */
    double from[3], along[3]; /* [m], from the origin */
    struct {
        int has;                           /* a contact: */
        double share, distance, normal[3]; /* where on the axis, and of that place */
    } half[2];
} rod_case;

/* One lane's box, cylinder or hull, and the vertices that stick into each quarter of it. */
typedef struct flat_case {
    int origin_i, origin_k;
    double origin_height;
    double center[3], turn[9]; /* [m], from the origin; own axes -> world, row-major */
    struct {
        int has;
        double distance, normal[3], at[3]; /* at: of the solid's surface, from its middle */
    } quarter[4];
} flat_case;

typedef struct map_unit {
    const char *isa;
    int is_double, lanes;
    void (*run)(const myr_terrain *t, map_case *cases, int n);
    void (*run_rods)(const myr_terrain *t, rod_case *cases, int n);
    /* Of one solid: 0: a box, 1: a cylinder, 2: a hull of so many planes. reach: how far below it a vertex may be [m]. */
    void (*run_flats)(const myr_terrain *t, int kind, const double half[3], const double (*planes)[4], int n_planes, double reach,
                      flat_case *cases, int n);
    /* Seconds for `repeats` passes over n <= lanes cases. */
    double (*time)(const myr_terrain *t, const map_case *cases, int n, int repeats, int seconds);
} map_unit;

/* Unit i; NULL past the last. Not all of them may run here: myr_isa_present. */
const map_unit *map_unit_at(int i);

#endif
