/* A robot on four legs, drawn in any way that a description may choose: the quadruped tasks must work for all of them. */
#ifndef MYR_TESTS_SUPPORT_BEAST_H
#define MYR_TESTS_SUPPORT_BEAST_H

#include "model/model.h"

typedef struct beast {
    const char *limits; /* elements of every knee */
    double drawn_hip;   /* how far the thigh is turned about the sideward axis at q = 0 */
    double drawn_knee;
    int flipped;    /* joint axes against their usual direction */
    int heading_y;  /* forward is +y */
    int two_joints; /* no abduction */
    int legs;
    const char *foot;  /* collision of the shank's end */
    const char *thigh; /* collision half way down the thigh; NULL: none */
    double ahead;      /* of the middle of the trunk: its centre of mass [m] */
    double longer;     /* the hind shanks than the front ones [m] */
    double half;       /* from the middle of the trunk to the hips, forward [m] */
} beast;

extern const beast beast_usual;

myr_model *beast_build(const beast *plan);

#endif
