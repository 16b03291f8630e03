/* Articulated dynamics the textbook way: scalar double, world axes, user frames, dense matrices. The tests compare
 * the lane code with it, so it shares nothing with the lane code: no aligned frames, no sparsity, other formulas.
 * Conventions of q and v: include/myriapod/model.h. */
#ifndef MYR_TESTS_REFERENCE_RIGID_BODY_H
#define MYR_TESTS_REFERENCE_RIGID_BODY_H

#include "model/model.h"

/* All of one state; arrays are owned by the struct. World axes everywhere. */
typedef struct reference_body {
    double rotation[9]; /* user body frame -> world, row-major */
    double lever[3];    /* body origin less the origin of the tree's root body [m] */
    double position[3]; /* body origin [m] */
    double linear[3], angular[3];
    double bias_linear[3], bias_angular[3]; /* accelerations when dv/dt = 0 [m/s^2, rad/s^2] */
    double *jacobian;                       /* (6, nv): linear velocity of the body origin, angular velocity */
} reference_body;

typedef struct reference_state {
    const myr_model *model;
    reference_body *bodies;
    double *M;            /* (nv, nv) */
    double *bias;         /* (nv) Coriolis + gravity */
    double *acceleration; /* (nv) M^-1 (tau - bias); NaN when M is not positive definite */
    double kinetic, potential, mass, com[3];
    double momentum[6]; /* linear, angular about the com */
    double *memory;
} reference_state;

/* 0 when out of memory. */
int reference_init(reference_state *state, const myr_model *model);
void reference_free(reference_state *state);

/* Fill everything from q (nq; quaternions are normalized), v (nv), tau (nv), gravity [m/s^2]. */
void reference_compute(reference_state *state, const double *q, const double *v, const double *tau, const double gravity[3]);

/* Position, quaternion, velocity (linear, angular) and position Jacobian (3, nv) of a named frame of the model. */
void reference_frame(const reference_state *state, int frame, double position[3], double rotation[9], double velocity[6], double *jacobian);

/* x = A^-1 b by Cholesky, A (n, n) symmetric, overwritten by its factor. 0 when A is not positive definite. */
int reference_cholesky_solve(double *A, int n, const double *b, double *x);

/* Largest over smallest eigenvalue of a symmetric positive definite (n, n) matrix, by Jacobi rotations; A is overwritten. */
double reference_condition(double *A, int n);

void reference_quaternion_rotation(const double quaternion[4], double rotation[9]);

#endif
