/* What the tests of joint limits and dry friction start from: one slider, and robots whose limits all act at once. */
#ifndef MYR_TESTS_SUPPORT_JOINT_SCENE_H
#define MYR_TESTS_SUPPORT_JOINT_SCENE_H

#include "batch_scene.h"

enum { MOST_NQ = 64 };

/* One slider of 1 kg along `axis`, fixed to the world. */
myr_model *joint_slider(int axis, double lower, double upper, double friction);

/* One number of a field of an environment. */
double see(const myr_batch *batch, myr_field field, int64_t env, int component);

typedef struct cast {
    myr_model *model;
    myr_model_info size;
    int rows;
    double lower[64], upper[64], friction[64];
    const char *joint_friction, *limit_recheck; /* settings */
    double fall;                                /* every robot comes down by so much faster [m/s] */
} cast;

/* Limits of the rows narrow enough around home for all of them to act; of ANYmal they are set, the other robot has them. */
cast cast_open(int legs);
/* Robots that fall each in its own way. */
myr_batch *cast_batch(const cast *c, const char *precision, const char *isa, const char *threads, const char *solver, int64_t first,
                      int64_t envs);
/* Robots of many tiles, splits, thread counts and instruction sets end as each does alone. */
void cast_own_bits(const cast *c, const char *precision, int64_t steps);

#endif
