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

#ifdef __cplusplus
}
#endif
#endif
