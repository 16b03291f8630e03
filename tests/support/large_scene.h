/* Contact problems in blocks: dense ones made sparse, and piles of blocks whose answer is known. */
#ifndef MYR_TESTS_SUPPORT_LARGE_SCENE_H
#define MYR_TESTS_SUPPORT_LARGE_SCENE_H

#include "myriapod/contact.h"

typedef struct large_scene {
    myr_large_problem problem; /* points into what follows */
    myr_contact_result result;
    int64_t *first;
    int *column;
    double *block, *c, *mu;
} large_scene;

#define LARGE_GRAVITY_DT 0.00981 /* of a step of 1 ms [m/s] */

/* Columns of `height` blocks, which cannot turn, on a slope. Block k of a column has the mass 1 + k / 4; contact k is under it. tied:
 * beside each block stands the same one of the next column, a wall between them that neither leaves, which makes a grid of all. */
typedef struct large_pile {
    int columns, height;
    double slope, mu, mu_floor; /* slope: of the floor [rad], down along x */
    int tied;
} large_pile;

large_scene large_scene_pile(const large_pile *how);
/* Contact i carries so much, gravity_dt times the mass above. */
double large_pile_above(const large_pile *how, int i);
large_scene large_scene_of(const myr_contact_problem *dense);
void large_scene_free(large_scene *scene);

#endif
