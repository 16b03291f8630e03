/* Balls (collision/map.lane.h) and capsules (collision/map_capsule.lane.h) on a map in the lanes of any unit, without a robot around them.
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

typedef struct map_unit {
    const char *isa;
    int is_double, lanes;
    void (*run)(const myr_terrain *t, map_case *cases, int n);
    void (*run_rods)(const myr_terrain *t, rod_case *cases, int n);
    /* Seconds for `repeats` passes over n <= lanes cases. */
    double (*time)(const myr_terrain *t, const map_case *cases, int n, int repeats, int seconds);
} map_unit;

/* Unit i; NULL past the last. Not all of them may run here: myr_isa_present. */
const map_unit *map_unit_at(int i);

#endif
