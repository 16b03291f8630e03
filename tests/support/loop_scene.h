/* Robots with loops for the tests of them, and the loops' rows by the textbook: world axes, dense. */
#ifndef MYR_TESTS_SUPPORT_LOOP_SCENE_H
#define MYR_TESTS_SUPPORT_LOOP_SCENE_H

#include "model/model.h"
#include "reference/rigid_body.h"

/* A model and its loops as they were described. */
typedef struct loop_cast {
    myr_model *model;
    int n_loops;
    myr_loop_def loops[2];
    myr_coupling_def coupling;
} loop_cast;

/* Two random trees of 12 bodies with joints of every kind, a ball loop and a revolute or fixed one anywhere between them or to the world,
 * and a coupling of three joints. All close at the zero configuration. */
loop_cast loop_cast_random(uint64_t seed);
void loop_cast_free(loop_cast *cast);

/* J (rows, nv) and how far open (rows), scaled and in the order of the model's rows; the state has been computed at q. */
void loop_cast_rows(const loop_cast *cast, const reference_state *state, const double *q, double *J, double *open);

/* A crank, a coupler and a rocker hung from the world, hinges about y: the loop at the tip is redundant. tilted: in a plane of no axes,
 * where what is redundant is so only to rounding. */
myr_model *loop_four_bar(myr_loop_type type, int tilted);
/* A leg after Cassie's, hung from the world: heel and toe are held by rods on ball joints, a crank follows the toe. */
myr_model *loop_leg(void);
/* A torso on two legs with feet of two balls, each leg a parallel crank; limits at the hips, friction at the ankles. */
myr_model *loop_walker(void);
/* A finger whose middle follows its base by a cubic, and whose tip and slide hang on a tendon. */
myr_model *loop_finger(void);
/* Two rods that end on the world: rigid, with a limit and friction at the joint between them. */
myr_model *loop_truss(void);

#endif
