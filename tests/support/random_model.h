/* Models and states out of a seed, for tests that must hold for any tree. The same seed gives the same model on every
 * machine: no library's random numbers are involved. */
#ifndef MYR_TESTS_SUPPORT_RANDOM_MODEL_H
#define MYR_TESTS_SUPPORT_RANDOM_MODEL_H

#include <stdint.h>

#include "myriapod/model.h"

typedef struct random_source {
    uint64_t state;
} random_source;

uint64_t random_bits(random_source *source);
double random_uniform(random_source *source, double low, double high);
int random_below(random_source *source, int n); /* 0 .. n - 1 */
void random_quaternion(random_source *source, double quaternion[4]);

typedef struct random_tree {
    int bodies;      /* definitions, fixed ones included */
    int trees;       /* roots */
    int floating;    /* 1: roots are free, 0: fixed to the world, -1: either */
    int straight;    /* 1: frames turned by quarter turns about the axes and joint axes along them; 0: any */
    int limbs;       /* 1: most bodies hang on the one before */
    unsigned joints; /* 1 << MYR_JOINT_REVOLUTE | ...: which joints occur below the roots */
    int rows; /* 1: hinges and sliders have position limits about 0, dry friction, both or neither; 2: all have limits; 0: none has */
} random_tree;

/* Sets of joints that trees are made of. */
enum {
    RANDOM_ALL = 1 << MYR_JOINT_FIXED | 1 << MYR_JOINT_REVOLUTE | 1 << MYR_JOINT_PRISMATIC | 1 << MYR_JOINT_BALL,
    RANDOM_HINGES = 1 << MYR_JOINT_REVOLUTE,
    RANDOM_MOVING = RANDOM_ALL & ~(1 << MYR_JOINT_FIXED)
};

/* NULL where compiling failed: myr_message() says why. Each body carries one sphere at a random place when `geoms`. */
myr_model *random_model(uint64_t seed, const random_tree *tree, int geoms);

/* `check` of `count` models of the seeds first, first + 1, ..; what: which one it is, for messages; seed: another one, for states. */
void random_models(int first, int count, const random_tree *tree, void (*check)(const myr_model *model, const char *what, uint64_t seed));

/* Unit quaternions, angles in [-pi, pi], slides and positions in [-1, 1] m, rates up to `speed`, torques up to `effort`. */
void random_state(random_source *source, const myr_model *model, double speed, double effort, double *q, double *v, double *tau);

#endif
