/* A model on the plane and on a map of one height, step by step: all that can be read must be equal, bit for bit (test_flat_map*.c).
 */
#ifndef MYR_TESTS_SUPPORT_FLAT_MAP_H
#define MYR_TESTS_SUPPORT_FLAT_MAP_H

#include "batch_scene.h"

typedef struct flat_case {
    int level, floats, columns; /* of the map; where its 0 is */
    int envs, steps;
    double cell, speed;  /* [m], [m/s] */
    const double *q, *v; /* how all begin; NULL: at home, at rest */
} flat_case;

/* Every environment gets velocities of its own, up to the speed. Returns how many touched the ground. */
int same_on_flat_map(const char *what, const myr_model *model, const myr_settings *settings, const flat_case *c);

#endif
