/* Mechanisms of the oracle for maximal coordinates as models of the library, and their states there and back: bodies' centres of mass,
 * quaternions and velocities of the interval, against q and v. */
#ifndef MYR_TESTS_MAXIMAL_CAST_H
#define MYR_TESTS_MAXIMAL_CAST_H

#include <jansson.h>

#include "myriapod/myriapod.h"

enum { MAXIMAL_BODIES = 16 };

/* Of bodies: centre of mass, quaternion, velocity of it, angular velocity in body axes; the velocities are those of the interval that
 * brought the bodies here. */
typedef struct maximal_pose {
    double x[MAXIMAL_BODIES][3], q[MAXIMAL_BODIES][4], v[MAXIMAL_BODIES][3], w[MAXIMAL_BODIES][3];
} maximal_pose;

typedef struct maximal_cast {
    int n, n_q, n_v;
    double dt;
    myr_model *model;
    struct {
        char kind; /* f free, h hinge, s slider, b ball, r rigid */
        int parent, q, v, u;
        double origin[3];      /* of the body's frame, from its centre of mass */
        double at[3], turn[4]; /* joint frame in the parent's: from the centre of mass */
        double axis[3], target, kp, kd;
    } body[MAXIMAL_BODIES];
} maximal_cast;

/* `mechanism` of an oracle's file. Contacts are balls of their radius; radius 0 becomes 1e-12 m. */
maximal_cast maximal_cast_of(const json_t *mechanism);
void maximal_cast_free(maximal_cast *cast);
maximal_pose maximal_pose_of(const json_t *state, int n);

void maximal_to_joints(const maximal_cast *cast, const maximal_pose *pose, double *q, double *v);
/* v of the pose from q now and `before`. */
maximal_pose maximal_from_joints(const maximal_cast *cast, const double *before, const double *now);

/* q + dt v, in doubles: what float makes of a new position is coarser than the velocity that led there. */
void maximal_advance(const maximal_cast *cast, const double *q, const double *v, double *out);

#endif
