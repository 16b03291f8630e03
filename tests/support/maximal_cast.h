/* Mechanisms of the scalar reference as models of the library, and their states there and back: bodies' centres of mass,
 * quaternions and velocities of the interval, against q and v. */
#ifndef MYR_TESTS_SUPPORT_MAXIMAL_CAST_H
#define MYR_TESTS_SUPPORT_MAXIMAL_CAST_H

#include "myriapod/myriapod.h"
#include "reference/maximal.h"

enum { MAXIMAL_BODIES = 16 };

/* Of bodies: centre of mass, quaternion, velocity of it, angular velocity in body axes; the velocities are those of the interval that
 * brought the bodies here. */
typedef struct maximal_pose {
    double x[MAXIMAL_BODIES][3], q[MAXIMAL_BODIES][4], v[MAXIMAL_BODIES][3], w[MAXIMAL_BODIES][3];
} maximal_pose;

typedef struct maximal_cast {
    int n, n_q, n_v, n_u;
    double dt, gravity[3];
    myr_model *model;
    struct {
        char kind;               /* f free, h hinge, s slider, b ball, r rigid */
        int parent, id, q, v, u; /* id: of the model */
        double origin[3];        /* of the body's frame, from its centre of mass */
        double at[3], turn[4];   /* joint frame in the parent's: from the centre of mass */
        double axis[3];
        maximal_motor motor;
    } body[MAXIMAL_BODIES];
} maximal_cast;

/* The first joint with a body as its child carries it, any other closes a loop. Contacts are balls of their radius; radius 0 becomes
 * 1e-12 m. */
maximal_cast maximal_cast_of(const maximal *m);
void maximal_cast_free(maximal_cast *cast);

/* A batch with the mechanism's dt, gravity and motors. */
myr_batch *maximal_cast_batch(const maximal_cast *cast, int64_t envs, const myr_settings *settings);

/* Force at the centre of mass of body i, world axes, and torque about it, the body's axes, during the next step of an environment that is
 * at this pose. Of a body that no fixed joint holds. */
void maximal_cast_push(const maximal_cast *cast, const maximal_pose *pose, int i, const double force[3], const double torque[3],
                       myr_batch *batch, int64_t env);

/* State of the mechanism, and back into it. */
maximal_pose maximal_pose_of(const maximal *m);
void maximal_put(maximal *m, const maximal_pose *pose);

/* Largest difference of places, and of velocities; infinite where a is not finite. */
void maximal_apart(const maximal_pose *a, const maximal_pose *b, int n, double *place, double *speed);
/* The largest velocity of a pose. */
double maximal_speed(const maximal_pose *a, int n);

void maximal_to_joints(const maximal_cast *cast, const maximal_pose *pose, double *q, double *v);
/* v of the pose from q now and `before`. */
maximal_pose maximal_from_joints(const maximal_cast *cast, const double *before, const double *now);

/* q + dt v, in doubles: what float makes of a new position is coarser than the velocity that led there. */
void maximal_advance(const maximal_cast *cast, const double *q, const double *v, double *out);

#endif
