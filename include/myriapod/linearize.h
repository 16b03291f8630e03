/* Derivatives by lanes: how a control step's end depends on its begin and on the control, by centred differences, a column in each lane.
 *
 * A state's coordinates are those of v (model.h): of a free joint the position in world axes and a small turn in body axes, as MuJoCo's
 * mjd_transitionFD has them. A hard contact has one-sided derivatives where it opens or closes: `kinked` tells which columns met that, and
 * a compliance (settings.md) makes the step smooth. */
#ifndef MYRIAPOD_LINEARIZE_H
#define MYRIAPOD_LINEARIZE_H

#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays are row-major, float64 and the caller's. */
typedef struct myr_linearization {
    int64_t n;               /* states */
    const double *q, *v;     /* (n, nq), (n, nv) */
    const double *u;         /* (n, nu) controls that act for the step; NULL: zero */
    myr_field control_field; /* MYR_TARGET, MYR_TORQUE or MYR_CONTROL, as of myr_rollout */
    double eps;              /* of the differences, in each coordinate and in each control; 0: 1e-6 */
    double tolerance;        /* of contact solves meanwhile; 0: 1e-12. The default of batches, 1e-5, ruins differences */
    double *A;               /* (n, 2 nv, 2 nv) of the state behind the control step by the one before it; NULL: not wanted */
    double *B;               /* (n, 2 nv, nu) by the controls; NULL likewise */
    double *next;            /* (n, nq + nv) the state behind the step itself; NULL likewise */
    uint8_t *kinked;         /* (n, 2 nv + nu) 1: not smooth, see below; NULL likewise */
} myr_linearization;

/* A control step is `decimation` steps of dt. The batch, which must be in float64, computes: its environments stand side by side, and each
 * is one side of one column at a time. What else there is, parameters, motors and what a task remembers, is that of environment 0, which
 * ends as it began, outputs aside; the others end anywhere. Contact solves begin without a warm start. A column is kinked where in the last
 * step of dt contacts or joint rows act on one side alone, or where the derivatives of both sides differ by more than a hundredth. A side
 * that leads to a quarantine makes its column NaN, and kinked; the step itself all columns of its state, and `next`. Takes memory for the
 * call. MYR_E_ARG: a number is not finite or out of range, named; fewer than two environments; a batch in float32. MYR_E_STATE: environment
 * 0 is quarantined, or the batch's task sets targets or begins anew by itself. */
MYR_API myr_status myr_linearize(myr_batch *batch, const myr_linearization *of);

#ifdef __cplusplus
}
#endif
#endif
