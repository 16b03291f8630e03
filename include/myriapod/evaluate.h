/* Rigid-body quantities of given states, without stepping: for checks, control and comparison with peers.
 * Armature and gravity are the model's; damping, friction and limits are off. */
#ifndef MYRIAPOD_EVALUATE_H
#define MYRIAPOD_EVALUATE_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every array is caller's and row-major with leading dimension n; outputs are nullable.
 * M dv/dt + bias = tau in the coordinates of model.h. */
typedef struct myr_evaluation {
    int64_t n;
    const double *q, *v, *tau;   /* (n, nq), (n, nv), (n, nv); v, tau nullable: zero */
    double *M;                   /* (n, nv, nv) [kg, kg m, kg m^2] */
    double *bias;                /* (n, nv) Coriolis + gravity [N, N m] */
    double *acceleration;        /* (n, nv) M^-1 (tau - bias) */
    double *kinetic, *potential; /* (n) [J]; potential is zero at z = 0 */
    double *com;                 /* (n, 3) [m], world */
    double *frame_position;      /* (n, n_frames, 3) world */
    double *frame_quaternion;    /* (n, n_frames, 4) frame -> world */
    double *frame_velocity;      /* (n, n_frames, 6) linear, angular; world axes */
    double *frame_jacobian;      /* (n, n_frames, 3, nv) of the position */
} myr_evaluation;

/* Compute what is asked for at n states. settings: precision and isa are used. */
MYR_API myr_status myr_evaluate(const myr_model *model, const myr_settings *settings, const myr_evaluation *evaluation);

/* Inverse dynamics of n states: the generalized forces tau (n, nv) that give the accelerations dv/dt = `acceleration`,
 *
 *     tau = M dv/dt + bias,
 *
 * without M, in time linear in bodies. In: inertias, armature, Coriolis forces and gravity, those of myr_evaluate. Not in: damping and dry
 * friction of joints, springs, weights that are held (gravity_held), contacts, loops, limits: what these give is to be taken off. tau has
 * the coordinates of v (model.h): of a free joint force in world axes, and moment about the body's origin in body axes. v, acceleration
 * nullable: zero. Arrays are the caller's. settings: precision and isa are used. MYR_E_ARG, and nothing is written, where a number is not
 * finite or a quaternion is not a rotation. May be called from many threads at once. */
MYR_API myr_status myr_inverse_dynamics(const myr_model *model, const myr_settings *settings, int64_t n, const double *q, const double *v,
                                        const double *acceleration, double *tau);

/* The Jacobian (n, 6, nv) of a frame (myr_model_find_frame) in n configurations q (n, nq): velocity of the frame's origin and angular
 * velocity, both in world axes, are the Jacobian times v. Its transpose takes a force and a moment there to generalized forces. Arrays,
 * settings, errors and threads as above. */
MYR_API myr_status myr_frame_jacobian(const myr_model *model, const myr_settings *settings, int frame, int64_t n, const double *q,
                                      double *jacobian);

#ifdef __cplusplus
}
#endif
#endif
